"""Rounds of mining: spellings that may identify somebody, from what is known and was answered.

Each place gets the probability that it identifies somebody (`grading`); a spelling has that of its
likeliest place.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from triage.dictionaries.pack import Pack
from triage.dictionaries.phrases import phrase_key
from triage.reports.page import printable

from ..anonymise.grading import NO_NAME, TYPES, Clue, Corpus, Grades, Ints, Known, Said, distinct
from ..vocabulary import IdentifierType, Spans

_WIDTH = 40
# From here on a spelling is worth a question.
BOUND = 0.02
# Names that are an edit apart are mostly two names.
_SAME_ENTITY = frozenset({Clue.STRETCHED, Clue.GLUED, Clue.HANDLE})
# Answers are counted by likelihood, in bands between these; the likelihood itself counts as so many
# answers more.
_BANDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_PRIOR = 10.0
# Where nothing is answered yet, a spelling that is still to be found stands so often.
_PLACES = 1.5
_NONE: Mapping[str, Known] = MappingProxyType({})


class Line(NamedTuple):
    """A place of a spelling: the row of its message, from 1, where it starts, and its context."""

    row: int
    start: int
    left: str
    keyword: str
    right: str


def line_of(text: str, row: int, start: int, end: int, width: int = _WIDTH) -> Line:
    text = printable(text.replace("\n", " "))
    left, right = text[max(0, start - width) : start], text[end : end + width]
    return Line(row, start, left, text[start:end], right)


def concordance(corpus: Corpus, words: Iterable[int], width: int = _WIDTH) -> list[Line]:
    """Return the lines of words of a corpus; each context has up to `width` characters."""
    places = map(corpus.place, words)
    return [line_of(corpus.texts[at], at + 1, start, end, width) for at, start, end in places]


def known_of(texts: Sequence[str], spans: Sequence[Spans]) -> list[Known]:
    """Return the spellings that are sure to be identifiers somewhere, and how often."""
    counts = Counter(
        (text[one.start : one.end], one.type)
        for text, found in zip(texts, spans, strict=True)
        for one in found
    )
    return [Known(text, type_, replaced=n) for (text, type_), n in counts.items()]


def with_answers(known: Iterable[Known], answers: Mapping[str, Known]) -> list[Known]:
    """Return what is known once questions are answered, by `Known.key`."""
    left = [one for one in known if one.key not in answers]
    return left + [one for one in answers.values() if one.said in (Said.ALWAYS, Said.HERE)]


def marked(corpus: Corpus, known: Iterable[Known]) -> Ints:
    """Return for each word the number of its type if it identifies somebody, else `NO_NAME`."""
    types = corpus.replaced.copy()
    # What is known of some places alone counts there, whatever else is known.
    for one in sorted(known, key=lambda one: one.said is not Said.ALWAYS):
        if one.said is Said.ALWAYS or one.places:
            key = phrase_key(one.spelling)
            words = corpus.words_of(*key)
            if one.said is not Said.ALWAYS:
                places = map(corpus.place, words.tolist())
                is_here = [(at + 1, start) in one.places for at, start, _ in places]
                words = words[np.array(is_here, dtype=np.bool_)]
            for offset in range(len(key)):
                types[words + offset] = TYPES.index(one.type)
    return types


@dataclass(frozen=True)
class Candidate:
    """A spelling that may identify somebody, and the places where it stands."""

    spelling: str
    likelihood: float
    stands: int
    replaced: int
    reasons: tuple[Clue, ...]
    akin: str
    context: str
    type: IdentifierType
    entity: str
    words: tuple[int, ...] = field(repr=False)

    @property
    def key(self) -> str:
        return phrase_key(self.spelling)[0]


class Round(Grades):
    """A round: what is known and answered grades the words that still stand."""

    def __init__(
        self,
        corpus: Corpus,
        known: Sequence[Known],
        answers: Mapping[str, Known] = _NONE,
        pack: Pack | None = None,
    ) -> None:
        self.known, self.answers = known, answers
        names = distinct(with_answers(known, answers))
        types = marked(corpus, names)
        answered = {key for key, one in answers.items() if one.said is not Said.LATER}
        super().__init__(corpus, names, types, pack, {}, answered)
        self.n_marked = int(((types != NO_NAME) & (corpus.is_word | corpus.is_tag)).sum())
        self.likelihood = np.zeros(len(corpus.forms))
        np.maximum.at(self.likelihood, corpus.form, self.probability)

    def candidates(
        self, bound: float = BOUND, but: Set[str] = frozenset(), most: int | None = None
    ) -> list[Candidate]:
        """Return the candidates from a likelihood on, the likeliest first."""
        forms = self.corpus.forms
        found = np.flatnonzero((self.likelihood >= bound) & (self.likelihood > 0)).tolist()
        found = [number for number in found if forms[number] not in but]
        found.sort(key=lambda n: (-self.likelihood[n], -self.stands[n], forms[n]))
        return [*map(self._candidate, found[:most])]

    def _candidate(self, number: int) -> Candidate:
        corpus, form = self.corpus, self.corpus.forms[number]
        words = [word for word in corpus.words_of(form).tolist() if self.standing[word]]
        likeliest = max(words, key=lambda word: float(self.probability[word]))
        spellings = Counter(map(corpus.written, words))
        kin, known = self.kin.get(number, []), self.akin(likeliest)
        reasons = (reason for word in (likeliest, *words) for reason in self.reasons(word))
        return Candidate(
            min(spellings, key=lambda spelling: (-spellings[spelling], spelling)),
            float(self.likelihood[number]),
            len(words),
            self.known_forms[number].replaced if number in self.known_forms else 0,
            (*dict.fromkeys(reasons),),
            known.spelling if known else "",
            self.contexts.best(likeliest),
            self.type_of(words),
            kin[0].known.entity if kin and kin[0].reason in _SAME_ENTITY else "",
            tuple(words),
        )

    def expected_left(self) -> float:
        """Estimate how many words of identifiers still stand, from the answers so far."""
        n_bands = len(_BANDS) + 1
        asked, right, places = np.zeros((3, n_bands))
        for one in self.answers.values():
            if one.likelihood is not None and one.said is not Said.LATER:
                band = bisect_right(_BANDS, one.likelihood)
                asked[band] += 1
                n_here = one.stands if one.said is Said.ALWAYS else 0
                n_here = len(one.places) if one.said is Said.HERE else n_here
                right[band] += n_here > 0
                places[band] += n_here
        likelihood = self.likelihood[self.likelihood > 0]
        bands = np.searchsorted(_BANDS, likelihood, side="right")
        n = np.bincount(bands, minlength=n_bands)
        by_itself = np.bincount(bands, likelihood, minlength=n_bands) / np.maximum(n, 1)
        rate = (right + _PRIOR * by_itself) / (asked + _PRIOR)
        each = (places + _PLACES) / (right + 1)
        return float((n * rate * each).sum())
