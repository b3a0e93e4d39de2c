"""``triage queue export`` and ``import``: out to other tools and back, all or nothing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.triage.queue import corpora as c
from tests.triage.queue.exchange.conftest import export
from triage.data import create_output, open_messages
from triage.queue import Answer, Filters, Queue, State
from triage.queue.apply import exported_rows, plan_import
from triage.queue.exchange import ExchangeFormat

NAMES = ["work.csv", "work.xlsx", "work.jsonl", "work.json", "work.conll"]
Change = Callable[[dict[str, object]], dict[str, object]]


def export_queue(queue: Queue, path: Path, annotator: str = "", state: State = State.OPEN) -> None:
    export(path, exported_rows(queue, annotator, state), overwrite=True)


def edit(path: Path, change: Change) -> None:
    """Change each row of a sheet, as in a spreadsheet."""
    with open_messages(path, text_column="text", guarded=True) as file:
        columns = file.columns
        rows = [dict(zip(columns, row, strict=True)) for c in file.chunks() for row in c.rows]
    changed = [row | change(row) for row in rows]
    with create_output(path, list(changed[0]), guard_formulas=True, overwrite=True) as output:
        output.write([list(row.values()) for row in changed])
        output.commit()


def answered(answer: str, annotator: str = "anna") -> Change:
    return lambda _: {"answer": answer, "annotator": annotator}


@pytest.fixture
def sheet(queue: Queue) -> Path:
    export_queue(queue, Path("work.csv"))
    return Path("work.csv")


@pytest.mark.parametrize("name", NAMES)
def test_open_items_go_out_to_a_file_of_one_s_own_and_bring_nothing_back(
    name: str, queue: Queue, run: c.Run
) -> None:
    config = Path("config.xml")
    done = run("queue", "export", queue.path, "-o", Path(name), "--config", config)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"7 items written to {Path(name)}\n"
    assert Path(name).stat().st_mode & 0o777 == 0o600
    assert config.read_text(encoding="utf-8").lstrip().startswith("<View>")
    with c.nothing_changes(queue):
        done = run("queue", "import", queue.path, Path(name), "--annotator", "anna")
    assert "0 new and 0 changed answers imported; 0 as they were, 7 rows" in done.stdout


@pytest.mark.parametrize(
    ("state", "annotator", "items", "own"),
    [
        ("open", "anna", {*c.OPEN} - {c.MIDI}, {c.ELEA: "SKIP"}),
        ("decided", "anna", {c.MIDI}, {c.MIDI: "NTA"}),
        ("skipped", "anna", {c.ELEA}, {c.ELEA: "SKIP"}),
        ("all", "marc", {*c.TEXTS}, {}),
    ],
)
def test_items_of_a_state_go_out_with_one_s_own_answers(
    state: str, annotator: str, items: set[int], own: dict[int, str], queue: Queue, run: c.Run
) -> None:
    queue.decide("anna", c.MIDI, Answer.NTA)
    queue.decide("anna", c.ELEA, Answer.SKIP)
    path = queue.path.with_name("work.xlsx")
    run("queue", "export", queue.path, "-o", path, "--annotator", annotator, "--state", state)
    with open_messages(path, text_column="text") as file:
        at = [file.columns.index(column) for column in ("item", "answer")]
        answers = {row[at[0]]: row[at[1]] or "" for one in file.chunks() for row in one.rows}
    assert answers == dict.fromkeys(items, "") | own


def test_notes_go_out_but_none_of_another_annotator_on_an_open_item(queue: Queue) -> None:
    queue.note("anna", c.ROSE, "prénom ?", asks=True)
    queue.note("marc", c.ROSE, "fleur")
    export_queue(queue, Path("tasks.json"), annotator="anna")
    tasks = json.loads(Path("tasks.json").read_text(encoding="utf-8"))
    [notes] = [task["data"]["notes"] for task in tasks if "notes" in task["data"]]
    said = [(n["annotator"], n["text"], n["asks"]) for n in notes]
    assert said == [("anna", "prénom ?", True), ("marc", "fleur", False)]
    export_queue(queue, Path("all.csv"), annotator="anna", state=State.ALL)
    assert "anna (?): prénom ? | marc: fleur" in Path("all.csv").read_text("utf-8-sig")
    queue.double(1.0)
    queue.decide("anna", c.LA_ZOUZOU, Answer.NTA)
    export_queue(queue, Path("marc.csv"), annotator="marc", state=State.ALL)
    content = Path("marc.csv").read_text("utf-8-sig")
    assert "fleur" in content
    assert "prénom ?" not in content
    assert ",NTA,," not in content


@pytest.mark.parametrize("taken", ["work.json", "config.xml"])
def test_what_may_be_half_annotated_is_not_written_over(
    taken: str, queue: Queue, run: c.Run
) -> None:
    (Path(taken)).write_text("mine")
    files = ("-o", Path("work.json"), "--config", Path("config.xml"))
    done = run("queue", "export", queue.path, *files)
    assert f"{taken} exists already: add --overwrite to replace it" in c.one_line(done)
    assert (Path(taken)).read_text() == "mine"


def test_answers_of_a_sheet_are_one_decision_that_can_be_tried_repeated_and_undone(
    queue: Queue, run: c.Run, sheet: Path
) -> None:
    before = c.derived(queue.connection)
    edit(sheet, answered("TA", annotator="lou"))
    with c.nothing_changes(queue):
        done = run("queue", "import", queue.path, sheet, "--dry-run")
    assert "7 new and 0 changed answers would be imported of lou" in done.stdout
    done = run("queue", "import", queue.path, sheet)
    assert "7 new and 0 changed answers imported of lou; 0 as they were" in done.stdout
    [decision] = queue.history()
    assert (decision.kind, decision.annotator, len(decision.items)) == ("import", "lou", 7)
    elea = queue.item(c.ELEA)
    assert (elea.final, elea.standing[0].spans) == (Answer.TA, elea.suggested_spans)
    with c.nothing_changes(queue):
        done = run("queue", "import", queue.path, sheet, "--json")
    said = {"new": 0, "changed": 0, "same": 7, "unanswered": 0, "imported": True, "annotators": []}
    assert json.loads(done.stdout) == said
    queue.undo("lou")
    assert c.derived(queue.connection) == before


def test_an_answer_that_changed_is_a_further_decision(queue: Queue) -> None:
    queue.decide("anna", c.MIDI, Answer.TA)
    path = Path("all.csv")
    export_queue(queue, path, annotator="anna", state=State.ALL)
    edit(path, lambda row: {"answer": "NTA" if row["item"] == str(c.MIDI) else ""})
    plan = plan_import(queue, path, annotator="anna")
    assert (plan.new, plan.changed, plan.same, plan.unanswered) == (0, 1, 0, 8)
    queue.record_imports(plan.said)
    assert queue.item(c.MIDI).final is Answer.NTA
    assert len(queue.history("anna")) == 2


def test_the_annotator_is_who_the_file_or_the_option_says(
    queue: Queue, run: c.Run, sheet: Path
) -> None:
    edit(sheet, answered("NTA", annotator=""))
    said = c.one_line(run("queue", "import", queue.path, sheet))
    assert "work.csv, line 2 does not say who answered: name them with --annotator" in said
    edit(sheet, lambda row: {"annotator": "anna" if row["item"] == str(c.MIDI) else "marc"})
    done = run("queue", "import", queue.path, sheet, "--annotator", "lou")
    assert "holds answers of 2 people: leave --annotator out" in c.one_line(done)
    assert "imported of anna, marc" in run("queue", "import", queue.path, sheet).stdout
    assert queue.status().annotators == {"anna": 1, "marc": 6}


def test_a_changed_text_of_an_item_is_named_by_file_and_line(
    queue: Queue, run: c.Run, sheet: Path
) -> None:
    edit(sheet, lambda row: answered("NTA")(row) | {"text": f"{row['text']} {c.MARKER}"})
    said = c.one_line(run("queue", "import", queue.path, sheet))
    assert "work.csv, line 2: the text is not that of the item any more; export again" in said


def test_a_folder_of_brat_comes_back_though_git_has_changed_its_line_breaks(
    make_queue: c.MakeQueue,
) -> None:
    queue, folder = make_queue(c.sms("avec\nZouzou", 1)), Path("out")
    export(folder, exported_rows(queue), ExchangeFormat.BRAT)
    (folder / "000001.ann").write_text("T1\tPRE 5 11\tZouzou\n")
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    [said] = plan_import(queue, folder, annotator="anna").said["anna"]
    assert said.spans == c.marked("avec\nZouzou", "Zouzou")


def test_rows_are_matched_by_digest_or_text_whatever_the_numbers(
    sheet: Path, make_queue: c.MakeQueue
) -> None:
    edit(sheet, answered("TA"))
    other = make_queue(*c.CORPUS[::-1], name="other")
    edit(sheet, lambda row: {"digest": ""} if row["item"] == str(c.TARD) else {})
    other.record_imports(plan_import(other, sheet).said)
    rows = {row.text: row for row in other.rows("anna", Filters(state=State.ALL))}
    assert rows[c.TEXTS[c.TARD]].final is Answer.TA
    spans = c.marked(c.TEXTS[c.ZOUZOU], "Zouzou", type_="SUR")
    assert rows[c.TEXTS[c.ZOUZOU]].standing[0].spans == spans


def test_a_message_that_comes_twice_counts_once_and_has_one_answer(
    queue: Queue, run: c.Run
) -> None:
    path = Path("a.csv")
    path.write_text("text,answer\nje rentre tard,NTA\nje rentre tard,\nje rentre tard,nta\n")
    arguments = ("queue", "import", queue.path, path, "--annotator", "anna")
    assert "1 new and 0 changed answers imported of anna; 0 as they were, 1 row " in (
        run(*arguments).stdout
    )
    path.write_text("text,answer\non mange a midi,NTA\non mange a midi,TA\n")
    with c.nothing_changes(queue):
        said = c.one_line(run(*arguments))
    assert "line 2 and line 3 answer the same message differently; remove one" in said


@pytest.mark.parametrize("strangers", [1, 13])
def test_rows_of_no_item_are_named_and_nothing_is_imported(
    strangers: int, queue: Queue, run: c.Run
) -> None:
    lines = ["text,answer,annotator", "je rentre tard,NTA,anna"]
    lines += [f"{c.MARKER} {n},TA,anna" for n in range(strangers)]
    Path("a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with c.nothing_changes(queue):
        said = c.one_line(run("queue", "import", queue.path, Path("a.csv")))
    assert "line 3" in said
    assert "no message of this queue reads so; nothing was imported" in said
    assert ("line 12 and 3 more" in said) == (strangers == 13)
