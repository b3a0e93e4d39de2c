"""What a word can be: its label (Table 1 of the paper) and what kind of word it is."""

from enum import StrEnum


class Role(StrEnum):
    """What a word list says of the words that it holds (paper, section 3.2)."""

    DICTIONARY = "dictionary"
    ANTI_DICTIONARY = "anti-dictionary"
    FEATURE = "feature"


class Label(StrEnum):
    """Where a word was found (paper, Table 1)."""

    DICTIONARY = "DICTIONARY"
    ANTI_DICTIONARY = "ANTI_DICTIONARY"
    AMBIGUOUS = "AMBIGUOUS"
    UNKNOWN = "UNKNOWN"

    @classmethod
    def of(cls, in_dictionary: bool, in_anti_dictionary: bool) -> "Label":
        """Return the label of a word by its presence in the two kinds of dictionaries.

        Parameters
        ----------
        in_dictionary, in_anti_dictionary : bool
            Whether a list of that role holds the word.

        Returns
        -------
        Label
            Paper, Table 1.

        Examples
        --------
        >>> Label.of(in_dictionary=True, in_anti_dictionary=True).name  # Pierre
        'AMBIGUOUS'
        """
        if in_dictionary:
            return cls.AMBIGUOUS if in_anti_dictionary else cls.DICTIONARY
        return cls.ANTI_DICTIONARY if in_anti_dictionary else cls.UNKNOWN


class Kind(StrEnum):
    """What a stretch of a message is, before any dictionary is asked.

    The first group are identifiers found by their form, named by the types of the published
    corpus; `MASKED` is an identifier that somebody has already replaced (``<PRE_7>``).
    """

    TEL = "TEL"
    MEL = "MEL"
    URL = "URL"
    COD = "COD"
    ADR = "ADR"
    MASKED = "MASKED"
    WORD = "WORD"
    NUMBER = "NUMBER"
    HOUR = "HOUR"
    SMILEY = "SMILEY"
    EMOJI = "EMOJI"
    PUNCTUATION = "PUNCTUATION"

    @property
    def is_identifier(self) -> bool:
        """Return whether words of this kind identify someone by their form alone."""
        return self in _IDENTIFIERS


_IDENTIFIERS = frozenset({Kind.TEL, Kind.MEL, Kind.URL, Kind.COD, Kind.ADR})
