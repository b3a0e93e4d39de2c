"""Which columns hold messages and identifiers, and which character separates columns."""

from collections.abc import Callable
from pathlib import Path

import pytest

from triage.data import Chunk, DataError, MessageFile, open_messages

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
    [("num_sms,text", "num_sms"), ("text,ID", "ID"), ("num,id,text", "id"), ("jour,text", None)],
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


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_out(separator: str, tmp_path: Path, read: Read) -> None:
    lines = ["id¦text¦jour", '1¦"Oui, oui; a|b\t"¦lundi', "2¦Coucou Zoé¦mardi"]
    path = file_of(tmp_path, "\n".join(lines).replace("¦", separator))
    messages, chunk = read(path)
    assert messages.dialect.separator == separator
    assert chunk.texts == ["Oui, oui; a|b\t", "Coucou Zoé"]


def test_the_separator_is_the_one_that_shows_the_text_column(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "date, heure, lieu;message\nlundi;Coucou, Zoé, ça va\n")
    assert read(path)[1].texts == ["Coucou, Zoé, ça va"]


def test_the_separator_is_the_one_on_which_rows_agree(tmp_path: Path) -> None:
    path = file_of(tmp_path, "jour,lieu;corps\nlundi;Coucou\nmardi;Ok\n")
    with open_messages(path, text_column="corps") as messages:
        assert messages.columns == ("jour,lieu", "corps")


def test_a_tsv_file_is_separated_by_tabs_alone(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "a,b\tmessage, brut\n1,2\tOui, oui\n", "sms.tsv")
    messages, chunk = read(path, text_column="message, brut")
    assert chunk.rows == [["1,2", "Oui, oui"]]
    assert messages.dialect.separator == "\t"


@pytest.mark.parametrize("separator", ["^", "tab", "\\t"])
def test_a_named_separator_wins(separator: str, tmp_path: Path, read: Read) -> None:
    character = "^" if separator == "^" else "\t"
    path = file_of(tmp_path, f"id{character}text,brut\n1{character}Coucou\n")
    _, chunk = read(path, separator=separator, text_column="text,brut")
    assert chunk.texts == ["Coucou"]


@pytest.mark.parametrize("separator", ["", ";;", '"', "\n"])
def test_an_impossible_separator_is_an_error(separator: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--separator"):
        open_messages(file_of(tmp_path, "id,text\n"), separator=separator)


def test_in_a_single_column_each_line_is_a_message(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, 'message\nOui, oui; a|b\tc\n"Coucou\nZoé"\nIl dit "ok"\n', "sms.txt")
    messages, chunk = read(path)
    assert chunk.texts == ["Oui, oui; a|b\tc", "Coucou\nZoé", 'Il dit "ok"']
    assert messages.dialect.separator is None
