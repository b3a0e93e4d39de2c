"""Which of two finds stands where they overlap."""

from hypothesis import given
from hypothesis import strategies as st

from triage.model.find import Identifier, Rule, apart
from triage.vocabulary import IdentifierType

ADR, PRE = IdentifierType.ADR, IdentifierType.PRE
TEXT = "chez moi 12 rue Jean Moulin ok"
HOME = Identifier(9, 27, ADR, Rule.ADDRESS)


def _read(found: list[Identifier], text: str = TEXT) -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.rule) for one in found]


def test_a_word_of_a_list_within_an_address_leaves_the_rest_of_it() -> None:
    name = Identifier(16, 20, PRE, Rule.LIST)
    assert _read(apart([HOME, name], TEXT)) == [
        ("12 rue ", "address"),
        ("Jean", "list"),
        (" Moulin", "address"),
    ]


def test_nothing_is_left_where_signs_alone_remain() -> None:
    text = "rdv avec Léo. ok"
    name, with_stop = Identifier(9, 12, PRE, Rule.EVIDENCE), Identifier(9, 13, PRE, Rule.CARRIED)
    assert apart([name, with_stop], text) == [name]


def test_of_one_rule_the_longer_stands_then_the_earlier() -> None:
    short, long = Identifier(9, 15, ADR, Rule.ADDRESS), HOME
    assert apart([short, long], TEXT) == [long]
    left, right = Identifier(0, 4, PRE, Rule.LIST), Identifier(2, 6, PRE, Rule.LIST)
    assert _read(apart([right, left], "abcdef"), "abcdef") == [("abcd", "list"), ("ef", "list")]


spans = st.tuples(st.integers(0, 19), st.integers(1, 8), st.sampled_from([*Rule]))


@given(st.lists(spans, max_size=6))
def test_every_character_that_was_found_is_covered_once_by_the_first_rule(
    drawn: list[tuple[int, int, Rule]],
) -> None:
    found = [Identifier(start, min(20, start + n), PRE, rule) for start, n, rule in drawn]
    kept = apart(found, "x" * 20)
    for at in range(20):
        here = [Rule(one.rule) for one in found if one.start <= at < one.end]
        stands = [Rule(one.rule) for one in kept if one.start <= at < one.end]
        assert stands == ([min(here, key=[*Rule].index)] if here else [])
