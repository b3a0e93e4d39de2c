"""TEI documents, written, and written again with changes."""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.data.files import read, write
from triage.data import DataError
from triage.data.strings import document_strings
from triage.data.tei import KINDS, Replacement, TeiDocument
from triage.settings import Markup

pytestmark = pytest.mark.usefixtures("own_folder")
NOTE = '        <p xml:lang="en">Fait &amp; dit.</p>\n'
REPLACED = cases_beside(__file__, "tei_replaced.toml")
CORPUS: str = REPLACED["corpus"]
CASES, HEADERS, LINES = REPLACED["case"], REPLACED["headers"], REPLACED["lines"]
Change: TypeAlias = Callable[[TeiDocument], None]


def prose(inner: str) -> str:
    return f"<TEI><text><p>{inner}</p></text></TEI>"


def changed(change: Change, content: str = CORPUS, markup: Markup = Markup.TEXT) -> str:
    document = TeiDocument("sms.xml", content.encode(), markup)
    change(document)
    return document.content("Fait & dit.").decode()


KARIM = Replacement(7, 12, "PRE", "<PRE_5>")


def replace_karim(document: TeiDocument) -> None:
    document.replace(next(document.messages()), [KARIM])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["message"])
def test_an_identifier_is_replaced_where_it_begins(case: dict[str, str]) -> None:
    spelling = case.get("spelling", "Karim")

    def replace(document: TeiDocument) -> None:
        [message] = document.messages()
        start = message.text.index(spelling)
        document.replace(message, [Replacement(start, start + len(spelling), "PRE", "Lou")])

    written = changed(replace, prose(case["message"]), Markup(case.get("markup", "text")))
    assert written == prose(case["written"])


def test_elements_have_the_prefix_of_the_document() -> None:
    written = changed(replace_karim, REPLACED["prefixed"], Markup.NAME)
    assert '<t:p>Coucou <t:name type="PRE">&lt;PRE_5&gt;</t:name></t:p>' in written
    assert '<t:editorialDecl><t:p xml:lang="en">Fait &amp; dit.</t:p></t:editorialDecl>' in written


def withhold(document: TeiDocument) -> None:
    for message in document.messages():
        document.withhold(message)


def rename(*senders: str | None) -> Change:
    def change(document: TeiDocument) -> None:
        for message, sender in zip(document.messages(), senders, strict=False):
            document.set_sender(message, sender)

    return change


@pytest.mark.parametrize(
    ("change", "name"),
    [(replace_karim, "replaced"), (withhold, "withheld"), (rename("S0001", "Léa M"), "renamed")],
)
def test_only_what_is_replaced_withheld_or_renamed_changes(change: Change, name: str) -> None:
    written = changed(change)
    pairs = zip(CORPUS.splitlines(), written.replace(NOTE, "").splitlines(), strict=True)
    assert [new.strip() for old, new in pairs if old != new] == LINES[name]
    assert f"<p>Rien n'est corrigé.</p>\n{NOTE}      </editorialDecl>" in written


def test_senders_dates_and_ids_may_be_left_out_or_changed() -> None:
    def change(document: TeiDocument) -> None:
        for number, message in enumerate(document.messages(), 1):
            document.set_sender(message, None)
            document.set_number(message, number * 10)
            document.set_date(message, "2021-01")

    corpus = CORPUS.replace("when=", "when-iso='2021-01-31T14' notBefore='2021' when=")
    written = changed(change, corpus)
    assert """<post  xml:id="m10" when='2021-01'><p>""" in written
    assert '<post xml:id="m20" replyTo="#m10">' in written
    taken = CORPUS.replace("<div>", '<div><head xml:id="m10">x</head>')
    assert 'xml:id="mm10"' in changed(lambda d: d.set_number(next(d.messages()), 10), taken)


def a_date(document: TeiDocument) -> None:
    document.set_date(next(document.messages()), "2021")


def write_a_null(document: TeiDocument) -> None:
    document.replace(next(document.messages()), [KARIM._replace(text="a\0")])


ENCODED = [CORPUS.replace("UTF-8", encoding) for encoding in ("hex", "us-ascii")]
BOMB = CORPUS.replace("<TEI ", '<!DOCTYPE TEI [<!ENTITY a "aaaa">]><TEI ')
DAMAGED = [CORPUS[:-40], *ENCODED, BOMB, ""]


