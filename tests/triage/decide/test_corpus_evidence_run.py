"""``triage classify`` with the evidence of the whole corpus: two passes over a file."""

import csv
import io
import json
import multiprocessing
import os
import signal
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pandas as pd
import pytest

from triage import Triage, data
from triage.decide.pipeline import COLUMNS, Decisions, ScoredMessages
from triage.decide.policy import Policy, PolicyName
from triage.decide.run import classify_file
from triage.decide.source import Request, Source
from triage.decide.spool import Ref, Spool
from triage.errors import TriageError
from triage.model.learnt import Model

# The process of the tests has threads, which the child never uses.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]

Run = Callable[..., CompletedProcess[str]]
Rows = Callable[..., list[dict[str, object]]]
Write = Callable[..., Path]

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
SENDERS_AND_MESSAGES = [
    ("ana", "Je suis chez Namrata ce soir"),
    ("bob", "Tu viens avec Namrata demain ?"),
    ("cléo", "Demande à Namrata si elle vient"),
    ("dan", "j'ai vu namrata hier"),
    ("ana", "ok pour demain"),
    ("bob", "mdrrr 😂"),
    ("cléo", "J'arrive dans 5 min"),
    ("dan", "Coucou Patrice, ça va ?"),
]
MESSAGES = [message for _, message in SENDERS_AND_MESSAGES]
LOWERED = MESSAGES.index("j'ai vu namrata hier")


