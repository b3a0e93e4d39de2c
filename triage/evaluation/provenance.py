"""Origin of a report: the command, the data, the versions."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from ..model.learnt import versions
from ..safe import checksum
from .corpus import AnnotatedCorpus

TITLE = "Evaluation of the triage"


def made_from(corpus: AnnotatedCorpus, command: str, source: Path) -> tuple[tuple[str, str], ...]:
    """Return what a report was made from: the command, and the file without its folder."""
    made_with = ", ".join(f"{name} {version}" for name, version in versions().items())
    counts = f"{len(corpus.messages):,} messages, {int(corpus.is_ta.sum()):,} of them TA"
    data = f"{source.name}, {counts}"
    if source.is_file():
        data += f"; SHA-256 {checksum(source)}"
    return ("Command", command), ("Data", data), ("Program", made_with)


def command(source: Path, options: Mapping[str, object]) -> str:
    """Return the command that gives a report again, without the folders of files."""
    words = ["triage", "evaluate", source.name]
    for option, value in options.items():
        for given in value if isinstance(value, list) else [value]:
            if given is True:
                words.append(option)
            elif given is not None and given is not False:
                words += [option, given.name if isinstance(given, Path) else str(given)]
    return shlex.join(words)
