"""``triage classify`` and ``convert`` on every format: cells untouched, then what was found."""

import datetime
import shlex
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.data.files import csv_of, read, write
from tests.triage.cli.program import Run
from triage import Triage
from triage.data import Format
from triage.data.formats import FORMATS
from triage.data.output import WRITERS
from triage.queue import exchange

CASES = cases_beside(__file__)
DOCS = Path(__file__).parents[3] / "docs" / "reference" / "files.md"

FIVE = ["seek_hide", "model", "model_score", "action", "evidence"]
COLUMNS = ["num", "sent_at", "text", "sender", "note"]
SENT = datetime.datetime(2011, 9, 17, 10, 12, 25)
TYPED: list[list[object]] = [
    [7, SENT, "Coucou Patrice, ça va ?", 12.5, None],
    [3, SENT, "J'arrive", -1, "à voir ; vite"],
    [11, SENT, 'Il a dit "oui"\nà Zoé', 0, "=1+1"],
    [8, SENT, "mdr 😂", 4, "'"],
]
AS_TEXT: list[list[str]] = CASES["as_text"]
TEXT_FORMATS = ["csv", "csv.gz", "tsv", "jsonl", "jsonl.gz", "ndjson"]


def as_text(rows: Sequence[Sequence[object]]) -> list[list[str]]:
    return [["" if cell is None else str(cell) for cell in row] for row in rows]


@pytest.mark.parametrize("extension", ["xlsx", "parquet", *TEXT_FORMATS])
def test_cells_stay_as_they_are(extension: str, run: Run, shipped: Triage) -> None:
    rows = AS_TEXT if extension in TEXT_FORMATS else TYPED
    done = run("classify", write(f"sms.{extension}", COLUMNS, rows))
    assert (done.returncode, done.stderr) == (0, "")
    messages, chunk = read(f"sms.triage.{extension}")
    assert messages.columns == (*COLUMNS, *FIVE)
    assert [row[:5] for row in chunk.rows] == rows
    # Each message is of a sender of its own.
    texts, senders = [str(row[2]) for row in rows], [str(row[0]) for row in rows]
    decided = shipped.decide(texts, senders, corpus_evidence=True)
    assert as_text([row[5:] for row in chunk.rows]) == as_text([*decided.rows()])


@pytest.mark.parametrize(
    "command",
    ["evaluate", "train", "gather", "classify --plan 'table=SELECT texte AS text FROM sms'"],
)
def test_messages_may_lie_in_a_database(
    command: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(Path("sms.db"))) as database, database:
        database.execute("CREATE TABLE sms (texte, label)")
        rows = [("Coucou Patrice", "TA"), ("Salut Zoé", "TA"), ("mdr ok", "NTA"), ("oui", "NTA")]
        database.executemany("INSERT INTO sms VALUES (?, ?)", rows * 10)
    monkeypatch.setenv("TRIAGE_TABLE", "sms")
    done = run(*shlex.split(command), Path("sms.db"), "-o", Path("out.csv"))
    assert done.returncode == 0, done.stderr


def test_all_formats_are_in_the_table_of_the_documents() -> None:
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    table = [line.split("|") for line in lines if line.startswith("| `")]
    rows = {name.strip("` "): row for row in table for name in row[1].split(",")}
    for format_ in Format:
        assert rows[format_.value][4].strip().startswith("as ") is (format_ not in WRITERS)
        for extension in FORMATS[format_][0]:
            assert f"`{extension}`" in rows[format_.value][2]


TEXTS = ["Coucou Patrice, ça va?", "J'arrive dans 5min", "mon num 06 39 98 12 34"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_other_files_have_findings(jobs: str, run: Run, shipped: Triage) -> None:
    done = run("convert", csv_of(*TEXTS), "-o", Path("c.conll"), "--plan", f"jobs={jobs}")
    assert "that are found in them" in done.stdout
    found = shipped.identifiers(TEXTS, corpus_evidence=True)
    spans = [[(i.start, i.end, i.type) for i in of_message] for of_message in found]
    written = exchange.read(Path("c.conll"))
    assert [[*row.spans] for row in written] == spans
    assert [row.answer for row in written] == ["TA", "NTA", "TA"]
