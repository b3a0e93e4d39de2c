"""Partitions of a corpus, each by itself: the functions that a cluster calls in its workers.

They fork nothing, and load the model and the evidence once for each process. In a first pass each
partition is gathered, and what was gathered is merged; in a second each is classified with the sum.
"""

import hashlib
import json
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from triage.data.errors import require
from triage.dictionaries import LabelledMessages
from triage.dictionaries.pack import FRENCH
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.evidence_table import EvidenceTable

from ..errors import TriageError
from ..model.annotated import sender_of, text_of
from ..settings import Setup
from .evidence_file import FORMAT_VERSION, from_arrow, load_evidence, to_arrow
from .gathering import Gathering
from .language import guess_language, named_or_guessed
from .pipeline import COLUMNS, Decisions, Triage, check_columns, shared

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

T = TypeVar("T")
# Of evidence that every worker gets: some 250 MB in each.
MOST_WORDS = 1_000_000
_ABOUT = b"sms-triage"


DEFAULT = Setup()


def load_once(setup: Setup) -> Triage:
    """Return the pipeline of some settings, loaded once for each process."""
    if setup == Setup(setup.language):
        return shared(setup.language or FRENCH)
    return _PIPELINES.get(setup, lambda: Triage.of(setup))


def in_language(setup: Setup, messages: Callable[[], Iterable[str]]) -> tuple[Setup, str]:
    """Return settings with a language, by default guessed from messages, and a note on a guess."""
    language, note = named_or_guessed(setup.language, messages)
    return replace(setup, language=language), note


