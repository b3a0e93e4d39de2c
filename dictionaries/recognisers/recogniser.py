"""Recognisers: an expression, a validity check and a score for each form of identifiers."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, reduce
from hashlib import sha256
from itertools import chain
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.kinds import Kind, Span
from triage.dictionaries.normal import Legible, fold
from triage.dictionaries.pack import NEVER

# The group of an expression that is the identifier, where it is not the whole match.
FOUND = "found"
_BY = "by"
_ZERO, _NINE = map(ord, "09")


class Place(Enum):
    """Where in a message the piece must be that the gate of capitals lets through."""

    BESIDE = auto()  # next to one that the first gate lets through, or the same
    LAST = auto()  # the last that has a letter


@dataclass(frozen=True, slots=True)
class Recogniser:
    r"""Finds the identifiers of one form."""

    name: str
    kind: Kind
    # Compiled when it is first needed.
    form: str | re.Pattern[str]
    gate: str
    check: Callable[[str], bool] | None = None
    score: float = 0.8
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()
    is_on: bool = True
    digits: int = 0
    trim: str = ""
    is_shortened: bool = False
    near: str = ""
    capitals: str = ""
    place: Place | None = None
    announcer: Callable[[str], bool] | None = None

    @property
    def expression(self) -> str:
        """The expression of its form."""
        return self.form if isinstance(self.form, str) else self.form.pattern

    @property
    def compiled(self) -> re.Pattern[str]:
        """Its form, compiled once."""
        return _compiled(self.form)

    def find(self, text: str) -> Iterable[tuple[int, int]]:
        """Yield where the identifiers of a legible text stand."""
        form = self.compiled
        group = FOUND if FOUND in form.groupindex else 0
        for match in form.finditer(text):
            if self.announcer and not self.announcer(match[_BY]):
                continue
            start, _ = match.span(group)
            found = self._valid(match[group] or "")
            if found:
                yield start, start + len(found)

    def _valid(self, found: str) -> str:
        """Return the valid beginning of what was found: all of it, unless it may be shortened."""
        while found:
            found = found.rstrip(self.trim) if self.trim else found
            if self.check is None or self.check(found):
                return found
            found = "".join(found.rsplit(None, 1)[:-1]) if self.is_shortened else ""
        return ""


_compiled = cache(re.compile)
Bits = NDArray[np.uint64]


class _Gate(NamedTuple):
    """An expression that pieces are searched by, in lower case or as they are written."""

    form: str
    is_written: bool = False


class _Placed(NamedTuple):
    """A gate for the last piece with a letter, or for one that is beside or in another's."""

    here: _Gate
    beside: _Gate | None = None


_LETTER = _Gate(r"[^\W\d_]++")


class Recognisers:
    """Recognisers that are used together."""

    def __init__(
        self,
        recognisers: Iterable[Recogniser],
        asked: tuple[str, ...] = (),
        files: tuple[str, ...] = (),
    ) -> None:
        self.all = tuple(recognisers)
        self.asked = asked
        self.files = files
        needed = [_conditions_of(one) for one in self.all]
        conditions = [*dict.fromkeys(chain([_LETTER], *needed))]
        self._bits = _one_bit_each(conditions)
        self._masks = [
            (reduce(or_, [self._bits[condition] for condition in of_one]), one.digits)
            for of_one, one in zip(needed, self.all, strict=True)
        ]
        self._gates = [
            (self._bits[one], one.is_written, re.compile(one.form, re.MULTILINE))
            for one in conditions
            if isinstance(one, _Gate)
        ]
        self._places = [one for one in conditions if isinstance(one, _Placed)]

    @property
    def fingerprint(self) -> str:
        """A number by which the same recognisers are recognised."""
        parts = (
            f"{one.name} {one.kind} {one.expression} {one.score} "
            f"{one.check.__qualname__ if one.check else ''} {one.trim}"
            for one in self.all
        )
        return sha256("\0".join(parts).encode()).hexdigest()

    def gates(self, pieces: Sequence[str]) -> tuple[Bits, NDArray[np.int64]]:
        """Return of pieces of messages between spaces which gates match, and how many digits."""
        # All in one text, which each gate goes through once. A gate that sees across a line break,
        # or is empty, lets more be looked at.
        written = [one if one.isascii() else Legible.of(one).text for one in pieces]
        bits = np.zeros((len(written), len(self._bits[_LETTER])), dtype=np.uint64)
        self._try(written, bits, are_written=True)
        n_digits = self._try([*map(_for_gates, written)], bits, are_written=False)
        return bits, n_digits

    def _try(self, legible: Sequence[str], bits: Bits, *, are_written: bool) -> NDArray[np.int64]:
        """Add the bits of gates that match in pieces; return the number of digits of each piece."""
        text, behind = "\n".join(legible), np.cumsum([len(one) + 1 for one in legible])
        for bit, is_written, gate in self._gates:
            if is_written is not are_written:
                continue
            spans = (
                [match.span() for match in gate.finditer(text)]
                if gate.pattern
                else [(0, len(text))] * bool(legible)
            )
            places = np.searchsorted(behind, spans, side="right").reshape(-1, 2)
            bits[places[:, 0]] |= bit
            for first, last in places[places[:, 0] < places[:, 1]].tolist():
                bits[first : last + 1] |= bit
        signs = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        digits = np.searchsorted(
            behind, np.flatnonzero((signs >= _ZERO) & (signs <= _NINE)), "right"
        )
        return np.bincount(digits, minlength=len(legible))

    def possible(
        self, gates: Bits, n_digits: NDArray[np.int64], first: NDArray[np.int64]
    ) -> dict[int, list[Recogniser]]:
        """Return by message the recognisers that may find something in it.

        `gates` and `n_digits` are of the pieces of all messages, `first` says where each begins.
        """
        bits, digits = self._of_messages(gates, first), np.add.reduceat(n_digits, first)
        may_find = np.array(
            [
                (digits >= fewest) & ((bits & mask) == mask).all(axis=1)
                for mask, fewest in self._masks
            ]
        )
        found: dict[int, list[Recogniser]] = {}
        for message, number in zip(*(axis.tolist() for axis in may_find.T.nonzero()), strict=True):
            found.setdefault(message, []).append(self.all[number])
        return found

    def _of_messages(self, gates: Bits, first: NDArray[np.int64]) -> Bits:
        """Return the bits of messages by those of their pieces."""
        bits = np.bitwise_or.reduceat(gates, first)
        of_piece = np.repeat(np.arange(len(first)), np.diff(first, append=len(gates)))
        with_letter = np.where(self._have(gates, _LETTER), np.arange(len(gates)), first[of_piece])
        last = gates[np.maximum.reduceat(with_letter, first)]
        for place in self._places:
            if place.beside:
                is_announced = self._have(gates, place.beside)
                is_announced[1:] |= is_announced[:-1] & (of_piece[1:] == of_piece[:-1])
                bits[of_piece[is_announced & self._have(gates, place.here)]] |= self._bits[place]
            else:
                bits[self._have(last, place.here)] |= self._bits[place]
        return bits

    def _have(self, gates: Bits, gate: _Gate) -> NDArray[np.bool_]:
        bit = self._bits[gate]
        column = int(bit.argmax())
        found: NDArray[np.bool_] = (gates[:, column] & bit[column]) != 0
        return found

    def find(self, message: str, possible: Sequence[Recogniser] | None = None) -> list[Span]:
        """Find the identifiers of a message, in order and not overlapping."""
        if possible is None:
            start = np.zeros(1, dtype=np.int64)
            possible = self.possible(*self.gates(message.split(" ")), start).get(0, [])
        if not possible:
            return []
        legible = Legible.of(message)
        text = legible.text
        found = [
            (start - end, -one.score, start, end, one.kind)
            for one in possible
            for start, end in one.find(text)
        ]
        kept = _apart(found) if len(found) > 1 else [one[2:] for one in found]
        return [Span(*legible.span(start, end), kind) for start, end, kind in kept]


