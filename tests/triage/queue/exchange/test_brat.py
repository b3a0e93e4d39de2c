"""A folder of brat holds what brat's own parser accepts, and gives it back."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.data import DataError
from triage.errors import TriageError
from triage.queue.exchange import ExchangeFormat, Exported, export, read, read_rows
from triage.queue.exchange.marks import solid
from triage.vocabulary import IdentifierType

from .conftest import any_items

Item = Callable[..., Exported]
BRAT = ExchangeFormat.BRAT


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def accepted(text: str, annotations: str) -> list[tuple[str, int, int]]:
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
        found.append((type_, spans[0][0], spans[-1][1]))
    return found


def test_a_message_is_a_text_and_its_annotations(item: Item, tmp_path: Path) -> None:
    items = [item("Coucou Zoé Petit", "TA", "Zoé PRE, Petit NOM"), item("ok", "NTA", number=2)]
    assert export(tmp_path / "out", items, BRAT) == 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *("000001.ann", "000001.txt", "000002.ann", "000002.txt"),
        *("annotation.conf", "messages.jsonl"),
    ]
    assert text_of(tmp_path / "out" / "000001.txt") == "Coucou Zoé Petit"
    assert text_of(tmp_path / "out" / "000001.ann") == "T1\tPRE 7 10\tZoé\nT2\tNOM 11 16\tPetit\n"
    assert text_of(tmp_path / "out" / "000002.ann") == ""


def test_the_configuration_names_all_types_and_the_four_sections(tmp_path: Path) -> None:
    export(tmp_path / "out", [], BRAT)
    lines = text_of(tmp_path / "out" / "annotation.conf").split("\n")
    assert [line for line in lines if line.startswith("[")] == [
        *("[entities]", "[relations]", "[events]", "[attributes]")
    ]
    assert lines[1 : 1 + len(IdentifierType)] == [*IdentifierType]


def test_offsets_count_code_points(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "out", [item("😀👩🏽‍🚒 Zoé", "TA", "Zoé PRE")], BRAT)
    assert text_of(tmp_path / "out" / "000001.ann") == "T1\tPRE 6 9\tZoé\n"


def test_an_identifier_over_a_line_break_is_in_pieces(item: Item, tmp_path: Path) -> None:
    made = item("chez Zoé\r\nPetit", "TA", "Zoé\r\nPetit PRE")
    export(tmp_path / "out", [made], BRAT)
    assert text_of(tmp_path / "out" / "000001.txt") == made.text
    assert text_of(tmp_path / "out" / "000001.ann") == "T1\tPRE 5 8;10 15\tZoé Petit\n"
    [row] = read(tmp_path / "out")
    assert row.spans == made.spans


@given(made=any_items())
def test_brat_accepts_whatever_is_written(made: Exported, scratch: Path) -> None:
    export(scratch / "brat", [made], BRAT, overwrite=True)
    text = text_of(scratch / "brat" / "000001.txt")
    assert text == made.text
    found = accepted(text, text_of(scratch / "brat" / "000001.ann"))
    places = [(type_, start) for type_, start, _ in found]
    assert places == [(s.type, s.start) for s in solid(text, made.marked)]


@given(made=st.lists(any_items(), min_size=1, max_size=3))
def test_whatever_is_written_comes_back(made: list[Exported], scratch: Path) -> None:
    export(scratch / "back", made, BRAT, overwrite=True)
    for one, row in zip(made, read_rows(scratch / "back"), strict=True):
        spans = solid(one.text, one.marked) if one.answer == "TA" else ()
        assert (row.text, row.answer, row.spans, row.id) == (one.text, one.answer, spans, one.id)


@pytest.mark.parametrize(
    ("annotations", "answer", "spans"),
    [
        ("T1\tPRE 0 3\tZoé\n", None, []),
        ("", "NTA", []),
        ("T1\tPRE 0 3\tZoé\nT2\tNOM 4 9\tPetit\n", "TA", [(0, 3, "PRE"), (4, 9, "NOM")]),
        ("T7\tNOM 4 9\tPetit\n#1\tAnnotatorNotes T7\tsûr\nA1\tSure T7\n", "TA", [(4, 9, "NOM")]),
    ],
)
def test_marks_that_somebody_has_changed_are_an_answer(
    annotations: str,
    answer: str | None,
    spans: list[tuple[int, int, str]],
    item: Item,
    tmp_path: Path,
) -> None:
    export(tmp_path / "out", [item("Zoé Petit", suggested="Zoé PRE")], BRAT)
    (tmp_path / "out" / "000001.ann").write_text(annotations, encoding="utf-8")
    [row] = read(tmp_path / "out")
    assert (row.answer, [*row.spans]) == (answer, spans)


def test_approved_documents_are_answered_by_their_marks(item: Item, tmp_path: Path) -> None:
    items = [item("Zoé Petit", suggested="Zoé PRE"), item("ok", number=2), item("oui", "NTA")]
    export(tmp_path / "out", items, BRAT)
    assert [row.answer for row in read(tmp_path / "out", approved=True)] == ["TA", "NTA", "NTA"]


def test_a_folder_that_another_program_has_written_is_read(tmp_path: Path) -> None:
    (tmp_path / "doc-7.txt").write_bytes("Coucou Zoé\n".encode())
    (tmp_path / "doc-7.ann").write_bytes("T1\tpre 7 10\tZoé\nR1\tKnows Arg1:T1 Arg2:T1\n".encode())
    [row] = read(tmp_path)
    assert (row.where, row.id, row.text, row.answer) == (
        "document doc-7",
        "doc-7",
        "Coucou Zoé\n",
        "TA",
    )
    assert [*row.spans] == [(7, 10, "PRE")]


@pytest.mark.parametrize(
    ("annotations", "reason"),
    [
        ("T1\tPRE 0 3\tZoé\nT2\tNOM 2 9\té Petit\n", "two identifiers overlap at 2"),
        ("T1\tPRE 0 99\tZoé\n", "does not fit the text"),
        ("T1\tCITY 0 3\tZoé\n", "is no type of identifiers"),
        ("T1\tPRE zero 3\tZoé\n", "its annotation T1 is none of brat"),
        ("T1 PRE 0 3 Zoé\n", "none of brat"),
        ("T1\tPRE 0 1;4 9\tZ Petit\n", "its annotation T1 is in pieces"),
        ("T1\tPRE 4 9;0 3\tPetit Zoé\n", "its annotation T1 is in pieces"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(
    annotations: str, reason: str, item: Item, tmp_path: Path
) -> None:
    export(tmp_path / "out", [item("Zoé Petit")], BRAT)
    (tmp_path / "out" / "000001.ann").write_text(annotations, encoding="utf-8")
    with pytest.raises(TriageError, match=reason) as error:
        read(tmp_path / "out")
    assert "document 000001" in str(error.value)
    assert "Petit" not in str(error.value)


LINES = [
    *(
        "T1\tPRE 0 3\tZoé",
        "T2\tNOM 4 9\tPetit",
        "T3\tPRE 0 3;4 9\tZoé Petit",
        "T",
        "T\t",
        "T1\tPRE",
    ),
    *(
        "T1\tPRE 3 0\t",
        "T1\tPRE 0 0\t",
        f"T1\tPRE 0 {'9' * 5000}\tZoé",
        "T1\tPRE 0 3;\tZoé",
        "é\x85T1",
    ),
    *(
        "#1\tAnnotatorNotes T1\tsûr",
        "R1\tA Arg1:T1 Arg2:T2",
        "*\tEquiv T1 T2",
        "",
        " ",
        "\r",
        "\x00",
    ),
]


@given(lines=st.lists(st.sampled_from(LINES), max_size=5))
def test_any_annotations_are_read_or_refused(lines: list[str], scratch: Path) -> None:
    folder = scratch / "any"
    folder.mkdir(exist_ok=True)
    (folder / "1.txt").write_text("Zoé Petit", encoding="utf-8")
    (folder / "1.ann").write_text("\n".join(lines), encoding="utf-8", newline="")
    try:
        [row] = read(folder)
    except TriageError as error:
        assert "\n" not in str(error)  # noqa: PT017
        assert "Petit" not in str(error)  # noqa: PT017
    else:
        assert all(0 <= span.start < span.end <= 9 for span in row.spans)


def test_documents_that_are_not_utf8_are_named(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "out", [item("Zoé Petit")], BRAT)
    (tmp_path / "out" / "000001.txt").write_bytes(b"Zo\xe9")
    with pytest.raises(TriageError, match=r"document 000001: 000001\.txt is not UTF-8"):
        read(tmp_path / "out")


def test_a_damaged_index_is_one_clear_line(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "out", [item("Zoé Petit")], BRAT)
    index = tmp_path / "out" / "messages.jsonl"
    index.write_text(json.dumps({"document": "000001", "marked": [["Zoé"]]}), encoding="utf-8")
    with pytest.raises(TriageError, match="identifiers must be lists") as error:
        read(tmp_path / "out")
    assert "\n" not in str(error.value)


def test_an_annotated_folder_is_replaced_only_when_asked(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "out", [item("Zoé Petit")], BRAT)
    with pytest.raises(DataError, match="exists already"):
        export(tmp_path / "out", [item("ok")], BRAT)
    export(tmp_path / "out", [item("ok")], BRAT, overwrite=True)
    assert text_of(tmp_path / "out" / "000001.txt") == "ok"
