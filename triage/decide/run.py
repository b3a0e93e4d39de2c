"""Triage of a file, or of lines as they come: what ``triage classify`` does, for Python."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.data import Chunk, MessageFile, OutputFile, create_output
from triage.data.columns import guess_column
from triage.data.errors import MISSING, as_text, problem_of
from triage.data.limits import LONGEST_ROW
from triage.data.objects import flat, parsed
from triage.data.output import Page, beside, default_output, line_of, private_table, run_path
from triage.data.text import UNDECODED
from triage.dictionaries.lexicon import YOURS

from .. import __version__
from ..errors import reading
from ..model import learnt
from ..progress import StartProgress
from ..safe import STANDARD_STREAM, Staged, check_targets, publish_all, replaces_records, staged
from ..settings import changed
from ..vocabulary import Action
from .corpus import Evidence
from .engine import used_chunks
from .find import ScoredMessages
from .people import Account
from .pipeline import Triage
from .policy import Cell, Coverage, Promise, promise_lines, workloads
from .record import Record, fingerprint_of, record_text
from .source import Source
from .tables import COLUMNS, TAKEN, check_columns

_AS_IT_COMES = (
    "standard input is decided as it comes, without what a whole file tells of its words and its "
    "people: name a file, or say --plan corpus-evidence=true"
)


class _ChunkFacts(NamedTuple):
    """The facts of a chunk that the first process keeps."""

    votes: Counter[Cell]
    id_hashes: NDArray[np.int64]
    expert_rows: list[list[object]]
    # Score, finds, risk and hash of each text, from which workloads are counted; or nothing.
    weighed: tuple[Any, ...]
    names_with_capitals: float | None


@dataclass(frozen=True)
class Request:
    """A file to triage, and where the outputs go."""

    source: Source
    output: str | None = None
    queue: str | None = None
    corpus_evidence: bool | None = None
    overwrite: bool = False
    jobs: int = 1
    bom: bool | None = None
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def with_corpus_evidence(self) -> bool:
        """Return whether corpus evidence is wanted: by default not of a stream."""
        is_file = self.source.path != STANDARD_STREAM
        return is_file if self.corpus_evidence is None else self.corpus_evidence

    @property
    def target(self) -> str:
        return self.output or str(default_output(self.source.path))

    @property
    def rejects(self) -> str:
        """The path for rows that cannot be read, should there be any: beside output or input."""
        path = self.source.path if self.target == STANDARD_STREAM else self.target
        is_file = path != STANDARD_STREAM and Path(path).name
        return str(beside(path if is_file else "stdin.csv", "rejects.csv"))

    def check_paths(self, also_read: Iterable[Path] = ()) -> None:
        """Check that the file is there, and that its outputs can be written and replace nothing."""
        path = self.source.path
        if path != STANDARD_STREAM:
            # A default output beside it would be missed first.
            with reading(path):
                Path(path).stat()
        # A stream may be read where no file can be written, as long as no row is rejected.
        needs_rejects = self.target != STANDARD_STREAM or Path(self.rejects).exists()
        check_targets(
            (self.target, self.queue, self.rejects if needs_rejects else None),
            [path, *also_read],
            records=[run_path(self.target)],
            overwrite=self.overwrite,
        )

    def classify(
        self,
        triage: Triage,
        file: MessageFile,
        progress: StartProgress | None = None,
        given: Evidence | None = None,
    ) -> dict[str, Any]:
        """Triage an open file: all rows read are written, in order, with the decisions behind."""
        check_columns(file.columns, file.text_column, name=file.name)
        if self.corpus_evidence:
            triage.check_weighs_corpus("--corpus-evidence")
        triage.promise()  # before a long look, should there be none
        as_whole = self.with_corpus_evidence and triage.weighs_corpus
        account = Account.of(triage, file, given.table.senders if given else ())
        with ExitStack() as stack:
            output, *queues = map(stack.enter_context, self._outputs(file))
            write = partial(_written, triage, output, bool(file.id_column), bool(queues))
            chunks = list[_ChunkFacts]()
            used = used_chunks(
                triage,
                file,
                write,
                progress,
                chunks=file.chunks(),
                as_whole=as_whole,
                given=given,
                account=account,
                jobs=self.jobs,
            )
            for page, chunk in stack.enter_context(used):
                output.add(page)
                chunks.append(chunk)
            record = self._record(triage, as_whole, account)
            promise = self._published(triage, file, record, [output, *queues], chunks)
        read_as, doubts = file.notes()
        if triage.weighs_corpus and not as_whole and self.corpus_evidence is None:
            doubts = [*doubts, _AS_IT_COMES]
        facts = self._facts(file, output, chunks)
        facts |= {"promise": promise, "formulas": dict(output.formulas)}
        return facts | {"reading": read_as, "doubts": doubts}

    def _facts(
        self, file: MessageFile, output: OutputFile, chunks: Sequence[_ChunkFacts]
    ) -> dict[str, Any]:
        sender = file.sender_position
        ids = np.concatenate([_hashes([]), *(one.id_hashes for one in chunks)])
        return {
            "output": self.target,
            "format": file.dialect.format.value,
            "text_column": file.text_column,
            "id_column": file.id_column,
            "sender_column": None if sender is None else file.columns[sender],
            "rows_read": file.rows_read,
            "rows_written": output.rows_written,
            "rows_rejected": len(file.rejects),
            "rejects": self.rejects if file.rejects else "",
            "ids_repeated": int((np.diff(np.sort(ids)) == 0).sum()),
            "counts": sum((one.votes for one in chunks), Counter[Cell]()),
        }

    def _outputs(self, file: MessageFile) -> Iterator[OutputFile]:
        """Yield the output, and the file of the queue if one is wanted, to be written."""
        for path in filter(None, (self.target, self.queue)):
            yield create_output(
                path,
                [*file.columns, *COLUMNS],
                like=file.dialect,
                mode_from=self.source.path,
                guard_formulas=path == self.queue,
                bom=self.bom,
                overwrite=self.overwrite,
            )

    def _published(
        self,
        triage: Triage,
        file: MessageFile,
        record: Record,
        outputs: list[OutputFile],
        chunks: Sequence[_ChunkFacts],
    ) -> Promise | None:
        """Publish all outputs; return what was promised."""
        output, *queues = outputs
        capitals = chunks[-1].names_with_capitals if chunks else None
        thresholds, promise = triage.measured_promise(capitals)
        promise = promise and replace(promise, n_here=output.rows_written)
        columns = [*zip(*(one.weighed for one in chunks if one.weighed), strict=True)]
        for queue in queues:  # the scores nearest to the model's threshold first
            at, ta_from = COLUMNS.index("model_score") - len(COLUMNS), triage.model.manifest.ta_from
            rows = chain.from_iterable(one.expert_rows for one in chunks)
            queue.write(sorted(rows, key=lambda row: abs(float(str(row[at])) - ta_from)))
        rejects, overwrite = self.rejects if file.rejects else "", self.overwrite
        with ExitStack() as stack:
            ready: list[Staged] = [*queues, output]
            if path := run_path(self.target):
                record["promise"] = promise_lines(promise) if promise else []
                if thresholds and columns and not triage.is_borrowed:
                    score, found, risk, text = map(np.concatenate, columns)
                    bounds = workloads(thresholds, score, Coverage(found, risk), text)
                    record["workload"] = [*map(asdict, bounds)]
                content = record_text(record, path.parent).encode()
                replaces = overwrite or replaces_records(self.target)
                written = staged(path, content, like=self.source.path, overwrite=replaces)
                ready.insert(-1, stack.enter_context(written))
            if rejects:  # first, so that no output ever lacks rows that stand nowhere
                cells = (one.cells for one in file.rejects)
                header = "line", "reason", "row"
                first = private_table(rejects, header, cells, overwrite=overwrite)
                ready.insert(0, stack.enter_context(first))
            publish_all(ready)
        if overwrite and not rejects and self.target != STANDARD_STREAM:
            Path(self.rejects).unlink(missing_ok=True)  # of the run that is being replaced
        return promise

    def _record(self, triage: Triage, as_whole: bool, account: Account | None) -> Record:
        """Record the settings of a pipeline; its promise and workloads are added later."""
        recognisers, lexicon = triage.labeller.recognisers, triage.lexicon
        files = {"recognisers": recognisers.files, "models": filter(None, [triage.model_file])}
        return {
            "program": __version__,
            "language": lexicon.language,
            "lists": [
                {"path": one.source, "role": one.role, "fingerprint": fingerprint_of(one.words)}
                for one in lexicon.lists
                if one.title == YOURS
            ],
            **{
                kind: [{"path": path, "fingerprint": fingerprint_of(Path(path))} for path in paths]
                for kind, paths in files.items()
            },
            "find": [*recognisers.turned_on],
            "model": learnt.fingerprint(triage.model),
            "dictionaries": lexicon.fingerprint,
            "weights": triage.weights,
            "features": triage.model.manifest.features,
            "corpus_evidence": as_whole,
            "strict": triage.strict,
            "policy": asdict(triage.policy),
            "promise": [],
            "workload": [],
            "people": [*account.facts_outside] if account else [],
            "settings_from": self.origins,
            "reading": changed(self.source.resolved_reading.columns),
        }


def _written(
    triage: Triage,
    output: OutputFile,
    has_ids: bool,
    to_expert: bool,
    chunk: Chunk,
    scored: ScoredMessages,
) -> tuple[Page, _ChunkFacts]:
    """Decide a chunk and write its rows to a page, perhaps in a worker process."""
    decided, weighed = triage.decide_scored(scored), tuple[Any, ...]()
    cells = zip(decided.seek_hide, decided.model, decided.action, strict=True)
    rows = [[*cells, *columns] for cells, columns in zip(chunk.rows, decided.rows(), strict=True)]
    is_expert = [to_expert and action is Action.EXPERT for action in decided.action]
    if covered := decided.covered:
        score = np.array(decided.model_score)
        weighed = score, covered.found, covered.risk, _hashes(chunk.texts)
    ids, capitals = _hashes(chunk.ids if has_ids else []), scored.names_with_capitals
    votes, expert_rows = Counter[Cell](cells), [*compress(rows, is_expert)]
    return output.page(rows), _ChunkFacts(votes, ids, expert_rows, weighed, capitals)


def _hashes(ids: Sequence[str]) -> NDArray[np.int64]:
    """Return eight bytes for each id or text; the same in all workers of a run."""
    return np.array([*map(hash, ids)], dtype=np.int64)


# Lines of a stream have the same keys.
_usual_column = lru_cache(1000)(guess_column)


@dataclass
class LineStream:
    """Answers to lines of JSON, each an object with a message, for who waits for each answer."""

    triage: Triage
    text_column: str | None = None
    n_decided: int = field(default=0, init=False)
    n_rejected: int = field(default=0, init=False)

    def answers(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the answers to the lines of each part of a stream, as soon as it has whole ones."""
        n_lines, unfinished = 0, bytearray()
        for part in chain(parts, (b"\n",)):  # which the last line may lack
            *lines, end = part.split(b"\n")
            if lines:
                lines[0] = bytes(unfinished + lines[0])
                unfinished.clear()
            unfinished += end
            del unfinished[LONGEST_ROW + 1 :]
            parsed_lines = [self._read(line) for line in lines]
            texts = [text for _, text in parsed_lines if text is not None]
            rows = iter(self.triage.decide(texts).rows() if texts else ())
            answered = []
            for number, (row, text) in enumerate(parsed_lines, n_lines + 1):
                if isinstance(row, dict) and text is not None:
                    self.n_decided += 1
                    answered.append(row | dict(zip(COLUMNS, next(rows), strict=True)))
                elif row:
                    self.n_rejected += 1
                    answered.append({"line": number, "error": row})
            n_lines += len(lines)
            if answered:
                yield b"".join(line_of(one) + b"\n" for one in answered)

    def _read(self, line: bytes) -> tuple[dict[str, object] | str | None, str | None]:
        """Return the object of a line and its message, or its fault; nothing of a blank one."""
        if len(line) > LONGEST_ROW:
            return f"more than {LONGEST_ROW:,} bytes", None
        try:
            text = line.decode("utf-8-sig")
        except UnicodeDecodeError:
            return UNDECODED, None
        row = parsed(text) if text.strip() else None
        if not isinstance(row, dict):
            return row, None
        if taken := [column for column in TAKEN if column in row]:
            return f"it was triaged before: it has the key {taken[0]!r}", None
        position = None if self.text_column else _usual_column(tuple(row), "text")
        key = self.text_column if position is None else [*row][position]
        if not key:
            return "no key has a usual name for messages: name it with --text-column", None
        # A path of keys, such as message.body, is wanted where it is named.
        cells = row if key in row else flat(row)
        if isinstance(cells, str):
            return cells, None
        cell = cells.get(key, MISSING)
        problem = problem_of(cell, key)
        return (problem, None) if problem else (row, as_text(cell))
