"""Candidates: the spellings of a corpus that may identify somebody, the likeliest first.

Each reason has a weight (`weights.toml`), and the sum of the weights is the log odds that a
spelling is an identifier. Bounds were chosen on the first 4,000 messages of 88milSMS, as weights
were (docs/mining.md).
"""

import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.edits import NameVariants, distance_within
from triage.dictionaries.normal import without_runs

from ..anonymise.entity import PERSONS
from ..vocabulary import SUSPECT_FROM, IdentifierType
from .contexts import Context, Contexts, logit
from .corpus import NO_NAME, TYPES, Corpus, key_of
from .known import Answer, Known, Said, counted, marked, with_answers

# From here on a spelling is worth a question: of the spellings of the first messages from here to
# twice as much, one in twelve is an identifier.
BOUND = 0.05
_Values = NDArray[np.float64]


_NAMES = PERSONS | {IdentifierType.NOM}
# A shorter name is part of too many words.
_SHORTEST_PART = 4
_SHORTEST_FORM = 3
# Shorter words joined to a name make another word, such as "sport" and "années".
_SHORTEST_JOINED = 3
# So many letters at least are left out of a name that is cut short.
_CUT = 2
_LONGEST = 40
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile("[0-9]")


class Reason(StrEnum):
    REPLACED = "replaced elsewhere"
    ONE_EDIT = "one edit from"
    TWO_EDITS = "two edits from"
    STRETCHED = "stretched"
    SHORT = "short form of"
    INITIALS = "initials of"
    GLUED = "glued to a word"
    HANDLE = "handle that holds"
    BESIDE = "beside a name"
    CONTEXT = "stands where names stand"
    EVIDENCE = "evidence of the model"
    CAPITAL = "capital inside a message"


class Kin(NamedTuple):
    reason: Reason
    known: Known


@dataclass(frozen=True)
class Candidate:
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
        return key_of(self.spelling)[0]


_WEIGHTS = tomllib.loads((files(__package__) / "weights.toml").read_text(encoding="utf-8"))
# Names that are an edit apart are mostly two names.
_SAME_ENTITY = frozenset({Reason.STRETCHED, Reason.GLUED, Reason.HANDLE})
# Odds beyond these say no more.
_MOST_ODDS = 6.0
# So often a word stands at least to which a name may be glued.
_FREQUENT = 5
_HALF = 0.5
# Answers are counted by likelihood, in bands between these; the likelihood itself counts as so many
# answers more.
_BANDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_PRIOR = 10.0
# Where nothing is answered yet, a spelling that is still to be found stands so often.
_PLACES = 1.5


