"""Killed at any moment, nothing acknowledged is lost; several at once lose and double nothing."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.triage.queue import corpora as c
from triage import Triage
from triage.decide.source import Source
from triage.queue import Answer, Filters, Queue, State
from triage.queue.fill import add_to_queue, create_queue

pytestmark = pytest.mark.slow

SIXTY = c.MANY[:60]
MORE = [c.sms(f"on dort chez Zouzou a {n} h", n) for n in range(100, 120)]

DECIDES_ALL_THAT_COME = """
import sys
from triage.queue import Answer, Queue
queue = Queue.open(sys.argv[1])
while (item := queue.next(sys.argv[2])) is not None:
    print(queue.decide(sys.argv[2], item, Answer.NTA), item, flush=True)
"""
STOPS = """
import sys, time
from triage.queue import Answer, Queue
run, n_whole = Queue.run, int(sys.argv[2])
def stop(queue, part, **values):
    global n_whole
    found = run(queue, part, **values)
    n_whole -= part == "settle"
    if n_whole < 0:
        print("within", flush=True)
        time.sleep(60)
    return found
Queue.run = stop
"""
STOPS_WITHIN_A_DECISION = f"""{STOPS}
import itertools
queue = Queue.open(sys.argv[1])
for item in itertools.cycle(range(1, 61)):
    print(queue.decide("anna", item, Answer.NTA), item, flush=True)
"""
STOPS_WITHIN_A_FILE = f"""{STOPS}
from triage import Triage
from triage.queue import fill
fill._AT_ONCE = 3
source, triage = fill.Source(sys.argv[3]), Triage.load("fr")
if sys.argv[4] == "create":
    fill.create_queue(sys.argv[1], source, triage)
else:
    fill.add_to_queue(Queue.open(sys.argv[1]), source, triage)
"""
NEVER = 10**9


@pytest.fixture(autouse=True)
def synchronous(own_folder: Path) -> None:
    """Keep the protection from power cuts, which other tests of queues do without."""


@contextmanager
def running(script: str, *arguments: object) -> Iterator["subprocess.Popen[str]"]:
    """Run a script in a process of its own, which is killed in the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.kill()


def first_lines(process: "subprocess.Popen[str]", n: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline() for _ in range(n)]


def kill(process: "subprocess.Popen[str]") -> list[str]:
    """Kill a process as nothing can ward off, and return whole lines that it has printed yet."""
    process.send_signal(signal.SIGKILL)
    assert process.stdout is not None
    # Not by `communicate`, which knows nothing of what a reader of lines has read ahead.
    rest = process.stdout.read()
    assert process.wait() == -signal.SIGKILL
    return [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]


def acknowledged(lines: list[str]) -> list[tuple[int, int]]:
    pairs = (line.split() for line in lines)
    return [(int(decision), int(item)) for decision, item in pairs]


def answers(queue: Queue) -> list[tuple[int, int]]:
    return queue.connection.execute("SELECT decision, item FROM answers ORDER BY 1").fetchall()


@pytest.fixture
def sixty(make_queue: c.MakeQueue) -> Path:
    made = make_queue(*SIXTY)
    made.connection.close()
    return made.path


@pytest.mark.parametrize("n", [1, 25, 140])
def test_killed_at_any_moment_nothing_is_lost(n: int, sixty: Path, open_queue: c.OpenQueue) -> None:
    with running(STOPS_WITHIN_A_DECISION, sixty, NEVER) as process:
        lines = first_lines(process, n)
        lines += kill(process)
    queue, said = open_queue(sixty), acknowledged(lines)
    assert len(said) >= n
    # The one that was on its way may be there, too.
    assert said == answers(queue)[: len(said)]
    assert len(answers(queue)) <= len(said) + 1
    assert c.is_whole(queue)


def test_killed_within_a_decision_the_others_stay(sixty: Path, open_queue: c.OpenQueue) -> None:
    with running(STOPS_WITHIN_A_DECISION, sixty, 1) as process:
        decided, within = first_lines(process, 2)
        assert within == "within\n"
        kill(process)
    queue = open_queue(sixty)
    assert answers(queue) == acknowledged([decided])
    assert queue.count("anna", Filters(state=State.DECIDED)) == 1
    assert c.is_whole(queue)
    queue.decide("anna", 2, Answer.NTA)


