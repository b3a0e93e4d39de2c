"""Words that nobody is called by, where lists are used up or cannot help."""

from ..keyed import Keyed

_CONSONANTS, _VOWELS = "bcdfgjlmnprstv", "aeiou"

# What an invented word ends in, so that it reads like one of its kind.
MALE = ("el", "in", "ien", "ot", "an", "ic")
FEMALE = ("elle", "ine", "ette", "ia", "anne")
NICKNAME = ("ou", "i", "o", "inou", "ette")
LAST_NAME = ("ard", "ier", "eau", "el", "in", "on")
TOWN = ("ac", "an", "y", "ville", "ens", "ieu")
BRAND = ("ix", "ora", "ium", "eo", "is")
STREET = ("iers", "ettes", "ines", "els")
PLAIN = ("",)


def invented(keyed: Keyed, length: int, endings: tuple[str, ...] = PLAIN) -> str:
    """Return an invented word in small letters that can be said aloud.

    Parameters
    ----------
    keyed : Keyed
    length : int
        In characters; at least 1.
    endings : tuple of str
        Of which one is taken, where there is room for it.

    Returns
    -------
    str

    Examples
    --------
    >>> len(invented(Keyed(b"key"), 7, TOWN))
    7
    """
    ending = endings[keyed.below(len(endings))]
    if length < len(ending) + 2:
        ending = ""
    letters: list[str] = []
    vowel = not ending or ending[0] not in _VOWELS + "y"
    while len(letters) + len(ending) < length:
        letters.append(keyed.of(_VOWELS if vowel else _CONSONANTS))
        vowel = not vowel
    return "".join(reversed(letters)) + ending
