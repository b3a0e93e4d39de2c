"""The one pass over a corpus, and what its messages tell of each other's words.

A chunk is labelled and scored by itself; what it tells of its words is added to what the others
tell; with the sum each chunk is weighed, and used (decided, anonymised, put into a queue). Forked
processes each hold a share of the chunks, and what travels between them lies in files without
names. Parts of a corpus may be gathered on several machines and added up.

A file of evidence is a line that names it, the SHA-256 of the rest, and an archive of plain numpy
arrays, of which nothing is read before the digest is checked. It holds words of messages and names
of senders: its owner alone may read it.
"""

import gc
import hashlib
import io
import json
import multiprocessing
import os
import pickle
import signal
import tempfile
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from itertools import chain, islice
from multiprocessing.connection import Connection
from operator import add
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

import numpy as np

from triage.data import Chunk, MessageFile
from triage.data.errors import sender_of
from triage.dictionaries import LabelledMessages, MetWords, WordTable
from triage.dictionaries.pack import FRENCH
from triage.features.corpus_evidence import CorpusEvidence, EvidenceTable
from triage.features.word_evidence import ScoredWords, WordFeatures

from .. import __version__
from ..errors import TriageError, reading, warn
from ..model.annotated import texts_of
from ..progress import AddProgress, StartProgress
from ..safe import check_is_ordinary, read_file, write_file
from ..settings import Setup
from .find import ScoredMessages
from .language import guess_language
from .people import Account, People
from .pipeline import Triage, cells_of, check_columns, check_there, gather, load_once, people_once
from .source import Source

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


def merge_evidence(
    parts: Iterable[Evidence], *, max_words: int | None = None, may_repeat: bool = False
) -> Evidence:
    """Add up what was gathered of partitions, in whatever order; sums can be added up again.

    Parameters
    ----------
    parts : iterable of Evidence
        Of `gather_partition`, each once.
    max_words : int, optional
        To be given with the last sum: words and neighbours that change no decision are left out,
        and of more words than that the rarest, too.
    may_repeat : bool
        Whether two parts may hold the same messages, as two partitions of an engine may.

    Raises
    ------
    TriageError
        If they were gathered with different weights or lists, one is given twice, or there is none.
    """
    every = [*parts]
    if strange := next((one for one in every if not isinstance(one, Evidence)), None):
        kind = type(strange).__name__
        raise TriageError(f"parts are what gather_partition returned, not of the type {kind}")
    if len({(one.weights, one.version) for one in every}) != 1:
        raise TriageError(
            "the parts were gathered with different models, lists or versions: gather them again"
            if every
            else "there is no evidence to merge: gather at least one partition"
        )
    of = reduce(add, (one.parts for one in every))
    if may_repeat:
        of = (sum(of, Fingerprint()),)
    if len(set(of)) < len(of):
        raise TriageError("the same messages were gathered twice: give each part once")
    table, n_more = CorpusEvidence(one.table for one in every).table(), 0
    if max_words is not None:
        table, n_more = table.condensed(max_words)
    n_left_out = n_more + sum(one.n_left_out for one in every)
    return Evidence(table, every[0].weights, tuple(sorted(of)), n_left_out, every[0].version)


def is_evidence(path: Path) -> bool:
    """Return whether a file begins as evidence does; not, if it cannot be read."""
    check_is_ordinary(path)
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
    return False


# A place in an `UnnamedFile`: where it begins, and its length.
_Ref = tuple[int, int]
R = TypeVar("R")
# What the chunks of a process tell: places of their table of evidence, and of its pairs of a sender
# and a word.
_Told = tuple[_Ref, list[_Ref]]
# A chunk between both looks: the places of it and of the columns of its words, and what these are
# among.
_Kept = tuple[_Ref, _Ref, MetWords, WordFeatures | None]

_FIRST_MESSAGES = 500
# So many chunks stay in memory between both looks, in all processes together: some 80 MB. Where a
# process has more than its part, none do.
_MOST_HELD = 20


