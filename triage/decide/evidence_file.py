"""Gathered evidence as an Arrow table, in memory or as a file.

The table holds words of messages and names of senders: a file of it is readable by its owner only.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from triage.data.errors import reading, require
from triage.features.counts import Integers
from triage.features.evidence_table import (
    NEIGHBOUR_COLUMNS,
    PAIR_COLUMNS,
    SENDER_COLUMNS,
    WORD_COLUMNS,
    EvidenceTable,
)

from ..errors import TriageError
from ..safe import check_is_ordinary, read_file, write_file
from .gathering import Fingerprint, Gathered

if TYPE_CHECKING:
    import pyarrow as pa

# To be raised with each change after which older files cannot be read.
FORMAT_VERSION = 2
_ABOUT = b"sms-triage"
_KINDS = {
    "word": WORD_COLUMNS,
    "neighbour": NEIGHBOUR_COLUMNS,
    "sender": SENDER_COLUMNS,
    "pair": PAIR_COLUMNS,
}
_COUNTS = tuple(dict.fromkeys(name for names in _KINDS.values() for name in names))


def to_arrow(table: EvidenceTable) -> "pa.Table":
    """Return evidence as one table."""
    pa = require("pyarrow", "parquet")
    words, neighbours, senders = (
        pa.array([*map(_encoded, names)], pa.binary())
        for names in (table.words, table.neighbours, table.senders)
    )
    nothing = pa.nulls(0, pa.binary())
    of_sender, of_word = table.pairs[:, 0], table.pairs[:, 1]
    rows: dict[str, tuple[Any, Any, Integers]] = {
        "word": (words, nothing, table.of_words),
        "neighbour": (neighbours, nothing, table.of_neighbours),
        "sender": (nothing, senders, table.of_senders),
        "pair": (words.take(of_word), senders.take(of_sender), table.pairs[:, 2:]),
    }
    schema = pa.schema(
        [("kind", pa.string()), ("word", pa.binary()), ("sender", pa.binary())]
        + [(name, pa.int64()) for name in _COUNTS]
    )
    parts = []
    for kind, (word, sender, counts) in rows.items():
        columns = {"kind": pa.repeat(kind, len(counts))}
        columns |= {name: keys for name, keys in (("word", word), ("sender", sender)) if len(keys)}
        columns |= dict(zip(_KINDS[kind], counts.T, strict=True))
        arrays = [
            pa.array(columns[field.name], field.type)
            if field.name in columns
            else pa.nulls(len(counts), field.type)
            for field in schema
        ]
        parts.append(pa.Table.from_arrays(arrays, schema=schema))
    return pa.concat_tables(parts)


def from_arrow(table: "pa.Table") -> EvidenceTable:
    """Return the evidence of a table, of which the rows may come in any order."""
    pc = require("pyarrow.compute", "parquet")

    def of_kind(kind: str, *keys: str) -> tuple["pa.Table", Integers]:
        rows = table.filter(pc.equal(table["kind"], kind))
        # Bytes of UTF-8 have the order of code points.
        rows = rows.sort_by([(key, "ascending") for key in keys]).combine_chunks()
        counts = [rows[name].to_numpy().astype(np.int64) for name in _KINDS[kind]]
        return rows, np.column_stack(counts).reshape(-1, len(counts))

    words, of_words = of_kind("word", "word")
    neighbours, of_neighbours = of_kind("neighbour", "word")
    senders, of_senders = of_kind("sender", "sender")
    pairs, of_pairs = of_kind("pair", "sender", "word")
    numbers = [
        pc.index_in(pairs[key], value_set=rows[key].combine_chunks())
        for key, rows in (("sender", senders), ("word", words))
    ]
    if any(found.null_count for found in numbers):
        raise ValueError("a pair is of a word or a sender that is not there")
    return EvidenceTable(
        names_of(words["word"]),
        of_words,
        names_of(neighbours["word"]),
        of_neighbours,
        names_of(senders["sender"]),
        of_senders,
        np.column_stack([*(found.to_numpy().astype(np.int64) for found in numbers), of_pairs]),
    )


# JSON can hold half of a character, which UTF-8 does not take otherwise.
def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def names_of(column: "pa.ChunkedArray") -> list[str]:
    """Return the words or senders of a column."""
    return [(name or b"").decode("utf-8", "surrogatepass") for name in column.to_pylist()]


def save_evidence(gathered: Gathered, weights: str, path: Path, *, overwrite: bool = False) -> None:
    """Write what was gathered, readable by its owner only."""
    pa = require("pyarrow", "parquet")
    about = {"version": FORMAT_VERSION, "weights": weights, "parts": gathered.parts}
    table = to_arrow(gathered.table).replace_schema_metadata({_ABOUT: json.dumps(about)})
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table.combine_chunks())
    write_file(path, sink.getvalue().to_pybytes(), private=True, overwrite=overwrite)


def is_evidence(path: Path) -> bool:
    """Return whether a file begins as evidence does; not, if it cannot be read."""
    check_is_ordinary(path)
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_ARROW)) == _ARROW
    return False


_ARROW = b"ARROW1"


def load_evidence(path: Path, weights: str) -> Gathered:
    """Read what was gathered."""
    pa = require("pyarrow", "parquet")
    with reading(str(path)):
        content = read_file(path)
    try:
        table = pa.ipc.open_file(content).read_all()
        about = json.loads((table.schema.metadata or {})[_ABOUT])
        version, of_weights = about["version"], about["weights"]
        parts = tuple(Fingerprint(int(n), int(digest)) for n, digest in about["parts"])
        gathered = Gathered(from_arrow(table), parts) if version == FORMAT_VERSION else None
    except (pa.ArrowException, KeyError, TypeError, ValueError, UnicodeError) as error:
        raise TriageError(f"{path} holds no evidence of triage gather, or is damaged") from error
    if gathered is None or of_weights != weights:
        raise TriageError(
            f"{path} was gathered with another version, model or lists: gather it again"
        )
    return gathered
