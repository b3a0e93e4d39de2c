"""Candidates: the spellings of a corpus that may identify somebody, the likeliest first.

Each reason has a weight, and the sum of the weights is the log odds that a spelling is an
identifier. Weights and bounds were chosen on the first 4,000 messages of 88milSMS
(docs/mining.md).
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..vocabulary import SUSPECT_FROM, IdentifierType
from .answers import Answer, Said
from .contexts import Context, Contexts, logit
from .corpus import NO_NAME, TYPES, Corpus, key_of
from .kinship import Kin, Kinship, Reason
from .known import Known, counted, marked, with_answers

# From here on a spelling is worth a question: of the spellings of the first messages from here to
# twice as much, one in twelve is an identifier.
BOUND = 0.05


@dataclass(frozen=True)
class Candidate:
    """A spelling that may identify somebody."""

    spelling: str
    likelihood: float
    stands: int
    replaced: int
    reasons: tuple[Reason, ...]
    akin: str
    context: str
    type: IdentifierType
    entity: str
    words: tuple[int, ...] = field(repr=False)

    @property
    def key(self) -> str:
        """The folded spelling."""
        return key_of(self.spelling)[0]


def candidates(
    corpus: Corpus,
    known: Iterable[Known],
    answers: Mapping[str, Answer],
    bound: float = BOUND,
) -> list[Candidate]:
    """Return the spellings that may identify somebody, the likeliest first."""
    return Round(corpus, known, answers).candidates(bound)


_Values = NDArray[np.float64]


class _Weights(NamedTuple):
    """The weights of what tells of a spelling; the sum is its log odds."""

    base: float
    context: float
    evidence: float
    frequency: float
    capital: float
    capital_inside: float
    replaced: float
    kin: Mapping[Reason, float]


# Among the first messages there is none of the first two, right or wrong: they are weighed so that
# they are asked about.
_RARE = {Reason.GLUED: 5.0, Reason.HANDLE: 5.0, Reason.INITIALS: 0.0}
_WITH_MODEL = _Weights(
    base=0.0,
    context=0.26,
    evidence=0.91,
    frequency=-0.8,
    capital=0.66,
    capital_inside=0.25,
    replaced=1.1,
    kin=_RARE
    | {Reason.ONE_EDIT: 0.1, Reason.TWO_EDITS: 0.5, Reason.STRETCHED: 0.4, Reason.SHORT: 0.1},
)
_ALONE = _Weights(
    base=-2.35,
    context=0.56,
    evidence=0.0,
    frequency=0.0,
    capital=2.65,
    capital_inside=2.15,
    replaced=1.1,
    kin=_RARE
    | {Reason.ONE_EDIT: 1.1, Reason.TWO_EDITS: 1.6, Reason.STRETCHED: 1.1, Reason.SHORT: 1.3},
)
# Names that are an edit apart are mostly two names.
_SAME_ENTITY = frozenset({Reason.STRETCHED, Reason.GLUED, Reason.HANDLE})
# Odds beyond these say no more.
_MOST_ODDS = 6.0
# So often a word stands at least to which a name may be glued.
_FREQUENT = 5
_HALF = 0.5


class Round:
    """A round of mining: what is known gives forms and contexts, which give candidates."""

    def __init__(
        self,
        corpus: Corpus,
        known: Iterable[Known],
        answers: Mapping[str, Answer],
        good: Iterable[Context] = (),
        short_forms: Mapping[str, str] | None = None,
    ) -> None:
        self._corpus = corpus
        names = counted(with_answers(known, answers))
        self.types = types = marked(corpus, names, answers)
        self._standing = (types == NO_NAME) & corpus.is_word
        self.n_marked = int(((types != NO_NAME) & (corpus.is_word | corpus.is_tag)).sum())
        self.contexts = Contexts(corpus, types, good)
        self._context_odds = np.clip(self.contexts.log_odds(), -_MOST_ODDS, _MOST_ODDS)
        n_forms = len(corpus.forms)
        self.stands = np.bincount(corpus.form[self._standing], minlength=n_forms)
        keys = ((key_of(one.spelling), one) for one in names)
        self._known = {key[0]: one for key, one in keys if len(key) == 1}
        kinship = Kinship(names, self._frequent(), short_forms)
        self._kin = {form: kinship(corpus.forms[form]) for form in self._asked(answers)}
        self.likelihood = self._likelihoods()

    def _frequent(self) -> frozenset[str]:
        forms = zip(self._corpus.forms, self.stands.tolist(), strict=True)
        return frozenset(form for form, n in forms if n >= _FREQUENT and form.isalpha())

    def _asked(self, answers: Mapping[str, Answer]) -> Iterator[int]:
        """Yield the forms that stand and were not answered; a single letter must be a capital."""
        answered = {key for key, one in answers.items() if one.said is not Said.LATER}
        capital = self._mean(self._corpus.is_capital)
        for number in np.flatnonzero(self.stands).tolist():
            form = self._corpus.forms[number]
            if form not in answered and (len(form) > 1 or capital[number] >= _HALF):
                yield number

    def _mean(self, values: NDArray[np.bool_] | _Values) -> _Values:
        """Return by form the mean of values of words, of those that stand."""
        form = self._corpus.form[self._standing]
        total = np.bincount(form, values[self._standing], minlength=len(self._corpus.forms))
        mean: _Values = total / np.maximum(self.stands, 1)
        return mean

    def _likelihoods(self) -> _Values:
        corpus = self._corpus
        weights = _ALONE if corpus.evidence is None else _WITH_MODEL
        odds = weights.base + weights.frequency * np.log(np.maximum(self.stands, 1))
        odds += weights.context * self._odds(1 / (1 + np.exp(-self._context_odds)))
        odds += weights.capital * self._mean(corpus.is_capital)
        odds += weights.capital_inside * self._capitals_inside()
        if corpus.evidence is not None:
            odds += weights.evidence * self._odds(corpus.evidence)
        likelihood = np.zeros(len(odds))
        for number, kin in self._kin.items():
            more = sum(weights.kin[reason] for reason in {one.reason for one in kin})
            more += weights.replaced * np.log1p(self._replaced(number) / self.stands[number])
            likelihood[number] = 1 / (1 + np.exp(-odds[number] - more))
        return likelihood

    def _odds(self, probability: _Values) -> _Values:
        odds: _Values = np.clip(logit(self._mean(probability)), -_MOST_ODDS, _MOST_ODDS)
        return odds

    def _capitals_inside(self) -> _Values:
        """Return by form the share of capitals where another word stands before it."""
        inside = np.roll(self._corpus.is_word, 1)
        share: _Values = self._mean(inside & self._corpus.is_capital) / np.maximum(
            self._mean(inside), 1 / len(inside)
        )
        return share

    def _replaced(self, number: int) -> int:
        known = self._known.get(self._corpus.forms[number])
        return known.replaced if known else 0

    def candidates(
        self, bound: float = BOUND, but: Set[str] = frozenset(), most: int | None = None
    ) -> list[Candidate]:
        """Return the candidates from a likelihood on, the likeliest first."""
        forms = self._corpus.forms
        found = np.flatnonzero((self.likelihood >= bound) & (self.likelihood > 0)).tolist()
        found = [number for number in found if forms[number] not in but]
        found.sort(key=lambda n: (-self.likelihood[n], -self.stands[n], forms[n]))
        return [*map(self._candidate, found[:most])]

    def _candidate(self, number: int) -> Candidate:
        corpus = self._corpus
        words = [
            word for word in corpus.words_of(corpus.forms[number]).tolist() if self._standing[word]
        ]
        spellings = corpus.spellings(words)
        kin = self._kin[number]
        context = self._context(words)
        known = kin[0].known if kin else self._known.get(corpus.forms[number])
        return Candidate(
            min(spellings, key=lambda spelling: (-spellings[spelling], spelling)),
            float(self.likelihood[number]),
            len(words),
            self._replaced(number),
            tuple(self._reasons(number, words, kin, context)),
            known.spelling if known else "",
            str(context or ""),
            self._type(words, known),
            kin[0].known.entity if kin and kin[0].reason in _SAME_ENTITY else "",
            tuple(words),
        )

    def _reasons(
        self, number: int, words: list[int], kin: list[Kin], context: Context | None
    ) -> Iterator[Reason]:
        corpus = self._corpus
        if self._replaced(number):
            yield Reason.REPLACED
        yield from dict.fromkeys(one.reason for one in kin)
        if corpus.evidence is not None and corpus.evidence[words].mean() >= SUSPECT_FROM:
            yield Reason.EVIDENCE
        if any(self.types[[word - 1, word + 1]].max() != NO_NAME for word in words):
            yield Reason.BESIDE
        if context:
            yield Reason.CONTEXT
        inside = [word for word in words if corpus.is_word[word - 1]]
        if inside and corpus.is_capital[inside].mean() >= _HALF:
            yield Reason.CAPITAL

    def _context(self, words: list[int]) -> Context | None:
        """Return what gives a spelling away most where its context does."""
        return self.contexts.best(max(words, key=self._context_odds.__getitem__))

    def _type(self, words: list[int], known: Known | None) -> IdentifierType:
        """Return that of the known spelling; behind a first name it is a last name."""
        if known:
            return known.type
        before = self.types[[word - 1 for word in words]]
        is_behind = (before == TYPES.index(IdentifierType.PRE)).mean() >= _HALF
        return IdentifierType.NOM if is_behind else IdentifierType.PRE
