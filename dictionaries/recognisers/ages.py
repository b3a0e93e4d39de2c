"""Ages: "34 ans", not "il y a 3 ans" nor "3 ans d'ancienneté"."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of

_NUMBER = r"\d{1,3}"
_OLDEST = 119


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of ages, which are off unless asked for: most identify nobody."""
    ages = pack.ages
    years = any_of(ages.years)
    about = rf"(?:{any_of(ages.about)} ){{0,2}}"
    in_years = rf"{any_of((_NUMBER, ages.numbers))}[ -]?{years}(?!\w)"
    other_before = rf"(?<!\w){any_of(ages.other_before)}[ ,:]{{1,3}}{about}{in_years}"
    other_behind = rf"(?![ ,]{{0,2}}{any_of(ages.other_behind)}(?!\w))"
    triggers = rf"(?<!\w){any_of(ages.triggers)}[ ,:=]{{1,3}}{about}"
    return (
        Recogniser(
            "age",
            Kind.AGE,
            re.compile(rf"(?i:{other_before}|(?<![\w.,/+-])(?P<{FOUND}>{in_years}){other_behind})"),
            gate=years,
            check=_is_age,
            score=0.7,
            is_on=False,
        ),
        Recogniser(
            "age_said",
            Kind.AGE,
            re.compile(rf"(?i:{triggers}(?P<{FOUND}>{_NUMBER})(?![\w€%]|[.,:/]\d))"),
            gate="[0-9]",
            check=_is_age,
            score=0.65,
            is_on=False,
        ),
    )


def _is_age(text: str) -> bool:
    number = re.match(r"\d+", text)
    return not number or 0 < int(number[0]) <= _OLDEST
