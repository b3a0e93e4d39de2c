"""Mistakes of users: one clear line, exit code 2, and no message in it."""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Refused, Run, one_line
from tests.triage.conftest import SAMPLE
from triage.model.learnt import Model, save_model

CASES = cases_beside(__file__)

MARKER = "Zéphyrine"
"""A name that only messages hold: no error may show it."""

LABELLED = "label,text\n" + f"TA,coucou {MARKER} 12\nNTA,ok\n" * 25


@pytest.fixture
def problem(refused: Refused) -> Refused:
    """Return the one line of an error, in which no message may stand."""

    def told(*arguments: str | Path) -> str:
        line = refused(*arguments)
        assert MARKER not in line
        return line

    return told


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with some files."""
    (tmp_path / "sms.csv").write_text(f"id,text\n1,coucou {MARKER}\n", encoding="utf-8")
    (tmp_path / "labelled.csv").write_text(LABELLED, encoding="utf-8")
    (tmp_path / "sample_fr.csv").symlink_to(SAMPLE)
    (tmp_path / "none.csv").write_text("text,label\n")
    decided = f"id,sender,text,action\n1,a,{MARKER},TA\n"
    (tmp_path / "decided.csv").write_text(decided, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.txt").touch()
    (tmp_path / "latin.txt").write_bytes("Zéphyrine\n".encode("latin-1"))
    (tmp_path / "first_names.txt").write_text("Zoé\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("files", "command", "said"),
    [
        *(({}, command, [said]) for command, said in CASES["an_error_is_one_clear_line"]),
        *CASES["an_error_of_a_file_is_one_clear_line"],
    ],
)
def test_an_error_is_one_clear_line(
    files: dict[str, str],
    command: str,
    said: list[str],
    problem: Refused,
    here: Path,
    model_path: Path,
) -> None:
    for name, content in files.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_bytes(content.encode())
    before = {path: path.stat().st_mtime_ns for path in here.rglob("*")}
    line = problem(*command.format(model=model_path).split(" "))
    assert all(part in line for part in said), line
    assert {path: path.stat().st_mtime_ns for path in here.rglob("*")} == before


@pytest.mark.parametrize(("name", "content"), CASES["broken"].items())
@pytest.mark.parametrize("command", [["classify"], ["train", "-o", "model"]])
def test_a_file_that_is_not_what_it_should_be_is_one_clear_line(
    command: list[str], name: str, content: str, problem: Refused
) -> None:
    Path(name).write_bytes(content.encode("latin-1"))
    assert name in problem(*command, name)
    assert [path.name for path in Path().iterdir()] == [name]


@pytest.mark.parametrize(("key", "value"), CASES["no_record"])
def test_a_record_that_somebody_has_edited_is_refused(
    key: str, value: object, run: Run, problem: Refused, here: Path, model_path: Path
) -> None:
    assert not run("classify", "sms.csv", "-m", model_path, "--policy", "agreement").returncode
    record = here / "sms.triage.run.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {key: value}))
    assert "sms.triage.run.json is no record of triage" in problem("workload", "sms.triage.csv")


@pytest.mark.parametrize(("labels", "said"), CASES["a_label_that_is_none"])
def test_a_label_that_is_none_is_named_with_its_line(
    labels: list[str], said: str, problem: Refused, here: Path
) -> None:
    rows = "".join(f"{label},ok\n" for label in labels)
    (here / "labelled.csv").write_text(LABELLED + rows, encoding="utf-8")
    assert said in problem("train", "labelled.csv", "-o", "model")
    assert not (here / "model").exists()


@pytest.mark.parametrize(("n_ta", "n_nta", "said"), CASES["labelled_messages_that_teach_nothing"])
@pytest.mark.parametrize("way", ["once", "per_bag"])
def test_labelled_messages_that_teach_nothing_are_refused(
    n_ta: int, n_nta: int, said: str, way: str, problem: Refused, here: Path
) -> None:
    rows = f"TA,{MARKER}\n" * n_ta + "NTA,ok\n" * n_nta
    (here / "labelled.csv").write_text(f"label,text\n{rows}", encoding="utf-8")
    assert said in problem("train", "labelled.csv", "-o", "model", "--undersampling", way)


@pytest.mark.parametrize(("command", "label", "spans", "said"), CASES["marks_that_are_wrong"])
def test_marks_that_are_wrong_are_one_line_which_names_theirs(
    command: str, label: str, spans: str, said: str, problem: Refused, here: Path
) -> None:
    cells = spans.replace('"', '""')
    rows = f'text,label,spans\nok,NTA,\ncoucou {MARKER},{label},"{cells}"\n'
    (here / "marked.csv").write_text(rows, encoding="utf-8")
    before = {*here.iterdir()}
    line = problem(*command.split())
    assert ("line 3" in line, said in line) == (True, True), line
    assert {*here.iterdir()} == before


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
def open_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a folder that everybody may read and nobody may write to."""
    folder = tmp_path_factory.mktemp("open")
    folder.chmod(0o755)
    modes = {parent: stat.S_IMODE(parent.stat().st_mode) for parent in folder.parents}
    closed = {parent: mode for parent, mode in modes.items() if not mode & 0o001}
    for parent, mode in closed.items():
        parent.chmod(mode | 0o011)
    yield folder
    for parent, mode in closed.items():
        parent.chmod(mode)


@pytest.fixture
def readable_model(open_folder: Path, numbers_are_ta: Model) -> Path:
    """Give a model that everybody may read."""
    save_model(numbers_are_ta, open_folder / "model")
    for path in open_folder.iterdir():
        path.chmod(0o644)
    return open_folder / "model"


def test_a_folder_without_right_to_write_is_an_error(
    run: Run, open_folder: Path, readable_model: Path
) -> None:
    source = open_folder / "sms.csv"
    source.write_text(f"id,text\n1,{MARKER}\n")
    run("classify", source, "-m", readable_model)
    (open_folder / "sms.triage.csv").unlink()
    open_folder.chmod(0o555)
    with rights_of_nobody():
        done = run("classify", source, "-m", readable_model)
    assert one_line(done).endswith("sms.triage.csv: Permission denied\n")
    assert not (open_folder / "sms.triage.csv").exists()


def test_a_publication_tells_the_folder_in_which_it_would_work(
    run: Run, open_folder: Path, tmp_path: Path
) -> None:
    (open_folder / "sms.csv").write_text("id,text,action\n1,ok,NTA\n")
    open_folder.chmod(0o555)
    tmp_path.chmod(0o777)
    with rights_of_nobody():
        done = run("publish", open_folder / "sms.csv", "-o", tmp_path / "corpus")
    assert one_line(done) == f"triage: cannot write {open_folder}: Permission denied\n"


def test_a_model_without_right_to_read_is_an_error(run: Run, readable_model: Path) -> None:
    readable_model.chmod(0)
    with rights_of_nobody():
        done = run("explain", "coucou", "-m", readable_model)
    assert one_line(done).endswith(f"cannot read the model {readable_model}: Permission denied\n")


@pytest.mark.parametrize(
    ("error", "said"),
    [(MemoryError, "there is not enough memory"), (RecursionError, "nested too deeply")],
)
def test_what_is_too_much_for_the_machine_is_one_line(
    error: type[Exception], said: str, here: Path, problem: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("triage.cli.deciding.Request.classify", fail)
    assert said in problem("classify", "sms.csv")
