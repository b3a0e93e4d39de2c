"""From a triaged file to a queue, and adding to one: no decision is lost or doubled."""

import csv
import errno
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.triage.queue.corpora import (
    COLUMNS,
    CORPUS,
    ELEA,
    EXPERT_TEXTS,
    MIDI,
    OK,
    ROSE,
    SOLVEIG,
    ZOUZOU,
    Sms,
    decided_nta,
    decided_ta,
    derived,
    everything,
    marked,
    recorded,
    sms,
    write,
)
from triage import Triage
from triage.data import create_output
from triage.decide.source import Source
from triage.errors import TriageError
from triage.queue import Answer, Filters, Item, Queue, Span, State, WordRule
from triage.queue.fill import Filled, add_to_queue, create_queue
from triage.vocabulary import IdentifierType

MakeQueue = Callable[..., Queue]
Add = Callable[..., Filled]
MARKER = "Zéphyrine"


def item_of(queue: Queue, number: int) -> Item:
    item = queue.item(number)
    assert item is not None
    return item


def is_settled_right(queue: Queue) -> bool:
    """Tell whether what is kept beside the decisions follows from them."""
    before = derived(queue.connection)
    queue.resettle()
    return derived(queue.connection) == before


# Making a queue


def test_it_says_what_came_of_the_file(tmp_path: Path, shipped: Triage) -> None:
    filled = create_queue(tmp_path / "q", Source(str(write(tmp_path / "a.csv", CORPUS))), shipped)
    assert (filled.messages, filled.new, filled.expert, filled.items) == (11, 11, 9, 7)


def test_messages_that_read_the_same_are_one_item(queue: Queue) -> None:
    rows = queue.rows("anna", Filters())
    assert sorted(row.text for row in rows) == sorted(EXPERT_TEXTS)
    assert {row.number: row.n_messages for row in rows}[MIDI] == 2


def test_texts_that_differ_in_anything_are_items_of_their_own(make_queue: MakeQueue) -> None:
    texts = ["Oui", "oui", "oui ", "oui.", "ouï", "oui\n"]
    queue = make_queue(*(sms(text, n) for n, text in enumerate(texts)))
    assert queue.count("anna", Filters()) == len(texts)


def test_what_the_machine_decided_is_there_but_not_to_decide(queue: Queue) -> None:
    assert queue.count("anna", Filters()) == 7
    assert queue.count("anna", Filters(state=State.ALL)) == 9
    assert (item_of(queue, OK).votes.action, item_of(queue, SOLVEIG).votes.action) == ("NTA", "TA")


def test_an_item_with_any_message_for_the_expert_is_the_expert_s(make_queue: MakeQueue) -> None:
    queue = make_queue(decided_nta("oui", 1), sms("oui", 2), decided_nta("oui", 3))
    item = item_of(queue, 1)
    assert [m.votes.action for m in item.messages] == ["EXPERT", "NTA", "NTA"]
    assert item.votes.action == "EXPERT"
    assert queue.count("anna", Filters()) == 1


STRANGE = [
    "",
    "   ",
    "😂",
    "👨‍👩‍👧‍👦 Zouzou 🏳️‍🌈",
    "un\nretour et zouzou",
    "un\r\nautre\tzouzou",
    "a\0b",
    'Il dit "zouzou"',
    "e\u0301le\u0301a",
    "\u202ezouzou",
    "<PRE_7> et zouzou",
    "'; DROP TABLE decisions; --",
]


@pytest.mark.parametrize("text", STRANGE)
def test_a_strange_text_is_kept_to_the_letter(text: str, make_queue: MakeQueue) -> None:
    queue = make_queue(sms(text, 1), sms("oui", 2))
    item = item_of(queue, 1)
    assert item.text == text
    assert [text[w.start : w.end] for w in item.words] == [w.text for w in item.words]
    if text:
        whole = marked(text, text)
        queue.decide("anna", 1, Answer.TA, whole)
        assert item_of(queue, 1).standing[0].spans == whole


