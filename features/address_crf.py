"""Postal addresses by a conditional random field over words (Lecointe 2018, section 3.2.2).

Every word gets one of five labels: it begins an address, is inside one, is its last, is outside,
or is one by itself (BILOU). Features are those of the thesis: the word's case, signs and digits,
its length, its "code" (``12bis`` is ``ca``), its last letters, whether it is a type of street or
announces an address; and lists of towns and names in the place of parts of speech. The words of
the street's name are no features: those that were made up for learning are no others'.

Learning is in `triage.build_addresses`; this needs numpy alone.
"""

import csv
import gzip
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.address_words import (
    BOXES,
    COMPLEMENTS,
    LINKS,
    MONTHS,
    RESIDENCES,
    STREET_TYPES,
    SUFFIXES,
    TITLES,
    TRIGGERS,
    UNITS,
    WEAK_STREET_TYPES,
    KnownWords,
    Tokens,
    words_of,
)
from triage.dictionaries.labels import Kind
from triage.dictionaries.patterns import Span

LABELS = ("B", "I", "L", "O", "U")
_OFFSETS = (-3, -2, -1, 1, 2, 3)
# Pairs that no sequence may hold: an address that begins goes on, and ends before another begins.
_FORBIDDEN = frozenset(
    {*((a, b) for a in "BI" for b in "BOU"), *((a, b) for a in "LOU" for b in "IL")}
)
_NOT_FIRST = [LABELS.index(label) for label in "IL"]
_NOT_LAST = [LABELS.index(label) for label in "BI"]
_GROUPS = (
    ("street type", STREET_TYPES),
    ("weak street type", WEAK_STREET_TYPES),
    ("complement", COMPLEMENTS),
    ("residence", RESIDENCES),
    ("box", BOXES),
    ("trigger", TRIGGERS),
    ("link", LINKS),
    ("title", TITLES),
    ("month", MONTHS),
    ("suffix", SUFFIXES),
    ("unit", UNITS),
)
# Words that are features by themselves; all else is seen by its look and its lists.
_TOLD = frozenset().union(*(words for _, words in _GROUPS)) | words_of(
    """
    a au aux o le un une est c et ou dans ds en cedex mon ma ton notre jusqu vers chez pour
    pr si je tu on j il elle , . ( ) : ; - ' / ? ! n numero 2 3 4 5 grand etage
    """
)


def word_features(tokens: Tokens, known: KnownWords) -> list[list[str]]:
    """Return the features of every token of a message, by names that a person can read.

    Parameters
    ----------
    tokens : Tokens
    known : KnownWords

    Returns
    -------
    list of list of str, length n_tokens
    """
    own = [_own(tokens, i, known) for i in range(len(tokens))]
    return [
        [
            *own[i],
            *(
                f"{offset:+d} {name}"
                for offset in _OFFSETS
                for name in (own[i + offset] if 0 <= i + offset < len(own) else ("beyond",))
                if not name.startswith(("ends", "word"))
            ),
        ]
        for i in range(len(own))
    ]


def _own(tokens: Tokens, i: int, known: KnownWords) -> list[str]:
    raw, word = tokens.raw[i], tokens.folded[i]
    features = ["word", f"code {_code(raw)}", f"length {min(len(raw), 8)}"]
    features += [name for name, words in _GROUPS if word in words]
    if word in _TOLD:
        features.append(f"is {word}")
    if tokens.is_capital(i):
        features.append("capital")
    if tokens.is_glued(i):
        features.append("glued")
    if tokens.is_on_new_line(i):
        features.append("new line")
    if word.isdigit():
        return [*features, f"digits {len(word)}"]
    return [*features, f"ends -{word[-2:]}", f"ends -{word[-3:]}", *_listed(word, known)]


def _listed(word: str, known: KnownWords) -> list[str]:
    asked = (
        ("town", known.is_town),
        ("name", known.is_name),
        ("frequent", known.is_frequent),
        ("no word", lambda w: not known.is_word(w)),
    )
    return [name for name, holds in asked if holds(word)]


def _code(raw: str) -> str:
    """Return the "code" of a word: A, a, c and p for capitals, small letters, digits, signs.

    Examples
    --------
    >>> _code("TNR75"), _code("Road"), _code(",")
    ('Ac', 'Aa', 'p')
    """
    runs = (
        "A" if c.isupper() else "a" if c.isalpha() else "c" if c.isdigit() else "p" for c in raw
    )
    code = ""
    for run in runs:
        code += "" if code.endswith(run) else run
        if len(code) > 4:
            break
    return code


