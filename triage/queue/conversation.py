"""Conversations: which messages belong together, and when each was sent."""

from collections.abc import Sequence
from dataclasses import dataclass

from triage.data import as_text
from triage.data.columns import guess_date, guess_thread
from triage.data.dates import moment_of
from triage.data.values import whole_characters

# Exports of one chat have these columns, and none that names the conversation.
_OF_ONE_CHAT = frozenset({"sent_at", "sender", "kind"})
_ONE_CHAT = "chat"


@dataclass(frozen=True)
class Conversations:
    """The columns that tell the conversation of a message and when it was sent."""

    thread: int | None
    sent: int | None
    sender: int | None
    is_one: bool

    @classmethod
    def of(cls, columns: Sequence[str], sender_column: str) -> "Conversations":
        """Return the columns of a file; `sender_column` is empty where there is none."""
        thread = guess_thread(columns)
        return cls(
            thread,
            guess_date(columns),
            columns.index(sender_column) if sender_column else None,
            thread is None and _OF_ONE_CHAT.issubset(columns),
        )

    def place(self, row: Sequence[object]) -> tuple[str, str]:
        """Return the conversation of a message and when it was sent, empty where unknown."""
        column = self.sender if self.thread is None else self.thread
        thread = _ONE_CHAT if self.is_one else as_text(row[column]) if column is not None else ""
        return whole_characters(thread), moment(row[self.sent]) if self.sent is not None else ""


def moment(cell: object) -> str:
    """Return when something was, as text that sorts by time; empty where a cell is no date."""
    found = moment_of(cell)
    return found.replace(tzinfo=None).isoformat(" ", "seconds") if found else ""
