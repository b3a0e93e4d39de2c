"""The terms of the field: verdicts, predictions, actions, and types of identifiers."""

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What Seek&Hide says (paper, section 5)."""

    TA = "TA"
    NTA = "NTA"
    UNTAGGED = "UNTAGGED"


class Prediction(StrEnum):
    """What the learnt model says."""

    TA = "TA"
    NTA = "NTA"


class Action(StrEnum):
    """What is done with the message."""

    TA = "TA"
    NTA = "NTA"
    EXPERT = "EXPERT"


class IdentifierType(StrEnum):
    """What an identifier is (88milSMS, the types of its masks)."""

    PRE = "PRE"
    NOM = "NOM"
    SUR = "SUR"
    ADR = "ADR"
    LIE = "LIE"
    TEL = "TEL"
    COD = "COD"
    URL = "URL"
    MAR = "MAR"
    MEL = "MEL"


class Span(NamedTuple):
    """An identifier in a text: where it stands, in characters, and its type."""

    start: int
    end: int
    type: IdentifierType


Spans = tuple[Span, ...]


# The feature set of the shipped model that decides by default, and of models that are trained.
DEFAULT_FEATURES = "evidence"

# Evidence from which on a word is more likely an identifier than not. On the first 4,000 messages
# of 88milSMS, each sender held out, five of six such words are identifiers, and nine of ten
# identifiers are among them.
CERTAIN_FROM = 0.3
# Evidence from which on a word may well be an identifier, so that nothing releases it unseen.
SUSPECT_FROM = 0.05
