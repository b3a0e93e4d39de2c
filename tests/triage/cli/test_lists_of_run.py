"""The lists of ``triage classify``, recorded with its output and used by what reads that."""

import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from tests.triage.cli.program import Refused, Rows, Run

MESSAGES = (
    "Coucou kaelynette tu viens",
    "rdv avec rosa luxembourg stp",
    "ok a demain",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with messages and a list of two names that no dictionary holds, to work in."""
    monkeypatch.chdir(tmp_path)
    rows = (f"{number},{text}\n" for number, text in enumerate(MESSAGES, 1))
    Path("sms.csv").write_text("id,text\n" + "".join(rows), encoding="utf-8")
    Path("noms.txt").write_text("Kaelynette\nRosa Luxembourg\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def triaged(run: Run, folder: Path) -> Path:
    """The folder, in which the messages were classified with that list."""
    run("classify", "sms.csv", "--names", "noms.txt")
    return folder


def anonymised() -> str:
    return Path("anon.csv").read_text(encoding="utf-8")


def test_a_name_of_several_words_is_decided_and_replaced_whole(
    run: Run, triaged: Path, rows_of: Rows
) -> None:
    assert [row["seek_hide"] for row in rows_of(triaged / "sms.triage.csv")][:2] == ["TA", "TA"]
    done = run("anonymise", "sms.triage.csv", "-o", "anon.csv", "--hold", "none")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Coucou <PRE> tu viens" in anonymised()
    assert "rdv avec <PRE> stp" in anonymised()


@pytest.mark.usefixtures("triaged")
def test_the_record_says_what_decided_and_no_name() -> None:
    text = Path("sms.triage.run.json").read_text(encoding="utf-8")
    record = json.loads(text)
    assert [(one["path"], one["role"]) for one in record["lists"]] == [("noms.txt", "dictionary")]
    assert record["policy"]["name"] == "guarded"
    assert (record["language"], record["features"], record["strict"]) == ("fr", "evidence", False)
    assert not any(word in text.lower() for word in ("kaelynette", "luxembourg", "demain"))


@pytest.mark.usefixtures("folder")
def test_the_record_is_as_readable_as_the_messages(run: Run) -> None:
    Path("sms.csv").chmod(0o600)
    run("classify", "sms.csv")
    assert stat.S_IMODE(Path("sms.triage.run.json").stat().st_mode) == 0o600


@pytest.mark.usefixtures("folder")
def test_a_stream_has_no_record(run: Run) -> None:
    run("classify", "sms.csv", "-o", "-")
    assert not [*Path.cwd().glob("*.json")]


@pytest.mark.parametrize("change", ["is missing", "has changed"])
@pytest.mark.usefixtures("triaged")
def test_a_list_that_is_not_as_it_was_is_told(change: str, refused: Refused, run: Run) -> None:
    if change == "is missing":
        Path("noms.txt").unlink()
    else:
        Path("noms.txt").write_text("Kaelynette\n", encoding="utf-8")
    error = refused("anonymise", "sms.triage.csv", "-o", "anon.csv")
    assert f"was triaged with the list noms.txt, which {change}" in error
    assert "or add --no-lists" in error
    done = run("anonymise", "sms.triage.csv", "-o", "anon.csv", "--no-lists", "--hold", "none")
    assert done.returncode == 0
    assert "luxembourg stp" in anonymised()


@pytest.mark.usefixtures("triaged")
def test_a_comment_in_a_list_does_not_count(run: Run) -> None:
    text = Path("noms.txt").read_text(encoding="utf-8")
    Path("noms.txt").write_text(f"# les miens\n{text}", encoding="utf-8")
    assert run("anonymise", "sms.triage.csv", "-o", "anon.csv").returncode == 0


@pytest.mark.usefixtures("triaged")
def test_lists_that_are_given_are_used_and_compared(run: Run) -> None:
    Path("copie.txt").write_text(Path("noms.txt").read_text(encoding="utf-8"), encoding="utf-8")
    Path("autres.txt").write_text("Demain\n", encoding="utf-8")
    same = run("anonymise", "sms.triage.csv", "-o", "same.csv", "--names", "copie.txt")
    assert (same.returncode, same.stderr) == (0, "")
    other = run("anonymise", "sms.triage.csv", "-o", "other.csv", "--names", "autres.txt")
    assert other.returncode == 0
    assert other.stderr == (
        "triage: warning: sms.triage.csv was triaged with other lists than are given here "
        "(noms.txt)\n"
    )


@pytest.mark.usefixtures("triaged")
def test_lists_and_none_are_not_both_said(refused: Refused) -> None:
    options = ("-o", "anon.csv", "--names", "noms.txt", "--no-lists")
    assert "give either lists or --no-lists" in refused("anonymise", "sms.triage.csv", *options)


def test_lists_are_found_from_anywhere(
    run: Run, triaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = triaged / "ailleurs"
    away.mkdir()
    monkeypatch.chdir(away)
    options = ("-o", "anon.csv", "--hold", "none")
    assert run("anonymise", triaged / "sms.triage.csv", *options).returncode == 0
    assert "<PRE>" in anonymised()


@pytest.mark.usefixtures("triaged")
def test_the_record_goes_through_the_queue(run: Run) -> None:
    Path("out").mkdir()
    done = run("queue", "create", "sms.triage.csv", "-o", "out/work.queue")
    assert (done.returncode, done.stderr) == (0, "")
    assert run("queue", "apply", "out/work.queue", "-o", "final.csv").returncode == 0
    assert Path("final.run.json").read_bytes() == Path("sms.triage.run.json").read_bytes()
    run("anonymise", "final.csv", "-o", "anon.csv", "--hold", "none")
    assert "<PRE>" in anonymised()


@pytest.mark.usefixtures("triaged")
def test_what_is_added_to_a_queue_is_read_with_the_lists_of_its_run(
    refused: Refused, run: Run
) -> None:
    run("queue", "create", "sms.triage.csv", "-o", "work.queue")
    done = run("queue", "add", "work.queue", "sms.triage.csv")
    assert (done.returncode, done.stderr) == (0, "")
    Path("noms.txt").unlink()
    assert "noms.txt, which is missing" in refused("queue", "add", "work.queue", "sms.triage.csv")


@pytest.mark.usefixtures("triaged")
def test_a_queue_of_an_earlier_version_has_no_record(run: Run) -> None:
    run("queue", "create", "sms.triage.csv", "-o", "work.queue")
    with closing(sqlite3.connect("work.queue")) as queue, queue:
        queue.execute("DELETE FROM about WHERE name = 'run'")
    assert run("queue", "apply", "work.queue", "-o", "final.csv").returncode == 0
    assert not Path("final.run.json").exists()


@pytest.mark.usefixtures("triaged")
def test_what_has_no_record_leaves_none_of_an_earlier_output(run: Run) -> None:
    Path("sms.triage.run.json").rename("final.run.json")
    run("queue", "create", "sms.triage.csv", "-o", "work.queue")
    assert run("queue", "apply", "work.queue", "-o", "final.csv", "--overwrite").returncode == 0
    assert not Path("final.run.json").exists()


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"lists": [{}]}', "\x00", "[" * 100_000, '{"lists": [], "x": 1}']
)
@pytest.mark.usefixtures("triaged")
def test_a_record_that_is_none_is_told(content: str, refused: Refused) -> None:
    Path("sms.triage.run.json").write_text(content, encoding="utf-8")
    error = refused("anonymise", "sms.triage.csv", "-o", "anon.csv")
    assert "sms.triage.run.json is no record of triage classify: move it away" in error
