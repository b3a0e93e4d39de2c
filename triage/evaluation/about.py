"""Where a report comes from: the command, the data, the versions."""

import hashlib
import shlex
from collections.abc import Mapping
from pathlib import Path

from ..model.learnt import versions
from .corpus import Corpus

TITLE = "Evaluation of the triage"


def made_from(corpus: Corpus, command: str, source: Path) -> tuple[tuple[str, str], ...]:
    """Return what a report on a corpus was made from.

    Parameters
    ----------
    corpus : Corpus
    command : str
    source : Path
        The file; its folder is not told.
    """
    made_with = ", ".join(f"{name} {version}" for name, version in versions().items())
    counts = f"{len(corpus.messages):,} messages, {int(corpus.is_ta.sum()):,} of them TA"
    return (
        ("Command", command),
        ("Data", f"{source.name}, {counts}{_checksum(source)}"),
        ("Program", made_with),
    )


def command(source: Path, options: Mapping[str, object]) -> str:
    """Return the command that gives a report again, without the folders of files.

    Parameters
    ----------
    source : Path
    options : mapping of str to object
        Their values; what is None, False or an empty list was not given.

    Examples
    --------
    >>> chosen = {"--paper": True, "--folds": None, "--train-first": 4000, "--compare": False}
    >>> command(Path("corpora/sms.csv"), chosen)
    'triage evaluate sms.csv --paper --train-first 4000'
    """
    words = ["triage", "evaluate", source.name]
    for option, value in options.items():
        for given in value if isinstance(value, list) else [value]:
            if given is True:
                words.append(option)
            elif given is not None and given is not False:
                words += [option, given.name if isinstance(given, Path) else str(given)]
    return shlex.join(words)


def _checksum(source: Path) -> str:
    if not source.is_file():
        return ""
    with source.open("rb") as file:
        return f"; SHA-256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
