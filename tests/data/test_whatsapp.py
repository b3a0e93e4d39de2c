"""WhatsApp chats, as phones of many regions export them."""

import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.data.conftest import Read
from triage.data import DataError, Format, open_messages

CASES: dict[str, Any] = cases_beside(__file__)
ANDROID = """\
31/01/2021, 14:05 - Les messages et les appels sont chiffrés de bout en bout.
31/01/2021, 14:05 - Léa Martin: Coucou Zoé !
31/01/2021, 14:06 - Zoé: slt
tu viens chez Karim : oui ou non ?

bisous
31/01/2021, 14:07 - +33 6 39 98 12 34: <Médias omis>
"""
IOS = """\
[31/01/2021 14:05:09] Les copines: \u200eLes messages et les appels sont chiffrés de bout en bout.
[31/01/2021 14:05:10] Léa Martin: Coucou Zoé !\r
\u200e[31/01/2021 14:06:11] Zoé: \u200eimage absente
[31/01/2021 14:07:00] \u202a+33 6 39 98 12 34\u202c: t où @\u2068Zoé\u2069 ?
"""


def chat(folder: Path, content: str) -> Path:
    (folder / "chat.txt").write_text(content, encoding="utf-8", newline="")
    return folder / "chat.txt"


def zipped(path: Path, parts: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_an_android_chat_is_a_table_of_messages(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(chat(tmp_path, ANDROID))
    assert messages.format is Format.WHATSAPP
    assert messages.columns == ("sent_at", "sender", "kind", "text")
    at = datetime(2021, 1, 31, 14, 5)
    said = "slt\ntu viens chez Karim : oui ou non ?\n\nbisous"
    assert chunk.rows == [
        [at, "", "system", "Les messages et les appels sont chiffrés de bout en bout."],
        [at, "Léa Martin", "message", "Coucou Zoé !"],
        [at.replace(minute=6), "Zoé", "message", said],
        [at.replace(minute=7), "+33 6 39 98 12 34", "media", "<Médias omis>"],
    ]
    assert chunk.lines == [1, 2, 3, 7]
    assert messages.told() == (
        ("dates as day/month/year", "67% of its lines begin a message"), ()
    )  # fmt: skip


def test_an_iphone_chat_is_read_without_its_marks_of_direction(tmp_path: Path, read: Read) -> None:
    _, chunk = read(chat(tmp_path, IOS))
    assert [row[1:] for row in chunk.rows] == [
        ["Les copines", "system", "Les messages et les appels sont chiffrés de bout en bout."],
        ["Léa Martin", "message", "Coucou Zoé !"],
        ["Zoé", "media", "image absente"],
        ["+33 6 39 98 12 34", "message", "t où @Zoé ?"],
    ]
    assert chunk.rows[2][0] == datetime(2021, 1, 31, 14, 6, 11)


@pytest.mark.parametrize(("header", "expected"), CASES["headers"])
def test_every_form_of_date_is_read(header: str, expected: str, tmp_path: Path, read: Read) -> None:
    messages, chunk = read(chat(tmp_path, f"{header}Léa: t où : là ?\n"))
    assert messages.format is Format.WHATSAPP
    assert [str(cell) for cell in chunk.rows[0]] == [expected, "Léa", "message", "t où : là ?"]


@pytest.mark.parametrize("case", CASES["orders"])
def test_the_whole_file_tells_whether_the_day_comes_first(
    case: dict[str, Any], tmp_path: Path, read: Read
) -> None:
    content = "".join(f"{date}, 14:05 - Léa: Ok\n" for date in case["dates"])
    messages, chunk = read(chat(tmp_path, content))
    sent = chunk.rows[0][0]
    assert isinstance(sent, datetime)
    assert sent.date() == case["first"]
    assert messages.told().facts[0] == f"dates as {case['form']}"


@pytest.mark.parametrize(("said", "kind"), CASES["kinds"])
def test_what_the_program_put_in_the_place_of_a_message_has_a_kind(
    said: str, kind: str, tmp_path: Path, read: Read
) -> None:
    _, chunk = read(chat(tmp_path, f"[31/01/2021 14:05:09] Léa: {said}\n"))
    assert [row[2] for row in chunk.rows] == [kind]


def test_a_chat_may_begin_with_the_end_of_a_message(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(chat(tmp_path, f"Sauvegarde\nde Léa\n{ANDROID}"))
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (1, "a line before the first message")
    ]
    assert len(chunk.rows) == 4


@pytest.mark.parametrize("line", CASES["dated"]["lines"])
def test_a_chat_in_a_form_that_is_not_known_is_not_read_in_silence(
    line: str, tmp_path: Path, read: Read
) -> None:
    content = f"{line}\nmdr\noui\nnon\nbof\n" * 3
    for one, n_lines in ((content, 15), (f"{line}\n" * 3, 3)):
        fault = rf"3 of its first {n_lines} lines.*--format whatsapp"
        with pytest.raises(DataError, match=fault) as caught:
            open_messages(chat(tmp_path, one))
        assert "Léa" not in str(caught.value)
    assert len(read(chat(tmp_path, content), format="lines")[1].rows) == 15


@pytest.mark.parametrize("line", CASES["dated"]["plain"])
def test_messages_that_tell_a_date_are_no_chat(line: str, tmp_path: Path, read: Read) -> None:
    assert read(chat(tmp_path, f"{line}\n" * 5))[0].format is Format.LINES


@pytest.mark.parametrize("name", ["_chat.txt", "Discussion WhatsApp avec Léa.txt"])
def test_the_zip_is_read_as_it_was_exported(name: str, tmp_path: Path, read: Read) -> None:
    others: dict[str, str | bytes] = {"PHOTO-2021-01-31.jpg": b"\xff\xd8", "notes.txt": "Coucou"}
    path = zipped(tmp_path / "Discussion WhatsApp.zip", others | {name: ANDROID})
    messages, chunk = read(path)
    assert messages.format is Format.WHATSAPP
    assert chunk.texts[1] == "Coucou Zoé !"
    with open_messages(path) as again:
        assert list(again.chunks()) == list(again.chunks())


def test_rows_that_cannot_be_read_are_rejected(tmp_path: Path, read: Read) -> None:
    content = (
        "31/01/2021, 14:05 - Léa: été à Sète, déjà\n".encode()
        + b"31/04/2021, 14:05 - Karim: jour qui n'existe pas\n"
        b"31/01/2021, 14:06 - Hugo: caf\xe9\n31/01/2021, 14:06 - Zo\xc3\xa9: Ok\n"
    )
    (tmp_path / "chat.txt").write_bytes(content)
    messages, chunk = read(tmp_path / "chat.txt")
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (2, "a date that does not exist"),
        (3, "bytes that are not UTF-8"),
    ]
    assert chunk.lines == [1, 4]


def test_a_chat_cut_short_has_the_messages_that_are_left(tmp_path: Path, read: Read) -> None:
    _, chunk = read(chat(tmp_path, ANDROID[: ANDROID.index(" viens")]))
    assert chunk.texts[1:] == ["Coucou Zoé !", "slt\ntu"]


@pytest.mark.parametrize("kept", [40, 200, -60, None])
def test_a_damaged_zip_is_said_to_be_damaged(kept: int | None, tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", {"_chat.txt": ANDROID * 50})
    content = path.read_bytes()
    within = content[:60] + b"\xff" * 60 + content[120:]
    path.write_bytes(content[:kept] if kept else within)
    with pytest.raises(DataError, match="not a readable zip file"):
        open_messages(path)


def test_a_message_without_end_is_rejected(tmp_path: Path, read: Read) -> None:
    head = "31/01/2021, 14:0{} - Léa: Ok\n"
    content = head.format(5) + f"{'h' * 6_000_000}\n" * 3 + head.format(6)
    messages, chunk = read(chat(tmp_path, content))
    assert [reject.reason[:9] for reject in messages.rejects] == ["a message"]
    assert chunk.texts == ["Ok"]


said = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), min_size=1, max_size=40)


@given(texts=st.lists(said.filter(lambda text: text.strip() == text), min_size=1, max_size=5))
def test_what_was_said_is_read_as_it_was(texts: list[str], scratch: Path, read: Read) -> None:
    content = "".join(f"31/01/2021, 14:05 - Léa: {text}\n" for text in texts)
    assert read(chat(scratch, content))[1].texts == texts


def test_a_zip_without_a_chat_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no WhatsApp chat"):
        open_messages(zipped(tmp_path / "chat.zip", {"_chat.txt": "id,text\n1,Coucou\n"}))
