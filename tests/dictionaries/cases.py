"""Cases as data: the TOML files beside the tests, messages with marks, and words of a message.

In a file of ``recognisers/cases``, ``type`` is a type and ``found`` holds messages in which the
identifiers of this type stand between ⟦ and ⟧; in those of ``not_found`` there is none. ``missed``
and ``false_alarms`` hold messages that are known to go wrong.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

from tests.cases import cases_beside
from triage.dictionaries import Kind, split_all

HERE = Path(__file__).parent
# The pack that a linguist made in a day: the example of docs/guide/languages.md.
CATALAN = str(HERE.parent / "packs" / "ca")
_GOES_WRONG = {"found": False, "missed": True, "not_found": False, "false_alarms": True}
Spans = tuple[tuple[int, int], ...]


def read(name: str) -> dict[str, Any]:
    return cases_beside(__file__, f"{name}.toml")


def unmarked(marked: str) -> tuple[str, Spans]:
    """Return a message without its marks, and what stands between them."""
    parts = re.split("[⟦⟧]", marked)
    ends = [sum(map(len, parts[:i])) for i in range(len(parts) + 1)]
    return "".join(parts), tuple((ends[i], ends[i + 1]) for i in range(1, len(parts), 2))


class Case(NamedTuple):
    """A message, and where the identifiers of a type stand in it."""

    type: str
    text: str
    spans: Spans
    goes_wrong: bool


def read_cases(folder: str = "cases") -> list[Case]:
    contents = [
        read(f"recognisers/{folder}/{path.stem}")
        for path in sorted((HERE / "recognisers" / folder).glob("*.toml"))
    ]
    assert all(content.keys() <= {"type", *_GOES_WRONG} for content in contents)
    return [
        Case(content["type"], *unmarked(message), goes_wrong)
        for content in contents
        for key, goes_wrong in _GOES_WRONG.items()
        for message in content.get(key, ())
    ]


class Word(NamedTuple):
    """A word of a message: ``message[start:end] == text``."""

    text: str
    kind: Kind
    start: int
    end: int


def split(message: str) -> list[Word]:
    table = split_all([message])
    forms = [table.forms[form] for form in table.form]
    starts = zip(forms, table.start.tolist(), strict=True)
    return [Word(text, kind, start, start + len(text)) for (text, kind), start in starts]