def test_a_message_of_a_megabyte_can_be_decided(make_queue: MakeQueue) -> None:
    text = f"Coucou zouzou {'ha' * 500} ? \n" * 1_000
    queue = make_queue(sms(text, 1))
    item = item_of(queue, 1)
    assert (len(item.text), item.text == text) == (1_018_000, True)
    assert (item.words[-1].start, item.words[-1].text) == (text.rindex("?"), "?")
    queue.decide("anna", 1, Answer.TA, [Span(1_000_000, 1_018_000, IdentifierType.ADR)])
    assert item_of(queue, 1).final is Answer.TA


def test_a_file_of_a_header_alone_is_an_empty_queue(make_queue: MakeQueue) -> None:
    queue = make_queue()
    assert queue.next("anna") is None
    assert (queue.status().messages, queue.progress("anna").open) == (0, 0)


def test_a_file_of_several_chunks_is_filled_like_one(
    make_queue: MakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = make_queue(*CORPUS, name="whole.queue")
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 2)
    parts = make_queue(*CORPUS, name="parts.queue")
    assert everything(parts.connection) == everything(whole.connection)


@pytest.mark.parametrize("name", ["a.jsonl", "a.xlsx", "a.ods", "a.tsv", "a.csv.gz", "a.parquet"])
def test_any_format_that_classify_writes_will_do(
    name: str, tmp_path: Path, shipped: Triage
) -> None:
    with create_output(tmp_path / name, list(COLUMNS)) as output:
        output.write([[1, "7", "Coucou Zouzou", "TA", "NTA", 0.25, "EXPERT", "zouzou: DICTIONARY"]])
        output.commit()
    create_queue(tmp_path / "q", Source(str(tmp_path / name)), shipped)
    with Queue.open(tmp_path / "q") as queue:
        [message] = item_of(queue, 1).messages
    assert (message.id, message.sender, message.text) == ("1", "7", "Coucou Zouzou")
    assert (message.votes.score, message.votes.action) == (0.25, "EXPERT")


def test_half_a_character_of_json_is_no_obstacle(tmp_path: Path, shipped: Triage) -> None:
    half = "\ud83d"
    row = [half, half, f"oui {half}", "UNTAGGED", "NTA", 0.2, "EXPERT", half]
    content = json.dumps(dict(zip(COLUMNS, row, strict=True)))
    (tmp_path / "a.jsonl").write_text(content + "\n", encoding="utf-8")
    create_queue(tmp_path / "q", Source(str(tmp_path / "a.jsonl")), shipped)
    with Queue.open(tmp_path / "q") as queue:
        assert item_of(queue, 1).text == "oui �"
        assert item_of(queue, 1).messages[0].id == "�"


def test_the_columns_can_be_named(tmp_path: Path, shipped: Triage) -> None:
    path = tmp_path / "a.csv"
    rows = [
        ["no", "qui", "brut", "text", *COLUMNS[3:]],
        ["a1", "7", "Coucou Zouzou", "-", "UNTAGGED", "NTA", "0.2", "EXPERT", ""],
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    source = Source(str(path), text_column="brut", id_column="no", sender_column="qui")
    create_queue(tmp_path / "q", source, shipped)
    with Queue.open(tmp_path / "q") as queue:
        [message] = item_of(queue, 1).messages
    assert (message.id, message.sender, message.text) == ("a1", "7", "Coucou Zouzou")


def test_messages_on_which_the_lists_at_hand_disagree_are_counted(
    tmp_path: Path, shipped: Triage
) -> None:
    # Seek&Hide holds zouzou for a nickname, and would never release it.
    wrong = sms("Coucou Zouzou", 1, seek_hide="NTA")
    right = sms("Coucou Zouzou", 2, seek_hide="TA")
    source = Source(str(write(tmp_path / "a.csv", [wrong, right])))
    assert create_queue(tmp_path / "q", source, shipped).other_labels == 1


def test_the_rows_that_are_done_are_told(tmp_path: Path, shipped: Triage) -> None:
    told: list[int] = []
    source = Source(str(write(tmp_path / "a.csv", CORPUS)))
    create_queue(tmp_path / "q", source, shipped, lambda _: told.append)
    assert sum(told) == len(CORPUS) * 2


def test_a_file_is_read_once(
    queue: Queue, tmp_path: Path, shipped: Triage, reads: list[str]
) -> None:
    create_queue(tmp_path / "q", Source(str(write(tmp_path / "a.csv", CORPUS))), shipped)
    add_to_queue(queue, Source(str(write(tmp_path / "b.csv", CORPUS))), shipped)
    assert reads == ["a.csv", "b.csv"]


def test_a_share_is_doubled_from_the_start(tmp_path: Path, shipped: Triage) -> None:
    create_queue(
        tmp_path / "q", Source(str(write(tmp_path / "a.csv", CORPUS))), shipped, double=1.0
    )
    with Queue.open(tmp_path / "q") as queue:
        assert queue.status().doubled == 7


# What is refused


def refused(path: Path, tmp_path: Path, shipped: Triage) -> str:
    """Return why no queue is made of a file, once nothing is left of the try."""
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ValueError, match=path.name) as problem:
        create_queue(tmp_path / "q", Source(str(path)), shipped)
    assert sorted(tmp_path.iterdir()) == before
    assert MARKER not in str(problem.value)
    return str(problem.value)


