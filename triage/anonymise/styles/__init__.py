"""The styles in which identifiers are replaced, a module each."""

from ..records import Style, StyleName
from .consistent import Consistent
from .context import StyleContext
from .mask import Mask
from .paper import Paper
from .surrogate import Surrogate
from .tag import Tag

__all__ = [
    "Consistent",
    "Mask",
    "Paper",
    "StyleContext",
    "Surrogate",
    "Tag",
    "make_style",
]


def make_style(name: StyleName, context: StyleContext) -> Style:
    r"""Return a style, ready to replace the identifiers of a corpus.

    Parameters
    ----------
    name : StyleName
    context : StyleContext

    Returns
    -------
    Style

    Raises
    ------
    TriageError
        If the style needs a key and there is none, or a corpus has more telephone numbers than
        there are numbers for fiction.

    Examples
    --------
    >>> from triage.dictionaries import load_lexicon
    >>> from triage.anonymise.records import Spelling
    >>> from triage.vocabulary import IdentifierType
    >>> nico, nicolas = (Spelling(name, IdentifierType.PRE) for name in ("Nico", "NICOLAS"))
    >>> context = StyleContext(load_lexicon("fr"), b"\1" * 32, [nico, nicolas])
    >>> style = make_style(StyleName.CONSISTENT, context)
    >>> style.replacement(nico)[7:] == style.replacement(nicolas)[7:]
    True
    """
    match name:
        case StyleName.TAG:
            return Tag()
        case StyleName.PAPER:
            return Paper(context.lexicon)
        case StyleName.CONSISTENT:
            return Consistent(context)
        case StyleName.SURROGATE:
            return Surrogate(context)
        case StyleName.MASK:
            return Mask()
