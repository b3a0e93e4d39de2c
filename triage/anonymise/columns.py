"""Columns that are written, their cells, and the search of them before anything is written."""

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any

from triage.data import Chunk, Dialect, MessageFile, as_text
from triage.data.columns import column_position, find_column, names_people
from triage.data.dates import days_of, epoch_day, read_date, read_epoch
from triage.data.errors import sender_of
from triage.data.tei import KINDS
from triage.dictionaries import Label, Labeller
from triage.dictionaries.addresses import KnownWords, addresses
from triage.dictionaries.lexicon import PERSON_NAMES

from ..decide.find import likely_type, long_number
from ..decide.names import NOM, PRE, NameReader
from ..decide.people import People
from ..model.annotated import FINAL_SPANS
from ..settings import Dates, Ids, Senders, Treatment
from ..vocabulary import TYPE_NAMES, IdentifierType, Quantity
from .keys import Keyed
from .plan import Plan
from .words import refused

# Columns of words of messages, or of their places, which no search for identifiers would find.
SHOW_WORDS = frozenset({"evidence", "spans", FINAL_SPANS})
# At most so many days forwards or backwards: the season is hidden, too.
_LONGEST_SHIFT = 365
# Beyond these years a date is a mistake, and shifting could leave the calendar.
_YEARS = range(1000, 9000)
_PARTS = ("year", "month", "day")
_N_PARTS = {Dates.DAY: 3, Dates.MONTH: 2, Dates.YEAR: 1}
_AS_ISO = {Dates.DAY: "%Y-%m-%d", Dates.MONTH: "%Y-%m", Dates.YEAR: "%Y"}
# One word, and not a long one.
_NAME = re.compile(r"\w[\w.-]{,23}")
# Words of evidence, which are short.
_QUOTED = re.compile("«([^»]{0,80})»")
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
_MIN_RUN = 3


class Becomes(StrEnum):
    """Treatments of a column, in the words of the record."""

    DROPPED = "dropped"
    MESSAGES = "messages, with identifiers replaced"
    PSEUDONYMS = "changed: pseudonym"
    DATES = "changed: {dates}"
    NUMBERS = "changed: number"
    SEARCHED = "kept, searched for identifiers"
    AS_IT_IS = "kept as it is, unsearched"


REWRITTEN = (Becomes.PSEUDONYMS, Becomes.DATES, Becomes.NUMBERS)
# The treatments by choices that dates and senders have in common.
_OF_CHOICE = {"keep": Becomes.SEARCHED, "drop": Becomes.DROPPED}


@dataclass(frozen=True)
class Columns:
    """The columns of a file: what becomes of each, and the positions of those with a role."""

    names: tuple[str, ...]
    becomes: tuple[Becomes, ...]
    choice: Treatment
    text: int
    id: int | None
    date: int | None
    sender: int | None
    month_first: bool = False

    def which(self, *becomes: Becomes) -> list[int]:
        return [i for i, one in enumerate(self.becomes) if one in becomes]

    @cached_property
    def written(self) -> list[int]:
        return [i for i, one in enumerate(self.becomes) if one is not Becomes.DROPPED]

    @property
    def roles(self) -> dict[str, str]:
        positions = {"text": self.text, "id": self.id, "sender": self.sender, "date": self.date}
        return {role: self.names[i] for role, i in positions.items() if i in self.written}

    def dialect(self, dialect: Dialect) -> Dialect:
        """Return how the output is written: as the input, without what that says of its columns."""
        schema: Any = dialect.schema
        stays = self.choice.dates in (Dates.DAY, Dates.SHIFT)
        of_other_type = {*REWRITTEN} - ({Becomes.DATES} if stays else set())
        for i in self.which(*of_other_type) if schema else ():
            schema = schema.remove(schema.get_field_index(self.names[i]))
        return replace(dialect, roles=self.roles, schema=schema)