@pytest.mark.parametrize("missing", COLUMNS[3:])
def test_a_file_that_was_not_triaged_is_refused(
    missing: str, tmp_path: Path, shipped: Triage
) -> None:
    columns = [column for column in COLUMNS if column != missing]
    (tmp_path / "a.csv").write_text(",".join(columns) + f"\n1,7,{MARKER},a,b,c,d\n")
    problem = refused(tmp_path / "a.csv", tmp_path, shipped)
    assert f"has no column '{missing}'" in problem
    assert "triage classify wrote" in problem


@pytest.mark.parametrize(
    "votes",
    [
        {"action": "MAYBE"},
        {"action": ""},
        {"seek_hide": MARKER},
        {"model": "EXPERT"},
        {"score": "beaucoup"},
        {"score": 1.5},
        {"score": -0.1},
        {"score": "nan"},
    ],
)
def test_bad_votes_are_named_by_their_line(
    votes: dict[str, str | float], tmp_path: Path, shipped: Triage
) -> None:
    bad = replace(sms(f"coucou {MARKER}", 2), **votes)  # type: ignore[arg-type]
    path = write(tmp_path / "a.csv", [sms(MARKER, 1), bad, sms(MARKER, 3)])
    problem = refused(path, tmp_path, shipped)
    assert "line 3: its columns seek_hide, model, model_score, action" in problem


def test_a_row_that_cannot_be_read_is_named_by_its_line(tmp_path: Path, shipped: Triage) -> None:
    path = write(tmp_path / "a.csv", [sms(MARKER, 1), sms(MARKER, 2)])
    with path.open("a", encoding="utf-8") as file:
        file.write(f"3,{MARKER}\n")
    assert "line 4: 2 fields where the header has 8" in refused(path, tmp_path, shipped)


def test_a_folder_that_is_not_there_is_named_as_asked(tmp_path: Path, shipped: Triage) -> None:
    source = Source(str(write(tmp_path / "a.csv", CORPUS)))
    with pytest.raises(TriageError) as problem:
        create_queue(tmp_path / "absent" / "q", source, shipped)
    target = tmp_path / "absent" / "q"
    assert str(problem.value) == f"cannot write {target}: there is no folder {target.parent}"


def test_a_queue_that_is_there_already_is_kept(
    queue: Queue, tmp_path: Path, shipped: Triage
) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    source = Source(str(write(tmp_path / "a.csv", CORPUS)))
    with pytest.raises(TriageError, match=r"is there already.*triage queue add"):
        create_queue(queue.path, source, shipped)
    assert len(queue.history()) == 1


