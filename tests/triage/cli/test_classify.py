"""``triage classify``: what it reads, writes and says."""

import csv
from pathlib import Path

from tests.triage.cli.program import Rows, Run, Write
from tests.triage.decide.test_language import FINNISH
from triage.decide.policy import TABLE

BY_TABLE = ("--policy", "agreement")


FORMULAS = ["=1+1 Zoé", "+33 Zoé", "-1 Zoé", "@Zoé", "'=1 Zoé", "\tZoé", "'tite Zoé"]


def test_no_cell_of_the_queue_is_a_formula_and_all_are_read_back(
    run: Run, tmp_path: Path, csv_of: Write, rows_of: Rows, model_path: Path
) -> None:
    queue = tmp_path / "queue.csv"
    run("classify", csv_of(*FORMULAS), "--queue", queue, "-m", model_path, *BY_TABLE)
    with queue.open(encoding="utf-8", newline="") as file:
        written = [row["text"] for row in csv.DictReader(file)]
    assert {row["text"] for row in rows_of(queue, guarded=True)} == {*FORMULAS}
    assert {*written} == {*(f"'{text}" for text in FORMULAS[:-1]), "'tite Zoé"}


def test_a_queue_of_another_format_than_the_output_is_written(
    run: Run, csv_of: Write, rows_of: Rows, tmp_path: Path, model_path: Path
) -> None:
    run("classify", csv_of("=1 Zoé"), "--queue", tmp_path / "queue.xlsx", "-m", model_path)
    assert [row["text"] for row in rows_of(tmp_path / "queue.xlsx")] == ["=1 Zoé"]


def test_the_summary_has_the_rows_of_the_agreement_table(
    run: Run, csv_of: Write, all_cells: dict[tuple[str, str], str], model_path: Path
) -> None:
    source = csv_of(*all_cells.values(), "ok", "ok")
    lines = run("classify", source, "-m", model_path, *BY_TABLE).stdout.splitlines()
    assert lines[0] == (
        f"8 rows read, 8 written to {source.with_name('sms.triage.csv')}, 0 rejected"
    )
    assert [line.split()[:3] for line in lines[4:10]] == [
        [*map(str, votes), str(action)] for votes, action in TABLE.items()
    ]
    assert lines[7].split() == ["NTA", "NTA", "NTA", "3", "37.5%"]
    assert [line.split()[1:] for line in lines[10:]] == [
        ["TA", "2", "25.0%"], ["NTA", "4", "50.0%"], ["EXPERT", "2", "25.0%"],
    ]  # fmt: skip


def test_messages_in_no_language_of_the_packs_are_said(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "fi.csv"
    source.write_text("text\n" + "".join(f'"{one}"\n' for one in FINNISH), encoding="utf-8")
    done = run("classify", source)
    assert done.returncode == 0
    assert "look like no language of which there is a pack" in done.stderr
    assert run("classify", source, "--overwrite", "--language", "fr").stderr == ""
