"""An expression that tells how it may begin finds what `re` finds."""

import re

import pytest

from tests.dictionaries.cases import read
from triage.dictionaries.recognisers import _facts, _recogniser, available

CASES = read("recognisers/beginnings")
TEXTS = CASES["texts"]


@pytest.mark.parametrize("expression", CASES["expressions"])
def test_one_that_begins_in_any_way(expression: str) -> None:
    made = _recogniser("any", {"type": "COD"}, _facts(expression, "", 0))
    for text in TEXTS:
        same = [one.span() for one in re.finditer(expression, text)]
        assert [one.span() for one in made.matches(text)] == same


@pytest.mark.parametrize("language", ["fr", "en"])
def test_all_that_are_shipped(language: str) -> None:
    for one in available(language):
        plain = re.compile(one.form.pattern)
        for text in (*TEXTS, *one.examples, *one.counterexamples):
            same = [found.span() for found in plain.finditer(text)]
            assert [found.span() for found in one.matches(text)] == same, one.name
