"""Key files, key tables with their private records, and restoring: what stays with its owner.

Who has the key can try names and see whether their pseudonyms come out. The key table puts the
identifiers of an anonymised file back; the private record beside it holds digests of the input, of
the table and of the messages as they were: what comes back is what went in, or nothing.
"""

import hashlib
import hmac
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

from triage.data import Chunk, MessageFile, create_output
from triage.data.output import beside

from .. import safe
from ..decide.source import Source, read_rows
from ..errors import TriageError, reading
from ..safe import STANDARD_STREAM, check_is_ordinary, checksum
from ..vocabulary import IdentifierType, Span, Spans
from .words import refused

KEY_BYTES = 32
# Readable by its owner alone, with cells guarded that a spreadsheet would run.
private_output = partial(create_output, private=True, guard_formulas=True)
KEY_COLUMNS = ("row", "written", "id", "start", "end", "type", "rule", "identifier", "replacement")
# The row of what was replaced beside the messages of a document, which is not put back.
BESIDE = "0"
_PRIVATE_FORMAT = 1
Replacement = tuple[Span, str, str]
"""The place of an identifier, the identifier, and its replacement."""


def read_key(path: Path) -> bytes:
    check_is_ordinary(path)
    with reading(f"the key file {path}"), path.open("rb") as file:
        status = os.fstat(file.fileno())
        content = file.read(4 * KEY_BYTES)
    # Where there are no owners (Windows), the modes say nothing.
    has_owners = hasattr(os, "getuid")
    if has_owners and status.st_uid != os.getuid():
        raise refused("key_access.owner", file=path)
    if has_owners and status.st_mode & 0o077:
        raise refused("key_access.others", file=path)
    if not re.fullmatch(rb"[0-9a-fA-F]{64}\s*", content):
        raise refused("no_key.file", file=path, n=2 * KEY_BYTES)
    return bytes.fromhex(content.decode("ascii"))


def digested(text: str) -> bytes:
    """Return a text as bytes behind their length, so that texts in a row differ in their digest."""
    # A JSON file can hold half a character, which UTF-8 has no bytes for.
    content = text.encode("utf-8", "surrogatepass")
    return len(content).to_bytes(8, "big") + content


def digest(key: bytes, *purpose: str) -> bytes:
    """Return the keyed hash (HMAC-SHA256, 32 bytes) of a purpose."""
    return hmac.digest(key, b"".join(map(digested, purpose)), "sha256")


class Keyed:
    """Pseudorandom numbers that follow from a key and a purpose."""

    def __init__(self, key: bytes, *purpose: str) -> None:
        seed = digest(key, *purpose)
        blocks = (hmac.digest(seed, i.to_bytes(8, "big"), "sha256") for i in count())
        self._numbers = (
            int.from_bytes(block[i : i + 8], "big") for block in blocks for i in range(0, 32, 8)
        )

    def below(self, n: int) -> int:
        return next(self._numbers) % n

    def of(self, choices: str) -> str:
        return choices[self.below(len(choices))]


def private_path(key_table: str | None) -> Path | None:
    """Return the path of the private record beside a key table; None beside a stream."""
    return beside(key_table, "private.json") if key_table not in (None, STANDARD_STREAM) else None


def private_record(source: str, key_table: str, messages: str) -> bytes:
    """Return the private record of a source, and of digests of its key table and messages."""
    # A stream, or a pipe, cannot be read once more.
    is_file = source != STANDARD_STREAM and Path(source).is_file()
    digests = {"input": checksum(Path(source)) if is_file else ""}
    digests |= {"key_table": key_table, "messages": messages}
    return f"{json.dumps({'format': _PRIVATE_FORMAT} | digests, indent=2)}\n".encode()


def read_key_table(path: str) -> list[dict[str, str]]:
    what = "it is no table of triage anonymise"
    return read_rows(path, ("identifier", "replacement"), dict, strip=False, usage=what)


def replacements_in(path: str, column: str = "row") -> defaultdict[int, list[Replacement]]:
    """Return the replacements of a key table, in order, by row of the input, or as `written`."""
    rows, replacements = read_key_table(path), defaultdict[int, list[Replacement]](list)
    try:
        for row in sorted(rows, key=lambda row: int(row["start"])):
            number, start, end = (int(row[name]) for name in (column, "start", "end"))
            span = Span(start, end, IdentifierType(row["type"]))
            replacements[number].append((span, row["identifier"], row["replacement"]))
    except (KeyError, ValueError):
        raise refused("no_places", table=path) from None
    return replacements


def restore(
    source: Source, key_table: str, output: str, *, overwrite: bool = False
) -> dict[str, str | int]:
    """Write an anonymised file with its messages as they were, and tell how many were changed."""
    inputs = [source.path, key_table, private_path(key_table)]
    safe.check_targets([output], inputs, overwrite=overwrite)
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

    def unlike(problem: str) -> TriageError:
        return refused("other_messages", table=key_table, file=file.name, what=problem)

    safe.check_is_named(key_table)
    left = replacements_in(key_table, "written")
    left.pop(int(BESIDE), None)
    expected, numbers, digest = _digest_of_messages(key_table), count(1), hashlib.sha256()
    for chunk in file.chunks():
        messages = []
        for text, number in zip(chunk.texts, numbers, strict=False):
            try:
                messages.append(_restored(text, left.pop(number, [])))
            except ValueError:
                raise unlike(f"message {number:,} is another") from None
            digest.update(digested(messages[-1][0]))
        yield chunk, messages
    file.check_whole()
    if left:
        raise unlike(f"{len(left):,} messages are missing")
    if digest.hexdigest() != expected:
        raise unlike("what comes back is not what was anonymised")


def _digest_of_messages(key_table: str) -> str:
    """Return the digest in the private record of a key table, which must be whole."""
    path = beside(key_table, "private.json")
    if not path.exists():
        raise refused("no_private_record", path=path, table=key_table)
    try:
        with reading(str(path)):
            record = json.loads(safe.read_file(path))
        is_whole = record["key_table"] == checksum(Path(key_table))
        messages = str({_PRIVATE_FORMAT: record["messages"]}[record["format"]])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise refused("other_private_record", path=path) from None
    if not is_whole:
        raise refused("key_table_changed", table=key_table, path=path)
    return messages


def _restored(text: str, replaced: Iterable[Replacement]) -> tuple[str, list[Span]]:
    """Return a message as it was, and where replacements stand in it; ValueError if they do not."""
    pieces, spans, at, old_at = list[str](), list[Span](), 0, 0
    for span, identifier, replacement in replaced:
        start = at + span.start - old_at
        end = start + len(replacement)
        if span.start < old_at or text[start:end] != replacement:
            raise ValueError
        pieces += [text[at:start], identifier]
        # A name that was kept is not shown as one, nor the white space around one.
        first, last = end - len(replacement.lstrip()), start + len(replacement.rstrip())
        spans += [Span(first, last, span.type)] if replacement != identifier else []
        at, old_at = end, span.end
    return "".join([*pieces, text[at:]]), spans
