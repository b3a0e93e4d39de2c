"""What a recogniser is: an expression, a validity check, and how sure both are."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from triage.dictionaries.kinds import Kind, Span
from triage.dictionaries.normal import Legible

# The group of an expression that is the identifier, where it is not the whole match.
FOUND = "found"
# Little signs between a trigger and what it announces: "code : 4512", "mdp=...".
_SIGNS = r"[ :,;.=]{1,4}"
# Behind "n°" a digit may stand, behind "num" no letter.
_WORD_END = r"(?!(?<=\w)\w)"


@dataclass(frozen=True, slots=True)
class Recogniser:
    r"""Finds the identifiers of one form.

    Expressions read the legible message (`triage.dictionaries.normal.Legible`) and are linear on
    hostile input: each repetition is bounded, or possessive and followed by something that it
    cannot match.

    Parameters
    ----------
    name : str
        As the user calls it: ``iban``.
    kind : Kind
        The type of what it finds.
    form : Pattern
        The identifier, or with a group ``found`` what announces it, too.
    gate : str
        An expression that matches in at least one of the pieces between spaces of each message
        that holds such an identifier: other messages are not looked at.
    near : tuple of str
        Strings in lower case, at least one of which stands in each message that holds such an
        identifier: parts of its triggers. They are looked for much faster than an expression.
    check : callable, optional
        Tells of what was found, as it is written, whether it is valid: a checksum, a date.
    score : float
        How sure the form is, from 0 to 1: of finds at one place, the surest is kept.
    examples, counterexamples : tuple of str
        Messages in which it finds something, and in which it does not. Invented.
    is_on : bool, default True
        Whether it is used where nobody asks for it.
    trim : str
        Characters that do not belong to the end of an identifier, such as a full stop.
    """

    name: str
    kind: Kind
    form: re.Pattern[str]
    gate: str
    near: tuple[str, ...] = ()
    check: Callable[[str], bool] | None = None
    score: float = 0.8
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()
    is_on: bool = True
    trim: str = ""

    def find(self, text: str) -> Iterable[tuple[int, int]]:
        """Yield where the identifiers of a legible text stand."""
        group = FOUND if FOUND in self.form.groupindex else 0
        for match in self.form.finditer(text):
            start, end = match.span(group)
            if self.trim:
                end = start + len(text[start:end].rstrip(self.trim))
            if start < end and (self.check is None or self.check(text[start:end])):
                yield start, end


class Recognisers:
    """Recognisers that are used together.

    Parameters
    ----------
    recognisers : iterable of Recogniser

    Examples
    --------
    >>> from triage.dictionaries.recognisers import shipped
    >>> text = "Tel 06 39 98 12 34, le code c'est 45B78"
    >>> [(text[s.start : s.end], s.kind.name) for s in shipped("fr").find(text)]
    [('06 39 98 12 34', 'TEL'), ('45B78', 'COD')]
    """

    def __init__(self, recognisers: Iterable[Recogniser]) -> None:
        self.all = tuple(recognisers)
        gated: dict[tuple[str, tuple[str, ...]], list[Recogniser]] = {}
        for one in self.all:
            gated.setdefault((one.gate, one.near), []).append(one)
        gates = dict.fromkeys(gate for gate, _ in gated)
        self._gate = re.compile("|".join(f"(?:{gate})" for gate in gates) or "(?!)", re.IGNORECASE)
        self._gated = [
            (re.compile(gate, re.IGNORECASE), near, ones) for (gate, near), ones in gated.items()
        ]

    @property
    def fingerprint(self) -> str:
        """A number by which the same recognisers are recognised."""
        parts = (f"{one.name} {one.kind} {one.form.pattern} {one.score}" for one in self.all)
        return sha256("\0".join(parts).encode()).hexdigest()

    def may_be_in(self, piece: str) -> bool:
        """Return whether a message with this piece between spaces may hold an identifier."""
        legible = piece if piece.isascii() else Legible.of(piece).text
        return self._gate.search(legible) is not None

    def find(self, message: str) -> list[Span]:
        """Find the identifiers of a message, in order and not overlapping.

        Of finds that overlap, the longest is kept; of those of one length the one of the highest
        score, then the first.
        """
        legible = Legible.of(message)
        text, lower = legible.text, legible.text.lower()
        found = [
            (start - end, -one.score, start, end, one.kind)
            for gate, near, ones in self._gated
            if gate.search(text) and (not near or any(map(lower.__contains__, near)))
            for one in ones
            for start, end in one.find(text)
        ]
        kept = _apart(found) if len(found) > 1 else [one[2:] for one in found]
        return [Span(*legible.span(start, end), kind) for start, end, kind in kept]


def _apart(
    found: list[tuple[int, float, int, int, Kind]],
) -> list[tuple[int, int, Kind]]:
    """Return the finds that no longer or surer one overlaps, in the order of the text."""
    kept: list[tuple[int, int, Kind]] = []
    for _, _, start, end, kind in sorted(found):
        place = bisect_left(kept, (start, end))
        is_free = (place == 0 or kept[place - 1][1] <= start) and (
            place == len(kept) or end <= kept[place][0]
        )
        if is_free:
            kept.insert(place, (start, end, kind))
    return kept


def any_of(expressions: Iterable[str]) -> str:
    """Return an expression for any of several."""
    return f"(?:{'|'.join(expressions)})"


def behind(
    triggers: Sequence[str], between: Sequence[str], form: str, most: int = 5, signs: str = _SIGNS
) -> str:
    r"""Return the expression of what stands behind a trigger, with little words between.

    Parameters
    ----------
    triggers, between : sequence of str
        Expressions of whole words: what announces the identifier; what may stand before it.
    form : str
        Of the identifier.
    most : int
        How many little words there may be.
    signs : str
        The expression of what separates all of these.

    Examples
    --------
    >>> code = re.compile(behind(["code"], ["c'est", "le"], r"\d{4}"))
    >>> code.search("le code c'est le 4512")[FOUND]
    '4512'
    """
    words = rf"(?:{signs}{any_of(between)}{_WORD_END}){{0,{most}}}" if between else ""
    return rf"(?<!\w){any_of(triggers)}{_WORD_END}{words}{signs}(?P<{FOUND}>{form})"
