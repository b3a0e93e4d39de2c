"""The evidence of a word in its place: named features, and weights that add up."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries import (
    LabelledMessages,
    Lexicon,
    Role,
    WordList,
    label_messages,
    load_lexicon,
)
from triage.dictionaries.lexicon import YOURS
from triage.features import word_evidence
from triage.features.feature_names import FAMILIES, FeatureNames, family_of, is_of_context
from triage.features.word_evidence import (
    NO_CANDIDATE,
    WordFeatures,
    WordScorer,
    WordWeights,
    probability,
)

from .samples import HOSTILE, LEXICON, LONG, MESSAGES, label, texts, unhurried

N_FEATURES = 17
Seen = list[tuple[str, ...]]
Eye = tuple[WordFeatures, FeatureNames]


def new_eye(lexicon: Lexicon = LEXICON) -> Eye:
    """Return what sees words and has met none."""
    names = FeatureNames(grows=True)
    return WordFeatures(lexicon, names), names


def seen_by(eye: Eye, labelled: LabelledMessages, lowered: list[bool] | None = None) -> Seen:
    """Return the names of the features of each word."""
    features, growing = eye
    which = None if lowered is None else np.array(lowered, dtype=np.bool_)
    columns = features.see(labelled, which).columns
    names = ["", *growing.columns]
    return [tuple(names[column] for column in row) for row in columns]


def see(*messages: str) -> Seen:
    return seen_by(new_eye(), label(*messages))


def met(*messages: str, lexicon: Lexicon = LEXICON) -> list[str]:
    """Return the names of all features of these messages, as learning meets them."""
    eye = new_eye(lexicon)
    labelled = label_messages(messages, lexicon)
    seen_by(eye, labelled)
    seen_by(eye, labelled, [True] * len(labelled.words.form))
    return list(eye[1].columns)


# Names and their columns


def test_names_that_grow_get_columns_from_one_on() -> None:
    names = FeatureNames(grows=True)
    assert names.of(["a", "b", "a"]) == (1, 2, 1)
    assert names.of(["c", "b"]) == (3, 2)


def test_names_that_do_not_grow_give_what_they_do_not_know_no_column() -> None:
    names = FeatureNames(["a", "b"])
    assert names.of(["b", "c", "a"]) == (2, 0, 1)
    assert list(names.columns) == ["a", "b"]


# What is seen of a word


def test_a_word_is_seen_with_its_neighbours() -> None:
    seen = see("coucou je vois Zorbulina chez Lola")[3]
    assert {name for name in seen if is_of_context(name) and "|" not in name} == {
        "two words after: je",
        "after: vois",
        "before: chez",
        "two words before: DICTIONARY first name, Capital",
    }


def test_a_neighbour_is_seen_together_with_the_group_of_the_word() -> None:
    seen = see("vois Zorbulina chez")[1]
    assert {name for name in seen if "|" in name} == {
        "after: vois | UNKNOWN",
        "before: chez | UNKNOWN",
    }


def test_a_lone_word_has_no_word_beside_it() -> None:
    (seen,) = see("Zoé")
    assert sum("no word" in name for name in seen) == 6


def test_a_word_is_seen_with_its_case_at_the_beginning_and_inside() -> None:
    starting, inside = see("Zoé Zoé")
    assert "DICTIONARY first name, Capital starting" in starting
    assert "DICTIONARY first name, Capital inside" in inside


def test_a_word_is_seen_with_the_lists_that_hold_it() -> None:
    seen = see("vois pierre")[1]
    assert "in first_names inflected_forms, lower inside" in seen


@pytest.mark.parametrize(
    ("message", "habit"),
    [
        ("COUCOU JE VOIS", "capitals only"),
        ("Coucou je vois", "no capital inside"),
        ("Coucou Je Vois Zoé demain", "many capitals"),
        ("coucou je vois Zoé", "some capitals"),
    ],
)
def test_a_word_is_seen_with_the_habit_of_its_message(message: str, habit: str) -> None:
    assert all(
        any(name.endswith(f"message with {habit}") for name in seen) for seen in see(message)
    )


@unhurried
@given(MESSAGES)
def test_features_are_the_same_alone_and_among_others(messages: list[str]) -> None:
    alone = [see(message) for message in messages]
    assert see(*messages) == list(itertools.chain.from_iterable(alone))


@unhurried
@given(MESSAGES, MESSAGES)
def test_features_are_the_same_whatever_was_seen_before(
    before: list[str], messages: list[str]
) -> None:
    eye = new_eye()
    labelled = label(*before)
    seen_by(eye, labelled, [True] * len(labelled.words.form))
    assert seen_by(eye, label(*messages)) == see(*messages)


@unhurried
@given(MESSAGES, MESSAGES)
def test_features_are_the_same_when_too_many_words_were_met_to_remember(
    before: list[str], messages: list[str]
) -> None:
    expected = see(*messages)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_evidence, "_MOST_KNOWN", 2)
        eye = new_eye()
        seen_by(eye, label(*before))
        assert seen_by(eye, label(*messages)) == expected


@unhurried
@given(MESSAGES, st.integers(min_value=0))
def test_a_lowered_word_is_seen_as_if_it_were_written_without_capitals(
    messages: list[str], place: int
) -> None:
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


def test_neighbours_see_a_lowered_word_as_if_it_were_written_without_capitals() -> None:
    seen = seen_by(
        new_eye(), label("je vois Zoé Durandeau demain"), [False, False, True, True, False]
    )
    assert seen == see("je vois zoé durandeau demain")


def test_lowering_a_sign_or_a_number_changes_nothing() -> None:
    labelled = label("12 , 18h30 !! <PRE_7>")
    assert seen_by(new_eye(), labelled, [True] * 5) == seen_by(new_eye(), labelled)


def test_names_that_do_not_grow_see_the_same_columns() -> None:
    eye, labelled = new_eye(), label("Coucou Zoé, je vois Zorbulina chez pierre")
    columns = eye[0].see(labelled).columns
    again = WordFeatures(LEXICON, FeatureNames(eye[1].columns)).see(labelled).columns
    assert np.array_equal(columns, again)


def test_what_has_no_weight_has_no_column() -> None:
    columns = WordFeatures(LEXICON, FeatureNames()).see(label("Coucou Zoé !")).columns
    assert columns.tolist() == [[0] * N_FEATURES] * 3


# Families


@unhurried
@given(MESSAGES)
def test_each_feature_is_of_a_family(messages: list[str]) -> None:
    assert {family_of(name) for name in met(*messages)} <= set(FAMILIES)


def test_each_family_has_a_feature() -> None:
    assert {family_of(name) for name in met("Coucou Zoé")} == set(FAMILIES)


@unhurried
@given(MESSAGES)
def test_features_of_context_are_those_of_the_neighbours(messages: list[str]) -> None:
    for seen in see(*messages):
        names = [name for name in seen if name]
        assert sum(map(is_of_context, names)) == 6
        assert [is_of_context(n) for n in names] == [family_of(n) == "neighbours" for n in names]


# Privacy: what a model keeps of messages are the names of features


@pytest.mark.parametrize(
    "message",
    [
        "Zorbulina",
        "je vois Zorbulina demain, ZORBULINA ou zorbulina !",
        "chez Zorbulina-Lola ou Lola-Zorbulina",
        "zorbuliiiina et 3zorbulina et zorbulina2",
        "l'zorbulina d'Zorbulina",
        "jzorbulina chezzorbulina",
        "Zorbulina\nZorbulina Zorbulina",
        "zorbulina@zorbulina.fr www.zorbulina.fr rue 12 rue Zorbulina",
        "ZORBÚLINA zorbulína",
    ],
)
@pytest.mark.parametrize("pack", ["few lists", "French"])
def test_the_name_of_no_feature_holds_a_name_of_a_message(
    message: str, pack: str, french: Lexicon
) -> None:
    shown = " ".join(met(message, lexicon=french if pack == "French" else LEXICON)).lower()
    assert "zorb" not in shown
    assert "orbu" not in shown
    assert "lina" not in shown


def test_the_name_of_no_feature_holds_a_name_of_a_list_of_names() -> None:
    shown = " ".join(met("je vois Patrice chez Durandeau, patriiice et Mathilde")).lower()
    for name in ("patr", "rice", "dura", "deau", "math", "ilde"):
        assert name not in shown


def test_the_name_of_no_feature_holds_a_word_of_ones_own_lists() -> None:
    own = [
        WordList("team", Role.DICTIONARY, ("zorbulina",), title=YOURS),
        WordList("ours", Role.ANTI_DICTIONARY, ("kelvorane",), title=YOURS),
    ]
    message = "je vois Zorbulina et kelvorane chez kelvorane"
    shown = " ".join(met(message, lexicon=LEXICON.with_lists(own)))
    for name in ("team", "ours", "zorb", "lina", "kelv", "rane"):
        assert name not in shown


def test_the_name_of_no_feature_holds_a_part_of_a_word_of_ones_own_lists() -> None:
    own = WordList("ours", Role.ANTI_DICTIONARY, ("kelvorane",), title=YOURS)
    shown = " ".join(met("je vois slt-kelvorane", lexicon=LEXICON.with_lists([own])))
    assert "kelvorane" not in shown


def test_the_name_of_no_feature_holds_a_number_of_a_message() -> None:
    assert "83754" not in " ".join(met("je vois 83754cours demain"))


@pytest.mark.parametrize("number", ["0639981234", "83754", "18h30", "digicode 45B78", "<PRE_7_99>"])
def test_the_name_of_no_feature_holds_a_number_or_a_code(number: str) -> None:
    digits = number.split()[-1].strip("<>")
    assert digits not in " ".join(met(f"je vois {number} demain"))


@pytest.fixture(scope="module")
def french() -> Lexicon:
    """The French pack."""
    return load_lexicon("fr")


# Weights


def scorer(intercept: float = 0.0, **weights: float) -> WordScorer:
    return WordScorer(LEXICON, WordWeights(intercept, weights))


def test_the_log_odds_of_a_word_are_the_sum_of_its_weights() -> None:
    weights = WordWeights(-3.0, {"starts with zor-": 2.0, "after: chez": 0.5, "before: chez": 9.0})
    scored = WordScorer(LEXICON, weights).score(label("chez Zorbulina Lola"))
    assert scored.log_odds.tolist() == [-3, -0.5, -3]


@pytest.mark.parametrize(("lower", "capital", "expected"), [(2.0, 1.0, 2.0), (1.0, 2.0, 2.0)])
def test_a_capital_at_the_start_of_a_message_lowers_no_word(
    lower: float, capital: float, expected: float
) -> None:
    weights = {"UNKNOWN, lower starting": lower, "UNKNOWN, Capital starting": capital}
    scored = WordScorer(LEXICON, WordWeights(0.0, weights)).score(label("Zorbulina dort"))
    assert scored.log_odds.tolist() == [expected, 0.0]


def test_every_feature_of_a_word_counts_once() -> None:
    labelled = label("Coucou Zoé je vois Zorbulina")
    eye = new_eye()
    seen = seen_by(eye, labelled)
    scored = WordScorer(LEXICON, WordWeights(0.0, dict.fromkeys(eye[1].columns, 1.0)))
    assert scored.score(labelled).log_odds.tolist() == [len([n for n in s if n]) for s in seen]


@pytest.mark.parametrize("sign", [",", "!!", ":)", "😂", "<PRE_7>"])
def test_signs_and_pictures_and_what_is_masked_are_no_candidates(sign: str) -> None:
    scored = scorer(5.0).score(label(f"Zoé {sign} Zoé"))
    assert scored.log_odds.tolist() == [5, NO_CANDIDATE, 5]


@pytest.mark.parametrize("word", ["12", "18h30", "0639981234"])
def test_numbers_and_identifiers_are_candidates(word: str) -> None:
    assert scorer(5.0).score(label(word)).log_odds.tolist() == [5]


def test_without_weights_all_words_are_alike() -> None:
    assert scorer(-4.0).score(label("Coucou Zoé")).log_odds.tolist() == [-4, -4]


@unhurried
@given(MESSAGES)
def test_a_word_has_the_same_score_alone_and_among_others(messages: list[str]) -> None:
    weights = {
        "starts with zor-": 2.1,
        "ends in -ice": 1.3,
        "after: chez": 0.7,
        "before: no word": -0.3,
        "DICTIONARY first name, Capital inside": 3.7,
    }
    learnt = WordWeights(-3.3, weights)
    one = WordScorer(LEXICON, learnt)
    alone = [WordScorer(LEXICON, learnt).score(label(message)).log_odds for message in messages]
    together = one.score(label(*messages)).log_odds
    assert np.array_equal(together, np.concatenate([np.zeros(0), *alone]))
    assert np.array_equal(one.score(label(*messages)).log_odds, together)


def test_reasons_are_the_weights_that_told_most_for_a_word() -> None:
    weights = {
        "ends in -na.": 1.0,
        "starts with zor-": 3.0,
        "after: chez": 2.0,
        "looks plain": -5.0,
        "before: vois": 9.0,
    }
    reasons = WordScorer(LEXICON, WordWeights(-9.0, weights)).reasons(label("chez zorbulina"))
    assert reasons[1] == ["starts with zor-", "after: chez", "ends in -na."]


def test_reasons_are_no_more_than_asked_for() -> None:
    weights = WordWeights(0.0, {"ends in -na.": 1.0, "starts with zor-": 3.0})
    found = WordScorer(LEXICON, weights)
    assert found.reasons(label("zorbulina"), most=1) == [["starts with zor-"]]
    assert found.reasons(label("zorbulina"), most=0) == [[]]


def test_reasons_of_the_same_weight_come_by_the_alphabet() -> None:
    weights = WordWeights(0.0, {"starts with zor-": 1.0, "ends in -na.": 1.0})
    found = WordScorer(LEXICON, weights).reasons(label("zorbulina"))
    assert found == [["ends in -na.", "starts with zor-"]]


def test_words_weighed_anew_keep_their_places() -> None:
    scored = scorer().score(label("Coucou Zoé"))
    anew = scored.weighed_anew(np.array([1.0, 2.0]))
    assert anew.log_odds.tolist() == [1, 2]
    assert (anew.places, anew.index) == (scored.places, scored.index)
    assert scored.log_odds.tolist() == [0, 0]


@unhurried
@given(st.lists(st.floats(allow_nan=False), max_size=5))
def test_a_probability_lies_between_0_and_1_and_grows_with_the_log_odds(odds: list[float]) -> None:
    found = probability(np.array(sorted(odds), dtype=float))
    assert ((found > 0) & (found < 1)).all()
    assert (np.diff(found) >= 0).all()


# Hostile input


@pytest.mark.parametrize("messages", HOSTILE.values(), ids=HOSTILE)
def test_hostile_messages_are_seen_and_scored(messages: list[str]) -> None:
    labelled = label(*messages)
    n_words = len(labelled.words.form)
    seen = WordFeatures(LEXICON, FeatureNames(grows=True)).see(labelled)
    assert seen.columns.shape == (n_words, N_FEATURES)
    assert len(seen.index) == len(labelled.words.forms)
    found = scorer(-1.0)
    assert found.score(labelled).log_odds.shape == (n_words,)
    assert len(found.reasons(labelled)) == n_words


@pytest.mark.parametrize("messages", HOSTILE.values(), ids=HOSTILE)
def test_hostile_messages_are_seen_lowered(messages: list[str]) -> None:
    labelled = label(*messages)
    lowered = np.ones(len(labelled.words.form), dtype=np.bool_)
    seen = WordFeatures(LEXICON, FeatureNames(grows=True)).see(labelled, lowered)
    assert seen.columns.shape == (len(lowered), N_FEATURES)


def test_a_feature_of_a_long_word_has_a_short_name() -> None:
    assert max(map(len, met("je vois " + "zorbu" * 20_000))) < 100


def test_a_message_of_one_megabyte_is_scored() -> None:
    weights = WordWeights(-2.0, {"starts with zor-": 5.0})
    scored = WordScorer(LEXICON, weights).score(label(LONG))
    assert (scored.log_odds > 0).sum() == 33_000
