"""What the other occurrences of a word, and its sender's habits, say of it."""

from collections.abc import Sequence
from dataclasses import fields, replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages
from triage.features.corpus_evidence import COLUMNS, FAMILIES, CorpusEvidence
from triage.features.evidence_table import WORD_COLUMNS, EvidenceTable
from triage.features.word_evidence import (
    ScoredWords,
    WordScorer,
    WordWeights,
    probability,
)

from .samples import HOSTILE, LEXICON, LONG, MESSAGE, cut, label, texts, unhurried

Row = tuple[str, str]
ROWS = st.lists(st.tuples(MESSAGE, st.sampled_from("abc")), max_size=8)
UNKNOWN = -4.0
HABITS = FAMILIES["sender's habits"]


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
    corpus.add(labelled, words, senders)
    return corpus.columns(labelled, words, senders)


def told(rows: list[Row], word: int, log_odds: list[float] | None = None) -> dict[str, float]:
    """Return the evidence of one word by the names of the columns."""
    return dict(zip(COLUMNS, evidence(rows, log_odds)[word].tolist(), strict=True))


def mean(*log_odds: float) -> float:
    """Return the mean log odds, shrunk as if there were one word more, of 0."""
    return sum(log_odds) / (len(log_odds) + 1)


# Chunks


@unhurried
@given(rows=ROWS, sizes=st.lists(st.integers(0, 4), max_size=4), random=st.randoms())
def test_evidence_is_the_same_however_the_messages_are_cut_and_in_whatever_order_they_are_added(
    rows: list[Row], sizes: list[int], random: Random
) -> None:
    chunks = []
    for some in cut(rows, sizes):
        labelled = label(*(text for text, _ in some))
        chunks.append((labelled, scored(labelled), [sender for _, sender in some]))
    corpus = CorpusEvidence()
    for chunk in random.sample(chunks, len(chunks)):
        corpus.add(*chunk)
    corpus.finish()
    found = np.concatenate([corpus.columns(*chunk) for chunk in chunks])
    assert np.allclose(found, evidence(rows))


@unhurried
@given(ROWS)
def test_evidence_is_the_same_finished_or_not_and_asked_for_twice(rows: list[Row]) -> None:
    labelled, senders = label(*(text for text, _ in rows)), [sender for _, sender in rows]
    corpus, words = CorpusEvidence(), scored(labelled)
    corpus.add(labelled, words, senders)
    corpus.finish()
    corpus.finish()
    first = corpus.columns(labelled, words, senders)
    assert np.array_equal(corpus.columns(labelled, words, senders), first)
    assert np.array_equal(evidence(rows), first)


def test_what_is_added_behind_a_question_counts_too() -> None:
    corpus, first = CorpusEvidence(), label("vois patrixe")
    corpus.add(first, scored(first), ["a"])
    before = corpus.columns(first, scored(first), ["a"])
    more = label("Patrice vois Patrice")
    corpus.add(more, scored(more, [2, 2, 2]), ["b"])
    after = corpus.columns(first, scored(first), ["a"])
    variant = COLUMNS.index("variant of a name")
    assert (before[1, variant], after[1, variant]) == (0, 2)
    assert after[0, 2] == mean(2)


# Parts


def table_of(rows: Sequence[Row]) -> EvidenceTable:
    corpus, labelled = CorpusEvidence(), label(*(text for text, _ in rows))
    corpus.add(labelled, scored(labelled), [sender for _, sender in rows])
    return corpus.table()


def same(one: EvidenceTable, other: EvidenceTable) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(one)
    )


@unhurried
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
    assert np.array_equal(merged.columns(labelled, scored(labelled), senders), evidence(rows))


@unhurried
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
    assert np.array_equal(condensed.columns(labelled, words, senders), expected)
    # Again from the words alone, sender by sender.
    for sender in set(senders):
        own = label(*(text for text, who in rows if who == sender))
        names = [sender] * len(own.messages)
        some = condensed.without_senders()
        some.add_senders(own, scored(own), names)
        is_own = np.array([senders[i] == sender for i in labelled.words.message], dtype=np.bool_)
        assert np.array_equal(some.columns(own, scored(own), names), expected[is_own])
    assert n_left_out == 0


