"""What the other occurrences of a word, and its sender's habits, say of it."""

from collections.abc import Sequence
from dataclasses import fields
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages
from triage.features.corpus_evidence import COLUMNS, CorpusEvidence, EvidenceTable
from triage.features.word_evidence import (
    ScoredWords,
    WordScorer,
    WordWeights,
    probability,
)

from .samples import HOSTILE, LEXICON, LONG, MESSAGE, cut, label, texts

Row = tuple[str, str]
ROWS = st.lists(st.tuples(MESSAGE, st.sampled_from("abc")), max_size=8)
UNKNOWN = -4.0
HABITS = COLUMNS[6:10]  # of senders, with capitals


def scored(labelled: LabelledMessages, log_odds: list[float] | None = None) -> ScoredWords:
    """Give words log odds by hand, or such as differ by the word and by its place."""
    words = WordScorer(LEXICON, WordWeights(0.0, {})).score(labelled)
    if log_odds is None:
        length = np.array([len(text) for text in texts(labelled)], dtype=int)
        log_odds = ((labelled.words.start * 7 + length * 3) % 23 / 2 - 5).tolist()
    return words.weighed_anew(np.array(log_odds, dtype=float))


def evidence(rows: list[Row], log_odds: list[float] | None = None) -> NDArray[np.float64]:
    """Return the evidence of each word of messages with their senders, all in one chunk."""
    labelled, senders = label(*(text for text, _ in rows)), [sender for _, sender in rows]
    words, corpus = scored(labelled, log_odds), CorpusEvidence()
    corpus.add(words, senders)
    return corpus.columns(words, senders)


def told(rows: list[Row], word: int, log_odds: list[float] | None = None) -> dict[str, float]:
    """Return the evidence of one word by the names of the columns."""
    return dict(zip(COLUMNS, evidence(rows, log_odds)[word].tolist(), strict=True))


def mean(*log_odds: float) -> float:
    """Return the mean log odds, shrunk as if there were one word more, of 0."""
    return sum(log_odds) / (len(log_odds) + 1)


# Chunks


# Parts


def table_of(rows: Sequence[Row]) -> EvidenceTable:
    corpus, labelled = CorpusEvidence(), label(*(text for text, _ in rows))
    corpus.add(scored(labelled), [sender for _, sender in rows])
    return corpus.table()


def same(one: EvidenceTable, other: EvidenceTable) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(one)
    )


@given(rows=ROWS, sizes=st.lists(st.integers(0, 4), max_size=4), random=st.randoms())
def test_parts_merged_in_any_order_are_the_whole_to_the_last_bit(
    rows: list[Row], sizes: list[int], random: Random
) -> None:
    parts = [table_of(some) for some in cut(rows, sizes)]
    merged = CorpusEvidence()
    for part in random.sample(parts, len(parts)):
        merged.merge(part)
    assert same(merged.table(), table_of(rows))
    labelled, senders = label(*(text for text, _ in rows)), [sender for _, sender in rows]
    assert np.array_equal(merged.columns(scored(labelled), senders), evidence(rows))


@given(ROWS)
def test_condensed_evidence_and_that_of_senders_are_the_whole_to_the_last_bit(
    rows: list[Row],
) -> None:
    condensed = CorpusEvidence()
    table, n_left_out = table_of(rows).condensed(most_words=1_000)
    condensed.merge(table)
    condensed.finish()
    labelled, senders = label(*(text for text, _ in rows)), [sender for _, sender in rows]
    words, expected = scored(labelled), evidence(rows)
    assert np.array_equal(condensed.columns(words, senders), expected)
    # Again from the words alone, sender by sender.
    for sender in set(senders):
        own = label(*(text for text, who in rows if who == sender))
        names = [sender] * len(own.messages)
        some = condensed.without_senders()
        some.add_senders(scored(own), names)
        is_own = np.array([senders[i] == sender for i in labelled.words.message], dtype=np.bool_)
        assert np.array_equal(some.columns(scored(own), names), expected[is_own])
    assert n_left_out == 0


