"""Identifiers of money: bank accounts (IBAN, the French RIB, BIC), cards, crypto-currencies."""

import re
from hashlib import sha256

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers import checks
from triage.dictionaries.recognisers.recogniser import (
    END,
    GAP,
    START,
    Recogniser,
    any_of,
    before,
    behind,
    then,
)

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


def accounts(pack: Pack) -> tuple[Recogniser, ...]:
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
    return min(_COUNTRIES) <= len(checks.compact(number)) <= max(_COUNTRIES)


_FOUR = r"\d{4}"
# As cards show it: 4 4 4 4, 4 6 5 (American Express) or 4 6 4 (Diners Club); or 13 to 19 joined.
_CARD = (
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


def cards(pack: Pack) -> tuple[Recogniser, ...]:
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
            re.compile(rf"(?i:{no_card}[\d .-]{{0,30}}+|{START}(?P<found>{_CARD}))"),
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


_BASE58 = "[1-9A-HJ-NP-Za-km-z]"
# No other word is as long.
_LONG = "[0-9a-z]{26}"
_START, _END = r"(?<![^\W_])", r"(?![^\W_])"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
# The remainders of Bech32 and, from the second version of addresses on, Bech32m (BIP 350).
_REMAINDERS = (1, 0x2BC830A3)
# First bytes of addresses: Bitcoin, Litecoin, Dogecoin, Dash, Tron.
_VERSIONS = frozenset({0x00, 0x05, 0x30, 0x32, 0x1E, 0x16, 0x4C, 0x10, 0x41})


def crypto(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of addresses of crypto-currencies."""
    own, between = pack.crypto, pack.announced.between
    # Mistyped, or of a coin without a checksum.
    address = rf"(?:(?:bc|ltc)1[0-9a-z]{{25,87}}+|(?=[a-z]{{0,43}}+\d)(?-i:{_BASE58}{{26,44}}+))"
    announced = behind(own.triggers, between, address)
    return (
        Recogniser(
            "base58",
            Kind.CRY,
            re.compile(f"{_START}[13LMDAX7T9]{_BASE58}{{25,34}}+{_END}"),
            gate=_LONG,
            check=_is_base58check,
            score=0.98,
        ),
        Recogniser(
            "bech32",
            Kind.CRY,
            re.compile(rf"(?i:{_START}(?:bc|ltc)1[02-9ac-hj-np-z]{{11,87}}+{_END})"),
            gate=_LONG,
            check=_is_bech32,
            score=0.98,
        ),
        # The checksum of upper and lower case needs Keccak, which Python has not.
        Recogniser(
            "ethereum",
            Kind.CRY,
            re.compile(rf"{_START}0[xX][0-9a-fA-F]{{40}}{_END}"),
            gate=_LONG,
            score=0.95,
        ),
        Recogniser(
            "monero",
            Kind.CRY,
            re.compile(f"{_START}[48][0-9AB]{_BASE58}{{93}}{_END}"),
            gate=_LONG,
            score=0.9,
        ),
        Recogniser(
            "crypto_announced",
            Kind.CRY,
            re.compile(f"(?i:{announced}{_END})"),
            gate=_LONG,
            score=0.7,
        ),
    )


def _is_base58check(address: str) -> bool:
    from stdnum.bitcoin import b58decode

    code = b58decode(address)
    return (
        len(code) == 25
        and code[0] in _VERSIONS
        and sha256(sha256(code[:-4]).digest()).digest()[:4] == code[-4:]
    )


def _is_bech32(address: str) -> bool:
    from stdnum.bitcoin import bech32_checksum

    coin, _, data = address.lower().rpartition("1")
    prefix = [*(ord(sign) >> 5 for sign in coin), 0, *(ord(sign) & 31 for sign in coin)]
    return bech32_checksum(prefix + [_BECH32.index(sign) for sign in data]) in _REMAINDERS
