"""``triage classify``: what it reads, writes and says."""

import csv
import json
import os
import pty
import stat
from pathlib import Path

import pytest

from tests.triage.cli.program import Refused, Rows, Run, Write
from triage.decide.policy import TABLE

BY_TABLE = ("--policy", "agreement")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# What is read


def test_without_a_usual_name_the_error_says_how_to_name_the_column(
    refused: Refused, tmp_path: Path
) -> None:
    (tmp_path / "sms.csv").write_text("a,b\n1,Coucou\n")
    error = refused("classify", tmp_path / "sms.csv")
    assert "--text-column" in error
    assert "columns: 2, whose names are hidden lest they be a message" in error


# What is written


def test_a_file_of_several_chunks_is_decided_like_its_messages(
    run: Run,
    csv_of: Write,
    rows_of: Rows,
    monkeypatch: pytest.MonkeyPatch,
    all_cells: dict[tuple[str, str], str],
    model_path: Path,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 7)
    source = csv_of(*[*all_cells.values()] * 10)
    queue = source.with_name("queue.csv")
    done = run("classify", source, "-m", model_path, *BY_TABLE, "--queue", queue)
    assert "60 rows read, 60 written" in done.stdout
    rows = rows_of(source.with_name("sms.triage.csv"))
    assert [(row["seek_hide"], row["model"]) for row in rows] == [*all_cells] * 10
    assert len(rows_of(source.with_name("queue.csv"))) == 20


@pytest.mark.parametrize("column", ["seek_hide", "evidence"])
def test_a_file_that_was_triaged_before_is_an_error(
    column: str, refused: Refused, tmp_path: Path
) -> None:
    (tmp_path / "sms.csv").write_text(f"text,{column}\nCoucou,\n")
    error = refused("classify", tmp_path / "sms.csv")
    assert f"a column '{column}' already" in error
    assert names_in(tmp_path) == ["sms.csv"]


@pytest.mark.parametrize("name", ["out.csv", "out.rejects.csv", "sms.csv"])
def test_a_queue_over_another_file_of_the_run_is_an_error(
    name: str, refused: Refused, csv_of: Write, tmp_path: Path
) -> None:
    source = csv_of("Coucou")
    before = source.read_bytes()
    error = refused("classify", source, "-o", tmp_path / "out.csv", "--queue", tmp_path / name)
    assert "choose another" in error
    assert names_in(tmp_path) == ["sms.csv"]
    assert source.read_bytes() == before


def test_rejects_are_not_written_over_the_input(
    refused: Refused, csv_of: Write, tmp_path: Path
) -> None:
    source = csv_of("Coucou", name="sms.rejects.csv")
    assert "sms.rejects.csv is the input itself" in refused(
        "classify", source, "-o", tmp_path / "sms.csv"
    )
    assert names_in(tmp_path) == ["sms.rejects.csv"]


def test_an_output_is_as_readable_as_its_input(run: Run, csv_of: Write, tmp_path: Path) -> None:
    source = csv_of("Oui")
    source.chmod(0o640)
    run("classify", source)
    assert stat.S_IMODE((tmp_path / "sms.triage.csv").stat().st_mode) == 0o640


def test_a_message_of_a_megabyte_is_decided_and_unchanged(
    run: Run, csv_of: Write, tmp_path: Path, rows_of: Rows
) -> None:
    message = "Coucou Patrice, ça va ? 👍🏽 " * 40_000
    assert run("classify", csv_of(message)).returncode == 0
    [row] = rows_of(tmp_path / "sms.triage.csv")
    assert (row["text"], row["seek_hide"]) == (message, "TA")


# The queue


def test_a_queue_on_standard_output_leaves_the_summary_to_standard_error(
    run: Run, csv_of: Write, model_path: Path
) -> None:
    done = run("classify", csv_of("Zoé"), "--queue", "-", "-m", model_path, *BY_TABLE)
    assert done.stdout.splitlines()[0] == "id,text,seek_hide,model,model_score,action,evidence"
    assert done.stdout.startswith("1,Zoé,TA,NTA,", done.stdout.index("\n") + 1)
    assert done.stderr.startswith("1 rows read, 1 written to ")


