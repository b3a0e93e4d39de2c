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
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

from triage.data.errors import require, whole_characters
from triage.dictionaries.words import plain_words

from ...errors import TriageError
from ...safe import FolderKind
from ...vocabulary import Prediction, Spans
from ..records import Answer
from .rows import (
    Destination,
    Mark,
    Row,
    RowErrors,
    only_answer,
    read_characters,
    read_mark,
    solid,
    spans_of,
)

COLUMNS = ("ID", "FORM", "START", "END", "IOB2")
_HEADER = "global.columns"
_OUTSIDE = "O"
_NUMBER = re.compile("[0-9]{1,9}")
_SOLID = re.compile(r"\S+")
_CARD = "README.md"
DATASETS_FOLDER = FolderKind(_CARD, (".md", ".parquet"))
_ROWS_AT_ONCE = 5_000


def _tokens(text: str, spans: Spans) -> list[tuple[int, int]]:
    edges = {0, len(text), *chain.from_iterable(plain_words(text))}
    edges |= {edge for span in spans for edge in (span.start, span.end)}
    pieces = pairwise(sorted(edges))
    return [part.span() for piece in pieces for part in _SOLID.finditer(text, *piece)]


def write_iob2(to: Destination, rows: Iterable[Row]) -> int:
    """Write messages token by token; return how many messages."""
    with to.stage() as stage:
        stage.file.write(f"# {_HEADER} = {' '.join(COLUMNS)}\n".encode())
        return len([stage.file.write("\n".join(_block(row)).encode()) for row in rows])


def _block(row: Row) -> Iterator[str]:
    text, spans = whole_characters(row.text), solid(row)
    if row.id:
        yield f"# id = {json.dumps(whole_characters(row.id), ensure_ascii=False)}"
    if row.answer:
        yield f"# answer = {row.answer}"
    yield f"# text = {json.dumps(text, ensure_ascii=False)}"
    at = {place: span for span in spans for place in range(span.start, span.end)}
    for number, (start, end) in enumerate(_tokens(text, spans), 1):
        span = at.get(start)
        tag = _OUTSIDE if span is None else f"{'B' if span.start == start else 'I'}-{span.type}"
        yield f"{number}\t{text[start:end]}\t{start}\t{end}\t{tag}"
    yield from ("", "")


def read_iob2(path: Path, errors: RowErrors, approved: bool) -> Iterator[Row]:
    """Yield the messages of a file; `approved` says that those without an answer are answered."""
    first, *lines = [line.removesuffix("\r") for line in read_characters(path).split("\n")]
    name, value = _comment(first)
    if name != _HEADER or not {*COLUMNS[1:]} <= {*value.split()}:
        raise TriageError(
            f"{path}: its first line does not name the columns {', '.join(COLUMNS)}: only files "
            "that this program has written can be read"
        )
    at, block = [value.split().index(column) for column in COLUMNS[1:]], []
    for number, line in enumerate([*lines, ""], 2):
        if line:
            block.append(line)
        elif block:
            where = f"line {number - len(block)}"
            with errors.of(where):
                yield _of_block(where, block, at, approved)
            block = []


def _comment(line: str) -> tuple[str, str]:
    name, _, value = line.removeprefix("#").partition("=")
    return name.strip(), value.strip()


def _of_block(where: str, block: list[str], at: list[int], approved: bool) -> Row:
    # A token may be a hash, but no number is.
    known = dict(_comment(line) for line in block if line.startswith("#"))
    text, id_ = (whole_characters(json.loads(known.get(name, '""'))) for name in ("text", "id"))
    rows = [line.split("\t") for line in block if not line.startswith("#")]
    if any(len(row) <= max(at) for row in rows):
        raise TriageError("a line has too few columns, which are separated by tabs")
    spans = spans_of(_marks([[row[column] for column in at] for row in rows], text), text)
    answer = only_answer([known["answer"]] if "answer" in known else [])
    if answer is None and approved:
        answer = Answer.TA if spans else Answer.NTA
    return Row(id_, text, spans if answer is Answer.TA else (), answer, where=where)


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


def write_docbin(to: Destination, rows: Iterable[Row]) -> int:
    kit, vocab = require("spacy.tokens", "spacy"), require("spacy.vocab", "spacy").Vocab()
    documents = kit.DocBin(attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True)
    with to.stage() as stage:
        for row in rows:
            documents.add(_document(kit, vocab, row))
        stage.file.write(documents.to_bytes())
    return len(documents)


def _document(kit: Any, vocab: Any, row: Row) -> Any:  # noqa: ANN401  # spaCy is untyped here
    """Return a document whose tokens know after which a space stands; other white space is one."""
    text, spans, at = whole_characters(row.text), solid(row), 0
    words: list[str] = []
    spaces: list[bool] = []
    for start, end in [*_tokens(text, spans), (len(text), len(text))]:
        between = text[at:start]
        if words and between.startswith(" "):
            spaces[-1], between = True, between[1:]
        new = [word for word in (between, text[start:end]) if word]
        words, spaces, at = words + new, spaces + [False] * len(new), end
    document = kit.Doc(vocab, words=words, spaces=spaces)
    group = [document.char_span(s.start, s.end, s.type.value) for s in spans]
    document.spans["identifiers"] = group
    document.set_ents(list(group))
    if row.decision:
        document.cats = {vote.value: float(row.decision is vote) for vote in Prediction}
    document.user_data["id"] = whole_characters(row.id)
    return document


def write_datasets(to: Destination, rows: Iterable[Row]) -> int:
    """Write messages as a folder that ``datasets.load_dataset`` reads; return how many."""
    arrow, parquet = require("pyarrow", "parquet"), require("pyarrow.parquet", "parquet")
    places = [("start", arrow.int32()), ("end", arrow.int32()), ("type", arrow.string())]
    columns = [("id", arrow.string()), ("text", arrow.string()), ("label", arrow.int64())]
    schema = arrow.schema([*columns, ("spans", arrow.list_(arrow.struct(places)))])
    n_written, made = 0, map(_of_datasets, rows)
    with to.stage(DATASETS_FOLDER) as stage:
        path = stage.place / "data" / "train-00000-of-00001.parquet"
        path.parent.mkdir(exist_ok=True)
        with parquet.ParquetWriter(path, schema) as table:
            while batch := list(islice(made, _ROWS_AT_ONCE)):
                table.write_table(arrow.Table.from_pylist(batch, schema=schema))
                n_written += len(batch)
        card = (files(__package__) / "dataset_card.md").read_text(encoding="utf-8")
        (stage.place / _CARD).write_bytes(card.format(n=n_written).encode())
    return n_written


def _of_datasets(row: Row) -> dict[str, object]:
    labels = {None: None, Prediction.NTA: 0, Prediction.TA: 1}
    return {
        "id": whole_characters(row.id),
        "text": whole_characters(row.text),
        "label": labels[row.decision],
        "spans": [{"start": s.start, "end": s.end, "type": s.type.value} for s in row.spans],
    }
