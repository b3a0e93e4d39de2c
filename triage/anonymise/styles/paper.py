"""The tags of the paper (section 3.1): with the entry of the dictionary of first names."""

from collections.abc import Iterator

from triage.dictionaries import Lexicon
from triage.dictionaries.lexicon import FIRST_NAMES
from triage.dictionaries.normal import fold, normal

from ...vocabulary import IdentifierType
from ..entity import canonical
from ..records import Spelling
from .tag import tag


class Paper:
    """Replaces a first name by its type, its length and its number in the dictionary.

    Anybody who has the dictionary can read the names back. Identifiers that are no first names,
    and first names that the dictionary lacks, have no number.

    Parameters
    ----------
    lexicon : Lexicon
        The number of a name is its place in the list `first_names`, from 1; those of
        `further_first_names` follow.

    Examples
    --------
    >>> from triage.dictionaries import Role, WordList
    >>> names = WordList("first_names", Role.DICTIONARY, ("anouk", "patrice"))
    >>> style = Paper(Lexicon([names]))
    >>> [style.replacement(Spelling(name, IdentifierType.PRE)) for name in ("Patriiice", "Zo")]
    ['<PRE_9_2>', '<PRE_2>']
    """

    reversible = True

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._exact: dict[str, int] = {}
        self._folded: dict[str, int] = {}
        for number, name in enumerate(_entries(lexicon), 1):
            self._exact.setdefault(normal(name), number)
            self._folded.setdefault(fold(name), number)

    def replacement(self, spelling: Spelling) -> str:
        """Return the tag of a spelling."""
        number = self._number(spelling) if spelling.type is IdentifierType.PRE else 0
        return tag(spelling, str(number) if number else "")

    def _number(self, spelling: Spelling) -> int:
        """Return the number of the entry of a first name; 0 where there is none."""
        text = spelling.text
        written = self._exact.get(normal(text)) or self._folded.get(fold(text))
        return written or self._folded.get(canonical(text, spelling.type, self._lexicon), 0)


def _entries(lexicon: Lexicon) -> Iterator[str]:
    """Yield the entries of the dictionary, exceptions too: a number is the line of a list."""
    for name in FIRST_NAMES:
        for words in lexicon.lists:
            if words.name == name:
                yield from words.words
