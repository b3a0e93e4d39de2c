"""``triage classify`` with the evidence of the whole corpus: two passes over a file."""

import csv
import io
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.data.files import rows_of
from tests.triage.cli.program import Run
from tests.triage.conftest import SAMPLE
from triage import Triage
from triage.decide.find import ScoredMessages
from triage.decide.pipeline import Decisions
from triage.decide.run import Request
from triage.decide.source import Source
from triage.decide.tables import COLUMNS
from triage.errors import TriageError

# The process of the tests has threads, which the child never uses.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")]


SENDERS_AND_MESSAGES = [*map(tuple, cases_beside(__file__)["senders_and_messages"])]
MESSAGES = [message for _, message in SENDERS_AND_MESSAGES]
LOWERED = MESSAGES.index("j'ai vu namrata hier")


def write(
    path: Path, header: str = "sender", rows: Sequence[tuple[str, str]] = SENDERS_AND_MESSAGES
) -> Path:
    path.write_text("\n".join([f"{header};text", *map(";".join, rows), ""]), encoding="utf-8")
    return path


@pytest.fixture
def small(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a file of few messages, each a chunk, in which three senders capitalise a name."""
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 1)
    return write(Path("small.csv"))


@pytest.fixture
def classified(run: Run) -> Callable[..., bytes]:
    """Run ``triage classify`` without a summary; what it wrote."""

    def classify(source: Path | str, *options: str | Path, stdin: bytes = b"") -> bytes:
        target = Path("out.csv")
        done = run("classify", source, "-o", target, "-q", "--overwrite", *options, stdin=stdin)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        return target.read_bytes()

    return classify


def decisions(written: bytes) -> list[list[str]]:
    """Return what was decided, column by column, of each row of a CSV file."""
    separator = ";" if b";" in written.splitlines()[0] else ","
    header, *rows = csv.reader(io.StringIO(written.decode()), delimiter=separator)
    assert header[-5:] == list(COLUMNS)
    return [row[-5:] for row in rows]


def test_more_or_fewer_senders_than_messages_are_refused(shipped: Triage) -> None:
    for senders in (["a"], ["a", "b", "c"]):
        with pytest.raises(TriageError, match=f"2 messages, but {len(senders)} senders"):
            shipped.decide(["ok", "Zoé arrive"], senders, corpus_evidence=True)


@pytest.fixture
def deciders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    notes, decide = tmp_path / "notes", Triage.decide_scored

    def noting(triage: Triage, scored: ScoredMessages) -> Decisions:
        with notes.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return decide(triage, scored)

    monkeypatch.setattr(Triage, "decide_scored", noting)
    return lambda: [int(pid) for pid in notes.read_text().split()]


def is_clean(small: Path) -> bool:
    """Tell whether a run that failed has left neither an output nor a process."""
    left = [path.name for path in small.parent.iterdir()]
    return left == ["small.csv"] and multiprocessing.active_children() == []


@pytest.mark.parametrize("method", ["score", "decide_scored"])
@pytest.mark.parametrize("options", [[], ["--plan", "corpus-evidence=false"]])
def test_a_worker_that_is_killed_is_one_clear_line_and_leaves_no_output(
    method: str,
    options: list[str],
    refused: Callable[..., str],
    small: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, here = getattr(Triage, method), os.getpid()

    def die_elsewhere(*arguments: object) -> object:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments)

    monkeypatch.setattr(Triage, method, die_elsewhere)
    told = refused("classify", small, "--jobs", "2", *options)
    assert "was killed, perhaps for want of memory" in told
    assert is_clean(small)


def test_a_full_disk_is_one_clear_line_and_leaves_no_output(
    refused: Callable[..., str], small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", no_room)
    told = refused("classify", small, "--jobs", "2")
    assert "No space left on device): make room, or set TMPDIR" in told
    assert is_clean(small)


def test_an_interruption_while_a_worker_starts_leaves_neither_process_nor_output(
    run: Run, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork, before = os.fork, signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupted() -> int:
        child = fork()
        if child:
            # A process of the program has one thread, one of tests some more.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return child

    monkeypatch.setattr(os, "fork", interrupted)
    try:
        done = run("classify", small, "--jobs", "2")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (130, "", 1)
    assert is_clean(small)


def gather(run: Run, target: Path, *sources: Path) -> Path:
    done = run("gather", *sources, "-o", target, "--plan", "quiet=true", "--overwrite")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return target


def test_each_pass_is_told(small: Path, shipped: Triage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 3)
    for asked, passes in ((True, 2), (False, 1)):
        told: list[list[int]] = []

        def start(_rows: int | None, _work: str, told: list[Any] = told) -> Callable[[int], None]:
            told.append([])
            return told[-1].append  # type: ignore[no-any-return]

        request = Request(Source(str(small)), corpus_evidence=asked, overwrite=True)
        with request.source.open() as file:
            request.classify(shipped, file, start)
        assert told == [[3, 3, 2]] * passes


def test_a_file_is_decided_as_a_corpus_and_a_stream_message_by_message(
    classified: Callable[..., bytes], small: Path, shipped: Triage
) -> None:
    by_default, corpus, alone = (
        classified(small, *options)
        for options in ((), ("--plan", "corpus-evidence=true"), ("--plan", "corpus-evidence=false"))
    )
    assert by_default == corpus != alone == classified("-", stdin=small.read_bytes())
    # What others write raises a name without its capital.
    raised, lowered = (float(decisions(one)[LOWERED][2]) for one in (corpus, alone))
    assert raised > lowered
    assert decisions(alone) == [[*map(str, row)] for row in shipped.decide(MESSAGES).rows()]


@pytest.mark.parametrize("option", ["corpus-evidence=true", "corpus-evidence=false"])
def test_chunks_of_any_size_and_any_number_of_processes_give_the_same_bytes(
    option: str, classified: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Path("queue.parquet")
    options = SAMPLE, "--plan", option, "--queue", queue, "--jobs"
    whole, asked = classified(*options, "1"), rows_of(queue)
    for rows, jobs in ((20, 3), (40, 1), (7, 2)):
        monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", rows)
        assert classified(*options, str(jobs)) == whole, (rows, jobs)
        assert rows_of(queue) == asked != []


@pytest.mark.parametrize(("jobs", "rows", "workers"), [("2", 1, 1), ("1", 1, 0), ("2", 8, 0)])
def test_as_many_processes_as_asked_for_share_the_chunks_where_there_are_several(
    jobs: str,
    rows: int,
    workers: int,
    classified: Callable[..., bytes],
    small: Path,
    deciders: Callable[[], list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", rows)
    classified(small, "--jobs", jobs)
    counts = Counter(deciders())
    assert counts.total() == 8 / rows
    assert len(counts.keys() - {os.getpid()}) == workers


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_parts_are_decided_like_the_whole_with_the_evidence_of_all(
    jobs: str, run: Run, classified: Callable[..., bytes], small: Path
) -> None:
    rows = {"one.csv": SENDERS_AND_MESSAGES[:3], "two.csv": SENDERS_AND_MESSAGES[3:]}
    parts = [write(Path(name), rows=some) for name, some in rows.items()]
    one, two = (gather(run, part.with_suffix(".evidence"), part) for part in parts)
    whole = gather(run, Path("all.evidence"), two, one)
    at_once = gather(run, Path("at_once.evidence"), *parts)
    assert whole.read_bytes() == at_once.read_bytes()
    by_parts, expected = [], decisions(classified(small))
    for part in parts:
        by_parts += decisions(classified(part, "--evidence", whole, "--jobs", jobs))
    assert by_parts == expected
    # New messages are decided with the evidence of old ones and their own.
    new = classified(parts[1], "--evidence", one, "--jobs", jobs)
    assert decisions(new) == expected[3:] != decisions(classified(parts[1]))
