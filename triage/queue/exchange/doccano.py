"""doccano: JSON Lines, a document on each line.

Written for a project of "intent detection and slot filling", whose documents have identifiers
(``entities``) and a category (``cats``): the answer. A document without category has not been
answered, whatever is marked in it. Other keys are metadata, which doccano gives back.

Sequence labelling (``label``, or ``entities`` with ``relations``) is read too. It has no
answers: see `_answer_of_marks`.

doccano shows texts in a browser and counts as JavaScript does, in UTF-16 code units; a project
made with "count grapheme clusters as one character" counts these. A file does not say which.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import TriageError
from ...vocabulary import Spans, check_spans
from ..records import Answer
from .faults import Faults
from .json_files import read_characters, read_json_lines, write_json_lines
from .marks import (
    Mark,
    only_answer,
    read_mark,
    read_text,
    read_triples,
    settled,
    spans_of,
)
from .offsets import Counting, is_neat, trimmed, utf16_spans
from .records import Exported, Imported, about


def write_doccano(path: Path, items: Iterable[Exported], *, overwrite: bool = False) -> int:
    """Write items for doccano; return how many."""
    return write_json_lines(path, map(_document, items), overwrite=overwrite)


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
    """A line of a file, its offsets as they are."""

    where: str
    text: str
    digest: str
    annotator: str
    marks: list[Mark]
    marked: list[Mark]
    answer: Answer | None
    has_category: bool
    is_approved: bool


def read_doccano(path: Path, faults: Faults, *, approved: bool = False) -> Iterator[Imported]:
    """Yield the documents of a file of doccano.

    Parameters
    ----------
    path : Path
    faults : Faults
        Takes what is wrong with lines.
    approved : bool, default False
        Whether the file holds approved documents alone.
    """
    documents = []
    for where, row in read_json_lines(read_characters(path), faults):
        with faults.of(where):
            documents.append(_read_document(where, row, approved))
    counting = _counting_of(documents)
    for document in documents:
        with faults.of(document.where):
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
        # What a project does not know goes through it untouched: our own entities and cats too.
        found = _list(labels)
        if found and all(isinstance(label, str) for label in found):
            return [], found
        return read_triples(found), None
    if not row.keys() & {"entities", "cats"}:
        raise TriageError("it has neither entities, cats nor label, as documents of doccano have")
    marks = _entities(row.get("entities", []))
    return marks, None if "relations" in row else _list(row.get("cats", []))


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TriageError("its labels are not a list")
    return value


def _entities(value: object) -> list[Mark]:
    entities = _list(value)
    if not any(isinstance(entity, dict) for entity in entities):
        return read_triples(entities)
    return [_entity(entity) for entity in entities]


def _entity(entity: object) -> Mark:
    if not isinstance(entity, dict):
        raise TriageError("its entities are not all of one form")
    return read_mark(entity.get("start_offset"), entity.get("end_offset"), entity.get("label"))


def _counting_of(documents: list[_Document]) -> Counting:
    """Return how a file counts: the way in which the marks of most documents are neat."""
    ways = (Counting.UTF16, Counting.GRAPHEMES, Counting.CODE_POINTS)
    telling = [document for document in documents if _tells(document)]
    return max(ways, key=lambda way: sum(_fits(document, way) for document in telling))


def _tells(document: _Document) -> bool:
    """Return whether new marks stand elsewhere if they are counted otherwise."""
    if document.text.isascii() and "\r" not in document.text:
        return False
    return len({_new_spans(document, way) for way in Counting}) > 1


def _fits(document: _Document, way: Counting) -> bool:
    spans = _new_spans(document, way)
    return spans is not None and is_neat(document.text, trimmed(document.text, spans))


def _new_spans(document: _Document, way: Counting) -> Spans | None:
    """Return where the marks stand that did not go out with the document; None if nowhere."""
    try:
        return spans_of(_new(document), document.text, way)
    except TriageError:
        return None


def _new(document: _Document) -> list[Mark]:
    return [mark for mark in document.marks if mark not in document.marked]


def _imported(document: _Document, counting: Counting) -> Imported:
    # What went out was counted in UTF-16, and comes back so from any project.
    marked = spans_of(document.marked, document.text, Counting.UTF16)
    kept = [mark for mark in document.marks if mark in document.marked]
    old = spans_of(kept, document.text, Counting.UTF16)
    new = trimmed(document.text, spans_of(_new(document), document.text, counting))
    spans = check_spans([*{*old, *new}], len(document.text))
    answer = document.answer if document.has_category else _answer_of_marks(document, spans, marked)
    return Imported(
        where=document.where,
        digest=document.digest,
        text=document.text,
        answer=answer,
        spans=settled(answer, spans or _unseen(answer, marked), marked),
        annotator=document.annotator,
    )


def _unseen(answer: Answer | None, marked: Spans) -> Spans:
    """Return the suggestions where a TA came back with nothing marked.

    A project that does not share annotations shows suggestions to nobody but who imported them:
    that they are gone does not mean that somebody took them away.
    """
    return marked if answer is Answer.TA else ()


def _answer_of_marks(document: _Document, spans: Spans, marked: Spans) -> Answer | None:
    """Return the answer of a document whose project has no categories.

    An approved document is answered, unless its suggestions are gone and nothing is in their place:
    perhaps nobody has seen them. Of others only this is sure: marks that did not come with the
    document were made by a person.
    """
    if document.is_approved:
        return Answer.TA if spans else None if marked else Answer.NTA
    return Answer.TA if spans and spans != marked else None
