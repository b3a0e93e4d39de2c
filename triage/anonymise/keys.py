"""Key files, and the choices that follow from a key: the same on every machine.

Who has the key can try names and see whether their pseudonyms come out, so that it stays with
the corpus that was not anonymised, or is deleted.
"""

import hmac
import os
import re
import secrets
from itertools import count
from pathlib import Path

from ..errors import TriageError, reading
from ..safe import Staged, check_is_ordinary, staged

KEY_BYTES = 32
_OTHERS = 0o077


def make_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def key_file(path: str | Path, key: bytes) -> Staged:
    """Stage a key file, which only its owner may read."""
    return staged(path, f"{key.hex()}\n".encode("ascii"), private=True)


def read_key(path: Path) -> bytes:
    check_is_ordinary(path)
    with reading(f"the key file {path}"), path.open("rb") as file:
        status = os.fstat(file.fileno())
        content = file.read(4 * KEY_BYTES)
    # Where there are no owners (Windows), the modes say nothing.
    has_owners = hasattr(os, "getuid")
    problem = ""
    if has_owners and status.st_uid != os.getuid():
        problem = f"the key file {path} belongs to somebody else: make a key of your own"
    elif has_owners and status.st_mode & _OTHERS:
        problem = (
            f"others may read or change the key file {path}: chmod 600 it, or, if they may have"
            " read it, make another key"
        )
    if problem:
        raise TriageError(problem, "key_access", file=path)
    if not re.fullmatch(rb"[0-9a-fA-F]{64}\s*", content):
        raise TriageError(
            f"{path} is no key file: it must hold {2 * KEY_BYTES} hexadecimal digits and nothing"
            " else; --new-key makes one under a name that is not taken",
            "no_key",
            file=path,
        )
    return bytes.fromhex(content.decode("ascii"))


def digested(text: str) -> bytes:
    """Return what a digest takes of a text, of which others follow."""
    # A JSON file can hold half a character, which UTF-8 has no bytes for.
    content = text.encode("utf-8", "surrogatepass")
    return len(content).to_bytes(8, "big") + content


def digest(key: bytes, *purpose: str) -> bytes:
    """Return the keyed hash (HMAC-SHA256, 32 bytes) of a purpose."""
    return hmac.digest(key, b"".join(map(digested, purpose)), "sha256")


class Keyed:
    """Pseudorandom numbers that follow from a key and a purpose."""

    def __init__(self, key: bytes, *purpose: str) -> None:
        seed = digest(key, *purpose)
        blocks = (hmac.digest(seed, i.to_bytes(8, "big"), "sha256") for i in count())
        self._numbers = (
            int.from_bytes(block[i : i + 8], "big") for block in blocks for i in range(0, 32, 8)
        )

    def below(self, n: int) -> int:
        return next(self._numbers) % n

    def of(self, choices: str) -> str:
        return choices[self.below(len(choices))]
