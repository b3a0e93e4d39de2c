"""CSV and TSV files: separators, rows, and damage."""

from collections.abc import Callable
from pathlib import Path

import pytest

from triage.data import Chunk, DataError, MessageFile, Reject, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]


def file_of(folder: Path, content: str, name: str = "sms.csv") -> Path:
    (folder / name).write_text(content, encoding="utf-8", newline="")
    return folder / name


def test_rows_texts_identifiers_and_lines_go_together(tmp_path: Path, read: Read) -> None:
    _, chunk = read(file_of(tmp_path, "id,text,jour\na7,Coucou Zoé,lundi\nb8,Ok Hugo,mardi\n"))
    assert chunk == Chunk(
        rows=[["a7", "Coucou Zoé", "lundi"], ["b8", "Ok Hugo", "mardi"]],
        texts=["Coucou Zoé", "Ok Hugo"],
        ids=["a7", "b8"],
        lines=[2, 3],
    )


def test_a_header_alone_is_a_file_without_messages(tmp_path: Path) -> None:
    with open_messages(file_of(tmp_path, "id,text\n")) as messages:
        assert list(messages.chunks()) == []
        assert messages.rows_read == 0


@pytest.mark.parametrize("content", ["\n\n\n", "\ufeff", "\ufeff\n"])
def test_blank_lines_alone_are_no_file(content: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is empty"):
        open_messages(file_of(tmp_path, content))


def test_a_header_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="header can't be read: quote never closed"):
        open_messages(file_of(tmp_path, 'id,"text\n1,Coucou\n'))


def test_blank_lines_are_no_rows(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, "\nid,text\n\n1,Coucou\n\n\n2,Ok\n\n"))
    assert chunk.lines == [4, 7]
    assert messages.rows_read == 2


@pytest.mark.parametrize(
    "message",
    ['Il dit "ok"', "deux\nlignes", "deux\r\nlignes", "deux\rlignes", "a\0b", "\0", "", " x "],
)
def test_a_quoted_message_is_kept_exactly(message: str, tmp_path: Path, read: Read) -> None:
    quoted = message.replace('"', '""')
    _, chunk = read(file_of(tmp_path, f'id,text\n1,"{quoted}"\n2,Ok\n'))
    assert chunk.texts == [message, "Ok"]


def test_lines_are_physical_lines(tmp_path: Path, read: Read) -> None:
    _, chunk = read(file_of(tmp_path, 'id,text\n1,"a\nb\r\nc"\n2,Ok\n'))
    assert chunk.lines == [2, 5]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_every_line_end_is_recognised(end: str, tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, f"id,text{end}1,Coucou{end}2,Ok{end}"))
    assert chunk.texts == ["Coucou", "Ok"]
    assert messages.dialect.line_terminator == end[-2:]


def test_a_last_line_without_end_is_a_row(tmp_path: Path, read: Read) -> None:
    assert read(file_of(tmp_path, "id,text\n1,Coucou"))[1].texts == ["Coucou"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1,Coucou", "2 fields where the header has 3"),
        ("Coucou", "1 field where the header has 3"),
        ("1,Coucou,lundi,Zoé", "4 fields where the header has 3"),
        ('1,"Coucou" Zoé,lundi', "text after a closing quote"),
        ("1,Coucou\rZoé,lundi", "a carriage return outside quotes"),
        ('1,"Coucou,lundi', "quote never closed"),
    ],
)
def test_a_row_that_cannot_be_read_is_rejected_with_its_line_and_reason(
    row: str, reason: str, tmp_path: Path, read: Read
) -> None:
    messages, chunk = read(file_of(tmp_path, f"id,text,jour\n0,Ok,jeudi\n{row}\n9,Oui,mardi\n"))
    assert messages.rejects == [Reject(3, reason, row)]
    assert chunk.texts == ["Ok", "Oui"]
    assert chunk.lines == [2, 4]


def test_a_quote_never_closed_costs_one_row(tmp_path: Path, read: Read) -> None:
    content = 'id,text\n1,"Coucou\n2,Ok\n3,"Oui, oui"\n4,"deux\nlignes"\n'
    messages, chunk = read(file_of(tmp_path, content))
    assert messages.rejects == [Reject(2, "quote never closed", '1,"Coucou')]
    assert chunk.texts == ["Ok", "Oui, oui", "deux\nlignes"]
    assert chunk.lines == [3, 4, 5]


def test_thousands_of_quotes_never_closed_cost_as_many_rows(tmp_path: Path, read: Read) -> None:
    content = "id,text\n" + '1,"Coucou\n2,Ok\n' * 5000
    messages, chunk = read(file_of(tmp_path, content))
    assert chunk.texts == ["Ok"] * 5000
    assert [reject.line for reject in messages.rejects] == list(range(2, 10_002, 2))


def test_a_quote_open_for_longer_than_any_message_is_not_followed_to_the_end(
    tmp_path: Path, read: Read
) -> None:
    line = f"2,{'h' * 1_000_000}\n"
    messages, chunk = read(file_of(tmp_path, 'id,text\n1,"Coucou\n' + line * 9))
    assert messages.rejects == [Reject(2, "quote never closed", '1,"Coucou')]
    assert len(chunk.rows) == 9


def test_counts_add_up(tmp_path: Path, read: Read) -> None:
    content = 'id,text\n1,Coucou\n2\n3,"Ok\n4,Oui\n\n5,a,b\n'
    messages, chunk = read(file_of(tmp_path, content))
    assert (len(chunk.rows), len(messages.rejects), messages.rows_read) == (2, 3, 5)


def test_without_identifiers_rows_are_numbered_rejected_ones_too(
    tmp_path: Path, read: Read
) -> None:
    content = "text,jour\nCoucou,lundi\nOk\nOui,mardi\n"
    assert read(file_of(tmp_path, content))[1].ids == ["1", "3"]


@pytest.mark.parametrize("message", ["h" * 1_000_000, "Coucou Zoé " * 100_000])
def test_a_very_long_message_is_ordinary(message: str, tmp_path: Path, read: Read) -> None:
    assert read(file_of(tmp_path, f"id,text\n1,{message}\n2,Ok\n"))[1].texts == [message, "Ok"]


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


@pytest.mark.parametrize(
    "title", ["Corpus de SMS;;\n", "Corpus, de SMS\n\n", '"Corpus\nde SMS"\nSète\n']
)
def test_rows_above_the_header_are_a_title(title: str, tmp_path: Path, read: Read) -> None:
    path = tmp_path / "sms.csv"
    path.write_text(f"{title}N°;Expéditeur;Contenu\n1;a;Coucou Zoé\n", encoding="utf-8")
    messages, chunk = read(path)
    assert messages.columns == ("N°", "Expéditeur", "Contenu")
    assert (chunk.texts, chunk.lines) == (["Coucou Zoé"], [title.count("\n") + 2])


def test_a_message_that_is_a_usual_name_is_no_header(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "sms.csv"
    path.write_text("num;corps\n1;Coucou\n2;message\n", encoding="utf-8")
    assert read(path, text_column="corps")[1].texts == ["Coucou", "message"]
