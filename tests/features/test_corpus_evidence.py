"""The other occurrences of a word, and its sender's habits, are evidence of it."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.cases import cases_beside
from triage.features.corpus_evidence import COLUMNS, CorpusEvidence, EvidenceTable
from triage.features.word_evidence import ScoredWords, WordScorer, WordWeights

from .samples import LEXICON, MESSAGE, cut, label, scored, texts

Row = tuple[str, str]
ROWS = st.lists(st.tuples(MESSAGE, st.sampled_from("abc")), max_size=8)
UNKNOWN = -4.0
CASES: list[dict[str, Any]] = cases_beside(__file__)["told"]
HABITS = COLUMNS[6:10]  # of senders, with capitals


def read(
    rows: Sequence[Row], log_odds: Sequence[float] | None = None
) -> tuple[ScoredWords, list[str]]:
    """Return the words of messages and their senders, with log odds by hand or all different."""
    labelled = label(*(text for text, _ in rows))
    if log_odds is None:
        length = np.array([len(text) for text in texts(labelled)], dtype=int)
        log_odds = ((labelled.words.start * 7 + length * 3) % 23 / 2 - 5).tolist()
    return scored(labelled, log_odds), [sender for _, sender in rows]


def evidence(rows: list[Row], log_odds: Sequence[float] | None = None) -> NDArray[np.float64]:
    """Return the evidence of each word of messages with their senders, all in one chunk."""
    words, senders = read(rows, log_odds)
    corpus = CorpusEvidence()
    corpus.add(words, senders)
    return corpus.columns(words, senders)


def told(rows: list[Row], word: int, log_odds: Sequence[float] | None = None) -> dict[str, float]:
    return dict(zip(COLUMNS, evidence(rows, log_odds)[word].tolist(), strict=True))


def table_of(rows: Sequence[Row]) -> EvidenceTable:
    corpus = CorpusEvidence()
    corpus.add(*read(rows))
    return corpus.table()


def same(one: EvidenceTable, other: EvidenceTable) -> bool:
    return all(map(np.array_equal, vars(one).values(), vars(other).values()))


@given(rows=ROWS, sizes=st.lists(st.integers(0, 4), max_size=4), random=st.randoms())
def test_parts_merged_in_any_order_are_the_whole_to_the_last_bit(
    rows: list[Row], sizes: list[int], random: Random
) -> None:
    parts = [table_of(some) for some in cut(rows, sizes)]
    merged = CorpusEvidence()
    for part in random.sample(parts, len(parts)):
        merged.merge(part)
    assert same(merged.table(), table_of(rows))
    assert np.array_equal(merged.columns(*read(rows)), evidence(rows))


@given(ROWS)
def test_condensed_evidence_and_that_of_senders_are_the_whole_to_the_last_bit(
    rows: list[Row],
) -> None:
    condensed = CorpusEvidence()
    table, n_left_out = table_of(rows).condensed(most_words=1_000)
    condensed.merge(table)
    condensed.finish()
    expected = evidence(rows)
    assert np.array_equal(condensed.columns(*read(rows)), expected)
    # Again with what a sender does with words counted sender by sender.
    without = CorpusEvidence()
    without.merge(replace(table, pairs=table.pairs[:0]))
    without.finish()
    assert without.lacks_pairs == bool(rows)
    words = label(*(text for text, _ in rows)).words
    for sender in {sender for _, sender in rows}:
        own = read([row for row in rows if row[1] == sender])
        is_own = np.array([rows[i][1] == sender for i in words.message], dtype=np.bool_)
        assert np.array_equal(without.with_pairs_of(*own).columns(*own), expected[is_own])
    assert n_left_out == 0


def test_condensed_evidence_lacks_the_rarest_words_and_those_used_once() -> None:
    table, _ = table_of([("patrixe", "a"), ("Patrice Patrice", "b")]).condensed(most_words=1_000)
    assert table.words == ["patrice"]
    corpus = CorpusEvidence([table])
    found = corpus.columns(*read([("patrixe crayom", "a")]))
    variant, none = found[:, COLUMNS.index("variant of a name")]
    assert variant > none == 0
    table = table_of([("zoé zoé zoé", "a"), ("vois vois", "b"), ("Patrice Patrice", "b")])
    kept, n_left_out = table.condensed(most_words=2)
    assert (kept.words, n_left_out) == (["patrice", "zoe"], 1)
    assert [kept.words[i] for i in kept.pairs[:, 1]] == ["zoe", "patrice"]


def test_a_table_holds_no_word_of_another_corpus() -> None:
    scorer = WordScorer(LEXICON, WordWeights(0.0, {}))
    secret, labelled = label("Zorbulina"), label("je vois")
    scorer.score(secret)
    corpus = CorpusEvidence()
    corpus.add(scorer.score(labelled), ["a"])
    assert corpus.table().words == ["je", "vois"]


@given(ROWS, st.data())
def test_the_log_odds_of_a_word_say_nothing_of_the_word_itself(
    rows: list[Row], data: st.DataObject
) -> None:
    n_words = len(texts(label(*(text for text, _ in rows))))
    assume(n_words)
    log_odds = data.draw(st.lists(st.floats(-9, 9), min_size=n_words, max_size=n_words))
    k = data.draw(st.integers(0, n_words - 1))
    changed = [*log_odds[:k], data.draw(st.floats(-9, 9)), *log_odds[k + 1 :]]
    one, other = (evidence(rows, odds)[k, 1:] for odds in (log_odds, changed))
    assert np.allclose(one, other)


@given(ROWS)
def test_one_habit_holds_of_each_word(rows: list[Row]) -> None:
    labelled = label(*(text for text, _ in rows))
    is_word = np.array([labelled.labels[form].kind == "WORD" for form in labelled.words.form])
    habits = evidence(rows)[:, [COLUMNS.index(name) for name in HABITS]]
    assert ((habits != 0).sum(axis=1) == is_word.astype(int)).all()


@pytest.mark.parametrize("sign", [",", "12", "18h30", "😂", "0639981234", "<PRE_7>"])
def test_of_what_is_no_word_only_its_own_evidence_is_told(sign: str) -> None:
    alone = told([(sign, "a")], 0, [2])
    among = told([(sign, "a"), (sign, "a"), (f"zoé {sign}", "b")], 0, [2, 9, 9, 9])
    assert alone == among
    of_all = {"word evidence": 2.0, "same sender": UNKNOWN, "other senders": UNKNOWN}
    share = {"names with capitals": alone["names with capitals"]}
    assert {name: value for name, value in alone.items() if value} == of_all | share


RARE = "context before gives names away"
MANY = [
    *(
        (f"a crayon zoé{' | b crayon mange' * n} | c crayon zorbulina", 2 * n + 3, n < 5)
        for n in (4, 5)
    ),
    *((f"{'a crayon zoé | ' * n}c crayon zorbulina", 2 * n + 1, n < 50) for n in (49, 50)),
]
CASES = [*CASES, *({"rows": r, "word": word, "told": {RARE: float(one)}} for r, word, one in MANY)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["rows"][:40])
def test_a_word_is_told_what_the_others_say_of_it(case: dict[str, Any]) -> None:
    rows = (row.partition(" ") for row in case["rows"].split(" | "))
    found = told([(text, who) for who, _, text in rows], case["word"], case.get("log_odds"))
    assert {name: found[name] for name in case["told"]} == pytest.approx(case["told"])
