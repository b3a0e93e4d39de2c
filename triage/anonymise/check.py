"""Look for what an anonymised file still holds: in messages, other columns and its document."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from triage.data import MessageFile, as_text
from triage.data.columns import guess_column
from triage.data.dates import read_epoch
from triage.data.strings import document_strings
from triage.dictionaries.normal import Legible, folded
from triage.dictionaries.phrases import phrase_key
from triage.reports.page import printable

from ..decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ..decide.find import likely_type, long_number
from ..decide.people import Account, People
from ..decide.pipeline import Triage
from ..decide.source import Source, whole_chunks
from ..errors import TriageError
from ..vocabulary import IdentifierType
from .columns import is_run, telephone_in
from .comparison import (
    FileMessages,
    Sought,
    compare,
    read_messages,
    sought_in_key_table,
    undecided_in,
)
from .grading import Clue, evidence_of
from .held import HeldMessage, input_rows, read_held
from .plan import Plan
from .record import Record, read_record
from .search import FEWEST_DIGITS, ORDER, Cell, Certainty, KnownForm, Left, Part, Search, grouped

# Nothing is published while there is something of these.
OPEN = frozenset({Certainty.UNDECIDED, Certainty.ADDED, Certainty.CERTAIN})
_OTHER_TEXT = "a message that is in no table of the publication"
_OTHERS = "what the table does not hold"
_UNDECIDED = "a message that waits for the expert, and that nobody decided"
# What is found beside messages and columns is told as of this column.
DOCUMENT = "document"
# What of a finding identifies somebody.
SHOWN = ("before", "text", "behind")


def title_of(places: Sequence[Left]) -> str:
    """Return a spelling as it is written first, how often it stands and was replaced, and why."""
    one = places[0]
    sure = " ".join(filter(None, (one.certainty, one.severity)))
    replaced = f", {one.replaced:,} replaced" if one.replaced else ""
    text = printable(" ".join(one.text.split()))
    return f"{sure}: {text} ({len(places):,} left{replaced}): {one.reason}"


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


@dataclass
class Checked:
    """Findings in a file, the number of spellings looked for, and the residue to be expected.

    `further` are those in files that hold its messages again: what stands there and not in it.
    """

    rows: int
    replaced: int | None
    left: list[Left]
    sought: str = "names and forms alone, which surrogates have too: nothing to compare with"
    expected: str = ""
    further: dict[str, "Checked"] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        """True if nothing certain is left, and each message was decided and has an original."""
        return all(one.certainty not in OPEN for one in self.left)

    @property
    def result(self) -> str:
        """The verdict, with the residue that is to be expected where nothing certain is left."""
        if not self.is_clean:
            return "NOT clean: something certain is left, or a message that nobody decided"
        expected = f"; to be expected: {self.expected}" if self.expected else ""
        known = any(one.certainty is not Certainty.PLANNED for one in self.left)
        return f"nothing {'certain' if known else 'known'} is left{expected}"

    def keep(self, is_answered: Callable[[Left], bool]) -> "Checked":
        """Return the same, with the findings that people answered as kept by choice."""
        planned = (replace(one, certainty=Certainty.PLANNED) for one in self.left)
        both = zip(self.left, planned, strict=True)
        return replace(self, left=[kept if is_answered(one) else one for one, kept in both])

    def spellings(self) -> list[list[Left]]:
        def alike(one: Left) -> tuple[str, str, str]:
            return folded(one.text), one.reason, one.severity or ""

        written = (one for one in self.left if one.text)
        return grouped(sorted(written, key=alike), lambda one: (one.certainty, *alike(one)))

    def counts(self) -> dict[tuple[str, str, str], int]:
        found = Counter((str(one.certainty), one.severity or "", one.reason) for one in self.left)
        return dict(sorted(found.items(), key=lambda pair: (ORDER[pair[0][0]], pair[0])))

    def facts(self) -> Record:
        """Return what a record tells of it: counts alone."""
        found = [
            {"certainty": sure, "severity": str(grave), "reason": reason, "findings": n}
            for (sure, grave, reason), n in self.counts().items()
        ]
        told = {"rows": self.rows, "spellings": self.replaced, "clean": self.is_clean}
        return told | {"found": found}


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
        before, people = _originals(triage, against, called)
    with output.open() as file:
        parts = _parts(triage, people, file, jobs)
        after = FileMessages(
            file.name,
            [text for part in parts for text in part.texts],
            [id_ for part in parts for id_ in part.ids] if file.id_column else None,
            {number for part in parts for number in part.undecided},
        )
        held = read_held(listed or output.path)
        sought, of, added = _compared(before, key_table, after, held, triage)
        search = Search(sought or Sought(), triage, people, plan or Plan())
        strings = {*file.columns, *after.texts, *(cell for part in parts for cell in part.cells)}
        found = _found(file, parts, after.texts, search)
        found += _in_strings(document_strings(file.name), strings, search)
        others = _further(further, strings, search)
    undecided = _undecided(after, held)
    undecided |= {n for n, one in enumerate(of) if before and one in before.undecided}
    left = [Left(Certainty.UNDECIDED, _UNDECIDED, None, n + 1) for n in sorted(undecided)]
    left += [Left(Certainty.ADDED, reason, None, n + 1) for n, reason in sorted(added.items())]
    left += sorted(found, key=lambda one: one.row)
    checked = Checked(len(after.texts), None, left, expected=_expected(output.path))
    if sought is not None:
        n = len({phrase_key(one.spelling) for one in sought.known if one.replaced})
        checked = replace(checked, replaced=n, sought=f"{n:,} spellings that were replaced")
    column = file.columns[file.text_position]
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
    return replace(checked, further=others)


def _check_others(output: str, others: Iterable[str | None]) -> None:
    """Check that what an output is compared with is another file."""
    for other in filter(None, others):
        # A file that is not there is an error when it is opened.
        with suppress(OSError):
            if Path(output).samefile(other):
                raise TriageError(
                    f"{other} is the same file as {output}: name the anonymised file first, "
                    "then the messages before with --against, or the table of replacements with "
                    "--key-table"
                )


def _originals(triage: Triage, against: Source, called: str) -> tuple[FileMessages, People | None]:
    """Return the messages before, and the people of their file."""
    with against.open() as file:
        account = Account.of(triage, file)
        before = read_messages(file, account)._replace(name=called or file.name)
        return before, account.people if account else None


def _parts(triage: Triage, people: People | None, file: MessageFile, jobs: int) -> list["Part"]:
    chunks = whole_chunks(file, by_sender=False)
    corpus = CorpusPass(chunks, file.lines, as_whole=False, jobs=jobs)
    with used_chunks(triage, corpus, partial(_read_chunk, people, file)) as parts:
        return [*parts]


def _compared(
    before: FileMessages | None,
    key_table: str | None,
    after: FileMessages,
    held: Sequence[HeldMessage],
    triage: Triage,
) -> tuple[Sought | None, list[int | None], dict[int, str]]:
    """Return what was replaced, the original of each message, and those that are added and why."""
    if key_table is not None:
        return sought_in_key_table(key_table, after), [], {}
    if before is None:
        return None, [], {}
    return compare(before, after, held, triage.labeller)


def _undecided(after: FileMessages, held: Sequence[HeldMessage]) -> set[int]:
    """Return the messages that wait for a person, by the file or by the list of what is held."""
    # The list tells rows of the input.
    names: Sequence[object] = after.ids or input_rows(held, len(after.texts))
    written = {one.row if after.ids is None else one.id for one in held if one.written}
    return {*after.undecided, *(n for n, name in enumerate(names) if name in written)}


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


def _read_chunk(people: People | None, file: MessageFile, seen: ScoredChunk) -> Part:
    """Read the rows of a chunk, perhaps in a worker process."""
    chunk, scored = seen
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
    undecided = [*undecided_in(file.columns, chunk)]
    evidence = evidence_of(scored, chunk.first)
    return Part(chunk.texts, chunk.ids, undecided, evidence, by_form, cells)


def _found(
    file: MessageFile, parts: Sequence[Part], texts: Sequence[str], search: "Search"
) -> list[Left]:
    """Return what is left in messages, the header and other cells."""
    column, ids = file.columns[file.text_position], file.id_position
    found = [*search.in_messages(parts, texts, column)]
    cells: defaultdict[str, list[Cell]] = defaultdict(list)
    for at, name in enumerate(file.columns):
        cells[name].append((0, at))
    for part in parts:
        for cell, places in part.cells.items():
            cells[cell] += places
    hits = search.in_cells(cells)
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


def _further(
    further: Iterable[OtherFile], strings: Set[str], search: "Search"
) -> dict[str, Checked]:
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


def _in_strings(strings: Iterable[str], seen: Set[str], search: "Search") -> list[Left]:
    """Return what is left in the strings of a document that are none of its messages and cells."""
    hits = search.in_cells([one for one in dict.fromkeys(strings) if one not in seen])
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
