"""Exported items, as other programs find them: brat's rules, readers of CoNLL, spaCy, Parquet."""

import json
import re
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.queue.exchange import ExchangeFormat
from triage.queue.rows import Row
from triage.vocabulary import TYPE_NAMES, IdentifierType

from .conftest import any_items, export, item


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def test_a_sheet_guards_formulas() -> None:
    export(Path("work.csv"), [item("=1+1 Zoé 06 39 98 12 34", suggested="Zoé PRE")])
    assert text_of(Path("work.csv")).splitlines() == [
        "\ufeffitem,digest,text,messages,ids,seek_hide,model,model_score,evidence,suggested,answer,"
        "identifiers,spans,notes",
        f"1,x{1:032x},'=1+1 Zoé 06 39 98 12 34,2,sms_1 sms_7,TA,NTA,0.25,zoé: DICTIONARY,Zoé PRE,,"
        'Zoé PRE,"[[5, 8, ""PRE""]]",',
    ]


def test_names_go_together_in_tasks_and_interface() -> None:
    view = ElementTree.fromstring((files("triage.queue") / "label_studio.xml").read_text())  # noqa: S314
    controls = {tag.get("name"): tag for tag in view.iter() if tag.get("toName")}
    labels = {label.get("value"): label.get("hint") for label in view.iter("Label")}
    assert labels == {type_.value: TYPE_NAMES[type_].one for type_ in IdentifierType}
    assert [found.get("value") for found in view.iter("Choice")] == ["TA", "NTA"]
    [shown] = view.iter("Text")
    export(Path("work.json"), [item("Coucou Zoé, on part à Lyon", suggested="Zoé PRE")])
    [made] = json.loads(text_of(Path("work.json")))
    assert str(shown.get("value")).removeprefix("$") in made["data"]
    for result in made["predictions"][0]["result"]:
        control = controls[result["from_name"]]
        assert control.tag.lower() == result["type"]
        assert control.get("toName") == result["to_name"] == shown.get("name")
    # JSON-MIN puts data and controls side by side.
    assert not controls.keys() & made["data"].keys()


def accepted(text: str, annotations: str) -> list[tuple[str, int]]:
    """Return the annotations of a document, checked as brat's server/src/annotation.py does.

    It reads lines as `str.splitlines` cuts them, wants places within the text, and their texts,
    joined by a space, behind the second tab.
    """
    found = []
    for line in annotations.splitlines():
        id_, data, covered = line.split("\t", 2)
        assert re.fullmatch(r"T\d+", id_)
        type_, places = data.split(" ", 1)
        spans = [tuple(map(int, place.split(" "))) for place in places.split(";")]
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert covered == " ".join(text[start:end] for start, end in spans)
        found.append((type_, spans[0][0]))
    return found


@given(made=any_items())
def test_brat_accepts_whatever_is_written(made: Row, scratch: Path) -> None:
    export(scratch / "brat", [made], ExchangeFormat.BRAT, overwrite=True)
    text = text_of(scratch / "brat" / "000001.txt")
    assert text == made.text
    found = accepted(text, text_of(scratch / "brat" / "000001.ann"))
    assert found == [(s.type, s.start) for s in made.solid]


def blocks(path: Path) -> list[list[list[str]]]:
    """Return the tokens of each message as any reader of CoNLL finds them."""
    return [
        [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        for block in path.read_text(encoding="utf-8", errors="strict").split("\n\n")
        if block
    ]


@given(made=st.lists(any_items(), max_size=3))
def test_another_reader_finds_every_character_and_every_identifier(
    made: list[Row], scratch: Path
) -> None:
    export(scratch / "c.conll", made, overwrite=True)
    full = [one for one in made if one.text.strip()]
    for one, found in zip(full, filter(None, blocks(scratch / "c.conll")), strict=True):
        places = [(int(start), int(end)) for _, _, start, end, _ in found]
        assert [one.text[start:end] for start, end in places] == [row[1] for row in found]
        left = list(one.text)
        for start, end in places:
            left[start:end] = " " * (end - start)
        assert not "".join(left).strip()
        begun = [(int(row[2]), row[4][2:]) for row in found if row[4].startswith("B-")]
        assert begun == [(s.start, s.type) for s in one.solid]


@given(made=st.lists(any_items(), max_size=3))
def test_texts_and_places_are_those_of_the_messages(made: list[Row], scratch: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: the extra spacy")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    export(scratch / "c.spacy", made, overwrite=True)
    documents = spacy.tokens.DocBin().from_disk(scratch / "c.spacy")
    export(scratch / "datasets", made, ExchangeFormat.DATASETS, overwrite=True)
    rows = parquet.read_table(scratch / "datasets" / "data").to_pylist()
    found = documents.get_docs(spacy.blank("fr").vocab)
    for one, document, row in zip(made, found, rows, strict=True):
        assert document.text == row["text"] == one.text
        marked = [(e.start_char, e.end_char, e.label_) for e in document.ents]
        assert marked == [(s.start, s.end, s.type) for s in one.solid]
        places = [(s["start"], s["end"], s["type"]) for s in row["spans"]]
        assert places == [(s.start, s.end, s.type) for s in one.spans]
