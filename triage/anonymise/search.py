"""Searching messages and cells for what was replaced and for people, as mining grades words.

A word's grade is the probability that one that stands there identifies somebody, as measured on
what really stands. *Certain* is said of what was true in four of five cases at least.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

import numpy as np

from triage.dictionaries import Kind, Label, LabelledWord
from triage.dictionaries.addresses import KnownWords, street_types
from triage.dictionaries.normal import folded
from triage.dictionaries.phrases import phrase_key

from ..decide.find import likely_type
from ..decide.names import NAMES
from ..decide.people import People
from ..decide.pipeline import Triage
from ..vocabulary import IdentifierType, Severity
from .columns import is_date, telephone_in
from .comparison import Sought
from .entity import short_forms
from .grading import (
    NO_NAME,
    TYPES,
    Clue,
    Corpus,
    Floats,
    Grades,
    Kinship,
    Known,
    distinct,
    read_corpus,
    without_particles,
)
from .plan import Plan

Certainty = StrEnum("Certainty", ["UNDECIDED", "ADDED", "CERTAIN", "LIKELY", "POSSIBLE", "PLANNED"])
# Bounds on the probability that a word identifies somebody. Of the words that stand in 88milSMS out
# of fold, one of eight from LIKELY on identifies somebody where .2 % of the messages keep an
# identifier, one of five where 1 % do. From CERTAIN on none stands in what this program writes; in
# messages where nothing is replaced, 99 of 100 are true.
_CERTAIN, _LIKELY, _POSSIBLE = 0.95, 0.1, 0.02
# What is found without anything that was replaced stays where the plan keeps its type.
_BY_TYPE = frozenset({Clue.FORM, Clue.NUMBER, Clue.EVIDENCE, Clue.CONTEXT, Clue.CAPITAL})
CONTEXT = 40
FEWEST_DIGITS = 8
_DIALLED = range(10, 15)
# The end of a number, whatever stands before it: a zero, the code of the country.
_END = 8
_DATE = re.compile(r"[0-3]?[0-9]([ ./-])[01]?[0-9]\1(?:19|20)[0-9]{2}(?![0-9])")
_NO_DIGITS = re.compile("[^0-9]+")
# The second of two initials; what stands behind an initial alone; letters that are words.
_INITIAL = re.compile(r"\.? ?([A-ZÀ-Þ])(?![^\W_]|\.[^\W\d_])")
_ENDING = re.compile(r"\.|$|[ ,;!?)]")
_LITTLE = frozenset("amy")
_OF_NAMES = frozenset({Clue.PERSON, Clue.REPLACED})
_NO_SPACE = re.compile(r"\S+")
_AKIN = frozenset({Clue.STRETCHED, Clue.GLUED, Clue.HANDLE})
_SHORTEST_STREET = _SHORTEST_UNLISTED = 3
_MOST_PARTICLES = 2
_POSTCODE = 5
# So many words before that of an address tell that it stands in one.
_BEFORE = 3
_PRE, _ADR, _TEL = IdentifierType.PRE, IdentifierType.ADR, IdentifierType.TEL
Cell = tuple[int, int]
"""The place of a cell: row (0: the header) and column, from 0."""
KnownForm = tuple[int, int, str, IdentifierType | None]
"""A place known by its form: message, from 0, start, text and type; none of a mere number."""


class Part(NamedTuple):
    """A chunk: messages, evidence of their words, what is known by its form, and other cells."""

    texts: list[str]
    ids: list[str]
    undecided: list[int]
    evidence: Floats
    by_form: list[KnownForm]
    cells: dict[str, list[Cell]]


Hit = tuple[Clue, Certainty, IdentifierType, int]
"""The reason for a finding, how sure it is, its type, and how often its name was replaced."""
_Found = tuple[int, int, int, Hit]
"""Something in a message, from 0: where it starts, where it ends, and what it is."""


ORDER: dict[str, int] = {certainty.value: place for place, certainty in enumerate(Certainty)}


@dataclass(frozen=True)
class Left:
    certainty: Certainty
    reason: str
    severity: Severity | None
    row: int
    column: str = ""
    start: int = 0
    replaced: int = 0
    before: str = ""
    text: str = ""
    behind: str = ""


def grouped(left: Iterable[Left], key: Callable[[Left], Hashable]) -> list[list[Left]]:
    """Return findings by a key, the most certain and most frequent first."""
    by = defaultdict[Hashable, list[Left]](list)
    for one in sorted(left, key=lambda one: ORDER[one.certainty]):
        by[key(one)].append(one)
    return sorted(by.values(), key=lambda of: (ORDER[of[0].certainty], -len(of)))


def _ends(words: Iterable[str]) -> set[str]:
    """Return the last digits of long numbers, which telephone numbers have in common."""
    numbers = (_NO_DIGITS.sub("", word) for word in words)
    return {digits[-_END:] for digits in numbers if len(digits) >= FEWEST_DIGITS}


class Search:
    """Searches messages, cells and documents for what was replaced, and for people."""

    def __init__(self, sought: Sought, triage: Triage, people: People | None, plan: Plan) -> None:
        self._sought, self._triage, self._plan, self._people = sought, triage, plan, people
        self._lexicon, pack = triage.lexicon, triage.lexicon.pack
        self._ends = _ends(one.spelling for one in sought.known)
        self._put_in = _ends(sought.replacements)
        # Names of people count in messages by their evidence, which they have raised.
        spelt = people.spellings() if people else []
        self._common = {key for one in spelt if one.is_word for key in phrase_key(one.text)}
        named = [Known(one.text, one.type, one.entity) for one in spelt]
        named, replaced = without_particles(named, pack), without_particles(sought.known, pack)
        # The words of names, those of people first.
        self._names = {
            key: (reason, one)
            for reason, known in ((Clue.REPLACED, replaced), (Clue.PERSON, named))
            for one in known
            if reason is Clue.PERSON or one.replaced
            for key in phrase_key(one.spelling)
            if one.type is not _ADR and not key.isdecimal()
        }
        known_words = KnownWords(self._lexicon)
        words, self._street_types = known_words.words, street_types(known_words.words)
        self._links = words.links | words.titles
        # The words of an address that tell which one it is, its postcode among them.
        no_names = self._street_types | self._links | words.complements | words.residences
        self._streets: dict[str, Known] = {}
        for one in sought.known:
            whole = phrase_key(one.spelling)
            if self._street_types.isdisjoint(whole):
                continue
            codes = [i for i, word in enumerate(whole) if word.isdecimal()]
            postcode = next((i for i in codes if len(whole[i]) == _POSTCODE), None)
            telling = [word for word in whole[:postcode] if word.isalpha() and word not in no_names]
            if postcode is not None:
                self._streets[whole[postcode]] = one
            elif len(telling) > 1 and known_words.is_town(telling[-1]):
                telling.pop()
            self._streets |= {word: one for word in telling if len(word) >= _SHORTEST_STREET}
        self._akin_to = [*replaced, *named]
        self._kinship = Kinship(self._akin_to, frozenset(), short_forms(pack), self._streets)

    def left(self, whole: str, start: int, end: int, hit: Hit, row: int, column: str) -> Left:
        """Return what was found in a text; what the plan keeps is planned."""
        reason, sure, type_, replaced = hit
        said = type_ if reason in _BY_TYPE else None
        if self._plan.stays(start, end, said, whole):
            sure = Certainty.PLANNED
        before, behind = whole[max(0, start - CONTEXT) : start], whole[end : end + CONTEXT]
        told = row, column, start, replaced, before, whole[start:end], behind
        return Left(sure, reason.value, self._plan.severity[type_], *told)

    def in_messages(
        self, parts: Sequence[Part], texts: Sequence[str], column: str
    ) -> Iterator[Left]:
        """Yield what is left in messages: by its form, of initials and addresses, by its words."""
        evidence = (part.evidence for part in parts)
        put_in = self._sought.put_in
        spans = [tuple(put_in.get(at, ())) for at in range(len(texts))]
        corpus = self._with_particles(read_corpus(texts, spans, evidence))
        # Characters of what was put in, or found, by message.
        taken: defaultdict[int, set[int]] = defaultdict(set)
        for at, places in put_in.items():
            taken[at].update(n for one in places for n in range(one.start, one.end))

        def by_form() -> Iterator[_Found]:
            for at, start, text, type_ in chain.from_iterable(part.by_form for part in parts):
                digits, end = _NO_DIGITS.sub("", text), start + len(text)
                is_dialled = len(digits) in _DIALLED and digits[0] in "03"
                is_dialled = is_dialled and not _DATE.search(text) and bool(telephone_in(digits))
                if not taken[at].isdisjoint(range(start, end)):
                    continue
                if type_ or is_dialled or digits[-_END:] in self._ends:
                    kind, reason = type_ or _TEL, Clue.FORM if type_ else Clue.NUMBER
                    yield at, start, end, (reason, _of_form(kind), kind, 0)

        others = self._initials(corpus), self._addresses(corpus), self._by_words(corpus)
        for at, start, end, hit in chain(by_form(), *others):
            if hit[0] in (Clue.FORM, Clue.NUMBER) or start not in taken[at]:
                taken[at].update(range(start, end))
                yield self.left(texts[at], start, end, hit, at + 1, column)

    def _by_words(self, corpus: Corpus) -> Iterator[_Found]:
        """Yield words that may identify somebody, as mining grades them, and names of people."""
        names, pack = distinct(self._akin_to), self._lexicon.pack
        judged = Grades(corpus, names, corpus.replaced, pack, self._streets)
        is_left = judged.probability >= _POSSIBLE
        people = {form for form, (reason, _) in self._names.items() if reason is Clue.PERSON}
        unlisted = {form for form in self._names.keys() - people if self._is_unlisted(form)}
        for form in people | unlisted:
            words = corpus.words_of(form)
            # A common word in lower case is that word.
            counts = corpus.is_capital[words] | (form not in self._common)
            is_left[words[counts & (corpus.replaced[words] == NO_NAME)]] = True
        for word in np.flatnonzero(is_left).tolist():
            form = corpus.forms[corpus.form[word]]
            why = Clue.PERSON if form in people else next(judged.reasons(word), Clue.CONTEXT)
            kin, p, sure = judged.akin(word), judged.probability[word], Certainty.LIKELY
            if p < _LIKELY and not (why is Clue.REPLACED and form in unlisted):
                sure = Certainty.POSSIBLE
            elif p >= _CERTAIN and why is not Clue.ADDRESS:
                # How much parts of addresses weigh is not measured.
                sure = Certainty.CERTAIN
            hit = why, sure, judged.type_of([word]), kin.replaced if kin else 0
            yield *corpus.place(word), hit

    def _is_unlisted(self, form: str) -> bool:
        """Return whether a form is nothing but the name that was replaced, as far as lists tell."""
        held = self._lexicon.exact.get(form) | self._lexicon.folded.get(form)
        return len(form) >= _SHORTEST_UNLISTED and form.isalpha() and not held

    def _with_particles(self, corpus: Corpus) -> Corpus:
        """Mark the particles of a name that was put in, which keeps them: *Le Goff*, *Le Godet*."""
        types = corpus.replaced.copy()
        is_none = np.append(corpus.is_tag | (types == NO_NAME), [True])
        particles = {key for one in self._lexicon.pack.titles.particles for key in phrase_key(one)}
        for particle in [*map(corpus.words_of, particles)] * _MOST_PARTICLES:
            inside = particle[~is_none[particle + 1]]
            types[inside], is_none[inside] = TYPES.index(_PRE), False
        return replace(corpus, replaced=np.where(corpus.is_tag, corpus.replaced, types))

    def _initials(self, corpus: Corpus) -> Iterator[_Found]:
        """Yield the initials of full names that were replaced, or one beside a tag."""
        keys = (phrase_key(one.spelling) for one in self._sought.known if one.type in NAMES)
        known = {(key[0][0], key[-1][0]) for key in keys if len(key) > 1}
        firsts, lasts = ({pair[at] for pair in known} - _LITTLE for at in (0, 1))
        is_letter = np.array([len(form) == 1 and form.isalpha() for form in corpus.forms], np.bool_)
        is_name = np.append(corpus.replaced != NO_NAME, [False])
        places = is_letter[corpus.form] & corpus.is_capital if known else is_letter[:0]
        for word in np.flatnonzero(places).tolist():
            at, start, end = corpus.place(word)
            text, letter = corpus.texts[at], corpus.forms[corpus.form[word]]
            if text[max(0, start - 1) : start].strip("\n ,'’"):
                continue
            behind = _INITIAL.match(text, end)
            is_last = is_name[word - 1] and letter in lasts and _ENDING.match(text, end)
            is_first = letter in firsts and text[end : end + 2] == ". " and is_name[word + 2]
            if behind and (letter, folded(behind[1])) in known:
                end = behind.end(1)
            elif not (is_last or is_first):
                continue
            yield at, start, end, (Clue.INITIALS, Certainty.LIKELY, _PRE, 0)

    def _addresses(self, corpus: Corpus) -> Iterator[_Found]:
        """Yield words of replaced addresses behind a kind of street or a number, and postcodes."""
        for form, one in self._streets.items():
            for word in corpus.words_of(form).tolist():
                before = corpus.form[max(0, word - _BEFORE) : word][::-1].tolist()
                # Links may stand between them.
                near = (corpus.forms[n] for n in before if corpus.forms[n] not in self._links)
                first = next(near, "")
                if form.isdecimal() or first in self._street_types or first.isdecimal():
                    hit = Clue.ADDRESS, Certainty.LIKELY, _ADR, one.replaced
                    yield *corpus.place(word), hit

    def in_cells(self, cells: Iterable[str]) -> list[tuple[str, int, int, Hit]]:
        """Return what stands in cells that are no messages, with its start and end."""
        texts = [cell for cell in cells if not is_date(cell)]
        labelled = self._triage.labeller.label(texts)
        words = enumerate(map(self._of_word, labelled.labels))
        table, hits = labelled.words, {form: hit for form, hit in words if hit}
        found, letters = list[tuple[str, int, int, Hit]](), Counter[str]()
        for at in np.flatnonzero(np.isin(table.form, [*hits])).tolist():
            text, form, start = texts[table.message[at]], int(table.form[at]), int(table.start[at])
            word, hit = labelled.labels[form].text, hits[form]
            letters[text] += sum(map(str.isalnum, word)) * (hit[0] in _OF_NAMES)
            found.append((text, start, start + len(word), hit))
        # Where nothing else stands, there is nothing to make another thing of it.
        whole = {text for text, n in letters.items() if n == sum(map(str.isalnum, text))}
        found = [
            (text, start, end, (hit[0], Certainty.CERTAIN, *hit[2:]))
            if text in whole and hit[0] in _OF_NAMES
            else (text, start, end, hit)
            for text, start, end, hit in found
        ]
        glued = (Clue.PERSON, Certainty.CERTAIN, _PRE, 0)
        if people := self._people:
            parts = ((text, part) for text in texts for part in _NO_SPACE.finditer(text))
            found += [
                (t, *part.span(), glued) for t, part in parts if people.is_whole_name(part[0])
            ]
        done, number = {text for text, *_ in found}, (Clue.NUMBER, Certainty.CERTAIN, _TEL, 0)
        return found + [
            (text, 0, len(text), number)
            for text in texts
            if text not in done and telephone_in(text.strip()) and not self._is_put_in(text)
        ]

    def _is_put_in(self, cell: str) -> bool:
        """Return whether a replacement wrote what stands in a cell."""
        words, inserted = phrase_key(cell), self._sought.inserted
        is_new = bool(words) and inserted.issuperset(words)
        is_number = not _ends([cell]).isdisjoint(self._put_in)
        return is_new or is_number or folded(cell) in self._sought.replacements

    def _of_word(self, word: LabelledWord) -> Hit | None:
        """Return what a word tells by itself; words of the language tell nothing."""
        if self._is_put_in(word.text) or word.kind is Kind.MASKED:
            return None
        if word.kind.is_identifier:
            type_ = likely_type(word, self._lexicon)
            return Clue.FORM, _of_form(type_), type_, 0
        is_word = word.label in (Label.ANTI_DICTIONARY, Label.AMBIGUOUS)
        if word.kind not in (Kind.WORD, Kind.NAME, Kind.PUBLIC) or is_word:
            return None
        keys = phrase_key(word.text)
        kin = [self._names[key] for key in keys if key in self._names]
        akin = (one for key in keys for one in self._kinship(key, by_edits=False))
        kin += [(*one,) for one in akin if one.reason in _AKIN]
        if not kin:
            return None
        why, one = kin[0]
        return why, Certainty.LIKELY, one.type, one.replaced


def _of_form(type_: IdentifierType) -> Certainty:
    """Return how sure an identifier of a form is: links, ages and dates are often everybody's."""
    return Certainty.CERTAIN if type_.severity is Severity.DIRECT else Certainty.LIKELY
