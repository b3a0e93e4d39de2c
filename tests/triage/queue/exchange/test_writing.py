"""What goes out, as other programs find it: brat's rules, readers of CoNLL, spaCy, Parquet."""

import csv
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.queue.exchange import ExchangeFormat, Row, solid
from triage.type_names import TYPE_NAMES
from triage.vocabulary import IdentifierType

from .conftest import any_items, export, item

BRAT, DATASETS = ExchangeFormat.BRAT, ExchangeFormat.DATASETS
TABLE = Path("data") / "train-00000-of-00001.parquet"
TEXT = "Coucou Zoé, on part à Lyon"
FEW = settings(max_examples=60, deadline=None)


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def written(path: Path, *items: Row) -> list[Any]:
    export(path, items)
    content = text_of(path)
    rows: list[Any] = (
        [json.loads(line) for line in content.splitlines()]
        if path.suffix == ".jsonl"
        else json.loads(content)
    )
    return rows


# Sheets and annotation tools


def test_a_sheet_guards_formulas(tmp_path: Path) -> None:
    export(tmp_path / "work.csv", [item("=1+1 Zoé 06 39 98 12 34", suggested="Zoé PRE")])
    content = text_of(tmp_path / "work.csv")
    assert content.startswith("\ufeff")
    [row] = csv.DictReader(content.removeprefix("\ufeff").splitlines())
    assert row == {
        "item": "1",
        "digest": "x00000000000000000000000000000001",
        "text": "'=1+1 Zoé 06 39 98 12 34",
        "messages": "2",
        "ids": "sms_1 sms_7",
        "seek_hide": "TA",
        "model": "NTA",
        "model_score": "0.25",
        "evidence": "zoé: DICTIONARY",
        "suggested": "Zoé PRE",
        "answer": "",
        "identifiers": "Zoé PRE",
        "spans": '[[5, 8, "PRE"]]',
        "notes": "",
    }


@pytest.mark.parametrize(("text", "start"), [(TEXT, 7), ("👨🏻\u200d🚒 Zoé, tu pars ?", 8)])
def test_doccano_gets_offsets_in_utf16(text: str, start: int, tmp_path: Path) -> None:
    [row] = written(tmp_path / "work.jsonl", item(text, suggested="Zoé PRE"))
    assert (row["text"], row["entities"], row["cats"]) == (text, [[start, start + 3, "PRE"]], [])
    assert (row["item"], row["digest"], row["marked"]) == (1, "0" * 31 + "1", row["entities"])


def test_label_studio_gets_predictions_or_what_was_answered(tmp_path: Path) -> None:
    made, skipped, answered = written(
        tmp_path / "work.json",
        item(TEXT, suggested="Zoé PRE"),
        item(TEXT, "SKIP"),
        item(TEXT, "NTA"),
    )
    assert (made["data"]["text"], made["data"]["marked"]) == (TEXT, [[7, 10, "PRE"]])
    [prediction] = made["predictions"]
    assert (prediction["model_version"], prediction["score"]) == ("triage", 0.25)
    value = {"start": 7, "end": 10, "text": "Zoé", "labels": ["PRE"]}
    assert [result["value"] for result in prediction["result"]] == [value]
    assert skipped["annotations"] == [{"was_cancelled": True, "result": []}]
    assert answered["annotations"][0]["result"][0]["value"] == {"choices": ["NTA"]}


def test_names_go_together_in_tasks_and_interface(tmp_path: Path) -> None:
    view = ElementTree.fromstring((files("triage.queue") / "label_studio.xml").read_text())  # noqa: S314
    controls = {tag.get("name"): tag for tag in view.iter() if tag.get("toName")}
    labels = {label.get("value"): label.get("hint") for label in view.iter("Label")}
    assert labels == {type_.value: TYPE_NAMES[type_].one for type_ in IdentifierType}
    assert [found.get("value") for found in view.iter("Choice")] == ["TA", "NTA"]
    [shown] = view.iter("Text")
    [made] = written(tmp_path / "work.json", item(TEXT, suggested="Zoé PRE"))
    assert str(shown.get("value")).removeprefix("$") in made["data"]
    for result in made["predictions"][0]["result"]:
        control = controls[result["from_name"]]
        assert control.tag.lower() == result["type"]
        assert control.get("toName") == result["to_name"] == shown.get("name")
    # JSON-MIN puts data and controls side by side.
    assert not controls.keys() & made["data"].keys()


# brat


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


def test_a_message_of_brat_is_a_text_and_its_annotations(tmp_path: Path) -> None:
    items = [
        item("Coucou Zoé Petit", "TA", "Zoé PRE, Petit NOM"),
        item("😀👩🏽‍🚒 Zoé\r\nPetit", "TA", "Zoé\r\nPetit PRE", number=2),
    ]
    assert export(tmp_path / "out", items, BRAT) == 2
    files = {path.name: text_of(path) for path in (tmp_path / "out").iterdir()}
    sections = files.pop("annotation.conf").split("\n")
    assert [line for line in sections if line.startswith("[")] == [
        *("[entities]", "[relations]", "[events]", "[attributes]")
    ]
    assert sections[1 : 1 + len(IdentifierType)] == [*IdentifierType]
    assert len(files.pop("messages.jsonl").splitlines()) == 2
    assert files == {
        "000001.txt": "Coucou Zoé Petit",
        "000001.ann": "T1\tPRE 7 10\tZoé\nT2\tNOM 11 16\tPetit\n",
        "000002.txt": items[1].text,
        "000002.ann": "T1\tPRE 6 9;11 16\tZoé Petit\n",
    }


