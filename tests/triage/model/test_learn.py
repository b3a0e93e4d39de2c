"""``triage train`` with the evidence of words: from spans, from labels alone, by senders."""

import pytest

from triage import Triage
from triage.decide.policy import covered
from triage.dictionaries import Lexicon
from triage.features.word_evidence import probability
from triage.model.annotated import AnnotatedMessages
from triage.model.learn import learn
from triage.model.learnt import Model

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_trees")]

Spans = list[tuple[int, int, str]]

SENDERS = ["ana", "bob", "cléo"]
NAMES = ["Zéphirine", "Namrata", "Patrice", "Lucie", "Odélisa", "Brunhild"]
WITH_NAME = ["Coucou {}, ça va ?", "Je mange chez {} demain", "Dis à {} que j'arrive"]
WITHOUT = ["Coucou, ça va ?", "Je mange à midi demain", "Dis que j'arrive"]
WITHOUT += ["On va à Montpellier", "ok mdr", "Tu viens ce soir ?"]
# Messages, labels, senders and spans, each TA message before an NTA one.
FORMS = [(WITH_NAME[i % len(WITH_NAME)], NAMES[i // 2 % len(NAMES)]) for i in range(36)]
NAMED = [form.format(name) for form, name in FORMS]
MESSAGES = [text for i, name in enumerate(NAMED) for text in (name, WITHOUT[i % len(WITHOUT)])]
LABELS, OF_SENDERS = ["TA", "NTA"] * 36, [SENDERS[i // 2 % len(SENDERS)] for i in range(72)]
STARTS = [(form.index("{}"), len(name)) for form, name in FORMS]
SPANS: list[Spans] = [found for at, n in STARTS for found in ([(at, at + n, "PRE")], [])]


@pytest.fixture(scope="module")
def from_spans(few_trees: pytest.MonkeyPatch) -> Model:  # noqa: ARG001
    return learn(
        AnnotatedMessages(MESSAGES, LABELS, OF_SENDERS, SPANS), undersampling="once", cover=covered
    )


@pytest.fixture(scope="module")
def from_labels(few_trees: pytest.MonkeyPatch) -> Model:  # noqa: ARG001
    return learn(
        AnnotatedMessages(MESSAGES, LABELS, OF_SENDERS), undersampling="once", cover=covered
    )


def evidence_of(triage: Triage, message: str) -> dict[str, float]:
    labelled = triage.labeller.label([message])
    scored = triage.score(labelled, [""]).words
    assert scored is not None
    words = [labelled.words.forms[form].text for form in labelled.words.form]
    return dict(zip(words, probability(scored.log_odds).tolist(), strict=True))


@pytest.mark.parametrize("source", ["spans", "labels"])
def test_the_name_is_the_likeliest_word_of_a_message(
    source: str, french: Lexicon, request: pytest.FixtureRequest
) -> None:
    learnt: Model = request.getfixturevalue(f"from_{source}")
    assert (learnt.manifest.features, learnt.manifest.words_from) == ("evidence", source)
    found = evidence_of(Triage(french, learnt), "Coucou Thélinda, tu viens ce soir ?")
    assert max(found, key=found.__getitem__) == "Thélinda"
    if source == "spans":
        found = evidence_of(Triage(french, learnt), "Coucou Patrice, ça va ?")
        assert found["Patrice"] > 0.5
        assert max(found[word] for word in ("Coucou", "ça", "va")) < 0.2


def test_spans_in_which_nothing_is_marked_are_as_none_at_all(from_labels: Model) -> None:
    beyond: list[Spans] = [[(900, 910, "PRE"), (-5, -1, "PRE")] for _ in MESSAGES]
    learnt = learn(
        AnnotatedMessages(MESSAGES, LABELS, OF_SENDERS, beyond), undersampling="once", cover=covered
    )
    assert learnt.manifest == from_labels.manifest
    assert learnt.words is not None
    assert from_labels.words is not None
    assert learnt.words.words == from_labels.words.words
