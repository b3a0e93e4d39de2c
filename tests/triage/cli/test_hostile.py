"""Input that nobody meant for a program: each row is decided or rejected, in a short time."""

import time
from pathlib import Path

import pytest

from tests.triage.cli.program import Rows, Run, Write
from triage import Triage

pytestmark = pytest.mark.slow


def classified(run: Run, source: Path, rows_of: Rows) -> list[dict[str, object]]:
    """Classify a file that must go through, and return its output."""
    done = run("classify", source)
    assert (done.returncode, done.stderr) == (0, "")
    return rows_of(source.with_name("sms.triage.csv"))


STRANGE = [
    'Il dit "oui"', "un\nretour", "un\r\nautre", '"', "a\0b", "\0", "\t", "\x1b[31mrouge",
    "\u202eenvers", "ﷺ", "e\u0301te\u0301", "\ufeffok", "👨‍👩‍👧‍👦🏳️‍🌈", "\ue000", "'" * 50,
    "<PRE_7>", "../../etc", "%s {0} $HOME", "NaN", "None", "1e999", "h" * 1_000_000,
    "é" * 1_000_000,
]  # fmt: skip


@pytest.mark.parametrize("message", STRANGE, ids=range(len(STRANGE)))
def test_a_strange_message_is_decided_and_unchanged(
    message: str, run: Run, csv_of: Write, rows_of: Rows
) -> None:
    rows = classified(run, csv_of("Oui", message, "Non"), rows_of)
    assert [row["text"] for row in rows] == ["Oui", message, "Non"]
    assert rows[1]["action"] in ("TA", "NTA", "EXPERT")


def test_a_message_without_a_word_holds_nothing_to_anonymise(
    run: Run, csv_of: Write, rows_of: Rows
) -> None:
    source = csv_of("", " ", "\u00a0", "😂", "😂😂 👍🏽", "?!?!", "...")
    rows = classified(run, source, rows_of)
    assert {(one["seek_hide"], one["action"], one["evidence"]) for one in rows} == {
        ("NTA", "NTA", "")
    }


LONG = 50_000
STRETCHES = [
    "h", "ha", "ab", "é", "a.", "a ", "Zoé ", "0", "0 ", "06 39 98 12 34 ", "@", "a@", "www.",
    "http://", "<PRE_", "12 rue de ", "le code c'est ", "-", "'", "😂", "\n", '"',
    "abcdefghijklmnopqrstuvwxyz",
]  # fmt: skip


@pytest.mark.parametrize("stretch", STRETCHES)
def test_a_message_without_end_takes_a_time_in_proportion(stretch: str, shipped: Triage) -> None:
    message = (stretch * LONG)[:LONG]
    start = time.process_time()
    decided = shipped.decide([message])
    assert time.process_time() - start < 10
    assert len(decided.action) == 1
    assert len(decided.evidence[0]) < 3_000
