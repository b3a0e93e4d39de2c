"""The label of each distinct word, and why (paper, section 3.2, steps 2 and 3)."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .kinds import Kind
from .lexicon import YOURS, Label, Lexicon
from .normal import normal
from .phrases import Phrases
from .recognisers import Recognisers, shipped
from .spelling import SpellingRules
from .words import DistinctWord, Splitter, WordTable, split_all

# The reason of a label that is no rule of spelling.
PLACE = "place"
_LABELS = tuple(Label)
_NONE = np.zeros(0, dtype=np.int64)
# Some 150 MB.
_AT_ONCE = 100_000
# Some 100 MB; a corpus of 90,000 messages has a fifth of that.
_MAX_KNOWN = 300_000


class LabelledWord(NamedTuple):
    text: str
    kind: Kind
    label: Label
    lists: int
    rule: str
    read_as: str


class MetWords:
    """The distinct words that a labeller has met, and their computed properties; both only grow."""

    def __init__(self, forms: list[DistinctWord], labels: Iterable[LabelledWord] = ()) -> None:
        self.forms = forms
        self.labels = [*labels]
        self._columns: dict[Callable[[LabelledWord], int], NDArray[np.int64]] = {}
        self._lock = Lock()

    def column(self, function: Callable[[LabelledWord], int]) -> NDArray[np.int64]:
        """Return a property of each word, computed once for each."""
        values = self._columns.get(function, _NONE)
        if len(values) < len(self.labels):
            with self._lock:
                values = self._columns.get(function, _NONE)
                new = np.array([*map(function, self.labels[len(values) :])], dtype=np.int64)
                self._columns[function] = values = np.concatenate([values, new])
        return values


@dataclass(frozen=True)
class LabelledMessages:
    """Messages, their words, and the labels of ``words.forms``, in that order."""

    messages: Sequence[str]
    words: WordTable
    number: NDArray[np.int64]
    met: MetWords
    lexicon: Lexicon

    @cached_property
    def labels(self) -> list[LabelledWord]:
        labels = self.met.labels
        return [labels[number] for number in self.number.tolist()]

    def of_form(self, function: Callable[[LabelledWord], int]) -> NDArray[np.int64]:
        """Return a property of each distinct word, as `MetWords.column`; shape (n_forms,)."""
        values: NDArray[np.int64] = self.met.column(function).take(self.number)
        return values

    @cached_property
    def label(self) -> NDArray[np.int64]:
        return self.of_form(_place_of_label).take(self.words.form)

    def relabelled(self, words: WordTable, labels: list[LabelledWord]) -> "LabelledMessages":
        """Return the messages with other words, whose forms have these labels."""
        met = MetWords([DistinctWord(word.text, word.kind) for word in labels], labels)
        table = replace(words, forms=met.forms)
        return replace(self, words=table, number=np.arange(len(labels)), met=met)


def _place_of_label(word: LabelledWord) -> int:
    return _LABELS.index(word.label)


class Labeller:
    """Labels messages chunk by chunk, each distinct word once; threads may share one."""

    def __init__(self, lexicon: Lexicon, recognisers: Recognisers | None = None) -> None:
        self.lexicon = lexicon
        self.recognisers = recognisers or shipped(lexicon.pack.language)
        self._splitter = Splitter(self.recognisers, lexicon.pack)
        self._met = MetWords(self._splitter.forms)
        self._lock = Lock()
        self._rules = SpellingRules(lexicon)
        # The entries of the user's own lists that are split into several words.
        lists = (words for words in lexicon.lists if words.title == YOURS)
        # A run of letters is one word, and most entries are no more.
        entries = sorted({one for words in lists for one in words.entries if not one.isalpha()})
        phrases: dict[str, str] = {}
        for first in range(0, len(entries), _AT_ONCE):
            chunk = entries[first : first + _AT_ONCE]
            n_words = np.bincount(split_all(chunk, lexicon.pack).message)
            phrases |= {chunk[i]: chunk[i] for i in np.flatnonzero(n_words > 1).tolist()}
        self._phrases = Phrases(phrases)

    def label(self, messages: Sequence[str]) -> LabelledMessages:
        with self._lock:
            if len(self._met.labels) >= _MAX_KNOWN:
                self._splitter = Splitter(self.recognisers, self.lexicon.pack)
                self._met = MetWords(self._splitter.forms)
            words, number = self._splitter.split(messages)
            met = self._met
            met.labels += [*map(self.label_word, met.forms[len(met.labels) :])]
        labelled = LabelledMessages(messages, words, number, met, self.lexicon)
        return self._with_phrases(labelled) if self._phrases else labelled

    def _label_word(self, written: str, word: str) -> LabelledWord:
        """Label a word by the lists that hold it, or else by the first rule that reads it."""
        lists, rule, form = self.lexicon.exact.get(word), "", word
        label = self.lexicon.label(lists)
        if label is Label.UNKNOWN:
            lists = 0
            if reading := self._rules.read(word):
                rule, form, lists = reading
                label = self.lexicon.label(lists)
        return LabelledWord(written, Kind.WORD, label, lists, rule, form)

    def label_word(self, form: DistinctWord) -> LabelledWord:
        """Label a word, a sign, a number, an identifier, or a name that its place shows."""
        lexicon, word = self.lexicon, normal(form.text)
        if form.kind is Kind.WORD:
            return self._label_word(form.text, word)
        if form.kind is Kind.PUBLIC:
            lists_of_parts = (lexicon.exact.get(part) for part in (word, *re.split("[ -]", word)))
            # The user's own lists may hold a public name, or a word of it, as a name.
            if lists := reduce(or_, lists_of_parts) & lexicon.yours & lexicon.dictionary:
                return LabelledWord(form.text, Kind.WORD, lexicon.label(lists), lists, "", word)
        if form.kind is not Kind.NAME:
            label = Label.DICTIONARY if form.kind.is_identifier else Label.ANTI_DICTIONARY
            return LabelledWord(form.text, form.kind, label, 0, "", form.text)
        plain = self._label_word(form.text, word)
        is_let_through = lexicon.exact.get(plain.read_as) & lexicon.yours & lexicon.anti_dictionary
        if plain.label is Label.DICTIONARY or is_let_through:
            return plain
        # A word that its place shows to be a name: what else it may be does not count.
        names = plain.lists & lexicon.dictionary
        return plain._replace(label=Label.DICTIONARY, lists=names, rule=PLACE, read_as=word)

    def _with_phrases(self, labelled: LabelledMessages) -> LabelledMessages:
        words, labels = labelled.words, labelled.labels
        first = np.searchsorted(words.message, np.arange(words.n_messages + 1)).tolist()
        form, is_kept = words.form.copy(), np.ones(len(words.form), dtype=np.bool_)
        joined: dict[LabelledWord, int] = {}
        for message, text in enumerate(labelled.messages):
            for phrase in self._phrases.find(text):
                starts = words.start[first[message] : first[message + 1]]
                begin, end_at = (first[message] + np.searchsorted(starts, phrase[:2])).tolist()
                last = end_at - 1
                end = words.start[last] + len(labels[words.form[last]].text)
                if begin <= last and (words.start[begin], end) == phrase[:2]:
                    labelled_word = self.label_word(DistinctWord(phrase.value, Kind.WORD))
                    word = labelled_word._replace(text=text[phrase.start : phrase.end])
                    form[begin] = joined.setdefault(word, len(labels) + len(joined))
                    is_kept[begin + 1 : end_at] = False
        used, place = np.unique(form[is_kept], return_inverse=True)
        all_labels = [*labels, *joined]
        used_labels = [all_labels[number] for number in used.tolist()]
        columns = place.astype(np.int32), words.message[is_kept], words.start[is_kept]
        return labelled.relabelled(WordTable([], *columns, words.n_messages), used_labels)


def label_messages(messages: Sequence[str], lexicon: Lexicon) -> LabelledMessages:
    """Split messages and label their distinct words (paper, section 3.2)."""
    return Labeller(lexicon).label(messages)
