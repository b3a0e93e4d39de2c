"""Identifiers that people marked in messages, and what replacing leaves of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..decide.precedence import Identifier
from ..vocabulary import IdentifierType, Severity

Marked = tuple[int, int, str]
"""Start, end and type, which may be open (``NOM_SUR``) or none that is known here."""


def severity_of(kind: str) -> Severity:
    """Return the severity of a type: the graver where it is open, direct where it is unknown."""
    known = IdentifierType.__members__
    severities = {
        IdentifierType(part).severity if part in known else Severity.DIRECT
        for part in kind.split("_")
    }
    return Severity.DIRECT if Severity.DIRECT in severities else Severity.INDIRECT


def is_touched(span: Marked, found: Iterable[Identifier]) -> bool:
    """Return whether any character of a marked identifier is replaced."""
    return any(one.start < span[1] and one.end > span[0] for one in found)


def is_covered(span: Marked, found: Iterable[Identifier]) -> bool:
    """Return whether all characters of a marked identifier are replaced."""
    left = set(range(span[0], span[1]))
    for one in found:
        left -= set(range(one.start, one.end))
    return not left


@dataclass
class SeverityResidue:
    """Marked identifiers of one severity, those untouched, and the messages with such."""

    severity: Severity
    marked: int = 0
    untouched: int = 0
    messages: int = 0

    def add(self, marked: Iterable[Marked], found: Sequence[Identifier]) -> None:
        """Count a message that is written."""
        spans = [span for span in marked if severity_of(span[2]) is self.severity]
        left = sum(not is_touched(span, found) for span in spans)
        self.marked += len(spans)
        self.untouched += left
        self.messages += bool(left)


@dataclass
class Residue:
    """What is left of marked identifiers in the messages that are written."""

    n_messages: int = 0
    by_severity: list[SeverityResidue] = field(
        default_factory=lambda: [*map(SeverityResidue, Severity)]
    )

    def add(self, marked: Iterable[Marked], found: Sequence[Identifier]) -> None:
        """Count a message that is written."""
        self.n_messages += 1
        spans = [*marked]
        for one in self.by_severity:
            one.add(spans, found)
