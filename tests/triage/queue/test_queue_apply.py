"""``triage queue apply``: every message with its final action, in the file's own form."""

import csv
import json
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.triage.queue.corpora import (
    COLUMNS,
    CORPUS,
    ELEA,
    ITEMS,
    MIDI,
    OK,
    ROSE,
    SOLVEIG,
    TARD,
    ZOUZOU,
    decided_nta,
    marked,
    sms,
    write,
)
from triage import Triage
from triage.data import MISSING, create_output, open_messages
from triage.decide.source import Source
from triage.errors import TriageError
from triage.queue import Answer, Queue, Span, WordRule
from triage.queue.apply import FINAL_COLUMNS, apply_queue
from triage.queue.fill import add_to_queue, create_queue
from triage.settings import Reading
from triage.vocabulary import IdentifierType

Run = Callable[..., CompletedProcess[str]]
MakeQueue = Callable[..., Queue]
Rows = Callable[..., list[dict[str, object]]]
VOTES = ["UNTAGGED", "NTA", 0.2, "EXPERT", ""]
PRE, NOM = IdentifierType.PRE, IdentifierType.NOM


def finals(queue: Queue, path: Path, rows_of: Rows) -> dict[str, tuple[object, ...]]:
    """Apply a queue, and return what is final of each text."""
    apply_queue(queue, path)
    return {
        str(row["text"]): (
            row["final_action"],
            row["decided_by"],
            [tuple(span) for span in json.loads(str(row["final_spans"]))],
        )
        for row in rows_of(path)
    }


def texts(number: int) -> str:
    return list(ITEMS)[number - 1]


# Who decides


