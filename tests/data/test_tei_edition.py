"""TEI documents that are written again."""

from collections.abc import Callable
from html import escape
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.data import DataError
from triage.data.tei_edition import Edition, Replacement
from triage.data.tei_tokens import Place, TeiDocument
from triage.settings import Markup

CORPUS = """\
<?xml version='1.0' encoding="UTF-8"?>
<?xml-model href="tei_all.rng"?>
<!-- de Karim -->
<TEI xmlns="http://www.tei-c.org/ns/1.0">
  <teiHeader>
    <fileDesc><titleStmt><title>SMS de Karim</title></titleStmt></fileDesc>
    <encodingDesc>
      <editorialDecl>
        <p>Rien n'est corrigé.</p>
      </editorialDecl>
    </encodingDesc>
    <profileDesc><particDesc><listPerson>
      <person xml:id='A01'/> <person sameAs="#A01 #A02" xml:id="A02"/>
    </listPerson></particDesc></profileDesc>
  </teiHeader>
  <text><body><div>
    <post  xml:id="m1"
      when='2021-01-31' who = "#A01"><p>Coucou Karim,<lb/>ça va ?</p></post>
    <post xml:id="m2" who="#A02" replyTo="#m1">slt<note>Karim répond</note></post>
  </div></body></text>
</TEI>
"""


class Change(NamedTuple):
    """A spelling, its type and what stands for it."""

    old: str
    type: str
    new: str


KARIM = Change("Karim", "PRE", "Lou")


def document_of(content: str | bytes, encoding: str = "utf-8") -> TeiDocument:
    return TeiDocument(
        "sms.xml", content if isinstance(content, bytes) else content.encode(encoding)
    )


def prose(inner: str) -> str:
    return f"<TEI><text><p>{inner}</p></text></TEI>"


def inner_of(content: str) -> str:
    return content.removeprefix("<TEI><text><p>").removesuffix("</p></text></TEI>")


def replaced(inner: str, *changes: Change, markup: Markup = Markup.TEXT) -> str:
    """Replace spellings in a paragraph that is a message."""
    document = document_of(prose(inner))
    edition = Edition(document, markup)
    for message in document.messages():
        found = [(message.text.index(change.old), change) for change in changes]
        edition.replace(
            message,
            [Replacement(at, at + len(c.old), c.type, c.new) for at, c in sorted(found)],
        )
    return inner_of(edition.content("").decode())


def lines_changed(old: str, new: str) -> list[tuple[str, str]]:
    pairs = zip(old.splitlines(), new.splitlines(), strict=True)
    return [(one.strip(), other.strip()) for one, other in pairs if one != other]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_without_changes_the_document_is_the_same_byte_for_byte(encoding: str, end: str) -> None:
    declared = CORPUS.replace("UTF-8", encoding.removesuffix("-sig")).replace("\n", end)
    content = declared.encode(encoding)
    document = document_of(content)
    edition = Edition(document)
    for message in document.messages():
        edition.replace(message, [])
    assert edition.content("rien") == content


def test_only_the_text_of_the_message_and_the_header_change() -> None:
    document = document_of(CORPUS)
    edition = Edition(document)
    first, _ = document.messages()
    edition.replace(first, [Replacement(7, 12, "PRE", "<PRE_5>")])
    header, text = edition.content("Fait & dit.").decode().split("  </teiHeader>")
    assert text == CORPUS.split("  </teiHeader>")[1].replace("Coucou Karim", "Coucou &lt;PRE_5&gt;")
    assert header.splitlines()[8:11] == [
        "        <p>Rien n'est corrigé.</p>",
        '        <p xml:lang="en">Fait &amp; dit.</p>',
        "      </editorialDecl>",
    ]
    assert header.count("\n") == CORPUS.split("  </teiHeader>")[0].count("\n") + 1


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("slt Karim !", "slt Lou !"),
        ("slt <emph>Karim</emph> !", "slt <emph>Lou</emph> !"),
        ("slt Ka<lb break='no'/>\nrim", None),
        ("slt K<emph>ar</emph>im !", "slt Lou<emph></emph> !"),
        ("<distinct>slt Ka</distinct>rim", "<distinct>slt Lou</distinct>"),
        ("slt K&#97;ri<!-- ou Carim -->m", "slt Lou<!-- ou Carim -->"),
        ("slt <![CDATA[<3 Karim ]]>!", "slt <![CDATA[<3 ]]>Lou<![CDATA[ ]]>!"),
        ("slt <![CDATA[Ka]]>rim", "slt <![CDATA[]]>Lou<![CDATA[]]>"),
        ("slt ]]<hi>Karim</hi>", "slt ]]<hi>Lou</hi>"),
    ],
)
def test_an_identifier_that_crosses_markup_is_replaced_where_it_begins(
    inner: str, expected: str | None
) -> None:
    if expected is None:
        # A line that ends within a word makes two words of it.
        expected = inner.replace("Ka", "Lou").replace("rim", "")
        assert replaced(inner, Change("Ka\nrim", "PRE", "Lou")) == expected
    else:
        assert replaced(inner, KARIM) == expected


