"""``triage queue apply``: every message with its final action, in the file's own form."""

import csv
import json
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest

from tests.triage.queue import corpora as c
from triage.data import MISSING, create_output
from triage.queue import Answer, Queue, Span, WordRule
from triage.queue.apply import FINAL_COLUMNS, apply_queue

Create = Callable[..., Queue]
Finals = Callable[[Queue], dict[object, tuple[object, object, object]]]
VOTES = ["UNTAGGED", "NTA", 0.2, "EXPERT", ""]


@pytest.fixture
def finals(rows_of: c.RowsOf) -> Finals:
    def apply_it(queue: Queue) -> dict[object, tuple[object, object, object]]:
        apply_queue(queue, Path("final.csv"), overwrite=True)
        found = {}
        for row in rows_of(Path("final.csv")):
            spans = json.loads(str(row["final_spans"]))
            found[row["text"]] = (row["final_action"], row["decided_by"], spans)
        return found

    return apply_it


def test_annotators_who_agree_stand_together_with_the_union_of_their_spans(
    make_queue: c.MakeQueue, finals: Finals
) -> None:
    text = "Maëlle Morel-Duval et Tarek sont au café"
    queue = make_queue(c.sms(text, 1))
    queue.double(1.0)
    queue.decide("marc", 1, Answer.TA, [Span(0, 6, c.PRE), Span(22, 27, c.PRE)])
    queue.decide("anna", 1, Answer.TA, [Span(0, 18, c.NOM)])
    assert finals(queue)[text] == ("TA", "marc + anna", [[0, 18, "NOM"], [22, 27, "PRE"]])


def test_annotators_who_differ_leave_it_to_who_adjudicates(queue: Queue, finals: Finals) -> None:
    queue.double(1.0)
    queue.decide("anna", c.ROSE, Answer.NTA)
    queue.decide("marc", c.ROSE, Answer.TA, [Span(9, 14, c.PRE)])
    assert finals(queue)["Rose est fanée"] == ("EXPERT", "", [])
    queue.decide("lou", c.ROSE, Answer.TA, [Span(0, 4, c.PRE)], rules=True)
    assert finals(queue)["Rose est fanée"] == ("TA", "lou", [[0, 4, "PRE"]])


def test_rules_of_words_settle_what_the_machine_had_decided(queue: Queue, finals: Finals) -> None:
    queue.decide_word("anna", "solveig", WordRule.NEVER)
    assert finals(queue)["Bisous Solveig"] == ("NTA", "anna", [])
    queue.decide_word("lou", "bisous", WordRule.ALWAYS, c.SUR)
    assert finals(queue)["Bisous Solveig"] == ("TA", "anna + lou", [[0, 6, "SUR"]])
    assert finals(queue)["Rose est fanée"][1] == ""
    for annotator in ("anna", "lou"):
        queue.undo(annotator)
    assert finals(queue)["Bisous Solveig"][:2] == ("TA", "machine")


def test_a_later_rule_adds_its_word_to_what_people_marked(
    make_queue: c.MakeQueue, finals: Finals
) -> None:
    text = "Maëlle et kiki sont au café"
    queue = make_queue(c.sms(text, 1))
    queue.decide("marc", 1, Answer.TA, [Span(0, 6, c.PRE)])
    queue.decide_word("anna", "kiki", WordRule.ALWAYS, c.SUR)
    assert finals(queue)[text] == ("TA", "marc", [[0, 6, "PRE"], [10, 14, "SUR"]])
    queue.decide("marc", 1, Answer.TA, [Span(0, 6, c.PRE)])
    assert finals(queue)[text] == ("TA", "marc", [[0, 6, "PRE"]])


