"""Dictionaries: word lists, splitting messages into words, and the label of each word."""

from .errors import DictionaryError
from .labelling import LabelledMessages, LabelledWord, Labeller, label_messages
from .labels import Kind, Label, Role
from .lexicon import Lexicon, WordList, load_lexicon, user_list
from .words import Word, WordTable, split, split_all

__all__ = [
    "DictionaryError",
    "Kind",
    "Label",
    "LabelledMessages",
    "LabelledWord",
    "Labeller",
    "Lexicon",
    "Role",
    "Word",
    "WordList",
    "WordTable",
    "label_messages",
    "load_lexicon",
    "split",
    "split_all",
    "user_list",
]
