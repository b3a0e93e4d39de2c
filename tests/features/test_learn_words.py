"""Learning the evidence of words: from marked words, or from labels of messages alone."""

import numpy as np
import pytest
from numpy.typing import NDArray

from triage.features.learn import (
    Folds,
    LearntWords,
    adapt_words,
    folds_by_group,
    learn_words,
    marked_words,
)
from triage.features.word_evidence import NO_CANDIDATE, WordScorer, WordWeights, probability

from .samples import LEXICON, NAMES, label, texts

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
) -> LearntWords:
    return learn_words(CORPUS, is_ta, marked, folds)


@pytest.fixture(scope="module")
def from_labels() -> LearntWords:
    return learnt()


@pytest.fixture(scope="module")
def from_marks() -> LearntWords:
    return learnt(marked=IS_NAME)


@pytest.fixture(scope="module", params=["labels", "marks"])
def either(request: pytest.FixtureRequest) -> LearntWords:
    found: LearntWords = request.getfixturevalue(f"from_{request.param}")
    return found


def test_messages_of_one_sender_are_refused() -> None:
    with pytest.raises(ValueError, match="the messages are of one sender"):
        folds_by_group(IS_TA, np.full(len(IS_TA), "a"), seed=0)


def test_from_labels_alone_the_obvious_names_are_found(from_labels: LearntWords) -> None:
    assert from_labels.marked[IS_NAME].all()
    assert not from_labels.marked[~IS_NAME].any()


def test_a_name_is_the_likeliest_word_of_its_message(either: LearntWords) -> None:
    message = CORPUS.words.message
    for i in np.flatnonzero(IS_TA):
        here = np.flatnonzero(message == i)
        assert IS_NAME[here[either.ways[0].log_odds[here].argmax()]]


def test_an_unknown_name_written_small_is_less_likely_than_with_its_capital(
    either: LearntWords,
) -> None:
    unknown = np.isin(texts(CORPUS), ["Zorbulina", "Kelvorane"])
    lowered, half = (rewritten.log_odds[unknown] for rewritten in either.ways[1:3])
    as_written = either.ways[0].log_odds[unknown]
    assert (lowered < as_written).all()
    every_other = CORPUS.words.message[unknown] % 2 == 0
    assert np.array_equal(half[every_other], lowered[every_other])
    assert np.array_equal(half[~every_other], as_written[~every_other])


def test_a_name_is_less_likely_as_if_no_list_held_it(from_marks: LearntWords) -> None:
    held = np.isin(texts(CORPUS), ["Patrice", "Nathalie"])
    unlisted, as_written = from_marks.ways[3].log_odds[held], from_marks.ways[0].log_odds[held]
    assert (unlisted <= as_written).all()


def test_what_was_learnt_scores_other_messages(either: LearntWords) -> None:
    labelled = label("je vois Mathurine demain !", "je vois un crayon")
    log_odds = WordScorer(LEXICON, either.weights).score(labelled).log_odds
    assert texts(labelled)[int(log_odds.argmax())] == "Mathurine"


def test_without_marked_words_nothing_is_learnt() -> None:
    found = learnt(marked=np.zeros_like(IS_NAME))
    assert found.weights.weights == {}
    assert set(found.ways[0].log_odds) == {-4.0, NO_CANDIDATE}


def test_no_weight_is_named_after_a_name_of_the_messages(either: LearntWords) -> None:
    shown = " ".join(either.weights.weights).lower()
    for name in (*CALLED, *NAMES, "Durax"):
        if len(name) > 3:
            assert name.lower() not in shown
            assert name.lower()[:4] not in shown
            assert name.lower()[-4:] not in shown


@pytest.mark.parametrize(
    ("message", "spans", "words"),
    [
        ("je vois Zorbulina, demain", [(8, 17)], "Zorbulina"),
        ("je vois Zorbulina, demain", [(10, 12)], "Zorbulina"),
        ("je vois Zorbulina, demain", [(3, 9)], "vois Zorbulina"),
        ("je vois Zorbulina, demain", [(0, 18)], "je vois Zorbulina ,"),
        ("je vois Zorbulina, demain", [(2, 3)], ""),
        ("vois Zoé", [(4, 99)], "Zoé"),
        ("vois Zoé", [(-5, 1)], "vois"),
        ("vois Zoé", [(99, 200), (-9, -2), (8, 8), (0, 0), (7, 7), (7, 6)], ""),
        ("Zoé vois Lola", [(9, 13), (0, 3), (0, 5)], "Zoé vois Lola"),
        ("😂👍🏽 Zoé", [(4, 7)], "Zoé"),
    ],
)
def test_a_span_marks_the_words_that_it_overlaps(
    message: str, spans: list[tuple[int, int]], words: str
) -> None:
    labelled = label(message)
    is_marked = marked_words(labelled, [[(start, end, "PRE") for start, end in spans]])
    found = [text for text, is_one in zip(texts(labelled), is_marked, strict=True) if is_one]
    assert " ".join(found) == words


@pytest.mark.parametrize("n_senders", [2, 3, 5, 8])
def test_each_message_is_held_out_once_with_all_of_its_sender(n_senders: int) -> None:
    senders = np.array([SENDERS[i % n_senders] for i in range(len(IS_TA))])
    folds = folds_by_group(IS_TA, senders, seed=n_senders)
    assert len(folds) == min(n_senders, 5)
    held_out = np.concatenate([testing for _, testing in folds])
    assert sorted(held_out.tolist()) == list(range(len(IS_TA)))
    for training, testing in folds:
        assert len(training) + len(testing) == len(IS_TA)
        assert not {*senders[training]} & {*senders[testing]}


@pytest.mark.parametrize("way", ["labels", "marks"])
def test_held_out_evidence_does_not_change_with_what_is_said_of_its_own_sender(
    way: str, from_labels: LearntWords, from_marks: LearntWords
) -> None:
    own = np.isin(OF_SENDERS, "b")
    here = own[CORPUS.words.message]
    if way == "labels":
        first, other = from_labels, learnt(np.where(own, ~IS_TA, IS_TA))
    else:
        is_candidate = from_marks.ways[0].places.is_candidate
        marked = np.where(here, ~IS_NAME & is_candidate, IS_NAME)
        first, other = from_marks, learnt(marked=marked)
    before, after = first.ways[0].log_odds, other.ways[0].log_odds
    assert np.allclose(before[here], after[here], atol=1e-3)
    assert not np.allclose(before[~here], after[~here], atol=1e-3)


def likely(weights: WordWeights, text: str) -> NDArray[np.float64]:
    return probability(WordScorer(LEXICON, weights).score(label(text)).log_odds)


def test_adapting_makes_a_marked_word_likelier_and_others_hardly(from_marks: LearntWords) -> None:
    told = label("coucou doudou", "je vois doudou demain", "doudou mange", "avec pierre")
    marked = np.array([text == "doudou" for text in texts(told)])
    others = label(*("coucou je vois", "Patrice mange demain", "slt bcp") * 10)
    before = from_marks.weights
    adapted = adapt_words(before, told, marked, others)
    assert likely(adapted, "slt doudou")[1] > likely(before, "slt doudou")[1] + 0.1
    for text in ("coucou Patrice", "je mange demain"):
        assert likely(adapted, text) == pytest.approx(likely(before, text), abs=0.1)
    nothing = adapt_words(before, label(), np.zeros(0, dtype=np.bool_), others)
    assert nothing.weights == before.weights
