"""The languages of the page: texts and number formats, a file for each."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ..errors import UserError

CODES = ("fr", "en")
DEFAULT = "en"
_NO_BREAK = "\u00a0"


class Translator:
    r"""Translates keys into the texts of a language; templates call it ``t``."""

    def __init__(
        self,
        code: str,
        strings: Mapping[str, str],
        *,
        thousands: str,
        point: str,
        percent: str,
        singular: Sequence[int],
    ) -> None:
        self.code = code
        self.strings = strings
        self._thousands, self._point, self._percent = thousands, point, percent
        self._singular = singular

    def __call__(self, key: str, **values: object) -> str:
        """Return the text of a key; KeyError if there is none."""
        return self.strings[key].format(**values)

    def known(self, key: str, otherwise: str) -> str:
        """Return the text of a key, or another text if there is none."""
        return self.strings.get(key, otherwise)

    def problem(self, error: UserError | None) -> str:
        """Return the line of an error: that of the page, or else its own; empty without one."""
        if error is None:
            return ""
        line = self.strings.get(f"problem.{error.key}")
        return line.format(**error.values) if line else str(error)

    def count(self, key: str, n: int, **values: object) -> str:
        """Return the text of a key for a count."""
        form = "one" if n in self._singular else "many"
        return self(f"{key}.{form}", n=self.number(n), **values)

    def number(self, n: int) -> str:
        """Return an integer as text."""
        return f"{n:,}".replace(",", self._thousands)

    def decimal(self, value: float) -> str:
        """Return a number with two decimals as text."""
        return f"{value:.2f}".replace(".", self._point).replace("-", "\u2212")

    def share(self, part: int, whole: int) -> str:
        """Return a share in percent as text, rounded down, so that 100 % is all."""
        tenths = part * 1000 // whole if whole else 1000
        return f"{tenths / 10:.1f}".replace(".", self._point) + self._percent

    def duration(self, seconds: float) -> str:
        r"""Return a duration in minutes or hours as text."""
        minutes = max(1, round(seconds / 60))
        shown = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02}"
        return shown.replace(" ", _NO_BREAK)


@cache
def translator(code: str, package: str = __package__) -> Translator:
    """Return the translator into a language, ``fr`` or ``en``; its files are read once."""
    loaded = _texts(code, __package__)
    further = _texts(code, package)["strings"] if package != __package__ else {}
    return Translator(code, loaded["strings"] | further, **loaded["numbers"])


def _texts(code: str, package: str) -> dict[str, Any]:
    return tomllib.loads((files(package) / f"{code}.toml").read_text(encoding="utf-8"))


def chosen(
    cookie: str, default: str | None, accepted: str, package: str = __package__
) -> Translator:
    """Return the translator for a page."""
    for code in (cookie, default or "", *_by_preference(accepted)):
        if code in CODES:
            return translator(code, package)
    return translator(DEFAULT, package)


def _by_preference(accepted: str) -> list[str]:
    ranked = []
    for part in accepted.split(","):
        tag, _, quality = part.strip().partition(";q=")
        try:
            ranked.append((-float(quality or 1), tag.partition("-")[0].lower()))
        except ValueError:
            continue
    return [code for _, code in sorted(ranked, key=lambda rank: rank[0])]