def test_names_of_several_words_may_cross_white_space_and_lines() -> None:
    inner = "slt <hi>Karim</hi>\n    <hi>Nait</hi> 3 rue X<lb/>34000 Sète ok"
    changes = (Change("Karim Nait", "PRE", "Lou"), Change("3 rue X\n34000 Sète", "ADR", "ici"))
    assert replaced(inner, *changes) == "slt <hi>Lou</hi><hi></hi> ici<lb/> ok"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (
            "slt <choice><sic>Karin</sic><corr>Karim</corr></choice>",
            "slt <choice><sic>Lou</sic><corr>Lou</corr></choice>",
        ),
        (
            "a <choice><abbr>K. Nait</abbr><expan>Karim <hi>Nait</hi></expan></choice>-X",
            "a <choice><abbr>Lou</abbr><expan>Lou<hi></hi></expan></choice>-X",
        ),
        (
            "<choice><orig>slt <hi>Karin</hi> !</orig><reg><![CDATA[Slt Karim !]]></reg></choice>",
            "<choice><orig>slt <hi>Lou</hi> !</orig>"
            "<reg><![CDATA[]]>slt Lou !<![CDATA[]]></reg></choice>",
        ),
        (
            "slt <choice><orig>Karin</orig></choice> <choice><orig>ou</orig><reg>où</reg></choice>",
            "slt <choice><orig>Lou</orig></choice> <choice><orig>ou</orig><reg>où</reg></choice>",
        ),
    ],
)
def test_other_readings_of_what_is_replaced_do_not_tell_it(inner: str, expected: str) -> None:
    spelling = "K. Nait" if "abbr" in inner else "Karin"
    assert replaced(inner, Change(spelling, "PRE", "Lou")) == expected


@pytest.mark.parametrize(
    ("markup", "inner", "expected"),
    [
        (Markup.NAME, "slt Karim", 'slt <name type="PRE">Lou</name>'),
        (Markup.NAME, "slt <w>Karim</w>", "slt <w>Lou</w>"),
        (Markup.NAME, "<![CDATA[Karim]]>", '<![CDATA[]]><name type="PRE">Lou</name><![CDATA[]]>'),
        (Markup.GAP, "slt Karim", 'slt <gap reason="anonymisation"><desc>PRE</desc></gap>'),
        (Markup.GAP, "<w>Karim</w>", '<w><gap reason="anonymisation"><desc>PRE</desc></gap></w>'),
        (Markup.GAP, "slt <idno>Karim</idno>", "slt <idno></idno>"),
    ],
)
def test_an_element_may_stand_for_the_identifier(markup: Markup, inner: str, expected: str) -> None:
    assert replaced(inner, KARIM, markup=markup) == expected


def test_a_gap_is_no_text_of_the_message() -> None:
    again = document_of(prose(replaced("slt Karim !", KARIM, markup=Markup.GAP)))
    assert [message.text for message in again.messages()] == ["slt !"]


def test_elements_have_the_prefix_of_the_document() -> None:
    content = (
        '<t:TEI xmlns:t="http://www.tei-c.org/ns/1.0"><t:teiHeader><t:fileDesc/></t:teiHeader>'
        "<t:text><t:p>Karim</t:p></t:text></t:TEI>"
    )
    document = document_of(content)
    edition = Edition(document, Markup.NAME)
    edition.replace(next(document.messages()), [Replacement(0, 5, "PRE", "Lou")])
    written = edition.content("Fait.").decode()
    assert '<t:p><t:name type="PRE">Lou</t:name></t:p>' in written
    assert '<t:editorialDecl><t:p xml:lang="en">Fait.</t:p></t:editorialDecl>' in written


