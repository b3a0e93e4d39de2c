"""Postal addresses are found as one span each, and what only looks so is left alone."""

import pytest

from tests.dictionaries.cases import read, unmarked
from triage.dictionaries import Lexicon
from triage.dictionaries.addresses import KnownWords, addresses

CASES = read("addresses")


@pytest.mark.parametrize("marked", [text for texts in CASES.values() for text in texts])
def test_addresses_are_found_whole(marked: str, lexicon: Lexicon) -> None:
    text, spans = unmarked(marked)
    found = addresses(text, KnownWords(lexicon))
    assert tuple((span.start, span.end) for span in found) == spans


def test_a_first_name_that_few_bear_is_a_name_and_no_word(lexicon: Lexicon) -> None:
    known = KnownWords(lexicon)
    assert (known.is_name("abdallah"), known.is_word("abdallah")) == (True, False)
