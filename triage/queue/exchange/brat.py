"""brat standoff: a folder with a text file and an annotation file for each message.

Offsets are code points. An identifier that goes over a line break is written in pieces, as brat
refuses a line break in the text of an annotation. brat has no place for ids and answers: they are
in `messages.jsonl`, which it ignores.

https://brat.nlplab.org/standoff.html, https://brat.nlplab.org/configuration.html, and brat's
``server/src/annotation.py``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from triage.data.errors import whole_characters

from ...errors import TriageError, reading
from ...safe import FolderKind, read_file
from ...vocabulary import IdentifierType, Span
from ..records import Answer
from .nlp import Mark, read_mark, read_triples, solid, spans_of
from .records import Destination, Exported, Imported, RowErrors, only_answer, read_json_lines

_CONFIGURATION = "annotation.conf"
_INDEX = "messages.jsonl"
BRAT_FOLDER = FolderKind(_CONFIGURATION, (".ann", ".conf", ".jsonl", ".txt"))
_TYPES = "\n".join(IdentifierType)
_SECTIONS = f"[entities]\n{_TYPES}\n\n[relations]\n\n[events]\n\n[attributes]\n"

# T1<tab>PRE 0 7<tab>Patrice; of an identifier in pieces, PRE 0 5;6 10.
_PLACE = "[0-9]{1,9} [0-9]{1,9}"
_PLACES = re.compile(rf"(?P<type>\S+) (?P<places>{_PLACE}(?:;{_PLACE})*)")


def write_brat(to: Destination, items: Iterable[Exported]) -> int:
    n_written = 0
    with to.stage(BRAT_FOLDER) as stage:
        folder = stage.place
        (folder / _CONFIGURATION).write_bytes(_SECTIONS.encode())
        with (folder / _INDEX).open("wb") as index:
            for n_written, item in enumerate(items, 1):
                name, text = f"{n_written:06d}", whole_characters(item.text)
                spans = solid(text, item.marked)
                lines = [f"T{n}\t{_annotation(text, one)}\n" for n, one in enumerate(spans, 1)]
                known = {
                    "document": name,
                    "id": whole_characters(item.id),
                    "answer": item.answer,
                    "marked": [[s.start, s.end, s.type] for s in spans],
                }
                (folder / f"{name}.txt").write_bytes(text.encode())
                (folder / f"{name}.ann").write_bytes("".join(lines).encode())
                index.write(f"{json.dumps(known, ensure_ascii=False)}\n".encode())
    return n_written


def _annotation(text: str, span: Span) -> str:
    pieces = list(_pieces(text, span))
    places = ";".join(f"{start} {end}" for start, end in pieces)
    return f"{span.type} {places}\t{' '.join(text[start:end] for start, end in pieces)}"


def _pieces(text: str, span: Span) -> Iterator[tuple[int, int]]:
    """Yield where the lines of an identifier stand, without their line breaks."""
    start = span.start
    for line in text[span.start : span.end].splitlines(keepends=True):
        content = "".join(line.splitlines())
        if content:
            yield start, start + len(content)
        start += len(line)


def is_brat(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    return (folder / _CONFIGURATION).exists() or any(folder.glob("*.ann"))


def read_brat(folder: Path, errors: RowErrors, approved: bool) -> Iterator[Imported]:
    index: dict[str, Mapping[str, object]] = {}
    if (folder / _INDEX).exists() and (folder / _INDEX).stat().st_size:
        rows = read_json_lines(folder / _INDEX, errors)
        index = {str(row.get("document")): row for _, row in rows}
    for path in sorted(folder.glob("*.txt")):
        where = f"document {path.stem}"
        with errors.of(where):
            yield _imported(where, path, index.get(path.stem), approved)


def _imported(
    where: str, path: Path, known: Mapping[str, object] | None, approved: bool
) -> Imported:
    text = _read(path)
    annotations = path.with_suffix(".ann")
    lines = _read(annotations).split("\n") if annotations.exists() else []
    spans = spans_of([_mark(line, text) for line in lines if line.startswith("T")], text)
    answer: Answer | None = Answer.TA if spans else Answer.NTA
    if known is not None:
        marked = spans_of(read_triples(known.get("marked")), text)
        before = only_answer([known["answer"]] if known.get("answer") else [])
        if spans == marked and not (approved and before is None):
            answer = before
    id_ = known.get("id", "") if known else path.stem
    held = spans if answer is Answer.TA else ()
    return Imported(where, "", text, answer, held, "", id_ if isinstance(id_, str) else "")


def _read(path: Path) -> str:
    with reading(str(path)):
        content = read_file(path)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise TriageError(f"{path.name} is not UTF-8") from error


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
