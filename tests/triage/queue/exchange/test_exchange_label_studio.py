"""Tasks and exports of Label Studio, in the forms that it writes and reads."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from triage.errors import TriageError
from triage.queue import Spans
from triage.queue.exchange import Exported, Imported, export, label_studio_config, read
from triage.vocabulary import IdentifierType

Item = Callable[..., Exported]
Find = Callable[[str, str], Spans]
Load = Callable[..., list[Imported]]

TEXT = "Coucou Zoé, on part à Lyon"


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Write tasks as an export, and read it."""

    def write_and_read(*tasks: object) -> list[Imported]:
        path = tmp_path / "project-1.json"
        path.write_text(json.dumps(tasks), encoding="utf-8")
        return read(path)

    return write_and_read


def region(start: int, end: int, type_: str, text: str | None = None) -> dict[str, Any]:
    value: dict[str, Any] = {"start": start, "end": end, "labels": [type_]}
    if text is not None:
        value["text"] = text
    return {
        "value": value,
        "id": "gew3t9fgkg",
        "from_name": "identifiers",
        "to_name": "text",
        "type": "labels",
        "origin": "manual",
    }


def choice(answer: str) -> dict[str, Any]:
    return {
        "value": {"choices": [answer]},
        "id": "zLSY-XLk64",
        "from_name": "answer",
        "to_name": "text",
        "type": "choices",
        "origin": "manual",
    }


def annotation(*result: object, by: object = 1, was_cancelled: bool = False) -> dict[str, Any]:
    return {
        "id": 22,
        "completed_by": by,
        "result": list(result),
        "was_cancelled": was_cancelled,
        "ground_truth": False,
        "lead_time": 8.65,
        "task": 7,
        "parent_prediction": None,
    }


def task(text: str, *annotations: object, number: int = 7, **data: object) -> dict[str, Any]:
    return {
        "id": number,
        "annotations": list(annotations),
        "drafts": [],
        "predictions": [],
        "data": {"text": text, "digest": f"d{number}", **data},
        "meta": {},
        "total_annotations": len(annotations),
        "comment_authors": [],
    }


def test_what_goes_out(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "work.json", [item(TEXT, suggested="Zoé PRE")])
    [made] = json.loads((tmp_path / "work.json").read_text(encoding="utf-8"))
    assert (made["data"]["text"], made["data"]["item"]) == (TEXT, 1)
    assert made["data"]["marked"] == [[7, 10, "PRE"]]
    [prediction] = made["predictions"]
    assert (prediction["model_version"], prediction["score"]) == ("triage", 0.25)
    [marked] = prediction["result"]
    assert (marked["type"], marked["from_name"], marked["to_name"]) == (
        "labels",
        "identifiers",
        "text",
    )
    assert marked["value"] == {"start": 7, "end": 10, "text": "Zoé", "labels": ["PRE"]}
    assert "annotations" not in made


def test_what_is_answered_goes_out_as_an_annotation(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "work.json", [item(TEXT, "SKIP"), item(TEXT, "NTA")])
    skipped, answered = json.loads((tmp_path / "work.json").read_text(encoding="utf-8"))
    assert skipped["annotations"] == [{"was_cancelled": True, "result": []}]
    assert answered["annotations"][0]["result"][0]["value"] == {"choices": ["NTA"]}


def test_names_go_together_in_tasks_and_interface(item: Item, tmp_path: Path) -> None:
    view = ElementTree.fromstring(label_studio_config())  # noqa: S314
    controls = {tag.get("name"): tag for tag in view.iter() if tag.get("toName")}
    types = [label.get("value") for label in view.iter("Label")]
    assert types == [type_.value for type_ in IdentifierType]
    assert [found.get("value") for found in view.iter("Choice")] == ["TA", "NTA"]
    [shown] = view.iter("Text")
    export(tmp_path / "work.json", [item(TEXT, suggested="Zoé PRE")])
    [made] = json.loads((tmp_path / "work.json").read_text(encoding="utf-8"))
    assert str(shown.get("value")).removeprefix("$") in made["data"]
    for result in made["predictions"][0]["result"]:
        control = controls[result["from_name"]]
        assert control.tag.lower() == result["type"]
        assert control.get("toName") == result["to_name"] == shown.get("name")
    # JSON-MIN puts data and controls side by side.
    assert not controls.keys() & made["data"].keys()


