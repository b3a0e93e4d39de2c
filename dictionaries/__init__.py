"""Dictionaries: word lists, splitting messages into words, and the label of each word."""

from triage.dictionaries.kinds import Kind
from triage.dictionaries.labelling import (
    LabelledMessages,
    LabelledWord,
    Labeller,
    MetWords,
    label_messages,
)
from triage.dictionaries.lexicon import Label, Lexicon, load_lexicon, user_list
from triage.dictionaries.lists import DictionaryError, Role, WordList
from triage.dictionaries.words import WordTable, split_all

__all__ = [
    "DictionaryError",
    "Kind",
    "Label",
    "LabelledMessages",
    "LabelledWord",
    "Labeller",
    "Lexicon",
    "MetWords",
    "Role",
    "WordList",
    "WordTable",
    "label_messages",
    "load_lexicon",
    "split_all",
    "user_list",
]
