"""Learning: undersampled bagged trees (paper, sections 4 and 6.3), words, shipped models."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tools.model
import triage.features.learn
from tests.dictionaries.cases import CATALAN
from tools.model import INVENTED, build_models, learn_shipped, read_invented
from triage import Triage
from triage.decide.policy import covered
from triage.dictionaries import Lexicon
from triage.features.learn import learn_spelling
from triage.features.word_evidence import is_lexical, probability
from triage.model.annotated import AnnotatedMessages
from triage.model.learn import UndersampledBaggedTrees, learn
from triage.model.learnt import Model, load_model, model_path, shipped_model

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


BEYOND: list[Spans] = [[(900, 910, "PRE"), (-5, -1, "PRE")] for _ in MESSAGES]
MARKED = {"spans": SPANS, "labels": None, "spans beyond": BEYOND}


@cache
def learnt_from(source: str) -> Model:
    annotated = AnnotatedMessages(MESSAGES, LABELS, OF_SENDERS, MARKED[source])
    return learn(annotated, undersampling="once", cover=covered)


def evidence_of(triage: Triage, message: str) -> dict[str, float]:
    labelled = triage.labeller.label([message])
    scored = triage.score(labelled, [""]).words
    assert scored is not None
    words = [labelled.words.forms[form].text for form in labelled.words.form]
    return dict(zip(words, probability(scored.log_odds).tolist(), strict=True))


@pytest.mark.parametrize("source", ["spans", "labels"])
def test_the_name_is_the_likeliest_word_of_a_message(source: str, french: Lexicon) -> None:
    learnt = learnt_from(source)
    assert (learnt.manifest.features, learnt.manifest.words_from) == ("evidence", source)
    found = evidence_of(Triage(french, learnt), "Coucou Thélinda, tu viens ce soir ?")
    assert max(found, key=found.__getitem__) == "Thélinda"
    if source == "spans":
        found = evidence_of(Triage(french, learnt), "Coucou Patrice, ça va ?")
        assert found["Patrice"] > 0.5
        assert max(found[word] for word in ("Coucou", "ça", "va")) < 0.2


def test_spans_in_which_nothing_is_marked_are_as_none_at_all() -> None:
    beyond, labels = learnt_from("spans beyond"), learnt_from("labels")
    assert beyond.manifest == labels.manifest
    assert beyond.words
    assert labels.words
    assert beyond.words.words == labels.words.words


@pytest.mark.parametrize("undersampling", ["once", "per_bag"])
def test_what_was_learnt_is_better_than_chance_and_ta_from_a_half_on(undersampling: str) -> None:
    # A sixth of the messages are TA; three features overlap.
    drawn = np.random.default_rng(7)
    values = drawn.normal(size=(600, 3)).round(2)
    labels = np.where(values[:, 0] + drawn.normal(size=600) > 1.4, "TA", "NTA")
    trees = UndersampledBaggedTrees(undersampling, n_trees=10).fit(values, labels)
    scores, predicted = trees.predict_proba(values), trees.predict(values)
    assert np.allclose(scores.sum(axis=1), 1)
    assert predicted.tolist() == np.where(scores[:, 1] > 0.5, "TA", "NTA").tolist()
    recalls = [(predicted[labels == label] == label).mean() for label in ("TA", "NTA")]
    assert np.mean(recalls) > 0.7


def test_a_language_without_weights_gets_those_that_no_word_matters_for(
    french: Lexicon, thinned: Lexicon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    other = Lexicon(thinned.lists, CATALAN)
    ours, theirs = shipped_model(french, "evidence"), shipped_model(other, "evidence")
    assert ours.words
    assert theirs.words
    assert any(map(is_lexical, ours.words.words.weights))
    assert not any(map(is_lexical, theirs.words.words.weights))
    assert theirs.manifest.language == "fr"
    monkeypatch.setattr(triage.features.learn, "_spelling_of", lambda _: 1 / 0)
    learn_spelling.cache_clear()
    again = shipped_model(other, "evidence")
    assert again.words
    assert again.words.corpus
    assert theirs.words.corpus
    assert again.words.corpus.spelling == theirs.words.corpus.spelling
    assert again.words.corpus.spelling.weights
    [kept] = (tmp_path / "sms-triage").glob("*.spelling")
    kept.write_bytes(b"damaged")
    learn_spelling.cache_clear()
    with pytest.raises(ZeroDivisionError):
        shipped_model(other, "evidence")


@pytest.mark.slow
def test_shipped_models_are_learnt_from_labelled_messages(tmp_path: Path) -> None:
    messages = ["Coucou Patrice", "ok", "12 h"] * 60
    rows = zip(["TA", "NTA", "NTA"] * 60, messages, strict=True)
    lines = ["label,text", *(",".join(row) for row in rows)]
    (tmp_path / "labelled.csv").write_text("\n".join(lines), encoding="utf-8")
    build_models([str(tmp_path / "labelled.csv")], tmp_path)
    for features in ("evidence", "patel2013"):
        model = load_model(tmp_path / model_path("fr", features).name)
        assert (model.manifest.n_ta, model.manifest.n_nta) == (60, 120)
        assert (model.words is None) == (features == "patel2013")


def test_invented_messages_mark_names_and_hold_no_number_that_may_be_somebodys() -> None:
    invented = read_invented(INVENTED / "en.txt")
    assert len({*invented.messages}) == len(invented.messages) > 5_000
    marked = zip(invented.messages, invented.spans or (), invented.labels, strict=True)
    for text, spans, label in marked:
        assert all(text[start:end].strip() == text[start:end] != "" for start, end, _ in spans)
        assert {type_ for *_, type_ in spans} <= {"PRE", "NOM", "SUR"}
        assert (label == "TA") == bool(spans)
        assert not re.search(r"\[\[|\]\]|[0-9]{6}|[^ ]@[^ ]", text)


def test_invented_messages_have_breaks_and_marks(tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("hi [[mei|PRE]],\\nits [[Jo|SUR]]\nok lah\n", encoding="utf-8")
    invented = read_invented(tmp_path / "en.txt")
    assert invented.messages == ["hi mei,\nits Jo", "ok lah"]
    assert invented.spans == [[(3, 6, "PRE"), (12, 14, "SUR")], []]
    assert invented.labels == ["TA", "NTA"]


def test_a_model_promises_what_was_measured_on_messages_of_people(
    french: Lexicon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fr.txt").write_text("[[Zoé|PRE]] arrive\nok\n" * 30, encoding="utf-8")
    monkeypatch.setattr(tools.model, "INVENTED", tmp_path)
    texts, labels = ["Coucou Patrice", "ok", "12 h"] * 60, ["TA", "NTA", "NTA"] * 60
    spans: list[Spans] = [[(7, 14, "PRE")] if label == "TA" else [] for label in labels]
    people = AnnotatedMessages(texts, labels, [*"abcdef"] * 30, spans)
    model = learn_shipped(people, french, "evidence")
    assert (model.manifest.n_ta, model.manifest.n_nta) == (90, 150)
    assert model.words is not None
    for voter in (model.voter, model.words.voter):
        assert voter.held_out.is_ta.tolist() == people.is_ta.tolist()
        assert voter.held_out.covered is not None
        assert {one.shape[1] for one in voter.held_out.covered} == {len(texts)}
