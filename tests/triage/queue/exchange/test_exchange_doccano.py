"""Files of doccano, in the forms that it writes and reads."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.errors import TriageError
from triage.queue import Spans
from triage.queue.exchange import Exported, Imported, export, read

Item = Callable[..., Exported]
Find = Callable[[str, str], Spans]
Load = Callable[..., list[Imported]]

TEXT = "Coucou Zoé, on part à Lyon"
ZOE_LYON = [[7, 10, "PRE"], [22, 26, "LIE"]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Write documents as lines, and read them."""

    def write_and_read(*rows: object, approved: bool = False) -> list[Imported]:
        path = tmp_path / "admin.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return read(path, approved=approved)

    return write_and_read


def test_what_goes_out(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "work.jsonl", [item(TEXT, suggested="Zoé PRE")])
    [line] = (tmp_path / "work.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(line)
    assert (row["text"], row["entities"], row["cats"]) == (TEXT, [[7, 10, "PRE"]], [])
    assert (row["item"], row["digest"], row["marked"]) == (1, "0" * 31 + "1", row["entities"])


def test_categories_and_entities(load: Load, spans: Find) -> None:
    [row] = load(
        {
            "id": 12,
            "text": TEXT,
            "item": 5,
            "digest": "ab",
            "marked": [],
            "cats": ["TA"],
            "entities": ZOE_LYON,
            "Comments": [],
        }
    )
    assert (row.where, row.digest, row.text, row.answer) == ("line 1", "ab", TEXT, "TA")
    assert row.spans == spans(TEXT, "Zoé PRE, Lyon LIE")


def test_a_document_without_category_is_not_answered(load: Load) -> None:
    [row] = load({"id": 1, "text": TEXT, "cats": [], "entities": ZOE_LYON, "Comments": []})
    assert (row.answer, row.spans) == (None, ())


def test_nta_leaves_suggestions_where_they_are(load: Load) -> None:
    row = {"text": TEXT, "cats": ["NTA"], "entities": ZOE_LYON, "marked": ZOE_LYON}
    assert [(found.answer, found.spans) for found in load(row)] == [("NTA", ())]


def test_nta_with_a_mark_of_its_own_is_refused(load: Load) -> None:
    row = {"text": TEXT, "cats": ["NTA"], "entities": ZOE_LYON, "marked": ZOE_LYON[:1]}
    with pytest.raises(TriageError, match="line 1: the answer is NTA, and yet identifiers"):
        load(row)


def test_sequence_labelling(load: Load, spans: Find) -> None:
    marked, untouched = load(
        {"id": 1, "text": TEXT, "label": ZOE_LYON, "Comments": ["pas sûr"]},
        {"id": 2, "text": "On arrive", "label": [], "Comments": []},
    )
    assert (marked.answer, marked.spans) == ("TA", spans(TEXT, "Zoé PRE, Lyon LIE"))
    assert untouched.answer is None


def test_sequence_labelling_keeps_our_keys_as_metadata(load: Load) -> None:
    [row] = load({"text": TEXT, "entities": ZOE_LYON, "cats": ["TA"], "label": []})
    assert row.answer is None


def test_suggestions_that_nobody_touched_are_no_answer(load: Load) -> None:
    same, fewer = load(
        {"text": TEXT, "label": ZOE_LYON, "marked": ZOE_LYON},
        {"text": TEXT, "label": ZOE_LYON[:1], "marked": ZOE_LYON},
    )
    assert (same.answer, fewer.answer) == (None, "TA")


def test_approved_documents_are_answered(load: Load) -> None:
    rows = [
        {"text": TEXT, "label": ZOE_LYON, "marked": ZOE_LYON},
        {"text": "On arrive", "label": []},
    ]
    assert [row.answer for row in load(*rows, approved=True)] == ["TA", "NTA"]


def test_the_approver_tells_of_each_document(load: Load) -> None:
    rows = [
        {"text": TEXT, "label": [], "annotation_approver": "anna"},
        {"text": TEXT + " !", "label": [], "annotation_approver": None},
    ]
    assert [row.answer for row in load(*rows)] == ["NTA", None]


def test_approval_answers_no_document_that_should_have_a_category(load: Load) -> None:
    assert [r.answer for r in load({"text": TEXT, "entities": [], "cats": []}, approved=True)] == [
        None
    ]


def test_relations(load: Load, spans: Find) -> None:
    [row] = load(
        {
            "id": 3,
            "text": TEXT,
            "cats": ["NTA"],
            "relations": [],
            "entities": [{"id": 9, "label": "PRE", "start_offset": 7, "end_offset": 10}],
        }
    )
    assert (row.answer, row.spans) == ("TA", spans(TEXT, "Zoé PRE"))


def test_classification(load: Load) -> None:
    rows = [{"text": TEXT, "label": ["NTA"]}, {"text": TEXT + " !", "label": ["TA"]}]
    assert [(row.answer, row.spans) for row in load(*rows)] == [("NTA", ()), ("TA", ())]


def test_older_exports(load: Load) -> None:
    [first, second] = load(
        {"doc_id": 33, "text": TEXT, "labels": ZOE_LYON, "username": "anna"},
        {"id": 34, "data": TEXT + " !", "label": ZOE_LYON},
    )
    assert (first.annotator, first.answer, second.answer) == ("anna", "TA", "TA")


EMOJI = "👨🏻\u200d🚒 Zoé, tu pars à Lyon"
"""Its emoji is 4 code points, 7 code units, 1 grapheme cluster."""


def test_offsets_go_out_as_doccano_counts(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "work.jsonl", [item(EMOJI, suggested="Zoé PRE")])
    assert json.loads((tmp_path / "work.jsonl").read_text())["entities"] == [[8, 11, "PRE"]]


@pytest.mark.parametrize("first", [8, 2, 5], ids=["UTF-16", "grapheme clusters", "code points"])
def test_offsets_come_back_however_doccano_counts(first: int, load: Load, spans: Find) -> None:
    [row] = load({"text": EMOJI, "label": [[first, first + 3, "PRE"]]})
    assert row.spans == spans(EMOJI, "Zoé PRE")


def test_a_file_counts_as_most_of_its_documents_do(load: Load, spans: Find) -> None:
    """The last mark, of a part of a word, would be of a whole word in grapheme clusters."""
    rows = load(
        {"text": "😀 Zoé", "label": [[3, 6, "PRE"]]},
        {"text": "😀😀 Léa", "label": [[5, 8, "PRE"]]},
        {"text": "😀 aLéa b", "label": [[4, 7, "PRE"]]},
    )
    assert [row.spans for row in rows] == [
        spans("😀 Zoé", "Zoé PRE"),
        spans("😀😀 Léa", "Léa PRE"),
        spans("😀 aLéa b", "Léa PRE"),
    ]


def test_marks_that_went_out_come_back_as_they_were_counted(load: Load, spans: Find) -> None:
    """A project that counts grapheme clusters gives suggestions back as it got them."""
    marked = [[8, 11, "PRE"]]
    [row] = load({"text": EMOJI, "label": [*marked, [17, 21, "LIE"]], "marked": marked})
    assert row.spans == spans(EMOJI, "Zoé PRE, Lyon LIE")


def test_a_part_of_a_word_may_be_marked(load: Load, spans: Find) -> None:
    [row] = load({"text": "LéaTim arrive", "label": [[0, 3, "PRE"]]})
    assert row.spans == spans("LéaTim", "Léa PRE")


def test_windows_line_breaks(load: Load, spans: Find) -> None:
    text = "Coucou\r\nZoé\r\nà Lyon"
    units = load({"text": text, "label": [[8, 11, "PRE"], [15, 19, "LIE"]]})
    clusters = load({"text": text, "label": [[7, 10, "PRE"], [13, 17, "LIE"]]})
    assert units[0].spans == clusters[0].spans == spans(text, "Zoé PRE, Lyon LIE")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"label": []}, "the text is missing"),
        ({"text": "", "label": []}, "the text is missing"),
        ({"text": 7, "label": []}, "the text is missing"),
        ({"text": TEXT}, "neither entities, cats nor label"),
        ({"text": TEXT, "label": {"a": 1}}, "not a list"),
        ({"text": TEXT, "label": [[7, 10]]}, "a start, an end and a type"),
        ({"text": TEXT, "label": [[7, 10, "PERS"]]}, "'PERS' is no type"),
        ({"text": TEXT, "label": [[7, 10, 3]]}, "… is no type"),
        ({"text": TEXT, "label": [[7, 99, "PRE"]]}, "does not fit the text"),
        ({"text": TEXT, "label": [[-1, 3, "PRE"]]}, "does not fit the text"),
        ({"text": TEXT, "label": [[7, 7, "PRE"]]}, "identifier from 7 to 7"),
        ({"text": TEXT, "label": [[9, 7, "PRE"]]}, "identifier from 9 to 7"),
        ({"text": TEXT, "label": [["a", 7, "PRE"]]}, "no whole number"),
        ({"text": TEXT, "label": [[True, 7, "PRE"]]}, "no whole number"),
        ({"text": TEXT, "label": [[1.5, 7, "PRE"]]}, "no whole number"),
        ({"text": TEXT, "label": [[0, 9, "PRE"], [7, 10, "NOM"]]}, "overlap"),
        ({"text": TEXT, "entities": [{"label": "PRE"}], "cats": []}, "no whole number"),
        ({"text": TEXT, "entities": [3, {}], "cats": []}, "not all of one form"),
        ({"text": TEXT, "entities": [], "cats": ["oui"]}, "'oui' is no answer: say TA, NTA"),
        ({"text": TEXT, "entities": [], "cats": [TEXT]}, "… is no answer"),
        ({"text": TEXT, "entities": [], "cats": ["TA", "NTA"]}, "several answers"),
        ({"text": TEXT, "entities": [], "cats": "TA"}, "not a list"),
        ([TEXT], "not a JSON object"),
    ],
)
def test_wrong_lines(row: object, reason: str, load: Load) -> None:
    with pytest.raises(TriageError) as error:
        load({"text": "On arrive", "label": []}, row)
    message = str(error.value)
    assert "admin.jsonl, line 2: " in message
    assert reason in message
    assert message.endswith("mend or remove this row")
    assert "Zoé" not in message
    assert "\n" not in message


