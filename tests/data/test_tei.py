"""TEI documents."""

from collections.abc import Callable
from pathlib import Path

import pytest

from triage.data import Chunk, DataError, Format, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]

# As in the chapter of TEI P5 on computer-mediated communication.
CMC = """\
<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0">
  <teiHeader>
    <fileDesc><titleStmt><title>Corpus</title></titleStmt>
      <publicationStmt><p>Inédit, de Karim.</p></publicationStmt></fileDesc>
  </teiHeader>
  <text>
    <front>
      <timeline><when xml:id="t1" absolute="2021-01-31T14:06:00"/></timeline>
    </front>
    <body>
      <div type="logfile">
        <head>La discussion</head>
        <post xml:id="m1" who="#A01" when="2021-01-31T14:05:09" modality="written">
          <p>Coucou <name type="person">Zoé</name> &lt;3,
            ça va <figure type="emoji"><figDesc>cœur</figDesc></figure>?</p>
          <p>bisous<lb/>Léa</p>
        </post>
        <post xml:id="m2" who="#A02" synch="#t1">slt <gap reason="anonymisation"/><note>sic</note>
        </post>
      </div>
    </body>
  </text>
</TEI>
"""
# As CoMeRe published its corpora before that.
COMERE = """\
<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div>
<post type="sms" xml:id="cmr-x-a1" who="#cmr-x-p1" when-iso="2011-09-15T07:28:00" alias="p1">
<p>t <choice><orig>ou</orig><reg>où</reg></choice> Karim</p></post>
</div></body></text></TEI>
"""
SPEECH = """\
<TEI.2><text><body><u id="u1" who="LEA"> Coucou  Zoé </u>
<u who="ZOE">ça va</u></body></text></TEI.2>
"""
PROSE = "<TEI><text><body><p>Coucou Zoé</p><p>Ok</p></body></text></TEI>"


def file_of(folder: Path, content: str | bytes, name: str = "sms.xml") -> Path:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / name


def test_each_post_is_a_message(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, CMC))
    assert messages.format is Format.TEI
    assert messages.columns == ("id", "sender", "sent_at", "text")
    assert chunk.rows == [
        ["m1", "A01", "2021-01-31T14:05:09", "Coucou Zoé <3, ça va ?\nbisous\nLéa"],
        ["m2", "A02", "2021-01-31T14:06:00", "slt"],
    ]
    assert chunk.ids == ["m1", "m2"]
    assert chunk.lines == [14, 19]


def test_the_form_of_comere_is_read(tmp_path: Path, read: Read) -> None:
    _, chunk = read(file_of(tmp_path, COMERE))
    assert chunk.rows == [["cmr-x-a1", "cmr-x-p1", "2011-09-15T07:28:00", "t ou Karim"]]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (SPEECH, [["u1", "LEA", "", "Coucou Zoé"], ["", "ZOE", "", "ça va"]]),
        (PROSE, [["", "", "", "Coucou Zoé"], ["", "", "", "Ok"]]),
    ],
)
def test_without_posts_utterances_are_messages_and_else_paragraphs(
    content: str, rows: list[list[object]], tmp_path: Path, read: Read
) -> None:
    assert read(file_of(tmp_path, content))[1].rows == rows


def test_texts_of_a_whole_corpus_are_read(tmp_path: Path, read: Read) -> None:
    inner = CMC.partition("?>\n")[2]
    content = f'<teiCorpus xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/>{inner * 2}</teiCorpus>'
    assert read(file_of(tmp_path, content))[1].ids == ["m1", "m2"] * 2


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_the_declared_encoding_is_used(encoding: str, tmp_path: Path, read: Read) -> None:
    content = CMC.replace("UTF-8", encoding).replace("œ", "oe")
    assert "Zoé" in read(file_of(tmp_path, content.encode(encoding)))[1].texts[0]


def test_a_document_type_that_stands_elsewhere_is_not_loaded(tmp_path: Path, read: Read) -> None:
    content = f'<!DOCTYPE TEI SYSTEM "file:///etc/tei_all.dtd">\n{PROSE}'
    assert read(file_of(tmp_path, content))[1].texts == ["Coucou Zoé", "Ok"]


@pytest.mark.parametrize(
    "content",
    [
        CMC[:-40],
        CMC.encode("cp1252"),
        PROSE.replace("Zoé", "&lol;"),
        f'<!DOCTYPE TEI SYSTEM "tei.dtd">\n{PROSE.replace("Zoé", "&eacute;")}',
        f'<!DOCTYPE TEI [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n{PROSE.replace("Zoé", "&b;")}',
        f'<!DOCTYPE TEI [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n{PROSE}',
        f"<TEI><text>{'<p>' * 2_000}Coucou",
    ],
    ids=["cut", "encoding", "undeclared", "external", "bomb", "file", "deep"],
)
def test_a_document_that_cannot_be_trusted_is_refused(content: str | bytes, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a readable TEI document") as caught:
        open_messages(file_of(tmp_path, content), format="tei")
    assert "Zoé" not in str(caught.value)


def test_a_document_without_messages_is_refused(tmp_path: Path) -> None:
    content = "<TEI><teiHeader><p>Karim</p></teiHeader><text><body/></text></TEI>"
    with pytest.raises(DataError, match="holds no TEI text with post, u or p"):
        open_messages(file_of(tmp_path, content))
