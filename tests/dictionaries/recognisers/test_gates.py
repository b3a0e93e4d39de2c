"""Which messages recognisers look at: gates are tried on all pieces of many messages at once."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.dictionaries.cases import read_cases
from triage.dictionaries import Kind
from triage.dictionaries.recognisers import Recogniser, Recognisers, chosen

ALL = chosen("fr", ["all"])
PIECES = st.one_of(
    st.text(alphabet="aAéİΣ0١０°@.:/-\n\u00a0\ud800", max_size=6),
    st.sampled_from([piece for case in read_cases() for piece in case.text.split(" ")]),
)


def recognisers(*gates: str) -> Recognisers:
    form = re.compile("x")
    return Recognisers(Recogniser(f"r{i}", Kind.COD, form, gate) for i, gate in enumerate(gates))


@given(st.lists(PIECES, max_size=8))
def test_a_gate_that_matches_in_a_piece_matches_in_it_among_others(pieces: list[str]) -> None:
    alone = [ALL.gates([piece])[0][0] for piece in pieces]
    assert [bits & ~among for bits, among in zip(alone, ALL.gates(pieces)[0], strict=True)] == [
        0
    ] * len(pieces)


@given(st.lists(PIECES, max_size=8))
def test_digits_are_those_that_recognisers_read(pieces: list[str]) -> None:
    alone = [ALL.gates([piece])[1][0] for piece in pieces]
    assert ALL.gates(pieces)[1].tolist() == alone


def test_gates_match_where_they_do() -> None:
    bits, digits = recognisers("mdp", "[0-9]{2}").gates(["MDP", "x", "a12", "1"])
    assert (bits.tolist(), digits.tolist()) == ([1, 0, 2, 0], [0, 0, 2, 1])


def test_a_gate_of_capitals_sees_pieces_as_they_are_written() -> None:
    initial = Recogniser("r", Kind.NAME, re.compile("[A-Z]"), "[a-z]", capitals=r"\b[A-Z]\b")
    together = Recognisers([initial])
    bits, _ = together.gates(["A", "a", "AB", "1"])
    assert [bool(together.wanted(one)) for one in bits.tolist()] == [True, False, False, False]


def test_an_empty_gate_matches_everywhere() -> None:
    assert recognisers("").gates(["a", "", "b"])[0].tolist() == [1, 1, 1]


def test_a_gate_that_sees_beyond_a_piece_hides_no_match() -> None:
    assert recognisers(r"a\sb|b").gates(["a", "b", "c"])[0].tolist() == [1, 1, 0]


def test_without_pieces_there_is_nothing() -> None:
    bits, digits = ALL.gates([])
    assert not bits.size
    assert not digits.size