@FEW
@given(made=any_items())
def test_brat_accepts_whatever_is_written(made: Row, scratch: Path) -> None:
    export(scratch / "brat", [made], BRAT, overwrite=True)
    text = text_of(scratch / "brat" / "000001.txt")
    assert text == made.text
    found = accepted(text, text_of(scratch / "brat" / "000001.ann"))
    assert found == [(s.type, s.start) for s in solid(made)]


# NLP libraries


def blocks(path: Path) -> list[list[list[str]]]:
    """Return the tokens of each message as any reader of CoNLL finds them."""
    return [
        [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        for block in path.read_text(encoding="utf-8", errors="strict").split("\n\n")
        if block
    ]


def test_a_message_of_iob2_is_a_token_a_line(tmp_path: Path) -> None:
    export(tmp_path / "c.conll", [item("C'est Zoé Petit !", "TA", "Zoé PRE, Petit NOM")])
    assert text_of(tmp_path / "c.conll").split("\n") == [
        "# global.columns = ID FORM START END IOB2",
        '# id = "sms_1 sms_7"',
        "# answer = TA",
        '# text = "C\'est Zoé Petit !"',
        "1\tC'\t0\t2\tO",
        "2\test\t2\t5\tO",
        "3\tZoé\t6\t9\tB-PRE",
        "4\tPetit\t10\t15\tB-NOM",
        "5\t!\t16\t17\tO",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "named", "forms", "tags"),
    [
        ("au 06 39 98", "06 39 98 TEL", "au 06 39 98", "O B-TEL I-TEL I-TEL"),
        ("chezZoéPetit", "Zoé PRE, Petit NOM", "chez Zoé Petit", "O B-PRE B-NOM"),
        ("# Zoé", "Zoé PRE", "# Zoé", "O B-PRE"),
    ],
)
def test_tokens_are_cut_where_identifiers_begin_and_end(
    text: str, named: str, forms: str, tags: str, tmp_path: Path
) -> None:
    export(tmp_path / "c.conll", [item(text, "TA", named)])
    [found] = blocks(tmp_path / "c.conll")
    assert [row[1] for row in found] == forms.split()
    assert [row[4] for row in found] == tags.split()


@FEW
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
        assert begun == [(s.start, s.type) for s in solid(one)]


def documents(path: Path) -> list[Any]:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: the extra spacy")
    return [*spacy.tokens.DocBin().from_disk(path).get_docs(spacy.blank("fr").vocab)]


def test_identifiers_are_entities_of_spacy_and_a_group_of_spans(tmp_path: Path) -> None:
    items = [
        item("Coucou Zoé, au 06 39 98 !", "TA", "Zoé PRE, 06 39 98 TEL"),
        *(item("Coucou Zoé", answer) for answer in ("NTA", None, "SKIP")),
    ]
    assert export(tmp_path / "c.spacy", items) == 4
    first, *others = documents(tmp_path / "c.spacy")
    assert [(e.text, e.label_) for e in first.ents] == [("Zoé", "PRE"), ("06 39 98", "TEL")]
    group = [(s.start_char, s.end_char, s.label_) for s in first.spans["identifiers"]]
    assert group == [(7, 10, "PRE"), (15, 23, "TEL")]
    assert (first.cats, first.user_data["id"]) == ({"NTA": 0.0, "TA": 1.0}, "sms_1 sms_7")
    assert [other.cats for other in others] == [{"NTA": 1.0, "TA": 0.0}, {}, {}]


def rows_of_datasets(folder: Path, items: list[Row]) -> list[dict[str, Any]]:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    export(folder, items, DATASETS, overwrite=True)
    rows: list[dict[str, Any]] = parquet.read_table(folder / TABLE).to_pylist()
    return rows


@FEW
@given(made=st.lists(any_items(), max_size=3))
def test_texts_and_places_are_those_of_the_messages(made: list[Row], scratch: Path) -> None:
    export(scratch / "c.spacy", made, overwrite=True)
    rows = rows_of_datasets(scratch / "datasets", made)
    for one, document, row in zip(made, documents(scratch / "c.spacy"), rows, strict=True):
        assert document.text == row["text"] == one.text
        found = [(e.start_char, e.end_char, e.label_) for e in document.ents]
        assert found == [(s.start, s.end, s.type) for s in solid(one)]
        places = [(s["start"], s["end"], s["type"]) for s in row["spans"]]
        assert places == [(s.start, s.end, s.type) for s in one.spans]


def test_a_message_of_datasets_is_a_row_whose_types_do_not_depend_on_the_rows(
    tmp_path: Path,
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    items = [item("Coucou Zoé", "TA", "Zoé PRE"), item("ok", "NTA"), item("Zoé ?", None)]
    place = {"start": 7, "end": 10, "type": "PRE"}
    expected = [("Coucou Zoé", 1, [place]), ("ok", 0, []), ("Zoé ?", None, [])]
    assert rows_of_datasets(tmp_path / "out", items) == [
        {"id": "sms_1 sms_7", "text": text, "label": label, "spans": spans}
        for text, label, spans in expected
    ]
    card = text_of(tmp_path / "out" / "README.md")
    assert card.startswith("---\ndataset_info:\n  features:\n")
    assert "\n3 messages. " in card
    rows_of_datasets(tmp_path / "empty", [])
    full, empty = (parquet.read_schema(tmp_path / name / TABLE) for name in ("out", "empty"))
    assert full == empty
    assert str(full.field("spans").type).startswith("list<")