def test_a_replacement_may_have_letters_that_the_encoding_lacks() -> None:
    content = '<?xml version="1.0" encoding="us-ascii"?>' + prose("Karim")
    document = document_of(content)
    edition = Edition(document)
    edition.replace(next(document.messages()), [Replacement(0, 5, "PRE", "Zoé")])
    assert b"<p>Zo&#233;</p>" in edition.content("")


def test_a_message_that_is_withheld_leaves_a_gap() -> None:
    document = document_of(CORPUS)
    edition = Edition(document)
    for message in document.messages():
        edition.withhold(message)
    assert lines_changed(
        CORPUS, edition.content("").decode().replace('\n        <p xml:lang="en"></p>', "")
    ) == [
        (
            """when='2021-01-31' who = "#A01"><p>Coucou Karim,<lb/>ça va ?</p></post>""",
            """when='2021-01-31' who = "#A01"><gap reason="withheld"/></post>""",
        ),
        (
            '<post xml:id="m2" who="#A02" replyTo="#m1">slt<note>Karim répond</note></post>',
            '<post xml:id="m2" who="#A02" replyTo="#m1"><gap reason="withheld"/></post>',
        ),
    ]


def changed(change: Callable[[Edition, TeiDocument], None], corpus: str = CORPUS) -> str:
    document = document_of(corpus)
    edition = Edition(document)
    change(edition, document)
    return edition.content("").decode().replace('        <p xml:lang="en"></p>\n', "")


def test_senders_are_others_wherever_they_are_referred_to() -> None:
    def rename(edition: Edition, document: TeiDocument) -> None:
        for message, name in zip(document.messages(), ("S0001", "Léa M"), strict=True):
            edition.set_sender(message, name)

    assert lines_changed(CORPUS, changed(rename)) == [
        (
            """<person xml:id='A01'/> <person sameAs="#A01 #A02" xml:id="A02"/>""",
            """<person xml:id='S0001'/> <person sameAs="#S0001 #Léa_M" xml:id="Léa_M"/>""",
        ),
        (
            """when='2021-01-31' who = "#A01"><p>Coucou Karim,<lb/>ça va ?</p></post>""",
            """when='2021-01-31' who = "#S0001"><p>Coucou Karim,<lb/>ça va ?</p></post>""",
        ),
        (
            '<post xml:id="m2" who="#A02" replyTo="#m1">slt<note>Karim répond</note></post>',
            '<post xml:id="m2" who="#Léa_M" replyTo="#m1">slt<note>Karim répond</note></post>',
        ),
    ]


def test_senders_dates_and_ids_may_be_left_out_or_changed() -> None:
    def change(edition: Edition, document: TeiDocument) -> None:
        for number, message in enumerate(document.messages(), 1):
            edition.set_sender(message, None)
            edition.set_number(message, number * 10)
            edition.set_date(message, "2021-01")

    document = document_of(changed(change))
    assert [message.cells[:3] for message in document.messages()] == [
        ["m10", "", "2021-01"],
        ["m20", "", ""],
    ]
    assert b'<post xml:id="m20" replyTo="#m10">' in document.content


def test_no_further_date_of_a_message_stays() -> None:
    corpus = CORPUS.replace("when=", "when-iso='2021-01-31T14' notBefore='2021' when=")
    written = changed(lambda e, d: e.set_date(next(d.messages()), "2021"), corpus)
    assert """<post  xml:id="m1" when='2021' who = "#A01">""" in written


def test_dates_of_a_timeline_are_not_changed() -> None:
    corpus = CORPUS.replace("when='2021-01-31'", 'synch="#t1"')
    with pytest.raises(DataError, match="by a timeline"):
        changed(lambda e, d: e.set_date(next(d.messages()), "2021"), corpus)


def test_an_id_that_is_taken_is_not_given_twice() -> None:
    corpus = CORPUS.replace("<div>", '<div xml:id="S0001"><head xml:id="m10">x</head>')
    with pytest.raises(DataError, match="has an id S0001 already"):
        changed(lambda e, d: e.set_sender(next(d.messages()), "S0001"), corpus)
    numbered = changed(lambda e, d: e.set_number(next(d.messages()), 10), corpus)
    assert 'xml:id="mm10"' in numbered


