"""The document that a triaged file was read from, written again with its messages anonymised."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from triage.data import as_text
from triage.data.read import format_of_extension
from triage.data.table import Format
from triage.data.tei import Message
from triage.data.tei_document import Replacement, TeiDocument
from triage.dictionaries.phrases import Phrases

from .. import __version__
from ..errors import TriageError, reading
from ..model.find import Identifier
from ..safe import STANDARD_STREAM, read_file
from ..settings import Dates, Ids, Markup, Senders
from .columns import Plan

if TYPE_CHECKING:
    from .run import Anonymised

_PERSONS = {"person", "persName"}
# Shorter spellings are words of many texts.
_SHORTEST = 3
_HOW = {
    Markup.TEXT: "in the style {}",
    Markup.NAME: "in the style {}, each in a name of its type",
    Markup.GAP: "by gaps that say their types",
}


class DocumentWriter:
    """Takes the messages of a triaged file in order, and then tells its document with changes."""

    def __init__(self, path: str, markup: Markup, plan: Plan, name: str) -> None:
        self.markup = markup
        with reading(path):
            self._document = TeiDocument(path, read_file(Path(path)), markup)
        self._messages = self._document.messages()
        self._plan, self._path, self._name, self._n_read = plan, path, name, 0
        self._places = (plan.id, plan.sender, plan.date, plan.text)
        if others := [plan.names[i] for i in plan.written if i not in self._places]:
            raise TriageError(
                f"a TEI document has no place for the column {others[0]!r}: leave out --keep, or "
                "--document"
            )

    def write(
        self,
        row: Sequence[object],
        cells: Sequence[object],
        pairs: Iterable[tuple[Identifier, str]] | None,
    ) -> None:
        """Take a message: its row, the cells that are written, and replacements in its text."""
        self._n_read += 1
        message = next(self._messages, None)
        if message is None or not self._is_same(message, row):
            raise self._unlike(f"message {self._n_read:,} is another")
        if pairs is None:
            self._document.withhold(message)
        elif replacements := [Replacement(i.start, i.end, i.type.value, new) for i, new in pairs]:
            self._document.replace(message, replacements)
        self._describe(message, dict(zip(self._plan.written, map(as_text, cells), strict=True)))

    def content(self, note: str) -> bytes:
        """Return the document with its changes, and with a paragraph about them in its header."""
        if next(self._messages, None):
            raise self._unlike(f"it has more than {self._n_read:,} messages")
        return self._document.content(note)

    def _is_same(self, message: Message, row: Sequence[object]) -> bool:
        """Return whether a message is that of a row, whose columns hold all that is said of it."""
        return all(
            as_text(row[position]) == cell if position is not None else not cell
            for position, cell in zip(self._places, message.cells, strict=True)
        )

    def _describe(self, message: Message, cells: dict[int, str]) -> None:
        """Change the id, the sender and the date of a message as the plan says."""
        plan, choice = self._plan, self._plan.choice
        if plan.sender is not None and choice.sender is not Senders.KEEP:
            self._document.set_sender(message, cells.get(plan.sender))
        if plan.date is not None and choice.dates is not Dates.KEEP:
            self._document.set_date(message, cells.get(plan.date))
        if choice.ids is Ids.NUMBER:
            self._document.set_number(message, self._n_read)

    def _unlike(self, what: str) -> TriageError:
        return TriageError(
            f"{self._name} is not what triage classify read from {self._path}: {what}; classify "
            "the document again"
        )


def check_document(output: str) -> None:
    """Check that an output can be a TEI document by its name."""
    if output != STANDARD_STREAM and format_of_extension(Path(output)) is not Format.TEI:
        raise TriageError(f"--document writes TEI: {output} must end in .xml or .tei")


def note_of(done: "Anonymised", plan: Plan, markup: Markup, styles: str) -> str:
    types = ", ".join(sorted({kind for kind, _ in done.replaced})) or "none"
    n, choice = sum(done.replaced.values()), plan.choice
    return (
        f"Anonymised with sms-triage {__version__}. Identifiers replaced {_HOW[markup]}: {n:,} in "
        f"{done.changed:,} of {done.rows_read:,} messages; their types: {types}. Messages withheld:"
        f" {done.rows_held:,}. Senders: {choice.sender}. Dates: {choice.dates}. Ids: {choice.ids}."
    ).format(styles)


def left_in(content: bytes, spellings: Iterable[str]) -> Counter[str]:
    """Count what a document that was written still tells of persons beside its messages."""
    document = TeiDocument("the output", content)
    phrases = Phrases({one: None for one in spellings if len(one) >= _SHORTEST})
    found = Counter(
        f"replaced spellings in {place}"
        for place, words in document.beside()
        for _ in phrases.find(words)
    )
    tags = (token.local for token in document.tokens() if token.kind == "start")
    found["descriptions or names of persons"] = sum(tag in _PERSONS for tag in tags)
    return +found
