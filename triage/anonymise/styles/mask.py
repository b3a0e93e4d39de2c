"""A cross for each character of an identifier."""

from ..records import Spelling


class Mask:
    """Replaces each character of an identifier by ``x``.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> Mask().replacement(Spelling("Patrice", IdentifierType.PRE))
    'xxxxxxx'
    """

    reversible = False

    def replacement(self, spelling: Spelling) -> str:
        """Return as many crosses as a spelling has characters (code points)."""
        return "x" * len(spelling.text)
