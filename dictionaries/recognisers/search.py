"""Recognisers used together: each searches only messages that have what its expression needs.

Each distinct piece of messages between spaces is looked through once, for the gates of all
recognisers at a time (`triage.dictionaries.recognisers.gates`).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kinds import FoundSpan, Kind
from ..normal import Legible, fold
from .gates import DIGIT, END, LONGEST, START, Texts, expression_of_shape, has_class

Bits = NDArray[np.uint64]
Integers = NDArray[np.int64]
_BITS = 64
_BEGIN = 3
_SMALL, _LETTER = re.compile("[a-zà-öø-ÿ]"), "[Aa]"
# The group of an expression that is the identifier, where it is not the whole match.
FOUND = "found"
# The group of the first name that announces it.
ANNOUNCER = "by"


class Place(NamedTuple):
    """The places of a find: the last piece with a letter, or beside or in what announces it."""

    # An expression of the shape of its piece (`triage.dictionaries.recognisers.search`).
    shape: str
    announced: frozenset[str] | str = ""
    # What announces it stands in this piece or so many pieces behind.
    offset: int = -1


@dataclass(frozen=True, slots=True)
class Recogniser:
    name: str
    kind: Kind
    form: re.Pattern[str]
    # Sets of texts: a message that holds no text of one of them is not searched.
    gates: tuple[frozenset[str], ...] = ()
    check: Callable[[str], bool] | None = None
    score: float = 0.8
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()
    is_on: bool = True
    digits: int = 0
    trim: str = ""
    is_shortened: bool = False
    place: Place | None = None
    announcer: Callable[[str], bool] | None = None
    # Its form begins where a sentence does: a text is searched behind a line break.
    is_behind_break: bool = False
    # Returns the span of the whole identifier, of which a match is a part.
    around: Callable[[re.Match[str]], tuple[int, int] | None] | None = None

    def find(self, text: str, first: int = 0) -> Iterator[tuple[int, int]]:
        """Yield where the identifiers of a legible text stand, from its first match on."""
        group = FOUND if FOUND in self.form.groupindex else 0
        for match in self.form.finditer(text, first):
            if self.announcer and not self.announcer(match[ANNOUNCER]):
                continue
            if self.around:
                if whole := self.around(match):
                    yield whole
                continue
            start, identifier = match.start(group) - self.is_behind_break, match[group] or ""
            # The longest valid beginning of the match, of one that may not be shortened all of it.
            while identifier := identifier.rstrip(self.trim) if self.trim else identifier:
                if self.check is None or self.check(identifier):
                    yield start, start + len(identifier)
                    break
                identifier = "".join(identifier.rsplit(None, 1)[:-1]) if self.is_shortened else ""


# Of a piece: it holds one of some texts, or is of a shape; of a message: it holds a place.
_Condition = Texts | str | Place


class _Shapes(dict[int, str]):
    """Maps characters to shapes: capitals to A, letters to a, digits to 0, others to themselves."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        shape = "0" if sign.isdecimal() else "a" if _SMALL.match(sign) else "A"
        self[code] = shape if sign.isalnum() else sign
        return self[code]


class _SoughtTexts:
    """Short texts that are sought all at once, each for the sake of a condition of that number."""

    def __init__(self, sought: Iterable[tuple[str, int]]) -> None:
        of_length: dict[int, list[tuple[str, int, bool, bool]]] = {}
        for text, condition in sought:
            core = text.strip(START + END)
            row = core, condition, text.startswith(START), text.endswith(END)
            of_length.setdefault(len(core), []).append(row)
        signs = sorted({*"".join(core for rows in of_length.values() for core, *_ in rows)})
        self._code = {sign: code for code, sign in enumerate(signs, 1)}
        self._base = len(signs) + 1
        # Where one of the texts may begin, by the first signs there.
        self._begins = np.zeros(self._base**_BEGIN, dtype=np.bool_)
        # By length: keys in order, conditions, and whether a word starts and ends with the text.
        self._of_length: dict[int, NDArray[np.int64]] = {}
        for length, rows in of_length.items():
            cores, *columns = zip(*rows, strict=True)
            codes = np.array([[self._code[sign] for sign in core] for core in cores])
            keys = codes @ self._base ** np.arange(length)[::-1]
            self._of_length[length] = np.array([keys, *columns])[:, np.argsort(keys)]
            width = self._base ** max(0, _BEGIN - length)
            begins = keys // self._base ** max(0, length - _BEGIN) * width
            self._begins[begins[:, None] + np.arange(width)] = True

    def find(self, text: str, signs: NDArray[np.uint32]) -> Iterator[tuple[Integers, Integers]]:
        """Yield arrays of places in a text in lower case, and the conditions that hold there."""
        table = np.zeros((signs.max(initial=0) + 1, 2), dtype=np.int64)
        for sign in {*text}:
            code = self._code.get(DIGIT if sign.isdecimal() else sign, 0)
            table[ord(sign)] = code, sign.isalnum() or sign == "_"
        code, in_word = np.pad(table[signs].T, ((0, 0), (0, LONGEST)))
        begin = code
        for length in range(1, _BEGIN):
            begin = begin[:-1] * self._base + code[length:]
        places = np.flatnonzero(self._begins[begin])
        key = np.zeros_like(places)
        for length in range(1, LONGEST + 1):
            key = key * self._base + code[places + (length - 1)]
            if length in self._of_length:
                keys, condition, starts, ends = self._of_length[length]
                first = np.searchsorted(keys, key)
                is_key = keys[np.minimum(first, len(keys) - 1)] == key
                first, place = first[is_key], places[is_key]
                n = np.searchsorted(keys, key[is_key], "right") - first
                row = np.arange(n.sum()) + np.repeat(first - np.cumsum(n) + n, n)
                place = np.repeat(place, n)
                fits = (starts[row] & in_word[place - 1] | ends[row] & in_word[place + length]) == 0
                yield place[fits], condition[row[fits]]


