"""The words of one message, for tests of what becomes of a text."""

from typing import NamedTuple

from triage.dictionaries import Kind, split_all


class Word(NamedTuple):
    """A word of a message: ``message[start:end] == text``."""

    text: str
    kind: Kind
    start: int
    end: int


def split(message: str) -> list[Word]:
    """Split one message into words."""
    table = split_all([message])
    forms = [table.forms[form] for form in table.form]
    starts = zip(forms, table.start.tolist(), strict=True)
    return [Word(text, kind, start, start + len(text)) for (text, kind), start in starts]
