"""Writing a surrogate as its identifier was written: case, stretching, what is between words."""

import re
import unicodedata
from collections.abc import Sequence

from triage.dictionaries.normal import fold

_WORD = re.compile(r"[^\W_]+")
_STRETCH = re.compile(r"([^\W\d_])\1{2,}$")
_MOST = 30


def cased_like(word: str, written: str) -> str:
    """Return a word in capitals, with a capital or without one, as another is written.

    Examples
    --------
    >>> [cased_like("martine", written) for written in ("PATRICE", "Patrice", "patrice", "P")]
    ['MARTINE', 'Martine', 'martine', 'Martine']
    """
    if written.isupper() and sum(map(str.isalpha, written)) > 1:
        return word.upper()
    if written[:1].islower():
        return word.lower()
    return word[:1].upper() + word[1:].lower()


def written_like(words: Sequence[str], written: str, joiner: str = "-") -> str:
    """Return words as an identifier was written.

    Parameters
    ----------
    words : sequence of str
    written : str
    joiner : str
        Stands between the words where the identifier has not as many.

    Returns
    -------
    str

    Examples
    --------
    >>> written_like(["Paul", "Marc"], "JEAN LUC"), written_like(["Zoé"], "léaaaa")
    ('PAUL MARC', 'zoéééé')
    """
    written = unicodedata.normalize("NFC", written)
    parts = _WORD.findall(written)
    if len(parts) != len(words):
        start = "".join(parts) or written
        return joiner.join(cased_like(word, start) for word in words)
    left = iter(zip(words, parts, strict=True))
    return _WORD.sub(lambda _: _as(*next(left)), written)


def _as(word: str, part: str) -> str:
    stretch = _STRETCH.search(fold(part))
    if stretch and word[-1:].isalpha():
        word += word[-1] * min(len(stretch[0]) - 1, _MOST)
    return cased_like(word, part)
