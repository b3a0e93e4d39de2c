"""Validity checks of identifiers: check digits, dates, forms. Separators and case do not count.

The rules of python-stdnum and phonenumbers are loaded on first use: few messages have a number.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date as day
from hashlib import sha256
from importlib import import_module
from ipaddress import ip_address
from itertools import pairwise

# What begins the cards of a brand, and how many digits they have.
_CARD = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-5]|[68]\d)\d{11}"  # Diners Club
    r"|(?:6011|64[4-9]\d|65\d\d)\d{12}(?:\d{3})?"  # Discover
    r"|(?:352[89]|35[3-8]\d|62\d\d)\d{12}(?:\d{3})?"  # JCB, UnionPay
    r"|(?:50|5[6-9]|6\d)\d{11,17}"  # Maestro
)
# Month 20 and above: born abroad or not known.
_NIR = re.compile(
    r"[1-478]\d\d(?:0[1-9]|1[0-2]|[2-3]\d|4[0-2]|[5-9]\d)(?:\d\d|2[AB])\d{6}(?:\d\d)?"
)
_RIB_LETTERS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "12345678912345678923456789")
_RIB_WORDS = re.compile(r"n°|(?<![^\W_])[^\W\d_]{2,}+(?![^\W_])")
_NRIC_WEIGHTS = (2, 7, 6, 5, 4, 3, 2)
# By the first letter: the last letters by the rest modulo 11, and what is added to the sum.
_NRIC_LETTERS = {
    "S": ("JZIHGFEDCBA", 0),
    "T": ("JZIHGFEDCBA", 4),
    "F": ("XWUTRQPNMLK", 0),
    "G": ("XWUTRQPNMLK", 4),
    "M": ("XWUTRQPNJLK", 3),
}
# First bytes of addresses: Bitcoin, Litecoin, Dogecoin, Dash, Tron.
_VERSIONS = frozenset({0x00, 0x05, 0x30, 0x32, 0x1E, 0x16, 0x4C, 0x10, 0x41})
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
# The remainders of Bech32 and, from the second version of addresses on, Bech32m (BIP 350).
_REMAINDERS = (1, 0x2BC830A3)


def compact(number: str) -> str:
    """Return the letters and digits of a number, in upper case."""
    return "".join(sign for sign in number if sign.isalnum()).upper()


def _by_stdnum(module: str, *, as_written: bool = False, **options: bool) -> Callable[[str], bool]:
    def is_valid(number: str) -> bool:
        check = import_module(f"stdnum.{module}").is_valid
        return bool(check(number if as_written else compact(number), **options))

    is_valid.__qualname__ = module
    return is_valid


luhn = _by_stdnum("luhn")


def rib(number: str) -> bool:
    """Return whether the key of a French account number is right."""
    digits = compact(_RIB_WORDS.sub("", number)).translate(_RIB_LETTERS)
    if len(digits) != 23 or not digits.isdecimal():
        return False
    parts = digits[:5], digits[5:10], digits[10:21], digits[21:]
    return sum(w * int(part) for w, part in zip((89, 15, 3, 1), parts, strict=True)) % 97 == 0


def card_form(number: str) -> bool:
    return _CARD.fullmatch(compact(number)) is not None


def card(number: str) -> bool:
    return card_form(number) and luhn(number)


def nir_form(number: str) -> bool:
    """Return whether sex, month and department are those of a social security number."""
    return _NIR.fullmatch(re.sub("[^0-9AB]", "", number.upper())) is not None


def nir(number: str) -> bool:
    from stdnum.fr import nir

    return nir_form(number) and bool(nir.is_valid(re.sub("[^0-9AB]", "", number.upper())))


def date(text: str) -> bool:
    """Return whether three numbers are a day, a month and a year of the calendar."""
    numbers = [int(part) for part in re.findall(r"\d{1,4}", text)]
    if len(numbers) != 3:
        return False
    first, month, last = numbers
    year, of_month = (first, last) if first > 31 else (last, first)
    with suppress(ValueError):
        return bool(day(year if year > 99 else 2000 + year, month, of_month))
    return False


def nric(number: str) -> bool:
    """Return whether the last letter of a Singaporean NRIC or FIN is right."""
    written = number.upper()
    if not re.fullmatch("[FGMST][0-9]{7}[A-Z]", written):
        return False
    total = sum(w * int(digit) for w, digit in zip(_NRIC_WEIGHTS, written[1:-1], strict=True))
    letters, start = _NRIC_LETTERS[written[0]]
    return letters[(total + start) % 11] == written[-1]


def nic(number: str) -> bool:
    """Return whether the day of the year of a Sri Lankan identity card number is possible."""
    if not re.fullmatch("[0-9]{9}[VXvx]", number):
        return False
    # Five hundred is added for women.
    day_of_year = int(number[2:5])
    return 1 <= day_of_year % 500 <= 366 and day_of_year < 867


def postcode_sg(text: str) -> bool:
    digits = re.findall("[0-9]", text)
    sector = int("".join(digits[:2]) or 0)
    return len(digits) == 6 and 1 <= sector <= 83 and sector != 74


def iban_length(number: str) -> bool:
    return 15 <= len(compact(number)) <= 33


def base58(address: str) -> bool:
    """Return whether the checksum of an address of a crypto-currency is right."""
    from stdnum.bitcoin import b58decode

    code = b58decode(address)
    checksum = sha256(sha256(code[:-4]).digest()).digest()[:4]
    return len(code) == 25 and code[0] in _VERSIONS and checksum == code[-4:]


def bech32(address: str) -> bool:
    """Return whether the checksum of an address of Bitcoin or Litecoin is right."""
    from stdnum.bitcoin import bech32_checksum

    coin, _, data = address.lower().rpartition("1")
    prefix = [*(ord(sign) >> 5 for sign in coin), 0, *(ord(sign) & 31 for sign in coin)]
    return bech32_checksum(prefix + [_BECH32.index(sign) for sign in data]) in _REMAINDERS


def telephone(written: str) -> bool:
    if written.startswith(("+", "(+", "00")):
        import phonenumbers

        with suppress(phonenumbers.NumberParseException):
            reason = phonenumbers.is_possible_number_with_reason(phonenumbers.parse(written, "FR"))
            return reason == phonenumbers.ValidationResult.IS_POSSIBLE
        return False
    groups, gaps = re.findall(r"\d+", written), re.findall(r"\D+", written)
    if len(groups) != 5:
        return True
    is_in_twos = gaps[0] == gaps[2] != gaps[1] == gaps[3] and " " in (gaps[0], gaps[1])
    counts_on = len({int(b) - int(a) for a, b in pairwise(groups)}) == 1
    return not (counts_on or (is_in_twos and not "".join(gaps).isspace()))


def few_letters(written: str) -> bool:
    return 0 < sum(map(str.isalpha, written)) <= 4


def on_earth(coordinates: str) -> bool:
    """Return whether degrees are a latitude and a longitude: 12.5000 13.8000 may be."""
    written = re.findall(r"\d{1,3}(?:[.,]\d{1,15})?", coordinates)
    numbers = [float(number.replace(",", ".")) for number in written]
    second = numbers[len(numbers) // 2]
    return numbers[0] <= 90 and second <= 180


def ip(text: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(text))
    return False


def ipv4(text: str) -> bool:
    """Tell an address from the number of a version, such as ``3.11.2.1``."""
    first, *others = text.split(".")
    is_large = len(first) > 1 or any(len(number) == len("255") for number in others)
    return is_large and ip(text)


def ipv6(text: str) -> bool:
    """Tell an address from hours and smileys, such as ``10::30``."""
    groups = [group for group in text.split(":") if group]
    is_long = len(groups) >= 4 or (len(groups) > 1 and re.search("[0-9a-fA-F]{3}", text))
    return bool(is_long) and ip(text)


def mac(text: str) -> bool:
    """Tell the address of a card from digits in pairs: it has a letter."""
    return re.search("[a-fA-F]", text) is not None


def age(text: str) -> bool:
    number = re.match(r"\d+", text)
    return not number or 0 < int(number[0]) <= 119


# By the names that a user's file gives them; of SIRET numbers, those of La Poste among them.
CHECKS: dict[str, Callable[[str], bool]] = {
    **{one.__name__: one for one in (card, date, nic, nir, nric, postcode_sg, rib)},
    # Of the form of its country, and the rest is 1 modulo 97.
    **dict.fromkeys(("iban", "mod97"), _by_stdnum("iban", check_country=False)),
    "luhn": luhn,
    "siren": _by_stdnum("fr.siren"),
    "siret": _by_stdnum("fr.siret"),
    "vat": _by_stdnum("fr.tva"),
    "aadhaar": _by_stdnum("in_.aadhaar"),
    "pan": _by_stdnum("in_.pan", as_written=True),
    "ssn": _by_stdnum("us.ssn", as_written=True),
    "mykad": _by_stdnum("my.nric", as_written=True),
}

# Those of the shipped recognisers alone.
CHECKS_OF_FORMS: dict[str, Callable[[str], bool]] = {
    one.__name__: one
    for one in (
        *(age, base58, bech32, card_form, few_letters, iban_length, ip, ipv4, ipv6, mac),
        *(nir_form, on_earth, telephone),
    )
}
