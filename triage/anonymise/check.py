"""Look for what an anonymised file still holds: in messages, other columns and its document.

What was replaced and people are searched for, and words are graded as mining grades them. A word's
grade is the probability that one that stands there identifies somebody, as measured on what really
stands. *Certain* is said of what was true in four of five cases at least.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from triage.data import Chunk, MessageFile, as_text
from triage.data.chats import are_of_nobody
from triage.data.columns import guess_column
from triage.data.dates import read_epoch
from triage.data.strings import document_strings
from triage.dictionaries import Kind, Label, LabelledWord
from triage.dictionaries.addresses import KnownWords, street_types
from triage.dictionaries.normal import Legible, folded
from triage.dictionaries.phrases import phrase_key

from ..decide.corpus import used_chunks
from ..decide.find import ScoredMessages, likely_type, long_number
from ..decide.people import NAMES, Account, People
from ..decide.pipeline import Triage
from ..decide.source import Source, whole_chunks
from ..errors import TriageError
from ..vocabulary import SEVERITIES, IdentifierType, Severity
from . import comparison, grading
from .columns import is_date, is_run, telephone_in
from .comparison import FileMessages, Sought
from .entities import short_forms
from .findings import CONTEXT, DOCUMENT, Certainty, Checked, Left
from .grading import NO_NAME, TYPES, Clue, Corpus, Floats, Grades, Kinship, Known
from .plan import Plan
from .record import HeldMessage, input_rows, read_held, read_record
from .words import refused

# Bounds on the probability that a word identifies somebody. Of the words that stand in 88milSMS out
# of fold, one of eight from LIKELY on identifies somebody where .2 % of the messages keep an
# identifier, one of five where 1 % do. From CERTAIN on none stands in what this program writes; in
# messages where nothing is replaced, 99 of 100 are true.
_CERTAIN, _LIKELY, _POSSIBLE = 0.95, 0.1, 0.02
# What is found without anything that was replaced stays where the plan keeps its type.
_BY_TYPE = frozenset({Clue.FORM, Clue.NUMBER, Clue.EVIDENCE, Clue.CONTEXT, Clue.CAPITAL})
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
_SHORTEST_STREET = _SHORTEST_REPLACED = 3
_FREQUENT = ("commonest_forms", "frequent_forms")
_MOST_PARTICLES = 2
_POSTCODE = 5
# So many words before that of an address tell that it stands in one.
_BEFORE = 3
_PRE, _ADR, _TEL = IdentifierType.PRE, IdentifierType.ADR, IdentifierType.TEL
Cell = tuple[int, int]
"""The place of a cell: row (0: the header) and column, from 0."""
KnownForm = tuple[int, int, str, IdentifierType | None]
"""A place known by its form: message, from 0, start, text and type; none of a mere number."""


class Contents(NamedTuple):
    """Messages, evidence of their words, what is known by its form, and the places of cells."""

    texts: list[str]
    ids: list[str]
    undecided: set[int]
    evidence: list[Floats]
    by_form: list[KnownForm]
    cells: defaultdict[str, list[Cell]]

    def add(self, other: Self) -> None:
        """Take what the next rows hold."""
        self.texts.extend(other.texts)
        self.ids.extend(other.ids)
        self.undecided.update(other.undecided)
        self.evidence.extend(other.evidence)
        self.by_form.extend(other.by_form)
        for cell, places in other.cells.items():
            self.cells[cell] += places


Hit = tuple[Clue, Certainty, IdentifierType, int]
"""The reason for a finding, how sure it is, its type, and how often its name was replaced."""
_Found = tuple[int, int, int, Hit]
"""Something in a message, from 0: where it starts, where it ends, and what it is."""


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
        named, replaced = (
            grading.without_particles(named, pack),
            grading.without_particles(sought.known, pack),
        )
        # Surrogates keep the particles of a name.
        self._particles = {key for one in pack.titles.particles for key in phrase_key(one)}
        # The words of names, those of people first.
        self._names = {
            key: (reason, one)
            for reason, known in ((Clue.REPLACED, replaced), (Clue.PERSON, named))
            for one in known
            if reason is Clue.PERSON or one.replaced
            for key in phrase_key(one.spelling)
            if one.type is not _ADR and any(map(str.isalpha, key)) and key not in self._particles
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

    def in_messages(self, seen: Contents, column: str) -> Iterator[Left]:
        """Yield what is left in messages: by its form, of initials and addresses, by its words."""
        put_in, texts = self._sought.put_in, seen.texts
        spans = [tuple(put_in.get(at, ())) for at in range(len(texts))]
        corpus = self._with_particles(grading.read_corpus(texts, spans, seen.evidence))
        # Characters of what was put in, or found, by message.
        taken: defaultdict[int, set[int]] = defaultdict(set)
        for at, places in put_in.items():
            taken[at].update(n for one in places for n in range(one.start, one.end))
        for at in np.flatnonzero(are_of_nobody(texts)).tolist():
            taken[at].update(range(len(texts[at])))

        by_form, by_words = self._by_form(seen.by_form), self._by_words(corpus)
        others = self._initials(corpus), self._addresses(corpus), by_words
        for at, start, end, hit in chain(by_form, *others):
            # Of a form that overlaps with what is known already nothing is told.
            is_form = hit[0] in (Clue.FORM, Clue.NUMBER)
            if taken[at].isdisjoint(range(start, end) if is_form else (start,)):
                taken[at].update(range(start, end))
                yield self.left(texts[at], start, end, hit, at + 1, column)

    def _by_form(self, known: Iterable[KnownForm]) -> Iterator[_Found]:
        """Yield what is known by its form, and numbers that are dialled or were replaced."""
        for at, start, text, type_ in known:
            digits = _NO_DIGITS.sub("", text)
            is_dialled = len(digits) in _DIALLED and digits[0] in "03"
            is_dialled = is_dialled and not _DATE.search(text) and bool(telephone_in(digits))
            if type_ or is_dialled or digits[-_END:] in self._ends:
                kind, reason = type_ or _TEL, Clue.FORM if type_ else Clue.NUMBER
                yield at, start, start + len(text), (reason, _of_form(kind), kind, 0)

    def _by_words(self, corpus: Corpus) -> Iterator[_Found]:
        """Yield words that may identify somebody, as mining grades them, and names of people."""
        names, pack = grading.distinct(self._akin_to), self._lexicon.pack
        judged = Grades(corpus, names, corpus.replaced, pack, self._streets)
        is_left = judged.probability >= _POSSIBLE
        people = {form for form, (reason, _) in self._names.items() if reason is Clue.PERSON}
        # Forms of names that were replaced and are no frequent word; those that no list holds.
        held, frequent = self._lexicon.held, self._lexicon.bits(*_FREQUENT)
        others = (form for form in self._names.keys() - people if form.isalpha())
        long = (form for form in others if len(form) >= _SHORTEST_REPLACED)
        replaced = {form for form in long if not held(form) & frequent}
        unlisted = {form for form in replaced if not held(form)}
        for form in people | replaced:
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

    def _with_particles(self, corpus: Corpus) -> Corpus:
        """Mark the particles of a name that was put in, which keeps them: *Le Goff*, *Le Godet*."""
        types = corpus.replaced.copy()
        is_none = np.append(corpus.is_tag | (types == NO_NAME), [True])
        for particle in [*map(corpus.words_of, self._particles)] * _MOST_PARTICLES:
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

    def in_cells(self, cells: Iterable[str]) -> Iterator[tuple[str, int, int, Hit]]:
        """Yield what stands in cells that are no messages, with its start and end."""
        texts, people = [cell for cell in cells if not is_date(cell)], self._people
        labelled = self._triage.labeller.label(texts)
        table, hits = labelled.words, [*map(self._of_word, labelled.labels)]
        words = defaultdict[int, list[tuple[int, int, Hit]]](list)
        for at in np.flatnonzero(np.isin(table.form, [n for n, hit in enumerate(hits) if hit])):
            start, form = int(table.start[at]), table.form[at]
            if hit := hits[form]:
                end = start + len(labelled.labels[form].text)
                words[int(table.message[at])].append((start, end, hit))
        for number, text in enumerate(texts):
            found = words[number]
            named = "".join(text[start:end] for start, end, hit in found if hit[0] in _OF_NAMES)
            if sum(map(str.isalnum, named)) == sum(map(str.isalnum, text)):
                # Where nothing else stands, there is nothing to make another thing of it.
                found = [(*one[:2], (one[2][0], Certainty.CERTAIN, *one[2][2:])) for one in found]
            if people:
                named_here = (Clue.PERSON, Certainty.CERTAIN, _PRE, 0)
                parts = (one for one in _NO_SPACE.finditer(text) if people.is_whole_name(one[0]))
                found.extend((*one.span(), named_here) for one in parts)
            if not found and telephone_in(text.strip()) and not self._is_put_in(text):
                found.append((0, len(text), (Clue.NUMBER, Certainty.CERTAIN, _TEL, 0)))
            yield from ((text, *one) for one in found)

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
    return Certainty.CERTAIN if SEVERITIES[type_] is Severity.DIRECT else Certainty.LIKELY


_OTHER_TEXT = "a message that is in no table of the publication"
_OTHERS = "what the table does not hold"
_UNDECIDED = "a message that waits for the expert, and that nobody decided"


class Answers(NamedTuple):
    """Findings, by message from 0 and text, and folded words that people said are to stay."""

    findings: Set[tuple[int | None, str]] = frozenset()
    never: Set[str] = frozenset()

    def keep(self, message: int | None, text: str) -> bool:
        return (message, text) in self.findings or folded(text) in self.never


class OtherFile(NamedTuple):
    """A file that holds the messages of another one again: its messages, and all strings in it."""

    path: str
    texts: list[str]
    strings: Iterable[str] = ()


_UNANSWERED = Answers()


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
    _check_others(output.path, (against.path if against else "", key_table))
    before, people = None, triage.known_people
    if against is not None:
        with against.open() as file:
            account = Account.of(triage, file)
            before = comparison.read_messages(file, account)._replace(name=called or file.name)
            people = account.people if account else None
    with output.open() as file:
        chunks, look = whole_chunks(file, by_sender=False), partial(_read_chunk, people, file)
        seen = Contents([], [], set(), [], [], defaultdict(list))
        seen.cells.update((name, [(0, at)]) for at, name in enumerate(file.columns))
        with used_chunks(triage, file, look, chunks=chunks, as_whole=False, jobs=jobs) as read:
            for one in read:
                seen.add(one)
        held = read_held(listed or output.path)
        after = _messages(file, seen, held)
        sought = None
        if key_table is not None:
            sought = comparison.sought_in_key_table(key_table, after)
        elif before is not None:
            sought = comparison.compare(before, after, held, triage.labeller)
        search = Search(sought or Sought(), triage, people, plan or Plan())
        strings = {*seen.texts, *seen.cells}
        found = _found(file, seen, search)
        found += _in_strings(document_strings(file.name), strings, search)
        others = _further(further, strings, search)
    checked = _checked(after, sought, found)
    column, of = file.columns[file.text_position], sought.originals if sought else ()
    rows = dict(enumerate(of or (row - 1 for row in input_rows(held, len(after.texts))), 1))
    checked = checked.keep(
        lambda one: one.column == column and answers.keep(rows.get(one.row), one.text)
    )
    # A file that holds the messages again does not tell in which of them something stands.
    anywhere = answers._replace(findings={(None, text) for _, text in answers.findings})
    others = {
        path: other.keep(lambda one: anywhere.keep(None, one.text))
        for path, other in others.items()
    }
    return replace(checked, expected=_expected(output.path), further=others)


def _checked(after: FileMessages, sought: Sought | None, found: Iterable[Left]) -> Checked:
    """Return what was found, and the messages that are undecided or without an original."""
    of = sought or Sought()
    undecided, rows = sorted(after.undecided | of.undecided), len(after.texts)
    left = [Left(Certainty.UNDECIDED, _UNDECIDED, None, n + 1) for n in undecided]
    left += [Left(Certainty.ADDED, reason, None, n + 1) for n, reason in sorted(of.added.items())]
    left += sorted(found, key=lambda one: one.row)
    if sought is None:
        return Checked(rows, None, left)
    n = len({phrase_key(one.spelling) for one in sought.known if one.replaced})
    return Checked(rows, n, left, f"{n:,} spellings that were replaced")


def _check_others(output: str, others: Iterable[str | None]) -> None:
    """Check that what an output is compared with is another file."""
    for other in filter(None, others):
        # A file that is not there is an error when it is opened.
        with suppress(OSError):
            if Path(output).samefile(other):
                raise refused("same_file", other=other, output=output)


def _messages(file: MessageFile, seen: Contents, held: Sequence[HeldMessage]) -> FileMessages:
    """Return the messages of an output; those wait that it says, or the list of what is held."""
    ids = seen.ids if file.id_column else None
    # The list tells rows of the input.
    names: Sequence[object] = ids or input_rows(held, len(seen.texts))
    written = {one.row if ids is None else one.id for one in held if one.written}
    waiting = {number for number, name in enumerate(names) if name in written}
    return FileMessages(file.name, seen.texts, ids, seen.undecided | waiting)


def _expected(output: str) -> str:
    """Return what the record of an output says of the residue that is to be expected."""
    said: list[str] = []
    with suppress(TriageError, KeyError, TypeError, ValueError):
        record = read_record(output) or {}
        for promised in record["decisions"]["promise"][:1]:
            residue = str(promised).partition(", precision")[0]
            said.append(f"{residue[:1].lower()}{residue[1:]}")
        if sample := record.get("sample"):
            at_most, n = sample["at_most"], sample["answered"]
            said.append(f"somebody is recognised in at most {at_most:.1%}, by a sample of {n:,}")
    return "; ".join(said)


# A letter, or as many digits as a long number has, whatever stands between them.
_MAY_IDENTIFY = re.compile(r"[^\W\d_]|(?:[0-9][^0-9]*){8}")
_SEPARATED = re.compile(r"(?<![0-9])[0-9](?:[ .,/_()\-]{0,3}+[0-9]){7,20}+(?![0-9])")
_ANY_DIGITS = re.compile(r"\d")


def _read_chunk(
    people: People | None, file: MessageFile, chunk: Chunk, scored: ScoredMessages
) -> Contents:
    """Read the rows of a chunk, perhaps in a worker process."""
    if people:
        scored = people.raised(scored)
    labelled, table = scored.labelled, scored.labelled.words
    by_form: list[KnownForm] = []
    is_form = labelled.of_form(
        lambda word: int(word.kind.is_identifier or long_number(word) is not None)
    )
    for at in np.flatnonzero(is_form[table.form] > 0).tolist():
        word = labelled.labels[table.form[at]]
        type_ = long_number(word) or likely_type(word, labelled.lexicon)
        message = chunk.first + int(table.message[at])
        by_form.append((message, int(table.start[at]), word.text, type_))
    for message, text in enumerate(chunk.texts, chunk.first):
        # Long numbers, in any spacing.
        if len(_ANY_DIGITS.findall(text)) >= FEWEST_DIGITS:
            legible = Legible.of(text)
            spans = (legible.span(*one.span()) for one in _SEPARATED.finditer(legible.text))
            by_form += [(message, start, text[start:end], None) for start, end in spans]
    cells: defaultdict[str, list[Cell]] = defaultdict(list)
    dated = guess_column(file.columns, "date")
    for number, row in enumerate(chunk.rows, chunk.first + 1):
        for at, value in enumerate(row):
            # Seconds since 1970 look like telephone numbers.
            if at == file.text_position or (at == dated and read_epoch(value)):
                continue
            if _MAY_IDENTIFY.search(cell := as_text(value)):
                cells[cell].append((number, at))
    undecided = {*comparison.undecided_in(file.columns, chunk)}
    evidence = grading.evidence_of(scored, chunk.first)
    return Contents(chunk.texts, chunk.ids, undecided, [evidence], by_form, cells)


def _found(file: MessageFile, seen: Contents, search: Search) -> list[Left]:
    """Return what is left in messages, the header and other cells."""
    column, ids, cells = file.columns[file.text_position], file.id_position, seen.cells
    found, hits = [*search.in_messages(seen, column)], [*search.in_cells(cells)]
    # A column whose name may identify somebody is told by its number.
    told = {at for text, *_ in hits for row, at in cells[text] if not row}
    names = [f"column {n}" if n - 1 in told else name for n, name in enumerate(file.columns, 1)]
    in_cells = [
        search.left(text, start, end, hit, row, names[at])
        for text, start, end, hit in hits
        for row, at in cells[text]
    ]
    # Numbers of the column of ids that follow each other are none of telephones.
    numbers = {one for one in in_cells if one.reason == Clue.NUMBER}
    numbers = {one for one in numbers if ids is not None and one.column == names[ids]}
    is_ids = is_run(telephone_in(one.text) for one in numbers)
    found += [one for one in in_cells if not (is_ids and one in numbers)]
    found.sort(key=lambda one: (one.row, one.column == column, one.start, names.index(one.column)))
    return found


def _further(further: Iterable[OtherFile], strings: Set[str], search: Search) -> dict[str, Checked]:
    known, checked = {*map(_legible, strings)}, {}
    for one in further:
        unknown = (n for n, text in enumerate(one.texts, 1) if _legible(text) not in known)
        left = [Left(Certainty.ADDED, _OTHER_TEXT, None, number) for number in unknown]
        left += _in_strings(one.strings, strings | {*one.texts}, search)
        checked[one.path] = Checked(len(one.texts), None, left, _OTHERS)
    return checked


def _legible(text: str) -> str:
    """Return a text without the signs that some formats cannot hold, such as control characters."""
    return "".join(filter(str.isprintable, text))


def _in_strings(strings: Iterable[str], seen: Set[str], search: Search) -> list[Left]:
    """Return what is left in the strings of a document that are none of its messages and cells."""
    hits = [*search.in_cells(one for one in dict.fromkeys(strings) if one not in seen)]
    # Parts of a message that markup divides are read with it.
    whole = "\n".join(seen) if hits else ""
    found = (search.left(text, start, end, hit, 0, DOCUMENT) for text, start, end, hit in hits)
    return [
        one
        for one in found
        if f"{one.before}{one.text}{one.behind}" not in whole
        # The name of a type, which files of annotations hold, is nobody's.
        and one.text not in IdentifierType.__members__
    ]
