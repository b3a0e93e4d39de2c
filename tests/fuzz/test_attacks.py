"""A moment of each attack; ``make fuzz`` runs them for long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.files import attack
from tests.fuzz.messages import (
    MESSAGE,
    PIECE,
    TELEPHONE,
    check_long,
    check_messages,
    check_telephone,
)
from triage import Triage
from triage.dictionaries import Lexicon
from triage.model.learnt import shipped_model


@pytest.fixture(scope="module")
def pipeline(french: Lexicon) -> Triage:
    return Triage(french, shipped_model(french, "evidence"))


@given(st.lists(MESSAGE, max_size=6))
def test_what_holds_of_any_message_holds_of_these(pipeline: Triage, messages: list[str]) -> None:
    check_messages(pipeline, messages)


@given(TELEPHONE)
def test_a_telephone_number_is_found_whole_whatever_separates_it(number: str) -> None:
    check_telephone(number)


@given(PIECE.filter(bool))
def test_a_long_message_is_treated_like_any(pipeline: Triage, piece: str) -> None:
    check_long(pipeline, piece * (5_000 // len(piece)))


def test_a_damaged_file_is_read_and_adds_up_or_is_refused_in_one_line() -> None:
    counts = attack(20110915, lambda n: n < 250)
    assert counts["files"] == counts["read"] + counts["refused"] == 250
    assert counts["read"] > 60
    assert counts["refused"] > 30
