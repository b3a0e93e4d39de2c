"""Places on the map: coordinates, map links, plus codes, what3words."""

import re
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.recognisers.mail import REST, TRAILING
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
_BETWEEN = r"(?: ?[,;/|] ?| |\n| et | - )"
_FREE = r"(?<![\w.,/+-])"
_END = r"(?![\d]|[.,]\d| ?(?:€|euros?|kg|km|%))"


def _decimal(least: int, degrees: int) -> str:
    return rf"[+-]?\d{{1,{degrees}}}[.,]\d{{{least},15}}"


_DEGREES_TOO = r"(?: ?°)?(?: ?[NSns](?!\w))?", r"(?: ?°)?(?: ?[EWOewo](?!\w))?"
_DECIMALS = (
    rf"{_FREE}{_decimal(4, 2)}{_DEGREES_TOO[0]}{_BETWEEN}{_decimal(4, 3)}{_DEGREES_TOO[1]}{_END}"
)
_LETTERED = (
    rf"{_FREE}(?:{_decimal(2, 2)} ?°? ?[NSns]{_BETWEEN}?{_decimal(2, 3)} ?°? ?[EWOewo](?!\w)"
    rf"|[NSns] ?{_decimal(2, 2)} ?°?{_BETWEEN}?[EWOewo] ?{_decimal(2, 3)}(?!\d) ?°?)"
)
_LABELLED = rf"{_FREE}(?i:{_LABEL}){_decimal(2, 2)}{_BETWEEN}(?i:{_LABEL}){_decimal(2, 3)}{_END}"
_EAST_OR_WEST = r"[EWOewo](?!\w)"
_MINUTES = (
    r"\d{1,2}(?:[.,]\d{1,6})? ?['’′]"
    r"(?: ?\d{1,2}(?:[.,]\d{1,4})? ?(?:\"|['’′]{2}|″|”|“)?)?"
)
_DEGREES = rf"\d{{1,3}} ?° ?{_MINUTES}"
_SEXAGESIMAL = (
    rf"{_FREE}(?:{_DEGREES} ?[NSns]{_BETWEEN}?{_DEGREES} ?{_EAST_OR_WEST}"
    rf"|[NSns] ?{_DEGREES}{_BETWEEN}?[EWOewo] ?{_DEGREES})"
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


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recognisers of places on the map.

    Behind a word for coordinates two decimals are enough.
    """
    announced = rf"(?<!\w)(?i:{any_of(words['places']['triggers'])})[^\w\n]{{1,4}}"
    said = rf"{announced}(?P<{FOUND}>{_decimal(2, 2)}{_BETWEEN}{_decimal(2, 3)}){_END}"
    return (
        Recogniser(
            "coordinates",
            Kind.GPS,
            re.compile("|".join((_SEXAGESIMAL, _DECIMALS, _LETTERED, _LABELLED))),
            gate=r"[.,]\d\d|°",
            check=_is_on_earth,
            score=0.9,
            examples=("on est là 43.6108, 3.8767", "43°36'39\"N 3°52'37\"E"),
            counterexamples=("12,50, 13,80", "version 43.6108"),
        ),
        Recogniser(
            "coordinates_said",
            Kind.GPS,
            re.compile(said),
            gate=r"[.,]\d\d|°",
            check=_is_on_earth,
            score=0.88,
            examples=("coordonnées gps : 43.61 3.87",),
            counterexamples=("gps : 43.61",),
        ),
        Recogniser(
            "geo_uri",
            Kind.GPS,
            re.compile(_GEO),
            gate=r"geo:-?\d",
            score=0.95,
            examples=("geo:43.6108,3.8767",),
            counterexamples=("géo: 12,5 de moyenne",),
            trim=TRAILING,
        ),
        Recogniser(
            "map_link",
            Kind.GPS,
            re.compile(_LINK),
            gate=r"\.[a-z]{2,6}[/?]",
            score=0.96,
            examples=("rdv la https://maps.app.goo.gl/Xy12AbCd",),
            counterexamples=("regarde sur google maps", "waze.com"),
            trim=TRAILING,
        ),
        Recogniser(
            "plus_code",
            Kind.GPS,
            re.compile(_PLUS_CODE),
            gate=r"\+[2-9c-x]{2}",
            score=0.85,
            examples=("on est à JV6G+8X Montpellier",),
            counterexamples=("2345+67", "CROIX+FG"),
        ),
        Recogniser(
            "three_words",
            Kind.GPS,
            re.compile(_THREE_WORDS),
            gate="///",
            score=0.9,
            examples=("///lampe.tortue.nuage",),
            counterexamples=("oui/// non",),
        ),
    )
