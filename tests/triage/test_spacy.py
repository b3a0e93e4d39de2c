"""The component for spaCy and the recogniser for Presidio, in spaCy and Presidio themselves."""

from typing import Any

import pytest
import spacy
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import SpacyNlpEngine

import triage.spacy  # noqa: F401 (registers the component)
from triage import Setup, Triage
from triage.dictionaries import DictionaryError
from triage.errors import TriageError
from triage.presidio import SmsRecognizer
from triage.vocabulary import TYPE_NAMES

Pipeline = Any

MESSAGES = [
    "Coucou Patrice, appelle moi au 06 39 98 12 34",
    "j'arrive dans 5 minutes",
    "",
    "on mange chez Nico ce soir ?",
]


@pytest.fixture
def nlp() -> Pipeline:
    pipeline = spacy.blank("fr")
    pipeline.add_pipe("sms_triage")
    return pipeline


def test_a_document_has_its_decision_and_its_identifiers(nlp: Pipeline, shipped: Triage) -> None:
    assert nlp.make_doc("Coucou")._.triage is None
    doc = nlp(MESSAGES[0])
    assert doc._.triage.action == "TA"
    found = doc.spans["identifiers"]
    assert [(one.text, one.label_) for one in found] == [
        ("Patrice", "PRE"),
        ("06 39 98 12 34", "TEL"),
    ]
    [expected] = shipped.identifiers(MESSAGES[:1])
    assert found.attrs["scores"] == [one.score for one in expected]
    assert found.attrs["rules"] == ["evidence", "pattern"]


@pytest.mark.parametrize("size", [1, 3, 10])
def test_many_documents_are_decided_like_one(size: int, nlp: Pipeline, shipped: Triage) -> None:
    docs = [*nlp.pipe(MESSAGES, batch_size=size)]
    expected = shipped.classify(MESSAGES)
    assert [doc.text for doc in docs] == MESSAGES
    assert [doc._.triage.action for doc in docs] == expected["action"].tolist()
    assert [doc._.triage.model_score for doc in docs] == expected["model_score"].tolist()


def test_a_span_is_one_of_whole_tokens(nlp: Pipeline) -> None:
    nlp.tokenizer = lambda text: spacy.tokens.Doc(nlp.vocab, text.split(" "))
    doc = nlp("Coucou Patrice, ça va ?")
    [span] = doc.spans["identifiers"]
    assert span.text == "Patrice,"


def test_decision_spans_and_scores_are_stored_with_a_document(nlp: Pipeline) -> None:
    doc = nlp(MESSAGES[0])
    store = spacy.tokens.DocBin(store_user_data=True, docs=[doc])
    [binned] = spacy.tokens.DocBin().from_bytes(store.to_bytes()).get_docs(nlp.vocab)
    for again in (spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes()), binned):
        assert again._.triage == doc._.triage
        assert again.spans["identifiers"].attrs == doc.spans["identifiers"].attrs


# Forking is safe here: the workers load nothing.
@pytest.mark.filterwarnings("ignore")
def test_documents_are_decided_by_several_processes(nlp: Pipeline) -> None:
    decided = [doc._.triage.action for doc in nlp.pipe(MESSAGES, n_process=2, batch_size=2)]
    assert decided == [nlp(message)._.triage.action for message in MESSAGES]


def test_its_options_are_those_of_a_pipeline_and_its_language_that_of_its_documents() -> None:
    pipeline = spacy.blank("en")
    config = {"policy": "guarded", "spans_key": "ids", "language": "fr"}
    component = pipeline.add_pipe("sms_triage", config=config)
    assert component._triage.lexicon.language == "fr"
    doc = pipeline("Coucou Patrice")
    assert [span.text for span in doc.spans["ids"]] == ["Patrice"]
    assert spacy.blank("en").add_pipe("sms_triage")._triage.lexicon.language == "en"
    with pytest.raises(DictionaryError, match="no dictionaries for the language 'de'"):
        spacy.blank("de").add_pipe("sms_triage")
    with pytest.raises(TriageError, match="policy cannot be"):
        spacy.blank("fr").add_pipe("sms_triage", config={"policy": "careful"})


MESSAGE = "Coucou Patrice, appelle moi au 06 39 98 12 34 ou zoe@example.org"


class Blank(SpacyNlpEngine):  # type: ignore[misc]
    """An engine without a model of language."""

    def __init__(self) -> None:
        super().__init__()
        self.nlp = {"fr": spacy.blank("fr")}


@pytest.fixture(scope="module")
def analyzer() -> AnalyzerEngine:
    registry = RecognizerRegistry(supported_languages=["fr"])
    registry.add_recognizer(SmsRecognizer())
    return AnalyzerEngine(registry=registry, nlp_engine=Blank(), supported_languages=["fr"])


def test_identifiers_have_the_entities_of_presidio_and_a_rule(analyzer: AnalyzerEngine) -> None:
    found = sorted(analyzer.analyze(MESSAGE, language="fr"), key=lambda one: one.start)
    assert [(one.entity_type, MESSAGE[one.start : one.end]) for one in found] == [
        ("PERSON", "Patrice"),
        ("PHONE_NUMBER", "06 39 98 12 34"),
        ("EMAIL_ADDRESS", "zoe@example.org"),
    ]
    asked = {"entities": ["PERSON"], "return_decision_process": True}
    [name] = analyzer.analyze(MESSAGE, language="fr", **asked)
    assert name.analysis_explanation.textual_explanation == "type PRE, rule evidence"


def test_spans_and_scores_are_those_of_the_pipeline(shipped: Triage) -> None:
    [expected] = shipped.identifiers([MESSAGE])
    found = SmsRecognizer(Setup(policy="guarded")).analyze(MESSAGE)
    assert [one[:2] for one in expected] == [(one.start, one.end) for one in found]
    assert [one.score for one in expected] == [one.score for one in found]


def test_every_type_has_an_entity() -> None:
    entities = {names.presidio for names in TYPE_NAMES.values()}
    assert entities == {*SmsRecognizer().supported_entities}


def test_it_decides_in_the_language_that_presidio_asks_it_for() -> None:
    assert SmsRecognizer(supported_language="en")._setup == Setup("en")
    assert SmsRecognizer(Setup("fr"), "en")._setup == Setup("fr")
    with pytest.raises(DictionaryError, match="no dictionaries for the language 'de'"):
        SmsRecognizer(supported_language="de")
