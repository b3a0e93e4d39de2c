"""Word evidence: how surely a word, in its place, identifies someone.

A logistic regression over what is seen of the word and its neighbours (the feature families of
Grouin, 2013, chapter 5: token, lexicons, surface, context). Every feature has a name that a
person can read, and one weight; scoring adds weights up.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache, cached_property
from itertools import compress, islice, product, repeat
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord, Lexicon, Role
from triage.dictionaries.growing import MIN_ROOM, Growing, Numbered
from triage.dictionaries.lexicon import COMMON_FIRST_NAMES, FIRST_NAMES, YOURS
from triage.dictionaries.normal import each, fold

# Kinds of words that are no candidates for identifiers.
_NO_CANDIDATES = frozenset({Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI, Kind.MASKED, Kind.PUBLIC})
# Identifiers of form of which no corpus with labels has enough to learn from take the weights of
# the learnt kind that is nearest: numbers those of telephone numbers, names on the net those of
# e-mail and web addresses, places those of postal addresses.
_NUMBERS = "IBA CRT NIR SIR CRY IMM DDN AGE IPA NUM"
_LEARNT_AS = {
    **{Kind(number): Kind.TEL for number in _NUMBERS.split()},
    Kind.PSD: Kind.MEL,
    Kind.LNK: Kind.URL,
    **dict.fromkeys((Kind.CPO, Kind.GPS, Kind.LIE, Kind.ORG), Kind.ADR),
}
_FIRST_NAME = "DICTIONARY first name"
_NAME = "<first name>"
_WORD_LEVELS = ("frequent_forms", "commonest_forms")
_WORD_TEXTS = ("no frequent word", "a frequent word", "a very frequent word")
_NAME_TEXTS = ("no first name", *(f"a {how}first name" for how in ("", "common ", "very common ")))
_ELONGATED = re.compile(r"([^\W\d_])\1\1")
_LOOK_PARTS = ("stretched", "digits", "accents", "hyphen")
_LOOK_TEXTS = {
    found: f"looks {' '.join(compress(_LOOK_PARTS, found)) or 'plain'}"
    for found in product((False, True), repeat=len(_LOOK_PARTS))
}
_LONGEST = 12
# The number of features of a word by itself, and of its case, place and label.
_N_OWN, _N_LOOK = 8, 3
# The columns of the latter in a table of features, and the column of features without a weight.
_LOOKS, _NOTHING = slice(_N_OWN, _N_OWN + _N_LOOK), 0
_NOT_COMPUTED = np.iinfo(np.int32).min
# The number of what is no word: before the first word of a message and behind its last.
NO_WORD = 0
OFFSETS = (-2, -1, 1, 2)
_SIDES = {-2: "two words after", -1: "after", 1: "before", 2: "two words before"}
_PAIRED = (-1, 1)
# There are some twenty groups of words.
_GROUP_BITS = 6
# Of a habit with capitals.
_MIN_WORDS, _MANY = 3, 0.5
# A corpus of 90,000 messages has a fifth of that.
_MAX_KNOWN = 300_000
# Weights are rounded to four decimals: counted in units of the last one, they add up to the same
# sum in whatever order.
UNITS = 10_000
# The log odds of what is no candidate: signs, pictures, what is masked already.
NO_CANDIDATE = -20.0


class Case(StrEnum):
    __hash__ = str.__hash__

    NONE = "no letters"
    LOWER = "lower"
    CAPITAL = "Capital"
    UPPER = "UPPER"
    MIXED = "mIxed"
    ONE_LOWER = "one letter"
    ONE_UPPER = "one Capital letter"


_CAPITALS = (Case.CAPITAL, Case.UPPER, Case.ONE_UPPER)
# The case of a word once its capitals are removed.
_LOWERED: dict[str, Case] = {
    **{case: case for case in Case},
    **dict.fromkeys((Case.CAPITAL, Case.UPPER, Case.MIXED), Case.LOWER),
    Case.ONE_UPPER: Case.ONE_LOWER,
}


def case_of(text: str) -> Case:
    letters = text if text.isalpha() else "".join(filter(str.isalpha, text))
    if len(letters) > 1:
        if letters.islower():
            return Case.LOWER
        if letters.isupper():
            return Case.UPPER
        return Case.CAPITAL if letters[0].isupper() else Case.MIXED
    if not letters:
        return Case.NONE
    return Case.ONE_UPPER if letters.isupper() else Case.ONE_LOWER


# The use of capitals in a message, by which a capital tells more or less in it.
Habit = IntEnum("Habit", "ALL_CAPITALS NONE_INSIDE MANY_INSIDE SOME_INSIDE", start=0)
# In their order.
_HABITS = ("capitals only", "no capital inside", "many capitals", "some capitals")


class Traits(NamedTuple):
    """The features of a distinct word by itself, by the names of the weights."""

    group: str
    case: Case
    lists: str
    own: tuple[str, ...]
    # The word as the context of its neighbours, as written and without capitals.
    contexts: tuple[str, str]
    # Empty of what is no word, but a number, sign or picture.
    folded: str
    is_candidate: bool
    ends_sentence: bool


_NO_WORD = Traits("", Case.NONE, "", (), ("no word",) * 2, "", False, True)


class TraitReader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon, bits = lexicon, lexicon.bits
        # A user's own list of names counts as one of first names: no weight knows its own name.
        yours = [w.name for w in lexicon.lists if w.title == YOURS and w.role is Role.DICTIONARY]
        self._mine = bits(*yours)
        self._first_names = bits(*FIRST_NAMES) | self._mine
        self._word_levels = [bits(name) for name in _WORD_LEVELS]
        self._name_levels = [self._first_names, *(bits(name) for name in COMMON_FIRST_NAMES)]
        shown = [w.name for w in lexicon.lists if w.role is not Role.FEATURE and w.title != YOURS]
        self._shown = bits(*shown)
        self._common = bits(*_WORD_LEVELS, "sms_forms", "pronouns")
        self._of_lists = cache(self._meet_lists)

    def read(self, words: Sequence[LabelledWord]) -> list[Traits]:
        return [*map(self._read, words, each(fold, [word.text for word in words]))]

    def _read(self, word: LabelledWord, text: str) -> Traits:
        """Return the traits of a word, which is given in lower case without accents, too."""
        if word.kind is not Kind.WORD:
            return _no_word(word)
        case = case_of(word.text)
        shown, levels = self._of_lists(word.lists)
        group, is_name = word.label.value, word.label in (Label.DICTIONARY, Label.AMBIGUOUS)
        if is_name and word.lists & self._first_names:
            group += " first name"
        odd = not text.isalpha()
        has_digit, has_hyphen = odd and any(map(str.isdigit, text)), odd and "-" in text
        stretched = _ELONGATED.search(text) is not None
        own = (
            f"rule {word.rule or 'none'}, {group}",
            f"length {min(len(text), _LONGEST)}, {group}",
            _LOOK_TEXTS[stretched, has_digit, not word.text.isascii(), has_hyphen],
            "ends in -" + text[-3:],
            "ends in -" + text[-2:] + ".",
            "starts with " + text[:3] + "-",
            *levels,
        )
        contexts = f"{group}, {case}", f"{group}, {_LOWERED[case]}"
        if word.label is Label.ANTI_DICTIONARY:
            # Nothing but entries of the lists goes into a model: no name or number of a corpus
            # can, nor what a rule has put together of several words.
            common = word.lists & self._common
            if common and word.rule:
                common = self._lexicon.exact.get(word.read_as) & self._common
            contexts = (fold(word.read_as) if common else group,) * 2
        # A word of a user's own anti-dictionary is no candidate, wherever it stands.
        is_let_through = word.lists & self._lexicon.yours & self._lexicon.anti_dictionary
        is_candidate = bool(word.lists & self._mine) or not is_let_through
        return Traits(group, case, shown, own, contexts, text.strip("-'’"), is_candidate, False)

    def _meet_lists(self, bits: int) -> tuple[str, tuple[str, str]]:
        """Return the names of lists, and the levels of their words and names."""
        names = {*self._lexicon.names(bits & self._shown), *FIRST_NAMES[: bool(bits & self._mine)]}
        word_level = max((i for i, of in enumerate(self._word_levels, 1) if bits & of), default=0)
        name_level = max((i for i, of in enumerate(self._name_levels, 1) if bits & of), default=0)
        return " ".join(sorted(names)), (_WORD_TEXTS[word_level], _NAME_TEXTS[name_level])


def _no_word(word: LabelledWord) -> Traits:
    kind, length = word.kind, min(len(word.text), _LONGEST)
    if kind in _LEARNT_AS:
        # A short one is as sure by its form as a long one: its length tells nothing.
        kind, length = _LEARNT_AS[kind], _LONGEST
    context, ends = kind.value, word.kind in (Kind.SMILEY, Kind.EMOJI)
    if word.kind is Kind.PUNCTUATION:
        context, ends = f"«{word.text[0]}»", word.text[0] in ".!?…"
    own, is_candidate = (f"length {kind} {length}",), word.kind not in _NO_CANDIDATES
    return Traits(kind.value, Case.NONE, "", own, (context, context), "", is_candidate, ends)


class FeatureNames(dict[str, int]):
    """Columns of named features, from 1 on; or their weights."""

    def __init__(
        self,
        names: Iterable[str] = (),
        grows: bool = False,
        weights: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(weights or {name: column for column, name in enumerate(names, 1)})
        self.grows = grows

    def __missing__(self, name: str) -> int:
        if not self.grows:
            return _NOTHING
        self[name] = column = len(self) + 1
        return column

    def table(self, rows: Iterable[Sequence[str]], n: int) -> NDArray[np.int32]:
        """Return the values of rows of names, up to `n` in each, of shape (n_rows, n)."""
        none, get = repeat(_NOTHING), self.__getitem__
        values = [(*map(get, names), *islice(none, n - len(names))) for names in rows]
        return np.array(values, dtype=np.int32).reshape(-1, n)


# The columns of numbers for each distinct word.
Column = IntEnum(
    "Column",
    "IS_WORD IS_CAPITAL IS_LOWER CAN_BE_LOWER IS_FIRST_NAME IS_UNKNOWN LOOK LOWER_LOOK GROUP "
    "CONTEXT LOWER_CONTEXT SPELLING NEIGHBOUR IS_CANDIDATE ENDS_SENTENCE",
    start=0,
)


# Returns the names of the features of a code.
_Namer = Callable[[int], Sequence[str]]


class _Lazy:
    """Values of features by codes, computed when a code first comes; threads may share one."""

    def __init__(self, names: FeatureNames, namer: _Namer, n: int) -> None:
        self._names, self._name = names, namer
        self._known = np.full((n, MIN_ROOM), _NOT_COMPUTED, dtype=np.int32)
        self._lock = Lock()

    def column(self, column: int, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        highest = int(codes.max(initial=0))
        with self._lock:
            if highest >= self._known.shape[1]:
                room = (0, 0), (0, 2 * highest - self._known.shape[1])
                self._known = np.pad(self._known, room, constant_values=_NOT_COMPUTED)
            new = np.unique(codes[self._known[0].take(codes) == _NOT_COMPUTED])
            if len(new):
                rows = map(self._name, new.tolist())
                self._known[:, new] = self._names.table(rows, len(self._known)).T
            values: NDArray[np.int32] = self._known[column].take(codes)
        return values

    def __getitem__(self, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return all columns of codes, as an array of shape (n_columns, n_codes)."""
        return np.array([self.column(i, codes) for i in range(len(self._known))])


