"""The shipped models: those of the packs, and what other languages take of them."""

from pathlib import Path

import pytest

import triage.features.learn
from tests.dictionaries.conftest import CATALAN
from tools.model import build_models
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.features.learn import learn_spelling
from triage.features.word_evidence import is_lexical
from triage.model.learnt import load_model, model_path, shipped_model


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


def test_features_without_a_model_are_an_error(french: Lexicon) -> None:
    with pytest.raises(TriageError, match=r"no model for 'fr' .*; train one with: triage train"):
        shipped_model(french, "patel2013-normalised")


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
