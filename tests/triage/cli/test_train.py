"""``triage train``: from labelled messages to a model that ``triage classify`` takes."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.data import create_output
from triage.model.annotated import read_annotated
from triage.model.store import load_model
from triage.settings import Reading

Run = Callable[..., CompletedProcess[str]]
Rows = Callable[..., list[dict[str, object]]]
LONG = "0 1 2 3 4 5 6 7 8 9"


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.csv"
    path.write_text("texte;label\n" + f"{LONG};TA\nok;NTA\nZoé;NTA\n" * 20, encoding="utf-8")
    return path


def test_a_model_is_written(run: Run, labelled: Path, tmp_path: Path) -> None:
    done = run("train", labelled, "-o", tmp_path / "model")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"learnt from 20 TA and 40 NTA messages: {tmp_path / 'model'}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labelled.csv", "model"]


def test_a_trained_model_classifies(
    run: Run, labelled: Path, tmp_path: Path, csv_of: Callable[..., Path], rows_of: Rows
) -> None:
    run("train", labelled, "-o", tmp_path / "model")
    done = run("classify", csv_of(LONG, "ok", "Zoé"), "--model", tmp_path / "model")
    assert done.returncode == 0
    rows = rows_of(tmp_path / "sms.triage.csv")
    assert [row["model"] for row in rows] == ["TA", "NTA", "NTA"]
    assert [row["action"] for row in rows] == ["EXPERT", "NTA", "EXPERT"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(run: Run, labelled: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("train", labelled, "-o", tmp_path / name, "--undersampling", "once", "--seed", seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_what_was_chosen_is_in_the_manifest(run: Run, labelled: Path, tmp_path: Path) -> None:
    chosen = ["--undersampling", "once", "--features", "patel2013-normalised", "--seed", "9"]
    run("train", labelled, "-o", tmp_path / "model", *chosen)
    about = load_model(tmp_path / "model").manifest
    assert (about.undersampling, about.features, about.seed) == ("once", "patel2013-normalised", 9)


def test_quiet_prints_nothing(run: Run, labelled: Path, tmp_path: Path) -> None:
    done = run("train", labelled, "-o", tmp_path / "model", "-q", "--undersampling", "once")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["labelled.xlsx", "labelled.jsonl.gz", "labelled.tsv"])
def test_labelled_messages_are_read_from_every_format(name: str, tmp_path: Path) -> None:
    with create_output(tmp_path / name, ["text", "label"]) as output:
        output.write([["Coucou Zoé", "TA"], ["Ok", " NTA "]])
        output.commit()
    found = read_annotated(str(tmp_path / name))
    assert (found.messages, found.labels) == (["Coucou Zoé", "Ok"], ["TA", "NTA"])


def test_columns_encoding_and_separator_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_bytes("brut~classe\nà Zoé~TA\n".encode("mac-roman"))
    found = read_annotated(
        str(tmp_path / "l.csv"),
        Reading("brut", encoding="mac-roman", separator="~"),
        label_column="classe",
    )
    assert (found.messages, found.labels) == (["à Zoé"], ["TA"])


def test_labelled_messages_are_read_from_standard_input(run: Run, tmp_path: Path) -> None:
    rows = f"TA,{LONG}\nNTA,ok\n" * 20
    content = f"label,text\n{rows}".encode()
    done = run("train", "-", "-o", tmp_path / "model", "--undersampling", "once", stdin=content)
    assert done.stdout.startswith("learnt from 20 TA and 20 NTA messages")