def choose_columns(file: MessageFile, choice: Treatment) -> Columns:
    names, text, day = file.columns, file.text_position, file.date_position
    sender = file.sender_position
    id_ = None if file.id_position in (text, sender) else file.id_position
    if day is not None and day in (text, id_, sender):
        raise refused("date_has_role", column=names[day])
    missing = {
        "ids": id_ is None and choice.ids is Ids.NUMBER,
        "senders": sender is None and choice.sender is Senders.KEEP,
        "dates": day is None and choice.dates not in (Dates.KEEP, Dates.DROP),
    }
    for role in filter(missing.get, missing):
        raise refused(f"no_{role}.column", file=file.name)
    # Of a document, other things than columns may be kept.
    keep = [one for one in choice.keep if one in names or not (choice.document and one in KINDS)]
    given = {"--keep": keep, "--as-it-is": choice.as_it_is, "--pseudonym": choice.pseudonym}
    kept, as_it_is, others = (
        {column_position(names, name, file.name, option) for name in columns}
        for option, columns in given.items()
    )
    if taken := others & {text, id_, day, sender}:
        raise refused("pseudonym_of_role", column=names[min(taken)])
    changed: dict[int | None, Becomes] = {
        **dict.fromkeys(kept, Becomes.SEARCHED),
        **dict.fromkeys(others, Becomes.PSEUDONYMS),
        id_: Becomes.NUMBERS if choice.ids is Ids.NUMBER else Becomes.SEARCHED,
        day: _OF_CHOICE.get(choice.dates, Becomes.DATES),
        sender: _OF_CHOICE.get(choice.sender, Becomes.PSEUDONYMS),
        text: Becomes.MESSAGES,
    }
    becomes = [changed.get(i, Becomes.DROPPED) for i in range(len(names))]
    option_of = {sender: "--sender keep", day: "--dates keep", id_: "--ids keep"}
    for i in sorted((kept - others - {text}) | as_it_is):
        if i == text:
            raise refused("messages_as_they_are", column=names[i])
        if becomes[i] is not Becomes.SEARCHED:
            option = option_of.get(i) or f"--keep {shlex.quote(names[i])}"
            raise refused("not_as_it_is", column=names[i], way=option)
    for i in as_it_is:
        becomes[i] = Becomes.AS_IT_IS
    month_first = choice.dates is not Dates.KEEP and file.month_first
    return Columns(names, (*becomes,), choice, text, id_, day, sender, month_first)


def is_date(cell: object, *, month_first: bool | None = None) -> bool:
    return any(day.year in _YEARS for day in days_of(cell, month_first=month_first))


def is_blank(cell: object) -> bool:
    # Nothing but NaN differs from itself.
    return not as_text(cell).strip() or cell != cell


def change_date(cell: object, dates: Dates, days: int = 0, *, month_first: bool = False) -> object:
    """Return a date as it is to be written; a blank one stays, SHIFT moves it by some days."""
    if is_blank(cell) or dates is Dates.KEEP:
        return cell
    if isinstance(cell, date):
        if dates in (Dates.YEAR, Dates.MONTH):
            return cell.strftime(_AS_ISO[dates])
        if not isinstance(cell, datetime):
            return cell + timedelta(days)
        hour = time(tzinfo=cell.tzinfo) if dates is Dates.DAY else cell.timetz()
        return datetime.combine(cell.date() + timedelta(days), hour)
    read = read_date(as_text(cell).strip(), month_first=month_first)
    if read and read.day and read.day.year in _YEARS:
        new = read.day + timedelta(days)
        return read.with_day(new) if dates is Dates.SHIFT else read.only(*_PARTS[: _N_PARTS[dates]])
    moment = read_epoch(cell)
    if moment is None:
        raise ValueError("no date")
    if dates is not Dates.SHIFT:
        return moment.strftime(_AS_ISO[dates])
    number = int(str(cell)) + days * epoch_day(cell)
    return number if isinstance(cell, int) else str(number)


def shift_of(key: bytes, *purpose: str) -> int:
    """Return by how many days dates are shifted, never by none."""
    drawn = Keyed(key, "shift of dates", *purpose).below(2 * _LONGEST_SHIFT)
    return drawn - _LONGEST_SHIFT if drawn < _LONGEST_SHIFT else drawn - _LONGEST_SHIFT + 1


