"""Filling a queue from a triaged file: messages, their words, and how each vote saw them."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from triage.data import Chunk, MessageFile, as_text
from triage.data.columns import guess_column
from triage.data.dates import moment_of
from triage.data.errors import whole_characters
from triage.dictionaries import Kind, Label
from triage.dictionaries.normal import folded
from triage.features.word_evidence import probability

from ..decide.engine import used_chunks
from ..decide.find import IN_DOUBT, Identifier, ScoredMessages, likely_type, scored_identifiers
from ..decide.people import Account
from ..decide.pipeline import Triage
from ..decide.record import read_record, record_text
from ..decide.source import Source
from ..decide.tables import COLUMNS
from ..decide.verdicts import reason, verdicts
from ..progress import StartProgress
from ..safe import Staged, check_is_named
from ..vocabulary import Action, IdentifierType
from .queue import Queue
from .records import About, Votes, text_digest
from .store import SQL, chance, database_errors, pack_cells, transaction
from .words import refused

# The turn of an item that is not the expert's, or not known yet.
_LAST_TURN = float(2**53)
# The digest of a text, the text, the other columns of its message, and its words.
_Entry = tuple[bytes, str, tuple[Any, ...], "_Words"]
# Exports of one chat have these columns, and none that names the conversation.
_OF_ONE_CHAT = frozenset({"sent_at", "sender", "kind"})
# Messages that are written within about a tenth of a second.
_AT_ONCE = 300
# A process that waits for the file checks at least this often whether it is free (SQLite's busy
# handler).
_BREAK = 0.1


@dataclass
class Filled:
    messages: int = 0
    new: int = 0
    expert: int = 0
    # Items of the whole queue that are not decided.
    items: int = 0
    items_messages: int = 0
    other_labels: int = 0


def create_queue(
    path: str | Path,
    source: Source,
    triage: Triage,
    progress: StartProgress | None = None,
    double: float = 0.0,
    jobs: int = 1,
) -> Filled:
    """Make a queue of a triaged file; it appears whole or not at all."""
    target = Path(path)
    check_free(target)
    with Staged(target, private=True) as staged:
        with (
            source.open() as file,
            database_errors(target),
            Queue.create(staged.place, _about(file, source, target.parent, double)) as queue,
        ):
            # Without protection from a power cut, into a file that has no final name yet.
            queue.connection.execute("PRAGMA journal_mode = MEMORY")
            queue.connection.execute("PRAGMA synchronous = OFF")
            # Updating this index word by word would take as long as all the rest.
            queue.connection.execute("DROP INDEX words_of_form")
            # Errors name the file that was asked for.
            queue.path = target
            filled = _Filling(queue, file, triage, shared=False).fill(progress, jobs)
            queue.connection.execute("CREATE INDEX words_of_form ON words (form)")
        # Another may have been made meanwhile.
        check_free(target)
        staged.commit()
    return filled


def check_free(path: Path) -> None:
    """Refuse if the name of a new queue is taken; decisions are never replaced."""
    check_is_named(path)
    if path.exists():
        raise refused("is_there", path=path)
    log = Path(f"{path}-wal")
    if log.exists():
        raise refused("queue_log.left", file=log)


def add_to_queue(
    queue: Queue,
    source: Source,
    triage: Triage,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> Filled:
    """Add a triaged file to a queue, while others may use it."""
    with source.open() as file:
        about = _about(file, source, queue.path.parent)
        if about.columns != queue.about.columns:
            raise refused("not_triaged.columns", file=file.name, name=queue.about.name)
        filled = _Filling(queue, file, triage, shared=True).fill(progress, jobs)
        # The record of a run on some of the messages says nothing of the others.
        _, n_messages, *_ = queue.votes()
        if filled.messages == n_messages:
            queue.run("triaged anew", run=json.dumps(about.run))
        return filled


def _about(file: MessageFile, source: Source, folder: Path, double: float = 0.0) -> About:
    if missing := [column for column in COLUMNS if column not in file.columns]:
        raise refused("not_triaged.column", file=file.name, column=missing[0])
    run = read_record(source.path)
    return About(
        Path(source.path).name,
        file.columns,
        file.text_column,
        file.id_column or "",
        file.dialect.roles.get("sender", ""),
        file.format.value,
        file.dialect.separator or "",
        file.dialect.line_terminator,
        file.dialect.bom,
        record_text(run, folder) if run else "",
        double,
    ).checked()


_parsed = lru_cache(maxsize=1 << 16)(Votes.parse)


def _votes(file: MessageFile, chunk: Chunk) -> list[Votes]:
    """Read the columns of what was decided; TriageError with the line of the first invalid row."""
    columns, votes = [file.columns.index(column) for column in COLUMNS[:4]], list[Votes]()
    try:
        for row in chunk.rows:
            votes.append(_parsed(*[as_text(row[i]) for i in columns]))
    except ValueError:
        place = {"line": chunk.lines[len(votes)], "columns": ", ".join(COLUMNS[:4])}
        raise refused("not_triaged.votes", file=file.name, **place) from None
    return votes


# A row of the table `forms`: a distinct word, its kind, and what is known of it.
_Form = tuple[str, str, str, str, str, str]
# Start and end of a word, the word, its evidence, and as what it is suggested, if it is.
_Word = tuple[int, int, _Form, float | None, IdentifierType | None]
_Words = list[_Word]


def read_words(scored: ScoredMessages, n: int, known: dict[tuple[str, str], _Form]) -> list[_Words]:
    """Return the words of each of n messages as the queue shows them; remember distinct words."""
    labelled, table = scored.labelled, scored.labelled.words
    forms = []
    for word in labelled.labels:
        key = (word.text, word.kind.value)
        if key not in known:
            type_, because = likely_type(word, labelled.lexicon), reason(word, labelled)
            known[key] = (*key, folded(word.text), word.label.value, because, type_.value)
        forms.append(known[key])
    evidence: list[float | None] = [None] * len(table.form)
    if scored.words is not None:
        evidence = probability(scored.words.log_odds).round(4).tolist()
    words: list[_Words] = [[] for _ in range(n)]
    columns = (column.tolist() for column in (table.message, table.start, table.form))
    for message, start, form, p in zip(*columns, evidence, strict=True):
        words[message].append((start, start + len(forms[form][0]), forms[form], p, None))
    for message, identifiers in enumerate(scored_identifiers(scored, [Action.EXPERT] * n)):
        if sure := [one for one in identifiers if one.rule not in IN_DOUBT]:
            words[message] = [*_suggesting(words[message], sure, labelled.messages[message])]
    return words


def _suggesting(words: _Words, identifiers: Sequence[Identifier], text: str) -> Iterator[_Word]:
    """Yield words with identifiers suggested, which may be several of them: *Le Goff*."""
    first = 0
    for one in identifiers:
        while first < len(words) and words[first][1] <= one.start:
            yield words[first]
            first += 1
        last = first
        while last < len(words) and words[last][0] < one.end:
            last += 1
        within = words[first:last]
        if len(within) > 1 and (within[0][0], within[-1][1]) == (one.start, one.end):
            whole, label = text[one.start : one.end], Label.DICTIONARY.value
            kind = Kind.ADR if one.type is IdentifierType.ADR else Kind.NAME
            form = whole, kind.value, folded(whole), label, one.rule.value, one.type.value
            p = max(word[3] or 0.0 for word in within)
            yield one.start, one.end, form, p, one.type
        else:
            yield from ((start, end, form, p, one.type) for start, end, form, p, _ in within)
        first = last
    yield from words[first:]


class _Filling:
    """Writes the messages of a file and their words; `shared` leaves room for other processes."""

    def __init__(self, queue: Queue, file: MessageFile, triage: Triage, *, shared: bool) -> None:
        self.filled = Filled()
        self._queue, self._connection = queue, queue.connection
        self._file, self._triage, self._shared = file, triage, shared
        self._ta_from = triage.model.manifest.ta_from
        thread = guess_column(file.columns, "thread")
        self._is_one_chat = thread is None and _OF_ONE_CHAT.issubset(file.columns)
        self._thread = file.sender_position if thread is None else thread
        self._same: Counter[bytes] = Counter()
        self._forms: dict[tuple[str, str], int] = {}
        # The items of the texts that were written, by their digests.
        self._items: dict[bytes, int] = {}

    def fill(self, progress: StartProgress | None, jobs: int) -> Filled:
        """Write a file, whose rows are all checked before the first of them is written."""
        file, triage, forms = self._file, self._triage, dict[tuple[str, str], _Form]()

        def triaged() -> Iterator[Chunk]:
            for chunk in file.whole_chunks():
                _votes(file, chunk)
                yield chunk

        def prepared(
            chunk: Chunk, scored: ScoredMessages
        ) -> tuple[Chunk, list[Votes], list[_Words], int]:
            votes, labelled = _votes(file, chunk), scored.labelled
            pairs = zip(votes, verdicts(labelled), verdicts(labelled, strict=True), strict=True)
            n_other = sum(vote[0] not in verdicts for vote, *verdicts in pairs)
            return chunk, votes, read_words(scored, len(votes), forms), n_other

        account = Account.of(triage, file)
        with used_chunks(
            triage, file, prepared, progress, chunks=triaged(), account=account, jobs=jobs
        ) as chunks:
            # Rows are inserted without a look-up for each: their numbers come from this program.
            self._connection.execute("PRAGMA foreign_keys = OFF")
            try:
                for chunk, votes, of_words, n_other in chunks:
                    self._write_chunk(chunk, votes, of_words)
                    self.filled.other_labels += n_other
                if not self._shared:
                    self._update_items(self._items.values())
                # The order of the expert's items; all others come after them.
                moved = self._queue.run("moved", ta_from=self._ta_from, last=_LAST_TURN)
                turn = "UPDATE items SET turn = ? WHERE item = ?"
                self._transact(moved, partial(self._connection.executemany, turn))
            finally:
                self._connection.execute("PRAGMA foreign_keys = ON")
        [(self.filled.items, self.filled.items_messages)] = self._queue.run("left")
        return self.filled

    def _write_chunk(self, chunk: Chunk, votes: Sequence[Votes], words: Sequence[_Words]) -> None:
        file, entries = self._file, list[_Entry]()
        evidence, i = file.columns.index(COLUMNS[4]), file.date_position
        ids = chunk.ids if file.id_column else [""] * len(chunk.ids)
        columns = zip(chunk.rows, chunk.texts, ids, chunk.senders, votes, words, strict=True)
        for row, text, id_, sender, vote, of_words in columns:
            digest = text_digest("\0".join((id_, sender, text)))
            self._same[digest] += 1
            key = hashlib.blake2b(digest + self._same[digest].to_bytes(8), digest_size=16).digest()
            thread = "chat" if self._is_one_chat else ""
            if not thread and self._thread is not None:
                thread = as_text(row[self._thread])
            moment = None if i is None else moment_of(row[i], month_first=file.month_first)
            # Text that sorts by time.
            sent = moment.replace(tzinfo=None).isoformat(" ", "seconds") if moment else ""
            ids_kept = (key, whole_characters(id_), whole_characters(sender))
            further = whole_characters(as_text(row[evidence])), whole_characters(thread), sent
            entries.append(
                (text_digest(text), text, (*ids_kept, pack_cells(row), *vote, *further), of_words)
            )
        self._transact(entries, self._write)

    def _transact(self, rows: Sequence[Any], act: Callable[[Sequence[Any]], object]) -> None:
        size = _AT_ONCE if self._shared else max(1, len(rows))
        for start in range(0, len(rows), size):
            if start:
                time.sleep(_BREAK)
            with transaction(self._connection):
                act(rows[start : start + size])

    def _write(self, entries: Sequence[_Entry]) -> None:
        run = self._connection.execute
        (first,) = run(SQL["last message"]).fetchone()
        texts, words = list[tuple[int, str]](), list[tuple[object, ...]]()
        for digest, text, _, of_text in entries:
            if digest in self._items:
                continue
            values = digest, int(chance(digest, "order") * 2**62), _LAST_TURN
            if not (row := run(SQL["add item"], values).fetchone()):
                # The words of a text that is there already are those that the file holds anew.
                row = (self._queue.find(digest),)
                run("DELETE FROM words WHERE item = ?", row)
            (item,) = row
            self._items[digest] = item
            texts.append((item, text))
            for start, end, form, evidence, type_ in of_text:
                if form[:2] not in self._forms:
                    [(self._forms[form[:2]],)] = run(SQL["write form"], form)
                words.append((item, start, end, self._forms[form[:2]], evidence, type_))
        self._connection.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", texts)
        self._connection.executemany("INSERT INTO words VALUES (?, ?, ?, ?, ?, ?)", words)
        rows = [(self._items[digest], *cells) for digest, _, cells, _ in entries]
        self._connection.executemany(SQL["write message"], rows)
        (last,) = run(SQL["last message"]).fetchone()
        self.filled.messages += len(entries)
        self.filled.new += last - first
        self.filled.expert += sum(cells[7] == Action.EXPERT for _, _, cells, _ in entries)
        if self._shared:
            self._update_items({row[0] for row in rows})

    def _update_items(self, items: Collection[int]) -> None:
        run = self._queue.run
        run("tell items of messages", items=sorted(items), ta_from=self._ta_from)
        # The same share of what nobody was assigned or has answered is for two.
        run("double new", items=[*items], share=self._queue.about.doubled)
        run("settle", items=[*items])