def _one_bit_each(conditions: Sequence[_Gate | _Placed]) -> dict[_Gate | _Placed, Bits]:
    """Return for each condition the row of bits in which only its own is set."""
    rows = np.zeros((len(conditions), -(-len(conditions) // _BITS)), dtype=np.uint64)
    for number, row in enumerate(rows):
        row[number // _BITS] = 1 << number % _BITS
    return dict(zip(conditions, rows, strict=True))


_BITS = 64


def _conditions_of(recogniser: Recogniser) -> list[_Gate | _Placed]:
    """Return what must hold in a message before a recogniser searches it."""
    gate, near = _Gate(recogniser.gate), _Gate(recogniser.near)
    here = _Gate(recogniser.capitals, is_written=True)
    conditions: list[_Gate | _Placed] = [gate, *(one for one in (near, here) if one.form)]
    if recogniser.place:
        conditions.append(_Placed(here, gate if recogniser.place is Place.BESIDE else None))
    return conditions


# Letters that an expression takes for others where case does not count.
_WITHOUT_CASE = str.maketrans("ıſ", "is")


def _for_gates(legible: str) -> str:
    """Return a legible piece in lower case, and below it without accents where it has any."""
    text = legible.lower()
    if text.isascii():
        return text
    plain = fold(text).translate(_WITHOUT_CASE)
    return text if plain == text else f"{text}\n{plain}"


def _apart(
    found: list[tuple[int, float, int, int, Kind]],
) -> list[tuple[int, int, Kind]]:
    """Return the finds that no longer or surer one overlaps, in the order of the text."""
    kept: list[tuple[int, int, Kind]] = []
    taken = bytearray(max(one[3] for one in found))
    for _, _, start, end, kind in sorted(found):
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            kept.append((start, end, kind))
    return sorted(kept)


def any_of(expressions: Iterable[str]) -> str:
    """Return an expression for any of several, of which the first that matches counts."""
    parts: list[str] = []
    behind: dict[str, list[str]] = {}
    for expression in expressions:
        if _WITH_LETTER.fullmatch(expression):
            behind.setdefault(expression[0], []).append(expression[1:])
        else:  # it may match where others do: their order stays
            parts += [*_together(behind), expression]
            behind = {}
    return f"(?:{'|'.join([*parts, *_together(behind)]) or NEVER})"


# A letter that is not repeated, and no alternatives but between parentheses.
_PLAIN = r"[^|()\[\]\\]|\[[^]()]*\]|\\[^()]"
_WITH_LETTER = re.compile(
    rf"[a-zà-ÿ](?![*+?{{])(?:{_PLAIN}|\((?:{_PLAIN}|\||\((?:{_PLAIN}|\|)*\))*\))*"
)


def _together(behind: dict[str, list[str]]) -> list[str]:
    """Return expressions by their first letter and what may stand behind it."""
    return [
        letter + (rest[0] if len(rest) == 1 else f"(?:{'|'.join(rest)})")
        for letter, rest in behind.items()
    ]