class Kinship:
    """Finds the known names that a word is akin to."""

    def __init__(
        self,
        known: Iterable[Known],
        words: frozenset[str],
        short_forms: Mapping[str, str] | None = None,
    ) -> None:
        self._words = words
        self._short = short_forms or {}
        self._names: dict[str, Known] = {}
        full: dict[str, list[str]] = {}
        for one in known:
            key = key_of(one.spelling)
            # The words of an address are not names by themselves.
            for word in key if len(key) == 1 or one.type in _NAMES else ():
                self._names.setdefault(word, one)
            if one.type in _NAMES:
                full.setdefault(one.entity or one.spelling, []).extend(key)
        self._initials = {name[0]: one for name, one in reversed(self._names.items())}
        self._initials |= {
            "".join(word[0] for word in dict.fromkeys(words)): self._names[words[0]]
            for words in reversed(full.values())
            if len({*words}) > 1
        }
        self._runs: dict[str, str] = {}
        self._starts: dict[str, str] = {}
        self._by_full: dict[str, str] = {}
        for name in sorted(self._names):
            self._runs.setdefault(without_runs(name), name)
            self._by_full.setdefault(self._short.get(name, name), name)
            for end in range(_SHORTEST_FORM, len(name) - _CUT + 1):
                self._starts.setdefault(name[:end], name)
        strength = {name: 1.0 + one.replaced for name, one in self._names.items()}
        self._variant = NameVariants(strength)

    def __call__(self, word: str) -> list[Kin]:
        """Return the known names that a word is akin to; none of a known one."""
        if len(word) > _LONGEST:
            return []
        found = [Kin(reason, self._names[name]) for reason, name in self._by_form(word)]
        if word in self._initials:
            found.append(Kin(Reason.INITIALS, self._initials[word]))
        return [one for one in found if word not in key_of(one.known.spelling)]

    def _by_form(self, word: str) -> Iterator[tuple[Reason, str]]:
        if _DIGIT.search(word):
            if held := self._held(word):
                yield Reason.HANDLE, held
            return
        stretched = self._runs.get(without_runs(word))
        if stretched and stretched != word:
            yield Reason.STRETCHED, stretched
        elif name := self._variant(word):
            is_one = distance_within(word, name, 1)
            yield (Reason.ONE_EDIT if is_one else Reason.TWO_EDITS), name
        short = self._by_full.get(self._short.get(word, word)) or self._starts.get(word)
        if short and short != word:
            yield Reason.SHORT, short
        if glued := self._glued(word):
            yield Reason.GLUED, glued

    def _held(self, word: str) -> str:
        """Return the longest name that a word with digits holds."""
        parts = (
            run[start:end]
            for run in _LETTERS.findall(word)
            for start in range(len(run))
            for end in range(start + _SHORTEST_PART, len(run) + 1)
        )
        return max((part for part in parts if part in self._names), key=len, default="")

    def _glued(self, word: str) -> str | None:
        """Return the name that is written together with a word or another name."""
        for at in range(1, len(word)):
            head, tail = word[:at], word[at:]
            for name, other in ((tail, head), (head, tail)):
                is_other = other in self._words or other in self._names
                is_name = len(name) >= _SHORTEST_PART and name in self._names
                if is_name and len(other) >= _SHORTEST_JOINED and is_other:
                    return name
        return None


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
        self._answers = answers
        names = counted(with_answers(known, answers))
        self.types = types = marked(corpus, names, answers)
        self._standing = (types == NO_NAME) & corpus.is_word
        self.n_marked = int(((types != NO_NAME) & (corpus.is_word | corpus.is_tag)).sum())
        self.contexts = Contexts(corpus, types, good)
        self._context_odds = np.clip(self.contexts.log_odds(), -_MOST_ODDS, _MOST_ODDS)
        self.stands = np.bincount(corpus.form[self._standing], minlength=len(corpus.forms))
        keys = ((key_of(one.spelling), one) for one in names)
        self._known = {key[0]: one for key, one in keys if len(key) == 1}
        forms = zip(corpus.forms, self.stands.tolist(), strict=True)
        frequent = frozenset(form for form, n in forms if n >= _FREQUENT and form.isalpha())
        kinship = Kinship(names, frequent, short_forms)
        self._kin = {form: kinship(corpus.forms[form]) for form in self._asked()}
        self.likelihood = self._likelihoods()

    def _asked(self) -> Iterator[int]:
        """Yield the forms that stand and were not answered; a single letter must be a capital."""
        answered = {key for key, one in self._answers.items() if one.said is not Said.LATER}
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
        weights = _WEIGHTS["alone" if corpus.evidence is None else "with_model"]
        odds = weights["base"] + weights["frequency"] * np.log(np.maximum(self.stands, 1))
        odds += weights["context"] * self._odds(1 / (1 + np.exp(-self._context_odds)))
        odds += weights["capital"] * self._mean(corpus.is_capital)
        # Where another word stands before it.
        inside = np.roll(corpus.is_word, 1)
        share = self._mean(inside & corpus.is_capital)
        odds += weights["capital_inside"] * (
            share / np.maximum(self._mean(inside), 1 / len(inside))
        )
        if corpus.evidence is not None:
            odds += weights["evidence"] * self._odds(corpus.evidence)
        likelihood = np.zeros(len(odds))
        for number, kin in self._kin.items():
            more = sum(weights["kin"][reason] for reason in {one.reason for one in kin})
            more += weights["replaced"] * np.log1p(self._replaced(number) / self.stands[number])
            likelihood[number] = 1 / (1 + np.exp(-odds[number] - more))
        return likelihood

    def _odds(self, probability: _Values) -> _Values:
        odds: _Values = np.clip(logit(self._mean(probability)), -_MOST_ODDS, _MOST_ODDS)
        return odds

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
        corpus, form, kin = self._corpus, self._corpus.forms[number], self._kin[number]
        words = [word for word in corpus.words_of(form).tolist() if self._standing[word]]
        spellings = Counter(map(corpus.written, words))
        # What gives a spelling away most where its context does.
        context = self.contexts.best(max(words, key=self._context_odds.__getitem__))
        known = kin[0].known if kin else self._known.get(form)
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

    def _type(self, words: list[int], known: Known | None) -> IdentifierType:
        """Return that of the known spelling; behind a first name it is a last name."""
        if known:
            return known.type
        before = self.types[[word - 1 for word in words]]
        is_behind = (before == TYPES.index(IdentifierType.PRE)).mean() >= _HALF
        return IdentifierType.NOM if is_behind else IdentifierType.PRE

    def expected_left(self) -> float:
        """Estimate how many words of identifiers still stand, from the answers so far."""
        n_bands = len(_BANDS) + 1
        asked, right, places = np.zeros((3, n_bands))
        for one in self._answers.values():
            if one.likelihood is not None and one.said is not Said.LATER:
                band = bisect_right(_BANDS, one.likelihood)
                asked[band] += 1
                right[band] += one.n_identifiers > 0
                places[band] += one.n_identifiers
        likelihood = self.likelihood[self.likelihood > 0]
        bands = np.searchsorted(_BANDS, likelihood, side="right")
        n = np.bincount(bands, minlength=n_bands)
        by_itself = np.bincount(bands, likelihood, minlength=n_bands) / np.maximum(n, 1)
        rate = (right + _PRIOR * by_itself) / (asked + _PRIOR)
        each = (places + _PLACES) / (right + 1)
        return float((n * rate * each).sum())
