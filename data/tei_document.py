"""TEI documents written again, byte for byte but for what is replaced."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import unquote

from triage.data.markup import Token, attribute_xml, check_characters, tokens
from triage.data.tei import (
    DATES,
    IDS,
    LINE_END,
    MOMENTS,
    Message,
    Part,
    Place,
    Reader,
    parsing,
    unit_of,
)
from triage.errors import DataError
from triage.settings import Markup

_DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)""")
# By the first bytes of a document, whatever it declares.
_BYTE_ORDERS = {
    b"\xff\xfe": "utf-16-le",
    b"<\0": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
    b"\0<": "utf-16-be",
}
# A run of white space is tried once, from its first character.
_ATTRIBUTE = re.compile(r"""((?<!\s)\s++)([^\s=/>"']++)(\s*+=\s*+)("[^"]*"|'[^']*')""")
_DATE = re.compile("(?:when|notBefore|notAfter|from|to)(?:-iso|-custom)?")
_NO_NAME = re.compile(r"[^\w.-]")
# Elements of running text that hold text alone, and those that hold a gap, but no name.
_TEXT_ALONE = frozenset({"c", "pc", "g", "idno", "geo", "postCode", "postBox", "formula", "code"})
_WITHOUT_NAMES = _TEXT_ALONE | {"w", "m", "ex", "am"}
# The editorial declaration is part of the description of the encoding, which follows that of the
# file.
_DECLARATIONS = ("editorialDecl", "encodingDesc", "fileDesc")


class Replacement(NamedTuple):
    """An identifier of a message, from one character to another, and what stands for it."""

    start: int
    end: int
    type: str
    text: str


KINDS = ("comment", "instruction", "note")
"""Kinds of things beside the messages that are left out, by the names of `--keep`."""

_NOTES = frozenset({"note", "notesStmt"})
_ANNOTATIONS = frozenset({"fs", "spanGrp", "interpGrp", "index", "figDesc"})
_PERSONS = frozenset({"person", "personGrp"})
# What tells of persons by codes, and the attributes that are codes.
_OF_PERSONS = _PERSONS | {"listPerson", "listRelation", "relation", "sex", "gender", "age"}
_OF_PERSONS |= {"langKnowledge", "langKnown"}
CODES = frozenset({*IDS[:2], "sex", "gender", "age", "role", "value", "tag", "tags", "level"})
CODES |= {"name", "active", "passive", "mutual", "type", "subtype"}
# Those who answer for a document are not those who speak in it.
_CREDITS = frozenset({"author", "editor", "principal", "respStmt", "funder", "sponsor"})
_CREDITS |= {"publisher", "distributor", "authority", "licence"}


class Beside(NamedTuple):
    """A thing beside messages, by its kind: a tag, a text, or something that is left out."""

    kind: str
    tokens: tuple[Token, ...]
    is_credit: bool = False
    is_message: bool = False

    @property
    def text(self) -> str:
        return "".join(token.value for token in self.tokens)


def _kind_of(token: Token) -> str:
    """Return the kind of a comment or an instruction; empty of what is neither."""
    if token.value.startswith("<!--"):
        return "comment"
    is_declaration = token.value.startswith(("<?xml ", "<?xml\t", "<?xml\n", "<?xml\r"))
    return "instruction" if token.value.startswith("<?") and not is_declaration else ""


class _Walk:
    """Tells what stands beside the texts of messages."""

    def __init__(self, reader: Reader, kept: Collection[str]) -> None:
        self._reader, self._kept = reader, kept
        self._opened: list[Token] = []
        self._text: list[Token] = []
        # The element that is left out, and at which depth it stands.
        self._left: tuple[Beside, int] | None = None
        self._told = {"start": self._start, "end": self._end, "text": self._said}
        self._told |= {"other": self._other}

    def over(self, tokens: Iterable[Token]) -> Iterator[Beside]:
        for token in tokens:
            in_message = self._reader.place is Place.MESSAGE
            self._reader.read(token)
            # References stand in the midst of words.
            if token.kind != "text" and self._text:
                is_credit = any(tag.local in _CREDITS for tag in self._opened)
                yield Beside("text", tuple(self._text), is_credit)
                self._text = []
            found = self._told[token.kind](token, in_message)
            if found:
                yield found

    def _start(self, tag: Token, in_message: bool) -> Beside | None:
        in_persons = self._is_in_persons()
        self._opened.append(tag)
        if self._left:
            return None
        is_note = tag.local in _NOTES or (in_message and tag.local in _ANNOTATIONS)
        if in_persons and tag.local not in _OF_PERSONS:
            self._left = Beside("description", (tag,)), len(self._opened)
        elif is_note and "note" not in self._kept:
            self._left = Beside("note", (tag,)), len(self._opened)
        else:
            return Beside("tag", (tag,), is_message=in_message)
        return None

    def _end(self, tag: Token, _: bool) -> Beside | None:
        left = self._left if self._left and self._left[1] == len(self._opened) else None
        self._opened.pop()
        if left is None:
            return None
        self._left = None
        return left[0]._replace(tokens=(*left[0].tokens, tag))

    def _said(self, token: Token, in_message: bool) -> Beside | None:
        if self._left or in_message:
            return None
        if self._is_in_persons():
            return Beside("description", (token,)) if token.value.strip() else None
        self._text.append(token)
        return None

    def _other(self, token: Token, _: bool) -> Beside | None:
        kind = _kind_of(token)
        if not kind or self._left:
            return None
        return Beside("markup" if kind in self._kept else kind, (token,))

    def _is_in_persons(self) -> bool:
        return any(tag.local in _PERSONS or tag.local == "listPerson" for tag in self._opened)


