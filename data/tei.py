"""TEI documents: as tables of messages, and written again, byte for byte but for what changes.

Messages are posts, else utterances of transcriptions, else paragraphs.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple
from urllib.parse import unquote

from triage.data import limits, xml_stream
from triage.data.errors import fault, refusing, words_of
from triage.data.table import Content, Dialect, OpenTable, Row
from triage.data.xml_stream import LINE_END, MarkupError, Token, attribute_xml, check_characters
from triage.errors import DataError
from triage.settings import Markup, Reading

_UNITS: list[str] = words_of("tei")["units"]
_NAMES: dict[str, str] = words_of("tei")["names"]
ELEMENTS = {kind: frozenset[str](words) for kind, words in words_of("tei").items()}
ROOTS, CODES = ELEMENTS["roots"], ELEMENTS["codes"]
_XML = "http://www.w3.org/XML/1998/namespace "
IDS = (f"{_XML}id", "id", "n")
"""The attributes that may be the id of a message, the likeliest first."""
DATES = ("when", "when-iso", "when-custom", "notBefore")
TIMES = ("synch", "start")
_SPACE = f" \t\r\n{LINE_END}"
_SPACES = re.compile(f"[{_SPACE}]+")
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_LINE_ENDS = re.compile(f" ?{LINE_END}[{LINE_END} ]*+")

# A run of white space is tried once, from its first character.
_ATTRIBUTE = re.compile(r"""((?<!\s)\s++)([^\s=/>"']++)(\s*+=\s*+)("[^"]*"|'[^']*')""")
_DATE = re.compile("(?:when|notBefore|notAfter|from|to)(?:-iso|-custom)?")
# The editorial declaration is part of the description of the encoding, which follows that of the
# file.
_DECLARATIONS = ("editorialDecl", "encodingDesc", "fileDesc")
KINDS = ("comment", "instruction", "note")
"""Kinds of things beside the messages that are left out, by the names of `--keep`."""


def open_tei(source: Content, options: Reading) -> OpenTable:
    """Open a document; its messages are the likeliest of its elements."""

    def document() -> Iterator[Token]:
        return tei_tokens(source.name, source.blocks(), encoding=options.encoding)

    def rows() -> Iterator[Row]:
        for message in messages_of(source.name, document(), unit):
            yield message.tag.line, message.cells, "", ""

    unit, n_messages = unit_of(source.name, document())
    columns = ("id", "sender", "sent_at", "text")
    dialect = Dialect(source.format)
    return OpenTable(columns, dialect, n_messages, rows, persons=lambda: persons_of(document()))


def tei_tokens(name: str, blocks: Iterable[bytes], **options: Any) -> Iterator[Token]:  # noqa: ANN401
    with refusing(MarkupError, "damaged.tei", name):
        yield from xml_stream.tokens(blocks, may_have_type=True, **options)


def persons_of(tokens: Iterable[Token]) -> Iterator[tuple[str, str, str]]:
    """Yield the names of the persons of a header: id, type (empty for a whole name), spelling."""
    entity, text, n_seen = "", "", 0
    for token in tokens:
        if token.kind == "text":
            text += token.value if entity and token.within.local in _NAMES else ""
            continue
        if name := " ".join(text.split()):
            yield entity, _NAMES[token.within.local], name
        text = ""
        if token.kind == "start" and token.local == "person":
            n_seen += 1
            entity = _first(token.attributes, IDS) or f"person {n_seen}"
        elif token.kind == "end" and token.local == "person":
            entity = ""


def unit_of(name: str, tokens: Iterable[Token]) -> tuple[str, int]:
    """Return the element that is a message in the document `name`, and how many there are."""
    counts = Counter(
        token.local
        for token in tokens
        if token.kind == "start" and token.local in _UNITS and token.is_within({"text"})
    )
    unit = next((unit for unit in _UNITS if unit in counts), None)
    if unit is None:
        raise fault("no_messages.tei", name)
    return unit, counts[unit]


@dataclass
class TeiMessage:
    """A message: its tags, its id, sender, date and text, and the parts that its text has.

    `raw` is the text of the parts, with the ends of lines, before white space collapses.
    """

    tag: Token
    cells: list[object]
    end: Token = field(init=False)
    raw: str = ""
    text: str = ""
    parts: list[Token] = field(default_factory=list)
    beside: list[Token] = field(default_factory=list)
    is_exact: bool = False
    length: int = 0

    def add(self, part: Token) -> None:
        self.length += len(part.text)
        if self.length > limits.LONGEST_CELL:
            raise xml_stream.LongCellError
        is_beside = part.within.holds == "note" and part.kind == "text"
        (self.beside if is_beside else self.parts).append(part)

    def close(self, end: Token) -> "TeiMessage":
        """Read the text: without white space that lays XML out, unless it is exact."""
        self.end, self.raw = end, "".join([part.text for part in self.parts])
        self.text = self.read(self.raw)
        self.cells.append(self.text)
        return self

    def read(self, raw: str) -> str:
        if self.is_exact:
            return raw.removeprefix(LINE_END).removesuffix(LINE_END).replace(LINE_END, "\n")
        return _LINE_ENDS.sub("\n", _WHITE_SPACE.sub(" ", raw)).strip(" \n")

    def starts(self) -> list[int]:
        """Return where in `raw` each character of the text begins, and where the last ends."""
        raw, starts = self.raw, []
        at = int(raw.startswith(LINE_END)) if self.is_exact else len(raw) - len(raw.lstrip(_SPACE))
        for _ in self.text:
            starts.append(at)
            run = None if self.is_exact else _SPACES.match(raw, at)
            at = run.end() if run else at + 1
        return [*starts, at]


class Reader:
    def __init__(self, unit: str) -> None:
        self._unit, self._is_cdata = unit, False
        self._message: TeiMessage
        self._moments: dict[str, str] = {}

    def read(self, token: Token) -> TeiMessage | None:
        """Take the next token, and return the message that ends with it, if one does."""
        if token.kind == "start":
            self._open(token)
        elif token.kind == "text" and token.within.holds in ("message", "note"):
            token.is_cdata = self._is_cdata
            self._message.add(token)
        elif token.kind == "other" and token.value in ("<![CDATA[", "]]>"):
            self._is_cdata = token.value == "<![CDATA["
        elif token.kind == "end" and token.in_message:
            if token.within is self._message.tag:
                return self._message.close(token)
            if token.local in ELEMENTS["blocks"]:
                self._message.add(token)
        return None

    def _open(self, tag: Token) -> None:
        attributes = tag.attributes
        is_exact = (f"{_XML}space", "preserve") in attributes.items()
        tag.holds, tag.choice = tag.within.holds, tag.within.choice
        if tag.holds in ("message", "note"):
            if tag.local == "choice" and tag.choice < 0:
                tag.choice = tag.start
            if tag.local in ELEMENTS["left_out"]:
                tag.holds = "note"
            elif tag.local in ELEMENTS["blocks"] or tag.local == "lb":
                self._message.is_exact |= is_exact
                self._message.add(tag)
        elif tag.holds == "text" and tag.local == self._unit:
            moment = self._moments.get(_first(attributes, TIMES).lstrip("#"), "")
            sender = unquote(attributes.get("who", "").lstrip("#"))
            sent_at = _first(attributes, DATES) or moment
            self._message = TeiMessage(tag, [_first(attributes, IDS), sender, sent_at])
            self._message.is_exact, tag.holds = is_exact, "message"
        elif tag.local == "text":
            tag.holds = "text"
        elif tag.local == "when" and (name := _first(attributes, IDS)):
            self._moments[name] = attributes.get("absolute", "")


def messages_of(name: str, tokens: Iterable[Token], unit: str) -> Iterator[TeiMessage]:
    with refusing(MarkupError, "damaged.tei", name):
        yield from filter(None, map(Reader(unit).read, tokens))


def _first(attributes: dict[str, str], names: Iterable[str]) -> str:
    return next((attributes[name] for name in names if name in attributes), "")


class Replacement(NamedTuple):
    """An identifier of a message, from one character to another, and what stands for it."""

    start: int
    end: int
    type: str
    text: str


class Beside(NamedTuple):
    """A thing beside messages, by its kind: a tag, a text, or something that is left out."""

    kind: str
    tokens: list[Token]

    @property
    def text(self) -> str:
        return "".join(token.value for token in self.tokens)

    @property
    def is_credit(self) -> bool:
        return self.tokens[0].is_within(ELEMENTS["credits"])


def _kind_of(token: Token, kept: Collection[str]) -> str:
    """Return the kind of a token that stands beside the texts of messages; empty of others."""
    in_persons, value = token.is_within(ELEMENTS["described"]), token.value
    if token.kind == "start":
        notes = ELEMENTS["notes"] | (ELEMENTS["annotations"] if token.in_message else set())
        if in_persons and token.local not in ELEMENTS["of_persons"]:
            return "description"
        return "note" if token.local in notes and "note" not in kept else "tag"
    if token.kind == "text" and not token.in_message:
        return "text" if not in_persons else "description" if value.strip() else ""
    if token.kind == "other" and value.startswith(("<!--", "<?")) and value.split()[0] != "<?xml":
        kind = "comment" if value.startswith("<!--") else "instruction"
        return "markup" if kind in kept else kind
    return ""


class TeiDocument:
    """A TEI document in memory, and changes of it, which `content` makes."""

    def __init__(self, name: str, content: bytes, markup: Markup = Markup.TEXT) -> None:
        self._name, self._content, self._markup = name, content, markup
        # All of it, without a byte in between.
        self.tokens = [*tei_tokens(name, [content], keep_all=True)]
        self.tokens[-1].end = len(content)
        self._tags = [token for token in self.tokens if token.kind == "start"]
        self._unit, _ = unit_of(name, self._tags)
        self._codec = xml_stream.encoding_of(content)
        self._prefix = self._prefix_of(self._tags[0])
        # The new source of tags and texts.
        self._written: dict[Token, str] = {}
        self._attributes = defaultdict[Token, dict[str, str | None]](dict)
        # New ids by old ones: of persons, and numbers of messages.
        self._ids, self._numbers = dict[str, str](), dict[str, int]()

    def messages(self) -> Iterator[TeiMessage]:
        return messages_of(self._name, self.tokens, self._unit)

    def persons(self) -> set[str]:
        return _ids_of(tag for tag in self._tags if tag.local in ELEMENTS["persons"]) - {""}

    def beside(self, kept: Collection[str] = ()) -> Iterator[Beside]:
        """Yield all that stands beside the texts of messages; what is not kept as one thing."""
        reader, kind, text, skipped = Reader(self._unit), "", list[Token](), list[Token]()
        for token in self.tokens:
            reader.read(token)
            # References stand in the midst of words.
            if token.kind != "text" and text:
                yield Beside("text", text)
                text = []
            kind = kind if skipped else _kind_of(token, kept)
            if skipped or (token.kind == "start" and kind not in ("", "tag")):
                skipped.append(token)
                if token.kind == "end" and token.parent is skipped[0]:
                    yield Beside(kind, skipped)
                    skipped = []
            elif kind == "text":
                text.append(token)
            elif kind:
                yield Beside(kind, [token])

    @staticmethod
    def id_pointed(name: str, word: str) -> str | None:
        """Return the id to which a word of the attribute `name` points, None of other words."""
        is_pointer = word.startswith("#") or name in ELEMENTS["pointers"]
        return unquote(word.removeprefix("#")) if is_pointer else None

    def leave_out_attributes(self, tag: Token, names: Iterable[str]) -> None:
        self._attributes[tag] |= dict.fromkeys(names)

    def rewrite(self, thing: Beside, text: str) -> None:
        """Write anew what stands beside the messages: a text, or a comment that is kept."""
        written = text if thing.kind == "markup" else escape(text, quote=False)
        # Some of it was written, or left out, with its message.
        if thing.kind not in ("text", "markup") or thing.tokens[0] not in self._written:
            self._written |= dict.fromkeys(thing.tokens, "") | {thing.tokens[0]: written}

    def name_persons(self, pseudonyms: Mapping[str, str]) -> None:
        """Give persons other ids, and change what refers to them."""
        self._ids |= {old: _name(new) for old, new in pseudonyms.items()}

    def replace(self, message: TeiMessage, replacements: Sequence[Replacement]) -> str:
        """Replace identifiers of a message; return its text as it is read from then on.

        Markup that they cross stays, and ends of lines.
        """
        new = [one.text for one in replacements]
        check_characters(new, "a replacement", key="control_character.replacement")
        raw, starts = message.raw, message.starts()
        # For each character of `raw`: its part, its source in the document, its text.
        owners = [part for part in message.parts for _ in part.text]
        sources, texts = list[str](), list(raw)
        for part in message.parts:
            source = self._source(part)
            # A reference, or the end of a line, is one character.
            sources += source if source == part.text else [source]
        touched = set[Token]()
        for one in replacements:
            runs = (range(*starts[i : i + 2]) for i in range(one.start, one.end))
            cut = [i for run in runs if LINE_END not in raw[run.start : run.stop] for i in run]
            for i in cut:
                is_first = i == cut[0]
                sources[i] = self._marked(one, owners[i]) if is_first else ""
                texts[i] = one.text if is_first and self._markup is not Markup.GAP else ""
                touched.add(owners[i])
        # Other readings of the same in a `choice` are written anew, too.
        choices = {one.within.choice for one in message.parts if one in touched} - {-1}
        readings = defaultdict[int, list[str]](list)
        for part, places in groupby(range(len(owners)), owners.__getitem__):
            run = [*places]
            if part in touched:
                self._written[part] = "".join([sources[i] for i in run])
            readings[part.within.choice] += [texts[i] for i in run]
        for part in message.beside:
            if part.within.choice in choices:
                text = "".join(readings.pop(part.within.choice, [])).replace(LINE_END, " ")
                self._written[part] = _within(part, escape(text, quote=False))
        return message.read("".join(texts))

    def _marked(self, replacement: Replacement, part: Token) -> str:
        """Return the XML that stands for an identifier in the text of a message."""
        prefix, holder = self._prefix, part.within.local
        if self._markup is Markup.GAP:
            desc = f"<{prefix}desc>{replacement.type}</{prefix}desc>"
            gap = f'<{prefix}gap reason="anonymisation">{desc}</{prefix}gap>'
            return _within(part, "" if holder in ELEMENTS["text_alone"] else gap)
        xml = escape(replacement.text, quote=False)
        if self._markup is Markup.NAME and holder not in ELEMENTS["without_names"]:
            xml = f'<{prefix}name type="{replacement.type}">{xml}</{prefix}name>'
        return _within(part, xml)

    def withhold(self, message: TeiMessage) -> None:
        ends = message.tag.end, message.end.start
        first, last = (bisect_left(self.tokens, at, key=attrgetter("start")) for at in ends)
        self._written |= dict.fromkeys(self.tokens[first:last], "")
        if first < last:
            gap = f'<{self._prefix}gap reason="withheld"/>'
            self._written[message.end] = f"{gap}{self._source(message.end)}"

    def set_sender(self, message: TeiMessage, sender: str | None) -> None:
        """Change the sender of a message, and what refers to it elsewhere, or leave it out."""
        who = message.tag.attributes.get("who")
        if who is not None:
            name = sender and _name(sender)
            self._attributes[message.tag]["who"] = name and f"{'#' * who.startswith('#')}{name}"
            if name:
                self._ids[str(message.cells[1])] = name

    def set_number(self, message: TeiMessage, number: int) -> None:
        """Make an id of a number, and change what refers to the old one."""
        attributes = message.tag.attributes
        name = next((name for name in IDS if name in attributes), None)
        if name == "n":
            self._attributes[message.tag][name] = str(number)
        elif name:
            self._numbers[attributes[name]] = number

    def set_date(self, message: TeiMessage, date: str | None) -> None:
        """Change the date of a message, or leave it out; no further date of it stays."""
        attributes = message.tag.attributes
        if any(name in attributes for name in TIMES):
            line = f"{self._name} dates its messages by a timeline, which stays as it is: keep the "
            raise DataError(f"{line}dates, or write CSV")
        first = next((name for name in DATES if name in attributes), None)
        for name in filter(_DATE.fullmatch, attributes):
            self._attributes[message.tag][name] = date if name == first else None

    def content(self, note: str) -> bytes:
        """Return the document with its changes, and a paragraph about them in its header."""
        if not (self._written or self._attributes or self._ids or self._numbers):
            return self._content
        # No new id is one of those that stay.
        remaining = _ids_of(self._tags) - {*self._ids, *self._numbers}
        shared = {new for new, n in Counter(self._ids.values()).items() if n > 1}
        if taken := shared | remaining & {*self._ids.values()}:
            line = f"{self._name} has an id {min(taken)} already, which a sender would get: rename "
            raise DataError(f"{line}it, or keep or drop the senders")
        remaining.update(self._ids.values())
        letter = "m"
        while any(f"{letter}{number}" in remaining for number in self._numbers.values()):
            letter += "m"
        self._ids |= {old: f"{letter}{number}" for old, number in self._numbers.items()}
        self._rename()
        self._add_note(note)
        pieces = [self._content[: self.tokens[0].start]]
        for token in self.tokens:
            if token in self._written:
                # References stand for what its encoding lacks.
                pieces.append(self._written[token].encode(self._codec, "xmlcharrefreplace"))
            else:
                pieces.append(self._content[token.start : token.end])
        return b"".join(pieces)

    def _source(self, token: Token) -> str:
        return self._content[token.start : token.end].decode(self._codec)

    def _prefix_of(self, tag: Token) -> str:
        prefix, colon, _ = self._source(tag).split()[0].partition(":")
        return prefix[1:] + colon if colon else ""

    def _rename(self) -> None:
        """Write tags with other attributes; pointers to what is left out go."""
        tags_kept = [tag for tag in self._tags if tag not in self._written]
        dangling = _ids_of(tag for tag in self._tags if tag in self._written)

        def renamed(name: str, word: str) -> str:
            if (old := self.id_pointed(name, word)) in dangling:
                return ""
            return f"{'#' * word.startswith('#')}{self._ids[old]}" if old in self._ids else word

        for tag in tags_kept:
            changes = dict[str, str | None]()
            for name, value in tag.attributes.items():
                if name in IDS[:2] and value in self._ids:
                    changes[name] = self._ids[value]
                elif "#" in value or name in ELEMENTS["pointers"]:
                    old = value.split()
                    new = [*filter(None, (renamed(name, word) for word in old))]
                    changes |= {name: " ".join(new) or None} if new != old else {}
            if changes := changes | self._attributes.get(tag, {}):
                self._written[tag] = _with_attributes(self._source(tag), tag, changes)

    def _add_note(self, text: str) -> None:
        """Write a paragraph into the `editorialDecl` of the header, made if there is none."""
        end_tags = dict[str, Token]()
        for token in self.tokens:
            if token.kind == "end":
                end_tags.setdefault(token.local, token)
            if "teiHeader" in end_tags:
                break
        inner = next((name for name in _DECLARATIONS if name in end_tags), None)
        if inner is None:
            return
        end, tag = end_tags[inner], end_tags[inner].within
        prefix, source = self._prefix_of(tag), self._source(end)
        xml = f'<{prefix}p xml:lang="en">{escape(text, quote=False)}</{prefix}p>'
        for name in _DECLARATIONS[: _DECLARATIONS.index(inner)]:
            xml = f"<{prefix}{name}>{xml}</{prefix}{name}>"
        is_file = inner == _DECLARATIONS[-1]
        before = self._content[: (tag if is_file else end).start].decode(self._codec)
        space = before[len(before.rstrip(" \t\r\n")) :]
        if is_file:
            self._written[end] = f"{source}{space}{xml}"
        elif source:
            self._written[end] = f"{space and '  '}{xml}{space}{source}"
        else:
            opened = self._written.get(tag, self._source(tag)).removesuffix("/>")
            self._written[tag] = f"{opened}>{xml}</{prefix}{inner}>"


def _ids_of(tags: Iterable[Token]) -> set[str]:
    return {tag.attributes[name] for tag in tags for name in IDS[:2] if name in tag.attributes}


def _name(text: str) -> str:
    name = re.sub(r"[^\w.-]", "_", text)
    return name if name[0].isalpha() or name[0] == "_" else f"_{name}"


def _within(part: Token, xml: str) -> str:
    """Return XML as it stands in the text of a message."""
    return f"]]>{xml}<![CDATA[" if part.is_cdata and xml else xml


def _with_attributes(source: str, tag: Token, changes: Mapping[str, str | None]) -> str:
    """Return a tag with other values of attributes, and without those that have none."""
    # The parser tells attributes in their order, but for declarations of namespaces.
    names = iter(tag.attributes)

    def changed(match: re.Match[str]) -> str:
        space, written, equals, old = match.groups()
        name = None if written.partition(":")[0] == "xmlns" else next(names)
        if name is None or name not in changes:
            return match[0]
        value = changes[name]
        new = "" if value is None else attribute_xml(value)
        return "" if value is None else f"{space}{written}{equals}{old[0]}{new}{old[0]}"

    return _ATTRIBUTE.sub(changed, source)
