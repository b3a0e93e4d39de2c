"""Hostile text costs no more than its length: no expression and no rule runs away."""

import gc
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

import triage
from tests.dictionaries.cases import read
from triage.decide.people import Account
from triage.dictionaries import Labeller, load_lexicon
from triage.dictionaries.addresses import KnownWords, addresses
from triage.dictionaries.pack import PACKS
from triage.dictionaries.recognisers import Recogniser, available, chosen
from triage.dictionaries.recognisers.expressions import MAX_STEPS_SHIPPED, NotLinear, require_linear

pytestmark = pytest.mark.usefixtures("own_folder")
Work = Callable[[str], object]
CASES, HOSTILE = read("recognisers/linear"), read("hostile")
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


def test_those_that_are_shipped_may_take_more_steps() -> None:
    with pytest.raises(NotLinear, match="1,000 ways"):
        require_linear("a{0,30}a{0,30}x")
    assert require_linear("a{0,30}a{0,30}x", MAX_STEPS_SHIPPED) > 1_000


@pytest.mark.parametrize(
    "recogniser",
    [one for language in LANGUAGES for one in available(language)],
    ids=lambda one: one.name,
)
def test_all_shipped_are_linear_but_a_few_that_time_tells(recogniser: Recogniser) -> None:
    # The rule cannot tell some, whose repetitions are separated by signs that they cannot match;
    # the time of all is measured below.
    if recogniser.name not in CASES["not_told"]:
        assert require_linear(recogniser.form.pattern, MAX_STEPS_SHIPPED)


ENOUGH = 0.002  # seconds that the clock measures well
LONG_ENOUGH = 250_000  # characters: what is quadratic shows by then
LINEAR, QUADRATIC = 4, 16  # how the time grows when the text is four times as long


def repeated(length: int, unit: str, before: str = "", after: str = "") -> str:
    return before + unit * (length // len(unit)) + after


def cost(work: Work, text: str) -> float:
    """Processor seconds of a run; collecting garbage is not counted."""
    gc.disable()
    try:
        start = time.process_time()
        work(text)
        return time.process_time() - start
    finally:
        gc.enable()


def is_linear(work: Work, parts: list[str], enough: float = ENOUGH) -> bool:
    """Tell if a text four times as long takes four times as long rather than sixteen."""

    def growth() -> float:
        length = 2_000
        while (seconds := cost(work, repeated(length, *parts))) < enough and length < LONG_ENOUGH:
            length *= 2
        return cost(work, repeated(4 * length, *parts)) / seconds

    return any(growth() < (LINEAR + QUADRATIC) / 2 for _ in range(3))


@pytest.mark.timing
@pytest.mark.parametrize("expression", CASES["accepted"])
def test_what_is_accepted_grows_as_the_text_does(expression: str) -> None:
    require_linear(expression)
    assert is_linear(re.compile(expression).findall, ["a"])


def labelling(language: str = "fr") -> Work:
    return lambda text: Labeller(load_lexicon(language)).label([text])


def naming_in_events(text: str) -> object:
    account = Account(load_lexicon("fr"), ["kind", "text"], 1)
    account.add([["system", text]])
    return account.people


def reading_what_decided(text: str) -> object:
    return triage.anonymise(pd.DataFrame({"text": ["oui"], "action": ["NTA"], "evidence": [text]}))


def all_of_a_message(text: str) -> None:
    key = Path("first.key")
    key.write_text("0" * 64)
    key.chmod(0o600)
    senders = ["Jean Dupont", "Rose De Oliveira"]
    before = pd.DataFrame({"sender": senders, "text": [f"salut {text}", "coucou Jean"]})
    triaged = triage.classify(before)
    written = triage.anonymise(triaged, style="surrogate", key=str(key), hold="none")
    triage.check(written, against=before)
    triage.mine(triaged)


# How the work on a table of texts is prepared, and the seconds that it must take: much of some work
# does not depend on the length of a text, and comparing each with each shows in long ones alone.
WORK: dict[str, tuple[Callable[[], Work], float]] = {
    "labelling": (labelling, ENOUGH),
    **{f"rules {name}": (partial(labelling, name), 0.3) for name in LANGUAGES},
    "recognisers": (lambda: chosen("fr", ["all"]).find, ENOUGH),
    "public_names": (lambda: chosen("fr", []).find, 1.0),
    "addresses": (lambda: partial(addresses, known=KnownWords(load_lexicon("fr"))), ENOUGH),
    "events": (lambda: naming_in_events, 0.5),
    "evidence": (lambda: reading_what_decided, 0.5),
    "message": (lambda: all_of_a_message, 1.0),
}


def hostile(of: str) -> dict[str, list[str]]:
    table: dict[str, list[str]] = HOSTILE[of.split()[0]]
    return {unit: [unit] for unit in table["units"]} if "units" in table else table


@pytest.mark.timing
@pytest.mark.parametrize(("of", "about"), [(of, about) for of in WORK for about in hostile(of)])
def test_time_grows_with_the_length(of: str, about: str) -> None:
    prepared, enough = WORK[of]
    work = prepared()
    work("soremnet")  # what is made on first use
    assert is_linear(work, hostile(of)[about], enough)
