"""Items go out as other programs find them, and come back with the same answers, or not at all."""

import json
import re
import sys
from collections.abc import Iterable
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.data import DataError
from triage.errors import TriageError
from triage.queue import Answer, Span, Spans
from triage.queue.exchange import FORMATS, ExchangeFormat, checked_format, read
from triage.queue.rows import Counting, Destination, Row, fitted, offsets
from triage.vocabulary import TYPE_NAMES, IdentifierType

SECTIONS = cases_beside(__file__, "cases.toml")
READ, WRITTEN = (cases_beside(__file__, f"{name}.toml") for name in ("reading", "writing"))
FRAMES: dict[str, str] = SECTIONS.pop("frames")
# A name for each format that is read again, which may need its format said.
NAMES = {
    ExchangeFormat.CSV: "work.csv",
    ExchangeFormat.XLSX: "work.xlsx",
    ExchangeFormat.DOCCANO: "work.jsonl",
    ExchangeFormat.LABEL_STUDIO: "work.json",
    ExchangeFormat.IOB2: "work.conll",
    ExchangeFormat.BRAT: "work",
}
WORDS = ("Zoé", "Lyon", "Coucou", "Petit")
BRAT = ExchangeFormat.BRAT

ABOUT = {"messages": 2, "seek_hide": "TA", "model": "NTA", "model_score": 0.25, "evidence": "zoé"}


def spans_in(text: str, named: str) -> Spans:
    """Return where words stand first: ``Zoé PRE, Lyon LIE``."""
    found = []
    for entry in filter(None, named.split(", ")):
        word, type_ = entry.rsplit(" ", 1)
        start = text.index(word)
        found.append(Span(start, start + len(word), IdentifierType(type_)))
    return tuple(found)


def item(
    text: str, answer: str | None = None, named: str = "", suggested: str = "", number: int = 1
) -> Row:
    """Return an item with what is suggested and what an annotator said."""
    suggestions = spans_in(text, suggested)
    about = {"item": number, "digest": f"{number:032x}", "ids": ["sms_1", "sms_7"]}
    spans = spans_in(text, named) if answer in ("TA", "NTA") else suggestions
    said = Answer(answer) if answer else None
    return Row("sms_1 sms_7", text, spans, said, ABOUT | about, suggested=suggestions)


# Letters, white space of every kind, what formats quote, emoji of several code points.
PIECES = [
    *"abZé0'\"\\#|=;_-@+,<",
    *(" ", "  ", "\t", "\n", "\r\n", "\r", "\u00a0", "\u2028", "\x85"),
    *("😀", "👩🏽‍🚒", "🇫🇷", "e\u0301", ":)", "Zoé", "l’", "06 39", "\ufeff"),
]


@st.composite
def any_items(draw: st.DrawFn, least: int = 0) -> Row:
    """Make a message, perhaps empty, with identifiers, which may touch, and an answer."""
    pieces = draw(st.lists(st.sampled_from(PIECES), min_size=least, max_size=12))
    edges = [sum(map(len, pieces[:n])) for n in range(len(pieces) + 1)]
    starts = sorted(draw(st.sets(st.sampled_from(edges), max_size=8)))
    spans = tuple(
        Span(start, end, draw(st.sampled_from(IdentifierType)))
        for start, end in pairwise(starts)
        if draw(st.booleans())
    )
    answer = draw(st.none() | st.sampled_from(Answer))
    id_ = draw(st.sampled_from(["1", "a/b", 'é\n"', "../x"]))
    return Row(id_, "".join(pieces), spans, answer, ABOUT | {"digest": "ab12"})


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exchange")


def export(
    path: Path,
    rows: Iterable[Row],
    format_: ExchangeFormat | None = None,
    *,
    overwrite: bool = False,
) -> int:
    to = Destination(path, overwrite=overwrite)
    return FORMATS[checked_format(to, format_, ())].write(to, rows)


def cases(*, errors: bool) -> list[object]:
    return [
        pytest.param(section.removesuffix("-errors"), content, expected, id=f"{section}: {name}")
        for section, of_format in SECTIONS.items()
        if section.endswith("-errors") == errors
        for name, (content, *expected) in of_format.items()
    ]


def said(row: Row) -> str:
    """Return an answer and what is marked, as the cases write it."""
    marked = ", ".join(f"{row.text[s.start : s.end]} {s.type}" for s in row.spans)
    return f"{row.answer or '-'}{': ' if marked else ''}{marked}"


def load(section: str, content: str | dict[str, str]) -> list[Row]:
    if isinstance(content, dict):
        [(frame, held)] = content.items()
        content = FRAMES[frame].replace("@", held)
    path = Path(NAMES[ExchangeFormat(section.removesuffix("-approved"))])
    path.write_bytes(content.encode())
    return read(path, approved=section.endswith("-approved"))


