"""Leaks of ten kinds, planted in anonymised messages where names were replaced, or at their end."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from tests.cases import cases_beside
from triage.dictionaries.normal import folded

PARTS = cases_beside(__file__)
_NAME_TYPES = ("PRE", "NOM", "SUR")
_SHORTEST = 4


class Leak(StrEnum):
    NAME = "name left"
    LOWER = "name in lower case"
    TYPO = "name with a typing error"
    INITIALS = "initials of a full name"
    GLUED = "name glued to a word"
    ADDRESS = "part of an address"
    HANDLE = "handle that holds a name"
    MAIL = "e-mail that holds a name"
    NUMBER = "telephone number oddly spaced"
    STRETCHED = "name stretched or accented"


class Spot(NamedTuple):
    """Characters of a message that identify somebody: planted ones have a kind."""

    start: int
    end: int
    leak: Leak | None = None


@dataclass
class Message:
    """A message of the output: its original, its text, what leaks, and what was replaced."""

    row: dict[str, str]
    before: str
    after: str
    spots: list[Spot] = field(default_factory=list)
    keys: list[dict[str, str]] = field(default_factory=list)


class Planter:
    def __init__(self, messages: list[Message], seed: int) -> None:
        self._draw = random.Random(seed)
        self._names = Counter(
            folded(key["identifier"]) for m in messages for key in m.keys if _is_name(key)
        )
        free = [message for message in messages if not message.spots]
        self._with_names = [m for m in free if len(m.keys) == 1 and _is_name(m.keys[0])]
        self._draw.shuffle(self._with_names)
        self._without = [m for m in free if not m.keys and m.before]
        self._draw.shuffle(self._without)
        self._known = sorted(name for name, n in self._names.items() if n > 1)

    def plant(self, n: int) -> None:
        for leak, written in _OF_NAMES.items():
            for _ in range(n):
                self._instead_of_name(leak, written)
        for leak, made in _ADDED.items():
            for number in range(n):
                whole, tags, part = made(self._draw, self._known, number)
                if whole:
                    message = self._without.pop()
                    message.before += f" {whole}"
                    message.after += f" {tags}"
                self._add(leak, part)

    def _instead_of_name(self, leak: Leak, written: "Written") -> None:
        """Plant a name where one was replaced, if it was replaced elsewhere too."""
        while True:
            message = self._with_names.pop()
            [key] = message.keys
            name = key["identifier"]
            planted = written(name, self._draw) if self._names[folded(name)] > 1 else ""
            if planted:
                break
        self._names[folded(name)] -= 1
        start, end = int(key["start"]), int(key["end"])
        tag = start + len(key["replacement"])
        message.spots.append(Spot(start, start + len(planted), leak))
        message.before = message.before[:start] + planted + message.before[end:]
        message.after = message.after[:start] + planted + message.after[tag:]

    def _add(self, leak: Leak, part: tuple[str, str, str]) -> None:
        """Put words, of which those in the middle leak, at the end of a message."""
        before, leaking, behind = part
        message = self._without.pop()
        start = len(message.after) + len(before) + 1
        message.spots.append(Spot(start, start + len(leaking), leak))
        message.after += f" {before}{leaking}{behind}"
        untagged = leaking.replace("<PRE_6>", "Marine").replace("<NOM_6>", "Duvall")
        message.before += f" {before}{untagged}{behind}"


Written = Callable[[str, random.Random], str]
# What was replaced, its tags, and the words before, at and behind the leak.
Added = tuple[str, str, tuple[str, str, str]]
Made = Callable[[random.Random, list[str], int], Added]


def _is_name(key: dict[str, str]) -> bool:
    name = key["identifier"]
    return key["type"] in _NAME_TYPES and name.isalpha() and len(name) >= _SHORTEST


def _typing_error(name: str, draw: random.Random) -> str:
    at = draw.randrange(len(name) - 1)
    letter = draw.choice("aeioulnrst")
    written = draw.choice(
        (
            name[:at] + name[at + 1 :],
            name[: at + 1] + letter + name[at + 1 :],
            name[:at] + (letter.upper() if name[at].isupper() else letter) + name[at + 1 :],
            name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        )
    )
    return "" if folded(written) == folded(name) else written


def _glued(name: str, draw: random.Random) -> str:
    before = draw.choice(PARTS["glued_before"])
    if draw.random() < 0.3:
        return f"{name}{draw.choice(PARTS['glued_behind'])}"
    return f"{before}{name if draw.random() < 0.3 else name.lower()}"


def _stretched(name: str, draw: random.Random) -> str:
    places = [i for i, letter in enumerate(name) if letter in PARTS["accented"]]
    if draw.random() < 0.5 and places:
        at = draw.choice(places)
        return f"{name[:at]}{PARTS['accented'][name[at]]}{name[at + 1 :]}"
    at = draw.randrange(1, len(name))
    return name[:at] + name[at] * draw.randint(2, 5) + name[at + 1 :]


_OF_NAMES: dict[Leak, Written] = {
    Leak.NAME: lambda name, _: name,
    Leak.LOWER: lambda name, _: name.lower(),
    Leak.TYPO: _typing_error,
    Leak.GLUED: _glued,
    Leak.STRETCHED: _stretched,
}


def _initials(draw: random.Random, names: list[str], number: int) -> Added:
    first, last = draw.choice(names).capitalize(), draw.choice(PARTS["last_names"])
    drawn = [draw.choice(forms) for forms in PARTS["initials"]]
    leaking = drawn[number % len(drawn)].format(f=first[0], n=last[0])
    said = draw.choice(PARTS["before_initials"])
    tags = f"<PRE_{len(first)}> <NOM_{len(last)}>"
    return f"{said} {first} {last}", f"{said} {tags}", (f"{said} ", leaking, " demain")


def _of_address(draw: random.Random, _: list[str], number: int) -> Added:
    n = draw.randint(1, 290)
    kind, street = draw.choice(PARTS["street_types"]), draw.choice(PARTS["streets"])
    postcode = f"34{draw.randint(1, 9)}{draw.randint(0, 9)}0"
    whole = f"{n} {kind} {street} {postcode} Montpellier"
    before, form = PARTS["of_address"][number % len(PARTS["of_address"])]
    held = {"n": n, "kind": kind, "street": street, "name": street.split()[-1]}
    part = form.format(**held, street_in_lower_case=street.lower(), postcode=postcode)
    return f"chez moi {whole}", f"chez moi <ADR_{len(whole)}>", (before, part, " ok ?")


def _with_name(forms: str, behind: str, draw: random.Random, names: list[str], _: int) -> Added:
    """Write a name and a number in one of several forms."""
    name, n = draw.choice(names), draw.randint(1, 99)
    written = draw.choice(PARTS[forms]).format(name=name, n=n)
    return "", "", (draw.choice(PARTS[f"before_{forms}"]), written, behind)


def _number(draw: random.Random, _: list[str], number: int) -> Added:
    digits = f"0{draw.choice('1467')}" + "".join(draw.choice("0123456789") for _ in range(8))
    cuts = draw.choice(PARTS["cuts"])
    pieces = [digits[a:b] for a, b in zip((0, *cuts), (*cuts, 10), strict=True)]
    odd = draw.choice(PARTS["signs"]).join(pieces)
    whole = f"mon num {digits}" if number % 2 else ""
    return whole, "mon num <TEL_10>" if whole else "", ("appelle ", odd, " ce soir")


_ADDED: dict[Leak, Made] = {
    Leak.INITIALS: _initials,
    Leak.ADDRESS: _of_address,
    Leak.HANDLE: partial(_with_name, "handles", " stp"),
    Leak.MAIL: partial(_with_name, "mails", " merci"),
    Leak.NUMBER: _number,
}
