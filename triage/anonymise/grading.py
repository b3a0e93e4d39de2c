"""Grade the words that still stand by how likely they identify somebody, to check and to mine.

What is known (what was replaced, tags, a catalogue, answers) is marked among the words; the marks
give contexts, and names that others are akin to (Reffay, Blondel, Giguet, 2012). Each place gets
the probability that it identifies somebody; a spelling has that of its likeliest place.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.edits import NameVariants, distance_within
from triage.dictionaries.growing import Numbered
from triage.dictionaries.normal import without_runs
from triage.dictionaries.pack import Pack
from triage.dictionaries.phrases import TOKEN, phrase_key
from triage.features.word_evidence import probability

from ..decide.find import ScoredMessages
from ..decide.people import NAMES, People, bare
from ..vocabulary import SUSPECT_FROM, TAG, IdentifierType, Spans
from .entities import short_forms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_Mask = NDArray[np.bool_]

TYPES = tuple(IdentifierType)
NO_NAME = -1
# The edge of a message: dashes join words, so that none is a word itself.
_EDGE = "—"
_TAGGED = "<>"
_SPLIT = re.compile(f"{TAG}|{TOKEN.pattern}")
WordAnswer = StrEnum("WordAnswer", ["ALWAYS", "NEVER", "HERE", "LATER"])
# A context gives a word away where this share of its words are identifiers (Annex 1).
MIN_RATE = 0.2
# A context that was met less often says little.
_MIN_NAMES = 2
# So many words of average contexts are added to those of a context before its rate is taken.
_SMOOTHING = 3.0
_EPSILON = 1e-4
# Steps of `np.roll` that bring the word on the left, or on the right, to the place of each.
_LEFT, _RIGHT = 1, -1
# A shorter name is part of too many words.
_SHORTEST_PART = 4
_SHORTEST_FORM = 3
# Shorter words joined to a name make another word, such as "sport" and "années".
_SHORTEST_JOINED = 2
# The fewest letters that are cut off a name.
_CUT = 2
# Longer words are no names.
_LONGEST = 40
DIGIT = re.compile("[0-9]")
_WEIGHTS = tomllib.loads(Path(__file__).with_name("weights.toml").read_text(encoding="utf-8"))
# Odds beyond these say no more.
_MAX_ODDS = 6.0
# How often a word must stand for a name that is glued to it to be found.
_FREQUENT = 5
# Names that a word is akin to are looked for where they may matter, those by edits for fewer words.
_KIN_FROM, _EDITS_FROM = -9.0, -6.0


@dataclass(frozen=True)
class Corpus:
    """The words of all messages in a row, an edge behind each; index -1 is an edge, too."""

    texts: Sequence[str]
    forms: list[str]
    number: Mapping[str, int]
    # The first word of each message, and the number of words.
    first: list[int]
    form: Ints
    message: Ints
    start: Ints
    end: Ints
    is_capital: _Mask
    # Words hold a letter; signs, numbers, tags and edges do not.
    is_word: _Mask
    is_tag: _Mask
    replaced: Ints
    evidence: Floats | None = None

    @cached_property
    def _by_form(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.form, kind="stable")
        return order, np.searchsorted(self.form[order], np.arange(len(self.forms) + 1))

    @property
    def by_message(self) -> list[list[str]]:
        words = [*map(self.forms.__getitem__, self.form.tolist())]
        return [words[start : end - 1] for start, end in pairwise(self.first)]

    def is_form(self, fits: Callable[[str], object]) -> _Mask:
        """Return which words have a form that fits."""
        return np.array([*map(fits, self.forms)], np.bool_)[self.form]

    def words_of(self, *key: str) -> Ints:
        """Return where a form stands, or where several begin to stand side by side."""
        numbers = [self.number.get(form, -1) for form in key]
        if min(numbers, default=-1) < 0:
            return np.empty(0, dtype=np.int64)
        order, first = self._by_form
        words = order[first[numbers[0]] : first[numbers[0] + 1]]
        words = words[words + len(key) <= len(self.form)]
        for offset, number in enumerate(numbers):
            words = words[self.form[words + offset] == number]
        return words

    def with_replaced(self, replaced: Sequence[Spans]) -> Self:
        """Return the same words with other places of identifiers, tags apart."""
        types = np.where(self.is_tag, self.replaced, NO_NAME)
        for number, spans in enumerate(replaced):
            words = slice(*self.first[number : number + 2])
            # The first of two spans that overlap tells the type.
            for span in sorted(spans, reverse=True):
                first = np.searchsorted(self.end[words], span.start, side="right")
                inside = slice(first, np.searchsorted(self.start[words], span.end))
                types[words][inside][~self.is_tag[words][inside]] = TYPES.index(span.type)
        return replace(self, replaced=types)

    def place(self, word: int) -> tuple[int, int, int]:
        """Return the message of a word, from 0, its start and its end in characters."""
        return int(self.message[word]), int(self.start[word]), int(self.end[word])

    def written(self, word: int) -> str:
        message, start, end = self.place(word)
        return self.texts[message][start:end]


def read_corpus(
    texts: Sequence[str], replaced: Sequence[Spans] = (), evidence: Iterable[Floats] | None = None
) -> Corpus:
    """Split messages into words, whose evidence comes in parts of message, start and evidence."""
    forms, pieces = Numbered[str](), Numbered[str | None]()
    # What stands between two spaces is split once. Behind the last piece stands an edge.
    cells = [*chain.from_iterable((*text.split(" "), None) for text in texts)]
    piece = np.fromiter(map(pieces.__getitem__, cells), dtype=np.int64, count=len(cells))
    words = [(number, *word) for one, number in pieces.items() for word in _read(one, forms)]
    table = np.array(words, dtype=np.int64).reshape(-1, 6)
    n_words = np.bincount(table[:, 0], minlength=len(pieces))
    first_row, n_each = (np.cumsum(n_words) - n_words)[piece], n_words[piece]
    row = np.arange(n_each.sum()) + np.repeat(first_row - np.cumsum(n_each) + n_each, n_each)
    _, start, end, form, type_, capital = table[row].T
    # Where each piece starts, a space behind each, less where its message does.
    length = np.array([0 if one is None else len(one) + 1 for one in pieces], np.int64)[piece]
    n_pieces = np.array([text.count(" ") + 2 for text in texts], np.int64)
    message = np.repeat(np.arange(len(texts)), n_pieces)
    begins = np.cumsum([0, *(len(text) + 1 for text in texts)])[message]
    begins = np.repeat(np.cumsum(length) - length - begins, n_each)
    message, start, end = np.repeat(message, n_each), start + begins, end + begins
    names, is_tag = forms.items_in_order, form == forms.get(_TAGGED, -1)
    is_word = np.array([any(map(str.isalpha, one)) for one in names], np.bool_)[form]
    first = [*map(int, np.searchsorted(message, np.arange(len(texts) + 1)))]
    masks = capital > 0, is_word, is_tag
    corpus = Corpus(texts, names, dict(forms), first, form, message, start, end, *masks, type_)
    if evidence is not None:
        # A word of the dictionaries may hold several of these, which have its evidence.
        messages, starts, values = np.concatenate([[[-1.0], [0.0], [0.0]], *evidence], axis=1)
        n = 1 + max(starts.max(), start.max(initial=0))
        nearest = np.searchsorted(messages * n + starts, message * n + start, side="right") - 1
        is_here = (messages[nearest] == message) & (form != forms.get(_EDGE, -1))
        corpus = replace(corpus, evidence=np.where(is_here, values[nearest], 0.0))
    return corpus.with_replaced(replaced) if replaced else corpus


def _read(piece: str | None, forms: Numbered[str]) -> Iterator[tuple[int, int, int, int, bool]]:
    """Yield start, end and number of each word of a piece, its type, and if it has a capital."""
    if piece is None:
        yield -1, -1, forms[_EDGE], NO_NAME, False
        return
    for match in _SPLIT.finditer(piece):
        if tag := match["type"]:
            # A tag that names no type counts as one of the first.
            type_ = TYPES.index(IdentifierType(tag)) if tag in IdentifierType.__members__ else 0
            yield *match.span(), forms[_TAGGED], type_, False
        else:
            (word,) = phrase_key(match[0])
            yield *match.span(), forms[word], NO_NAME, match[0][0].isupper()


def evidence_of(scored: ScoredMessages, first: int = 0) -> Floats:
    """Return the evidence of the words of messages, from that of a number on, for `read_corpus`."""
    table, words = scored.labelled.words, scored.words
    evidence = np.zeros(len(table.form)) if words is None else probability(words.log_odds)
    return np.stack([table.message + float(first), table.start, evidence])


@dataclass(frozen=True)
class KnownSpelling:
    """A spelling, how often it was replaced, and what a person answered about it."""

    spelling: str
    type: IdentifierType = IdentifierType.PRE
    entity: str = ""
    replaced: int = 0
    answer: WordAnswer | None = None
    # Rows of messages, from 1, and the characters where words start.
    places: frozenset[tuple[int, int]] = frozenset()
    likelihood: float | None = None
    stands: int = 0

    @property
    def key(self) -> str:
        return " ".join(phrase_key(self.spelling))


def known_people(people: People | None) -> list[KnownSpelling]:
    """Return the spellings of people; those that are words count where they read as names."""
    spelt = people.spellings if people else []
    return [
        KnownSpelling(text, type_, entity, answer=None if is_word else WordAnswer.ALWAYS)
        for entity, type_, text, is_word in spelt
    ]


def without_particles(known: Iterable[KnownSpelling], pack: Pack) -> list[KnownSpelling]:
    """Return known spellings, surnames without their particles, which name nobody."""
    particles, nom = frozenset(pack.titles.particles), IdentifierType.NOM
    return [
        replace(one, spelling=bare(one.spelling, particles)) if one.type is nom else one
        for one in known
    ]


def distinct(known: Iterable[KnownSpelling]) -> list[KnownSpelling]:
    """Return known spellings, of those that differ in case and accents the most frequent."""
    counts, best = Counter[tuple[str, ...]](), dict[tuple[str, ...], KnownSpelling]()
    for one in known:
        key = phrase_key(one.spelling)
        counts[key] += one.replaced
        if key not in best or one.replaced > best[key].replaced:
            best[key] = one
    return [replace(one, replaced=counts[key]) for key, one in best.items() if key]


class Contexts:
    """The word beside, or two words, on either side; identifiers in them stand as their types."""

    def __init__(self, corpus: Corpus, types: Ints) -> None:
        is_name = types != NO_NAME
        self._shown = [*corpus.forms, *(f"<{type_}>" for type_ in TYPES)]
        shown = np.where(is_name, len(corpus.forms) + types, corpus.form)
        is_word, edge = corpus.is_word | is_name, corpus.number.get(_EDGE, -1)
        base = np.array(max(float(is_name.sum()) / max(1, int(is_word.sum())), _EPSILON))
        # Of each word the log odds that it identifies somebody, from both sides.
        self.log_odds = -logit(base)
        # By side and size: words as one number, how many names, how many, and that of each word.
        self._beside: dict[tuple[int, int], tuple[Ints, Floats, Floats, Ints]] = {}
        for step in (_LEFT, _RIGHT):
            # A word inside of an identifier has another one of the same beside it.
            is_whole = ~(is_name & (types == np.roll(types, step)))
            beside, rate = np.roll(shown, step), base
            # Few words: each has its place in a table.
            key, of_word = np.arange(len(self._shown)), beside
            for size in (1, 2):
                if size > 1:
                    # Behind the edge of a message another one begins.
                    behind = np.where(beside == edge, beside, np.roll(shown, 2 * step))
                    first, second = (behind, beside) if step == _LEFT else (beside, behind)
                    key, of_word = np.unique(first * len(self._shown) + second, return_inverse=True)
                    of_word = of_word.reshape(-1)
                names, total = (
                    np.bincount(of_word[words & is_whole], minlength=len(key)).astype(np.float64)
                    for words in (is_name, is_word)
                )
                self._beside[step, size] = key, names, total, of_word
                # The rate of a context, or that of its one word where two are seldom met.
                rate = (names[of_word] + _SMOOTHING * rate) / (total[of_word] + _SMOOTHING)
            self.log_odds = self.log_odds + logit(rate)

    def best(self, word: int) -> str:
        """Return the context of a word that gives it away most, if one does."""
        contexts = []
        for (step, size), (key, names, total, of_word) in self._beside.items():
            i = of_word[word]
            if names[i] >= _MIN_NAMES and names[i] / total[i] >= MIN_RATE:
                contexts.append((names[i] / total[i], names[i], step, size, int(key[i])))
        if not contexts:
            return ""
        *_, step, size, number = max(contexts, key=lambda one: one[:2])
        context = " ".join(self._shown[n] for n in divmod(number, len(self._shown))[2 - size :])
        return f"{context} …" if step == _LEFT else f"… {context}"


def logit(rate: Floats) -> Floats:
    """Return the log odds of rates, which are kept off 0 and 1."""
    rate = np.clip(rate, _EPSILON, 1 - _EPSILON)
    return np.asarray(np.log(rate / (1 - rate)))


class Clue(StrEnum):
    PERSON = "name of the account of people"
    REPLACED = "replaced elsewhere"
    ONE_EDIT = "one edit from"
    TWO_EDITS = "two edits from"
    STRETCHED = "stretched"
    SHORT = "short form of"
    INITIALS = "initials of"
    GLUED = "glued to a word"
    HANDLE = "handle that holds"
    ADDRESS = "part of an address"
    BESIDE = "beside a name"
    CONTEXT = "stands where names stand"
    EVIDENCE = "evidence of the model"
    CAPITAL = "capital inside a message"
    NUMBER = "number that may be a telephone's"
    FORM = "identifier by its form"


_Names = Mapping[str, KnownSpelling]
# The known name that a word is akin to, behind the reason.
Kin = tuple[Clue, KnownSpelling]


class Kinship:
    """Finds the known names that a word is akin to; `words` are those that a name is glued to."""

    def __init__(
        self,
        known: Iterable[KnownSpelling],
        words: Set[str],
        short: dict[str, str],
        streets: _Names,
    ) -> None:
        self._short, self._streets = short, streets
        self._names: dict[str, KnownSpelling] = {}
        full: dict[str, list[str]] = {}
        for one in known:
            key = phrase_key(one.spelling)
            # The words of an address are not names by themselves.
            for word in key if len(key) == 1 or one.type in NAMES else ():
                if len(word) <= _LONGEST and any(map(str.isalpha, word)):
                    self._names.setdefault(word, one)
            if one.type in NAMES:
                full.setdefault(one.entity or one.spelling, []).extend(key)
        self._words = words | self._names.keys()
        self._initials = {name[0]: one for name, one in reversed(self._names.items())}
        self._initials |= {
            "".join(word[0] for word in dict.fromkeys(words)): self._names[words[0]]
            for words in reversed(full.values())
            if len({*words}) > 1 and words[0] in self._names
        }
        self._runs, self._starts, self._by_full = (dict[str, KnownSpelling]() for _ in range(3))
        for name, one in sorted(self._names.items(), key=lambda pair: pair[0]):
            self._runs.setdefault(without_runs(name), one)
            self._by_full.setdefault(self._short.get(name, name), one)
            for end in range(_SHORTEST_FORM, len(name) - _CUT + 1):
                self._starts.setdefault(name[:end], one)

    @cached_property
    def _variant(self) -> NameVariants:
        return NameVariants({name: 1.0 + one.replaced for name, one in self._names.items()})

    def __call__(self, word: str, *, by_edits: bool = True) -> list[Kin]:
        """Return the known names that a word is akin to; none of a known one."""
        if word in self._names or len(word) > _LONGEST:
            return []
        is_handle = DIGIT.search(word) is not None
        name_within = self._held(word)
        clues = (
            (Clue.HANDLE, name_within if is_handle else None),
            (Clue.STRETCHED, self._runs.get(without_runs(word))),
            (Clue.SHORT, self._by_full.get(self._short.get(word, word))),
            (Clue.SHORT, self._starts.get(word)),
            (Clue.GLUED, None if is_handle else name_within),
            (Clue.INITIALS, self._initials.get(word)),
            (Clue.ADDRESS, self._streets.get(word)),
        )
        kin = [(reason, one) for reason, one in clues if one]
        is_near = is_handle or any(reason is Clue.STRETCHED for reason, _ in kin)
        if by_edits and not is_near and (name := self._variant(word)):
            is_one = distance_within(word, name, 1)
            return [(Clue.ONE_EDIT if is_one else Clue.TWO_EDITS, self._names[name]), *kin]
        return kin

    def _held(self, word: str) -> KnownSpelling | None:
        """Return the longest name that a word with digits holds, or one glued to another word."""
        if DIGIT.search(word):
            parts = (
                run[start:end]
                for run in re.findall(r"[^\W\d_]+", word)
                for start in range(len(run))
                for end in range(start + _SHORTEST_PART, len(run) + 1)
            )
            name = max((part for part in parts if part in self._names), key=len, default="")
            return self._names.get(name)
        for i in range(_SHORTEST_JOINED, len(word) - _SHORTEST_JOINED + 1):
            for name, other in ((word[i:], word[:i]), (word[:i], word[i:])):
                if len(name) >= _SHORTEST_PART and name in self._names and other in self._words:
                    return self._names[name]
        return None


class Grades:
    """The probability that each word of a corpus identifies somebody, and what tells it.

    What is known, each spelling once, gives names that others are akin to; the words marked as
    identifiers (`types`) give contexts. Titles and `closed` forms are not graded.
    """

    def __init__(
        self,
        corpus: Corpus,
        names: Sequence[KnownSpelling],
        types: Ints,
        pack: Pack | None,
        streets: _Names,
        closed: Set[str] = frozenset(),
    ) -> None:
        self.corpus, self.types = corpus, types
        # Titles are without case and accents: *Mme*, *Dr*.
        titles = pack.titles.persons if pack else ()
        self._closed = {*closed, *(key for one in titles for key in phrase_key(one))}
        self.contexts = Contexts(corpus, types)
        self.standing = (types == NO_NAME) & corpus.is_word
        self.stands = np.bincount(corpus.form[self.standing], minlength=len(corpus.forms))
        self.known_forms = {
            corpus.number[part]: one
            for one in names
            for key in [phrase_key(one.spelling)]
            for part in key
            if len(key) == 1 or (one.type in NAMES and one.replaced)
            if part in corpus.number
        }
        forms = zip(corpus.forms, self.stands.tolist(), strict=True)
        frequent = frozenset(form for form, n in forms if n >= _FREQUENT and form.isalpha())
        self._kinship = Kinship(names, frequent, short_forms(pack) if pack else {}, streets)
        self.kin: dict[int, list[Kin]] = {}
        self.probability = self._probabilities()

    def _probabilities(self) -> Floats:
        """Return the probability that each word identifies somebody; 0 where it is not asked."""
        corpus = self.corpus
        weight = _WEIGHTS["alone" if corpus.evidence is None else "with_model"]
        replaced = np.zeros(len(corpus.forms))
        for number, one in self.known_forms.items():
            replaced[number] = one.replaced
        of_form = weight["always"] + weight["frequency"] * np.log(np.maximum(self.stands, 1))
        of_form += weight["replaced"] * np.log1p(replaced)
        inside = np.roll(corpus.is_word, 1) & corpus.is_capital
        context = np.clip(self.contexts.log_odds, -_MAX_ODDS, _MAX_ODDS)
        odds = weight["context"] * context + weight["capital"] * corpus.is_capital
        odds += weight["capital_inside"] * inside + of_form[corpus.form]
        if corpus.evidence is not None:
            odds += weight["evidence"] * logit(corpus.evidence)
        # Asked is of what stands and is open; one letter must be a capital.
        is_open = self.stands > 0
        is_open[[corpus.number[form] for form in self._closed & corpus.number.keys()]] = False
        capitals = corpus.form[corpus.is_capital & self.standing]
        n_capitals = np.bincount(capitals, minlength=len(corpus.forms))
        is_long = np.array([len(form) > 1 for form in corpus.forms], dtype=np.bool_)
        is_open &= is_long | (n_capitals >= 0.5 * self.stands)
        is_asked = self.standing & is_open[corpus.form]
        best = np.full(len(corpus.forms), -np.inf)
        np.maximum.at(best, corpus.form[is_asked], odds[is_asked])
        kin_odds = np.zeros(len(corpus.forms))
        for number in np.flatnonzero(best >= _KIN_FROM).tolist():
            by_edits = bool(best[number] >= _EDITS_FROM)
            if kin := self._kinship(corpus.forms[number], by_edits=by_edits):
                self.kin[number] = kin
                kin_odds[number] = sum(weight["kin"][reason.name] for reason in dict(kin))
        return np.where(is_asked, 1 / (1 + np.exp(-odds - kin_odds[corpus.form])), 0.0)

    def akin(self, word: int) -> KnownSpelling | None:
        number = int(self.corpus.form[word])
        kin = self.kin.get(number)
        return kin[0][1] if kin else self.known_forms.get(number)

    def reasons(self, word: int) -> Iterator[Clue]:
        """Yield the clues that the word at a place may identify somebody."""
        corpus, number = self.corpus, int(self.corpus.form[word])
        if number in self.known_forms and self.known_forms[number].replaced:
            yield Clue.REPLACED
        yield from dict.fromkeys(reason for reason, _ in self.kin.get(number, ()))
        if corpus.evidence is not None and corpus.evidence[word] >= SUSPECT_FROM:
            yield Clue.EVIDENCE
        if self.types[[word - 1, word + 1]].max() != NO_NAME:
            yield Clue.BESIDE
        if self.contexts.best(word):
            yield Clue.CONTEXT
        if corpus.is_word[word - 1] and corpus.is_capital[word]:
            yield Clue.CAPITAL

    def type_of(self, words: Sequence[int]) -> IdentifierType:
        """Return that of the known spelling; behind a first name it is a last name."""
        if known := self.akin(words[0]):
            return known.type
        before = self.types[[word - 1 for word in words]]
        is_behind = (before == TYPES.index(IdentifierType.PRE)).mean() >= 0.5
        return IdentifierType.NOM if is_behind else IdentifierType.PRE
