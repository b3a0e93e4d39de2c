"""The search of columns for identifiers: all that are to be written, before anything is."""

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from triage.data import MessageFile, as_text
from triage.dictionaries import Label, LabelledWord, Labeller, Lexicon
from triage.dictionaries.addresses import KnownWords, addresses
from triage.dictionaries.lexicon import PERSON_NAMES

from ..decide.source import Chunk
from ..errors import TriageError
from ..model.annotated import sender_of
from ..model.find import likely_type, long_number
from ..settings import Dates, Treatment
from ..type_names import TYPE_NAMES
from ..vocabulary import IdentifierType
from .columns import (
    SHOW_WORDS,
    Plan,
    is_blank,
    is_date,
    is_date_or_epoch,
    plan_columns,
    position_of,
)
from .plan import Treating

# One word, and not a long one.
_NAME = re.compile(r"\w[\w.-]{,23}")
_QUOTED = re.compile("«([^»]*)»")
# Numbers, decimals, and the hexadecimal digits of a hash or a UUID: they name nobody, and among
# thousands of them some hold ten digits of a telephone number.
_NAMELESS = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?"
    r"|[0-9a-f]{16,}|[0-9A-F]{16,}"
    r"|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
)
# A word or two with digits that are too few for a number of their own, as ids have.
_CODE = re.compile(r"(?=[^0-9]*(?:[0-9][^0-9]*){1,7}$)[\w:#/-]+")
_DIGIT = re.compile("[0-9]")
_NO_LETTERS = re.compile(r"[\W\d_]+")
_SHORTEST_NAME = 4
_NAMES = frozenset({*PERSON_NAMES, "last_names"})
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE]\+?[0-9]{1,2})?")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_SEPARATED = re.compile(r"[+(]{0,2}[0-9][0-9 ().,/+\u00a0\u202f-]*")
# French numbers with or without their zero, which a spreadsheet takes off a number, and numbers
# with the code of a country. Seconds since 1970 begin with 1.
_TELEPHONE = re.compile(
    "(?:0|(?:00)?33)?[1-9][0-9]{8}|(?!(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2]))(?:00)?[2-9][0-9]{10,12}"
)
_WITHIN = re.compile("(?<![0-9])(?:33|0)?[67][0-9]{8}(?![0-9])")
# Numbers in a run have hardly a gap; telephone numbers have millions.
_WIDEST_GAP = 100
_FEWEST = 3


def telephone_in(cell: str) -> str:
    """Return the digits of a telephone number that a cell holds by itself; empty without one."""
    if _DECIMAL.fullmatch(cell) and not cell.isdecimal():
        value = float(cell)
        digits = str(int(value)) if value.is_integer() else ""
    elif _THOUSANDS.fullmatch(cell) or _SEPARATED.fullmatch(cell):
        digits = "".join(filter(str.isdecimal, cell))
    else:
        found = _WITHIN.search(cell)
        return found[0] if found else ""
    return digits if _TELEPHONE.fullmatch(digits) else ""


def is_run(numbers: Iterable[str]) -> bool:
    """Return whether numbers follow each other, as ids do, with few gaps and none twice."""
    found = sorted(map(int, numbers))
    if len(found) < _FEWEST:
        return not found
    return len(set(found)) == len(found) and found[-1] - found[0] < _WIDEST_GAP * len(found)


@dataclass
class CellContents:
    """Identifiers of a column: cells by type, and numbers that may be telephone numbers."""

    cells: Counter[IdentifierType] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)

    def types(self, *, of_ids: bool) -> Counter[IdentifierType]:
        """Return the number of cells by type; numbers of ids that follow each other are none."""
        found = self.cells.copy()
        if not (of_ids and is_run(self.numbers.elements())):
            found[IdentifierType.TEL] += self.numbers.total()
        return +found


