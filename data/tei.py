"""TEI documents as tables of messages, read, written, and written again with replacements.

Messages are posts, as in the chapter on computer-mediated communication and in the older form of
the CoMeRe corpora, else utterances of transcriptions, else paragraphs. A document that is written
again is the same, byte for byte, but for what is replaced.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from html import escape
from typing import NamedTuple
from urllib.parse import quote, unquote

from triage.data import limits
from triage.data.columns import guess_column
from triage.data.errors import as_text, fault, refusing
from triage.data.markup import (
    LongCellError,
    MarkupError,
    Token,
    attribute_xml,
    check_characters,
    tokens,
)
from triage.data.table import Dialect, Page, Row, Source, Table, Writer
from triage.errors import DataError
from triage.settings import Markup, Reading

COLUMNS = ("id", "sender", "sent_at", "text")
ROOTS = {"TEI", "teiCorpus", "TEI.2", "teiCorpus.2"}
# Elements that are messages: the first of which there is any.
_UNITS = ("post", "u", "p")
_BLOCKS = {"p", "ab", "lg", "l", "list", "item", "head", "opener", "closer", "div"}
_ENDS_OF_LINES = _BLOCKS | {"lb"}
# What an editor added, and what stands beside the words that were written.
_LEFT_OUT = {"note", "fs", "spanGrp", "interpGrp", "index", "figDesc", "desc"}
_LEFT_OUT |= {"corr", "reg", "expan"}
_XML = "http://www.w3.org/XML/1998/namespace "
_KEEP_SPACE = f"{_XML}space"
IDS = (f"{_XML}id", "id", "n")
"""The attributes that may be the id of a message, the likeliest first."""
DATES = ("when", "when-iso", "when-custom", "notBefore")
MOMENTS = ("synch", "start")
# While a text is collected, a character that XML cannot hold stands for the end of a line.
LINE_END = "\0"
_SPACE = f" \t\r\n{LINE_END}"
_SPACES = re.compile(f"[{_SPACE}]+")
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_LINE_ENDS = re.compile(f" ?{LINE_END}[{LINE_END} ]*+")


class Place(StrEnum):
    """Parts of a document in which words stand; those of messages are read."""

    HEADER = "header"
    TEXT = "text between the messages"
    MESSAGE = "messages"
    NOTE = "notes and readings within messages"


def open_tei(source: Source, options: Reading) -> Table:
    """Find out which elements of a document are its messages."""
    name, encoding = source.name, options.encoding
    unit, n_messages = unit_of(name, source.blocks(), encoding)

    def rows() -> Iterator[Row]:
        with parsing(name):
            reader = Reader(unit)
            for token in tokens(source.blocks(), encoding=encoding, may_have_type=True):
                if message := reader.read(token):
                    yield message.line, message.cells

    def persons() -> Iterator[tuple[str, str, str]]:
        with parsing(name):
            yield from persons_of(tokens(source.blocks(), encoding=encoding, may_have_type=True))

    return Table(COLUMNS, Dialect(source.format), n_messages, rows, persons=persons)


# Elements of the name of a person, and the type of what stands in them; others are whole names.
_NAMES = {"persName": "", "name": "", "forename": "PRE", "surname": "NOM", "addName": "SUR"}
_NAMES |= {"email": "MEL"}


def persons_of(tokens: Iterable[Token]) -> Iterator[tuple[str, str, str]]:
    """Yield the names of the persons of a header: id, type (empty for a whole name), spelling."""
    entity, opened, text, n_seen = "", list[str](), "", 0
    for token in tokens:
        if token.kind == "text":
            text += token.value if entity and opened and opened[-1] in _NAMES else ""
            continue
        if name := " ".join(text.split()):
            yield entity, _NAMES[opened[-1]], name
        text = ""
        if token.kind == "start" and token.local == "person":
            n_seen += 1
            entity = _first(token.attributes, IDS) or f"person {n_seen}"
        elif token.kind == "end" and token.local == "person":
            entity = ""
        elif entity and token.kind == "start":
            opened.append(token.local)
        elif entity and token.kind == "end":
            opened.pop()


def unit_of(name: str, blocks: Iterable[bytes], encoding: str | None = None) -> tuple[str, int]:
    """Return the element that is a message in the document `name`, and how many there are."""
    counts = Counter[str]()
    n_texts = 0
    with parsing(name):
        for token in tokens(blocks, encoding=encoding, may_have_type=True):
            if token.kind in ("start", "end") and token.local == "text":
                n_texts += 1 if token.kind == "start" else -1
            elif n_texts and token.kind == "start" and token.local in _UNITS:
                counts[token.local] += 1
    unit = next((unit for unit in _UNITS if unit in counts), None)
    if unit is None:
        raise fault(name, "no_messages", " holds no TEI text with post, u or p")
    return unit, counts[unit]


def parsing(name: str) -> AbstractContextManager[None]:
    line = " is not a readable TEI document ({error}): mend it, or name its encoding"
    return refusing(MarkupError, name, "damaged", line)


class Element(NamedTuple):
    """An element that is open: its name, its place, and where its outermost `choice` begins."""

    name: str
    place: Place
    choice: int = -1


class Part(NamedTuple):
    """A piece of a text as the parser tells it, its token, and what it stands in."""

    text: str
    token: Token
    within: Element
    is_cdata: bool


@dataclass
class Message:
    """A message: its id, sender, date and text, its tags, and the parts that its text has.

    `raw` is the text of the parts, with the ends of lines, before white space collapses.
    """

    line: int
    cells: list[object]
    is_exact: bool
    tag: Token
    end: Token = field(init=False)
    raw: str = ""
    text: str = ""
    parts: list[Part] = field(default_factory=list)
    beside: list[Part] = field(default_factory=list)

    def close(self, end: Token) -> None:
        """Read the text: without white space that lays XML out, unless it is exact."""
        self.end, self.raw = end, "".join([part.text for part in self.parts])
        if self.is_exact:
            whole = self.raw.removeprefix(LINE_END).removesuffix(LINE_END)
            self.text = whole.replace(LINE_END, "\n")
        else:
            self.text = _LINE_ENDS.sub("\n", _WHITE_SPACE.sub(" ", self.raw)).strip(" \n")
        self.cells.append(self.text)

    def starts(self) -> list[int]:
        """Return where in `raw` each character of the text begins, and where the last ends."""
        raw, found = self.raw, []
        at = int(raw.startswith(LINE_END)) if self.is_exact else len(raw) - len(raw.lstrip(_SPACE))
        for _ in self.text:
            found.append(at)
            run = None if self.is_exact else _SPACES.match(raw, at)
            at = run.end() if run else at + 1
        return [*found, at]


class Reader:
    """Finds the messages among the tokens of a document."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._open = [Element("", Place.HEADER)]
        self._is_cdata = False
        self._message: Message
        self._length = 0
        self._moments: dict[str, str] = {}

    @property
    def place(self) -> Place:
        return self._open[-1].place

    def read(self, token: Token) -> Message | None:
        """Take the next token, and return the message that ends with it, if one does."""
        if token.kind == "start":
            self._start(token, token.local)
        elif token.kind == "end":
            return self._end(token)
        elif token.kind == "text" and self.place is Place.MESSAGE:
            self._add(token.value, token, self._message.parts)
        elif token.kind == "text" and self.place is Place.NOTE:
            self._add(token.value, token, self._message.beside)
        elif token.kind == "other" and token.value in ("<![CDATA[", "]]>"):
            self._is_cdata = token.value == "<![CDATA["
        return None

    def _start(self, token: Token, local: str) -> None:
        _, place, choice = self._open[-1]
        attributes = token.attributes
        if place in (Place.MESSAGE, Place.NOTE):
            if local == "choice" and choice < 0:
                choice = token.start
            if local in _LEFT_OUT:
                place = Place.NOTE
            elif local in _ENDS_OF_LINES:
                self._message.is_exact |= attributes.get(_KEEP_SPACE) == "preserve"
                self._add(LINE_END, token, self._message.parts)
        elif place is Place.TEXT and local == self._unit:
            place, self._length = Place.MESSAGE, 0
            is_exact = attributes.get(_KEEP_SPACE) == "preserve"
            self._message = Message(token.line, self._facts(attributes), is_exact, token)
        elif local == "text":
            place = Place.TEXT
        elif local == "when" and (moment := _first(attributes, IDS)):
            self._moments[moment] = attributes.get("absolute", "")
        self._open.append(Element(local, place, choice))

    def _facts(self, attributes: dict[str, str]) -> list[object]:
        moment = _first(attributes, MOMENTS).lstrip("#")
        sent_at = _first(attributes, DATES) or self._moments.get(moment, "")
        return [_first(attributes, IDS), unquote(attributes.get("who", "").lstrip("#")), sent_at]

    def _end(self, token: Token) -> Message | None:
        ended = self._open.pop()
        if ended.place is not Place.MESSAGE:
            return None
        if self.place is not Place.MESSAGE:
            self._message.close(token)
            return self._message
        if ended.name in _BLOCKS:
            self._add(LINE_END, token, self._message.parts)
        return None

    def _add(self, text: str, token: Token, parts: list[Part]) -> None:
        self._length += len(text)
        if self._length > limits.LONGEST_CELL:
            raise LongCellError
        parts.append(Part(text, token, self._open[-1], self._is_cdata))


