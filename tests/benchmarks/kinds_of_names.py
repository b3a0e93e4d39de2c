"""Count which kinds of names are found in invented sentences, with a capital and without.

Run by ``make kinds`` on the shipped model, or on another::

    python -m tests.benchmarks.kinds_of_names model.triage

The sentences of each kind are decided as a file of their own, behind the sample messages.
"""

import csv
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from triage import data
from triage.decide.pipeline import Triage
from triage.vocabulary import Action

_SENTENCES = Path(__file__).parents[1] / "data" / "kinds_of_names.toml"
_SAMPLE = Path(data.__file__).parent / "sample_fr.csv"


@dataclass(frozen=True)
class Kind:
    """Names of one kind, and the templates of sentences that they stand in.

    Parameters
    ----------
    name : str
    names, inside, starting : list of str
    is_left : bool
        Whether these names are nobody's, and the sentences are to be released.
    """

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
    """Return all kinds of names."""
    settings = tomllib.loads(_SENTENCES.read_text(encoding="utf-8"))
    found = []
    for one in settings["kinds"]:
        names = one["names"].split() if isinstance(one["names"], str) else one["names"]
        about = settings[one["about"]]
        left = one.get("left", False)
        found.append(Kind(one["name"], names, about["inside"], about["starting"], left))
    return found


def main(triage: Triage) -> None:
    """Print a table: of each kind and way of writing the share of sentences not released."""
    with _SAMPLE.open(encoding="utf-8") as file:
        sample = list(csv.DictReader(file))
    before = [row["text"] for row in sample]
    known = [row["sender"] for row in sample]
    columns = [way for way, _ in kinds()[0].ways()]
    sys.stdout.write(f"| kind | {' | '.join(columns)} |\n|{' --- |' * (len(columns) + 1)}\n")
    for kind in kinds():
        shares = []
        for _, sentences in kind.ways():
            senders = known + [""] * len(sentences)
            decided = triage.decide(before + sentences, senders, corpus_evidence=True)
            held = [action is not Action.NTA for action in decided.action[len(before) :]]
            shares.append(f"{sum(held) / len(held):.2f}" if held else "")
        left = " (to be left)" if kind.is_left else ""
        sys.stdout.write(f"| {kind.name}{left} | {' | '.join(shares)} |\n")


if __name__ == "__main__":
    main(Triage.load("fr", model=sys.argv[1] if sys.argv[1:] else None))