@pytest.mark.parametrize("has_links", [True, False])
def test_of_two_creations_at_once_the_first_is_kept(
    has_links: bool, tmp_path: Path, shipped: Triage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one has begun before the first is there, and ends after a decision in it."""
    if not has_links:
        monkeypatch.setattr("triage.queue.schema.os.link", no_links)
    source = Source(str(write(tmp_path / "a.csv", CORPUS)))

    def meanwhile(_: int | None) -> Callable[[int], None]:
        if not (tmp_path / "q").exists():
            create_queue(tmp_path / "q", source, shipped)
            with Queue.open(tmp_path / "q") as first:
                first.decide("anna", MIDI, Answer.NTA)
        return lambda _: None

    with pytest.raises(TriageError, match=r"q is there already.*triage queue add"):
        create_queue(tmp_path / "q", source, shipped, meanwhile)
    with Queue.open(tmp_path / "q") as kept:
        assert item_of(kept, MIDI).final is Answer.NTA
    assert not list(tmp_path.glob(".unfinished*"))


def test_what_is_left_of_a_queue_of_the_same_name_gets_into_no_other(
    queue: Queue, tmp_path: Path, shipped: Triage
) -> None:
    """A server was killed, so that decisions are in the log alone; then the queue was removed."""
    queue.decide("anna", MIDI, Answer.NTA)
    log = (tmp_path / "work.queue-wal").read_bytes()
    queue.close()
    queue.path.unlink()
    (tmp_path / "work.queue-wal").write_bytes(log)
    source = Source(str(tmp_path / "work.queue.csv"))
    with pytest.raises(TriageError, match=r"work\.queue-wal is left of another queue"):
        create_queue(queue.path, source, shipped)
    assert not queue.path.exists()
    assert (tmp_path / "work.queue-wal").read_bytes() == log


def test_a_queue_can_be_made_where_there_are_no_hard_links(
    tmp_path: Path, shipped: Triage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.queue.schema.os.link", no_links)
    source = Source(str(write(tmp_path / "a.csv", CORPUS)))
    assert create_queue(tmp_path / "q", source, shipped).messages == len(CORPUS)
    with Queue.open(tmp_path / "q") as queue:
        assert queue.status().messages == len(CORPUS)


def no_links(*_: object) -> None:
    raise OSError(errno.EOPNOTSUPP, "Operation not supported")


# Adding


def test_the_same_file_once_more_changes_nothing(queue: Queue, add: Add) -> None:
    queue.decide("anna", ZOUZOU, Answer.TA, marked("Coucou Zouzou tu viens ?", "Zouzou"))
    queue.decide("marc", MIDI, Answer.SKIP)
    before = everything(queue.connection)
    filled = add(queue, *CORPUS)
    assert everything(queue.connection) == before
    assert (filled.messages, filled.new, filled.items) == (11, 0, 7)


def test_a_file_that_has_grown_brings_what_is_new(queue: Queue, add: Add) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    filled = add(queue, *CORPUS, sms("tu dors ?", 12), decided_nta("oui", 13))
    assert (filled.messages, filled.new, filled.items) == (13, 2, 8)
    assert item_of(queue, MIDI).final is Answer.NTA
    assert queue.status().messages == 13
    assert is_settled_right(queue)


def test_other_messages_alone_leave_those_there_are(queue: Queue, add: Add) -> None:
    filled = add(queue, sms("tu dors ?", 12))
    assert (filled.messages, filled.new, filled.items) == (1, 1, 8)
    assert queue.status().messages == 12


def test_a_text_that_is_decided_already_serves_new_messages(queue: Queue, add: Add) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    before = recorded(queue.connection)
    add(queue, sms("on mange a midi", 99, "12"))
    item = item_of(queue, MIDI)
    assert (item.n_messages, item.final) == (3, Answer.NTA)
    assert recorded(queue.connection) == before
    assert queue.progress("anna").messages_decided == 2 + 3
    assert is_settled_right(queue)


def test_decisions_keep_their_words_when_messages_come(queue: Queue, add: Add) -> None:
    spans = marked("Élea dort 😀", "Élea")
    queue.decide("anna", ELEA, Answer.TA, spans)
    add(queue, *CORPUS[::-1], sms("Élea dort 😀", 50))
    assert item_of(queue, ELEA).standing[0].spans == spans


def without_ids(*texts: str) -> list[Sms]:
    return [sms(text, "") for text in texts]


def test_without_ids_the_nth_of_a_text_is_the_nth_of_the_queue(
    make_queue: MakeQueue, add: Add
) -> None:
    queue = make_queue(*without_ids("oui", "non", "oui"))
    filled = add(queue, *without_ids("oui", "non", "oui", "oui", "ok"))
    assert (filled.messages, filled.new) == (5, 2)
    assert item_of(queue, 1).n_messages == 3


def test_a_file_without_a_column_of_ids_can_be_added_again(tmp_path: Path, shipped: Triage) -> None:
    columns = COLUMNS[1:]
    rows = [f"7,{text},UNTAGGED,NTA,0.2,EXPERT,\n" for text in ("oui", "non", "oui", "ok")]
    path = tmp_path / "a.csv"
    path.write_text(",".join(columns) + "\n" + "".join(rows[:3]))
    create_queue(tmp_path / "q", Source(str(path)), shipped)
    path.write_text(",".join(columns) + "\n" + "".join(rows))
    with Queue.open(tmp_path / "q") as queue:
        queue.decide("anna", 1, Answer.NTA)
        filled = add_to_queue(queue, Source(str(path)), shipped)
        assert (filled.messages, filled.new) == (4, 1)
        assert item_of(queue, 1).final is Answer.NTA


def test_the_same_id_with_another_text_or_sender_is_another_message(queue: Queue, add: Add) -> None:
    filled = add(queue, sms("on mange a midi", 2, "8"), sms("on mange a 13h", 2, "7"))
    assert filled.new == 2


def test_a_message_triaged_again_gets_its_new_votes(queue: Queue, add: Add) -> None:
    add(queue, sms("Rose est fanée", 3, "8", model="TA", score=0.45, evidence="rose: AMBIGUOUS"))
    item = item_of(queue, ROSE)
    assert (item.votes.model, item.votes.score) == ("TA", 0.45)
    assert item.messages[0].votes == item.votes


def test_what_is_no_more_the_expert_s_leaves_the_queue(queue: Queue, add: Add) -> None:
    add(queue, decided_nta("Rose est fanée", 3, "8"))
    assert queue.count("anna", Filters()) == 6
    assert queue.status().expert_messages == 8
    assert is_settled_right(queue)


def test_what_becomes_the_expert_s_enters_the_queue(queue: Queue, add: Add) -> None:
    add(queue, sms("ok", 4, "8"))
    assert queue.count("anna", Filters()) == 8
    assert is_settled_right(queue)


def test_a_decision_outlives_all_changes_of_votes(queue: Queue, add: Add) -> None:
    queue.decide("anna", ROSE, Answer.NTA)
    add(queue, decided_ta("Rose est fanée", 3, "8"))
    assert item_of(queue, ROSE).final is Answer.NTA
    add(queue, sms("Rose est fanée", 3, "8"))
    assert item_of(queue, ROSE).final is Answer.NTA
    assert is_settled_right(queue)


def test_decisions_of_words_hold_for_items_that_come(queue: Queue, add: Add) -> None:
    queue.decide_word("anna", "namrata", WordRule.ALWAYS)
    add(queue, sms("namrata a pris le train", 60))
    [row] = queue.rows("anna", Filters(word="namrata"))
    assert item_of(queue, row.number).suggested_spans == marked(
        "namrata a pris le train", "namrata"
    )


def test_a_file_with_other_columns_is_refused(
    queue: Queue, tmp_path: Path, shipped: Triage
) -> None:
    before = everything(queue.connection)
    (tmp_path / "b.csv").write_text(
        f"text,{','.join(COLUMNS[3:])}\n{MARKER},UNTAGGED,NTA,0.2,EXPERT,\n"
    )
    with pytest.raises(TriageError, match="has other columns than work") as problem:
        add_to_queue(queue, Source(str(tmp_path / "b.csv")), shipped)
    assert MARKER not in str(problem.value)
    assert everything(queue.connection) == before


def test_of_a_file_with_one_bad_row_nothing_is_added(
    queue: Queue, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 1)
    before = everything(queue.connection)
    with pytest.raises(TriageError, match="line 3"):
        add(queue, sms("tu dors ?", 12), sms(MARKER, 13, score="?"))
    assert everything(queue.connection) == before
    assert queue.connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
