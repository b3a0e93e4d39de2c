"""Identifiers are found whole where they stand, by their form, and what looks like one is not."""

import re
import sys
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.files import file_of
from tests.dictionaries.cases import Case, read, read_cases, unmarked
from tests.processes import printed_by
from triage.dictionaries import DictionaryError, Kind, Lexicon, recognisers
from triage.dictionaries.addresses import KnownWords, addresses
from triage.dictionaries.build_pack import problems
from triage.dictionaries.normal import Legible
from triage.dictionaries.recognisers import (
    Recogniser,
    Recognisers,
    available,
    chosen,
    load,
    shipped,
)
from triage.dictionaries.recognisers.checks import CHECKS
from triage.dictionaries.recognisers.expressions import ExpressionReader
from triage.dictionaries.recognisers.gates import END, START, gates_of
from triage.dictionaries.recognisers.search import Place

pytestmark = pytest.mark.usefixtures("own_folder")
FORMS, NUMBERS, BEGINNINGS, OF_USERS = (
    read(name)
    for name in ("identifiers", *(f"recognisers/{of}" for of in ("checks", "beginnings", "user")))
)
ALL = chosen("fr", ["all"])
CASES = {"fr": (read_cases(), ALL), "en": (read_cases("cases_en"), shipped("en"))}


def of_kinds(table: str) -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in FORMS[table].items() for text in texts]


def found_by_default(message: str) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.kind.value) for span in shipped("fr").find(message)]


def wrong(cases: Sequence[Case], recognisers: Recognisers) -> list[Case]:
    """Return the cases of which what is found is not what stands there."""
    found = recognisers.find_each([case.text for case in cases])
    return [
        case
        for case, spans in zip(cases, found, strict=True)
        if tuple((one.start, one.end) for one in spans if one.kind == case.type) != case.spans
    ]


@pytest.mark.parametrize(
    ("language", "kind"),
    sorted({(of, case.type) for of, (cases, _) in CASES.items() for case in cases}),
)
def test_identifiers_are_found_whole_but_for_what_is_known_to_go_wrong(
    language: str, kind: str
) -> None:
    every, together = CASES[language]
    cases = [case for case in every if case.type == kind]
    known = [case for case in cases if case.goes_wrong]
    assert wrong(cases, together) == known, "what is mended belongs to found or not_found"


@pytest.mark.parametrize("recogniser", available("fr"), ids=lambda one: one.name)
def test_the_examples_of_a_recogniser_are_true(recogniser: Recogniser) -> None:
    assert recogniser.examples
    for text in recogniser.examples:
        assert recogniser.kind in {span.kind for span in ALL.find(text)}
    for text in recogniser.counterexamples:
        assert recogniser.kind not in {span.kind for span in ALL.find(text)}


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_examples_of_a_pack_are_true(language: str) -> None:
    assert problems(language) == []


PAIRS = ("06", "39", "98", "12", "34")
WHOLE = [*of_kinds("whole"), *((kind, sign.join(PAIRS)) for kind, sign in of_kinds("between"))]


@pytest.mark.parametrize(("kind", "text"), WHOLE, ids=ascii)
def test_an_identifier_is_found_whole_alone_or_within_a_sentence(kind: str, text: str) -> None:
    for before, behind in (("", ""), ("Oui, ", " stp"), ("Oui (", ").")):
        start = len(before)
        message = before + text + behind
        assert found_by_default(message) == [(start, start + len(text), kind)]


@pytest.mark.parametrize(("kind", "marked"), of_kinds("marked"))
def test_nothing_else_is_found(kind: str, marked: str) -> None:
    message, spans = unmarked(marked)
    assert found_by_default(message) == [(*span, kind) for span in spans]


@pytest.mark.parametrize(("kind", "message"), of_kinds("none"))
def test_what_looks_like_an_identifier_is_none(kind: str, message: str) -> None:
    kinds = {kind for *_, kind in found_by_default(message)}
    assert kind not in kinds if kind != "any" else not kinds


@pytest.mark.parametrize("marked", [one for texts in read("addresses").values() for one in texts])
def test_addresses_are_found_whole(marked: str, french: Lexicon) -> None:
    text, spans = unmarked(marked)
    found = addresses(text, KnownWords(french))
    assert tuple((span.start, span.end) for span in found) == spans


def test_a_first_name_that_few_bear_is_a_name_and_no_word(french: Lexicon) -> None:
    known = KnownWords(french)
    assert (known.is_name("abdallah"), known.is_word("abdallah")) == (True, False)


@pytest.mark.parametrize("name", CHECKS)
def test_right_numbers_are_accepted_and_wrong_ones_refused(name: str) -> None:
    check, numbers = CHECKS[name], NUMBERS[name]
    assert [number for number in numbers["right"] if not check(number)] == []
    assert [number for number in numbers["wrong"] if check(number)] == []


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())
@given(text=st.text(max_size=40))
def test_no_text_is_too_strange_for_a_check(check: Callable[[str], bool], text: str) -> None:
    assert check(text) in (True, False)


def spans_of(recogniser: Recogniser, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in recogniser.form.finditer(text)]


