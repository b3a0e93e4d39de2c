"""One command takes a triaged file to the folder that may leave, whole or not at all."""

import errno
import json
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.tables import contents
from tests.triage.cli.program import Refused, Run, Write
from tests.triage.web.queues import decide_all
from triage.data import limits
from triage.errors import TriageError
from triage.queue import Answer, Queue, WordRule
from triage.queue.exchange import FORMATS, ExchangeFormat
from triage.vocabulary import IdentifierType, Span

MESSAGES = (
    "Coucou Patrice, appelle moi au 06 39 98 12 34",
    "j'arrive dans 5 minutes",
    "ça fait 68 heures :( dors bien mon Mimounet",
)


@pytest.fixture(autouse=True)
def folder(csv_of: Write, run: Run) -> None:
    csv_of(*MESSAGES)
    assert run("classify", "sms.csv").returncode == 0


def test_a_certain_finding_goes_to_the_queue_until_somebody_answers(run: Run) -> None:
    run("queue", "create", "sms.triage.csv", "-o", "sms.queue")
    with Queue.open("sms.queue") as queue:
        place = MESSAGES[2].index("Mimounet"), len(MESSAGES[2])
        queue.decide("anna", 1, Answer.NTA, ())
        queue.decide("anna", 3, Answer.TA, [Span(*place, IdentifierType.SUR)])
    refused = run("publish", "sms.triage.csv", "-o", "corpus")
    assert refused.returncode == 1
    assert (
        "certain: identifier by its form: added to sms.queue: mark it, or answer that it is no"
        in refused.stderr
    )
    assert not Path("corpus").exists()
    with Queue.open("sms.queue") as queue:
        said = [MESSAGES[0][task.start : task.end] for task in queue.handed_over()]
        assert said == ["Patrice", "06 39 98 12 34"]
        queue.decide("anna", 1, Answer.NTA, ())
    done = run("publish", "sms.triage.csv", "-o", "corpus", "--to", "iob2")
    assert done.returncode == 0, done.stderr
    assert "NOT clean" not in done.stdout
    assert b"06 39 98 12 34" in contents(Path("corpus"))["corpus.csv"]
    done = run("check", "corpus", "--against", "sms.triage.csv")
    assert done.returncode == 0, done.stdout
    assert "decisions of people in sms.queue" in done.stdout
    assert json.loads(contents(Path("corpus"))["corpus.record.json"])["check"]["clean"]


def test_a_word_that_is_never_a_name_is_kept_by_check_and_publish(run: Run) -> None:
    run("queue", "create", "sms.triage.csv", "-o", "sms.queue")
    decide_all(Path("sms.queue"))
    with Queue.open("sms.queue") as queue:
        queue.decide_word("anna", "Patrice", WordRule.NEVER)
    run("queue", "apply", "sms.queue", "-o", "final.csv")
    run("anonymise", "final.csv", "-o", "anon.csv", "--key-table", "keys.csv")
    check = ("check", "anon.csv", "--key-table", "keys.csv", "--json", "--show")
    said = [
        {one["text"]: one["certainty"] for one in json.loads(run(*check, *more).stdout)["left"]}
        for more in ((), ("--queue", "sms.queue"))
    ]
    assert [one["Patrice"] for one in said] == ["certain", "planned"]
    run("publish", "sms.triage.csv", "-o", "corpus")
    with Queue.open("sms.queue") as queue:
        asked = [MESSAGES[0][task.start : task.end] for task in queue.handed_over()]
    assert "Patrice" not in asked


def test_a_link_beside_a_publication_is_not_followed(refused: Refused) -> None:
    Path("corpus.held.csv").symlink_to("sms.csv")
    told = ("publish", "sms.triage.csv", "-o", "corpus", "--hold-undecided", "--overwrite")
    assert "is a link to another file" in refused(*told)


def test_a_publication_that_is_read_in_several_chunks_has_its_identifiers_in_place(
    csv_of: Write, run: Run, monkeypatch: pytest.MonkeyPatch
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
