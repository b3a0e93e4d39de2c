"""A pipeline is shared by threads: each message gets the answer that it gets alone."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import product
from threading import Barrier

import pytest

import triage
from triage import Triage
from triage.decide.pipeline import Decisions
from triage.settings import Setup

N_THREADS = 6
STARTS = ("Coucou", "Chez", "Merci", "Appelle", "Tu vois", "Avec", "Bisous", "Demain")
NAMES = ("Patrice", "zoé", "Xqztlu", "nicoooolas", "jtaime", "06 39 98 12 34", "pierre", "Mamie")
ENDS = ("ça va ?", "bisous", "stp", "à 18h", "mdrrr", "quoi", "ce soir", "dsl")
MESSAGES = [" ".join(words) for words in product(STARTS, NAMES, ENDS)]


@pytest.fixture
def switching() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("switching")
def test_threads_that_share_a_pipeline_get_the_answers_of_one(shipped: Triage) -> None:
    expected = Triage(shipped.lexicon, shipped.model).decide(MESSAGES)
    for _ in range(3):
        new, start = Triage(shipped.lexicon, shipped.model), Barrier(N_THREADS)

        def decide(first: int, new: Triage = new, start: Barrier = start) -> Decisions:
            start.wait()  # so that all meet the same words for the first time
            return new.decide(MESSAGES[first:] + MESSAGES[:first])

        firsts = [thread * len(MESSAGES) // N_THREADS for thread in range(N_THREADS)]
        with ThreadPoolExecutor(N_THREADS) as threads:
            found = list(threads.map(decide, firsts))
        for first, decisions in zip(firsts, found, strict=True):
            rows = list(decisions.rows())
            here = len(MESSAGES) - first
            assert rows[here:] + rows[:here] == list(expected.rows())


def test_threads_load_the_shared_pipeline_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Setup] = []

    def load(setup: Setup) -> object:
        loaded.append(setup)
        return object()

    monkeypatch.setattr("triage.decide.pipeline._loaded", lru_cache(load))
    with ThreadPoolExecutor(N_THREADS) as threads:
        found = list(threads.map(triage.shared, ["fr"] * N_THREADS))
    assert loaded == [Setup("fr")]
    assert all(one is found[0] for one in found)
