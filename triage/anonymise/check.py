"""Look for what an anonymised file still holds of what was replaced, and of names at all."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from triage.data import MessageFile, as_text
from triage.dictionaries import Kind, Label, LabelledWord, Labeller
from triage.dictionaries.normal import folded

from ..decide.long_numbers import long_number
from ..decide.source import Source, check_rejects
from ..decide.word_types import likely_type
from ..errors import TriageError
from ..vocabulary import IdentifierType, Severity
from .cells import is_date, is_run, telephone_in
from .comparison import (
    NO_SPELLINGS,
    Sought,
    check_key_table,
    compare,
    sought_in_key_table,
)
from .entity import canonical
from .held import read_held
from .key_table import read_key_table
from .pairing import pair, read_messages, written_undecided
from .record import CheckFacts


class Certainty(StrEnum):
    """Degrees of certainty that something was left.

    UNDECIDED: a message that waits for the expert. ADDED: a message that none of the originals
    became. CERTAIN: a spelling that was replaced elsewhere and is no common word, or an identifier
    that matches a pattern. LIKELY: a variant of such a spelling. POSSIBLE: a replaced spelling that
    is a common word, too, or another name of the dictionaries.
    """

    UNDECIDED = "undecided"
    ADDED = "added"
    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


_CLEAN = frozenset({Certainty.LIKELY, Certainty.POSSIBLE})
_UNDECIDED = "a message that waits for the expert, and that nobody decided"
_A_NAME = "a name of the dictionaries"
_LONG_NUMBER = 4
_LONG_ID = 8
_SHORTEST_SPELLING = 4
_Reason = tuple[Certainty, str]


class _Verdict(NamedTuple):
    """How sure it is that a word was left, why, and how grave."""

    certainty: Certainty
    reason: str
    severity: Severity


@dataclass(frozen=True)
class Left:
    """Something that may have been left.

    Parameters
    ----------
    certainty : Certainty
    reason : str
    severity : Severity or None
        That of its likely type; None for a whole message.
    row : int
        Of the anonymised file, from 1; 0 is the header.
    column : str
        Its name, or its number where something was found in its name.
    text : str
        This and the column are empty for a whole message.
    """

    certainty: Certainty
    reason: str
    severity: Severity | None
    row: int
    column: str = ""
    text: str = ""


@dataclass
class Checked:
    """Findings in a file, and the number of distinct spellings that were looked for.

    The number is None where nothing says what was replaced.
    """

    rows: int = 0
    replaced: int | None = None
    left: list[Left] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Return whether nothing certain is left, and each message was decided and has an original.

        Where nothing says what was replaced, a name of the dictionaries is one that was left.
        """
        if self.replaced is None and any(one.reason == _A_NAME for one in self.left):
            return False
        return all(one.certainty in _CLEAN for one in self.left)

    def counts(self) -> dict[tuple[str, str, str], int]:
        """Return how many findings there are, by certainty, severity and reason."""
        found = Counter(
            (one.certainty.value, one.severity.value if one.severity else "", one.reason)
            for one in self.left
        )
        order = [certainty.value for certainty in Certainty]
        return dict(sorted(found.items(), key=lambda pair: (order.index(pair[0][0]), pair[0])))

    def facts(self) -> CheckFacts:
        """Return what a record tells of it: counts alone."""
        return {
            "rows": self.rows,
            "spellings": self.replaced,
            "clean": self.is_clean,
            "found": [
                {"certainty": sure, "severity": grave, "reason": reason, "findings": n}
                for (sure, grave, reason), n in self.counts().items()
            ],
        }

    def n_of(self, certainty: Certainty) -> int:
        """Return how many findings of a certainty there are."""
        return sum(one.certainty is certainty for one in self.left)


def check_output(
    output: Source,
    labeller: Labeller,
    *,
    against: Source | None = None,
    key_table: str | None = None,
) -> Checked:
    """Look for what an anonymised file still holds: what ``triage check`` does.

    Parameters
    ----------
    output : Source
        What ``triage anonymise`` wrote.
    labeller : Labeller
        Its dictionaries say what is a name and what a common word.
    against : Source, optional
        The messages before they were anonymised.
    key_table : str, optional
        The table of replacements, instead. Without both, names and patterns alone are looked for.

    Raises
    ------
    DataError
        If a file cannot be read.
    TriageError
        If a row cannot be read, or the other file cannot be what it is said to be.
    """
    for other in (against.path if against else None, key_table):
        if other is not None:
            _check_other(output.path, other)
    with output.open() as file:
        after = read_messages(file)
        held = read_held(output.path)
        undecided = after.undecided | written_undecided(held, after)
        added: dict[int, str] = {}
        sought = None
        if key_table is not None:
            rows = read_key_table(key_table)
            check_key_table(key_table, rows, after)
            sought = sought_in_key_table(rows)
        elif against is not None:
            with against.open() as originals:
                before = read_messages(originals)
            pairing = pair(before, after, held)
            compared = compare(before, after, pairing, labeller)
            sought, added = compared.sought, compared.added
            undecided |= pairing.became(before.undecided)
        checked = check(file, sought, labeller)
    whole = [(Certainty.UNDECIDED, _UNDECIDED, number) for number in sorted(undecided)]
    whole += [(Certainty.ADDED, reason, number) for number, reason in sorted(added.items())]
    checked.left[:0] = [
        Left(certainty, reason, None, number + 1) for certainty, reason, number in whole
    ]
    return checked