@dataclass
class UnnamedFile:
    """A temporary file without a name: only this process and those it forks can open it."""

    file: IO[bytes]
    end: int = 0

    def put(self, item: object) -> _Ref:
        """Write an object behind the others."""
        data = memoryview(pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL))
        ref, folder = (self.end, len(data)), tempfile.gettempdir()
        try:
            while data:
                written = os.pwrite(self.file.fileno(), data, self.end)
                self.end, data = self.end + written, data[written:]
        except OSError as error:
            line = f"no room in {folder} for what a run puts aside ({error.strerror}): make room, "
            line += "or set TMPDIR to a folder that has some"
            raise TriageError(line, "no_room", folder=folder, reason=error.strerror) from error
        return ref

    def get(self, ref: _Ref) -> Any:  # noqa: ANN401
        data = os.pread(self.file.fileno(), ref[1], ref[0])
        return pickle.loads(data)  # noqa: S301 (a process of this run wrote it)


class Worker:
    """A forked process that calls the methods of an object, which it inherits."""

    def __init__(self, held: object, file: UnnamedFile) -> None:
        self._file, self.answers = file, deque[_Ref | None]()
        # How many answers are still to come, of methods that give one.
        self.n_in_hand = 0
        context = multiprocessing.get_context("fork")
        self._pipe, there = context.Pipe()
        serve = partial(self._serve, held, there)
        self._process = context.Process(target=serve, daemon=True)
        # Ctrl-C is the first process's, which ends the others. Collecting garbage in the worker
        # would copy the pages of all that it inherits.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        gc.freeze()
        try:
            try:
                self._process.start()
            finally:
                gc.unfreeze()
                there.close()
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except BaseException:
            self.end()
            raise

    def _serve(self, held: object, there: Connection) -> None:
        """Answer in the process, until the first one closes the pipe, or is gone."""
        self._pipe.close()
        with suppress(EOFError, BrokenPipeError):
            while True:
                method, arguments = there.recv()
                try:
                    for answer in getattr(held, method)(*arguments):
                        there.send((True, None if answer is None else self._file.put(answer)))
                except BrokenPipeError:
                    raise
                except Exception as error:
                    there.send((False, error))
                    return

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._pipe.close()
        if self._process.pid is not None:
            self._process.terminate()
            self._process.join()

    def ask(self, method: str, *arguments: object) -> None:
        """Have a method called, which yields answers; arguments must fit into a pipe."""
        self.n_in_hand += 1
        try:
            self._pipe.send((method, arguments))
        except BrokenPipeError:
            while True:  # what ended the process, should it have said so
                self.hear()

    def hear(self, *, wait: bool = False) -> Self:
        """Take in the answers that have come; with `wait`, at least one."""
        while self._pipe.poll() or (wait and not self.answers):
            try:
                is_answer, value = self._pipe.recv()
            except (EOFError, ConnectionResetError) as error:
                line = "a worker process was killed, perhaps for want of memory"
                raise TriageError(line, "worker_killed") from error
            if not is_answer:
                raise value
            self.n_in_hand -= 1
            self.answers.append(value)
        return self

    def answer(self) -> Any:  # noqa: ANN401
        """Wait for the next answer; an exception of the worker is raised here."""
        ref = self.hear(wait=True).answers.popleft()
        return None if ref is None else self._file.get(ref)


@contextmanager
def used_chunks(
    triage: Triage,
    file: MessageFile,
    use: Callable[[Chunk, ScoredMessages], R],
    progress: StartProgress | None = None,
    *,
    chunks: Iterable[Chunk] | None = None,
    as_whole: bool = True,
    given: Evidence | None = None,
    account: Account | None = None,
    jobs: int = 1,
) -> Iterator[Iterator[R]]:
    """Give what becomes of each chunk of a file, in their order; by default every row is wanted."""
    chunks = iter(file.whole_chunks() if chunks is None else chunks)
    first = [*islice(chunks, 2)]
    n = jobs if len(first) > 1 and "fork" in multiprocessing.get_all_start_methods() else 1
    with ExitStack() as stack:
        # Workers inherit the files: they must be there before the first of them.
        files = [UnnamedFile(stack.enter_context(tempfile.TemporaryFile())) for _ in range(n)]
        own, *others = (_Share(triage, use, as_whole, given, files, file) for file in files)
        crew = _Crew(own, file.lines, account, progress or (lambda *_: lambda _: None))
        if n > 1:
            # What is computed once, and the commonest words, are there for workers to inherit.
            crew.look(first[0].part(slice(_FIRST_MESSAGES)))
            rest = first[0].part(slice(_FIRST_MESSAGES, None))
            first[:1] = [rest] if rest.n_rows else []
            for share in others:
                crew.workers.append(Worker(share, share.file))
                stack.callback(crew.workers[-1].end)
        yield crew.results(chain(first, chunks))


