"""Texts made comparable: as patterns read them (`Legible`) and as lists are searched (`normal`).

Patterns are written for ASCII: a telephone number is one whatever spaces, dashes, digits of another
width, keycaps or direction marks it is written with.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

# Combining marks belong to the character before them, as the keycap does to its digit.
_MARKS = "\u0300-\u036f\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f"
# Controls, zero-width characters, direction marks, soft hyphens.
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f"
)
_UNSEEN = re.compile(f"[\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f{_MARKS}{INVISIBLE}]")
_MARK = re.compile(f"[{_MARKS}]")
# Most messages hold no other characters.
_RARE = re.compile("[^\n -~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u2018\u2019\u2026\u20ac]")
_ALIKE = {
    **dict.fromkeys("\t\x1f\u2800", " "),
    **dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"),
    **dict.fromkeys("\u2043\u2212", "-"),
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\u2022\u2027\u2219\u22c5\u30fb\uff65", "·"),
}
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_COMBINING = re.compile(f"[\u0300-\u036f{INVISIBLE}]+")
_RUN = re.compile(r"(.)\1+")
# Both bound the number of forms of a word.
_MAX_RUNS, _MAX_LETTERS = 6, 60


@dataclass(frozen=True, slots=True)
class Legible:
    """A message as patterns read it."""

    text: str
    message: str
    kept: tuple[int, ...] = ()

    @classmethod
    def of(cls, message: str) -> "Legible":
        if not _RARE.search(message):
            return cls(message, message)
        if not _UNSEEN.search(message):
            return cls("".join(map(_plain, message)), message)
        kept = tuple(i for i, sign in enumerate(message) if not _UNSEEN.match(sign))
        return cls("".join(_plain(message[i]) for i in kept), message, kept)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the message of a span of the text, at least one character long."""
        if not self.kept:
            return start, end
        message_end = self.kept[end - 1] + 1
        while message_end < len(self.message) and _MARK.match(self.message[message_end]):
            message_end += 1
        return self.kept[start], message_end


@lru_cache(maxsize=4096)
def _plain(sign: str) -> str:
    """Return the ASCII equivalent of a character, or the character itself if it has none."""
    if sign in _ALIKE:
        return _ALIKE[sign]
    if (digit := unicodedata.decimal(sign, None)) is not None:
        return str(digit)
    # A raised 2, as in m², is no digit of a number.
    is_raised = unicodedata.decomposition(sign).startswith(("<super>", "<sub>"))
    narrow = unicodedata.normalize("NFKC", sign)
    if not is_raised and len(narrow) == 1 and narrow.isascii():
        return narrow
    return {"Zs": " ", "Pd": "-"}.get(unicodedata.category(sign), sign)


# Pairs for chained replacement, which is 30 times faster on a list than normalisation.
_BASE_LETTERS = (
    *((char, unicodedata.normalize("NFD", char)[0]) for char in "éèêëàâäîïôöùûüçÿñáíóúãõ"),
    *(("œ", "oe"), ("æ", "ae"), ("ø", "o"), ("ł", "l"), ("ß", "ss")),
)
# Letters of *Đức* and *Yıldız* without an accent to take off; in the lists they stay.
_PLAIN_LETTERS = str.maketrans("đı", "di")


def normal(text: str) -> str:
    """Return a text as the lists are searched: lower case, composed accents, plain apostrophes."""
    if text.isascii():
        return text.lower().replace("`", "'")
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    for apostrophe in "’‘ʼ`´":
        text = text.replace(apostrophe, "'")
    text = _INVISIBLE.sub("", text)
    return text if text.islower() else text.lower()


def fold(text: str) -> str:
    """Return a text in lower case without accents and ligatures; its line breaks stay."""
    if text.isascii():
        return text.lower()
    text = text.lower()
    for accented, base in _BASE_LETTERS:
        text = text.replace(accented, base)
    if text.isascii():
        return text
    return _COMBINING.sub("", unicodedata.normalize("NFD", text))


def each(function: Callable[[str], str], words: Sequence[str]) -> list[str]:
    """Apply `normal` or `fold` to words, as a rule to all of them in one text: it is faster."""
    together = "\n".join(words)
    if together.count("\n") == len(words) - 1:
        return function(together).split("\n")
    return [*map(function, words)]  # none, or a name of two lines


def folded(word: str) -> str:
    """Return a word as people's names are compared: `fold` what is `normal`, and plain đ and ı."""
    return fold(normal(word)).translate(_PLAIN_LETTERS)


def without_runs(word: str, length: int = 1) -> str:
    """Return a word with each run of a letter cut to this length."""
    return _RUN.sub(r"\1" * length, word)


def shorter_runs(word: str, pair: tuple[int, ...] = (2, 1)) -> Iterator[str]:
    """Yield a word with each run of a letter as two of it or one, the least shortened first."""
    if not _RUN.search(word):
        return
    runs = [(match[1], len(match[0])) for match in re.finditer(r"(.)\1*", word)]
    if len(runs) > _MAX_LETTERS:
        return
    may_vary = sum(n > 1 for _, n in runs) <= _MAX_RUNS
    choices = [(1,) if n == 1 or not may_vary else (2, 1) if n > 2 else pair for _, n in runs]
    for lengths in product(*choices):
        yield "".join(letter * n for (letter, _), n in zip(runs, lengths, strict=True))


def consonants_of(word: str) -> str:
    """Return the consonants of a word in lower case without accents, each run as one letter."""
    return _RUN.sub(r"\1", re.sub("[aeiou]", "", word))
