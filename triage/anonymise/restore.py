"""Put the identifiers of an anonymised file back, by its key table.

The private record beside the key table holds digests of the input, of the table and of the messages
as they were: what comes back is what went in, or nothing.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from triage.data import Chunk, MessageFile, create_output
from triage.data.output import beside

from ..decide.entries import read_rows
from ..decide.source import Source, check_rejects
from ..errors import TriageError, reading
from ..safe import STANDARD_STREAM, check_targets, checksum, read_file
from ..vocabulary import IdentifierType, Span, Spans

KEY_COLUMNS = (
    *("row", "written", "id", "start", "end", "type", "rule", "identifier", "replacement"),
)
_FORMAT = 1
_Replacement = tuple[Span, str, str]
"""The place of an identifier, the identifier, and its replacement."""


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


def read_key_table(path: str) -> list[dict[str, str]]:
    what = "it is no table of triage anonymise"
    return read_rows(path, ("identifier", "replacement"), dict, strip=False, what=what)


def restore(
    source: Source, key_table: str, output: str, *, overwrite: bool = False
) -> dict[str, str | int]:
    """Write an anonymised file with its messages as they were; all other cells stay.

    Return the output and the numbers of messages, changed ones and identifiers put back.
    """
    check_targets([output], [source.path, key_table, private_path(key_table)], overwrite=overwrite)
    rows = changed = identifiers = 0
    with (
        source.open() as file,
        create_output(
            output, file.columns, like=file.dialect, private=True, overwrite=overwrite
        ) as written,
    ):
        for chunk, messages in _restored_chunks(file, key_table):
            for row, (text, spans) in zip(chunk.rows, messages, strict=True):
                if spans:
                    row[file.text_position] = text
                    changed += 1
                    identifiers += len(spans)
            rows += len(messages)
            written.write(chunk.rows)
        written.commit()
    return {"output": output, "rows": rows, "changed": changed, "identifiers": identifiers}


def replaced_spans(file: MessageFile, key_table: str) -> Iterator[Spans]:
    for _, messages in _restored_chunks(file, key_table):
        for _, spans in messages:
            yield tuple(span for span in spans if span.end > span.start)


def _restored_chunks(
    file: MessageFile, key_table: str
) -> Iterator[tuple[Chunk, list[tuple[str, list[Span]]]]]:
    """Yield each chunk with its messages as they were, and where replacements stand in them."""

    def unlike(what: str) -> TriageError:
        return TriageError(
            f"{key_table} is not the table of {file.name}, or messages were changed, moved or "
            f"removed since: {what}"
        )

    left, digest = _replacements(key_table), _digest_of_messages(key_table)
    numbers, found = count(1), hashlib.sha256()
    for chunk in file.chunks():
        messages = []
        for text, number in zip(chunk.texts, numbers, strict=False):
            try:
                messages.append(_restored(text, left.pop(number, [])))
            except ValueError:
                raise unlike(f"message {number:,} is another") from None
            found.update(digested(messages[-1][0]))
        yield chunk, messages
    check_rejects(file)
    if left:
        raise unlike(f"{len(left):,} messages are missing")
    if found.hexdigest() != digest:
        raise unlike("what comes back is not what was anonymised")


def _replacements(key_table: str) -> dict[int, list[_Replacement]]:
    """Read the replacements of a key table, in order, by the row in which they were written."""
    found: dict[int, list[_Replacement]] = defaultdict(list)
    rows = read_key_table(key_table)
    try:
        for row in sorted(rows, key=lambda row: int(row["start"])):
            number, start, end = (int(row[at]) for at in ("written", "start", "end"))
            span = Span(start, end, IdentifierType(row["type"]))
            found[number].append((span, row["identifier"], row["replacement"]))
    except (KeyError, ValueError):
        raise TriageError(
            f"{key_table} does not say where its identifiers stood: anonymise the file again "
            "with --key-table"
        ) from None
    return found


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
        is_whole = record["key_table"] == checksum(Path(key_table))
        messages = str({_FORMAT: record["messages"]}[record["format"]])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TriageError(f"{path} is no private record of triage anonymise") from None
    if not is_whole:
        raise TriageError(
            f"{key_table} is not the whole table that triage anonymise wrote, or was changed "
            f"since: its checksum is not that in {path}"
        )
    return messages


def _restored(text: str, replaced: Iterable[_Replacement]) -> tuple[str, list[Span]]:
    """Return a message as it was, and where replacements stand in it; ValueError if they do not."""
    pieces, spans, at, was_at = list[str](), list[Span](), 0, 0
    for was, identifier, replacement in replaced:
        start = at + was.start - was_at
        end = start + len(replacement)
        if was.start < was_at or text[start:end] != replacement:
            raise ValueError
        pieces += [text[at:start], identifier]
        # A name that was kept is not shown as one, nor the white space around one.
        first, last = end - len(replacement.lstrip()), start + len(replacement.rstrip())
        spans += [Span(first, last, was.type)] if replacement != identifier else []
        at, was_at = end, was.end
    return "".join([*pieces, text[at:]]), spans
