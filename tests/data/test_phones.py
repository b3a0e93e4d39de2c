"""Backups of SMS Backup & Restore, and chats of imessage-exporter."""

from datetime import datetime
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.data.conftest import Read
from triage.data import DataError, Format, open_messages

CASES = cases_beside(__file__)


HEAD = CASES["head"]
SMS: str = CASES["sms"]
MMS = CASES["mms"]
# As the text exporter of imessage-exporter writes it (imessage-exporter/src/exporters/txt).
CHAT = CASES["chat"]


def sms(body: str, type_: int = 1, contact: str = "Léa", readable: str = "null") -> str:
    return SMS.format(body=body, type=type_, contact=contact, readable=readable)


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
    assert messages.told() == (("dates in UTC",), ())


@pytest.mark.parametrize(
    ("readable", "local"),
    [
        ("30 sept. 2010 00:34:28", datetime(2010, 9, 30, 0, 34, 28)),
        ("Sep 29, 2010 6:34:28 PM", datetime(2010, 9, 29, 18, 34, 28)),
        ("Wed, 29 Sep 2010 16:34:28 MST", datetime(2010, 9, 29, 16, 34, 28)),
        ("2010-09-30 4:04:28 AM", datetime(2010, 9, 30, 4, 4, 28)),
        ("30/09/2010 00:34:29", datetime(2010, 9, 30, 0, 34, 28)),
        ("9/30/2010 12:34 AM", datetime(2010, 9, 30, 0, 34, 28)),
        ("10/9/2010 00:34:28", None),
        ("hier", None),
    ],
)
def test_dates_are_in_the_time_of_the_phone_where_it_is_told(
    readable: str, local: datetime | None, tmp_path: Path, read: Read
) -> None:
    content = backup(sms("Ok", readable=readable), sms("Ok", readable="30 sept. 2010 00:34:28"))
    messages, chunk = read(file_of(tmp_path, content))
    assert chunk.rows[0][0] == (local or datetime(2010, 9, 29, 22, 34, 28))
    told = "dates in the time of the phone"
    unread = "" if local else ", 1 in UTC for want of a readable_date"
    assert messages.told().facts == (told + unread,)


@pytest.mark.parametrize(("box", "parties"), CASES["an_mms_has_the_text_of_its"])
def test_an_mms_has_the_text_of_its_parts(
    box: int, parties: list[str], tmp_path: Path, read: Read
) -> None:
    _, chunk = read(file_of(tmp_path, backup(MMS.format(box=box), sms("Ok"))))
    assert chunk.rows[0][1:] == [*parties, "Regarde Zoé\ntrop bien"]
    assert chunk.lines == [5, 17]


@pytest.mark.parametrize(("body", "text"), CASES["emojis_are_read_as_they_are_written"])
def test_emojis_are_read_as_they_are_written(
    body: str, text: str, tmp_path: Path, read: Read
) -> None:
    assert read(file_of(tmp_path, backup(sms(body))))[1].texts == [text]


def test_emojis_are_read_wherever_the_file_is_cut_into_pieces(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(tmp_path, backup(*[sms("&#55357;&#56832; mdr &#233;")] * 20))
    for size in range(1, 40):
        monkeypatch.setattr("triage.data.phones._PIECE", size)
        assert read(path)[1].texts == ["😀 mdr é"] * 20


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "windows-1252"])
def test_the_declared_encoding_is_used(encoding: str, tmp_path: Path, read: Read) -> None:
    content = backup(sms("Zoé à Sète")).replace("UTF-8", encoding)
    assert read(file_of(tmp_path, content.encode(encoding)))[1].texts == ["Zoé à Sète"]


def test_an_encoding_that_is_declared_wrongly_can_be_named(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, backup(sms("Zoé à Sète")).encode("cp1252"))
    with open_messages(path) as messages, pytest.raises(DataError, match="not a readable backup"):
        list(messages.chunks())
    assert read(path, encoding="cp1252")[1].texts == ["Zoé à Sète"]


def test_a_message_without_body_is_rejected(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, backup('<sms address="1" type="1" />\n', sms("Ok"))))
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (5, "a message without a body")
    ]
    assert chunk.texts == ["Ok"]


@pytest.mark.parametrize("date", ["", "hier", "99999999999999999999"])
def test_an_unknown_date_is_blank(date: str, tmp_path: Path, read: Read) -> None:
    content = backup(sms("Ok")).replace("1285799668193", date)
    assert read(file_of(tmp_path, content))[1].rows[0][0] is None


BOMB = '<!DOCTYPE smses [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'


@pytest.mark.parametrize(
    "content",
    [
        backup(sms("Coucou"), sms("Zoé"))[:-60],
        backup(sms("&b;"), head=HEAD + BOMB),
        backup(sms("Zoé"), head=HEAD + '<!DOCTYPE smses SYSTEM "file:///etc/hostname">\n'),
        backup(sms("Zoé"), head=f"{HEAD}<!DOCTYPE smses>\n"),
    ],
    ids=["cut short", "bomb", "system", "type"],
)
def test_a_damaged_backup_or_one_with_a_document_type_is_refused(
    content: str, tmp_path: Path
) -> None:
    path = file_of(tmp_path, content)
    with pytest.raises(DataError) as caught, open_messages(path, format="sms-backup") as messages:
        list(messages.chunks())
    assert "Zoé" not in str(caught.value)


def test_tags_without_end_do_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.limits.LONGEST_ROW", 1 << 20)
    path = file_of(tmp_path, backup(sms("h" * 5_000_000)))
    with open_messages(path) as messages, pytest.raises(DataError, match="markup without end"):
        list(messages.chunks())


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_chat_of_imessage_is_a_table_of_messages(end: str, tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, CHAT.replace("\n", end), "copines.txt"))
    assert messages.format is Format.IMESSAGE
    assert messages.columns == ("sent_at", "sender", "kind", "text")
    assert [row[1:] for row in chunk.rows] == [
        ["+33639981234", "message", "Coucou Zoé,\n\nça va ?"],
        ["Me", "message", "Oui et toi"],
        ["", "system", "Me named the conversation Les copines"],
        ["Léa", "media", "regarde"],
        ["Léa", "deleted", ""],
    ]
    assert [row[0] for row in chunk.rows[::2]] == [
        datetime(2022, 5, 17, 17, 29, 42),
        datetime(2022, 5, 17, 0, 5, 9),
        datetime(2022, 5, 18, 12, 6),
    ]
    assert chunk.lines == [1, 12, 17, 19, 25]


def test_messages_without_a_date_that_exists_and_damaged_ones_are_rejected(
    tmp_path: Path, read: Read
) -> None:
    content = CHAT.encode().replace(b"May 17, 2022  6", b"Feb 30, 2022  6")
    path = file_of(tmp_path, content.replace(b"\xc3", b"\xff") + "é".encode() * 9, "copines.txt")
    messages, chunk = read(path)
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (1, "bytes that are not UTF-8"),
        (12, "a date that does not exist"),
        (19, "bytes that are not UTF-8"),
        (25, "bytes that are not UTF-8"),
    ]
    assert len(chunk.rows) == 1


@pytest.mark.parametrize(("kept", "sender"), [(77, "+33639981234"), (24, "")])
def test_a_chat_cut_short_keeps_what_it_has(
    kept: int, sender: str, tmp_path: Path, read: Read
) -> None:
    _, chunk = read(file_of(tmp_path, CHAT[:kept], "copines.txt"))
    assert chunk.rows[0][1:] == [sender, "message", ""]
