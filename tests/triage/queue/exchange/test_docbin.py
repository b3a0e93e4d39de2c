"""A file for spaCy holds what spaCy reads: texts, entities, span groups and categories."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.queue.exchange import Exported, export
from triage.queue.exchange.marks import solid

from .conftest import any_items

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: the extra spacy")

Item = Callable[..., Exported]


def documents(path: Path) -> Sequence[Any]:
    bin_ = spacy.tokens.DocBin().from_disk(path)
    return [*bin_.get_docs(spacy.blank("fr").vocab)]


def test_identifiers_are_entities_and_a_group_of_spans(item: Item, tmp_path: Path) -> None:
    made = item("Coucou Zoé, au 06 39 98 !", "TA", "Zoé PRE, 06 39 98 TEL")
    assert export(tmp_path / "c.spacy", [made]) == 1
    [document] = documents(tmp_path / "c.spacy")
    assert [(e.text, e.label_) for e in document.ents] == [("Zoé", "PRE"), ("06 39 98", "TEL")]
    group = document.spans["identifiers"]
    assert [(s.start_char, s.end_char, s.label_) for s in group] == [
        (7, 10, "PRE"),
        (15, 23, "TEL"),
    ]


@pytest.mark.parametrize(
    ("answer", "categories"),
    [("TA", {"NTA": 0.0, "TA": 1.0}), ("NTA", {"NTA": 1.0, "TA": 0.0}), (None, {}), ("SKIP", {})],
)
def test_the_decision_is_a_category(
    answer: str | None, categories: dict[str, float], item: Item, tmp_path: Path
) -> None:
    export(tmp_path / "c.spacy", [item("Coucou Zoé", answer)])
    [document] = documents(tmp_path / "c.spacy")
    assert document.cats == categories
    assert document.user_data["id"] == "sms_1 sms_7"


@given(made=st.lists(any_items(), max_size=3))
def test_texts_and_places_are_those_of_the_messages(made: list[Exported], scratch: Path) -> None:
    export(scratch / "c.spacy", made, overwrite=True)
    for one, document in zip(made, documents(scratch / "c.spacy"), strict=True):
        assert document.text == one.text
        found = [(e.start_char, e.end_char, e.label_) for e in document.ents]
        assert found == [(s.start, s.end, s.type) for s in solid(one.text, one.marked)]


def test_spacy_learns_from_it(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "c.spacy", [item("Coucou Zoé", "TA", "Zoé PRE"), item("ok", "NTA")])
    nlp = spacy.blank("fr")
    examples = [
        spacy.training.Example(nlp.make_doc(document.text), document)
        for document in documents(tmp_path / "c.spacy")
    ]
    recogniser = nlp.add_pipe("ner")
    nlp.initialize(lambda: examples)
    assert recogniser.labels == ("PRE",)
    assert nlp.update(examples)["ner"] > 0


def test_the_same_messages_give_the_same_bytes(tmp_path: Path) -> None:
    program = (
        "import sys; from triage.queue.exchange import Exported, export; from triage.vocabulary "
        "import IdentifierType, Span; "
        "texts = ['Coucou Zoé', 'Salut Nico Petit', '😀 ok']; "
        "span = Span(0, 2, IdentifierType.PRE); "
        "export(sys.argv[1], [Exported(1, '', t, 1, ('1',), suggested=(span,)) for t in texts])"
    )
    for seed in "12":
        path = tmp_path / f"{seed}.spacy"
        subprocess.run(
            [sys.executable, "-c", program, path],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
    assert (tmp_path / "1.spacy").read_bytes() == (tmp_path / "2.spacy").read_bytes()
