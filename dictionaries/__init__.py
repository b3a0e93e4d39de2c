"""Dictionaries: word lists, splitting messages into words, and the label of each word."""

from .kinds import Kind
from .labelling import LabelledMessages, LabelledWord, Labeller, MetWords, label_messages
from .lexicon import Label, Lexicon, load_lexicon, user_list
from .lists import DictionaryError, Role, WordList
from .words import WordTable, split_all

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
