"""The identifiers of a message: certain ones, and words in doubt; their rules and their types.

The bounds on evidence were chosen on the first 4,000 messages of 88milSMS, each sender held out
(docs/guide/publishing.md). The order of `Rule` is the precedence, and it is said nowhere else.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord, Lexicon
from triage.dictionaries.addresses import Beginning, KnownWords, addresses, beginning, streets
from triage.dictionaries.kinds import FoundSpan
from triage.dictionaries.labelling import PLACE
from triage.dictionaries.lexicon import (
    ALL_LAST_NAMES,
    COMMON,
    FIRST_NAMES,
    KNOWN_FIRST_NAMES,
    LAST_NAMES,
)
from triage.dictionaries.normal import fold, folded
from triage.dictionaries.pack import Pack, any_of
from triage.features.word_evidence import ScoredWords, probability

from ..settings import Ambiguous
from ..vocabulary import CERTAIN_FROM, SUSPECT_FROM, Action, IdentifierType, Spans

# Up to CERTAIN_FROM, words that the dictionary alone says are in doubt, and so is the strongest
# word of a message that is TA for nothing else. No higher bound makes them right more
# often than not: of 45 such words in the first messages 9 are identifiers, and 5 of the 18 from
# 0.25 on; in messages that people call TA, 9 of 13.
_CARRIES_FROM = 0.2


class Rule(StrEnum):
    """The rules that find identifiers; of two overlapping finds, the earlier rule stands."""

    ALWAYS = "always"
    EXPERT = "expert"
    LIST = "list"
    ADDRESS = "address"
    PATTERN = "pattern"
    EVIDENCE = "evidence"
    DICTIONARY = "dictionary"
    CARRIED = "carried"


_RANK = {rule: rank for rank, rule in enumerate(Rule)}
IN_DOUBT = (Rule.DICTIONARY, Rule.CARRIED)
_WEIGHED = (Rule.EVIDENCE, *IN_DOUBT)
_OF_PERSONS = frozenset({IdentifierType.PRE, IdentifierType.SUR})
# The number of characters before and behind a word that are its context.
REACH = 40
# The characters behind a name that make it the name of a user: *maud.tgv44*, *lea_34*.
_REST_OF_HANDLE = re.compile(r"(?:\.[^\W\d_]{2,20}[0-9]{1,6}|_[^\W_]{1,20})(?!\w)")
_INITIALS = re.compile(r"(?<!\w)((?:[CPT]h|[A-ZÀ-Þ])(?:\.[ -]?[A-ZÀ-Þ]){0,2})\. ?\Z")
# In this order: a word of several lists is of the first type.
_TYPE_OF_LIST = {
    "first_names": IdentifierType.PRE,
    "nicknames": IdentifierType.SUR,
    "further_first_names": IdentifierType.PRE,
    "recent_first_names": IdentifierType.PRE,
    "first_names_abroad": IdentifierType.PRE,
    "brands": IdentifierType.MAR,
    "cities": IdentifierType.LIE,
    "places": IdentifierType.LIE,
    "countries": IdentifierType.LIE,
    "last_names": IdentifierType.NOM,
    "further_last_names": IdentifierType.NOM,
    "last_names_abroad": IdentifierType.NOM,
}
# Long numbers that no recogniser knows are replaced whatever stands around them. Ids and times in
# other columns look the same, so they are no identifiers of form.
_MIN_DIGITS = 8
# Without the first zero, or one digit too few or too many.
_NEARLY_A_TELEPHONE = re.compile("[1-9][0-9]{8}|0[1-9][0-9]{7}|0[67][0-9]{9}")
# *Doudou*, *brubru*: nicknames in any language.
_DOUBLED = re.compile(r"([^\W\d_]{2,4})\1")
_LONGEST_SHORT_FORM = 4
POSSESSIVE = re.compile(r"['’]s\Z", re.IGNORECASE)
_AMOUNT = re.compile(r"\d+[.,]\d+|\d{1,3}(?:[.,]\d{3})++(?:[.,]\d\d?)?|\d{1,4}0{6,}+")


class Identifier(NamedTuple):
    """An identifier that was found in a text: its span, and the rule that found it.

    Its score is 1 by a form, an address or a list, else its evidence.
    """

    start: int
    end: int
    type: IdentifierType
    rule: Rule
    score: float = 1.0


def without_overlaps(identifiers: Iterable[Identifier], text: str) -> list[Identifier]:
    """Return the identifiers found in a text in order, none overlapping."""
    ordered = sorted(identifiers)
    if all(before.end <= one.start for before, one in pairwise(ordered)):
        return ordered
    by_rank = sorted(ordered, key=lambda one: (_RANK[one.rule], one.start - one.end))
    owner = [len(by_rank)] * len(text)
    for number, identifier in reversed([*enumerate(by_rank)]):
        owner[identifier.start : identifier.end] = [number] * (identifier.end - identifier.start)
    pieces, start = [], 0
    for number, characters in groupby(owner):
        end = start + len([*characters])
        piece = text[start:end]
        if number < len(by_rank) and any(map(str.isalnum, piece)):
            # The space between two pieces stays.
            first, last = end - len(piece.lstrip()), start + len(piece.rstrip())
            pieces.append(by_rank[number]._replace(start=first, end=last))
        start = end
    return pieces


def is_touched(span: tuple[int, int, str], identifiers: Iterable[Identifier]) -> bool:
    """Return whether any character of a marked identifier is replaced."""
    return any(one.start < span[1] and one.end > span[0] for one in identifiers)


PARTICLE = 4


@dataclass(frozen=True)
class ScoredMessages:
    labelled: LabelledMessages
    senders: Sequence[str]
    words: ScoredWords | None
    names_with_capitals: float | None = None
    # For each word: 1 if it is a given name of the account of people, 2 a surname, 3 both, and
    # `PARTICLE` if it belongs to the surname behind it.
    name_codes: NDArray[np.int8] | None = None


@dataclass(frozen=True)
class Judged:
    """A decision on a message, EXPERT where nobody has decided yet, and what people marked."""

    action: Action
    by_people: bool = False
    spans: Spans = ()
    # A person said TA of what the program had not, and marked nothing.
    is_unmarked: bool = False


@dataclass(frozen=True)
class Found:
    """The identifiers of a message in order, none overlapping; the number of words in doubt."""

    identifiers: list[Identifier]
    ambiguous: int = 0
    kept: list[Identifier] = field(default_factory=list)
    is_asked: bool = False


class _Word(NamedTuple):
    start: int
    end: int
    labelled: LabelledWord
    evidence: float
    type: IdentifierType | None = None


def find(scored: ScoredMessages, judged: Sequence[Judged], ambiguous: Ambiguous) -> list[Found]:
    finder = _Finder(scored, ambiguous)
    return [finder.identifiers_in(message, one) for message, one in enumerate(judged)]


def scored_identifiers(scored: ScoredMessages, actions: Iterable[Action]) -> list[list[Identifier]]:
    """Return the identifiers of messages with these actions, words in doubt among them."""
    found = find(scored, [*map(Judged, actions)], Ambiguous.MASK)
    return [one.identifiers for one in found]


class Addressed:
    """Finds the postal addresses of messages, of which few hold a word that may begin one."""

    def __init__(self, labelled: LabelledMessages) -> None:
        words, lexicon = labelled.words, labelled.lexicon
        self._messages, self._known = labelled.messages, KnownWords(lexicon)
        part_of_word = labelled.of_form(_beginning_by(lexicon))[words.form]
        self._has_street, self.may_be = (
            np.bincount(words.message[part_of_word >= part], minlength=words.n_messages) > 0
            for part in (Beginning.STREET, Beginning.ADDRESS)
        )

    def addresses(self, message: int) -> list[FoundSpan]:
        return addresses(self._messages[message], self._known) if self.may_be[message] else []

    def streets(self, message: int) -> list[FoundSpan]:
        return streets(self._messages[message], self._known) if self._has_street[message] else []


@cache
def _beginning_by(lexicon: Lexicon) -> Callable[[LabelledWord], int]:
    known = KnownWords(lexicon)

    def begins(word: LabelledWord) -> int:
        # Of what has a form, such as a postcode, one word may be several of an address.
        return Beginning.ADDRESS if word.kind.is_identifier else beginning(word.text, known)

    return begins


def evidence_of(labelled: LabelledMessages, words: ScoredWords | None) -> NDArray[np.float64]:
    """Return the evidence of words; it is 0 where a model weighs no words.

    Names of the lists that stand where only names do are certain.
    """
    form, forms = labelled.words.form, labelled.words.forms
    evidence = np.zeros(len(form)) if words is None else probability(words.log_odds)
    is_placed, listed = np.zeros(len(forms), dtype=bool), labelled.of_form(_is_listed).nonzero()[0]
    is_placed[[one for one in listed.tolist() if forms[one].kind is Kind.NAME]] = True
    return np.where(is_placed.take(form), np.maximum(evidence, CERTAIN_FROM), evidence)


def _is_listed(word: LabelledWord) -> int:
    return word.label is Label.DICTIONARY and word.rule != PLACE


class _Finder:
    """Finds the identifiers of messages by the evidence of their words."""

    def __init__(self, scored: ScoredMessages, ambiguous: Ambiguous) -> None:
        self._scored, self._labelled, self._ambiguous = scored, scored.labelled, ambiguous
        self._lexicon, self._pack = self._labelled.lexicon, self._labelled.lexicon.pack
        self._near, self._addressed = Neighbours(self._labelled), Addressed(self._labelled)
        self._titled = _titles(self._pack)
        self._written_only = self._lexicon.bits("sms_forms")
        self._surnames = self._lexicon.bits(*ALL_LAST_NAMES)
        self._words = self._candidates()

    def _candidates(self) -> dict[int, list[_Word]]:
        """Return the words that may identify somebody, by their message."""
        scored, near, table = self._scored, self._near, self._labelled.words
        form, labels = table.form, self._labelled.labels
        is_name = np.array([word.label is Label.DICTIONARY for word in labels], dtype=bool)[form]
        evidence = evidence_of(self._labelled, scored.words)
        # Where words are not weighed, those that are names in the dictionaries alone are certain.
        weight = is_name.astype(float) if scored.words is None else evidence.copy()
        last_names = {first: (last, name) for first, last, name in near.last_names(evidence)}
        # A word that is a name at one place of a message is one at its others.
        word_in_message = table.message.astype(np.int64) << 32 | form
        is_raised = np.isin(word_in_message, word_in_message[weight >= CERTAIN_FROM])
        is_raised[[name for _, name in last_names.values()] + near.first_names(evidence)] = True
        weight[is_raised] = np.maximum(weight[is_raised], CERTAIN_FROM)
        # A name that is listed with one: *emeline+soumaya*.
        for place in np.flatnonzero(is_name & (weight < SUSPECT_FROM)).tolist():
            if any(weight[listed] >= CERTAIN_FROM for listed in near.listed_with(place)):
                weight[place] = CERTAIN_FROM
        has_form = self._labelled.of_form(is_pattern) > 0
        is_found = (weight >= SUSPECT_FROM) | has_form[form]
        for first, (last, _) in last_names.items():
            is_found[first : last + 1] = False
        is_found[[*last_names]] = True
        by_message: dict[int, list[_Word]] = {}
        for place in np.flatnonzero(is_found).tolist():
            word, last, score = labels[form[place]], place, float(weight[place])
            first, type_ = self._begin_of_name(place)
            if place in last_names:
                first, (last, name), type_ = place, last_names[place], IdentifierType.NOM
                score = max(float(evidence[name]), CERTAIN_FROM)
            elif type_ is None and place and weight[place - 1] >= CERTAIN_FROM:
                type_ = IdentifierType.NOM if near.follows_first_name(place) else None
            end = int(table.start[last]) + len(labels[form[last]].text)
            candidate = _Word(int(table.start[first]), end, word, score, type_)
            by_message.setdefault(int(table.message[place]), []).append(candidate)
        return by_message

    def _begin_of_name(self, place: int) -> tuple[int, IdentifierType | None]:
        """Return where a name begins with its particles, and its type if the account knows it.

        *N'* is a part of it anywhere, *Ben* of *Ben Ali* inside a sentence.
        """
        first, type_, near, codes = place, None, self._near, self._scored.name_codes
        if codes is not None:
            # A name that is both is of the type that the lists say.
            type_ = {1: IdentifierType.PRE, 2: IdentifierType.NOM}.get(int(codes[place]))
            while first and codes[first - 1] == PARTICLE:
                first, type_ = first - 1, IdentifierType.NOM
        titles = self._pack.titles
        if first < place or near.word(place).kind not in (Kind.WORD, Kind.NAME):
            return first, type_
        while near.gap(first - 1) in _JOINTS and near.text(first - 1).lower() in titles.particles:
            first -= 1
        # *Monsieur de La Roche*
        text, start, _ = near.span(first)
        is_titled = first < place and self._is_titled(text, start)
        for word in range(first, place):
            particle, (text, start, _) = near.text(word), near.span(word)
            is_title = particle.istitle()
            # *mme le goff*, but not *ma prof de julie*.
            is_lower = (particle + near.text(place)).islower()
            is_lower = is_lower and particle not in self._pack.surrogates.of
            is_inside = _INSIDE.search(text, max(0, start - REACH), start) and is_title
            is_name = is_inside or (is_titled and (is_title or (is_lower and word == first)))
            is_name = is_name and not near.text(place).isupper()
            if is_name or (particle.lower() in titles.beginnings and not near.gap(word)):
                return word, type_ or (IdentifierType.NOM if is_titled else None)
        return place, type_

    def identifiers_in(self, message: int, judged: Judged) -> Found:
        words, addresses = self._words.get(message, []), self._addressed.addresses(message)
        is_ta = judged.by_people and judged.action is Action.TA
        if is_ta and judged.spans:
            return Found([Identifier(*span, Rule.EXPERT) for span in sorted(judged.spans)])
        if (judged.by_people and judged.action is Action.NTA) or not (words or addresses):
            return Found([])
        found = [Identifier(h.start, h.end, IdentifierType.ADR, Rule.ADDRESS) for h in addresses]
        text = self._labelled.messages[message]
        rules = zip(words, self._rules(text, words, judged.action), strict=True)
        words_found = [self._identifier(text, word, rule) for word, rule in rules if rule]
        streets = self._addressed.streets(message) if words_found else []
        found += _with_streets(words_found, streets)
        found = without_overlaps([*found, *self._initials(text, found)], text)
        if judged.action is Action.NTA:
            return Found(found)
        if not found:
            # The strongest words may have carried the decision, but for *mdr* and the like.
            may_carry = [one for one in words if one.labelled.lists != self._written_only]
            strongest = max((one.evidence for one in may_carry), default=0.0)
            carried = [one for one in may_carry if one.evidence == strongest >= _CARRIES_FROM]
            found = [self._identifier(text, one, Rule.CARRIED) for one in carried]
        if is_ta:
            return Found(found)
        certain = [one for one in found if one.rule not in IN_DOUBT]
        n_in_doubt = len(found) - len(certain)
        return Found(certain if self._ambiguous is Ambiguous.KEEP else found, n_in_doubt)

    def _rules(self, text: str, words: list[_Word], action: Action) -> list[Rule | None]:
        """Return the rule by which each word is found, or is in doubt."""
        rules = list[Rule | None]()
        for word in words:
            is_certain, label = word.evidence >= CERTAIN_FROM, word.labelled.label
            if is_pattern(word.labelled):
                rules.append(Rule.PATTERN)
            elif not is_certain and (action is Action.NTA or label is not Label.DICTIONARY):
                rules.append(None)
            elif label is Label.DICTIONARY and word.labelled.lists & self._lexicon.yours:
                rules.append(Rule.LIST)
            else:
                rules.append(Rule.EVIDENCE if is_certain else Rule.DICTIONARY)
        # Ambiguous words beside a certain name are in doubt: *Wei Ting*.
        for (i, word), (j, next_) in pairwise(enumerate(words)) if action is not Action.NTA else ():
            if text[word.end : next_.start] in (" ", "-"):
                for part, name in ((i, j), (j, i)):
                    is_ambiguous = words[part].labelled.label is Label.AMBIGUOUS
                    if is_ambiguous and rules[part] is None and rules[name] is Rule.EVIDENCE:
                        rules[part] = Rule.DICTIONARY
        return rules

    def _identifier(self, text: str, word: _Word, rule: Rule) -> Identifier:
        """Return a word as an identifier of the type that it most likely is."""
        labelled, lexicon = word.labelled, self._lexicon
        type_ = word.type or long_number(labelled)
        if not type_:
            type_, lists = likely_type(labelled, lexicon), {*lexicon.names(labelled.lists)}
            is_first = lists.intersection(KNOWN_FIRST_NAMES) and not lists.intersection(LAST_NAMES)
            if type_ in _OF_PERSONS and labelled.kind is Kind.WORD and not is_first:
                # Behind a title, or an initial, stands a last name; *le plombier Chevalier*.
                all_lists = lexicon.lists_of(folded(labelled.text))
                is_surname = labelled.rule == PLACE and all_lists & self._surnames and not lists
                is_last = is_surname or self._is_titled(text, word.start)
                before = _INITIALS.search(text, max(0, word.start - REACH), word.start)
                type_ = IdentifierType.NOM if is_last or before else type_
        score = round(word.evidence, 4) if rule in _WEIGHED else 1.0
        if type_ in _OF_PERSONS and (handle_end := _REST_OF_HANDLE.match(text, word.end)):
            return Identifier(word.start, handle_end.end(), IdentifierType.PSD, rule, score)
        possessive = POSSESSIVE.search(labelled.text) if labelled.kind is Kind.WORD else None
        end = word.end - len(possessive[0]) if possessive else word.end
        return Identifier(word.start, end, type_, rule, score)

    def _is_titled(self, text: str, start: int) -> bool:
        """Return whether a title stands before a name; those of trades look for its capital."""
        titles = self._titled.finditer(text, max(0, start - REACH), start + 2)
        return any(title.end() == start for title in titles)

    def _initials(self, text: str, names: Iterable[Identifier]) -> Iterator[Identifier]:
        """Yield the initials before last names: *C. Martinez*, but not *M. Martinez*."""
        for name in (one for one in names if one.type is IdentifierType.NOM):
            before = _INITIALS.search(text, max(0, name.start - REACH), name.start)
            if before and not self._is_titled(text, name.start):
                start, end = before.span(1)
                yield name._replace(start=start, end=end, type=IdentifierType.PRE)


def _with_streets(
    names: Iterable[Identifier], streets: Sequence[FoundSpan]
) -> Iterator[Identifier]:
    """Yield names, those in the name of a street as that street: *rue des Mimosas*."""
    ends = [*accumulate((one.end for one in streets), max)]
    for name in names:
        # The first street that does not end before the name.
        at = bisect_left(ends, name.end)
        if at < len(ends) and streets[at].start < name.start and name.rule in _WEIGHED:
            start, end = streets[at].start, streets[at].end
            yield name._replace(start=start, end=end, type=IdentifierType.ADR)
        else:
            yield name


def is_pattern(word: LabelledWord) -> bool:
    return word.kind.is_identifier or long_number(word) is not None


def likely_type(word: LabelledWord, lexicon: Lexicon) -> IdentifierType:
    if word.kind.is_identifier:
        return IdentifierType(word.kind.value)
    if word.kind is not Kind.WORD:
        return IdentifierType.COD
    lists = lexicon.names(word.lists)
    type_ = next((one for name, one in _TYPE_OF_LIST.items() if name in lists), IdentifierType.PRE)
    if type_ not in _OF_PERSONS or word.lists & (lexicon.bits(*FIRST_NAMES) | lexicon.yours):
        return type_
    name = fold(word.text)
    unstretched = name.rstrip(name[-1:]) + name[-1:]
    if unstretched.endswith(tuple(lexicon.pack.entities.of_nicknames)) or _DOUBLED.fullmatch(name):
        return IdentifierType.SUR
    # A common word may be a last name: *Blanc*; *Seb* stands for a first name that it begins.
    is_last = word.lists & lexicon.bits(*ALL_LAST_NAMES) and not word.rule
    if type_ is IdentifierType.PRE and is_last and len(name) > _LONGEST_SHORT_FORM:
        return IdentifierType.NOM
    return IdentifierType.PRE if name in lexicon.table("name_starts") else type_


def long_number(word: LabelledWord) -> IdentifierType | None:
    """Return the type of a number of eight digits or more, TEL or NUM; None of an amount."""
    if word.kind is not Kind.NUMBER or sum(map(str.isdigit, word.text)) < _MIN_DIGITS:
        return None
    if _AMOUNT.fullmatch(word.text):
        return None
    return IdentifierType.TEL if _NEARLY_A_TELEPHONE.fullmatch(word.text) else IdentifierType.NUM


_MAX_PARTICLES = 2
# A sentence goes on behind it.
_INSIDE = re.compile("[\\w,'’] ?$")
SHORTEST_NAME = 3
_JOINTS = ("", " ", "-")
_BEGINS = re.compile(r"(?:\A|[.!?\n] ?)\Z")
_Context = tuple[re.Pattern[str], re.Pattern[str]]


def around(text: str, start: int, end: int, reach: int = REACH) -> tuple[str, str]:
    """Return the characters before and behind a part of a text."""
    return text[max(0, start - reach) : start], text[end : end + reach]


class Neighbours:
    def __init__(self, labelled: LabelledMessages) -> None:
        words, self._labels = labelled.words, labelled.labels
        # Lists are read word by word in a third of the time of arrays.
        self._form: list[int] = words.form.tolist()
        self._start: list[int] = words.start.tolist()
        self._message: list[int] = words.message.tolist()
        self._messages, self._lexicon = labelled.messages, labelled.lexicon
        self._pack, bits = self._lexicon.pack, self._lexicon.bits
        self._first, self._last = bits(*FIRST_NAMES), bits(*ALL_LAST_NAMES)
        self._common = bits("commonest_forms", "sms_forms")
        self._frequent = bits(*COMMON, "commonest_forms")
        self._places = bits("cities", "countries", "places")

    def word(self, place: int) -> LabelledWord:
        return self._labels[self._form[place]]

    def text(self, place: int) -> str:
        """Return a word as it is written; a full stop where there is none."""
        return self.word(place).text if 0 <= place < len(self._form) else "."

    def gap(self, place: int) -> str | None:
        """Return the characters between a word and the next; None behind the last of a message."""
        message = self._message
        if not 0 <= place < len(message) - 1 or message[place] != message[place + 1]:
            return None
        end = self._start[place] + len(self.text(place))
        gap = self._messages[message[place]][end : self._start[place + 1]]
        return gap.replace("\u00a0", " ").replace("\u202f", " ")

    def listed_with(self, place: int, signs: str = "+/&", *, apart: bool = True) -> list[int]:
        """Return the places of the words that a sign joins to a word: *emeline+soumaya*."""
        beside = ((-1, (place - 2, place - 1)), (1, (place, place + 1)))
        return [
            place + 2 * step
            for step, between in beside
            if self.text(place + step) in signs
            and all(gap is not None and (apart or not gap) for gap in map(self.gap, between))
        ]

    def span(self, place: int, n_before: int = 0) -> tuple[str, int, int]:
        """Return the message of a word, where it, or words before it, begin, and where it ends."""
        start, end = self._start[place - n_before], self._start[place] + len(self.text(place))
        return self._messages[self._message[place]], start, end

    def stands_as_name(self, place: int, n_before: int = 0, *, may_be_alone: bool = False) -> bool:
        """Return whether a word stands where names do: *chez …*, *… m'a dit*, perhaps *… ?*."""
        before, behind = _contexts(self._pack)["names"]
        text, start, end = self.span(place, n_before)
        first = max(0, start - REACH)
        # With the sign before, which says whether a word begins.
        if before.search(text[max(0, first - 1) : start].lower(), min(first, 1)):
            return True
        rest = text[end : end + REACH]
        # A word alone is rather a cry.
        is_followed = may_be_alone or rest.strip(" ?!.")
        return bool(
            is_followed and _BEGINS.search(text, first, start) and behind.match(folded(rest))
        )

    def is_subject(self, place: int, n_before: int = 0) -> bool:
        """Return whether a word is a subject as no common noun is: *petit m'a dit*."""
        determined, behind = _contexts(self._pack)["subjects"]
        text, start, end = self.span(place, n_before)
        is_followed = behind.match(folded(text[end : end + REACH]))
        return bool(is_followed and not determined.search(text, max(0, start - REACH), start))

    def stands_as_owner(self, place: int) -> bool:
        """Return whether a word stands where owners do: *at robs*, *sams mum*."""
        before, behind = _contexts(self._pack)["owners"]
        text, start, end = self.span(place)
        return bool(before.search(text, max(0, start - REACH), start) or behind.match(text, end))

    def follows_first_name(self, place: int) -> bool:
        """Return whether a word that is a last name only stands behind a first name."""
        lists, before = self._lists(place), self._lists(place - 1)
        is_last = lists & self._last and not lists & self._first
        return bool(is_last and before & self._first and self.gap(place - 1) == " ")

    def last_names(self, evidence: NDArray[np.float64]) -> list[tuple[int, int, int]]:
        """Return the last names beside first names: the places of first word, last word and name.

        What stands there (*lucas poilpray*, *Le Goff Marie*) reads as a name unless it is a common
        word; in lower case a list must hold it.
        """
        is_certain, found = evidence >= CERTAIN_FROM, list[tuple[int, int, int]]()
        particles = self._pack.titles.particles
        for name in np.flatnonzero(evidence >= SUSPECT_FROM).tolist():
            word, is_sure, at = self.word(name), bool(is_certain[name]), name + 1
            if word.kind not in (Kind.WORD, Kind.NAME) or not word.lists & self._first:
                continue
            while at <= name + _MAX_PARTICLES and self.text(at).lower() in particles:
                at += 1
            is_joined = all(self.gap(place) in _JOINTS for place in range(name, at))
            # *Sophie de la Tour*
            is_of = is_sure and at > name + 1 and self.text(at).istitle()
            if is_joined and (is_of or self._is_last_name(at, word.text, is_sure, is_behind=True)):
                found.append((name + 1, at, name))
            first = last = name - 1
            if self.gap(last) not in _JOINTS or not self._is_last_name(last, word.text, is_sure):
                continue
            while last - first < _MAX_PARTICLES and self.gap(first - 1) in _JOINTS:
                particle = self.text(first - 1)
                # Not the *de* of *au nom de Pruvost Maxence*.
                is_alike = particle.islower() == self.text(last).islower()
                if particle.lower() not in particles or not is_alike:
                    break
                first -= 1
            found.append((first, last, name))
        return [one for one in found if not is_certain[one[0] : one[1] + 1].all()]

    def first_names(self, evidence: NDArray[np.float64]) -> list[int]:
        """Return the first names that are in doubt, before last names that are certain."""
        is_certain, places = evidence >= CERTAIN_FROM, list[int]()
        for last in np.flatnonzero(is_certain).tolist():
            first, particles = last - 1, self._pack.titles.particles
            while first >= last - _MAX_PARTICLES and self.text(first).lower() in particles:
                first -= 1
            is_alike = self.text(first)[:1].isupper() == self.text(last)[:1].isupper()
            if first < 0 or is_certain[first] or not is_alike:
                continue
            # The lists are looked up last: it takes the longest.
            if all(self.gap(place) in _JOINTS[1:] for place in range(first, last)):
                lists = self._lists(first)
                is_first = lists & self._first and not lists & self._frequent
                if is_first and self._lists(last) & self._last:
                    places.append(first)
        return places

    def _lists(self, place: int) -> int:
        word = self.word(place)
        return word.lists | self._lexicon.lists_of(folded(word.text))

    def _is_last_name(
        self, place: int, first_name: str, is_certain: bool, *, is_behind: bool = False
    ) -> bool:
        word = self.word(place)
        if word.kind is not Kind.WORD or len(word.text) < SHORTEST_NAME or word.text[-1] in "'’":
            return False
        plain, lists = folded(word.text), self._lists(place)
        is_capital, is_listed = word.text[0].isupper(), bool(lists & self._last)
        if not is_certain and (not is_listed or lists & self._lexicon.anti_dictionary):
            return False
        # *PETIT Julien*, as forms want it.
        is_civil = word.text.isupper() and not first_name.isupper()
        # *JULIEN ABSENT DEMAIN*: among capitals a word of the language is as one in lower case.
        is_loud = self.span(place)[0].isupper() and lists & self._lexicon.anti_dictionary
        if is_civil or (is_behind and is_capital and not is_loud):
            # *Annie Blanc*
            is_written_as_name = is_civil or word.text.istitle()
            is_frequent_name = is_written_as_name and plain in self._pack.signatures.last_names
            return is_frequent_name or (not lists & self._common and (is_behind or is_listed))
        other = self._frequent | (0 if is_capital else self._places)
        return (is_behind or is_capital) and is_listed and not lists & other


