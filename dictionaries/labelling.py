"""The label of each distinct word, and why (paper, section 3.2, steps 2 and 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.lexicon import Label, Lexicon
from triage.dictionaries.normal import normal
from triage.dictionaries.patterns import Kind
from triage.dictionaries.phrases import Phrases, join_phrases, phrases_of_user
from triage.dictionaries.spelling import RULES
from triage.dictionaries.words import Form, Splitter, WordTable


class LabelledWord(NamedTuple):
    """A distinct word with its label and the reason for it.

    Parameters
    ----------
    text : str
        As it was written.
    kind : Kind
    label : Label
    lists : int
        Bits of the lists that hold `read_as`.
    rule : str
        The spelling rule that applied; empty when the lists hold it as written, or none does.
    read_as : str
        The form that was looked up.
    """

    text: str
    kind: Kind
    label: Label
    lists: int
    rule: str
    read_as: str


def label_word(form: Form, lexicon: Lexicon) -> LabelledWord:
    """Label one distinct word.

    A pattern-matched identifier is DICTIONARY; numbers, smileys, punctuation and identifiers that
    are masked already are ANTI_DICTIONARY.

    Examples
    --------
    >>> from triage.dictionaries import Role, WordList
    >>> lexicon = Lexicon([WordList("names", Role.DICTIONARY, ("nicolas",))])
    >>> word = label_word(Form("Nicoooolllaassss", Kind.WORD), lexicon)
    >>> word.label.name, word.rule, word.read_as
    ('DICTIONARY', 'letter_repetitions', 'nicolas')
    """
    if form.kind is not Kind.WORD:
        label = Label.DICTIONARY if form.kind.is_identifier else Label.ANTI_DICTIONARY
        return LabelledWord(form.text, form.kind, label, 0, "", form.text)
    word = normal(form.text)
    lists = lexicon.exact.get(word)
    label = lexicon.label(lists)
    if label is not Label.UNKNOWN:
        return LabelledWord(form.text, form.kind, label, lists, "", word)
    for rule in RULES:
        found = rule(word, lexicon)
        if found and (label := lexicon.label(found.lists)) is not Label.UNKNOWN:
            return LabelledWord(form.text, form.kind, label, found.lists, rule.__name__, found.form)
    return LabelledWord(form.text, form.kind, Label.UNKNOWN, 0, "", word)


@dataclass(frozen=True)
class LabelledMessages:
    """Messages, their words, and the labels of ``words.forms``, in that order.

    The bits of the labels are those of the lexicon.
    """

    messages: Sequence[str]
    words: WordTable
    labels: list[LabelledWord]
    lexicon: Lexicon

    @cached_property
    def label_of_form(self) -> NDArray[np.int64]:
        """The label of each distinct word, as its place in `Label`; shape (n_forms,)."""
        return np.array([_PLACE[word.label] for word in self.labels], dtype=np.int64)


_PLACE = {label: place for place, label in enumerate(Label)}


class Labeller:
    """Labels messages chunk by chunk, each distinct word once; threads may share one.

    Entries of several words in the user's own lists are found, and labelled, as one word.

    Examples
    --------
    >>> from triage.dictionaries import Role, WordList
    >>> labeller = Labeller(Lexicon([WordList("forms", Role.ANTI_DICTIONARY, ("salut",))]))
    >>> [word.label.name for word in labeller.label(["Salut Namrata"]).labels]
    ['ANTI_DICTIONARY', 'UNKNOWN']
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._splitter = Splitter()
        self._labels: list[LabelledWord] = []
        self._lock = Lock()
        self._phrases = Phrases(
            {
                entry: label_word(Form(entry, Kind.WORD), lexicon)
                for entry in phrases_of_user(lexicon)
            }
        )

    def label(self, messages: Sequence[str]) -> LabelledMessages:
        """Split messages and label their distinct words."""
        with self._lock:
            if len(self._labels) >= _MOST_KNOWN:
                self._splitter, self._labels = Splitter(), []
            words, numbers = self._splitter.split(messages)
            new = self._splitter.forms[len(self._labels) :]
            self._labels += [label_word(form, self.lexicon) for form in new]
            labels = [self._labels[number] for number in numbers.tolist()]
        if self._phrases:
            words, labels = join_phrases(messages, words, labels, self._phrases)
        return LabelledMessages(messages, words, labels, self.lexicon)


# Some 100 MB; a corpus of 90,000 messages has a fifth of that.
_MOST_KNOWN = 300_000


def label_messages(messages: Sequence[str], lexicon: Lexicon) -> LabelledMessages:
    """Split messages and label their distinct words (paper, section 3.2).

    Examples
    --------
    >>> from triage.dictionaries import load_lexicon
    >>> labelled = label_messages(["Coucou Patrice, ça va ?"], load_lexicon("fr"))
    >>> [(word.text, word.label.name) for word in labelled.labels if word.kind == "WORD"][:2]
    [('Coucou', 'ANTI_DICTIONARY'), ('Patrice', 'DICTIONARY')]
    """
    return Labeller(lexicon).label(messages)
