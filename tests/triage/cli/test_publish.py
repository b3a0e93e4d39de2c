"""One command takes a triaged file to the folder that may leave, whole or not at all."""

import errno
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.data.files import csv_of
from tests.tables import contents
from tests.triage.cli.program import Refused, Run
from triage.data import limits
from triage.errors import TriageError
from triage.queue.exchange import FORMATS, ExchangeFormat


@pytest.fixture(autouse=True)
def folder(run: Run) -> None:
    csv_of("Coucou Patrice", "j'arrive dans 5 minutes", "dors bien mon Mimounet")
    assert run("classify", "sms.csv").returncode == 0


def test_a_link_beside_a_publication_is_not_followed(refused: Refused) -> None:
    Path("corpus.held.csv").symlink_to("sms.csv")
    told = ("publish", "sms.triage.csv", "-o", "corpus", "--hold-undecided", "--overwrite")
    assert "is a link to another file" in refused(*told)


def test_a_publication_that_is_read_in_several_chunks_has_its_identifiers_in_place(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CHUNK_CHARACTERS", 1_000)
    monkeypatch.setattr("triage.data.table._BLOCK", 1_000)
    csv_of(*("j'arrive dans 5 minutes, Patrice" for _ in range(400)))
    run("classify", "sms.csv", "--overwrite")
    done = run("publish", "sms.triage.csv", "-o", "corpus", "--hold-undecided", "--to", "iob2")
    assert done.returncode == 0, done.stderr
    words = Path("corpus/corpus.conll").read_text(encoding="utf-8").split("\n")
    assert sum(word.endswith("\tB-PRE") for word in words) == 400


def test_where_one_format_fails_the_earlier_publication_stays(
    run: Run, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("publish", "sms.triage.csv", "-o", "corpus", "--hold-undecided")
    before = contents()
    fail = Mock(side_effect=TriageError("no room left"))
    broken = FORMATS[ExchangeFormat.BRAT]._replace(write=fail)
    monkeypatch.setitem(FORMATS, ExchangeFormat.BRAT, broken)
    again = ("publish", "sms.triage.csv", "-o", "corpus", "--hold-undecided", "--overwrite")
    keyed = (*again, "--style", "surrogate", "--key", "corpus.key", "--new-key")
    assert "no room left" in refused(*keyed, "--to", "jsonl", "--to", "brat")
    assert contents() == before


@pytest.mark.parametrize("n_written", [0, 4, 12])
def test_a_full_disk_is_told_of_the_folder_that_was_asked_for(
    n_written: int, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, left = contents(), iter(range(n_written))

    def full(_: int) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    line = refused("publish", "sms.triage.csv", "-o", "corpus", "--hold-undecided", "--to", "xlsx")
    assert "cannot write corpus" in line
    assert "No space left on device: make room on the disk" in line
    assert ".unfinished" not in line
    assert contents() == before
