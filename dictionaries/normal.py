"""How words are made comparable: one way to write case, accents, apostrophes."""

import re
import unicodedata

from triage.dictionaries.legible import INVISIBLE

_APOSTROPHES = "’‘ʼ`´"
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_COMBINING = re.compile(f"[\u0300-\u036f{INVISIBLE}]+")


def normal(text: str) -> str:
    """Return a text as the lists are searched: lower case, composed accents, plain apostrophes.

    Characters that are not seen, such as soft hyphens, are left out.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> normal("L’Été")
    "l'été"
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    for apostrophe in _APOSTROPHES:
        text = text.replace(apostrophe, "'")
    text = _INVISIBLE.sub("", text)
    return text if text.islower() else text.lower()


def fold(text: str) -> str:
    """Return a text in lower case without accents and ligatures; its line breaks stay.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> fold("Dèsolé, ma sœur")
    'desole, ma soeur'
    """
    if text.isascii():
        return text.lower()
    text = text.lower()
    for accented, base in _FRENCH:
        text = text.replace(accented, base)
    if text.isascii():
        return text
    return _COMBINING.sub("", unicodedata.normalize("NFD", text))


# Pairs for chained replacement, which is 30 times faster on a list than normalisation.
_FRENCH = (
    *((char, unicodedata.normalize("NFD", char)[0]) for char in "éèêëàâäîïôöùûüçÿñáíóúãõ"),
    *(("œ", "oe"), ("æ", "ae"), ("ø", "o"), ("ł", "l"), ("ß", "ss")),
)


def folded(word: str) -> str:
    """Return a word as words are compared: without case, accents and typographic apostrophes.

    Parameters
    ----------
    word : str

    Returns
    -------
    str

    Examples
    --------
    >>> folded("L’Éléa")
    "l'elea"
    """
    return fold(normal(word))
