"""A message as patterns read it: one sign for what looks alike, and nothing that is not seen.

A telephone number is one whether plain, no-break or thin spaces stand between its digits, hyphens
or dashes, whether its digits are of full width or keycaps, and whether a direction mark that came
with it from an address book stands inside. Patterns are written for ASCII and look here.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

# Combining marks belong to the character before them, as the keycap does to its digit.
_MARKS = "\u0300-\u036f\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f"
# Controls, zero-width characters, direction marks, soft hyphens.
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f"
)
_UNSEEN = re.compile(f"[\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f{_MARKS}{INVISIBLE}]")
_MARK = re.compile(f"[{_MARKS}]")
# Most messages hold nothing else than these.
_RARE = re.compile("[^\n -~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u2018\u2019\u2026\u20ac]")
_ALIKE = {
    **dict.fromkeys("\t\x1f\u2800", " "),
    **dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"),
    **dict.fromkeys("\u2043\u2212", "-"),
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\u2022\u2027\u2219\u22c5\u30fb\uff65", "·"),
}
_OF_CATEGORY = {"Zs": " ", "Pd": "-"}


@dataclass(frozen=True, slots=True)
class Legible:
    """A message as patterns read it.

    Parameters
    ----------
    text : str
        With plain spaces, hyphens and digits, and without what is not seen.
    message : str
        As it was written.
    kept : tuple of int
        Where the characters of the text stand in the message; empty where none was left out.
    """

    text: str
    message: str
    kept: tuple[int, ...] = ()

    @classmethod
    def of(cls, message: str) -> "Legible":
        """Read a message.

        Parameters
        ----------
        message : str

        Examples
        --------
        >>> legible = Legible.of("Tel\u00a0: 0\ufe0f\u20e36\ufe0f\u20e3‑39")
        >>> legible.text, legible.span(6, 11)
        ('Tel : 06-39', (6, 15))
        """
        if not _RARE.search(message):
            return cls(message, message)
        if not _UNSEEN.search(message):
            return cls("".join(map(_plain, message)), message)
        kept = tuple(i for i, sign in enumerate(message) if not _UNSEEN.match(sign))
        return cls("".join(_plain(message[i]) for i in kept), message, kept)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of the text stands in the message.

        Parameters
        ----------
        start, end : int
            Of at least one character.
        """
        if not self.kept:
            return start, end
        behind = self.kept[end - 1] + 1
        while behind < len(self.message) and _MARK.match(self.message[behind]):
            behind += 1
        return self.kept[start], behind


def is_plain(message: str) -> bool:
    """Tell whether a message has no character, control characters aside, that is read as another.

    Parameters
    ----------
    message : str
    """
    return message.isascii() or not _RARE.search(message)


def legible(text: str) -> str:
    """Return a text as patterns read it.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> legible("０６\u202f39–98")
    '06 39-98'
    """
    return Legible.of(text).text


@lru_cache(maxsize=4096)
def _plain(sign: str) -> str:
    """Return the ASCII character that a character stands for; itself where it stands for none."""
    if sign in _ALIKE:
        return _ALIKE[sign]
    plain = _OF_CATEGORY.get(unicodedata.category(sign), sign)
    digit = unicodedata.decimal(sign, None)
    if digit is not None:
        return str(digit)
    # A raised 2, as in m², is no digit of a number.
    if not unicodedata.decomposition(sign).startswith(("<super>", "<sub>")):
        wide = unicodedata.normalize("NFKC", sign)
        if len(wide) == 1 and wide.isascii():
            return wide
    return plain
