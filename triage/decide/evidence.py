"""Corpus evidence of words: gathered part by part, added up, kept in a file, used by clusters.

A file of evidence travels between machines. It is a line that names it, the SHA-256 of the rest,
and an archive of plain numpy arrays, of which nothing is read before the digest is checked. It
holds words of messages and names of senders: its owner alone may read it.

A cluster gathers each partition, adds up the evidence, and with the sum classifies each partition.
Nothing here forks; the model and the evidence are loaded once for each process.
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

from ..errors import TriageError, reading, warn
from ..model.annotated import texts_of
from ..safe import check_is_ordinary, read_file, write_file
from ..settings import Setup
from .find import ScoredMessages
from .language import guess_language
from .pipeline import Triage, cells_of, check_columns, check_there, gather, load_once

if TYPE_CHECKING:
    import pandas as pd

Frames = TypeVar("Frames", "pd.DataFrame", "Iterator[pd.DataFrame]")
# Of evidence that every worker gets: some 250 MB in each.
MOST_WORDS = 1_000_000
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
    """Corpus evidence of words; two add up with ``+``.

    Parameters
    ----------
    table : EvidenceTable
    weights : str
        The fingerprint of the lists and weights by which it was gathered.
    parts : tuple of Fingerprint
        The files of which it was gathered, each of which counts once.
    """

    table: EvidenceTable
    weights: str
    parts: tuple[Fingerprint, ...] = ()

    def __add__(self, other: object) -> "Evidence":
        """Return the sum, which is the same in whatever order."""
        return merge_evidence([self, other]) if isinstance(other, Evidence) else NotImplemented

    @cached_property
    def digest(self) -> bytes:
        """A digest of what it holds: a worker gets a new copy of it with each task."""
        return hashlib.sha256(pickle.dumps((self.table, self.weights))).digest()

    def check_weights(self, weights: str, name: str = "the evidence") -> None:
        """Check that it was gathered by the weights of the pipeline that uses it."""
        if self.weights != weights:
            raise TriageError(
                f"{name} was gathered with another version, model or lists: gather it again"
            )

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write it, readable by its owner only."""
        about = {"version": FORMAT_VERSION, "weights": self.weights, "parts": self.parts}
        about |= {name: getattr(self.table, name) for name in _NAMES}
        archive, counts = io.BytesIO(), {name: getattr(self.table, name) for name in _COUNTS}
        told = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        np.savez_compressed(archive, allow_pickle=False, about=told, **counts)
        content = archive.getvalue()
        whole = _MAGIC + hashlib.sha256(content).digest() + content
        write_file(path, whole, private=True, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path, weights: str) -> "Evidence":
        """Read what `save` has written."""
        with reading(str(path)):
            whole = read_file(path)
        head = len(_MAGIC) + hashlib.sha256().digest_size
        digest, content = whole[len(_MAGIC) : head], whole[head:]
        if not whole.startswith(_MAGIC) or hashlib.sha256(content).digest() != digest:
            raise TriageError(f"{path} holds no evidence of triage gather, or is damaged")
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                about = json.loads(arrays["about"].tobytes())
                if about["version"] != FORMAT_VERSION:
                    raise TriageError(f"{path} was gathered with another version: gather it again")
                columns: dict[str, Any] = {name: [*map(str, about[name])] for name in _NAMES}
                table = EvidenceTable(**columns, **{name: arrays[name] for name in _COUNTS})
            table.check()
            parts = tuple(Fingerprint(int(n), int(digest)) for n, digest in about["parts"])
            if len(set(parts)) < len(parts) or any(n < 0 for n, _ in parts):
                raise ValueError("a part stands in it twice")
            evidence = cls(table, str(about["weights"]), parts)
        except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise TriageError(f"{path} holds no evidence of triage gather: {error}") from error
        evidence.check_weights(weights, str(path))
        return evidence


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
        If they were gathered with different weights or lists, one is given twice, or there is none.
    """
    every = [*parts]
    for one in every:
        if not isinstance(one, Evidence):
            kind = type(one).__name__
            raise TriageError(f"parts are what gather_partition returned, not of the type {kind}")
    if len(weights := {one.weights for one in every}) != 1:
        raise TriageError(
            "the parts were gathered with different models, lists or versions: gather them again"
            if weights
            else "there is no evidence to merge: gather at least one partition"
        )
    of = reduce(add, (one.parts for one in every))
    if len(set(of)) < len(of):
        raise TriageError("the same messages were gathered twice: give each part once")
    table = CorpusEvidence(one.table for one in every).table()
    table = table if max_words is None else table.condensed(max_words)[0]
    return Evidence(table, weights.pop(), tuple(sorted(of)))


def is_evidence(path: Path) -> bool:
    """Return whether a file begins as evidence does; not, if it cannot be read."""
    check_is_ordinary(path)
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
    return False


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
    weighed = triage.weigh(scored, base) if base else scored
    return triage.decide_scored(weighed).beside(messages)


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
    triage.check_weighs_corpus("gathering evidence")
    frames = [messages] if isinstance(messages, pd.DataFrame) else messages
    told = Fingerprint()

    def scored() -> Iterator[ScoredMessages]:
        nonlocal told
        for frame in frames:
            yield (one := _scored(triage, frame, text, sender, setup))
            told += fingerprint(one.labelled.messages, one.senders)

    table = gather(scored()).table()
    return Evidence(table, triage.weights, (told,) if told.n_messages else ())


def _scored(
    triage: Triage, frame: "pd.DataFrame", text: str, sender: str | None, setup: Setup
) -> ScoredMessages:
    check_there([*frame.columns], text, sender)
    texts = texts_of(cells_of(frame[text]))
    found = FRENCH if setup.language else guess_language(texts)[0]
    if found != FRENCH:  # all partitions must be decided alike
        warn(
            f"the messages of a partition are decided as {FRENCH!r} and look like {found!r}: name "
            f"the language of the corpus, setup=triage.Setup(language={found!r})"
        )
    return triage.weighed(texts, [*map(sender_of, cells_of(frame[sender]))] if sender else None)


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
