"""The search of cells outside of messages for identifiers."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from triage.data import as_text
from triage.dictionaries import Label, LabelledWord, Labeller, Lexicon
from triage.dictionaries.address_words import KnownWords
from triage.dictionaries.addresses import addresses
from triage.dictionaries.lexicon import PERSON_NAMES

from ..decide.long_numbers import long_number
from ..decide.word_types import likely_type
from ..vocabulary import IdentifierType
from .cells import is_date, is_run, telephone_in
from .treatment import Treating

# Numbers, decimals, and the hexadecimal digits of a hash or a UUID: they name nobody, and among
# thousands of them some hold ten digits of a telephone number.
_NAMELESS = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?"
    r"|[0-9a-f]{16,}|[0-9A-F]{16,}"
    r"|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
)
_NO_LETTERS = re.compile(r"[\W\d_]+")
_SHORTEST_NAME = 4
_NAMES = frozenset({*PERSON_NAMES, "last_names"})


@dataclass
class CellContents:
    """Identifiers of a column: cells by type, and numbers that may be telephone numbers."""

    cells: Counter[IdentifierType] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)

    def types(self, *, of_ids: bool) -> Counter[IdentifierType]:
        """Return the number of cells by type; numbers of ids that follow each other are none."""
        found = self.cells.copy()
        if not (of_ids and is_run(self.numbers.elements())):
            found[IdentifierType.TEL] += self.numbers.total()
        return +found


class CellSearch:
    """Searches cells as messages are searched."""

    def __init__(self, labeller: Labeller, treating: Treating | None = None) -> None:
        self._labeller = labeller
        self._treating = treating or Treating()
        self._known = KnownWords.of(labeller.lexicon)

    def add(self, found: CellContents, column: Iterable[object]) -> None:
        """Add to what was found in a column what other cells of it hold, each distinct one once."""
        cells = Counter(as_text(cell).strip() for cell in column)
        texts = [text for text in cells if text and not is_date(text)]
        numbers = {text: number for text in texts if (number := telephone_in(text))}
        for text, number in numbers.items():
            found.numbers[number] += cells[text]
        texts = [t for t in texts if t not in numbers and not _NAMELESS.fullmatch(t)]
        for text, types in zip(texts, self.types(texts), strict=True):
            found.cells.update(dict.fromkeys(types, cells[text]))

    def types(self, texts: Sequence[str]) -> list[set[IdentifierType]]:
        """Return of which types the identifiers of each text are."""
        types = [{IdentifierType.ADR} if addresses(t, self._known) else set() for t in texts]
        for found, text in zip(types, texts, strict=True):
            found.update(one.type for one in self._treating.always(text))
        lexicon = self._labeller.lexicon
        for i, word in self._words(texts):
            # As in messages, where other words stand around it.
            if " " in texts[i] and (number := long_number(word)):
                types[i].add(number)
            elif word.label is Label.DICTIONARY:
                types[i].add(likely_type(word, lexicon))
        # Words without the digits and signs that names of users put between them.
        for i, word in self._words([_NO_LETTERS.sub(" ", text).strip() for text in texts]):
            if _is_name_by_itself(word, lexicon):
                types[i].add(likely_type(word, lexicon))
        return types

    def _words(self, texts: Sequence[str]) -> Iterator[tuple[int, LabelledWord]]:
        labelled = self._labeller.label(texts)
        words = labelled.words
        for i, form in zip(words.message.tolist(), words.form.tolist(), strict=True):
            yield i, labelled.labels[form]


def contents_of(
    rows: Sequence[Sequence[object]], positions: Iterable[int], labeller: Labeller
) -> dict[int, CellContents]:
    """Return what some columns of rows hold, by their positions."""
    search = CellSearch(labeller)
    found = {position: CellContents() for position in positions}
    for position, contents in found.items():
        search.add(contents, (row[position] for row in rows))
    return found


def _is_name_by_itself(word: LabelledWord, lexicon: Lexicon) -> bool:
    """Return whether a capitalised word may be a name where no message stands around it."""
    is_written_so = word.text[:1].isupper() and len(word.text) >= _SHORTEST_NAME
    is_name = word.label is Label.DICTIONARY or (word.label is Label.AMBIGUOUS and is_written_so)
    return is_name and not _NAMES.isdisjoint(lexicon.names(word.lists))
