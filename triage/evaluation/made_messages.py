"""Messages made from templates, to learn from and to test with, and where their addresses are."""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from triage.dictionaries.normal import fold
from triage.reports.span_measures import Span

_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(\d+)-(\d+)")
_EDGE = re.compile("[⟨⟩]")
# As it is, in lower case, without accents, in capitals: shares in percent.
_WRITINGS: dict[Callable[[str], str], int] = {str: 45, str.lower: 20, fold: 32, str.upper: 3}
_LONGEST_SENTENCE = 40


class Made(NamedTuple):
    """A made message and its addresses."""

    text: str
    spans: list[Span]


class Maker:
    """Makes messages from templates: a seed gives the same messages everywhere.

    In a template ``{town}`` is replaced with one of the list *town*, ``{a|b}`` with *a* or *b*,
    ``{1-30}`` with a number. What replaces them may hold braces again. ⟨⟩ stand around an address.

    Examples
    --------
    >>> templates = {"message": ["au ⟨{7-7} {street}⟩ stp"], "street": ["rue Foch"]}
    >>> Maker(templates, seed=1).message()
    Made(text='au 7 rue Foch stp', spans=[(3, 13, 'ADR')])
    """

    def __init__(self, templates: Mapping[str, Sequence[str]], seed: int) -> None:
        self._templates = templates
        self._draw = random.Random(seed)  # noqa: S311

    def message(self, name: str = "message") -> Made:
        """Make a message from a template of a list, written in one way from end to end."""
        (write,) = self._draw.choices([*_WRITINGS], [*_WRITINGS.values()])
        parts = [write(part) for part in _EDGE.split(self._filled(f"{{{name}}}"))]
        edges = list(accumulate(map(len, parts)))
        spans = [(*ends, "ADR") for ends in zip(edges[::2], edges[1::2], strict=False)]
        return Made("".join(parts), spans)

    def _filled(self, template: str) -> str:
        unfilled = 1
        while unfilled:
            template, unfilled = _BRACES.subn(self._drawn, template)
        return template

    def _drawn(self, braces: re.Match[str]) -> str:
        inside: str = braces[1]
        if numbers := _RANGE.fullmatch(inside):
            return str(self._draw.randint(int(numbers[1]), int(numbers[2])))
        return self._draw.choice(inside.split("|") if "|" in inside else self._templates[inside])


def markov_chain(texts: Iterable[str], seed: int) -> Iterator[str]:
    """Yield sentences without end in which each word follows the one before as in the texts.

    Examples
    --------
    >>> next(markov_chain(["on arrive"], seed=0))
    'on arrive'
    """
    draw = random.Random(seed)  # noqa: S311
    following: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        for word, after in pairwise(["", *text.split(), ""]):
            following[word].append(after)
    while True:
        words = [draw.choice(following[""])]
        while words[-1] and len(words) < _LONGEST_SENTENCE:
            words.append(draw.choice(following[words[-1]]))
        yield " ".join(words).strip()
