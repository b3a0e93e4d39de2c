"""The exchange with other tools: for each format a function to write rows and one to read them.

A function to read notes what is wrong with a row and goes on behind it, so that all of it is told
at once. What each tool counts, keeps and drops: docs/guide/tools.md.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from enum import StrEnum
from functools import partial
from importlib.resources import files
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import NamedTuple

from triage.data import Dialect, Format, as_text, open_messages
from triage.data.columns import shown_cell
from triage.data.errors import ColumnError, require, whole_characters
from triage.dictionaries.words import plain_words

from .. import safe
from ..errors import TriageError, reading, some_of
from ..vocabulary import IdentifierType, Prediction, Span, Spans, check_spans
from .records import Answer
from .rows import Counting, Destination, Json, Row, by_marks, cluster_starts, spans_of, trimmed
from .words import refused

# Gives a context that notes the fault of a row by its place, and lets reading go on behind it.
FaultsAt = Callable[[str], AbstractContextManager[None]]
# What a row raises that is not in the form of its format.
OTHER_FORM = (AttributeError, KeyError, RecursionError, TypeError, ValueError)
# `int` refuses NaN and Infinity, which JSON has not.
parsed = partial(json.loads, parse_constant=int)
as_json = partial(json.dumps, ensure_ascii=False, allow_nan=False)
# The first in which most documents are plausible.
_UNITS = (Counting.UTF16, Counting.GRAPHEMES, Counting.CODE_POINTS)
_ANSWER, _IDENTIFIERS, _TEXT = "answer", "identifiers", "text"


def as_string(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_mark(start: object, end: object, type_: object) -> Span:
    """Return the mark of a tool, in its own unit; it need not fit a text."""
    kind = as_string(type_).strip().upper()
    if kind not in IdentifierType.__members__:
        raise refused("no_type", type=shown_cell(type_), types=", ".join(IdentifierType))
    # Some programs turn 3 into 3.0.
    first, last = (int(n) if isinstance(n, float) and n.is_integer() else n for n in (start, end))
    if type(first) is not int or type(last) is not int:
        raise TriageError("an identifier starts or ends at what is no whole number")
    return Span(first, last, IdentifierType(kind))


def read_marks(places: object) -> list[Span]:
    """Return the marks of lists of ``[start, end, type]``, or of objects of doccano."""
    keys = ("start_offset", "end_offset", "label")
    if not isinstance(places, list):
        raise TypeError(places)
    triples = ([one[key] for key in keys] if isinstance(one, dict) else one for one in places)
    return [read_mark(*one) for one in triples]


def read_text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TriageError("the text is missing")
    return whole_characters(value)


def only_answer(values: Iterable[object]) -> Answer | None:
    """Return the answer in a list, in either case; None if it is empty."""
    answers = set()
    for value in values:
        answer = as_string(value).strip().upper()
        if answer not in Answer.__members__:
            raise TriageError(f"{shown_cell(value)} is no answer: say TA, NTA or SKIP")
        answers.add(Answer(answer))
    if len(answers) > 1:
        raise TriageError("it has several answers: leave one")
    return next(iter(answers), None)


def read_characters(path: Path, *, may_be_empty: bool = False) -> str:
    with reading(str(path)):
        content = safe.read_file(path)
    try:
        text = content.decode("utf-8" if may_be_empty else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise TriageError(f"{path} is not UTF-8: export it again, and leave it as it is") from error
    if not (may_be_empty or text.strip()):
        raise TriageError(f"{path} is empty: export it again")
    return text


def lines_of(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_characters(path).split("\n"), 1):
        if line.strip():
            yield f"line {number}", line


def write_doccano(to: Destination, rows: Iterable[Row]) -> int:
    def document(row: Row) -> str:
        marked, cats = row.counted(Counting.UTF16), [row.answer] if row.answer else []
        entry = {"text": row.text, "entities": marked, "cats": cats}
        return f"{as_json(entry | row.about | {'marked': marked})}\n"

    return to.text(map(document, rows))


def read_doccano(path: Path, approved: bool, faults_at: FaultsAt) -> Iterator[Row]:
    """Read documents, whose unit is the one in which most are plausible."""
    lines, fitting = [*lines_of(path)], Counter[Counting]()
    for _, line in lines:
        with suppress(TriageError, *OTHER_FORM):
            _, text, _, (_, _, new) = _document(line)
            for unit in _UNITS:
                with suppress(TriageError):
                    fitting[unit] += _is_whole(text, trimmed(text, spans_of(new, text, unit)))
    counting = max(_UNITS, key=lambda unit: fitting[unit])
    for where, line in lines:
        with faults_at(where):
            row, text, cats, (*exported, new) = _document(line)
            # Exported marks were counted in UTF-16, and any project returns them so.
            marked, kept = (spans_of(marks, text, Counting.UTF16) for marks in exported)
            added = trimmed(text, spans_of(new, text, counting))
            spans = check_spans({*kept, *added}, len(text))
            answer, is_approved = None, approved or bool(row.get("annotation_approver"))
            if cats is not None:
                answer = only_answer(cats)
            elif (spans and spans != marked) or (is_approved and (spans or not marked)):
                answer = by_marks(spans)
            # A project that does not share annotations shows suggestions only to whoever imported
            # them: that none came back of a TA does not mean that somebody removed them.
            spans = spans or marked if answer is Answer.TA else spans
            annotator = as_string(row.get("username"))
            yield Row("", text, spans, answer, row, annotator, where).checked(marked)


def _document(line: str) -> tuple[Json, str, list[object] | None, list[list[Span]]]:
    """Return a document: its row, text, categories if any, and marks (sent, kept, added)."""
    row: Json = dict(parsed(line).items())
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
    marks, marked = read_marks(entities), read_marks(row.get("marked", []))
    kept, new = ([m for m in marks if (m in marked) is out] for out in (True, False))
    return row, text, cats, [marked, kept, new]


def _is_whole(text: str, spans: Spans) -> bool:
    """Return whether spans cover whole words and characters, as people mark them."""
    starts = [*cluster_starts(text), True]
    edges = {edge for span in spans for edge in (span.start, span.end)}
    within = (text[edge - 1 : edge + 1] for edge in edges - {0, len(text)})
    return (
        all(starts[edge] for edge in edges)
        and not any(one[0].isalnum() and one[1].isalnum() for one in within)
        and all(text[span.start : span.end].strip() for span in spans)
    )


def write_label_studio(to: Destination, rows: Iterable[Row]) -> int:
    def result(id_: str, control: str, type_: str, value: Json) -> Json:
        return {"id": id_, "from_name": control, "to_name": _TEXT, "type": type_, "value": value}

    def task(row: Row) -> Json:
        data = {"text": row.text, **row.about, "marked": row.counted()}
        regions = []
        for number, (start, end, type_) in enumerate(row.spans, 1):
            value = {"start": start, "end": end, "text": row.text[start:end], "labels": [type_]}
            regions.append(result(f"{_IDENTIFIERS}{number}", _IDENTIFIERS, "labels", value))
        if row.answer is None:
            # Without a choice: Label Studio would preselect it before anybody has looked.
            score = {"score": row.about["model_score"]} if "model_score" in row.about else {}
            prediction = {"model_version": "triage", **score, "result": regions}
            return {"data": data, "predictions": [prediction]}
        is_skipped = row.answer is Answer.SKIP
        chosen = result(_ANSWER, _ANSWER, "choices", {"choices": [row.answer]})
        results = [] if is_skipped else [chosen, *regions]
        return {"data": data, "annotations": [{"was_cancelled": is_skipped, "result": results}]}

    tasks = (f"{',' * (n > 0)}\n{as_json(task(row))}" for n, row in enumerate(rows))
    return to.text(tasks, before="[", after="\n]\n")


def read_label_studio(path: Path, approved: bool, faults_at: FaultsAt) -> Iterator[Row]:
    content = read_characters(path)
    # Files of doccano are often named ``.json``.
    if content.lstrip().startswith("{"):
        yield from read_doccano(path, approved, faults_at)
        return
    try:
        tasks = parsed(content)
    except (ValueError, RecursionError) as error:
        raise TriageError(f"{path}: it is not JSON; export it again, as JSON") from error
    if not isinstance(tasks, list):
        raise refused("no_tasks", path=path)
    for position, task in enumerate(tasks, 1):
        number = task.get("id", position) if isinstance(task, dict) else position
        where = f"task {number if isinstance(number, int) else position}"
        with faults_at(where):
            yield from _rows_of_task(where, task)


def _rows_of_task(where: str, task: Json) -> list[Row]:
    data, annotations = task.get("data", task), task.get("annotations", [])
    if "data" not in task:
        # An annotation of JSON-MIN has some of these keys even if nothing is marked in it.
        if not task.keys() & {_ANSWER, _IDENTIFIERS, "annotator", "annotation_id"}:
            raise refused("no_task")
        chosen, regions = task.get(_ANSWER, []), task.get(_IDENTIFIERS, [])
        chosen = {"choices": [chosen] if isinstance(chosen, str) else chosen}
        results = [{"type": "choices", "value": chosen}]
        results += [{"type": "labels", "value": region} for region in regions]
        annotations = [{"completed_by": task.get("annotator"), "result": results}]
    text = read_text(data.get("text"))
    rows: list[Row] = []
    for number, annotation in enumerate(annotations, 1):
        place = where if len(annotations) == 1 else f"{where}, annotation {number}"
        rows.append(_row_of_annotation(place, text, data, annotation))
    finished = {row.annotator for row in rows if row.answer is not Answer.SKIP}
    kept = [row for row in rows if row.answer is not Answer.SKIP or row.annotator not in finished]
    return kept or [Row("", text, about=data, where=where)]


def _row_of_annotation(where: str, text: str, data: Json, annotation: Json) -> Row:
    is_skipped = annotation.get("was_cancelled")
    results: dict[str, list[Json]] = {"choices": [], "labels": []}
    for one in [] if is_skipped else annotation.get("result", []):
        results.setdefault(one.get("type"), []).append(one.get("value"))
    choices = [choice for value in results["choices"] for choice in value["choices"]]
    spans = _spans_of_regions(results["labels"], text)
    # Submitting a task answers it, also in a project without choices.
    answer = Answer.SKIP if is_skipped else only_answer(choices) or by_marks(spans)
    # The annotator's e-mail address where the export has it, else their number.
    who = annotation.get("completed_by")
    name = (who.get("email") or who.get("id")) if isinstance(who, dict) else who
    annotator = str(name) if isinstance(name, str | int) else ""
    exported = spans_of(read_marks(data.get("marked", [])), text)
    return Row("", text, spans, answer, data, annotator, where).checked(exported)


def _spans_of_regions(regions: list[Json], text: str) -> Spans:
    """Return the spans of regions in the first unit in which all cover the text that they hold."""
    said: dict[Span, object] = {}
    for value in regions:
        labels = value.get("labels", [])
        if len(labels) != 1:
            raise TriageError(f"an identifier has {len(labels) or 'no'} types: give it one")
        said[read_mark(value.get("start"), value.get("end"), labels[0])] = value.get("text")
    for counting in (Counting.CODE_POINTS, Counting.UTF16):
        with suppress(TriageError):
            # In the order of their marks.
            spans = spans_of(said, text, counting)
            words = (_collapsed(text[span.start : span.end]) for span in spans)
            pairs = zip((said[mark] for mark in sorted(said)), words, strict=True)
            if all(not isinstance(one, str) or _collapsed(one) == word for one, word in pairs):
                return spans
    spans_of(said, text)
    raise refused("other_words")


def _collapsed(text: str) -> str:
    return " ".join(text.replace("\\n", "\n").split())


_CONFIGURATION, _INDEX = "annotation.conf", "messages.jsonl"
BRAT_FOLDER = safe.FolderKind(_CONFIGURATION, ("*.ann", "*.conf", "*.jsonl", "*.txt"))
_TYPES = "\n".join(IdentifierType)
_SECTIONS = f"[entities]\n{_TYPES}\n\n[relations]\n\n[events]\n\n[attributes]\n"
# T1<tab>PRE 0 7<tab>Patrice; of an identifier in pieces, PRE 0 5;6 10.
_PLACE = "[0-9]{1,9} [0-9]{1,9}"
# brat reads lines as `str.splitlines` cuts them.
_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_PLACES = re.compile(rf"(?P<type>\S+) (?P<places>{_PLACE}(?:;{_PLACE})*)")


def write_brat(to: Destination, rows: Iterable[Row]) -> int:
    number = 0
    with to.stage(BRAT_FOLDER) as stage:
        folder = stage.place
        (folder / _CONFIGURATION).write_bytes(_SECTIONS.encode())
        with (folder / _INDEX).open("wb") as index:
            for number, row in enumerate(rows, 1):
                name, text, spans = f"{number:06d}", whole_characters(row.text), row.solid
                annotations = []
                for n, (start, end, type_) in enumerate(spans, 1):
                    pieces = [line.span() for line in _LINE.finditer(text, start, end)]
                    places = ";".join(f"{first} {last}" for first, last in pieces)
                    covered = " ".join(text[first:last] for first, last in pieces)
                    annotations.append(f"T{n}\t{type_} {places}\t{covered}\n")
                (folder / f"{name}.txt").write_bytes(text.encode())
                (folder / f"{name}.ann").write_bytes("".join(annotations).encode())
                about = {"document": name, "id": whole_characters(row.id), "answer": row.answer}
                index.write(f"{as_json(about | {'marked': spans})}\n".encode())
    return number


def read_brat(folder: Path, approved: bool, faults_at: FaultsAt) -> Iterator[Row]:
    """Read the documents of a folder, those of its index with what was known of them."""
    index: dict[str, Json] = {}
    listing = folder / _INDEX
    for where, line in lines_of(listing) if listing.exists() and listing.stat().st_size else ():
        with faults_at(where):
            about = dict(parsed(line).items())
            index[str(about.get("document"))] = about
    for path in sorted(folder.glob("*.txt")):
        with faults_at(f"document {path.stem}"):
            text, ann = read_characters(path, may_be_empty=True), path.with_suffix(".ann")
            annotations = read_characters(ann, may_be_empty=True) if ann.exists() else ""
            lines = [line for line in annotations.split("\n") if line.startswith("T")]
            marks, counting = _marks_and_counting(lines, text)
            spans, id_ = spans_of(marks, text, counting), path.stem
            answer: Answer | None = by_marks(spans)
            if path.stem in index:
                about = index[path.stem]
                id_, marked = as_string(about.get("id")), read_marks(about["marked"])
                before = only_answer(filter(None, [about["answer"]]))
                is_same = spans == spans_of(marked, text, counting)
                if is_same and not (approved and before is None):
                    answer = before
            yield Row(id_, text, spans, answer, where=f"document {path.stem}").checked()


def _marks_and_counting(lines: list[str], text: str) -> tuple[list[Span], Counting]:
    """Return the identifiers of lines, and the unit in which all cover the words that they say."""

    def is_said(line: str, mark: Span, written: str) -> bool:
        words = line.split("\t", 2)[2:]
        return not words or words[0].split() == written[mark.start : mark.end].split()

    # Git and editors may have changed line breaks that were counted before.
    plain = text.replace("\r\n", "\n")
    for written, counting in ((text, Counting.CODE_POINTS), (plain, Counting.PLAIN_BREAKS)):
        with suppress(TriageError):
            marks = [_mark(line, written) for line in lines]
            if all(is_said(line, mark, written) for line, mark in zip(lines, marks, strict=True)):
                return marks, counting
    marks = [_mark(line, text) for line in lines]
    if plain != text:
        raise TriageError("its line breaks were changed: bring them back as they were exported")
    return marks, Counting.CODE_POINTS


def _mark(line: str, text: str) -> Span:
    """Return the identifier of a line; TriageError if other words stand between its pieces."""
    id_, _, rest = line.partition("\t")
    match = _PLACES.fullmatch(rest.partition("\t")[0].strip())
    if match is None:
        raise TriageError(f"its annotation {id_[:8]} is none of brat: a type, a start and an end")
    places = [tuple(map(int, place.split())) for place in match["places"].split(";")]
    for (_, end), (start, _) in pairwise(places):
        if text[end:start].strip() or not 0 <= end <= start:
            raise TriageError(f"its annotation {id_[:8]} is in pieces: make one of each piece")
    return read_mark(places[0][0], places[-1][1], match["type"])


_TOKEN_COLUMNS = ("ID", "FORM", "START", "END", "IOB2")
_HEADER = "global.columns"
_OUTSIDE = "O"
_NUMBER = re.compile("[0-9]{1,9}")
_SOLID = re.compile(r"\S+")
_CARD = "README.md"
DATASETS_FOLDER = safe.FolderKind(_CARD, ("*.md", "*.parquet"))


def _tokens(text: str, spans: Spans) -> list[tuple[int, int]]:
    edges = {0, len(text), *chain.from_iterable(plain_words(text))}
    edges |= {edge for span in spans for edge in (span.start, span.end)}
    pieces = pairwise(sorted(edges))
    return [part.span() for piece in pieces for part in _SOLID.finditer(text, *piece)]


def write_iob2(to: Destination, rows: Iterable[Row]) -> int:
    def block(row: Row) -> str:
        text, spans = whole_characters(row.text), row.solid
        lines = [f"# id = {as_json(whole_characters(row.id))}"] if row.id else []
        lines += [f"# answer = {row.answer}"] if row.answer else []
        # Of any other answer than TA, only this tells which tags somebody has changed.
        is_marked = spans and row.answer is not Answer.TA
        lines += [f"# marked = {as_json(spans)}"] if is_marked or not row.answer else []
        lines.append(f"# text = {as_json(text)}")
        span_at = {place: span for span in spans for place in range(span.start, span.end)}
        for number, (start, end) in enumerate(_tokens(text, spans), 1):
            span, tag = span_at.get(start), _OUTSIDE
            if span:
                tag = f"{'B' if span.start == start else 'I'}-{span.type}"
            lines.append(f"{number}\t{text[start:end]}\t{start}\t{end}\t{tag}")
        return "\n".join([*lines, "", ""])

    return to.text(map(block, rows), before=f"# {_HEADER} = {' '.join(_TOKEN_COLUMNS)}\n")


def read_iob2(path: Path, approved: bool, faults_at: FaultsAt) -> Iterator[Row]:
    """Read messages; `approved` says that those without an answer are answered."""
    first, *lines = [line.removesuffix("\r") for line in read_characters(path).split("\n")]
    name, value = _comment(first)
    if name != _HEADER or not {*_TOKEN_COLUMNS[1:]} <= {*value.split()}:
        raise refused("no_columns", path=path, columns=", ".join(_TOKEN_COLUMNS))
    columns = [value.split().index(column) for column in _TOKEN_COLUMNS[1:]]
    for is_block, numbered in groupby(enumerate(lines, 2), lambda pair: bool(pair[1])):
        if not is_block:
            continue
        numbers, block = zip(*numbered, strict=True)
        where = f"line {numbers[0]}"
        with faults_at(where):
            # A token may be a hash, but no number is.
            comment = dict(_comment(line) for line in block if line.startswith("#"))
            text, id_ = (whole_characters(json.loads(comment.get(n, '""'))) for n in ("text", "id"))
            tokens = [line.split("\t") for line in block if not line.startswith("#")]
            if any(len(token) <= max(columns) for token in tokens):
                raise TriageError("a line has too few columns, which are separated by tabs")
            tagged = [[token[column] for column in columns] for token in tokens]
            spans = spans_of(_marks_of_tags(tagged, text), text)
            marked = spans_of(read_marks(json.loads(comment.get("marked", "[]"))), text)
            answer = only_answer([comment["answer"]] if "answer" in comment else [])
            if answer is None and (approved or ("marked" in comment and spans != marked)):
                answer = by_marks(spans)
            yield Row(id_, text, spans, answer, where=where).checked(marked)


def _comment(line: str) -> tuple[str, str]:
    name, _, value = line.removeprefix("#").partition("=")
    return name.strip(), value.strip()


def _marks_of_tags(rows: list[list[str]], text: str) -> list[Span]:
    marks: list[Span] = []
    before = _OUTSIDE
    for number, (form, start, end, tag) in enumerate(rows, 1):
        is_place = _NUMBER.fullmatch(start) and _NUMBER.fullmatch(end)
        if not is_place or text[int(start) : int(end)] != form:
            raise TriageError(f"its token {number} is not in the text where it says")
        sign, _, type_ = tag.partition("-")
        if sign not in ("B", "I", _OUTSIDE) or (sign == _OUTSIDE) != (not type_):
            raise TriageError(f"the tag of its token {number} is none of B-…, I-… and O")
        if sign == "I" and before == type_:
            marks[-1] = read_mark(marks[-1].start, int(end), type_)
        elif sign != _OUTSIDE:
            marks.append(read_mark(int(start), int(end), type_))
        before = type_
    return marks


SHEET_COLUMNS = (
    *("item", "digest", "text", "messages", "ids", "seek_hide", "model", "model_score"),
    *("evidence", "suggested", "answer", "identifiers", "spans", "notes"),
)
# A spreadsheet takes a digest such as 12e45 for a number unless this stands before it.
_TEXT_SIGN = "x"
_BETWEEN, _LIKE_BETWEEN = "|", "¦"
_APOSTROPHES = "'’‘ʼ`´"
_ACCENT = "[\u0300-\u036f]"
_OF_WORD = f"[\\w{_ACCENT[1:]}"
# A sign between characters is one of an identifier, unless the type of another ends before it.
_SEPARATOR = re.compile(rf"(?i:(?<!\S)\||\|(?!\S)|(?<=\s(?:{'|'.join(IdentifierType)}))\|)")
# How characters of an identifier that a person wrote are found; the separator is replaced in it.
_FOUND_AS = {" ": r"\s+", _LIKE_BETWEEN: r"[|¦]"} | dict.fromkeys(_APOSTROPHES, f"[{_APOSTROPHES}]")


def write_sheet(to: Destination, rows: Iterable[Row]) -> int:
    separator = f" {_BETWEEN} "

    def cells(row: Row) -> list[object]:
        remarks = [
            f"{note['annotator']}{' (?)' if note['asks'] else ''}: {note['text']}".strip()
            for note in row.about.get("notes", [])
        ]
        values = row.about | {
            "digest": _TEXT_SIGN + row.digest,
            "text": row.text,
            "ids": row.id,
            "suggested": separator.join(_entries(row.text, row.suggested)),
            "answer": row.answer or "",
            "identifiers": separator.join(_entries(row.text, row.spans)),
            "spans": json.dumps(row.counted(Counting.PLAIN_BREAKS)),
            "notes": separator.join(remarks),
        }
        return [values.get(column, "") for column in SHEET_COLUMNS]

    # With a byte order mark, spreadsheets read CSV as UTF-8.
    like = Dialect(Format.CSV, bom=True)
    return to.table(SHEET_COLUMNS, map(cells, rows), like, guard_formulas=True)


def read_sheet(path: Path, _: bool, faults_at: FaultsAt) -> Iterator[Row]:
    try:
        opened = open_messages(path, text_column="text", guarded=True)
    except ColumnError as error:
        # The option that its message names does not exist for imports.
        raise refused("no_sheet", file=path, column="text") from error
    with opened as file:
        if "answer" not in file.columns:
            raise refused("no_sheet", file=file.name, column="answer")
        unit = "line" if file.format.is_text else "row"
        for chunk in file.chunks():
            for line, row, text in zip(chunk.lines, chunk.rows, chunk.texts, strict=True):
                where = f"{unit} {line}"
                with faults_at(where):
                    cells = dict(zip(file.columns, map(as_text, row), strict=True))
                    yield _row_of_cells(where, cells, read_text(text))
        for reject in file.rejects:
            with faults_at(f"{unit} {reject.line}"):
                raise TriageError(reject.reason)


def _row_of_cells(where: str, cells: dict[str, str], text: str) -> Row:
    answer = only_answer([cells["answer"]] if cells["answer"].strip() else [])
    exported = spans = Spans()
    if answer in (Answer.TA, Answer.NTA):
        try:
            marks = json.loads(cells.get("spans", "").strip() or "[]")
        except (ValueError, RecursionError) as error:
            raise refused("no_spans") from error
        exported = spans_of(read_marks(marks), text, Counting.PLAIN_BREAKS)
        identifiers = cells.get("identifiers")
        spans = exported if identifiers is None else _named_spans(identifiers, text, exported)
    about = {"digest": cells.get("digest", "").strip().removeprefix(_TEXT_SIGN)}
    annotator = cells.get("annotator", "").strip()
    return Row("", text, spans, answer, about, annotator, where).checked(exported)


def _entries(text: str, spans: Spans) -> dict[str, list[Span]]:
    """Return the identifiers of a text as a cell names them, each with its spans."""
    entries: dict[str, list[Span]] = {}
    for span in spans:
        word = " ".join(text[span.start : span.end].split()).replace(_BETWEEN, _LIKE_BETWEEN)
        entries.setdefault(f"{word} {span.type}".strip(), []).append(span)
    return entries


def _named_spans(cell: str, text: str, before: Spans) -> Spans:
    """Return the spans that a cell names: as they went out, or where the words stand."""
    exported, unplaced = _entries(text, before), []
    spans: list[Span] = []
    entries = [" ".join(entry.split()) for entry in _SEPARATOR.split(cell) if entry.strip()]
    for number, entry in enumerate(entries, 1):
        word, _, type_ = entry.rpartition(" ")
        if entry in exported:
            spans += exported[entry]
        elif word and type_.upper() in IdentifierType.__members__:
            unplaced.append((f"identifier {number}", word, IdentifierType(type_.upper())))
        else:
            signs = {"between": _BETWEEN, "like": _LIKE_BETWEEN, "types": ", ".join(IdentifierType)}
            raise refused("no_identifier", number=number, **signs)
    # The longest first, so that Jean does not match the start of Jean-Paul.
    for name, word, kind in sorted(unplaced, key=lambda entry: -len(entry[1])):
        hits = _places(word, text)
        if not hits:
            raise refused("not_in_text", name=name)
        free = [m for m in hits if not any(m.start() < s.end and s.start < m.end() for s in spans)]
        if not free:
            raise TriageError(f"{name} stands where another one does: take one of them out")
        spans += [Span(*m.span(), kind) for m in free]
    return tuple(sorted(set(spans)))


def _places(word: str, text: str) -> list[re.Match[str]]:
    """Return where words stand whole, in their case or else in any, or else the one part of one."""
    part = "".join(_FOUND_AS.get(char, re.escape(char)) for char in word)
    start = f"(?<!{_OF_WORD})" if re.match(_OF_WORD, word[0]) else ""
    end = f"(?!{_OF_WORD})" if re.match(_OF_WORD, word[-1]) else ""
    whole = f"{start}{part}{end}"
    parts = [*re.finditer(f"{part}(?!{_ACCENT})", text, re.IGNORECASE)]
    matches = [*re.finditer(whole, text)] or [*re.finditer(whole, text, re.IGNORECASE)]
    return matches or (parts if len(parts) == 1 else [])


def write_docbin(to: Destination, rows: Iterable[Row]) -> int:
    """Write documents whose tokens know after which a space stands; other white space is one."""
    kit, vocab = require("spacy.tokens", "spacy"), require("spacy.vocab", "spacy").Vocab()
    util = require("spacy.util", "spacy")
    documents = kit.DocBin(attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True)
    with to.stage() as stage:
        for row in rows:
            text, spans = whole_characters(row.text), row.solid
            tokens = [text[start:end] for start, end in _tokens(text, spans)]
            words, spaces = util.get_words_and_spaces(tokens, text)
            document = kit.Doc(vocab, words=words, spaces=spaces)
            group = [document.char_span(s.start, s.end, s.type.value) for s in spans]
            document.spans["identifiers"] = group
            document.set_ents(list(group))
            if row.decision:
                document.cats = {vote.value: float(row.decision is vote) for vote in Prediction}
            document.user_data["id"] = whole_characters(row.id)
            documents.add(document)
        stage.file.write(documents.to_bytes())
    return len(documents)


def write_datasets(to: Destination, rows: Iterable[Row]) -> int:
    """Write messages as a folder that ``datasets.load_dataset`` reads; return how many."""
    arrow = require("pyarrow", "parquet")
    places = [("start", arrow.int32()), ("end", arrow.int32()), ("type", arrow.string())]
    columns = [("id", arrow.string()), ("text", arrow.string()), ("label", arrow.int64())]
    schema = arrow.schema([*columns, ("spans", arrow.list_(arrow.struct(places)))])
    labels = {None: None, Prediction.NTA: 0, Prediction.TA: 1}

    def cells(row: Row) -> list[object]:
        spans = [{"start": s.start, "end": s.end, "type": s.type.value} for s in row.spans]
        return [whole_characters(row.id), whole_characters(row.text), labels[row.decision], spans]

    with to.stage(DATASETS_FOLDER) as stage:
        path = stage.place / "data" / "train-00000-of-00001.parquet"
        path.parent.mkdir(exist_ok=True)
        like = Dialect(Format.PARQUET, schema=schema)
        n_written = Destination(path).table(schema.names, map(cells, rows), like)
        card = (files(__package__) / "dataset_card.md").read_text(encoding="utf-8")
        (stage.place / _CARD).write_bytes(card.format(n=n_written).encode())
    return n_written


class ExchangeFormat(StrEnum):
    CSV = "csv"
    XLSX = "xlsx"
    DOCCANO = "doccano"
    LABEL_STUDIO = "label-studio"
    BRAT = "brat"
    IOB2 = "iob2"
    SPACY = "spacy"
    DATASETS = "datasets"


class Support(NamedTuple):
    """The extensions and functions of a format; without `read`, it is only written."""

    extensions: tuple[str, ...]
    write: Callable[[Destination, Iterable[Row]], int]
    read: Callable[[Path, bool, FaultsAt], Iterator[Row]] | None = None
    folder: safe.FolderKind | None = None


FORMATS: Mapping[ExchangeFormat, Support] = {
    ExchangeFormat.CSV: Support((".csv", ".tsv"), write_sheet, read_sheet),
    ExchangeFormat.XLSX: Support((".xlsx", ".ods"), write_sheet, read_sheet),
    ExchangeFormat.DOCCANO: Support((".jsonl", ".ndjson"), write_doccano, read_doccano),
    ExchangeFormat.LABEL_STUDIO: Support((".json",), write_label_studio, read_label_studio),
    ExchangeFormat.IOB2: Support((".conll", ".conllup", ".iob2"), write_iob2, read_iob2),
    ExchangeFormat.BRAT: Support((), write_brat, read_brat, BRAT_FOLDER),
    ExchangeFormat.SPACY: Support((".spacy",), write_docbin),
    ExchangeFormat.DATASETS: Support((), write_datasets, None, DATASETS_FOLDER),
}
SHEETS = (ExchangeFormat.CSV, ExchangeFormat.XLSX)
WRITTEN_ONLY = tuple(one for one, support in FORMATS.items() if support.read is None)


def read(path: Path, format_: ExchangeFormat | None = None, *, approved: bool = False) -> list[Row]:
    """Read what came back from another tool; TriageError says all that is wrong."""
    format_ = format_ or annotated_format(path)
    if format_ is None and path.suffix.lower() == ".zip":
        raise TriageError(f"{path}: unpack it, and import the file of each annotator")
    readable = [one for one, support in FORMATS.items() if support.read]
    format_ = format_ or _format_of(path, "--format", readable)
    rows = FORMATS[format_].read
    if rows is None:
        raise TriageError(f"{path}: {format_} is written only; export as another format")
    if approved and format_ in SHEETS:
        raise TriageError("--approved has no effect on a sheet, which has answers: leave it out")
    faults: dict[str, str] = {}

    @contextmanager
    def faults_at(where: str) -> Iterator[None]:
        try:
            yield
        except TriageError as error:
            faults.setdefault(where, str(error))
        except OTHER_FORM:
            faults.setdefault(where, "it is not in the form of this format")

    read_rows = [*rows(path, approved, faults_at)]
    if faults:
        (where, reason), remedy = next(iter(faults.items())), "mend or remove this row"
        if len(faults) > 1:
            places = some_of([*faults], 5)
            remedy = f"{len(faults)} rows are wrong, mend or remove them: {places}"
        raise TriageError(f"{path}, {where}: {reason}; {remedy}")
    return read_rows


def annotated_format(path: Path) -> ExchangeFormat | None:
    """Return the format of annotated messages that are no table; None of any other file."""
    if path.is_dir() and ((path / _CONFIGURATION).exists() or any(path.glob("*.ann"))):
        return ExchangeFormat.BRAT
    is_iob2 = path.suffix.lower() in FORMATS[ExchangeFormat.IOB2].extensions
    return ExchangeFormat.IOB2 if is_iob2 else None


def _format_of(path: Path, option: str, formats: Collection[ExchangeFormat]) -> ExchangeFormat:
    """Return the format of a name; an error lists those that are taken."""
    extension = path.suffix.lower()
    for format_, support in FORMATS.items():
        if extension in support.extensions:
            return format_
    taken = [one for format_ in formats for one in FORMATS[format_].extensions]
    extensions = ", ".join(one for one in taken if one != ".ods" or option == "--format")
    names = {"formats": ", ".join(formats), "extensions": extensions}
    raise refused("no_format", path=path, option=option, **names)


def checked_format(
    to: Destination,
    format_: ExchangeFormat | None,
    inputs: Sequence[str | Path],
    *,
    also: Sequence[Path | None] = (),
    without: Collection[ExchangeFormat] = (),
) -> ExchangeFormat:
    """Return the format of what is written, after a check that it can be, and replaces nothing."""
    safe.check_is_no_input(to.path, inputs)
    format_ = format_ or _format_of(to.path, "--to", [one for one in FORMATS if one not in without])
    support = FORMATS[format_]
    if format_ in SHEETS and to.path.suffix.lower() not in support.extensions:
        raise TriageError(f"{to.path}: its name must end in .{format_} to be of that format")
    if support.folder:
        safe.check_target(to.path, overwrite=to.overwrite, kind=support.folder)
    safe.check_targets(also if support.folder else [to.path, *also], inputs, overwrite=to.overwrite)
    return format_
