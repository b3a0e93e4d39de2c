"""Measure whether surrogates stay the same as a corpus grows.

What the annotators marked is replaced in the first half of the messages and in all of them, with
the same key, for corpora of three sizes and several keys, which count together::

    python -m tests.benchmarks.surrogates ../shared/benchmarks
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.files import french, print_heading, print_row
from tests.tables import Row, read_rows
from triage.anonymise.entities import Entity, Spelling, StyleContext
from triage.anonymise.plan import Plan
from triage.anonymise.styles import make_style
from triage.dictionaries import Lexicon, load_lexicon
from triage.dictionaries.normal import fold
from triage.settings import StyleName, Treatment
from triage.vocabulary import IdentifierType

KEYS = tuple(bytes([i] * 32) for i in range(5))
SIZES = (2_000, 20_000, None)


def main(benchmark: Path) -> None:
    rows, lexicon = read_rows(french(benchmark)), load_lexicon("fr")
    print_heading("messages", "entities", "unchanged from half to whole")
    for chosen in (rows[:size] for size in SIZES):
        whole, half = (surrogates(some, lexicon) for some in (chosen, chosen[: len(chosen) // 2]))
        stable: dict[tuple[int, Entity], bool] = {}
        entity = StyleContext(lexicon).entity
        for (number, one), found in half.items():
            is_same = stable.get((number, entity(one)), True) and whole[number, one] == found
            stable[number, entity(one)] = is_same
        n_entities = len({entity(one) for _, one in whole})
        share = f"{sum(stable.values()) / max(len(stable), 1):.1%} of {len(stable):,}"
        print_row(f"{len(chosen):,}", f"{n_entities:,}", share)


def surrogates(rows: Sequence[Row], lexicon: Lexicon) -> dict[tuple[int, Spelling], str]:
    """Return the surrogate of each identifier by each key; of an open type the first counts."""
    spellings = [
        Spelling(row["text"][start:end], IdentifierType(types.split("_")[0]), row["sender"])
        for row in rows
        for start, end, types in json.loads(row["spans"])
    ]
    words = {fold(word) for row in rows for word in re.findall(r"[^\W\d_]+", row["text"])}
    found: dict[tuple[int, Spelling], str] = {}
    for number, key in enumerate(KEYS):
        context = StyleContext(lexicon, key, dict.fromkeys(spellings, 1), words)
        style = make_style(Plan(Treatment(style=StyleName.SURROGATE)), context)
        found |= {(number, one): style(one) for one in spellings}
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))
