"""Items go out as other programs find them, and come back with the same answers, or not at all."""

import json
import re
import sys
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.data import DataError
from triage.errors import TriageError
from triage.queue import Answer, Spans
from triage.queue.exchange import SHEETS, ExchangeFormat, checked_format, read
from triage.queue.rows import Destination, Row, fitted
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
    view = ElementTree.fromstring((files("triage.queue") / "label_studio.xml").read_text())
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


CASES = cases_beside(__file__)
# A name for each format that is read again, which may need its format said.
NAMES = {
    ExchangeFormat.CSV: "work.csv",
    ExchangeFormat.XLSX: "work.xlsx",
    ExchangeFormat.DOCCANO: "work.jsonl",
    ExchangeFormat.LABEL_STUDIO: "work.json",
    ExchangeFormat.IOB2: "work.conll",
    ExchangeFormat.BRAT: "work",
}
# These keep identifiers without the white space around them, and know no digest.
OF_WORDS = (ExchangeFormat.IOB2, ExchangeFormat.BRAT)
every_format = pytest.mark.parametrize("format_", NAMES)

Expected = list[tuple[str, str, Answer | None, Spans]]


def there_and_back(folder: Path, format_: ExchangeFormat, items: list[Row]) -> Expected:
    path = folder / NAMES[format_]
    assert export(path, items, format_, overwrite=True) == len(items)
    rows = read(path, format_)
    return [(row.digest or row.id, row.text, row.answer, row.spans) for row in rows]


def expected(items: list[Row], format_: ExchangeFormat) -> Expected:
    """Return what must come back: only a TA has spans."""
    found = []
    for one in items:
        spans = one.solid if format_ in OF_WORDS else one.spans
        key = one.id if format_ in OF_WORDS else one.digest
        found.append((key, one.text, one.answer, spans if one.answer == "TA" else ()))
    return found


@every_format
@given(made=st.lists(any_items(1), min_size=1, max_size=3))
def test_whatever_is_answered_comes_back(
    format_: ExchangeFormat, made: list[Row], scratch: Path
) -> None:
    assert there_and_back(scratch, format_, made) == expected(made, format_)


@every_format
def test_what_was_there_stays_unless_all_is_written(format_: ExchangeFormat) -> None:
    def broken() -> list[Row]:
        raise RuntimeError

    path = Path(NAMES[format_])
    export(path, [item("avant", "NTA")], format_)
    with pytest.raises(DataError, match="exists already"):
        export(path, [item("ok")], format_)
    items = (made for make in [lambda: [item("Coucou")], broken] for made in make())
    with pytest.raises(RuntimeError):
        export(path, items, format_, overwrite=True)
    assert [row.text for row in read(path, format_)] == ["avant"]
    assert list(Path().iterdir()) == [path]


@every_format
def test_no_items_and_files_that_are_not_there(format_: ExchangeFormat) -> None:
    path = Path(NAMES[format_])
    export(path, [], format_)
    if format_ is ExchangeFormat.DOCCANO:
        with pytest.raises(TriageError, match="is empty"):
            read(path, format_)
    else:
        assert read(path, format_) == []
    if format_ is not ExchangeFormat.BRAT:
        with pytest.raises(DataError, match="cannot read"):
            read(Path(f"absent{path.suffix}"))
        with pytest.raises(DataError, match="cannot write"):
            export(Path("nowhere") / path.name, [])


def test_a_spreadsheet_may_change_line_breaks_but_not_the_text() -> None:
    text = "Hé Zoé\r\nZoé à\rLyon"
    export(Path("work.csv"), [item(text, "TA", "Lyon LIE")])
    content = Path("work.csv").read_bytes()
    Path("work.csv").write_bytes(content.replace(b"\xc3\xa9\r\n", b"\xc3\xa9\n"))
    [row] = read(Path("work.csv"))
    assert row.text == "Hé Zoé\nZoé à\rLyon"
    back = fitted(row, text)
    assert (back.text, back.spans) == (text, item(text, "TA", "Lyon LIE").spans)
    assert fitted(row, row.text) is row
    with pytest.raises(TriageError, match="line 2: the text is not that of the item") as error:
        fitted(row, "Hé Zoe")
    assert "Zo" not in str(error.value)


def test_the_formats_that_are_named_are_those_that_are_taken() -> None:
    with pytest.raises(TriageError, match="iob2, brat, or end it in") as error:
        read(Path("work"))
    assert "spacy" not in str(error.value)
    with pytest.raises(TriageError, match="spacy, datasets, or end it in") as error:
        checked_format(Destination(Path("work")), None, (), without=SHEETS)
    assert "csv" not in str(error.value)


def test_a_format_has_its_names_and_any_other_if_it_is_said() -> None:
    for name, said, reason in CASES["no_format"]:
        with pytest.raises(TriageError, match=reason):
            export(Path(name), [], ExchangeFormat(said) if said else None)
    for name, said in CASES["named"]:
        format_ = ExchangeFormat(said) if said else None
        export(Path(name), [item("Coucou\r\nZoé", "TA", "Zoé PRE")], format_)
        [row] = read(Path(name), format_ if name.endswith("data") else None)
        assert (row.text, row.answer, len(row.spans)) == ("Coucou\r\nZoé", "TA", 1)


def test_what_is_only_written_says_so_and_names_a_missing_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for format_, module, extra in (
        (ExchangeFormat.SPACY, "spacy.tokens", r"spacy is not installed: pip install '\.\[spacy"),
        (ExchangeFormat.DATASETS, "pyarrow", r"pip install '\.\[parquet\]'"),
    ):
        with pytest.raises(TriageError, match=f"{format_} is written only"):
            read(Path("work"), format_)
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(DataError, match=extra):
            export(Path("work"), [item("Coucou Zoé")], format_)
    assert list(Path().iterdir()) == []
