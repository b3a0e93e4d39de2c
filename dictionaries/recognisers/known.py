"""The lists that tell a name from another word; each is read when a check first needs it."""

from functools import cache

from triage.dictionaries.lists import PACKS, read_words
from triage.dictionaries.normal import fold


@cache
def _entries(*lists: str) -> frozenset[str]:
    """Return the entries of French lists, without accents."""
    paths = (PACKS / "fr" / name / "items.txt" for name in lists)
    words = (word for path in paths for word in read_words(path))
    return frozenset(fold("\n".join(words)).split("\n"))


def is_ordinary(word: str) -> bool:
    """Return whether a word is frequent French, as it stands in books or in text messages.

    Examples
    --------
    >>> is_ordinary("merci"), is_ordinary("tkt"), is_ordinary("zoemrt")
    (True, True, False)
    """
    return fold(word) in _entries("frequent_forms", "sms_forms")


def is_common(word: str) -> bool:
    """Return whether a word is among the commonest of French, or of text messages.

    Examples
    --------
    >>> is_common("demain"), is_common("ferry")
    (True, False)
    """
    return fold(word) in _entries("commonest_forms", "sms_forms")


def is_french(word: str) -> bool:
    """Return whether a word is of the French language, in any of its forms.

    Examples
    --------
    >>> is_french("serveuses"), is_french("mermoz")
    (True, False)
    """
    return is_ordinary(word) or fold(word) in _entries("inflected_forms")


def is_town(name: str) -> bool:
    """Return whether a town is called so; its words may stand apart, "st" is "saint".

    Examples
    --------
    >>> is_town("castelnau le lez"), is_town("st jean de vedas"), is_town("personnes")
    (True, True, False)
    """
    joined = f"-{fold(name).replace(' ', '-')}-"
    joined = joined.replace("-st-", "-saint-").replace("-ste-", "-sainte-")
    return joined[1:-1] in _entries("cities")


def is_first_name(word: str) -> bool:
    """Return whether somebody is called so.

    Examples
    --------
    >>> is_first_name("jean"), is_first_name("decathlon")
    (True, False)
    """
    return fold(word) in _entries("first_names", "common_first_names")


def is_brand(word: str) -> bool:
    """Return whether a brand or a firm is called so.

    Examples
    --------
    >>> is_brand("Decathlon"), is_brand("demain")
    (True, False)
    """
    return fold(word) in _entries("brands")
