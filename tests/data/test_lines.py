"""Plain text, a message a line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from triage.data import Chunk, DataError, Format, MessageFile, Reject, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]


def file_of(folder: Path, content: str | bytes, name: str = "sms.txt") -> Path:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / name


def test_each_line_that_is_not_blank_is_a_message(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, 'Coucou Zoé, ça va ?\r\n\r\n "oui" ; bof\r\nmdr'))
    assert messages.format is Format.LINES
    assert messages.columns == ("text",)
    assert chunk.texts == ["Coucou Zoé, ça va ?", ' "oui" ; bof', "mdr"]
    assert chunk.lines == [1, 3, 4]
    assert chunk.ids == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Coucou Zoé\n", Format.LINES),
        ("Oui, oui\nBof, non\n", Format.LINES),
        ("Oui ; oui\nje sais pas\n", Format.LINES),
        ("id,text\n1,Coucou\n", Format.CSV),
        ("message\nCoucou Zoé\n", Format.CSV),
    ],
)
def test_a_txt_is_lines_unless_it_looks_like_a_table(
    content: str, expected: Format, tmp_path: Path
) -> None:
    with open_messages(file_of(tmp_path, content)) as messages:
        assert messages.format is expected


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_table_of_unusual_columns_is_not_taken_for_lines(separator: str, tmp_path: Path) -> None:
    content = "num;corps\n1;Coucou\n".replace(";", separator)
    with pytest.raises(DataError, match="name it with --text-column"):
        open_messages(file_of(tmp_path, content))


def test_a_table_that_looks_like_lines_is_read_by_its_column(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "corps\nCoucou\n")
    assert read(path, text_column="corps")[1].texts == ["Coucou"]


@pytest.mark.parametrize("name", ["sms.csv", "sms", "sms.jsonl"])
def test_lines_may_have_any_name_if_said(name: str, tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "message\nid, text\n", name)
    assert read(path, format="lines")[1].texts == ["message", "id, text"]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_the_encoding_is_found_out(encoding: str, tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "Coucou Zoé, où es-tu ?\nà la plage\n".encode(encoding))
    assert read(path)[1].texts == ["Coucou Zoé, où es-tu ?", "à la plage"]


def test_a_line_of_other_bytes_is_rejected(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, "Zoé à Sète\n".encode() + b"caf\xe9\nOk\n"))
    assert messages.rejects == [Reject(2, "bytes that are not UTF-8", "caf\udce9")]
    assert chunk.texts == ["Zoé à Sète", "Ok"]


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, "h" * 40_000_000)
    with open_messages(path) as messages, pytest.raises(DataError, match="a line that never ends"):
        list(messages.chunks())