@pytest.mark.parametrize("expression", BEGINNINGS["expressions"])
def test_an_expression_that_begins_in_several_ways_finds_what_re_finds(expression: str) -> None:
    made = recognisers._recogniser("any", {"type": "COD"}, recognisers._facts(expression, "", 0))
    for text in BEGINNINGS["texts"]:
        assert spans_of(made, text) == [one.span() for one in re.finditer(expression, text)]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_those_that_are_shipped_find_what_re_finds(language: str) -> None:
    for one in available(language):
        plain = re.compile(one.form.pattern)
        for text in (*BEGINNINGS["texts"], *one.examples, *one.counterexamples):
            assert spans_of(one, text) == [found.span() for found in plain.finditer(text)], one.name


def test_the_expressions_do_not_depend_on_the_order_of_sets() -> None:
    code = "from triage.dictionaries.recognisers import shipped; print(shipped('fr').fingerprint)"
    one, other = (printed_by(sys.executable, "-c", code, PYTHONHASHSEED=n) for n in ("1", "2"))
    assert one == other


DOCUMENTATION = Path(__file__).parents[2] / "docs" / "reference" / "recognisers.md"
EXAMPLE = DOCUMENTATION.read_text("utf-8").partition("```toml\n")[2].partition("```")[0]


@pytest.mark.parametrize(("content", "message", "expected"), OF_USERS["found"])
def test_what_a_form_of_users_allows_is_found(content: str, message: str, expected: str) -> None:
    content = {"badge": OF_USERS["badge"], "example": EXAMPLE}.get(content, content)
    spans = Recognisers(load(file_of(content, "ours.toml"))).find(message)
    found = [message[span.start : span.end] for span in spans]
    assert found == ([expected] if expected else [])


def test_one_of_the_same_name_takes_the_place_of_ours() -> None:
    content = "[iban]\ntype = 'IBA'\nregex = 'compte \\d{3}'"
    used = chosen("fr", own=load(file_of(content, "ours.toml")))
    assert [one.form.pattern for one in used.all if one.name == "iban"] == ["(?i:compte \\d{3})"]
    assert [span.kind for span in used.find("compte 123")] == [Kind.IBA]


@pytest.mark.parametrize(("content", "says"), OF_USERS["mistakes"])
def test_a_mistake_is_one_line(content: str, says: str) -> None:
    path = file_of(content, "ours.toml")
    with pytest.raises(DictionaryError, match=re.escape(says)) as error:
        load(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


GATES = read("recognisers/gates")
FORM = re.compile("x")
PIECES = st.one_of(
    st.text(alphabet="aAéİΣ0١０°@.:/-\n\u00a0\ud800", max_size=6),
    st.sampled_from([piece for case in read_cases() for piece in case.text.split(" ")]),
)


def recognisers_of(*texts: str) -> Recognisers:
    found = (frozenset({text}) for text in texts)
    return Recognisers(Recogniser(f"r{i}", Kind.COD, FORM, (one,)) for i, one in enumerate(found))


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
    ranked = enumerate(places)
    return Recognisers(Recogniser(f"r{i}", Kind.NAME, FORM, place=one) for i, one in ranked)


BESIDE, BEFORE = (Place("A", frozenset({"bises"}), offset) for offset in (-1, 1))
LETTERS = [f"<{chr(97 + i // 14)}{chr(97 + i % 14)}>" for i in range(200)]
TOGETHER = {
    "digits": recognisers_of("mdp", "00"),
    "ends": recognisers_of(f"{START}bic", f"bic{END}", f"{START}bic{END}"),
    "many": recognisers_of(*LETTERS),
    "nothing": recognisers_of(""),
    "four digits": Recognisers([Recogniser("card", Kind.CRT, FORM, digits=4)]),
    "beside or before": placed(BESIDE, BEFORE),
    "in the last piece with a letter": placed(Place("^A")),
}


@pytest.mark.parametrize(("together", "found"), GATES.items())
def test_a_message_is_searched_where_gates_are_open(together: str, found: dict[str, str]) -> None:
    assert searched(TOGETHER[together], *found) == [names.split() for names in found.values()]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_no_recogniser_searches_each_message(language: str) -> None:
    together = shipped(language)
    assert searched(together, "Xyzq wvxyzq, qzwxkq !") == [[]]
    assert all(one.gates or one.place or one.digits for one in together.all)


PARTS = st.sampled_from(read("recognisers/expressions")["parts"])
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
    told, form = ExpressionReader(expression).analysis, re.compile(expression)
    gates = gates_of(told.sets) if told.sets else (frozenset[str](),)
    return Recogniser("r", Kind.COD, form, gates, digits=told.digits)


@given(EXPRESSIONS, st.data())
def test_a_gate_lets_pass_what_its_expression_finds(expression: str, data: st.DataObject) -> None:
    form = f"(?i:{expression})"
    matched, recogniser = data.draw(st.from_regex(form)), of_expression(form)
    if any(recogniser.find(Legible.of(matched).text)):
        assert Recognisers([recogniser]).find(matched)