def test_two_senders_do_not_become_one() -> None:
    def name(edition: Edition, document: TeiDocument) -> None:
        for message, sender in zip(document.messages(), ("L a", "L_a"), strict=True):
            edition.set_sender(message, sender)

    with pytest.raises(DataError, match="has an id L_a already"):
        changed(name)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (
            "<fileDesc/><encodingDesc/><profileDesc/>",
            "<fileDesc/><encodingDesc><editorialDecl>@</editorialDecl></encodingDesc><profileDesc/>",
        ),
        (
            "<fileDesc/>\n <profileDesc/>\n",
            "<fileDesc/><encodingDesc><editorialDecl>@</editorialDecl></encodingDesc>\n"
            " <profileDesc/>\n",
        ),
        (
            "\n<fileDesc></fileDesc>\n",
            "\n<fileDesc></fileDesc>\n<encodingDesc><editorialDecl>@</editorialDecl>"
            "</encodingDesc>\n",
        ),
        (
            "<encodingDesc><editorialDecl><p/></editorialDecl></encodingDesc>",
            "<encodingDesc><editorialDecl><p/>@</editorialDecl></encodingDesc>",
        ),
        ("", ""),
    ],
    ids=["empty", "none", "layout", "there", "no header"],
)
def test_the_editorial_declaration_is_completed_or_made(header: str, expected: str) -> None:
    content = f"<TEI><teiHeader>{header}</teiHeader><text><p>Karim</p></text></TEI>"
    document = document_of(content)
    edition = Edition(document)
    edition.replace(next(document.messages()), [Replacement(0, 5, "PRE", "Lou")])
    paragraph = '<p xml:lang="en">Fait.</p>'
    written = edition.content("Fait.").decode()
    assert written.split("teiHeader>")[1].removesuffix("</") == expected.replace("@", paragraph)


def test_words_beside_the_messages_are_told_with_their_places() -> None:
    beside = {place: words for place, words in document_of(CORPUS).beside() if "Karim" in words}
    assert beside == {
        Place.COMMENT: "<!-- de Karim -->",
        Place.HEADER: "SMS de Karim",
        Place.NOTE: "Karim répond",
    }


@pytest.mark.parametrize(
    "content",
    [
        CORPUS[:-40],
        CORPUS.encode("cp1252"),
        CORPUS.replace("UTF-8", "hex"),
        CORPUS.replace("slt", "&lol;"),
        CORPUS.replace("<TEI ", '<!DOCTYPE TEI [<!ENTITY a "aaaa">]><TEI '),
        CORPUS.replace("<TEI ", '<!DOCTYPE TEI [<!ENTITY a SYSTEM "/etc/hostname">]><TEI '),
        b"",
        b"\xff\xfe<\0",
    ],
    ids=["cut", "encoding", "codec", "undeclared", "bomb", "file", "empty", "half"],
)
def test_a_document_that_cannot_be_trusted_is_refused(content: str | bytes) -> None:
    with pytest.raises(DataError, match=r"not a readable TEI document|encoding") as caught:
        document_of(content)
    assert "Karim" not in str(caught.value)


def test_a_control_character_cannot_be_written() -> None:
    with pytest.raises(DataError, match="control character"):
        replaced("Karim", Change("Karim", "PRE", "a\0"))


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


def elements(content: bytes) -> list[tuple[str, dict[str, str]]]:
    return [(one.tag, one.attrib) for one in ElementTree.fromstring(content).iter()]  # noqa: S314


@settings(max_examples=200, deadline=None)
@given(
    inner=st.lists(inlines, max_size=5).map("".join),
    places=st.tuples(st.integers(0, 12), st.integers(1, 6)),
    space=st.sampled_from(["", ' xml:space="preserve"']),
    markup=st.sampled_from(Markup),
)
def test_whatever_is_replaced_the_rest_stays(
    inner: str, places: tuple[int, int], space: str, markup: Markup
) -> None:
    content = f"<TEI><text><body><post{space}>{inner}</post><post>ok</post></body></text></TEI>"
    document = document_of(content)
    edition = Edition(document, markup)
    message, _ = document.messages()
    start = min(places[0], len(message.text))
    end = min(start + places[1], len(message.text))
    old = message.text[start:end]
    if start == end or old != old.strip() or "\n" in old:
        assert edition.content("") == content.encode()
        return
    edition.replace(message, [Replacement(start, end, "PRE", "<X>")])
    written = edition.content("")
    first, last = document_of(written).messages()
    new = "" if markup is Markup.GAP else "<X>"
    expected = f"{message.text[:start]}{new}{message.text[end:]}"
    assert first.text.split() == expected.split()
    assert last.text == "ok"
    if markup is Markup.TEXT:
        assert elements(written) == elements(content.encode())
