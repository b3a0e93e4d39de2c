"""Has it gone? What an anonymised file still holds of what was replaced, and of names at all."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from triage.data import MessageFile, as_text, open_messages
from triage.dictionaries import Kind, Label, LabelledWord, split_all
from triage.dictionaries.normal import folded

from ..errors import TriageError
from ..identifiers import IdentifierType
from ..pipeline import Triage
from ..weighed import Source, check_rejects
from .entity import canonical


class Severity(StrEnum):
    """How sure it is that something was left.

    CERTAIN: a spelling that was replaced elsewhere and is no common word, or an identifier known
    by its form. LIKELY: a variant of such a spelling. POSSIBLE: a replaced spelling that is a
    common word, too, or another name of the dictionaries.
    """

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


@dataclass(frozen=True)
class Left:
    """Something that may have been left.

    Parameters
    ----------
    severity : Severity
    reason : str
    row : int
        Of the anonymised file, from 1.
    column : str
    text : str
        What stands there.
    """

    severity: Severity
    reason: str
    row: int
    column: str
    text: str


@dataclass
class Checked:
    """What was found in a file.

    Parameters
    ----------
    rows : int
    replaced : int
        Distinct spellings that were looked for.
    left : list of Left
    """

    rows: int = 0
    replaced: int = 0
    left: list[Left] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether nothing certain is left."""
        return not any(one.severity is Severity.CERTAIN for one in self.left)

    def counts(self) -> dict[tuple[str, str], int]:
        """Return how many findings there are, by severity and reason."""
        found = Counter((one.severity.value, one.reason) for one in self.left)
        order = [severity.value for severity in Severity]
        return dict(sorted(found.items(), key=lambda pair: (order.index(pair[0][0]), pair[0][1])))


@dataclass(frozen=True)
class Sought:
    """What is looked for.

    Parameters
    ----------
    spellings : frozenset of str
        Those that were replaced, without case and accents.
    inserted : frozenset of str
        Words of the replacements, which may stand.
    """

    spellings: frozenset[str]
    inserted: frozenset[str]


def sought_in_key_table(rows: Iterable[Mapping[str, object]]) -> Sought:
    """Return what a table of replacements says was replaced.

    Parameters
    ----------
    rows : iterable of dict
        With ``identifier`` and ``replacement``.
    """
    spellings: set[str] = set()
    inserted: set[str] = set()
    for row in rows:
        spellings.update(_words(as_text(row["identifier"])))
        inserted.update(_words(as_text(row["replacement"])))
    return Sought(frozenset(spellings), frozenset(inserted - spellings))


def sought_in_originals(pairs: Iterable[tuple[str, str]]) -> Sought:
    """Return what differs between messages and what became of them.

    Parameters
    ----------
    pairs : iterable of (str, str)
        A message and the same message anonymised.

    Examples
    --------
    >>> sorted(sought_in_originals([("Coucou Patrice", "Coucou <PRE_7>")]).spellings)
    ['patrice']
    """
    spellings: set[str] = set()
    inserted: set[str] = set()
    for before, after in pairs:
        if before != after:
            had, has = Counter(_words(before)), Counter(_words(after))
            spellings.update(had - has)
            inserted.update(has - had)
    return Sought(frozenset(spellings), frozenset(inserted - spellings))


def _words(text: str) -> list[str]:
    forms = split_all([text])
    return [
        folded(forms.forms[form].text)
        for form in forms.form.tolist()
        if forms.forms[form].kind not in _NO_SPELLINGS
    ]


_NO_SPELLINGS = (Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI, Kind.MASKED, Kind.HOUR)


def check(file: MessageFile, sought: Sought, triage: Triage) -> Checked:
    """Look for what an anonymised file still holds, in each of its columns of text.

    Parameters
    ----------
    file : MessageFile
    sought : Sought
    triage : Triage
        Its dictionaries say what is a name and what a common word.

    Returns
    -------
    Checked

    Raises
    ------
    DataError
        If the file cannot be read.
    TriageError
        If one of its rows cannot be read.
    """
    checked = Checked(replaced=len(sought.spellings))
    looker = _Looker(sought, triage)
    columns = [i for i in range(len(file.columns)) if i != file.id_position]
    for chunk in file.chunks():
        for position in columns:
            texts = [as_text(row[position]) for row in chunk.rows]
            in_text = position == file.text_position
            for at, severity, reason, text in looker.look(texts, in_text=in_text):
                row = checked.rows + at + 1
                checked.left.append(Left(severity, reason, row, file.columns[position], text))
        checked.rows += len(chunk.rows)
    check_rejects(file)
    return checked


