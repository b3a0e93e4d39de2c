r"""Annotation tools that read and write JSON: doccano and Label Studio.

doccano has a document on each line. Written for a project of "intent detection and slot filling",
whose documents have identifiers (``entities``) and a category (``cats``): the answer. A document
without category has not been answered, whatever is marked in it. Other keys are metadata, which
doccano returns unchanged. Sequence labelling (``label``, or ``entities`` with ``relations``) is
read too. It has no answers; `_answer_of_marks` derives them. doccano counts as JavaScript does, in
UTF-16 code units; a project made with "count grapheme clusters as one character" counts these. A
file does not say which.

Label Studio has a list of tasks. Both of its exports are read: "JSON" (each task with its
annotations) and "JSON-MIN" (an annotation each). It counts code points, as we do, and each of
``\r`` and ``\n`` as one; old versions counted UTF-16 code units. The covered text that a region
holds shows which. Its white space is collapsed, and its line breaks are written as a backslash and
an n.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from ...errors import TriageError
from ...vocabulary import Spans, check_spans
from ..records import Answer
from .nlp import Counting, Mark, is_plausible, read_mark, read_triples, spans_of, trimmed, triples
from .records import (
    Destination,
    Exported,
    Imported,
    RowErrors,
    as_list,
    only_answer,
    read_json,
    read_json_lines,
    read_text,
    spans_of_answer,
    write_json,
)

Json = dict[str, object]
# The first in which most documents of doccano are plausible.
_UNITS = (Counting.UTF16, Counting.GRAPHEMES, Counting.CODE_POINTS)
_ANSWER, _IDENTIFIERS, _TEXT = "answer", "identifiers", "text"
# An annotation of JSON-MIN has some of these keys even if nothing is marked in it.
_OF_ANNOTATIONS = {_ANSWER, _IDENTIFIERS, "annotator", "annotation_id"}


def _about(item: Exported) -> Json:
    """Return the metadata that tools keep beside a text and give back."""
    known: Json = {
        "item": item.item,
        "digest": item.digest,
        "messages": item.n_messages,
        "ids": list(item.ids),
    }
    if item.votes:
        known |= {
            "seek_hide": item.votes.seek_hide.value,
            "model": item.votes.model.value,
            "model_score": item.votes.score,
        }
    if item.notes:
        fields = ("annotator", "at", "text", "asks")
        known["notes"] = [{name: getattr(note, name) for name in fields} for note in item.notes]
    return known | {"evidence": item.evidence}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def write_doccano(to: Destination, items: Iterable[Exported]) -> int:
    return write_json(to, map(_as_document, items), lines=True)


def _as_document(item: Exported) -> Json:
    marked = triples(item.marked, item.text, Counting.UTF16)
    cats = [] if item.answer is None else [item.answer.value]
    return {"text": item.text, "entities": marked, "cats": cats, **_about(item), "marked": marked}


class _Document(NamedTuple):
    """A document of doccano, its offsets not converted yet; `marked` are those that went out."""

    where: str
    row: Json
    text: str
    marks: list[Mark]
    marked: list[Mark]
    cats: list[object] | None

    @property
    def new(self) -> list[Mark]:
        """The marks that did not go out."""
        return [mark for mark in self.marks if mark not in self.marked]


def read_doccano(path: Path, errors: RowErrors, approved: bool) -> Iterator[Imported]:
    """Yield the documents of a file; `approved` says that it holds only approved ones."""
    documents = []
    for where, row in read_json_lines(path, errors):
        with errors.of(where):
            text = read_text(row.get("text", row.get("data")))
            marks, cats = _labels(row)
            marked = read_triples(row.get("marked", []))
            only_answer(cats or [])
            documents.append(_Document(where, row, text, marks, marked, cats))
    counting = _counting_of(documents)
    for document in documents:
        with errors.of(document.where):
            yield _of_document(document, counting, approved)


def _labels(row: Json) -> tuple[list[Mark], list[object] | None]:
    """Return the marks of a document and its categories; None where its project has none."""
    labels = row.get("label", row.get("labels"))
    if labels is not None:
        # A project returns keys that it does not know, our own entities and cats among them.
        found = as_list(labels, "labels")
        if found and all(isinstance(label, str) for label in found):
            return [], found
        return read_triples(found), None
    if not row.keys() & {"entities", "cats"}:
        raise TriageError("it has neither entities, cats nor label, as documents of doccano have")
    marks = _entities(as_list(row.get("entities", []), "labels"))
    return marks, None if "relations" in row else as_list(row.get("cats", []), "labels")


def _entities(entities: list[object]) -> list[Mark]:
    places = [one for one in entities if isinstance(one, dict)]
    if not places:
        return read_triples(entities)
    if len(places) < len(entities):
        raise TriageError("its entities are not all of one form")
    return [
        read_mark(one.get("start_offset"), one.get("end_offset"), one.get("label"))
        for one in places
    ]


def _counting_of(documents: Iterable[_Document]) -> Counting:
    """Return the unit in which the new marks of most documents are plausible."""
    fitting: Counter[Counting] = Counter()
    for document in documents:
        text = document.text
        if text.isascii() and "\r" not in text:
            continue
        found = {unit: _new_spans(document, unit) for unit in _UNITS}
        if len({*found.values()}) > 1:
            fitting.update(
                unit
                for unit, spans in found.items()
                if spans is not None and is_plausible(text, trimmed(text, spans))
            )
    return max(_UNITS, key=lambda unit: fitting[unit])


def _new_spans(document: _Document, unit: Counting) -> Spans | None:
    """Return the spans of marks that did not go out; None if they do not fit the text."""
    try:
        return spans_of(document.new, document.text, unit)
    except TriageError:
        return None


def _of_document(document: _Document, counting: Counting, approved: bool) -> Imported:
    text, row = document.text, document.row
    # Exported marks were counted in UTF-16, and any project returns them so.
    marked = spans_of(document.marked, text, Counting.UTF16)
    kept = [mark for mark in document.marks if mark in document.marked]
    old = spans_of(kept, text, Counting.UTF16)
    new = trimmed(text, spans_of(document.new, text, counting))
    spans = check_spans([*{*old, *new}], len(text))
    if document.cats is None:
        is_approved = approved or bool(row.get("annotation_approver"))
        answer = _answer_of_marks(spans, marked, is_approved)
    else:
        answer = only_answer(document.cats)
    if answer is Answer.TA:
        # A project that does not share annotations shows suggestions only to whoever imported
        # them: that none came back does not mean that somebody removed them.
        spans = spans or marked
    return Imported(
        document.where,
        _string(row.get("digest")),
        text,
        answer,
        spans_of_answer(answer, spans, marked),
        _string(row.get("username")),
    )


def _answer_of_marks(spans: Spans, marked: Spans, is_approved: bool) -> Answer | None:
    """Return the answer of a document whose project has no categories."""
    if is_approved:
        return Answer.TA if spans else None if marked else Answer.NTA
    return Answer.TA if spans and spans != marked else None


def label_studio_config() -> str:
    """Return the configuration of a project, for its settings: "Labeling Interface", "Code"."""
    return (files(__package__) / "label_studio.xml").read_text(encoding="utf-8")


def write_label_studio(to: Destination, items: Iterable[Exported]) -> int:
    return write_json(to, map(_as_task, items), lines=False)


def _as_task(item: Exported) -> Json:
    marked = triples(item.marked, item.text, Counting.CODE_POINTS)
    data = {"text": item.text, **_about(item), "marked": marked}
    regions = [
        _result(
            f"{_IDENTIFIERS}{number}",
            _IDENTIFIERS,
            "labels",
            {"start": start, "end": end, "text": item.text[start:end], "labels": [type_.value]},
        )
        for number, (start, end, type_) in enumerate(item.marked, 1)
    ]
    if item.answer is None:
        # Without a choice: Label Studio would preselect it before anybody has looked.
        score = {"score": item.votes.score} if item.votes else {}
        return {
            "data": data,
            "predictions": [{"model_version": "triage", **score, "result": regions}],
        }
    chosen = _result(_ANSWER, _ANSWER, "choices", {"choices": [item.answer.value]})
    is_skipped = item.answer is Answer.SKIP
    result = [] if is_skipped else [chosen, *regions]
    return {"data": data, "annotations": [{"was_cancelled": is_skipped, "result": result}]}


def _result(id_: str, control: str, type_: str, value: Json) -> Json:
    return {"id": id_, "from_name": control, "to_name": _TEXT, "type": type_, "value": value}


def read_label_studio(path: Path, errors: RowErrors, _: bool) -> Iterator[Imported]:
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
            if not isinstance(task, dict):
                raise TriageError("it is not a JSON object")
            yield from _of_task(where, task) if "data" in task else [_of_annotation(where, task)]


def _of_annotation(where: str, row: Json) -> Imported:
    if not row.keys() & _OF_ANNOTATIONS:
        raise TriageError("it has neither data nor an annotation, as tasks of Label Studio have")
    choice, regions = row.get(_ANSWER, []), _list(row.get(_IDENTIFIERS, []))
    answer = only_answer([choice] if isinstance(choice, str) else _list(choice))
    return _row(where, row, row.get("annotator"), answer, regions)


def _of_task(where: str, task: Json) -> list[Imported]:
    data, annotations = task["data"], task.get("annotations", [])
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise TriageError("its data or annotations are not as Label Studio exports them")
    rows = []
    for number, found in enumerate(annotations, 1):
        if not isinstance(found, dict) or not isinstance(found.get("result", []), list):
            raise TriageError("an annotation is not as Label Studio exports them")
        results = [] if found.get("was_cancelled") else found.get("result", [])
        chosen = [v for one in _values(results, "choices") for v in _list(one.get("choices"))]
        answer = Answer.SKIP if found.get("was_cancelled") else only_answer(chosen)
        place = where if len(annotations) == 1 else f"{where}, annotation {number}"
        regions = _values(results, "labels")
        rows.append(_row(place, data, found.get("completed_by"), answer, regions))
    if not rows:
        digest, text = _string(data.get("digest")), read_text(data.get("text"))
        return [Imported(where, digest, text, None, (), "")]
    finished = {row.annotator for row in rows if row.answer is not Answer.SKIP}
    return [row for row in rows if row.answer is not Answer.SKIP or row.annotator not in finished]


def _values(results: list[object], type_: str) -> list[Json]:
    found = [
        one.get("value") for one in results if isinstance(one, dict) and one.get("type") == type_
    ]
    values = [value for value in found if isinstance(value, dict)]
    if len(values) < len(found):
        raise TriageError(f"a result of type {type_} has no value")
    return values


def _list(value: object) -> list[object]:
    return as_list(value, "choices or labels")


def _region(value: object) -> Mark:
    if not isinstance(value, dict):
        raise TriageError("an identifier is not a JSON object")
    labels = _list(value.get("labels", []))
    if len(labels) != 1:
        raise TriageError(f"an identifier has {len(labels) or 'no'} types: give it one")
    return read_mark(value.get("start"), value.get("end"), labels[0], value.get("text"))


def _row(
    where: str, data: Json, by: object, answer: Answer | None, regions: Sequence[object]
) -> Imported:
    text = read_text(data.get("text"))
    spans = _spans_of_regions([_region(value) for value in regions], text)
    exported = spans_of(read_triples(data.get("marked", [])), text)
    # Submitting a task answers it, also in a project without choices.
    answer = answer or (Answer.TA if spans else Answer.NTA)
    # The annotator's e-mail address where the export has it, else their number.
    name = (by.get("email") or by.get("id")) if isinstance(by, dict) else by
    return Imported(
        where,
        _string(data.get("digest")),
        text,
        answer,
        spans_of_answer(answer, spans, exported),
        str(name) if isinstance(name, str | int) else "",
    )


def _spans_of_regions(marks: list[Mark], text: str) -> Spans:
    """Return the spans of marks in the first unit in which all cover the text that they hold."""
    for counting in (Counting.CODE_POINTS, Counting.UTF16):
        try:
            spans = [spans_of([mark], text, counting)[0] for mark in marks]
        except TriageError:
            continue
        covered = [_collapsed(text[span.start : span.end]) for span in spans]
        stated = [mark.text for mark in marks]
        if all(s is None or _collapsed(s) == c for s, c in zip(stated, covered, strict=True)):
            return spans_of(marks, text, counting)
    spans_of(marks, text)
    raise TriageError(
        "an identifier does not cover the text that it says: mark it again in Label Studio"
    )


def _collapsed(text: str) -> str:
    return " ".join(text.replace("\\n", "\n").split())
