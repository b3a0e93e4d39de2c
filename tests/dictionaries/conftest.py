"""The French lexicon, loaded once, and labelling one word with it."""

from collections.abc import Callable

import pytest

from triage.dictionaries import Kind, LabelledWord, Labeller, Lexicon, load_lexicon


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    """The French pack."""
    return load_lexicon("fr")


@pytest.fixture(scope="session")
def without_sms_forms(lexicon: Lexicon) -> Lexicon:
    """The French pack less the SMS forms, which hold the paper's examples as they are written."""
    return Lexicon([words for words in lexicon.lists if words.name != "sms_forms"])


@pytest.fixture(scope="session")
def labelled(lexicon: Lexicon) -> Callable[[str], list[LabelledWord]]:
    """Label the words of a message, punctuation left out, each where it stands."""
    labeller = Labeller(lexicon)

    def label(message: str) -> list[LabelledWord]:
        found = labeller.label([message])
        words = [found.labels[form] for form in found.words.form]
        return [word for word in words if word.kind is not Kind.PUNCTUATION]

    return label


@pytest.fixture(scope="session")
def label(labelled: Callable[[str], list[LabelledWord]]) -> Callable[[str], LabelledWord]:
    """Label a message of one word."""

    def label_one(message: str) -> LabelledWord:
        (word,) = labelled(message)
        return word

    return label_one
