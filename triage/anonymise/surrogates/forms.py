"""Surrogates of identifiers of form: written like them, and nobody's by their form itself.

Numbers with a key have one that does not hold, number plates letters that no plate has, addresses
of the net and coordinates come from what is kept for examples, or is open sea.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import count

from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.checks import luhn
from triage.dictionaries.recognisers.recogniser import any_of

from ...vocabulary import IdentifierType
from ..entity import Entity
from ..keys import Keyed
from .dates import birth_date
from .numbers import code_like, other_signs
from .scope import Scope, Writer

Maker = Callable[[Pack, Keyed, str, int], Writer | None]
"""Returns a try of a surrogate, the longer the number; None where it might be somebody's."""

# So often a surrogate of a length is tried before a longer one is, and so often one of this form
# before another.
_TRIES, _MOST_TRIES = 20, 200


def of_form(scope: Scope, entity: Entity, reference: str, written: Sequence[str]) -> Writer:
    """Return what writes the surrogate of an identifier of form."""
    return next(
        writer
        for attempt in count()
        if (writer := _try(scope, entity, reference, attempt))
        and scope.take_codes(map(writer, written))
    )


def _try(scope: Scope, entity: Entity, reference: str, attempt: int) -> Writer | None:
    make = MAKERS[entity.kind] if attempt < _MOST_TRIES else _other
    return make(
        scope.lexicon.pack,
        Keyed(scope.key, "form", *entity, str(attempt)),
        reference,
        attempt // _TRIES,
    )


