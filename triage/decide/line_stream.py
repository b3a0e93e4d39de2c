"""Messages decided line by line, for a program that waits for each answer."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from triage.data.columns import guess_text
from triage.data.limits import LONGEST_ROW
from triage.data.objects import line_of, parsed
from triage.data.text import UNDECODED

from ..model.annotated import text_of
from .pipeline import COLUMNS, TAKEN, Triage

_TOO_LONG = f"more than {LONGEST_ROW:,} bytes"
_NO_TEXT = "no key has a usual name for messages: name it with --text-column"


@dataclass
class LineStream:
    r"""Answers to lines of JSON, each an object with a message."""

    triage: Triage
    text_column: str | None = None
    n_decided: int = field(default=0, init=False)
    n_rejected: int = field(default=0, init=False)

    def answers(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the answers to the lines of each part of a stream, as soon as it has whole ones."""
        number = 0
        for lines in _whole_lines(parts):
            read = [self._read(line) for line in lines]
            if answered := b"".join(self._answered(read, number)):
                yield answered
            number += len(lines)

    def _read(self, line: bytes | None) -> dict[str, object] | str | None:
        """Return the object of a line, its fault, or None of a blank one."""
        if line is None:
            return _TOO_LONG
        try:
            text = line.decode("utf-8-sig")
        except UnicodeDecodeError:
            return UNDECODED
        found = parsed(text) if text.strip() else None
        if not isinstance(found, dict):
            return found
        if taken := [column for column in TAKEN if column in found]:
            return f"it was triaged before: it has the key {taken[0]!r}"
        key = self.text_column or _usual_key(tuple(found))
        if key is None:
            return _NO_TEXT
        return found if key in found else f"no key {key!r}"

    def _answered(
        self, read: Sequence[dict[str, object] | str | None], number: int
    ) -> Iterator[bytes]:
        objects = [found for found in read if isinstance(found, dict)]
        keys = [self.text_column or _usual_key(tuple(found)) or "" for found in objects]
        texts = [text_of(found[key]) for found, key in zip(objects, keys, strict=True)]
        rows = iter(self.triage.decide(texts).rows())
        for line, found in enumerate(read, number + 1):
            if isinstance(found, dict):
                self.n_decided += 1
                yield line_of(found | dict(zip(COLUMNS, next(rows), strict=True))) + b"\n"
            elif found:
                self.n_rejected += 1
                yield line_of({"line": line, "error": found}) + b"\n"


@lru_cache(1000)
def _usual_key(keys: tuple[str, ...]) -> str | None:
    at = guess_text(keys)
    return None if at is None else keys[at]


def _whole_lines(parts: Iterable[bytes]) -> Iterator[list[bytes | None]]:
    """Yield the lines that each part completes, without their ends; None for one too long."""
    held, is_too_long = bytearray(), False
    for part in parts:
        *ends, rest = part.split(b"\n")
        lines: list[bytes | None] = []
        for end in ends:
            is_too_long |= len(held) + len(end) > LONGEST_ROW
            lines.append(None if is_too_long else bytes(held + end))
            held.clear()
            is_too_long = False
        is_too_long |= len(held) + len(rest) > LONGEST_ROW
        if is_too_long:
            held.clear()
        else:
            held += rest
        if lines:
            yield lines
    if held or is_too_long:
        yield [None if is_too_long else bytes(held)]
