"""What treatment handles, as plain data."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from ..vocabulary import IdentifierType


class Identifier(NamedTuple):
    """An identifier that was found in a text.

    Parameters
    ----------
    start, end : int
        Where it stands, in characters (code points); the end is behind the last one.
    type : IdentifierType
    rule : str
        What found it: a `triage.anonymise.find.Rule`.
    """

    start: int
    end: int
    type: IdentifierType
    rule: str


@dataclass(frozen=True)
class Spelling:
    """An identifier as it is written, for a style to replace.

    Parameters
    ----------
    text : str
    type : IdentifierType
    sender : str
        Of the message; empty where unknown.
    """

    text: str
    type: IdentifierType
    sender: str = ""


class StyleName(StrEnum):
    """How identifiers are replaced."""

    TAG = "tag"
    PAPER = "paper"
    CONSISTENT = "consistent"
    SURROGATE = "surrogate"
    MASK = "mask"


class Style(Protocol):
    """A way to replace identifiers."""

    @property
    def reversible(self) -> bool:
        """Return whether who has public lists can read the replacements back."""

    def replacement(self, spelling: Spelling) -> str:
        """Return what stands in the place of a spelling.

        Parameters
        ----------
        spelling : Spelling
            One of those that the style was made for.

        Returns
        -------
        str
        """
