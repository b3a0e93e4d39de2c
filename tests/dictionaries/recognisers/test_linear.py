"""An expression is known to be linear before it reads a message, or it is refused."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries.pack import load_pack
from triage.dictionaries.recognisers import Recogniser, bank, official, public
from triage.dictionaries.recognisers.linear import MOST_STEPS, NotLinear, require_linear

# The rule cannot tell others, whose repetitions are separated by signs that they cannot match. The
# time of all is measured in test_linear_time.py.
TOLD = (
    *(public.marks, bank.accounts, bank.cards, bank.crypto),
    *(official.social_security, official.plates, official.companies),
)


def repetition(unit: str, least: int, most: int, how: str) -> str:
    return f"(?:{unit}){{{least},{least + most}}}{how}"


units = st.recursive(
    st.sampled_from([r"\d", "a", "[a-f]", "ab", "."]),
    lambda inner: st.one_of(
        st.builds(
            repetition,
            inner,
            st.integers(0, 3),
            st.integers(1, 12),
            st.sampled_from(["", "?", "+"]),
        ),
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda ways: f"(?:{'|'.join(ways)})"),
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "expression",
    ["a*", "a+", "a*?", r"\d++", "a{3,}", "(?:ab)*+", "(?=a*)b", "(?>a+)b", "(a)(?:b|c*)"],
)
def test_a_repetition_has_an_end(expression: str) -> None:
    with pytest.raises(NotLinear, match="without an end"):
        require_linear(expression)


@pytest.mark.parametrize(
    "expression", [r"(a)\1", r"(?P<x>a)(?P=x)", r"(a)?(?(1)b|c)", r"(?i:(a)\1)"]
)
def test_a_group_is_not_referred_to(expression: str) -> None:
    with pytest.raises(NotLinear, match="reference"):
        require_linear(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "(?:a{1,20}){1,20}b",
        r"[\w.]{1,64}@(?:[\w.]{1,63}\.){1,4}fr",
        "(?:a|a){1,30}b",
        r"\d{0,40}\d{0,40}\d{0,40}x",
        "(?:a{0,99}){0,99}",
        "x{1,20000}",
        "(?:){1,1000000000}",
        "(?>(?:a{1,20}){1,20}b)",
    ],
)
def test_there_are_not_too_many_ways_to_match(expression: str) -> None:
    with pytest.raises(NotLinear, match="10,000 ways"):
        require_linear(expression)


@pytest.mark.parametrize(
    ("expression", "steps"),
    [
        ("abc", 3),
        ("a|bc", 3),
        ("a{2,5}", 5),
        # The second repetition is tried behind each length of the first.
        ("a{0,4}b{0,4}", 4 + 5 * 4),
        ("a{0,4}+b{0,4}", 4 + 4),
        ("(?>a{0,4})b", 4 + 1),
        ("(?:aa|b){1,2}", 3 + 2 * 3),
        ("(?<!a)b", 2),
        (r"(?i:\bcarte \d{4})", 1 + 6 + 4),
    ],
)
def test_steps_are_counted(expression: str, steps: int) -> None:
    assert require_linear(expression) == steps


@pytest.mark.parametrize(
    "recogniser",
    [one for family in TOLD for one in family(load_pack("fr"))],
    ids=lambda one: one.name,
)
def test_numbers_with_check_digits_are_linear(recogniser: Recogniser) -> None:
    assert require_linear(recogniser.form.pattern) <= MOST_STEPS


@given(units, units)
def test_what_is_told_is_at_least_the_length_of_what_matches(first: str, second: str) -> None:
    expression = first + second
    try:
        steps = require_linear(expression)
    except NotLinear:
        return
    match = re.match(expression, "ab1" * 1_000)
    assert match is None or match.end() <= steps


def seconds(expression: str, text: str) -> float:
    """Processor seconds of searching a text, the least of three."""
    found = re.compile(expression)
    times = []
    for _ in range(3):
        start = time.process_time()
        for _ in found.finditer(text):
            pass
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.timing
@pytest.mark.parametrize(
    "expression",
    [
        "a{0,60}a{0,60}x",
        "(?:a{1,3}){1,6}b",
        "(?:aa|a){1,10}x",
        "(?:a{1,9}+b?+){1,100}+x",
        r"(?=a{0,900})a{0,9}(?:a|ab){1,5}x",
    ],
)
def test_what_is_accepted_grows_as_the_text_does(expression: str) -> None:
    require_linear(expression)
    short, long = (seconds(expression, "a" * length) for length in (5_000, 20_000))
    assert long < 10 * short
