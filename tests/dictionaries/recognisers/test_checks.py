"""Check digits tell an identifier from another number of its form."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dictionaries.cases import read
from triage.dictionaries.recognisers.checks import CHECKS

NUMBERS = read("recognisers/checks")


def test_each_check_that_a_file_may_name_is_tried_here() -> None:
    assert NUMBERS.keys() == CHECKS.keys()


@pytest.mark.parametrize(
    ("name", "is_right", "number"),
    [
        (name, which == "right", number)
        for name, numbers in NUMBERS.items()
        for which in ("right", "wrong")
        for number in numbers[which]
    ],
)
def test_a_right_number_is_accepted_and_a_wrong_one_refused(
    name: str, is_right: bool, number: str
) -> None:
    assert CHECKS[name](number) is is_right


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())
@given(text=st.text(max_size=40))
def test_no_text_is_too_strange_for_a_check(check: Callable[[str], bool], text: str) -> None:
    assert check(text) in (True, False)
