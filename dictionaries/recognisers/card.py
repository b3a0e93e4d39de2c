"""Bank cards: the number, when it ends, and the code on its back."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers import checks
from triage.dictionaries.recognisers.grouped import END, GAP, START, then
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of, before, behind

_FOUR = r"\d{4}"
# As cards show it: 4 4 4 4, 4 6 5 (American Express) or 4 6 4 (Diners Club); or 13 to 19 joined.
_NUMBER = (
    rf"[2-6](?:\d{{3}}(?:{GAP}{_FOUR}){{3}}+{END}|\d{{3}}{GAP}\d{{6}}{GAP}\d{{4,5}}{END}"
    rf"|\d{{12,18}}{END})"
)
# Beside a word such as "carte", in groups of any length.
_WITH_WORD = rf"(?:3[47]{then(13)}|3[068]{then(12)}|[4256]{then(15)})(?!\d)"
# Months of the years to come, which no day of a month is: "expire le 09/12" is a date.
_EXPIRY = r"(?:0?[1-9]|1[0-2]) ?+[/\-. ] ?+(?:20)?(?:2[4-9]|3\d)(?![/.-]?\d)"
# What stands behind a number needs no other word: "4539 1488 0343 6467, 09/27, 123".
_BEFORE_EXPIRY = rf"[2-6]\d{{3}}(?:{GAP}{_FOUR}){{3}}+"
_BEFORE_CODE = rf"{_BEFORE_EXPIRY}(?:[ ,;-]{{1,3}}+(?:exp[a-z]{{0,8}}+ )?+{_EXPIRY})?+"


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of bank cards."""
    own, few = pack.card, pack.announced.few
    other = any_of(own.no_card)
    to_card = [rf"(?!{other}(?!\w)){any_of(pack.announced.between)}"]
    no_card = rf"(?<!\w){other}(?!\w)(?:[ :]{{1,3}}+[^\W\d]{{1,12}}+){{0,3}}+[ :n°]{{1,4}}+"
    return (
        Recogniser(
            "card",
            Kind.CRT,
            # What is announced as another number is passed over.
            re.compile(rf"(?i:{no_card}[\d .-]{{0,30}}+|{START}(?P<found>{_NUMBER}))"),
            gate="[0-9]{2}",
            check=checks.card,
            digits=13,
            score=0.95,
        ),
        Recogniser(
            "card_announced",
            Kind.CRT,
            re.compile(f"(?i:{behind(own.triggers, to_card, _WITH_WORD)})"),
            gate="[0-9]{2}",
            check=checks.has_card_form,
            digits=14,
            score=0.6,
        ),
        Recogniser(
            "card_before",
            Kind.CRT,
            re.compile(f"(?i:{before(own.triggers, few, _WITH_WORD)})"),
            gate="[0-9]{2}",
            check=checks.has_card_form,
            digits=14,
            score=0.6,
        ),
        Recogniser(
            "card_expiry",
            Kind.CRT,
            re.compile(f"(?i:{behind([*own.expiry, _BEFORE_EXPIRY], few, _EXPIRY)})"),
            gate="[0-9][/.-](?:20)?[23][0-9]|exp",
            score=0.7,
        ),
        Recogniser(
            "card_code",
            Kind.COD,
            re.compile(
                f"(?i:{behind([*own.codes, _BEFORE_CODE], few, r'[0-9]{3,4}(?![0-9])')}"
                rf"(?! ?{any_of(own.no_code)}(?!\w))(?![.,]\d|\w))"
            ),
            gate="[0-9]{3}",
            score=0.85,
        ),
    )
