"""Learning the second stage of word evidence: boosted trees, and what names are spelled like."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, Lexicon, Role
from triage.dictionaries.lexicon import LAST_NAMES, PERSON_NAMES, YOURS
from triage.dictionaries.normal import fold
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.forest import Forest, Tree
from triage.features.learn_words import Folds, LearntWords, Step, no_step, one_thread
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
    without: Collection[str] = (),
    given: WordTrees | None = None,
    step: Step = no_step,
) -> tuple[WordTrees | None, tuple["HeldOutCorpus", ...]]:
    """Learn to weigh words in their corpus, of a corpus that is the training messages."""
    spelling = learn_spelling(labelled.lexicon)
    speller = SpellingScorer(spelling)
    used = np.array([name not in without for name in COLUMNS])
    seen = (learnt.held_out, *learnt.rewritten, learnt.unlisted)
    ways = [_way(labelled, scored, senders, speller, used) for scored in seen]
    held_out = [scored.log_odds.copy() for scored in seen]
    if given is not None:
        trees = replace(given, spelling=spelling)
        for way, log_odds in zip(ways, held_out, strict=True):
            weight = min(way.trust, given.weight)
            log_odds[way.at] = mixed(given.forest, way.table, log_odds[way.at], weight)
        return trees, _shown(learnt, seen, ways, held_out)
    message = labelled.words.message
    for (training, testing), marked in zip(folds, learnt.marked_without, strict=True):
        fitted = _fit(ways, marked, np.isin(message, training))
        step()
        if fitted is None:
            continue
        for way, log_odds in zip(ways, held_out, strict=True):
            tested = np.isin(message[way.at], testing)
            at, table = way.at[tested], way.table[tested]
            log_odds[at] = mixed(fitted, table, log_odds[at], way.trust)
    final = _fit(ways, learnt.marked, np.ones(len(message), dtype=np.bool_))
    shown = _shown(learnt, seen, ways, held_out)
    return (WordTrees(spelling, final) if final is not None else None), shown


def _shown(
    learnt: LearntWords,
    seen: Sequence[ScoredWords],
    ways: Sequence["_Way"],
    held_out: Sequence[NDArray[np.float64]],
) -> tuple["HeldOutCorpus", ...]:
    weighed = (
        HeldOutCorpus(scored.weighed_anew(log_odds), way.names_with_capitals)
        for scored, log_odds, way in zip(seen, held_out, ways, strict=True)
    )
    return tuple(weighed)[: 1 + len(learnt.rewritten)]


class HeldOutCorpus(NamedTuple):
    """Words by trees learnt without their sender, and the share of names with capitals."""

    words: ScoredWords
    names_with_capitals: float


class _Way(NamedTuple):
    """What the trees see of a corpus: words, by their numbers, their columns, the `trust` in it."""

    at: NDArray[np.int64]
    table: NDArray[np.float64]
    trust: float
    names_with_capitals: float


def _way(
    labelled: LabelledMessages,
    scored: ScoredWords,
    senders: Sequence[str],
    speller: SpellingScorer,
    used: NDArray[np.bool_],
) -> _Way:
    corpus = CorpusEvidence()
    corpus.add(labelled, scored, senders)
    at = weighed_anew(scored)
    table = columns(labelled, scored, senders, corpus, speller, at) * used
    return _Way(at, table, trust(corpus), corpus.names_with_capitals)


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
    start = float(np.ravel(boosting._baseline_prediction)[0])
    trees = [_tree(predictor.nodes) for (predictor,) in boosting._predictors]
    trees[0] = replace(trees[0], value=trees[0].value + np.rint(start * UNITS))
    return Forest(tuple(trees))


def _tree(nodes: Any) -> Tree:  # noqa: ANN401 (a structured array)
    is_leaf, itself = nodes["is_leaf"].astype(np.bool_), np.arange(len(nodes))
    right, left = (np.where(is_leaf, itself, nodes[side]) for side in ("right", "left"))
    return Tree(
        feature=np.where(is_leaf, 0, nodes["feature_idx"]).astype(np.intp),
        threshold=np.where(is_leaf, 0.0, nodes["num_threshold"]),
        children=np.column_stack([right, left]).ravel().astype(np.intp),
        depth=int(nodes["depth"].max()),
        value=np.rint(nodes["value"] * UNITS),
    )


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
