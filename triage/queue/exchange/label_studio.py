r"""Label Studio: a JSON list of tasks.

Both of its exports are read: "JSON" (each task with its annotations) and "JSON-MIN" (an annotation
each).

Label Studio counts code points, as we do, and each of ``\r`` and ``\n`` as one; old versions
counted UTF-16 code units. The covered text that a region holds shows which. Its white space is
collapsed, and its line breaks are written as a backslash and an n.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from ...errors import TriageError
from ...type_names import TYPE_NAMES
from ...vocabulary import IdentifierType, Spans
from ..records import Answer
from .marks import (
    Counting,
    Mark,
    only_answer,
    read_mark,
    read_text,
    read_triples,
    spans_of,
    spans_of_answer,
)
from .records import (
    Destination,
    Exported,
    Imported,
    RowErrors,
    about,
    as_list,
    read_json,
    write_json,
)

_ANSWER = "answer"
_IDENTIFIERS = "identifiers"
_TEXT = "text"

# An annotation of JSON-MIN has some of these keys even if nothing is marked in it.
_OF_ANNOTATIONS = {_ANSWER, _IDENTIFIERS, "annotator", "annotation_id"}

_COLOURS = {
    IdentifierType.PRE: "#36b37e",
    IdentifierType.NOM: "#00b8d9",
    IdentifierType.SUR: "#6554c0",
    IdentifierType.ADR: "#ff8b00",
    IdentifierType.LIE: "#ffc400",
    IdentifierType.TEL: "#ff5630",
    IdentifierType.COD: "#8993a4",
    IdentifierType.URL: "#0065ff",
    IdentifierType.MAR: "#bf2600",
    IdentifierType.MEL: "#008da6",
    IdentifierType.IBA: "#974f0c",
    IdentifierType.CRT: "#d97008",
    IdentifierType.NIR: "#ae2a19",
    IdentifierType.SIR: "#5b7f24",
    IdentifierType.CRY: "#946f00",
    IdentifierType.IMM: "#206a83",
    IdentifierType.DDN: "#cd519d",
    IdentifierType.AGE: "#e774bb",
    IdentifierType.CPO: "#e2b203",
    IdentifierType.IPA: "#2898bd",
    IdentifierType.GPS: "#4c9aff",
    IdentifierType.PSD: "#8f7ee7",
    IdentifierType.LNK: "#0747a6",
    IdentifierType.NUM: "#626f86",
    IdentifierType.ORG: "#1f845a",
}


def label_studio_config() -> str:
    """Return the configuration of a project, for its settings: "Labeling Interface", "Code"."""
    labels = "\n".join(
        f'    <Label value="{type_}" hint="{TYPE_NAMES[type_].one}" background="{colour}"/>'
        for type_, colour in _COLOURS.items()
    )
    return f"""<View>
  <Style>.htx-text, .htx-richtext {{ white-space: pre-wrap; }}</Style>
  <Choices name="{_ANSWER}" toName="{_TEXT}" choice="single-radio" showInline="true"
           required="true" requiredMessage="Choose TA or NTA, or skip the message">
    <Choice value="TA" hint="to anonymise"/>
    <Choice value="NTA" hint="nothing to anonymise"/>
  </Choices>
  <Labels name="{_IDENTIFIERS}" toName="{_TEXT}">
{labels}
  </Labels>
  <Text name="{_TEXT}" value="$text" valueType="text" saveTextResult="yes"/>
