"""``triage queue``: what the commands do, say and refuse."""

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import typer

from tests.triage.queue.corpora import (
    COLUMNS,
    CORPUS,
    MIDI,
    OPEN,
    ROSE,
    ZOUZOU,
    Sms,
    everything,
    sms,
    write,
)
from triage import Triage
from triage.cli.queue import queue_app
from triage.queue import Answer, Filters, Queue, WordRule

Run = Callable[..., CompletedProcess[str]]
OpenQueue = Callable[[Path], Queue]
COMMANDS = sorted(typer.main.get_group(queue_app).commands)
MARKER = "Zéphyrine"
HEADER = ",".join(COLUMNS)


def one_line(done: CompletedProcess[str]) -> str:
    """Return the one line of an error, in its form."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("triage: ")
    assert MARKER not in done.stderr
    return done.stderr


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The corpus as a triaged file."""
    return write(tmp_path / "sms.triage.csv", CORPUS)


# Help


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_has_an_example(command: str, run: Run) -> None:
    done = run("queue", command, "--help")
    assert done.returncode == 0
    assert re.search(rf"Examples?:\s+triage\s+queue\s+{command}\s", done.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_option_says_something(command: str) -> None:
    for parameter in typer.main.get_group(queue_app).commands[command].params:
        if parameter.param_type_name == "option":
            assert getattr(parameter, "help", None), parameter.name


def test_the_commands_are_there(run: Run) -> None:
    shown = run("queue", "--help").stdout
    assert {"create", "add", "status", "export", "import", "assign", "lists", "apply"} <= set(
        COMMANDS
    )
    assert all(f"\n  {command} " in shown for command in COMMANDS)


# From messages to a queue


def test_what_classify_writes_makes_a_queue(
    run: Run, tmp_path: Path, open_queue: OpenQueue, rows_of: Callable[..., list[dict[str, object]]]
) -> None:
    texts = ["Coucou Zouzou", "namrata est là", "ok", "Rose est fanée", "slt zoltan", "j'arrive"]
    rows = [f"{n},{n % 2},{text}\n" for n, text in enumerate(texts, 1)]
    (tmp_path / "sms.csv").write_text("id,sender,text\n" + "".join(rows), encoding="utf-8")
    run("classify", tmp_path / "sms.csv")
    done = run("queue", "create", tmp_path / "sms.triage.csv", "-o", tmp_path / "work.queue")
    assert (done.returncode, done.stderr) == (0, "")
    triaged = rows_of(tmp_path / "sms.triage.csv")
    expert = [row["text"] for row in triaged if row["action"] == "EXPERT"]
    queue = open_queue(tmp_path / "work.queue")
    assert {row.text for row in queue.rows("anna", Filters())} == set(expert)
    assert queue.status().messages == len(texts)


def test_what_was_made_is_told(run: Run, source: Path, tmp_path: Path) -> None:
    done = run("queue", "create", source, "-o", tmp_path / "q")
    assert done.stdout == (
        "11 messages read, 11 new; 9 of them for the expert\n"
        f"{tmp_path / 'q'}: 7 items to decide (messages that read the same are one)\n"
    )


def test_what_was_made_is_told_to_programs(run: Run, source: Path, tmp_path: Path) -> None:
    done = run("queue", "create", source, "-o", tmp_path / "q", "--json")
    assert json.loads(done.stdout) == {
        "messages": 11,
        "new": 11,
        "expert": 9,
        "items": 7,
        "other_labels": 9,
        "queue": str(tmp_path / "q"),
    }


@pytest.mark.parametrize("command", ["create", "add"])
def test_quietly_nothing_is_said(command: str, run: Run, tmp_path: Path, queue: Queue) -> None:
    messages = [sms("ok", 1, seek_hide="NTA")]
    more = write(tmp_path / "b.csv", messages)
    there = (queue.path, more) if command == "add" else (more, "-o", tmp_path / "q")
    done = run("queue", command, *there, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_lists_other_than_those_of_the_file_are_warned_of(run: Run, tmp_path: Path) -> None:
    triaged = write(tmp_path / "a.csv", [sms(f"{MARKER.lower()} dort", 1, seek_hide="NTA")])
    (tmp_path / "names.txt").write_text(f"{MARKER}\n", encoding="utf-8")
    options = ("--names", tmp_path / "names.txt")
    done = run("queue", "create", triaged, "-o", tmp_path / "q", *options)
    assert done.returncode == 0
    assert "Seek&Hide says something else of 1 messages here" in done.stderr
    assert MARKER not in done.stderr


def test_one_s_own_lists_tell_what_the_votes_saw(
    run: Run, tmp_path: Path, open_queue: OpenQueue
) -> None:
    triaged = write(tmp_path / "a.csv", [sms("slt doudounet", 1, seek_hide="TA")])
    (tmp_path / "names.txt").write_text("doudounet\n", encoding="utf-8")
    options = ("--names", tmp_path / "names.txt")
    assert run("queue", "create", triaged, "-o", tmp_path / "q", *options).stderr == ""
    item = open_queue(tmp_path / "q").item(1)
    assert item is not None
    assert item.words[-1].label == "DICTIONARY"


def test_a_share_is_doubled_from_the_start(
    run: Run, source: Path, tmp_path: Path, open_queue: OpenQueue
) -> None:
    run("queue", "create", source, "-o", tmp_path / "q", "--double", "100%")
    assert open_queue(tmp_path / "q").status().doubled == 7


def test_adding_says_what_was_there_already(run: Run, source: Path, queue: Queue) -> None:
    write(source, [*CORPUS, sms("tu dors ?", 50)])
    done = run("queue", "add", queue.path, source)
    assert done.stdout == (
        "12 messages read, 1 new, 11 there already; 10 of them for the expert\n"
        f"{queue.path}: 8 items to decide (messages that read the same are one)\n"
    )


def test_adding_keeps_to_the_columns_of_the_queue(
    run: Run, tmp_path: Path, open_queue: OpenQueue
) -> None:
    header = "brut,text,qui," + ",".join(COLUMNS[3:])
    row = "Coucou Zouzou,-,{},UNTAGGED,NTA,0.2,EXPERT,\n"
    (tmp_path / "a.csv").write_text(f"{header}\n{row.format(7)}")
    named = ("--text-column", "brut", "--sender-column", "qui")
    run("queue", "create", tmp_path / "a.csv", "-o", tmp_path / "q", *named)
    (tmp_path / "a.csv").write_text(f"{header}\n{row.format(7)}{row.format(8)}")
    done = run("queue", "add", tmp_path / "q", tmp_path / "a.csv")
    assert "2 messages read, 1 new" in done.stdout
    item = open_queue(tmp_path / "q").item(1)
    assert item is not None
    assert [(m.text, m.sender) for m in item.messages] == [
        ("Coucou Zouzou", "7"),
        ("Coucou Zouzou", "8"),
    ]


def test_a_file_of_standard_input_will_do(
    run: Run, source: Path, tmp_path: Path, open_queue: OpenQueue
) -> None:
    done = run("queue", "create", "-", "-o", tmp_path / "q", stdin=source.read_bytes())
    assert (done.returncode, done.stderr.count("warning")) == (0, 1)
    assert open_queue(tmp_path / "q").status().messages == 11


def test_a_separator_and_an_encoding_can_be_named(
    run: Run, tmp_path: Path, open_queue: OpenQueue
) -> None:
    content = f"text;{';'.join(COLUMNS[3:])}\nélea, dort;UNTAGGED;NTA;0.2;EXPERT;\n"
    (tmp_path / "a.csv").write_bytes(content.encode("cp1252"))
    options = ("--separator", ";", "--encoding", "cp1252")
    run("queue", "create", tmp_path / "a.csv", "-o", tmp_path / "q", *options)
    item = open_queue(tmp_path / "q").item(1)
    assert item is not None
    assert item.text == "élea, dort"


# Status


def test_the_status_of_a_new_queue(run: Run, queue: Queue) -> None:
    lines = run("queue", "status", queue.path).stdout.splitlines()
    assert [line.split("(")[0].split() for line in lines] == [
        ["messages", "11"],
        ["decided", "2", "18.2%"],
        ["for", "the", "expert", "9"],
        ["items", "7"],
        ["decided", "0"],
        ["to", "decide", "7"],
        ["disagreed", "on", "0"],
    ]


def test_the_status_names_annotators_agreement_and_disagreements(run: Run, queue: Queue) -> None:
    queue.assign(["anna", "marc"], 1.0)
    for number in OPEN:
        queue.decide("anna", number, Answer.NTA)
    for number in OPEN[:4]:
        queue.decide("marc", number, Answer.TA if number == ZOUZOU else Answer.NTA)
    said = run("queue", "status", queue.path).stdout
    assert re.search(r"to decide +3\n", said)
    assert re.search(r"for two +7\n", said)
    assert "anna: 7 items decided, 3 assigned and open\n" in said
    assert "marc: 4 items decided, 3 assigned and open\n" in said
    assert re.search(r"anna and marc: 4 items in common, kappa 0\.00 \(.* to .*\)", said)
    assert f"  to adjudicate: {ZOUZOU}\n" in said


def test_the_status_tells_where_there_is_no_kappa(run: Run, queue: Queue) -> None:
    for name in ("anna", "marc"):
        queue.decide(name, MIDI, Answer.NTA)
    assert "1 items in common, no kappa" in run("queue", "status", queue.path).stdout


def test_what_is_still_to_decide_is_never_less_than_nothing(run: Run, queue: Queue) -> None:
    queue.decide_all("anna", OPEN, Answer.NTA)
    for name, answer in (("anna", Answer.TA), ("marc", Answer.NTA)):
        queue.decide(name, 4, answer)
    said = run("queue", "status", queue.path).stdout
    assert re.search(r"to decide +0\n", said)
    assert re.search(r"disagreed on +1\n", said)


def test_the_status_for_programs(run: Run, queue: Queue) -> None:
    queue.assign(["anna"])
    queue.decide("anna", ROSE, Answer.NTA)
    queue.decide_word("anna", "zouzou", WordRule.NEVER)
    said = json.loads(run("queue", "status", queue.path, "--json").stdout)
    assert (said["messages"], said["items"], said["items_final"]) == (11, 7, 3)
    assert said["annotators"] == {"anna": 3}
    assert said["assigned"] == {"anna": 4}
    assert said["never"] == ["zouzou"]


def test_the_status_of_no_messages(run: Run, tmp_path: Path) -> None:
    run("queue", "create", write(tmp_path / "a.csv", []), "-o", tmp_path / "q")
    done = run("queue", "status", tmp_path / "q")
    assert done.returncode == 0
    assert re.search(r"messages +0\n", done.stdout)


def test_no_message_is_shown(run: Run, queue: Queue) -> None:
    queue.decide("anna", ROSE, Answer.NTA)
    done = run("queue", "status", queue.path)
    assert not any(message.text in done.stdout for message in CORPUS)


# Assign


def test_shares_are_told(run: Run, queue: Queue) -> None:
    done = run("queue", "assign", queue.path, "--to", "anna", "--to", "marc")
    said = dict(re.findall(r"(\w+): (\d+) items", done.stdout))
    assert {name: int(n) for name, n in said.items()} == queue.assigned()
    assert sum(queue.assigned().values()) == 7
    assert run("queue", "assign", queue.path, "--to-anybody").stdout == (
        "no open item is assigned\n"
    )
    assert queue.assigned() == {}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("", "name the annotators with --to, or give --to-anybody"),
        ("--to anna --to-anybody", "name the annotators"),
        ("--to anna --to anna", "an annotator is named twice"),
        ("--to anna --double 100%", "name a second one with --to"),
        ("--to anna --to marc --double beaucoup", "--double beaucoup is no share"),
        ("--to anna --to marc --double 11", "for 11 % write 11% or 0.11"),
        (f"--to {'a' * 61}", "1 to 60 printable characters"),
    ],
)
def test_what_cannot_be_shared_out_changes_nothing(
    options: str, problem: str, run: Run, queue: Queue
) -> None:
    before = everything(queue.connection)
    assert problem in one_line(run("queue", "assign", queue.path, *options.split()))
    assert everything(queue.connection) == before


