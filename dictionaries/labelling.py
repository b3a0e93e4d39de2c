"""The label of each distinct word, and why (paper, section 3.2, steps 2 and 3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .labels import Kind, Label
from .lexicon import Lexicon
from .normal import normal
from .spelling import RULES
from .words import Form, WordTable, split_all


@dataclass(frozen=True, slots=True)
class LabelledWord:
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
        The spelling rule that found it; empty when it stands in the lists as written.
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
            return LabelledWord(
                form.text, form.kind, label, found.lists, rule.__name__, found.form
            )
    return LabelledWord(form.text, form.kind, Label.UNKNOWN, 0, "", word)


def label_words(forms: Iterable[Form], lexicon: Lexicon) -> list[LabelledWord]:
    """Label distinct words.

    Returns
    -------
    list of LabelledWord
        In the order of the forms.
    """
    return [label_word(form, lexicon) for form in forms]


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


def label_messages(messages: Sequence[str], lexicon: Lexicon) -> LabelledMessages:
    """Split messages and label their distinct words.

    Examples
    --------
    >>> from dictionaries import load_lexicon
    >>> labelled = label_messages(["Coucou Patrice, ça va ?"], load_lexicon("fr"))
    >>> [(word.text, word.label.name) for word in labelled.labels if word.kind == "WORD"][:2]
    [('Coucou', 'ANTI_DICTIONARY'), ('Patrice', 'DICTIONARY')]
    """
    words = split_all(messages)
    return LabelledMessages(messages, words, label_words(words.forms, lexicon), lexicon)