def test_killed_while_it_is_made_there_is_no_queue_and_it_can_be_made(shipped: Triage) -> None:
    source = c.write(Path("a.csv"), c.CORPUS)
    with running(STOPS_WITHIN_A_FILE, Path("q"), 0, source, "create") as process:
        assert first_lines(process, 1) == ["within\n"]
        kill(process)
    assert not Path("q").exists()
    assert {path.stat().st_mode & 0o077 for path in Path().glob(".unfinished*")} == {0}
    assert create_queue("q", Source(str(source)), shipped).messages == len(c.CORPUS)


@pytest.mark.parametrize("n_whole", [0, 1, 4])
def test_killed_while_messages_are_added_the_queue_is_whole_and_adding_again_completes_it(
    n_whole: int, queue: Queue, open_queue: c.OpenQueue, shipped: Triage
) -> None:
    queue.double(0.5)
    queue.decide("anna", c.MIDI, Answer.NTA)
    queue.connection.close()
    whole = Path("whole.queue")
    shutil.copy(queue.path, whole)
    more = c.write(Path("b.csv"), [*c.CORPUS[:4], *MORE, *c.CORPUS[4:]])
    with running(STOPS_WITHIN_A_FILE, queue.path, n_whole, more, "add") as process:
        assert first_lines(process, 1) == ["within\n"]
        kill(process)
    again, uninterrupted = open_queue(queue.path), open_queue(whole)
    n_written = len(c.CORPUS) + max(0, 3 * n_whole - 4)
    assert again.status().messages == n_written
    items = again.rows("anna", Filters(state=State.ALL), limit=99)
    assert all(item.words and item.message for item in items)
    assert c.is_whole(again)
    for added in (again, uninterrupted):
        add_to_queue(added, Source(str(more)), shipped)
    assert c.everything(again.connection) == c.everything(uninterrupted.connection)
    assert c.is_whole(again)


def test_others_decide_and_add_while_a_long_file_is_added(
    queue: Queue, open_queue: c.OpenQueue, shipped: Triage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between any two of its transactions another connection writes, without waiting at all."""
    other = open_queue(queue.path)
    other.connection.execute("PRAGMA busy_timeout = 0")
    monkeypatch.setattr("triage.queue.fill._AT_ONCE", 3)
    too = c.write(Path("c.csv"), [*MORE[5:15], c.sms("rendez vous chez Zouzou", 300)])
    seen: list[int] = []

    def write(_: float) -> None:
        number = other.next("marc")
        assert number is not None
        other.decide("marc", number, Answer.NTA)
        seen.append(other.status().messages)
        if len(seen) == 3:
            with monkeypatch.context() as patch:
                patch.setattr("triage.queue.fill.time.sleep", lambda _: None)
                add_to_queue(other, Source(str(too)), shipped)
        assert c.is_whole(other)

    monkeypatch.setattr("triage.queue.fill.time.sleep", write)
    filled = add_to_queue(queue, Source(str(c.write(Path("b.csv"), MORE))), shipped)
    assert seen[:4] == [14, 17, 20, 27]
    assert (filled.messages, filled.new) == (len(MORE), len(MORE) - 6)
    assert other.progress("marc").decided == len(seen)
    assert queue.status().messages == len(c.CORPUS) + len(MORE) + 1
    assert c.is_whole(queue)


def finished(process: "subprocess.Popen[str]") -> list[tuple[int, int]]:
    """Wait for a process that must go well, and return what it decided."""
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return acknowledged(out.splitlines())


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_two_at_once_decide_each_item_once_or_twice(share: float, make_queue: c.MakeQueue) -> None:
    queue = make_queue(*SIXTY[:30])
    queue.double(share)
    with (
        running(DECIDES_ALL_THAT_COME, queue.path, "anna") as one,
        running(DECIDES_ALL_THAT_COME, queue.path, "marc") as other,
    ):
        said = [finished(one), finished(other)]
    items = sorted(item for part in said for _, item in part)
    assert items == sorted([*range(1, 31)] * int(1 + share))
    assert sorted([*said[0], *said[1]]) == answers(queue)
    assert queue.status().items_final == 30
    assert c.is_whole(queue)


def test_a_queue_waits_for_others_and_synchronises_its_write_ahead_log(queue: Queue) -> None:
    pragmas = {"busy_timeout": 30_000, "journal_mode": "wal", "synchronous": 2}
    found = {p: queue.connection.execute(f"PRAGMA {p}").fetchone()[0] for p in pragmas}
    assert found == pragmas