def telephone_in(cell: str) -> str:
    """Return the digits of a telephone number that a cell holds by itself; empty without one."""
    digits = ""
    if _DECIMAL.fullmatch(cell) and not cell.isdecimal():
        value = float(cell)
        digits = str(int(value)) if value.is_integer() else ""
    elif _THOUSANDS.fullmatch(cell) or _SEPARATED.fullmatch(cell):
        digits = "".join(filter(str.isdecimal, cell))
    if _TELEPHONE.fullmatch(digits):
        return digits
    match = None if cell.isdecimal() else _WITHIN.search(cell)
    return match[0] if match else ""


def is_run(numbers: Iterable[str]) -> bool:
    """Return whether numbers follow each other, as ids do, with few gaps and none twice."""
    values = sorted(map(int, numbers))
    if len(values) < _MIN_RUN:
        return not values
    return len(set(values)) == len(values) and values[-1] - values[0] < _WIDEST_GAP * len(values)


class CellSearch:
    def __init__(self, labeller: Labeller, plan: Plan | None = None) -> None:
        self._labeller, self._plan = labeller, plan or Plan()
        self._known, self._reader = KnownWords(labeller.lexicon), NameReader(labeller.lexicon)

    def held(self, cells: Counter[str], *, of_ids: bool) -> Counter[IdentifierType]:
        """Count the cells of a column that hold identifiers, by type; each is read once."""
        counts, numbers = Counter[IdentifierType](), Counter[str]()
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
                numbers[number] += cells[text]
            elif not _NAMELESS.fullmatch(text):
                texts.append(text)
        for text, types in zip(texts, self.types(texts), strict=True):
            counts.update(dict.fromkeys(sorted(types), cells[text]))
        if not counts[PRE]:
            # A given name and a surname, where most cells read so.
            read = ((text, dict(self._reader.read(text))) for text in texts if " " in text)
            names = [text for text, parts in read if PRE in parts and NOM in parts]
            counts[PRE] = sum(map(cells.__getitem__, names)) if 2 * len(names) > len(texts) else 0
        # Numbers of ids that follow each other are none of telephones.
        if not (of_ids and is_run(numbers.elements())):
            counts[IdentifierType.TEL] += numbers.total()
        return +counts

    def types(self, texts: Sequence[str]) -> list[set[IdentifierType]]:
        lexicon, n = self._labeller.lexicon, len(texts)
        types = [{one.type for one in self._plan.found_always(text)} for text in texts]
        for types_here, text in zip(types, texts, strict=True):
            if addresses(text, self._known):
                types_here.add(IdentifierType.ADR)
        # Once more without the digits and signs that names of users put between words.
        alone = (re.sub(r"[\W\d_]+", " ", text).strip() for text in texts)
        labelled = self._labeller.label([*texts, *alone])
        places = zip(labelled.words.message.tolist(), labelled.words.form.tolist(), strict=True)
        for place, form in places:
            word, type_ = labelled.labels[form], None
            is_found = word.label is Label.DICTIONARY
            if place >= n:
                # Where no message stands around it, a capitalised word may be a name, too.
                is_long_name = word.text[:1].isupper() and len(word.text) >= _SHORTEST_NAME
                is_found = is_found or (word.label is Label.AMBIGUOUS and is_long_name)
                is_found = is_found and not _NAMES.isdisjoint(lexicon.names(word.lists))
            elif " " in texts[place]:
                # As in messages, where other words stand around it.
                type_ = long_number(word)
            if type_ or is_found:
                types[place % n].add(type_ or likely_type(word, lexicon))
        return types


