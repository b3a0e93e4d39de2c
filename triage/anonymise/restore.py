"""Put the identifiers of an anonymised file back, by its key table."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from triage.data import MessageFile, as_text, create_output, open_messages

from ..decide.source import Source, check_rejects
from ..errors import TriageError
from ..model.find import Identifier
from ..safe import check_targets
from ..vocabulary import IdentifierType, Span, Spans
from .record import check_unchanged, read_record

KEY_COLUMNS = (
    *("row", "written", "id", "start", "end", "type", "rule"),
    *("checksum", "identifier", "replacement"),
)
_CHECKSUM_BYTES = 8


def key_rows_of(
    row: int, written: int, id_: str, text: str, pairs: Iterable[tuple[Identifier, str]]
) -> list[list[object]]:
    checksum = message_checksum(text)
    return [
        [
            *(row, written, id_, i.start, i.end, i.type.value, i.rule),
            *(checksum, text[i.start : i.end], replacement),
        ]
        for i, replacement in pairs
    ]


def message_checksum(text: str) -> str:
    """Return a checksum of a message, by which it is known whether it came back as it was."""
    # JSON can hold half of a character, which no encoding but this one takes.
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_CHECKSUM_BYTES)
    return digest.hexdigest()


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


@dataclass(frozen=True)
class Replacement:
    """An identifier of a message, where it stood, what stands there now; see `key_table`."""

    start: int
    end: int
    checksum: str
    identifier: str
    replacement: str
    type: IdentifierType


@dataclass
class Restored:
    """Numbers of messages, of those that changed, and of identifiers that were put back."""

    output: str
    rows: int = 0
    changed: int = 0
    identifiers: int = 0


class _WrongError(ValueError):
    """A message is not what was written with these replacements."""


def restore(source: Source, key_table: str, output: str, *, overwrite: bool = False) -> Restored:
    """Write an anonymised file with its messages as they were; all other cells stay."""
    check_targets([output], [source.path, key_table], overwrite=overwrite)
    replacements = _replacements(source.path, key_table)
    done = Restored(output)
    with (
        source.open() as file,
        create_output(
            output, file.columns, like=file.dialect, private=True, overwrite=overwrite
        ) as written,
    ):
        for chunk in file.chunks():
            for row, text in zip(chunk.rows, chunk.texts, strict=True):
                done.rows += 1
                there = replacements.pop(done.rows, None)
                if there is not None:
                    row[file.text_position] = _restored(text, there, done, file.name, key_table)
            written.write(chunk.rows)
        check_rejects(file)
        _check_none_left(replacements, file.name, key_table)
        written.commit()
    return done


def _replacements(path: str, key_table: str) -> dict[int, list[Replacement]]:
    """Return the replacements of each row of a file, which must be as its record says."""
    replacements = _by_row(key_table)
    record = read_record(path)
    if record is not None:
        check_unchanged(path, record)
    return replacements


def _check_none_left(left: Mapping[int, object], name: str, key_table: str) -> None:
    if left:
        raise _unlike(name, key_table, f"{len(left):,} messages are missing")


def replaced_spans(file: MessageFile, path: str, key_table: str) -> Iterator[Spans]:
    """Yield where the replacements of each message of an anonymised file stand."""
    replacements = _replacements(path, key_table)
    texts = (text for chunk in file.chunks() for text in chunk.texts)
    for row, text in enumerate(texts, 1):
        try:
            places = [*_placed(text, replacements.pop(row, []))]
        except _WrongError:
            raise _unlike(file.name, key_table, f"message {row:,} is another") from None
        yield tuple(Span(start, end, one.type) for one, start, end in places if end > start)
    check_rejects(file)
    _check_none_left(replacements, file.name, key_table)


def _restored(
    text: str, there: Sequence[Replacement], done: Restored, name: str, key_table: str
) -> str:
    """Put the identifiers of a message back, and count it."""
    try:
        restored = put_back(text, there)
    except _WrongError:
        raise _unlike(name, key_table, f"message {done.rows:,} is another") from None
    done.changed += 1
    done.identifiers += len(there)
    return restored


def _unlike(name: str, key_table: str, what: str) -> TriageError:
    return TriageError(
        f"{key_table} is not the table of {name}, or messages were changed, moved or removed since:"
        f" {what}"
    )


def put_back(text: str, replacements: Iterable[Replacement]) -> str:
    """Return a message as it was."""
    pieces, at, checksum = list[str](), 0, ""
    for one, start, end in _placed(text, replacements):
        pieces += [text[at:start], one.identifier]
        at, checksum = end, one.checksum
    restored = "".join([*pieces, text[at:]])
    if message_checksum(restored) != checksum:
        raise _WrongError
    return restored


def _placed(
    text: str, replacements: Iterable[Replacement]
) -> Iterator[tuple[Replacement, int, int]]:
    """Yield replacements in order, with the places where they stand now."""
    at, was_at = 0, 0
    for one in sorted(replacements, key=lambda one: one.start):
        start = at + one.start - was_at
        end = start + len(one.replacement)
        if one.start < was_at or text[start:end] != one.replacement:
            raise _WrongError
        yield one, start, end
        at, was_at = end, one.end


def _by_row(key_table: str) -> dict[int, list[Replacement]]:
    found: dict[int, list[Replacement]] = {}
    for row in read_key_table(key_table):
        try:
            number, one = _parsed(row)
        except (KeyError, ValueError):
            raise TriageError(
                f"{key_table} does not say where its identifiers stood: anonymise the file again "
                "with --key-table"
            ) from None
        found.setdefault(number, []).append(one)
    return found


def _parsed(row: Mapping[str, object]) -> tuple[int, Replacement]:
    number, start, end = (int(as_text(row[name])) for name in ("written", "start", "end"))
    checksum, identifier, replacement, type_ = (
        as_text(row[name]) for name in ("checksum", "identifier", "replacement", "type")
    )
    found = Replacement(start, end, checksum, identifier, replacement, IdentifierType(type_))
    return number, found
