"""Backups of SMS Backup & Restore."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from triage.data import Chunk, DataError, Format, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]

HEAD = """\
<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<!--File Created By SMS Backup & Restore v10.15.002 on 17/09/2021 10:12:25-->
<?xml-stylesheet type="text/xsl" href="sms.xsl"?>
"""
SMS = """\
  <sms protocol="0" address="+33639981234" date="1285799668193" type="{type}" subject="null" \
body="{body}" toa="null" sc_toa="null" service_center="null" read="1" status="-1" locked="0" \
readable_date="30 sept. 2010 00:34:28" contact_name="{contact}" />
"""
MMS = """\
  <mms date="1285799670000" ct_t="application/vnd.wap.multipart.related" msg_box="{box}" \
address="+33639981234~+33639985678" sub="null" contact_name="Léa, Hugo">
    <parts>
      <part seq="-1" ct="application/smil" name="null" text="&lt;smil&gt;Karim&lt;/smil&gt;" />
      <part seq="0" ct="image/jpeg" name="a.jpg" text="null" data="/9j/4AAQ" />
      <part seq="0" ct="text/plain" name="null" text="Regarde Zoé" />
      <part seq="1" ct="text/plain" name="null" text="trop bien" />
    </parts>
    <addrs>
      <addr address="+33639985678" type="137" charset="106" />
      <addr address="insert-address-token" type="151" charset="106" />
    </addrs>
  </mms>
"""


def sms(body: str, type_: int = 1, contact: str = "Léa") -> str:
    return SMS.format(body=body, type=type_, contact=contact)


def backup(*messages: str, head: str = HEAD) -> str:
    return f'{head}<smses count="{len(messages)}">\n{"".join(messages)}</smses>\n'


def file_of(folder: Path, content: str | bytes, name: str = "sms.xml") -> Path:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / name


def test_each_sms_is_a_row(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, backup(sms("Coucou Zoé"), sms("slt", 2, "(Unknown)")))
    messages, chunk = read(path)
    assert messages.format is Format.SMS_BACKUP
    assert messages.columns == ("sent_at", "sender", "recipient", "contact", "kind", "text")
    sent = datetime(2010, 9, 29, 22, 34, 28)
    assert chunk.rows == [
        [sent, "+33639981234", "me", "Léa", "received", "Coucou Zoé"],
        [sent, "me", "+33639981234", "", "sent", "slt"],
    ]
    assert chunk.lines == [5, 6]


@pytest.mark.parametrize(
    ("box", "parties"),
    [
        (1, ["+33639985678", "me", "Léa, Hugo", "received"]),
        (2, ["me", "+33639981234~+33639985678", "Léa, Hugo", "sent"]),
    ],
)
def test_an_mms_has_the_text_of_its_parts(
    box: int, parties: list[str], tmp_path: Path, read: Read
) -> None:
    _, chunk = read(file_of(tmp_path, backup(MMS.format(box=box), sms("Ok"))))
    assert chunk.rows[0][1:] == [*parties, "Regarde Zoé\ntrop bien"]
    assert chunk.lines == [5, 17]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("mdr &#55357;&#56832;&#10;bisous", "mdr 😀\nbisous"),
        ("&#55357;&#56832;&#55357;&#56832;", "😀😀"),
        ("&#xD83D;&#xDE00;", "😀"),
        ("mdr 😀", "mdr 😀"),
        ("coupé &#55357;", "coupé \ufffd"),
        ("&#0;&#9999999;", "\ufffd\ufffd"),
        ("a &lt;b&gt; &amp; &quot;c&quot;", 'a <b> & "c"'),
    ],
)
def test_emojis_are_read_as_they_are_written(
    body: str, text: str, tmp_path: Path, read: Read
) -> None:
    assert read(file_of(tmp_path, backup(sms(body))))[1].texts == [text]


def test_emojis_are_read_wherever_the_file_is_cut_into_pieces(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(tmp_path, backup(*[sms("&#55357;&#56832; mdr &#233;")] * 20))
    for size in range(1, 40):
        monkeypatch.setattr("triage.data.sms_backup._PIECE", size)
        assert read(path)[1].texts == ["😀 mdr é"] * 20


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "windows-1252"])
def test_the_declared_encoding_is_used(encoding: str, tmp_path: Path, read: Read) -> None:
    content = backup(sms("Zoé à Sète")).replace("UTF-8", encoding)
    assert read(file_of(tmp_path, content.encode(encoding)))[1].texts == ["Zoé à Sète"]


def test_an_encoding_that_is_declared_wrongly_can_be_named(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, backup(sms("Zoé à Sète")).encode("cp1252"))
    with (
        open_messages(path) as messages,
        pytest.raises(DataError, match="not a readable backup"),
    ):
        list(messages.chunks())
    assert read(path, encoding="cp1252")[1].texts == ["Zoé à Sète"]


def test_a_message_without_body_is_rejected(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, backup('<sms address="1" type="1" />\n', sms("Ok"))))
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (5, "a message without a body")
    ]
    assert chunk.texts == ["Ok"]


def test_an_unknown_date_is_blank(tmp_path: Path, read: Read) -> None:
    for date in ("", "hier", "99999999999999999999"):
        content = backup(sms("Ok")).replace("1285799668193", date)
        assert read(file_of(tmp_path, content))[1].rows[0][0] is None


def test_a_backup_cut_short_is_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, backup(sms("Coucou"), sms("Zoé"))[:-60])
    with (
        open_messages(path) as messages,
        pytest.raises(DataError, match="damaged or cut short") as caught,
    ):
        list(messages.chunks())
    assert "Zoé" not in str(caught.value)


BOMB = '<!DOCTYPE smses [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'


@pytest.mark.parametrize(
    "type_", [BOMB, '<!DOCTYPE smses SYSTEM "file:///etc/hostname">\n', "<!DOCTYPE smses>\n"]
)
def test_a_document_type_is_refused(type_: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, backup(sms("&b;"), head=HEAD + type_))
    with pytest.raises(DataError), open_messages(path) as messages:
        list(messages.chunks())


@pytest.mark.parametrize("content", ["<html><p>Zoé</p></html>", "Coucou Zoé", "<smses", "<a"])
def test_other_xml_is_no_backup(content: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no backup of SMS") as caught:
        open_messages(file_of(tmp_path, content), format="sms-backup")
    assert "Zoé" not in str(caught.value)


def test_tags_without_end_do_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.sms_backup.LONGEST_ROW", 1 << 20)
    path = file_of(tmp_path, backup(sms("h" * 5_000_000)))
    with open_messages(path) as messages, pytest.raises(DataError, match="markup without end"):
        list(messages.chunks())