def _other(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make a letter for a letter and a digit for a digit."""
    return partial(code_like, pack, other_signs(keyed, reference, longer))


_IBAN = re.compile("[A-Z]{2}[0-9]{2}[0-9A-Z]+", re.ASCII)


# A French account number: bank, branch, account; its key is from 01 to 97.
_RIB = re.compile("[0-9]{10}[0-9A-Z]{11}[0-9]{2}", re.ASCII)


def _iban(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer | None:
    """Make an account of the same country whose check digits are 00, which banks never give."""
    if _RIB.fullmatch(reference) and not longer:
        return partial(code_like, pack, f"{other_signs(keyed, reference[:-2])}00")
    if not _IBAN.fullmatch(reference):
        return _other(pack, keyed, reference, longer)
    account = other_signs(keyed, reference[4:], longer)
    country = reference[:2]
    # To a check that only computes, 00 is what 97 is.
    in_digits = "".join(str(int(sign, 36)) for sign in f"{account}{country}00")
    return None if int(in_digits) % 97 == 1 else partial(code_like, pack, f"{country}00{account}")


def _card(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer | None:
    """Make a card of the same network whose last digit is wrong."""
    found = reference[:1] + other_signs(keyed, reference[1:], longer)
    if not re.fullmatch("[0-9]{8,}", reference):
        return _other(pack, keyed, reference, longer)
    return None if luhn(found) else partial(code_like, pack, found)


_NIR = re.compile("[0-9]{5}[0-9A-Z]{2}[0-9]{6}([0-9]{2})?", re.ASCII)


def _social_security(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make a number of the same sex that is born in month 00, with the key 00: there are none."""
    found = _NIR.fullmatch(reference)
    if not found:
        return _other(pack, keyed, reference, longer)
    year, rest = other_signs(keyed, "00"), other_signs(keyed, reference[5:13], longer)
    return partial(code_like, pack, f"{reference[0]}{year}00{rest}{'00' if found[1] else ''}")


_COMPANY = re.compile("(?P<vat>FR[0-9A-Z]{2})?(?P<siren>[0-9]{9})([0-9]{5})?", re.ASCII)


def _company(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer | None:
    """Make a company whose number, alone and with its establishment, ends in a wrong digit."""
    found = _COMPANY.fullmatch(reference)
    if not found or longer:
        return _other(pack, keyed, reference, longer)
    number = other_signs(keyed, reference[found.start("siren") :])
    if luhn(number) or luhn(number[:9]):
        return None
    vat = f"FR{other_signs(keyed, found['vat'][2:])}" if found["vat"] else ""
    return partial(code_like, pack, vat + number)


_CRYPTO_PREFIX = re.compile("0x|[a-z]{2,4}1(?=[a-z0-9]{20})|.", re.IGNORECASE | re.DOTALL)
# What all alphabets of addresses have in common: no 0, 1, b, i, l, o; of 0x…, hexadecimal digits.
_SMALL, _LARGE, _DIGITS = "acdefghjkmnpqrstuvwxyz", "ACDEFGHJKMNPQRSTUVWXYZ", "23456789"


def _crypto(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make an address that begins alike; of some 10^48, none is somebody's by chance."""
    prefix = match[0] if (match := _CRYPTO_PREFIX.match(reference)) else ""
    n_letters = 4 if prefix.lower() == "0x" else len(_SMALL)
    signs = {str.isdigit: _DIGITS, str.isupper: _LARGE[:n_letters], str.isalpha: _SMALL[:n_letters]}
    found = "".join(
        next((keyed.of(choice) for is_such, choice in signs.items() if is_such(sign)), "")
        for sign in reference[len(prefix) :] + "2" * longer
    )
    return partial(code_like, pack, "".join(filter(str.isalnum, prefix)) + found)


# On no plate of France, as they are taken for digits.
_ON_NO_PLATE = "IO"


def _plate(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make a plate with letters that none has."""
    found = other_signs(keyed, reference, longer, letters=_ON_NO_PLATE)
    return partial(code_like, pack, found)


_IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_MAC = re.compile("[0-9a-f]{12}", re.IGNORECASE)
# Kept for documentation (RFC 5737, RFC 3849, RFC 9542).
_NETS, _NET6, _MAC_BLOCK = ("192.0.2", "198.51.100", "203.0.113"), "2001:db8:", "00005E0053"
_GROUPS = 6


def _net_address(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make an address of those kept for documentation, or where they are used up, of no use."""
    if _IPV4.search(reference):
        net = _NETS[keyed.below(len(_NETS))]
        if longer:  # 240.0.0.0/4 is nobody's (RFC 1112).
            net = f"{240 + keyed.below(15)}.{keyed.below(256)}.{keyed.below(256)}"
        return partial(_address_like, f"{net}.{keyed.below(256)}")
    if _MAC.fullmatch(reference):
        # Without a maker: an address that is given locally, with the second bit.
        block = f"02{other_signs(keyed, '0' * 8)}" if longer else _MAC_BLOCK
        return partial(code_like, pack, f"{block}{keyed.below(256):02X}")
    if ":" in reference:
        n = min(len(re.findall("[0-9a-f]+", reference)), _GROUPS)
        groups = ":".join(f"{1 + keyed.below(65_535):x}" for _ in range(min(n + longer, _GROUPS)))
        return partial(_address_like, _NET6 + (groups if n == _GROUPS else f":{groups}"))
    return _other(pack, keyed, reference, longer)


def _address_like(address: str, written: str) -> str:
    """Return an address of the net with what stands around one of four numbers: a port."""
    if _IPV4.search(written) and "." in address:
        return _IPV4.sub(address, written, count=1)
    return address.upper() if written.isupper() else address


_RUN = re.compile("[0-9]+")
# Other letters are those of a code of a place; these three are in none (Open Location Code).
_IN_NO_CODE = "AIO"


@cache
def _of_coordinates(pack: Pack) -> re.Pattern[str]:
    words = any_of(word.upper() for word in (*pack.places.links, *pack.places.directions))
    return re.compile(
        f"(?:[^A-Z]|GEO|LAT(?:ITUDE)?|LONG?(?:ITUDE)?|LNG|[NSEWO]|{words})*+", re.ASCII
    )


def _coordinates(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make coordinates within a degree of 0° N, 0° E: open sea; as many digits behind the point."""
    runs = [*_RUN.finditer(reference)]
    if not runs or not _of_coordinates(pack).fullmatch(reference):
        return partial(code_like, pack, other_signs(keyed, reference, longer, letters=_IN_NO_CODE))
    is_fraction = _fractions(reference, runs)
    n_whole = is_fraction.count(False)
    # Degrees alone, or with minutes, or with seconds, too: twice as many.
    per_coordinate = n_whole // 2 if n_whole in (4, 6) else 1
    found, whole = [], 0
    for run, fraction in zip(runs, is_fraction, strict=True):
        if fraction:
            found.append(other_signs(keyed, run[0]))
            continue
        is_degree = whole % per_coordinate == 0
        found.append("0" if is_degree else f"{keyed.below(60):0{len(run[0])}}")
        whole += 1
    if longer:
        found[-1] += "." * (not is_fraction[-1]) + other_signs(keyed, "0" * longer)
    return partial(_coordinates_like, found, reference)


def _fractions(text: str, runs: Sequence[re.Match[str]]) -> list[bool]:
    """Return which runs of digits stand behind a decimal point or comma."""
    if "." not in text and "°" not in text and len(runs) == 4:
        return [False, True, False, True]
    return [run.start() > 0 and text[run.start() - 1] == "." for run in runs]


def _coordinates_like(found: Sequence[str], reference: str, written: str) -> str:
    shown = written if len(_RUN.findall(written)) == len(found) else reference
    left = iter(found)
    return _RUN.sub(lambda _: next(left), shown)


MAKERS: dict[IdentifierType, Maker] = {
    IdentifierType.IBA: _iban,
    IdentifierType.CRT: _card,
    IdentifierType.NIR: _social_security,
    IdentifierType.SIR: _company,
    IdentifierType.CRY: _crypto,
    IdentifierType.IMM: _plate,
    IdentifierType.DDN: birth_date,
    IdentifierType.IPA: _net_address,
    IdentifierType.GPS: _coordinates,
}