def test_what_nobody_decided_stays_the_expert_s(
    queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    queue.decide("anna", MIDI, Answer.SKIP)
    final = finals(queue, tmp_path / "final.csv", rows_of)
    assert final[texts(ROSE)] == final[texts(MIDI)] == ("EXPERT", "", [])


def test_what_the_machine_decided_is_the_machine_s(
    queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    final = finals(queue, tmp_path / "final.csv", rows_of)
    assert final[texts(OK)] == ("NTA", "machine", [])
    action, by, spans = final[texts(SOLVEIG)]
    assert (action, by) == ("TA", "machine")
    assert spans == [tuple(span) for span in marked(texts(SOLVEIG), "Solveig")]


def test_what_a_person_decided_is_theirs_with_their_spans(
    queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    spans = marked(texts(ELEA), "Élea", "dort")
    queue.decide("anna", ELEA, Answer.TA, spans)
    queue.decide("marc", MIDI, Answer.NTA)
    final = finals(queue, tmp_path / "final.csv", rows_of)
    assert final[texts(ELEA)] == ("TA", "anna", [tuple(span) for span in spans])
    assert final[texts(MIDI)] == ("NTA", "marc", [])


def test_a_decision_serves_every_message_that_reads_so(
    make_queue: MakeQueue, tmp_path: Path, rows_of: Rows
) -> None:
    queue = make_queue(sms("oui", 1), decided_nta("oui", 2), sms("oui", 3))
    queue.decide("anna", 1, Answer.TA, [Span(0, 3, PRE)])
    apply_queue(queue, tmp_path / "final.csv")
    rows = rows_of(tmp_path / "final.csv")
    assert [row["final_action"] for row in rows] == ["TA"] * 3


def test_what_a_person_decided_outweighs_the_machine(
    queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    queue.decide("anna", SOLVEIG, Answer.NTA)
    assert finals(queue, tmp_path / "final.csv", rows_of)[texts(SOLVEIG)] == ("NTA", "anna", [])


def test_annotators_who_agree_stand_together_with_the_union_of_their_spans(
    make_queue: MakeQueue, tmp_path: Path, rows_of: Rows
) -> None:
    text = "Maëlle Morel-Duval et Tarek sont au café"
    queue = make_queue(sms(text, 1))
    queue.double(1.0)
    queue.decide("marc", 1, Answer.TA, [Span(0, 6, PRE), Span(22, 27, PRE)])
    queue.decide("anna", 1, Answer.TA, [Span(0, 18, NOM)])
    final = finals(queue, tmp_path / "final.csv", rows_of)
    assert final[text] == ("TA", "marc + anna", [(0, 18, "NOM"), (22, 27, "PRE")])


def test_annotators_who_differ_leave_it_to_the_expert(
    queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    queue.double(1.0)
    queue.decide("anna", ROSE, Answer.TA, [Span(0, 4, PRE)])
    queue.decide("marc", ROSE, Answer.NTA)
    assert finals(queue, tmp_path / "final.csv", rows_of)[texts(ROSE)] == ("EXPERT", "", [])


def test_an_adjudication_alone_counts_for_what_it_settles(
    queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    queue.double(1.0)
    queue.decide("anna", ROSE, Answer.NTA)
    queue.decide("marc", ROSE, Answer.TA, [Span(9, 14, PRE)])
    queue.adjudicate("lou", ROSE, Answer.TA, [Span(0, 4, PRE)])
    final = finals(queue, tmp_path / "final.csv", rows_of)
    assert final[texts(ROSE)] == ("TA", "lou", [(0, 4, "PRE")])


def test_what_was_undone_is_not_applied(queue: Queue, tmp_path: Path, rows_of: Rows) -> None:
    queue.decide("anna", ROSE, Answer.TA)
    queue.undo("anna")
    assert finals(queue, tmp_path / "final.csv", rows_of)[texts(ROSE)] == ("EXPERT", "", [])


def test_rules_of_words_change_what_the_machine_marks_but_not_its_action(
    queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    queue.decide_word("anna", "solveig", WordRule.NEVER)
    queue.decide_word("anna", "bisous", WordRule.ALWAYS, IdentifierType.SUR)
    final = finals(queue, tmp_path / "final.csv", rows_of)
    assert final[texts(SOLVEIG)] == ("TA", "machine", [(0, 6, "SUR")])


def test_messages_that_were_added_are_there_too_in_order(
    queue: Queue, tmp_path: Path, rows_of: Rows, shipped: Triage
) -> None:
    more = write(tmp_path / "more.csv", [sms("tu dors ?", 20), sms("on mange a midi", 21)])
    add_to_queue(queue, Source(str(more)), shipped)
    queue.decide("anna", MIDI, Answer.NTA)
    apply_queue(queue, tmp_path / "final.csv")
    rows = rows_of(tmp_path / "final.csv")
    assert [row["id"] for row in rows] == [str(n) for n in (*range(1, 12), 20, 21)]
    assert rows[-1]["final_action"] == "NTA"


def test_a_queue_of_no_messages_gives_a_header(make_queue: MakeQueue, tmp_path: Path) -> None:
    assert apply_queue(make_queue(), tmp_path / "final.csv").rows == 0
    header = ",".join([*COLUMNS, *FINAL_COLUMNS])
    assert (tmp_path / "final.csv").read_text() == header + "\n"


# In what form


def test_every_column_of_the_input_is_untouched_and_in_order(
    queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.queue.apply.CHUNK_ROWS", 2)
    queue.decide("anna", ZOUZOU, Answer.TA, marked(texts(ZOUZOU), "Zouzou"))
    apply_queue(queue, tmp_path / "final.csv")
    with (tmp_path / "work.queue.csv").open(encoding="utf-8", newline="") as file:
        before = list(csv.reader(file))
    with (tmp_path / "final.csv").open(encoding="utf-8", newline="") as file:
        after = list(csv.reader(file))
    assert [row[: len(COLUMNS)] for row in after] == before
    assert after[0][len(COLUMNS) :] == list(FINAL_COLUMNS)


def test_a_file_of_another_dialect_is_written_in_its_own(tmp_path: Path, shipped: Triage) -> None:
    header = "expéditeur;no;text;note;seek_hide;model;model_score;action;evidence"
    rows = [
        "Zoé;1;à tout à l'heure, ça va;œuvre;UNTAGGED;NTA;0.2;EXPERT;",
        '7;2;"un\r\nretour; et ""ça""";;UNTAGGED;NTA;0.20;EXPERT;x: UNKNOWN',
    ]
    content = "".join(f"{line}\r\n" for line in [header, *rows])
    (tmp_path / "a.csv").write_bytes(content.encode("cp1252"))
    source = Source(str(tmp_path / "a.csv"), Reading(sender_column="expéditeur"))
    create_queue(tmp_path / "q", source, shipped)
    with Queue.open(tmp_path / "q") as queue:
        queue.decide("anna", 2, Answer.TA, [Span(0, 2, PRE)])
        apply_queue(queue, tmp_path / "final.csv")
    written = (tmp_path / "final.csv").read_bytes().decode("utf-8")
    assert written == (
        f"{header};final_action;decided_by;final_spans\r\n"
        f"{rows[0]};EXPERT;;[]\r\n"
        f'{rows[1]};TA;anna;"[[0, 2, ""PRE""]]"\r\n'
    )


def test_a_byte_order_mark_stays(tmp_path: Path, shipped: Triage) -> None:
    path = write(tmp_path / "a.csv", CORPUS)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    create_queue(tmp_path / "q", Source(str(path)), shipped)
    with Queue.open(tmp_path / "q") as queue:
        apply_queue(queue, tmp_path / "final.csv")
    assert (tmp_path / "final.csv").read_bytes().startswith(b"\xef\xbb\xbfid,sender")


CELLS: list[object] = [
    7,
    2.5,
    True,
    None,
    date(2011, 9, 15),
    datetime(2011, 9, 15, 8, 30, 5),
    time(8, 30),
    "007",
    "=1+1",
]
TYPED = ["n", "x", "vrai", "rien", "jour", "moment", "heure", "zéros", "formule"]


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet"])
def test_cells_keep_their_types(name: str, tmp_path: Path, shipped: Triage, rows_of: Rows) -> None:
    with create_output(tmp_path / name, ["text", *TYPED, *COLUMNS[3:]]) as output:
        output.write([["Coucou Zouzou", *CELLS, *VOTES]])
        output.commit()
    [before] = rows_of(tmp_path / name)
    create_queue(tmp_path / "q", Source(str(tmp_path / name)), shipped)
    with Queue.open(tmp_path / "q") as queue:
        queue.decide("anna", 1, Answer.NTA)
        apply_queue(queue, tmp_path / f"final_{name}")
    [after] = rows_of(tmp_path / f"final_{name}")
    kept = {column: after[column] for column in before}
    assert [(value, type(value)) for value in kept.values()] == [
        (value, type(value)) for value in before.values()
    ]
    assert list(after) == [*before, *FINAL_COLUMNS]
    assert {type(before[column]) for column in ("jour", "moment", "heure")} <= {
        date,
        datetime,
        time,
    }


def test_keys_that_are_missing_stay_missing(tmp_path: Path, shipped: Triage) -> None:
    rows: list[dict[str, object]] = [
        {"text": "oui", "n": 1, "list": ["a", {"b": None}], "": {"": "missing"}},
        {"text": "non", "n": None, "list": {}},
        {"text": "ok", "half": "\ud83d", "big": 10**30, "x": 1.5e300},
    ]
    votes = dict(zip(COLUMNS[3:], VOTES, strict=True))
    columns = ["text", "n", "list", "", "half", "big", "x", *votes]
    with create_output(tmp_path / "a.jsonl", columns) as output:
        output.write([[(row | votes).get(column, MISSING) for column in columns] for row in rows])
        output.commit()
    before = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    create_queue(tmp_path / "q", Source(str(tmp_path / "a.jsonl")), shipped)
    with Queue.open(tmp_path / "q") as queue:
        apply_queue(queue, tmp_path / "final.jsonl")
    after = (tmp_path / "final.jsonl").read_text(encoding="utf-8").splitlines()
    ends = {"final_action": "EXPERT", "decided_by": "", "final_spans": "[]"}
    assert [json.loads(line) for line in after] == [json.loads(line) | ends for line in before]
    assert ["n" in json.loads(line) for line in after] == [True, True, False]


def test_exact_decimals_stay_exact(tmp_path: Path, shipped: Triage) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table(
        {
            "text": ["Coucou Zouzou"],
            "prix": [Decimal("0.10")],
            **{c: [v] for c, v in zip(COLUMNS[3:], VOTES, strict=True)},
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    create_queue(tmp_path / "q", Source(str(tmp_path / "a.parquet")), shipped)
    with Queue.open(tmp_path / "q") as queue:
        apply_queue(queue, tmp_path / "final.jsonl")
        apply_queue(queue, tmp_path / "final.parquet")
    assert '"prix": "0.10"' in (tmp_path / "final.jsonl").read_text(encoding="utf-8")
    with open_messages(tmp_path / "final.parquet") as file:
        [chunk] = file.chunks()
    assert chunk.rows[0][1] == Decimal("0.10")


@pytest.mark.parametrize("name", ["b.jsonl", "b.tsv", "b.xlsx", "b.csv.gz"])
def test_another_format_can_be_asked_for(
    name: str, queue: Queue, tmp_path: Path, rows_of: Rows
) -> None:
    queue.decide("anna", TARD, Answer.NTA)
    apply_queue(queue, tmp_path / name)
    rows = rows_of(tmp_path / name)
    assert [row["text"] for row in rows] == [message.text for message in CORPUS]
    assert rows[-1]["final_action"] == "NTA"


def test_the_output_is_as_readable_as_the_queue(queue: Queue, tmp_path: Path) -> None:
    apply_queue(queue, tmp_path / "final.csv")
    assert (tmp_path / "final.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("column", FINAL_COLUMNS)
def test_a_file_that_was_applied_before_is_refused(
    column: str, tmp_path: Path, shipped: Triage
) -> None:
    (tmp_path / "a.csv").write_text(
        f"text,{column},{','.join(COLUMNS[3:])}\nMirabelle,,UNTAGGED,NTA,0.2,EXPERT,\n"
    )
    create_queue(tmp_path / "q", Source(str(tmp_path / "a.csv")), shipped)
    with (
        Queue.open(tmp_path / "q") as queue,
        pytest.raises(TriageError, match=f"have a column '{column}' already") as refused,
    ):
        apply_queue(queue, tmp_path / "final.csv")
    assert "Mirabelle" not in str(refused.value)
    assert not (tmp_path / "final.csv").exists()


# The command


@pytest.fixture
def half_done(queue: Queue) -> Queue:
    """The queue of the corpus, half decided."""
    queue.decide("anna", MIDI, Answer.NTA)
    queue.decide("marc", ZOUZOU, Answer.TA)
    return queue


def test_counts_add_up(half_done: Queue, run: Run, tmp_path: Path) -> None:
    done = run("queue", "apply", half_done.path, "-o", tmp_path / "final.csv", "--json")
    said = json.loads(done.stdout)
    assert (said["rows"], said["output"]) == (11, str(tmp_path / "final.csv"))
    counts = {(c["final_action"], c["decided_by"]): c["messages"] for c in said["counts"]}
    assert counts == {
        ("EXPERT", ""): 6,
        ("NTA", "machine"): 1,
        ("NTA", "people"): 2,
        ("TA", "machine"): 1,
        ("TA", "people"): 1,
    }
    assert sum(counts.values()) == len(CORPUS)


def test_what_was_written_is_told_as_a_table(half_done: Queue, run: Run, tmp_path: Path) -> None:
    done = run("queue", "apply", half_done.path, "-o", tmp_path / "final.csv")
    first, _, header, *rows = done.stdout.splitlines()
    assert first == f"11 messages written to {tmp_path / 'final.csv'}"
    assert header.split() == ["final", "action", "decided", "by", "messages"]
    assert [row.split() for row in rows][:3] == [
        ["EXPERT", "–", "6"],
        ["NTA", "machine", "1"],
        ["NTA", "people", "2"],
    ]


def test_on_standard_output_only_rows_are_printed(half_done: Queue, run: Run) -> None:
    done = run("queue", "apply", half_done.path, "-o", "-")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1 + len(CORPUS)
    assert done.stdout.startswith("id,sender,text")
    assert "11 messages written to -" in done.stderr


def test_quietly_nothing_is_said(half_done: Queue, run: Run, tmp_path: Path) -> None:
    done = run("queue", "apply", half_done.path, "-o", tmp_path / "final.csv", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["final.doc", "absent/final.csv", "."])
def test_an_output_that_cannot_be_written_is_an_error(
    name: str, half_done: Queue, run: Run, tmp_path: Path
) -> None:
    done = run("queue", "apply", half_done.path, "-o", tmp_path / name)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
