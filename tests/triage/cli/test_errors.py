"""Mistakes of users are one clear line, exit code 2, no message in it; nothing is lost by them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import Mock

import pytest

from tests.cases import cases_beside, joined
from tests.tables import contents
from tests.triage.cli.program import MARKER, Refused, Run, by_hand, one_line
from tests.triage.conftest import SAMPLE
from triage import Triage
from triage.decide.source import Source
from triage.model.learnt import Model, save_model
from triage.queue.fill import create_queue

CASES = cases_beside(__file__)


@pytest.fixture(scope="module")
def made_queue(shipped: Triage, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a queue in which a word is decided."""
    folder = tmp_path_factory.mktemp("queues")
    (folder / "t.csv").write_text(
        "text,seek_hide,model,model_score,action,evidence\nCoucou Zorglub,NTA,TA,0.5,EXPERT,\n"
    )
    create_queue(folder / "q", Source(str(folder / "t.csv")), shipped)
    by_hand("RULE", folder / "q", "Zorglub", "always")
    return (folder / "q").read_bytes()


@pytest.fixture
def here(own_folder: Path, made_queue: bytes) -> Path:
    """Work in a folder with some files."""
    for name, content in CASES["here"].items():
        Path(name).write_text(joined(content), encoding="utf-8")
    Path("latin.txt").write_bytes("Zéphyrine\n".encode("latin-1"))
    Path("sample_fr.csv").symlink_to(SAMPLE)
    Path("link.csv").symlink_to("sms.csv")
    Path("work.queue").write_bytes(made_queue)
    Path("folder").mkdir()
    return own_folder


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("files", "command", "said"),
    [
        *(({}, command, [said]) for command, said in CASES["an_error_is_one_clear_line"]),
        *CASES["an_error_of_a_file_is_one_clear_line"],
    ],
)
def test_an_error_is_one_clear_line(
    files: dict[str, Any], command: str, said: list[str], refused: Refused, model_path: Path
) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(joined(content).encode())
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    line = refused(*command.format(model=model_path).split(" "))
    assert all(part in line for part in said), line
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before


@pytest.mark.parametrize(("name", "content"), CASES["broken"].items())
@pytest.mark.parametrize("command", [["classify"], ["train", "-o", "model"]])
def test_a_file_that_is_not_what_it_should_be_is_one_clear_line(
    command: list[str], name: str, content: str, refused: Refused
) -> None:
    Path(name).write_bytes(content.encode("latin-1"))
    assert name in refused(*command, name)
    assert [path.name for path in Path().iterdir()] == [name]


