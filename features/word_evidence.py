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
from triage.dictionaries.growing import FEWEST_ROOM, Growing, Numbered
from triage.dictionaries.lexicon import COMMON_FIRST_NAMES, FIRST_NAMES, YOURS
from triage.dictionaries.normal import each, fold

# What is no candidate: signs, pictures, what somebody has masked already, and public names.
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
_AS_A_WORD = ("no frequent word", "a frequent word", "a very frequent word")
_AS_A_NAME = ("no first name", *(f"a {how}first name" for how in ("", "common ", "very common ")))
_ELONGATED = re.compile(r"([^\W\d_])\1\1")
_LOOKS_LIKE = ("stretched", "digits", "accents", "hyphen")
_LOOK = {
    found: f"looks {' '.join(compress(_LOOKS_LIKE, found)) or 'plain'}"
    for found in product((False, True), repeat=len(_LOOKS_LIKE))
}
_LONGEST = 12
# How many features hold of a word by itself, and how many of its case, place and label.
_N_OWN, _N_LOOK = 8, 3
# The columns of the latter in a table of features, and the column of what has no weight.
_LOOKS, _NOTHING = slice(_N_OWN, _N_OWN + _N_LOOK), 0
_NOT_FOUND = np.iinfo(np.int32).min
# The number of what is no word: before the first word of a message and behind its last.
NO_WORD = 0
OFFSETS = (-2, -1, 1, 2)
_SIDES = {-2: "two words after", -1: "after", 1: "before", 2: "two words before"}
_PAIRED = (-1, 1)
# There are some twenty groups of words.
_GROUP_BITS = 6
# Of a habit with capitals.
_FEWEST_WORDS, _MANY = 3, 0.5
# A corpus of 90,000 messages has a fifth of that.
_MOST_KNOWN = 300_000
# Weights are rounded to four decimals: counted in units of the last one, they add up to the same
# sum in whatever order.
UNITS = 10_000
# The log odds of what is no candidate: signs, pictures, what is masked already.
NO_CANDIDATE = -20.0


class Case(StrEnum):
    """The capitals of a word."""

    __hash__ = str.__hash__

    NONE = "no letters"
    LOWER = "lower"
    CAPITAL = "Capital"
    UPPER = "UPPER"
    MIXED = "mIxed"
    ONE_LOWER = "one letter"
    ONE_UPPER = "one Capital letter"


_CAPITALS = (Case.CAPITAL, Case.UPPER, Case.ONE_UPPER)
# The case of a word written without capitals.
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


# The use of capitals in a message, which says what a capital is worth in it.
Habit = IntEnum("Habit", "ALL_CAPITALS NONE_INSIDE MANY_INSIDE SOME_INSIDE", start=0)
# In their order.
_HABITS = ("capitals only", "no capital inside", "many capitals", "some capitals")


