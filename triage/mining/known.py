"""Spellings that are known to identify somebody, and answers to candidates (Reffay et al., 2, 3).

They come from a catalogue of the corpus (a class list, contacts, participants), from a table of
replacements, from a queue, and from what was answered before. The tables of catalogue and answers
are filled in by people. They hold names: only their owners may read them.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from triage.data import as_text

from ..anonymise.columns import open_table
from ..errors import TriageError
from ..vocabulary import IdentifierType, Spans
from .corpus import TYPES, Corpus, key_of

T = TypeVar("T")
_PLACE = re.compile(r"([0-9]{1,12}):([0-9]{1,12})")
_BETWEEN = re.compile("[;|]")


@dataclass(frozen=True)
class Known:
    spelling: str
    type: IdentifierType
    entity: str = ""
    replaced: int = 0
    everywhere: bool = True


class Said(StrEnum):
    ALWAYS = "always"
    NEVER = "never"
    HERE = "here"
    LATER = "later"


@dataclass(frozen=True)
class Answer:
    spelling: str
    said: Said
    type: IdentifierType = IdentifierType.PRE
    entity: str = ""
    places: frozenset[tuple[int, int]] = frozenset()
    likelihood: float | None = None
    stands: int = 0

    @property
    def n_identifiers(self) -> int:
        """Number of its places that hold an identifier, as far as it is known."""
        return {Said.ALWAYS: self.stands, Said.HERE: len(self.places)}.get(self.said, 0)

    @property
    def key(self) -> str:
        return " ".join(key_of(self.spelling))

    @property
    def places_cell(self) -> str:
        return " ".join(f"{row}:{start}" for row, start in sorted(self.places))


def with_answers(known: Iterable[Known], answers: Mapping[str, Answer]) -> list[Known]:
    """Return what is known once questions are answered, by `Answer.key`; never outweighs known."""
    left = [one for one in known if answers.get(" ".join(key_of(one.spelling))) is None]
    said = (one for one in answers.values() if one.said in (Said.ALWAYS, Said.HERE))
    return left + [
        Known(one.spelling, one.type, one.entity, everywhere=one.said is Said.ALWAYS)
        for one in said
    ]


def marked(
    corpus: Corpus, known: Iterable[Known], answers: Mapping[str, Answer]
) -> NDArray[np.int64]:
    """Return for each word the number of its type if it identifies somebody, else `NO_NAME`."""
    types = corpus.replaced.copy()
    for one in (one for one in known if one.everywhere):
        key = key_of(one.spelling)
        first = corpus.words_of(key[0] if key else "")
        first = first[first + len(key) <= len(corpus.form)]
        for offset, form in enumerate(key):
            first = first[corpus.form[first + offset] == corpus.number.get(form, -1)]
        for offset in range(len(key)):
            types[first + offset] = TYPES.index(one.type)
    for answer in (one for one in answers.values() if one.said is Said.HERE):
        words = corpus.words_of(answer.key).tolist()
        places = {
            (place.message + 1, place.start): word
            for word, place in zip(words, map(corpus.places.__getitem__, words), strict=True)
        }
        here = [places[place] for place in answer.places & places.keys()]
        types[here] = TYPES.index(answer.type)
    return types


def counted(known: Iterable[Known]) -> list[Known]:
    """Bring together spellings that differ in case and accents alone; the most frequent stays."""
    counts: Counter[tuple[str, ...]] = Counter()
    best: dict[tuple[str, ...], Known] = {}
    for one in known:
        key = key_of(one.spelling)
        counts[key] += one.replaced
        if key not in best or one.replaced > best[key].replaced:
            best[key] = one
    return [replace(one, replaced=counts[key]) for key, one in best.items() if key]


def known_of(texts: Sequence[str], spans: Sequence[Spans]) -> list[Known]:
    """Return the spellings that are sure to be identifiers somewhere, and how often."""
    return replaced_spellings(
        (text[one.start : one.end], one.type)
        for text, of_text in zip(texts, spans, strict=True)
        for one in of_text
    )


def replaced_spellings(spellings: Iterable[tuple[str, IdentifierType]]) -> list[Known]:
    """Return spellings that were replaced, and how often each was as which type."""
    counts = Counter(spellings).items()
    return [Known(text, type_, replaced=n, everywhere=False) for (text, type_), n in counts]


def read_answers(path: str | Path) -> dict[str, Answer]:
    """Read answers by their keys; rows without one are left out."""
    found = read_rows(path, ("spelling", "answer"), _answer)
    return {one.key: one for one in found if one}


def _answer(cells: Mapping[str, str]) -> Answer | None:
    said = cells["answer"].lower()
    if not said:
        return None
    if said not in [*Said]:
        raise ValueError(f"the answer is none of {', '.join(Said)}")
    if not key_of(cells["spelling"]):
        raise ValueError("it has no spelling; write it, or remove the row")
    places = frozenset((int(row), int(at)) for row, at in _PLACE.findall(cells.get("places", "")))
    if said == Said.HERE and not places:
        raise ValueError("of an answer 'here' the places are needed, such as 12:0 for row:start")
    return Answer(
        cells["spelling"],
        Said(said),
        _type(cells.get("type", "")),
        cells.get("entity", ""),
        places,
        number_of(cells.get("likelihood", "")),
        int(number_of(cells.get("stands", "")) or 0),
    )


def read_catalogue(path: str | Path) -> list[Known]:
    r"""Read a table with the columns entity, type and spellings, which ``;`` or ``|`` separates."""
    rows = read_rows(path, ("spellings", "entity", "type"), _entity)
    return [one for row in rows for one in row]


def _entity(cells: Mapping[str, str]) -> list[Known]:
    spellings = [one.strip() for one in _BETWEEN.split(cells["spellings"]) if key_of(one)]
    if not spellings:
        raise ValueError("it has no spelling; write one, or remove the row")
    entity, type_ = cells["entity"] or spellings[0], _type(cells["type"])
    return [Known(one, type_, entity) for one in spellings]


def read_rows(
    path: str | Path, columns: Sequence[str], parse: Callable[[Mapping[str, str]], T]
) -> list[T]:
    what = f"the columns {', '.join(columns)} are needed"
    with open_table(path, columns[0], f"{path} has no column {columns[0]!r}: {what}") as file:
        missing = [column for column in columns if column not in file.columns]
        if missing:
            raise TriageError(f"{path} has no column {missing[0]!r}: {what}")
        found = []
        for chunk in file.chunks():
            for line, row in zip(chunk.lines, chunk.rows, strict=True):
                cells = (as_text(cell).strip() for cell in row)
                try:
                    found.append(parse(dict(zip(file.columns, cells, strict=True))))
                except ValueError as error:
                    raise TriageError(f"{path}, line {line}: {error}") from None
        for reject in file.rejects:
            raise TriageError(f"{path}, line {reject.line}: {reject.reason}")
    return found


def _type(cell: str) -> IdentifierType:
    """Return the type that a cell names; a first name where it names none."""
    named = cell.upper() or IdentifierType.PRE
    if named not in IdentifierType.__members__:
        raise ValueError(f"its type is none of {', '.join(IdentifierType)}")
    return IdentifierType(named)


def number_of(cell: str) -> float | None:
    """Return the number in a cell, None where it is empty."""
    try:
        number = float(cell.replace(",", ".")) if cell else None
    except ValueError:
        number = math.nan
    if number is not None and not math.isfinite(number):
        raise ValueError("one of its counts is no number")
    return number