@dataclass(frozen=True)
class Places:
    """The places of n_words words, in few bytes: they are kept for the second stage."""

    number: NDArray[np.int32]
    message: NDArray[np.int32]
    starts: NDArray[np.bool_]
    habit: NDArray[np.int8]
    is_capital: NDArray[np.bool_]
    is_candidate: NDArray[np.bool_]

    def neighbour(self, offset: int) -> NDArray[np.int32]:
        """Return the number of the word at an offset from each word, in the same message."""
        number, message = self.number, self.message
        neighbours, ends = np.zeros_like(number), (slice(-abs(offset)), slice(abs(offset), None))
        to, from_ = ends if offset > 0 else ends[::-1]
        # No word is 0.
        np.multiply(number[from_], message[from_] == message[to], out=neighbours[to])
        return neighbours


def is_of_context(name: str) -> bool:
    return name.startswith(tuple(f"{side}: " for side in _SIDES.values()))


def is_lexical(name: str) -> bool:
    """Return whether a feature is of the letters of a word, or of a given neighbouring word."""
    if name.startswith(("ends in -", "starts with ")):
        return True
    context = name.partition(": ")[2].partition(" | ")[0]
    return is_of_context(name) and context[:1].isalpha() and context.islower()


@dataclass(frozen=True)
class FeatureValues:
    """Values of the features of each word of some messages (`Features`), part by part.

    Each part has the shape (n_values, n_words). Words that start a sentence with a capital,
    `starting`, have a look without it, too.
    """

    own: NDArray[np.int32]
    look: NDArray[np.int32]
    contexts: list[NDArray[np.int32]]
    starting: NDArray[np.int64]
    lowered_look: NDArray[np.int32]
    places: Places
    index: "WordFeatures"

    @cached_property
    def columns(self) -> NDArray[np.int32]:
        """The values of each word, of shape (n_words, n_values)."""
        return np.column_stack([*self.own, *self.look, *self.contexts])

    def read_by(self, weights: NDArray[Any]) -> NDArray[np.int32]:
        """Return the columns with the highest weights: a capital at the start lowers no word's."""
        columns, starting, lowered = self.columns, self.starting, self.lowered_look.T
        written = weights[columns[starting, _LOOKS]].sum(axis=1)
        better = weights[lowered].sum(axis=1) > written
        if better.any():
            columns = columns.copy()
            columns[starting[better], _LOOKS] = lowered[better]
        return columns


