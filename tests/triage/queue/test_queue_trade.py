"""``triage queue export`` and ``import``: out to other tools and back, all or nothing."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.triage.queue.corpora import (
    CORPUS,
    ELEA,
    LA_ZOUZOU,
    MIDI,
    OPEN,
    ROSE,
    TARD,
    ZOUZOU,
    everything,
    marked,
    sms,
)
from triage.data import create_output, open_messages
from triage.errors import TriageError
from triage.queue import Answer, Filters, Item, Queue, State
from triage.queue.trade import export_queue, plan_import

Run = Callable[..., CompletedProcess[str]]
MakeQueue = Callable[..., Queue]
Rows = Callable[..., list[dict[str, object]]]
NAMES = ["work.csv", "work.xlsx", "work.jsonl", "work.json", "work.conll"]
MARKER = "Zéphyrine"


def item_of(queue: Queue, number: int) -> Item:
    item = queue.item(number)
    assert item is not None
    return item


def edit(path: Path, change: Callable[[dict[str, object]], dict[str, object]]) -> None:
    """Change each row of a sheet, as in a spreadsheet."""
    with open_messages(path, text_column="text", guarded=True) as file:
        columns = file.columns
        rows = [dict(zip(columns, row, strict=True)) for c in file.chunks() for row in c.rows]
    changed = [change(row) for row in rows]
    with create_output(path, list(changed[0]), guard_formulas=True, overwrite=True) as output:
        output.write([list(row.values()) for row in changed])
        output.commit()


def answer_all(answer: str, annotator: str = "anna") -> Callable[..., dict[str, object]]:
    return lambda row: row | {"answer": answer, "annotator": annotator}


def one_line(done: CompletedProcess[str]) -> str:
    """Return the one line of an error."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert MARKER not in done.stderr
    return done.stderr


# Out


