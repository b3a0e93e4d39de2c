"""JSON files other than JSON Lines."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.data import MISSING, Chunk, DataError, Format, MessageFile, Reject, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]


def file_of(folder: Path, content: str | bytes, name: str = "sms.json") -> Path:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / name


ARRAY = '[{"id": 1, "text": "Coucou Zoé"},\n\n {"text": "Ok",\n "n": [1, {}]}, {"text": ""}]\n'


def test_each_object_of_an_array_is_a_row(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, ARRAY))
    assert messages.format is Format.JSON
    assert messages.columns == ("id", "text", "n")
    assert chunk.rows == [
        [1, "Coucou Zoé", MISSING],
        [MISSING, "Ok", [1, {}]],
        [MISSING, "", MISSING],
    ]
    assert chunk.lines == [1, 3, 4]


def test_a_nested_key_is_named_by_its_path(tmp_path: Path, read: Read) -> None:
    content = '[{"message": {"body": "Coucou", "to": {"name": "Zoé"}}, "from": {"name": "Léa"}}]'
    messages, chunk = read(file_of(tmp_path, content), text_column="message.body")
    assert messages.columns == ("message.body", "message.to.name", "from.name")
    assert chunk.texts == ["Coucou"]


def test_a_path_names_a_nested_key_of_json_lines_too(tmp_path: Path, read: Read) -> None:
    content = '{"id": 7, "message": {"body": "Coucou"}}\n{"id": 8}\n'
    messages, chunk = read(file_of(tmp_path, content, "sms.jsonl"), text_column="message.body")
    assert messages.columns == ("id", "message.body")
    assert chunk.rows == [[7, "Coucou"]]
    assert [reject.reason for reject in messages.rejects] == ["no key 'message.body'"]


def test_the_array_may_lie_within_an_object(tmp_path: Path, read: Read) -> None:
    content = '{\n "version": [1], "sms": [\n  {"text": "Coucou"}\n ]\n}'
    _, chunk = read(file_of(tmp_path, content))
    assert (chunk.texts, chunk.lines) == (["Coucou"], [3])


@pytest.mark.parametrize("name", ["sms.json", "sms.txt", "sms"])
def test_objects_on_lines_are_json_lines_whatever_the_name(
    name: str, tmp_path: Path, read: Read
) -> None:
    content = '{"date": "2021-01-31", "sender": "Léa", "body": "Coucou"}\n{"body": "Ok"}\n'
    messages, chunk = read(file_of(tmp_path, content, name))
    assert messages.format is Format.JSONL
    assert chunk.texts == ["Coucou", "Ok"]


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        ('"Coucou"', "not a JSON object"),
        ('{"n": 1}', "no key 'text'"),
        ('{"text": "a", "b": {"c": 1}, "b.c": 2}', "a key that comes twice"),
        ('{"text": ' + "[" * 120 + "]" * 120 + "}", "lists and objects nested more than 100 deep"),
    ],
)
def test_an_element_that_is_no_message_is_rejected(
    element: str, reason: str, tmp_path: Path, read: Read
) -> None:
    content = f'[{{"text": "Ok"}},\n{element},\n{{"text": "Oui"}}]'
    messages, chunk = read(file_of(tmp_path, content))
    assert messages.rejects == [Reject(2, reason, element)]
    assert chunk.texts == ["Ok", "Oui"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_found_out(encoding: str, tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, '[{"text": "Zoé à Sète"}]'.encode(encoding))
    assert read(path)[1].texts == ["Zoé à Sète"]


def test_bytes_of_another_encoding_are_rejected(tmp_path: Path, read: Read) -> None:
    content = '[{"text": "Zoé à Sète"},\n'.encode() + b'{"text": "caf\xe9"}]'
    messages, _ = read(file_of(tmp_path, content))
    assert [reject.reason for reject in messages.rejects] == ["bytes that are not UTF-8"]


@pytest.mark.parametrize(
    "content",
    [
        ARRAY[:30],
        ARRAY + "Zoé",
        ARRAY.replace('"Ok"', "Ok"),
        '[{"text": "Coucou", "text": "Zoé"}]',
        '[{"text": ' + "[" * 100_000,
    ],
    ids=["cut", "more", "damaged", "twice", "deep"],
)
def test_what_is_not_json_is_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line \d: (it is not JSON|lists and objects)") as caught:
        open_messages(file_of(tmp_path, content))
    assert "Zoé" not in str(caught.value)


@pytest.mark.parametrize(
    "content", ["[]", "{}", "[1, 2]", '{"a": [1], "b": {"c": "Zoé"}}', '"Zoé"']
)
def test_json_without_objects_is_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        open_messages(file_of(tmp_path, content), format="json")
    assert "Zoé" not in str(caught.value)


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.json_array.LARGEST_JSON", 20)
    with pytest.raises(DataError, match="more than 20 bytes: write JSON Lines"):
        open_messages(file_of(tmp_path, ARRAY))


def test_an_array_is_written_with_an_object_a_line(tmp_path: Path, write: Write) -> None:
    rows: list[list[object]] = [["Coucou\nZoé", 1], ["Ok", MISSING]]
    path = write(tmp_path / "sms.json", ["text", "n"], rows)
    assert path.read_text(encoding="utf-8") == (
        '[\n{"text": "Coucou\\nZoé", "n": 1},\n{"text": "Ok"}\n]\n'
    )
    empty = write(tmp_path / "rien.json", ["text"], [])
    assert json.loads(empty.read_bytes()) == []


characters = st.characters(exclude_categories=["Cs"])
cells = st.none() | st.booleans() | st.integers() | st.text(characters)


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.tuples(st.text(characters, max_size=9), cells), min_size=1, max_size=5))
def test_what_is_written_is_read_back(
    rows: list[list[object]], scratch: Path, read: Read, write: Write
) -> None:
    path = write(scratch / "sms.json", ["text", "x"], rows, overwrite=True)
    assert json.loads(path.read_bytes())[0]["text"] == rows[0][0]
    assert read(path)[1].rows == [list(row) for row in rows]
