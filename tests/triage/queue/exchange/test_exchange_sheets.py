"""The sheet that people edit in a spreadsheet."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from triage.data import create_output, open_messages
from triage.errors import TriageError
from triage.queue import Spans
from triage.queue.exchange import Exported, Imported, export, read
from triage.queue.exchange.sheets import fitted, plain_breaks

Item = Callable[..., Exported]
Find = Callable[[str, str], Spans]
Load = Callable[..., list[Imported]]
Edit = Callable[..., list[Imported]]

TEXT = "Coucou Zoé, on part à Lyon, Zoé !"


@pytest.fixture
def edit(tmp_path: Path, item: Item) -> Edit:
    """Send an item out, change cells of its row, and read it."""

    def write_and_read(text: str, suggested: str = "", /, **cells: str) -> list[Imported]:
        export(tmp_path / "work.csv", [item(text, suggested=suggested)])
        with open_messages(tmp_path / "work.csv", guarded=True) as file:
            [[row]] = [chunk.rows for chunk in file.chunks()]
            changed = dict(zip(file.columns, row, strict=True)) | cells
        with create_output(tmp_path / "back.xlsx", list(changed)) as output:
            output.write([list(changed.values())])
            output.commit()
        return read(tmp_path / "back.xlsx")

    return write_and_read


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Write rows as a file of CSV that somebody made by hand, and read it."""

    def write_and_read(header: str, *rows: str) -> list[Imported]:
        path = tmp_path / "work.csv"
        path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
        return read(path)

    return write_and_read


def test_what_goes_out(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "work.csv", [item("=1+1 Zoé 06 39 98 12 34", suggested="Zoé PRE")])
    content = (tmp_path / "work.csv").read_text(encoding="utf-8")
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


def test_ta_takes_what_is_marked(edit: Edit, spans: Find) -> None:
    """The exact place of a suggestion survives: only the first Zoé was suggested."""
    [row] = edit(TEXT, "Zoé PRE", answer=" ta ")
    assert (row.where, row.answer, row.spans) == ("row 2", "TA", spans(TEXT, "Zoé PRE"))
    assert row.digest == "00000000000000000000000000000001"


def test_what_is_added_is_found_and_the_rest_stays(edit: Edit, spans: Find) -> None:
    [row] = edit(TEXT, "Zoé PRE", answer="TA", identifiers="Zoé PRE | lyon lie")
    assert row.spans == spans(TEXT, "Zoé PRE, Lyon LIE")


def test_what_is_written_anew_stands_wherever_it_stands(edit: Edit) -> None:
    [row] = edit(TEXT, "Zoé PRE", answer="TA", identifiers="Zoé SUR")
    assert [(s.start, s.end, s.type.value) for s in row.spans] == [(7, 10, "SUR"), (28, 31, "SUR")]


def test_what_is_taken_away_is_no_identifier(edit: Edit, spans: Find) -> None:
    [row] = edit(TEXT, "Zoé PRE, Lyon LIE", answer="TA", identifiers="Lyon LIE")
    assert row.spans == spans(TEXT, "Lyon LIE")


@pytest.mark.parametrize("cell", ["", "  ", "|"])
def test_ta_without_identifiers_marks_none(cell: str, edit: Edit) -> None:
    [row] = edit(TEXT, "Zoé PRE", answer="TA", identifiers=cell)
    assert (row.answer, row.spans) == ("TA", ())


@pytest.mark.parametrize("cell", ["Zoé PRE", ""])
def test_nta_leaves_suggestions_where_they_are(cell: str, edit: Edit) -> None:
    [row] = edit(TEXT, "Zoé PRE", answer="NTA", identifiers=cell)
    assert (row.answer, row.spans) == ("NTA", ())


def test_nta_with_an_identifier_of_its_own_is_refused(edit: Edit) -> None:
    with pytest.raises(TriageError, match="row 2: the answer is NTA, and yet identifiers"):
        edit(TEXT, "Zoé PRE", answer="NTA", identifiers="Lyon LIE")


@pytest.mark.parametrize(("cell", "answer"), [("", None), (" ", None), ("Skip", "SKIP")])
def test_rows_without_decision(cell: str, answer: str | None, edit: Edit) -> None:
    [row] = edit(TEXT, "Zoé PRE", answer=cell, identifiers="nonsense")
    assert (row.answer, row.spans) == (answer, ())


