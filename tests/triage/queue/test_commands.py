"""``triage queue``: what the commands do, say and refuse."""

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.queue import corpora as c
from triage.queue import Answer, Queue, WordRule

CASES = cases_beside(__file__)

OpenQueue = Callable[[Path], Queue]


@pytest.fixture
def source() -> Path:
    return c.write(Path("sms.triage.csv"), c.CORPUS)


def test_what_was_made_of_a_file_or_of_standard_input_is_told(
    run: c.Run, source: Path, open_queue: OpenQueue
) -> None:
    content = source.read_bytes()
    done = run("queue", "create", "-", "-o", "q", "--double", "100%", stdin=content)
    assert (done.returncode, done.stderr.count("warning")) == (0, 1)
    assert done.stdout == (
        "11 messages read, 11 new; 9 of them to be read\nq: 7 texts to read (9 messages)\n"
    )
    assert open_queue(Path("q")).status().doubled == 7
    c.write(source, [*c.CORPUS, c.sms("tu dors ?", 50)])
    assert run("queue", "add", "q", source).stdout == (
        "12 messages read, 1 new, 11 there already; 10 of them to be read\n"
        "q: 8 texts to read (10 messages)\n"
    )
    said = json.loads(run("queue", "create", source, "-o", "r", "--json").stdout)
    numbers = {"messages": 12, "new": 12, "expert": 10, "items": 8, "items_messages": 10}
    assert said == {**numbers, "other_labels": 10, "queue": "r"}
    run("queue", "create", c.write(Path("a.csv"), []), "-o", "s")
    assert re.search(r"messages +0\n", run("queue", "status", "s").stdout)


def test_lists_tell_what_the_votes_saw_and_other_lists_are_warned_of(
    run: c.Run, open_queue: OpenQueue
) -> None:
    Path("names.txt").write_text(f"doudounet\n{c.MARKER}\n", encoding="utf-8")
    options = ("--plan", "names=names.txt")
    triaged = c.write(Path("a.csv"), [c.sms("slt doudounet", 1, seek_hide="TA")])
    assert run("queue", "create", triaged, "-o", "q", *options).stderr == ""
    assert open_queue(Path("q")).item(1).words[-1].label == "DICTIONARY"
    triaged = c.write(Path("b.csv"), [c.sms(f"{c.MARKER.lower()} dort", 1, seek_hide="NTA")])
    done = run("queue", "create", triaged, "-o", "r", *options)
    assert "Seek&Hide says something else of 1 message here" in done.stderr
    assert (done.returncode, c.MARKER in done.stderr) == (0, False)


def test_columns_can_be_named_and_hold_for_what_is_added(run: c.Run, open_queue: OpenQueue) -> None:
    path, header = Path("a.csv"), "brut;text;qui;" + ";".join(c.COLUMNS[3:])
    row = "élea, dort;-;{};UNTAGGED;NTA;0.2;EXPERT;\n"
    path.write_bytes(f"{header}\n{row.format(7)}".encode("cp1252"))
    named = ("--plan", "text-column=brut", "--plan", "sender-column=qui")
    run("queue", "create", path, "-o", "q", *named)
    path.write_bytes(f"{header}\n{row.format(7)}{row.format(8)}".encode("cp1252"))
    assert "2 messages read, 1 new" in run("queue", "add", "q", path).stdout
    item = open_queue(Path("q")).item(1)
    assert (item.message, item.n_messages) == ((1, "7", "", "élea, dort"), 2)


def test_shares_are_told(run: c.Run, queue: Queue) -> None:
    done = run("queue", "assign", queue.path, "--to", "anna", "--to", "marc")
    said = dict(re.findall(r"(\w+): (\d+) items", done.stdout))
    assert {name: int(n) for name, n in said.items()} == queue.assigned()
    assert sum(queue.assigned().values()) == 7
    # An export that names nobody has the items of all.
    assert "7 items written" in run("queue", "export", queue.path, "-o", "all.csv").stdout
    done = run("queue", "assign", queue.path, "--double", "100%")
    assert done.stdout.splitlines()[-1] == "7 items for two"
    assert queue.assigned() == {"anna": 7, "marc": 7}
    done = run("queue", "assign", queue.path, "--to-anybody")
    assert (done.stdout, queue.assigned()) == ("no open item is assigned\n", {})


def test_help_names_the_formats_that_are_read_and_those_that_are_written(run: c.Run) -> None:
    read = "csv|xlsx|doccano|label-studio|brat|iob2"
    assert f"--format [{read}]" in run("queue", "import", "--help").stdout
    assert f"--to [{read}|spacy|datasets]" in run("queue", "export", "--help").stdout


