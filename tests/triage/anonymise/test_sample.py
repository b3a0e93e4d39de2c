"""``triage check --sample``: would you recognise somebody in these messages?"""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run
from triage.anonymise.sample import Answered, draw
from triage.reports.measures import upper_bound

CASES = cases_beside(__file__)

MESSAGES = [f"on se voit à {hour}h devant le café" for hour in range(20)]


@pytest.fixture
def anon(csv_of: Callable[..., Path]) -> Path:
    return csv_of(*MESSAGES, name="anon.csv")


@pytest.fixture
def asked(run: Run, anon: Path) -> Callable[..., CompletedProcess[str]]:
    """Draw messages, and answer at the terminal."""

    def ask(n: int, said: str, *options: str | Path) -> CompletedProcess[str]:
        return run("check", anon, "--sample", str(n), *options, stdin=said.encode())

    return ask


def _rows_asked(done: CompletedProcess[str]) -> list[int]:
    lines = done.stderr.splitlines()
    return [MESSAGES.index(line.partition("  ")[2]) for line in lines if "on se voit" in line]


def test_the_same_seed_draws_the_same_messages_and_another_one_others() -> None:
    assert draw(MESSAGES, 5, seed=0) == draw(MESSAGES, 5, seed=0)
    assert draw(MESSAGES, 5, seed=0) != draw(MESSAGES, 5, seed=1)


def test_a_sample_has_each_message_once_and_its_row() -> None:
    drawn = draw(MESSAGES, 100, seed=0)
    assert sorted(one.row for one in drawn) == [*range(1, 21)]
    assert all(MESSAGES[one.row - 1] == one.text for one in drawn)


def test_the_share_is_told_with_its_exact_bound(
    asked: Callable[..., CompletedProcess[str]],
) -> None:
    done = asked(4, "n\no\nnon\nN\n")
    assert len(_rows_asked(done)) == 4
    bound = f"at most {upper_bound(1, 4):.1%} (exact, one-sided, 95 % confidence)"
    assert f"somebody recognised in 1 of 4 messages (25.0%); in all messages {bound}" in done.stdout


def test_somebody_who_is_recognised_gives_code_1(
    asked: Callable[..., CompletedProcess[str]],
) -> None:
    assert asked(2, "n\nn\n").returncode == 0
    assert asked(2, "n\no\n").returncode == 1


@pytest.mark.parametrize("end", ["q\n", ""])
def test_who_stops_has_answered_a_smaller_sample(
    end: str, asked: Callable[..., CompletedProcess[str]]
) -> None:
    assert "recognised in 0 of 2 messages" in asked(10, f"n\nn\n{end}").stdout
    assert "nothing was answered" in asked(10, end).stdout


def test_what_is_no_answer_is_asked_again(asked: Callable[..., CompletedProcess[str]]) -> None:
    done = asked(1, "peut-être\n\nn\n")
    assert done.stderr.count("Would you recognise somebody? (y/n, q to stop)") == 3
    assert "recognised in 0 of 1 messages" in done.stdout


def test_a_message_commands_no_terminal(run: Run, csv_of: Callable[..., Path]) -> None:
    path = csv_of("oui \x1b]0;pwned\x07", name="a.csv")
    done = run("check", path, "--sample", "1", stdin=b"n\n")
    assert "\x1b" not in done.stderr


def test_messages_are_not_mixed_with_the_result(
    asked: Callable[..., CompletedProcess[str]],
) -> None:
    told = json.loads(asked(2, "n\nn\n", "--json").stdout)
    assert told["sample"] == {
        "seed": 0,
        "drawn": 2,
        "answered": 2,
        "recognised": 0,
        "at_most": round(upper_bound(0, 2), 6),
    }


def test_questions_are_written_to_a_table_for_the_owner(
    asked: Callable[..., CompletedProcess[str]],
    tmp_path: Path,
    rows_of: Callable[..., list[dict[str, str]]],
) -> None:
    table = tmp_path / "answers.csv"
    done = asked(3, "", "--answers", table)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"the sample is in {table}: write yes or no" in done.stdout
    assert stat.S_IMODE(table.stat().st_mode) == 0o600
    drawn = draw(MESSAGES, 3, seed=0)
    assert [(row["row"], row["text"], row["recognised"]) for row in rows_of(table)] == [
        (str(one.row), one.text, "") for one in drawn
    ]


def _answer(table: Path, *answers: str) -> None:
    header, *rows = table.read_text().splitlines()
    answered = [row + answer for row, answer in zip(rows, answers, strict=True)]
    table.write_text("\n".join([header, *answered, ""]))


def test_answers_are_read_back(asked: Callable[..., CompletedProcess[str]], tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    asked(3, "", "--answers", table)
    _answer(table, "oui", "", "no")
    assert "recognised in 1 of 2 messages" in asked(3, "", "--answers", table).stdout


@pytest.mark.parametrize(
    ("answers", "options", "problem"), CASES["answers_that_are_none_are_an_error"]
)
def test_answers_that_are_none_are_an_error(
    answers: tuple[str, ...],
    options: tuple[str, ...],
    problem: str,
    asked: Callable[..., CompletedProcess[str]],
    tmp_path: Path,
) -> None:
    table = tmp_path / "answers.csv"
    asked(3, "", "--answers", table)
    _answer(table, *answers)
    done = asked(3, "", "--answers", table, *options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert problem in done.stderr
    assert "café" not in done.stderr


def test_the_record_tells_the_answers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text("text,action\nCoucou Patrice,TA\noui,NTA\n")
    run("anonymise", tmp_path / "sms.csv", "-o", tmp_path / "anon.csv")
    run("check", tmp_path / "anon.csv", "--sample", "2", stdin=b"n\nn\n")
    told = json.loads((tmp_path / "anon.record.json").read_text())["sample"]
    assert (told["answered"], told["recognised"]) == (2, 0)
    assert "of 2 messages drawn at random" in (tmp_path / "anon.record.html").read_text()


def test_where_nobody_answered_nothing_is_promised() -> None:
    assert Answered(0, 10, ()).at_most == 1


@pytest.mark.parametrize(("options", "problem"), CASES["what_cannot_be_asked_is_an_error"])
def test_what_cannot_be_asked_is_an_error(options: tuple[str, ...], problem: str, run: Run) -> None:
    done = run("check", *options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert problem in done.stderr