def test_a_word_used_once_is_the_variant_of_a_name_of_condensed_evidence() -> None:
    table, _ = table_of([("patrixe", "a"), ("Patrice Patrice", "b")]).condensed(most_words=1_000)
    assert table.words == ["patrice"]
    corpus, labelled = CorpusEvidence(), label("patrixe crayom")
    corpus.merge(table)
    found = corpus.columns(labelled, scored(labelled), ["a"])[:, COLUMNS.index("variant of a name")]
    assert found[0] > 0
    assert found[1] == 0


def test_the_rarest_words_are_left_out_where_there_are_too_many() -> None:
    table = table_of([("zoé zoé zoé", "a"), ("vois vois", "b"), ("Patrice Patrice", "b")])
    kept, n_left_out = table.condensed(most_words=2)
    assert (kept.words, n_left_out) == (["patrice", "zoe"], 1)
    assert [kept.words[i] for i in kept.pairs[:, 1]] == ["zoe", "patrice"]


def test_parts_can_be_merged_in_groups() -> None:
    parts = [table_of([(text, "a")]) for text in ("Zoé vois", "je vois Zoé", "zoé Patrice")]
    group, whole = CorpusEvidence(), CorpusEvidence()
    for part in parts[1:]:
        group.merge(part)
    for part in (group.table(), parts[0]):
        whole.merge(part)
    assert same(
        whole.table(), table_of([("zoé Patrice", "a"), ("je vois Zoé", "a"), ("Zoé vois", "a")])
    )


def test_a_table_holds_each_word_once_and_in_order() -> None:
    table = table_of([("Zoé vois zoé", "b"), ("je vois Zoé", "a")])
    n = table.of_words[:, WORD_COLUMNS.index("n")]
    assert dict(zip(table.words, n.tolist(), strict=True)) == {"je": 1, "vois": 2, "zoe": 3}
    assert (table.words, table.senders) == (["je", "vois", "zoe"], ["a", "b"])
    assert [row[:3] for row in table.pairs.tolist()] == [
        [0, 0, 1],
        [0, 1, 1],
        [0, 2, 1],
        [1, 1, 1],
        [1, 2, 2],
    ]


def test_a_table_holds_no_word_of_another_corpus() -> None:
    scorer = WordScorer(LEXICON, WordWeights(0.0, {}))
    secret, labelled = label("Zorbulina"), label("je vois")
    scorer.score(secret)
    corpus = CorpusEvidence()
    corpus.add(labelled, scorer.score(labelled), ["a"])
    assert corpus.table().words == ["je", "vois"]


@unhurried
@given(ROWS, st.sampled_from("abc"))
def test_a_word_that_nobody_else_uses_need_not_be_in_the_evidence(
    rows: list[Row], sender: str
) -> None:
    rows = [*rows, ("zorbulina", sender)]
    labelled, senders = label(*(text for text, _ in rows)), [who for _, who in rows]
    whole = table_of(rows)
    keep = np.flatnonzero(whole.of_words[:, 0] > 1)
    number = np.full(len(whole.words), -1)
    number[keep] = np.arange(len(keep))
    pairs = whole.pairs[np.isin(whole.pairs[:, 1], keep)]
    pairs[:, 1] = number[pairs[:, 1]]
    words = [whole.words[i] for i in keep]
    less = CorpusEvidence()
    less.merge(replace(whole, words=words, of_words=whole.of_words[keep], pairs=pairs))
    variant = COLUMNS.index("variant of a name")
    found, expected = (
        np.delete(corpus.columns(labelled, scored(labelled), senders), variant, axis=1)
        for corpus in (less, _merged(whole))
    )
    assert np.array_equal(found, expected)


def _merged(table: EvidenceTable) -> CorpusEvidence:
    corpus = CorpusEvidence()
    corpus.merge(table)
    return corpus


# What a word itself adds is taken off


@unhurried
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


@pytest.mark.parametrize(
    ("message", "word", "column"),
    [
        ("Zorbulina", 0, "capital starting, sender starts with capitals"),
        ("zorbulina", 0, "no capital starting, sender starts with capitals"),
        ("vois Zorbulina", 1, "capital inside, sender's capitals inside"),
        ("vois zorbulina", 1, "no capital inside, sender's capitals inside"),
    ],
)
def test_a_lone_word_tells_nothing_of_its_sender_to_itself(
    message: str, word: int, column: str
) -> None:
    nothing_known = 1 / 2 if "starting" in column else np.log(0.5 / 10)
    assert told([(message, "a")], word)[column] == pytest.approx(nothing_known)


# Other occurrences