@pytest.mark.parametrize(
    ("change", "content", "why"),
    [
        (a_date, CORPUS.replace("when='2021-01-31'", 'synch="#t1"'), "by a timeline"),
        (rename("S1"), CORPUS.replace("<div>", '<div xml:id="S1">'), "has an id S1 already"),
        (rename("L a", "L_a"), CORPUS, "has an id L_a already"),
        (write_a_null, CORPUS, "control character"),
        *((replace_karim, damaged, "not a readable TEI document") for damaged in DAMAGED),
    ],
)
def test_what_cannot_be_written_is_refused(change: Change, content: str, why: str) -> None:
    with pytest.raises(DataError, match=why) as caught:
        changed(change, content)
    assert "Karim" not in str(caught.value)


@pytest.mark.parametrize(("header", "expected"), HEADERS)
def test_the_editorial_declaration_is_completed_or_made(header: str, expected: str) -> None:
    content = f"<TEI><teiHeader>{header}</teiHeader><text><p>Coucou Karim</p></text></TEI>"
    written = changed(replace_karim, content).split("teiHeader>")[1].removesuffix("</")
    assert written == expected.replace("@", '<p xml:lang="en">Fait &amp; dit.</p>')


# Pieces of messages, as their text and as XML may write it.
words = st.text("aé€😀 \n\t", min_size=1, max_size=4)
pieces = st.one_of(
    words.map(escape),
    words.map(lambda text: "".join(f"&#{ord(c)};" for c in text if not c.isspace())),
    words.map(lambda text: f"<![CDATA[<{text}&]]>"),
    st.sampled_from(["&lt;", "]]", "<lb/>", "<!-- a -->", "<?a b?>", "<note>a</note>", "\n  "]),
)
inlines = st.recursive(
    pieces,
    lambda inner: st.tuples(
        st.sampled_from(["emph", "hi", "p", "choice", "seg", "reg"]), st.lists(inner, max_size=3)
    ).map(lambda e: f"<{e[0]}>{''.join(e[1])}</{e[0]}>"),
    max_leaves=8,
)
messages = st.lists(inlines, max_size=5).map("".join)


@given(
    inner=messages,
    encoding=st.sampled_from(
        ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "iso-8859-1", "windows-1252", "us-ascii"]
    ),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quote=st.sampled_from("'\""),
)
def test_without_changes_all_bytes_stay(inner: str, encoding: str, end: str, quote: str) -> None:
    declared = "utf-16" if encoding == "utf-16-be" else encoding.removesuffix("-sig")
    text = CORPUS.replace("UTF-8", declared).replace("slt", inner).replace('"', quote)
    content = text.replace("\n", end).encode(encoding, "xmlcharrefreplace")
    document = TeiDocument("sms.xml", content)
    for message in document.messages():
        document.replace(message, [])
    assert document.content("rien") == content


@given(
    inner=messages,
    places=st.tuples(st.integers(0, 12), st.integers(1, 6)),
    space=st.sampled_from(["", ' xml:space="preserve"']),
    markup=st.sampled_from(Markup),
    encoding=st.sampled_from(["utf-8", "utf-16", "us-ascii"]),
)
def test_whatever_is_replaced_the_rest_stays(
    inner: str, places: tuple[int, int], space: str, markup: Markup, encoding: str
) -> None:
    posts = f"<TEI><text><body><post{space}>{inner}</post><post>ok</post></body></text></TEI>"
    declared = f'<?xml version="1.0" encoding="{encoding}"?>{posts}'
    content = declared.encode(encoding, "xmlcharrefreplace")
    document = TeiDocument("sms.xml", content, markup)
    message, _ = document.messages()
    start = min(places[0], len(message.text))
    end = min(start + places[1], len(message.text))
    old = message.text[start:end]
    if start == end or old != old.strip() or "\n" in old:
        return
    document.replace(message, [Replacement(start, end, "PRE", "<é>")])
    written = document.content("")
    first, last = TeiDocument("sms.xml", written).messages()
    new = "" if markup is Markup.GAP else "<é>"
    assert first.text.split() == f"{message.text[:start]}{new}{message.text[end:]}".split()
    assert last.text == "ok"
    if markup is Markup.TEXT:
        before, after = (ElementTree.fromstring(of).iter() for of in (content, written))
        assert [(one.tag, one.attrib) for one in after] == [(one.tag, one.attrib) for one in before]


