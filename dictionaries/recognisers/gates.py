"""Gates: texts that a message must hold for an expression to match in it.

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
# The classes as they stand in expressions of shapes of pieces.
_CLASSES = {DIGIT: "0", CAPITAL: "A", SIGN: "[Aa0]"}
_MAX_GATES = 4
# The longest texts of gates: of letters and signs, of digits, of signs of any class.
LONGEST, _DIGITS, _LONG_LENGTH = 6, 3, 14
# The information of a sign, in bits: letters, other signs, and classes.
_BITS_OF_LETTER, _BITS_OF_SIGN = 3.7, 10.0
_BITS = {DIGIT: 2.0, CAPITAL: 1.5, SIGN: 0.6, START: 1.0, END: 1.0}

_BITS_OF_ANY_DIGIT, _SIGNS_OF_MESSAGE = 4.0, 60
_LONG_RUN = re.compile(f"[{''.join(_CLASSES)}]{{{_LONG_LENGTH}}}")
Texts = frozenset[str]


def is_of_word(sign: str) -> bool:
    return sign in _CLASSES or sign.isalnum() or sign == "_"


@cache
def atoms_of(texts: Texts) -> Texts:
    """Return the atoms to search for in place of some texts: the rarest part of each."""
    return frozenset(min(map(_atom, text.split(BREAK)), key=_share_of) for text in texts)


@cache
def _atom(part: str) -> str:
    """Return a part of a text from its first letter or other sign on, made short."""
    core = part.replace(START, "").replace(END, "")
    if _LONG_RUN.search(core):
        return SIGN * _LONG_LENGTH
    atom = core.lstrip("".join(_CLASSES))
    if not atom:
        runs = (DIGIT * n for n in range(_DIGITS, 0, -1))
        return next((run for run in runs if run in core), core)
    is_start = atom == core and part.lstrip(END).startswith(START) and is_of_word(atom[0])
    is_end = part.rstrip(START).endswith(END) and is_of_word(atom[-1])
    if any(one in atom for one in (SIGN, CAPITAL)) and re.search("[a-z]", atom):
        atom, is_end = re.split(f"[{SIGN}{CAPITAL}]", atom)[0], False
    if len(atom) > LONGEST and not has_class(atom):
        atom, is_end = atom[:LONGEST], False
    return START * is_start + atom + END * is_end


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
    """Estimate the share of messages in which a text stands."""
    bits = sum(_BITS.get(one, _BITS_OF_LETTER if one.isalpha() else _BITS_OF_SIGN) for one in atom)
    return min(_SIGNS_OF_MESSAGE * 2 ** -(bits + _BITS_OF_ANY_DIGIT * (DIGIT in atom)), 1)


@cache
def share(texts: Texts) -> float:
    return 1 if "" in texts else min(fsum(map(_share_of, atoms_of(texts))), 1)


def gates_of(sets: Iterable[Texts]) -> tuple[Texts, ...]:
    """Return the atoms of the rarest sets of texts that an expression needs."""
    atom_sets = {atoms_of(texts) for texts in sets if share(texts) < 1}
    rarest = sorted(atom_sets, key=lambda one: (fsum(map(_share_of, one)), sorted(one)))
    return tuple(rarest[:_MAX_GATES])
