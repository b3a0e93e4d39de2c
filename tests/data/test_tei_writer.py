"""TEI documents as they are written."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.data import Chunk, DataError, MessageFile

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

COLUMNS = ["id", "sender", "sent_at", "text"]
TEI = "{http://www.tei-c.org/ns/1.0}"


def posts(path: Path) -> list[ElementTree.Element]:
    return list(ElementTree.parse(path).iter(f"{TEI}post"))  # noqa: S314 (the file is ours)


def test_each_message_is_a_post(tmp_path: Path, write: Write) -> None:
    rows: list[list[object]] = [
        ["m1", "S0001", datetime(2021, 1, 31, 14, 5, 9), "Coucou <PRE_3>\nça va ?"],
        [2, "Léa M", "31/01/2021", "Ok  "],
        [None, "", None, ""],
    ]
    path = write(tmp_path / "sms.xml", COLUMNS, rows)
    found = [list(post.attrib.values()) for post in posts(path)]
    assert found == [
        ["m1", "#S0001", "2021-01-31T14:05:09"],
        ["2", "#L%C3%A9a%20M", "31/01/2021"],
        [],
    ]
    assert path.read_text(encoding="utf-8").splitlines()[10:13] == [
        '<post xml:id="m1" who="#S0001" when="2021-01-31T14:05:09">'
        "<p>Coucou &lt;PRE_3&gt;<lb/>ça va ?</p></post>",
        '<post n="2" who="#L%C3%A9a%20M" when-custom="31/01/2021">'
        '<p xml:space="preserve">Ok  </p></post>',
        "<post><p></p></post>",
    ]


def test_an_id_is_that_of_one_post_alone(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "sms.tei", ["id", "text"], [["a", "Ok"], ["a", "Oui"]])
    assert [post.get("n") for post in posts(path)] == [None, "a"]


@pytest.mark.parametrize("columns", [["text", "action"], ["id", "corps"]])
def test_other_columns_are_refused(columns: list[str], tmp_path: Path, write: Write) -> None:
    with pytest.raises(DataError, match=r"TEI has a place for text, id.*not for (action|corps)"):
        write(tmp_path / "sms.xml", columns, [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["a\0b", "\ud83d", "\x1b"])
def test_a_character_that_xml_cannot_hold_names_its_row(
    text: str, tmp_path: Path, write: Write
) -> None:
    with pytest.raises(DataError, match="row 2 holds a control character"):
        write(tmp_path / "sms.xml", ["text"], [["Ok"], [text]])


def test_a_document_without_messages_is_whole(tmp_path: Path, write: Write) -> None:
    assert posts(write(tmp_path / "sms.xml", COLUMNS, [])) == []


characters = st.characters(
    exclude_categories=["Cs"],
    exclude_characters=[*map(chr, {*range(32)} - {9, 10, 13}), "\ufffe", "\uffff"],
)
texts = st.text(characters, max_size=20) | st.text("a <&>\"'\n\r\t#%é", max_size=12)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(texts, texts, texts, texts), min_size=1, max_size=4))
def test_what_is_written_is_read_back(
    rows: list[tuple[str, ...]], scratch: Path, read: Read, write: Write
) -> None:
    path = write(scratch / "sms.xml", COLUMNS, rows, overwrite=True)
    assert read(path)[1].rows == [list(row) for row in rows]
