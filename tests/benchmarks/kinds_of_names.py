"""Count which kinds of names are found in invented sentences, with a capital and without.

A second table is of whole messages (``whole_messages.toml``).

Run by ``make kinds`` on the shipped model, or on another::

    python -m tests.benchmarks.kinds_of_names model.triage

The sentences of each kind are decided as a file of their own, behind the sample messages.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.benchmarks.files import print_heading, print_row
from tests.cases import cases_beside
from tests.tables import Row, read_rows
from tests.triage.conftest import SAMPLE
from triage.decide.pipeline import Triage
from triage.vocabulary import Action

_DATA = str(Path(__file__).parents[1] / "data" / "names")
# Ways of writing, each with its sentences: as many as there are names.
_WAYS: dict[str, tuple[str, Callable[[str], str]]] = {
    "capital inside": ("inside", lambda name: name[0].upper() + name[1:]),
    "lower case inside": ("inside", str.lower),
    "capital at the start": ("starting", lambda name: name[0].upper() + name[1:]),
    "lower case at the start": ("starting", str.lower),
}


def main(triage: Triage) -> None:
    """Print two tables: of each kind and way of writing the share of messages not released."""
    share = partial(_share, triage, read_rows(SAMPLE))
    settings = cases_beside(_DATA, "kinds_of_names.toml")
    print_heading("kind", *_WAYS)
    for kind in settings["kinds"]:
        names = kind["names"].split() if isinstance(kind["names"], str) else kind["names"]
        shares = []
        for place, case in _WAYS.values():
            templates = settings[kind["about"]][place]
            filled = [
                templates[at % len(templates)].replace("{n}", case(name))
                for at, name in enumerate(names if templates else ())
            ]
            shares.append(share(filled))
        print_row(_shown(kind), *shares)
    print()
    print_heading("messages", "as written", "lower case")
    for kind in cases_beside(_DATA, "whole_messages.toml")["kinds"]:
        lower = [message.lower() for message in kind["messages"]]
        print_row(_shown(kind), share(kind["messages"]), share(lower))


def _share(triage: Triage, sample: Sequence[Row], messages: Sequence[str]) -> str:
    """Return the share of messages that is not released, as a cell; empty where there is none."""
    before, known = ([row[name] for row in sample] for name in ("text", "sender"))
    senders = known + [""] * len(messages)
    decided = triage.decide([*before, *messages], senders, corpus_evidence=True)
    held = [action is not Action.NTA for action in decided.action[len(sample) :]]
    return f"{sum(held) / len(held):.2f}" if held else ""


def _shown(kind: dict[str, str]) -> str:
    return f"{kind['name']} (to be left)" if kind.get("left") else kind["name"]


if __name__ == "__main__":
    main(Triage.load("fr", model=sys.argv[1] if sys.argv[1:] else None))
