"""TEI documents, read and written."""

from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from tests.data.conftest import Read, Write

COLUMNS = ["id", "sender", "sent_at", "text"]


def test_each_message_is_written_as_a_post(tmp_path: Path, write: Write) -> None:
    rows: list[list[object]] = [
        ["m1", "S0001", datetime(2021, 1, 31, 14, 5, 9), "Coucou <PRE_3>\nça va ?"],
        ["m1", "Léa M", "31/01/2021", "Ok  "],
        [None, "", None, ""],
    ]
    path = write(tmp_path / "sms.xml", COLUMNS, rows)
    assert path.read_text(encoding="utf-8").splitlines()[10:13] == [
        '<post xml:id="m1" who="#S0001" when="2021-01-31T14:05:09">'
        "<p>Coucou &lt;PRE_3&gt;<lb/>ça va ?</p></post>",
        # An id is that of one post alone.
        '<post n="m1" who="#L%C3%A9a%20M" when-custom="31/01/2021">'
        '<p xml:space="preserve">Ok  </p></post>',
        "<post><p></p></post>",
    ]
    ElementTree.parse(write(tmp_path / "none.tei", COLUMNS, []))  # noqa: S314 (the file is ours)


characters = st.characters(
    exclude_categories=["Cs"],
    exclude_characters=[*map(chr, {*range(32)} - {9, 10, 13}), "\ufffe", "\uffff"],
)
texts = st.text(characters, max_size=20) | st.text("a <&>\"'\n\r\t#%é", max_size=12)


@given(rows=st.lists(st.tuples(texts, texts, texts, texts), min_size=1, max_size=4))
def test_what_is_written_is_read_back(
    rows: list[tuple[str, ...]], scratch: Path, read: Read, write: Write
) -> None:
    path = write(scratch / "sms.xml", COLUMNS, rows, overwrite=True)
    assert read(path)[1].rows == [list(row) for row in rows]
