"""A Dask DataFrame, with processes: the decisions of one machine."""

from collections.abc import Iterator

import pandas as pd
import pytest

from triage import Triage
from triage.dask import classify
from triage.errors import TriageError

from .decide.test_partition import ALL

dask = pytest.importorskip("dask", reason="needs the extra dask")
frames = pytest.importorskip("dask.dataframe", reason="needs the extra dask")
distributed = pytest.importorskip("distributed", reason="needs the extra dask")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def client() -> Iterator[object]:
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


# First: while there is a client, all runs there.
def test_without_a_client_the_first_pass_runs_in_processes(shipped: Triage) -> None:
    with dask.config.set(num_workers=2):
        decided = classify(frames.from_pandas(ALL[:40], npartitions=2))
        found = decided.compute(scheduler="processes")
    expected = shipped.classify(ALL["text"][:40])
    pd.testing.assert_frame_equal(found[[*expected]], expected, check_dtype=False)


@pytest.mark.usefixtures("client")
def test_a_dask_frame_is_decided_as_by_one_machine(shipped: Triage) -> None:
    expected = shipped.classify(ALL, sender_column="sender", corpus_evidence=True)
    ddf = frames.from_pandas(ALL, npartitions=11)
    decided = classify(ddf, sender_column="sender")
    assert decided.divisions == ddf.divisions
    found = decided.compute()
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert decided.dtypes["model_score"] == found.dtypes["model_score"] == "float64"
    with pytest.raises(TriageError, match="no DataFrame of dask"):
        classify(ALL)
    for sender, problem in (("who", "no column 'who'"), ("text", "is the column of messages")):
        with pytest.raises(TriageError, match=problem):
            classify(ddf, sender_column=sender)


@pytest.mark.usefixtures("client")
def test_the_first_messages_tell_the_language_of_all(english_messages: list[str]) -> None:
    table = pd.DataFrame({"text": [*english_messages, "ok merci", "à demain Patrice"]})
    ddf = frames.from_pandas(table, npartitions=3)
    with pytest.warns(UserWarning, match="decided as English"):
        found = classify(ddf).compute()
    expected = Triage.load("en").classify(table)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