def test_annotations(load: Load, spans: Find) -> None:
    result = choice("TA"), region(7, 10, "PRE", "Zoé"), region(22, 26, "LIE", "Lyon")
    [row] = load(task(TEXT, annotation(*result)))
    assert (row.where, row.digest, row.annotator) == ("task 7", "d7", "1")
    assert (row.text, row.answer, row.spans) == (TEXT, "TA", spans(TEXT, "Zoé PRE, Lyon LIE"))


def test_json_min(load: Load, spans: Find) -> None:
    marked = {
        "id": 7,
        "text": TEXT,
        "digest": "d7",
        "identifiers": [{"start": 7, "end": 10, "text": "Zoé", "labels": ["PRE"]}],
        "answer": "TA",
        "annotator": "anna@example.org",
        "annotation_id": 22,
        "lead_time": 8.65,
    }
    nothing = {"id": 8, "text": "On arrive", "answer": "NTA", "annotator": 2, "annotation_id": 23}
    first, second = load(marked, nothing)
    assert (first.where, first.digest, first.annotator) == ("task 7", "d7", "anna@example.org")
    assert (first.answer, first.spans) == ("TA", spans(TEXT, "Zoé PRE"))
    assert (second.answer, second.annotator) == ("NTA", "2")


def test_a_task_without_annotation_is_not_answered(load: Load) -> None:
    [row] = load(task(TEXT))
    assert (row.answer, row.where, row.digest) == (None, "task 7", "d7")


def test_annotations_of_several_people(load: Load) -> None:
    first = annotation(choice("NTA"), by={"id": 1, "email": "anna@example.org"})
    second = annotation(choice("TA"), region(7, 10, "PRE", "Zoé"), by={"id": 2})
    rows = load(task(TEXT, first, second))
    assert [row.where for row in rows] == ["task 7, annotation 1", "task 7, annotation 2"]
    assert [(row.annotator, row.answer) for row in rows] == [
        ("anna@example.org", "NTA"),
        ("2", "TA"),
    ]


def test_who_skipped_first_and_answered_then_answered(load: Load) -> None:
    [row] = load(task(TEXT, annotation(was_cancelled=True), annotation(choice("NTA"))))
    assert row.answer == "NTA"


def test_skipped_tasks(load: Load) -> None:
    [row] = load(task(TEXT, annotation(region(7, 10, "PRE"), was_cancelled=True)))
    assert (row.answer, row.spans) == ("SKIP", ())


def test_two_answers_of_one_person_are_refused(load: Load) -> None:
    with pytest.raises(TriageError, match="task 7, annotation 1 and task 7, annotation 2 answer"):
        load(task(TEXT, annotation(choice("NTA")), annotation(choice("TA"))))


def test_a_project_without_choices(load: Load) -> None:
    rows = load(task(TEXT, annotation(region(7, 10, "PRE"))), task(TEXT, annotation(), number=8))
    assert [row.answer for row in rows] == ["TA", "NTA"]


def test_nta_leaves_suggestions_where_they_are(load: Load) -> None:
    left = annotation(choice("NTA"), region(7, 10, "PRE", "Zoé"))
    [row] = load(task(TEXT, left, marked=[[7, 10, "PRE"]]))
    assert (row.answer, row.spans) == ("NTA", ())
    with pytest.raises(TriageError, match="the answer is NTA, and yet identifiers"):
        load(task(TEXT, left))


EMOJI = "👩🏽\u200d🚒🇫🇷 Zoé\nvient"
"""Its emoji are 6 code points and 11 code units."""


@pytest.mark.parametrize("first", [7, 12], ids=["code points", "UTF-16"])
def test_what_a_region_covers_tells_how_it_was_counted(first: int, load: Load, spans: Find) -> None:
    [row] = load(task(EMOJI, annotation(choice("TA"), region(first, first + 3, "PRE", "Zoé"))))
    assert row.spans == spans(EMOJI, "Zoé PRE")


