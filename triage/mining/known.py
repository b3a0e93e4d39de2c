"""Spellings that are known to identify somebody, and where they stand (Reffay et al., steps 2, 3).

They come from a catalogue of the corpus (a class list, contacts, participants), from a table of
replacements, from a queue, and from what was answered before.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..vocabulary import IdentifierType, Spans
from .answers import Answer, Said
from .corpus import TYPES, Corpus, key_of


@dataclass(frozen=True)
class Known:
    """A spelling of an entity, of one or several words."""

    spelling: str
    type: IdentifierType
    entity: str = ""
    replaced: int = 0
    everywhere: bool = True


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
    for one in known:
        if one.everywhere:
            for words in _standing(corpus, key_of(one.spelling)):
                types[words] = TYPES.index(one.type)
    for answer in answers.values():
        if answer.said is Said.HERE:
            for word in corpus.words_of(answer.key).tolist():
                place = corpus.places[word]
                if (place.message + 1, place.start) in answer.places:
                    types[word] = TYPES.index(answer.type)
    return types


def _standing(corpus: Corpus, key: tuple[str, ...]) -> list[NDArray[np.int64]]:
    """Return the words of a spelling, for each place in its key the words that stand there."""
    if not key or any(form not in corpus.number for form in key):
        return []
    numbers = [corpus.number[form] for form in key]
    first = corpus.words_of(key[0])
    first = first[first + len(key) <= len(corpus.form)]
    for offset, number in enumerate(numbers):
        first = first[corpus.form[first + offset] == number]
    return [first + offset for offset in range(len(key))]


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
