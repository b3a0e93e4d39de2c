"""An expression is known to be linear before it reads a message, or it is refused."""

import re
import time
import timeit
from functools import partial

import pytest

from tests.dictionaries.cases import read
from triage.dictionaries.pack import PACKS
from triage.dictionaries.recognisers import Recogniser, available
from triage.dictionaries.recognisers.expressions import (
    MOST_STEPS,
    MOST_STEPS_SHIPPED,
    NotLinear,
    require_linear,
)

CASES = read("recognisers/linear")
LANGUAGES = [path.parent.name for path in PACKS.glob("*/pack.toml")]


@pytest.mark.parametrize(
    ("why", "expression"),
    [(why, one) for why, expressions in CASES["refused"].items() for one in expressions],
)
def test_what_may_run_away_is_refused(why: str, expression: str) -> None:
    with pytest.raises(NotLinear, match=why):
        require_linear(expression)


@pytest.mark.parametrize(("expression", "steps"), CASES["steps"].items())
def test_steps_are_counted(expression: str, steps: int) -> None:
    assert require_linear(expression) == steps
    with pytest.raises(NotLinear, match="1,000 ways"):
        require_linear("a{0,30}a{0,30}x")
    assert require_linear("a{0,30}a{0,30}x", MOST_STEPS_SHIPPED) > MOST_STEPS


@pytest.mark.parametrize(
    "recogniser",
    [one for language in LANGUAGES for one in available(language)],
    ids=lambda one: one.name,
)
def test_those_that_are_shipped_are_linear_but_a_few_that_time_tells(
    recogniser: Recogniser,
) -> None:
    # The rule cannot tell some, whose repetitions are separated by signs that they cannot match.
    # The time of all is measured in test_linear_time.py.
    if recogniser.name not in CASES["not_told"]:
        assert require_linear(recogniser.form.pattern, MOST_STEPS_SHIPPED)


@pytest.mark.timing
@pytest.mark.parametrize(
    "expression",
    [
        *("a{0,20}a{0,20}x", "(?:a{1,3}){1,5}b", "(?:aa|a){1,7}x", "(?:a{1,9}+b?+){1,90}+x"),
        r"(?=a{0,300})a{0,9}(?:a|ab){1,4}x",
    ],
)
def test_what_is_accepted_grows_as_the_text_does(expression: str) -> None:
    require_linear(expression)
    found, times = re.compile(expression), []
    for length in (5_000, 20_000):
        runs = timeit.repeat(
            partial(found.findall, "a" * length), timer=time.process_time, repeat=3, number=1
        )
        times.append(min(runs))
    assert times[1] < 10 * times[0]