@pytest.mark.parametrize(("section", "content", "rows"), cases(errors=False))
def test_what_a_file_says(section: str, content: str, rows: list[str]) -> None:
    assert [said(row) for row in load(section, content)] == rows


@pytest.mark.parametrize(("section", "content", "reasons"), cases(errors=True))
def test_what_is_wrong_is_one_clear_line(section: str, content: str, reasons: list[str]) -> None:
    with pytest.raises(TriageError) as error:
        load(section, content)
    line = str(error.value)
    assert NAMES[ExchangeFormat(section)] in line
    assert reasons[0] in line
    assert not any(word in line for word in (*WORDS, "\n"))


@pytest.mark.parametrize(("section", "name", "known"), READ["where_rows_stand_and_whose_they_are"])
def test_where_rows_stand_and_whose_it_is(section: str, name: str, known: list[list[str]]) -> None:
    rows = load(section, SECTIONS[section][name][0])
    assert [[row.where, row.digest, row.annotator] for row in rows] == known


def of_brat(case: dict[str, Any]) -> Path:
    """Export a message to a folder of brat, and change that as somebody has."""
    folder = Path("out")
    export(folder, [item(case["text"], suggested="Zoé PRE")], BRAT)
    if case.get("crlf"):
        for path in folder.iterdir():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    for name, content in case["files"].items():
        (folder / name).write_bytes(content.encode(case.get("encoding", "utf-8")))
    return folder


@pytest.mark.parametrize("case", READ["brat"], ids=lambda case: case["says"])
def test_marks_that_somebody_has_changed_in_brat_are_an_answer(case: dict[str, Any]) -> None:
    assert [said(row) for row in read(of_brat(case))] == [case["says"]]


@pytest.mark.parametrize("case", READ["wrong_brat"], ids=lambda case: case["error"])
def test_what_is_wrong_in_brat_is_one_clear_line(case: dict[str, Any]) -> None:
    with pytest.raises(TriageError, match=case["error"]) as error:
        read(of_brat(case))
    assert "document 000001" in str(error.value)
    assert not any(word in str(error.value) for word in (*WORDS, "\n"))


def test_approved_documents_of_brat_are_answered_by_their_marks() -> None:
    items = [item("Zoé Petit", suggested="Zoé PRE"), item("ok", number=2), item("oui", "NTA")]
    export(Path("out"), items, BRAT)
    rows = read(Path("out"), approved=True)
    assert [said(row) for row in rows] == ["TA: Zoé PRE", "NTA", "NTA"]


def test_a_folder_that_another_program_has_written_is_read() -> None:
    Path("doc-7.txt").write_bytes("Coucou Zoé\n".encode())
    Path("doc-7.ann").write_bytes("T1\tpre 7 10\tZoé\nR1\tKnows Arg1:T1 Arg2:T1\n".encode())
    [row] = read(Path())
    assert (row.where, row.id, row.text) == ("document doc-7", "doc-7", "Coucou Zoé\n")
    assert said(row) == "TA: Zoé PRE"


def test_the_text_of_a_task_is_counted_once_for_all_its_marks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []

    def offsets_of(text: str, counting: Counting) -> list[int]:
        counted.append(text)
        return offsets(text, counting)

    monkeypatch.setattr("triage.queue.rows.offsets", offsets_of)
    marks = [
        {"type": "labels", "value": {"start": n, "end": n + 1, "text": "a", "labels": ["PRE"]}}
        for n in range(40)
    ]
    task = {"id": 1, "data": {"text": "a" * 40}, "annotations": [{"result": marks}]}
    Path("project-1.json").write_text(json.dumps([task]))
    [row] = read(Path("project-1.json"))
    assert (len(row.spans), len(counted)) == (40, 2)


MALFORMED = [
    *(b"", b" \n", b"\xff\xfe\x00", b"Coucou Z\xe9phyrine", b"PK\x03\x04Zephyrine"),
    *(b"[" * 100_000, b'{"a":' * 100_000, b"{}", b"[[]]", b"[1]", b'"Zephyrine"', b"null"),
    *(b'[{"data": {"text": NaN}}]', b'{"text": NaN, "label": []}'),
    *(b'{"text": ' + b"9" * 5000 + b"}", b"text,mot\nCoucou Zephyrine,oui\n"),
    b'text,answer\n"Zephyrine\n',
]


@pytest.mark.parametrize("name", [*NAMES.values()][:-1])
def test_malformed_files_are_one_clear_line(name: str) -> None:
    for content in MALFORMED:
        Path(name).write_bytes(content)
        with pytest.raises((TriageError, DataError)) as error:
            read(Path(name))
        assert name in str(error.value)
        assert not any(word in str(error.value) for word in ("phyrine", "\n"))