@dataclass
class _Crew:
    """The processes of a pass: the first one, and workers, who take a chunk when they are free."""

    own: "_Share[Any]"
    lines: int | None
    account: Account | None
    progress: StartProgress
    workers: list[Worker] = field(default_factory=list)
    # Of each chunk its worker, none of the first process's own, and its size; of those that are
    # still to be heard; the answers of the first process.
    looked: list[tuple[Worker | None, int]] = field(default_factory=list)
    asked: deque[tuple[Worker | None, int]] = field(default_factory=deque)
    # Of all chunks, where evidence is given that may be of them.
    messages: Fingerprint = field(default_factory=Fingerprint)
    answers: deque[Any] = field(default_factory=deque)

    def look(self, chunk: Chunk) -> None:
        if self.account:
            self.account.add(chunk.rows)
        if self.own.given:
            self.messages += fingerprint(chunk.texts, chunk.senders)
        # A worker has a chunk to work on and one that is ready.
        if worker := next((one for one in self.workers if one.hear().n_in_hand < 2), None):
            worker.ask("look", self.own.file.put(chunk))
        else:
            self.answers.extend(self.own.look(chunk))
        self.looked.append((worker, chunk.n_rows))
        self.asked.append(self.looked[-1])

    def results(self, chunks: Iterable[Chunk]) -> Iterator[Any]:
        """Give the results of all chunks, in their order."""
        done = self.progress(self.lines, "messages")
        for chunk in chunks:
            self.look(chunk)
            yield from self._heard(done)
        yield from self._heard(done, to_end=True)
        if not self.own.as_whole:
            return
        done = self.progress(self.lines, "decisions")
        given, told = self.own.given, list[_Told]()
        without_own = bool(given and self.messages in given.parts)
        if self.workers and not without_own:
            for one in self.workers:
                one.ask("tell")
            told = [*self.own.tell(), *(one.answer() for one in self.workers)]
        how = told, without_own, self.account.people if self.account else None
        for one in self.workers:
            one.ask("use", *how)
        self.asked.extend(self.looked)
        for result in self.own.use(*how):
            self.answers.append(result)
            yield from self._heard(done)
        yield from self._heard(done, to_end=True)

    def _heard(self, done: AddProgress, *, to_end: bool = False) -> Iterator[Any]:
        """Give the results that come next, as far as they are there, or all."""
        while self.asked:
            worker, n_rows = self.asked[0]
            if not (to_end or (worker.hear() if worker else self).answers):
                return
            self.asked.popleft()
            result = worker.answer() if worker else self.answers.popleft()
            done(n_rows)
            if result is not None:
                yield result


