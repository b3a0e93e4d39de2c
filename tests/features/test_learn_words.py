"""Learning the evidence of words: from marked words, or from labels of messages alone."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from triage.dictionaries import Label, LabelledMessages
from triage.features.feature_names import FAMILIES, family_of
from triage.features.learn_words import (
    Folds,
    LearntWords,
    folds_by_group,
    learn_words,
    marked_words,
    without_lists,
)
from triage.features.word_evidence import NO_CANDIDATE, WordScorer

from .samples import HOSTILE, LEXICON, LONG, MESSAGES, NAMES, label, texts, unhurried

SENDERS = tuple("abcdefgh")
FRAMES = (
    ("je vois {} demain !", True),
    ("coucou {}, slt", True),
    ("demain chez {} 18h30", True),
    ("je vois demain avec kfé !", False),
    ("coucou, je mange bcp", False),
    ("slt, je vois un crayon chez Durax", False),
)
CALLED = ("Zorbulina", "Patrice", "lola", "Kelvorane", "mathilde", "Zoé")
ROWS = [
    (frame.format(CALLED[(i + j) % len(CALLED)]), is_ta, sender)
    for i, sender in enumerate(SENDERS)
    for j, (frame, is_ta) in enumerate(FRAMES)
]
CORPUS = label(*(text for text, _, _ in ROWS))
IS_TA = np.array([is_ta for _, is_ta, _ in ROWS])
OF_SENDERS = np.array([sender for _, _, sender in ROWS])
FOLDS = folds_by_group(IS_TA, OF_SENDERS, seed=0)
IS_NAME = np.array([text in CALLED for text in texts(CORPUS)])


def learnt(
    is_ta: NDArray[np.bool_] = IS_TA,
    marked: NDArray[np.bool_] | None = None,
    folds: Folds = FOLDS,
    without: Sequence[str] = (),
) -> LearntWords:
    return learn_words(CORPUS, is_ta, marked, folds, without)


@pytest.fixture(scope="module")
def from_labels() -> LearntWords:
    """Words learnt from the labels of messages alone."""
    return learnt()


@pytest.fixture(scope="module")
def from_marks() -> LearntWords:
    """Words learnt from marked words."""
    return learnt(marked=IS_NAME)


@pytest.fixture(scope="module", params=["labels", "marks"])
def either(request: pytest.FixtureRequest) -> LearntWords:
    """Words learnt in one of the two ways."""
    found: LearntWords = request.getfixturevalue(f"from_{request.param}")
    return found


# Which words are marked


def marked(message: str, *spans: tuple[int, int]) -> list[str]:
    labelled = label(message)
    is_marked = marked_words(labelled, [[(start, end, "PRE") for start, end in spans]])
    return [text for text, is_one in zip(texts(labelled), is_marked, strict=True) if is_one]


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (8, 17, ["Zorbulina"]),
        (8, 9, ["Zorbulina"]),
        (10, 12, ["Zorbulina"]),
        (7, 17, ["Zorbulina"]),
        (3, 9, ["vois", "Zorbulina"]),
        (0, 18, ["je", "vois", "Zorbulina", ","]),
        (2, 3, []),
        (17, 18, [","]),
    ],
)
def test_a_span_marks_the_words_that_it_overlaps(start: int, end: int, words: list[str]) -> None:
    assert marked("je vois Zorbulina, demain", (start, end)) == words


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [(4, 99, ["Zoé"]), (-5, 1, ["vois"]), (99, 200, []), (-9, -2, []), (8, 8, []), (0, 0, [])],
)
def test_a_span_may_lie_beyond_the_text(start: int, end: int, words: list[str]) -> None:
    assert marked("vois Zoé", (start, end)) == words


@pytest.mark.parametrize("span", [(7, 7), (9, 6)])
def test_an_empty_span_marks_nothing(span: tuple[int, int]) -> None:
    assert marked("vois Zorbulina", span) == []


def test_spans_may_overlap_and_come_in_any_order() -> None:
    assert marked("Zoé vois Lola", (9, 13), (0, 3), (0, 5)) == ["Zoé", "vois", "Lola"]


def test_spans_are_of_their_own_message() -> None:
    labelled = label("Zoé", "", "vois", "Zoé")
    found = marked_words(labelled, [[], [(0, 9, "PRE")], [], [(0, 3, "PRE")]])
    assert found.tolist() == [False, False, True]


def test_spans_count_characters_behind_emoji_too() -> None:
    assert marked("😂👍🏽 Zoé", (4, 7)) == ["Zoé"]


@unhurried
@given(MESSAGES, st.data())
def test_marked_words_are_those_that_share_a_character_with_a_span(
    messages: list[str], data: st.DataObject
) -> None:
    labelled = label(*messages)
    starts = st.integers(-3, 40)
    spans = [
        [(start, start + data.draw(st.integers(1, 9)), "NOM") for start in data.draw(some)]
        for some in [st.lists(starts, max_size=2)] * len(messages)
    ]
    found = marked_words(labelled, spans)
    for k, text in enumerate(texts(labelled)):
        start, message = int(labelled.words.start[k]), int(labelled.words.message[k])
        word = set(range(start, start + len(text)))
        assert found[k] == any(word & set(range(*span[:2])) for span in spans[message])


@pytest.mark.parametrize("messages", HOSTILE.values(), ids=HOSTILE)
def test_all_of_hostile_messages_can_be_marked(messages: list[str]) -> None:
    labelled = label(*messages)
    spans = [[(0, len(message), "PRE")] for message in messages]
    assert marked_words(labelled, spans).all()


def test_words_of_a_message_of_one_megabyte_are_marked() -> None:
    labelled = label(LONG)
    found = marked_words(labelled, [[(0, 6, "PRE"), (len(LONG) - 3, len(LONG), "PRE")]])
    assert found.nonzero()[0].tolist() == [0, len(found) - 2, len(found) - 1]


# Folds


@pytest.mark.parametrize("seed", range(5))
def test_folds_cut_no_sender(seed: int) -> None:
    for training, testing in folds_by_group(IS_TA, OF_SENDERS, seed):
        assert not set(OF_SENDERS[training]) & set(OF_SENDERS[testing])


@pytest.mark.parametrize("seed", range(5))
def test_each_message_is_held_out_once(seed: int) -> None:
    folds = folds_by_group(IS_TA, OF_SENDERS, seed)
    held_out = np.concatenate([testing for _, testing in folds])
    assert sorted(held_out.tolist()) == list(range(len(IS_TA)))
    assert all(len(training) + len(testing) == len(IS_TA) for training, testing in folds)


@pytest.mark.parametrize("n_senders", [2, 3, 5, 8])
def test_there_are_five_folds_or_as_many_as_senders(n_senders: int) -> None:
    senders = np.array([SENDERS[i % n_senders] for i in range(len(IS_TA))])
    assert len(folds_by_group(IS_TA, senders, seed=0)) == min(n_senders, 5)


def test_the_same_seed_gives_the_same_folds() -> None:
    one, other = (folds_by_group(IS_TA, OF_SENDERS, seed=7) for _ in range(2))
    for (training, testing), (again, tested_again) in zip(one, other, strict=True):
        assert np.array_equal(training, again)
        assert np.array_equal(testing, tested_again)


def test_messages_of_one_sender_are_refused() -> None:
    with pytest.raises(ValueError, match="the messages are of one sender"):
        folds_by_group(IS_TA, np.full(len(IS_TA), "a"), seed=0)


# Learning


def test_from_labels_alone_the_obvious_names_are_found(from_labels: LearntWords) -> None:
    assert from_labels.marked[IS_NAME].all()
    assert not from_labels.marked[~IS_NAME].any()


def test_a_name_is_the_likeliest_word_of_its_message(either: LearntWords) -> None:
    message = CORPUS.words.message
    for i in np.flatnonzero(IS_TA):
        here = np.flatnonzero(message == i)
        assert IS_NAME[here[either.held_out.log_odds[here].argmax()]]


def test_words_marked_are_those_that_were_given(from_marks: LearntWords) -> None:
    assert np.array_equal(from_marks.marked, IS_NAME)


def test_no_word_of_an_nta_message_is_taken_as_an_identifier(from_labels: LearntWords) -> None:
    assert not from_labels.marked[~IS_TA[CORPUS.words.message]].any()


def test_a_word_of_each_ta_message_is_taken_as_an_identifier(from_labels: LearntWords) -> None:
    marked_in = np.bincount(CORPUS.words.message[from_labels.marked], minlength=len(IS_TA))
    assert (marked_in[IS_TA] > 0).all()


def test_signs_and_pictures_are_never_likely(either: LearntWords) -> None:
    is_candidate = either.held_out.places.is_candidate
    assert (either.held_out.log_odds[~is_candidate] == NO_CANDIDATE).all()
    for rewritten in either.rewritten:
        assert (rewritten.log_odds[~is_candidate] == NO_CANDIDATE).all()
    assert not either.marked[~is_candidate].any()


def test_an_unknown_name_written_small_is_less_likely_than_with_its_capital(
    either: LearntWords,
) -> None:
    unknown = np.isin(texts(CORPUS), ["Zorbulina", "Kelvorane"])
    lowered, half = (rewritten.log_odds[unknown] for rewritten in either.rewritten)
    as_written = either.held_out.log_odds[unknown]
    assert (lowered < as_written).all()
    every_other = CORPUS.words.message[unknown] % 2 == 0
    assert np.array_equal(half[every_other], lowered[every_other])
    assert np.array_equal(half[~every_other], as_written[~every_other])


def test_a_name_is_less_likely_as_if_no_list_held_it(from_marks: LearntWords) -> None:
    held = np.isin(texts(CORPUS), ["Patrice", "Nathalie"])
    unlisted, as_written = from_marks.unlisted.log_odds[held], from_marks.held_out.log_odds[held]
    assert (unlisted <= as_written).all()


def test_words_are_seen_as_if_no_list_held_them() -> None:
    labelled = label("Coucou Patrice, tel 06 39 98 12 34", "Patrice arrive")
    which = np.isin(texts(labelled), ["Patrice", "06 39 98 12 34"])
    seen = without_lists(labelled, which)
    labels = [seen.labels[form] for form in seen.words.form.tolist()]
    before = [labelled.labels[form] for form in labelled.words.form.tolist()]
    changed = {new.text for new, old in zip(labels, before, strict=True) if new != old}
    assert changed == {"Patrice"}
    assert {word.label for word in labels if word.text == "Patrice"} == {Label.UNKNOWN}


def test_weights_come_strongest_first_and_rounded(either: LearntWords) -> None:
    weights = list(either.weights.weights.values())
    assert weights == sorted(weights, key=abs, reverse=True)
    assert all(round(weight, 4) == weight and abs(weight) >= 0.005 for weight in weights)


def test_what_was_learnt_scores_other_messages(either: LearntWords) -> None:
    labelled = label("je vois Mathurine demain !", "je vois un crayon")
    log_odds = WordScorer(LEXICON, either.weights).score(labelled).log_odds
    assert texts(labelled)[int(log_odds.argmax())] == "Mathurine"


def test_learning_twice_from_marks_gives_the_same(from_marks: LearntWords) -> None:
    again = learnt(marked=IS_NAME)
    assert again.weights == from_marks.weights
    assert np.array_equal(again.held_out.log_odds, from_marks.held_out.log_odds)


def test_learning_twice_from_labels_gives_the_same(from_labels: LearntWords) -> None:
    again = learnt()
    assert again.weights == from_labels.weights
    assert list(again.weights.weights) == list(from_labels.weights.weights)
    assert np.array_equal(again.held_out.log_odds, from_labels.held_out.log_odds)


def test_other_folds_change_what_is_held_out_and_not_the_weights(from_labels: LearntWords) -> None:
    again = learnt(folds=folds_by_group(IS_TA, OF_SENDERS, seed=3)[::-1])
    assert again.weights == from_labels.weights


# Out-of-fold: no message tells its own label


@pytest.mark.parametrize("sender", SENDERS[:3])
def test_held_out_evidence_does_not_change_with_the_labels_of_its_own_sender(
    sender: str, from_labels: LearntWords
) -> None:
    own = np.isin(OF_SENDERS, sender)
    other = learnt(np.where(own, ~IS_TA, IS_TA))
    here = own[CORPUS.words.message]
    before, after = from_labels.held_out.log_odds, other.held_out.log_odds
    assert np.allclose(before[here], after[here], atol=1e-3)
    assert not np.allclose(before[~here], after[~here], atol=1e-3)


@pytest.mark.parametrize("sender", SENDERS[:3])
def test_held_out_evidence_does_not_change_with_the_marks_of_its_own_sender(
    sender: str, from_marks: LearntWords
) -> None:
    here = np.isin(OF_SENDERS, sender)[CORPUS.words.message]
    is_candidate = from_marks.held_out.places.is_candidate
    other = learnt(marked=np.where(here, ~IS_NAME & is_candidate, IS_NAME))
    before, after = from_marks.held_out.log_odds, other.held_out.log_odds
    assert np.allclose(before[here], after[here], atol=1e-3)
    assert not np.allclose(before[~here], after[~here], atol=1e-3)


# Families left out, and nothing to learn


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_left_out_has_no_weights(family: str, from_marks: LearntWords) -> None:
    found = learnt(marked=IS_NAME, without=[family])
    left = {family_of(name) for name in found.weights.weights}
    assert left == {family_of(name) for name in from_marks.weights.weights} - {family}


@pytest.mark.parametrize("is_ta", [True, False])
def test_of_messages_all_alike_nothing_that_breaks_is_learnt(is_ta: bool) -> None:
    found = learnt(np.full(len(IS_TA), is_ta))
    assert np.isfinite(found.held_out.log_odds).all()
    assert all(np.isfinite(rewritten.log_odds).all() for rewritten in found.rewritten)


def test_without_marked_words_nothing_is_learnt() -> None:
    found = learnt(marked=np.zeros_like(IS_NAME))
    assert found.weights.weights == {}
    assert set(found.held_out.log_odds) == {-4.0, NO_CANDIDATE}


@pytest.mark.parametrize("marks", [True, False])
def test_messages_without_words_are_passed_over(marks: bool) -> None:
    texts_ = [*CORPUS.messages, "", "!!", "\ud800", "😂"]
    labelled = label(*texts_)
    is_ta = np.append(IS_TA, [True, True, False, False])
    folds = folds_by_group(is_ta, np.append(OF_SENDERS, ["a", "x", "x", "y"]), seed=0)
    is_name = np.array([text in CALLED for text in texts(labelled)])
    found = learn_words(labelled, is_ta, is_name if marks else None, folds)
    assert len(found.held_out.log_odds) == len(labelled.words.form)


NO_WORDS = label("", "!", "😂", "")
TWO_FOLDS: Folds = [
    (np.array([0, 1]), np.array([2, 3])),
    (np.array([2, 3]), np.array([0, 1])),
]


def test_from_marks_nothing_is_learnt_of_messages_without_words() -> None:
    is_ta = np.array([True, False, True, False])
    found = learn_words(NO_WORDS, is_ta, np.zeros(2, dtype=np.bool_), TWO_FOLDS)
    assert found.weights.weights == {}


@pytest.mark.parametrize("labelled", [NO_WORDS, label("Zoé", "vois", "!", "")])
def test_from_labels_nothing_is_learnt_of_messages_without_words(
    labelled: LabelledMessages,
) -> None:
    is_ta = np.array([True, False, True, False])
    assert learn_words(labelled, is_ta, None, TWO_FOLDS).weights.weights == {}


# Privacy


def test_no_weight_is_named_after_a_name_of_the_messages(either: LearntWords) -> None:
    shown = " ".join(either.weights.weights).lower()
    for name in (*CALLED, *NAMES, "Durax"):
        if len(name) > 3:
            assert name.lower() not in shown
            assert name.lower()[:4] not in shown
            assert name.lower()[-4:] not in shown