def test_all_wrong_lines_are_named(load: Load) -> None:
    with pytest.raises(TriageError, match=r"3 rows are wrong, .*: line 1, line 2, line 3$"):
        load({"label": []}, [], {"text": TEXT, "cats": ["oui"]})


def test_whole_numbers_may_be_written_as_fractions(load: Load, spans: Find) -> None:
    [row] = load({"text": TEXT, "label": [[7.0, 10.0, "pre"]]})
    assert row.spans == spans(TEXT, "Zoé PRE")


def test_half_a_character_becomes_a_whole_one(load: Load) -> None:
    [row] = load({"text": "Zoé \ud83d", "cats": ["NTA"]})
    assert row.text == "Zoé \N{REPLACEMENT CHARACTER}"


def test_a_ta_without_marks_keeps_the_suggestions_that_its_annotator_was_not_shown(
    load: Load, spans: Find
) -> None:
    row = {"text": TEXT, "cats": ["TA"], "entities": [], "marked": ZOE_LYON}
    assert [found.spans for found in load(row)] == [spans(TEXT, "Zoé PRE, Lyon LIE")]


def test_a_ta_with_marks_of_its_own_has_these_alone(load: Load, spans: Find) -> None:
    row = {"text": TEXT, "cats": ["TA"], "entities": ZOE_LYON[1:], "marked": ZOE_LYON[:1]}
    assert [found.spans for found in load(row)] == [spans(TEXT, "Lyon LIE")]


def test_an_approved_document_whose_suggestions_are_gone_stays_open(load: Load) -> None:
    [row] = load({"text": TEXT, "label": [], "marked": ZOE_LYON}, approved=True)
    assert row.answer is None


def test_a_space_that_was_marked_with_a_word_shifts_nothing(load: Load, spans: Find) -> None:
    texts = ["😀 Zoé arrive", "😀 Léa arrive"]
    rows = load(*({"text": text, "label": [[3, 7, "PRE"]]} for text in texts))
    assert [row.spans for row in rows] == [
        spans(texts[0], "Zoé PRE"),
        spans(texts[1], "Léa PRE"),
    ]


def test_spaces_that_are_marked_tell_how_a_file_counts(load: Load, spans: Find) -> None:
    """Read as code points, the mark would begin in a word; read as it was made, it has a space."""
    text = "😀😀 a Zoé b"
    [row] = load({"text": text, "label": [[6, 11, "PRE"]]})
    assert row.spans == spans(text, "Zoé PRE")
