"""Addresses of crypto-currencies."""

import re
from hashlib import sha256

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import Recogniser, behind

_BASE58 = "[1-9A-HJ-NP-Za-km-z]"
# No other word is as long.
_LONG = "[0-9a-z]{26}"
_START, _END = r"(?<![^\W_])", r"(?![^\W_])"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
# The remainders of Bech32 and, from the second version of addresses on, Bech32m (BIP 350).
_REMAINDERS = (1, 0x2BC830A3)
# First bytes of addresses: Bitcoin, Litecoin, Dogecoin, Dash, Tron.
_VERSIONS = frozenset({0x00, 0x05, 0x30, 0x32, 0x1E, 0x16, 0x4C, 0x10, 0x41})


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
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
