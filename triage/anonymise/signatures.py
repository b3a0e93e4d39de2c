"""Where a message is signed: which of its names is the sender's own.

A name signs where it introduces itself (*Coucou, c'est Marie*, *Marie à l'appareil*), stands alone
on the last line, or behind a farewell and a sign (*Bisous, Marie*). *Bisous Marie* is as often said
to Marie.
"""

import re
from collections.abc import Iterable, Iterator

from triage.dictionaries.normal import fold

from ..decide.precedence import Identifier
from ..vocabulary import IdentifierType
from .entity import PERSONS

_NAMES = PERSONS | {IdentifierType.NOM}
# So many characters before and behind a name are read.
_REACH = 60

_GREETING = "bonjour|bjr|bonsoir|bsr|salut|slt|coucou|cc|kikou|hello|hey|yo|re|ciao|allo"
_FAREWELL = (
    "bisous?|bizous?|bisoux|bizoux|bises?|bizz{0,9}|bzz{0,3}|kiss|love|xoxo|cordialement|"
    "amicalement|amities|sincerement|tchao|ciao|salut|(?:a|au) (?:plus|demain|bientot|tout|toute|"
    "tantot|revoir)|a ?\\+|a tres (?:vite|bientot)|(?:bonne|bon|belle) [a-z-]{2,12}|tcho"
)
# « c'est Marie » where a message or a sentence begins, perhaps behind a greeting.
_INTRODUCES = re.compile(
    rf"(?:^|[.!?,;:\n])\s{{0,3}}(?:(?:{_GREETING})(?: [^\W\d_]{{1,15}}){{0,2}},?\s{{1,2}})?"
    r"(?:moi,? )?(?:c ?['’]? ?est|ici|je m ?['’]?appell?e|signee?)\s{0,2}[:,]?\s{0,2}$"
)
_LAST_LINE = re.compile(r"\S\s{0,3}\n\s{0,3}[-–—@]?\s{0,2}$")
_SIGNS_OFF = re.compile(
    rf"(?<![^\W_])(?:{_FAREWELL})(?: [^\W\d_]{{1,12}}){{0,4}}\s{{0,2}}[.,!;:…~–—-]{{1,3}}\s{{0,3}}$"
)
_AT_THE_PHONE = re.compile(r"\s{1,2}a l ?['’]?appareil\b")
_OF_ANOTHER = re.compile(r"\s{0,2}(?:\?|(?:qui|que|ki|ke|k|pas)\b)")
_NOTHING = re.compile(r"(?:<3|[^\w?]){0,12}")


def signed(text: str, found: Iterable[Identifier]) -> Iterator[Identifier]:
    """Yield the names of persons with which a message is signed; of *Marie Dupont*, the first.

    Identifiers are in order.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> marie = Identifier(8, 13, IdentifierType.PRE, "evidence")
    >>> texts = ("Bisous, Marie", "T'es où Marie ?", "Salut ! Marie arrive")
    >>> [bool([*signed(text, [marie])]) for text in texts]
    [True, False, False]
    """
    run: list[Identifier] = []
    for one in [*found, None]:
        if run and (one is None or one.start > run[-1].end + 1):
            before = fold(text[max(0, run[0].start - _REACH) : run[0].start])
            behind = fold(text[run[-1].end : run[-1].end + _REACH])
            if run[0].type in _NAMES and _is_signed(before, behind):
                yield run[0]
            run = []
        if one:
            run.append(one)


def _is_signed(before: str, behind: str) -> bool:
    if _AT_THE_PHONE.match(behind):
        return True
    if _INTRODUCES.search(before):
        return not _OF_ANOTHER.match(behind)
    is_last = len(behind) < _REACH and _NOTHING.fullmatch(behind)
    return bool(is_last and (_LAST_LINE.search(before) or _SIGNS_OFF.search(before)))