def write(path: Path, header: str = "sender") -> Path:
    lines = [f"{header};text", *map(";".join, SENDERS_AND_MESSAGES)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Give a file of few messages, in which three senders write the capital of a name."""
    return write(tmp_path / "small.csv")


@pytest.fixture
def classified(run: Run, tmp_path: Path) -> Callable[..., bytes]:
    """Run ``triage classify`` without a summary; what it wrote."""

    def classify(source: Path | str, *options: str | Path, stdin: bytes = b"") -> bytes:
        target = tmp_path / "out.csv"
        done = run("classify", source, "-o", target, "-q", "--overwrite", *options, stdin=stdin)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        return target.read_bytes()

    return classify


def decisions(written: bytes) -> list[list[str]]:
    """Return what was decided, column by column, of each row of a CSV file."""
    header, *rows = csv.reader(io.StringIO(written.decode()), delimiter=_separator(written))
    assert header[-5:] == list(COLUMNS)
    return [row[-5:] for row in rows]


def _separator(written: bytes) -> str:
    return ";" if b";" in written.splitlines()[0] else ","


def scores(written: bytes) -> list[float]:
    return [float(row[2]) for row in decisions(written)]


def decided(triage: Triage, **options: object) -> list[list[str]]:
    found = triage.decide(MESSAGES, **options)  # type: ignore[arg-type]
    return [list(map(str, row)) for row in found.rows()]


# Whether others are asked


def test_what_others_write_raises_a_name_without_its_capital(
    classified: Callable[..., bytes], small: Path
) -> None:
    alone = scores(classified(small, "--no-corpus-evidence"))
    assert scores(classified(small, "--corpus-evidence"))[LOWERED] > alone[LOWERED]


def test_a_file_is_decided_as_a_corpus_by_default(
    classified: Callable[..., bytes], small: Path
) -> None:
    by_default = classified(small)
    assert by_default == classified(small, "--corpus-evidence")
    assert by_default != classified(small, "--no-corpus-evidence")


def test_without_corpus_evidence_each_message_is_decided_by_itself(
    classified: Callable[..., bytes], small: Path, shipped: Triage
) -> None:
    assert decisions(classified(small, "--no-corpus-evidence")) == decided(shipped)


def test_a_stream_is_decided_message_by_message(
    classified: Callable[..., bytes], small: Path
) -> None:
    stream = classified("-", stdin=small.read_bytes())
    assert stream == classified(small, "--no-corpus-evidence")


def test_a_stream_can_be_decided_as_a_corpus(classified: Callable[..., bytes], small: Path) -> None:
    stream = classified("-", "--corpus-evidence", stdin=small.read_bytes())
    assert stream == classified(small, "--corpus-evidence")


def test_a_model_that_does_not_weigh_words_asks_no_others(
    classified: Callable[..., bytes], small: Path, model_path: Path
) -> None:
    own = ("-m", model_path, "--policy", "agreement")
    assert classified(small, *own) == classified(small, "--no-corpus-evidence", *own)


def test_corpus_evidence_of_a_model_that_does_not_weigh_words_is_refused(
    run: Run, small: Path, model_path: Path
) -> None:
    done = run("classify", small, "--corpus-evidence", "-m", model_path, "--policy", "agreement")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "needs a model that weighs words: its features are 'patel2013'" in done.stderr


@pytest.mark.parametrize("features", ["evidence", "nonsense"])
def test_other_features_than_those_of_the_model_are_refused(
    features: str, run: Run, small: Path, model_path: Path
) -> None:
    done = run("classify", small, "--features", features, "-m", model_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"learnt from the features 'patel2013', not {features!r}" in done.stderr


@pytest.mark.parametrize("senders", [["a"], ["a", "b", "c"]])
def test_more_or_fewer_senders_than_messages_are_refused(
    senders: list[str], shipped: Triage
) -> None:
    with pytest.raises(TriageError, match=f"2 messages, but {len(senders)} senders"):
        shipped.decide(["ok", "Zoé arrive"], senders, corpus_evidence=True)


@pytest.mark.parametrize(
    ("source", "asked", "expected"),
    [
        ("sms.csv", None, True),
        ("-", None, False),
        ("sms.csv", False, False),
        ("-", True, True),
    ],
)
def test_what_is_asked_for_goes_before_what_the_source_is(
    source: str, asked: bool | None, expected: bool
) -> None:
    assert Request(Source(source), corpus_evidence=asked).with_corpus_evidence is expected


# The same, however it is computed


@pytest.fixture(scope="module")
def expected(shipped: Triage, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Give the sample as this process decides it, in one chunk."""
    target = tmp_path_factory.mktemp("expected") / "out.csv"
    classify_file(shipped, Request(Source(str(SAMPLE)), str(target)))
    return target.read_bytes()


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_any_number_of_processes_gives_the_same_bytes(
    jobs: int,
    classified: Callable[..., bytes],
    expected: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 20)
    assert classified(SAMPLE, "--jobs", str(jobs)) == expected


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("in_memory", [0, 45, 100])
def test_chunks_kept_in_any_way_give_the_same_bytes(
    jobs: int,
    in_memory: int,
    classified: Callable[..., bytes],
    expected: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 40)
    monkeypatch.setattr("triage.decide.corpus._ROWS_IN_MEMORY", in_memory)
    assert classified(SAMPLE, "--jobs", str(jobs)) == expected


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("rows", [7, 259, 260, 261])
def test_chunks_of_any_size_give_the_same_bytes(
    rows: int,
    jobs: int,
    classified: Callable[..., bytes],
    expected: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", rows)
    assert classified(SAMPLE, "--jobs", str(jobs)) == expected


@pytest.mark.parametrize("jobs", [1, 2])
def test_messages_by_themselves_are_decided_alike_by_any_number_of_processes(
    jobs: int, classified: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = classified(SAMPLE, "--no-corpus-evidence", "--jobs", "1")
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 3)
    assert classified(SAMPLE, "--no-corpus-evidence", "--jobs", str(jobs)) == whole


@pytest.mark.parametrize("name", ["sms.jsonl", "sms.xlsx", "sms.parquet", "sms.csv.gz", "sms.tsv"])
def test_every_format_is_written_alike_by_one_process_and_two(
    name: str,
    run: Run,
    rows_of: Rows,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 40)
    written = []
    for jobs in ("1", "2"):
        target = tmp_path / f"{jobs}{name}"
        assert run("classify", SAMPLE, "-o", target, "-q", "--jobs", jobs).returncode == 0
        written.append(rows_of(target))
    assert written[0] == written[1]


@pytest.fixture
def deciders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """Note which process decides each chunk."""
    notes, decide = tmp_path / "notes", Triage.decide_scored

    def noting(triage: Triage, scored: ScoredMessages) -> Decisions:
        with notes.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return decide(triage, scored)

    monkeypatch.setattr(Triage, "decide_scored", noting)
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 1)
    return lambda: [int(pid) for pid in notes.read_text().split()]


def test_two_workers_share_the_chunks(
    classified: Callable[..., bytes], small: Path, deciders: Callable[[], list[int]]
) -> None:
    classified(small, "--jobs", "2")
    counts = Counter(deciders())
    assert (len(counts), counts.total()) == (2, 8)
    assert os.getpid() not in counts


def test_one_process_decides_all_itself(
    classified: Callable[..., bytes], small: Path, deciders: Callable[[], list[int]]
) -> None:
    classified(small, "--jobs", "1")
    assert Counter(deciders()) == {os.getpid(): 8}


def test_a_file_of_one_chunk_needs_no_worker(
    classified: Callable[..., bytes],
    small: Path,
    deciders: Callable[[], list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 8)
    classified(small, "--jobs", "2")
    assert deciders() == [os.getpid()]


@pytest.mark.parametrize("method", ["score", "decide_scored"])
@pytest.mark.parametrize("options", [[], ["--no-corpus-evidence"]])
def test_a_worker_that_is_killed_is_one_clear_line_and_leaves_no_output(
    method: str, options: list[str], run: Run, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, here = getattr(Triage, method), os.getpid()

    def die_elsewhere(*arguments: object) -> object:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments)

    monkeypatch.setattr(Triage, method, die_elsewhere)
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 1)
    done = run("classify", small, "--jobs", "2", *options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "was killed, perhaps for want of memory" in done.stderr
    assert [path.name for path in small.parent.iterdir()] == ["small.csv"]
    assert multiprocessing.active_children() == []


def test_a_full_disk_is_one_clear_line_and_leaves_no_output(
    run: Run, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", no_room)
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 1)
    done = run("classify", small, "--jobs", "2")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "No space left on device): make room, or set TMPDIR" in done.stderr
    assert [path.name for path in small.parent.iterdir()] == ["small.csv"]
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_messages_that_are_put_aside_leave_no_file(
    jobs: str, run: Run, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool, notes = tmp_path / "spool", tmp_path / "notes"
    spool.mkdir()
    put = Spool.put

    def noting(self: Spool, item: object) -> Ref[object]:
        notes.touch()  # perhaps in another process
        return put(self, item)

    monkeypatch.setattr(tempfile, "tempdir", str(spool))
    monkeypatch.setattr(Spool, "put", noting)
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 1)
    monkeypatch.setattr("triage.decide.corpus._ROWS_IN_MEMORY", 2)
    assert run("classify", small, "--jobs", jobs).returncode == 0
    assert notes.exists()
    assert list(spool.iterdir()) == []


# Evidence that was gathered before


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """Cut the messages into two files."""
    found = []
    for name, some in (("one", SENDERS_AND_MESSAGES[:3]), ("two", SENDERS_AND_MESSAGES[3:])):
        lines = ["sender;text", *map(";".join, some)]
        found.append(tmp_path / f"{name}.csv")
        found[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return found


def gather(run: Run, target: Path, *sources: Path) -> Path:
    done = run("gather", *sources, "-o", target, "-q", "--overwrite")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return target


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_parts_are_decided_like_the_whole_with_the_evidence_of_all(
    jobs: str,
    run: Run,
    classified: Callable[..., bytes],
    small: Path,
    parts: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 1)
    one, two = (gather(run, part.with_suffix(".evidence"), part) for part in parts)
    options = "--evidence", gather(run, tmp_path / "all.evidence", two, one), "--jobs", jobs
    by_parts = [row for part in parts for row in decisions(classified(part, *options))]
    assert by_parts == decisions(classified(small))
    assert by_parts != [row for part in parts for row in decisions(classified(part))]


def test_evidence_is_the_same_file_however_it_was_gathered(
    run: Run, parts: list[Path], tmp_path: Path
) -> None:
    one, two = (gather(run, part.with_suffix(".evidence"), part) for part in parts)
    at_once = gather(run, tmp_path / "at_once.evidence", *parts)
    assert gather(run, tmp_path / "merged.evidence", two, one).read_bytes() == at_once.read_bytes()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_new_messages_are_decided_with_the_evidence_of_old_ones(
    jobs: str,
    classified: Callable[..., bytes],
    run: Run,
    small: Path,
    parts: list[Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 1)
    old, new = parts
    options = "--evidence", gather(run, old.with_suffix(".evidence"), old), "--jobs", jobs
    assert decisions(classified(new, *options)) == decisions(classified(small))[3:]


def test_messages_that_cannot_be_read_are_not_gathered(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text("id,text\n1,Oui\n2\n3,Non\n", encoding="utf-8")
    done = run("gather", tmp_path / "sms.csv", "-o", tmp_path / "all.evidence")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "sms.csv, line 3" in done.stderr
    assert not (tmp_path / "all.evidence").exists()


def test_evidence_without_corpus_evidence_is_refused(
    run: Run, small: Path, parts: list[Path]
) -> None:
    evidence = gather(run, parts[0].with_suffix(".evidence"), parts[0])
    done = run("classify", small, "--evidence", evidence, "--no-corpus-evidence")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "--evidence has no effect with --no-corpus-evidence" in done.stderr


def test_evidence_gathered_with_other_lists_is_refused(
    run: Run, small: Path, parts: list[Path], tmp_path: Path
) -> None:
    evidence = gather(run, parts[0].with_suffix(".evidence"), parts[0])
    (tmp_path / "names.txt").write_text("zorbulina\n", encoding="utf-8")
    done = run("classify", small, "--evidence", evidence, "--names", tmp_path / "names.txt")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "another version, model or lists: gather it again" in done.stderr


# Rows


def test_a_row_in_is_a_row_out_in_order(
    classified: Callable[..., bytes], rows_of: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 9)
    monkeypatch.setattr("triage.decide.corpus._ROWS_IN_MEMORY", 30)
    classified(SAMPLE)
    sample, rows = rows_of(SAMPLE), rows_of(tmp_path / "out.csv")
    assert [{name: row[name] for name in sample[0]} for row in rows] == sample


def test_rejected_rows_are_counted_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 1)
    (tmp_path / "sms.csv").write_text("id,text\n1,Oui\n2\n3,Non\n", encoding="utf-8")
    done = run("classify", tmp_path / "sms.csv", "--corpus-evidence")
    assert done.stdout.startswith("3 rows read, 2 written")
    rejects = (tmp_path / "sms.triage.rejects.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in rejects] == ["line", "3"]


def test_a_file_without_messages_has_a_header_and_no_decisions(
    run: Run, tmp_path: Path, rows_of: Rows
) -> None:
    (tmp_path / "sms.csv").write_text("sender,text\n", encoding="utf-8")
    done = run("classify", tmp_path / "sms.csv", "--corpus-evidence")
    assert done.stdout.startswith("0 rows read, 0 written")
    assert rows_of(tmp_path / "sms.triage.csv") == []


def test_an_empty_file_is_one_clear_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").touch()
    done = run("classify", tmp_path / "sms.csv", "--corpus-evidence")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "it has no header and no messages" in done.stderr


@pytest.mark.parametrize("messages", [[""], ["", "Coucou Patrice", "  "], ["!", "😂"]])
def test_messages_without_a_word_are_nta(
    messages: list[str], run: Run, csv_of: Write, rows_of: Rows
) -> None:
    source = csv_of(*messages)
    assert run("classify", source, "--corpus-evidence", "-q").returncode == 0
    actions = [row["action"] for row in rows_of(source.with_name("sms.triage.csv"))]
    assert actions == ["TA" if "Patrice" in message else "NTA" for message in messages]


@pytest.mark.parametrize("long", ["coucou Namrata " * 70_000, "x" * 1_000_000])
def test_a_message_of_a_megabyte_is_decided(
    long: str, run: Run, csv_of: Write, rows_of: Rows
) -> None:
    source = csv_of("Coucou Patrice", long)
    assert run("classify", source, "--corpus-evidence", "-q").returncode == 0
    rows = rows_of(source.with_name("sms.triage.csv"))
    assert [row["text"] for row in rows] == ["Coucou Patrice", long]
    assert rows[0]["action"] == "TA"


# Senders


@pytest.mark.parametrize("column", ["sender", "Author", "id_num_tel", "expediteur"])
def test_the_column_of_senders_is_guessed_from_usual_names(
    column: str, classified: Callable[..., bytes], tmp_path: Path, shipped: Triage
) -> None:
    senders = [sender for sender, _ in SENDERS_AND_MESSAGES]
    found = decisions(classified(write(tmp_path / "sms.csv", column)))
    assert found == decided(shipped, senders=senders, corpus_evidence=True)


def test_the_column_of_senders_can_be_named(
    classified: Callable[..., bytes], tmp_path: Path, small: Path
) -> None:
    other = write(tmp_path / "sms.csv", "qui")
    named = decisions(classified(other, "--sender-column", "qui"))
    assert named == decisions(classified(small))
    assert named != decisions(classified(other))


def test_without_senders_each_message_is_of_a_sender_of_its_own(
    classified: Callable[..., bytes], csv_of: Write, shipped: Triage
) -> None:
    found = decisions(classified(csv_of(*MESSAGES)))
    assert found == decided(shipped, corpus_evidence=True)


@pytest.mark.parametrize("asked", ["--corpus-evidence", "--no-corpus-evidence"])
def test_a_missing_column_of_senders_is_one_clear_line(
    asked: str, run: Run, small: Path, tmp_path: Path
) -> None:
    done = run("classify", small, asked, "--sender-column", "absente")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"triage: {small} has no column 'absente'; there are: sender, text. "
        "Name the right one with --sender-column\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["small.csv"]


# The queue


@pytest.mark.parametrize("asked", ["--corpus-evidence", "--no-corpus-evidence"])
def test_the_queue_is_ordered_by_doubt(
    asked: str, run: Run, tmp_path: Path, rows_of: Rows, shipped: Triage
) -> None:
    queue = tmp_path / "queue.csv"
    run("classify", SAMPLE, asked, "-o", tmp_path / "out.csv", "--queue", queue)
    rows = rows_of(queue, guarded=True)
    doubt = [abs(float(str(row["model_score"])) - shipped.model.manifest.ta_from) for row in rows]
    assert len(doubt) >= 4
    assert doubt == sorted(doubt)


def test_of_the_same_doubt_the_queue_keeps_the_order_of_the_file(
    run: Run,
    csv_of: Write,
    rows_of: Rows,
    tmp_path: Path,
    model_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 2)
    run("classify", csv_of(*["Zoé"] * 7), "-m", model_path, "--queue", tmp_path / "queue.csv")
    rows = rows_of(tmp_path / "queue.csv", guarded=True)
    assert [row["id"] for row in rows] == ["1", "2", "3", "4", "5", "6", "7"]


# What is said


GUARDED = ["--policy", "guarded", "--max-leak", "0.02"]


def test_the_summary_prints_the_promise(run: Run, small: Path, shipped: Triage) -> None:
    policy = Policy(PolicyName.GUARDED, max_leak=0.02)
    promised = Triage(shipped.lexicon, shipped.model, policy=policy).promise()
    assert promised is not None
    said = run("classify", small, "--no-corpus-evidence", *GUARDED).stdout
    assert "Leak at most 2.00%, precision of TA at least 95.0%, workload some" in said
    assert f"of which {promised.n_ta:,} TA messages were held out" in said
    assert f"NTA below a score of {promised.low:.4f}, TA from {promised.high:.4f}." in said


def test_the_summary_says_what_cannot_be_promised(run: Run, small: Path) -> None:
    done = run("classify", small, "--policy", "guarded", "--max-leak", "0.000001")
    assert done.returncode == 0
    assert "A leak of 0.00% cannot be promised on" in done.stdout


def test_json_holds_the_promise(run: Run, small: Path) -> None:
    about = json.loads(run("classify", small, *GUARDED, "--json").stdout)
    assert sorted(about["promise"]) == [
        *("asked", "high", "is_precise", "leak", "low", "min_precision", "n_ta"),
        *("names_with_capitals", "workload"),
    ]
    assert (about["promise"]["asked"], about["promise"]["leak"]) == (0.02, 0.02)
    assert sum(cell["messages"] for cell in about["counts"]) == len(MESSAGES)


def test_the_agreement_table_promises_nothing(run: Run, small: Path) -> None:
    assert "romised" not in run("classify", small).stdout


def test_quiet_prints_nothing(run: Run, small: Path) -> None:
    done = run("classify", small, *GUARDED, "--quiet", "--corpus-evidence")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("asked", "passes"), [(True, 2), (False, 1)])
def test_the_progress_of_each_pass_is_told(
    asked: bool,
    passes: int,
    small: Path,
    shipped: Triage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 3)
    told: list[list[int]] = []

    def start(_: int | None) -> Callable[[int], None]:
        told.append([])
        return told[-1].append

    classify_file(shipped, Request(Source(str(small)), corpus_evidence=asked), start)
    assert told == [[3, 3, 2]] * passes


# For Python


def test_a_table_is_decided_like_its_file(
    classified: Callable[..., bytes], small: Path, shipped: Triage
) -> None:
    table = pd.read_csv(small, sep=";")
    found = shipped.classify(table)
    rows = [list(map(str, row)) for row in found[list(COLUMNS)].to_numpy().tolist()]
    assert rows == decisions(classified(small))


def test_the_sample_is_decided_alike_as_a_table(expected: bytes, shipped: Triage) -> None:
    table = pd.read_csv(SAMPLE, dtype=str)
    found = shipped.classify(table)
    rows = [list(map(str, row)) for row in found[list(COLUMNS)].to_numpy().tolist()]
    assert rows == decisions(expected)


def test_a_table_without_that_column_of_senders_is_an_error(shipped: Triage) -> None:
    with pytest.raises(TriageError, match="no column 'absente'"):
        shipped.classify(
            pd.DataFrame({"text": MESSAGES}), sender_column="absente", corpus_evidence=True
        )


def test_no_messages_are_a_corpus_too(shipped: Triage) -> None:
    assert list(shipped.decide([], corpus_evidence=True).rows()) == []


def test_a_table_for_a_model_that_does_not_weigh_words_asks_no_others(
    numbers_are_ta: Model, shipped: Triage
) -> None:
    counting = Triage(shipped.lexicon, numbers_are_ta)
    assert decided(counting, corpus_evidence=True) == decided(counting)
