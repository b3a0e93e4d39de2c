"""Guess of which type an identifier is, from its form and from the lists that hold it."""

from triage.dictionaries import Kind, LabelledWord, Lexicon

from ..vocabulary import IdentifierType

# In this order: a word of several lists is of the first type.
_TYPE_OF_LIST = {
    "first_names": IdentifierType.PRE,
    "nicknames": IdentifierType.SUR,
    "further_first_names": IdentifierType.PRE,
    "recent_first_names": IdentifierType.PRE,
    "first_names_abroad": IdentifierType.PRE,
    "brands": IdentifierType.MAR,
    "cities": IdentifierType.LIE,
    "places": IdentifierType.LIE,
    "countries": IdentifierType.LIE,
    "last_names": IdentifierType.NOM,
    "further_last_names": IdentifierType.NOM,
}


def likely_type(word: LabelledWord, lexicon: Lexicon) -> IdentifierType:
    """Return the type of identifier that a word most likely is, if it is one.

    Parameters
    ----------
    word : LabelledWord
    lexicon : Lexicon
        That labelled it.

    Returns
    -------
    IdentifierType
        By its form, else by the first list that holds it; a first name
        where nothing else is known, as most identifiers of text messages are.

    Examples
    --------
    >>> from triage.dictionaries import label_messages, load_lexicon
    >>> labelled = label_messages(["Patrice 06 39 98 12 34"], load_lexicon("fr"))
    >>> [likely_type(word, labelled.lexicon).value for word in labelled.labels]
    ['PRE', 'TEL']
    """
    if word.kind.is_identifier:
        return IdentifierType(word.kind.value)
    if word.kind is not Kind.WORD:
        return IdentifierType.COD
    held = lexicon.names(word.lists)
    found = (kind for name, kind in _TYPE_OF_LIST.items() if name in held)
    return next(found, IdentifierType.PRE)
