"""No command replaces a file unasked, nor any of its inputs, and it says so before any work."""

import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage import Triage
from triage.decide.source import Source
from triage.queue import Queue
from triage.queue.fill import create_queue
from triage.queue.records import Answer

Run = Callable[..., CompletedProcess[str]]
LABELLED = "label,text\n" + "TA,coucou 12\nNTA,ok\n" * 25
KEY = "0a" * 32


@pytest.fixture(scope="module")
def made_queue(shipped: Triage, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a queue in which a word is decided."""
    folder = tmp_path_factory.mktemp("queues")
    (folder / "t.csv").write_text(
        "text,seek_hide,model,model_score,action,evidence\nCoucou Zorglub,NTA,TA,0.5,EXPERT,\n"
    )
    create_queue(folder / "q", Source(str(folder / "t.csv")), shipped)
    with Queue.open(folder / "q") as queue:
        queue.decide("anna", 1, Answer.NTA)
    return (folder / "q").read_bytes()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_queue: bytes) -> Path:
    """Work in a folder with all that commands read, and with what is not to be lost."""
    (tmp_path / "sms.csv").write_text("id,text\n1,Coucou Patrice\n2,oui\n")
    (tmp_path / "sms.triage.csv").write_text("id,text,action\n1,Coucou Patrice,TA\n2,oui,NTA\n")
    (tmp_path / "labelled.csv").write_text(LABELLED)
    (tmp_path / "names.txt").write_text("Zorglub\n")
    (tmp_path / "corpus.key").write_text(KEY)
    (tmp_path / "corpus.key").chmod(0o600)
    (tmp_path / "work.queue").write_bytes(made_queue)
    (tmp_path / "folder").mkdir()
    for name in ("mine.csv", "mine.rejects.csv", "model", "folder/report.md"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "link.csv").symlink_to("sms.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make whatever takes time an error."""

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("this is work")

    for name in (
        "triage.decide.pipeline.load_lexicon",
        "triage.decide.pipeline.shipped_model",
        "triage.model.annotated.read_annotated",
        "triage.evaluation.corpus.read_corpus",
        "triage.data.read._stored",
        "triage.queue.Queue.open",
    ):
        monkeypatch.setattr(name, fail)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("command", "taken"),
    [
        ("classify sms.csv", "sms.triage.csv"),
        ("classify sms.csv -o mine.csv", "mine.csv"),
        ("classify sms.csv -o new.csv --queue mine.csv", "mine.csv"),
        ("classify sms.csv -o mine.tsv", "mine.rejects.csv"),
        ("anonymise sms.triage.csv -o mine.csv", "mine.csv"),
        ("anonymise sms.triage.csv -o new.csv --key-table mine.csv", "mine.csv"),
        ("restore sms.csv --key-table names.txt -o mine.csv", "mine.csv"),
        ("train labelled.csv -o model", "model"),
        ("train labelled.csv -o mine.csv", "mine.csv"),
        ("train --from-queue work.queue -o model", "model"),
        ("evaluate labelled.csv -o folder", "folder/report.md"),
        ("queue export work.queue -o mine.csv", "mine.csv"),
        ("queue export work.queue -o new.json --config mine.csv", "mine.csv"),
        ("queue lists work.queue --names mine.csv", "mine.csv"),
        ("queue apply work.queue -o mine.csv", "mine.csv"),
    ],
)
def test_an_output_that_exists_is_refused_before_any_work(
    command: str, taken: str, run: Run, here: Path
) -> None:
    before = contents(here)
    done = run(*command.split())
    problem = f"{taken} exists already: add --overwrite to replace it, or choose another output"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"triage: {problem}\n")
    assert contents(here) == before


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("command", "read"),
    [
        ("classify sms.csv -o sms.csv", "sms.csv"),
        ("classify sms.csv -o link.csv", "link.csv"),
        ("classify sms.csv -o new.csv --queue link.csv", "link.csv"),
        ("classify link.csv -o new.csv --queue sms.csv", "sms.csv"),
        ("classify sms.csv -o names.txt --names names.txt", "names.txt"),
        ("classify sms.csv -o new.csv --queue names.txt --words names.txt", "names.txt"),
        ("classify sms.csv -o model --model model", "model"),
        ("anonymise sms.triage.csv -o sms.triage.csv", "sms.triage.csv"),
        ("anonymise sms.triage.csv -o names.txt --names names.txt", "names.txt"),
        ("anonymise sms.triage.csv -o corpus.key --style mask --key corpus.key", "corpus.key"),
        ("anonymise sms.triage.csv -o new.csv --key-table corpus.key --key corpus.key", ""),
        ("anonymise sms.triage.csv -o mine.csv --entities mine.csv", "mine.csv"),
        ("restore sms.csv --key-table names.txt -o link.csv", "link.csv"),
        ("restore sms.csv --key-table names.txt -o names.txt", "names.txt"),
        ("train labelled.csv -o labelled.csv", "labelled.csv"),
        ("train labelled.csv --from-queue work.queue -o work.queue", "work.queue"),
        ("train --from-queue work.queue -o model --model model", "model"),
        ("train --from-queue work.queue -o names.txt --names names.txt", "names.txt"),
        ("queue export work.queue -o work.queue", "work.queue"),
        ("queue lists work.queue --names work.queue", "work.queue"),
        ("queue apply work.queue -o work.queue", "work.queue"),
    ],
)
def test_an_input_is_never_replaced_whatever_is_said(
    command: str, read: str, run: Run, here: Path
) -> None:
    before = contents(here)
    done = run(*command.split(), "--overwrite")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{read} is the input itself" in done.stderr
    assert contents(here) == before


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    "command",
    [
        "classify sms.csv -o {}/new.csv",
        "classify sms.csv -o new.csv --queue {}/queue.csv",
        "anonymise sms.triage.csv -o {}/new.csv",
        "anonymise sms.triage.csv -o new.csv --key-table {}/key.csv",
        "anonymise sms.triage.csv -o new.csv --entities {}/table.csv",
        "check sms.csv --sample 2 --answers {}/answers.csv",
        "restore sms.csv --key-table names.txt -o {}/new.csv",
        "train labelled.csv -o {}/model",
        "train --from-queue work.queue -o {}/model",
        "queue create sms.triage.csv -o {}/new.queue",
        "queue export work.queue -o {}/new.csv",
        "queue lists work.queue --words {}/new.txt",
        "queue apply work.queue -o {}/new.csv",
    ],
)
@pytest.mark.parametrize(
    ("folder", "problem"),
    [("absent", "No such file or directory"), ("sms.csv", "Not a directory")],
)
def test_a_folder_that_is_none_is_told_before_any_work(
    command: str, folder: str, problem: str, run: Run, here: Path
) -> None:
    before = contents(here)
    done = run(*command.format(folder).split())
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"triage: cannot write {folder}/")
    assert done.stderr.endswith(f": {problem}\n")
    assert contents(here) == before


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("classify sms.csv --queue mine.csv", {"sms.triage.csv", "mine.csv"}),
        ("anonymise sms.triage.csv -o mine.csv", {"mine.csv"}),
        ("train labelled.csv -o model --features patel2013", {"model"}),
        ("queue export work.queue -o mine.csv --state all", {"mine.csv"}),
        ("queue apply work.queue -o mine.csv", {"mine.csv"}),
    ],
)
def test_what_exists_is_replaced_where_that_is_said(
    command: str, written: set[str], run: Run, here: Path
) -> None:
    before = contents(here)
    done = run(*command.split(), "--overwrite")
    assert (done.returncode, done.stderr) == (0, "")
    after = contents(here)
    assert {name for name, content in before.items() if after[name] != content} == written


