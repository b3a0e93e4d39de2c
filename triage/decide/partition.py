"""Parts of a corpus, each by itself: the three functions that a cluster calls in its workers.

Each part is gathered, the evidence is added up, and with the sum each part is classified. Nothing
here forks; the model and the evidence are loaded once for each process.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from triage.dictionaries.pack import FRENCH
from triage.features.corpus_evidence import CorpusEvidence

from ..errors import TriageError
from ..model.annotated import sender_of, text_of
from ..settings import Setup
from .evidence import Evidence, merged
from .find import ScoredMessages
from .language import guess_language
from .pipeline import COLUMNS, Triage, check_columns, gather, load_once

if TYPE_CHECKING:
    import pandas as pd

Frames = TypeVar("Frames", "pd.DataFrame", "Iterator[pd.DataFrame]")
# Of evidence that every worker gets: some 250 MB in each.
MOST_WORDS = 1_000_000
DEFAULT = Setup()
_TYPES = {name: "float64" if name == "model_score" else str for name in COLUMNS}


def classify_partition(
    messages: Frames,
    evidence: "Evidence | str | Path | None" = None,
    *,
    text: str = "text",
    sender: str | None = None,
    setup: Setup = DEFAULT,
) -> Frames:
    """Decide the messages of a partition, or of several.

    Parameters
    ----------
    messages : DataFrame or iterator of DataFrame
        An iterator, as ``mapInPandas`` gives, is answered by an iterator.
    evidence : Evidence, str or Path, optional
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
        return (
            classify_partition(frame, evidence, text=text, sender=sender, setup=setup)
            for frame in messages
        )
    check_columns([*messages.columns], text)
    triage = load_once(setup)
    base = None if evidence is None else ready_evidence(evidence, triage.weights)
    scored = _scored(triage, messages, text, sender, setup)
    decided = triage.decide_scored(triage.weigh(scored, base) if base else scored)
    decisions = pd.DataFrame(decided.rows(), columns=[*COLUMNS], index=messages.index)
    decisions = decisions.astype(_TYPES)
    return pd.concat([messages, decisions], axis=1)


def gather_partition(
    messages: "pd.DataFrame | Iterable[pd.DataFrame]",
    *,
    text: str = "text",
    sender: str | None = None,
    setup: Setup = DEFAULT,
) -> Evidence:
    """Gather what the messages of a partition say of each other's words.

    Parameters
    ----------
    messages : DataFrame or iterable of DataFrame
    text, sender : str
        The columns of messages and of who sent them.
    setup : Setup

    Returns
    -------
    Evidence
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
    frames = [messages] if isinstance(messages, pd.DataFrame) else messages
    gathered = gather(_scored(triage, frame, text, sender, setup) for frame in frames)
    return Evidence(gathered.table(), triage.weights)


def merge_evidence(parts: Iterable[Evidence], *, max_words: int | None = None) -> Evidence:
    """Add up what was gathered of partitions, in whatever order; sums can be added up again.

    Parameters
    ----------
    parts : iterable of Evidence
        Of `gather_partition`, each once.
    max_words : int, optional
        To be given with the last sum: words and neighbours that change no decision are left out,
        and of more words than that the rarest, too.

    Raises
    ------
    TriageError
        If they were gathered with different weights or lists, or there is none.
    """
    whole = merged(parts)
    return whole if max_words is None else whole.condensed(max_words)


def _scored(
    triage: Triage, frame: "pd.DataFrame", text: str, sender: str | None, setup: Setup
) -> ScoredMessages:
    check_there([*frame.columns], [text, *([sender] if sender else [])])
    texts = [text_of(cell) for cell in frame[text].tolist()]
    found = FRENCH if setup.language else guess_language(texts)[0]
    if found != FRENCH:  # all partitions must be decided alike
        warnings.warn(
            f"the messages of a partition are decided as {FRENCH!r} and look like {found!r}: name "
            f"the language of the corpus, setup=triage.Setup(language={found!r})",
            stacklevel=3,
        )
    return triage.weighed(texts, [*map(sender_of, frame[sender].tolist())] if sender else None)


def check_there(columns: Sequence[str], names: Iterable[str]) -> None:
    """Check that a table has each of some columns once."""
    for name in names:
        if columns.count(name) != 1:
            raise TriageError(f"there is no column {name!r}, or more than one")


def ready_evidence(evidence: Evidence | str | Path, weights: str) -> CorpusEvidence:
    """Return evidence, or that of a file, ready for use: loaded once for each process."""
    if isinstance(evidence, Evidence):
        evidence.check_weights(weights)
        key: tuple[object, ...] = (evidence.digest,)
    else:
        evidence = Path(evidence)
        stat = evidence.stat() if evidence.exists() else None
        changes = (stat.st_mtime_ns, stat.st_size, stat.st_ino) if stat else ()
        key = str(evidence), weights, *changes
    with _LOADING_EVIDENCE:
        if key not in _READY:
            # It goes before the next is read: each may take a large part of the memory.
            _READY.clear()
            loaded = Evidence.load(evidence, weights) if isinstance(evidence, Path) else evidence
            ready = CorpusEvidence.of([loaded.table])
            ready.finish()
            _READY[key] = ready
        return _READY[key]


_READY: dict[tuple[object, ...], CorpusEvidence] = {}
_LOADING_EVIDENCE = Lock()
