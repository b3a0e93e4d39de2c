"""The evidence of a whole corpus: of a file, or of the partitions of a table on many machines."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from triage.data import Chunk
from triage.data.errors import sender_of
from triage.dictionaries.pack import FRENCH
from triage.features.corpus_evidence import CorpusEvidence, EvidenceTable

from ..errors import TriageError, warn
from ..model.annotated import texts_of
from ..progress import StartProgress
from ..settings import Setup
from .engine import used_chunks
from .evidence import Evidence, Fingerprint, fingerprint
from .find import ScoredMessages
from .language import guess_language
from .pipeline import Triage, gather, load_once, people_once
from .source import Source
from .tables import cells_of, check_columns, check_has_columns

if TYPE_CHECKING:
    import pandas as pd

Frames = TypeVar("Frames", "pd.DataFrame", "Iterator[pd.DataFrame]")
# Of evidence that every worker gets: some 250 MB in each.
MAX_WORDS = 1_000_000
DEFAULT = Setup()


def gather_file(
    triage: Triage, source: Source, jobs: int = 1, progress: StartProgress | None = None
) -> Evidence:
    """Gather the evidence of a file, of which every row is wanted."""
    triage.check_weighs_corpus("gathering evidence")
    whole, messages = CorpusEvidence(), Fingerprint()

    def gathered(chunk: Chunk, scored: ScoredMessages) -> tuple[EvidenceTable, Fingerprint]:
        return gather(scored).table(in_order=False), fingerprint(chunk.texts, chunk.senders)

    with ExitStack() as stack:
        file = stack.enter_context(source.open())
        used = used_chunks(triage, file, gathered, progress, as_whole=False, jobs=jobs)
        for table, of_chunk in stack.enter_context(used):
            whole.merge(table)
            messages += of_chunk
    return Evidence(whole.table(), triage.weights, (messages,))


def classify_partition(
    messages: Frames,
    evidence: "Evidence | str | Path | None" = None,
    *,
    text_column: str = "text",
    sender_column: str | None = None,
    setup: Setup = DEFAULT,
) -> Frames:
    """Decide the messages of a partition, or of several.

    Parameters
    ----------
    messages : DataFrame or iterator of DataFrame
        An iterator, as ``mapInPandas`` gives, is answered by an iterator.
    evidence : Evidence, str or Path, optional
        The evidence of the whole corpus, of which these messages are part, from `merge_evidence` or
        a file of ``triage gather``. Without it each message is decided by itself.
    text_column, sender_column : str
        The columns of messages and of senders.
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
    >>> parts = [triage.gather_partition(part, sender_column="sender") for part in (one, other)]
    >>> evidence = triage.merge_evidence(parts)
    >>> triage.classify_partition(other, evidence, sender_column="sender")["action"].tolist()
    ['TA']
    """
    import pandas as pd

    if not isinstance(messages, pd.DataFrame):
        return (
            classify_partition(
                frame, evidence, text_column=text_column, sender_column=sender_column, setup=setup
            )
            for frame in messages
        )
    check_columns([*messages.columns], text_column, sender_column)
    triage = load_once(setup)
    scored = _scored(triage, messages, text_column, sender_column, setup)
    people = triage.known_people
    if evidence is not None:
        corpus = ready_evidence(evidence, triage.weights)
        people = people_once(setup, tuple(corpus.senders.known))
        if scored.words and corpus.lacks_pairs:
            corpus = corpus.with_pairs_of(scored.words, scored.senders)
        scored = triage.weigh(scored, corpus)
    return triage.decide_scored(people.raised(scored) if people else scored).joined_to(messages)


def gather_partition(
    messages: "pd.DataFrame | Iterable[pd.DataFrame]",
    *,
    text_column: str = "text",
    sender_column: str | None = None,
    with_pairs: bool = True,
    setup: Setup = DEFAULT,
) -> Evidence:
    """Gather what the messages of a partition say of each other's words.

    Parameters
    ----------
    messages : DataFrame or iterable of DataFrame
    text_column, sender_column : str
        The columns of messages and of senders.
    with_pairs : bool
        Count how each sender uses each word, which takes the most room. Without it, all messages
        of a sender must be decided in one partition.
    setup : Setup

    Returns
    -------
    Evidence
        Give it to `merge_evidence`. It holds words of messages.

    Raises
    ------
    TriageError
        If a column is missing, or the model does not weigh words.
    """
    import pandas as pd

    triage, gathered, corpus = load_once(setup), Fingerprint(), CorpusEvidence()
    triage.check_weighs_corpus("gathering evidence")
    for frame in [messages] if isinstance(messages, pd.DataFrame) else messages:
        scored = _scored(triage, frame, text_column, sender_column, setup)
        if scored.words:
            corpus.add(scored.words, scored.senders, with_pairs=with_pairs)
        gathered += fingerprint(scored.labelled.messages, scored.senders)
    corpus.finish()
    parts = (gathered,) if gathered.n_messages else ()
    return Evidence(corpus.table(), triage.weights, parts)


def _scored(
    triage: Triage, frame: "pd.DataFrame", text: str, sender: str | None, setup: Setup
) -> ScoredMessages:
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise TriageError("a partition is a DataFrame of pandas, or an iterator of them")
    check_has_columns([*frame.columns], text, sender)
    texts = texts_of(cells_of(frame[text]))
    guess = FRENCH if setup.language else guess_language(texts)[0]
    if guess != FRENCH:  # all partitions must be decided alike
        warn(
            f"the messages of a partition are decided as {FRENCH!r} and look like {guess!r}: name "
            f"the language of the corpus, setup=triage.Setup(language={guess!r})"
        )
    return triage.weighed(texts, [*map(sender_of, cells_of(frame[sender]))] if sender else None)


def check_frame(frame: Any, library: str, text: str, sender: str | None) -> None:  # noqa: ANN401
    """Check that a table is one of the library of a cluster, with its columns and room."""
    if type(frame).__module__.partition(".")[0] != library:
        line = f"this is no DataFrame of {library}: triage.classify takes tables of other libraries"
        raise TriageError(line)
    check_columns([*frame.columns], text, sender)


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
            ready = CorpusEvidence([loaded.table])
            ready.finish()
            _READY[key] = ready
        return _READY[key]


_READY: dict[tuple[object, ...], CorpusEvidence] = {}
_LOADING_EVIDENCE = Lock()
