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
from triage.dictionaries import Labeller, Lexicon, load_lexicon
from triage.dictionaries.addresses import KnownWords, addresses
from triage.dictionaries.pack import PACKS
from triage.dictionaries.recognisers import Recogniser, available, chosen
from triage.dictionaries.recognisers.expressions import MAX_STEPS_SHIPPED, NotLinear, require_linear

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


def cost(work: Callable[[str], object], text: str) -> float:
    """Processor seconds of a run; collecting garbage is not counted."""
    gc.disable()
    try:
        start = time.process_time()
        work(text)
        return time.process_time() - start
    finally:
        gc.enable()


def is_linear(work: Callable[[str], object], parts: list[str], enough: float = ENOUGH) -> bool:
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


@pytest.mark.timing
@pytest.mark.parametrize("parts", HOSTILE["hostile"].values(), ids=HOSTILE["hostile"].keys())
def test_time_of_labelling_grows_with_the_length(parts: list[str], french: Lexicon) -> None:
    def work(text: str) -> object:
        return Labeller(french).label([text])

    work("soremnet")  # what the rules look words up in is made on first use
    assert is_linear(work, parts)


@pytest.mark.timing
@pytest.mark.parametrize("language", LANGUAGES)
def test_time_of_the_rules_of_a_language_grows_with_the_length_of_a_word(language: str) -> None:
    def work(text: str) -> object:
        return Labeller(load_lexicon(language)).label([text])

    work("soremnet")  # what the rules look words up in is made on first use
    # Each half of a word is looked up, which shows in long words alone.
    assert is_linear(work, ["abcdefghijklmnop"], enough=0.3)


@pytest.mark.timing
@pytest.mark.parametrize("parts", HOSTILE["hostile_if_on"].values(), ids=HOSTILE["hostile_if_on"])
def test_time_of_all_recognisers_grows_with_the_length(parts: list[str]) -> None:
    assert is_linear(chosen("fr", ["all"]).find, parts)


@pytest.mark.timing
def test_time_of_public_names_beside_identifiers_grows_with_the_length() -> None:
    # Comparing each with each shows only where there are thousands.
    find = chosen("fr", []).find
    assert is_linear(find, ["pour noël 0612345678 en jean 4 rue noël "], enough=1.0)


@pytest.mark.timing
@pytest.mark.parametrize("unit", HOSTILE["address"]["units"])
def test_time_of_addresses_grows_with_the_length(unit: str, french: Lexicon) -> None:
    assert is_linear(partial(addresses, known=KnownWords(french)), [unit])


@pytest.mark.timing
def test_time_of_names_in_the_events_of_a_chat_grows_with_the_length(french: Lexicon) -> None:
    def work(text: str) -> object:
        account = Account(french, ["kind", "text"], 1)
        account.add([["system", text]])
        return account.people

    assert is_linear(work, ["“"], enough=0.5)


@pytest.mark.timing
def test_time_of_the_words_that_decided_grows_with_the_length() -> None:
    def work(text: str) -> None:
        table = {"text": ["oui"], "action": ["NTA"], "evidence": [text]}
        triage.anonymise(pd.DataFrame(table))

    work("")  # what is loaded once
    assert is_linear(work, ["«"], enough=0.5)


@pytest.mark.timing
@pytest.mark.parametrize("unit", HOSTILE["message"]["units"])
def test_time_of_all_that_becomes_of_a_message_grows_with_it(unit: str, tmp_path: Path) -> None:
    key = tmp_path / "first.key"
    key.write_text("0" * 64)
    key.chmod(0o600)
    senders = ["Jean Dupont", "Rose De Oliveira"]

    def work(text: str) -> None:
        before = pd.DataFrame({"sender": senders, "text": [f"salut {text}", "coucou Jean"]})
        triaged = triage.classify(before)
        written = triage.anonymise(triaged, style="surrogate", key=str(key), hold="none")
        triage.check(written, against=before)
        triage.mine(triaged)

    work("Jean")  # what is loaded once
    # Most of what a short message takes does not depend on its length.
    assert is_linear(work, [unit], enough=1.0)