@contextmanager
def rights_of_nobody() -> Iterator[None]:
    """Give up the rights of root, who may do everything, for a while."""
    if os.geteuid():
        yield
        return
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def open_folder(numbers_are_ta: Model) -> Iterator[Path]:
    """Give a folder that nobody may write to, with a model that nobody may read."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sms.csv").write_text(f"id,text\n1,{MARKER}\n")
        (folder / "decided.csv").write_text("id,text,action\n1,ok,NTA\n")
        for model, mode in (("model", 0o644), ("secret", 0)):
            save_model(numbers_are_ta, folder / model)
            (folder / model).chmod(mode)
        folder.chmod(0o555)
        yield folder


@pytest.mark.parametrize(("command", "said"), CASES["rights_that_are_wanted"])
def test_rights_that_are_wanted_are_told(
    command: str, said: str, run: Run, open_folder: Path, tmp_path: Path
) -> None:
    tmp_path.chmod(0o777)
    # What every command reads is read before.
    run("classify", open_folder / "sms.csv", "-m", open_folder / "model", "-o", tmp_path / "a.csv")
    before = contents(open_folder)
    with rights_of_nobody():
        done = run(*command.format(folder=open_folder, here=tmp_path).split())
    assert one_line(done).endswith(f"{said.format(open_folder)}: Permission denied\n")
    assert contents(open_folder) == before


def test_a_stream_needs_a_folder_for_rejected_rows_alone(
    run: Run, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(open_folder)
    run("classify", "-", "-m", "model", stdin=b"text\nok\n")
    with rights_of_nobody():
        done = run("classify", "-", "-m", "model", stdin=b"text\nok\n")
        assert (done.returncode, done.stdout.count("\n")) == (0, 2)
        done = run("classify", "-", "-m", "model", stdin=b"id,text\n1\n2,ok\n")
    assert done.returncode == 2
    assert done.stderr.endswith("\ntriage: cannot write stdin.rejects.csv: Permission denied\n")


@pytest.mark.parametrize(
    ("error", "said"),
    [(MemoryError, "there is not enough memory"), (RecursionError, "nested too deeply")],
)
def test_what_is_too_much_for_the_machine_is_one_line(
    error: type[Exception], said: str, here: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.cli.deciding.Request.classify", Mock(side_effect=error))
    assert said in refused("classify", "sms.csv")


OUTPUTS = cases_beside(__file__, "overwrite.toml")


@pytest.fixture
def inputs(own_folder: Path, made_queue: bytes) -> Path:
    """Work in a folder with all that commands read, and with what is not to be lost."""
    for name, content in OUTPUTS["inputs"].items():
        Path(name).write_text(joined(content))
    Path("corpus.key").chmod(0o600)
    Path("work.queue").write_bytes(made_queue)
    Path("folder").mkdir()
    for name in ("mine.csv", "mine.tsv.rejects.csv", "mine.tsv.held.csv", "model"):
        Path(name).write_text("mine")
    Path("folder/report.md").write_text("mine")
    Path("link.csv").symlink_to("sms.csv")
    Path("hard.csv").hardlink_to("sms.csv")
    Path("to_new.csv").symlink_to("new.csv")
    Path("circle.csv").symlink_to("circle.csv")
    Path("folder.csv").mkdir()
    os.mkfifo("pipe.csv")
    return own_folder


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make whatever takes time an error."""
    for name in (
        "triage.decide.pipeline.load_lexicon",
        "triage.decide.pipeline.shipped_model",
        "triage.evaluation.corpus.read_corpus",
        "triage.model.annotated.read_annotated",
        "triage.data.read._stored",
        "triage.queue.Queue.open",
    ):
        monkeypatch.setattr(name, Mock(side_effect=AssertionError("this is work")))


COMMANDS = OUTPUTS["commands"]
REFUSED = [
    *((command, "mine.csv", "exists") for command in COMMANDS if "--people" not in command),
    *OUTPUTS["refused"],
    *((f"{one} --overwrite", read, "input") for one, of in COMMANDS.items() for read in of),
    *(
        (command, f"{folder}/new.csv", problem)
        for command in (*COMMANDS, *OUTPUTS["new_alone"])
        for folder, problem in (("absent", "no_such_folder"), ("sms.csv", "no_folder"))
    ),
]


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(("command", "output", "problem"), REFUSED)
def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    command: str, output: str, problem: str, refused: Refused, inputs: Path
) -> None:
    before = contents(inputs)
    error = refused(*command.format(output).split())
    assert error == f"triage: {OUTPUTS['problems'][problem].format(output)}\n"
    assert contents(inputs) == before


@pytest.mark.parametrize(("command", "written"), OUTPUTS["replaced"].items())
def test_overwrite_replaces_files(command: str, written: list[str], run: Run, inputs: Path) -> None:
    before = contents(inputs)
    done = run(*command.split(), "--overwrite")
    assert (done.returncode, done.stderr) == (0, "")
    after = contents(inputs)
    assert {name for name, content in before.items() if after[name] != content} == {*written}


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(("command", "records"), OUTPUTS["the_record_of_an_output_that_is"])
def test_the_record_of_a_gone_output_goes(command: str, records: list[str], run: Run) -> None:
    for _ in range(2):
        assert run(*command.split()).returncode == 0
        assert all(Path(record).exists() for record in records)
        assert run(*command.split()).returncode == 2
        Path("out.csv").unlink()


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("command", OUTPUTS["what_may_have_no_end_is_not"])
def test_what_may_have_no_end_is_not_read(command: str, refused: Refused) -> None:
    for special in ("pipe.csv", "/dev/zero"):
        assert special in refused(*command.format(special).split())