def test_the_queue_holds_exactly_the_rows_for_the_expert(
    run: Run,
    csv_of: Write,
    rows_of: Rows,
    tmp_path: Path,
    all_cells: dict[tuple[str, str], str],
    model_path: Path,
) -> None:
    queue = tmp_path / "queue.csv"
    source = csv_of(*all_cells.values())
    run("classify", source, "--queue", queue, "-m", model_path, *BY_TABLE)
    rows = rows_of(tmp_path / "sms.triage.csv")
    for_the_expert = [row for row in rows if row["action"] == "EXPERT"]
    assert len(for_the_expert) == 2
    assert rows_of(queue, guarded=True) == for_the_expert
    assert for_the_expert[0]["evidence"].startswith("«Zoé» DICTIONARY (")  # type: ignore[attr-defined]


def test_a_queue_without_rows_has_its_header(run: Run, csv_of: Write, tmp_path: Path) -> None:
    run("classify", csv_of("J'arrive"), "--queue", tmp_path / "queue.csv")
    assert (tmp_path / "queue.csv").read_text().splitlines() == [
        "id,text,seek_hide,model,model_score,action,evidence"
    ]


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


# What is rejected


def test_rows_read_are_rows_written_and_rejected(run: Run, tmp_path: Path, rows_of: Rows) -> None:
    (tmp_path / "sms.csv").write_text('id,text\n1,Oui\n2\n3,Non,trop\n4,"a\nb"\n5,"c" d\n6,Ok\n')
    about = json.loads(run("classify", tmp_path / "sms.csv", "--json").stdout)
    assert (about["rows_read"], about["rows_written"], about["rows_rejected"]) == (6, 3, 3)
    assert [row["id"] for row in rows_of(tmp_path / "sms.triage.csv")] == ["1", "4", "6"]
    assert sum(cell["messages"] for cell in about["counts"]) == 3


