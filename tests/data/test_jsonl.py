"""JSON Lines files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.data import MISSING, Chunk, DataError, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]


def file_of(folder: Path, content: str) -> Path:
    (folder / "sms.jsonl").write_text(content, encoding="utf-8", newline="")
    return folder / "sms.jsonl"


def test_columns_are_all_keys_in_the_order_in_which_they_come(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, '{"text": "Coucou", "n": 1}\n{"jour": "lundi", "text": "Ok"}\n')
    messages, chunk = read(path)
    assert messages.columns == ("text", "n", "jour")
    assert chunk.rows == [["Coucou", 1, MISSING], ["Ok", MISSING, "lundi"]]


def test_values_keys_and_order_survive(tmp_path: Path, read: Read, write: Write) -> None:
    content = (
        '{"text": "Zoé 😀", "n": 1, "x": 1.0, "vrai": true, "rien": null, "l": [1, {"a": "é"}]}\n'
        '{"text": "Ok", "x": 0.1}\n'
    )
    messages, chunk = read(file_of(tmp_path, content))
    copy = write(tmp_path / "copie.jsonl", messages.columns, chunk.rows, like=messages.dialect)
    assert copy.read_text(encoding="utf-8") == content


def test_line_ends_survive(tmp_path: Path, read: Read, write: Write) -> None:
    content = '{"text": "Coucou"}\r\n{"text": "Ok"}\r\n'
    messages, chunk = read(file_of(tmp_path, content))
    copy = write(tmp_path / "copie.jsonl", messages.columns, chunk.rows, like=messages.dialect)
    assert copy.read_bytes() == content.encode()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Coucou Zoé", "not JSON"),
        ('{"text": "Coucou"', "not JSON"),
        ("[" * 100_000, "lists and objects nested more than 100 deep"),
        ('["Coucou"]', "not a JSON object"),
        ('{"n": 1}', "no key 'text'"),
        ('{"text": "Coucou", "text": "Ok"}', "a key that comes twice"),
    ],
)
def test_a_line_that_is_no_message_is_rejected(
    line: str, reason: str, tmp_path: Path, read: Read
) -> None:
    messages, chunk = read(file_of(tmp_path, f'{{"text": "Oui"}}\n\n{line}\n{{"text": "Ok"}}\n'))
    assert [(r.line, r.reason, r.raw) for r in messages.rejects] == [(3, reason, line)]
    assert chunk.texts == ["Oui", "Ok"]
    assert chunk.ids == ["1", "3"]
    assert chunk.lines == [1, 4]


@pytest.mark.parametrize(
    ("value", "text"), [("null", ""), ("12", "12"), ('"12"', "12"), ("true", "true")]
)
def test_the_message_is_text_whatever_its_type(
    value: str, text: str, tmp_path: Path, read: Read
) -> None:
    assert read(file_of(tmp_path, f'{{"text": {value}}}\n'))[1].texts == [text]


def test_half_a_character_is_marked_in_the_text_and_kept_in_the_row(
    tmp_path: Path, read: Read, write: Write
) -> None:
    content = '{"text": "Coucou \\ud83d"}\n'
    messages, chunk = read(file_of(tmp_path, content))
    assert chunk.texts == ["Coucou \N{REPLACEMENT CHARACTER}"]
    copy = write(tmp_path / "copie.jsonl", messages.columns, chunk.rows)
    assert copy.read_text() == content


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


@pytest.mark.parametrize("content", ["[]\n", "{}\n", "Coucou\n"])
def test_a_file_without_objects_is_an_error(content: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no line that is a JSON object"):
        open_messages(file_of(tmp_path, content))


def test_a_million_of_a_letter_is_ordinary(tmp_path: Path, read: Read) -> None:
    message = "h" * 1_000_000
    assert read(file_of(tmp_path, json.dumps({"text": message})))[1].texts == [message]
