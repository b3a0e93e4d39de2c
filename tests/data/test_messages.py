"""Message files in chunks."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.data import Chunk, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

TEXT_FORMATS = ["sms.csv", "sms.tsv", "sms.jsonl", "sms.csv.gz"]
FORMATS = [*TEXT_FORMATS, "sms.xlsx", "sms.ods", "sms.parquet"]


@pytest.mark.parametrize("name", FORMATS)
def test_chunks_have_the_asked_number_of_rows_but_the_last(
    name: str, tmp_path: Path, write: Write
) -> None:
    path = write(tmp_path / name, ["id", "text"], [[n, f"Coucou {n}"] for n in range(7)])
    with open_messages(path, chunk_rows=3) as messages:
        assert [len(chunk.rows) for chunk in messages.chunks()] == [3, 3, 1]


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_can_be_read_twice(name: str, tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / name, ["id", "text"], [[1, "Coucou"], [2, "Ok"]])
    with open_messages(path) as messages:
        assert list(messages.chunks()) == list(messages.chunks())
        assert messages.rows_read == 2


def test_reading_twice_counts_rejects_once(tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text("id,text\n1\n")
    with open_messages(tmp_path / "sms.csv") as messages:
        for _ in range(2):
            assert list(messages.chunks()) == []
            assert (messages.rows_read, len(messages.rejects)) == (1, 1)


@pytest.mark.parametrize("name", FORMATS)
def test_the_number_of_rows_is_known_beforehand(name: str, tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / name, ["text"], [["Coucou"]] * 500)
    with open_messages(path) as messages:
        assert messages.lines == pytest.approx(500, abs=1)


@pytest.mark.parametrize("name", FORMATS)
def test_reading_may_stop_half_way(name: str, tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / name, ["text"], [["Coucou"], ["Ok"]])
    with open_messages(path, chunk_rows=1) as messages:
        chunks = messages.chunks()
        assert next(chunks).texts == ["Coucou"]
    # Warnings are errors here, also those of a generator that ends after its file is closed.
    del chunks


def test_a_chunk_has_at_least_a_row(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "sms.csv", ["text"], [["Coucou"]])
    with pytest.raises(ValueError, match="chunk_rows must be positive"):
        open_messages(path, chunk_rows=0)


def test_counts_follow_the_reading(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "sms.csv", ["text"], [["Coucou"]] * 10)
    with open_messages(path, chunk_rows=4) as messages:
        assert [messages.rows_read for _ in messages.chunks()] == [4, 8, 10]


@pytest.mark.parametrize("name", [*TEXT_FORMATS, "sms.parquet"])
def test_memory_stays_flat_however_long_the_file(name: str, tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / name, ["text"], [["Coucou Zoé, à demain ! " * 160]] * 2_000)
    tracemalloc.start()
    with open_messages(path, chunk_rows=100) as messages:
        for _ in messages.chunks():
            pass
        _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert messages.rows_read == 2_000
    # The texts alone are over 8 MB; a block of the file in the making is 1 MiB.
    assert peak < 6_000_000
