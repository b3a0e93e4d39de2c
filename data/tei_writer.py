"""TEI documents, written: a table of messages as posts of computer-mediated communication."""

import re
from collections.abc import Sequence
from datetime import date
from html import escape
from typing import IO
from urllib.parse import quote

from triage.data.columns import find_id, guess_column, guess_sender, guess_text
from triage.data.errors import DataError
from triage.data.markup import FORBIDDEN, attribute_xml
from triage.data.table import Dialect, Writer
from triage.data.values import as_text

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
_DATES = ("sent_at", "date", "datetime", "timestamp", "horodatage")
# White space that readers of XML would change.
_UNSTABLE = re.compile(r"^\s|\s\s|[\t\r]|\s$")
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_W3C_DATE = re.compile(
    r"\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?)?"
)


class TeiWriter(Writer):
    """Writer of each row as a post with its id, sender and date; others have no place in TEI."""

    def __init__(self, file: IO[bytes], columns: Sequence[str], dialect: Dialect) -> None:
        super().__init__(file, columns, dialect)
        text = guess_text(columns)
        places = [
            text,
            find_id(columns, None, "TEI"),
            guess_sender(columns),
            guess_column(columns, _DATES),
        ]
        others = [name for at, name in enumerate(columns) if at not in places]
        if text is None or others:
            raise DataError(
                "TEI has a place for text, id, sender and sent_at (or date) alone"
                + (f", not for {', '.join(others)}" if others else "")
                + ": write CSV or JSON Lines"
            )
        self._text, self._places = text, places[1:]
        self._ids: set[str] = set()
        file.write(_OPENING.encode())

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:
        """Write rows as posts."""
        for number, row in enumerate(rows, first):
            self._file.write(self._post(row, number).encode())

    def finish(self) -> None:
        """Close the document."""
        self._file.write(_CLOSING.encode())

    def _post(self, row: Sequence[object], number: int) -> str:
        id_, sender, sent = (row[at] if at is not None else None for at in self._places)
        attributes = {
            **self._id(as_text(id_)),
            **({"who": f"#{quote(as_text(sender), safe='')}"} if as_text(sender) else {}),
            **_date(sent),
        }
        text = as_text(row[self._text])
        if any(map(FORBIDDEN.search, [text, *attributes.values()])):
            raise DataError(
                f"row {number} holds a control character, which XML can't hold: write CSV"
            )
        shown = "".join(f' {name}="{attribute_xml(value)}"' for name, value in attributes.items())
        return f"<post{shown}>{_paragraph(text)}</post>\n"

    def _id(self, id_: str) -> dict[str, str]:
        """Return the attribute of an id: a label, unless it is a name of XML that is new."""
        if not id_:
            return {}
        is_name = _NAME.fullmatch(id_) and id_ not in self._ids
        self._ids.add(id_)
        return {"xml:id" if is_name else "n": id_}


def _paragraph(text: str) -> str:
    r"""Return a text as a paragraph."""
    space = ' xml:space="preserve"' if _UNSTABLE.search(text) else ""
    inner = escape(text, quote=False).replace("\n", "<lb/>").replace("\r", "&#13;")
    return f"<p{space}>{inner}</p>"


def _date(sent: object) -> dict[str, str]:
    """Return the attribute of a date; one in another form than that of XML is kept as it is."""
    text = sent.isoformat() if isinstance(sent, date) else as_text(sent)
    as_w3c = text.replace(" ", "T", 1)
    if _W3C_DATE.fullmatch(as_w3c):
        return {"when": as_w3c}
    return {"when-custom": text} if text else {}
