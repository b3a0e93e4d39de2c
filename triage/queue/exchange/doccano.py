"""doccano: JSON Lines, a document on each line.

Written for a project of "intent detection and slot filling", whose documents have identifiers
(``entities``) and a category (``cats``): the answer. A document without category has not been
answered, whatever is marked in it. Other keys are metadata, which doccano returns unchanged.

Sequence labelling (``label``, or ``entities`` with ``relations``) is read too. It has no
answers; `_answer_of_marks` derives them.

doccano counts as JavaScript does, in UTF-16 code units; a project made with "count grapheme
clusters as one character" counts these. A file does not say which.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import TriageError
from ...vocabulary import Spans, check_spans
from ..records import Answer
from .marks import (
    Counting,
    Mark,
    is_plausible,
    only_answer,
    read_mark,
    read_text,
    read_triples,
    spans_of,
    spans_of_answer,
    trimmed,
    utf16_spans,
)
from .records import (
    Destination,
    Exported,
    Imported,
    RowErrors,
    about,
    as_list,
    read_json_lines,
    write_json,
)


def write_doccano(to: Destination, items: Iterable[Exported]) -> int:
    """Write items for doccano; return how many."""
    return write_json(to, map(_document, items), lines=True)


def _document(item: Exported) -> dict[str, object]:
    marked = utf16_spans(item.text, item.marked)
    return {
        "text": item.text,
        "entities": marked,
        "cats": [] if item.answer is None else [item.answer.value],
        **about(item),
        "marked": marked,
    }


@dataclass(frozen=True)
class _Document:
    """A line of a file, its offsets not converted yet."""

    where: str
    text: str
    digest: str
    annotator: str
    marks: list[Mark]
    marked: list[Mark]
    answer: Answer | None
    has_category: bool
    is_approved: bool


def read_doccano(path: Path, errors: RowErrors, *, approved: bool = False) -> Iterator[Imported]:
    """Yield the documents of a file; `approved` says that it holds only approved ones."""
    documents = []
    for where, row in read_json_lines(path, errors):
        with errors.of(where):
            documents.append(_read_document(where, row, approved))
    counting = _counting_of(documents)
    for document in documents:
        with errors.of(document.where):
            yield _imported(document, counting)


def _read_document(where: str, row: dict[str, object], approved: bool) -> _Document:
    marks, cats = _labels(row)
    approver = row.get("annotation_approver")
    username, digest = row.get("username"), row.get("digest")
    return _Document(
        where=where,
        text=read_text(row.get("text", row.get("data"))),
        digest=digest if isinstance(digest, str) else "",
        annotator=username if isinstance(username, str) else "",
        marks=marks,
        marked=read_triples(row.get("marked", [])),
        answer=only_answer(cats or []),
        has_category=cats is not None,
        is_approved=approved or bool(approver),
    )


def _labels(row: dict[str, object]) -> tuple[list[Mark], list[object] | None]:
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
    marks = _entities(row.get("entities", []))
    return marks, None if "relations" in row else as_list(row.get("cats", []), "labels")


def _entities(value: object) -> list[Mark]:
    entities = as_list(value, "labels")
    if not any(isinstance(entity, dict) for entity in entities):
        return read_triples(entities)
    marks = []
    for entity in entities:
        if not isinstance(entity, dict):
            raise TriageError("its entities are not all of one form")
        marks.append(
            read_mark(entity.get("start_offset"), entity.get("end_offset"), entity.get("label"))
        )
    return marks


def _counting_of(documents: list[_Document]) -> Counting:
    """Return the unit in which the marks of most documents are plausible."""
    units = (Counting.UTF16, Counting.GRAPHEMES, Counting.CODE_POINTS)
    ambiguous = [document for document in documents if _is_ambiguous(document)]
    return max(units, key=lambda unit: sum(_fits(document, unit) for document in ambiguous))


def _is_ambiguous(document: _Document) -> bool:
    """Tell whether the place of new marks depends on the unit."""
    if document.text.isascii() and "\r" not in document.text:
        return False
    return len({_new_spans(document, unit) for unit in Counting}) > 1


def _fits(document: _Document, unit: Counting) -> bool:
    spans = _new_spans(document, unit)
    return spans is not None and is_plausible(document.text, trimmed(document.text, spans))


def _new_spans(document: _Document, unit: Counting) -> Spans | None:
    """Return the spans of marks that were not exported; None if they do not fit the text."""
    try:
        return spans_of(_new(document), document.text, unit)
    except TriageError:
        return None


def _new(document: _Document) -> list[Mark]:
    return [mark for mark in document.marks if mark not in document.marked]


def _imported(document: _Document, counting: Counting) -> Imported:
    # Exported marks were counted in UTF-16, and any project returns them so.
    marked = spans_of(document.marked, document.text, Counting.UTF16)
    kept = [mark for mark in document.marks if mark in document.marked]
    old = spans_of(kept, document.text, Counting.UTF16)
    new = trimmed(document.text, spans_of(_new(document), document.text, counting))
    spans = check_spans([*{*old, *new}], len(document.text))
    answer = document.answer if document.has_category else _answer_of_marks(document, spans, marked)
    if answer is Answer.TA:
        # A project that does not share annotations shows suggestions only to whoever imported
        # them: that none came back does not mean that somebody removed them.
        spans = spans or marked
    return Imported(
        where=document.where,
        digest=document.digest,
        text=document.text,
        answer=answer,
        spans=spans_of_answer(answer, spans, marked),
        annotator=document.annotator,
    )


def _answer_of_marks(document: _Document, spans: Spans, marked: Spans) -> Answer | None:
    """Return the answer of a document whose project has no categories."""
    if document.is_approved:
        return Answer.TA if spans else None if marked else Answer.NTA
    return Answer.TA if spans and spans != marked else None
