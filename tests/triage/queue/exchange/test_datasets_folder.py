"""A folder for Hugging Face's datasets holds typed rows, for the library and for plain Parquet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.queue.exchange import ExchangeFormat, Exported, export

from .conftest import any_items

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: extra parquet")

Item = Callable[..., Exported]
TABLE = Path("data") / "train-00000-of-00001.parquet"


def written(items: list[Exported], folder: Path) -> list[dict[str, Any]]:
    export(folder, items, ExchangeFormat.DATASETS, overwrite=True)
    rows: list[dict[str, Any]] = parquet.read_table(folder / TABLE).to_pylist()
    return rows


def test_a_message_is_a_row(item: Item, tmp_path: Path) -> None:
    items = [item("Coucou Zoé", "TA", "Zoé PRE"), item("ok", "NTA"), item("Zoé ?", None)]
    assert written(items, tmp_path / "out") == [
        {
            "id": "sms_1 sms_7",
            "text": "Coucou Zoé",
            "label": 1,
            "spans": [{"start": 7, "end": 10, "type": "PRE"}],
        },
        {"id": "sms_1 sms_7", "text": "ok", "label": 0, "spans": []},
        {"id": "sms_1 sms_7", "text": "Zoé ?", "label": None, "spans": []},
    ]


def test_types_do_not_depend_on_the_rows(item: Item, tmp_path: Path) -> None:
    empty, full = tmp_path / "empty", tmp_path / "full"
    written([], empty)
    written([item("Coucou Zoé", "TA", "Zoé PRE")], full)
    schemas = [parquet.read_schema(folder / TABLE) for folder in (empty, full)]
    assert schemas[0] == schemas[1]
    assert str(schemas[0].field("spans").type).startswith("list<")


@given(made=st.lists(any_items(), max_size=3))
def test_offsets_count_code_points_of_the_text_as_it_is(
    made: list[Exported], scratch: Path
) -> None:
    for one, row in zip(made, written(made, scratch / "out"), strict=True):
        assert row["text"] == one.text
        assert [(s["start"], s["end"], s["type"]) for s in row["spans"]] == [
            (s.start, s.end, s.type) for s in one.marked
        ]


def test_the_card_names_the_types_and_the_number_of_messages(item: Item, tmp_path: Path) -> None:
    written([item("Coucou Zoé", "TA", "Zoé PRE")] * 2, tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\ndataset_info:\n  features:\n")
    assert "\n2 messages. " in card


def test_the_same_messages_give_the_same_bytes(item: Item, tmp_path: Path) -> None:
    for name in ("one", "other"):
        written([item("Coucou Zoé", "TA", "Zoé PRE")] * 50, tmp_path / name)
    assert (tmp_path / "one" / TABLE).read_bytes() == (tmp_path / "other" / TABLE).read_bytes()


@pytest.mark.filterwarnings("ignore")
def test_load_dataset_gives_typed_features(
    item: Item, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="datasets (Hugging Face) is not installed")
    items = [item("😀 Zoé", "TA", "Zoé PRE"), item("ok", "NTA"), item("Zoé ?", None)]
    written(items, tmp_path / "out")
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    rows = loaded["train"]
    assert rows.features["label"] == datasets.ClassLabel(names=["NTA", "TA"])
    place = rows.features["spans"].feature
    assert {name: place[name].dtype for name in place} == {
        "start": "int32",
        "end": "int32",
        "type": "string",
    }
    assert [rows.features["label"].int2str(row["label"]) for row in rows.select([0, 1])] == [
        "TA",
        "NTA",
    ]
    assert rows[2]["label"] is None
    assert rows[0]["spans"] == [{"start": 2, "end": 5, "type": "PRE"}]