@cache
def _titles(pack: Pack) -> re.Pattern[str]:
    persons, settings = map(re.escape, pack.titles.persons), pack.signatures
    titles = any_of([*persons, *settings.titles, *settings.trades])
    return re.compile(rf"(?i)(?<!\w){titles}\.?\s{{1,2}}")


@cache
def _contexts(pack: Pack) -> dict[str, _Context]:
    """Return the expressions of what stands before and behind names, owners and subjects.

    Those of names are for texts in lower case; that before subjects never stands there.
    """
    settings = pack.signatures
    # *Salut c'est …*, *Salut Kevin, c'est …*
    introduction = rf"(?: [^\W\d_]{{1,15}})?,? {settings.introductions} "
    greeting = rf"(?:\A|[.!?\n] ?)(?:{settings.greetings})(?:,? |{introduction})"
    announcing = any_of([*settings.announcing, *settings.titles])
    before = rf"(?<!\w)(?:{settings.farewells}|{announcing})(?:,? \(?|['’] ?)"
    owned, owner = any_of(settings.before_owners), any_of(settings.behind_owners)
    determined = rf"(?i)(?<!\w){any_of(settings.determiners)} ?\Z"
    names = rf"(?:{greeting}|{before})\Z", any_of(settings.behind_names)
    owners = rf"(?i)(?<!\w){owned} \Z", rf"(?i) {owner}"
    subjects = determined, any_of(settings.behind_subjects)
    both = {"names": names, "owners": owners, "subjects": subjects}
    return {of: (re.compile(one), re.compile(other)) for of, (one, other) in both.items()}
