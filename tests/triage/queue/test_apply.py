"""Final actions in the file's own form, and messages that other rooms hand over."""

import json
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.queue import corpora as c
from triage.data import create_output
from triage.queue import Answer, Filters, Order, Queue, Reason, Span, Task
from triage.queue.apply import FINAL_COLUMNS, apply_queue
from triage.queue.records import joined
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__)
VOTES = ["UNTAGGED", "NTA", 0.2, "EXPERT", ""]


def test_a_file_of_another_dialect_is_written_in_its_own_with_every_column_untouched(
    create: c.MakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.output._ROWS_AT_ONCE", 1)
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
    assert Path("final.csv").stat().st_mode & 0o777 == 0o600


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
def test_cells_keep_their_types(name: str, create: c.MakeQueue, rows_of: c.RowsOf) -> None:
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


def test_keys_that_are_missing_stay_missing(create: c.MakeQueue) -> None:
    votes = json.dumps(dict(zip(c.COLUMNS[3:], VOTES, strict=True)))
    lines = [f"{line[:-1]}, {votes[1:]}" for line in CASES["missing_keys"].splitlines()]
    Path("a.jsonl").write_text("\n".join(lines))
    apply_queue(create(Path("a.jsonl")), Path("final.jsonl"))
    applied = Path("final.jsonl").read_text(encoding="utf-8").splitlines()
    # With the digits of their numbers.
    rows, after = ([json.loads(one, parse_float=str) for one in ls] for ls in (lines, applied))
    ends = {"final_action": "EXPERT", "decided_by": "", "final_spans": "[]"}
    assert after == [row | ends for row in rows]
    assert ["n" in row for row in after] == [True, True, False]


def test_the_items_beside_one_are_those_decided_and_those_that_wait(queue: Queue) -> None:
    first, second, third, fourth = (one.number for one in queue.rows("lou", Filters(), limit=4))
    queue.decide("lou", second, Answer.NTA)
    queue.decide("lou", first, Answer.TA)

    beside = {second: (None, first), first: (second, third), third: (first, fourth)}
    for number, sides in beside.items():
        assert queue.neighbours("lou", Filters(), Order.LEARNING, number) == sides


def test_what_a_check_found_is_suggested_by_the_type_of_its_word(queue: Queue) -> None:
    queue.add_items([Task(Reason.FINDING, "8", start=7, end=14)])
    item = queue.item(c.SOLVEIG)
    (word,) = (one for one in item.words if one.start == 7)
    for type_ in (IdentifierType.TEL, IdentifierType.MEL, IdentifierType.PRE):
        words = tuple(one._replace(type=type_) if one is word else one for one in item.words)
        for is_suggested in (True, False):
            typed = tuple(
                one._replace(suggested=is_suggested) if one.start == 7 else one for one in words
            )
            told = replace(item, words=typed)
            assert told.places == told.suggested_spans == (Span(7, 14, type_),)


def test_of_marks_of_one_place_the_first_stays() -> None:
    several = [(Span(0, 3, type_),) for type_ in IdentifierType]
    assert joined(*several) == several[0]
    assert joined(*several[::-1]) == several[-1]
