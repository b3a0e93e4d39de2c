"""Pattern-matched identifiers: telephone, e-mail, URL, code, street address.

They are looked for in the legible message (`triage.dictionaries.normal.Legible`). Every expression
is linear on hostile input: each repetition is bounded, or possessive and followed by something that
it cannot match.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from triage.dictionaries.lists import settings
from triage.dictionaries.normal import Legible, is_plain


class Kind(StrEnum):
    """The kind of a word, before any dictionary is asked.

    The first group are pattern-matched identifiers, named by the types of the published corpus;
    `MASKED` is an identifier that somebody has already replaced (``<PRE_7>``).
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


@dataclass(frozen=True, slots=True)
class Span:
    """A span of a message, in characters, and its kind."""

    start: int
    end: int
    kind: Kind


# The marks of the published corpus (<PRE_7>, <ADR_LIE_21>) and of the paper (<PRE_7_17316>).
_MASKED = r"<[A-Z]{3}(?:_[A-Z]{3}){0,3}(?:_[0-9A-Za-z]{1,12}){1,2}>"
_MAIL = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
_DOMAIN = r"(?<![\w.@-])(?:[\w-]{1,63}\.){1,4}(?:com|fr|net|org|eu|be|ch|info|tv)\b"
_ADDRESS_REST = r"[^\s<>\"]{0,2000}+"
_URL = rf"(?i:https?://|www\.){_ADDRESS_REST}|{_DOMAIN}(?:/{_ADDRESS_REST})?"
_SIGN = r"[.\-/_·]"
_GAP = rf"(?:{_SIGN}| {{0,3}})"


def _french(*gaps: str) -> str:
    """Return the form of a French number, in pairs of digits with four gaps between them."""
    pairs = "".join(rf"{gap}\d\d" for gap in gaps)
    return rf"(?:(?:\+|00) {{0,2}}33{_GAP}(?:\(0\){_GAP})?|0)[1-9]{pairs}"


_FRENCH_NUMBER = _french(_GAP, _GAP, _GAP, _GAP)
_IN_THREES = rf"0[1-9]\d?(?:{_GAP}\d{{3}}){{2}}{_GAP}\d{{2}}|0[1-9]\d\d(?:{_GAP}\d{{3}}){{2}}"
# "06 - 39 - 98 - 12 - 34": the same sign throughout, and no longer list.
_SPACED = (
    rf"(?<!\d{_SIGN})(?<!\d{_SIGN} )(?<!\d {_SIGN} )"
    rf"0[1-9] {{0,2}}({_SIGN}{{1,3}}+) {{0,2}}\d\d(?: {{0,2}}\1 {{0,2}}\d\d){{3}}"
    r"(?! {0,2}\1 {0,2}\d)"
)
# A number that the end of a line breaks: no date with what stands below it, and no number of the
# line above with a whole telephone number below.
_LINE_END = r" {0,2}\n{1,2} {0,2}"
_NO_DAY = rf"(?<!\d[./-])(?!\d\d[./-](?:0\d|1[0-2])[./-]\d\d{_LINE_END})"
_BREAK = rf"{_LINE_END}(?!{_FRENCH_NUMBER})"
_BROKEN = "|".join(_french(*[_GAP] * i, _BREAK, *[_GAP] * (3 - i)) for i in range(4))
# A pair of digits on each line; six or more such lines are a column of numbers.
_STACKED = rf"(?<!\d\n)(?!(?:\d\d{_LINE_END}){{5}}\d){_french(_BREAK, _BREAK, _BREAK, _BREAK)}"
_EIGHT_DIGITS = r"(?=(?:[ .\-/()_·]{0,3}\d){8})"
_AREA = rf"(?:{_GAP}(?:\(\d{{1,4}}\)|\d))?"
_FOREIGN_NUMBER = rf"(?:\+|00){_EIGHT_DIGITS}[1-9]\d{{0,2}}{_AREA}(?:{_GAP}\d{{2,4}}){{2,5}}"
# A date with an hour behind it has the ten digits of a telephone number: 01/02/2012 18h30.
_NO_DATE = r"(?!\d\d ?[./_·-] ?\d\d ?[./_·-] ?(?:19|20)\d\d(?!\d))"
_TEL = (
    rf"(?<![\d+]){_NO_DATE}"
    rf"(?:{_FRENCH_NUMBER}|{_IN_THREES}|{_SPACED}|{_NO_DAY}(?:{_BROKEN}|{_STACKED})"
    rf"|{_FOREIGN_NUMBER})(?!\d)"
)

