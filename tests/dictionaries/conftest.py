"""The lexicons of other languages, loaded once; the French one is that of all tests."""

from pathlib import Path

import pytest

from triage.dictionaries import Lexicon, load_lexicon

CATALAN = str(Path(__file__).parents[1] / "packs" / "ca")


@pytest.fixture(scope="session")
def english() -> Lexicon:
    return load_lexicon("en")


@pytest.fixture(scope="session")
def catalan() -> Lexicon:
    """A pack that a linguist made in a day: the example of docs/guide/languages.md."""
    return load_lexicon(CATALAN)
