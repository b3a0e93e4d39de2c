"""Gates: what must be in a message for an expression to match there.

The texts that an expression needs (`triage.dictionaries.recognisers.expressions`) are in lower case
and without accents, `DIGIT` for any digit, `CAPITAL` for a capital, `SIGN` for any letter or digit,
`START` and `END` where a word begins and ends, `BREAK` where something is left out. Of the sets of
texts of which each match has one, the rarest are gates.
"""

import re
from collections.abc import Iterable
from functools import cache
from math import fsum

DIGIT, CAPITAL, SIGN, START, END, BREAK = "0\1\2\3\4\5"
# As shapes of pieces have them.
_CLASSES = {DIGIT: "0", CAPITAL: "A", SIGN: "[Aa0]"}
_MOST_GATES = 4
# How long the texts of gates are: of letters and signs, of digits, of anything.
LONGEST, _DIGITS, _LONG = 6, 3, 14
# How much a sign tells, in bits: letters, other signs, and those that tell less.
_OF_LETTER, _OF_OTHER = 3.7, 10.0
_BITS = {DIGIT: 2.0, CAPITAL: 1.5, SIGN: 0.6, START: 1.0, END: 1.0}

_OF_ANY_DIGIT, _SIGNS_OF_MESSAGE = 4.0, 60
_LONG_RUN = re.compile(f"[{''.join(_CLASSES)}]{{{_LONG}}}")
Texts = frozenset[str]


def is_of_word(sign: str) -> bool:
    return sign in _CLASSES or sign.isalnum() or sign == "_"


@cache
def atoms_of(texts: Texts) -> Texts:
    """Return what to look for to find one of some texts: the rarest part of each."""
    return frozenset(min(map(_atom, text.split(BREAK)), key=_share_of) for text in texts)


@cache
def _atom(part: str) -> str:
    """Return a part of a text from its first letter or other sign on, made short."""
    core = part.replace(START, "").replace(END, "")
    if _LONG_RUN.search(core):
        return SIGN * _LONG
    told = core.lstrip("".join(_CLASSES))
    if not told:
        runs = (DIGIT * n for n in range(_DIGITS, 0, -1))
        return next((run for run in runs if run in core), core)
    is_start = told == core and part.lstrip(END).startswith(START) and is_of_word(told[0])
    is_end = part.rstrip(START).endswith(END) and is_of_word(told[-1])
    if any(one in told for one in (SIGN, CAPITAL)) and re.search("[a-z]", told):
        told, is_end = re.split(f"[{SIGN}{CAPITAL}]", told)[0], False
    if len(told) > LONGEST and not has_class(told):
        told, is_end = told[:LONGEST], False
    return START * is_start + told + END * is_end


def has_class(atom: str) -> bool:
    """Return whether an atom has signs of a class other than digits: it is sought among shapes."""
    return SIGN in atom or CAPITAL in atom


def expression_of_shape(atom: str) -> str:
    """Return the expression of an atom as it is sought in shapes of pieces."""
    signs = (_CLASSES.get(one) or re.escape(one) for one in atom.strip(START + END))
    before, behind = r"(?<!\w)" * atom.startswith(START), r"(?!\w)" * atom.endswith(END)
    return before + "".join(signs) + behind


@cache
def _share_of(atom: str) -> float:
    """Return in about which share of messages a text stands."""
    bits = sum(_BITS.get(one, _OF_LETTER if one.isalpha() else _OF_OTHER) for one in atom)
    return min(_SIGNS_OF_MESSAGE * 2 ** -(bits + _OF_ANY_DIGIT * (DIGIT in atom)), 1)


@cache
def share(texts: Texts) -> float:
    return 1 if "" in texts else min(fsum(map(_share_of, atoms_of(texts))), 1)


def gates_of(sets: Iterable[Texts]) -> tuple[Texts, ...]:
    """Return the rarest of the sets of texts that an expression needs, as what to look for."""
    told = {atoms_of(texts) for texts in sets if share(texts) < 1}
    rarest = sorted(told, key=lambda one: (fsum(map(_share_of, one)), sorted(one)))
    return tuple(rarest[:_MOST_GATES])
