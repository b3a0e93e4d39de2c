"""The evidence of a word: what it tells by itself, in its place, and what it keeps to itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.dictionaries import (
    Kind,
    LabelledMessages,
    Labeller,
    Lexicon,
    Role,
    WordList,
    label_messages,
)
from triage.dictionaries.lexicon import YOURS
from triage.dictionaries.words import DistinctWord
from triage.features.word_evidence import (
    NO_WORD,
    OFFSETS,
    FeatureNames,
    Places,
    TraitReader,
    Traits,
    WordFeatures,
    WordScorer,
    WordWeights,
)

from .samples import LEXICON, MESSAGES, label, texts

TOLD = cases_beside(__file__)

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


def met(*messages: str, lexicon: Lexicon = LEXICON) -> list[str]:
    """Return the names of all features of these messages, as learning meets them."""
    eye = new_eye(lexicon)
    labelled = label_messages(messages, lexicon)
    seen_by(eye, labelled)
    seen_by(eye, labelled, [True] * len(labelled.words.form))
    return list(eye[1])


@given(MESSAGES, MESSAGES)
def test_features_are_the_same_whatever_was_seen_before(
    before: list[str], messages: list[str]
) -> None:
    eye = new_eye()
    labelled = label(*before)
    seen_by(eye, labelled, [True] * len(labelled.words.form))
    assert seen_by(eye, label(*messages)) == see(*messages)


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
    shown = " ".join(met(message, lexicon=lexicon)).lower()
    assert not any(part.lower() in shown for part in hidden.split())


@pytest.mark.parametrize(("weights", "most", "expected"), TOLD["reasons"])
def test_reasons_are_the_weights_that_told_most_for_a_word_then_by_the_alphabet(
    weights: dict[str, float], most: int, expected: list[str]
) -> None:
    scorer = WordScorer(LEXICON, WordWeights(-9.0, weights))
    assert scorer.reasons(label("chez zorbulina"), most)[1] == expected


def placed(labelled: LabelledMessages) -> Places:
    return WordFeatures(LEXICON, FeatureNames()).extract(labelled).places


@given(MESSAGES)
def test_neighbours_are_of_the_same_message(messages: list[str]) -> None:
    labelled = label(*messages)
    found = placed(labelled)
    written = dict(zip(found.number.tolist(), texts(labelled), strict=True)) | {NO_WORD: ""}
    for offset in OFFSETS:
        expected: list[str] = []
        for message in messages:
            words = ["", "", *texts(label(message)), "", ""]
            expected += words[2 + offset : len(words) - 2 + offset]
        assert [written[n] for n in found.neighbour(offset).tolist()] == expected


@pytest.mark.parametrize(("messages", "starting"), TOLD["starting"])
def test_a_word_begins_a_sentence_behind_a_stop_a_line_break_or_nothing(
    messages: list[str], starting: str
) -> None:
    labelled = label(*messages)
    found = zip(texts(labelled), placed(labelled).starts, strict=True)
    assert [word for word, starts in found if starts] == starting.split()


def read(word: str, lexicon: Lexicon = LEXICON) -> Traits:
    [labelled] = label_messages([word], lexicon).labels
    [traits] = TraitReader(lexicon).read([labelled])
    return traits


@pytest.mark.parametrize(("word", "group", "context"), TOLD["neighbours"])
def test_a_neighbour_sees_a_common_word_itself_and_of_others_their_group(
    word: str, group: str, context: str
) -> None:
    traits = read(word)
    assert (traits.group, traits.contexts[0]) == (group, context)


@pytest.mark.parametrize(("kind", "text", "nearest"), TOLD["nearest"])
def test_an_identifier_that_was_never_learnt_is_read_as_the_nearest_that_was(
    kind: str, text: str, nearest: str
) -> None:
    forms = DistinctWord(text, Kind(kind)), DistinctWord("x" * 12, Kind(nearest))
    new, learnt = TraitReader(LEXICON).read([*map(Labeller(LEXICON).label_word, forms)])
    assert new == learnt


@pytest.mark.parametrize(("word", "told"), TOLD["own"])
def test_a_word_tells_its_parts_its_look_and_how_common_it_is(word: str, told: str) -> None:
    assert told in read(word).own


def test_a_word_of_ones_own_list_of_names_is_read_like_a_first_name() -> None:
    words = ("zorbulina", "patrice")
    mine = LEXICON.with_lists([WordList("team", Role.DICTIONARY, words, title=YOURS)])
    known = Lexicon(
        WordList(w.name, w.role, (*w.words, "zorbulina")) if w.name == "first_names" else w
        for w in LEXICON.lists
    )
    assert read("Zorbulina", mine) == read("Zorbulina", known)
    assert read("Patrice", mine) == read("Patrice")


@pytest.mark.parametrize("word", ["Zorbulina", "zorbulina"])
def test_a_word_of_ones_own_list_to_let_through_is_not_shown_to_its_neighbours(word: str) -> None:
    own = WordList("ours", Role.ANTI_DICTIONARY, ("zorbulina",), title=YOURS)
    traits = read(word, LEXICON.with_lists([own]))
    assert (traits.group, traits.contexts[0], traits.lists) == ("ANTI_DICTIONARY",) * 2 + ("",)