@dataclass
class _Share(Generic[R]):
    """The chunks that one process works on, and what they tell of their words."""

    triage: Triage
    become: Callable[[Chunk, ScoredMessages], R]
    as_whole: bool
    given: Evidence | None
    files: Sequence[UnnamedFile]
    file: UnnamedFile
    evidence: CorpusEvidence = field(default_factory=CorpusEvidence)
    held: list[tuple[Chunk | _Ref, Chunk, ScoredMessages]] = field(default_factory=list)
    kept: list[_Kept] = field(default_factory=list)

    def look(self, lies: Chunk | _Ref) -> Iterator[R | None]:
        """Score a chunk; use it, or keep it until all chunks were seen."""
        chunk: Chunk = lies if isinstance(lies, Chunk) else self.files[0].get(lies)
        scored = self.triage.weighed(chunk.texts, chunk.senders)
        if not self.as_whole:
            known = self.triage.known_people
            yield self.become(chunk, known.raised(scored) if known else scored)
            return
        if scored.words:
            self.evidence.add(scored.words, scored.senders)
        self.held.append((lies, chunk, scored))
        while self.held and (self.kept or len(self.held) > _MOST_HELD // len(self.files)):
            lies, _, scored = self.held.pop(0)
            lies = self.file.put(lies) if isinstance(lies, Chunk) else lies
            labelled, found, words = scored.labelled, scored.words, scored.labelled.words
            evidence = (found.log_odds, found.places) if found else None
            columns = words.form, words.message, words.start, labelled.number, evidence
            index = found.index if found else None
            self.kept.append((lies, self.file.put(columns), labelled.met, index))
        yield None

    def tell(self) -> Iterator[_Told]:
        """Put aside what the chunks tell of their words, for others who need it."""
        table = self.evidence.table(in_order=False, with_pairs=False)
        pairs = [*map(self.file.put, self.evidence.of_sender.slices())]
        yield self.file.put(table), pairs

    def use(self, told: Sequence[_Told], without_own: bool, people: People | None) -> Iterator[R]:
        """Use the chunks in their order, with what the other workers and given evidence tell."""
        if self.given and without_own:
            self.evidence = CorpusEvidence([self.given.table])
        elif self.given:
            self.evidence.merge(self.given.table, for_own=True)
        for file, (table, pairs) in zip(self.files, told, strict=False):
            if file is not self.file:
                self.evidence.merge(file.get(table), map(file.get, pairs), for_own=True)
        self.evidence.finish()
        held = ((chunk, scored) for _, chunk, scored in self.held)
        for chunk, scored in chain(map(self._restored, self.kept), held):
            weighed = self.triage.weigh(scored, self.evidence)
            yield self.become(chunk, people.raised(weighed) if people else weighed)

    def _restored(self, kept: _Kept) -> tuple[Chunk, ScoredMessages]:
        lies, columns, met, index = kept
        chunk: Chunk = self.files[0].get(lies)
        form, message, start, number, evidence = self.file.get(columns)
        forms = [met.forms[n] for n in number.tolist()]
        table = WordTable(forms, form, message, start, chunk.n_rows)
        labelled = LabelledMessages(chunk.texts, table, number, met, self.triage.labeller.lexicon)
        words = ScoredWords(evidence[0], evidence[1], index) if index is not None else None
        return chunk, ScoredMessages(labelled, chunk.senders, words)


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
        Of `merge_evidence`, or a file of ``triage gather``: what was gathered of the whole corpus,
        of which these messages are part. Without it each message is decided by itself.
    text_column, sender_column : str
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
    check_columns([*messages.columns], text_column)
    triage = load_once(setup)
    scored = _scored(triage, messages, text_column, sender_column, setup)
    people = triage.known_people
    if evidence is not None:
        corpus = ready_evidence(evidence, triage.weights)
        people = people_once(setup, tuple(corpus.senders.known))
        if scored.words and corpus.lacks_pairs:
            corpus = corpus.with_pairs_of(scored.words, scored.senders)
        scored = triage.weigh(scored, corpus)
    return triage.decide_scored(people.raised(scored) if people else scored).beside(messages)


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
        The columns of messages and of who sent them.
    with_pairs : bool
        Whether it is counted what each sender does with each word, of which there is more than of
        anything else. If not, all messages of a sender are to be decided in one partition.
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

    triage, told, corpus = load_once(setup), Fingerprint(), CorpusEvidence()
    triage.check_weighs_corpus("gathering evidence")
    for frame in [messages] if isinstance(messages, pd.DataFrame) else messages:
        scored = _scored(triage, frame, text_column, sender_column, setup)
        if scored.words:
            corpus.add(scored.words, scored.senders, with_pairs=with_pairs)
        told += fingerprint(scored.labelled.messages, scored.senders)
    corpus.finish()
    return Evidence(corpus.table(), triage.weights, (told,) if told.n_messages else ())


def _scored(
    triage: Triage, frame: "pd.DataFrame", text: str, sender: str | None, setup: Setup
) -> ScoredMessages:
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise TriageError("a partition is a DataFrame of pandas, or an iterator of them")
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