@dataclass(frozen=True)
class AddressCrf:
    """A linear-chain conditional random field that finds addresses.

    Parameters
    ----------
    states : dict of str to tuple of float
        The weights of a feature for the five labels, in their order.
    transitions : dict of (str, str) to float
        The weight of a label behind another.
    """

    states: dict[str, tuple[float, ...]]
    transitions: dict[tuple[str, str], float]

    def addresses(self, message: str, known: KnownWords) -> list[Span]:
        """Find the postal addresses of a message.

        Parameters
        ----------
        message : str
        known : KnownWords

        Returns
        -------
        list of Span
            In order, not overlapping, of the kind ADR.
        """
        tokens = Tokens(message)
        if not len(tokens):
            return []
        emissions = self._emissions(word_features(tokens, known))
        emissions[0, _NOT_FIRST] = emissions[-1, _NOT_LAST] = -np.inf
        best = viterbi(emissions, self._matrix)
        ends = spans_of([LABELS[label] for label in best])
        return [Span(tokens.start(a), tokens.end(b - 1), Kind.ADR) for a, b in ends]

    def _emissions(self, features: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        nothing = (0.0,) * len(LABELS)
        rows = [[self.states.get(name, nothing) for name in names] for names in features]
        return np.array([np.sum(row, axis=0) for row in rows], dtype=np.float64)

    @cached_property
    def _matrix(self) -> NDArray[np.float64]:
        return np.array(
            [
                [
                    -np.inf if (a, b) in _FORBIDDEN else self.transitions.get((a, b), 0.0)
                    for b in LABELS
                ]
                for a in LABELS
            ]
        )

    def write(self, path: Path) -> None:
        """Write the weights as a compressed table, the same bytes for the same weights."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        for (a, b), weight in sorted(self.transitions.items()):
            table.writerow(("transition", a, b, f"{weight:.4f}"))
        for name, weights in sorted(self.states.items()):
            table.writerow(("state", name, *(f"{weight:.4f}" for weight in weights)))
        path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read weights that `write` wrote."""
        states, transitions = {}, {}
        rows = csv.reader(io.StringIO(gzip.decompress(path.read_bytes()).decode()))
        for kind, name, *rest in rows:
            if kind == "state":
                states[name] = tuple(float(weight) for weight in rest)
            else:
                transitions[name, rest[0]] = float(rest[1])
        return cls(states, transitions)


def viterbi(emissions: NDArray[np.float64], transitions: NDArray[np.float64]) -> list[int]:
    """Return the best sequence of labels.

    Parameters
    ----------
    emissions : ndarray of float, shape (n_tokens, n_labels)
    transitions : ndarray of float, shape (n_labels, n_labels)
        From a row's label to a column's; minus infinity where one may not follow.

    Returns
    -------
    list of int, length n_tokens

    Examples
    --------
    >>> viterbi(np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([[0.0, -1.0], [0.0, 0.0]]))
    [0, 0]
    """
    score = emissions[0]
    came_from = []
    for emission in emissions[1:]:
        reached = score[:, np.newaxis] + transitions
        came_from.append(reached.argmax(axis=0))
        score = reached.max(axis=0) + emission
    path = [int(score.argmax())]
    for step in reversed(came_from):
        path.append(int(step[path[-1]]))
    return path[::-1]


def labels_of(tokens: Tokens, spans: Iterable[tuple[int, int]]) -> list[str]:
    """Return the BILOU labels of tokens.

    Parameters
    ----------
    tokens : Tokens
    spans : iterable of (int, int)
        In characters.

    Returns
    -------
    list of str

    Examples
    --------
    >>> labels_of(Tokens("au 12 rue Foch stp"), [(3, 14)])
    ['O', 'B', 'I', 'L', 'O']
    """
    labels = ["O"] * len(tokens)
    for start, end in spans:
        inside = [i for i in range(len(tokens)) if start <= tokens.start(i) < end]
        for i in inside:
            labels[i] = "I"
        if inside:
            labels[inside[0]], labels[inside[-1]] = "B", "L"
        if len(inside) == 1:
            labels[inside[0]] = "U"
    return labels


def spans_of(labels: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the addresses of BILOU labels stand, in tokens.

    Examples
    --------
    >>> spans_of(["O", "B", "I", "L", "U", "O"])
    [(1, 4), (4, 5)]
    """
    matches = re.finditer("U|BI*L", "".join(labels))
    return [match.span() for match in matches]
