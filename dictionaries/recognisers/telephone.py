"""Telephone numbers."""

import re
from itertools import pairwise

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.quantities import no_unit
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of, behind

_SIGN = r"[.\-/_·]"
_GAP = rf"(?:{_SIGN}| {{0,4}})"
_CODE_OF_FRANCE = r"(?:\((?:\+|00) {0,2}33\)|(?:\+|00)(?:\.| {0,2})33)"
# Letters that look like digits: O6 39 98 l2 34.
_ALIKE = "OoIl"


def _french(*gaps: str, zero: str = "0", digit: str = r"\d") -> str:
    """Return the form of a French number, in pairs of digits with four gaps between them."""
    pairs = "".join(rf"{gap}{digit}{digit}" for gap in gaps)
    before = rf"{_CODE_OF_FRANCE}{_GAP}(?:\(0\)|{zero})?{_GAP}|33 ?(?=[67])|{zero}"
    return rf"(?:{before})(?!0){digit}{pairs}"


def _grouped(sizes: str) -> str:
    """Return the form of a French number in groups of such sizes."""
    first, *others = map(int, sizes)
    start = "0(?! {0,4}0)" if first == 1 else rf"0[1-9]\d{{{first - 2}}}"
    return start + "".join(rf"{_GAP}\d{{{size}}}" for size in others)


