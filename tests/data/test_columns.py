"""Columns of messages and identifiers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from triage.data import Chunk, DataError, MessageFile, open_messages
from triage.data.columns import find_id, find_text, guess_sender

Read = Callable[..., tuple[MessageFile, Chunk]]


def file_of(folder: Path, content: str, name: str = "sms.csv") -> Path:
    (folder / name).write_text(content, encoding="utf-8", newline="")
    return folder / name


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("num_sms,sms_anon", "sms_anon"),
        ("id,Texte", "Texte"),
        ("MESSAGE,date", "MESSAGE"),
        ("sms,text", "text"),
        ("content,sms_anon,text", "sms_anon"),
        ("id, text", " text"),
        ("N°,Contenu du message", "Contenu du message"),
        ("N°,CONTENU", "CONTENU"),
    ],
)
def test_the_text_column_is_guessed_in_order_of_preference(
    header: str, expected: str, tmp_path: Path
) -> None:
    with open_messages(file_of(tmp_path, f"{header}\n")) as messages:
        assert messages.text_column == expected
        assert messages.columns[messages.text_position] == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        *[("num_sms,text", "num_sms"), ("text,ID", "ID"), ("num,id,text", "id")],
        *[("N°,text", "N°"), ("Numéro,text", None), ("N° SMS,text", "N° SMS")],
        ("jour,text", None),
    ],
)
def test_the_identifier_is_guessed_if_there_is_one(
    header: str, expected: str | None, tmp_path: Path
) -> None:
    with open_messages(file_of(tmp_path, f"{header}\n")) as messages:
        assert messages.id_column == expected


def test_named_columns_win(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "id,text,corps,clé\n1,a,Coucou Zoé,z9\n")
    messages, chunk = read(path, text_column="corps", id_column="clé")
    assert (messages.text_column, messages.id_column) == ("corps", "clé")
    assert (chunk.texts, chunk.ids) == (["Coucou Zoé"], ["z9"])


@pytest.mark.parametrize("options", [{}, {"text_column": "texte"}, {"id_column": "clé"}])
def test_a_missing_column_lists_those_there_are(options: dict[str, str], tmp_path: Path) -> None:
    path = file_of(tmp_path, "date,corps\n1,Coucou\n")
    options = {"text_column": "corps", **options} if "id_column" in options else options
    with pytest.raises(DataError, match=r"(--text-column|--id-column).*date, corps"):
        open_messages(path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "message", ["Coucou Zoé", "Coucou,Zoé", "1;Rendez-vous chez Zoé au 12 rue des Lilas"]
)
@pytest.mark.parametrize("column", [None, "corps"])
def test_a_message_in_the_place_of_a_header_is_not_shown(
    message: str, column: str | None, tmp_path: Path
) -> None:
    path = file_of(tmp_path, f"{message}\nOk\n")
    with pytest.raises(DataError, match="columns: ") as caught:
        open_messages(path, text_column=column)
    assert "Zoé" not in str(caught.value)


def test_columns_of_one_name_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="columns 1 and 3 have the same name"):
        open_messages(file_of(tmp_path, "jour,text,jour\n"))


def test_blank_names_as_exports_leave_them_are_kept(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, ",text,,\n0,Coucou Zoé,,\n"))
    assert messages.columns == ("", "text", "", "")
    assert chunk.rows == [["0", "Coucou Zoé", "", ""]]


def test_columns_may_be_named_by_number(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "clé,corps\nz9,Coucou Zoé\n")
    messages, chunk = read(path, text_column="2", id_column="1")
    assert (messages.text_column, messages.id_column) == ("corps", "clé")
    assert (chunk.texts, chunk.ids) == (["Coucou Zoé"], ["z9"])


@pytest.mark.parametrize("number", ["0", "3", "-1", "²", "9" * 5000])
def test_a_number_beyond_the_columns_is_an_error(number: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no column"):
        open_messages(file_of(tmp_path, "id,corps\n1,Coucou\n"), text_column=number)


def test_a_column_of_that_name_wins_over_the_number(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "2,1\nCoucou,Ok\n")
    assert read(path, text_column="2")[1].texts == ["Coucou"]


@pytest.mark.parametrize("name", ["sms.csv", "sms.txt"])
def test_without_header_the_first_row_is_a_message(name: str, tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "1;Coucou Zoé\n2;Ok\n", name)
    messages, chunk = read(path, no_header=True, text_column="2")
    assert messages.columns == ("1", "2")
    assert chunk.texts == ["Coucou Zoé", "Ok"]
    assert chunk.lines == [1, 2]


def test_without_header_an_only_column_holds_the_messages(tmp_path: Path, read: Read) -> None:
    assert read(file_of(tmp_path, "Coucou\nOk\n"), no_header=True)[1].texts == ["Coucou", "Ok"]


def test_without_header_nothing_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="name it with --text-column, or say --no-header and its"):
        open_messages(file_of(tmp_path, "text;Zoé\n2;Ok\n"), no_header=True)


@pytest.mark.parametrize("options", [{"no_header": True}, {"sheet": "2"}, {"table": "t"}])
def test_an_option_of_other_formats_is_refused(options: dict[str, Any], tmp_path: Path) -> None:
    path = file_of(tmp_path, '{"text": "Ok"}\n', "sms.jsonl")
    with pytest.raises(DataError, match=r"--(no-header|sheet|table) does not apply to jsonl"):
        open_messages(path, **options)


def test_columns_of_french_exports_are_found() -> None:
    columns = ["N° SMS", "Numéro de téléphone", "Corps du message"]
    assert find_text(columns, None, "sms.csv") == 2
    assert (find_id(columns, None, "sms.csv"), guess_sender(columns)) == (0, 1)