@pytest.mark.parametrize("inner", REPLACED["long"])
def test_a_long_message_of_many_parts_is_written_in_linear_time(inner: str) -> None:
    document = TeiDocument("sms.xml", prose(inner * (300_000 // len(inner))).encode())
    [message] = document.messages()
    places = [at for at in range(len(message.text)) if message.text.startswith("Karim", at)]
    document.replace(message, [Replacement(at, at + 5, "PRE", "Lou") for at in places])
    assert document.content("").count(b"Lou") == len(places)


COLUMNS = ["id", "sender", "sent_at", "text"]


def test_each_message_is_written_as_a_post() -> None:
    rows = [*REPLACED["posts"], [None, "", None, ""]]
    path = write("sms.xml", COLUMNS, rows)
    assert path.read_text(encoding="utf-8").splitlines()[10:13] == LINES["posts"]
    ElementTree.parse(write("none.tei", COLUMNS, []))


characters = st.characters(
    exclude_categories=["Cs"],
    exclude_characters=[*map(chr, {*range(32)} - {9, 10, 13}), "\ufffe", "\uffff"],
)
texts = st.text(characters, max_size=20) | st.text("a <&>\"'\n\r\t#%é", max_size=12)


@given(rows=st.lists(st.tuples(texts, texts, texts, texts), min_size=1, max_size=4))
def test_what_is_written_is_read_back(rows: list[tuple[str, ...]]) -> None:
    path = write("sms.xml", COLUMNS, rows, overwrite=True)
    assert read(path)[1].rows == [list(row) for row in rows]


CHOICE: str = REPLACED["choice"]


def written(message: str, kept: tuple[str, ...], *, is_withheld: bool = False) -> str:
    document = TeiDocument("sms.xml", f"<TEI><text><p>{message}</p></text></TEI>".encode())
    [found] = document.messages()
    if is_withheld:
        document.withhold(found)
    else:
        document.replace(found, [Replacement(0, len("Karim"), "PRE", "Lou")])
    for one in document.beside(kept):
        if one.kind not in ("tag", "text", "markup"):
            document.rewrite(one, "")
        elif one.kind != "tag":
            document.rewrite(one, f"{one.text}?")
    return document.content("").decode().removeprefix("<TEI><text>").removesuffix("</text></TEI>")


@pytest.mark.parametrize(("message", "is_kept", "expected"), REPLACED["beside"])
def test_beside_a_message_that_is_written_anew(message: str, is_kept: bool, expected: str) -> None:
    assert written(message, KINDS if is_kept else ()) == expected


@pytest.mark.parametrize("message", [CHOICE, "<!--Karim-->Karim", "<note>Karim</note>Karim"])
@pytest.mark.parametrize("kept", [(), KINDS])
def test_nothing_beside_a_withheld_message_stays(message: str, kept: tuple[str, ...]) -> None:
    assert written(message, kept, is_withheld=True) == '<p><gap reason="withheld"/></p>'


HEADER = "<teiHeader><title>{}</title><author>Léa</author></teiHeader><text>Oui</text>"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "iso-8859-1", "utf-16", "utf-16-be", "none"]
)
@pytest.mark.parametrize("title", ["Zoé", "<![CDATA[Zoé]]>", "Z<hi>o</hi>é", "<!--Zoé-->"])
def test_a_name_is_among_them_in_any_encoding_and_markup(title: str, encoding: str) -> None:
    path, declared = Path("sms.xml"), encoding.removesuffix("-sig").removesuffix("-be")
    document = f'<?xml version="1.0" encoding="{declared}"?><TEI>{HEADER.format(title)}</TEI>'
    path.write_bytes(document.encode("utf-8" if encoding == "none" else encoding))
    found = [*document_strings(str(path))]
    assert {"Léa", "Oui"} <= {*found}
    assert "Zoé" in "\n".join(found)
