"""WhatsApp chats, as phones set to French and English export them."""

import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.data import Chunk, DataError, Format, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

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
\u200e[31/01/2021 14:06:11] Zoé: \u200eimage absente\r
[31/01/2021 14:07:00] \u202a+33 6 39 98 12 34\u202c: t où @\u2068Zoé\u2069 ?\r
"""


def chat(folder: Path, content: str, name: str = "chat.txt") -> Path:
    (folder / name).write_text(content, encoding="utf-8", newline="")
    return folder / name


def zipped(path: Path, **parts: str | bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "."), content)
    return path


def test_an_android_chat_is_a_table_of_messages(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(chat(tmp_path, ANDROID))
    assert messages.format is Format.WHATSAPP
    assert messages.columns == ("sent_at", "sender", "kind", "text")
    at = datetime(2021, 1, 31, 14, 5)
    assert chunk.rows == [
        [at, "", "system", "Les messages et les appels sont chiffrés de bout en bout."],
        [at, "Léa Martin", "message", "Coucou Zoé !"],
        [
            at.replace(minute=6),
            "Zoé",
            "message",
            "slt\ntu viens chez Karim : oui ou non ?\n\nbisous",
        ],
        [at.replace(minute=7), "+33 6 39 98 12 34", "media", "<Médias omis>"],
    ]
    assert chunk.lines == [1, 2, 3, 7]


def test_an_iphone_chat_is_read_without_its_marks_of_direction(tmp_path: Path, read: Read) -> None:
    _, chunk = read(chat(tmp_path, IOS))
    assert [row[1:] for row in chunk.rows] == [
        ["Les copines", "system", "Les messages et les appels sont chiffrés de bout en bout."],
        ["Léa Martin", "message", "Coucou Zoé !"],
        ["Zoé", "media", "image absente"],
        ["+33 6 39 98 12 34", "message", "t où @Zoé ?"],
    ]
    assert chunk.rows[2][0] == datetime(2021, 1, 31, 14, 6, 11)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("31/01/2021 à 14:05 - ", "2021-01-31 14:05:00"),
        ("31/01/2021, 14:05 - ", "2021-01-31 14:05:00"),
        ("31/01/21, 14:05 - ", "2021-01-31 14:05:00"),
        ("31.01.21, 14:05 - ", "2021-01-31 14:05:00"),
        ("31-01-2021 14:05 - ", "2021-01-31 14:05:00"),
        ("2021-01-31 14 h 05 - ", "2021-01-31 14:05:00"),
        ("2021-01-31, 2:05 p.m. - ", "2021-01-31 14:05:00"),
        ("1/31/21, 2:05 PM - ", "2021-01-31 14:05:00"),
        ("1/31/21, 2:05\u202fPM - ", "2021-01-31 14:05:00"),
        ("31/01/2021, 2:05\u202fpm - ", "2021-01-31 14:05:00"),
        ("1/31/21, 12:05 AM - ", "2021-01-31 00:05:00"),
        ("1/31/21, 12:05 PM - ", "2021-01-31 12:05:00"),
        ("[31/01/2021 14:05:09] ", "2021-01-31 14:05:09"),
        ("[31/01/2021 à 14:05:09] ", "2021-01-31 14:05:09"),
        ("[31/01/2021, 14:05:09] ", "2021-01-31 14:05:09"),
        ("[1/31/21, 2:05:09\u202fPM] ", "2021-01-31 14:05:09"),
        ("[2021-01-31 14 h 05 min 09 s] ", "2021-01-31 14:05:09"),
        ("31/01/2021 14:05:09: ", "2021-01-31 14:05:09"),
    ],
)
def test_every_form_of_date_is_read(header: str, expected: str, tmp_path: Path, read: Read) -> None:
    _, chunk = read(chat(tmp_path, f"{header}Léa: t où : là ?\n"))
    assert [str(cell) for cell in chunk.rows[0]] == [expected, "Léa", "message", "t où : là ?"]


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["01/02/2021", "13/02/2021"], (2021, 2, 1)),
        (["01/02/2021", "02/13/2021"], (2021, 1, 2)),
        # Both exist, and time goes on only so.
        (["01/02/2021", "11/02/2021", "01/03/2021"], (2021, 2, 1)),
        (["01/02/2021", "02/01/2021", "02/03/2021", "03/01/2021"], (2021, 1, 2)),
        # Nothing tells: as in France.
        (["01/02/2021"], (2021, 2, 1)),
    ],
)
def test_the_whole_file_tells_whether_the_day_comes_first(
    dates: list[str], expected: tuple[int, int, int], tmp_path: Path, read: Read
) -> None:
    content = "".join(f"{date}, 14:05 - Léa: Ok\n" for date in dates)
    assert read(chat(tmp_path, content))[1].rows[0][0] == datetime(*expected, 14, 5)


def test_hours_of_a_half_day_are_those_of_america(tmp_path: Path, read: Read) -> None:
    _, chunk = read(chat(tmp_path, "1/2/21, 2:05 PM - Léa: Ok\n"))
    assert chunk.rows[0][0] == datetime(2021, 1, 2, 14, 5)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Ce message a été supprimé", "deleted"),
        ("Vous avez supprimé ce message", "deleted"),
        ("This message was deleted", "deleted"),
        ("\u200eCe message a été supprimé.", "deleted"),
        ("<Media omitted>", "media"),
        ("IMG-20210131-WA0001.jpg (fichier joint)\nRegarde Zoé", "media"),
        ("\u200eIMG-20210131-WA0001.jpg (file attached)", "media"),
        ("\u200e<pièce jointe : 00000012-PHOTO-2021-01-31-14-05-09.jpg>", "media"),
        ("\u200e<attached: 00000012-AUDIO-2021-01-31-14-05-09.opus>", "media"),
        ("\u200evidéo absente", "media"),
        ("\u200esticker omitted", "media"),
        ("\u200erapport.pdf • \u200e3 pages \u200edocument omitted", "media"),
        ("\u200eVous avez ajouté Karim", "system"),
        ("Léa absente", "message"),
        ("ce message a été supprimé par qui ? mdr\nnon ?", "message"),
        ("", "message"),
    ],
)
def test_what_the_program_put_in_the_place_of_a_message_has_a_kind(
    said: str, kind: str, tmp_path: Path, read: Read
) -> None:
    _, chunk = read(chat(tmp_path, f"[31/01/2021 14:05:09] Léa: {said}\n"))
    assert [row[2] for row in chunk.rows] == [kind]


@pytest.mark.parametrize("mark", [" <Ce message a été modifié>", "\u200e<This message was edited>"])
def test_an_edited_message_loses_the_mark(mark: str, tmp_path: Path, read: Read) -> None:
    _, chunk = read(chat(tmp_path, f"31/01/2021, 14:05 - Léa: c Hugo{mark}\n"))
    assert chunk.rows[0][2:] == ["edited", "c Hugo"]


@pytest.mark.parametrize(
    "said", ["Léa a ajouté Karim", "Léa a changé le sujet en “Soirée : samedi: chez Zoé”"]
)
def test_what_is_said_of_the_group_has_no_sender(said: str, tmp_path: Path, read: Read) -> None:
    _, chunk = read(chat(tmp_path, f"31/01/2021, 14:05 - {said}\n"))
    assert chunk.rows[0][1:] == ["", "system", said]


def test_a_message_may_quote_another_chat(tmp_path: Path, read: Read) -> None:
    quoted = "regarde\n[12/01/2021 10:00:00] Karim: non\n12.01.2021, 10:00 - Karim: si"
    _, chunk = read(chat(tmp_path, f"31/01/2021, 14:05 - Léa: {quoted}\n"))
    assert chunk.texts == [quoted]


@pytest.mark.parametrize("name", ["_chat__txt", "Discussion WhatsApp avec Léa__txt"])
def test_the_zip_is_read_as_it_was_exported(name: str, tmp_path: Path, read: Read) -> None:
    photo: dict[str, str | bytes] = {
        "00000012-PHOTO-2021-01-31__jpg": b"\xff\xd8",
        "notes__txt": "Coucou",
    }
    path = zipped(tmp_path / "Discussion WhatsApp.zip", **photo, **{name: ANDROID})
    messages, chunk = read(path)
    assert messages.format is Format.WHATSAPP
    assert chunk.texts[1] == "Coucou Zoé !"
    with open_messages(path) as again:
        assert list(again.chunks()) == list(again.chunks())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_chat_that_was_saved_again_is_read(encoding: str, tmp_path: Path, read: Read) -> None:
    content = "31/01/2021 à 14:05 - Zoé: Coucou Léa, ça va ? où es-tu ?\n"
    (tmp_path / "chat.txt").write_bytes(content.encode(encoding))
    assert read(tmp_path / "chat.txt")[1].rows[0][1:] == [
        "Zoé",
        "message",
        "Coucou Léa, ça va ? où es-tu ?",
    ]


def test_rows_that_cannot_be_read_are_rejected(tmp_path: Path, read: Read) -> None:
    start = "été à Sète, déjà".encode()
    content = (
        b"31/01/2021, 14:05 - L\xc3\xa9a: " + start + b"\n"
        b"31/04/2021, 14:05 - Karim: jour qui n'existe pas\n"
        b"31/01/2021, 14:06 - Hugo: caf\xe9\n31/01/2021, 14:06 - Zo\xc3\xa9: Ok\n"
    )
    (tmp_path / "chat.txt").write_bytes(content)
    messages, chunk = read(tmp_path / "chat.txt")
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (2, "a date that does not exist"),
        (3, "bytes that are not UTF-8"),
    ]
    assert chunk.lines == [1, 4]


def test_lines_before_the_first_message_are_rejected(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(chat(tmp_path, f"Sauvegarde\nde Léa\n{ANDROID}"), format="whatsapp")
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (1, "a line before the first message")
    ]
    assert len(chunk.rows) == 4


def test_a_chat_cut_short_has_the_messages_that_are_left(tmp_path: Path, read: Read) -> None:
    _, chunk = read(chat(tmp_path, ANDROID[: ANDROID.index(" viens")]))
    assert chunk.texts[1:] == ["Coucou Zoé !", "slt\ntu"]


@pytest.mark.parametrize("kept", [40, 200, -60])
def test_a_damaged_zip_is_said_to_be_damaged(kept: int, tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", _chat__txt=ANDROID)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DataError, match="not a readable zip file"):
        open_messages(path)


def test_damage_within_the_zip_is_found(tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", _chat__txt=ANDROID * 50)
    content = bytearray(path.read_bytes())
    content[60:120] = b"\xff" * 60
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a readable zip file"):
        open_messages(path)


@pytest.mark.parametrize("content", ["Coucou Zoé\n", "id,text\n1,Coucou\n"])
def test_a_file_without_dates_is_no_chat(content: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no WhatsApp chat") as caught:
        open_messages(chat(tmp_path, content), format="whatsapp")
    assert "Zoé" not in str(caught.value)
    with pytest.raises(DataError, match="holds no WhatsApp chat"):
        open_messages(zipped(tmp_path / "chat.zip", _chat__txt=content))


def test_a_message_without_end_is_rejected(tmp_path: Path, read: Read) -> None:
    head = "31/01/2021, 14:0{} - Léa: Ok\n"
    content = head.format(5) + f"{'h' * 6_000_000}\n" * 3 + head.format(6)
    messages, chunk = read(chat(tmp_path, content))
    assert [reject.reason[:9] for reject in messages.rejects] == ["a message"]
    assert chunk.texts == ["Ok"]


def test_a_chat_becomes_a_table_of_any_format(tmp_path: Path, read: Read, write: Write) -> None:
    messages, chunk = read(chat(tmp_path, ANDROID))
    table = write(tmp_path / "chat.csv", messages.columns, chunk.rows, like=messages.dialect)
    assert table.read_text(encoding="utf-8").splitlines()[2] == (
        "2021-01-31 14:05:00,Léa Martin,message,Coucou Zoé !"
    )
    sheet = write(tmp_path / "chat.xlsx", messages.columns, chunk.rows, like=messages.dialect)
    assert read(sheet)[1].rows[1] == chunk.rows[1]


said = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), min_size=1, max_size=40)


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(said.filter(lambda text: text.strip() == text), min_size=1, max_size=5))
def test_what_was_said_is_read_as_it_was(texts: list[str], scratch: Path, read: Read) -> None:
    content = "".join(f"31/01/2021, 14:05 - Léa: {text}\n" for text in texts)
    assert read(chat(scratch, content))[1].texts == texts
