"""Reading messages, deciding them, finding their identifiers and explaining decisions."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..decide.language import chosen_language
from ..decide.pipeline import Triage, load_once
from ..decide.pipeline import explain as explain_one
from ..decide.record import with_run
from ..decide.source import Source
from ..decide.tables import Messages, attributes_of, messages_of
from ..errors import warn
from ..settings import Reading, Setup, build, check_is_no_file, keywords
from .tables import Given, like, loaded, reading_of, table_of

if TYPE_CHECKING:
    import pandas as pd

LANGUAGE = "language"
"""The attribute of a table that tells in which language it was decided."""


def pipeline_of(setup: Setup, messages: Iterable[str]) -> Triage:
    """Return the pipeline of some settings, loaded once for each process, and warn as it does.

    A language that is not named is guessed from messages; a guess that is not French is said.
    """
    language = chosen_language(setup.language, messages)
    # Whether a corpus is weighed, each call says: one pipeline serves both.
    triage = load_once(replace(setup, language=language, corpus_evidence=None))
    warn(triage.warning)
    return triage


def setup_of_run(messages: Given, path: str, given: Mapping[str, Any]) -> Setup:
    """Return the setup for messages that were triaged, by their run where it is not given."""
    setup = Setup.of(given)
    language = setup.language or attributes_of(messages).get(LANGUAGE)
    return with_run(replace(setup, language=language), path, warn)


@keywords(Reading)
def read(path: str | PathLike[str], **reading: Any) -> "pd.DataFrame":
    """Read a file of messages of any format into a table, with its cells as they are.

    Parameters
    ----------
    path : str or Path
        The file.
    **reading
        Options of ``triage classify``: ``text_column`` and ``sender_column`` (by default found by
        usual names), ``encoding``, ``separator``, ``format`` and others.

    Examples
    --------
    >>> import triage
    >>> read(f"{triage.data.__path__[0]}/sample_fr.csv").loc[3, ["id", "text"]].tolist()
    ['4', 'Ok']
    """
    return loaded(Source(str(path), build(Reading, reading)))


@keywords(Reading, Setup)
def classify(messages: Given, **settings: Any) -> Any:
    """Decide each message: TA, NTA or EXPERT; as ``triage classify``.

    Parameters
    ----------
    messages : Path, str, iterable of str, or a column or a table of pandas, Polars or Arrow
        A string is one message, a file is a Path.
    corpus_evidence : bool, optional
        Decide each message by what the others tell; by default for files and tables, not for lists.
    **settings
        As for `Triage.load`, and for files as for `read`. Without ``language``, it is guessed from
        the first thousand messages; a warning says if it is not French.

    Returns
    -------
    DataFrame
        The columns given, then ``seek_hide``, ``model``, ``model_score``, ``action``, ``evidence``;
        the language is in ``attrs["language"]``. The library is that of the table given.

    Examples
    --------
    >>> classify(["Coucou Patrice, ça va?", "J'arrive"])["action"].tolist()
    ['TA', 'NTA']
    """
    read, triage = _read(messages, settings)
    decided = triage.decide_table(read)
    decided.attrs[LANGUAGE] = triage.lexicon.language
    return like(messages, decided)


@keywords(Reading, Setup)
def identifiers(messages: Given, **settings: Any) -> Any:
    """Find the identifiers of messages.

    Parameters
    ----------
    messages, text_column, sender_column, corpus_evidence, **settings
        As for `classify`.

    Returns
    -------
    DataFrame
        A row for each identifier: the index label of its ``message``, its ``start`` and ``end``,
        ``type``, ``score`` from 0 to 1, ``rule`` and ``text``.

    Examples
    --------
    >>> identifiers(["Coucou Patrice"])[["start", "end", "type", "rule", "text"]].values.tolist()
    [[7, 14, 'PRE', 'evidence', 'Patrice']]
    """
    read, triage = _read(messages, settings)
    by_message = triage.identifiers(read.texts, read.senders, corpus_evidence=read.is_corpus)
    rows = [
        (label, i.start, i.end, i.type.value, i.score, i.rule.value, text[i.start : i.end])
        for label, text, of_message in zip(read.table.index, read.texts, by_message, strict=True)
        for i in of_message
    ]
    columns = ["message", "start", "end", "type", "score", "rule", "text"]
    kinds = {"message": read.table.index.dtype, "start": int, "end": int, "score": float}
    return like(messages, table_of(rows, columns, kinds))


@keywords(Reading, Setup)
def explain(messages: Given, **settings: Any) -> Any:
    """Explain the decision on each message, word by word; as ``triage explain``.

    Each message is decided by itself.

    Parameters
    ----------
    messages, text_column, **settings
        As for `classify`.

    Returns
    -------
    DataFrame
        A row for each word: the index label of its ``message``, ``text``, ``label``, ``reason``,
        ``evidence``, ``because``, and the ``action`` of its message.

    Examples
    --------
    >>> explain("Coucou Patrice")[["text", "label"]].values.tolist()
    [['Coucou', 'ANTI_DICTIONARY'], ['Patrice', 'DICTIONARY']]
    """
    read, triage = _read(messages, settings)
    rows = []
    for label, text in zip(read.table.index, read.texts, strict=True):
        explained = explain_one(triage, text)
        words, action = explained["words"], explained["action"]
        rows += [{"message": label, **word, "action": action} for word in words]
    columns = ["message", "text", "label", "reason", "evidence", "because", "action"]
    kinds = {"message": read.table.index.dtype, "evidence": float, "because": object}
    return like(messages, table_of(rows, columns, kinds), "because")


def _read(messages: Given, settings: Mapping[str, Any]) -> tuple[Messages, Triage]:
    """Return messages that can be decided, a file being read, and what decides them."""
    if isinstance(messages, str):
        check_is_no_file(messages, "messages")
        messages = [messages]
    reading, setup = reading_of(messages, settings), Setup.of(settings)
    if isinstance(messages, PathLike):
        messages = loaded(Source(str(messages), reading))
    columns = reading.text_column, reading.sender_column
    read = messages_of(messages, *columns, setup.corpus_evidence)
    return read, pipeline_of(setup, read.texts)
