"""Measure surrogates: whether they stay the same as a corpus grows, and whether they read right.

What the annotators marked is replaced in the first half of the messages and in all of them, with
the same key, for corpora of three sizes and several keys, which count together::

    python -m tests.benchmarks.surrogates ../shared/benchmarks
"""

import csv
import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from triage.anonymise.entity import Entity, Spelling, canonical, kind_of
from triage.anonymise.styles import Style, StyleContext, make_style
from triage.anonymise.surrogates.pools import first_names
from triage.dictionaries import Lexicon, load_lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import load_pack
from triage.settings import StyleName
from triage.vocabulary import IdentifierType

FRENCH_PACK = load_pack("fr")

KEYS = tuple(bytes([i] * 32) for i in range(5))
SIZES = (2_000, 20_000, None)

_ELIDED = re.compile(r"(?:^|[^\w])(?:[dljmnstc]|qu)['’]$", re.IGNORECASE)
_FULL = re.compile(r"(?:^|[^\w])(?:de|le|la|que) $", re.IGNORECASE)
_VOWEL = re.compile("[aeiouœæ]|y(?![aeiou])")
_WORD = re.compile(r"[^\W\d_]+")


class Mention(NamedTuple):
    """An identifier that was marked, and what stands before it."""

    before: str
    spelling: Spelling


class Corpus(NamedTuple):
    """The identifiers of some messages, and the words of these."""

    mentions: list[Mention]
    words: set[str]

    @property
    def spellings(self) -> list[Spelling]:
        """The distinct spellings."""
        return list(dict.fromkeys(mention.spelling for mention in self.mentions))

    def style(self, lexicon: Lexicon, key: bytes) -> Style:
        """Make the style `surrogate` of these identifiers."""
        context = StyleContext(lexicon, key, self.spellings, self.words)
        return make_style(StyleName.SURROGATE, context)


def main(benchmark: Path) -> None:
    """Print a table."""
    path = benchmark / "sms_fr.csv.gz"
    if not path.exists():
        sys.exit(f"{path} is not here: the figures need the benchmark beside the project")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lexicon = load_lexicon("fr")
    print("| messages | entities | " + " | ".join(_COLUMNS) + " |")
    print("| --- " * (len(_COLUMNS) + 2) + "|")
    for size in SIZES:
        chosen = list(islice(rows, size))
        whole, half = _corpus(chosen), _corpus(chosen[: len(chosen) // 2])
        print(_row(len(chosen), whole, half, lexicon))


_COLUMNS = (
    "unchanged from half to whole",
    "real first names",
    "real, of listed ones",
    "gender kept",
    "elision right",
    "length ± 1",
    "length ± 2",
)


def _corpus(rows: Sequence[dict[str, str]]) -> Corpus:
    mentions = [
        Mention(row["text"][:start], Spelling(row["text"][start:end], type_, row["sender"]))
        for row in rows
        for start, end, type_ in _spans(row["spans"])
    ]
    words = {fold(word) for row in rows for word in _WORD.findall(row["text"])}
    return Corpus(mentions, words)


def _spans(cell: str) -> Iterator[tuple[int, int, IdentifierType]]:
    """Yield the spans; where the annotators left the type open, the first one counts."""
    for start, end, types in json.loads(cell):
        yield start, end, IdentifierType(types.split("_")[0])


def _row(n_messages: int, whole: Corpus, half: Corpus, lexicon: Lexicon) -> str:
    context = StyleContext(lexicon)
    seen: dict[str, list[bool]] = {column: [] for column in _COLUMNS}
    for key in KEYS:
        for column, found in zip(_COLUMNS, _measures(whole, half, lexicon, key), strict=True):
            seen[column] += found
    n_entities = len({context.entity(one) for one in whole.spellings})
    return f"| {n_messages:,} | {n_entities:,} | {' | '.join(map(_share, seen.values()))} |"


def _measures(whole: Corpus, half: Corpus, lexicon: Lexicon, key: bytes) -> tuple[list[bool], ...]:
    """Return what each column is the share of."""
    style, before = whole.style(lexicon, key), half.style(lexicon, key)
    context, gender = StyleContext(lexicon), first_names(FRENCH_PACK).gender
    stable: dict[Entity, bool] = {}
    for one in half.spellings:
        entity = context.entity(one)
        stable[entity] = stable.get(entity, True) and style(one) == before(one)
    names = {
        context.entity(one): canonical(style(one), one.type, lexicon)
        for one in whole.spellings
        if one.type is IdentifierType.PRE and len(one.text) > 1
    }
    listed = {entity: name for entity, name in names.items() if gender(entity.name)}
    gendered = {e: name for e, name in listed.items() if gender(e.name) in ("m", "f")}
    words = [one for one in whole.spellings if kind_of(one.type) in ("PRE", "NOM", "LIE")]
    longer = [abs(len(style(one)) - len(one.text)) for one in words]
    return (
        [*stable.values()],
        [*map(_is_real, names.values())],
        [*map(_is_real, listed.values())],
        [gender(name) == gender(entity.name) for entity, name in gendered.items()],
        [*_elisions(whole, style)],
        [n <= 1 for n in longer],
        [n <= 2 for n in longer],
    )


def _is_real(name: str) -> bool:
    """Return whether a name, or each part of a compound, is in the list of first names."""
    gender = first_names(FRENCH_PACK).gender
    return bool(gender(name)) or all(map(gender, name.split("-")))


def _elisions(corpus: Corpus, style: Style) -> Iterator[bool]:
    """Yield, for what was elided rightly or rightly not, whether it is so still."""
    for before, spelling in corpus.mentions:
        found = style(spelling)
        for form, of_vowel in ((_ELIDED, True), (_FULL, False)):
            if form.search(before) and _fits(spelling.text, of_vowel=of_vowel):
                yield _fits(found, of_vowel=of_vowel)


def _fits(word: str, *, of_vowel: bool) -> bool:
    """Return whether a word may stand behind an elision, or else a full article; h: either."""
    start = fold(word)
    return start.startswith("h") or bool(_VOWEL.match(start)) is of_vowel


def _share(of: Sequence[bool]) -> str:
    return f"{sum(of) / max(len(of), 1):.1%} of {len(of):,}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
