"""Tags as published: the type of an identifier and its length."""

from ..records import Spelling


class Tag:
    """Replaces an identifier by its type and the number of its characters.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> Tag().replacement(Spelling("Patrice", IdentifierType.PRE))
    '<PRE_7>'
    """

    reversible = False

    def replacement(self, spelling: Spelling) -> str:
        """Return the tag of a spelling."""
        return tag(spelling)


def tag(spelling: Spelling, code: str = "") -> str:
    """Return a tag in the form of the published corpus.

    Parameters
    ----------
    spelling : Spelling
        Its length is that in characters (code points), as it is written.
    code : str
        Letters and digits behind the length, if any.

    Returns
    -------
    str

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> tag(Spelling("Patrice", IdentifierType.PRE), "17316")
    '<PRE_7_17316>'
    """
    parts = [spelling.type.value, str(len(spelling.text)), *([code] if code else [])]
    return f"<{'_'.join(parts)}>"
