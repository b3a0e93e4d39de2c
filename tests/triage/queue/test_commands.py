"""``triage queue``: what the commands do and refuse, and what goes out, comes back and is final.

What they print stands in stories.toml.
"""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.data.files import rows_of, write
from tests.tables import read_rows, write_rows
from tests.triage.cli.program import MARKER, Run, one_line
from tests.triage.queue import corpora as c
from tests.triage.queue.exchange.test_exchange import export
from triage.errors import UserError
from triage.model.annotated import FINAL_COLUMNS
from triage.queue import Answer, Filters, Order, Queue, Reason, Span, State, Task
from triage.queue.apply import apply_queue, exported_rows
from triage.queue.records import joined
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__)


@pytest.fixture
def source() -> Path:
    return c.write(Path("sms.triage.csv"), c.CORPUS)


def test_review_makes_a_queue(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Path] = []
    monkeypatch.setattr("triage.web.server.serve", lambda path, *_, **__: served.append(path))
    first = run("review", source, "--double", "100%")
    assert first.stderr == "sms.queue: 7 texts to read (9 messages)\n"
    with Queue.open("sms.queue") as made:
        made.decide("anna", c.MIDI, Answer.NTA)
        assert made.status().doubled == 7
    for path in (source, "sms.queue"):
        assert run("review", path).stdout == ""
    assert served == [Path("sms.queue")] * 3
    other = c.write(Path("sms.triage.tsv"), [])
    assert "was made of sms.triage.csv" in one_line(run("review", other))


@pytest.fixture
def broken(queue: Queue, tmp_path: Path) -> Path:
    queue.connection.close()
    whole = queue.path.read_bytes()
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "sms.csv").write_text(f"id,text\n1,{MARKER}\n", encoding="utf-8")
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "damaged").write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with closing(sqlite3.connect(tmp_path / "other")) as other:
        other.execute("CREATE TABLE decisions (decision)")
    return tmp_path


@pytest.mark.parametrize(
    "name", ["absent", "folder", "empty", "sms.csv", "cut", "damaged", "other"]
)
def test_what_is_no_queue_is_one_clear_line(name: str, broken: Path, run: Run) -> None:
    c.write(broken / "more.csv", [c.sms(MARKER, 1)])
    before = sorted(path.name for path in broken.iterdir())
    for arguments in (
        *("add {} more.csv", "status {}", "export {} -o out.xlsx", "apply {} -o out.csv"),
        *("import {} more.csv --annotator anna", "assign {} --to anna", "apply {} --names n.txt"),
    ):
        assert name in one_line(run("queue", *arguments.format(name).split()))
    beside = {f"{name}-wal", f"{name}-shm"}
    assert sorted({path.name for path in broken.iterdir()} - beside) == before


def test_a_full_disk_is_one_clear_line(
    run: Run, queue: Queue, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    more = c.write(Path("b.csv"), [c.sms(MARKER, 50)])
    monkeypatch.setattr("triage.queue.fill.chance", full)
    with c.nothing_changes(queue, own_folder):
        for path, *said in (("q", "create", "-o", "q"), (queue.path, "add", queue.path)):
            problem = (
                f"{path} cannot be read or written: database or disk is full: make room on the disk"
            )
            assert problem in one_line(run("queue", *said, more))


def export_queue(queue: Queue, path: Path, annotator: str = "", state: State = State.OPEN) -> None:
    export(path, exported_rows(queue, annotator, state), overwrite=True)


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


def test_an_import_is_one_decision_that_is_undone(queue: Queue, run: Run) -> None:
    before, sheet = c.derived(queue.connection), Path("work.csv")
    export_queue(queue, sheet)
    write_rows(sheet, [row | {"answer": "TA"} for row in read_rows(sheet)])
    run("queue", "import", queue.path, sheet, "--annotator", "lou")
    [decision] = queue.history()
    assert (decision.kind, decision.annotator, len(decision.items)) == ("import", "lou", 7)
    elea = queue.item(c.ELEA)
    assert (elea.final, elea.standing[0].spans) == (Answer.TA, elea.suggested_spans)
    queue.undo("lou")
    assert c.derived(queue.connection) == before


CELLS: dict[str, object] = CASES["cells"] | {"rien": None, "prix": Decimal("0.10")}


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet"])
def test_cells_keep_their_types(name: str, create: c.MakeQueue) -> None:
    votes = ["UNTAGGED", "NTA", 0.2, "EXPERT", ""]
    columns = ["text", *CELLS, *c.COLUMNS[3:]]
    write(name, columns, [["Coucou Zouzou", *CELLS.values(), *votes]])
    [before] = rows_of(Path(name))
    queue = create(Path(name))
    queue.decide("anna", 1, Answer.NTA)
    apply_queue(queue, Path(f"final_{name}"))
    [after] = rows_of(Path(f"final_{name}"))
    assert list(after) == [*before, *FINAL_COLUMNS]
    assert [(after[column], type(after[column])) for column in before] == [
        (value, type(value)) for value in before.values()
    ]
    assert {type(before[c]) for c in ("jour", "moment", "heure")} <= {date, datetime, time}
    if name == "a.parquet":
        assert (before["prix"], type(before["prix"])) == (Decimal("0.10"), Decimal)
        apply_queue(queue, Path("final.jsonl"))
        assert '"prix": "0.10"' in Path("final.jsonl").read_text(encoding="utf-8")


def test_a_queue_of_before_is_not_written_with_two_columns_of_one_name(queue: Queue) -> None:
    with queue.connection as opened:
        opened.execute("UPDATE about SET value = '[\"decided_by\"]' WHERE name = 'columns'")
    with pytest.raises(UserError, match="have a column 'decided_by' already"):
        apply_queue(queue, "final.csv")


def test_the_items_beside_one_are_those_decided_and_those_that_wait(queue: Queue) -> None:
    first, second, third, fourth = (one.number for one in queue.rows("lou", Filters(), limit=4))
    queue.decide("lou", second, Answer.NTA)
    queue.decide("lou", first, Answer.TA)

    beside = {second: (None, first), first: (second, third), third: (first, fourth)}
    for number, sides in beside.items():
        assert queue.neighbours("lou", Filters(), Order.LEARNING, number) == sides


def test_what_a_check_found_is_suggested_by_the_type_of_its_word(queue: Queue) -> None:
    queue.add_items([Task(Reason.FINDING, "8", start=7, end=14)])
    item = queue.item(c.SOLVEIG)
    (word,) = (one for one in item.words if one.start == 7)
    for type_ in (IdentifierType.TEL, IdentifierType.MEL, IdentifierType.PRE):
        words = tuple(one._replace(type=type_) if one is word else one for one in item.words)
        for is_suggested in (True, False):
            typed = tuple(
                one._replace(suggested=is_suggested) if one.start == 7 else one for one in words
            )
            told = replace(item, words=typed)
            assert told.places == told.suggested_spans == (Span(7, 14, type_),)


def test_of_marks_of_one_place_the_first_stays() -> None:
    several = [(Span(0, 3, type_),) for type_ in IdentifierType]
    assert joined(*several) == several[0]
    assert joined(*several[::-1]) == several[-1]
