"""Look for what an anonymised file still holds: in messages, other columns and its document.

What was replaced is told by the table of replacements, or by the messages before. It is searched
for, as people are, and words are graded as mining grades them: by the probability that one that
stands there identifies somebody. *Certain* is said of what was true in four of five cases at least.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from triage.data import Chunk, MessageFile, as_text
from triage.data.chats import are_of_nobody
from triage.data.columns import guess_column
from triage.data.dates import read_epoch
from triage.data.strings import document_strings
from triage.dictionaries import Kind, Label, LabelledWord
from triage.dictionaries.addresses import KnownWords
from triage.dictionaries.normal import Legible, folded
from triage.dictionaries.phrases import phrase_key
from triage.reports.page import Listing, Report, printable

from ..decide.engine import used_chunks
from ..decide.find import ScoredMessages, around, is_pattern, likely_type, long_number
from ..decide.people import NAMES, Account, People, read_people
from ..decide.pipeline import Triage
from ..decide.source import Source
from ..safe import is_same_file
from ..vocabulary import CERTAIN_FROM, SEVERITIES, IdentifierType, Quantity, Severity
from . import grading
from .columns import is_date, is_run, telephone_in
from .entities import DOMAIN_END, short_forms, spelt
from .grading import NO_NAME, TYPES, Clue, Corpus, Floats, Grades, Kinship, KnownSpelling
from .plan import Plan
from .record import HeldMessage, input_rows, read_held, read_record
from .sought import FileMessages, Sought, compare, read_messages, sought_in_key_table
from .words import TEXTS, refused

Certainty = StrEnum("Certainty", ["UNDECIDED", "ADDED", "CERTAIN", "LIKELY", "POSSIBLE", "PLANNED"])
# Nothing is published while there is a finding of these.
OPEN = frozenset({Certainty.UNDECIDED, Certainty.ADDED, Certainty.CERTAIN})
# The column of findings that are in no column: in the document, beside its messages.
DOCUMENT = "document"
# Characters of context kept around a finding; those shown on a page, and places of a spelling.
CONTEXT, _WIDTH, _MAX_PLACES = 40, 30, 50
# The fields of a finding that hold text of messages.
SHOWN = ("before", "text", "behind")
ORDER: dict[str, int] = {certainty.value: place for place, certainty in enumerate(Certainty)}
_NO_SPACE = re.compile(r"\S+")
# Bounds on the probability that a word identifies somebody. Of the words that stand in 88milSMS out
# of fold, one of eight from LIKELY on identifies somebody where .2 % of the messages keep an
# identifier, one of five where 1 % do. From CERTAIN on none stands in what this program writes; in
# messages where nothing is replaced, 99 of 100 are true.
_CERTAIN, _LIKELY, _POSSIBLE = 0.95, 0.1, 0.02
# Findings for these reasons have a type of their own, which the plan may keep.
_BY_TYPE = frozenset({Clue.FORM, Clue.NUMBER, Clue.EVIDENCE, Clue.CONTEXT, Clue.CAPITAL})
MIN_DIGITS = 8
# How many last digits tell a number, whatever its prefix: a zero, the code of the country.
_END = 8
_DATE = re.compile(r"[0-3]?[0-9]([ ./-])[01]?[0-9]\1(?:19|20)[0-9]{2}(?![0-9])")
_NO_DIGITS = re.compile("[^0-9]+")
# The end of a domain names nobody, but that of a handle does: @zoe.kermorgan.
_WITH_DOMAIN_END = re.compile(r"((?:[^\s/]@|//|(?<![^/])www\.)[^@/]*)\.[A-Za-z]{2,}(?=/|$)")
# The second of two initials; what stands behind an initial alone; letters that are words.
_INITIAL = re.compile(r"\.? ?([A-ZÀ-Þ])(?![^\W_]|\.[^\W\d_])")
_ENDING = re.compile(r"\.|$|[ ,;!?)]")
_LITTLE = frozenset("amy")
# The certainty of an identifier with a form: links, ages and dates are often everybody's.
_SURE = {
    type_: Certainty.CERTAIN if severity is Severity.DIRECT else Certainty.LIKELY
    for type_, severity in SEVERITIES.items()
}
_OF_NAMES = frozenset({Clue.PERSON, Clue.REPLACED})
_OF_FORM = frozenset({Clue.FORM, Clue.NUMBER})
_SHORTEST_STREET = _SHORTEST_REPLACED = 3
_FREQUENT = ("commonest_forms", "frequent_forms")
_MAX_PARTICLES = 2
_POSTCODE = 5
# How many words before one are looked at for the kind of a street or a number.
_BEFORE = 3
_PRE, _ADR, _TEL = IdentifierType.PRE, IdentifierType.ADR, IdentifierType.TEL
# A letter, or as many digits as a long number has, whatever stands between them.
_MAY_IDENTIFY = re.compile(r"[^\W\d_]|(?:[0-9][^0-9]*){8}")
_SEPARATED = re.compile(r"(?<![0-9])[0-9](?:[ .,/_()\-]{0,3}+[0-9]){7,20}+(?![0-9])")
_ANY_DIGITS = re.compile(r"\d")
FormMatch = tuple[int, int, str, IdentifierType | None]
"""A text of the form of an identifier: message, from 0, start, text; type, None of a number."""
_Cells = defaultdict[str, list[tuple[int, int]]]
"""The places of each cell: row (0: the header) and column, from 0."""
Hit = tuple[Clue, Certainty, IdentifierType, int]
"""The reason for a finding, how sure it is, its type, and how often its name was replaced."""
_PlacedHit = tuple[int, int, int, Hit]
"""A hit with its place: the message, from 0, where it starts, and where it ends."""


@dataclass(frozen=True)
class Finding:
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


def spelling_of(one: Finding) -> tuple[str, ...]:
    """Return the key of findings that are shown together: spelling, reason and certainty."""
    return folded(one.text), one.reason, one.severity or "", one.certainty


def grouped(
    findings: Iterable[Finding], key: Callable[[Finding], object] = spelling_of
) -> list[list[Finding]]:
    """Return findings by a key, the most certain and most frequent first."""
    groups = defaultdict[object, list[Finding]](list)
    for one in sorted(findings, key=lambda one: ORDER[one.certainty]):
        groups[key(one)].append(one)
    return sorted(groups.values(), key=lambda group: (ORDER[group[0].certainty], -len(group)))


@dataclass
class _Output(FileMessages):
    """The messages checked, the evidence of their words, what has a form, and the other cells."""

    evidence: list[Floats] = field(default_factory=list)
    by_form: list[FormMatch] = field(default_factory=list)
    cells: _Cells = field(default_factory=lambda: _Cells(list))


@dataclass
class Checked:
    """Findings in a file, and what only stands in further files that hold its messages again."""

    rows: int
    replaced: int | None
    findings: list[Finding]
    sought: str = "names and forms alone, which surrogates have too: nothing to compare with"
    expected: str = ""
    further: dict[str, "Checked"] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        """True if nothing certain is left, and each message was decided and has an original."""
        return all(one.certainty not in OPEN for one in self.findings)

    @property
    def result(self) -> str:
        """The verdict, with the residue that is to be expected where nothing certain is left."""
        if not self.is_clean:
            line = "NOT clean: something certain is left, or a message that nobody decided"
            if self.replaced is not None or all(not one.text for one in self.findings):
                return line
            return f"{line}; surrogates look so, too: --key-table or --against tells them apart"
        expected = f"; to be expected: {self.expected}" if self.expected else ""
        has_findings = any(one.certainty is not Certainty.PLANNED for one in self.findings)
        return f"nothing {'certain' if has_findings else 'known'} is left{expected}"

    def keep(self, is_answered: Callable[[Finding], bool]) -> "Checked":
        """Return the check with findings that people answered as kept by choice."""
        kept = Certainty.PLANNED
        found = [replace(one, certainty=kept) if is_answered(one) else one for one in self.findings]
        return replace(self, findings=found)

    def spellings(self) -> list[list[Finding]]:
        """Return the findings by spelling, the most certain and most frequent first."""
        return grouped(sorted((one for one in self.findings if one.text), key=spelling_of))

    def counts(self) -> dict[tuple[str, str, str], int]:
        kinds = ((str(one.certainty), one.severity or "", one.reason) for one in self.findings)
        return dict(sorted(Counter(kinds).items(), key=lambda pair: (ORDER[pair[0][0]], pair[0])))

    def facts(self) -> dict[str, Any]:
        """Return its figures for a record: counts alone."""
        counted = [
            {"certainty": certainty, "severity": str(severity), "reason": reason, "findings": n}
            for (certainty, severity, reason), n in self.counts().items()
        ]
        counts = {"rows": self.rows, "spellings": self.replaced, "clean": self.is_clean}
        return counts | {"found": counted}


def page_of_check(checked: Checked) -> Report:
    sought = TEXTS.text("left.forms") if checked.replaced is None else f"{checked.replaced:,}"
    about = (
        ("Rows looked through", f"{checked.rows:,}"),
        ("Spellings replaced", sought),
        ("Result", checked.result),
    )
    counts = [(*kind, n) for kind, n in checked.counts().items()]
    tables = [TEXTS.table("summary.by_reason", counts)]
    whole = [(one.row, one.certainty.value, one.reason) for one in checked.findings if not one.text]
    if whole:
        tables.append(TEXTS.table("summary.whole", whole))
    parts = [TEXTS.part("summary", TEXTS.text("summary.holds_words"), *tables)]
    for certainty in (Certainty.CERTAIN, Certainty.LIKELY, Certainty.POSSIBLE):
        spellings = [one for one in checked.spellings() if one[0].certainty is certainty]
        rows, listings = [], []
        for several in spellings:
            first, lines = several[0], [*lines_of(several[:_MAX_PLACES])]
            if more := len(several) - len(lines):
                lines.append(f"  and {more:,} more")
            rows.append((first.text, len(several), first.replaced, first.reason))
            listings.append(Listing(first.text, "\n".join(lines)))
        if spellings:
            spelt = TEXTS.table("summary.by_spelling", rows)
            parts.append(TEXTS.part(certainty.value, spelt, *listings))
    return Report(TEXTS.text("check.title"), about, tuple(parts))


def lines_of(places: Iterable[Finding]) -> Iterator[str]:
    """Yield a line for each place; characters that control a terminal are replaced."""
    for one in places:
        left, right = one.before[-_WIDTH:].rjust(_WIDTH), one.behind[:_WIDTH].ljust(_WIDTH)
        place = f"row {one.row}" if one.row else "header"
        line = re.sub(r"\s", " ", f"{left}[{one.text}]{right}")
        yield printable(f"  {line}  {place}, {one.column}")


def _last_digits(words: Iterable[str]) -> set[str]:
    """Return the last digits of long numbers, which are the same with any prefix."""
    numbers = (_NO_DIGITS.sub("", word) for word in words)
    return {digits[-_END:] for digits in numbers if len(digits) >= MIN_DIGITS}


class Search:
    """Searches messages, cells and documents for what was replaced, and for people."""

    def __init__(self, sought: Sought, triage: Triage, people: People | None, plan: Plan) -> None:
        self._sought, self._triage, self._plan, self._people = sought, triage, plan, people
        self._lexicon, pack = triage.lexicon, triage.lexicon.pack
        self._known_ends = _last_digits(one.spelling for one in sought.known)
        self._inserted_ends = _last_digits(sought.replacements)
        # Names of people count in messages by their evidence, which they have raised.
        named = grading.without_particles(grading.known_people(people), pack)
        self._common = {key for one in named if not one.answer for key in phrase_key(one.spelling)}
        replaced = grading.without_particles(sought.known, pack)
        # Surrogates keep the particles of a name.
        self._particles = {key for one in pack.titles.particles for key in phrase_key(one)}
        # The words of names, those of people first.
        self._names = {
            key: (reason, one)
            for reason, known in ((Clue.REPLACED, replaced), (Clue.PERSON, named))
            for one in known
            if reason is Clue.PERSON or one.replaced
            for key in phrase_key(_WITH_DOMAIN_END.sub(r"\1", one.spelling))
            if one.type is not _ADR and any(map(str.isalpha, key)) and key not in self._particles
        }
        known_words = KnownWords(self._lexicon)
        words, self._street_types = known_words.words, known_words.street_types
        self._links = words.links | words.titles
        self._streets = self._telling_words(known_words)
        self._akin_to = [*replaced, *named]
        self._kinship = Kinship(self._akin_to, frozenset(), short_forms(pack), self._streets)

    def _finding(self, whole: str, placed: tuple[int, int, Hit], row: int, column: str) -> Finding:
        """Return the finding of a hit in a text; of what the plan keeps, a planned one."""
        start, end, hit = placed
        reason, certainty, type_, replaced = hit
        if self._plan.stays(start, end, type_ if reason in _BY_TYPE else None, whole):
            certainty = Certainty.PLANNED
        before, behind = around(whole, start, end, CONTEXT)
        place = row, column, start, replaced, before, whole[start:end], behind
        return Finding(certainty, reason.value, self._plan.severity[type_], *place)

    def _telling_words(self, known_words: KnownWords) -> dict[str, KnownSpelling]:
        """Return the words of addresses that tell which one it is, their postcodes among them."""
        words, telling_of = known_words.words, dict[str, KnownSpelling]()
        no_names = self._street_types | self._links | words.complements | words.residences
        for one in self._sought.known:
            whole = phrase_key(one.spelling)
            if self._street_types.isdisjoint(whole):
                continue
            codes = [i for i, word in enumerate(whole) if word.isdecimal()]
            postcode = next((i for i in codes if len(whole[i]) == _POSTCODE), None)
            telling = [word for word in whole[:postcode] if word.isalpha() and word not in no_names]
            if postcode is not None:
                telling_of[whole[postcode]] = one
            elif len(telling) > 1 and known_words.is_town(telling[-1]):
                telling.pop()
            telling_of |= {word: one for word in telling if len(word) >= _SHORTEST_STREET}
        return telling_of

    def in_messages(self, output: _Output, column: str) -> Iterator[Finding]:
        """Yield the findings in messages: of forms, initials, addresses and words."""
        texts, put_in = output.texts, self._sought.put_in
        spans = [(*put_in.get(message, ()),) for message in range(len(texts))]
        corpus = grading.read_corpus(texts, spans, output.evidence)
        # What was put in keeps the particles of a name: *Le Goff*, *Le Godet*.
        types = corpus.replaced.copy()
        is_none = np.append(corpus.is_tag | (types == NO_NAME), [True])
        for particle in [*map(corpus.words_of, self._particles)] * _MAX_PARTICLES:
            inside = particle[~is_none[particle + 1]]
            types[inside], is_none[inside] = TYPES.index(_PRE), False
        corpus = replace(corpus, replaced=types)
        # Characters of what was put in, or found, by message.
        taken: defaultdict[int, set[int]] = defaultdict(set)
        for message, places in put_in.items():
            taken[message].update(n for one in places for n in range(one.start, one.end))
        for message in np.flatnonzero(are_of_nobody(texts)).tolist():
            taken[message].update(range(len(texts[message])))
        by_corpus = self._initials(corpus), self._addresses(corpus), self._by_words(corpus)
        for message, start, end, hit in chain(self._by_form(output.by_form), *by_corpus):
            # A form that overlaps with what is known already is no finding of its own.
            is_form = hit[0] in _OF_FORM
            if taken[message].isdisjoint(range(start, end) if is_form else (start,)):
                taken[message].update(range(start, end))
                yield self._finding(texts[message], (start, end, hit), message + 1, column)

    def _by_form(self, matches: Iterable[FormMatch]) -> Iterator[_PlacedHit]:
        """Yield identifiers with a form, and numbers that are dialled or were replaced."""
        for message, start, text, type_ in matches:
            digits = _NO_DIGITS.sub("", text)
            is_dialled = len(digits) in range(10, 15) and digits[0] in "03"
            is_dialled = is_dialled and not _DATE.search(text) and bool(telephone_in(digits))
            if type_ or is_dialled or digits[-_END:] in self._known_ends:
                kind, reason = type_ or _TEL, Clue.FORM if type_ else Clue.NUMBER
                yield message, start, start + len(text), (reason, _SURE[kind], kind, 0)

    def _by_words(self, corpus: Corpus) -> Iterator[_PlacedHit]:
        """Yield words that may identify somebody, as mining grades them, and names of people."""
        names, pack = grading.distinct(self._akin_to), self._lexicon.pack
        judged = Grades(corpus, names, corpus.replaced, pack, self._streets)
        is_left = judged.probability >= _POSSIBLE
        # A surrogate keeps the kind of a street behind a number or before its name, and of a spelt
        # mail address the signs between words and its end. *Julie Place* keeps a surname.
        signs, is_new = [*spelt(pack)], corpus.replaced != NO_NAME
        is_end = corpus.is_form(DOMAIN_END.fullmatch)
        is_sign = corpus.is_form(lambda form: any(sign.fullmatch(form) for sign in signs))
        is_sign &= np.roll(is_new, 1) & np.roll(is_new | is_end, -1)
        is_named = np.roll(is_new, -1) & ~np.roll(is_new, 1)
        is_numbered = np.roll(is_new & corpus.is_form(str.isdecimal), 1)
        is_kind = corpus.is_form(self._street_types.__contains__) & (is_named | is_numbered)
        is_left &= ~(is_kind | is_sign | (is_end & np.roll(is_sign, 1)))
        people = {form for form, (reason, _) in self._names.items() if reason is Clue.PERSON}
        # Forms of names that were replaced and are no frequent word.
        lists_of, frequent = self._lexicon.lists_of, self._lexicon.bits(*_FREQUENT)
        other_names = (form for form in self._names.keys() - people if form.isalpha())
        long = (form for form in other_names if len(form) >= _SHORTEST_REPLACED)
        replaced = {form for form in long if not lists_of(form) & frequent}
        for form in people | replaced:
            words = corpus.words_of(form)
            # A common word in lower case is that word, unless its place reads as a name.
            counts = corpus.is_capital[words] | (form not in self._common)
            if corpus.evidence is not None:
                counts |= corpus.evidence[words] >= CERTAIN_FROM
            is_left[words[counts & (corpus.replaced[words] == NO_NAME)]] = True
        for word in np.flatnonzero(is_left).tolist():
            form = corpus.forms[corpus.form[word]]
            reason = Clue.PERSON if form in people else next(judged.reasons(word), Clue.CONTEXT)
            kin, probability = judged.akin(word), judged.probability[word]
            certainty = Certainty.LIKELY
            is_unlisted = reason is Clue.REPLACED and form in replaced and not lists_of(form)
            if probability < _LIKELY and not is_unlisted:
                certainty = Certainty.POSSIBLE
            elif probability >= _CERTAIN and reason is not Clue.ADDRESS:
                # How much parts of addresses weigh is not measured.
                certainty = Certainty.CERTAIN
            hit = reason, certainty, judged.type_of([word]), kin.replaced if kin else 0
            yield *corpus.place(word), hit

    def _initials(self, corpus: Corpus) -> Iterator[_PlacedHit]:
        """Yield the initials of full names that were replaced, or one beside a tag."""
        keys = (phrase_key(one.spelling) for one in self._sought.known if one.type in NAMES)
        initials = {(key[0][0], key[-1][0]) for key in keys if len(key) > 1}
        firsts, lasts = ({pair[message] for pair in initials} - _LITTLE for message in (0, 1))
        is_letter = corpus.is_form(lambda form: len(form) == 1 and form.isalpha())
        is_name = np.append(corpus.replaced != NO_NAME, [False])
        places = is_letter & corpus.is_capital if initials else is_letter[:0]
        for word in np.flatnonzero(places).tolist():
            message, start, end = corpus.place(word)
            text, letter = corpus.texts[message], corpus.forms[corpus.form[word]]
            if text[max(0, start - 1) : start].strip("\n ,'’"):
                continue
            behind = _INITIAL.match(text, end)
            is_last = is_name[word - 1] and letter in lasts and _ENDING.match(text, end)
            is_first = letter in firsts and text[end : end + 2] == ". " and is_name[word + 2]
            if behind and (letter, folded(behind[1])) in initials:
                end = behind.end(1)
            elif not (is_last or is_first):
                continue
            yield message, start, end, (Clue.INITIALS, Certainty.LIKELY, _PRE, 0)

    def _addresses(self, corpus: Corpus) -> Iterator[_PlacedHit]:
        """Yield words of replaced addresses behind a kind of street or a number, and postcodes."""
        for form, one in self._streets.items():
            for word in corpus.words_of(form).tolist():
                before = corpus.form[max(0, word - _BEFORE) : word][::-1].tolist()
                # Links may stand between them.
                near = (corpus.forms[n] for n in before if corpus.forms[n] not in self._links)
                first = next(near, "")
                if form.isdecimal() or first in self._street_types or first.isdecimal():
                    yield *corpus.place(word), (Clue.ADDRESS, Certainty.LIKELY, _ADR, one.replaced)

    def in_cells(self, cells: Iterable[str]) -> Iterator[tuple[str, Finding]]:
        """Yield the findings in cells that are no messages, each with its cell."""
        texts, people = [cell for cell in cells if not is_date(cell)], self._people
        labelled = self._triage.labeller.label(texts)
        table, of_word = labelled.words, enumerate(map(self._of_word, labelled.labels))
        hits = {form: hit for form, hit in of_word if hit}
        words = defaultdict[int, list[tuple[int, int, Hit]]](list)
        for at in np.flatnonzero(np.isin(table.form, [*hits])):
            start, form = int(table.start[at]), int(table.form[at])
            end = start + len(labelled.labels[form].text)
            words[int(table.message[at])].append((start, end, hits[form]))
        for number, text in enumerate(texts):
            placed = words[number]
            named = "".join(text[start:end] for start, end, hit in placed if hit[0] in _OF_NAMES)
            if sum(map(str.isalnum, named)) == sum(map(str.isalnum, text)):
                # In a cell of names alone, no other word makes them something else.
                placed = [(*one[:2], (one[2][0], Certainty.CERTAIN, *one[2][2:])) for one in placed]
            if people:
                named_here = (Clue.PERSON, Certainty.CERTAIN, _PRE, 0)
                parts = (one for one in _NO_SPACE.finditer(text) if people.is_whole_name(one[0]))
                placed.extend((*one.span(), named_here) for one in parts)
            if not placed and telephone_in(text.strip()) and not self._is_put_in(text):
                placed.append((0, len(text), (Clue.NUMBER, Certainty.CERTAIN, _TEL, 0)))
            yield from ((text, self._finding(text, one, 0, DOCUMENT)) for one in placed)

    def _is_put_in(self, cell: str) -> bool:
        """Return whether a replacement wrote what stands in a cell."""
        words, inserted = phrase_key(cell), self._sought.inserted
        is_new = bool(words) and inserted.issuperset(words)
        is_number = not _last_digits([cell]).isdisjoint(self._inserted_ends)
        return is_new or is_number or folded(cell) in self._sought.replacements

    def _of_word(self, word: LabelledWord) -> Hit | None:
        """Return the hit that a word alone is; None for words of the language."""
        if self._is_put_in(word.text) or word.kind is Kind.MASKED:
            return None
        if word.kind.is_identifier:
            type_ = likely_type(word, self._lexicon)
            return Clue.FORM, _SURE[type_], type_, 0
        is_word = word.label in (Label.ANTI_DICTIONARY, Label.AMBIGUOUS)
        if word.kind not in (Kind.WORD, Kind.NAME, Kind.PUBLIC) or is_word:
            return None
        keys = phrase_key(word.text)
        kin = [self._names[key] for key in keys if key in self._names]
        akin = (one for key in keys for one in self._kinship(key, by_edits=False))
        kin += [one for one in akin if one[0] in (Clue.STRETCHED, Clue.GLUED, Clue.HANDLE)]
        if not kin:
            return None
        reason, one = kin[0]
        return reason, Certainty.LIKELY, one.type, one.replaced


class Answers(NamedTuple):
    """Findings, by message from 0 and text, and folded words that people said are to stay."""

    findings: Set[tuple[int | None, str]] = frozenset()
    never: Set[str] = frozenset()

    def with_table(self, people: str | None) -> "Answers":
        """Add the spellings that a table of people says are not replaced."""
        spellings: dict[bool, set[str]] = {True: set(), False: set()}
        for one in read_people(people) if people else ():
            spellings[one.replace].add(folded(one.spelling))
        return self._replace(never=self.never | (spellings[False] - spellings[True]))

    def keep(self, message: int | None, text: str) -> bool:
        return (message, text) in self.findings or folded(text) in self.never


class OtherFile(NamedTuple):
    """A file that holds the messages of another one again: its messages, and all strings in it."""

    path: str
    texts: list[str]
    strings: Iterable[str] = ()


_UNANSWERED = Answers()
_UNDECIDED = "a message that waits for the expert, and that nobody decided"


def check_output(
    output: Source,
    triage: Triage,
    *,
    against: Source | None = None,
    called: str = "",
    key_table: str | None = None,
    plan: Plan | None = None,
    jobs: int = 1,
    listed: str = "",
    answers: Answers = _UNANSWERED,
    further: Iterable[OtherFile] = (),
) -> Checked:
    """Look for what an anonymised file still holds: what ``triage check`` does.

    Errors call the originals as `called` says; with a key table these tell people alone. The list
    of what is held back is beside the output, or beside `listed`. What people answered of findings
    in messages is kept by choice. Of further files only what this one does not hold is looked at.
    """
    for other in filter(None, (against.path if against else "", key_table)):
        if is_same_file(output.path, other):
            raise refused("same_file", other=other, output=output.path)
    before, people, sought = None, triage.known_people, None
    if against is not None:
        with against.open() as file:
            account = Account.of(triage, file)
            before = read_messages(file, account)
            before.name = called or before.name
            people = account.people if account else None
    with output.open() as file:
        held = read_held(listed or output.path)
        after = _read_output(file, triage, people, held, jobs)
        if key_table is not None:
            sought = sought_in_key_table(key_table, after)
        elif before is not None:
            sought = compare(before, after, held, triage.labeller)
        replaced, strings = sought or Sought(), dict.fromkeys([*after.texts, *after.cells])
        search = Search(replaced, triage, people, plan or Plan())
        column, found = _findings_in_columns(file, after, search)
        # What has a form was judged where it stands, as a surrogate or as what is left.
        forms = {text for _, _, text, _ in after.by_form} | {one.text for one in found}
        found += _in_strings(document_strings(file.name), strings, forms, search)
        others = _check_further(further, strings, forms, search, answers)
    undecided = dict.fromkeys(after.undecided | replaced.undecided, _UNDECIDED)
    left = [
        Finding(sure, reason, None, number + 1)
        for sure, reasons in ((Certainty.UNDECIDED, undecided), (Certainty.ADDED, replaced.added))
        for number, reason in sorted(reasons.items())
    ]
    left += sorted(found, key=lambda one: one.row)
    # The row in the originals of each message.
    originals = replaced.originals or [n - 1 for n in input_rows(held, len(after.texts))]
    rows = dict(enumerate(originals, 1))
    checked = Checked(len(after.texts), None, left, expected=_expected(output.path), further=others)
    if sought is not None:
        n = Quantity(len({phrase_key(one.spelling) for one in sought.known if one.replaced}))
        for one in (checked, *others.values()):
            one.replaced = n
        checked.sought = f"{n:# spelling that was|# spellings that were} replaced"
    return checked.keep(
        lambda one: one.column == column and answers.keep(rows.get(one.row), one.text)
    )


def _expected(output: str) -> str:
    """Return the residue that is to be expected by the record of an output."""
    clauses: list[str] = []
    with suppress(KeyError, TypeError, ValueError):
        record = read_record(output) or {}
        for promised in record["decisions"]["promise"][:1]:
            residue = str(promised).partition(", precision")[0]
            clauses.append(f"{residue[:1].lower()}{residue[1:]}")
        if sample := record.get("sample"):
            at_most, n = sample["at_most"], sample["answered"]
            clauses.append(f"somebody is recognised in at most {at_most:.1%}, by a sample of {n:,}")
    return "; ".join(clauses)


def _read_output(
    file: MessageFile, triage: Triage, people: People | None, held: Sequence[HeldMessage], jobs: int
) -> _Output:
    after, look = _Output(file.name), partial(_read_chunk, people, file)
    after.cells.update((name, [(0, at)]) for at, name in enumerate(file.columns))
    chunks = after.taken_from(file)
    with used_chunks(triage, file, look, chunks=chunks, as_whole=False, jobs=jobs) as read:
        for words, forms, places in read:
            after.evidence.append(words)
            after.by_form += forms
            for cell, several in places.items():
                after.cells[cell] += several
    # The list of what is held back says which wait, too, by ids and rows of the input.
    names, rows = after.ids or [], [str(row) for row in input_rows(held, len(after.texts))]
    waiting = {one.id for one in held if one.written}
    if names == rows or waiting.isdisjoint(names):  # numbers may have taken the place of ids
        waiting, names = {str(one.row) for one in held if one.written}, rows
    after.undecided |= {number for number, name in enumerate(names) if name in waiting}
    return after


def _read_chunk(
    people: People | None, file: MessageFile, chunk: Chunk, scored: ScoredMessages
) -> tuple[Floats, list[FormMatch], _Cells]:
    """Read the rows of a chunk, perhaps in a worker process."""
    scored = people.raised(scored) if people else scored
    labelled, table = scored.labelled, scored.labelled.words
    by_form = list[FormMatch]()
    for at in np.flatnonzero(labelled.of_form(is_pattern)[table.form]).tolist():
        word = labelled.labels[table.form[at]]
        type_ = long_number(word) or likely_type(word, labelled.lexicon)
        message = chunk.first + int(table.message[at])
        by_form.append((message, int(table.start[at]), word.text, type_))
    for message, text in enumerate(chunk.texts, chunk.first):
        # Long numbers, in any spacing.
        if len(_ANY_DIGITS.findall(text)) >= MIN_DIGITS:
            legible = Legible.of(text)
            spans = (legible.span(*one.span()) for one in _SEPARATED.finditer(legible.text))
            by_form += [(message, start, text[start:end], None) for start, end in spans]
    cells, dated = _Cells(list), guess_column(file.columns, "date")
    for number, row in enumerate(chunk.rows, chunk.first + 1):
        for at, value in enumerate(row):
            # Seconds since 1970 look like telephone numbers.
            is_read = at == file.text_position or (at == dated and read_epoch(value))
            if not is_read and _MAY_IDENTIFY.search(cell := as_text(value)):
                cells[cell].append((number, at))
    return grading.evidence_of(scored, chunk.first), by_form, cells


def _findings_in_columns(
    file: MessageFile, output: _Output, search: Search
) -> tuple[str, list[Finding]]:
    """Return the public name of the column of messages, and the findings in all columns."""
    cells, hits = output.cells, [*search.in_cells(output.cells)]
    # A column whose name may identify somebody is called by its number.
    numbered = {at for text, _ in hits for row, at in cells[text] if not row}
    names = [f"column {n}" if n - 1 in numbered else name for n, name in enumerate(file.columns, 1)]
    findings = [
        replace(one, row=row, column=names[at]) for text, one in hits for row, at in cells[text]
    ]
    # Numbers of the column of ids that follow each other are none of telephones.
    ids = None if file.id_position is None else names[file.id_position]
    telephones = {one for one in findings if one.reason == Clue.NUMBER and one.column == ids}
    if is_run(telephone_in(one.text) for one in telephones):
        findings = [one for one in findings if one not in telephones]
    column = names[file.text_position]
    findings += search.in_messages(output, column)
    place = {name: (name == column, at) for at, name in enumerate(names)}
    findings.sort(key=lambda one: (place[one.column][0], one.start, place[one.column][1]))
    return column, findings


def _check_further(
    further: Iterable[OtherFile],
    strings: Mapping[str, None],
    forms: Set[str],
    search: Search,
    answers: Answers,
) -> dict[str, Checked]:
    """Check further files, by path, for what the first one does not hold."""

    def legible(text: str) -> str:
        # Some formats cannot hold control characters.
        return "".join(filter(str.isprintable, text))

    known_strings, checked = {*map(legible, strings)}, {}
    reason = "a message that is in no table of the publication"
    # Further files do not tell the message in which something stands.
    anywhere = Answers({(None, text) for _, text in answers.findings}, answers.never)
    for one in further:
        unknown = (n for n, text in enumerate(one.texts, 1) if legible(text) not in known_strings)
        left = [Finding(Certainty.ADDED, reason, None, number) for number in unknown]
        left += _in_strings(one.strings, {**strings, **dict.fromkeys(one.texts)}, forms, search)
        checked_file = Checked(len(one.texts), None, left, "what the table does not hold")
        checked[one.path] = checked_file.keep(lambda one: anywhere.keep(None, one.text))
    return checked


def _in_strings(
    strings: Iterable[str], seen: Mapping[str, None], forms: Set[str], search: Search
) -> list[Finding]:
    """Search the strings of a document that are none of its messages and cells."""
    hits = [*search.in_cells(one for one in dict.fromkeys(strings) if one not in seen)]
    # Parts of a message that markup divides are read with it.
    whole, place, left = "\n".join(seen) if hits else "", 0, list[Finding]()
    for _, one in hits:
        text = f"{one.before}{one.text}{one.behind}"
        # A document has its parts in the order of the messages: the next is not far.
        if (found := whole.find(text, place)) < 0:
            found = whole.find(text, 0, place + len(text))
        place = found if found >= 0 and len(text) > CONTEXT else place
        # Annotations quote what has a form beside other characters, and hold names of types.
        is_form = one.reason in _OF_FORM and one.text in forms
        if not (found >= 0 or is_form or one.text in IdentifierType.__members__):
            left.append(one)
    return left
