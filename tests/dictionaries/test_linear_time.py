"""Hostile text costs no more than its length: no expression and no rule runs away."""

import gc
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

import triage
from tests.dictionaries.cases import read
from triage.dictionaries import Labeller, Lexicon
from triage.dictionaries.addresses import KnownWords, addresses
from triage.dictionaries.recognisers import chosen

pytestmark = pytest.mark.timing

ENOUGH = 0.002  # seconds that the clock measures well
LONG_ENOUGH = 250_000  # characters: what is quadratic shows by then
LINEAR, QUADRATIC = 4, 16  # how the time grows when the text is four times as long
CASES = read("hostile")


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


@pytest.mark.parametrize("parts", CASES["hostile"].values(), ids=CASES["hostile"].keys())
def test_time_of_labelling_grows_with_the_length(parts: list[str], lexicon: Lexicon) -> None:
    def work(text: str) -> object:
        return Labeller(lexicon).label([text])

    work("soremnet")  # what the rules look words up in is made on first use
    assert is_linear(work, parts)


@pytest.mark.parametrize("parts", CASES["hostile_if_on"].values(), ids=CASES["hostile_if_on"])
def test_time_of_all_recognisers_grows_with_the_length(parts: list[str]) -> None:
    assert is_linear(chosen("fr", ["all"]).find, parts)


def test_time_of_public_names_beside_identifiers_grows_with_the_length() -> None:
    # Comparing each with each shows only where there are thousands.
    find = chosen("fr", []).find
    assert is_linear(find, ["pour noël 0612345678 en jean 4 rue noël "], enough=1.0)


@pytest.mark.parametrize("unit", CASES["address"]["units"])
def test_time_of_addresses_grows_with_the_length(unit: str, lexicon: Lexicon) -> None:
    find = partial(addresses, known=KnownWords(lexicon))
    assert is_linear(find, [unit])
    if unit in ("h", "rue ", "12 ", "1. ", "de la ", "bat "):
        assert cost(find, repeated(1_000_000, unit)) < 15


@pytest.mark.parametrize("unit", CASES["message"]["units"])
def test_time_of_all_that_becomes_of_a_message_grows_with_its_length(
    unit: str, tmp_path: Path
) -> None:
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