class Traits(NamedTuple):
    """Features of a distinct word by itself, by the names of the weights."""

    group: str
    case: Case
    lists: str
    own: tuple[str, ...]
    # What a neighbour sees of the word, as written and without capitals.
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
        mine = [w.name for w in lexicon.lists if w.title == YOURS and w.role is Role.DICTIONARY]
        self._mine = bits(*mine)
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
        shown, is_first_name, levels, is_candidate = self._of_lists(word.lists)
        group = word.label.value
        if is_first_name and word.label in (Label.DICTIONARY, Label.AMBIGUOUS):
            group += " first name"
        odd = not text.isalpha()
        has_digit, has_hyphen = odd and any(map(str.isdigit, text)), odd and "-" in text
        stretched = _ELONGATED.search(text) is not None
        own = (
            f"rule {word.rule or 'none'}, {group}",
            f"length {min(len(text), _LONGEST)}, {group}",
            _LOOK[stretched, has_digit, not word.text.isascii(), has_hyphen],
            "ends in -" + text[-3:],
            "ends in -" + text[-2:] + ".",
            "starts with " + text[:3] + "-",
            *levels,
        )
        contexts = f"{group}, {case}", f"{group}, {_LOWERED[case]}"
        if word.label is Label.ANTI_DICTIONARY:
            # Nothing but entries of the lists goes into a model: no name or number of a corpus
            # can, nor what a rule has put together of several words.
            lists = word.lists & self._common
            if lists and word.rule:
                lists = self._lexicon.exact.get(word.read_as) & self._common
            contexts = (fold(word.read_as) if lists else group,) * 2
        return Traits(group, case, shown, own, contexts, text.strip("-'’"), is_candidate, False)

    def _meet_lists(self, bits: int) -> tuple[str, bool, tuple[str, ...], bool]:
        """Return what lists tell: their names, first name or not, levels, and candidate or not."""
        is_mine = bool(bits & self._mine)
        names = {*self._lexicon.names(bits & self._shown), *FIRST_NAMES[:is_mine]}
        levels = tuple(
            said[max((i for i, level in enumerate(levels, 1) if bits & level), default=0)]
            for levels, said in ((self._word_levels, _AS_A_WORD), (self._name_levels, _AS_A_NAME))
        )
        # What a user's own list says is no name is none, wherever it stands.
        is_let_through = bits & self._lexicon.yours & self._lexicon.anti_dictionary
        is_first_name = bool(bits & self._first_names)
        return " ".join(sorted(names)), is_first_name, levels, is_mine or not is_let_through


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
    """Columns of named features, from 1 on; or their weights, which add up."""

    def __init__(
        self,
        names: Iterable[str] = (),
        grows: bool = False,
        weights: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(weights or {name: column for column, name in enumerate(names, 1)})
        self.grows, self.adds_up = grows, weights is not None

    def __missing__(self, name: str) -> int:
        if not self.grows:
            return _NOTHING
        self[name] = column = len(self) + 1
        return column

    def table(self, rows: Iterable[Sequence[str]], n: int, together: bool) -> NDArray[np.int32]:
        """Return the values of rows of names, up to `n` in each, of shape (n, n_rows).

        Of names that always go together and add up there is one value.
        """
        none, get = repeat(_NOTHING), self.get
        if self.adds_up and together:
            sums = [sum(map(get, names, none)) for names in rows]
            return np.array([sums], dtype=np.int32)
        found = [(*map(self.__getitem__, names), *islice(none, n - len(names))) for names in rows]
        table: NDArray[np.int32] = np.array(found, dtype=np.int32).reshape(-1, n).T
        return table


# What is known of each distinct word, in numbers.
Column = IntEnum(
    "Column",
    "IS_WORD IS_CAPITAL IS_LOWER CAN_BE_LOWER IS_FIRST_NAME IS_UNKNOWN LOOK LOWER_LOOK GROUP "
    "CONTEXT LOWER_CONTEXT SPELLING NEIGHBOUR IS_CANDIDATE ENDS_SENTENCE",
    start=0,
)


# The names of the features of a code.
_Namer = Callable[[int], Sequence[str]]


class _Lazy:
    """Values of features by codes, each found when its code first comes; threads may share one."""

    def __init__(self, names: FeatureNames, of: _Namer, n: int, together: bool = False) -> None:
        self._names, self._of, self._n, self._together = names, of, n, together
        height = 1 if together and names.adds_up else n
        self._known = np.full((height, FEWEST_ROOM), _NOT_FOUND, dtype=np.int32)
        self._lock = Lock()

    def column(self, column: int, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        found: NDArray[np.int32]
        highest = int(codes.max(initial=0))
        if highest < self._known.shape[1]:
            found = self._known[column].take(codes)
            if found.min(initial=0) != _NOT_FOUND:
                return found
        with self._lock:
            if highest >= self._known.shape[1]:
                room = (0, 0), (0, 2 * highest - self._known.shape[1])
                self._known = np.pad(self._known, room, constant_values=_NOT_FOUND)
            new = np.unique(codes[self._known[0, codes] == _NOT_FOUND])
            if len(new):
                rows = map(self._of, new.tolist())
                self._known[:, new] = self._names.table(rows, self._n, self._together)
            found = self._known[column].take(codes)
        return found

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
        """Return the word that stands so many words behind each word of the same message."""
        number, message = self.number, self.message
        there, ends = np.zeros_like(number), (slice(-abs(offset)), slice(abs(offset), None))
        here, of = ends if offset > 0 else ends[::-1]
        # No word is 0.
        np.multiply(number[of], message[of] == message[here], out=there[here])
        return there


def is_of_context(name: str) -> bool:
    return name.startswith(tuple(f"{side}: " for side in _SIDES.values()))


def is_lexical(name: str) -> bool:
    """Tell if a feature is of the letters of a word, or of a neighbour that is a given word."""
    if name.startswith(("ends in -", "starts with ")):
        return True
    context = name.partition(": ")[2].partition(" | ")[0]
    return is_of_context(name) and context[:1].isalpha() and context.islower()


@dataclass(frozen=True)
class SeenWords:
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
        """Return the columns with which words weigh most: a capital at the start lowers none."""
        columns, at, lowered = self.columns, self.starting, self.lowered_look.T
        written = weights[columns[at, _LOOKS]].sum(axis=1)
        better = weights[lowered].sum(axis=1) > written
        if better.any():
            columns = columns.copy()
            columns[at[better], _LOOKS] = lowered[better]
        return columns


class WordFeatures:
    """Finds the features of words. It numbers the distinct words of a run from 1; no word is 0."""

    def __init__(self, lexicon: Lexicon, names: FeatureNames) -> None:
        self.spellings: Numbered[str] = Numbered()
        self.neighbours: Numbered[str] = Numbered()
        self._look_of: Numbered[tuple[str, Case, str]] = Numbered()
        self._context_of: Numbered[str] = Numbered()
        self._groups: Numbered[str] = Numbered()
        self._reader, self._names, seen = TraitReader(lexicon), names, self._context_of
        self._looks = _Lazy(names, self._of_look, _N_LOOK, together=True)
        self._contexts = _Lazy(
            names,
            lambda code: [f"{_SIDES[offset]}: {seen.items_in_order[code]}" for offset in OFFSETS],
            len(OFFSETS),
        )
        self._pairs = _Lazy(names, self._of_pair, 1)
        self._columns = Growing(len(Column))
        # The values of features that hold of each word by itself.
        self._own = Growing(1 if names.adds_up else _N_OWN)
        self._number_look = cache(self._meet_look)
        self._numbers: dict[LabelledWord, int] = {}
        self._lock = Lock()
        self._take([_NO_WORD])

    def __len__(self) -> int:
        return len(self._numbers)

    def column(self, column: Column) -> NDArray[np.int32]:
        known: NDArray[np.int32] = self._columns.values[column]
        return known

    def _meet(self, word: LabelledWord) -> int:
        return self._numbers.setdefault(word, len(self._numbers) + 1)

    def _take(self, traits: Sequence[Traits]) -> None:
        group, case, lists, own, contexts, folded, *others = zip(*traits, strict=True)
        # The neighbour of no word is no spelling.
        known = zip(group, folded, contexts, strict=True)
        beside = [_NAME if g == _FIRST_NAME else plain or c for g, plain, (c, _) in known]
        rows = np.column_stack(
            [
                np.array([*map(self._number_look, map(bool, folded), group, case, lists)]),
                np.array([[*map(self._context_of.__getitem__, both)] for both in contexts]),
                np.array([*map(self.spellings.__getitem__, folded)]),
                np.array([*map(self.neighbours.__getitem__, beside)]),
                *others,
            ]
        )
        self._columns.extend(rows)
        self._own.extend(self._names.table(own, _N_OWN, True).T)

    def _meet_look(self, is_word: bool, group: str, case: Case, lists: str) -> tuple[int, ...]:
        """Return the properties of words of a look: those from `IS_WORD` to `GROUP`."""
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

        def holds(column: Column, of: NDArray[np.int32] = number) -> NDArray[np.bool_]:
            return self.column(column).astype(np.bool_).take(of)

        is_first = np.diff(words.message, prepend=-1) != 0
        before = np.where(is_first, NO_WORD, np.roll(number, 1))
        starts = holds(Column.ENDS_SENTENCE, before)
        begin = np.searchsorted(words.message, np.arange(words.n_messages + 1))
        for i in (i for i, message in enumerate(labelled.messages) if "\n" in message):
            breaks = [found.start() for found in re.finditer("\n", labelled.messages[i])]
            here = slice(begin[i], begin[i + 1])
            starts[here][1:] |= np.diff(np.searchsorted(breaks, words.start[here])) > 0
        capital, lower = holds(Column.IS_CAPITAL), holds(Column.IS_LOWER)
        if lowered is not None:
            lower |= lowered & holds(Column.CAN_BE_LOWER)
            capital &= ~lowered
        # The habit of each message, by its words in lower case, and by capitals inside.
        n_words, n_lower, n_inside = (
            np.bincount(words.message.compress(which), minlength=words.n_messages)
            for which in (holds(Column.IS_WORD), lower, capital & (before != NO_WORD))
        )
        are_all_capitals = (n_lower == 0) & (n_words >= _FEWEST_WORDS)
        conditions = [are_all_capitals, n_inside == 0, n_inside > _MANY * n_words]
        habits = [Habit.ALL_CAPITALS, Habit.NONE_INSIDE, Habit.MANY_INSIDE]
        habit = np.select(conditions, habits, Habit.SOME_INSIDE).astype(np.int8).take(words.message)
        return Places(number, words.message, starts, habit, capital, holds(Column.IS_CANDIDATE))

    def see(
        self, labelled: LabelledMessages, lowered: NDArray[np.bool_] | None = None
    ) -> SeenWords:
        where = self._places(labelled, lowered)
        number, starts, habit = where.number, where.starts, where.habit.astype(np.int64)
        look = self.column(Column.LOOK).take(number).astype(np.int64)
        context = self.column(Column.CONTEXT).astype(np.int64)
        there = {offset: context.take(where.neighbour(offset)) for offset in OFFSETS}
        if lowered is not None:
            look[lowered] = self.column(Column.LOWER_LOOK)[number[lowered]]
            # Neighbours are seen as if they were written without capitals, too.
            lower = self.column(Column.LOWER_CONTEXT)
            for offset, seen in there.items():
                beside = where.neighbour(offset)
                at = np.flatnonzero(beside != NO_WORD)
                at = at[lowered[at + offset]]
                seen[at] = lower[beside[at]]
        group = self.column(Column.GROUP).take(number)
        starting = np.flatnonzero(starts & where.is_capital)
        without = self.column(Column.LOWER_LOOK)[number[starting]].astype(np.int64)
        # In learning, features are numbered in the order in which they are met.
        lowered_look = self._looks[(without * 2 + 1) * len(Habit) + habit[starting]]
        looks = self._looks[(look * 2 + starts) * len(Habit) + habit]
        contexts = [self._contexts.column(i, there[offset]) for i, offset in enumerate(OFFSETS)]
        contexts += [
            self._pairs.column(0, (((there[offset] << 1) | side) << _GROUP_BITS) | group)
            for side, offset in enumerate(_PAIRED)
        ]
        own = self._own.values.take(number, axis=1)
        return SeenWords(own, looks, contexts, starting, lowered_look, where, self)

    def _of_look(self, code: int) -> tuple[str, str, str]:
        """Name group, case and lists of a word at the beginning of a sentence or inside one."""
        look, habit = divmod(code, len(Habit))
        group, case, lists = self._look_of.items_in_order[look // 2]
        at = f"{case.value} {'starting' if look % 2 else 'inside'}"
        return (
            f"{group}, {at}",
            f"{group}, {at}, message with {_HABITS[habit]}",
            f"in {lists or 'no list'}, {at}",
        )

    def _of_pair(self, code: int) -> tuple[str]:
        context, side = divmod(code >> _GROUP_BITS, len(_PAIRED))
        group = self._groups.items_in_order[code & ((1 << _GROUP_BITS) - 1)]
        seen = self._context_of.items_in_order[context]
        return (f"{_SIDES[_PAIRED[side]]}: {seen} | {group}",)


@dataclass(frozen=True)
class WordWeights:
    """The learnt weights of words: one for each named feature."""

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
        if features is None or len(features) >= _MOST_KNOWN:
            weights = dict(zip(self._names, self._weights[1:].tolist(), strict=True))
            features = WordFeatures(self._lexicon, FeatureNames(weights=weights))
            self._features = features
        seen = features.see(labelled)
        look, at = seen.look[0], seen.starting
        # A capital at the start lowers no word.
        look[at] = np.maximum(look[at], seen.lowered_look[0])
        total = self._intercept + seen.own[0] + look
        for weight in seen.contexts:
            total += weight
        log_odds = total / UNITS
        log_odds[~seen.places.is_candidate] = NO_CANDIDATE
        return ScoredWords(log_odds, seen.places, features)

    def reasons(self, labelled: LabelledMessages, most: int = 3) -> list[list[str]]:
        """Return for every word the features that told most for it."""
        found = []
        for columns in self._by_name.see(labelled).read_by(self._weights).tolist():
            told = ((-int(self._weights[c]), self._names[c - 1]) for c in columns)
            found.append([name for weight, name in sorted(told) if weight < 0][:most])
        return found

    @cached_property
    def _by_name(self) -> WordFeatures:
        return WordFeatures(self._lexicon, FeatureNames(self._names))


def units(log_odds: ArrayLike) -> NDArray[np.int64]:
    """Return log odds, or weights, as whole numbers of `UNITS` to one."""
    return np.rint(np.asarray(log_odds, dtype=np.float64) * UNITS).astype(np.int64)


@dataclass(frozen=True)
class ScoredWords:
    """Words with the log odds that each identifies someone."""

    log_odds: NDArray[np.float64]
    places: Places
    index: "WordFeatures"


def probability(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