class WordFeatures:
    """Extracts the features of words. It numbers the distinct words of a run from 1; 0 is none."""

    def __init__(self, lexicon: Lexicon, names: FeatureNames) -> None:
        self.spellings: Numbered[str] = Numbered()
        self.neighbours: Numbered[str] = Numbered()
        self._look_of: Numbered[tuple[str, Case, str]] = Numbered()
        self._context_of: Numbered[str] = Numbered()
        self._groups: Numbered[str] = Numbered()
        self._reader, self._names = TraitReader(lexicon), names
        self._looks = _Lazy(names, self._of_look, _N_LOOK)
        self._contexts = _Lazy(names, self._of_context, len(OFFSETS))
        self._pairs = _Lazy(names, self._of_pair, 1)
        self._columns = Growing(len(Column))
        # The values of features that hold of each word by itself.
        self._own = Growing(_N_OWN)
        self._number_look = cache(self._meet_look)
        self._numbers: dict[LabelledWord, int] = {}
        self._lock = Lock()
        self._take([_NO_WORD])

    def __len__(self) -> int:
        return len(self._numbers)

    def column(self, column: Column) -> NDArray[np.int32]:
        values: NDArray[np.int32] = self._columns.values[column]
        return values

    def _meet(self, word: LabelledWord) -> int:
        return self._numbers.setdefault(word, len(self._numbers) + 1)

    def _take(self, traits: Sequence[Traits]) -> None:
        group, case, lists, own, contexts, folded, *others = zip(*traits, strict=True)
        # The neighbour of no word is no spelling.
        columns = zip(group, folded, contexts, strict=True)
        neighbours = [_NAME if g == _FIRST_NAME else plain or c for g, plain, (c, _) in columns]
        rows = np.column_stack(
            [
                np.array([*map(self._number_look, map(bool, folded), group, case, lists)]),
                np.array([[*map(self._context_of.__getitem__, pair)] for pair in contexts]),
                np.array([*map(self.spellings.__getitem__, folded)]),
                np.array([*map(self.neighbours.__getitem__, neighbours)]),
                *others,
            ]
        )
        self._columns.extend(rows)
        self._own.extend(self._names.table(own, _N_OWN))

    def _meet_look(self, is_word: bool, group: str, case: Case, lists: str) -> tuple[int, ...]:
        """Return the columns of a word from `IS_WORD` to `GROUP`, which follow from its look."""
        return (
            is_word,
            is_word and case in _CAPITALS,
            is_word and case is Case.LOWER,
            is_word and _LOWERED[case] is Case.LOWER,
            group == _FIRST_NAME,
            group == Label.UNKNOWN,
            self._look_of[group, case, lists],
            self._look_of[group, _LOWERED[case], lists],
            self._groups[group],
        )

    def _places(
        self, labelled: LabelledMessages, lowered: NDArray[np.bool_] | None = None
    ) -> Places:
        words = labelled.words
        with self._lock:
            of_form = labelled.of_form(self._meet)
            if len(self._own) <= len(self._numbers):
                new = islice(self._numbers, len(self._own) - 1, None)
                self._take(self._reader.read([*new]))
        number = of_form.astype(np.int32).take(words.form)

        def holds(column: Column, numbers: NDArray[np.int32] = number) -> NDArray[np.bool_]:
            return self.column(column).astype(np.bool_).take(numbers)

        is_first = np.diff(words.message, prepend=-1) != 0
        before = np.where(is_first, NO_WORD, np.roll(number, 1))
        starts = holds(Column.ENDS_SENTENCE, before)
        begin = np.searchsorted(words.message, np.arange(words.n_messages + 1))
        for i in (i for i, message in enumerate(labelled.messages) if "\n" in message):
            breaks = [match.start() for match in re.finditer("\n", labelled.messages[i])]
            in_message = slice(begin[i], begin[i + 1])
            starts[in_message][1:] |= np.diff(np.searchsorted(breaks, words.start[in_message])) > 0
        capital, lower = holds(Column.IS_CAPITAL), holds(Column.IS_LOWER)
        if lowered is not None:
            lower |= lowered & holds(Column.CAN_BE_LOWER)
            capital &= ~lowered
        # The habit of each message, by its words in lower case, and by capitals inside.
        n_words, n_lower, n_inside = (
            np.bincount(words.message.compress(mask), minlength=words.n_messages)
            for mask in (holds(Column.IS_WORD), lower, capital & (before != NO_WORD))
        )
        are_all_capitals = (n_lower == 0) & (n_words >= _MIN_WORDS)
        conditions = [are_all_capitals, n_inside == 0, n_inside > _MANY * n_words]
        habits = [Habit.ALL_CAPITALS, Habit.NONE_INSIDE, Habit.MANY_INSIDE]
        habit = np.select(conditions, habits, Habit.SOME_INSIDE).astype(np.int8).take(words.message)
        return Places(number, words.message, starts, habit, capital, holds(Column.IS_CANDIDATE))

    def extract(
        self, labelled: LabelledMessages, lowered: NDArray[np.bool_] | None = None
    ) -> FeatureValues:
        places = self._places(labelled, lowered)
        number, starts, habit = places.number, places.starts, places.habit.astype(np.int64)
        look = self.column(Column.LOOK).take(number).astype(np.int64)
        context = self.column(Column.CONTEXT).astype(np.int64)
        around = {offset: context.take(places.neighbour(offset)) for offset in OFFSETS}
        if lowered is not None:
            look[lowered] = self.column(Column.LOWER_LOOK)[number[lowered]]
            # Neighbours are seen as if they were written without capitals, too.
            lower = self.column(Column.LOWER_CONTEXT)
            for offset, seen_context in around.items():
                neighbour = places.neighbour(offset)
                rows = np.flatnonzero(neighbour != NO_WORD)
                rows = rows[lowered[rows + offset]]
                seen_context[rows] = lower[neighbour[rows]]
        group = self.column(Column.GROUP).take(number)
        starting = np.flatnonzero(starts & places.is_capital)
        without = self.column(Column.LOWER_LOOK)[number[starting]].astype(np.int64)
        # In learning, features are numbered in the order in which they are met.
        lowered_look = self._looks[(without * 2 + 1) * len(Habit) + habit[starting]]
        looks = self._looks[(look * 2 + starts) * len(Habit) + habit]
        contexts = [self._contexts.column(i, around[offset]) for i, offset in enumerate(OFFSETS)]
        contexts += [
            self._pairs.column(0, (((around[offset] << 1) | side) << _GROUP_BITS) | group)
            for side, offset in enumerate(_PAIRED)
        ]
        own = self._own.values.take(number, axis=1)
        return FeatureValues(own, looks, contexts, starting, lowered_look, places, self)

    def _of_look(self, code: int) -> tuple[str, str, str]:
        """Name group, case and lists of a word at the beginning of a sentence or inside one."""
        look, habit = divmod(code, len(Habit))
        group, case, lists = self._look_of.items_in_order[look // 2]
        place = f"{case.value} {'starting' if look % 2 else 'inside'}"
        return (
            f"{group}, {place}",
            f"{group}, {place}, message with {_HABITS[habit]}",
            f"in {lists or 'no list'}, {place}",
        )

    def _of_context(self, code: int) -> list[str]:
        context = self._context_of.items_in_order[code]
        return [f"{_SIDES[offset]}: {context}" for offset in OFFSETS]

    def _of_pair(self, code: int) -> tuple[str]:
        context, side = divmod(code >> _GROUP_BITS, len(_PAIRED))
        group = self._groups.items_in_order[code & ((1 << _GROUP_BITS) - 1)]
        context_text = self._context_of.items_in_order[context]
        return (f"{_SIDES[_PAIRED[side]]}: {context_text} | {group}",)


@dataclass(frozen=True)
class WordWeights:
    intercept: float
    weights: dict[str, float]


class WordScorer:
    def __init__(self, lexicon: Lexicon, learnt: WordWeights) -> None:
        self._lexicon, self._names = lexicon, [*learnt.weights]
        self._weights = units([0.0, *learnt.weights.values()])
        self._intercept = int(units(learnt.intercept))
        self._features: WordFeatures | None = None

    def score(self, labelled: LabelledMessages) -> "ScoredWords":
        features = self._features
        if features is None or len(features) >= _MAX_KNOWN:
            weights = dict(zip(self._names, self._weights[1:].tolist(), strict=True))
            features = WordFeatures(self._lexicon, FeatureNames(weights=weights))
            self._features = features
        values = features.extract(labelled)
        look, starting = values.look.sum(axis=0), values.starting
        # A capital at the start lowers no word.
        look[starting] = np.maximum(look[starting], values.lowered_look.sum(axis=0))
        total = self._intercept + values.own.sum(axis=0) + look
        for weight in values.contexts:
            total += weight
        log_odds = total / UNITS
        log_odds[~values.places.is_candidate] = NO_CANDIDATE
        return ScoredWords(log_odds, values.places, features)

    def reasons(self, labelled: LabelledMessages, limit: int = 3) -> list[list[str]]:
        """Return for every word the features with the highest weights, at most `limit`."""
        reasons = []
        for columns in self._by_name.extract(labelled).read_by(self._weights).tolist():
            weighed = ((-int(self._weights[c]), self._names[c - 1]) for c in columns)
            reasons.append([name for weight, name in sorted(weighed) if weight < 0][:limit])
        return reasons

    @cached_property
    def _by_name(self) -> WordFeatures:
        return WordFeatures(self._lexicon, FeatureNames(self._names))


def units(log_odds: ArrayLike) -> NDArray[np.int64]:
    """Return log odds, or weights, as whole numbers of `UNITS` to one."""
    return np.rint(np.asarray(log_odds, dtype=np.float64) * UNITS).astype(np.int64)


@dataclass(frozen=True)
class ScoredWords:
    log_odds: NDArray[np.float64]
    places: Places
    index: "WordFeatures"


def probability(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
