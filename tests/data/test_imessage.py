"""Chats of imessage-exporter."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from triage.data import Chunk, DataError, Format, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]

# As its text exporter writes it (imessage-exporter/src/exporters/txt).
CHAT = """\
May 17, 2022  5:29:42 PM (Read by you after 1 hour, 49 seconds)
+33639981234
Coucou Zoé,

ça va ?
Tapbacks:
    Loved by Me
    May 17, 2022  6:00:00 PM
    Me
    Oui et toi

May 17, 2022  6:00:00 PM
Me
Oui et toi
This message responded to an earlier message.

May 17, 2022 12:05:09 AM Me named the conversation Les copines

May 18, 2022 12:05:09 PM
Léa
/Users/lea/Library/Messages/Attachments/ab/IMG_1.heic
regarde
Sent with Confetti

May 18, 2022 12:06:00 PM
Léa
This message was deleted from the conversation!

"""


def file_of(folder: Path, content: str | bytes, name: str = "copines.txt") -> Path:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / name


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_chat_is_a_table_of_messages(end: str, tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, CHAT.replace("\n", end)))
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


def test_a_date_within_a_message_begins_no_other(tmp_path: Path, read: Read) -> None:
    content = "May 17, 2022  5:29:42 PM\nMe\nle\nMay 17, 2022  5:29:42 PM\nou\n"
    assert read(file_of(tmp_path, content))[1].texts == ["le\nMay 17, 2022  5:29:42 PM\nou"]


def test_dates_that_do_not_exist_and_damaged_messages_are_rejected(
    tmp_path: Path, read: Read
) -> None:
    damaged = (
        CHAT.encode().replace(b"May 17, 2022  6", b"Feb 30, 2022  6").replace(b"\xc3", b"\xff")
    )
    messages, chunk = read(file_of(tmp_path, damaged + "é".encode() * 9))
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (1, "bytes that are not UTF-8"),
        (12, "a date that does not exist"),
        (19, "bytes that are not UTF-8"),
        (25, "bytes that are not UTF-8"),
    ]
    assert len(chunk.rows) == 1


def test_a_file_cut_short_keeps_what_it_has(tmp_path: Path, read: Read) -> None:
    assert read(file_of(tmp_path, CHAT[:77]))[1].rows[0][1:] == ["+33639981234", "message", ""]
    assert read(file_of(tmp_path, CHAT[:24]))[1].rows[0][1:] == ["", "message", ""]


def test_another_file_is_no_chat(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no chat of imessage-exporter"):
        open_messages(file_of(tmp_path, "\n\n"), format="imessage")