@pytest.mark.parametrize("name", NAMES)
def test_open_items_go_out_to_a_file_of_one_s_own(
    name: str, queue: Queue, run: Run, tmp_path: Path
) -> None:
    done = run("queue", "export", queue.path, "-o", tmp_path / name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"7 items written to {tmp_path / name}\n"
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_a_sheet_holds_items_votes_and_suggestions(
    queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    export_queue(queue, tmp_path / "work.xlsx")
    rows = {row["item"]: row for row in rows_of(tmp_path / "work.xlsx")}
    assert set(rows) == set(OPEN)
    assert (rows[MIDI]["text"], rows[MIDI]["messages"]) == ("on mange a midi", 2)
    assert rows[ROSE]["seek_hide"] == "TA"
    assert "Élea" in str(rows[ELEA]["suggested"])


@pytest.mark.parametrize(
    ("state", "items"),
    [("open", {LA_ZOUZOU, ELEA, TARD}), ("decided", {MIDI}), ("skipped", {ELEA}), ("all", None)],
)
def test_items_of_a_state_go_out(
    state: str, items: set[int] | None, queue: Queue, run: Run, tmp_path: Path, rows_of: Rows
) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    queue.decide("anna", ELEA, Answer.SKIP)
    path = tmp_path / "work.xlsx"
    run("queue", "export", queue.path, "-o", path, "--annotator", "anna", "--state", state)
    found = {row["item"] for row in rows_of(path)}
    assert found == set(range(1, 10)) if items is None else items <= found
    assert (MIDI in found) == (state in ("decided", "all"))


def test_one_s_own_answers_go_out_with_the_items(
    queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    for name, answer in (("anna", "NTA"), ("marc", None)):
        path = tmp_path / f"{name}.xlsx"
        export_queue(queue, path, annotator=name, state=State.ALL)
        [row] = [row for row in rows_of(path) if row["item"] == MIDI]
        assert row["answer"] == answer


@pytest.mark.parametrize("taken", ["work.json", "config.xml"])
def test_what_may_be_half_annotated_is_not_written_over(
    taken: str, queue: Queue, run: Run, tmp_path: Path
) -> None:
    (tmp_path / taken).write_text("mine")
    done = run(
        *("queue", "export", queue.path, "-o", tmp_path / "work.json"),
        *("--config", tmp_path / "config.xml"),
    )
    assert f"{taken} exists already: add --overwrite to replace it" in one_line(done)
    assert (tmp_path / taken).read_text() == "mine"


def test_the_interface_of_label_studio_goes_along(queue: Queue, run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.xml"
    run("queue", "export", queue.path, "-o", tmp_path / "work.json", "--config", config)
    assert config.read_text(encoding="utf-8").lstrip().startswith("<View>")


# And back


@pytest.mark.parametrize("name", NAMES)
def test_what_nobody_answered_brings_nothing(
    name: str, queue: Queue, run: Run, tmp_path: Path
) -> None:
    export_queue(queue, tmp_path / name)
    before = everything(queue.connection)
    done = run("queue", "import", queue.path, tmp_path / name, "--annotator", "anna")
    assert done.returncode == 0, done.stderr
    assert "0 new and 0 changed answers imported; 0 as they were, 7 rows" in done.stdout
    assert everything(queue.connection) == before


def test_answers_of_a_sheet_are_one_decision_of_its_annotator(
    queue: Queue, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "work.csv"
    export_queue(queue, path)
    edit(path, answer_all("TA", annotator="lou"))
    done = run("queue", "import", queue.path, path)
    assert "7 new and 0 changed answers imported of lou; 0 as they were" in done.stdout
    [decision] = queue.history()
    assert (decision.kind, decision.annotator, len(decision.items)) == ("import", "lou", 7)
    elea = item_of(queue, ELEA)
    assert (elea.final, elea.standing[0].spans) == (Answer.TA, elea.suggested_spans)


def test_marks_that_were_changed_in_brat_are_answers(
    queue: Queue, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    run("queue", "export", queue.path, "-o", folder, "--format", "brat")
    [text] = [path for path in folder.glob("*.txt") if path.read_text() == "Rose est fanée"]
    text.with_suffix(".ann").write_text("T1\tSUR 0 4\tRose\n", encoding="utf-8")
    [text] = [path for path in folder.glob("*.txt") if path.read_text().startswith("Élea")]
    text.with_suffix(".ann").write_text("", encoding="utf-8")
    done = run("queue", "import", queue.path, folder, "--annotator", "anna")
    assert "2 new and 0 changed answers imported of anna; 0 as they were, 5 rows" in done.stdout
    rose, elea = item_of(queue, ROSE), item_of(queue, ELEA)
    assert (rose.final, [*rose.standing[0].spans]) == (Answer.TA, [(0, 4, "SUR")])
    assert elea.final is Answer.NTA


def test_one_undo_takes_an_import_back(queue: Queue, tmp_path: Path) -> None:
    export_queue(queue, tmp_path / "work.csv")
    edit(tmp_path / "work.csv", answer_all("NTA"))
    before = everything(queue.connection)[2:5]
    queue.record_imports(plan_import(queue, tmp_path / "work.csv").said)
    assert queue.count("anna", Filters()) == 0
    queue.undo("anna")
    assert everything(queue.connection)[2:5] == before


def test_a_dry_run_says_the_same_and_changes_nothing(
    queue: Queue, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "work.csv"
    export_queue(queue, path)
    edit(path, answer_all("NTA"))
    before = everything(queue.connection)
    done = run("queue", "import", queue.path, path, "--dry-run")
    assert "7 new and 0 changed answers would be imported of anna" in done.stdout
    assert everything(queue.connection) == before


@pytest.mark.parametrize("name", ["work.csv", "work.xlsx"])
def test_the_same_file_once_more_says_the_same(
    name: str, queue: Queue, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / name
    export_queue(queue, path)
    edit(path, answer_all("TA"))
    run("queue", "import", queue.path, path)
    before = everything(queue.connection)
    done = run("queue", "import", queue.path, path, "--json")
    assert json.loads(done.stdout) == {
        "new": 0,
        "changed": 0,
        "same": 7,
        "unanswered": 0,
        "imported": True,
        "annotators": [],
    }
    assert everything(queue.connection) == before


def test_an_answer_that_changed_is_a_further_decision(queue: Queue, tmp_path: Path) -> None:
    queue.decide("anna", MIDI, Answer.TA)
    export_queue(queue, tmp_path / "work.csv", annotator="anna", state=State.ALL)
    edit(
        tmp_path / "work.csv",
        lambda row: row | {"answer": "NTA" if row["item"] == str(MIDI) else ""},
    )
    plan = plan_import(queue, tmp_path / "work.csv", annotator="anna")
    assert (plan.new, plan.changed, plan.same, plan.unanswered) == (0, 1, 0, 8)
    queue.record_imports(plan.said)
    assert item_of(queue, MIDI).final is Answer.NTA
    assert len(queue.history("anna")) == 2


def test_answers_of_several_come_from_one_file(queue: Queue, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "work.csv"
    export_queue(queue, path)
    edit(
        path,
        lambda row: (
            row | {"answer": "NTA", "annotator": "anna" if row["item"] == str(MIDI) else "marc"}
        ),
    )
    assert "imported of anna, marc" in run("queue", "import", queue.path, path).stdout
    assert queue.status().annotators == {"anna": 1, "marc": 6}
    assert queue.undo("anna") is not None
    assert queue.status().annotators == {"marc": 6}
    done = run("queue", "import", queue.path, path, "--annotator", "lou")
    assert "holds answers of 2 people: leave --annotator out" in one_line(done)


def test_the_annotator_is_who_the_option_says(queue: Queue, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "work.csv"
    export_queue(queue, path)
    edit(path, answer_all("NTA", annotator=""))
    assert "does not say who answered: name them with --annotator" in one_line(
        run("queue", "import", queue.path, path)
    )
    run("queue", "import", queue.path, path, "--annotator", "lou")
    assert queue.status().annotators == {"lou": 7}


def test_rows_are_matched_by_their_texts_where_the_digest_is_gone(
    queue: Queue, tmp_path: Path
) -> None:
    path = tmp_path / "work.csv"
    path.write_text("text,answer,annotator\nje rentre tard,NTA,anna\n", encoding="utf-8")
    queue.record_imports(plan_import(queue, path).said)
    assert item_of(queue, TARD).final is Answer.NTA


def test_an_import_into_the_queue_of_the_same_messages_fits_whatever_the_numbers(
    queue: Queue, make_queue: MakeQueue, tmp_path: Path
) -> None:
    export_queue(queue, tmp_path / "work.csv")
    edit(tmp_path / "work.csv", lambda row: row | answer_all("TA")(row))
    other = make_queue(*CORPUS[::-1], name="other")
    other.record_imports(plan_import(other, tmp_path / "work.csv").said)
    text = item_of(queue, ZOUZOU).text
    [number] = [r.number for r in other.rows("anna", Filters(state=State.ALL)) if r.text == text]
    assert item_of(other, number).standing[0].spans == marked(text, "Zouzou", type_="SUR")


@pytest.mark.parametrize("strangers", [1, 13])
def test_rows_of_no_item_are_named_and_nothing_is_imported(
    strangers: int, queue: Queue, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "work.csv"
    lines = ["text,answer,annotator", "je rentre tard,NTA,anna"]
    lines += [f"{MARKER} {n},TA,anna" for n in range(strangers)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    before = everything(queue.connection)
    said = one_line(run("queue", "import", queue.path, path))
    assert "line 3" in said
    assert "no message of this queue reads so; nothing was imported" in said
    assert ("line 12 and 3 more" in said) == (strangers == 13)
    assert everything(queue.connection) == before


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (f"je rentre tard,PEUT-ETRE {MARKER},anna", "line 3"),
        ("je rentre tard,NTA,", "does not say who answered"),
        ("je rentre tard,NTA," + "a" * 61, "1 to 60 printable characters"),
    ],
)
def test_of_a_file_with_one_bad_row_nothing_is_imported(
    row: str, problem: str, queue: Queue, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "work.csv"
    path.write_text(f"text,answer,annotator\non mange a midi,NTA,anna\n{row}\n", encoding="utf-8")
    assert problem in one_line(run("queue", "import", queue.path, path))
    assert queue.history() == []


def test_one_item_has_one_answer_of_an_annotator(queue: Queue, tmp_path: Path) -> None:
    path = tmp_path / "work.csv"
    path.write_text(
        "text,answer,annotator\nje rentre tard,NTA,anna\nje rentre tard,TA,anna\n",
        encoding="utf-8",
    )
    with pytest.raises(TriageError, match="answer the same message differently"):
        plan_import(queue, path)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("absent.csv", None, "No such file"),
        ("work.doc", "x", "the name does not tell the format"),
        ("work.zip", "x", "unpack it"),
        ("work.csv", f"{MARKER}\n{MARKER}\n", "no column"),
        ("work.json", f"[{MARKER}", "work.json"),
        ("work.jsonl", MARKER, "work.jsonl"),
        ("work.csv", "", "is empty"),
        ("work.xlsx", MARKER, "work.xlsx"),
    ],
)
def test_what_is_no_answer_is_one_clear_line(
    name: str, content: str | None, problem: str, queue: Queue, run: Run, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert problem in one_line(run("queue", "import", queue.path, tmp_path / name))
    assert queue.history() == []


def test_a_thousand_answers_come_in_one_go(make_queue: MakeQueue, tmp_path: Path) -> None:
    queue = make_queue(*(sms(f"on mange a {n} h", n) for n in range(1_000)))
    export_queue(queue, tmp_path / "work.csv")
    edit(tmp_path / "work.csv", answer_all("NTA"))
    queue.record_imports(plan_import(queue, tmp_path / "work.csv").said)
    assert (queue.status().items_final, len(queue.history())) == (1_000, 1)


def test_emoji_and_line_breaks_go_out_and_come_back(make_queue: MakeQueue, tmp_path: Path) -> None:
    text = "👩🏽‍🚒 Zouzou\r\net 😀 eléa\n=1+1"
    queue = make_queue(sms(text, 1))
    for name in NAMES[:2]:
        export_queue(queue, tmp_path / name, state=State.ALL)
        edit(tmp_path / name, answer_all("TA", annotator=Path(name).suffix))
        queue.record_imports(plan_import(queue, tmp_path / name).said)
    assert item_of(queue, 1).suggested_spans
    spans = [standing.spans for standing in item_of(queue, 1).standing]
    assert spans == [item_of(queue, 1).suggested_spans] * 2


def test_a_sheet_that_goes_out_is_read_by_anybody(queue: Queue, tmp_path: Path) -> None:
    export_queue(queue, tmp_path / "work.csv")
    with (tmp_path / "work.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(OPEN)
