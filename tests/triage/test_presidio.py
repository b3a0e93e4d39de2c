"""The recogniser for Presidio, in Presidio itself."""

import pytest
import spacy
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import SpacyNlpEngine

from triage import Setup, Triage
from triage.dictionaries import DictionaryError
from triage.presidio import SmsRecognizer
from triage.vocabulary import TYPE_NAMES

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
