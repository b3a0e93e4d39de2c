"""Postal addresses are found as one span each, and what only looks so is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dictionaries.cases import read, unmarked
from triage.dictionaries import Lexicon
from triage.dictionaries.addresses import KnownWords, addresses

CASES = read("addresses")
# The words of French addresses, and no list.
NOTHING = KnownWords(Lexicon([], "fr"))


@pytest.mark.parametrize(
    "marked", [text for about, texts in CASES.items() if about != "cut_off" for text in texts]
)
def test_addresses_are_found_whole(marked: str, lexicon: Lexicon) -> None:
    text, spans = unmarked(marked)
    found = addresses(text, KnownWords(lexicon))
    assert tuple((span.start, span.end) for span in found) == spans


def test_a_first_name_that_few_bear_is_a_name_and_no_word(lexicon: Lexicon) -> None:
    known = KnownWords(lexicon)
    assert (known.is_name("abdallah"), known.is_word("abdallah")) == (True, False)


@given(st.text(alphabet="12 rueavbis.,-'’34000lotàÉß\n\u0301c", max_size=60))
def test_spans_lie_within_the_message_in_order(text: str) -> None:
    at = 0
    for span in addresses(text, NOTHING):
        assert at <= span.start < span.end <= len(text)
        at = span.end