def test_the_others_of_a_word_are_averaged_by_sender() -> None:
    rows = [("zoé", "a"), ("Zoé", "a"), ("ZOE", "b"), ("zoé", "c")]
    found = told(rows, 0, [1, 2, 3, 5])
    assert (found["same sender"], found["other senders"]) == (mean(2), mean(3, 5))


def test_a_word_is_the_same_whatever_its_case_and_accents() -> None:
    assert told([("zoé", "a"), ("ZOE", "b")], 0, [0, 3])["other senders"] == mean(3)


def test_other_words_do_not_count() -> None:
    found = told([("zorbulina lola", "a"), ("lola", "b")], 0, [1, 2, 3])
    assert (found["same sender"], found["other senders"]) == (UNKNOWN, UNKNOWN)


def test_the_strongest_other_occurrence_is_a_probability() -> None:
    rows = [("zoé", "a"), ("zoé", "b"), ("zoé", "a")]
    found = evidence(rows, [1, 3, 2])[:, COLUMNS.index("strongest other")]
    assert found.tolist() == probability(np.array([3.0, 2.0, 3.0])).tolist()


def test_certainty_counts_up_to_a_bound() -> None:
    found = told([("zoé", "a"), ("zoé", "b")], 0, [500, 1000])
    assert (found["word evidence"], found["other senders"]) == (13, mean(9.2))


# Capitals


def test_capitals_elsewhere_are_those_inside_sentences() -> None:
    rows = [("vois zorbulina", "a"), ("vois Zorbulina", "b"), ("Zorbulina mange", "c")]
    found = told(rows, 1)
    assert found["capitals inside"] == pytest.approx(1.1 / 2)
    assert found["times seen inside"] == pytest.approx(np.log(2))


def test_where_all_is_capitals_a_capital_does_not_count() -> None:
    found = told([("vois zorbulina", "a"), ("JE VOIS ZORBULINA", "b")], 1)
    assert (found["capitals inside"], found["times seen inside"]) == (0.1, 0)


def test_habits_are_those_of_the_sender_alone() -> None:
    rows = [("Vois zoé", "a"), ("Je vois", "a"), ("je vois", "b"), ("vois zoé", "b")]
    starts = COLUMNS.index("capital starting, sender starts with capitals")
    no_start = COLUMNS.index("no capital starting, sender starts with capitals")
    table = evidence(rows)
    assert table[0, starts] == table[2, starts] > table[4, no_start] == table[6, no_start]
    assert table[0, no_start] == table[4, starts] == 0


@unhurried
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


def test_names_used_once_do_not_say_how_names_are_written() -> None:
    assert told([("vois zoé et lola", "a")], 1)["names with capitals"] == 0.8


def test_words_used_twice_are_counted_and_those_used_once_are_not() -> None:
    corpus, labelled = CorpusEvidence(), label("vois Zoé", "zoe et lola")
    assert corpus.n_repeated == 0
    corpus.add(labelled, scored(labelled), ["a", "b"])
    assert corpus.n_repeated == 2


@unhurried
@given(ROWS, st.data())
def test_words_asked_about_alone_get_the_same_evidence(
    rows: list[Row], data: st.DataObject
) -> None:
    labelled, senders = label(*(text for text, _ in rows)), [sender for _, sender in rows]
    words, corpus = scored(labelled), CorpusEvidence()
    corpus.add(labelled, words, senders)
    n_words = len(words.log_odds)
    chosen = data.draw(st.lists(st.booleans(), min_size=n_words, max_size=n_words))
    at = np.flatnonzero(np.array(chosen, dtype=np.bool_))
    assert np.array_equal(corpus.columns(labelled, words, senders, at), evidence(rows)[at])


# Contexts that give names away


def gives_away(rows: list[Row], word: int, side: str = "before") -> bool:
    return told(rows, word)[f"context {side} gives names away"] == 1


def test_a_word_before_known_names_gives_names_away() -> None:
    rows = [("crayon zoé", "a"), ("crayon lola", "b"), ("crayon zorbulina", "c")]
    assert gives_away(rows, 5)


def test_a_word_behind_known_names_gives_names_away() -> None:
    rows = [("zoé crayon", "a"), ("lola crayon", "b"), ("zorbulina crayon", "c")]
    assert gives_away(rows, 4, "behind")


def test_a_known_name_beside_a_word_is_a_context_whichever_it_is() -> None:
    rows = [("zoé lola", "a"), ("patrice mathilde", "b"), ("lola zorbulina", "c")]
    assert gives_away(rows, 5)


