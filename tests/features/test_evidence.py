"""The evidence of a word in its place and in its corpus, and what it makes of a message."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import triage.features.messages as sets
from tests.cases import cases_beside, joined
from triage.dictionaries import Kind, LabelledMessages, Labeller, Lexicon, Role, WordList
from triage.dictionaries.lexicon import YOURS
from triage.dictionaries.words import DistinctWord
from triage.features import word_evidence
from triage.features.corpus_evidence import COLUMNS, CorpusEvidence, EvidenceTable
from triage.features.second_stage import WordTrees
from triage.features.trees import Forest
from triage.features.word_evidence import FeatureNames, WordFeatures, WordScorer, WordWeights

from .samples import HOSTILE, LEXICON, MESSAGE, MESSAGES, label, scored, texts

TOLD = cases_beside(__file__, "word_evidence.toml")

Seen = list[tuple[str, ...]]
Eye = tuple[WordFeatures, FeatureNames]


def new_eye(lexicon: Lexicon = LEXICON) -> Eye:
    names = FeatureNames(grows=True)
    return WordFeatures(lexicon, names), names


def seen_by(eye: Eye, labelled: LabelledMessages, lowered: list[bool] | None = None) -> Seen:
    features, growing = eye
    which = None if lowered is None else np.array(lowered, dtype=np.bool_)
    columns = features.extract(labelled, which).columns
    names = ["", *growing]
    return [tuple(names[column] for column in row) for row in columns]


def see(*messages: str) -> Seen:
    return seen_by(new_eye(), label(*messages))


@given(MESSAGES, MESSAGES)
def test_features_do_not_depend_on_what_was_seen(before: list[str], messages: list[str]) -> None:
    eye = new_eye()
    labelled = label(*before)
    seen_by(eye, labelled, [True] * len(labelled.words.form))
    assert seen_by(eye, label(*messages)) == see(*messages)


@given(MESSAGES, st.integers(min_value=0))
def test_a_lowered_word_is_seen_as_one_without_capitals(messages: list[str], place: int) -> None:
    labelled = label(*messages)
    words = texts(labelled)
    for k in [place % len(words)] if words else []:
        start, message = int(labelled.words.start[k]), int(labelled.words.message[k])
        text = messages[message]
        if labelled.labels[labelled.words.form[k]].kind == "WORD":
            lower = words[k].lower()
            real = list(messages)
            real[message] = text[:start] + lower + text[start + len(lower) :]
            lowered = [i == k for i in range(len(words))]
            assert seen_by(new_eye(), labelled, lowered)[k] == see(*real)[k]


@pytest.mark.parametrize(("message", "weights", "expected"), TOLD["summed"])
def test_the_log_odds_of_a_word_are_the_sum_of_its_weights(
    message: str, weights: dict[str, float], expected: list[float]
) -> None:
    scored = WordScorer(LEXICON, WordWeights(-3.0, weights)).score(label(message))
    assert (scored.log_odds + 3).tolist() == expected


OWN = [
    WordList("team", Role.DICTIONARY, ("zorbulina",), title=YOURS),
    WordList("ours", Role.ANTI_DICTIONARY, ("kelvorane",), title=YOURS),
]


@pytest.mark.parametrize("pack", ["few lists", "one's own lists", "French"])
@pytest.mark.parametrize(("message", "hidden"), TOLD["hidden"])
def test_the_name_of_no_feature_holds_a_name_or_number_of_a_message_or_a_list(
    message: str, hidden: str, pack: str, french: Lexicon
) -> None:
    lexicon = french if pack == "French" else LEXICON
    lexicon = lexicon.with_lists(OWN) if pack == "one's own lists" else lexicon
    eye, labelled = new_eye(lexicon), label(message, lexicon=lexicon)
    for lowered in (None, [True] * len(labelled.words.form)):
        seen_by(eye, labelled, lowered)
    shown = " ".join(eye[1]).lower()
    assert not any(part.lower() in shown for part in hidden.split())


@pytest.mark.parametrize(("weights", "most", "expected"), TOLD["reasons"])
def test_reasons_are_the_weights_that_told_most_for_a_word_then_by_the_alphabet(
    weights: dict[str, float], most: int, expected: list[str]
) -> None:
    scorer = WordScorer(LEXICON, WordWeights(-9.0, weights))
    assert scorer.reasons(label("chez zorbulina"), most)[1] == expected


@given(MESSAGES)
def test_a_word_is_seen_beside_the_words_of_its_message_alone(messages: list[str]) -> None:
    assert see(*messages) == [seen for message in messages for seen in see(message)]


@pytest.mark.parametrize(("messages", "starting"), TOLD["starting"])
def test_a_word_begins_a_sentence_behind_its_end(messages: list[str], starting: str) -> None:
    labelled = label(*messages)
    found = zip(texts(labelled), scored(labelled).places.starts, strict=True)
    assert [word for word, starts in found if starts] == starting.split()


def traits_of(word: str, lexicon: Lexicon = LEXICON) -> word_evidence.Traits:
    [labelled] = label(word, lexicon=lexicon).labels
    [traits] = word_evidence.TraitReader(lexicon).read([labelled])
    return traits


@pytest.mark.parametrize(("word", "group", "context"), TOLD["neighbours"])
def test_a_neighbour_sees_common_words_or_their_group(word: str, group: str, context: str) -> None:
    traits = traits_of(word)
    assert (traits.group, traits.contexts[0]) == (group, context)


@pytest.mark.parametrize(("kind", "text", "nearest"), TOLD["nearest"])
def test_an_unknown_identifier_is_read_as_the_nearest(kind: str, text: str, nearest: str) -> None:
    forms = DistinctWord(text, Kind(kind)), DistinctWord("x" * 12, Kind(nearest))
    labelled = [*map(Labeller(LEXICON).label_word, forms)]
    new, learnt = word_evidence.TraitReader(LEXICON).read(labelled)
    assert new == learnt


@pytest.mark.parametrize(("word", "told"), TOLD["own"])
def test_a_word_tells_its_parts_its_look_and_how_common_it_is(word: str, told: str) -> None:
    assert told in traits_of(word).own


def test_a_word_of_ones_own_list_of_names_is_read_like_a_first_name() -> None:
    words = ("zorbulina", "patrice")
    mine = LEXICON.with_lists([WordList("team", Role.DICTIONARY, words, title=YOURS)])
    known = Lexicon(
        WordList(w.name, w.role, (*w.words, "zorbulina")) if w.name == "first_names" else w
        for w in LEXICON.lists
    )
    assert traits_of("Zorbulina", mine) == traits_of("Zorbulina", known)
    assert traits_of("Patrice", mine) == traits_of("Patrice")


@pytest.mark.parametrize("word", ["Kelvorane", "kelvorane"])
def test_a_word_of_ones_own_list_to_let_through_is_not_shown_to_its_neighbours(word: str) -> None:
    traits = traits_of(word, LEXICON.with_lists(OWN))
    assert (traits.group, traits.contexts[0], traits.lists) == ("ANTI_DICTIONARY",) * 2 + ("",)


Row = tuple[str, str]
ROWS = st.lists(st.tuples(MESSAGE, st.sampled_from("abc")), max_size=8)
UNKNOWN = -4.0
HABITS = COLUMNS[6:10]  # of senders, with capitals


def heard(
    rows: Sequence[Row], log_odds: Sequence[float] | None = None
) -> tuple[word_evidence.ScoredWords, list[str]]:
    """Return the words of messages and their senders, with log odds by hand or all different."""
    labelled = label(*(text for text, _ in rows))
    if log_odds is None:
        length = np.array([len(text) for text in texts(labelled)], dtype=int)
        log_odds = ((labelled.words.start * 7 + length * 3) % 23 / 2 - 5).tolist()
    return scored(labelled, log_odds), [sender for _, sender in rows]


def evidence(rows: list[Row], log_odds: Sequence[float] | None = None) -> NDArray[np.float64]:
    """Return the evidence of each word of messages with their senders, all in one chunk."""
    words, senders = heard(rows, log_odds)
    corpus = CorpusEvidence()
    corpus.add(words, senders)
    return corpus.columns(words, senders)


def told(rows: list[Row], word: int, log_odds: Sequence[float] | None = None) -> dict[str, float]:
    return dict(zip(COLUMNS, evidence(rows, log_odds)[word].tolist(), strict=True))


def table_of(rows: Sequence[Row]) -> EvidenceTable:
    corpus = CorpusEvidence()
    corpus.add(*heard(rows))
    return corpus.table()


@given(rows=ROWS, sizes=st.lists(st.integers(0, 4), max_size=4), random=st.randoms())
def test_merged_parts_are_the_whole(rows: list[Row], sizes: list[int], random: Random) -> None:
    ends = [0, *accumulate(sizes), len(rows)]
    parts = [table_of(rows[start:end]) for start, end in pairwise(ends)]
    merged = CorpusEvidence()
    for part in random.sample(parts, len(parts)):
        merged.merge(part)
    assert all(map(np.array_equal, vars(merged.table()).values(), vars(table_of(rows)).values()))
    assert np.array_equal(merged.columns(*heard(rows)), evidence(rows))


@given(ROWS)
def test_condensed_evidence_and_that_of_senders_are_the_whole(rows: list[Row]) -> None:
    condensed = CorpusEvidence()
    table, n_left_out = table_of(rows).condensed(most_words=1_000)
    condensed.merge(table)
    condensed.finish()
    expected = evidence(rows)
    assert np.array_equal(condensed.columns(*heard(rows)), expected)
    # Again with what a sender does with words counted sender by sender.
    without = CorpusEvidence()
    without.merge(replace(table, pairs=table.pairs[:0]))
    without.finish()
    assert without.lacks_pairs == bool(rows)
    words = label(*(text for text, _ in rows)).words
    for sender in {sender for _, sender in rows}:
        own = heard([row for row in rows if row[1] == sender])
        is_own = np.array([rows[i][1] == sender for i in words.message], dtype=np.bool_)
        assert np.array_equal(without.with_pairs_of(*own).columns(*own), expected[is_own])
    assert n_left_out == 0


def test_condensed_evidence_lacks_the_rarest_words_and_those_used_once() -> None:
    table, _ = table_of([("patrixe", "a"), ("Patrice Patrice", "b")]).condensed(most_words=1_000)
    assert table.words == ["patrice"]
    corpus = CorpusEvidence([table])
    found = corpus.columns(*heard([("patrixe crayom", "a")]))
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
def test_log_odds_of_a_word_say_nothing_of_itself(rows: list[Row], data: st.DataObject) -> None:
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


OTHERS: list[dict[str, Any]] = cases_beside(__file__, "corpus_evidence.toml")["told"]


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: joined(case["rows"])[:40])
def test_a_word_is_told_what_the_others_say_of_it(case: dict[str, Any]) -> None:
    rows = (row.partition(" ") for row in joined(case["rows"]).split(" | "))
    found = told([(text, who) for who, _, text in rows], case["word"], case.get("log_odds"))
    assert {name: found[name] for name in case["told"]} == pytest.approx(case["told"])


CASES = cases_beside(__file__, "messages.toml")


def of(message: str, *log_odds: float) -> dict[str, float]:
    labelled = label(message)
    (row,) = sets.evidence(labelled, scored(labelled, log_odds))
    return dict(zip(sets.NAMES, row.tolist(), strict=True))


@pytest.mark.parametrize(("message", "label_name"), CASES["strongest"])
def test_strongest_is_the_label_of_the_likeliest_word(message: str, label_name: str) -> None:
    found = of(message, 2.0, -2.0)
    strongest = {name: value for name, value in found.items() if name.startswith("Strongest")}
    assert strongest == {name: float(name == f"Strongest{label_name}") for name in strongest}


@given(MESSAGES, st.data())
def test_weighed_features_are_computed_as_plainly(messages: list[str], data: st.DataObject) -> None:
    labelled = label(*messages)
    n_words = len(labelled.words.form)
    drawn = data.draw(st.lists(st.floats(-12, 12), min_size=n_words, max_size=n_words))
    # Weights have four decimals.
    log_odds = np.array(drawn, dtype=np.float64).round(4)
    expected = []
    for i in range(len(messages)):
        here = np.flatnonzero(labelled.words.message == i)
        ranked = sorted((1 / (1 + math.exp(-log_odds[k])) for k in here), reverse=True)
        none = math.prod(1 - value for value in ranked)
        above = [sum(value > level for value in ranked) for level in (0.05, 0.2, 0.5, 0.8)]
        expected.append([*[*ranked, 0, 0, 0][:3], 1 - none, *above])
    found = sets.weighed(labelled, log_odds)[:, : len(sets.MONOTONIC)]
    assert np.allclose(found, np.array(expected).reshape(-1, len(sets.MONOTONIC)))


@given(MESSAGES)
def test_features_are_the_same_alone_and_among_others(messages: list[str]) -> None:
    scorer = WordScorer(LEXICON, WordWeights(-1.0, {"starts with zor-": 2.5, "ends in -ice": 1.5}))
    together = sets.evidence(label(*messages), scorer.score(label(*messages)))
    alone = [sets.evidence(label(message), scorer.score(label(message))) for message in messages]
    assert np.array_equal(together, np.concatenate([np.empty((0, 30)), *alone]))


@pytest.mark.parametrize(("message", "expected"), CASES["counted"])
def test_labels_capitals_identifiers_are_counted(message: str, expected: dict[str, float]) -> None:
    found = of(message)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("messages", HOSTILE.values(), ids=HOSTILE)
def test_hostile_messages_are_seen_counted_and_weighed(messages: list[str]) -> None:
    labelled, senders = label(*messages), ["a"] * len(messages)
    first = WordScorer(LEXICON, WordWeights(-1.0, {})).score(labelled)
    expected = np.where(first.places.is_candidate, -1.0, word_evidence.NO_CANDIDATE)
    assert first.log_odds.tolist() == expected.tolist()
    corpus = CorpusEvidence()
    corpus.add(first, senders)
    columns = corpus.columns(first, senders)
    assert columns.shape == (len(expected), len(COLUMNS))
    assert np.isfinite(columns).all()
    leaf = np.array([True]), np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1), np.ones(1)
    trees = WordTrees(WordWeights(0.0, {}), *[Forest.joined([leaf])] * 2)
    again = replace(first, log_odds=trees.log_odds(labelled, first, senders, corpus))
    table = sets.evidence(labelled, again)
    assert table.shape == (len(messages), 30)
    assert (np.isfinite(table) & (table >= 0)).all()


@pytest.mark.parametrize(("name", "message", "count"), CASES["paper"])
def test_features_count_as_named(name: str, message: str, count: float, french: Lexicon) -> None:
    [values] = sets.patel2013(label(message, lexicon=french))
    assert values[sets.PAPER_NAMES.index(name)] == count


def test_per_character_divides_counts_by_the_length(french: Lexicon) -> None:
    labelled = label("Coucou Patrice, ça va ?", "", lexicon=french)
    values, normalised = sets.patel2013(labelled), sets.per_character(labelled)
    for name, count, share in zip(sets.PAPER_NAMES, values[0], normalised[0], strict=True):
        assert share == (count if name in ("SMSLength", "WordLength") else count / 23)
    assert normalised[1].tolist() == [0.0] * 12
