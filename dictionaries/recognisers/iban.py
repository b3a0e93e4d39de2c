"""Bank accounts: IBAN, the French RIB, and the BIC of a bank."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers import checks
from triage.dictionaries.recognisers.grouped import GAP, START, compact, then
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of, behind

# Countries by the length of their IBAN (SWIFT's registry, release 101): what follows an IBAN in a
# message is told from it by its length alone.
_COUNTRIES = {
    15: "NO",
    16: "BE",
    18: "DK FI FK FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
_SIGN = "[0-9a-z]"
_IBAN = any_of(
    f"{any_of(codes.split())}{then(2)}{then(length - 4, _SIGN)}"
    for length, codes in _COUNTRIES.items()
)
# Groups with a digit among their first five signs; the group of a bank may have letters alone.
_LIKE_IBAN = (
    rf"[a-z]{{2}}{then(2)}(?:{GAP}[a-z]{{4}}(?=[ .\-]\d))?+"
    rf"(?:{GAP}(?=[a-z]{{0,4}}+\d){_SIGN}{{1,30}}+){{1,9}}+"
)
_BIC = (
    "[a-z]{4}(?:FR|BE|CH|LU|MC|DE|ES|IT|PT|NL|GB|IE|AT|PL|GP|MQ|GF|RE|MA|DZ|TN|SN|CI)"
    r"[0-9a-z]{2}(?:[0-9a-z]{3})?"
)


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of bank accounts."""
    own, between = pack.iban, pack.announced.between
    few = pack.announced.few
    part = rf"(?>{GAP}{any_of(own.parts)}[ :.]{{0,3}}+|{GAP})"
    rib = rf"\d{{5}}{part}\d{then(4)}{part}{_SIGN}{then(10, _SIGN)}{part}\d{GAP}\d(?!\w)"
    return (
        Recogniser(
            "iban",
            Kind.IBA,
            re.compile(rf"(?i:(?>(?<![^\W_])|(?<=iban)){_IBAN}(?![^\W_]))"),
            gate="[0-9]{3}|[a-z]{2}[0-9]{2}",
            check=checks.iban,
            digits=8,
            score=0.98,
        ),
        Recogniser(
            "iban_announced",
            Kind.IBA,
            re.compile(f"(?i:{behind(own.triggers, between, _LIKE_IBAN)}(?!\\w))"),
            gate="[0-9]{2}",
            check=_is_as_long_as_an_iban,
            digits=8,
            score=0.6,
        ),
        Recogniser(
            "rib",
            Kind.IBA,
            re.compile(f"(?i:{START}{rib})"),
            gate="[0-9]{2}",
            check=checks.rib,
            digits=13,
            score=0.9,
        ),
        Recogniser(
            "rib_announced",
            Kind.IBA,
            re.compile(f"(?i:{behind(own.triggers, [*between, *own.parts], rib)})"),
            gate="[0-9]{2}",
            digits=13,
            score=0.6,
        ),
        Recogniser(
            "bic",
            Kind.IBA,
            re.compile(rf"(?i:{behind(own.bic, few, _BIC)}(?![^\W_]))"),
            gate="bic|swift",
            score=0.8,
        ),
    )


def _is_as_long_as_an_iban(number: str) -> bool:
    return min(_COUNTRIES) <= len(compact(number)) <= max(_COUNTRIES)