class _Cache(Generic[T]):
    """Keeps what was loaded last; threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, load: Callable[[], T]) -> T:
        with self._lock:
            if key not in self._kept:
                while len(self._kept) >= self._most:
                    self._kept.popitem(last=False)
                self._kept[key] = load()
            self._kept.move_to_end(key)
            return self._kept[key]


_PIPELINES = _Cache[Triage](4)
# An old one goes before the next is read: each may take a large part of the memory.
_EVIDENCE = _Cache[CorpusEvidence](1)


def evidence_of(key: Hashable, read: Callable[[], EvidenceTable]) -> CorpusEvidence:
    """Return evidence that is ready for use, read once for each process."""

    def finished() -> CorpusEvidence:
        evidence = CorpusEvidence.of([read()])
        evidence.finish()
        return evidence

    return _EVIDENCE.get(key, finished)


@overload
def classify_partition(
    messages: "pd.DataFrame",
    evidence: "pa.Table | str | Path | None" = None,
    *,
    text: str = "text",
    sender: str | None = None,
    setup: Setup = DEFAULT,
) -> "pd.DataFrame": ...


@overload
def classify_partition(
    messages: "Iterator[pd.DataFrame]",
    evidence: "pa.Table | str | Path | None" = None,
    *,
    text: str = "text",
    sender: str | None = None,
    setup: Setup = DEFAULT,
) -> "Iterator[pd.DataFrame]": ...


def classify_partition(
    messages: "pd.DataFrame | Iterator[pd.DataFrame]",
    evidence: "pa.Table | str | Path | None" = None,
    *,
    text: str = "text",
    sender: str | None = None,
    setup: Setup = DEFAULT,
) -> "pd.DataFrame | Iterator[pd.DataFrame]":
    """Decide the messages of a partition, or of several.

    Parameters
    ----------
    messages : DataFrame or iterator of DataFrame
        An iterator, as ``mapInPandas`` gives, is answered by an iterator.
    evidence : pyarrow.Table, str or Path, optional
        Of `merge_evidence`, or a file of ``triage gather``: what was gathered of the whole corpus,
        of which these messages are part. Without it each message is decided by itself.
    text, sender : str
        The columns of messages and of who sent them.
    setup : Setup

    Returns
    -------
    DataFrame or iterator of DataFrame
        The columns given, then those of ``triage classify``; rows, their order and their index are
        the same.

    Raises
    ------
    TriageError
        If a column is missing or taken, or the evidence was gathered with other weights.

    Examples
    --------
    >>> import pandas as pd, triage
    >>> one = pd.DataFrame({"sender": ["ana", "bob"], "text": ["vois Namrata", "ok Patrice"]})
    >>> other = pd.DataFrame({"sender": ["ana"], "text": ["chez Namrata ce soir"]})
    >>> parts = [triage.gather_partition(part, sender="sender") for part in (one, other)]
    >>> evidence = triage.merge_evidence(parts)
    >>> triage.classify_partition(other, evidence, sender="sender")["action"].tolist()
    ['TA']
    """
    import pandas as pd

    if not isinstance(messages, pd.DataFrame):
        return _classify_each(messages, evidence, text, sender, setup)
    check_columns([*messages.columns], text)
    triage = load_once(setup)
    base = None if evidence is None else _loaded(evidence, triage.weights)
    scored = triage.score(*_labelled(triage, messages, text, sender, setup))
    decided = triage.decide_scored(triage.weigh(scored, base) if base else scored)
    decisions = pd.DataFrame(decided.rows(), columns=list(COLUMNS), index=messages.index)
    types = {name: "float64" if name == "model_score" else str for name in COLUMNS}
    return pd.concat([messages, decisions.astype(types)], axis=1)


def _classify_each(
    frames: "Iterator[pd.DataFrame]",
    evidence: "pa.Table | str | Path | None",
    text: str,
    sender: str | None,
    setup: Setup,
) -> "Iterator[pd.DataFrame]":
    for frame in frames:
        yield classify_partition(frame, evidence, text=text, sender=sender, setup=setup)


def gather_partition(
    messages: "pd.DataFrame | Iterable[pd.DataFrame]",
    *,
    text: str = "text",
    sender: str | None = None,
    setup: Setup = DEFAULT,
) -> "pa.Table":
    """Gather what the messages of a partition say of each other's words.

    Parameters
    ----------
    messages : DataFrame or iterable of DataFrame
    text, sender : str
        The columns of messages and of who sent them.
    setup : Setup

    Returns
    -------
    pyarrow.Table
        To be given to `merge_evidence`. It holds words of messages.

    Raises
    ------
    TriageError
        If a column is missing, or the model does not weigh words.
    """
    import pandas as pd

    triage = load_once(setup)
    if not triage.weighs_corpus:
        raise TriageError(
            "nothing can be gathered: the model does not weigh words, its features are "
            f"{triage.model.manifest.features!r}"
        )
    gathering = Gathering(with_fingerprint=False)
    for frame in [messages] if isinstance(messages, pd.DataFrame) else messages:
        gathering.add(triage.score(*_labelled(triage, frame, text, sender, setup)))
    return _signed(gathering.gathered().table, triage.weights)


def merge_evidence(tables: "Iterable[pa.Table]", *, max_words: int | None = None) -> "pa.Table":
    """Add up what was gathered of partitions, in whatever order; sums can be added up again.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
        Of `gather_partition`, each once.
    max_words : int, optional
        To be given with the last sum: words and neighbours that change no decision are left out,
        and of more words than that the rarest, too.

    Raises
    ------
    TriageError
        If they were gathered with different weights or lists, or there is none.
    """
    corpus, weights = CorpusEvidence(), set[str]()
    for table in tables:
        weights.add(_weights(table))
        corpus.merge(from_arrow(table))
    if len(weights) != 1:
        raise TriageError(
            "the parts were gathered with different models, lists or versions: gather them again"
            if weights
            else "there is no evidence to merge: gather at least one partition"
        )
    whole = corpus.table()
    return _signed(whole if max_words is None else whole.condensed(max_words)[0], weights.pop())


def decide_senders(
    triage: Triage, texts: list[str], senders: list[str], words: CorpusEvidence | None
) -> Decisions:
    """Decide all messages of some senders."""
    scored = triage.score(triage.labeller.label(texts), senders)
    if words and scored.words:
        corpus = words.without_senders()
        corpus.add_senders(scored.labelled, scored.words, senders)
        scored = triage.weigh(scored, corpus)
    return triage.decide_scored(scored)


def _labelled(
    triage: Triage, frame: "pd.DataFrame", text: str, sender: str | None, setup: Setup
) -> tuple[LabelledMessages, list[str]]:
    for column in (text, *([sender] if sender else [])):
        if [*frame.columns].count(column) != 1:
            raise TriageError(f"there is no column {column!r}, or more than one")
    texts = [text_of(cell) for cell in frame[text].tolist()]
    if setup.language is None:
        _warn_of_another_language(texts)
    senders = [sender_of(cell) for cell in frame[sender].tolist()] if sender else [""] * len(texts)
    return triage.labeller.label(texts), senders


def _warn_of_another_language(texts: Iterable[str]) -> None:
    """Warn of messages decided as French that are not: all partitions must be decided alike."""
    found = guess_language(texts).language
    if found != FRENCH:
        warnings.warn(
            f"the messages of a partition are decided as {FRENCH!r} and look like {found!r}: name "
            f"the language of the corpus, setup=triage.Setup(language={found!r})",
            stacklevel=4,
        )


def _signed(table: EvidenceTable, weights: str) -> "pa.Table":
    about = {"version": FORMAT_VERSION, "weights": weights}
    return to_arrow(table).replace_schema_metadata({_ABOUT: json.dumps(about)})


def _weights(table: "pa.Table") -> str:
    """Return the fingerprint of the weights by which a table was gathered."""
    try:
        about = json.loads((table.schema.metadata or {})[_ABOUT])
        if about["version"] == FORMAT_VERSION:
            return str(about["weights"])
    except (KeyError, TypeError, ValueError):
        pass
    raise TriageError("the evidence is no table of gather_partition, or of another version")


def _loaded(evidence: "pa.Table | str | Path", weights: str) -> CorpusEvidence:
    if isinstance(evidence, str | Path):
        path = Path(evidence)
        stat = path.stat() if path.exists() else None
        key = (str(path), weights, *((stat.st_mtime_ns, stat.st_size, stat.st_ino) if stat else ()))
        return evidence_of(key, lambda: load_evidence(path, weights).table)
    if _weights(evidence) != weights:
        raise TriageError(
            "the evidence was gathered with another version, model or lists: gather it again"
        )
    return evidence_of(_digest(evidence), lambda: from_arrow(evidence))


def _digest(table: "pa.Table") -> bytes:
    """Return a hash of a table's content: a worker gets a new copy of it with each task."""
    pa = require("pyarrow", "parquet")
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return hashlib.blake2b(sink.getvalue()).digest()
