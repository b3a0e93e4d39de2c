"""Telephone numbers: those of France, of other countries, and those that are said in words."""

import re
from collections.abc import Callable
from itertools import pairwise

from triage.dictionaries.kinds import Kind
from triage.dictionaries.lists import DictionaryError
from triage.dictionaries.pack import NEVER, Pack
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of, behind, no_unit

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


def french(pack: Pack) -> tuple[Recogniser, ...]:
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


# Those of France are known by more than their digits (`telephone`).
_WITH_FORMS = frozenset({"fr"})
# A date with an hour behind it has as many digits: 2012-02-01 18.
_NO_ISO_DATE = (
    r"(?!(?:19|20)\d\d(?:-\d\d?-|\/\d\d?\/|\.\d\d?\.)\d\d?(?!\d))"
    r"(?!(?:\d\d?[./-]){2}(?:19|20)\d\d(?!\d))"
)
_DIGITS = _NO_ISO_DATE + r"(?<![\w.,+/-])(?:\+|00|\()?\d(?:[ ().-]{0,2}\d){6,14}(?![\w/]|[.,-]\d)"
_FEWEST = 7


def of_countries(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of telephone numbers, by the rules of phonenumbers."""
    regions = _regions(pack)
    if pack.pack.countries and not regions:
        return ()
    tel = pack.telephone
    return (
        Recogniser(
            "telephone_of_country",
            Kind.TEL,
            re.compile(_DIGITS),
            gate="[0-9]{2}",
            digits=_FEWEST,
            check=_check(regions, sure=True),
            score=0.9,
        ),
        Recogniser(
            "telephone_of_country_announced",
            Kind.TEL,
            re.compile(f"(?i:{behind(tel.triggers, tel.between, _DIGITS)})"),
            gate="[0-9]{2}",
            near=any_of(tel.near),
            digits=_FEWEST,
            check=_check(regions, sure=False),
            score=0.8,
        ),
    )


def is_national(pack: Pack) -> Callable[[str], bool]:
    """Return the check that digits are a telephone number of the pack's countries."""
    is_valid = _check(_regions(pack), sure=True)
    is_french = re.compile(r"0[1-9]\d{8}" if "fr" in pack.pack.countries else NEVER).fullmatch
    return lambda digits: bool(is_french(digits)) or is_valid(digits)


def _regions(pack: Pack) -> tuple[str, ...]:
    countries = pack.pack.countries
    return tuple(country.upper() for country in countries if country not in _WITH_FORMS)


def _check(regions: tuple[str, ...], *, sure: bool) -> Callable[[str], bool]:
    """Return what tells of a number whether one of these countries, or one abroad, may have it."""

    def is_telephone(written: str) -> bool:
        # Loaded when it is needed first: most messages hold no number.
        import phonenumbers

        is_right = phonenumbers.is_valid_number if sure else phonenumbers.is_possible_number
        for region in regions or (None,):
            try:
                if is_right(phonenumbers.parse(written, region)):
                    return True
            except phonenumbers.NumberParseException:
                continue
        return False

    return is_telephone


_SEPARATOR = r"[ \n.,;:/-]{1,3}"
_PARTS_BEHIND = "{3,15}+"
# Digits as they are counted, up or down, are no telephone number.
_COUNTED = ("01234567890", "9876543210")


def said(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recogniser of telephone numbers in words, perhaps with figures between them."""
    digits_of = _digits_of(pack)
    # The longest first: "soixante dix huit" is 78, not 60 and 18.
    words = any_of(sorted(digits_of, key=len, reverse=True))
    part = rf"(?>{words}(?!\w)|\d{{1,4}}(?!\w))"
    return (
        Recogniser(
            "telephone_said",
            Kind.TEL,
            re.compile(rf"(?i:(?<![\w@#]){part}(?:{_SEPARATOR}{part}){_PARTS_BEHIND})"),
            gate=pack.telephone.said_gate,
            check=_said_check(re.compile(part, re.IGNORECASE), digits_of, is_national(pack)),
            score=0.85,
            is_shortened=True,
        ),
    )


def _digits_of(pack: Pack) -> dict[str, str]:
    """Return the digits of each expression of a word, in which a space is a hyphen, too."""
    said = [one.partition("=") for one in pack.telephone.said]
    for digits, sign, words in said:
        if not (digits.isdecimal() and words):
            wrong = f"{pack.where('telephone')}: said holds {digits}{sign}{words}"
            raise DictionaryError(f"{wrong} where digits and words are wanted: 78=seventy eight")
    return {words.replace(" ", "[ -]"): digits for digits, _, words in said}


def _said_check(
    part: re.Pattern[str], digits_of: dict[str, str], is_number: Callable[[str], bool]
) -> Callable[[str], bool]:
    """Return what tells of words and figures whether together they are such a number."""
    words = {re.compile(one, re.IGNORECASE): digits for one, digits in digits_of.items()}

    def is_said_number(written: str) -> bool:
        digits = "".join(
            next((as_said for word, as_said in words.items() if word.fullmatch(one)), one)
            for one in part.findall(written)
        )
        is_said = digits != re.sub(r"\D", "", written)
        return is_said and not any(digits in one for one in _COUNTED) and is_number(digits)

    return is_said_number
