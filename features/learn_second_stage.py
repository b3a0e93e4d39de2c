"""Learning the second stage of word evidence: boosted trees, and what names are spelled like."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, Lexicon, Role
from triage.dictionaries.lexicon import LAST_NAMES, PERSON_NAMES, YOURS
from triage.dictionaries.normal import fold
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.learn_words import (
    FROM_NOTHING,
    Folds,
    LearntWords,
    Start,
    Step,
    no_step,
    one_thread,
)
from triage.features.second_stage import (
    COLUMNS,
    SpellingScorer,
    WordTrees,
    columns,
    mixed,
    parts_of,
    trust,
    weighed_anew,
)
from triage.features.trees import Forest
from triage.features.word_evidence import UNITS, ScoredWords, WordWeights

# All that follows was chosen on the first 4,000 messages of 88milSMS, grouped by sender.
_BOOSTING = {
    "max_iter": 100,
    "learning_rate": 0.1,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 20,
    "l2_regularization": 5.0,
    "max_features": 0.5,
}
_FEWEST_MARKED = 40
# The columns of which more can only make a word likelier to identify someone.
_RISING = frozenset(
    {
        "word evidence",
        "same sender",
        "other senders",
        "strongest other",
        "capitals inside",
        "variant of a name",
        "spelled like a name",
    }
)
# What words weigh as if they were written without capitals, beside 1 as they are written.
_REWRITTEN_WEIGHT = 0.2
_SPELLING_STRENGTH = 0.3  # inverse of the penalty on squared weights
_MOST_WORDS = 60_000
_FEWEST_IN_LISTS = 100
_FEWEST_WITH_PART = 3
_SMALLEST_WEIGHT = 0.1


@one_thread()
def learn_corpus(
    labelled: LabelledMessages,
    learnt: LearntWords,
    senders: Sequence[str],
    folds: Folds,
    start: Start = FROM_NOTHING,
    step: Step = no_step,
) -> tuple[WordTrees | None, list[tuple[ScoredWords, float]]]:
    """Learn to weigh words in their corpus, of a corpus that is the training messages.

    Beside the trees, return the words by trees learnt without their sender, as written and without
    capitals (`LearntWords.ways`), each with the share of names that have capitals.
    """
    spelling = learn_spelling(labelled.lexicon)
    speller = SpellingScorer(spelling)
    ways = [_Way(labelled, scored, senders, speller) for scored in learnt.ways]
    everywhere = np.ones(len(labelled.words.form), dtype=np.bool_)
    if start.trees is not None:
        trees: WordTrees | None = replace(start.trees, spelling=spelling)
        for way in ways:
            way.weigh(start.trees.forest, everywhere, start.trees.weight)
    else:
        message = labelled.words.message
        for (training, testing), marked in zip(folds, learnt.marked_without, strict=True):
            fitted = _fit(ways, marked, np.isin(message, training))
            step()
            if fitted is None:
                continue
            for way in ways:
                way.weigh(fitted, np.isin(message, testing))
        final = _fit(ways, learnt.marked, everywhere)
        trees = WordTrees(spelling, final) if final else None
    shown = ways[: 1 + len(learnt.lowered)]
    return trees, [(way.held_out, way.names_with_capitals) for way in shown]


class _Way:
    """The words of a corpus, read in one way, as the trees see them."""

    def __init__(
        self,
        labelled: LabelledMessages,
        scored: ScoredWords,
        senders: Sequence[str],
        speller: SpellingScorer,
    ) -> None:
        corpus = CorpusEvidence()
        corpus.add(labelled, scored, senders)
        self.at = weighed_anew(scored)
        self.table = columns(labelled, scored, senders, corpus, speller, self.at)
        self._trust = trust(corpus)
        self.names_with_capitals = corpus.names_with_capitals
        self.held_out = scored.weighed_anew(scored.log_odds.copy())

    def weigh(self, forest: Forest, which: NDArray[np.bool_], most: float = 1.0) -> None:
        """Weigh some of the words anew."""
        asked = which[self.at]
        at, log_odds = self.at[asked], self.held_out.log_odds
        log_odds[at] = mixed(forest, self.table[asked], log_odds[at], min(self._trust, most))


def _fit(
    ways: Sequence[_Way], marked: NDArray[np.bool_], training: NDArray[np.bool_]
) -> Forest | None:
    """Return trees fitted on the training words, seen in all ways; None if they are too few."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    chosen = [training[way.at] for way in ways]
    targets = [marked[way.at[here]] for way, here in zip(ways, chosen, strict=True)]
    n_marked = int(targets[0].sum())
    if not _FEWEST_MARKED <= n_marked <= len(targets[0]) - _FEWEST_MARKED:
        return None
    weights = [1.0] + [_REWRITTEN_WEIGHT] * (len(ways) - 1)
    boosting = HistGradientBoostingClassifier(
        **_BOOSTING,
        early_stopping=False,
        monotonic_cst=[int(name in _RISING) for name in COLUMNS],
        random_state=0,
    )
    boosting.fit(
        np.concatenate([way.table[here] for way, here in zip(ways, chosen, strict=True)]),
        np.concatenate(targets),
        sample_weight=np.repeat(weights, [len(target) for target in targets]),
    )
    return forest_of(boosting)


def forest_of(boosting: Any) -> Forest:  # noqa: ANN401 (scikit-learn is untyped)
    """Return the fitted trees of a gradient boosting as arrays, with values in whole `UNITS`."""
    trees = [predictor.nodes for (predictor,) in boosting._predictors]
    forest = Forest.joined(
        (
            nodes["is_leaf"].astype(np.bool_),
            np.where(nodes["is_leaf"], 0, nodes["feature_idx"]),
            np.where(nodes["is_leaf"], 0.0, nodes["num_threshold"]),
            *(nodes["right"], nodes["left"], np.rint(nodes["value"] * UNITS)),
        )
        for nodes in trees
    )
    start = float(np.ravel(boosting._baseline_prediction)[0])
    forest.value[: len(trees[0])] += np.rint(start * UNITS)
    return forest


@lru_cache(maxsize=1)
@one_thread()
def learn_spelling(lexicon: Lexicon) -> WordWeights:
    """Learn which parts of words tell names from other words, from the lists of a pack alone."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    lists = [a_list for a_list in lexicon.lists if a_list.title != YOURS]
    names = _spellings(a.entries for a in lists if a.name in (*PERSON_NAMES, *LAST_NAMES))
    words = _spellings(a.entries for a in lists if a.role is Role.ANTI_DICTIONARY)
    only_names, only_words = sorted(names - words), sorted(words - names)
    only_words = only_words[:: 1 + len(only_words) // _MOST_WORDS]
    if min(len(only_names), len(only_words)) < _FEWEST_IN_LISTS:
        return WordWeights(0.0, {})
    counter = CountVectorizer(analyzer=parts_of, min_df=_FEWEST_WITH_PART, binary=True)
    table = counter.fit_transform([*only_names, *only_words])
    model = LogisticRegression(C=_SPELLING_STRENGTH, solver="liblinear", class_weight="balanced")
    model.fit(table, np.arange(len(only_names) + len(only_words)) < len(only_names))
    weights = zip(counter.get_feature_names_out().tolist(), model.coef_[0].tolist(), strict=True)
    kept = {part: round(weight, 2) for part, weight in weights if abs(weight) >= _SMALLEST_WEIGHT}
    return WordWeights(round(float(model.intercept_[0]), 2), kept)


def _spellings(entries: Iterable[Collection[str]]) -> set[str]:
    return {fold(word) for words in entries for word in words if word.isalpha()}
