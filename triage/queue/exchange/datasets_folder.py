"""A folder that Hugging Face's ``datasets.load_dataset`` reads: Parquet, and a card with the types.

A row has the id, the text, the label (a class; null where nobody has decided), and the identifiers:
start and end in code points, and type.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from triage.data.errors import require, writing
from triage.data.values import whole_characters

from ...safe import FolderKind
from ...vocabulary import Prediction
from .records import Destination, Exported

_CARD = "README.md"
_TABLE = "data/train-00000-of-00001.parquet"
DATASETS_FOLDER = FolderKind(_CARD, (".md", ".parquet"))
_LABELS = (Prediction.NTA, Prediction.TA)
_ROWS_AT_ONCE = 5_000

_HEAD = """---
dataset_info:
  features:
  - name: id
    dtype: string
  - name: text
    dtype: string
  - name: label
    dtype:
      class_label:
        names:
          '0': NTA
          '1': TA
  - name: spans
    list:
    - name: start
      dtype: int32
    - name: end
      dtype: int32
    - name: type
      dtype: string
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*
---
"""
_TEXT = """
# Messages and their identifiers

{n:,} messages. `label` says whether a message is to be anonymised (TA) or holds nothing to
anonymise (NTA); it is null where that is undecided. `spans` are identifiers: `start` and `end` in
code points of `text`, as Python counts, and `type`.
"""


def write_datasets(to: Destination, items: Iterable[Exported]) -> int:
    """Write messages as a data set; return how many."""
    arrow, parquet = require("pyarrow", "parquet"), require("pyarrow.parquet", "parquet")
    schema = _schema(arrow)
    n_written = 0
    with to.stage(DATASETS_FOLDER) as stage, writing(stage.name):
        path = stage.place / _TABLE
        path.parent.mkdir(exist_ok=True)
        with parquet.ParquetWriter(path, schema) as table:
            for rows in _batches(items):
                table.write_table(arrow.Table.from_pylist(rows, schema=schema))
                n_written += len(rows)
        (stage.place / _CARD).write_bytes((_HEAD + _TEXT.format(n=n_written)).encode())
        stage.commit()
    return n_written


def _schema(arrow: Any) -> Any:  # noqa: ANN401  # pyarrow is untyped
    places = [("start", arrow.int32()), ("end", arrow.int32()), ("type", arrow.string())]
    columns = {
        "id": arrow.string(),
        "text": arrow.string(),
        "label": arrow.int64(),
        "spans": arrow.list_(arrow.struct(places)),
    }
    return arrow.schema(list(columns.items()))


def _batches(items: Iterable[Exported]) -> Iterator[list[dict[str, object]]]:
    rows = map(_row, items)
    while batch := list(islice(rows, _ROWS_AT_ONCE)):
        yield batch


def _row(item: Exported) -> dict[str, object]:
    return {
        "id": whole_characters(item.id),
        "text": whole_characters(item.text),
        "label": None if item.decision is None else _LABELS.index(item.decision),
        "spans": [{"start": s.start, "end": s.end, "type": s.type.value} for s in item.marked],
    }
