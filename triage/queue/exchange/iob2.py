r"""IOB2: a token on each line, a blank line after each message.

It is CoNLL-U Plus, whose columns the first line names: ``ID``, ``FORM``, ``START`` and ``END`` of
the token in the message (in code points), and ``IOB2``: ``B-PRE`` on the first token of an
identifier, ``I-PRE`` on its others, ``O`` elsewhere. Comments before the tokens hold what they do
not: the text, its id and the answer, which is missing where there is none.

https://universaldependencies.org/ext-format.html
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from triage.data.errors import writing
from triage.data.values import whole_characters

from ...errors import TriageError
from ...vocabulary import Spans
from .marks import Counting, Mark, read_answer, read_mark, solid, spans_of
from .records import Destination, Exported, Imported, RowErrors, read_characters
from .tokens import tokens

COLUMNS = ("ID", "FORM", "START", "END", "IOB2")
_HEADER = "global.columns"
_OUTSIDE = "O"
_NUMBER = re.compile("[0-9]{1,9}")


def write_iob2(to: Destination, items: Iterable[Exported]) -> int:
    """Write messages token by token; return how many messages."""
    with to.stage() as stage, writing(stage.name):
        stage.file.write(f"# {_HEADER} = {' '.join(COLUMNS)}\n".encode())
        written = [stage.file.write(_block(item).encode()) for item in items]
        stage.commit()
    return len(written)


def _block(item: Exported) -> str:
    text = whole_characters(item.text)
    lines = [f"# id = {_quoted(item.id)}"] if item.id else []
    lines += [f"# answer = {item.answer}"] if item.answer else []
    lines.append(f"# text = {_quoted(text)}")
    lines += _token_lines(text, solid(text, item.marked))
    return "\n".join(lines) + "\n\n"


def _token_lines(text: str, spans: Spans) -> Iterator[str]:
    at = {place: span for span in spans for place in range(span.start, span.end)}
    for number, (start, end) in enumerate(tokens(text, spans), 1):
        span = at.get(start)
        tag = _OUTSIDE if span is None else f"{'B' if span.start == start else 'I'}-{span.type}"
        yield f"{number}\t{text[start:end]}\t{start}\t{end}\t{tag}"


def _quoted(text: str) -> str:
    """Return a text on one line, as JSON."""
    return json.dumps(whole_characters(text), ensure_ascii=False)


def read_iob2(path: Path, errors: RowErrors, *, approved: bool = False) -> Iterator[Imported]:
    """Yield the messages of a file; `approved` says that those without an answer are answered."""
    lines = [line.removesuffix("\r") for line in read_characters(path).split("\n")]
    columns = _comment(lines[0])
    if columns[0] != _HEADER or not {*COLUMNS[1:]} <= {*columns[1].split()}:
        raise TriageError(
            f"{path}: its first line does not name the columns {', '.join(COLUMNS)}: only files "
            "that this program has written can be read"
        )
    at = [columns[1].split().index(column) for column in COLUMNS[1:]]
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
    marks = _marks([[row[column] for column in at] for row in rows], text)
    spans = spans_of(marks, text, Counting.CODE_POINTS)
    answer = read_answer(known["answer"]) if "answer" in known else None
    if answer is None and approved:
        answer = read_answer("TA" if spans else "NTA")
    id_ = _read_quoted(known["id"], "id") if "id" in known else ""
    return Imported(where, "", text, answer, spans if answer == "TA" else (), "", id_)


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
