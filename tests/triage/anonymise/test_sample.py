"""``triage check --sample``: would you recognise somebody in these messages?"""

from collections.abc import Callable
from pathlib import Path

from tests.triage.cli.program import Run
from triage.anonymise.held import Answered, draw

MESSAGES = [f"on se voit à {hour}h devant le café" for hour in range(20)]


def test_the_same_seed_draws_the_same_messages_and_another_one_others() -> None:
    assert draw(MESSAGES, 5, seed=0) == draw(MESSAGES, 5, seed=0)
    assert draw(MESSAGES, 5, seed=0) != draw(MESSAGES, 5, seed=1)


def test_a_sample_has_each_message_once_and_its_row() -> None:
    drawn = draw(MESSAGES, 100, seed=0)
    assert sorted(one.row for one in drawn) == [*range(1, 21)]
    assert all(MESSAGES[one.row - 1] == one.text for one in drawn)


def test_what_is_no_answer_is_asked_again(run: Run, csv_of: Callable[..., Path]) -> None:
    path = csv_of(*MESSAGES, name="anon.csv")
    done = run("check", path, "--sample", "1", stdin="peut-être\n\nn\n".encode())
    assert done.stderr.count("Would you recognise somebody? (y/n, q to stop)") == 3
    assert sum(message in done.stderr for message in MESSAGES) == 1
    assert "recognised in 0 of 1 messages" in done.stdout


def test_where_nobody_answered_nothing_is_promised() -> None:
    assert Answered(0, 10, ()).at_most == 1
