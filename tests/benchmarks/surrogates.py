"""Measure surrogates: whether they stay the same as a corpus grows, and whether they read right.

What the annotators marked is replaced in the first half of the messages and in all of them, with
the same key, for corpora of three sizes and several keys, which count together::

    python -m tests.benchmarks.surrogates ../shared/benchmarks
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.files import french, print_heading, print_row, read_rows
from triage.anonymise.entity import Entity, Spelling, StyleContext, canonical
from triage.anonymise.styles import Style, Styles, make_style
from triage.anonymise.surrogates.pools import first_names, sound
from triage.decide.people import kind_of
from triage.dictionaries import Lexicon, load_lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import load_pack
from triage.settings import StyleName
from triage.vocabulary import IdentifierType

KEYS = tuple(bytes([i] * 32) for i in range(5))
SIZES = (2_000, 20_000, None)
GENDER = first_names(load_pack("fr")).genders.get

_ELIDED = re.compile(r"(?:^|[^\w])(?:[dljmnstc]|qu)['’]$", re.IGNORECASE)
_FULL = re.compile(r"(?:^|[^\w])(?:de|le|la|que) $", re.IGNORECASE)


class Corpus(NamedTuple):
    """The identifiers of some messages, each with what stands before it, and their words."""

    mentions: list[tuple[str, Spelling]]
    words: set[str]

    @property
    def spellings(self) -> list[Spelling]:
        return list(dict.fromkeys(spelling for _, spelling in self.mentions))

    def style(self, lexicon: Lexicon, key: bytes) -> Style:
        """Make the style `surrogate` of these identifiers."""
        context = StyleContext(lexicon, key, self.spellings, self.words)
        return make_style(Styles(StyleName.SURROGATE), context)


def main(benchmark: Path) -> None:
    rows, lexicon = read_rows(french(benchmark)), load_lexicon("fr")
    for i, size in enumerate(SIZES):
        chosen = rows[:size]
        whole, half = corpus_of(chosen), corpus_of(chosen[: len(chosen) // 2])
        seen: dict[str, list[bool]] = defaultdict(list)
        for key in KEYS:
            for column, found in measures(whole, half, lexicon, key).items():
                seen[column] += found
        if not i:
            print_heading("messages", "entities", *seen)
        n_entities = len({StyleContext(lexicon).entity(one) for one in whole.spellings})
        shares = (f"{sum(of) / max(len(of), 1):.1%} of {len(of):,}" for of in seen.values())
        print_row(f"{len(chosen):,}", f"{n_entities:,}", *shares)


def corpus_of(rows: Sequence[dict[str, str]]) -> Corpus:
    """Return the identifiers of messages; where their type was left open, the first one counts."""
    mentions = []
    for row in rows:
        for start, end, types in json.loads(row["spans"]):
            text, type_ = row["text"][start:end], IdentifierType(types.split("_")[0])
            mentions.append((row["text"][:start], Spelling(text, type_, row["sender"])))
    return Corpus(
        mentions, {fold(word) for row in rows for word in re.findall(r"[^\W\d_]+", row["text"])}
    )


def measures(whole: Corpus, half: Corpus, lexicon: Lexicon, key: bytes) -> dict[str, list[bool]]:
    """Return what each column is the share of."""
    style, before = whole.style(lexicon, key), half.style(lexicon, key)
    entity = StyleContext(lexicon).entity
    stable: dict[Entity, bool] = {}
    for one in half.spellings:
        stable[entity(one)] = stable.get(entity(one), True) and style(one) == before(one)
    names = {
        entity(one): canonical(style(one), one.type, lexicon)
        for one in whole.spellings
        if one.type is IdentifierType.PRE and len(one.text) > 1
    }
    # A name is real if it, or each part of a compound, is in the list of first names.
    real = {
        one: bool(GENDER(name)) or all(map(GENDER, name.split("-"))) for one, name in names.items()
    }
    listed = {one: name for one, name in names.items() if GENDER(one.name)}
    words = [one for one in whole.spellings if kind_of(one.type) in ("PRE", "NOM", "LIE")]
    longer = [abs(len(style(one)) - len(one.text)) for one in words]
    return {
        "unchanged from half to whole": [*stable.values()],
        "real first names": [*real.values()],
        "real, of listed ones": [real[one] for one in listed],
        "gender kept": [
            GENDER(name) == GENDER(one.name)
            for one, name in listed.items()
            if GENDER(one.name) in ("m", "f")
        ],
        "elision right": [*_elisions(whole, style)],
        "length ± 1": [n <= 1 for n in longer],
        "length ± 2": [n <= 2 for n in longer],
    }


def _elisions(corpus: Corpus, style: Style) -> Iterator[bool]:
    """Yield, for what was elided rightly or rightly not, whether it is so still."""
    for before, spelling in corpus.mentions:
        for form, wrong in ((_ELIDED, "consonant"), (_FULL, "vowel")):
            if form.search(before) and sound(spelling.text) != wrong:
                yield sound(style(spelling)) != wrong


if __name__ == "__main__":
    main(Path(sys.argv[1]))