class Recognisers:
    def __init__(
        self,
        recognisers: Iterable[Recogniser],
        turned_on: tuple[str, ...] = (),
        files: tuple[str, ...] = (),
    ) -> None:
        self.all, self.turned_on, self.files = tuple(recognisers), turned_on, files
        needed: list[list[_Condition]] = [
            [*one.gates, one.place] if one.place else [*one.gates] for one in self.all
        ]
        self._places = dict.fromkeys(one.place for one in self.all if one.place)
        conditions: list[_Condition] = [_LETTER, *(c for row in needed for c in row)]
        conditions += [c for one in self._places for c in (one.shape, one.announced) if c]
        self._number = {one: number for number, one in enumerate(dict.fromkeys(conditions))}
        self._width = -(-len(self._number) // _BITS) * _BITS
        self._masks = [
            [(word, mask) for word, mask in enumerate(self._bits(row)) if mask] for row in needed
        ]
        self._shapes, self._of_shapes = _Shapes(), list[tuple[int, re.Pattern[str]]]()
        texts: list[tuple[str, int]] = []
        for condition, number in self._number.items():
            shape = condition if isinstance(condition, str) else None
            if isinstance(condition, frozenset):
                of_shape = [text for text in condition if has_class(text) or not text]
                texts += [(text, number) for text in condition.difference(of_shape)]
                shape = "|".join(map(expression_of_shape, of_shape)) if of_shape else None
            if shape is not None:
                self._of_shapes.append((number, re.compile(shape, re.MULTILINE)))
        self._texts = _SoughtTexts(texts)

    def _bits(self, conditions: Iterable[_Condition]) -> NDArray[np.uint64]:
        row = np.zeros(self._width, dtype=np.bool_)
        row[[self._number[condition] for condition in conditions]] = True
        return np.packbits(row).view(np.uint64)

    @property
    def fingerprint(self) -> str:
        checks = ((one, one.check.__qualname__ if one.check else "") for one in self.all)
        parts = (f"{a.name} {a.kind} {a.form.pattern} {a.score} {c} {a.trim}" for a, c in checks)
        return sha256("\0".join(parts).encode()).hexdigest()

    def gates(self, pieces: Sequence[str]) -> tuple[Bits, Integers]:
        """Return the bits of the conditions that hold in each piece, and its number of digits."""
        # A piece has no space itself, but some signs are read as one.
        text = " ".join(
            one if one.isascii() else Legible.of(one).text.replace(" ", "\t") for one in pieces
        )
        shapes = text.translate(self._shapes).split(" ")[: len(pieces)]
        distinct = {shape: number for number, shape in enumerate(dict.fromkeys(shapes))}
        holds = np.zeros((len(distinct), self._width), dtype=np.bool_)
        for number, shape in self._of_shapes:
            holds[:, number] = [shape.search(one) is not None for one in distinct]
        n_digits = np.array([one.count("0") for one in distinct], dtype=np.int64)
        of_piece = np.array([distinct[shape] for shape in shapes], dtype=np.int64)
        holds_in_piece = holds[of_piece]
        # Letters that an expression takes for others where case does not count.
        lower = fold(text).replace("ı", "i").replace("ſ", "s")
        signs = np.frombuffer(lower.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        piece_of_sign = np.cumsum(signs == ord(" "))
        for places, condition in self._texts.find(lower, signs):
            holds_in_piece[piece_of_sign[places], condition] = True
        return np.packbits(holds_in_piece, axis=1).view(np.uint64), n_digits[of_piece]

    def possible(
        self, gates: Bits, n_digits: Integers, first: Integers
    ) -> dict[int, list[Recogniser]]:
        """Return by message the recognisers that may find something in it.

        `gates` and `n_digits` are of the pieces of all messages, `first` holds the first of each.
        """
        words = self._of_messages(np.ascontiguousarray(gates.T), first)
        digits = np.add.reduceat(n_digits, first)
        by_message: dict[int, list[Recogniser]] = {}
        may_find = np.array([digits >= one.digits for one in self.all])
        for number, masks in enumerate(self._masks):
            for word, mask in masks:
                may_find[number] &= (words[word] & mask) == mask
        for message, number in np.argwhere(may_find.T).tolist():
            by_message.setdefault(message, []).append(self.all[number])
        return by_message

    def _of_messages(self, gates: Bits, first: Integers) -> Bits:
        """Return the bits of messages by those of their pieces, which stand in columns."""
        n_pieces = gates.shape[1]
        bits = np.bitwise_or.reduceat(gates, first, axis=1)
        of_piece = np.repeat(np.arange(len(first)), np.diff(first, append=n_pieces))
        with_letter = np.where(self._have(gates, _LETTER), np.arange(n_pieces), first[of_piece])
        last = gates[:, np.maximum.reduceat(with_letter, first)]
        for place in self._places:
            if place.announced:
                pieces = np.flatnonzero(self._have(gates, place.shape))
                others = np.clip(pieces + place.offset, 0, n_pieces - 1)
                is_beyond = of_piece[others] != of_piece[pieces]
                others[is_beyond] = pieces[is_beyond]
                is_announced = self._have(gates, place.announced)
                # What is told by its shape is a piece of its own.
                is_near = isinstance(place.announced, frozenset) & is_announced[pieces]
                fits = of_piece[pieces[is_near | is_announced[others]]]
            else:
                fits = np.flatnonzero(self._have(last, place.shape))
            bits[:, fits] |= self._bits([place])[:, None]
        return bits

    def _have(self, gates: Bits, condition: Texts | str) -> NDArray[np.bool_]:
        mask = self._bits([condition])
        word = int(mask.argmax())
        is_set: NDArray[np.bool_] = (gates[word] & mask[word]) != 0
        return is_set

    def find_each(self, messages: Sequence[str]) -> list[list[FoundSpan]]:
        """Find the identifiers of each message; many at once take little longer than one."""
        n_pieces = np.array([one.count(" ") + 1 for one in messages], dtype=np.int64)
        gates = self.gates(" ".join(messages).split(" ") if messages else [])
        possible = self.possible(*gates, np.cumsum(n_pieces) - n_pieces)
        return [self.find(one, possible.get(n, [])) for n, one in enumerate(messages)]

    def find(self, message: str, possible: Sequence[Recogniser] | None = None) -> list[FoundSpan]:
        """Find the identifiers of a message, in order and not overlapping."""
        if possible is None:
            [spans] = self.find_each([message])
            return spans
        if not possible:
            return []
        legible = Legible.of(message)
        texts = legible.text, "\n" + legible.text
        found = [
            (start - end, -one.score, start, end, one.kind)
            for one in possible
            if (first := one.form.search(texts[one.is_behind_break]))  # few find something
            for start, end in one.find(texts[one.is_behind_break], first.start())
        ]
        if not found:
            return []
        chosen: list[tuple[int, int, Kind]] = []
        is_sure, is_taken = (bytearray(max(one[3] for one in found)) for _ in range(2))
        for _, _, start, end, kind in found:
            if kind.is_identifier:
                is_sure[start:end] = b"\1" * (end - start)
        # Of those that overlap, the longest, and the surest; what is public and a part of an
        # identifier last: *22 rue saint guilhem*.
        found.sort(key=lambda one: (one[4] is Kind.PUBLIC and is_sure.find(1, *one[2:4]) >= 0, one))
        for _, _, start, end, kind in found:
            if is_taken.find(1, start, end) < 0:
                is_taken[start:end] = b"\1" * (end - start)
                chosen.append((start, end, kind))
        return [FoundSpan(*legible.span(start, end), kind) for start, end, kind in sorted(chosen)]
