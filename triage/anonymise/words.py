"""The words of this room: of its errors, its pages and its documents (texts.toml)."""

from pathlib import Path

from triage.reports.page import Texts

from ..errors import TriageError

TEXTS = Texts(Path(__file__).with_name("texts.toml"))


def refused(which: str, **values: object) -> TriageError:
    """Return an error by its name in texts.toml, whose part before a point the pages know."""
    line: str = TEXTS.figures("errors")[which].format(**values)
    return TriageError(line, which.rpartition(".")[0], **values)
