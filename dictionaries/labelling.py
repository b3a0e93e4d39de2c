"""The label of each distinct word, and why (paper, section 3.2, steps 2 and 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from triage.dictionaries.labels import Kind, Label
from triage.dictionaries.lexicon import Lexicon
from triage.dictionaries.normal import normal
from triage.dictionaries.spelling import RULES
from triage.dictionaries.words import Form, WordTable, split_all


class LabelledWord(NamedTuple):
    """A distinct word with its label and the reason for it.

    Parameters
    ----------
    text : str
        As it was written.
    kind : Kind
    label : Label
    lists : int
        The lists that hold it, or that hold what the rule read it as, as bits of the lexicon.
    rule : str
        The spelling rule that found it (a function of `spelling`); empty when it
        stands in the lists as written, or nowhere.
    read_as : str
        What it was looked up as.
    """

    text: str
    kind: Kind
    label: Label
    lists: int
    rule: str
    read_as: str


def label_word(form: Form, lexicon: Lexicon) -> LabelledWord:
    """Label one distinct word.

    Parameters
    ----------
    form : Form
    lexicon : Lexicon

    Returns
    -------
    LabelledWord
        An identifier found by its form is DICTIONARY; what is no word (numbers, smileys,
        punctuation, identifiers that are masked already) is ANTI_DICTIONARY.

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
    return _label_by_rule(form, word, lexicon)


def _label_by_rule(form: Form, word: str, lexicon: Lexicon) -> LabelledWord:
    for rule in RULES:
        found = rule(word, lexicon)
        if found and (label := lexicon.label(found.lists)) is not Label.UNKNOWN:
            return LabelledWord(form.text, form.kind, label, found.lists, rule.__name__, found.form)
    return LabelledWord(form.text, form.kind, Label.UNKNOWN, 0, "", word)


@dataclass(frozen=True)
class LabelledMessages:
    """Messages, their words and the words' labels: all that verdict and features are made from.

    Parameters
    ----------
    messages : sequence of str
    words : WordTable
    labels : list of LabelledWord
        One for each distinct word, in the order of ``words.forms``.
    lexicon : Lexicon
        What the labels' bits refer to.
    """

    messages: Sequence[str]
    words: WordTable
    labels: list[LabelledWord]
    lexicon: Lexicon


class Labeller:
    """Labels messages, chunk after chunk; a word met before is not labelled again.

    Parameters
    ----------
    lexicon : Lexicon

    Examples
    --------
    >>> from triage.dictionaries import Role, WordList
    >>> labeller = Labeller(Lexicon([WordList("forms", Role.ANTI_DICTIONARY, ("salut",))]))
    >>> [word.label.name for word in labeller.label(["Salut Namrata"]).labels]
    ['ANTI_DICTIONARY', 'UNKNOWN']
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._known: dict[Form, LabelledWord] = {}

    def label(self, messages: Sequence[str]) -> LabelledMessages:
        """Split messages and label their distinct words.

        Parameters
        ----------
        messages : sequence of str, length n_messages

        Returns
        -------
        LabelledMessages
        """
        return self.label_split(messages, split_all(messages))

    def label_split(self, messages: Sequence[str], words: WordTable) -> LabelledMessages:
        """Label the distinct words of messages that are split already.

        Parameters
        ----------
        messages : sequence of str, length n_messages
        words : WordTable
            What `triage.dictionaries.words.split_all` made of them.

        Returns
        -------
        LabelledMessages
        """
        labels = [self._known.get(form) or self._label(form) for form in words.forms]
        return LabelledMessages(messages, words, labels, self.lexicon)

    def _label(self, form: Form) -> LabelledWord:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        labelled = self._known[form] = label_word(form, self.lexicon)
        return labelled


# Some 100 MB; a corpus of 90,000 messages has a fifth of that.
_MOST_KNOWN = 300_000


def label_messages(messages: Sequence[str], lexicon: Lexicon) -> LabelledMessages:
    """Split messages and label their distinct words (paper, section 3.2).

    Parameters
    ----------
    messages : sequence of str, length n_messages
    lexicon : Lexicon

    Returns
    -------
    LabelledMessages

    Examples
    --------
    >>> from triage.dictionaries import load_lexicon
    >>> labelled = label_messages(["Coucou Patrice, ça va ?"], load_lexicon("fr"))
    >>> [(word.text, word.label.name) for word in labelled.labels if word.kind == "WORD"][:2]
    [('Coucou', 'ANTI_DICTIONARY'), ('Patrice', 'DICTIONARY')]
    """
    return Labeller(lexicon).label(messages)
