"""Triage of a file, or of lines as they come: what ``triage classify`` does, for Python."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.data import Chunk, MessageFile, OutputFile, create_output
from triage.data.columns import guess_column
from triage.data.errors import MISSING, as_text, problem_of
from triage.data.limits import LONGEST_ROW
from triage.data.objects import parsed
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
from .engine import used_chunks
from .evidence import Evidence
from .find import ScoredMessages
from .people import Account
from .pipeline import Triage
from .policy import Cell, Coverage, Promise, promise_lines, workloads
from .record import Record, fingerprint_of, record_text
from .source import Source
from .tables import COLUMNS, TAKEN, check_columns

# What the parent keeps of a chunk: counts of votes and actions, hashes of ids, rows for the expert,
# what bounds depend on, and the share of names with capitals.
_Told = tuple[Counter[Cell], NDArray[np.int64], list[list[object]], tuple[Any, ...], float | None]
_AS_IT_COMES = (
    "standard input is decided as it comes, without what a whole file tells of its words and its "
    "people: name a file, or say --plan corpus-evidence=true"
)


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
        """Tell if the evidence of the corpus is wanted: by default not of a stream."""
        is_file = self.source.path != STANDARD_STREAM
        return is_file if self.corpus_evidence is None else self.corpus_evidence

    @property
    def target(self) -> str:
        return self.output or str(default_output(self.source.path))

    @property
    def rejects(self) -> str:
        """The path for rows that cannot be read, should there be any: beside output or input."""
        of = self.source.path if self.target == STANDARD_STREAM else self.target
        is_file = of != STANDARD_STREAM and Path(of).name
        return str(beside(of if is_file else "stdin.csv", "rejects.csv"))

    def check_paths(self, also_read: Iterable[Path] = ()) -> None:
        """Check that the file is there, and that its outputs can be written and replace nothing."""
        path = self.source.path
        if path != STANDARD_STREAM:
            # A default output beside it would be missed first.
            with reading(path):
                Path(path).stat()
        check_targets(
            (self.target, self.queue, self.rejects),
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
        check_columns(file.columns, file.text_column, file.name)
        if self.corpus_evidence:
            triage.check_weighs_corpus("--corpus-evidence")
        triage.promise()  # before a long look, should there be none
        as_whole, sender = self.with_corpus_evidence and triage.weighs_corpus, file.sender_position
        account = Account.of(triage, file, given.table.senders if given else ())
        with ExitStack() as stack:
            output, *queues = map(stack.enter_context, self._outputs(file))
            write = partial(_written, triage, output, bool(file.id_column), bool(queues))
            parts = list[_Told]()
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
            for page, told in stack.enter_context(used):
                output.add(page)
                parts.append(told)
            record = self._record(triage, as_whole, account)
            rejects, promised = self._published(triage, file, record, [output, *queues], parts)
        ids = np.concatenate([_hashes([]), *(one[1] for one in parts)])
        read_as, doubts = file.notes()
        if triage.weighs_corpus and not as_whole and self.corpus_evidence is None:
            doubts = [*doubts, _AS_IT_COMES]
        return {
            "output": self.target,
            "format": file.dialect.format.value,
            "text_column": file.text_column,
            "id_column": file.id_column,
            "sender_column": None if sender is None else file.columns[sender],
            "rows_read": file.rows_read,
            "rows_written": output.rows_written,
            "rows_rejected": len(file.rejects),
            "rejects": rejects,
            "ids_repeated": int((np.diff(np.sort(ids)) == 0).sum()),
            "counts": sum((one[0] for one in parts), Counter[Cell]()),
            "promise": promised,
            "formulas": dict(output.formulas),
            "reading": read_as,
            "doubts": doubts,
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
        parts: list[_Told],
    ) -> tuple[str, Promise | None]:
        """Show all outputs; return where the rejects are, if any, and what was promised."""
        output, *queues = outputs
        _, _, expert, weighed, capitals = zip(*parts, strict=True) if parts else ((),) * 5
        thresholds, promised = triage.promised(capitals[-1] if capitals else None)
        promised = promised and replace(promised, n_here=output.rows_written)
        columns = [*zip(*filter(None, weighed), strict=True)]
        for queue in queues:  # what is nearest to the model's threshold first
            at, ta_from = COLUMNS.index("model_score") - len(COLUMNS), triage.model.manifest.ta_from
            asked = chain.from_iterable(expert)
            queue.write(sorted(asked, key=lambda row: abs(float(str(row[at])) - ta_from)))
        rejects, overwrite = self.rejects if file.rejects else "", self.overwrite
        with ExitStack() as stack:
            ready: list[Staged] = [*queues, output]
            if path := run_path(self.target):
                record["promise"] = promise_lines(promised) if promised else []
                if thresholds and columns and not triage.is_borrowed:
                    score, found, risk, text = map(np.concatenate, columns)
                    bounds = workloads(thresholds, score, Coverage(found, risk), text)
                    record["workload"] = [*map(asdict, bounds)]
                told = record_text(record, path.parent).encode()
                replaces = overwrite or replaces_records(self.target)
                written = staged(path, told, like=self.source.path, overwrite=replaces)
                ready.insert(-1, stack.enter_context(written))
            if rejects:  # first, so that no output ever lacks rows that stand nowhere
                rows = (one.cells for one in file.rejects)
                header = "line", "reason", "row"
                first = private_table(rejects, header, rows, overwrite=overwrite)
                ready.insert(0, stack.enter_context(first))
            publish_all(ready)
        if overwrite and not rejects and self.target != STANDARD_STREAM:
            Path(self.rejects).unlink(missing_ok=True)  # of the run that is being replaced
        return rejects, promised

    def _record(self, triage: Triage, as_whole: bool, account: Account | None) -> Record:
        """Record what a pipeline decides with; what it promises is added."""
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
            "find": [*recognisers.asked],
            "model": learnt.fingerprint(triage.model),
            "dictionaries": lexicon.fingerprint,
            "weights": triage.weights,
            "features": triage.model.manifest.features,
            "corpus_evidence": as_whole,
            "strict": triage.strict,
            "policy": asdict(triage.policy),
            "promise": [],
            "workload": [],
            "people": [*account.beside] if account else [],
            "settings_from": self.origins,
            "reading": changed(self.source.said.columns),
        }


def _written(
    triage: Triage,
    output: OutputFile,
    has_ids: bool,
    to_expert: bool,
    chunk: Chunk,
    scored: ScoredMessages,
) -> tuple[Page, _Told]:
    """Decide a chunk and write its rows down, perhaps in a worker process."""
    decided, weighed = triage.decide_scored(scored), tuple[Any, ...]()
    cells = zip(decided.seek_hide, decided.model, decided.action, strict=True)
    rows = [[*cells, *columns] for cells, columns in zip(chunk.rows, decided.rows(), strict=True)]
    is_expert = [to_expert and action is Action.EXPERT for action in decided.action]
    if covered := decided.covered:
        score = np.array(decided.model_score)
        weighed = score, covered.found, covered.risk, _hashes(chunk.texts)
    ids, capitals = _hashes(chunk.ids if has_ids else []), scored.names_with_capitals
    told = Counter[Cell](cells), ids, [*compress(rows, is_expert)], weighed, capitals
    return output.page(rows), told


def _hashes(ids: Sequence[str]) -> NDArray[np.int64]:
    """Return eight bytes for each id or text; the same in all workers of a run."""
    return np.array([*map(hash, ids)], dtype=np.int64)


# Lines of a stream have the same keys.
_usual = lru_cache(1000)(guess_column)


@dataclass
class LineStream:
    """Answers to lines of JSON, each an object with a message, for who waits for each answer."""

    triage: Triage
    text_column: str | None = None
    n_decided: int = field(default=0, init=False)
    n_rejected: int = field(default=0, init=False)

    def answers(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the answers to the lines of each part of a stream, as soon as it has whole ones."""
        n_lines, held = 0, bytearray()
        for part in chain(parts, (b"\n",)):  # which the last line may lack
            *lines, rest = part.split(b"\n")
            if lines:
                lines[0] = bytes(held + lines[0])
                held.clear()
            held += rest
            del held[LONGEST_ROW + 1 :]
            read = [self._read(line) for line in lines]
            texts = [text for _, text in read if text is not None]
            rows = iter(self.triage.decide(texts).rows() if texts else ())
            answered = []
            for number, (found, text) in enumerate(read, n_lines + 1):
                if isinstance(found, dict) and text is not None:
                    self.n_decided += 1
                    answered.append(found | dict(zip(COLUMNS, next(rows), strict=True)))
                elif found:
                    self.n_rejected += 1
                    answered.append({"line": number, "error": found})
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
        found = parsed(text) if text.strip() else None
        if not isinstance(found, dict):
            return found, None
        if taken := [column for column in TAKEN if column in found]:
            return f"it was triaged before: it has the key {taken[0]!r}", None
        at = None if self.text_column else _usual(tuple(found), "text")
        key = self.text_column if at is None else [*found][at]
        if not key:
            return "no key has a usual name for messages: name it with --text-column", None
        problem = problem_of(found.get(key, MISSING), key)
        return (problem, None) if problem else (found, as_text(found[key]))