class Survey:
    """All that has to be known of a file before its columns are written; chunks are added to it."""

    def __init__(self, file: MessageFile, columns: Columns, labeller: Labeller, plan: Plan) -> None:
        self.columns, self.senders = columns, set[str]()
        self._name, self._search = file.name, CellSearch(labeller, plan)
        self._cells = {position: Counter[str]() for position in columns.which(Becomes.SEARCHED)}
        self._evidence = find_column(file.columns, "evidence")
        # Whether words that decided stand in their messages.
        self._stand = Counter[bool]()
        # Of all cells: a key for who has none, which nobody can compute otherwise.
        self.checksum = hashlib.sha256(json.dumps(file.columns).encode())

    def added(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Yield the chunks of the file, each searched; behind the last all is checked."""
        for chunk in chunks:
            self.senders.update(chunk.senders)
            for position in self.columns.which(Becomes.PSEUDONYMS):
                self.senders.update(sender_of(row[position]) for row in chunk.rows)
            for position, cells in self._cells.items():
                if self.columns.names[position] not in SHOW_WORDS:
                    cells.update(as_text(row[position]).strip() for row in chunk.rows)
            self._check_chunk(chunk)
            yield chunk
        if self._stand[False] > self._stand[True]:
            raise refused("other_column", file=self._name)
        columns, problems = self.columns, dict[int, list[str]]()
        for position, cells in self._cells.items():
            column = columns.names[position]
            counts = self._search.held(cells, of_ids=position == columns.id).most_common()
            problems[position] = [
                f"{TYPE_NAMES[type_].several} ({Quantity(n):# cell|# cells})" for type_, n in counts
            ]
            if column in SHOW_WORDS:
                problems[position].insert(0, "the words of messages, or where they stood")
            has_role = position in (columns.id, columns.sender, columns.date)
            if not (problems[position] or has_role) and names_people(column) and any(cells):
                problems[position] = ["what identifies people, as its name says"]
        names = [[TYPE_NAMES[one].several for one in sorted(types)] for types in self._held]
        self._refuse(names, problems)

    @cached_property
    def _held(self) -> list[set[IdentifierType]]:
        """The types of identifiers that the names of columns hold."""
        names, tel = self.columns.names, IdentifierType.TEL
        by_column = zip(names, self._search.types(names), strict=True)
        return [types or ({tel} if telephone_in(name) else set()) for name, types in by_column]

    def public_names(self) -> list[str]:
        """Return the names of all columns; their number where they may be a message or a name."""
        return [
            f"column {n}" if types or not _NAME.fullmatch(name) else name
            for n, (name, types) in enumerate(zip(self.columns.names, self._held, strict=True), 1)
        ]

    def _check_chunk(self, chunk: Chunk) -> None:
        """Check the dates of rows, and look for the words that decided in their messages."""
        columns, dated = self.columns, self.columns.which(Becomes.DATES)
        for row, text, line in zip(chunk.rows, chunk.texts, chunk.lines, strict=True):
            self.checksum.update(json.dumps([*map(as_text, row)]).encode())
            for i, cell in ((i, row[i]) for i in dated if not is_blank(row[i])):
                if not (is_date(cell, month_first=columns.month_first) or read_epoch(cell)):
                    column = columns.names[i]
                    raise refused("not_a_date.row", file=self._name, line=line, column=column)
            words = [] if self._evidence is None else _QUOTED.findall(as_text(row[self._evidence]))
            if words:
                self._stand[any(word.removesuffix("…") in text for word in words)] += 1

    def check_names(self, people: People) -> None:
        """Raise TriageError if cells or names of columns hold names of people of the file."""
        problems: dict[int, list[str]] = {}
        for position, cells in self._cells.items():
            # Who keeps senders keeps what they are called: single words are no names for sure.
            is_sender = position == self.columns.sender
            n = sum(map(people.is_whole_name if is_sender else people.names_somebody, cells))
            if n:
                problems[position] = [f"names of people of the file ({Quantity(n):# cell|# cells})"]
        named = map(people.names_somebody, self.columns.names)
        self._refuse([["the name of somebody"] if one else [] for one in named], problems)

    def _refuse(self, names: Sequence[Sequence[str]], cells: Mapping[int, Sequence[str]]) -> None:
        """Raise TriageError, with a way out, if names of columns or cells have problems."""
        columns, as_it_is = self.columns, self.columns.choice.as_it_is
        clauses = [
            f"the name of its column {i + 1} holds {', '.join(names[i])}: rename it in the file"
            for i in columns.written
            if names[i] and columns.names[i] not in as_it_is
        ]
        way_out_of = {
            columns.id: "add --ids number",
            columns.sender: "leave out --sender keep",
            columns.date: "add --dates drop, name another one with --date-column",
        }
        for i in filter(cells.get, cells):
            column, way_out = columns.names[i], way_out_of.get(i, "leave it out of --keep")
            ways = f"{way_out}, or add --as-it-is {shlex.quote(column)}"
            clauses.append(f"its column {column!r} holds {', '.join(cells[i])}: {ways}")
        if clauses:
            raise refused("identifiers_in_columns", file=self._name, clauses="; ".join(clauses))