def _first(attributes: dict[str, str], names: Iterable[str]) -> str:
    return next((attributes[name] for name in names if name in attributes), "")


_OPENING = """\
<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader>
<fileDesc>
<titleStmt><title>Messages</title></titleStmt>
<publicationStmt><p>Unpublished.</p></publicationStmt>
<sourceDesc><p>A table of messages.</p></sourceDesc>
</fileDesc>
</teiHeader>
<text><body><div>
"""
_CLOSING = "</div></body></text>\n</TEI>\n"
# White space that readers of XML would change.
_UNSTABLE = re.compile(r"^\s|\s\s|[\t\r]|\s$")
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_W3C_DATE = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?"
)


class TeiWriter(Writer):
    """Writer of each row as a post with its id, sender and date; others have no place in TEI."""

    def begin(self) -> None:
        columns = self._columns
        text, *self._places = (
            columns.index(name) if name in columns else guess_column(columns, role)
            for role in ("text", "id", "sender", "date")
            for name in [self._dialect.roles.get(role)]
        )
        others = [name for at, name in enumerate(columns) if at not in (text, *self._places)]
        if text is None or others:
            raise DataError(
                "TEI has a place for text, id, sender and sent_at (or date) alone"
                + (f", not for {', '.join(others)}" if others else "")
                + ": write CSV or JSON Lines",
                "tei_columns",
                columns=", ".join(others),
            )
        self._text = text
        self._ids: set[str] = set()
        self._file.write(_OPENING.encode())

    def add(self, page: Page, first: int) -> None:
        for number, row in enumerate(page.rows or (), first):
            self._file.write(self._post(row, number).encode())

    def finish(self) -> None:
        self._file.write(_CLOSING.encode())

    def _post(self, row: Sequence[object], number: int) -> str:
        id_, sender, sent = (row[at] if at is not None else None for at in self._places)
        who, text = as_text(sender), as_text(row[self._text])
        attributes = {}
        if label := as_text(id_):
            # A label, unless it is a name of XML that is new.
            is_name = _NAME.fullmatch(label) and label not in self._ids
            attributes["xml:id" if is_name else "n"] = label
            self._ids.add(label)
        attributes |= ({"who": who} if who else {}) | _date(sent)
        check_characters([text, *attributes.values()], f"row {number}")
        if who:
            attributes["who"] = f"#{quote(who, safe='')}"
        shown = "".join(f' {name}="{attribute_xml(value)}"' for name, value in attributes.items())
        space = ' xml:space="preserve"' if _UNSTABLE.search(text) else ""
        inner = escape(text, quote=False).replace("\n", "<lb/>").replace("\r", "&#13;")
        return f"<post{shown}><p{space}>{inner}</p></post>\n"