def test_every_column_of_the_input_is_untouched_and_in_order(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.queue.apply.CHUNK_ROWS", 2)
    apply_queue(queue, Path("final.csv"))
    before, after = (
        [*csv.reader(Path(name).read_text(encoding="utf-8").splitlines())]
        for name in ("work.queue.csv", "final.csv")
    )
    assert [row[: len(c.COLUMNS)] for row in after] == before
    assert after[0] == [*c.COLUMNS, *FINAL_COLUMNS]
    assert Path("final.csv").stat().st_mode & 0o777 == 0o600


def test_a_file_of_another_dialect_is_written_in_its_own(create: Create) -> None:
    header = "expéditeur;no;text;note;seek_hide;model;model_score;action;evidence"
    rows = [
        "Zoé;1;à tout à l'heure, ça va;œuvre;UNTAGGED;NTA;0.2;EXPERT;",
        '7;2;"un\r\nretour; et ""ça""";;UNTAGGED;NTA;0.20;EXPERT;x: UNKNOWN',
    ]
    content = "".join(f"{line}\r\n" for line in [header, *rows])
    Path("a.csv").write_bytes(content.encode("cp1252"))
    queue = create(Path("a.csv"), sender_column="expéditeur")
    queue.decide("anna", 2, Answer.TA, [Span(0, 2, c.PRE)])
    apply_queue(queue, Path("final.csv"))
    assert Path("final.csv").read_bytes().decode("utf-8") == (
        f"{header};final_action;decided_by;final_spans\r\n"
        f"{rows[0]};EXPERT;;[]\r\n"
        f'{rows[1]};TA;anna;"[[0, 2, ""PRE""]]"\r\n'
    )


CELLS: dict[str, object] = {
    "n": 7,
    "x": 2.5,
    "vrai": True,
    "rien": None,
    "jour": date(2011, 9, 15),
    "moment": datetime(2011, 9, 15, 8, 30, 5),
    "heure": time(8, 30),
    "zéros": "007",
    "formule": "=1+1",
    "prix": Decimal("0.10"),
}


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet"])
def test_cells_keep_their_types(name: str, create: Create, rows_of: c.RowsOf) -> None:
    with create_output(Path(name), ["text", *CELLS, *c.COLUMNS[3:]]) as output:
        output.write([["Coucou Zouzou", *CELLS.values(), *VOTES]])
        output.commit()
    [before] = rows_of(Path(name))
    queue = create(Path(name))
    queue.decide("anna", 1, Answer.NTA)
    apply_queue(queue, Path(f"final_{name}"))
    [after] = rows_of(Path(f"final_{name}"))
    assert list(after) == [*before, *FINAL_COLUMNS]
    assert [(after[column], type(after[column])) for column in before] == [
        (value, type(value)) for value in before.values()
    ]
    assert {type(before[c]) for c in ("jour", "moment", "heure")} <= {date, datetime, time}
    if name == "a.parquet":
        assert (before["prix"], type(before["prix"])) == (Decimal("0.10"), Decimal)
        apply_queue(queue, Path("final.jsonl"))
        assert '"prix": "0.10"' in Path("final.jsonl").read_text(encoding="utf-8")


def test_keys_that_are_missing_stay_missing(create: Create) -> None:
    rows: list[dict[str, object]] = [
        {"text": "oui", "n": 1, "list": ["a", {"b": None}], "": {"": "missing"}},
        {"text": "non", "n": None, "list": {}},
        {"text": "ok", "half": "\ud83d", "big": 10**30, "x": 1.5e300},
    ]
    votes = dict(zip(c.COLUMNS[3:], VOTES, strict=True))
    columns = ["text", "n", "list", "", "half", "big", "x", *votes]
    with create_output(Path("a.jsonl"), columns) as output:
        output.write([[(row | votes).get(column, MISSING) for column in columns] for row in rows])
        output.commit()
    apply_queue(create(Path("a.jsonl")), Path("final.jsonl"))
    before, after = (
        [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]
        for name in ("a.jsonl", "final.jsonl")
    )
    ends = {"final_action": "EXPERT", "decided_by": "", "final_spans": "[]"}
    assert after == [row | ends for row in before]
    assert ["n" in row for row in after] == [True, True, False]
