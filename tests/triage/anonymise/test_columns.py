"""Columns are written because somebody chose so, changed as they said, and searched before."""

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment

from tests.cases import cases_beside
from tests.data.files import file_of, rows_of
from tests.triage.anonymise.conftest import MARKER, each
from tests.triage.cli.program import Refused, Run
from triage.anonymise.columns import change_date, is_date, shift_of
from triage.anonymise.styles import pseudonyms_of, tag
from triage.settings import Dates

CASES = cases_beside(__file__)

USUAL = "date,id,expediteur,text"


def with_column(*cells: object) -> Path:
    """Write triaged messages with one more column of these cells."""
    rows = (
        {"num": f"m{n}", "text": "oui", "action": "NTA", "x": cell}
        for n, cell in enumerate(cells, 1)
    )
    return file_of("".join(f"{json.dumps(row)}\n" for row in rows), "sms.triage.jsonl")


def _column(rows: list[dict[str, object]], name: str) -> list[object]:
    return [row[name] for row in rows]


def test_pseudonyms_follow_from_all_content(anonymise: Run, triaged: Path) -> None:
    found = set()
    for word in ("oui", "non", "ok", "bof", "euh"):
        triaged.write_text(CASES["triaged"] + f"{word},,m5,,,ok,NTA,NTA,\n")
        anonymise("--overwrite")
        found.add(_column(rows_of(Path("anon.csv")), "expediteur")[0])
    assert found == {"S0001", "S0002"}
    before = Path("anon.csv").read_bytes()
    anonymise("--overwrite")
    assert Path("anon.csv").read_bytes() == before


def test_the_order_of_pseudonyms_tells_nothing_and_none_is_a_sender() -> None:
    def given(senders: list[str], key: bytes) -> dict[str, str]:
        return pseudonyms_of(senders, key, tag)[0]

    senders = [f"sender {n:02}" for n in range(50)]
    found = given(senders, b"key")
    assert found == given(senders[::-1], b"key")
    in_order = [found[sender] for sender in senders]
    assert in_order != sorted(in_order)
    assert found != given(senders, b"other")
    for real in ("S0001", "s0002", " S0001 "):
        taken = given([real, "Karim"], b"key").values()
        assert real.strip().upper() not in taken
        assert len({*taken}) == 2


@pytest.mark.parametrize("case", CASES["changed"], ids=lambda case: case["options"])
def test_columns_are_changed_as_asked(case: dict[str, Any], anonymise: Run) -> None:
    assert anonymise(*case["options"].split()).stderr == ""
    rows = rows_of(Path("anon.csv"))
    assert ",".join(rows[0]) == case.get("header", USUAL)
    assert all(_column(rows, column) == cells for column, cells in case.get("cells", {}).items())


IDS = 'id,text,action\n"{}",oui,NTA\nautre,non,NTA\n'
REFUSED = [
    *((CASES["triaged"], options.split(), error) for options, error in CASES["refused"].items()),
    *((case["content"], case["options"], case["error"]) for case in CASES["file"]),
    *(
        (IDS.format(cell), [], f"its column 'id' holds {what} (1 cell): add --ids number")
        for what, cell in each(CASES["ids"])
    ),
]


@pytest.mark.parametrize(("content", "options", "error"), REFUSED)
def test_what_cannot_be_written_so_is_refused(
    content: str, options: list[str], error: str, not_anonymised: Refused, triaged: Path
) -> None:
    triaged.write_bytes(content.encode("cp1252"))
    told = not_anonymised(*options)
    assert (error in told, "Patrice" in told) == (True, False)


@pytest.mark.parametrize(("what", "cell"), each(CASES["identifiers"]))
def test_a_column_that_holds_identifiers_is_kept_when_that_is_said_twice(
    cell: object, what: str, run: Run, refused: Refused
) -> None:
    source, output = with_column("rien", cell, cell), Path("anon.jsonl")
    error = refused("anonymise", source, "-o", output, "--keep", "x")
    assert f"its column 'x' holds {what} (2 cells): leave it out of --keep" in error
    assert "or add --as-it-is x" in error
    assert not any(word in error for word in (MARKER, "Patrice", "Karim", "39 98", "39981"))
    run("anonymise", source, "-o", output, "--keep", "x", "--plan", "as-it-is=x")
    assert _column(rows_of(output), "x")[1] == cell


def test_properties_comments_and_other_sheets_of_a_workbook_stay_behind(done: Run) -> None:
    book = Workbook()
    book.properties.creator = book.properties.title = book.properties.description = MARKER
    sheet = book.active
    sheet.title = f"sms {MARKER}"
    for row in (["id", "text", "action"], [1, "Coucou Patrice", "TA"], [2, "oui", "NTA"]):
        sheet.append(row)
    sheet["B2"].comment = Comment(MARKER, MARKER)
    sheet.oddHeader.center.text = MARKER
    book.create_sheet("notes").append([MARKER])
    book.save(Path("t.xlsx"))
    done("anonymise", Path("t.xlsx"), "-o", Path("a.xlsx"))
    with ZipFile(Path("a.xlsx")) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    found = b"".join(f"{name} ".encode() + content for name, content in parts.items())
    assert b"oui" in found
    assert not [word for word in (MARKER, "atrice") if word.encode() in found]


DAY, MONTH, YEAR, SHIFT = Dates.DAY, Dates.MONTH, Dates.YEAR, Dates.SHIFT


@pytest.mark.parametrize(("written", "changed"), CASES["dates"].items())
def test_a_date_keeps_its_form(written: str, changed: list[str]) -> None:
    found = [change_date(written, how) for how in (DAY, MONTH, YEAR)]
    assert [*found, change_date(written, SHIFT, 1)] == changed


def test_a_typed_date_stays_one_while_it_has_a_day_and_a_missing_one_stays() -> None:
    cell = datetime(2011, 12, 31, 10, 12, 25)
    assert change_date(cell, DAY) == datetime(2011, 12, 31)
    assert change_date(cell, SHIFT, -31) == datetime(2011, 11, 30, 10, 12, 25)
    assert (change_date(cell, MONTH), change_date(cell, YEAR)) == ("2011-12", "2011")
    assert change_date(date(2011, 12, 31), DAY) == date(2011, 12, 31)
    assert change_date(date(2011, 12, 31), SHIFT, 1) == date(2012, 1, 1)
    missing = "", "  ", None, float("nan")
    assert all(change_date(one, how) is one for one in missing for how in Dates)


@pytest.mark.parametrize("cell", [*CASES["no_dates"], 1316254345, datetime(9999, 12, 31)])
def test_what_is_no_date_is_not_changed(cell: object) -> None:
    assert not is_date(cell)


def test_a_shift_follows_from_the_key_and_is_never_none() -> None:
    days = {shift_of(b"key", "sender", str(n)) for n in range(20_000)}
    assert 0 not in days
    assert (min(days), max(days)) == (-365, 365)
    assert shift_of(b"key", "sender", "a") != shift_of(b"other", "sender", "a")