@pytest.mark.usefixtures("no_work")
def test_a_queue_is_never_replaced(run: Run, here: Path) -> None:
    before = contents(here)
    done = run("queue", "create", "sms.triage.csv", "-o", "work.queue")
    assert done.returncode == 2
    assert "work.queue is there already: choose another name, or add to it" in done.stderr
    assert run("queue", "create", "a", "-o", "work.queue", "--overwrite").returncode == 2
    assert contents(here) == before


@pytest.mark.usefixtures("here")
def test_an_input_that_is_missing_is_what_is_told(run: Run) -> None:
    done = run("classify", "absent/sms.csv")
    assert done.stderr == "triage: cannot read absent/sms.csv: No such file or directory\n"


def test_all_outputs_appear_together(run: Run, here: Path) -> None:
    (here / "cut.csv").write_text("id,text\n1,oui\n2\n")
    shown = []
    link = os.link

    def note(one: Path, other: Path) -> None:
        shown.append(Path(other).name)
        if len(shown) == 4:
            raise OSError(5, "the disk fails")
        link(one, other)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "link", note)
        before = contents(here)
        done = run("classify", "cut.csv", "--queue", "new.csv")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert shown == [
        "cut.triage.rejects.csv",
        "new.csv",
        "cut.triage.run.json",
        "cut.triage.csv",
    ]
    assert contents(here) == before
