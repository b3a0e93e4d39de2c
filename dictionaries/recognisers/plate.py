"""Number plates of France: ``AA-123-AA``, and ``123 ABC 34`` of before 2009."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of, behind

_START, _END = r"(?<![^\W_])(?<![\w][-'’.])", r"(?![^\W_])(?![-'’]\w)"
# I, O and U are not used, as they look like 1, 0 and V; nor is SS.
_LETTER = "[A-HJ-NP-TV-Z]"
_PAIR = rf"(?!SS){_LETTER}{{2}}"
_GAP = r" ?+[-./_]?+ ?+"
_JOINED = rf"{_PAIR}\d{{3}}{_PAIR}"
_HYPHENS = rf"{_PAIR} ?+[-_./·] ?+\d{{3}} ?+[-_./·] ?+{_PAIR}"
_DEPARTMENT = r"(?:0[1-9]|[1-8]\d|9[0-5]|2[AB]|97[1-6])"


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of number plates."""
    own = pack.plate
    # "ma clio 3 grise"
    between = [*pack.announced.between, "[1-9]"]
    # "de 150 ch", "la 200 km": words and units are no letters of a plate.
    no_word = rf"(?!(?i:{any_of(own.no_letters)})(?![A-Za-z]))"
    pairs = rf"{no_word}{_PAIR}{_GAP}\d{{3}}{_GAP}{no_word}{_PAIR}"
    old_letters = rf"{no_word}{_LETTER}{{2,3}}"
    old = rf"[1-9]\d{{2,3}}{_GAP}{old_letters}{_GAP}{_DEPARTMENT}"
    old_spaced = rf"[1-9]\d{{2,3}}[ -]{old_letters}[ -]{_DEPARTMENT}"
    return (
        Recogniser(
            "plate",
            Kind.IMM,
            re.compile(rf"{_START}(?:{_JOINED}|(?i:{_HYPHENS})|{pairs}|{old_spaced}){_END}"),
            gate="[0-9]{3}",
            score=0.9,
        ),
        Recogniser(
            "plate_lower_case",
            Kind.IMM,
            re.compile(f"{_START}(?i:{pairs}){_END}"),
            gate="[0-9]{3}",
            score=0.5,
        ),
        Recogniser(
            "plate_announced",
            Kind.IMM,
            re.compile(f"(?i:{behind(own.triggers, between, f'(?:{pairs}|{old}){_END}')})"),
            gate="[0-9]{3}",
            score=0.8,
        ),
    )
