"""The search of texts for traces of what was replaced, word by word and where words stand."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord, Labeller
from triage.dictionaries.addresses import KnownWords, street_types
from triage.dictionaries.edits import NameVariants, OneEdit
from triage.dictionaries.normal import Legible, folded

from ..decide.pipeline import Triage
from ..model.find import ScoredMessages, likely_type, long_number
from ..vocabulary import CERTAIN_FROM, IdentifierType, Severity
from .comparison import NO_SPELLINGS, Sought, Whole
from .entity import canonical
from .survey import telephone_in


class Trace(StrEnum):
    """The ways in which something is found; the value tells a person."""

    SAME = "a spelling that was replaced elsewhere"
    VARIANT = "a variant of a spelling that was replaced"
    MISSPELT = "a spelling that was replaced, with one letter changed"
    ALIKE = "a spelling that was replaced, with two letters changed"
    GLUED = "a spelling that was replaced, joined to another word"
    HANDLE = "a handle that holds a spelling that was replaced"
    INITIALS = "initials of a full name that was replaced"
    ADDRESS = "part of an address that was replaced"
    NUMBER = "a number that was replaced, or may be a telephone number"
    FORM = "an identifier known by its form"
    EVIDENCE = "a word that stands where names stand"
    NAME = "a name of the dictionaries"


class Match(NamedTuple):
    """A trace, and the spelling that was replaced; empty where none was."""

    trace: Trace
    spelling: str = ""


_SHORTEST_GLUED, _LONGEST_GLUED = 4, 30
_SHORTEST_REST = 2
_SHORTEST_MISSPELT = 4
_COMMON = (Label.ANTI_DICTIONARY, Label.AMBIGUOUS)
_SHORTEST_STREET = 3
_POSTCODE = 5
_NO_LETTERS = re.compile(r"[\W\d_]+")


class Traces:
    """Finds what a word has in common with what was replaced."""

    def __init__(self, sought: Sought, labeller: Labeller) -> None:
        self._sought = sought
        self._lexicon = labeller.lexicon
        words = {
            folded(word.text): word.label
            for word in labeller.label([*sought.spellings]).labels
            if word.kind is Kind.WORD
        }
        counts = {word: sought.spellings[word] for word in words if word in sought.spellings}
        # A common word that was replaced once may have been a mistake.
        names = {word: n for word, n in counts.items() if n > 1 or words[word] not in _COMMON}
        self._names = {word for word in names if words[word] is not Label.ANTI_DICTIONARY}
        self._canonical = {self._of_entity(name): name for name in sorted(self._names)}
        self._counts = counts
        long_names = (name for name in sorted(names) if len(name) >= _SHORTEST_MISSPELT)
        self._misspelt = OneEdit(long_names, shortest=_SHORTEST_MISSPELT - 1)
        self._alike = NameVariants({name: float(n) for name, n in names.items()})
        known = KnownWords.of(labeller.lexicon)
        types = street_types(known.words)
        self._streets = {word for whole in sought.wholes for word in _street_words(whole, known)}
        self.initials = {
            (first[0], last[0])
            for whole in sought.wholes
            if not types.intersection(whole)
            for first, last in pairwise(whole)
            if first.isalpha() and last.isalpha()
        }
        self.first_initials = {first for first, _ in self.initials} - {"m"}
        self.last_initials = {last for _, last in self.initials} - {"a", "y"}

    def _of_entity(self, word: str) -> str:
        return canonical(word, IdentifierType.PRE, self._lexicon)

    def of(self, word: LabelledWord) -> Match | None:
        """Return how a word, by itself, gives away what was replaced, or that it is a name."""
        if word.kind in NO_SPELLINGS:
            return None
        written = folded(word.text)
        if written in self._sought.spellings:
            return Match(Trace.SAME, written)
        if written in self._sought.inserted:
            return None
        if word.kind.is_identifier:
            return Match(Trace.FORM)
        if written in self._streets:
            return Match(Trace.ADDRESS, written)
        if word.kind is not Kind.WORD:
            return None
        return next(self._found(word, written), None)

    def _found(self, word: LabelledWord, written: str) -> Iterator[Match]:
        # A word of the language may be a mistyped name, and nothing else.
        is_word = word.label is Label.ANTI_DICTIONARY and not word.rule
        if not is_word and (spelling := self._canonical.get(self._of_entity(written))) is not None:
            yield Match(Trace.VARIANT, spelling)
        if any(map(str.isdigit, written)):
            if spelling := self._held(written):
                yield Match(Trace.HANDLE, spelling)
        elif not is_word and (spelling := self._glued(written)):
            yield Match(Trace.GLUED, spelling)
        if near := self._misspelt(written):
            yield Match(Trace.MISSPELT, max(near, key=self._counts.__getitem__))
        if spelling := self._alike(written):
            yield Match(Trace.ALIKE, spelling)
        if word.label is Label.DICTIONARY:
            yield Match(Trace.NAME)

    def _glued(self, written: str) -> str:
        """Return the name that a word begins or ends with, beside a common word or a hyphen."""
        if not _SHORTEST_GLUED + _SHORTEST_REST <= len(written) <= _LONGEST_GLUED:
            return ""
        for at in range(_SHORTEST_REST, len(written) - _SHORTEST_REST + 1):
            head, tail = written[:at], written[at:]
            for name, rest in ((tail, head), (head, tail)):
                bare = name.strip("-'")
                is_name = len(bare) >= _SHORTEST_GLUED and bare in self._names
                if is_name and (bare != name or self._is_common(rest.strip("-'"))):
                    return bare
        return ""

    def _is_common(self, word: str) -> bool:
        lists = self._lexicon.exact.get(word) | self._lexicon.folded.get(word)
        return bool(lists & self._lexicon.common)

    def _held(self, written: str) -> str:
        """Return a name that stands in a handle, a long one rather."""
        for letters in _NO_LETTERS.split(written[:_LONGEST_GLUED]):
            n = len(letters)
            spans = ((a, b) for a in range(n) for b in range(n, a + _SHORTEST_GLUED - 1, -1))
            for start, end in spans:
                if letters[start:end] in self._names:
                    return letters[start:end]
        return ""


def _street_words(whole: Whole, known: KnownWords) -> Iterator[str]:
    """Yield the words of an address that tell which one it is, its postcode among them."""
    words = known.words
    if not street_types(words).intersection(whole):
        return
    no_names = street_types(words) | words.links | words.titles
    no_names |= words.complements | words.residences
    codes = (i for i, word in enumerate(whole) if word.isdecimal() and len(word) == _POSTCODE)
    postcode = next(codes, None)
    telling = [word for word in whole[:postcode] if word.isalpha() and word not in no_names]
    if postcode is not None:
        yield whole[postcode]
    elif len(telling) > 1 and known.is_town(telling[-1]):
        telling.pop()
    yield from (word for word in telling if len(word) >= _SHORTEST_STREET)


_SHORTEST_NUMBER, _SHORTEST_ID = 4, 8
_FEWEST_DIGITS = 8
_SHORTEST_SPELLING = 4
_DIALLED = range(10, 15)
_MOST_LINKS = 3
_PAIR = 2
# As many as a labeller remembers.
_MOST_KNOWN = 300_000
# A French number without its zero, or the code of the country.
_NATIONAL = 9
_SEPARATED = re.compile(r"(?<![0-9])[0-9](?:[ .,/_()\-]{0,3}+[0-9]){7,20}+(?![0-9])")
_DATE = re.compile(r"[0-3]?[0-9]([ ./-])[01]?[0-9]\1(?:19|20)[0-9]{2}(?![0-9])")
_NO_DIGITS = re.compile("[^0-9]+")


# A common word that is like a name or part of an address counts where the evidence is that strong.
COMMON_FROM = 0.1


class Seen(NamedTuple):
    """A word, or several, that may give away what was replaced."""

    message: int
    start: int
    text: str
    match: Match
    severity: Severity
    type: IdentifierType
    evidence: float | None = None
    is_common: bool = False
    is_in_place: bool = False
    is_capital: bool = False


def _may_be_initials(word: LabelledWord) -> bool:
    """Return whether a word is one capital letter or two, and no common word."""
    if word.kind is not Kind.WORD or not (word.text.isalpha() and word.text.isupper()):
        return False
    return len(word.text) == 1 or (len(word.text) == _PAIR and word.label is Label.UNKNOWN)


def _is_common(word: LabelledWord) -> bool:
    return word.kind is Kind.WORD and word.label in (Label.ANTI_DICTIONARY, Label.AMBIGUOUS)


def _counts(seen: Seen) -> bool:
    """Return whether a common word is a trace: such words are like some name or street."""
    if not seen.is_common or (seen.evidence or 0.0) >= COMMON_FROM:
        return True
    if seen.match.trace is Trace.ADDRESS:
        return seen.is_in_place or seen.is_capital
    return seen.match.trace not in (Trace.MISSPELT, Trace.ALIKE)


class Search:
    def __init__(self, sought: Sought, triage: Triage) -> None:
        self._sought = sought
        self._triage = triage
        self._traces = Traces(sought, triage.labeller)
        # Each distinct word is compared once with what was replaced.
        self._matched = lru_cache(_MOST_KNOWN)(self._match)
        self._ends, self._put_in = (_ends(words) for words in (sought.spellings, sought.inserted))

    def replaced(self, seen: Seen) -> int:
        """Return how often the spelling that something has to do with was replaced."""
        return self._sought.spellings.get(seen.match.spelling, 0)

    def in_cells(self, cells: Sequence[str]) -> list[Seen]:
        """Return what is found in cells that are no messages, in order."""
        labelled = self._triage.labeller.label(cells)
        return [*self._of_words(_Words(labelled), in_text=False)]

    def in_messages(self, scored: ScoredMessages, first: int = 0) -> list[Seen]:
        """Return what is found in messages, in order; the first is of this row, from 0."""
        labelled = scored.labelled
        found = [*self._of_words(_Words(labelled, scored.evidence), in_text=True)]
        found = [*self._left(found, first)]
        taken = {(o.message, at) for o in found for at in range(o.start, o.start + len(o.text))}
        found += self._numbers(labelled.messages, taken)
        return sorted(found, key=lambda one: (one.message, one.start))

    def _left(self, found: Sequence[Seen], first: int) -> Iterator[Seen]:
        """Yield what no replacement has put there."""
        put_in = {
            row - first: words.copy()
            for row in {first + one.message for one in found}
            if (words := self._sought.put_in.get(row))
        }
        for one in found:
            here, text = put_in.get(one.message), folded(one.text)
            if here and here[text] > 0:
                here[text] -= 1
            else:
                yield one

    def _of_words(self, words: "_Words", *, in_text: bool) -> Iterator[Seen]:
        matches = [self._matched(word, in_text) for word in words.labels]
        initials = [_may_be_initials(word) for word in words.labels]
        is_known = [bool(match) or may_be for match, may_be in zip(matches, initials, strict=True)]
        behind = (0, 0)
        for at in words.candidates(is_known):
            form, p = words.form[at], words.evidence[at]
            match, word = matches[form], words.labels[form]
            if (words.message[at], words.start[at]) < behind:
                continue  # the second of two initials
            if initials[form] and (end := self._initials(words, at)):
                behind = (words.message[at], end)
                yield self._seen(words, at, Match(Trace.INITIALS), end)
            elif match and match.trace is not Trace.NAME:
                seen = self._seen(words, at, match)
                if _counts(seen):
                    yield seen
            elif p is not None and p >= CERTAIN_FROM and not self._is_put_in(word):
                yield self._seen(words, at, Match(Trace.EVIDENCE))
            elif match and match.trace is Trace.NAME:
                yield self._seen(words, at, match)

    def _seen(self, words: "_Words", at: int, match: Match, end: int | None = None) -> Seen:
        word, start = words.labels[words.form[at]], words.start[at]
        message, type_ = words.message[at], likely_type(word, self._triage.lexicon)
        text = word.text if end is None else words.texts[message][start:end]
        return Seen(
            *(message, start, text, match, self._severity(match, type_), type_),
            words.evidence[at],
            _is_common(word),
            match.trace is Trace.ADDRESS and words.is_in_street(at),
            word.text[:1].isupper() and words.is_inside(at),
        )

    def _severity(self, match: Match, type_: IdentifierType) -> Severity:
        """Return that of the identifier that was replaced, else that of the likely type."""
        indirect = self._sought.indirect
        if indirect is not None and match.spelling in self._sought.spellings:
            return Severity.INDIRECT if match.spelling in indirect else Severity.DIRECT
        return type_.severity

    def _match(self, word: LabelledWord, in_text: bool) -> Match | None:
        match = self._traces.of(word)
        if match and match.trace is Trace.SAME:
            shortest = _SHORTEST_NUMBER if in_text else _SHORTEST_ID
            if word.kind is Kind.NUMBER and len(word.text) < shortest:
                return None
            # Little words between the parts of an identifier name nobody: "12 rue de l'Étang".
            if word.label is Label.ANTI_DICTIONARY and len(word.text) < _SHORTEST_SPELLING:
                return None
        if match is None and in_text and long_number(word) and not self._is_put_in(word):
            return Match(Trace.NUMBER)
        return match

    def _initials(self, words: "_Words", at: int) -> int | None:
        """Return where initials end that begin at a word; None if it begins none."""
        written = words.labels[words.form[at]].text
        text = written.lower()
        end: int = words.start[at] + len(written)
        if len(written) > 1:
            return end if (text[0], text[1]) in self._traces.initials else None
        before = words.word(words.beside(at, -1))
        has_dot, behind = words.behind_dot(at)
        after = words.word(behind)
        if after and _may_be_initials(after) and len(after.text) == 1:
            ends_with_dot, further = words.behind_dot(behind)
            rest = words.word(further) if ends_with_dot else None
            is_longer = (before and before.text == ".") or (rest and _may_be_initials(rest))
            is_pair = (text, after.text.lower()) in self._traces.initials
            is_one = is_pair and has_dot and not is_longer
            end = words.start[behind] + 1
            return end if is_one else None
        if before and self._is_put_in(before) and text in self._traces.last_initials:
            return end
        is_first = has_dot and after and self._is_put_in(after)
        return end if is_first and text in self._traces.first_initials else None

    def _is_put_in(self, word: LabelledWord) -> bool:
        return word.kind is Kind.MASKED or folded(word.text) in self._sought.inserted

    def _numbers(self, texts: Sequence[str], taken: set[tuple[int, int]]) -> Iterator[Seen]:
        for message, text in enumerate(texts):
            legible = Legible.of(text)
            for found in _SEPARATED.finditer(legible.text):
                start, end = legible.span(*found.span())
                if any((message, at) in taken for at in range(start, end)):
                    continue
                digits = _NO_DIGITS.sub("", found[0])
                end_of_number = digits[-_NATIONAL:]
                is_known = end_of_number in self._ends
                is_put_in = end_of_number in self._put_in
                if is_known or (not is_put_in and _may_be_dialled(found[0], digits)):
                    match = Match(Trace.NUMBER, digits if is_known else "")
                    type_ = IdentifierType.TEL
                    yield Seen(message, start, text[start:end], match, type_.severity, type_)


def _ends(words: Iterable[str]) -> set[str]:
    """Return the last digits of long numbers, which telephone numbers have in common."""
    numbers = (_NO_DIGITS.sub("", word) for word in words)
    return {digits[-_NATIONAL:] for digits in numbers if len(digits) >= _FEWEST_DIGITS}


def _may_be_dialled(written: str, digits: str) -> bool:
    """Return whether a number begins as those that are dialled do, and is no date."""
    if len(digits) not in _DIALLED or digits[0] not in "03" or _DATE.search(written):
        return False
    return bool(telephone_in(digits))


class _Words:
    """The words of some texts, with their neighbours."""

    def __init__(
        self, labelled: LabelledMessages, evidence: Sequence[float | None] | None = None
    ) -> None:
        table = labelled.words
        self.texts = labelled.messages
        self.labels = labelled.labels
        self.form, self.message, self.start = (
            column.tolist() for column in (table.form, table.message, table.start)
        )
        self._street = labelled.lexicon.pack.addresses
        self._street_types = street_types(self._street)
        self.evidence = evidence or [None] * len(self.form)

    def candidates(self, is_candidate: Sequence[bool]) -> Iterator[int]:
        """Yield the places of some distinct words, and of those with the evidence of names."""
        for at, (form, p) in enumerate(zip(self.form, self.evidence, strict=True)):
            if is_candidate[form] or (p is not None and p >= CERTAIN_FROM):
                yield at

    def word(self, at: int) -> LabelledWord | None:
        """Return a word; None for the place of none."""
        return self.labels[self.form[at]] if at >= 0 else None

    def beside(self, at: int, step: int) -> int:
        """Return the place of a neighbour in the message; -1 without one."""
        there = at + step
        is_there = (
            at >= 0 and 0 <= there < len(self.form) and self.message[there] == self.message[at]
        )
        return there if is_there else -1

    def behind_dot(self, at: int) -> tuple[bool, int]:
        """Return whether a full stop stands behind a word, and the place behind both."""
        behind = self.beside(at, 1)
        word = self.word(behind)
        has_dot = word is not None and word.text == "."
        return has_dot, self.beside(behind, 1) if has_dot else behind

    def is_inside(self, at: int) -> bool:
        """Return whether another word of the sentence stands before a word."""
        before = self.word(self.beside(at, -1))
        return before is not None and before.kind is not Kind.PUNCTUATION

    def is_in_street(self, at: int) -> bool:
        """Return whether a kind of street or a number stands before, links between them aside."""
        for _ in range(_MOST_LINKS):
            at = self.beside(at, -1)
            word = self.word(at)
            if word is None:
                return False
            written = folded(word.text).rstrip("'")
            if written in self._street_types or word.kind is Kind.NUMBER:
                return True
            if written not in self._street.links and written not in self._street.titles:
                return False
        return False
