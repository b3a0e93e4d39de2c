"""The key table: all replacements of an output, from which the original messages come back.

It holds what was replaced: only its owner may read it.
"""

import hashlib
from collections.abc import Iterable

from triage.data import open_messages

from ..decide.precedence import Identifier
from ..decide.source import check_rejects
from ..errors import TriageError

KEY_COLUMNS = (
    *("row", "written", "id", "start", "end", "type", "rule"),
    *("checksum", "identifier", "replacement"),
)
_CHECKSUM_BYTES = 8


def key_rows_of(
    row: int, written: int, id_: str, text: str, pairs: Iterable[tuple[Identifier, str]]
) -> list[list[object]]:
    """Return the rows of a message."""
    return [
        [
            *(row, written, id_, i.start, i.end, i.type.value, i.rule),
            *(message_checksum(text), text[i.start : i.end], replacement),
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
