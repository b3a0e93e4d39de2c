"""The place in the header of a TEI document for a paragraph about what was done to it."""

from html import escape
from typing import NamedTuple

from triage.data.tei import local_name
from triage.data.tei_tokens import TeiDocument, Token, TokenKind

_HEADER = "teiHeader"
# The editorial declaration is part of the description of the encoding, which follows that of the
# file.
_FILE, _ENCODING, _EDITORIAL = "fileDesc", "encodingDesc", "editorialDecl"


class Note(NamedTuple):
    """A token of a document, and its source with the paragraph beside it."""

    token: Token
    source: str


class _Element(NamedTuple):
    """An element, and the white space before its tags."""

    start: Token
    end: Token
    before_start: str
    before_end: str


def note_in(document: TeiDocument, text: str) -> Note | None:
    """Return where a paragraph stands: in the `editorialDecl`, which is made if there is none."""
    found = _elements(document)
    inner = next((name for name in (_EDITORIAL, _ENCODING, _FILE) if name in found), None)
    if inner is None:
        return None
    element = found[inner]
    tag, prefix = document.source(element.start), document.prefix_of(element.start)
    made = {_EDITORIAL: [], _ENCODING: [_EDITORIAL], _FILE: [_ENCODING, _EDITORIAL]}[inner]
    xml = f'<{prefix}p xml:lang="en">{escape(text, quote=False)}</{prefix}p>'
    for name in reversed(made):
        xml = f"<{prefix}{name}>{xml}</{prefix}{name}>"
    if inner == _FILE:
        return Note(element.end, f"{document.source(element.end)}{element.before_start}{xml}")
    if element.end.start == element.end.end:
        return Note(element.start, f"{tag.removesuffix('/>')}>{xml}</{prefix}{inner}>")
    indent = "  " if element.before_end else ""
    return Note(element.end, f"{indent}{xml}{element.before_end}{document.source(element.end)}")


def _elements(document: TeiDocument) -> dict[str, _Element]:
    """Return the first of each element of the first header that may hold the paragraph."""
    found: dict[str, _Element] = {}
    opened: list[tuple[Token, str]] = []
    space = ""
    for token in document.tokens():
        name = local_name(token.value)
        if token.kind is TokenKind.START:
            opened.append((token, space))
        elif token.kind is TokenKind.END:
            start, before = opened.pop()
            if name == _HEADER:
                break
            if name in (_FILE, _ENCODING, _EDITORIAL):
                found.setdefault(name, _Element(start, token, before, space))
        is_space = token.kind is TokenKind.TEXT and token.value.isspace()
        space = space + document.source(token) if is_space else ""
    return found