def test_a_word_used_once_is_the_variant_of_a_name_of_condensed_evidence() -> None:
    table, _ = table_of([("patrixe", "a"), ("Patrice Patrice", "b")]).condensed(most_words=1_000)
    assert table.words == ["patrice"]
    corpus, labelled = CorpusEvidence(), label("patrixe crayom")
    corpus.merge(table)
    found = corpus.columns(scored(labelled), ["a"])[:, COLUMNS.index("variant of a name")]
    assert found[0] > 0
    assert found[1] == 0


def test_the_rarest_words_are_left_out_where_there_are_too_many() -> None:
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


# What a word itself adds is taken off


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


def test_of_a_lone_word_nothing_is_known() -> None:
    found = told([("zorbulina", "a")], 0, [7.0])
    assert found.pop("word evidence") == 7
    for name in HABITS:
        found.pop(name)
    expected = dict.fromkeys(found, 0.0) | {
        "same sender": UNKNOWN,
        "other senders": UNKNOWN,
        "capitals inside": 0.1,
        "times with this capital": np.log1p(1),
        "names with capitals": 0.8,
    }
    assert found == pytest.approx(expected)


def test_habits_are_those_of_the_sender_alone() -> None:
    rows = [("Vois zoé", "a"), ("Je vois", "a"), ("je vois", "b"), ("vois zoé", "b")]
    starts = COLUMNS.index("capital starting, sender starts with capitals")
    no_start = COLUMNS.index("no capital starting, sender starts with capitals")
    table = evidence(rows)
    assert table[0, starts] == table[2, starts] > table[4, no_start] == table[6, no_start]
    assert table[0, no_start] == table[4, starts] == 0


@given(ROWS)
def test_one_habit_holds_of_each_word(rows: list[Row]) -> None:
    labelled = label(*(text for text, _ in rows))
    is_word = np.array([labelled.labels[form].kind == "WORD" for form in labelled.words.form])
    habits = evidence(rows)[:, [COLUMNS.index(name) for name in HABITS]]
    assert ((habits != 0).sum(axis=1) == is_word.astype(int)).all()


def test_a_word_counts_with_those_that_begin_alike() -> None:
    rows = [("Zorbulina dort", "a"), ("vois ZORBULINA", "b"), ("vois zorbulina", "b")]
    found = evidence(rows)[:, COLUMNS.index("times with this capital")]
    assert found[[0, 3, 5]] == pytest.approx(np.log1p([2, 2, 1]))


def test_the_share_of_names_with_capitals_is_of_the_whole_corpus() -> None:
    rows = [("vois Zoé", "a"), ("vois zoé", "b"), ("vois zoé ici", "b"), ("je vois Lola", "a")]
    share = evidence(rows)[:, COLUMNS.index("names with capitals")]
    assert share == pytest.approx(np.full(len(share), (1 + 8) / (3 + 10)))


# What is no word


@pytest.mark.parametrize("sign", [",", "12", "18h30", "😂", "0639981234", "<PRE_7>"])
def test_of_what_is_no_word_only_its_own_evidence_is_told(sign: str) -> None:
    alone = told([(sign, "a")], 0, [2])
    among = told([(sign, "a"), (sign, "a"), (f"zoé {sign}", "b")], 0, [2, 9, 9, 9])
    assert alone == among
    assert {name for name, value in alone.items() if value} == {
        "word evidence",
        "same sender",
        "other senders",
        "names with capitals",
    }
    assert (alone["same sender"], alone["other senders"]) == (UNKNOWN, UNKNOWN)


@pytest.mark.parametrize("sender", ["", " ", "\ud800", "😂", "a" * 100_000])
def test_a_sender_may_have_any_name(sender: str) -> None:
    named, plain = (evidence([("Zoé vois", name), ("zoé", "b")]) for name in (sender, "a"))
    assert np.array_equal(named, plain)


# What is told of one word, by the column


GIVES_AWAY = "context before gives names away"
BEHIND = "context behind gives names away"
VARIANT = "variant of a name"


