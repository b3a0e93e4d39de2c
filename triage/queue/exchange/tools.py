r"""Annotation tools: doccano, Label Studio, brat.

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

brat standoff is a folder with a text file and an annotation file for each message. Offsets are
code points. An identifier that goes over a line break is written in pieces, as brat refuses a line
break in the text of an annotation. brat has no place for ids and answers: they are in
`messages.jsonl`, which it ignores (https://brat.nlplab.org/standoff.html, and brat's
``server/src/annotation.py``).
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from triage.data.errors import whole_characters

from ...errors import TriageError
from ...safe import FolderKind
from ...vocabulary import IdentifierType, Span, Spans, check_spans
from ..records import Answer
from .rows import (
    Counting,
    Destination,
    Mark,
    Row,
    RowErrors,
    as_string,
    only_answer,
    positions,
    read_characters,
    read_json,
    read_json_lines,
    read_mark,
    read_marks,
    read_text,
    solid,
    spans_of,
    spans_of_answer,
    trimmed,
    triples,
)

Json = dict[str, Any]
# The first in which most documents of doccano are plausible.
_UNITS = (Counting.UTF16, Counting.GRAPHEMES, Counting.CODE_POINTS)
_ANSWER, _IDENTIFIERS, _TEXT = "answer", "identifiers", "text"
# An annotation of JSON-MIN has some of these keys even if nothing is marked in it.
_OF_ANNOTATIONS = {_ANSWER, _IDENTIFIERS, "annotator", "annotation_id"}


# doccano


def write_doccano(to: Destination, rows: Iterable[Row]) -> int:
    return to.json(map(_as_document, rows), lines=True)


def _as_document(row: Row) -> Json:
    marked, cats = triples(row, Counting.UTF16), [row.answer] if row.answer else []
    said = {"text": row.text, "entities": marked, "cats": cats}
    return said | row.metadata | {"marked": marked}


class _Document(NamedTuple):
    """A document, its offsets not converted yet; `marked` are those that went out."""

    where: str
    row: Json
    text: str
    marks: list[Mark]
    marked: list[Mark]
    cats: list[object] | None

    def new(self, counting: Counting) -> Spans:
        """Return the spans of the marks that did not go out."""
        new = [mark for mark in self.marks if mark not in self.marked]
        return trimmed(self.text, spans_of(new, self.text, counting))


def read_doccano(path: Path, errors: RowErrors, approved: bool) -> Iterator[Row]:
    """Yield the documents of a file; `approved` says that it holds only approved ones."""
    documents = []
    for where, row in read_json_lines(path, errors):
        with errors.of(where):
            documents.append(_document(where, row))
    fitting = Counter(unit for document in documents for unit in _plausible_units(document))
    counting = max(_UNITS, key=lambda unit: fitting[unit])
    for document in documents:
        with errors.of(document.where):
            yield _of_document(document, counting, approved)


def _document(where: str, row: Json) -> _Document:
    """Return a document with its marks and its categories, None where its project has none."""
    entities, cats = row.get("label", row.get("labels")), None
    if entities is None:
        if not row.keys() & {"entities", "cats"}:
            raise TriageError("it has neither entities, cats nor label, as documents have")
        entities = row.get("entities", [])
        cats = None if "relations" in row else row.get("cats", [])
    # A project returns keys that it does not know, our own entities and cats among them.
    elif entities and all(isinstance(label, str) for label in entities):
        entities, cats = [], entities
    only_answer(cats or [])
    text = read_text(row.get("text", row.get("data")))
    return _Document(
        where, row, text, read_marks(entities), read_marks(row.get("marked", [])), cats
    )


def _plausible_units(document: _Document) -> list[Counting]:
    """Return the units in which the new marks cover whole words, if they tell units apart."""
    text = document.text
    found: dict[Counting, Spans | None] = {}
    if text.isascii() and "\r" not in text:
        return []
    for unit in _UNITS:
        try:
            found[unit] = document.new(unit)
        except TriageError:
            found[unit] = None
    if len({*found.values()}) == 1:
        return []
    return [unit for unit, spans in found.items() if spans is not None and _is_whole(text, spans)]


def _is_whole(text: str, spans: Spans) -> bool:
    """Return whether spans cover whole words and characters, as people mark them."""
    whole = set(positions(text, Counting.GRAPHEMES).values())
    edges = {edge for span in spans for edge in (span.start, span.end)}
    within = (text[edge - 1 : edge + 1] for edge in edges - {0, len(text)})
    return (
        edges <= whole
        and not any(one[0].isalnum() and one[1].isalnum() for one in within)
        and all(text[span.start : span.end].strip() for span in spans)
    )


def _of_document(document: _Document, counting: Counting, approved: bool) -> Row:
    text, row = document.text, document.row
    # Exported marks were counted in UTF-16, and any project returns them so.
    marked = spans_of(document.marked, text, Counting.UTF16)
    kept = [mark for mark in document.marks if mark in document.marked]
    old = spans_of(kept, text, Counting.UTF16)
    spans = check_spans([*{*old, *document.new(counting)}], len(text))
    if document.cats is None:
        is_approved = approved or bool(row.get("annotation_approver"))
        answer = _answer_of_marks(spans, marked, is_approved)
    else:
        answer = only_answer(document.cats)
    if answer is Answer.TA:
        # A project that does not share annotations shows suggestions only to whoever imported
        # them: that none came back does not mean that somebody removed them.
        spans = spans or marked
    spans = spans_of_answer(answer, spans, marked)
    return Row("", text, spans, answer, row, as_string(row.get("username")), document.where)


def _answer_of_marks(spans: Spans, marked: Spans, is_approved: bool) -> Answer | None:
    """Return the answer of a document whose project has no categories."""
    if is_approved:
        return Answer.TA if spans else None if marked else Answer.NTA
    return Answer.TA if spans and spans != marked else None


# Label Studio


def write_label_studio(to: Destination, rows: Iterable[Row]) -> int:
    return to.json(map(_as_task, rows), lines=False)


def _as_task(row: Row) -> Json:
    data = {"text": row.text, **row.metadata, "marked": triples(row)}
    regions = [
        _result(
            f"{_IDENTIFIERS}{number}",
            _IDENTIFIERS,
            "labels",
            {"start": start, "end": end, "text": row.text[start:end], "labels": [type_.value]},
        )
        for number, (start, end, type_) in enumerate(row.spans, 1)
    ]
    if row.answer is None:
        # Without a choice: Label Studio would preselect it before anybody has looked.
        score = {"score": row.about["model_score"]} if "model_score" in row.about else {}
        prediction = {"model_version": "triage", **score, "result": regions}
        return {"data": data, "predictions": [prediction]}
    chosen = _result(_ANSWER, _ANSWER, "choices", {"choices": [row.answer.value]})
    is_skipped = row.answer is Answer.SKIP
    result = [] if is_skipped else [chosen, *regions]
    return {"data": data, "annotations": [{"was_cancelled": is_skipped, "result": result}]}


def _result(id_: str, control: str, type_: str, value: Json) -> Json:
    return {"id": id_, "from_name": control, "to_name": _TEXT, "type": type_, "value": value}


def read_label_studio(path: Path, errors: RowErrors, _: bool) -> Iterator[Row]:
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
            yield from _of_task(where, task)


def _of_task(where: str, task: Json) -> list[Row]:
    data, annotations = task.get("data", task), task.get("annotations", [])
    if "data" not in task:
        if not task.keys() & _OF_ANNOTATIONS:
            raise TriageError(
                "it has neither data nor an annotation, as tasks of Label Studio have"
            )
        chosen, regions = task.get(_ANSWER, []), task.get(_IDENTIFIERS, [])
        chosen = {"choices": [chosen] if isinstance(chosen, str) else chosen}
        results = [{"type": "choices", "value": chosen}]
        results += [{"type": "labels", "value": region} for region in regions]
        annotations = [{"completed_by": task.get("annotator"), "result": results}]
    text = read_text(data.get("text"))
    rows = []
    for number, annotation in enumerate(annotations, 1):
        place = where if len(annotations) == 1 else f"{where}, annotation {number}"
        rows.append(_of_annotation(place, text, data, annotation))
    finished = {row.annotator for row in rows if row.answer is not Answer.SKIP}
    kept = [row for row in rows if row.answer is not Answer.SKIP or row.annotator not in finished]
    return kept or [Row("", text, about=data, where=where)]


def _of_annotation(where: str, text: str, data: Json, annotation: Json) -> Row:
    is_skipped = annotation.get("was_cancelled")
    results = [] if is_skipped else annotation.get("result", [])
    chosen = [
        choice
        for one in results
        if one.get("type") == "choices"
        for choice in one["value"]["choices"]
    ]
    marks = [_region(one["value"]) for one in results if one.get("type") == "labels"]
    spans = _spans_of_regions(marks, text)
    # Submitting a task answers it, also in a project without choices.
    answer = only_answer(chosen) or (Answer.TA if spans else Answer.NTA)
    exported = spans_of(read_marks(data.get("marked", [])), text)
    # The annotator's e-mail address where the export has it, else their number.
    by = annotation.get("completed_by")
    name = (by.get("email") or by.get("id")) if isinstance(by, dict) else by
    return Row(
        "",
        text,
        spans_of_answer(answer, spans, exported),
        Answer.SKIP if is_skipped else answer,
        data,
        str(name) if isinstance(name, str | int) else "",
        where,
    )


def _region(value: Json) -> Mark:
    labels = value.get("labels", [])
    if len(labels) != 1:
        raise TriageError(f"an identifier has {len(labels) or 'no'} types: give it one")
    return read_mark(value.get("start"), value.get("end"), labels[0], value.get("text"))


def _spans_of_regions(marks: list[Mark], text: str) -> Spans:
    """Return the spans of marks in the first unit in which all cover the text that they hold."""
    for counting in (Counting.CODE_POINTS, Counting.UTF16):
        try:
            spans = [spans_of([mark], text, counting)[0] for mark in marks]
        except TriageError:
            continue
        covered = [_collapsed(text[span.start : span.end]) for span in spans]
        stated = [
            covered if m.text is None else _collapsed(m.text)
            for m, covered in zip(marks, covered, strict=True)
        ]
        if stated == covered:
            return spans_of(marks, text, counting)
    spans_of(marks, text)
    raise TriageError(
        "an identifier does not cover the text that it says: mark it again in Label Studio"
    )


def _collapsed(text: str) -> str:
    return " ".join(text.replace("\\n", "\n").split())


# brat

_CONFIGURATION, _INDEX = "annotation.conf", "messages.jsonl"
BRAT_FOLDER = FolderKind(_CONFIGURATION, (".ann", ".conf", ".jsonl", ".txt"))
_TYPES = "\n".join(IdentifierType)
_SECTIONS = f"[entities]\n{_TYPES}\n\n[relations]\n\n[events]\n\n[attributes]\n"
# T1<tab>PRE 0 7<tab>Patrice; of an identifier in pieces, PRE 0 5;6 10.
_PLACE = "[0-9]{1,9} [0-9]{1,9}"
_PLACES = re.compile(rf"(?P<type>\S+) (?P<places>{_PLACE}(?:;{_PLACE})*)")


def write_brat(to: Destination, rows: Iterable[Row]) -> int:
    n_written = 0
    with to.stage(BRAT_FOLDER) as stage:
        folder = stage.place
        (folder / _CONFIGURATION).write_bytes(_SECTIONS.encode())
        with (folder / _INDEX).open("wb") as index:
            for n_written, row in enumerate(rows, 1):
                name, text = f"{n_written:06d}", whole_characters(row.text)
                spans = solid(row)
                lines = [f"T{n}\t{_annotation(text, one)}\n" for n, one in enumerate(spans, 1)]
                known = {
                    "document": name,
                    "id": whole_characters(row.id),
                    "answer": row.answer,
                    "marked": spans,
                }
                (folder / f"{name}.txt").write_bytes(text.encode())
                (folder / f"{name}.ann").write_bytes("".join(lines).encode())
                index.write(f"{json.dumps(known, ensure_ascii=False)}\n".encode())
    return n_written


def _annotation(text: str, span: Span) -> str:
    """Return the places of the lines of an identifier, without line breaks, and their texts."""
    pieces, start = [], span.start
    for line in text[span.start : span.end].splitlines(keepends=True):
        content = "".join(line.splitlines())
        if content:
            pieces.append((start, start + len(content)))
        start += len(line)
    places = ";".join(f"{start} {end}" for start, end in pieces)
    return f"{span.type} {places}\t{' '.join(text[start:end] for start, end in pieces)}"


def is_brat(folder: Path) -> bool:
    return folder.is_dir() and ((folder / _CONFIGURATION).exists() or any(folder.glob("*.ann")))


def read_brat(folder: Path, errors: RowErrors, approved: bool) -> Iterator[Row]:
    index: dict[str, Mapping[str, Any]] = {}
    if (folder / _INDEX).exists() and (folder / _INDEX).stat().st_size:
        rows = read_json_lines(folder / _INDEX, errors)
        index = {str(row.get("document")): row for _, row in rows}
    for path in sorted(folder.glob("*.txt")):
        where = f"document {path.stem}"
        with errors.of(where):
            yield _of_files(where, path, index.get(path.stem), approved)


def _of_files(where: str, path: Path, known: Mapping[str, Any] | None, approved: bool) -> Row:
    text, beside = read_characters(path, may_be_empty=True), path.with_suffix(".ann")
    annotations = read_characters(beside, may_be_empty=True) if beside.exists() else ""
    lines = [line for line in annotations.split("\n") if line.startswith("T")]
    spans = spans_of([_mark(line, text) for line in lines], text)
    answer: Answer | None = Answer.TA if spans else Answer.NTA
    if known is not None:
        marked = spans_of(read_marks(known["marked"]), text)
        before = only_answer([known["answer"]] if known.get("answer") else [])
        if spans == marked and not (approved and before is None):
            answer = before
    id_ = as_string(known.get("id")) if known else path.stem
    return Row(id_, text, spans if answer is Answer.TA else (), answer, where=where)


def _mark(line: str, text: str) -> Mark:
    """Return the identifier of a line; TriageError if other words stand between its pieces."""
    id_, _, rest = line.partition("\t")
    found = _PLACES.fullmatch(rest.partition("\t")[0].strip())
    if found is None:
        raise TriageError(f"its annotation {id_[:8]} is none of brat: a type, a start and an end")
    places = [tuple(map(int, place.split())) for place in found["places"].split(";")]
    for (_, end), (start, _) in pairwise(places):
        if text[end:start].strip() or not 0 <= end <= start:
            raise TriageError(f"its annotation {id_[:8]} is in pieces: make one of each piece")
    return read_mark(places[0][0], places[-1][1], found["type"])