def _date(sent: object) -> dict[str, str]:
    """Return the attribute of a date; one in another form than that of XML is kept as it is."""
    text = sent.isoformat() if isinstance(sent, date) else as_text(sent)
    as_w3c = text.replace(" ", "T", 1)
    if _W3C_DATE.fullmatch(as_w3c):
        return {"when": as_w3c}
    return {"when-custom": text} if text else {}


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


def _beside_kind(
    token: Token, opened: Sequence[Token], kept: Collection[str], *, in_message: bool
) -> str:
    """Return the kind of a token that stands beside the texts of messages; empty of others."""
    in_persons = any(tag.local in _PERSONS or tag.local == "listPerson" for tag in opened)
    if token.kind == "start":
        is_note = token.local in _NOTES or (in_message and token.local in _ANNOTATIONS)
        if in_persons and token.local not in _OF_PERSONS:
            return "description"
        return "note" if is_note and "note" not in kept else "tag"
    if token.kind == "text" and not in_message:
        if in_persons:
            return "description" if token.value.strip() else ""
        return "text"
    kind = _kind_of(token) if token.kind == "other" else ""
    return "markup" if kind in kept else kind


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
        reader, opened, text = Reader(self._unit), list[Token](), list[Token]()
        left: Beside | None = None
        for token in self.tokens():
            in_message = reader.place is Place.MESSAGE
            reader.read(token)
            # References stand in the midst of words.
            if token.kind != "text" and text:
                is_credit = any(tag.local in _CREDITS for tag in opened)
                yield Beside("text", tuple(text), is_credit)
                text = []
            if left:
                if token.kind == "end" and opened[-1] is left.tokens[0]:
                    yield left._replace(tokens=(*left.tokens, token))
                    left = None
            elif kind := _beside_kind(token, opened, kept, in_message=in_message):
                one = Beside(kind, (token,), is_message=in_message)
                if kind == "text":
                    text.append(token)
                elif token.kind == "start" and kind != "tag":
                    left = one
                else:
                    yield one
            if token.kind == "start":
                opened.append(token)
            elif token.kind == "end":
                opened.pop()

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