def test_rejects_have_their_line_and_the_reason(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text('id,text\n1,"a\nb"\n2\n3,Non,trop\n')
    done = run("classify", tmp_path / "sms.csv")
    rejects = tmp_path / "sms.triage.rejects.csv"
    assert done.stdout.endswith(f"The rejected rows and why are in {rejects}\n")
    assert rejects.read_text().splitlines() == [
        "line,reason,row",
        "4,1 field where the header has 2,2",
        '5,3 fields where the header has 2,"3,Non,trop"',
    ]


def test_without_rejects_there_is_no_file_of_them(run: Run, csv_of: Write, tmp_path: Path) -> None:
    assert "0 rejected" in run("classify", csv_of("Oui")).stdout
    assert names_in(tmp_path) == ["sms.csv", "sms.triage.csv", "sms.triage.run.json"]


def test_with_the_output_on_standard_output_rejects_stand_beside_the_input(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "sms.csv").write_text("id,text\n1\n")
    run("classify", tmp_path / "sms.csv", "-o", "-")
    assert names_in(tmp_path) == ["sms.csv", "sms.rejects.csv"]


def test_rejects_of_standard_input_stand_in_the_folder_one_is_in(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("classify", "-", stdin=b"id,text\n1\n2,Oui\n")
    assert "why are in stdin.rejects.csv" in done.stderr
    assert names_in(tmp_path) == ["stdin.rejects.csv"]


# Spreadsheets


def test_cells_of_csv_that_a_spreadsheet_may_run_are_left_and_told(
    run: Run, csv_of: Write, rows_of: Rows, tmp_path: Path
) -> None:
    source = csv_of("=) moi jpeu", "- pain", "oui")
    done = run("classify", source)
    assert "may take cells for formulas (2 of text)" in done.stdout
    assert "write .xlsx" in done.stdout
    assert rows_of(tmp_path / "sms.triage.csv")[0]["text"] == "=) moi jpeu"
    sheet = run("classify", source, "-o", tmp_path / "out.xlsx")
    assert "formulas" not in sheet.stdout
    assert rows_of(tmp_path / "out.xlsx")[0]["text"] == "=) moi jpeu"


def test_no_column_of_ours_begins_like_a_formula(run: Run, csv_of: Write) -> None:
    source = csv_of("@Patrice =Zoé -Karim", "=Patrice", "+Zoé")
    told = json.loads(run("classify", source, "--json").stdout)
    assert told["formulas"] == {"text": 3}


# Whole or not at all


def test_a_failure_half_way_leaves_existing_files_as_they_were(
    refused: Refused, csv_of: Write, tmp_path: Path
) -> None:
    source = csv_of("Oui", "Coucou\0Zoé")
    for name in ("out.xlsx", "queue.csv"):
        (tmp_path / name).write_text("avant")
    options = ("-o", tmp_path / "out.xlsx", "--queue", tmp_path / "queue.csv", "--overwrite")
    assert "control character" in refused("classify", source, *options)
    assert names_in(tmp_path) == ["out.xlsx", "queue.csv", "sms.csv"]
    assert {(tmp_path / name).read_text() for name in ("out.xlsx", "queue.csv")} == {"avant"}


def test_rejects_that_cannot_be_written_leave_no_output(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text("id,text\n1\n2,Oui\n")
    (tmp_path / "sms.triage.rejects.csv").mkdir()
    assert "rejects.csv: it is a directory" in refused("classify", tmp_path / "sms.csv")
    assert names_in(tmp_path) == ["sms.csv", "sms.triage.rejects.csv"]


# What is said


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


def test_quiet_prints_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text("id,text\n1,Oui\n1,Oui\n2\n")
    done = run("classify", tmp_path / "sms.csv", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("content", "options", "n_repeated"),
    [
        ("id,text\n7,Oui\n8,Oui\n7,Oui\n8,Oui\n7,Non\n", [], 3),
        ("NUM_SMS,text\n7,Oui\n7,Oui\n", [], 1),
        ("Identifiant,text\n7,Oui\n7,Oui\n", [], 1),
        ("id,sender,text\n1,a,Oui\n2,a,Oui\n", [], 0),
        ("id,sender,text\n1,a,Oui\n2,a,Oui\n", ["--id-column", "sender"], 1),
        ("sender,text\n1,Oui\n1,Oui\n", [], 0),
        ('{"id": "\\ud83d", "text": "Oui"}\n' * 2, [], 1),
    ],
)
def test_ids_that_come_again_are_counted(
    content: str,
    options: list[str],
    n_repeated: int,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 2)
    source = tmp_path / ("sms.jsonl" if content.startswith("{") else "sms.csv")
    source.write_text(content)
    told = run("classify", source, *options, "--json").stdout
    assert json.loads(told)["ids_repeated"] == n_repeated
    said = run("classify", source, *options, "--overwrite").stdout
    assert said.endswith(f"Warning: {n_repeated:,} rows repeat the id of an earlier row\n") is (
        n_repeated > 0
    )


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("classify sms.csv", "messages"),
        ("train sms.csv -o model --features patel2013", "fits"),
        ("features sms.csv -o table.csv", "fits"),
    ],
)
def test_on_a_terminal_a_bar_shows_the_progress(
    command: str, label: str, shell: Run, tmp_path: Path
) -> None:
    rows = [f"{text},{label}\n" for text, label in [("Coucou Zoé", "TA"), ("ok", "NTA")] * 25]
    (tmp_path / "sms.csv").write_text("text,label\n" + "".join(rows))
    ours, theirs = pty.openpty()
    done = shell(f"triage {command} 2>/proc/{os.getpid()}/fd/{theirs}")
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0
    assert label in shown
    assert "rows read" not in shown


# Lists, models and readings


def test_a_word_that_the_user_lets_through_is_no_name_for_either_vote(
    run: Run, csv_of: Write, rows_of: Rows, tmp_path: Path
) -> None:
    (tmp_path / "my_words.txt").write_text("rose\npatrice\n")
    source = csv_of("Coucou Patrice, tu viens avec Rose ?")
    for options, expected in (([], "TA"), (["--words", tmp_path / "my_words.txt"], "NTA")):
        run("classify", source, "--overwrite", *options)
        row = rows_of(tmp_path / "sms.triage.csv")[0]
        assert (row["seek_hide"], row["model"]) == (expected, expected)
