"""Check digits tell an identifier from another number of its form."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries.recognisers import checks

RIGHT = {
    "luhn": ["4539 1488 0343 6467", "732829320"],
    "card": ["4539-1488-0343-6467", "3742 864920 83129", "2221838737167868"],
    "iban": ["fr14 2004 1010 0505 0001 3m02 606", "BE68 5390 0754 7034"],
    "mod97": ["NL91ABNA0417164300"],
    "rib": ["20041 01005 0500013M026 06"],
    "nir": ["2 95 10 99 126 111 93", "2 03 07 2A 498 281 39", "1 64 10 2B 166 126 15"],
    "siren": ["732 829 320"],
    "siret": ["732 829 320 00074", "356 000 000 00048"],
    "vat": ["FR 40 303265045"],
    "date": ["29/02/2024", "1.4.98", "1998-04-30"],
    "aadhaar": ["2341 2341 2346", "234123412346"],
    "mykad": ["770305-02-1234"],
    "nic": ["853400937V", "858400937x"],
    "nric": ["S1234567D", "t1234567j", "F1234567N", "G1234567X"],
    "pan": ["ACUPA7085R"],
    "postcode_sg": ["Singapore 560123", "S(018956)"],
    "ssn": ["536-90-4399"],
}
WRONG = {
    "luhn": ["4539 1488 0343 6468", ""],
    "card": ["0000 0000 0000 0000", "1234567812345670"],
    "iban": ["fr14 2004 1010 0505 0001 3m02 607", "XX14", ""],
    "mod97": ["NL91ABNA0417164301"],
    "rib": ["20041 01005 0500013M026 07", "20041"],
    "nir": ["2 95 10 99 126 111 94", "2 95 13 99 126 111 93", "5 95 10 99 126 111 93"],
    "siren": ["732 829 321"],
    "siret": ["732 829 320 00075"],
    "vat": ["FR 41 303265045"],
    "aadhaar": ["2341 2341 2347", ""],
    "mykad": ["771305-02-1234", ""],
    "nic": ["859000937V", "85340093V"],
    "nric": ["S1234567A", "S123456D", ""],
    "pan": ["ACUPA0000R", ""],
    "postcode_sg": ["Singapore 990123", "S(740123)", "S 123"],
    "ssn": ["000-12-3456", "666-12-3456", ""],
    "date": ["31/04/2024", "29/02/2023", "12/13", "1 2 3 4", "00/00/0000"],
}


def cases(of: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, number) for name, numbers in of.items() for number in numbers]


@pytest.mark.parametrize(("name", "number"), cases(RIGHT))
def test_a_right_number_is_accepted(name: str, number: str) -> None:
    assert checks.CHECKS[name](number)


@pytest.mark.parametrize(("name", "number"), cases(WRONG))
def test_a_wrong_number_is_refused(name: str, number: str) -> None:
    assert not checks.CHECKS[name](number)


def test_each_check_that_a_file_may_name_is_tried_here() -> None:
    assert RIGHT.keys() == WRONG.keys() == checks.CHECKS.keys()


@pytest.mark.parametrize("check", checks.CHECKS.values(), ids=checks.CHECKS.keys())
@given(text=st.text(max_size=40))
def test_no_text_is_too_strange_for_a_check(check: Callable[[str], bool], text: str) -> None:
    assert check(text) in (True, False)