def _check_other(path: str, other: str) -> None:
    # A file that is not there is an error when it is opened.
    with suppress(OSError):
        if Path(path).samefile(other):
            raise TriageError(
                f"{other} is the same file as {path}: name the anonymised file first, then the "
                "messages before with --against, or the table of replacements with --key-table"
            )


def check(file: MessageFile, sought: Sought | None, labeller: Labeller) -> Checked:
    """Look for words that an anonymised file still holds, in its header and in each column.

    Without `sought`, nothing says what was replaced.
    """
    checked = Checked(replaced=None if sought is None else len(sought.spellings))
    looker = _Looker(sought or Sought(), labeller)
    columns = [*file.columns]
    for at, verdict, text in looker.look(file.columns, in_text=False):
        columns[at] = f"column {at + 1}"
        checked.left.append(Left(*verdict, 0, columns[at], text))
    ids: list[Left] = []
    for chunk in file.chunks():
        for position, column in enumerate(columns):
            texts = [as_text(row[position]) for row in chunk.rows]
            in_text = position == file.text_position
            rows: set[int] = set()
            for at, verdict, text in looker.look(texts, in_text=in_text):
                row = checked.rows + at + 1
                rows.add(row)
                checked.left.append(Left(*verdict, row, column, text))
            if not in_text:
                numbers = _telephones(texts, checked.rows + 1, column)
                into = ids if position == file.id_position else checked.left
                into += [one for one in numbers if one.row not in rows]
        checked.rows += len(chunk.rows)
    check_rejects(file)
    if not is_run(telephone_in(one.text.strip()) for one in ids):
        checked.left += ids
    return checked


def _telephones(cells: Sequence[str], first: int, column: str) -> Iterator[Left]:
    """Yield cells that may be telephone numbers by themselves."""
    for row, cell in enumerate(cells, first):
        if telephone_in(cell.strip()) and not is_date(cell):
            reason = "a number that may be a telephone number"
            yield Left(Certainty.CERTAIN, reason, IdentifierType.TEL.severity, row, column, cell)


class _Looker:
    """Looks for what may have been left, each distinct word once."""

    def __init__(self, sought: Sought, labeller: Labeller) -> None:
        self._sought = sought
        self._labeller = labeller
        self._variants = {*map(self._canonical, sought.spellings)} - {""}

    def _canonical(self, word: str) -> str:
        """Return what the variants of a name have in common."""
        return canonical(word, IdentifierType.PRE, self._labeller.lexicon)

    def look(self, texts: Sequence[str], *, in_text: bool) -> Iterator[tuple[int, _Verdict, str]]:
        """Yield for each finding its text's number, the verdict, and what stands there.

        Other columns than that of messages hold numbers that identify nobody, such as ids and
        dates: there short ones do not count.
        """
        labelled = self._labeller.label(texts)
        verdicts = [self._verdict(word, in_text=in_text) for word in labelled.labels]
        words = labelled.words
        for message, form in zip(words.message.tolist(), words.form.tolist(), strict=True):
            found = verdicts[form]
            if found:
                yield message, found, labelled.labels[form].text

    def _verdict(self, word: LabelledWord, *, in_text: bool) -> _Verdict | None:
        found = self._found(word, in_text=in_text)
        return _Verdict(*found, self._severity(word)) if found else None

    def _severity(self, word: LabelledWord) -> Severity:
        """Return that of the identifier that was replaced, else that of the likely type."""
        written, indirect = folded(word.text), self._sought.indirect
        if indirect is not None and written in self._sought.spellings:
            return Severity.INDIRECT if written in indirect else Severity.DIRECT
        return likely_type(word, self._labeller.lexicon).severity

    def _found(self, word: LabelledWord, *, in_text: bool) -> _Reason | None:
        if word.kind in NO_SPELLINGS:
            return None
        written = folded(word.text)
        if written in self._sought.spellings:
            return _of_spelling(word, _LONG_NUMBER if in_text else _LONG_ID)
        if written in self._sought.inserted:
            return None
        if word.kind.is_identifier:
            return Certainty.CERTAIN, f"an identifier known by its form ({word.kind.value})"
        if word.kind is Kind.WORD:
            return self._of_name(word, written)
        if in_text and long_number(word):
            return Certainty.CERTAIN, "a long number"
        return None

    def _of_name(self, word: LabelledWord, written: str) -> _Reason | None:
        is_common = word.label in (Label.ANTI_DICTIONARY, Label.AMBIGUOUS)
        if not is_common and self._canonical(written) in self._variants:
            return Certainty.LIKELY, "a variant of a spelling that was replaced"
        if word.label is Label.DICTIONARY:
            return Certainty.POSSIBLE, _A_NAME
        return None


def _of_spelling(word: LabelledWord, long_number: int) -> _Reason | None:
    if word.kind is Kind.NUMBER and len(word.text) < long_number:
        return None
    # Little words between the parts of an identifier name nobody: "12 rue de l'Étang".
    if word.label is Label.ANTI_DICTIONARY and len(word.text) < _SHORTEST_SPELLING:
        return None
    if word.kind is Kind.WORD and word.label in (Label.ANTI_DICTIONARY, Label.AMBIGUOUS):
        return Certainty.POSSIBLE, "a spelling that was replaced elsewhere, and is a common word"
    return Certainty.CERTAIN, "a spelling that was replaced elsewhere"
