"""A few seconds of hostile messages; `tests.fuzz` goes on for longer."""

from random import Random

import pytest

from tests.fuzz.messages import BATCH, check_long, message, run, run_batch
from triage import Triage
from triage.dictionaries import load_lexicon
from triage.features import feature_set
from triage.model.learn import fit
from triage.model.shipped import read_tables, table_path
from triage.model.training import TrainingOptions, Undersampling


@pytest.fixture(scope="module")
def pipeline() -> Triage:
    """Give the shipped pipeline with fewer trees, which are quickly fitted."""
    lexicon, features = load_lexicon("fr"), feature_set("evidence")
    options = TrainingOptions(Undersampling.ONCE)
    table = read_tables(table_path("fr", "evidence"), features)
    return Triage(lexicon, fit(table, features, lexicon, options))


@pytest.mark.parametrize("seed", range(2))
def test_what_holds_of_any_message_holds_of_these(seed: int, pipeline: Triage) -> None:
    assert run_batch(f"{seed}:0", pipeline)["messages"] == BATCH


def test_a_megabyte_is_treated_like_any_message(pipeline: Triage) -> None:
    check_long(pipeline, Random(0))


def test_the_same_seed_gives_the_same_messages() -> None:
    one, other = (
        [message(random) for _ in range(BATCH)] for random in (Random("0:0"), Random("0:0"))
    )
    assert one == other


def test_what_was_tried_is_counted(pipeline: Triage) -> None:
    counts = run(0.1, 7, pipeline)
    assert counts["batches"] >= 1
    assert counts["messages"] == BATCH * counts["batches"]


def test_a_fault_is_told_with_the_batch_that_shows_it(
    pipeline: Triage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline.labeller, "label", lambda _: 1 / 0)
    with pytest.raises(AssertionError, match="batch 7:0: ZeroDivisionError"):
        run(1, 7, pipeline)
