"""Identifiers left in an anonymised file are found, alone, by its originals or its key table."""

import csv
import random
import re
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.data.files import write
from tests.tables import write_key
from tests.triage.anonymise.conftest import MARKER, each
from tests.triage.cli.program import Refused, Run
from tests.triage.conftest import SAMPLE
from triage import Triage
from triage.anonymise.check import Certainty, Checked, check_output
from triage.anonymise.grading import Clue
from triage.anonymise.record import draw, held_path
from triage.data.strings import document_strings
from triage.decide.source import Source
from triage.errors import TriageError
from triage.settings import StyleName

CASES = cases_beside(__file__)
Rows = Sequence[Sequence[str]]
Check = Callable[..., Checked]


def rows(messages: str) -> list[list[str]]:
    """Return the rows of messages, with ids if the first has one."""
    cells = [row.split(": ") for row in messages.split("|")]
    return [["id", "text"][-len(cells[0]) :], *cells]


BEFORE = rows("1: Coucou Patrice, ça va|2: oui|3: Slt Karim")
AFTER = rows("1: Coucou <PRE_7>, ça va|2: oui|3: Slt <PRE_5>")
KEYS = [["id", "identifier", "replacement"], ["1", "Patrice", "<PRE_7>"], ["3", "Karim", "<PRE_5>"]]
WRITTEN = [[*row, said] for row, said in zip(KEYS, ("written", "1", "3"), strict=True)]


def _write(path: Path, given: Rows) -> Path:
    return write(path, given[0], given[1:], overwrite=True)


def _read(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.reader(file)]


def _of(checked: Checked, certainty: Certainty) -> list[tuple[int, str]]:
    return [(one.row, one.reason) for one in checked.findings if one.certainty is certainty]


@pytest.fixture
def compared(shipped: Triage, own_folder: Path) -> Check:
    """Check an output against its originals, a table of replacements, or nothing."""

    def run(after: Rows, before: Rows | None, keys: Rows | None = None) -> Checked:
        output = Source(str(_write(Path("anon.csv"), after)))
        against = Source(str(_write(Path("sms.csv"), before))) if before else None
        table = str(_write(Path("key.csv"), keys)) if keys else None
        return check_output(output, shipped, against=against, key_table=table)

    return run


@pytest.fixture
def checked(compared: Check) -> Check:
    """Look through messages, behind one in which something was replaced."""

    def run(*messages: str, replaced: str = "patrice") -> Checked:
        before, after = (
            [["text"], [one], *([message] for message in messages)]
            for one in CASES["replaced"][replaced]
        )
        return compared(after, before)

    return run


@pytest.fixture
def checked_table(compared: Check) -> Check:
    """Look through a table in which a tag took the place of Patrice."""

    def run(*after: list[str]) -> Checked:
        return compared(after, [[row[-1].replace("<PRE_7>", "Patrice")] for row in after])

    return run


@pytest.mark.parametrize(
    ("replaced", "how", "marked"),
    [(*case[:2], marked) for case in CASES["messages"]["cases"] for marked in case[2:]],
)
def test_what_was_left_is_found(replaced: str, how: str, marked: str, checked: Check) -> None:
    found = checked(re.sub(r"[][]", "", marked), replaced=replaced)
    left = [(2, *how.split(), text) for text in re.findall(r"\[(.*?)\]", marked)]
    assert [
        (one.row, one.certainty.value, Clue(one.reason).name.lower(), one.text)
        for one in found.findings
    ] == left
    assert found.is_clean is ("certain" not in how)


def test_a_word_that_was_replaced_by_mistake_is_no_finding_where_it_stands(checked: Check) -> None:
    found = checked(*["cherche pas la bagarre"] * 9, replaced="by_mistake").findings
    assert {one.certainty for one in found} <= {Certainty.POSSIBLE}


@pytest.mark.parametrize(
    ("column", "certainty", "cell"),
    [(name, *case) for name in ("note", "id") for case in each(CASES[name])],
)
def test_other_columns_are_looked_through_as_messages_are(
    column: str, certainty: str, cell: str, checked_table: Check
) -> None:
    found = checked_table([column, "text"], [cell, "Coucou <PRE_7>"]).findings
    assert [(one.column, one.certainty) for one in found] == [(column, certainty)] * bool(certainty)


@pytest.mark.parametrize(("certainty", "name"), each(CASES["headers"]))
def test_a_name_in_the_header_is_found_too(certainty: str, name: str, checked_table: Check) -> None:
    found = checked_table(["id", name, "text"], ["1", "06 39 98 12 34", "Coucou <PRE_7>"]).findings
    assert [(one.row, one.column, one.certainty, one.text) for one in found] == [
        *[(0, "column 2", certainty, name)][: len(certainty)],
        (1, "column 2" if certainty else name, "certain", "06 39 98 12 34"),
    ]


def test_properties_of_a_workbook_are_strings_of_it_places_of_cells_none(tmp_path: Path) -> None:
    path = tmp_path / "anon.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", '<d ref="A1:B12"><c r="A1"><v></v></c></d>')
        archive.writestr("docProps/core.xml", "<c><creator>Zoé &amp; co</creator></c>")
    assert [*document_strings(str(path))] == ["Zoé & co"]


