"""JSON: an object a line, and an array of objects."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.conftest import Read, Write
from triage.data import MISSING, DataError, Format, open_messages

ARRAY = '[{"id": 1, "text": "Coucou Zoé"},\n\n {"text": "Ok",\n "n": [1, {}]}, {"text": ""}]\n'
LINES = '{"id": 1, "text": "Coucou Zoé"}\n\n{"text": "Ok", "n": [1, {}]}\n{"text": ""}\n'
DEEP = "lists and objects nested more than 100 deep"


def file_of(folder: Path, content: str | bytes, name: str = "sms.json") -> Path:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / name


@pytest.mark.parametrize(("content", "format_"), [(ARRAY, Format.JSON), (LINES, Format.JSONL)])
def test_each_object_is_a_row_and_each_key_a_column(
    content: str, format_: Format, tmp_path: Path, read: Read
) -> None:
    for name in ("sms.json", "sms.jsonl", "sms.txt", "sms"):
        messages, chunk = read(file_of(tmp_path, content, name))
        assert messages.format is format_
        assert messages.columns == ("id", "text", "n")
        assert chunk.rows == [
            [1, "Coucou Zoé", MISSING],
            [MISSING, "Ok", [1, {}]],
            [MISSING, "", MISSING],
        ]
        assert chunk.lines == [1, 3, 4]
        assert chunk.ids[0] == "1"


def test_values_keys_order_and_line_ends_survive(tmp_path: Path, read: Read, write: Write) -> None:
    content = (
        '{"text": "Zoé 😀", "n": 1, "x": 1.0, "vrai": true, "rien": null, "l": [1, {"a": "é"}]}\n'
        '{"text": "Ok \\ud83d", "x": 0.1}\n'
    ).replace("\n", "\r\n")
    messages, chunk = read(file_of(tmp_path, content, "sms.jsonl"))
    assert chunk.texts[1] == "Ok \N{REPLACEMENT CHARACTER}"
    copy = write(tmp_path / "copie.jsonl", messages.columns, chunk.rows, like=messages.dialect)
    assert copy.read_bytes() == content.encode()


@pytest.mark.parametrize("name", ["sms.json", "sms.jsonl"])
def test_a_nested_key_is_named_by_its_path(name: str, tmp_path: Path, read: Read) -> None:
    content = '{"message": {"body": "Coucou", "to": {"name": "Zoé"}}, "id": 7}\n'
    path = file_of(
        tmp_path, f"[{content}]" if name == "sms.json" else content + '{"id": 8}\n', name
    )
    messages, chunk = read(path, text_column="message.body")
    assert messages.columns == ("message.body", "message.to.name", "id")
    assert (chunk.texts, chunk.ids) == (["Coucou"], ["7"])
    rejected = [reject.reason for reject in messages.rejects]
    assert rejected == ([] if name == "sms.json" else ["no key 'message.body'"])


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ('["Coucou"]', "not a JSON object"),
        ('{"n": 1}', "no key 'text'"),
        ('{"text": ' + "[" * 120 + "]" * 120 + "}", DEEP),
        ('{"text": "a", "b": {"c": 1}, "b.c": 2}', "a key that comes twice"),
        ("Coucou Zoé", "not JSON"),
        ('{"text": "Coucou"', "not JSON"),
        ("[" * 100_000, DEEP),
        ('{"text": "Coucou", "text": "Ok"}', "a key that comes twice"),
    ],
)
def test_what_is_no_message_is_rejected(
    found: str, reason: str, tmp_path: Path, read: Read
) -> None:
    is_whole = found.endswith(("]", "}")) and '"Coucou", "text"' not in found
    contents = [f'[{{"text": "Ok"}},\n\n{found},\n{{"text": "Oui"}}]'] if is_whole else []
    contents += [] if "b.c" in found else [f'{{"text": "Ok"}}\n\n{found}\n{{"text": "Oui"}}\n']
    for content in contents:
        messages, chunk = read(file_of(tmp_path, content))
        assert [(r.line, r.reason, r.raw) for r in messages.rejects] == [(3, reason, found)]
        assert (chunk.texts, chunk.ids, chunk.lines) == (["Ok", "Oui"], ["1", "3"], [1, 4])


def test_bytes_of_another_encoding_are_rejected(tmp_path: Path, read: Read) -> None:
    content = '[{"text": "Zoé à Sète"},\n'.encode() + b'{"text": "caf\xe9"}]'
    messages, _ = read(file_of(tmp_path, content))
    assert [reject.reason for reject in messages.rejects] == ["bytes that are not UTF-8"]


def test_an_array_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.limits.LARGEST_JSON", 20)
    with pytest.raises(DataError, match="more than 20 bytes: write JSON Lines"):
        open_messages(file_of(tmp_path, ARRAY))


def test_half_a_character_in_csv_is_an_error_that_names_the_row(
    tmp_path: Path, write: Write
) -> None:
    with pytest.raises(DataError, match="row 2 holds half of a character"):
        write(tmp_path / "sms.csv", ["text"], [["Ok"], ["Coucou \ud83d"]])
    assert list(tmp_path.iterdir()) == []


def test_other_formats_show_nested_values_as_json_and_missing_ones_blank(
    tmp_path: Path, write: Write
) -> None:
    rows: list[list[object]] = [["Coucou", ["Zoé"], True, MISSING, None]]
    path = write(tmp_path / "sms.csv", ["text", "a", "b", "c", "d"], rows)
    assert path.read_text(encoding="utf-8") == 'text,a,b,c,d\nCoucou,"[""Zoé""]",true,,\n'


def test_an_array_is_written_with_an_object_a_line(tmp_path: Path, write: Write) -> None:
    rows: list[list[object]] = [["Coucou\nZoé", 1], ["Ok", MISSING]]
    path = write(tmp_path / "sms.json", ["text", "n"], rows)
    assert path.read_text(encoding="utf-8") == (
        '[\n{"text": "Coucou\\nZoé", "n": 1},\n{"text": "Ok"}\n]\n'
    )
    assert json.loads(write(tmp_path / "rien.json", ["text"], []).read_bytes()) == []


characters = st.characters(exclude_categories=["Cs"])
cells = st.none() | st.booleans() | st.integers() | st.text(characters)


@given(rows=st.lists(st.tuples(st.text(characters, max_size=9), cells), min_size=1, max_size=5))
def test_what_is_written_is_read_back(
    rows: list[list[object]], scratch: Path, read: Read, write: Write
) -> None:
    path = write(scratch / "sms.json", ["text", "x"], rows, overwrite=True)
    assert json.loads(path.read_bytes())[0]["text"] == rows[0][0]
    assert read(path)[1].rows == [list(row) for row in rows]