_FRENCH_NUMBER = _french(_GAP, _GAP, _GAP, _GAP)
_GROUPED = "|".join(map(_grouped, ("2332", "433", "3322", "334", "3223", "2233", "55", "1333")))
# "0 6 3 9 9 8 1 2 3 4", but not any digits that are counted.
_ONE_BY_ONE = r"0(?P<one>[ .\-])[67](?:(?P=one)\d){8}(?!(?P=one)\d)"
# "06 - 39 - 98 - 12 - 34": the same sign throughout, and no longer list.
_SPACED = (
    rf"(?<!\d{_SIGN})(?<!\d{_SIGN} )(?<!\d {_SIGN} )"
    rf"0[1-9] {{0,2}}(?P<sign>{_SIGN}{{1,3}}+) {{0,2}}\d\d(?: {{0,2}}(?P=sign) {{0,2}}\d\d){{3}}"
    r"(?! {0,2}(?P=sign) {0,2}\d)"
)
# Mobile numbers also with other signs, or with several.
_LOOSE = r"(?: {0,2}[.\-/_·] {0,2}| {0,4})"
_MOBILE = (
    r"(?<!\d[,:])0[67](?:(?P<other>, ?|[:|*])\d\d(?:(?P=other)\d\d){3}(?!(?P=other)[\dA-Fa-f])"
    rf"|(?:{_LOOSE}\d\d){{4}}(?!{_LOOSE}\d))"
)
# A number that the end of a line breaks: no date with what stands below it, and no number of the
# line above with a whole telephone number below.
_LINE_END = r" {0,2}\n{1,2} {0,2}"
_NO_DAY = rf"(?<!\d[./-])(?!\d\d[./-](?:0\d|1[0-2])[./-]\d\d{_LINE_END})"
_BREAK = rf"{_LINE_END}(?!{_FRENCH_NUMBER})"
_BROKEN = "|".join(_french(*[_GAP] * i, _BREAK, *[_GAP] * (3 - i)) for i in range(4))
# A pair of digits on each line; six or more such lines are a column of numbers.
_STACKED = rf"(?<!\d\n)(?!(?:\d\d{_LINE_END}){{5}}\d){_french(_BREAK, _BREAK, _BREAK, _BREAK)}"
_EIGHT_DIGITS = r"(?=(?:[ .\-/()_·]{0,4}\d){8})"
_AREA = rf"(?:{_GAP}(?:\(\d{{1,4}}\)|\d))?"
_FOREIGN_NUMBER = (
    rf"(?:\+|00|(?=\(\+\d{{1,3}}\))\(\+){_EIGHT_DIGITS} {{0,2}}[1-9]\d{{0,2}}\)?{_AREA}"
    rf"(?:{_GAP}\d{{2,4}}){{2,5}}"
)
# A date with an hour behind it has the ten digits of a telephone number: 01/02/2012 18h30,
# 2012-02-01 18-30-12.
_NO_DATE = (
    r"(?<!\b19\d\d[/.-])(?<!\b20\d\d[/.-])"
    r"(?!\d\d ?[./_· -] ?(?:0\d|1[0-2]) ?[./_· -] ?(?:19|20)\d\d(?!\d))"
    r"(?!\d\d(?P<date>[./-])(?:0[1-9]|1[0-2])(?P=date)\d\d {1,2}[0-2]\d[ .:/-]?[0-5]\d(?!\d))"
)
# Decimals are no numbers: 2.0639981234.
_NO_DECIMAL = "(?!{})".format(
    "|".join(rf"(?<=(?<!\d){digits}[.,])\d{{10}}" for digits in (r"\d", r"\d\d", r"\d\d\d"))
)
_TEL = (
    rf"(?=[0+(3])(?<![\d+]){_NO_DATE}{_NO_DECIMAL}"
    rf"(?:{_FRENCH_NUMBER}|{_GROUPED}|{_ONE_BY_ONE}|{_SPACED}|{_MOBILE}"
    rf"|{_NO_DAY}(?:{_BROKEN}|{_STACKED})|{_FOREIGN_NUMBER})(?!\d)(?![-_](?!0[1-9])\d)"
)
_DIGIT = rf"[\d{_ALIKE}]"
_WITH_LETTERS = rf"(?<![\w+]){_french(*[_GAP] * 4, zero='[0Oo]', digit=_DIGIT)}(?![\w-])"
# Without its first zero, as a spreadsheet leaves it.
_WITHOUT_ZERO = r"(?<![\w.,·/@-])[67]\d{8}(?!\w|[.,/-]\d)"
# As other countries write theirs at home, too.
_BEHIND_TRIGGER = (
    rf"(?!(?:\d{{1,2}}[ ./-]){{2}}(?:19|20)\d\d(?!\d))(?:[1-9](?:{_GAP}\d\d){{4}}"
    rf"|[1-9]\d\d(?:{_GAP}\d{{3}}){{2}}|[1-9]\d\d(?:{_GAP}\d\d){{3}}"
    rf"|[2-9]\d\d{_GAP}\d{{3}}{_GAP}\d{{4}}|[2-9]\d(?:{_GAP}\d{{3}}){{2}}|[2-9]\d(?:{_GAP}\d\d){{3}}"
    r"|0\d{7,11}|[1-9]\d{7,12})(?![\w-]|[.,/]\d)"
)
_SIGNS = r"(?:[ \n:,;.=(→👉]|-?>| -(?= )){1,5}"
_MOST_LETTERS = 4
_FROM_ABROAD = ("+", "(+", "00")


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of telephone numbers."""
    tel, unit = pack.telephone, no_unit(pack)
    triggered = behind(tel.triggers, tel.between, _BEHIND_TRIGGER + unit, signs=_SIGNS)
    return (
        Recogniser(
            "telephone",
            Kind.TEL,
            re.compile(_TEL),
            gate="[0-9]",
            digits=8,
            check=is_telephone,
            score=0.9,
        ),
        Recogniser(
            "telephone_with_letters",
            Kind.TEL,
            re.compile(_WITH_LETTERS),
            gate="[0-9][oil]|[oil][0-9]",
            check=has_few_letters,
            score=0.85,
        ),
        Recogniser(
            "telephone_without_zero",
            Kind.TEL,
            re.compile(_WITHOUT_ZERO + unit, re.IGNORECASE),
            gate="[67][0-9]{8}",
            score=0.6,
        ),
        Recogniser(
            "telephone_announced",
            Kind.TEL,
            re.compile(f"(?i:{triggered})"),
            gate="[0-9]{2}",
            near=any_of(tel.near),
            score=0.8,
        ),
    )


def is_telephone(written: str) -> bool:
    """Return whether a number of the form of a telephone number may be one."""
    if written.startswith(_FROM_ABROAD):
        return _is_possible(written)
    groups, gaps = re.findall(r"\d+", written), re.findall(r"\D+", written)
    in_pairs = len(groups) == 5
    in_twos = (
        in_pairs
        and gaps[0] == gaps[2] != gaps[1] == gaps[3]
        and " " in (gaps[0], gaps[1])
        and not "".join(gaps).isspace()
    )
    counts_on = in_pairs and len({int(b) - int(a) for a, b in pairwise(groups)}) == 1
    return not (in_twos or counts_on)


def _is_possible(written: str) -> bool:
    # Loaded when it is needed first: most messages hold no number from abroad.
    import phonenumbers

    try:
        number = phonenumbers.parse(written, "FR")
    except phonenumbers.NumberParseException:
        return False
    reason = phonenumbers.is_possible_number_with_reason(number)
    return reason == phonenumbers.ValidationResult.IS_POSSIBLE


def has_few_letters(written: str) -> bool:
    """Return whether some digits are letters that look like them, but few."""
    return 0 < sum(map(str.isalpha, written)) <= _MOST_LETTERS
