"""Outputs of rows: names, bytes, formulas, standard output, rejects; all is read back unchanged."""

import csv
import io
import json
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside, joined
from tests.data.files import file_of, read, write
from triage.data import DataError, Dialect, Format, create_output, limits
from triage.data.output import default_output, private_table
from triage.data.table import Reject
from triage.decide.run import Request
from triage.decide.source import Source

pytestmark = pytest.mark.usefixtures("own_folder")
CASES = cases_beside(__file__)


@pytest.mark.parametrize(("path", "output", "rejects"), CASES["names"])
def test_the_output_and_rejects_lie_beside_the_input(path: str, output: str, rejects: str) -> None:
    assert default_output(path) == Path(output)
    assert Request(Source(path)).rejects == rejects


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["error"])
def test_what_a_format_cannot_hold_is_an_error_and_nothing_is_left(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = json.loads(joined(case.get("rows", "[]")))
    monkeypatch.setattr("triage.data.limits.MAX_ROWS", case.get("most", limits.MAX_ROWS))
    with (
        pytest.raises(DataError, match=case["error"]),
        create_output(case["name"], case["columns"]) as output,
    ):
        output.write(rows)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("case", CASES["imitates"], ids=lambda case: case["name"])
def test_an_output_imitates_its_input(
    case: dict[str, Any], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    said = case.get("like")
    like = said and Dialect(**said | {"format": Format(said["format"])})
    path = write(case["name"], ["id", "text"], [[1, "Zoé"]], like=like)
    found = capsysbinary.readouterr().out if path.name == "-" else path.read_bytes()
    assert found.decode() == case["written"]


def test_values_keys_order_and_line_ends_of_json_lines_survive() -> None:
    content = (
        '{"text": "Zoé 😀", "n": 1, "x": 1.0, "vrai": true, "rien": null, "l": [1, {"a": "é"}]}\r\n'
        '{"text": "Ok \\ud83d", "n": NaN, "x": 0.10, "l": [{"a": 1e400}]}\r\n'
    )
    messages, chunk = read(file_of(content, "sms.jsonl"))
    assert chunk.texts[1] == "Ok \N{REPLACEMENT CHARACTER}"
    copy = write("copie.jsonl", messages.columns, chunk.rows, like=messages.dialect)
    assert copy.read_bytes() == content.encode()


def test_numbers_that_json_does_not_have_are_null() -> None:
    copy = write("sms.jsonl", ["text", "x"], [["a", nan], ["b", inf], ["c", 0.5]])
    assert [json.loads(line)["x"] for line in copy.read_text().splitlines()] == [None, None, 0.5]


SIGNS = "=+-@\t\r\n＝＋－＠"


@pytest.mark.parametrize("name", ["sms.csv", "sms.tsv"])
def test_a_guarded_file_reads_back_unchanged_and_numbers_need_no_guard(name: str) -> None:
    rows = [[f"{sign}1", f"'{sign}1"] for sign in SIGNS] + [["'-", "'tite Léa"], ["à", " =1"]]
    path = write(name, ["text", "=id"], rows, guard_formulas=True)
    cells = [cell for row in read(path)[1].rows for cell in row]
    assert not [cell for cell in cells if str(cell).startswith((*SIGNS,))]
    messages, chunk = read(path, guarded=True)
    assert (chunk.rows, messages.columns) == (rows, ("text", "=id"))
    path = write(f"n{name}", ["text", "n"], [["'tite Léa", -5]], guard_formulas=True)
    assert path.read_text().split("\n")[1] in ("'tite Léa,-5", "'tite Léa\t-5")


@pytest.mark.parametrize(("name", "options", "expected"), CASES["formulas"])
def test_cells_that_a_spreadsheet_may_take_for_formulas_are_counted(
    name: str, options: dict[str, Any], expected: dict[str, int]
) -> None:
    rows: list[list[object]] = [["=) ok", "+33612345678"], ["- pain", -5], ["oui", "@Hugo"]]
    with create_output(name, ["text", "n"], **options) as output:
        output.write([*rows, ["=1", None]])
        assert output.formulas == expected


def test_rejects_are_written_with_line_reason_and_row_for_their_owner_alone() -> None:
    damaged = b"l\x92\xe9t\xe9?".decode(errors="surrogateescape")
    rejects = [Reject(3, "x", '3,"Coucou Zoé'), Reject(9, "y", "=1\rb"), Reject(10, "z", damaged)]
    rows = (one.cells for one in rejects)
    with private_table("r.csv", ("line", "reason", "row"), rows) as output:
        output.commit()
    written = Path("r.csv").read_bytes().decode("utf-8-sig")
    assert list(csv.reader(io.StringIO(written, newline=""))) == [
        ["line", "reason", "row"],
        ["3", "x", '3,"Coucou Zoé'],
        ["9", "y", "'=1\rb"],
        ["10", "z", "l\\x92\\xe9t\\xe9?"],
    ]
    assert Path("r.csv").stat().st_mode & 0o777 == 0o600


hostile = st.text(alphabet=",;|\t\"'\r\n\0=+-@＝＋－＠ \\é😀a_x0D\ufeff", max_size=12)
any_text = st.text(max_size=30) | hostile


def rows_of_texts(
    cells: st.SearchStrategy[str], width: int, least: int = 0
) -> st.SearchStrategy[list[list[str]]]:
    row = st.lists(cells, min_size=width, max_size=width)
    return st.lists(row, min_size=least, max_size=5)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@given(
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    rows=rows_of_texts(any_text, 3),
    bom=st.booleans(),
    guarded=st.booleans(),
)
def test_csv(separator: str, end: str, rows: list[list[str]], bom: bool, guarded: bool) -> None:
    like = Dialect(Format.CSV, separator=separator, bom=bom, line_terminator=end)
    columns = ["id", "text", "jour"]
    path = write(Path("sms.csv"), columns, rows, like=like, guard_formulas=guarded, overwrite=True)
    messages, chunk = read(path, guarded=guarded)
    assert chunk.rows == rows
    assert chunk.texts == [row[1] for row in rows]
    assert (messages.dialect, messages.rejects) == (replace(like, guarded=guarded), [])


@pytest.mark.parametrize("name", ["sms.tsv", "sms.csv.gz", "sms.jsonl", "sms.json", "sms.parquet"])
@pytest.mark.parametrize("width", [1, 2])
@given(data=st.data())
def test_all_text(name: str, width: int, data: st.DataObject) -> None:
    # Without rows, JSON has no columns either.
    rows = data.draw(rows_of_texts(any_text, width, least=1 if "json" in name else 0))
    messages, chunk = read(write(name, ["text", "jour"][:width], rows, overwrite=True))
    assert chunk.rows == rows
    assert messages.rejects == []
