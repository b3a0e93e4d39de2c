"""The lexicons of languages, loaded once, and labelling a message with the French one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from triage.dictionaries import Kind, LabelledWord, Labeller, Lexicon, load_lexicon

CATALAN = str(Path(__file__).parents[1] / "packs" / "ca")


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    return load_lexicon("fr")


@pytest.fixture(scope="session")
def english() -> Lexicon:
    return load_lexicon("en")


@pytest.fixture(scope="session")
def catalan() -> Lexicon:
    """A pack that a linguist made in a day: the example of docs/guide/languages.md."""
    return load_lexicon(CATALAN)


@pytest.fixture(scope="session")
def labelled(lexicon: Lexicon) -> Callable[[str], list[LabelledWord]]:
    """Label the words of a message, punctuation left out, each where it stands."""
    labeller = Labeller(lexicon)

    def label(message: str) -> list[LabelledWord]:
        found = labeller.label([message])
        words = [found.labels[form] for form in found.words.form]
        return [word for word in words if word.kind is not Kind.PUNCTUATION]

    return label
