"""The shipped models, which hold weights, trees and held-out scores, and no message.

``make model`` learns them again from annotated messages (`tools.model`).
"""

import json
from dataclasses import replace
from pathlib import Path

from triage import data
from triage.dictionaries import Lexicon
from triage.dictionaries.cache import cached
from triage.dictionaries.pack import FRENCH
from triage.features.feature_names import is_lexical
from triage.features.word_evidence import WordWeights

from ..errors import TriageError
from .learnt import Model, versions
from .store import load_model

MODELS = Path(data.__file__).parent / "models"


def model_path(language: str, features: str) -> Path:
    """Return the path of the shipped model of a pack and a feature set."""
    return MODELS / f"{language}-{features}.model"


def shipped_model(lexicon: Lexicon, features: str) -> Model:
    """Return the shipped model; raise TriageError if there is none for these features."""
    languages = lexicon.language.split(",")
    own = next((one for one in languages if model_path(one, features).exists()), "")
    path = model_path(own or FRENCH, features)
    if not path.exists():
        raise TriageError(
            f"there is no model for {lexicon.language!r} with the features {features!r}; "
            "train one with: triage train"
        )
    model = load_model(path)
    if own or not (model.words and model.words.corpus):
        return model
    # What is learnt of places, capitals, labels and corpora stays, without that of words.
    learnt = model.words.words
    kept = {name: weight for name, weight in learnt.weights.items() if not is_lexical(name)}
    corpus = replace(model.words.corpus, spelling=_spelling(lexicon))
    words = replace(model.words, words=replace(learnt, weights=kept), corpus=corpus)
    return replace(model, words=words)


def _spelling(lexicon: Lexicon) -> WordWeights:
    """Return what names are spelled like by the lists: learnt on first use, then kept."""

    def learnt() -> bytes:
        from triage.features.learn import learn_spelling

        return json.dumps(vars(learn_spelling(lexicon))).encode()

    content = cached("spelling", (lexicon.fingerprint, versions()), learnt)
    return WordWeights(**json.loads(content))


def is_of_language(model: Model, lexicon: Lexicon) -> bool:
    """Return whether a shipped model was learnt from messages in one of the languages."""
    return model.manifest.language in lexicon.language.split(",")
