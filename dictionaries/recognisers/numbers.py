"""Numbers of parcels, orders, files, students and customers, near the words that announce them."""

import re
from collections.abc import Sequence

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack, Section
from triage.dictionaries.recognisers.recogniser import (
    Recogniser,
    any_of,
    behind,
    no_quantity,
    no_unit,
)

# Behind "n°" even nothing.
_SIGNS = r"(?:[ \n:,;.=#>(→👉\-]{1,4}|(?<=[°º#]))"
# Years, school years, dates and hours.
_NO_DATE = (
    r"(?!(?:19|20)\d\d(?:[-/](?:19|20)?\d\d)?(?![\w-]))"
    r"(?!\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?!\w))(?!\d{1,2}[:h.]\d)"
)
_END = r"(?!\w|[,./]\d)"
_ANY_WORD = r"[^\W\d_]{2,15}(?= )"
_SOME = r"(?=[^\s]{3})[A-Z]{0,8}[-/]?\d[\dA-Z]{1,30}(?:[-/][\dA-Z]{1,16}){0,4}"
_GROUPS = r"(?:\d\d(?: \d\d){2,5}|\d{3,4}(?: \d{3,4}){1,4}|\d(?: \d{3}){2,4})"
# So many digits that nothing else is meant, whatever stands between the words.
_LONG = rf"(?=(?:[A-Z /-]{{0,4}}\d){{5}})(?:{_GROUPS}|{_SOME})(?!\w)"
# Six letters name a booking of a train or a plane; without a vowel for long they are no word.
_BOOKING = "(?-i:[A-Z]{6}(?! {1,2}[A-Z]{2}))"
_NO_WORD = "(?-i:(?=[A-Z]{0,3}[BCDFGHJ-NP-TV-XZ]{3})[A-Z]{6})"
_MIXED_BOOKING = r"(?-i:(?=[A-Z]{0,5}\d)(?=\d{0,5}[A-Z])[A-Z\d]{6})"
# Numbers known by their form alone: of parcels (Colissimo, UPS, the postal union's) and students.
_PARCEL = r"\d[A-Z]\d{11}|1Z[\dA-Z]{16}|[A-Z]{2}\d{9}[A-Z]{2}"
_STUDENT = r"\d{10}[A-Z]|\d{9}[A-Z]{2}"
_LONG_GATE = "[0-9]{2}"
_FORM_GATE = "[0-9]{9}|1z[0-9a-z]{16}"


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of numbers that stand for somebody or for what is somebody's."""
    near, bookings = any_of(pack.numbers.near), pack.numbers.near_bookings
    gates = {
        "number_announced": _LONG_GATE,
        "number_said": _LONG_GATE,
        "booking": bookings,
        "booking_of_a_journey": bookings,
        "parcel_or_student": _FORM_GATE,
    }
    return tuple(
        Recogniser(
            name,
            Kind.NUM,
            re.compile(f"(?i:{form})"),
            gate=gates[name],
            near=near if gates[name] == _LONG_GATE else "",
            score=0.85,
        )
        for name, form in _forms(pack).items()
    )


def _forms(pack: Pack) -> dict[str, str]:
    given = pack.numbers
    between, or_marks = given.between, (*given.between, *given.marks, _ANY_WORD)
    said, booking = _said(given), any_of(given.bookings)
    is_number, end = rf"{_NO_DATE}{no_quantity(pack)}", rf"{_END}{no_unit(pack)}"

    def near(triggers: Sequence[str], words_between: Sequence[str], form: str) -> str:
        return behind(triggers, words_between, rf"{is_number}{form}{end}", 3, _SIGNS)

    return {
        "number_announced": near(given.things, or_marks, _LONG),
        "number_said": near(said, between, f"(?:{_GROUPS}|{_SOME})"),
        "booking": near([*said, rf"{booking}(?= ?[:=])"], between, f"(?:{_NO_WORD}|{_BOOKING})"),
        "booking_of_a_journey": near([booking], or_marks, f"(?:{_NO_WORD}|{_MIXED_BOOKING})"),
        "parcel_or_student": rf"(?<![\w-])(?:{_PARCEL}|{_STUDENT})(?![\w-])",
    }


def _said(given: Section) -> list[str]:
    """Return what says that a number follows: "numéro de colis", "colis n°", "réf"."""
    thing, mark = any_of(given.things), any_of(given.marks)
    link = any_of(given.links)
    before = any_of(given.between)
    return [
        rf"{mark}(?: {link}){{0,2}}[ '’]?(?:{any_of(given.kinds)} )?{thing}",
        rf"{thing}(?:{_SIGNS}{before}(?!\w)){{0,3}}{_SIGNS}{mark}",
        *given.references,
    ]