class TeiDocument:
    """A TEI document in memory, and changes of it, which `content` makes."""

    def __init__(self, name: str, content: bytes, markup: Markup = Markup.TEXT) -> None:
        self._name, self._content, self._markup = name, content, markup
        self._unit, _ = unit_of(name, [content])
        declared = _DECLARED.match(content)
        self._codec = _BYTE_ORDERS.get(content[:2]) or (
            declared[1].decode() if declared else "utf-8"
        )
        self._prefix = self._prefix_of(next(t for t in self.tokens() if t.kind == "start"))
        # Bytes from one to another, and what is written for them.
        self._splices: list[tuple[int, int, str]] = []
        # By the first bytes of the tags of messages: attributes, and the end of what is withheld.
        self._attributes = defaultdict[int, dict[str, str | None]](dict)
        self._withheld: dict[int, int] = {}
        # Bytes of elements, comments and instructions that are left out.
        self._left_out: list[tuple[int, int]] = []
        # What ids become: those of persons, and those that get a number.
        self._ids: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def tokens(self) -> Iterator[Token]:
        """Yield all of the document, without a byte in between."""
        with parsing(self._name):
            yield from tokens([self._content], may_have_type=True, tells_all=True)

    def messages(self) -> Iterator[Message]:
        with parsing(self._name):
            yield from filter(None, map(Reader(self._unit).read, self.tokens()))

    def persons(self) -> set[str]:
        tags = (token.attributes for token in self.tokens() if token.local in _PERSONS)
        return {tag[name] for tag in tags for name in IDS[:2] if name in tag} - {""}

    def beside(self, kept: Collection[str] = ()) -> Iterator[Beside]:
        """Yield all that stands beside the texts of messages; what is not kept as one thing."""
        return _Walk(Reader(self._unit), kept).over(self.tokens())

    def leave_out(self, one: Beside) -> None:
        self._left_out.append((one.tokens[0].start, one.tokens[-1].end))

    def leave_out_attributes(self, tag: Token, names: Iterable[str]) -> None:
        self._attributes[tag.start] |= dict.fromkeys(names)

    def rewrite(self, one: Beside, text: str) -> None:
        """Write a text beside the messages anew, or a comment or an instruction that is kept."""
        first, *others = one.tokens
        self._splice(first, text if one.kind == "markup" else escape(text, quote=False))
        self._left_out += [(other.start, other.end) for other in others]

    def name_persons(self, pseudonyms: Mapping[str, str]) -> None:
        """Give persons other ids, and change what refers to them."""
        self._ids |= {old: _name(new) for old, new in pseudonyms.items()}

    def replace(self, message: Message, replacements: Sequence[Replacement]) -> None:
        """Replace identifiers of a message; markup that they cross stays, and ends of lines."""
        check_characters([one.text for one in replacements], "a replacement")
        raw, starts = message.raw, message.starts()
        # Of each character of `raw`: its part, how it stands in the document, how it is read.
        owners = [part for part in message.parts for _ in part.text]
        sources = [source for part in message.parts for source in self._characters(part)]
        texts = list(raw)
        touched = set[Token]()
        for one in replacements:
            runs = (range(*starts[at : at + 2]) for at in range(one.start, one.end))
            cut = [at for run in runs if LINE_END not in raw[run.start : run.stop] for at in run]
            for at in cut:
                sources[at] = texts[at] = ""
                touched.add(owners[at].token)
            for at in cut[:1]:
                sources[at] = _within(owners[at], self._marked(one, owners[at]))
                texts[at] = "" if self._markup is Markup.GAP else one.text
        self._rewrite(message, touched, sources, texts)

    def _characters(self, part: Part) -> Sequence[str]:
        """Return the source of each character; a reference, or the end of a line, is one."""
        source = self._between(part.token.start, part.token.end)
        return source if source == part.text else [source]

    def _rewrite(
        self, message: Message, touched: set[Token], sources: list[str], texts: list[str]
    ) -> None:
        """Write parts of a message anew, and other readings of the same in a `choice`."""
        choices = {part.within.choice for part in message.parts if part.token in touched} - {-1}
        readings = defaultdict[int, list[str]](list)
        start = 0
        for part in message.parts:
            end = start + len(part.text)
            if part.token in touched:
                self._splice(part.token, "".join(sources[start:end]))
            if part.within.choice in choices:
                readings[part.within.choice] += texts[start:end]
            start = end
        for part in message.beside:
            if part.within.choice in choices:
                text = "".join(readings.pop(part.within.choice, [])).replace(LINE_END, " ")
                self._splice(part.token, _within(part, escape(text, quote=False)))

    def _marked(self, one: Replacement, part: Part) -> str:
        """Return the XML that stands for an identifier in the text of a message."""
        if self._markup is Markup.GAP:
            desc = self._element("desc", one.type)
            gap = self._element("gap", desc, ' reason="anonymisation"')
            return "" if part.within.name in _TEXT_ALONE else gap
        text = escape(one.text, quote=False)
        if self._markup is Markup.TEXT or part.within.name in _WITHOUT_NAMES:
            return text
        return self._element("name", text, f' type="{one.type}"')

    def _element(self, name: str, inner: str, attributes: str = "") -> str:
        return f"<{self._prefix}{name}{attributes}>{inner}</{self._prefix}{name}>"

    def withhold(self, message: Message) -> None:
        """Leave a gap in the place of a message."""
        if message.end.start > message.tag.end:
            self._withheld[message.tag.start] = message.end.start

    def set_sender(self, message: Message, sender: str | None) -> None:
        """Change the sender of a message, and what refers to it elsewhere, or leave it out."""
        who = message.tag.attributes.get("who")
        if who is not None:
            name = sender and _name(sender)
            new = name and f"{'#' * who.startswith('#')}{name}"
            self._attributes[message.tag.start]["who"] = new
            if name:
                self._ids[str(message.cells[1])] = name

    def set_number(self, message: Message, number: int) -> None:
        """Make an id of a number, and change what refers to the old one."""
        attributes = message.tag.attributes
        name = next((name for name in IDS if name in attributes), None)
        if name == "n":
            self._attributes[message.tag.start][name] = str(number)
        elif name:
            self._numbers[attributes[name]] = number

    def set_date(self, message: Message, date: str | None) -> None:
        """Change the date of a message, or leave it out; no further date of it stays."""
        attributes = message.tag.attributes
        if any(name in attributes for name in MOMENTS):
            raise DataError(
                f"{self._name} dates its messages by a timeline, which stays as it is: "
                "keep the dates, or write CSV"
            )
        first = next((name for name in DATES if name in attributes), None)
        for name in filter(_DATE.fullmatch, attributes):
            self._attributes[message.tag.start][name] = date if name == first else None

    def content(self, note: str) -> bytes:
        """Return the document with its changes, and a paragraph about them in its header."""
        changes = (self._splices, self._attributes, self._withheld, self._ids, self._numbers)
        if not any([*changes, self._left_out]):
            return self._content
        self._name_numbers()
        at = 0
        pieces: list[bytes] = []
        left_out = ((start, end, "") for start, end in self._left_out)
        changed = [*self._splices, *left_out, *self._tags(), *self._noted(note)]
        # What is left out has no changes in it.
        for start, end, text in sorted(changed, key=lambda one: (one[0], -one[1])):
            if start >= at:
                pieces += self._content[at:start], self._encoded(text)
                at = end
        return b"".join([*pieces, self._content[at:]])

    def _splice(self, token: Token, source: str) -> None:
        self._splices.append((token.start, token.end, source))

    def _between(self, start: int, end: int) -> str:
        return self._content[start:end].decode(self._codec)

    def _encoded(self, text: str) -> bytes:
        """Return text in the encoding of the document; references stand for what it lacks."""
        return text.encode(self._codec, "xmlcharrefreplace")

    def _prefix_of(self, tag: Token) -> str:
        prefix, colon, _ = self._between(tag.start, tag.end).split()[0].partition(":")
        return prefix[1:] + colon if colon else ""

    def _gone(self) -> set[str]:
        """Return the ids of what is left out."""
        spans = [*self._left_out, *self._withheld.items()]
        at, gone = 0, set[str]()
        starts = iter(sorted(spans))
        span = next(starts, None)
        for tag in self.tokens():
            while span and span[0] <= tag.start:
                at, span = max(at, span[1]), next(starts, None)
            if tag.kind == "start" and tag.start < at and tag.start not in self._withheld:
                gone |= {tag.attributes[name] for name in IDS[:2] if name in tag.attributes}
        return gone

    def _tags(self) -> Iterator[tuple[int, int, str]]:
        """Yield what is written for tags whose attributes change, and for withheld messages."""
        self._dangling = self._gone()
        for tag in self.tokens():
            if tag.kind != "start":
                continue
            changes = dict(self._renamed(tag)) | self._attributes.get(tag.start, {})
            if changes:
                source = self._between(tag.start, tag.end).removesuffix("/>")
                end = tag.start + len(self._encoded(source))
                yield tag.start, end, _with_attributes(source, tag, changes)
            if resume := self._withheld.get(tag.start, 0):
                yield tag.end, resume, f'<{self._prefix}gap reason="withheld"/>'

    def _renamed(self, tag: Token) -> Iterator[tuple[str, str | None]]:
        """Yield the attributes of a tag that hold ids that are others now."""
        for name, value in tag.attributes.items():
            if name in IDS[:2] and value in self._ids:
                yield name, self._ids[value]
            elif "#" in value:
                renamed = [*filter(None, map(self._pointer, value.split()))]
                if renamed != value.split():
                    yield name, " ".join(renamed) or None

    def _pointer(self, pointer: str) -> str:
        """Return a pointer to what it pointed to; empty where that is left out."""
        if not pointer.startswith("#"):
            return pointer
        old = unquote(pointer[1:])
        return "" if old in self._dangling else f"#{self._ids.get(old, pointer[1:])}"

    def _name_numbers(self) -> None:
        """Make ids of numbers, and check that no new id is one of those that stay."""
        tags = (token.attributes for token in self.tokens())
        ids = {tag[name] for tag in tags for name in IDS[:2] if name in tag}
        stay = ids - {*self._ids, *self._numbers}
        shared = {new for new, n in Counter(self._ids.values()).items() if n > 1}
        if taken := shared | stay & {*self._ids.values()}:
            raise DataError(
                f"{self._name} has an id {min(taken)} already, which a sender would get: "
                "rename it, or keep or drop the senders"
            )
        stay.update(self._ids.values())
        letter = "m"
        while any(f"{letter}{number}" in stay for number in self._numbers.values()):
            letter += "m"
        self._ids |= {old: f"{letter}{number}" for old, number in self._numbers.items()}

    def _noted(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield a paragraph of the `editorialDecl` in the header, made if there is none."""
        found = self._header()
        inner = next((name for name in _DECLARATIONS if name in found), None)
        if inner is None:
            return
        tag, end = found[inner]
        prefix = self._prefix_of(tag)
        xml = f'<{prefix}p xml:lang="en">{escape(text, quote=False)}</{prefix}p>'
        for name in _DECLARATIONS[: _DECLARATIONS.index(inner)]:
            xml = f"<{prefix}{name}>{xml}</{prefix}{name}>"
        if inner == _DECLARATIONS[-1]:
            yield end.end, end.end, f"{self._space_before(tag)}{xml}"
        elif end.start == end.end:
            yield tag.end - len(self._encoded("/>")), tag.end, f">{xml}</{prefix}{inner}>"
        else:
            space = self._space_before(end)
            yield end.start, end.start, f"{space and '  '}{xml}{space}"

    def _header(self) -> dict[str, tuple[Token, Token]]:
        """Return the tags of the first of each element of the header."""
        found: dict[str, tuple[Token, Token]] = {}
        opened: list[Token] = []
        for token in self.tokens():
            if token.kind == "start":
                opened.append(token)
            elif token.kind == "end":
                found.setdefault(token.local, (opened.pop(), token))
                if "teiHeader" in found:
                    break
        return found

    def _space_before(self, token: Token) -> str:
        before = self._between(0, token.start)
        return before[len(before.rstrip(" \t\r\n")) :]


def _name(text: str) -> str:
    name = _NO_NAME.sub("_", text)
    return name if name[0].isalpha() or name[0] == "_" else f"_{name}"


def _within(part: Part, xml: str) -> str:
    """Return XML as it stands in the text of a message."""
    return f"]]>{xml}<![CDATA[" if part.is_cdata and xml else xml


def _with_attributes(source: str, tag: Token, changes: Mapping[str, str | None]) -> str:
    """Return a tag with other values of attributes, and without those that have none."""
    # The parser tells attributes in their order, but for declarations of namespaces.
    names = iter(tag.attributes)

    def changed(found: re.Match[str]) -> str:
        space, written, equals, old = found.groups()
        name = None if written.partition(":")[0] == "xmlns" else next(names)
        if name is None or name not in changes:
            return found[0]
        value, mark = changes[name], old[0]
        return (
            "" if value is None else f"{space}{written}{equals}{mark}{attribute_xml(value)}{mark}"
        )

    return _ATTRIBUTE.sub(changed, source)
