"""Copies of marked messages in which names are drawn anew from the lists of a pack.

They teach the first stage that the place of a name counts, not the name.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, Lexicon, label_messages
from triage.dictionaries.lexicon import COMMON_FIRST_NAMES, FIRST_NAMES, LAST_NAMES
from triage.dictionaries.normal import fold

Spans = list[tuple[int, int, str]]

COPIES = 2
_SEED = 5
# Names up to so long are written short on purpose: *Jo*, *Lu*.
_SHORT = 3
# How often a first name is drawn from each group of lists, the commonest first.
_FROM_LISTS = (0.35, 0.3, 0.2, 0.15)
_CUT_SHORT, _STRETCHED, _WITHOUT_ACCENTS, _AS_SHORT = 0.08, 0.03, 0.5, 0.7
_SYLLABLE = re.compile("[bcdfghjklmnpqrstvwxz]*[aeiouy]")


@dataclass(frozen=True)
class Refilled:
    """Copies of messages, which of their words are marked, and the message that each copies."""

    labelled: LabelledMessages
    spans: list[Spans]
    source: NDArray[np.int64]


def refilled(labelled: LabelledMessages, spans: Sequence[Spans]) -> Refilled | None:
    """Copy the marked messages with other names; None where the lists hold no first names."""
    names = _Names(labelled.lexicon, random.Random(_SEED))  # noqa: S311 (no secret)
    if not names.can_draw:
        return None
    copies = [
        (number, *_copy(text, sorted(marks), names))
        for number, (text, marks) in enumerate(zip(labelled.messages, spans, strict=True))
        for _ in range(COPIES if marks else 0)
    ]
    relabelled = label_messages([text for _, text, _ in copies], labelled.lexicon)
    source = np.array([number for number, _, _ in copies], dtype=np.int64)
    return Refilled(relabelled, [marks for *_, marks in copies], source)


def _copy(text: str, marks: Spans, names: "_Names") -> tuple[str, Spans]:
    """Return a text with other names, one for each that stood there, and where they stand."""
    new, new_marks, end = "", Spans(), 0
    name_of: dict[tuple[str, str], str] = {}
    for start, stop, kind in marks:
        if start < end:
            continue
        old = text[start:stop]
        key = old.lower(), kind
        if key not in name_of:
            name_of[key] = names.draw(old, kind)
        # With the capitals of the other.
        if name := name_of[key]:
            written = name[0].upper() + name[1:] if old[0].isupper() else name.lower()
            name = name.upper() if old.isupper() and len(old) > 1 else written
        name = name or old
        new += text[end:start]
        new_marks.append((len(new), len(new) + len(name), kind))
        new, end = new + name, stop
    return new + text[end:], new_marks


class _Names:
    def __init__(self, lexicon: Lexicon, draw: random.Random) -> None:
        entries = {one.name: one.entries for one in lexicon.lists}
        common, commonest = COMMON_FIRST_NAMES
        lists = commonest, common, *FIRST_NAMES[:2], LAST_NAMES[0], "nicknames"
        *groups, self._last, self._nicknames = (
            sorted(filter(None, entries.get(one, ()))) for one in lists
        )
        self._first = [group or groups[2] for group in groups]
        self._draw = draw
        self.can_draw = all(self._first)

    def draw(self, old: str, kind: str) -> str:
        """Return a name of the kind in place of another; nothing for what is no name."""
        new, is_short = "", len(old) <= _SHORT
        match kind[:3] if old else "":
            case "PRE":
                new, chance = self._any_first_name(), self._draw.random()
                if is_short:
                    new = new.partition("-")[0][: len(old)] if chance < _AS_SHORT else new
                elif chance < _CUT_SHORT:
                    new = new[: max(_SHORT, len(new) - self._draw.randint(1, 4))]
                elif chance < _CUT_SHORT + _STRETCHED:
                    new += new[-1] * self._draw.randint(2, 4)
            case "SUR":
                base = fold(self._any_first_name().partition("-")[0])
                new = base[: len(old)] if is_short else self._nickname(base)
            case "NOM":
                new = self._draw.choice(self._last) if self._last else self._any_first_name()
                new = new[0] if len(old) == 1 else new
            case _:
                return ""
        return fold(new) if self._draw.random() < _WITHOUT_ACCENTS else new

    def _any_first_name(self) -> str:
        [group] = self._draw.choices(self._first, _FROM_LISTS)
        return self._draw.choice(group)

    def _nickname(self, base: str) -> str:
        syllable = _SYLLABLE.match(base)
        ways = [(syllable[0] if syllable else base[:2]) * 2, base[:3] + "ou", base[:4] + "ette"]
        listed = [self._draw.choice(self._nicknames)] if self._nicknames else []
        return self._draw.choice([*ways, base[:3] + "ito", base[:4], base[:3], *listed])
