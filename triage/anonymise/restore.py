"""Put the identifiers of an anonymised file back, by its key table.

The private record beside the key table holds digests of the input, of the table and of the messages
as they were: what comes back is what went in, or nothing.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from triage.data import Chunk, MessageFile, as_text, create_output, open_messages

from ..decide.source import Source, check_rejects
from ..errors import TriageError, reading
from ..model.find import Identifier
from ..safe import STANDARD_STREAM, check_targets, checksum, read_file
from ..vocabulary import IdentifierType, Span, Spans
from .held import beside

KEY_COLUMNS = (
    *("row", "written", "id", "start", "end", "type", "rule", "identifier", "replacement"),
)
_FORMAT = 1


def key_rows_of(
    row: int, written: int, id_: str, text: str, pairs: Iterable[tuple[Identifier, str]]
) -> list[list[object]]:
    return [
        [row, written, id_, i.start, i.end, i.type.value, i.rule, text[i.start : i.end], new]
        for i, new in pairs
    ]


def digested(text: str) -> bytes:
    """Return what a digest of messages takes of each, in their order."""
    # JSON can hold half of a character, which no encoding but this one takes.
    content = text.encode("utf-8", "surrogatepass")
    return len(content).to_bytes(8, "big") + content


def private_path(key_table: str | None) -> Path | None:
    """Return the path of the private record beside a key table; None beside a stream."""
    return beside(key_table, "private.json") if key_table not in (None, STANDARD_STREAM) else None


def private_record(source: str, key_table: str, messages: str) -> bytes:
    """Return the private record of a source, and of digests of its key table and messages."""
    # A stream, or a pipe, cannot be read once more.
    is_file = source != STANDARD_STREAM and Path(source).is_file()
    told = {"input": checksum(Path(source)) if is_file else ""}
    told |= {"key_table": key_table, "messages": messages}
    return f"{json.dumps({'format': _FORMAT} | told, indent=2)}\n".encode()


def read_key_table(path: str) -> list[dict[str, object]]:
    """Read the table of replacements of ``triage anonymise --key-table``."""
    with open_messages(path, text_column="identifier", guarded=True) as file:
        if "replacement" not in file.columns:
            raise TriageError(f"{path} is no table of triage anonymise: it has no replacements")
        rows = [
            dict(zip(file.columns, row, strict=True))
            for chunk in file.chunks()
            for row in chunk.rows
        ]
        check_rejects(file)
        return rows


@dataclass
class Restored:
    """Numbers of messages, of those that changed, and of identifiers that were put back."""

    output: str
    rows: int = 0
    changed: int = 0
    identifiers: int = 0


def restore(source: Source, key_table: str, output: str, *, overwrite: bool = False) -> Restored:
    """Write an anonymised file with its messages as they were; all other cells stay."""
    read = [source.path, key_table, private_path(key_table)]
    check_targets([output], read, overwrite=overwrite)
    done, undoing = Restored(output), _Undoing(key_table)
    with (
        source.open() as file,
        create_output(
            output, file.columns, like=file.dialect, private=True, overwrite=overwrite
        ) as written,
    ):
        for chunk, messages in undoing.chunks(file):
            for row, (text, spans) in zip(chunk.rows, messages, strict=True):
                done.rows += 1
                if spans:
                    row[file.text_position] = text
                    done.changed += 1
                    done.identifiers += len(spans)
            written.write(chunk.rows)
        written.commit()
    return done


def replaced_spans(file: MessageFile, key_table: str) -> Iterator[Spans]:
    """Yield where the replacements of each message of an anonymised file stand."""
    for _, messages in _Undoing(key_table).chunks(file):
        for _, spans in messages:
            yield tuple(span for span in spans if span.end > span.start)


class _Undoing:
    """Undoes the replacements of a key table, which must be whole."""

    def __init__(self, key_table: str) -> None:
        self._name = key_table
        rows = read_key_table(key_table)
        try:
            self._left: dict[int, list[tuple[Span, str, str]]] = {}
            for row in sorted(rows, key=lambda row: int(as_text(row["start"]))):
                number, start, end = (int(as_text(row[at])) for at in ("written", "start", "end"))
                span = Span(start, end, IdentifierType(as_text(row["type"])))
                found = (span, as_text(row["identifier"]), as_text(row["replacement"]))
                self._left.setdefault(number, []).append(found)
        except (KeyError, ValueError):
            raise TriageError(
                f"{key_table} does not say where its identifiers stood: anonymise the file again "
                "with --key-table"
            ) from None
        self._messages = _digest_of_messages(key_table)

    def chunks(self, file: MessageFile) -> Iterator[tuple[Chunk, list[tuple[str, list[Span]]]]]:
        """Yield each chunk with its messages as they were, and where replacements stand in them."""
        number, undone = 0, hashlib.sha256()
        for chunk in file.chunks():
            messages = []
            for text in chunk.texts:
                number += 1
                try:
                    message = _undone(text, self._left.pop(number, []))
                except ValueError:
                    raise self._unlike(file, f"message {number:,} is another") from None
                undone.update(digested(message[0]))
                messages.append(message)
            yield chunk, messages
        check_rejects(file)
        if self._left:
            raise self._unlike(file, f"{len(self._left):,} messages are missing")
        if undone.hexdigest() != self._messages:
            raise self._unlike(file, "what comes back is not what was anonymised")

    def _unlike(self, file: MessageFile, what: str) -> TriageError:
        return TriageError(
            f"{self._name} is not the table of {file.name}, or messages were changed, moved or "
            f"removed since: {what}"
        )


def _digest_of_messages(key_table: str) -> str:
    """Return the digest in the private record of a key table, which must be whole."""
    path = private_path(key_table)
    if path is None or not path.exists():
        raise TriageError(
            f"there is no {path or 'private record'} beside {key_table}: triage anonymise writes "
            "both, and without it nobody can tell whether the table is whole"
        )
    try:
        with reading(str(path)):
            record = json.loads(read_file(path))
        if record["format"] != _FORMAT:
            raise ValueError
        known, messages = str(record["key_table"]), str(record["messages"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TriageError(f"{path} is no private record of triage anonymise") from None
    if known != checksum(Path(key_table)):
        raise TriageError(
            f"{key_table} is not the whole table that triage anonymise wrote, or was changed "
            f"since: its checksum is not that in {path}"
        )
    return messages


def _undone(text: str, replaced: Iterable[tuple[Span, str, str]]) -> tuple[str, list[Span]]:
    """Return a message as it was, and where replacements stand in it; ValueError if they do not."""
    pieces, spans, at, was_at = list[str](), list[Span](), 0, 0
    for was, identifier, replacement in replaced:
        start = at + was.start - was_at
        end = start + len(replacement)
        if was.start < was_at or text[start:end] != replacement:
            raise ValueError
        pieces += [text[at:start], identifier]
        spans.append(Span(start, end, was.type))
        at, was_at = end, was.end
    return "".join([*pieces, text[at:]]), spans
