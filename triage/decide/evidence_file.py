"""Gathered evidence as an Arrow table, in memory or as a file.

The table holds words of messages and names of senders: a file of it is readable by its owner only.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from triage.data.errors import reading, require
from triage.data.staging import write_file
from triage.features.corpus_evidence import (
    NEIGHBOUR_COLUMNS,
    PAIR_COLUMNS,
    SENDER_COLUMNS,
    WORD_COLUMNS,
    EvidenceTable,
)
from triage.features.counts import Integers

from ..errors import TriageError
from .gathering import Fingerprint, Gathered

if TYPE_CHECKING:
    import pyarrow as pa

# To be raised with each change after which older files cannot be read.
FORMAT_VERSION = 1
_ABOUT = b"sms-triage"
_KINDS = {
    "word": WORD_COLUMNS,
    "neighbour": NEIGHBOUR_COLUMNS,
    "sender": SENDER_COLUMNS,
    "pair": PAIR_COLUMNS,
}
_COUNTS = tuple(dict.fromkeys(name for names in _KINDS.values() for name in names))
_Keys = Sequence[bytes | None]


def to_arrow(table: EvidenceTable) -> "pa.Table":
    """Return evidence as one table.

    Returns
    -------
    pyarrow.Table
        A row for each word, neighbour and sender, and for each pair of sender and word, as its
        ``kind`` says; ``word`` and ``sender`` are UTF-8, in bytes. Counts that a kind does not
        have are null.
    """
    pa = require("pyarrow", "parquet")
    words, neighbours, senders = (
        [*map(_encoded, names)] for names in (table.words, table.neighbours, table.senders)
    )
    sender, word = table.pairs[:, 0].tolist(), table.pairs[:, 1].tolist()
    rows: dict[str, tuple[_Keys, _Keys, Integers]] = {
        "word": (words, [None] * len(words), table.of_words),
        "neighbour": (neighbours, [None] * len(neighbours), table.of_neighbours),
        "sender": ([None] * len(senders), senders, table.of_senders),
        "pair": ([words[i] for i in word], [senders[i] for i in sender], table.pairs[:, 2:]),
    }
    schema = pa.schema(
        [("kind", pa.string()), ("word", pa.binary()), ("sender", pa.binary())]
        + [(name, pa.int64()) for name in _COUNTS]
    )
    parts = []
    for kind, (of_word, of_sender, counts) in rows.items():
        columns = {"kind": [kind] * len(counts), "word": of_word, "sender": of_sender}
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
    """Return the evidence of a table, of which the rows may come in any order.

    Raises
    ------
    ValueError
        If it is no table of `to_arrow`.
    """
    pc = require("pyarrow.compute", "parquet")
    found = {}
    for kind, names in _KINDS.items():
        of_kind = table.filter(pc.equal(table["kind"], kind))
        counts = [of_kind[name].to_numpy().astype(np.int64) for name in names]
        words, senders = (
            [_decoded(key) for key in of_kind[key].to_pylist()] for key in ("word", "sender")
        )
        found[kind] = (words, senders, np.column_stack(counts).reshape(-1, len(names)))
    words, _, of_words = _sorted(*found["word"])
    neighbours, _, of_neighbours = _sorted(*found["neighbour"])
    _, senders, of_senders = _sorted(*found["sender"])
    number = {word: i for i, word in enumerate(words)}
    of_sender = {sender: i for i, sender in enumerate(senders)}
    try:
        pairs = [
            (of_sender[who], number[word], *counts)
            for word, who, counts in zip(*found["pair"][:2], found["pair"][2].tolist(), strict=True)
        ]
    except KeyError as error:
        raise ValueError("a pair is of a word or a sender that is not there") from error
    return EvidenceTable(
        words,
        of_words,
        neighbours,
        of_neighbours,
        senders,
        of_senders,
        np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2 + len(PAIR_COLUMNS)),
    )


def _sorted(
    words: list[str], senders: list[str], counts: Integers
) -> tuple[list[str], list[str], Integers]:
    order = sorted(range(len(words)), key=lambda i: (words[i], senders[i]))
    return [words[i] for i in order], [senders[i] for i in order], counts[order]


# JSON can hold half of a character, which UTF-8 does not take otherwise.
def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _decoded(name: bytes | None) -> str:
    return "" if name is None else name.decode("utf-8", "surrogatepass")


def save_evidence(gathered: Gathered, weights: str, path: Path, *, overwrite: bool = False) -> None:
    """Write what was gathered, readable by its owner only.

    Parameters
    ----------
    gathered : Gathered
    weights : str
        The fingerprint of the weights and lists by which words were weighed.
    path : Path
    overwrite : bool

    Raises
    ------
    DataError
        If it cannot be written, or exists and may not be replaced, or pyarrow is missing.
    """
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
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_ARROW)) == _ARROW
    return False


_ARROW = b"ARROW1"


def load_evidence(path: Path, weights: str) -> Gathered:
    """Read what was gathered.

    Parameters
    ----------
    path : Path
    weights : str
        The fingerprint of the weights and lists that words are weighed by now.

    Raises
    ------
    DataError
        If the file cannot be read, or pyarrow is missing.
    TriageError
        If it holds no evidence, or was gathered with another version, other weights or lists.
    """
    pa = require("pyarrow", "parquet")
    with reading(str(path)):
        content = path.read_bytes()
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
