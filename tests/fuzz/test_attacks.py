"""A moment of each attack; ``make fuzz`` runs them for long."""

from random import Random

import pytest

from tests.fuzz.files import attack
from tests.fuzz.messages import BATCH, check_long, run_batch
from triage import Triage
from triage.dictionaries import Lexicon
from triage.model.learnt import shipped_model


@pytest.fixture(scope="module")
def pipeline(french: Lexicon) -> Triage:
    return Triage(french, shipped_model(french, "evidence"))


def test_what_holds_of_any_message_holds_of_these(pipeline: Triage) -> None:
    counts = run_batch("0:0", pipeline)
    assert counts == run_batch("0:0", pipeline)
    assert counts["messages"] == BATCH


def test_a_long_message_is_treated_like_any(pipeline: Triage) -> None:
    check_long(pipeline, Random(0), 50_000)


def test_a_damaged_file_is_read_and_adds_up_or_is_refused_in_one_line() -> None:
    counts = attack(20110915, lambda n: n < 250)
    assert counts["files"] == counts["read"] + counts["refused"] == 250
    assert counts["read"] > 60
    assert counts["refused"] > 30
