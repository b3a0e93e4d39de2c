"""Temporary storage of a run."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.decide.processes import Worker
from triage.decide.spool import Ref, Spool
from triage.errors import TriageError

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@given(st.lists(st.one_of(st.text(), st.lists(st.integers()))))
def test_what_is_put_aside_comes_back_in_any_order(items: list[object]) -> None:
    with Spool() as spool:
        refs = [spool.put(item) for item in items]
        assert [spool.get(ref) for ref in reversed(refs)] == items[::-1]


def test_a_worker_reads_what_is_put_aside_behind_its_start() -> None:
    with Spool() as spool, Worker[Ref[str], str](lambda refs: map(spool.get, refs)) as worker:
        worker.send(spool.put("Coucou Zoé"))
        assert worker.receive() == "Coucou Zoé"


def test_nobody_else_can_open_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Spool() as spool:
        spool.put("Coucou Zoé")
        assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with Spool() as spool:
        monkeypatch.setattr(os, "pwrite", no_room)
        with pytest.raises(TriageError, match=r"no room in .*No space left.*set TMPDIR"):
            spool.put("Coucou Zoé")
