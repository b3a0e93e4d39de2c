"""The kinds of words, and the places of words in a message."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The kind of a word, before any dictionary is asked."""

    __hash__ = str.__hash__
    TEL = "TEL"
    MEL = "MEL"
    URL = "URL"
    COD = "COD"
    ADR = "ADR"
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
    LIE = "LIE"
    ORG = "ORG"
    # From here on: what identifies nobody by its form.
    MASKED = "MASKED"
    PUBLIC = "PUBLIC"
    NAME = "NAME"
    WORD = "WORD"
    NUMBER = "NUMBER"
    HOUR = "HOUR"
    SMILEY = "SMILEY"
    EMOJI = "EMOJI"
    PUNCTUATION = "PUNCTUATION"

    @property
    def is_identifier(self) -> bool:
        """Return whether words of this kind identify someone by their form alone."""
        return self not in _NO_IDENTIFIERS


_NO_IDENTIFIERS = frozenset([*Kind][[*Kind].index(Kind.MASKED) :])


@dataclass(frozen=True, slots=True)
class FoundSpan:
    start: int
    end: int
    kind: Kind