@pytest.mark.parametrize(
    ("rows", "word", "log_odds", "expected"),
    [
        # Other occurrences, averaged by sender, whatever their case and accents.
        (
            "a zoé | a Zoé | b ZOE | c zoé",
            0,
            [1, 2, 3, 5],
            {"same sender": mean(2), "other senders": mean(3, 5)},
        ),
        (
            "a zorbulina lola | b lola",
            0,
            [1, 2, 3],
            {"same sender": UNKNOWN, "other senders": UNKNOWN},
        ),
        (
            "a zoé | b zoé | a zoé",
            0,
            [1, 3, 2],
            {"strongest other": float(probability(np.array([3.0]))[0])},
        ),
        (
            "a zoé | b zoé | a zoé",
            1,
            [1, 3, 2],
            {"strongest other": float(probability(np.array([2.0]))[0])},
        ),
        ("a zoé | b zoé", 0, [500, 1000], {"word evidence": 13, "other senders": mean(9.2)}),
        # Capitals elsewhere, inside sentences, where not all is capitals.
        (
            "a vois zorbulina | b vois Zorbulina | c Zorbulina mange",
            1,
            None,
            {"capitals inside": 1.1 / 2, "times seen inside": np.log(2)},
        ),
        (
            "a vois zorbulina | b JE VOIS ZORBULINA",
            1,
            None,
            {"capitals inside": 0.1, "times seen inside": 0},
        ),
        ("a vois zoé et lola", 1, None, {"names with capitals": 0.8}),
        # What a lone word says of its sender is not told to itself.
        ("a Zorbulina", 0, None, {"capital starting, sender starts with capitals": 1 / 2}),
        ("a zorbulina", 0, None, {"no capital starting, sender starts with capitals": 1 / 2}),
        (
            "a vois Zorbulina",
            1,
            None,
            {"capital inside, sender's capitals inside": np.log(0.5 / 10)},
        ),
        (
            "a vois zorbulina",
            1,
            None,
            {"no capital inside, sender's capitals inside": np.log(0.5 / 10)},
        ),
        # Words beside names, often enough and not too often, but for the name itself.
        ("a crayon zoé | b crayon lola | c crayon zorbulina", 5, None, 1),
        ("a zoé lola | b patrice mathilde | c lola zorbulina", 5, None, 1),
        ("a crayon zoé | b crayon zorbulina", 3, None, 0),
        ("a crayon mange | b crayon mange | c crayon zorbulina", 5, None, 0),
        ("a crayon zoé | b crayon mange | c crayon mange", 1, None, 0),
        *(
            (f"a crayon zoé{' | b crayon mange' * n} | c crayon zorbulina", 2 * n + 3, None, n < 5)
            for n in (4, 5)
        ),
        *(
            (f"{'a crayon zoé | ' * n}c crayon zorbulina", 2 * n + 1, None, n < 50)
            for n in (49, 50)
        ),
        ("a zoé crayon | b lola crayon | c zorbulina crayon", 4, None, {BEHIND: 1}),
        # Unknown words near an established first name.
        ("a patrixe | b Patrice Patrice", 0, [0, 1, 2], {VARIANT: 1.5}),
        ("a patrixe | b Patrice Patrice", 0, [0, 9, 9], {VARIANT: 4}),
        ("a patrixe | b Patrice Patrice", 0, [0, -1, 0.5], {VARIANT: 0}),
        ("a patrixe | b Patrice", 0, [0, 3], {VARIANT: 0}),
        ("a durandaeu | b Durandeau Durandeau", 0, [0, 3, 3], {VARIANT: 0}),
        ("a crayon | b crayom crayom", 0, [0, 3, 3], {VARIANT: 0}),
    ],
)
def test_a_word_is_told_what_the_others_say_of_it(
    rows: str, word: int, log_odds: list[float] | None, expected: dict[str, float] | bool
) -> None:
    named = {GIVES_AWAY: float(expected)} if isinstance(expected, int) else expected
    messages = [
        (text, sender) for sender, _, text in (row.partition(" ") for row in rows.split(" | "))
    ]
    found = told(messages, word, log_odds)
    assert {name: found[name] for name in named} == pytest.approx(named)


@pytest.mark.parametrize("messages", [*HOSTILE.values(), [LONG]], ids=[*HOSTILE, "long"])
def test_hostile_messages_have_evidence(messages: list[str]) -> None:
    table = evidence([(message, "a") for message in messages])
    assert table.shape == (len(texts(label(*messages))), len(COLUMNS))
    assert np.isfinite(table).all()