def test_regions_of_an_annotation_are_counted_in_one_way(load: Load, spans: Find) -> None:
    text = "😀aa Zoé"
    old = annotation(choice("TA"), region(2, 3, "COD", "a"), region(5, 8, "PRE", "Zoé"))
    [row] = load(task(text, old))
    assert row.spans == spans(text, "a COD, Zoé PRE")


def test_without_what_it_covers_a_region_is_in_code_points(load: Load, spans: Find) -> None:
    [row] = load(task(EMOJI, annotation(choice("TA"), region(7, 10, "PRE"))))
    assert row.spans == spans(EMOJI, "Zoé PRE")


@pytest.mark.parametrize("told", ["Zoé\\nvient", "Zoé\nvient", "Zoé vient", "Zoé  vient"])
def test_line_breaks_and_spaces_are_told_otherwise(told: str, load: Load) -> None:
    [row] = load(task(EMOJI, annotation(choice("TA"), region(7, 16, "ADR", told))))
    assert row.text[row.spans[0].start : row.spans[0].end] == "Zoé\nvient"


def test_windows_line_breaks_count_two(load: Load, spans: Find) -> None:
    text = "Coucou\r\nZoé\r\nà Lyon"
    result = choice("TA"), region(8, 11, "PRE", "Zoé"), region(15, 19, "LIE", "Lyon")
    [row] = load(task(text, annotation(*result)))
    assert row.spans == spans(text, "Zoé PRE, Lyon LIE")


def test_results_of_other_controls_are_left_aside(load: Load) -> None:
    comment = {"type": "textarea", "from_name": "note", "value": {"text": ["Zoé ?"]}}
    [row] = load(task(TEXT, annotation(choice("NTA"), comment)))
    assert row.answer == "NTA"


def test_the_position_of_a_task_without_number(load: Load) -> None:
    unnumbered = task(TEXT, annotation(choice("NTA")))
    del unnumbered["id"]
    assert [row.where for row in load(task("Ok"), unnumbered)] == ["task 7", "task 2"]


BROKEN_VALUE = {"type": "labels", "value": None}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("Zoé", "not a JSON object"),
        ({"id": 7, "text": TEXT}, "neither data nor an annotation"),
        ({"id": 7, "data": {}, "annotations": []}, "the text is missing"),
        ({"id": 7, "data": [], "annotations": []}, "not as Label Studio exports"),
        ({"id": 7, "data": {"text": TEXT}, "annotations": 3}, "not as Label Studio exports"),
        (task(TEXT, 22), "an annotation is not as Label Studio"),
        (task(TEXT, {"result": 3}), "an annotation is not as Label Studio"),
        (task(TEXT, annotation(BROKEN_VALUE)), "has no value"),
        (task(TEXT, annotation(choice("oui"))), "'oui' is no answer"),
        (task(TEXT, annotation(choice("TA"), choice("NTA"))), "several answers"),
        (task(TEXT, annotation(region(7, 10, "PER"))), "'PER' is no type"),
        (task(TEXT, annotation(region(7, 99, "PRE"))), "does not fit the text"),
        (task(TEXT, annotation(region(7, 10, "PRE", "Coucou"))), "does not cover"),
        (task(TEXT, annotation(region(7, 10, "PRE"), region(8, 12, "NOM"))), "overlap"),
        (task(TEXT, annotation({"type": "labels", "value": {"labels": []}})), "has no types"),
        (
            task(TEXT, annotation({"type": "labels", "value": {"labels": ["PRE", "NOM"]}})),
            "has 2 types",
        ),
        (task(TEXT, annotation({"type": "choices", "value": {}})), "not a list"),
        (task(TEXT, annotation(choice("NTA")), marked=[[0, 99, "PRE"]]), "does not fit"),
    ],
)
def test_wrong_tasks(wrong: object, reason: str, load: Load) -> None:
    with pytest.raises(TriageError) as error:
        load(wrong)
    message = str(error.value)
    assert "project-1.json, task " in message
    assert reason in message
    assert "Zoé" not in message
    assert "\n" not in message


def test_an_object_is_no_list_of_tasks(tmp_path: Path) -> None:
    path = tmp_path / "project-1.json"
    path.write_text('"Zoé"', encoding="utf-8")
    with pytest.raises(TriageError, match="not a list of tasks: export as JSON or JSON-MIN"):
        read(path)
