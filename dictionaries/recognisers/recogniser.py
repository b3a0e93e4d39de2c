"""Recognisers: an expression, a validity check and a score for each form of identifiers."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from operator import or_

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.kinds import Kind, Span
from triage.dictionaries.normal import Legible, fold
from triage.dictionaries.pack import NEVER, Pack

# How many characters at the end of a message are searched for the ending of an identifier.
LONGEST_ENDING = 30
# The group of an expression that is the identifier, where it is not the whole match.
FOUND = "found"
_BY = "by"
# Signs between a trigger and what it announces: "code : 4512", "mdp=...", a line break, an arrow.
_SIGNS = '[ \n:,;.=(>*/"«→➡👉-]{1,4}+'
# Behind "n°" a digit may stand, behind "num" no letter.
_WORD_END = r"(?!(?<=\w)\w)"
_MOST_BITS = 62
# Numbers that people write in groups of any length: ``FR76 3000-4000``, one below the other.
# What stands between two digits of one number.
GAP = r"[ \n.\-_/·]{0,3}+"
# A number begins here: not inside a word, nor inside a longer number.
START = r"(?<![^\W_])(?<!\d[.,/-])(?<!\d{4} )"
# It ends here: no digit follows, nor a further group of four.
END = r"(?![^\W_])(?![.,/-]\d)(?! \d{4}(?!\d))"
_ZERO, _NINE = map(ord, "09")
# More digits than a message has.
_NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Recogniser:
    r"""Finds the identifiers of one form."""

    name: str
    kind: Kind
    form: re.Pattern[str]
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
    announcer: Callable[[str], bool] | None = None
    ending: re.Pattern[str] | None = None

    def find(self, text: str) -> Iterable[tuple[int, int]]:
        """Yield where the identifiers of a legible text stand."""
        if self.ending and not self.ending.search(text, max(0, len(text) - LONGEST_ENDING)):
            return
        group = FOUND if FOUND in self.form.groupindex else 0
        for match in self.form.finditer(text):
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
        gates = dict.fromkeys(gate for one in self.all for gate in _gates_of(one))
        # A bit for each gate. Gates that share one only let more be looked at.
        bits = {gate: 1 << number % _MOST_BITS for number, gate in enumerate(gates)}
        self._gates = [
            (bit, is_written, re.compile(gate, re.MULTILINE))
            for (is_written, gate), bit in bits.items()
        ]
        self._bits = [
            (reduce(or_, [bits[gate] for gate in _gates_of(one)]), one) for one in self.all
        ]
        self._wanted: dict[int, tuple[Recogniser, ...]] = {}

    @property
    def fingerprint(self) -> str:
        """A number by which the same recognisers are recognised."""
        parts = (
            f"{one.name} {one.kind} {one.form.pattern} {one.score} "
            f"{one.check.__qualname__ if one.check else ''} {one.trim}"
            for one in self.all
        )
        return sha256("\0".join(parts).encode()).hexdigest()

    def gates(self, pieces: Iterable[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find out which gates match in pieces of messages between spaces."""
        # All in one text, which each gate goes through once. A gate that sees across a line break,
        # or is empty, lets more be looked at.
        written = [one if one.isascii() else Legible.of(one).text for one in pieces]
        bits = np.zeros(len(written), dtype=np.int64)
        self._try(written, bits, are_written=True)
        n_digits = self._try([*map(_for_gates, written)], bits, are_written=False)
        return bits, n_digits

    def _try(
        self, legible: Sequence[str], bits: NDArray[np.int64], *, are_written: bool
    ) -> NDArray[np.int64]:
        """Add the bits of gates that match in pieces; return the number of digits of each piece."""
        text, behind = "\n".join(legible), np.cumsum([len(one) + 1 for one in legible])
        for bit, is_written, gate in self._gates:
            if is_written is not are_written:
                continue
            spans = (
                [match.span() for match in gate.finditer(text)]
                if gate.pattern
                else [(0, len(text))]
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

    def wanted(self, gates: int) -> tuple[Recogniser, ...]:
        """Return the recognisers of which all gates match."""
        if gates not in self._wanted:
            self._wanted[gates] = tuple(one for bits, one in self._bits if bits & ~gates == 0)
        return self._wanted[gates]

    def may_find(self, gates: NDArray[np.int64], n_digits: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell in which messages `find` may find anything, by gates and digits of their pieces."""
        distinct, which = np.unique(gates, return_inverse=True)
        fewest = [
            min((one.digits for one in self.wanted(bits)), default=_NEVER)
            for bits in distinct.tolist()
        ]
        possible: NDArray[np.bool_] = n_digits >= np.array(fewest, dtype=np.int64)[which]
        return possible

    def find(self, message: str, gates: int | None = None) -> list[Span]:
        """Find the identifiers of a message, in order and not overlapping."""
        if gates is None:
            gates = int(np.bitwise_or.reduce(self.gates(message.split(" "))[0]))
        wanted = self.wanted(gates)
        if not wanted:
            return []
        legible = Legible.of(message)
        text = legible.text
        digits = sum(map(text.count, "0123456789"))
        found = [
            (start - end, -one.score, start, end, one.kind)
            for one in wanted
            if one.digits <= digits
            for start, end in one.find(text)
        ]
        kept = _apart(found) if len(found) > 1 else [one[2:] for one in found]
        return [Span(*legible.span(start, end), kind) for start, end, kind in kept]


def _gates_of(recogniser: Recogniser) -> list[tuple[bool, str]]:
    """Return the gates of a recogniser, and whether each is tried on what is written as it is."""
    others = ((False, recogniser.near), (True, recogniser.capitals))
    return [(False, recogniser.gate), *(gate for gate in others if gate[1])]


def _for_gates(legible: str) -> str:
    """Return a legible piece in lower case, and below it without accents where it has any."""
    text = legible.lower()
    if text.isascii():
        return text
    plain = fold(text)
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


def first_words(expressions: Iterable[str]) -> str:
    """Return a gate for what begins with any of several words, in several pieces perhaps."""
    return any_of([expression.partition(" ")[0] for expression in expressions])


def behind(
    triggers: Sequence[str], between: Sequence[str], form: str, most: int = 5, signs: str = ""
) -> str:
    r"""Return the expression of what stands behind a trigger, with little words between."""
    if signs:
        words = rf"(?:{signs}{any_of(between)}{_WORD_END}){{0,{most}}}" if between else ""
        return rf"(?<!\w){any_of(triggers)}{_WORD_END}{words}{signs}(?P<{FOUND}>{form})"
    words, number = _little_words(between, most), "(?:n°[ :]{0,2}+)?+"
    return rf"(?<!\w)(?>{any_of(triggers)}(?!\w)){words}{_SIGNS}{number}(?P<{FOUND}>{form})"


def before(triggers: Sequence[str], between: Sequence[str], form: str, most: int = 5) -> str:
    r"""Return the expression of what stands before a trigger, as for `behind`."""
    words = _little_words(between, most)
    return rf"(?<!\w){form}(?!\w)(?={words}{_SIGNS}{any_of(triggers)}(?!\w))"


def _little_words(between: Sequence[str], most: int) -> str:
    # Possessive: what does not stand beyond all of the words is not sought beyond fewer of them.
    return rf"(?:{_SIGNS}(?>{any_of(between)}(?!\w))){{0,{most}}}+" if between else ""


def then(count: int, sign: str = r"\d") -> str:
    r"""Return the expression of further signs of a number, each perhaps behind a `GAP`."""
    return rf"(?:{GAP}{sign}){{{count}}}"


def no_unit(pack: Pack) -> str:
    """Return an expression that matches where no unit follows the number before it: 300 euros."""
    return f"(?!{_unit(pack)})"


def no_quantity(pack: Pack) -> str:
    """Return an expression that matches where no number with a unit stands."""
    return rf"(?!\d{{1,12}}(?:[.,]\d{{1,3}})?{_unit(pack)})"


def _unit(pack: Pack) -> str:
    quantities = pack.quantities
    units, joined = any_of(quantities.units), any_of(quantities.joined)
    return rf"(?: ?(?:[€$£%°²]|{units}(?!\w))|{joined}(?!\w))"