def test_a_context_seen_only_once_elsewhere_gives_none_away() -> None:
    assert not gives_away([("crayon zoé", "a"), ("crayon zorbulina", "b")], 3)


def test_a_context_beside_ordinary_words_gives_none_away() -> None:
    rows = [("crayon mange", "a"), ("crayon mange", "b"), ("crayon zorbulina", "c")]
    assert not gives_away(rows, 5)


@pytest.mark.parametrize(("n_others", "found"), [(4, True), (5, False)])
def test_a_context_must_stand_beside_a_name_once_in_five(n_others: int, found: bool) -> None:
    rows = [("crayon zoé", "a"), *[("crayon mange", "b")] * n_others, ("crayon zorbulina", "c")]
    assert gives_away(rows, 2 * n_others + 3) == found


@pytest.mark.parametrize(("n_names", "found"), [(49, True), (50, False)])
def test_a_context_that_is_common_gives_none_away(n_names: int, found: bool) -> None:
    rows = [*[("crayon zoé", "a")] * n_names, ("crayon zorbulina", "c")]
    assert gives_away(rows, 2 * n_names + 1) == found


def test_the_name_itself_does_not_make_its_context_give_names_away() -> None:
    rows = [("crayon zoé", "a"), ("crayon mange", "b"), ("crayon mange", "c")]
    assert not gives_away(rows, 1)


# Variants


def variant_of(rows: list[Row], log_odds: list[float]) -> float:
    return told(rows, 0, log_odds)["variant of a name"]


def test_a_variant_has_the_strength_of_the_name() -> None:
    assert variant_of([("patrixe", "a"), ("Patrice Patrice", "b")], [0, 1, 2]) == 1.5


def test_a_name_seen_once_is_not_established() -> None:
    assert variant_of([("patrixe", "a"), ("Patrice", "b")], [0, 3]) == 0


def test_a_name_without_evidence_is_not_established() -> None:
    assert variant_of([("patrixe", "a"), ("Patrice Patrice", "b")], [0, -1, 0.5]) == 0


def test_only_first_names_have_variants() -> None:
    rows = [("durandaeu", "a"), ("Durandeau Durandeau", "b")]
    assert variant_of(rows, [0, 3, 3]) == 0


def test_only_unknown_words_are_variants() -> None:
    assert variant_of([("crayon", "a"), ("crayom crayom", "b")], [0, 3, 3]) == 0


def test_the_strength_of_a_variant_has_a_bound() -> None:
    assert variant_of([("patrixe", "a"), ("Patrice Patrice", "b")], [0, 9, 9]) == 4


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


@pytest.mark.parametrize("messages", HOSTILE.values(), ids=HOSTILE)
def test_hostile_messages_have_evidence(messages: list[str]) -> None:
    table = evidence([(message, "a") for message in messages])
    assert table.shape == (len(texts(label(*messages))), len(COLUMNS))
    assert np.isfinite(table).all()


def test_no_messages_can_be_added_before_between_and_behind_others() -> None:
    corpus, nothing, some = CorpusEvidence(), label(), label("Zoé vois Zoé")
    for labelled, senders in ((nothing, []), (some, ["a"]), (nothing, [])):
        corpus.add(labelled, scored(labelled), senders)
        corpus.finish()
    assert corpus.columns(nothing, scored(nothing), []).shape == (0, len(COLUMNS))
    found = corpus.columns(some, scored(some), ["a"])
    assert np.array_equal(found, evidence([("Zoé vois Zoé", "a")]))


@pytest.mark.parametrize("sender", ["", " ", "\ud800", "😂", "a" * 100_000])
def test_a_sender_may_have_any_name(sender: str) -> None:
    named, plain = (evidence([("Zoé vois", name), ("zoé", "b")]) for name in (sender, "a"))
    assert np.array_equal(named, plain)


def test_a_message_of_one_megabyte_has_evidence() -> None:
    found = evidence([(LONG, "a"), ("zorbulina", "b")])
    assert np.isfinite(found).all()
    assert found[-1, COLUMNS.index("other senders")] != UNKNOWN


@unhurried
@given(ROWS)
def test_evidence_is_always_finite(rows: list[Row]) -> None:
    assert np.isfinite(evidence(rows)).all()


# Columns


def test_the_columns_of_families_are_columns() -> None:
    named = [name for family in FAMILIES.values() for name in family]
    assert len(set(named)) == len(named)
    assert set(named) < set(COLUMNS)
    assert len(set(COLUMNS)) == len(COLUMNS)
