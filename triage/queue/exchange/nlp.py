r"""Formats of NLP libraries: IOB2, spaCy's DocBin, Hugging Face's datasets.

Tokens are words of this program, cut where identifiers begin and end.

IOB2 is CoNLL-U Plus, whose columns the first line names: ``ID``, ``FORM``, ``START`` and ``END`` of
the token in the message (in code points), and ``IOB2``: ``B-PRE`` on the first token of an
identifier, ``I-PRE`` on its others, ``O`` elsewhere. Comments before the tokens hold what they do
not: the text, its id and the answer, which is missing where there is none.
https://universaldependencies.org/ext-format.html

A DocBin has the identifiers in ``doc.ents`` and, as those of the component of `triage.spacy`, in
``doc.spans["identifiers"]``; the decision is in ``doc.cats``, the id in ``doc.user_data``.

A folder for datasets has a Parquet file and a card with the types. A row is the id, the text, the
label (a class; null where nobody has decided), and the identifiers.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum
from importlib.resources import files
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from triage.data import shown_cell
from triage.data.errors import require, whole_characters
from triage.dictionaries.words import plain_words

from ...errors import TriageError
from ...safe import FolderKind
from ...vocabulary import IdentifierType, Prediction, Span, Spans, check_spans
from ..records import Answer
from .records import Destination, Exported, Imported, RowErrors, read_answer, read_characters

_ZERO_WIDTH_JOINER = "\u200d"
_LAST_OF_ONE_UNIT = "\uffff"
_FIRST_PICTOGRAM = "\U0001f000"


class Counting(Enum):
    CODE_POINTS = "code points"
    UTF16 = "UTF-16 code units"
    GRAPHEMES = "grapheme clusters"


class Mark(NamedTuple):
    """An identifier as a tool marks it, perhaps with the text that it covers."""

    start: int
    end: int
    type: IdentifierType
    text: str | None = None


def read_mark(start: object, end: object, type_: object, text: object = None) -> Mark:
    """Return a mark; TriageError if an offset is not an integer or the type is unknown."""
    try:
        kind = IdentifierType(type_.strip().upper() if isinstance(type_, str) else "")
    except ValueError as error:
        raise TriageError(
            f"{shown_cell(type_)} is no type of identifiers; they are: {', '.join(IdentifierType)}"
        ) from error
    return Mark(_offset(start), _offset(end), kind, text if isinstance(text, str) else None)


def _offset(value: object) -> int:
    # Some programs turn 3 into 3.0.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TriageError("an identifier starts or ends at what is no whole number")
    return value


def read_triples(value: object) -> list[Mark]:
    """Return the marks of a list of ``[start, end, type]``; TriageError if it is anything else."""
    marks = []
    for row in value if isinstance(value, list) else [None]:
        if not isinstance(row, list) or len(row) != 3:
            raise TriageError("identifiers must be lists of a start, an end and a type")
        marks.append(read_mark(*row))
    return marks


def triples(spans: Spans, text: str, counting: Counting) -> list[list[object]]:
    """Return spans as ``[start, end, type]`` in the unit of a tool."""
    offsets = {place: offset for offset, place in positions(text, counting).items()}
    return [[offsets[s.start], offsets[s.end], s.type.value] for s in spans]


def spans_of(marks: Iterable[Mark], text: str, counting: Counting = Counting.CODE_POINTS) -> Spans:
    """Return the spans of marks in a text; TriageError if they do not fit it."""
    places = positions(text, counting)
    distinct = {mark[:3] for mark in marks}
    for start, end, _ in distinct:
        if start not in places or end not in places:
            raise TriageError(
                f"the identifier from {start} to {end} does not fit the text, which has "
                f"{max(places)} characters as this tool counts"
            )
    spans = [Span(places[start], places[end], type_) for start, end, type_ in distinct]
    return check_spans(spans, len(text))


def positions(text: str, counting: Counting) -> dict[int, int]:
    """Return our position for each offset that a tool can give."""
    if counting is Counting.UTF16:
        offsets = accumulate((1 + (c > _LAST_OF_ONE_UNIT) for c in text), initial=0)
        return {offset: position for position, offset in enumerate(offsets)}
    if counting is Counting.GRAPHEMES:
        return dict(enumerate([*_cluster_starts(text), len(text)]))
    return {position: position for position in range(len(text) + 1)}


def _cluster_starts(text: str) -> list[int]:
    starts = [0] if text else []
    flags = 0
    for position, (before, char) in enumerate(pairwise(text), 1):
        flags = flags + 1 if _is_flag_letter(before) else 0
        if not (_is_one_cluster(before, char) or (flags % 2 and _is_flag_letter(char))):
            starts.append(position)
    return starts


def _is_one_cluster(before: str, char: str) -> bool:
    """Return whether two characters are of one cluster (simplified from UAX #29)."""
    if before in "\r\n" or char in "\r\n":
        return before + char == "\r\n"
    category = unicodedata.category(char)
    if before == _ZERO_WIDTH_JOINER:
        return char >= _FIRST_PICTOGRAM or category == "So"
    # Combining marks, joiners, skin tones, tags.
    return (
        category in ("Mn", "Me", "Mc")
        or char in "\u200c\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def trimmed(text: str, spans: Spans) -> Spans:
    """Return spans without surrounding white space, which is easily marked with a word."""
    found = []
    for span in spans:
        covered = text[span.start : span.end]
        start, end = span.end - len(covered.lstrip()), span.start + len(covered.rstrip())
        found.append(Span(start, end, span.type) if start < end else span)
    return tuple(found)


def solid(text: str, spans: Spans) -> Spans:
    """Return spans without white space around them, and none of white space alone."""
    return tuple(s for s in trimmed(text, spans) if text[s.start : s.end].strip())


def is_plausible(text: str, spans: Spans) -> bool:
    """Return whether spans cover whole words and characters, as people mark them."""
    whole = set(positions(text, Counting.GRAPHEMES).values())
    edges = {edge for span in spans for edge in (span.start, span.end)}
    within = (text[edge - 1 : edge + 1] for edge in edges - {0, len(text)})
    return (
        edges <= whole
        and not any(one[0].isalnum() and one[1].isalnum() for one in within)
        and all(text[span.start : span.end].strip() for span in spans)
    )


COLUMNS = ("ID", "FORM", "START", "END", "IOB2")
_HEADER = "global.columns"
_OUTSIDE = "O"
_NUMBER = re.compile("[0-9]{1,9}")
_SOLID = re.compile(r"\S+")
_GROUP = "identifiers"
_CARD = "README.md"
_TABLE = "data/train-00000-of-00001.parquet"
DATASETS_FOLDER = FolderKind(_CARD, (".md", ".parquet"))
_LABELS = (Prediction.NTA, Prediction.TA)
_ROWS_AT_ONCE = 5_000


def _tokens(text: str, spans: Spans) -> list[tuple[int, int]]:
    edges = {0, len(text), *chain.from_iterable(plain_words(text))}
    edges |= {edge for span in spans for edge in (span.start, span.end)}
    pieces = pairwise(sorted(edges))
    return [part.span() for piece in pieces for part in _SOLID.finditer(text, *piece)]


def write_iob2(to: Destination, items: Iterable[Exported]) -> int:
    """Write messages token by token; return how many messages."""
    with to.stage() as stage:
        stage.file.write(f"# {_HEADER} = {' '.join(COLUMNS)}\n".encode())
        return len([stage.file.write("\n".join(_block(item)).encode()) for item in items])


def _block(item: Exported) -> Iterator[str]:
    text = whole_characters(item.text)
    if item.id:
        yield f"# id = {json.dumps(whole_characters(item.id), ensure_ascii=False)}"
    if item.answer:
        yield f"# answer = {item.answer}"
    yield f"# text = {json.dumps(text, ensure_ascii=False)}"
    spans = solid(text, item.marked)
    at = {place: span for span in spans for place in range(span.start, span.end)}
    for number, (start, end) in enumerate(_tokens(text, spans), 1):
        span = at.get(start)
        tag = _OUTSIDE if span is None else f"{'B' if span.start == start else 'I'}-{span.type}"
        yield f"{number}\t{text[start:end]}\t{start}\t{end}\t{tag}"
    yield from ("", "")


def read_iob2(path: Path, errors: RowErrors, approved: bool) -> Iterator[Imported]:
    """Yield the messages of a file; `approved` says that those without an answer are answered."""
    lines = [line.removesuffix("\r") for line in read_characters(path).split("\n")]
    name, value = _comment(lines[0])
    if name != _HEADER or not {*COLUMNS[1:]} <= {*value.split()}:
        raise TriageError(
            f"{path}: its first line does not name the columns {', '.join(COLUMNS)}: only files "
            "that this program has written can be read"
        )
    at = [value.split().index(column) for column in COLUMNS[1:]]
    for number, block in _blocks(lines[1:]):
        where = f"line {number}"
        with errors.of(where):
            yield _imported(where, block, at, approved)


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each message, with the number of its first line."""
    block: list[str] = []
    for number, line in enumerate([*lines, ""], 2):
        if line:
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def _comment(line: str) -> tuple[str, str]:
    name, _, value = line.removeprefix("#").partition("=")
    return name.strip(), value.strip()


def _imported(where: str, block: list[str], at: list[int], approved: bool) -> Imported:
    # A token may be a hash, but no number is.
    known = dict(_comment(line) for line in block if line.startswith("#"))
    text = _read_quoted(known.get("text"), "text")
    rows = [line.split("\t") for line in block if not line.startswith("#")]
    if any(len(row) <= max(at) for row in rows):
        raise TriageError("a line has too few columns, which are separated by tabs")
    spans = spans_of(_marks([[row[column] for column in at] for row in rows], text), text)
    answer = read_answer(known["answer"]) if "answer" in known else None
    if answer is None and approved:
        answer = Answer.TA if spans else Answer.NTA
    id_ = _read_quoted(known["id"], "id") if "id" in known else ""
    return Imported(where, "", text, answer, spans if answer is Answer.TA else (), "", id_)


def _read_quoted(value: str | None, name: str) -> str:
    try:
        found = json.loads(value or "")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, str):
        raise TriageError(f"it has no comment '# {name} =' with a JSON text")
    return whole_characters(found)


def _marks(rows: list[list[str]], text: str) -> list[Mark]:
    """Return the identifiers that the tags of tokens say."""
    marks: list[Mark] = []
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


def write_docbin(to: Destination, items: Iterable[Exported]) -> int:
    kit, vocab = require("spacy.tokens", "spacy"), require("spacy.vocab", "spacy").Vocab()
    documents = kit.DocBin(attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True)
    with to.stage() as stage:
        for item in items:
            documents.add(_document(kit, vocab, item))
        stage.file.write(documents.to_bytes())
    return len(documents)


def _document(kit: Any, vocab: Any, item: Exported) -> Any:  # noqa: ANN401  # spaCy is untyped here
    text = whole_characters(item.text)
    spans = solid(text, item.marked)
    words, spaces = _words_and_spaces(text, spans)
    document = kit.Doc(vocab, words=words, spaces=spaces)
    document.spans[_GROUP] = [document.char_span(s.start, s.end, s.type.value) for s in spans]
    document.set_ents(list(document.spans[_GROUP]))
    if item.decision:
        document.cats = {vote.value: float(item.decision is vote) for vote in Prediction}
    document.user_data["id"] = whole_characters(item.id)
    return document


def _words_and_spaces(text: str, spans: Spans) -> tuple[list[str], list[bool]]:
    """Return the tokens of a text, and after which a space stands; other white space is a token."""
    words: list[str] = []
    spaces: list[bool] = []
    at = 0
    for start, end in [*_tokens(text, spans), (len(text), len(text))]:
        between = text[at:start]
        if words and between.startswith(" "):
            spaces[-1], between = True, between[1:]
        for word in filter(None, (between, text[start:end])):
            words.append(word)
            spaces.append(False)
        at = end
    return words, spaces


def write_datasets(to: Destination, items: Iterable[Exported]) -> int:
    """Write messages as a folder that ``datasets.load_dataset`` reads; return how many."""
    arrow, parquet = require("pyarrow", "parquet"), require("pyarrow.parquet", "parquet")
    places = [("start", arrow.int32()), ("end", arrow.int32()), ("type", arrow.string())]
    columns = [("id", arrow.string()), ("text", arrow.string()), ("label", arrow.int64())]
    schema = arrow.schema([*columns, ("spans", arrow.list_(arrow.struct(places)))])
    n_written, rows = 0, map(_row, items)
    with to.stage(DATASETS_FOLDER) as stage:
        path = stage.place / _TABLE
        path.parent.mkdir(exist_ok=True)
        with parquet.ParquetWriter(path, schema) as table:
            while batch := list(islice(rows, _ROWS_AT_ONCE)):
                table.write_table(arrow.Table.from_pylist(batch, schema=schema))
                n_written += len(batch)
        card = (files(__package__) / "dataset_card.md").read_text(encoding="utf-8")
        (stage.place / _CARD).write_bytes(card.format(n=n_written).encode())
    return n_written


def _row(item: Exported) -> dict[str, object]:
    return {
        "id": whole_characters(item.id),
        "text": whole_characters(item.text),
        "label": None if item.decision is None else _LABELS.index(item.decision),
        "spans": [{"start": s.start, "end": s.end, "type": s.type.value} for s in item.marked],
    }
