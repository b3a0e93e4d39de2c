"""Addresses of machines: IPv4, IPv6, MAC."""

import re
from ipaddress import ip_address

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of, behind

_IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}(?![\w]|[.,]\d)"
_IPV6 = r"(?<![\w:.])(?=[0-9A-Fa-f:]{0,5}:)(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{1,4})?(?![\w:])"
_MAC = (
    r"(?<![\w:.-])(?:[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}"
    r"|[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4})(?![\w:-]|\.\w)"
)
_LONG_GROUP = re.compile("[0-9a-f]{3}", re.IGNORECASE)
_LETTER = re.compile("[a-f]", re.IGNORECASE)
_FEWEST_GROUPS = 4


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_ipv4(text: str) -> bool:
    """Tell an address from the number of a version, such as ``3.11.2.1``."""
    first, *others = text.split(".")
    is_large = len(first) > 1 or any(len(number) == len("255") for number in others)
    return is_large and _is_address(text)


def _is_ipv6(text: str) -> bool:
    """Tell an address from hours and smileys, such as ``10::30``."""
    groups = [group for group in text.split(":") if group]
    is_long = len(groups) >= _FEWEST_GROUPS or (len(groups) > 1 and _LONG_GROUP.search(text))
    return bool(is_long) and _is_address(text)


def _is_mac(text: str) -> bool:
    return bool(_LETTER.search(text))


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of addresses of machines."""
    no_address = rf"(?<!\w){any_of(pack.network.no_triggers)}[ :.]{{0,3}}"
    said = behind(pack.network.triggers, pack.network.between, _IPV4)
    ipv4 = rf"{no_address}{_IPV4}|(?<![\w.,])(?P<{FOUND}>{_IPV4})"
    return (
        Recogniser(
            "ipv4",
            Kind.IPA,
            re.compile(f"(?i:{ipv4})"),
            gate=r"\.\d{1,3}\.\d",
            check=_is_ipv4,
            score=0.9,
        ),
        Recogniser(
            "ipv4_said",
            Kind.IPA,
            re.compile(f"(?i:{said})"),
            gate=r"\.\d{1,3}\.\d",
            check=_is_address,
            score=0.9,
        ),
        Recogniser(
            "ipv6",
            Kind.IPA,
            re.compile(_IPV6),
            gate=":[0-9a-f:]{1,5}[0-9a-f:]",
            check=_is_ipv6,
            score=0.9,
        ),
        Recogniser(
            "mac",
            Kind.IPA,
            re.compile(_MAC),
            gate=r"[:-][0-9a-f]{2}[:-][0-9a-f]{2}[:-]|\.[0-9a-f]{4}\.",
            check=_is_mac,
            score=0.92,
        ),
    )
