"""Splitting messages into words (paper, section 3.2, step 1).

The paper splits at spaces; text messages need more: outer punctuation stripped, elided words apart
(``c'|est``), smileys, emoji, numbers and hours whole, identifiers as one word each.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .growing import Growing, Numbered
from .kinds import FoundSpan, Kind
from .normal import INVISIBLE
from .pack import FRENCH, Pack, load_pack
from .recognisers import Recognisers, shipped

# Combining accents, and invisible characters inside a word, such as a soft hyphen.
_INSIDE = rf"(?:[\u0300-\u036f]++|[{INVISIBLE}]++(?=[^\W_]))"
_LETTERS = rf"[^\W_]++(?:{_INSIDE}[^\W_]*+)*+"
_WORD = rf"{_LETTERS}(?:['’\-]{_LETTERS})*"
_NUMBER = r"\d+(?:[.,]\d+)*(?![^\W_])"
_MOUTH = r"[)(\]\[DdPpOosSxX3@$|/\\*><cb°]"
_SMILEY = (
    rf"[:;=]['´`]?[-^o]?{_MOUTH}++(?![^\W_])|[xX8]['-]?[)(]++|[xX]+[dDpP]+(?![^\W_])"
    r"|(?:\)++|\(++)[-^']?[:;=]"
    r"|<+3+|</3|\^[_.\-]*\^['\"]*|-[_.]+-['\"]*|[oO0][_.][oO0](?![^\W_])|[>T][_.]+[<T](?![^\W_])|:'\("
)
# A pictograph, a keycap or a sign made one by its selector; then skin tones, joiners and the
# tags of regional flags. Several in a row are one word.
_EMOJI = (
    "(?:(?:[\u231a-\u23ff\u2600-\u27bf\u2b00-\u2bff\u3030\u303d\U0001f000-\U0001faff]"
    "|[0-9#*]\ufe0f?\u20e3|[^\\w\\s]\ufe0f)"
    "[\ufe0f\u200d\U0001f3fb-\U0001f3ff\u20e3\U000e0020-\U000e007f]*+)++"
)
# In the order in which they are tried: a keycap begins with a digit, so emoji stand first.
_KINDS = {
    Kind.EMOJI: _EMOJI,
    Kind.SMILEY: _SMILEY,
    Kind.HOUR: r"[0-2]?[0-9](?:[hH](?:[0-5][0-9])?|:[0-5][0-9])(?![^\W_])",
    Kind.NUMBER: _NUMBER,
    Kind.WORD: _WORD,
    # A run of one sign; a run of several could swallow a smiley ("!!:)").
    Kind.PUNCTUATION: r"(?P<sign>[^\w\s]|_)(?P=sign)*+",
}
# The number of pieces that are split together: each takes some kilobytes in the search for gates.
_AT_ONCE = 5_000
# Form, message and start of each word.
_Columns = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


@cache
def _split_of(pack: Pack) -> re.Pattern[str]:
    """Return the expression of a word of any kind; elided words stand apart."""
    elided = rf"(?i:{pack.words.elided})['’](?=[^\W\d_])"
    kinds = _KINDS | {Kind.WORD: f"{elided}|{_WORD}"}
    return re.compile("|".join(f"(?P<{kind}>{expression})" for kind, expression in kinds.items()))


class DistinctWord(NamedTuple):
    text: str
    kind: Kind


@dataclass(frozen=True)
class WordTable:
    """The words of messages, column by column: of each its form, its message and its start."""

    forms: list[DistinctWord]
    form: NDArray[np.int32]
    message: NDArray[np.int32]
    start: NDArray[np.int32]
    n_messages: int


class Splitter:
    """Splits messages, chunk after chunk, and remembers what was split before."""

    def __init__(self, recognisers: Recognisers | None = None, pack: Pack | None = None) -> None:
        pack = pack or load_pack(FRENCH)
        self._recognisers = recognisers or shipped(pack.language)
        self._split = _split_of(pack)
        self._pieces: Numbered[str] = Numbered()
        self._numbered: Numbered[DistinctWord] = Numbered()
        # Of each piece: the number of words, the place of the first, the number of characters, that
        # of its set of gates of recognisers in `_gates`, and the number of digits.
        self._of_piece = Growing(5)
        self._gates: Numbered[bytes] = Numbered()
        # Of each word of each piece: its form, and where it starts.
        self._of_word = Growing(2)
        self.forms = self._numbered.items_in_order

    def split(self, messages: Sequence[str]) -> tuple[WordTable, NDArray[np.int64]]:
        """Split messages; return their words, and the numbers of the table's forms in `forms`."""
        # Each piece between spaces has a number.
        parts = " ".join(messages).split(" ") if messages else []
        pieces, n_known = self._pieces, len(self._pieces)
        piece = np.fromiter(map(pieces.__getitem__, parts), dtype=np.int64, count=len(parts))
        for first in range(n_known, len(pieces), _AT_ONCE):
            self._split_new_pieces(pieces.items_in_order[first : first + _AT_ONCE])
        in_message = np.repeat(np.arange(len(messages)), [m.count(" ") + 1 for m in messages])
        spans: dict[int, list[FoundSpan]] = {}
        begin = np.flatnonzero(np.diff(in_message, prepend=-1))
        if begin.size:
            sets = self._gates.items_in_order
            of_set = np.frombuffer(b"".join(sets), dtype=np.uint64).reshape(len(sets), -1)
            of_gates, digits = self._of_piece.values[3:].take(piece, axis=1)
            possible = self._recognisers.possible(of_set.take(of_gates, axis=0), digits, begin)
            for i, recognisers in possible.items():
                if found := self._recognisers.find(messages[i], recognisers):
                    spans[i] = found
        if spans:
            is_plain = np.ones(len(messages), dtype=np.bool_)
            is_plain[[*spans]] = False
            is_kept = is_plain.take(in_message)
            piece, in_message = piece.compress(is_kept), in_message.compress(is_kept)
        columns = self._split_plain(piece, in_message), self._split_found(messages, spans)
        number, message, start = map(np.concatenate, zip(*columns, strict=True))
        order = np.argsort(message, kind="stable")
        number, message, start = (one.take(order) for one in (number, message, start))
        numbers = np.flatnonzero(np.bincount(number))
        form = np.zeros(len(self.forms), dtype=np.int32)
        form[numbers] = np.arange(len(numbers))
        forms = [self.forms[i] for i in numbers.tolist()]
        table = WordTable(forms, form.take(number), message, start, len(messages))
        return table, numbers

    def _split_plain(self, piece: NDArray[np.int64], in_message: NDArray[np.int64]) -> _Columns:
        """Split messages without identifiers, given as pieces between spaces."""
        n_words, first, length = self._of_piece.values[:3].take(piece, axis=1).astype(np.int64)
        rows = np.arange(n_words.sum()) + np.repeat(first - np.cumsum(n_words) + n_words, n_words)
        form, start = self._of_word.values.take(rows, axis=1)
        # Where each piece starts, a space behind each, less where its message does.
        in_all = np.cumsum(length + 1) - (length + 1)
        begin = np.flatnonzero(np.diff(in_message, prepend=-1))
        in_all -= np.repeat(in_all[begin], np.diff(np.append(begin, len(in_all))))
        in_message, in_all = (np.repeat(one, n_words) for one in (in_message, in_all))
        return form, in_message.astype(np.int32), (start + in_all).astype(np.int32)

    def _split_new_pieces(self, pieces: Sequence[str]) -> None:
        number, kind_of = self._numbered, _KIND_OF
        # All in one text: no word holds a space.
        words = [
            (number[DistinctWord(match[0], kind_of[match.lastgroup])], match.start())
            for match in self._split.finditer(" ".join(pieces))
        ]
        form, start = np.array(words, dtype=np.int64).reshape(-1, 2).T
        length = np.array([*map(len, pieces)], dtype=np.int64)
        ends = np.cumsum(length + 1)
        piece_of_word = np.searchsorted(ends, start, side="right")
        n_words = np.bincount(piece_of_word, minlength=len(pieces))
        place = len(self._of_word) + np.cumsum(n_words) - n_words
        gates, n_digits = self._recognisers.gates(pieces)
        of_gates = [self._gates[row.tobytes()] for row in gates]
        self._of_piece.extend(np.column_stack([n_words, place, length, of_gates, n_digits]))
        self._of_word.extend(np.column_stack([form, start - (ends - length - 1)[piece_of_word]]))

    def _split_found(self, messages: Sequence[str], spans: dict[int, list[FoundSpan]]) -> _Columns:
        """Split the messages that hold identifiers, which are kept whole."""
        rows: list[tuple[int, int, int]] = []
        number = self._numbered
        for i, identifiers in spans.items():
            text, end_of_last = messages[i], 0
            for span in (*identifiers, None):
                end = span.start if span else len(text)
                for match in self._split.finditer(text, end_of_last, end):
                    form = DistinctWord(match[0], _KIND_OF[match.lastgroup])
                    rows.append((number[form], i, match.start()))
                if span:
                    end_of_last = span.end
                    rows.append((number[DistinctWord(text[end:end_of_last], span.kind)], i, end))
        numbers, message, start = np.array(rows, dtype=np.int32).reshape(-1, 3).T
        return numbers, message, start


def split_all(messages: Sequence[str], pack: Pack | None = None) -> WordTable:
    """Split many messages of a language, by default French, and find their distinct words."""
    table, _ = Splitter(pack=pack).split(messages)
    return table


def plain_words(text: str, pack: Pack | None = None) -> list[tuple[int, int]]:
    """Return where the words of a text stand, its identifiers of form not kept whole."""
    return [match.span() for match in _split_of(pack or load_pack(FRENCH)).finditer(text)]


# With the group `sign` inside it, punctuation is the last group that matched by another name.
_KIND_OF: dict[str | None, Kind] = {
    **{kind.value: kind for kind in _KINDS},
    "sign": Kind.PUNCTUATION,
}
