"""The spellings that were replaced in a file, and the words that took their places."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from triage.data import as_text, open_messages
from triage.dictionaries import Kind, split_all
from triage.dictionaries.normal import folded
from triage.dictionaries.words import Form, WordTable

from ..decide.source import check_rejects
from ..errors import TriageError

NO_SPELLINGS = (Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI, Kind.MASKED, Kind.HOUR)
_NO_WORDS = (Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI, Kind.HOUR)


@dataclass(frozen=True)
class Sought:
    """The words to look for in an anonymised file.

    Parameters
    ----------
    spellings : frozenset of str
        Those that were replaced, without case and accents.
    inserted : frozenset of str
        Words of the replacements, which may stand.
    """

    spellings: frozenset[str] = frozenset()
    inserted: frozenset[str] = frozenset()

    @classmethod
    def of(cls, lost: Iterable[Form], new: Iterable[Form]) -> "Sought":
        """Return what to look for, given the words that went and those that came."""
        spellings, inserted = (
            frozenset(form.text for form in forms if form.kind not in NO_SPELLINGS)
            for forms in (lost, new)
        )
        return cls(spellings, inserted - spellings)


def sought_in_key_table(rows: Iterable[Mapping[str, object]]) -> Sought:
    """Return what a table of replacements says was replaced.

    Parameters
    ----------
    rows : iterable of dict
        With ``identifier`` and ``replacement``.
    """
    table = [(as_text(row["identifier"]), as_text(row["replacement"])) for row in rows]
    lost, new = (
        {form for words in counted_words(split_all([*column])) for form in words}
        for column in (zip(*table, strict=True) if table else ((), ()))
    )
    return Sought.of(lost, new)


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
    lost: set[Form] = set()
    new: set[Form] = set()
    for before, after in pairs:
        had, has = counted_words(split_all([before, after]))
        lost.update(had - has)
        new.update(has - had)
    return Sought.of(lost, new)


def counted_words(table: WordTable) -> list[Counter[Form]]:
    """Return how often each message has each word, without case and accents; tags are words.

    Parameters
    ----------
    table : WordTable
        Of n_messages messages.

    Returns
    -------
    list of Counter, length n_messages
    """
    words = [*map(plain, table.forms)]
    counted: list[Counter[Form]] = [Counter() for _ in range(table.n_messages)]
    for message, form in zip(table.message.tolist(), table.form.tolist(), strict=True):
        if words[form].kind not in _NO_WORDS:
            counted[message][words[form]] += 1
    return counted


def plain(word: Form) -> Form:
    """Return a word without case and accents.

    Parameters
    ----------
    word : Form

    Examples
    --------
    >>> plain(Form("Léa", Kind.WORD)).text
    'lea'
    """
    return Form(folded(word.text), word.kind)


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
