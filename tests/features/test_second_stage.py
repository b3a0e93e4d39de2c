"""Weighing a word anew in its corpus, by trees that were learnt."""

import numpy as np
import pytest

from triage.features.corpus_evidence import CorpusEvidence
from triage.features.second_stage import COLUMNS, SpellingScorer, WordTrees, columns
from triage.features.trees import Forest
from triage.features.word_evidence import ScoredWords, WordScorer, WordWeights

from .samples import LEXICON, label

SPELLING = WordWeights(-1.0, {" z": 2.0, "na ": 0.5, "or": -0.25})
Row = tuple[str, str]


def split(*tests: tuple[str, float], sign: int = 1) -> Forest:
    """Return trees that each tell -2 below a threshold of a column and 3 above it."""
    sides = np.array([2, 0, 0]), np.array([1, 0, 0]), np.array([0, -20_000.0, 30_000.0]) * sign
    return Forest.joined(
        (
            np.array([False, True, True]),
            np.array([COLUMNS.index(column), 0, 0]),
            np.array([threshold, 0.0, 0.0]),
            *sides,
        )
        for column, threshold in tests
    )


def asked(rows: list[Row], log_odds: list[float]) -> tuple[ScoredWords, CorpusEvidence]:
    labelled = label(*(text for text, _ in rows))
    scored = WordScorer(LEXICON, WordWeights(0.0, {})).score(labelled)
    scored = scored.weighed_anew(np.array(log_odds, dtype=float))
    corpus = CorpusEvidence()
    corpus.add(scored, [sender for _, sender in rows])
    return scored, corpus


def weighed(rows: list[Row], log_odds: list[float], trees: Forest) -> list[float]:
    scored, corpus = asked(rows, log_odds)
    labelled, senders = label(*(text for text, _ in rows)), [sender for _, sender in rows]
    learnt = WordTrees(SPELLING, trees, trees)
    return [*map(float, learnt.log_odds(labelled, scored, senders, corpus))]


def told(message: str, log_odds: list[float], column: str) -> list[float]:
    """Return what the trees see of the words of a message, in one column."""
    scored, corpus = asked([(message, "a")], log_odds)
    at = np.arange(len(log_odds))
    table = columns(label(message), scored, ["a"], corpus, SpellingScorer(SPELLING), at)
    return [*map(float, table[:, COLUMNS.index(column)])]


@pytest.mark.parametrize(
    ("capitals", "names", "share"),
    [
        *((0.2, 100, 0.0), (0.35, 100, 0.0), (0.475, 100, 0.5), (0.6, 100, 1.0), (0.9, 100, 1.0)),
        (0.9, 1, 0.0),  # where names are few the robust trees decide
    ],
)
def test_the_share_of_names_with_capitals_mixes_both_kinds_of_trees(
    capitals: float, names: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CorpusEvidence, "names_with_capitals", capitals)
    monkeypatch.setattr(CorpusEvidence, "n_names", names)
    learnt = WordTrees(SPELLING, split(("length", 4.5)), split(("length", 4.5), sign=-1))
    scored, corpus = asked([("zorbulina", "a")], [0.0])
    [found] = learnt.log_odds(label("zorbulina"), scored, ["a"], corpus)
    assert found == pytest.approx((3 * share - 3 * (1 - share)) / 2)


def test_what_the_corpus_says_of_a_word_changes_its_log_odds() -> None:
    rows = [("vois lola", "a"), ("lola dort", "b")]
    names = split(("other senders", 1.0))
    likely, unlikely = (weighed(rows, [-9, 0, odds, -9], names)[1] for odds in (5, -5))
    assert likely > 0 > unlikely


def test_a_capital_at_the_start_of_a_message_lowers_no_word() -> None:
    against = split(("capital starting, sender starts with capitals", 0.1), sign=-1)
    rows = [("Zorbulina arrive", "a"), ("zorbulina arrive", "b"), ("Bonjour", "a"), ("ok", "b")]
    log_odds = weighed(rows, [0.0] * 6, against)
    assert log_odds[0] == log_odds[2]


@pytest.mark.parametrize(
    ("word", "log_odds"),
    [("zorbulina", 1.25), ("vois", -1), ("Zoé", 1), ("ZOE", 1), ("oror", -1.25)],
)
def test_spelling_is_the_sum_of_the_weights_of_its_parts_each_once(
    word: str, log_odds: float
) -> None:
    assert told(word, [0], "spelled like a name") == [log_odds]