@pytest.mark.parametrize(
    ("text", "cell", "found"),
    [
        ("Rose aime le rose", "Rose PRE", ["Rose"]),
        ("rose ROSE Rosée", "Rose PRE", ["rose", "ROSE"]),
        ("Jean-Paul et Jean", "Jean PRE | Jean-Paul PRE", ["Jean-Paul", "Jean"]),
        ("06\n39  98", "06 39 98 TEL", ["06\n39  98"]),
        ("C'est l’Étoile", "l'étoile LIE", ["l’Étoile"]),
        ("@lea_02 @lea_021", "@lea_02 SUR", ["@lea_02"]),
        ("a|b", "a¦b COD", ["a|b"]),
        ("Le\u0301a et Le", "Le PRE", ["Le"]),
        ("(.*) Zoé", "(.*) COD", ["(.*)"]),
        ("😀Zoé😀", "😀 COD", ["😀", "😀"]),
    ],
)
def test_identifiers_are_whole_words(text: str, cell: str, found: list[str], edit: Edit) -> None:
    [row] = edit(text, answer="TA", identifiers=cell)
    assert [row.text[span.start : span.end] for span in row.spans] == found


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"answer": "oui"}, "'oui' is no answer: say TA, NTA or SKIP"),
        ({"answer": TEXT}, "… is no answer"),
        ({"identifiers": "Zo PRE"}, "identifier 1 is not in the text"),
        ({"identifiers": "Zoé PRE | Tim PRE"}, "identifier 2 is not in the text"),
        ({"identifiers": "Zoé"}, "identifier 1 must be a word and its type"),
        ({"identifiers": "PRE"}, "identifier 1 must be a word and its type"),
        ({"identifiers": "Zoé PERS"}, "types are: PRE, NOM"),
        ({"identifiers": "Coucou Zoé"}, "types are: PRE, NOM"),
        ({"identifiers": "Lyon LIE | lyon NOM"}, "stands where another one does"),
        ({"spans": "[[0"}, "the cell of spans is not JSON"),
        ({"spans": '[[0, 99, "PRE"]]'}, "does not fit the text"),
        ({"spans": "{}"}, "a start, an end and a type"),
        ({"text": ""}, "the text is missing"),
    ],
)
def test_wrong_rows(cells: dict[str, str], reason: str, edit: Edit) -> None:
    with pytest.raises(TriageError) as error:
        edit(TEXT, "Zoé PRE", **{"answer": "TA", **cells})
    message = str(error.value)
    assert "back.xlsx, row 2: " in message
    assert reason in message
    assert "\n" not in message
    assert not any(word in message for word in ("Coucou", "Zoé", "Lyon", "Tim"))


def test_a_sheet_made_by_hand(load: Load, spans: Find) -> None:
    rows = load(
        "text;answer;identifiers;annotator", "Coucou Zoé;TA;Zoé PRE;anna", "On arrive;NTA;;anna"
    )
    assert [(r.where, r.annotator, r.answer, r.digest) for r in rows] == [
        ("line 2", "anna", "TA", ""),
        ("line 3", "anna", "NTA", ""),
    ]
    assert rows[0].spans == spans("Coucou Zoé", "Zoé PRE")


def test_exact_spans_alone(load: Load, spans: Find) -> None:
    [row] = load("text,answer,spans", 'Coucou Zoé,TA,"[[7, 10, ""PRE""]]"')
    assert row.spans == spans("Coucou Zoé", "Zoé PRE")


@pytest.mark.parametrize("spans", ["[" * 100_000, "NaN", "[[NaN, 3, 4]]", "[[1e999, 3, 4]]"])
def test_spans_that_are_nonsense(spans: str, load: Load) -> None:
    with pytest.raises(TriageError, match="line 2: "):
        load("text,answer,spans", f'Coucou,TA,"{spans}"')


def test_rows_that_cannot_be_read_are_named(load: Load) -> None:
    with pytest.raises(TriageError, match="line 3: 3 fields where the header has 2"):
        load("text,answer", "Coucou,NTA", "Coucou, Zoé,NTA")


def test_columns_that_are_missing(load: Load) -> None:
    with pytest.raises(TriageError, match="no column 'answer'"):
        load("text,label", "Coucou,NTA")
    with pytest.raises(TriageError, match="no column 'text'"):
        load("mot,answer", "Coucou,NTA")


def test_a_spreadsheet_may_change_line_breaks(item: Item, spans: Find, tmp_path: Path) -> None:
    text = "Hé Zoé\r\nZoé à\rLyon"
    second = replace(item(text, "TA"), spans=spans(text, "Lyon LIE"))
    export(tmp_path / "work.csv", [second])
    content = (tmp_path / "work.csv").read_bytes()
    (tmp_path / "work.csv").write_bytes(content.replace(b"\xc3\xa9\r\n", b"\xc3\xa9\n"))
    [row] = read(tmp_path / "work.csv")
    assert row.text == "Hé Zoé\nZoé à\rLyon"
    assert row.spans == spans(row.text, "Lyon LIE")
    back = fitted(row, text)
    assert (back.text, back.spans) == (text, spans(text, "Lyon LIE"))


def test_a_text_that_was_changed_does_not_fit(edit: Edit) -> None:
    [row] = edit(TEXT, answer="NTA", text="Coucou Zoe")
    with pytest.raises(TriageError, match="row 2: the text is not that of the item") as error:
        fitted(row, TEXT)
    assert "Zo" not in str(error.value)
    assert fitted(row, "Coucou Zoe") is row


def test_plain_line_breaks() -> None:
    assert plain_breaks("a\r\nb\rc\nd\n\r") == "a\nb\nc\nd\n\n"