</View>
"""


def write_label_studio(to: Destination, items: Iterable[Exported]) -> int:
    """Write items as tasks; return how many."""
    return write_json(to, map(_task, items), lines=False)


def _task(item: Exported) -> dict[str, object]:
    task: dict[str, object] = {
        "data": {
            "text": item.text,
            **about(item),
            "marked": [[s.start, s.end, s.type.value] for s in item.marked],
        }
    }
    if item.answer is None:
        # Without a choice: Label Studio would preselect it before anybody has looked.
        result = _regions(item.text, item.suggested)
        score = {"score": item.votes.score} if item.votes else {}
        task["predictions"] = [{"model_version": "triage", **score, "result": result}]
    else:
        is_skipped = item.answer is Answer.SKIP
        result = [] if is_skipped else _answered(item.text, item.answer, item.marked)
        task["annotations"] = [{"was_cancelled": is_skipped, "result": result}]
    return task


def _answered(text: str, answer: Answer, spans: Spans) -> list[dict[str, object]]:
    choice: dict[str, object] = {
        "id": _ANSWER,
        "from_name": _ANSWER,
        "to_name": _TEXT,
        "type": "choices",
        "value": {"choices": [answer.value]},
    }
    return [choice, *_regions(text, spans)]


def _regions(text: str, spans: Spans) -> list[dict[str, object]]:
    return [
        {
            "id": f"{_IDENTIFIERS}{number}",
            "from_name": _IDENTIFIERS,
            "to_name": _TEXT,
            "type": "labels",
            "value": {
                "start": span.start,
                "end": span.end,
                "text": text[span.start : span.end],
                "labels": [span.type.value],
            },
        }
        for number, span in enumerate(spans, 1)
    ]


def read_label_studio(path: Path, errors: RowErrors) -> Iterator[Imported]:
    """Yield the annotations of an export, and tasks that have none."""
    tasks = read_json(path)
    if not isinstance(tasks, list):
        raise TriageError(
            f"{path} is not a list of tasks: export as JSON or JSON-MIN from Label Studio"
        )
    for position, task in enumerate(tasks, 1):
        number = task.get("id", position) if isinstance(task, dict) else position
        where = f"task {number if isinstance(number, int) else position}"
        with errors.of(where):
            yield from _imported(where, task)


def _imported(where: str, task: object) -> list[Imported]:
    if not isinstance(task, dict):
        raise TriageError("it is not a JSON object")
    if "data" not in task:
        if not task.keys() & _OF_ANNOTATIONS:
            raise TriageError(
                "it has neither data nor an annotation, as tasks of Label Studio have"
            )
        choice = task.get(_ANSWER, [])
        answer = only_answer([choice] if isinstance(choice, str) else _list(choice))
        marks = [_mark(value) for value in _list(task.get(_IDENTIFIERS, []))]
        return [_row(where, task, task.get("annotator"), answer, marks)]
    data, annotations = task["data"], task.get("annotations", [])
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise TriageError("its data or annotations are not as Label Studio exports them")
    rows = [
        _annotation(where if len(annotations) == 1 else f"{where}, annotation {n}", data, found)
        for n, found in enumerate(annotations, 1)
    ]
    if not rows:
        return [Imported(where, _digest(data), read_text(data.get("text")), None, (), "")]
    finished = {row.annotator for row in rows if row.answer is not Answer.SKIP}
    return [row for row in rows if row.answer is not Answer.SKIP or row.annotator not in finished]


def _annotation(where: str, data: dict[str, object], found: object) -> Imported:
    if not isinstance(found, dict) or not isinstance(found.get("result", []), list):
        raise TriageError("an annotation is not as Label Studio exports them")
    if found.get("was_cancelled"):
        return _row(where, data, found.get("completed_by"), Answer.SKIP, [])
    results = found.get("result", [])
    choices: list[object] = []
    for value in _values(results, "choices"):
        choices += _list(value.get("choices"))
    marks = [_mark(value) for value in _values(results, "labels")]
    return _row(where, data, found.get("completed_by"), only_answer(choices), marks)


def _values(results: list[object], type_: str) -> Iterator[dict[str, object]]:
    for result in results:
        if isinstance(result, dict) and result.get("type") == type_:
            value = result.get("value")
            if not isinstance(value, dict):
                raise TriageError(f"a result of type {type_} has no value")
            yield value


def _list(value: object) -> list[object]:
    return as_list(value, "choices or labels")


def _mark(value: object) -> Mark:
    if not isinstance(value, dict):
        raise TriageError("an identifier is not a JSON object")
    labels = _list(value.get("labels", []))
    if len(labels) != 1:
        raise TriageError(f"an identifier has {len(labels) or 'no'} types: give it one")
    return read_mark(value.get("start"), value.get("end"), labels[0], value.get("text"))


def _row(
    where: str, data: dict[str, object], by: object, answer: Answer | None, marks: list[Mark]
) -> Imported:
    text = read_text(data.get("text"))
    spans = _spans(marks, text)
    exported = spans_of(read_triples(data.get("marked", [])), text, Counting.CODE_POINTS)
    # Submitting a task answers it, also in a project without choices.
    answer = answer or (Answer.TA if spans else Answer.NTA)
    spans = spans_of_answer(answer, spans, exported)
    return Imported(where, _digest(data), text, answer, spans, _annotator(by))


def _digest(data: dict[str, object]) -> str:
    digest = data.get("digest")
    return digest if isinstance(digest, str) else ""


def _annotator(by: object) -> str:
    """Return the annotator's e-mail address where the export has it, else their number."""
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return str(by) if isinstance(by, str | int) else ""


def _spans(marks: list[Mark], text: str) -> Spans:
    """Return the spans of marks in the first unit in which all cover the text that they hold."""
    for counting in (Counting.CODE_POINTS, Counting.UTF16):
        try:
            spans = [spans_of([mark], text, counting)[0] for mark in marks]
        except TriageError:
            continue
        covered = zip(marks, spans, strict=True)
        if all(_agrees(mark.text, text[span.start : span.end]) for mark, span in covered):
            return spans_of(marks, text, counting)
    spans_of(marks, text, Counting.CODE_POINTS)
    raise TriageError(
        "an identifier does not cover the text that it says: mark it again in Label Studio"
    )


def _agrees(stated: str | None, covered: str) -> bool:
    return stated is None or _collapsed(stated) == _collapsed(covered)


def _collapsed(text: str) -> str:
    return " ".join(text.replace("\\n", "\n").split())
