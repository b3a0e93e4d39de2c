"""Count which kinds of names are found in invented sentences, with a capital and without.

A second table is of whole messages (``whole_messages.toml``).

Run by ``make kinds`` on the shipped model, or on another::

    python -m tests.benchmarks.kinds_of_names model.triage

The sentences of each kind are decided as a file of their own, behind the sample messages.
"""

import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.files import read_rows
from triage import data
from triage.decide.pipeline import Triage
from triage.vocabulary import Action

_DATA = Path(__file__).parents[1] / "data"
_SENTENCES, _MESSAGES = _DATA / "kinds_of_names.toml", _DATA / "whole_messages.toml"
_SAMPLE = Path(data.__file__).parent / "sample_fr.csv"


@dataclass(frozen=True)
class Kind:
    """Names of one kind in templates of sentences; `is_left`: they are nobody's, to be released."""

    name: str
    names: list[str]
    inside: list[str]
    starting: list[str]
    is_left: bool

    def ways(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the ways of writing, each with its sentences: as many as there are names."""
        for at, templates in (("inside", self.inside), ("at the start", self.starting)):
            for case, of in (("capital", _with_capital), ("lower case", str.lower)):
                names = [of(name) for name in self.names]
                yield f"{case} {at}", [*_filled(templates, names)] if templates else []


def _with_capital(name: str) -> str:
    return name[0].upper() + name[1:]


def _filled(templates: list[str], names: list[str]) -> Iterator[str]:
    for place, name in enumerate(names):
        yield templates[place % len(templates)].replace("{n}", name)


def kinds() -> list[Kind]:
    settings = tomllib.loads(_SENTENCES.read_text(encoding="utf-8"))
    found = []
    for one in settings["kinds"]:
        names = one["names"].split() if isinstance(one["names"], str) else one["names"]
        about = settings[one["about"]]
        left = one.get("left", False)
        found.append(Kind(one["name"], names, about["inside"], about["starting"], left))
    return found


class Held:
    """Tells which share of some messages is not released, behind the sample messages."""

    def __init__(self, triage: Triage) -> None:
        sample = read_rows(_SAMPLE)
        self._triage = triage
        self._before = [row["text"] for row in sample]
        self._known = [row["sender"] for row in sample]

    def share(self, messages: list[str]) -> str:
        """Return the share as a cell; empty where there is no message."""
        senders = self._known + [""] * len(messages)
        decided = self._triage.decide(self._before + messages, senders, corpus_evidence=True)
        held = [action is not Action.NTA for action in decided.action[len(self._before) :]]
        return f"{sum(held) / len(held):.2f}" if held else ""


def main(triage: Triage) -> None:
    """Print two tables: of each kind and way of writing the share of messages not released."""
    held = Held(triage)
    ways = [way for way, _ in kinds()[0].ways()]
    _write_row("kind", *ways)
    _write_row(*["---"] * (len(ways) + 1))
    for kind in kinds():
        _write_row(_shown(kind.name, kind.is_left), *(held.share(of) for _, of in kind.ways()))
    sys.stdout.write("\n")
    _write_row("messages", "as written", "lower case")
    _write_row(*["---"] * 3)
    for one in tomllib.loads(_MESSAGES.read_text(encoding="utf-8"))["kinds"]:
        lower = [message.lower() for message in one["messages"]]
        name = _shown(one["name"], one.get("left", False))
        _write_row(name, held.share(one["messages"]), held.share(lower))


def _shown(name: str, is_left: bool) -> str:
    return f"{name} (to be left)" if is_left else name


def _write_row(*cells: str) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main(Triage.load("fr", model=sys.argv[1] if sys.argv[1:] else None))