_CODES = settings("fr")["codes"]
# A code stands behind its trigger, with little words between: "le code c'est 45B78".
_CODE_TRIGGER = rf"\b(?:{'|'.join(_CODES['triggers'])})\b"
_LITTLE_WORDS = rf"(?:[ :,;.=]{{1,4}}(?:{'|'.join(_CODES['between'])})){{0,5}}"
_NO_QUANTITY = rf"(?!\d+(?:{_CODES['units']})\b)"
_CODE = rf"{_NO_QUANTITY}(?:[A-Z]{{0,3}}\d[\dA-Z]{{2,14}}[A-Z*#]?|[A-Z]\d{{2,8}})(?![\w])"
# Three signs of a code, hours and minutes aside.
_CODE_LIKE = "[0-9](?:[0-9A-Z]{2}|[a-gi-z][0-9]|[0-9](?:[a-gi-ln-z]|(?<=[A-GI-Za-gi-z][0-9]{2})))"
_COD = rf"{_CODE_TRIGGER}{_LITTLE_WORDS}[ :,;=]{{1,4}}(?P<COD>{_CODE})"

# A street address: number, street type, name up to the end of the clause, perhaps a postcode.
_STREET = rf"(?:{'|'.join(settings('fr')['streets']['types'])})"
_NAME_LINK = rf"(?:{'|'.join(settings('fr')['streets']['links'])})"
_ADR = (
    rf"\b\d{{1,4}}(?: ?(?:bis|ter|[a-dA-D]\b))?,? {{1,2}}{_STREET} (?:{_NAME_LINK} ?)?"
    r"[^\W\d_]['’\w-]{1,30}(?: (?-i:[A-ZÉÈ])[\w'’-]{1,30}){0,4}"
    r"(?:,? {0,2}\d{5}(?: (?-i:[A-ZÉÈ])[\w'’-]{1,40}){0,3})?"
)

_COMMON_DOMAIN = r"\.(?:com|fr|net|org|eu|be|ch|info|tv)\b"


# The expression of each kind, and a cheap test that most messages fail.
_PATTERNS = tuple(
    (kind, re.compile(possible), re.compile(form))
    for kind, possible, form in (
        (Kind.MASKED, "<[A-Z]{3}_", _MASKED),
        (Kind.MEL, "@", _MAIL),
        (Kind.URL, rf"://|w\.|W\.|{_COMMON_DOMAIN}", _URL),
        (Kind.TEL, r"[0-9](?:[ .\-/()_·\n]{0,6}+[0-9]){7}", _TEL),
        (Kind.ADR, "[0-9](?:,? | ?[a-dtA-D])", f"(?i:{_ADR})"),
        (Kind.COD, _CODE_LIKE, f"(?i:{_COD})"),
    )
)
_TRAILING = ".,;:!?)]}»\"'’"


def identifiers(message: str) -> list[Span]:
    """Find the pattern-matched identifiers of a message, in order and not overlapping.

    Examples
    --------
    >>> text = "Tel 06 39 98 12 34, le code c'est 45B78"
    >>> [(text[s.start : s.end], s.kind.name) for s in identifiers(text)]
    [('06 39 98 12 34', 'TEL'), ('45B78', 'COD')]
    """
    if is_plain(message) and not _is_possible(message):
        return []
    legible = Legible.of(message)
    found = [
        _span(kind, match, legible)
        for kind, possible, form in _PATTERNS
        if possible.search(legible.text)
        for match in form.finditer(legible.text)
    ]
    kept: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _span(kind: Kind, match: re.Match[str], legible: Legible) -> Span:
    start, end = match.span(match.lastgroup or 0)
    if kind is Kind.URL:
        end = start + len(match[0].rstrip(_TRAILING))
    return Span(*legible.span(start, end), kind)


def _is_possible(message: str) -> bool:
    """Exclude quickly the messages that cannot hold an identifier, six in seven."""
    return bool(
        _DIGIT_OR_AT.search(message)
        or "://" in message
        or ("<" in message and _MASK_START.search(message))
        or ("." in message and _WEB.search(message))
    )


_DIGIT_OR_AT = re.compile("[0-9@]")
_MASK_START = re.compile("<[A-Z]{3}_")
_WEB = re.compile(rf"w\.|W\.|{_COMMON_DOMAIN}")
