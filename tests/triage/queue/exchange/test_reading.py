"""Answers from other tools: `cases.toml`, files that are none, and any nonsense."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.data import DataError
from triage.errors import TriageError
from triage.queue.exchange import ExchangeFormat, read
from triage.queue.rows import Counting, Row, offsets

from .conftest import export, item

CASES = cases_beside(__file__)

SECTIONS = cases_beside(__file__, "cases.toml")
FRAMES: dict[str, str] = SECTIONS.pop("frames")
NAMES = {
    "doccano": "admin.jsonl",
    "label-studio": "project-1.json",
    "csv": "work.csv",
    "iob2": "c.conll",
}
WORDS = ("Zoé", "Lyon", "Coucou", "Petit")
BRAT = ExchangeFormat.BRAT


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
    path = Path(NAMES[section.removesuffix("-approved")])
    path.write_bytes(content.encode())
    return read(path, approved=section.endswith("-approved"))


@pytest.mark.parametrize(("section", "content", "rows"), cases(errors=False))
def test_what_a_file_says(section: str, content: str, rows: list[str]) -> None:
    assert [said(row) for row in load(section, content)] == rows


@pytest.mark.parametrize(("section", "content", "reasons"), cases(errors=True))
def test_what_is_wrong_is_one_line_that_shows_no_message(
    section: str, content: str, reasons: list[str]
) -> None:
    with pytest.raises(TriageError) as error:
        load(section, content)
    line = str(error.value)
    assert NAMES[section] in line
    assert reasons[0] in line
    assert not any(word in line for word in (*WORDS, "\n"))


@pytest.mark.parametrize(("section", "name", "known"), CASES["where_rows_stand_and_whose_they_are"])
def test_where_rows_stand_and_whose_they_are(
    section: str, name: str, known: list[list[str]]
) -> None:
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


@pytest.mark.parametrize("case", CASES["brat"], ids=lambda case: case["says"])
def test_marks_that_somebody_has_changed_in_brat_are_an_answer(case: dict[str, Any]) -> None:
    assert [said(row) for row in read(of_brat(case))] == [case["says"]]


@pytest.mark.parametrize("case", CASES["wrong_brat"], ids=lambda case: case["error"])
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


@pytest.mark.parametrize("name", ["work.csv", "work.xlsx", *NAMES.values()])
def test_malformed_files_are_one_clear_line(name: str) -> None:
    for content in MALFORMED:
        Path(name).write_bytes(content)
        with pytest.raises((TriageError, DataError)) as error:
            read(Path(name))
        assert name in str(error.value)
        assert not any(word in str(error.value) for word in ("phyrine", "\n"))


ANYTHING: dict[str, list[str]] = CASES["anything"]
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
    folder = scratch / "brat"
    folder.mkdir(exist_ok=True)
    (folder / "1.txt").write_text("Zoé", encoding="utf-8")
    contents = {
        "any.jsonl": "".join(f"{json.dumps(row)}\n" for row in value),
        "any.json": json.dumps(value),
        "any.conll": "\n".join([header, *tokens]),
        "brat/1.ann": "\n".join(annotations),
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
