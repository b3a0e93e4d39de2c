"""The evidence of a corpus: what its messages tell of each other's words, gathered in parts.

Parts of a corpus may be gathered on several machines and added up. A file of evidence is a line
that names it, the SHA-256 of the rest, and an archive of plain numpy arrays, of which nothing is
read before the digest is checked. It holds words of messages and names of senders: its owner alone
may read it.
"""

import hashlib
import io
import json
import pickle
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from triage.data.errors import sender_of
from triage.dictionaries.pack import FRENCH
from triage.features.corpus_evidence import CorpusEvidence, EvidenceTable

from .. import __version__
from ..errors import TriageError, reading, warn
from ..model.annotated import texts_of
from ..safe import check_is_ordinary, read_file, write_file
from ..settings import Setup
from .find import ScoredMessages
from .language import guess_language
from .pipeline import Triage, load_once, people_once
from .tables import cells_of, check_columns, check_has_columns

if TYPE_CHECKING:
    import pandas as pd

Frames = TypeVar("Frames", "pd.DataFrame", "Iterator[pd.DataFrame]")
# Of evidence that every worker gets: some 250 MB in each.
MAX_WORDS = 1_000_000
DEFAULT = Setup()
# To be raised with each change after which older files cannot be read.
FORMAT_VERSION = 4
_MAGIC = b"sms-triage evidence\n"
_NAMES = ("words", "neighbours", "senders")
_COUNTS = ("of_words", "of_neighbours", "of_senders", "pairs")


class Fingerprint(NamedTuple):
    """Tells whether messages are the same, in whatever order, without saying what is in them."""

    n_messages: int = 0
    digest: int = 0

    def __add__(self, other: tuple[int, ...]) -> "Fingerprint":  # type: ignore[override]
        n_messages, digest = other
        return Fingerprint(self.n_messages + n_messages, (self.digest + digest) % (1 << 64))


def fingerprint(texts: Sequence[str], senders: Sequence[str]) -> Fingerprint:
    digest = 0
    for text, sender in zip(texts, senders, strict=True):
        # JSON can hold half of a character, which UTF-8 does not take otherwise.
        content = f"{len(sender)} {sender}{text}".encode("utf-8", "surrogatepass")
        digest += int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big")
    return Fingerprint(len(texts), digest % (1 << 64))


@dataclass(frozen=True)
class Evidence:
    """Corpus evidence of words; two add up with ``+``, in whatever order."""

    table: EvidenceTable
    # The fingerprint of the lists and weights by which it was gathered.
    weights: str
    # The files of which it was gathered, each of which counts once.
    parts: tuple[Fingerprint, ...] = ()
    # Words used more than once that were left out of it.
    n_left_out: int = 0
    # That of the program on the machine where it was gathered.
    version: str = __version__

    @property
    def n_messages(self) -> int:
        return sum(part.n_messages for part in self.parts)

    def __add__(self, other: object) -> "Evidence":
        return merge_evidence([self, other]) if isinstance(other, Evidence) else NotImplemented

    @cached_property
    def digest(self) -> bytes:
        """A digest of what it holds: a worker gets a new copy of it with each task."""
        return hashlib.sha256(pickle.dumps((self.table, self.weights))).digest()

    def check_weights(self, weights: str, name: str = "the evidence") -> None:
        """Check that it was gathered by the weights of the pipeline that uses it."""
        if (self.weights, self.version) != (weights, __version__):
            raise TriageError(
                f"{name} was gathered with another version, model or lists: gather it again"
            )

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write it, readable by its owner only."""
        header = {"version": FORMAT_VERSION, "weights": self.weights, "parts": self.parts}
        header |= {name: getattr(self.table, name) for name in _NAMES}
        archive, counts = io.BytesIO(), {name: getattr(self.table, name) for name in _COUNTS}
        header_bytes = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        np.savez_compressed(archive, allow_pickle=False, about=header_bytes, **counts)
        content = archive.getvalue()
        whole = _MAGIC + hashlib.sha256(content).digest() + content
        write_file(path, whole, private=True, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path, weights: str) -> "Evidence":
        with reading(str(path)):
            whole = read_file(path)
        head = len(_MAGIC) + hashlib.sha256().digest_size
        digest, content = whole[len(_MAGIC) : head], whole[head:]
        if not whole.startswith(_MAGIC) or hashlib.sha256(content).digest() != digest:
            raise TriageError(f"{path} holds no evidence of triage gather, or is damaged")
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                header = json.loads(arrays["about"].tobytes())
                if header["version"] != FORMAT_VERSION:
                    raise TriageError(f"{path} was gathered with another version: gather it again")
                columns: dict[str, Any] = {name: [*map(str, header[name])] for name in _NAMES}
                table = EvidenceTable(**columns, **{name: arrays[name] for name in _COUNTS})
            table.check()
            parts = tuple(Fingerprint(int(n), int(digest)) for n, digest in header["parts"])
            if len(set(parts)) < len(parts) or any(n < 0 for n, _ in parts):
                raise ValueError("a part stands in it twice")
            evidence = cls(table, str(header["weights"]), parts)
        except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise TriageError(f"{path} holds no evidence of triage gather: {error}") from error
        evidence.check_weights(weights, str(path))
        return evidence


def merge_evidence(
    parts: Iterable[Evidence], *, max_words: int | None = None, may_repeat: bool = False
) -> Evidence:
    """Add up the evidence of partitions, in any order; sums can be added up again.

    Parameters
    ----------
    parts : iterable of Evidence
        Of `gather_partition`, each once.
    max_words : int, optional
        Give it with the last sum: words and neighbours that change no decision are left out, and
        if more words than that remain, the rarest, too.
    may_repeat : bool
        Allow two parts with the same messages, as two partitions of an engine may have.

    Raises
    ------
    TriageError
        If parts were gathered with different weights or lists, if one is given twice, or if there
        is none.
    """
    gathered = [*parts]
    if wrong := next((one for one in gathered if not isinstance(one, Evidence)), None):
        kind = type(wrong).__name__
        raise TriageError(f"parts are what gather_partition returned, not of the type {kind}")
    if len({(one.weights, one.version) for one in gathered}) != 1:
        raise TriageError(
            "the parts were gathered with different models, lists or versions: gather them again"
            if gathered
            else "there is no evidence to merge: gather at least one partition"
        )
    fingerprints = reduce(add, (one.parts for one in gathered))
    if may_repeat:
        fingerprints = (sum(fingerprints, Fingerprint()),)
    if len(set(fingerprints)) < len(fingerprints):
        raise TriageError("the same messages were gathered twice: give each part once")
    table, n_more = CorpusEvidence(one.table for one in gathered).table(), 0
    if max_words is not None:
        table, n_more = table.condensed(max_words)
    n_left_out, first = n_more + sum(one.n_left_out for one in gathered), gathered[0]
    return Evidence(table, first.weights, tuple(sorted(fingerprints)), n_left_out, first.version)


def is_evidence(path: Path) -> bool:
    """Return whether a file begins as evidence does; not, if it cannot be read."""
    check_is_ordinary(path)
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
    return False


def classify_partition(
    messages: Frames,
    evidence: Evidence | str | Path | None = None,
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