class CellSearch:
    def __init__(self, labeller: Labeller, treating: Treating | None = None) -> None:
        self._labeller = labeller
        self._treating = treating or Treating()
        self._known = KnownWords.of(labeller.lexicon)

    def add(self, found: CellContents, column: Iterable[object]) -> None:
        """Add to what was found in a column what other cells of it hold, each distinct one once."""
        cells = Counter(as_text(cell).strip() for cell in column)
        texts, shapes = [], dict[str, str]()
        for text in filter(None, cells):
            # Of ids and the like, which differ in a few digits alone, one is read.
            if _CODE.fullmatch(text):
                first = shapes.setdefault(_DIGIT.sub("0", text), text)
                if first != text:
                    cells[first] += cells[text]
                    continue
            if is_date(text):
                continue
            if number := telephone_in(text):
                found.numbers[number] += cells[text]
            elif not _NAMELESS.fullmatch(text):
                texts.append(text)
        for text, types in zip(texts, self.types(texts), strict=True):
            found.cells.update(dict.fromkeys(types, cells[text]))

    def types(self, texts: Sequence[str]) -> list[set[IdentifierType]]:
        lexicon = self._labeller.lexicon
        types = [{one.type for one in self._treating.always(text)} for text in texts]
        for found, text in zip(types, texts, strict=True):
            if addresses(text, self._known):
                found.add(IdentifierType.ADR)
        for i, word in self._words(texts):
            # As in messages, where other words stand around it.
            if " " in texts[i] and (number := long_number(word)):
                types[i].add(number)
            elif word.label is Label.DICTIONARY:
                types[i].add(likely_type(word, lexicon))
        # Words without the digits and signs that names of users put between them.
        for i, word in self._words([_NO_LETTERS.sub(" ", text).strip() for text in texts]):
            if _is_name_by_itself(word, lexicon):
                types[i].add(likely_type(word, lexicon))
        return types

    def _words(self, texts: Sequence[str]) -> Iterator[tuple[int, LabelledWord]]:
        labelled = self._labeller.label(texts)
        words = labelled.words
        for i, form in zip(words.message.tolist(), words.form.tolist(), strict=True):
            yield i, labelled.labels[form]


def contents_of(
    rows: Sequence[Sequence[object]], positions: Iterable[int], labeller: Labeller
) -> dict[int, CellContents]:
    """Return what some columns of rows hold, by their positions."""
    search = CellSearch(labeller)
    found = {position: CellContents() for position in positions}
    for position, contents in found.items():
        search.add(contents, (row[position] for row in rows))
    return found


def _is_name_by_itself(word: LabelledWord, lexicon: Lexicon) -> bool:
    """Return whether a capitalised word may be a name where no message stands around it."""
    is_written_so = word.text[:1].isupper() and len(word.text) >= _SHORTEST_NAME
    is_name = word.label is Label.DICTIONARY or (word.label is Label.AMBIGUOUS and is_written_so)
    return is_name and not _NAMES.isdisjoint(lexicon.names(word.lists))


