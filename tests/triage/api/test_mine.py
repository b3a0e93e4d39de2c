"""`triage.mine` gives what the command writes, and takes its answers."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import triage
from triage.data import DataError
from triage.errors import TriageError

Run = Callable[..., object]
MESSAGES = [
    "on va chez Zorvane",
    "Zorvane vient avec Kelmina",
    "ok",
    "et Kelmina dort chez Zorvane",
]
TABLE = pd.DataFrame({"text": MESSAGES})
SAID = {"Zorvane": "always", "Kelmina": "never"}


def answered() -> pd.DataFrame:
    found: pd.DataFrame = triage.mine(TABLE)
    return found.assign(answer=found["spelling"].map(SAID))


def test_candidates_are_those_of_the_command(run: Run) -> None:
    TABLE.to_csv(Path("sms.csv"), index=False)
    run("mine", Path("sms.csv"), "-o", Path("candidates.csv"))
    written = pd.read_csv(Path("candidates.csv"), keep_default_na=False)
    for messages in (TABLE, Path("sms.csv")):
        found = triage.mine(messages)
        pd.testing.assert_frame_equal(found, written, check_dtype=False)


def test_what_was_answered_is_not_asked_again() -> None:
    assert {*triage.mine(TABLE)["spelling"]} == {*SAID}
    again = triage.mine(TABLE, answers=answered())
    assert again.attrs["round"]["candidates"] == 0
    assert again.attrs["round"]["answers"] == {"always": 1, "never": 1}
    assert dict(zip(again["spelling"], again["answer"], strict=True)) == SAID


def test_lists_follow_from_the_answers(tmp_path: Path) -> None:
    triage.mine(TABLE, answers=answered(), lists=tmp_path / "mined")
    assert (tmp_path / "mined" / "names.txt").read_text(encoding="utf-8") == "Zorvane\n"
    decided = triage.classify(["Zorvane"], names=[tmp_path / "mined" / "names.txt"])
    assert decided["action"].tolist() == ["TA"]
    with pytest.raises(DataError, match=r"names.txt|words.txt|plan.toml"):
        triage.mine(TABLE, answers=answered(), lists=tmp_path / "mined")


def test_another_language_asks_no_dictionary() -> None:
    table = pd.DataFrame({"text": ["ich sehe Zorvane", "und Zorvane schläft"]})
    people = pd.DataFrame({"entity": ["p1"], "type": ["PRE"], "spellings": ["Zorvane"]})
    found = triage.mine(table, catalogue=people, language="none", bound=0)
    assert found.attrs["round"]["identifiers"] > 0
    with pytest.raises(TriageError, match="asks no dictionary"):
        triage.mine(table, language="none", strict=True)


def test_an_error_names_the_table_of_answers() -> None:
    wrong = triage.mine(TABLE).assign(answer="perhaps")
    with pytest.raises(TriageError, match=r"^the table of answers, line 1: the answer is none of"):
        triage.mine(TABLE, answers=wrong)
