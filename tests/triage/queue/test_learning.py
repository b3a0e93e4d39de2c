"""A model learns from what the expert decided, and is told apart honestly from what it was."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.triage.conftest import SAMPLE as FILE
from triage import Triage
from triage.errors import TriageError
from triage.evaluation.corpus import read_corpus
from triage.model.learnt import Model
from triage.queue.learning import DecidedCorpus, gain, learn_from_queue
from triage.queue.records import Answer
from triage.vocabulary import IdentifierType, Span

pytestmark = pytest.mark.slow

SAMPLE = read_corpus(str(FILE))


def decided(which: Sequence[int]) -> DecidedCorpus:
    """The sample, of which some messages are decided as they are labelled."""
    answers: list[Answer | None] = [None] * len(SAMPLE.messages)
    spans: list[tuple[Span, ...]] = [()] * len(SAMPLE.messages)
    for i in which:
        answers[i] = Answer(SAMPLE.labels[i])
        spans[i] = tuple(Span(a, b, IdentifierType.PRE) for a, b, _ in (SAMPLE.spans or [])[i])
    return DecidedCorpus(SAMPLE.messages, SAMPLE.senders or [], answers, spans)


EVERY_OTHER = range(0, len(SAMPLE.messages), 2)


def test_words_are_adapted_and_the_rest_stays(shipped: Triage) -> None:
    model, again = (learn_from_queue(shipped, decided(EVERY_OTHER)) for _ in range(2))
    assert model.words == again.words
    before, after = shipped.model, model
    assert after.voter is before.voter
    assert before.words is not None
    assert after.words is not None
    old, new = before.words.words.weights, after.words.words.weights
    assert any(abs(new[name] - old.get(name, 0)) > 1e-3 for name in new)
    assert replace(after.words, words=before.words.words) == before.words
    known = {"words_from": shipped.model.manifest.words_from}
    assert replace(model.manifest, **known) == shipped.model.manifest  # type: ignore[arg-type]
    assert f"{len(set(SAMPLE.messages[::2]))} decisions" in model.manifest.words_from


def test_a_nickname_that_was_marked_is_found_elsewhere(shipped: Triage) -> None:
    nickname, texts = "zouzounette", ["coucou {}", "{} tu vien demain", "bisou {}", "slt {} sava"]
    ta = [text.format(nickname) for text in texts * 3]
    ta = [f"{text} {n}" for n, text in enumerate(ta)]
    nta = [f"coucou on mange a {n} h demain" for n in range(12)]
    places = [text.index(nickname) for text in ta]
    spans = [(Span(at, at + len(nickname), IdentifierType.SUR),) for at in places]
    corpus = DecidedCorpus(
        [*ta, *nta], [""] * 24, [Answer.TA] * 12 + [Answer.NTA] * 12, [*spans, *[()] * 12]
    )
    adapted = Triage(shipped.lexicon, learn_from_queue(shipped, corpus))
    text = ["merci zouzounette"]
    before, after = (each.decide(text).model_score[0] for each in (shipped, adapted))
    assert after > before


def test_few_decisions_teach_nothing(shipped: Triage) -> None:
    few = decided(np.flatnonzero(SAMPLE.is_ta)[:9].tolist())
    with pytest.raises(TriageError, match="9 texts were decided as TA and 0 as NTA"):
        learn_from_queue(shipped, few)
    assert gain(shipped, few) is None


def test_a_model_without_words_is_trained_again(numbers_are_ta: Model, shipped: Triage) -> None:
    triage = Triage(shipped.lexicon, numbers_are_ta)
    for ask in (learn_from_queue, gain):
        with pytest.raises(TriageError, match="train it again"):
            ask(triage, decided(EVERY_OTHER))


def test_a_text_counts_once_and_skipped_ones_do_not() -> None:
    answers = [Answer.TA, Answer.TA, Answer.SKIP, None, Answer.NTA]
    corpus = DecidedCorpus(["a", "a", "b", "c", "d"], [""] * 5, answers, [()] * 5)
    assert corpus.items.tolist() == [0, 4]
    assert corpus.is_ta.tolist() == [True, False]


def test_without_spans_the_likeliest_word_of_a_ta_message_is_meant(shipped: Triage) -> None:
    texts = [f"Coucou Patrice on mange a {n} h" for n in range(10)]
    texts += [f"on mange a {n} h demain" for n in range(10)]
    answers, patrice = [Answer.TA] * 10 + [Answer.NTA] * 10, Span(7, 14, IdentifierType.PRE)
    alone, marked = (
        learn_from_queue(shipped, DecidedCorpus(texts, [""] * 20, answers, spans))
        for spans in ([()] * 20, [(patrice,)] * 10 + [()] * 10)
    )
    assert alone.words == marked.words


def test_a_gain_counts_the_decided_items(shipped: Triage) -> None:
    corpus = decided(EVERY_OTHER)
    found = gain(shipped, corpus)
    assert found == gain(shipped, corpus)
    assert found is not None
    assert found.n_ta == corpus.is_ta.sum()
    assert found.n_ta + found.n_nta == len(corpus.items)
    assert found.area.estimate == pytest.approx(found.after["area"] - found.before["area"])
    assert found.area.low <= found.area.estimate <= found.area.high
    decisions = shipped.decide(SAMPLE.messages, SAMPLE.senders, corpus_evidence=True)
    votes = [decisions.model[i].value for i in corpus.items]
    missed = [v == "NTA" and ta for v, ta in zip(votes, corpus.is_ta, strict=True)]
    assert found.before["missed"] == sum(missed)