class Survey:
    """All that has to be known of a file before its columns are written; chunks are added to it."""

    def __init__(
        self,
        file: MessageFile,
        choice: Treatment,
        labeller: Labeller,
        sender_column: str | None = None,
        treating: Treating | None = None,
    ) -> None:
        self.plan = plan_columns(file, choice, sender_column)
        self.senders: set[str] = set()
        self._name = file.name
        self._cells = CellSearch(labeller, treating)
        self._contents = {position: CellContents() for position in self.plan.searched}
        self._evidence = position_of(file, "evidence")
        # Whether words that decided stand in their messages.
        self._stand = Counter[bool]()
        self._hash = hashlib.sha256(json.dumps(file.columns).encode())

    @property
    def fingerprint(self) -> bytes:
        """A checksum of all cells: a key for who has none, which nobody can compute otherwise."""
        return self._hash.digest()

    def added(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Yield the chunks of the file, each searched; behind the last all is checked."""
        for chunk in chunks:
            self.senders.update(chunk.senders)
            for position in self.plan.others:
                self.senders.update(sender_of(row[position]) for row in chunk.rows)
            for row in chunk.rows:
                self._hash.update(json.dumps([*map(as_text, row)]).encode())
            self._check_dates(chunk)
            self._search(chunk)
            self._compare_evidence(chunk)
            yield chunk
        if self._stand[False] > self._stand[True]:
            raise TriageError(
                f"{self._name}: the words that decided stand in few of its messages, so that "
                "another column was triaged: name that one with --text-column"
            )
        clauses = [*self._header_clauses(), *self._column_clauses()]
        if clauses:
            raise TriageError(f"nothing is written of {self._name}: {'; '.join(clauses)}")

    def public_names(self) -> list[str]:
        """Return the names of all columns; their number where they may be a message or a name."""
        names = self.plan.names
        return [
            f"column {position}"
            if types or telephone_in(name) or not _NAME.fullmatch(name)
            else name
            for position, (name, types) in enumerate(
                zip(names, self._cells.types([*names]), strict=True), start=1
            )
        ]

    def _check_dates(self, chunk: Chunk) -> None:
        plan = self.plan
        if plan.date is None or plan.choice.dates in (Dates.KEEP, Dates.DROP):
            return
        for row, line in zip(chunk.rows, chunk.lines, strict=True):
            if not (is_blank(row[plan.date]) or is_date_or_epoch(row[plan.date])):
                raise TriageError(
                    f"{self._name}, line {line}: its {plan.names[plan.date]} is no date such as "
                    "2011-09-17 10:12 or 17/09/2011 10:12; mend it, or say --dates drop",
                    "not_a_date",
                    file=self._name,
                    line=line,
                )

    def _compare_evidence(self, chunk: Chunk) -> None:
        """Look for the words that decided, as the file says, in the messages that are read."""
        if self._evidence is None:
            return
        for row, text in zip(chunk.rows, chunk.texts, strict=True):
            quoted = _QUOTED.findall(as_text(row[self._evidence]))
            if quoted:
                self._stand[any(word.removesuffix("…") in text for word in quoted)] += 1

    def _search(self, chunk: Chunk) -> None:
        for position, found in self._contents.items():
            if self.plan.names[position] not in SHOW_WORDS:
                self._cells.add(found, (row[position] for row in chunk.rows))

    def _header_clauses(self) -> Iterator[str]:
        plan = self.plan
        written = [i for i in plan.written if plan.names[i] not in plan.choice.as_it_is]
        names = [plan.names[i] for i in written]
        for position, name, types in zip(written, names, self._cells.types(names), strict=True):
            if types or telephone_in(name):
                called = ", ".join(
                    TYPE_NAMES[t].several for t in sorted(types or {IdentifierType.TEL})
                )
                yield (
                    f"the name of its column {position + 1} holds {called}: rename it in the file"
                )

    def _column_clauses(self) -> Iterator[str]:
        """Yield which columns hold identifiers, of which types and how often, and a way out."""
        plan = self.plan
        for position, found in self._contents.items():
            column = plan.names[position]
            shows_words = column in SHOW_WORDS
            held = ["the words of messages, or where they stood"] if shows_words else []
            held += [
                f"{TYPE_NAMES[type_].several} ({n:,} {'cell' if n == 1 else 'cells'})"
                for type_, n in found.types(of_ids=position == plan.id).most_common()
            ]
            if held:
                yield (
                    f"its column {column!r} holds {', '.join(held)}: {_way_out(plan, position)}, "
                    f"or add --as-it-is {shlex.quote(column)}"
                )


def _way_out(plan: Plan, position: int) -> str:
    if position == plan.id:
        return "add --ids number"
    if position == plan.sender:
        return "leave --sender keep out"
    if position == plan.date:
        return "add --dates drop, name another one with --date-column"
    return "leave it out of --keep"