@pytest.mark.parametrize("message", CASES["hostile"].values(), ids=CASES["hostile"])
@pytest.mark.timing
def test_a_hostile_message_takes_no_time(message: list[str | int], checked: Check) -> None:
    checked("oui", replaced="name_and_address")
    start = time.process_time()
    checked(str(message[0]) * int(message[1]), replaced="name_and_address")
    assert time.process_time() - start < 2


@pytest.mark.parametrize("style", [style.value for style in StyleName])
def test_the_sample_is_clean_in_every_style_and_taken_for_what_it_is(
    style: str, run: Run, refused: Refused, triaged_sample: Path
) -> None:
    output, keys = Path("anon.csv"), Path("keys.csv")
    write_key(Path("k"))
    options = ("--plan", "reversible=true", "--key", Path("k"), "--hold", "none")
    said = ("--style", style, "--key-table", keys)
    run("anonymise", triaged_sample, "-o", output, *options, *said)
    before, after = _read(SAMPLE), _read(output)
    # Nothing that waits for people makes a check fail here.
    held_path(str(output)).unlink(missing_ok=True)
    for against in (("--against", SAMPLE), ("--key-table", keys)):
        done = run("check", output, *against)
        assert (done.returncode, done.stderr) == (0, "")
        assert "\nnothing certain is left; to be expected: residue some " in done.stdout
    shuffled = [after[0], *random.Random(1).sample(after[1:], len(after) - 1)]
    for changed in (shuffled, after[:200]):
        assert run("check", _write(output, changed), "--against", SAMPLE).returncode == 0
    _write(output, after)
    ids, turned = [row[0] for row in before], [row[0] for row in before[:1] + before[:0:-1]]
    of_id = {row[0]: row[1:] for row in before}
    other = [[id_, *of_id[one]] for id_, one in zip(ids, turned, strict=True)]
    line = refused("check", output, "--against", _write(Path("other.csv"), other))
    assert re.search(r"only \d+ of \d+ messages of .*anon\.csv resemble those", line)
    if style != StyleName.SURROGATE:
        assert "looks anonymised itself" in refused("check", SAMPLE, "--against", output)


@pytest.mark.parametrize(("before", "after", "left"), CASES["pairs"]["alike"])
def test_messages_are_paired_by_ids_or_else_places_and_tell_what_was_replaced(
    before: str, after: str, left: list[str], compared: Check
) -> None:
    found = compared(rows(after), rows(before))
    assert [one.text for one in found.findings] == left
    assert (bool(found.replaced), found.is_clean) == (True, True)


@pytest.mark.parametrize(("before", "after", "told"), CASES["pairs"]["refused"])
def test_other_originals_are_refused(before: str, after: str, told: str, compared: Check) -> None:
    with pytest.raises(TriageError, match=told) as error:
        compared(rows(after), rows(before))
    assert not re.search(f"{MARKER}|Patrice|Coucou|Slt", str(error.value))


@pytest.mark.parametrize(("columns", "undecided"), CASES["undecided"]["cases"])
def test_originals_and_outputs_tell_what_nobody_decided(
    columns: Sequence[str], undecided: list[int], compared: Check
) -> None:
    def told(given: Rows) -> Rows:
        return [[*row, *cells.split(",")] for row, cells in zip(given, columns, strict=True)]

    for after, before in ((AFTER, told(BEFORE)), (told(AFTER), BEFORE), (told(AFTER), None)):
        found = _of(compared(after, before), Certainty.UNDECIDED)
        assert [row for row, _ in found] == undecided
    # What was left out waits for nobody.
    left_out = [row for n, row in enumerate(AFTER) if n not in undecided]
    assert _of(compared(left_out, told(BEFORE)), Certainty.UNDECIDED) == []


@pytest.mark.parametrize("after", [AFTER, AFTER[:3], [row[1:] for row in AFTER]])
def test_a_table_of_this_file_is_used(after: Rows, compared: Check) -> None:
    assert compared(after, None, WRITTEN).replaced == 2


@pytest.mark.parametrize(("after", "told"), CASES["pairs"]["other_table"])
def test_a_table_of_another_file_is_refused(after: str, told: str, compared: Check) -> None:
    with pytest.raises(TriageError, match=told):
        compared(rows(after), None, KEYS)


@pytest.mark.parametrize(("certainty", "left"), each(CASES["alone"]))
def test_names_and_forms_are_found_alone(certainty: str, left: str, compared: Check) -> None:
    found = compared([["id", "note", "text"], ["1", *left.split("|")], ["2", "", "non"]], None)
    assert found.replaced is None
    assert [one.certainty for one in found.findings] == [certainty] * bool(certainty)
    assert found.is_clean is (certainty != "certain")


MESSAGES = [f"on se voit à {hour}h devant le café" for hour in range(20)]


def test_the_same_seed_draws_the_same_messages_and_another_one_others() -> None:
    assert draw(MESSAGES, 5, seed=0) == draw(MESSAGES, 5, seed=0)
    assert draw(MESSAGES, 5, seed=0) != draw(MESSAGES, 5, seed=1)
