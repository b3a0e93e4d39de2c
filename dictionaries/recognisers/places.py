"""Places on the map: coordinates, map links, plus codes, what3words."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack, Section
from triage.dictionaries.recognisers.net import REST, TRAILING
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of

_HOSTS = (
    r"maps\.app\.goo\.gl",
    r"goo\.gl/maps",
    r"maps\.google\.[a-z]{2,3}",
    r"google\.[a-z]{2,3}(?:\.[a-z]{2})?/maps",
    r"(?:ul\.)?waze\.com",
    r"maps\.apple\.com",
    r"(?:openstreetmap|osm)\.org",
    r"umap\.openstreetmap\.fr",
    r"(?:what3words\.com|w3w\.co)",
    r"bing\.com/maps",
    r"(?:fr\.)?mappy\.com",
    r"plus\.codes",
    r"g\.page",
    r"findmy\.apple\.com",
    r"glympse\.com",
    r"(?:[a-z]{2,3}\.)?here\.com",
)
_LINK = rf"(?<![\w@.-])(?i:(?:https?://)?(?:www\.)?{any_of(_HOSTS)}[/?](?=[\w?#@-]){REST})"
_GEO = r"(?<!\w)(?i:geo):-?\d{1,2}\.\d{1,15},-?\d{1,3}\.\d{1,15}[^\s<>\"]{0,100}+"

_LABEL = r"(?:(?:lat(?:itude)?|lon(?:g(?:itude)?)?|lng)\.? ?[:=]? ?)"
_FREE = r"(?<![\w.,/+-])"
_EAST_OR_WEST = r"[EWOewo](?!\w)"
_MINUTES = (
    r"\d{1,2}(?:[.,]\d{1,6})? ?['’′]"
    r"(?: ?\d{1,2}(?:[.,]\d{1,4})? ?(?:\"|['’′]{2}|″|”|“)?)?"
)
_DEGREES = rf"\d{{1,3}} ?° ?{_MINUTES}"
_DEGREES_TOO = r"(?: ?°)?(?: ?[NSns](?!\w))?", r"(?: ?°)?(?: ?[EWOewo](?!\w))?"


def _decimal(least: int, degrees: int) -> str:
    return rf"[+-]?\d{{1,{degrees}}}[.,]\d{{{least},15}}"


def _between(given: Section) -> str:
    return any_of((" ?[,;/|] ?", " ", "\n", *(f" {link} " for link in given.links), " - "))


def _end(given: Section) -> str:
    return rf"(?![\d]|[.,]\d| ?{any_of(('€', *given.units, '%'))})"


def _coordinates(given: Section) -> str:
    """Return the form of coordinates: in minutes, as decimals, with letters, with labels."""
    between, end = _between(given), _end(given)
    return "|".join(
        (
            rf"{_FREE}(?:{_DEGREES} ?[NSns]{between}?{_DEGREES} ?{_EAST_OR_WEST}"
            rf"|[NSns] ?{_DEGREES}{between}?[EWOewo] ?{_DEGREES})",
            rf"{_FREE}{_decimal(4, 2)}{_DEGREES_TOO[0]}{between}"
            rf"{_decimal(4, 3)}{_DEGREES_TOO[1]}{end}",
            rf"{_FREE}(?:{_decimal(2, 2)} ?°? ?[NSns]{between}?{_decimal(2, 3)}"
            rf" ?°? ?{_EAST_OR_WEST}"
            rf"|[NSns] ?{_decimal(2, 2)} ?°?{between}?[EWOewo] ?{_decimal(2, 3)}(?!\d) ?°?)",
            rf"{_FREE}(?i:{_LABEL}){_decimal(2, 2)}{between}(?i:{_LABEL}){_decimal(2, 3)}{end}",
        )
    )


_PLUS = "23456789CFGHJMPQRVWX"
_PLUS_CODE = (
    rf"(?<![\w+])(?=\d{{0,7}}[A-Za-z])(?:[{_PLUS}]{{4}}(?:[{_PLUS}]{{2}})?\+[{_PLUS}]{{2,3}}"
    rf"|(?=[a-zA-Z]{{0,7}}\d)(?i:[{_PLUS}]{{8}}\+[{_PLUS}]{{2,3}}))(?!\w)"
)
_THREE_WORDS = r"(?<![\w:/])///[^\W\d_]{2,20}(?:\.[^\W\d_]{2,20}){2}(?![\w/])"
_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{1,15})?")
_MOST_LATITUDE, _MOST_LONGITUDE = 90, 180


def _is_on_earth(coordinates: str) -> bool:
    """Tell of degrees whether they are a latitude and a longitude: 12.5000 13.8000 may be."""
    numbers = [float(number.replace(",", ".")) for number in _NUMBER.findall(coordinates)]
    second = numbers[len(numbers) // 2]
    return numbers[0] <= _MOST_LATITUDE and second <= _MOST_LONGITUDE


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of places on the map."""
    announced = rf"(?<!\w)(?i:{any_of(pack.places.triggers)})[^\w\n]{{1,4}}"
    between = _between(pack.places)
    said = rf"{announced}(?P<{FOUND}>{_decimal(2, 2)}{between}{_decimal(2, 3)}){_end(pack.places)}"
    return (
        Recogniser(
            "coordinates",
            Kind.GPS,
            re.compile(_coordinates(pack.places)),
            gate=r"[.,]\d\d|°",
            check=_is_on_earth,
            score=0.9,
        ),
        Recogniser(
            "coordinates_said",
            Kind.GPS,
            re.compile(said),
            gate=r"[.,]\d\d|°",
            check=_is_on_earth,
            score=0.88,
        ),
        Recogniser(
            "geo_uri",
            Kind.GPS,
            re.compile(_GEO),
            gate=r"geo:-?\d",
            score=0.95,
            trim=TRAILING,
        ),
        Recogniser(
            "map_link",
            Kind.GPS,
            re.compile(_LINK),
            gate=r"\.[a-z]{2,6}[/?]",
            score=0.96,
            trim=TRAILING,
        ),
        Recogniser(
            "plus_code",
            Kind.GPS,
            re.compile(_PLUS_CODE),
            gate=r"\+[2-9c-x]{2}",
            score=0.85,
        ),
        Recogniser(
            "three_words",
            Kind.GPS,
            re.compile(_THREE_WORDS),
            gate="///",
            score=0.9,
        ),
    )
