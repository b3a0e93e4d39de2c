"""A recogniser for Presidio: names and identifiers of text messages.

Needs ``pip install '.[presidio]'``.
"""

from dataclasses import replace
from typing import Any

from presidio_analyzer import AnalysisExplanation, EntityRecognizer, RecognizerResult

from .decide.corpus import DEFAULT
from .decide.pipeline import load_once
from .settings import Setup
from .vocabulary import TYPE_NAMES

_ENTITIES = sorted({names.presidio for names in TYPE_NAMES.values()})


class SmsRecognizer(EntityRecognizer):  # type: ignore[misc]  # presidio has no types here
    """Find the identifiers of text messages, under Presidio's names of their types."""

    def __init__(self, setup: Setup = DEFAULT, supported_language: str = "fr") -> None:
        self._setup = replace(setup, language=setup.language or supported_language)
        super().__init__(_ENTITIES, "SmsRecognizer", supported_language)

    def load(self) -> None:
        """Load dictionaries and model, once for each process."""
        load_once(self._setup)

    def analyze(
        self,
        text: str,
        entities: list[str] | None = None,
        nlp_artifacts: Any = None,  # noqa: ANN401, ARG002
    ) -> list[RecognizerResult]:
        """Return the identifiers of a message."""
        results, key = [], RecognizerResult.RECOGNIZER_NAME_KEY
        about = {key: self.name, RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: self.id}
        for one in load_once(self._setup).identifiers([text])[0]:
            entity = TYPE_NAMES[one.type].presidio
            if not entities or entity in entities:
                rule = f"type {one.type}, rule {one.rule}"
                explanation = AnalysisExplanation(self.name, one.score, textual_explanation=rule)
                place = entity, one.start, one.end
                results.append(RecognizerResult(*place, one.score, explanation, {**about}))
        return results
