"""An expression is known to be linear before it reads a message, or it is refused."""

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
