"""Messages with and without identifiers of a type: the files of ``cases/``, invented.

In a file, ``type`` is the type and ``found`` holds messages in which the identifiers stand between
⟦ and ⟧; in those of ``not_found`` there is none. ``missed`` and ``false_alarms`` hold messages
that are known to go wrong.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).with_name("cases")
ENGLISH_CASES = Path(__file__).with_name("cases_en")
_MARK = re.compile("[⟦⟧]")


@dataclass(frozen=True)
class Case:
    """A message, and where the identifiers of a type stand in it."""

    type: str
    text: str
    spans: tuple[tuple[int, int], ...]
    goes_wrong: bool = False

    def __str__(self) -> str:
        """Return the type and the message, as the name of a test."""
        return f"{self.type} {self.text[:60]}"


def read_cases(folder: Path = CASES) -> list[Case]:
    """Read all cases of a folder."""
    return [case for path in sorted(folder.glob("*.toml")) for case in _of_file(path)]


def _of_file(path: Path) -> list[Case]:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    known = {"type", "found", "missed", "not_found", "false_alarms"}
    assert content.keys() <= known, path
    return [
        _case(content["type"], message, goes_wrong=key in ("missed", "false_alarms"))
        for key in ("found", "missed", "not_found", "false_alarms")
        for message in content.get(key, ())
    ]


def _case(type_: str, marked: str, *, goes_wrong: bool) -> Case:
    parts = _MARK.split(marked)
    ends = [0]
    for part in parts:
        ends.append(ends[-1] + len(part))
    spans = tuple((ends[i], ends[i + 1]) for i in range(1, len(parts), 2))
    return Case(type_, "".join(parts), spans, goes_wrong)