def test_applying_tells_what_is_ta_with_nothing_marked(run: c.Run, queue: Queue) -> None:
    queue.decide("anna", c.MIDI, Answer.TA)
    said = run("queue", "apply", queue.path, "-o", "final.csv").stdout
    assert "2 messages are TA with nothing marked, and would be held back: 2, 6. Mark" in said
    done = run("queue", "apply", queue.path, "-o", "final.jsonl", "--json")
    assert json.loads(done.stdout)["unmarked"] == ["2", "6"]
    assert re.search(r"TA, no mark +1\n", run("queue", "status", queue.path).stdout)


def test_review_makes_the_queue_of_a_file_beside_it_or_reopens_it(
    run: c.Run, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert "was made of sms.triage.csv" in c.one_line(run("review", other))


def test_lists_are_for_their_owner_and_teach_classify(
    run: c.Run, queue: Queue, rows_of: c.RowsOf
) -> None:
    queue.decide_word("anna", "doudounet", WordRule.ALWAYS)
    queue.decide_word("anna", "zouzou", WordRule.NEVER)
    assert "words: 1 always a name, 1 never" in run("queue", "status", queue.path).stdout
    Path("sms.csv").write_text("text\nslt doudounet\nla zouzou est partie\n", encoding="utf-8")
    lists = ("--names", "names.txt", "--words", "words.txt")
    done = run("queue", "apply", queue.path, *lists)
    assert (done.returncode, done.stderr) == (0, "")
    assert {Path(path).stat().st_mode & 0o777 for path in lists[1::2]} == {0o600}
    assert Path("words.txt").read_text(encoding="utf-8") == "zouzou\n"
    for options, expected in (((), ["UNTAGGED", "TA"]), (lists, ["TA", "NTA"])):
        run("classify", "sms.csv", "-o", "out.csv", "--overwrite", *options)
        assert [row["seek_hide"] for row in rows_of(Path("out.csv"))] == expected


@pytest.fixture
def broken(queue: Queue, tmp_path: Path) -> Path:
    """A folder of what is no queue."""
    queue.close()
    whole = queue.path.read_bytes()
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "sms.csv").write_text(f"id,text\n1,{c.MARKER}\n", encoding="utf-8")
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "damaged").write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    (tmp_path / "newer").write_bytes(whole)
    with closing(sqlite3.connect(tmp_path / "newer")) as newer:
        newer.execute("PRAGMA user_version = 999")
    with closing(sqlite3.connect(tmp_path / "other")) as other:
        other.execute("CREATE TABLE decisions (decision)")
    return tmp_path


@pytest.mark.parametrize(
    "name", ["absent", "folder", "empty", "sms.csv", "cut", "damaged", "newer", "other"]
)
def test_what_is_no_queue_is_one_clear_line(name: str, broken: Path, run: c.Run) -> None:
    c.write(broken / "more.csv", [c.sms(c.MARKER, 1)])
    before = sorted(path.name for path in broken.iterdir())
    for arguments in (
        *("add {} more.csv", "status {}", "export {} -o out.xlsx", "apply {} -o out.csv"),
        *("import {} more.csv --annotator anna", "assign {} --to anna", "apply {} --names n.txt"),
    ):
        assert name in c.one_line(run("queue", *arguments.format(name).split()))
    beside = {f"{name}-wal", f"{name}-shm"}
    assert sorted({path.name for path in broken.iterdir()} - beside) == before


@pytest.mark.parametrize(("content", "problem"), CASES["what_was_not_triaged"])
@pytest.mark.parametrize("command", ["create -o q", "add {queue}"])
@pytest.mark.usefixtures("shipped")
def test_what_was_not_triaged_is_one_clear_line(
    command: str, content: str, problem: str, queue: Queue, run: c.Run, here: Path
) -> None:
    Path("sms.csv").write_text(content, encoding="utf-8")
    arguments = command.format(queue=queue.path).split()
    with c.nothing_changes(queue, here):
        assert problem in c.one_line(run("queue", *arguments, "sms.csv"))
        assert "No such file" in c.one_line(run("queue", *arguments, "absent.csv"))


@pytest.mark.parametrize(("arguments", "problem"), CASES["a_wrong_option_is_one_clear_line"])
def test_a_wrong_option_is_one_clear_line_and_leaves_nothing(
    arguments: str, problem: str, queue: Queue, source: Path, run: c.Run, here: Path
) -> None:
    queue.decide_word("anna", "doudounet", WordRule.ALWAYS)
    Path("there.txt").write_text("mine\n")
    said = arguments.format(source=source, queue=queue.path).split()
    with c.nothing_changes(queue, here):
        assert problem in c.one_line(run("queue", *said))
    assert Path("there.txt").read_text() == "mine\n"


def test_a_full_disk_is_one_clear_line(
    run: c.Run, queue: Queue, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    more = c.write(Path("b.csv"), [c.sms(c.MARKER, 50)])
    monkeypatch.setattr("triage.queue.fill.chance", full)
    with c.nothing_changes(queue, here):
        for path, *said in (("q", "create", "-o", "q"), (queue.path, "add", queue.path)):
            problem = f"{path} cannot be read or written: database or disk is full"
            assert problem in c.one_line(run("queue", *said, more))
