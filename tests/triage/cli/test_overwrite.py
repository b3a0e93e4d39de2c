"""No command replaces a file unasked, nor any of its inputs, and it says so before any work."""

import os
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Refused, Run
from triage import Triage
from triage.decide.source import Source
from triage.queue import Queue
from triage.queue.fill import create_queue
from triage.queue.records import Answer

CASES = cases_beside(__file__)

LABELLED = "label,text\n" + "TA,coucou 12\nNTA,ok\n" * 25


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
    (tmp_path / "corpus.key").write_text("0a" * 32)
    (tmp_path / "corpus.key").chmod(0o600)
    (tmp_path / "work.queue").write_bytes(made_queue)
    (tmp_path / "folder").mkdir()
    for name in (
        "mine.csv",
        "mine.tsv.rejects.csv",
        "mine.tsv.held.csv",
        "model",
        "folder/report.md",
    ):
        (tmp_path / name).write_text("mine")
    (tmp_path / "link.csv").symlink_to("sms.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "sms.csv")
    (tmp_path / "to_new.csv").symlink_to("new.csv")
    (tmp_path / "circle.csv").symlink_to("circle.csv")
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
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
        "triage.evaluation.corpus.read_corpus",
        "triage.model.annotated.read_annotated",
        "triage.data.read._stored",
        "triage.queue.Queue.open",
    ):
        monkeypatch.setattr(name, fail)


COMMANDS = CASES["commands"]
REFUSED = [
    *((command, "mine.csv", "exists") for command in COMMANDS if "--people" not in command),
    *CASES["refused"],
    *(
        (f"{command} --overwrite", read, "input")
        for command, inputs in COMMANDS.items()
        for read in inputs
    ),
    *(
        (command, f"{folder}/new.csv", problem)
        for command in (*COMMANDS, *CASES["new_alone"])
        for folder, problem in (("absent", "no_such_folder"), ("sms.csv", "no_folder"))
    ),
]


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(("command", "output", "problem"), REFUSED)
def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    command: str, output: str, problem: str, refused: Refused, here: Path
) -> None:
    before = contents(here)
    error = refused(*command.format(output).split())
    assert error == f"triage: {CASES['problems'][problem].format(output)}\n"
    assert contents(here) == before


@pytest.mark.parametrize(("command", "written"), CASES["replaced"].items())
def test_what_exists_is_replaced_where_that_is_said(
    command: str, written: list[str], run: Run, here: Path
) -> None:
    before = contents(here)
    done = run(*command.split(), "--overwrite")
    assert (done.returncode, done.stderr) == (0, "")
    after = contents(here)
    assert {name for name, content in before.items() if after[name] != content} == {*written}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("command", "records"), CASES["the_record_of_an_output_that_is"])
def test_the_record_of_an_output_that_is_gone_is_replaced(
    command: str, records: list[str], run: Run
) -> None:
    for _ in range(2):
        assert run(*command.split()).returncode == 0
        assert all(Path(record).exists() for record in records)
        assert run(*command.split()).returncode == 2
        Path("out.csv").unlink()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("command", CASES["what_may_have_no_end_is_not"])
def test_what_may_have_no_end_is_not_read(command: str, run: Run) -> None:
    os.mkfifo("pipe")
    for special in ("pipe", "/dev/zero"):
        done = run(*command.format(special).split())
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert f"{special}" in done.stderr
