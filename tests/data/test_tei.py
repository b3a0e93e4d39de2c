"""TEI documents, read and written."""

from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.data.conftest import Read, Write, file_of
from triage.data import DataError, Format, open_messages

CASES = cases_beside(__file__)


COLUMNS = ["id", "sender", "sent_at", "text"]

# As in the chapter of TEI P5 on computer-mediated communication.
CMC = CASES["cmc"]
# As CoMeRe published its corpora before that.
BODY = CMC.partition("?>\n")[2]
M1 = ["m1", "A01", "2021-01-31T14:05:09", "Coucou Zoé <3, ça va ?\nbisous\nLéa"]
M2 = ["m2", "A02", "2021-01-31T14:06:00", "slt"]


def test_each_post_is_a_message(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, CMC, "sms.xml"))
    assert (messages.format, messages.columns) == (Format.TEI, tuple(COLUMNS))
    assert (chunk.rows, chunk.ids, chunk.lines) == ([M1, M2], ["m1", "m2"], [14, 19])


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (f"<teiCorpus><teiHeader/>{BODY * 2}</teiCorpus>", [M1, M2] * 2),
        (CMC.replace("UTF-8", "utf-16").encode("utf-16"), [M1, M2]),
        (CMC.replace("UTF-8", "iso-8859-1").replace("œ", "e").encode("iso-8859-1"), [M1, M2]),
    ],
    ids=["corpus", "utf-16", "latin-1"],
)
def test_other_forms_are_read(
    content: str | bytes, rows: list[list[object]], tmp_path: Path, read: Read
) -> None:
    assert read(file_of(tmp_path, content, "sms.xml"))[1].rows == rows


@pytest.mark.parametrize(
    "content",
    [
        CMC[:-40],
        CMC.encode("cp1252"),
        f"<TEI><text>{'<p>' * 2_000}Coucou",
    ],
    ids=["cut", "encoding", "deep"],
)
def test_a_document_that_cannot_be_trusted_is_refused(content: str | bytes, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a readable TEI document") as caught:
        open_messages(file_of(tmp_path, content), format="tei")
    assert "Zoé" not in str(caught.value)


@pytest.mark.parametrize("inner", ["a" * 101, "<lb/>" * 101, "a<note>" + "b" * 101 + "</note>"])
def test_a_message_that_is_too_long_is_refused(
    inner: str, tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.tei.LONGEST_CELL", 100)
    with pytest.raises(DataError, match=r"not a readable TEI document .a cell has more than"):
        read(file_of(tmp_path, f"<TEI><text><p>{inner}</p></text></TEI>", "sms.xml"))


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


@pytest.mark.parametrize(
    ("columns", "rows", "why"),
    [
        (["text", "action"], [], "TEI has a place for text, id.*not for action"),
        (["id", "corps"], [], "TEI has a place for text, id.*not for corps"),
        (["text"], [["Ok"], ["a\0b"]], "row 2 holds a control character"),
        (["text"], [["Ok"], ["\ud83d"]], "row 2 holds a control character"),
        (["text", "sender"], [["Ok", "\ud83d"]], "row 1 holds a control character"),
    ],
)
def test_what_has_no_place_in_tei_is_refused(
    columns: list[str], rows: list[list[object]], why: str, tmp_path: Path, write: Write
) -> None:
    with pytest.raises(DataError, match=why):
        write(tmp_path / "sms.xml", columns, rows)
    assert list(tmp_path.iterdir()) == []


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
