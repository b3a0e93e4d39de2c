"""What dictionaries are loaded, and how many of a population's names they hold."""

import json
from pathlib import Path

from triage.dictionaries import Lexicon
from triage.dictionaries.lexicon import FIRST_NAMES
from triage.dictionaries.normal import fold

from ..errors import TriageError


def listing_text(lexicon: Lexicon) -> str:
    """Return the lists as a table for the terminal."""
    lines = [f"{'list':<23}{'role':<17}{'entries':>9}  licence, source"]
    for words in lexicon.lists:
        about = "; ".join(part for part in (words.licence, words.source) if part)
        lines.append(f"{words.name:<23}{words.role:<17}{len(words.entries):>9,}  {about}")
    return "\n".join(lines)


def listing_json(lexicon: Lexicon) -> str:
    """Return the lists as JSON."""
    return json.dumps(
        [
            {
                "name": words.name,
                "role": words.role,
                "entries": len(words.entries),
                "title": words.title,
                "source": words.source,
                "version": words.version,
                "licence": words.licence,
                "made": words.made,
            }
            for words in lexicon.lists
        ],
        ensure_ascii=False,
    )


def coverage_of(lexicon: Lexicon, path: Path) -> str:
    """Say what share of the bearers of first names have a name that the lists hold.

    A compound counts when all its parts are in; case and accents do not count.

    Parameters
    ----------
    lexicon : Lexicon
    path : Path
        A table whose first column holds names and whose last column holds counts.

    Raises
    ------
    TriageError
        If it cannot be read, or a count is no number.
    """
    held = {
        fold(name) for words in lexicon.lists if words.name in FIRST_NAMES for name in words.entries
    }
    names, counts = _bearers(path)
    total = sum(counts)
    known = sum(n for name, n in zip(names, counts, strict=True) if _is_held(fold(name), held))
    share = known / total if total else 0.0
    return (
        f"{len(held):,} first names (case and accents aside) cover {share:.2%} of {total:,} births"
    )


def _bearers(path: Path) -> tuple[list[str], list[int]]:
    import pandas as pd

    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        return table.iloc[:, 0].tolist(), [int(cell or 0) for cell in table.iloc[:, -1]]
    except (OSError, ValueError, IndexError) as error:
        raise TriageError(
            f"{path} must be a CSV file with names in its first column and counts, whole numbers, "
            "in its last"
        ) from error


def _is_held(name: str, held: set[str]) -> bool:
    return name in held or all(part in held for part in name.replace("-", " ").split())
