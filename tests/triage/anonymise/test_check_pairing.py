"""Which message became which of an anonymised file, and which of them nobody decided."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from triage.anonymise.comparison import Messages, pair, read_messages, written_undecided
from triage.anonymise.held import HeldMessage, Reason
from triage.data import open_messages
from triage.errors import TriageError

MARKER = "zyxsecret"


def _messages(folder: Path, name: str, *rows: str) -> Messages:
    path = folder / name
    path.write_text("\n".join(rows) + "\n")
    with open_messages(path) as file:
        return read_messages(file)


def _pairs(folder: Path, before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return each message with its original in front; a dash where there is none."""
    was = _messages(folder, "sms.csv", *before)
    became = _messages(folder, "anon.csv", *after)
    originals = pair(was, became).originals
    texts = ["-" if one is None else was.texts[one] for one in originals]
    return [first + second for first, second in zip(texts, became.texts, strict=True)]


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        (["id,text", "1,a", "2,b", "3,c"], ["id,text", "3,C", "1,A"], ["cC", "aA"]),
        (["id,text", "1,a", "2,b"], ["id,text", "1,A", "9,Z"], ["aA", "-Z"]),
        (["text", "a", "b"], ["text", "A", "B"], ["aA", "bB"]),
        (["id,text", "1,a", "1,b"], ["id,text", "1,A", "1,B"], ["aA", "bB"]),
        (["id,text", "1,a", "2,b"], ["id,text", "x,A", "y,B"], ["aA", "bB"]),
    ],
    ids=["ids", "unknown id", "places", "ids repeat", "other ids"],
)
def test_messages_are_paired_by_their_ids_or_else_their_places(
    before: Sequence[str], after: Sequence[str], pairs: list[str], tmp_path: Path
) -> None:
    assert _pairs(tmp_path, before, after) == pairs


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["text", "a", "b"], ["text", "A"]),
        (["id,text", "1,a", "1,b"], ["id,text", "1,A"]),
        (["text", "a", "b"], ["id,text", "2,B"]),
        (["id,text", "1,a", "2,b"], ["text", "B"]),
        (["id,text", "1,a", "2,b"], ["id,text", f"{MARKER},B"]),
    ],
    ids=["no ids", "ids repeat", "ids after", "ids before", "unknown id"],
)
def test_what_cannot_be_paired_is_an_error(
    before: Sequence[str], after: Sequence[str], tmp_path: Path
) -> None:
    with pytest.raises(TriageError, match="it cannot be told which message of") as error:
        _pairs(tmp_path, before, after)
    assert "--id-column" in str(error.value)
    assert MARKER not in str(error.value)


def test_a_row_that_cannot_be_read_is_never_unpaired(tmp_path: Path) -> None:
    with pytest.raises(TriageError, match=r"sms\.csv, line 3"):
        _messages(tmp_path, "sms.csv", "id,text", "1,a", "2")


@pytest.mark.parametrize(
    ("rows", "undecided"),
    [
        (["action,text", "EXPERT,a", "TA,b", "NTA,c"], {0}),
        (["action,decided_by,text", "EXPERT,,a", "EXPERT,machine,b", "EXPERT,anna,c"], {0, 1}),
        (["action,final_action,text", "EXPERT,NTA,a", "EXPERT,EXPERT,b"], {1}),
        (["text", "EXPERT"], set()),
    ],
)
def test_what_waits_for_the_expert_is_undecided(
    rows: Sequence[str], undecided: set[int], tmp_path: Path
) -> None:
    assert _messages(tmp_path, "sms.csv", *rows).undecided == undecided


def test_undecided_messages_of_a_list_are_told_by_their_ids_or_places() -> None:
    held = [
        HeldMessage(1, "a", Reason.NOTHING_FOUND, written=False),
        HeldMessage(3, "c", Reason.WAITS, written=True),
    ]
    assert written_undecided(held, Messages("", ["C", "B"], ["c", "b"])) == {0}
    assert written_undecided(held, Messages("", ["B", "C"])) == {1}
    assert written_undecided(held, Messages("", ["B"], ["b"])) == set()