class _Looker:
    """Looks for what may have been left, each distinct word once."""

    def __init__(self, sought: Sought, triage: Triage) -> None:
        self._sought = sought
        self._triage = triage
        self._variants = {self._canonical(spelling) for spelling in sought.spellings}
        self._variants -= {""}

    def _canonical(self, spelling: str) -> str:
        return canonical_word(spelling, self._triage)

    def look(
        self, texts: Sequence[str], *, in_text: bool
    ) -> Iterator[tuple[int, Severity, str, str]]:
        """Yield for each finding its text's number, how sure it is, why, and what stands there.

        Other columns than that of messages hold dates and names of senders: there only what was
        replaced, and e-mail addresses, count.
        """
        labelled = self._triage.label(texts, split_all(texts))
        verdicts = [self._verdict(word, in_text=in_text) for word in labelled.labels]
        words = labelled.words
        for message, form in zip(words.message.tolist(), words.form.tolist(), strict=True):
            found = verdicts[form]
            if found:
                yield message, *found, labelled.labels[form].text

    def _verdict(self, word: LabelledWord, *, in_text: bool) -> tuple[Severity, str] | None:
        if word.kind in _NO_SPELLINGS:
            return None
        written = folded(word.text)
        if written in self._sought.spellings:
            return _of_spelling(word)
        if written in self._sought.inserted:
            return None
        if word.kind.is_identifier and (in_text or word.kind is Kind.MEL):
            return Severity.CERTAIN, f"an identifier known by its form ({word.kind.value})"
        if in_text and word.kind is Kind.WORD:
            return self._of_name(word, written)
        return None

    def _of_name(self, word: LabelledWord, written: str) -> tuple[Severity, str] | None:
        is_common = word.label in (Label.ANTI_DICTIONARY, Label.AMBIGUOUS)
        if not is_common and self._canonical(written) in self._variants:
            return Severity.LIKELY, "a variant of a spelling that was replaced"
        if word.label is Label.DICTIONARY:
            return Severity.POSSIBLE, "a name of the dictionaries"
        return None


def _of_spelling(word: LabelledWord) -> tuple[Severity, str] | None:
    if word.kind is Kind.NUMBER and len(word.text) < _LONG_NUMBER:
        return None
    # Little words between the parts of an identifier name nobody: "12 rue de l'Étang".
    if word.label is Label.ANTI_DICTIONARY and len(word.text) < _SHORTEST_SPELLING:
        return None
    if word.kind is Kind.WORD and word.label in (Label.ANTI_DICTIONARY, Label.AMBIGUOUS):
        return Severity.POSSIBLE, "a spelling that was replaced elsewhere, and is a common word"
    return Severity.CERTAIN, "a spelling that was replaced elsewhere"


_LONG_NUMBER = 4
_SHORTEST_SPELLING = 4


def canonical_word(word: str, triage: Triage) -> str:
    """Return what the variants of a name have in common."""
    return canonical(word, IdentifierType.PRE, triage.lexicon)


def read_key_table(path: str) -> list[dict[str, object]]:
    """Read a table of replacements.

    Parameters
    ----------
    path : str
        What `triage anonymise --key-table` wrote.

    Raises
    ------
    DataError
        If it cannot be read.
    TriageError
        If it is no such table, or one of its rows cannot be read.
    """
    with open_messages(path, text_column="identifier", guarded=True) as file:
        if "replacement" not in file.columns:
            raise TriageError(f"{path} is no table of triage anonymise: it has no replacements")
        rows = [
            dict(zip(file.columns, row, strict=True))
            for chunk in file.chunks()
            for row in chunk.rows
        ]
        check_rejects(file)
        return rows


def read_pairs(before: Source, after: Source) -> list[tuple[str, str]]:
    """Read messages and what became of them, told by their ids, or by their places.

    Parameters
    ----------
    before, after : Source

    Raises
    ------
    DataError
        If one cannot be read.
    TriageError
        If it cannot be told which message became which, or a row cannot be read.
    """
    texts, has_ids = [], True
    for source in (before, after):
        with source.open() as file:
            has_ids = has_ids and file.id_column is not None
            chunks = list(file.chunks())
            check_rejects(file)
            ids = [id_ for chunk in chunks for id_ in chunk.ids]
            texts.append([*zip(ids, (t for chunk in chunks for t in chunk.texts), strict=True)])
    originals = dict(texts[0])
    by_id = has_ids and len(originals) == len(texts[0])
    if by_id and all(id_ in originals for id_, _ in texts[1]):
        return [(originals[id_], text) for id_, text in texts[1]]
    if len(texts[0]) == len(texts[1]):
        return [(one, other) for (_, one), (_, other) in zip(*texts, strict=True)]
    raise TriageError(
        f"it cannot be told which message of {before.path} became which of "
        f"{after.path}: name the column of ids with --id-column, or give --key-table instead"
    )