ANYTHING: dict[str, list[str]] = READ["anything"]
KEYS = st.sampled_from(ANYTHING["keys"])
plain = (
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.just(1e999)
    | st.sampled_from([*ANYTHING["values"], "\ud83d"])
)
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner), max_leaves=8
)
objects = st.lists(st.dictionaries(KEYS, values, min_size=1), min_size=1)
# A number may be too long for Python.
iob2, brat = (
    st.lists(
        st.sampled_from([line.replace("@", "9" * 5000) for line in ANYTHING[name]]), max_size=8
    )
    for name in ("iob2", "brat")
)


@pytest.mark.slow
@given(value=objects, tokens=iob2, annotations=brat)
def test_anything_is_read_or_refused(
    value: list[object], tokens: list[str], annotations: list[str], scratch: Path
) -> None:
    header = "# global.columns = ID FORM START END IOB2"
    folder = scratch / "any"
    folder.mkdir(exist_ok=True)
    (folder / "1.txt").write_text("Zoé", encoding="utf-8")
    contents = {
        "any.jsonl": "".join(f"{json.dumps(row)}\n" for row in value),
        "any.json": json.dumps(value),
        "any.conll": "\n".join([header, *tokens]),
        "any/1.ann": "\n".join(annotations),
    }
    for name, content in contents.items():
        path = scratch / name
        path.write_text(content, encoding="utf-8", newline="")
        try:
            rows = read(folder if path.parent == folder else path)
        except TriageError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert all(span.end <= len(row.text) for row in rows for span in row.spans)
            assert all(row.answer == "TA" or not row.spans for row in rows)
            assert "\ud83d" not in "".join(row.text for row in rows)


def test_names_go_together_in_tasks_and_interface() -> None:
    view = ElementTree.fromstring((files("triage.queue") / "label_studio.xml").read_text())
    controls = {tag.get("name"): tag for tag in view.iter() if tag.get("toName")}
    labels = {label.get("value"): label.get("hint") for label in view.iter("Label")}
    assert labels == {type_.value: TYPE_NAMES[type_].one for type_ in IdentifierType}
    assert [found.get("value") for found in view.iter("Choice")] == ["TA", "NTA"]
    [shown] = view.iter("Text")
    export(Path("work.json"), [item("Coucou Zoé, on part à Lyon", suggested="Zoé PRE")])
    [made] = json.loads(Path("work.json").read_bytes())
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
    text = (scratch / "brat" / "000001.txt").read_bytes().decode()
    assert text == made.text
    found = accepted(text, (scratch / "brat" / "000001.ann").read_bytes().decode())
    assert found == [(s.type, s.start) for s in made.solid]


@given(made=st.lists(any_items(), max_size=3))
def test_another_reader_finds_characters_and_identifiers(made: list[Row], scratch: Path) -> None:
    export(scratch / "c.conll", made, overwrite=True)
    full = [one for one in made if one.text.strip()]
    blocks = (scratch / "c.conll").read_text(encoding="utf-8").split("\n\n")
    tokens = [
        [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        for block in blocks
    ]
    for one, found in zip(full, filter(None, tokens), strict=True):
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


# These keep identifiers without the white space around them, and know no digest.
OF_WORDS = (ExchangeFormat.IOB2, ExchangeFormat.BRAT)
every_format = pytest.mark.parametrize("format_", NAMES)


@every_format
@given(made=st.lists(any_items(1), min_size=1, max_size=3))
def test_what_is_answered_is_read(format_: ExchangeFormat, made: list[Row], scratch: Path) -> None:
    path, of_words = scratch / NAMES[format_], format_ in OF_WORDS
    assert export(path, made, format_, overwrite=True) == len(made)
    found = [(one.digest or one.id, one.text, one.answer, one.spans) for one in read(path, format_)]
    assert [row[:3] for row in found] == [
        (one.id if of_words else one.digest, one.text, one.answer) for one in made
    ]
    # Only a TA has spans.
    spans = [one.solid if of_words else one.spans for one in made if one.answer == "TA"]
    assert [row[3] for row in found if row[2] == "TA"] == spans
    assert not any(row[3] for row in found if row[2] != "TA")


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


def test_a_format_has_its_names_and_any_other_if_it_is_said() -> None:
    for name, said, reason in WRITTEN["no_format"]:
        with pytest.raises(TriageError, match=reason):
            export(Path(name), [], ExchangeFormat(said) if said else None)
    for name, said in WRITTEN["named"]:
        format_ = ExchangeFormat(said) if said else None
        export(Path(name), [item("Coucou\r\nZoé", "TA", "Zoé PRE")], format_)
        [row] = read(Path(name), format_ if name.endswith("data") else None)
        assert (row.text, row.answer, len(row.spans)) == ("Coucou\r\nZoé", "TA", 1)


def test_what_is_only_written_names_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
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
