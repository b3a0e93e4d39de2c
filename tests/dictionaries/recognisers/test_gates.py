"""Recognisers look at messages that pass their gates, tried on all pieces of many at once."""

import re
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.dictionaries.cases import read_cases
from triage.dictionaries import Kind
from triage.dictionaries.normal import Legible
from triage.dictionaries.recognisers import Recogniser, Recognisers, available, chosen, shipped
from triage.dictionaries.recognisers.expressions import analyse
from triage.dictionaries.recognisers.gates import END, START, gates_of
from triage.dictionaries.recognisers.search import Place

CASES = cases_beside(__file__)
ALL = chosen("fr", ["all"])
PIECES = st.one_of(
    st.text(alphabet="aAéİΣ0١０°@.:/-\n\u00a0\ud800", max_size=6),
    st.sampled_from([piece for case in read_cases() for piece in case.text.split(" ")]),
)


def recognisers(*texts: str) -> Recognisers:
    form = re.compile("x")
    found = (frozenset({text}) for text in texts)
    return Recognisers(Recogniser(f"r{i}", Kind.COD, form, (one,)) for i, one in enumerate(found))


def searched(together: Recognisers, *messages: str) -> list[list[str]]:
    """Return by message the names of the recognisers that search it."""
    pieces = [message.split(" ") for message in messages]
    gates, digits = together.gates([*chain(*pieces)])
    first = np.cumsum([0, *map(len, pieces[:-1])])
    possible = together.possible(gates, digits, first)
    return [[one.name for one in possible.get(i, [])] for i in range(len(messages))]


@given(st.lists(PIECES, max_size=8))
def test_what_holds_of_a_piece_holds_of_it_among_others(pieces: list[str]) -> None:
    among, digits = ALL.gates(pieces)
    for piece, bits, n_digits in zip(pieces, among, digits, strict=True):
        [[alone], [n_alone]] = ALL.gates([piece])
        assert ((alone & bits) == alone).all()
        assert n_digits == n_alone
    assert not any(one.size for one in ALL.gates([]))


def placed(*places: Place) -> Recognisers:
    form = re.compile("x")
    return Recognisers(
        Recogniser(f"r{i}", Kind.NAME, form, place=place) for i, place in enumerate(places)
    )


BESIDE, BEFORE = (Place("A", frozenset({"bises"}), offset) for offset in (-1, 1))
LETTERS = [f"<{chr(97 + i // 14)}{chr(97 + i % 14)}>" for i in range(200)]
TOGETHER = {
    "digits": recognisers("mdp", "00"),
    "ends": recognisers(f"{START}bic", f"bic{END}", f"{START}bic{END}"),
    "many": recognisers(*LETTERS),
    "nothing": recognisers(""),
    "four digits": Recognisers([Recogniser("card", Kind.CRT, re.compile("x"), digits=4)]),
    "beside or before": placed(BESIDE, BEFORE),
    "in the last piece with a letter": placed(Place("^A")),
}


@pytest.mark.parametrize(("together", "found"), CASES.items())
def test_a_message_is_searched_by_the_recognisers_whose_gates_and_places_are_in_it(
    together: str, found: dict[str, str]
) -> None:
    assert searched(TOGETHER[together], *found) == [names.split() for names in found.values()]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_no_recogniser_searches_each_message(language: str) -> None:
    together = shipped(language)
    assert searched(together, "Xyzq wvxyzq, qzwxkq !") == [[]]
    assert all(one.gates or one.place or one.digits for one in together.all)


MESSAGES = [case.text for name in ("cases", "cases_en") for case in read_cases(name)]
MESSAGES += [text for one in available("fr") + available("en") for text in one.examples]
# Words, digits and signs, with what may stand beside, before or behind them.
PARTS = st.sampled_from(
    [
        *("carte", "n[eé]e?s?", "co+de", "œuf", "kilos?", "(?-i:[A-Z]{6})", "[a-f]{2,14}"),
        *(r"\d{1,4}", r"\d{2}(?:[ .-]\d{2}){2}", "[13-5]", "[2-9A-H]{3}", "n[°º]", "#", "[(\\[{]"),
        *(" ", " ?", r"[ \n:,;.=(>-]{1,4}", r"[^\w@]{1,6}", r"[^\W\d_]{1,15}", ".", r"\b"),
        *(r"(?<!\w)", r"(?!\w)", r"(?![\w-]|[.,]\d)", r"(?!(?<=\w)\w)", r"(?=\d)", "(?<=[°#])"),
        "(?=x)(?!x)",
    ]
)
EXPRESSIONS = st.recursive(
    st.lists(PARTS, min_size=1, max_size=4).map("".join),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda ways: f"(?:{'|'.join(ways)})"),
        st.builds("(?:{}){}".format, inner, st.sampled_from(["?", "{0,3}", "{2}", "{1,9}"])),
        st.lists(inner, min_size=2, max_size=3).map("".join),
    ),
    max_leaves=5,
)


def of_expression(expression: str) -> Recogniser:
    told, form = analyse(expression), re.compile(expression)
    gates = gates_of(told.sets) if told.sets else (frozenset[str](),)
    return Recogniser("r", Kind.COD, form, gates, digits=told.digits)


def hides(recogniser: Recogniser, *messages: str) -> list[str]:
    """Return messages in which its gates keep a recogniser from finding what it finds."""
    found = [one for one in messages if any(recogniser.find(Legible.of(one).text))]
    gated = Recognisers([recogniser])
    return [one for one in found if not gated.find(one)]


def test_gates_of_expressions_hide_nothing() -> None:
    of_both = [*available("fr"), *(one for one in available("en") if one not in available("fr"))]
    # Digits that are said: the recogniser itself tells which words a number has.
    told = [one for one in of_both if one.name != "telephone_said"]
    assert [(one.name, text) for one in told for text in hides(one, *MESSAGES)] == []


@given(EXPRESSIONS, st.data())
def test_the_gate_of_an_expression_lets_through_what_it_matches(
    expression: str, data: st.DataObject
) -> None:
    form = f"(?i:{expression})"
    matched = data.draw(st.from_regex(form))
    assert not hides(of_expression(form), matched)
