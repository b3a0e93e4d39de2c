"""An expression that tells how it may begin finds what `re` finds."""

import re

import pytest

from triage.dictionaries.recognisers import _recogniser, _told, available

TEXTS = (
    "Coucou c'est Zoé, RDV au 12 rue des Saints à 8h ; tel 06 12 34 56 78 !",
    "ſaint Saint ſAINT \u212a9 k9 İban ıban IBAN ÉTÉ été Σας ΣΑΣ µ μ ß ẞ 𐐀 𐐨\n\tfin é",
    "www.exemple.fr moi@exemple.fr @zoe #10 (+33) -5 «ok» code : A12b34",
    "",
)


@pytest.mark.parametrize(
    "expression",
    [
        r"(?<!\w)(?i:saint|k9|İban|σ)",
        r"(?i:(?<![^\W_])[a-c\u0130]\w{1,9})",
        r"(?i:[^a-y\s]{1,3})(?-i:a)?",
        r"(?:\b(?:x{0,2}y|(?=c)co|(?>t)el)|(?:[ſß]|\d{2,4}+)){1,3}",
        r"(?!z)(?i:z)o|(?i:é).{0,2}",
        r"(?m:^)(?:c|){1,2}",
        r"[^\x00-\xff]|(?i:[\u0370-\u03ff])",
    ],
)
def test_one_that_begins_in_any_way(expression: str) -> None:
    made = _recogniser("any", {"type": "COD"}, _told(expression, "", 0)).form
    for text in TEXTS:
        same = [one.span() for one in re.finditer(expression, text)]
        assert [one.span() for one in made.finditer(text)] == same


@pytest.mark.parametrize("language", ["fr", "en"])
def test_all_that_are_shipped(language: str) -> None:
    for one in available(language):
        plain = re.compile(one.form.pattern)
        for text in (*TEXTS, *one.examples, *one.counterexamples):
            same = [found.span() for found in plain.finditer(text)]
            assert [found.span() for found in one.form.finditer(text)] == same, one.name
