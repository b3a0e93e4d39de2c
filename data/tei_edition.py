"""A TEI document written again: other text in its messages, other ids, and nothing else changed."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import unquote

from triage.data.errors import DataError
from triage.data.markup import FORBIDDEN, attribute_xml
from triage.data.tei import DATES, IDS, LINE_END, MOMENTS
from triage.data.tei_note import note_in
from triage.data.tei_tokens import Message, Part, TeiDocument, Token, TokenKind
from triage.settings import Markup

# A run of white space is tried once, from its first character.
_ATTRIBUTE = re.compile(r"""((?<!\s)\s++)([^\s=/>"']++)(\s*+=\s*+)("[^"]*"|'[^']*')""")
_DATE = re.compile("(?:when|notBefore|notAfter|from|to)(?:-iso|-custom)?")
_NO_NAME = re.compile(r"[^\w.-]")
_WHO, _XML_ID = "who", "xml:id"
# Elements of running text that hold text alone, and those that hold a gap, but no name.
_TEXT_ALONE = frozenset({"c", "pc", "g", "idno", "geo", "postCode", "postBox", "formula", "code"})
_WITHOUT_NAMES = _TEXT_ALONE | {"w", "m", "ex", "am"}


class Replacement(NamedTuple):
    """An identifier of a message, from one character to another, and what stands for it."""

    start: int
    end: int
    type: str
    text: str


class Edition:
    """Changes of a document, which `content` then makes."""

    def __init__(self, document: TeiDocument, markup: Markup = Markup.TEXT) -> None:
        self._document, self._markup = document, markup
        # That of the elements of the document, with its colon.
        self._prefix = document.prefix
        # By the first bytes of their tokens.
        self._texts: dict[int, str] = {}
        self._attributes: dict[int, dict[str, str | None]] = {}
        self._withheld: dict[int, int] = {}
        self._ids: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    @property
    def is_changed(self) -> bool:
        """Return whether any change was made to the document."""
        return any((self._texts, self._attributes, self._withheld, self._ids, self._numbers))

    def replace(self, message: Message, replacements: Sequence[Replacement]) -> None:
        """Replace identifiers of a message; markup that they cross stays, and ends of lines."""
        raw, places = "".join(part.text for part in message.parts), message.places
        is_cut = bytearray(len(raw))
        placed: dict[int, Replacement] = {}
        for one in replacements:
            if FORBIDDEN.search(one.text):
                raise DataError(
                    "a replacement holds a control character, which XML can't hold: write CSV"
                )
            cut = [p for p in places[one.start : one.end] if LINE_END not in raw[p.start : p.stop]]
            for place in cut:
                is_cut[place.start : place.stop] = bytes([True]) * len(place)
            placed.update({place.start: one for place in cut[:1]})
        self._rewrite(message, is_cut, placed)

    def withhold(self, message: Message) -> None:
        """Leave a gap in the place of a message."""
        if message.end.start > message.tag.end:
            self._withheld[message.tag.end] = message.end.start

    def set_sender(self, message: Message, sender: str | None) -> None:
        """Change the sender of a message, and what refers to it elsewhere, or leave it out."""
        who = message.tag.attributes.get(_WHO)
        if who is not None:
            sign = "#" if who.startswith("#") else ""
            self._change(message, {_WHO: sender and sign + _name(sender)})
            if sender:
                self._ids[str(message.cells[1])] = _name(sender)

    def set_number(self, message: Message, number: int) -> None:
        """Make an id of a number, and change what refers to the old one."""
        name = next((name for name in IDS if name in message.tag.attributes), None)
        if name == "n":
            self._change(message, {name: str(number)})
        elif name:
            self._numbers[message.tag.attributes[name]] = number

    def set_date(self, message: Message, date: str | None) -> None:
        """Change the date of a message, or leave it out; no further date of it stays."""
        attributes = message.tag.attributes
        if any(name in attributes for name in MOMENTS):
            raise DataError(
                f"{self._document.name} dates its messages by a timeline, which stays as it is: "
                "keep the dates, or write CSV"
            )
        first = next((name for name in DATES if name in attributes), None)
        changes = {name: date if name == first else None for name in attributes}
        self._change(message, {n: v for n, v in changes.items() if _DATE.fullmatch(n)})

    def content(self, note: str) -> bytes:
        """Return the document with its changes, and a paragraph about them in its header."""
        if not self.is_changed:
            return self._document.encoded(self._document.content)
        self._name_numbers()
        noted = note_in(self._document, note)
        pieces, resume = [], 0
        for token in self._document.tokens():
            if resume > token.start:
                continue
            if token.start in self._withheld:
                resume = self._withheld[token.start]
                pieces.append(f'<{self._prefix}gap reason="withheld"/>')
            elif noted and token == noted.token:
                pieces.append(noted.source)
            else:
                pieces.append(self._written(token))
        return self._document.encoded("".join(pieces).encode())

    def _change(self, message: Message, changes: Mapping[str, str | None]) -> None:
        if changes:
            self._attributes.setdefault(message.tag.start, {}).update(changes)

    def _rewrite(
        self, message: Message, is_cut: bytearray, placed: Mapping[int, Replacement]
    ) -> None:
        """Write anew the parts of a message that are cut, and other readings of the same."""
        start, readings, touched = 0, dict[int, str](), set[int]()
        for part in message.parts:
            end = start + len(part.text)
            text = part.text
            if part.token and any(is_cut[start:end]):
                there = {at - start: one for at, one in placed.items() if start <= at < end}
                source, text = self._revised(part, is_cut[start:end], there)
                self._texts[part.token.start] = source
                touched.add(part.choice)
            readings[part.choice] = readings.get(part.choice, "") + text
            start = end
        for part in message.beside:
            if part.token and part.choice in touched - {-1}:
                text = readings[part.choice].replace(LINE_END, " ")
                self._texts[part.token.start] = _source(escape(text, quote=False), part)
                readings[part.choice] = ""

    def _revised(
        self, part: Part, is_cut: bytearray, there: Mapping[int, Replacement]
    ) -> tuple[str, str]:
        """Return a part without what is cut and with what stands for it: its source, its text."""
        source = self._document.source(part.token) if part.token else ""
        # A reference, or the end of a line, is one character of several.
        characters = source if source == part.text else [source]
        sources, texts = [], []
        for at, character in enumerate(characters):
            if at in there:
                sources.append(self._marked(there[at], part))
                texts.append("" if self._markup is Markup.GAP else there[at].text)
            if not is_cut[at]:
                sources.append(character)
                texts.append(part.text[at])
        return "".join(sources), "".join(texts)

    def _marked(self, one: Replacement, part: Part) -> str:
        """Return what stands for an identifier, as the source of a part of a message."""
        prefix = self._prefix
        text = escape(one.text, quote=False)
        match self._markup:
            case Markup.NAME if part.inner not in _WITHOUT_NAMES:
                text = f'<{prefix}name type="{one.type}">{text}</{prefix}name>'
            case Markup.GAP:
                desc = f"<{prefix}desc>{one.type}</{prefix}desc>"
                gap = f'<{prefix}gap reason="anonymisation">{desc}</{prefix}gap>'
                text = "" if part.inner in _TEXT_ALONE else gap
        return _source(text, part)

    def _written(self, token: Token) -> str:
        source = self._document.source(token)
        if token.kind is TokenKind.TEXT:
            return self._texts.get(token.start, source)
        if token.kind is not TokenKind.START:
            return source
        changes = dict(self._renamed(token)) | self._attributes.get(token.start, {})
        return _with_attributes(source, changes) if changes else source

    def _renamed(self, token: Token) -> Iterator[tuple[str, str]]:
        """Yield the attributes of a tag that hold ids that are others now."""
        for name, value in token.attributes.items():
            if name in IDS[:2] and value in self._ids:
                yield name, self._ids[value]
            elif "#" in value:
                renamed = " ".join(map(self._pointer, value.split()))
                if renamed != " ".join(value.split()):
                    yield name, renamed

    def _pointer(self, pointer: str) -> str:
        new = self._ids.get(unquote(pointer[1:])) if pointer.startswith("#") else None
        return f"#{new}" if new else pointer

    def _name_numbers(self) -> None:
        """Make ids of numbers, and check that no new id is one of those that stay."""
        tags = [t.attributes for t in self._document.tokens() if t.kind is TokenKind.START]
        ids = {tag[name] for tag in tags for name in IDS[:2] if name in tag}
        stay = ids - {*self._ids, *self._numbers}
        shared = {new for new, n in Counter(self._ids.values()).items() if n > 1}
        if taken := shared | stay & {*self._ids.values()}:
            raise DataError(
                f"{self._document.name} has an id {min(taken)} already, which a sender would get: "
                "rename it, or keep or drop the senders"
            )
        stay.update(self._ids.values())
        letter = "m"
        while any(f"{letter}{number}" in stay for number in self._numbers.values()):
            letter += "m"
        self._ids |= {old: f"{letter}{number}" for old, number in self._numbers.items()}


def _name(text: str) -> str:
    """Return text as a name of XML."""
    name = _NO_NAME.sub("_", text)
    return name if name[0].isalpha() or name[0] == "_" else f"_{name}"


def _source(xml: str, part: Part) -> str:
    """Return XML as it stands in a part of a message."""
    return f"]]>{xml}<![CDATA[" if part.is_cdata and xml else xml


def _with_attributes(source: str, changes: Mapping[str, str | None]) -> str:
    """Return a tag with other values of attributes, and without those that have none."""
    new = {_XML_ID if name == IDS[0] else name: value for name, value in changes.items()}

    def changed(found: re.Match[str]) -> str:
        space, name, equals, old = found.groups()
        if name not in new:
            return found[0]
        value = new[name]
        return (
            "" if value is None else f"{space}{name}{equals}{old[0]}{attribute_xml(value)}{old[0]}"
        )

    return _ATTRIBUTE.sub(changed, source)
