"""The terms of the field: verdicts, predictions, actions, types of identifiers, and spans."""

import json
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from .errors import TriageError


class Quantity(int):
    """A number in a sentence: a form such as ``# row|# rows`` has the words for one, and others."""

    def __format__(self, form: str) -> str:
        one, bar, several = form.partition("|")
        words = one if self == 1 else several
        return words.replace("#", f"{int(self):,}") if bar else super().__format__(form)


class Verdict(StrEnum):
    """The verdict of Seek&Hide (paper, section 5)."""

    __hash__ = str.__hash__

    TA = "TA"
    NTA = "NTA"
    UNTAGGED = "UNTAGGED"


class Prediction(StrEnum):
    """The prediction of the learnt model."""

    __hash__ = str.__hash__

    TA = "TA"
    NTA = "NTA"


class Action(StrEnum):
    """The action taken on a message."""

    __hash__ = str.__hash__

    TA = "TA"
    NTA = "NTA"
    EXPERT = "EXPERT"


# The severities of an identifier by itself (Grouin 2013): one person, or a share in a guess.
Severity = StrEnum("Severity", ["DIRECT", "INDIRECT"])


class IdentifierType(StrEnum):
    """The type of an identifier: those of the masks of 88milSMS, then those of later years."""

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
    IBA = "IBA"
    CRT = "CRT"
    NIR = "NIR"
    SIR = "SIR"
    CRY = "CRY"
    IMM = "IMM"
    DDN = "DDN"
    AGE = "AGE"
    CPO = "CPO"
    IPA = "IPA"
    GPS = "GPS"
    PSD = "PSD"
    LNK = "LNK"
    NUM = "NUM"
    ORG = "ORG"


# What many people share.
_INDIRECT = ("LIE", "MAR", "URL", "AGE", "CPO", "DDN", "ORG", "SIR")
SEVERITIES = dict.fromkeys(IdentifierType, Severity.DIRECT)
SEVERITIES |= dict.fromkeys(map(IdentifierType, _INDIRECT), Severity.INDIRECT)
"""The severity of each type, where no plan says another."""


class TypeName(NamedTuple):
    """The names of a type: in words, of Presidio's recognisers and models, and in TEI (P5)."""

    one: str
    several: str
    presidio: str
    tei: str


_ROWS = Path(__file__).with_name("type_names.csv").read_text(encoding="utf-8").splitlines()[1:]
TYPE_NAMES = {IdentifierType(row[0]): TypeName(*row[1:]) for row in (r.split(";") for r in _ROWS)}

TAG = (
    rf"<(?:(?=(?:{'|'.join(IdentifierType)})>)|(?![A-Z]{{3}}>))"
    r"(?P<type>[A-Z]{3})(?:_[A-Z]{3}){0,3}(?:_(?P<length>[0-9]{1,12}))?(?:_(?P<code>[0-9A-Za-z]{1,12}))?>"
)
"""The tag that stands for an identifier: its type or types, perhaps its length, perhaps a code."""


class Span(NamedTuple):
    """An identifier in a text: where it stands, in characters, and its type."""

    start: int
    end: int
    type: IdentifierType


Spans = tuple[Span, ...]


def parse_spans(cell: object) -> Spans:
    """Parse JSON text, or a list, of ``[start, end, type]``, of which none may be passed over."""
    triples = parse_triples(cell)
    if not {kind for _, _, kind in triples} <= IdentifierType.__members__.keys():
        raise TriageError(f"a type of identifier is none of {', '.join(IdentifierType)}")
    return tuple(Span(start, end, IdentifierType(kind)) for start, end, kind in triples)


def parse_triples(cell: object, *, strict: bool = True) -> list[tuple[int, int, str]]:
    """Parse JSON text, or a list, of ``[start, end, type]``, where the type may be any text."""
    try:
        triples = json.loads(cell) if isinstance(cell, str) else cell
        if not isinstance(triples, list):
            raise TypeError
        if strict and any([*map(type, one)] != [int, int, str] for one in triples):
            raise TypeError
        return [(int(start), int(end), str(kind)) for start, end, kind in triples]
    except (ValueError, TypeError, OverflowError, RecursionError):
        if strict:
            raise TriageError("no JSON list of [start, end, type] in whole numbers") from None
        return []


def check_spans(spans: Iterable[Span], length: int) -> Spans:
    """Return the spans of a text in order."""
    ordered = tuple(sorted(spans))
    before = 0
    for span in ordered:
        if not 0 <= span.start < span.end <= length:
            raise TriageError(
                f"the identifier from {span.start} to {span.end} is not within the text, "
                f"which has {length} characters"
            )
        if span.start < before:
            raise TriageError(f"two identifiers overlap at {span.start}: mark each once")
        before = span.end
    return ordered


# The feature set of the shipped model that decides by default, and of models that are trained.
DEFAULT_FEATURES = "evidence"

# Evidence from which on a word is more likely an identifier than not. On the first 4,000 messages
# of 88milSMS, each sender held out, 85 of 100 such words are identifiers, and 92 of 100 identifiers
# are among them (81 and 86 where they have no capitals). F2, which weighs recall more, is within
# .001 of its maximum, at .25.
CERTAIN_FROM = 0.3
# Evidence from which on a word may well be an identifier, so that nothing releases it unseen.
SUSPECT_FROM = 0.05
