"""Telephone numbers of countries that have no form of their own here, and of all others abroad."""

import re
from collections.abc import Callable

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of, behind
from triage.dictionaries.sections import NEVER

# Those of France are known by more than their digits (`telephone`).
_WITH_FORMS = frozenset({"fr"})
# A date with an hour behind it has as many digits: 2012-02-01 18.
_NO_DATE = (
    r"(?!(?:19|20)\d\d(?:-\d\d?-|\/\d\d?\/|\.\d\d?\.)\d\d?(?!\d))"
    r"(?!(?:\d\d?[./-]){2}(?:19|20)\d\d(?!\d))"
)
_NUMBER = _NO_DATE + r"(?<![\w.,+/-])(?:\+|00|\()?\d(?:[ ().-]{0,2}\d){6,14}(?![\w/]|[.,-]\d)"
_FEWEST = 7


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of telephone numbers, by the rules of phonenumbers."""
    regions = _regions(pack)
    if pack.pack.countries and not regions:
        return ()
    tel = pack.telephone
    return (
        Recogniser(
            "telephone_of_country",
            Kind.TEL,
            re.compile(_NUMBER),
            gate="[0-9]{2}",
            digits=_FEWEST,
            check=_check(regions, sure=True),
            score=0.9,
        ),
        Recogniser(
            "telephone_of_country_announced",
            Kind.TEL,
            re.compile(f"(?i:{behind(tel.triggers, tel.between, _NUMBER)})"),
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
