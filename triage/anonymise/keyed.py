"""Choices that follow from a key: the same key and purpose, the same choices, on every machine."""

import hashlib
import hmac
from itertools import count


def digest(key: bytes, *purpose: str) -> bytes:
    """Return the keyed hash (HMAC-SHA256) of what it is for.

    Parameters
    ----------
    key : bytes
    *purpose : str
        Told apart however they are cut: ``("a", "bc")`` is not ``("ab", "c")``.

    Returns
    -------
    bytes
        32 of them.
    """
    # A JSON file can hold half a character, which UTF-8 has no bytes for.
    parts = [part.encode("utf-8", "surrogatepass") for part in purpose]
    message = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return hmac.new(key, message, hashlib.sha256).digest()


class Keyed:
    """Numbers that look random and follow from a key and what they are for.

    Parameters
    ----------
    key : bytes
    *purpose : str

    Examples
    --------
    >>> first, same = Keyed(b"key", "a town"), Keyed(b"key", "a town")
    >>> [first.below(10) for _ in range(5)] == [same.below(10) for _ in range(5)]
    True
    """

    def __init__(self, key: bytes, *purpose: str) -> None:
        seed = digest(key, *purpose)
        blocks = (hmac.digest(seed, i.to_bytes(8, "big"), "sha256") for i in count())
        self._numbers = (
            int.from_bytes(block[i : i + 8], "big") for block in blocks for i in range(0, 32, 8)
        )

    def below(self, n: int) -> int:
        """Return the next number, from 0 to `n` - 1."""
        return next(self._numbers) % n

    def of(self, choices: str) -> str:
        """Return the next choice of these characters."""
        return choices[self.below(len(choices))]