# What users can get wrong


BROKEN = ["absent", "folder", "empty", "sms.csv", "cut", "damaged", "newer"]


@pytest.fixture
def broken(queue: Queue, tmp_path: Path) -> Path:
    """A folder of what is no queue."""
    queue.close()
    whole = queue.path.read_bytes()
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "sms.csv").write_text(f"id,text\n1,{MARKER}\n", encoding="utf-8")
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "damaged").write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    (tmp_path / "newer").write_bytes(whole)
    with closing(sqlite3.connect(tmp_path / "newer")) as newer:
        newer.execute("PRAGMA user_version = 999")
    return tmp_path


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize(
    "arguments",
    [
        "add {} more.csv",
        "status {}",
        "export {} -o out.xlsx",
        "import {} more.csv --annotator anna",
        "assign {} --to anna",
        "lists {} --names names.txt",
        "apply {} -o out.csv",
    ],
)
def test_what_is_no_queue_is_one_clear_line(
    arguments: str, name: str, broken: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(broken)
    write(broken / "more.csv", [sms(MARKER, 1)])
    before = sorted(path.name for path in broken.iterdir())
    assert name in one_line(run("queue", *arguments.format(name).split()))
    beside = {f"{name}-wal", f"{name}-shm"}
    assert sorted({path.name for path in broken.iterdir()} - beside) == before


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "No such file"),
        ("", "is empty"),
        (f"id,text\n1,{MARKER}\n", "has no column 'seek_hide': a queue is made of what triage"),
        (f"{HEADER}\n1,7,{MARKER},TA,TA,x,TA,\n", "line 2"),
        (f"{HEADER}\n1,7,{MARKER},{MARKER},TA,0.5,TA,\n", "line 2"),
        (f"{HEADER}\n1,{MARKER}\n", "line 2: 2 fields where the header has 8"),
    ],
)
@pytest.mark.parametrize("command", ["create", "add"])
def test_what_was_not_triaged_is_one_clear_line(
    command: str,
    content: str | None,
    problem: str,
    queue: Queue,
    run: Run,
    tmp_path: Path,
    shipped: Triage,  # noqa: ARG001 (loaded before the folder is looked at)
) -> None:
    path = tmp_path / "sms.csv"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    before = everything(queue.connection), sorted(tmp_path.iterdir())
    there = (queue.path, path) if command == "add" else (path, "-o", tmp_path / "q")
    done = run("queue", command, *there)
    assert problem in one_line(done)
    assert (everything(queue.connection), sorted(tmp_path.iterdir())) == before


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("-o work.queue", "is there already: choose another name, or add to it"),
        ("-o absent/q", "cannot write absent/q: No such file or directory"),
        ("-o q --double beaucoup", "--double beaucoup is no share"),
        ("-o q --names absent.txt", "absent.txt"),
        ("-o q --text-column absente", "no column 'absente'"),
        ("-o q --sender-column absente", "no column 'absente'"),
        ("-o q --id-column absente", "no column 'absente'"),
        ("-o q --model absent", "absent"),
        ("-o q --features zzz", "zzz"),
    ],
)
def test_what_cannot_be_made_leaves_nothing(
    options: str,
    problem: str,
    queue: Queue,
    source: Path,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = everything(queue.connection), sorted(tmp_path.iterdir())
    assert problem in one_line(run("queue", "create", source, *options.split()))
    assert (everything(queue.connection), sorted(tmp_path.iterdir())) == before


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("export {} -o out.csv --state sideways", "--state is one of open, decided, skipped"),
        ("export {} -o out.csv --format word", "--format is one of csv, xlsx, doccano"),
        ("export {} -o out.doc", "the name does not tell the format"),
        ("import {} sms.triage.csv --format word", "--format is one of"),
        ("import {} sms.triage.csv --annotator anna", "has no column 'answer'"),
    ],
)
def test_what_is_no_option_is_one_clear_line(
    arguments: str,
    problem: str,
    queue: Queue,
    source: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(source.parent)
    before = sorted(source.parent.iterdir())
    assert problem in one_line(run("queue", *arguments.format(queue.path).split()))
    assert sorted(source.parent.iterdir()) == before


def test_a_full_disk_is_one_clear_line(
    run: Run, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    before = everything(queue.connection)
    more = write(tmp_path / "b.csv", [Sms("50", "7", MARKER)])
    monkeypatch.setattr("triage.queue.fill.settle", full)
    said = one_line(run("queue", "add", queue.path, more))
    assert f"{queue.path} cannot be read or written: database or disk is full" in said
    assert everything(queue.connection) == before
    said = one_line(run("queue", "create", more, "-o", tmp_path / "q"))
    assert f"{tmp_path / 'q'} cannot be read or written: database or disk is full" in said
    assert not (tmp_path / "q").exists()
