"""Publication: the formats of an anonymised corpus, and what stands against letting it leave."""

import re
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from triage.data import as_text, open_messages
from triage.data.errors import INSTEAD, require
from triage.data.formats import format_of_name
from triage.data.output import WRITERS, default_output, run_path
from triage.data.strings import document_strings

from . import safe
from .anonymise import record
from .anonymise.check import OPEN, Answers, Certainty, Finding, OtherFile, check_output
from .anonymise.keys import Replacement, private_path, replaced_spans, replacements_in
from .anonymise.record import HeldFor
from .anonymise.run import Anonymised, AnonymiseRequest
from .anonymise.words import refused
from .decide.pipeline import Triage
from .decide.source import Source
from .errors import UserError, as_typed, reading
from .model.annotated import FINAL_COLUMNS
from .queue import Queue, Reason, Task, WordRule
from .queue.apply import apply_queue, copy_table, replaced_rows
from .queue.exchange import BRAT_FOLDER, DATASETS_FOLDER, FORMATS, ExchangeFormat, read
from .queue.rows import Destination
from .settings import Reading

CORPUS, DOCUMENT = "corpus.csv", "corpus.xml"


class PublishedForm(NamedTuple):
    """A format in which a corpus is published beside its table: file, and package it needs."""

    name: str
    exchange: ExchangeFormat | None = None
    needs: str = ""
    extra: str = ""

    @property
    def is_there(self) -> bool:
        return not self.needs or find_spec(self.needs) is not None


# A format that a person may choose; the table itself and its record are always there.
Published = StrEnum(
    "Published", ["XLSX", "PARQUET", "JSONL", "TEI", "IOB2", "BRAT", "SPACY", "DATASETS"]
)

FORMS = {
    Published.XLSX: PublishedForm("corpus.xlsx"),
    Published.PARQUET: PublishedForm("corpus.parquet", needs="pyarrow", extra="parquet"),
    Published.JSONL: PublishedForm("corpus.jsonl"),
    Published.TEI: PublishedForm("corpus.tei.xml"),
    Published.IOB2: PublishedForm("corpus.conll", ExchangeFormat.IOB2),
    Published.BRAT: PublishedForm("brat", ExchangeFormat.BRAT),
    Published.SPACY: PublishedForm("corpus.spacy", ExchangeFormat.SPACY, "spacy", "spacy"),
    Published.DATASETS: PublishedForm("datasets", ExchangeFormat.DATASETS, "pyarrow", "parquet"),
}
# Every publication has a record, and a folder with other files than these is none.
_FOLDERS = ((Published.BRAT, BRAT_FOLDER), (Published.DATASETS, DATASETS_FOLDER))
KIND = safe.FolderKind(
    ".record.json",
    (
        *(CORPUS, DOCUMENT, "corpus*.record.json", "corpus*.record.html"),
        *(form.name for form in FORMS.values()),
        *(f"{FORMS[of].name}/{one}" for of, kind in _FOLDERS for one in kind.patterns),
    ),
)
_ANNOTATED = (Published.IOB2, Published.BRAT, Published.SPACY)
# Where a token or a mark stands, its number and its type were checked, and are no text.
_TOKEN = rb"^[0-9]{1,6}\t(\S+)\t[0-9]{1,9}\t[0-9]{1,9}\t(?:O|[BI]-[A-Z]{3})$"
_ANNOTATION = re.compile(rb"(?m)%s|^T[0-9]{1,6}\t[A-Z]{3} [0-9; ]+\t" % _TOKEN)


def write_forms(corpus: Path, key_table: Path, chosen: Sequence[Published]) -> None:
    """Write an anonymised corpus in other formats, beside it."""
    source = Source(str(corpus))
    for one in chosen:
        form = FORMS[one]
        to = Destination(corpus.parent / form.name, like=str(corpus))
        with source.open() as file:
            try:
                if form.exchange is None:
                    copy_table(file, to)
                else:
                    # All of them first: both read the file from its beginning.
                    spans = [*replaced_spans(file, str(key_table))]
                    FORMATS[form.exchange].write(to, replaced_rows(file, spans))
            except UserError as error:
                error.rename(INSTEAD, f"leave out --to {one}")
                why = {**error.values, "cause_key": error.key}
                raise refused("format_failed.form", form=form.name, cause=error, **why) from error


def is_publication(folder: Path) -> bool:
    return any(folder.glob(f"corpus*{KIND.mark}"))


def main_table(folder: Path) -> str:
    """Return the path of the table, or document, that a publication has its record of."""
    for path in (folder / CORPUS, folder / DOCUMENT):
        if path.exists() and record.record_paths(str(path))[0].exists():
            return str(path)
    raise refused("no_publication.folder", file=folder)


def further_files(folder: Path, columns: Reading) -> Iterator[OtherFile]:
    """Yield the texts and strings of each further file of a publication.

    Of annotations (brat, IOB2, spaCy) the text is read, of all other files that are text each line.
    """
    main, tables = main_table(folder), [folder / name for name in (CORPUS, DOCUMENT)]
    tables += [folder / one.name for one in FORMS.values() if one.exchange is None]
    tables += sorted(folder.joinpath(FORMS[Published.DATASETS].name).rglob("*.parquet"))
    for path in tables:
        if path.exists() and str(path) != main:
            # A document and a dataset have the columns of their formats.
            is_own = path.suffix == ".xml" or path.parent != folder
            texts, strings = list[str](), dict.fromkeys(document_strings(str(path)))
            with Source(str(path), Reading() if is_own else columns).open() as file:
                strings |= dict.fromkeys(file.columns)
                for chunk in file.whole_chunks(by_sender=False):
                    texts += chunk.texts
                    strings |= dict.fromkeys(as_text(cell) for row in chunk.rows for cell in row)
            yield OtherFile(str(path), texts, strings)
    annotated = {folder / FORMS[one].name: FORMS[one].exchange for one in _ANNOTATED}
    for path, format_ in annotated.items():
        if path.exists() and format_ is ExchangeFormat.SPACY:
            yield _of_spacy(path)
        elif path.exists():
            files = (path, *sorted(path.rglob("*")))
            lines = [line for file in files for line in _lines(file, is_read=True)]
            yield OtherFile(str(path), [row.text for row in read(path, format_)], lines)
    read_paths = {*tables, *annotated}
    for path in sorted(folder.rglob("*")):
        is_new = path.is_file() and read_paths.isdisjoint((path, *path.parents))
        # The record is made of counts and of words of the program.
        if is_new and not path.name.endswith((".record.json", ".record.html")):
            yield OtherFile(str(path), [], [path.name, *_lines(path)])


def _lines(path: Path, *, is_read: bool = False) -> list[str]:
    content = path.read_bytes() if path.is_file() else b""
    # Marks without their text were not read.
    has_text = path.suffix == ".ann" and path.with_suffix(".txt").exists()
    if is_read and (has_text or path.suffix == ".conll"):
        # Line ends of a message are written as JSON writes them.
        content = _ANNOTATION.sub(rb"\1", content).replace(rb"\n", b"\n")
    return content.decode("utf-8", "replace").splitlines()


def _of_spacy(path: Path) -> OtherFile:
    """Return the messages of a file of spaCy, and its other strings, such as the ids."""
    kit, vocab = require("spacy.tokens", "spacy"), require("spacy.vocab", "spacy").Vocab()
    try:
        packed = kit.DocBin().from_disk(path)
        documents = [*packed.get_docs(vocab)]
    except (ValueError, TypeError, KeyError, zlib.error, struct.error) as error:
        raise refused("no_spacy", path=path) from error
    beside = (str(value) for one in documents for value in one.user_data.values())
    return OtherFile(str(path), [one.text for one in documents], [*sorted(packed.strings), *beside])


def tasks_of(findings: Sequence[Finding], corpus: Source, key_table: str) -> dict[Finding, Task]:
    """Return the messages of a queue in which findings stand, with their places there."""
    if not findings:
        return {}
    with corpus.open() as file:
        names = {file.columns[file.text_position], f"column {file.text_position + 1}"}
    replaced = replacements_in(key_table)
    rows = record.input_rows(record.read_held(corpus.path), max(one.row for one in findings))
    tasks = {}
    for one in findings:
        if one.column in names and one.row:
            number = rows[one.row - 1]
            tasks[one] = Task(Reason.FINDING, "", number, *_before(one, replaced[number]))
    return tasks


def _before(one: Finding, replaced: Iterable[Replacement]) -> tuple[int, int]:
    """Return where a finding stood before anything was replaced; 0 and 0 where that is unknown."""
    longer = 0
    for span, _, new in replaced:
        if one.start + len(one.text) <= span.start + longer:
            break
        if one.start < span.start + longer + len(new):
            return 0, 0
        longer += len(new) - (span.end - span.start)
    return one.start - longer, one.start - longer + len(one.text)


@dataclass(frozen=True)
class Publication:
    """A publication: the messages treated, what stands against it, and the result of its check.

    `outside` are certain findings in no message, with the column or the document; the others were
    added to the queue, if there is one. `n_likely` findings are left where they are.
    """

    done: Anonymised
    undecided: Counter[HeldFor]
    certain: Counter[str]
    outside: Counter[tuple[str, str]]
    queue: Path | None = None
    n_likely: int = 0
    result: str = ""

    @property
    def against(self) -> dict[str, int]:
        """The numbers of messages that are undecided, and of certain findings nobody answered."""
        found = self.certain + Counter(reason for reason, _ in self.outside.elements())
        return {reason.value: n for reason, n in self.undecided.items()} | found


def publish(
    wanted: AnonymiseRequest,
    treat: Callable[[AnonymiseRequest], tuple[Anonymised, Triage]],
    queue_of: Callable[[Path], Path],
    *,
    forms: Sequence[Published] = (),
    queue: Path | None = None,
    because: str | None = None,
    hold: bool = False,
    also_read: Iterable[Path] = (),
) -> Publication:
    """Anonymise a triaged file with the decisions of its queue, check it, and publish it whole.

    With `hold`, undecided messages may be left out; nothing else is published unless `because`.
    """
    output, source, overwrite = Path(wanted.output), Path(wanted.source.path), wanted.overwrite
    held = Path(f"{output}.held.csv")
    _check(wanted, held, because, [*filter(None, (queue, run_path(source))), *also_read])
    folder = safe.Staged(output, like=source, overwrite=overwrite, kind=KIND)
    with folder, safe.hidden_folder(source.parent, output) as private, ExitStack() as stack:
        keys = private / f"keys-{Path(wanted.treatment.key_table or 'table.csv').name}"
        final, _ = stack.enter_context(decided(wanted.source, queue))
        request = _hidden(replace(wanted, source=final or wanted.source), folder.place, keys)
        done, triage = treat(request)
        checked = check_output(
            Source(request.output),
            triage,
            against=request.source,
            key_table=str(keys),
            plan=request.plan,
            jobs=request.jobs,
        )
        found = [one for one in checked.findings if one.certainty in OPEN - {Certainty.UNDECIDED}]
        # In a document stand no messages that a queue has.
        asked = [] if request.treatment.document else found
        tasks, answered = tasks_of(asked, Source(request.output), str(keys)), list[Finding]()
        if tasks and because is None:
            queue, answered = _hand_over(tasks, source, queue, queue_of)
        published = Publication(
            done,
            Counter(done.released) + (Counter() if hold else Counter(done.held_back)),
            Counter(one.reason for one in tasks if one not in answered),
            Counter((one.reason, one.column) for one in found if one not in tasks),
            queue,
            sum(one.certainty is Certainty.LIKELY for one in checked.findings),
        )
        if published.against and because is None:
            return published
        checked = checked.keep(answered.__contains__)
        reason = {"because": because, "against": published.against}
        record.add_to_record(request.output, check=checked.facts(), publication=reason)
        write_forms(Path(request.output), keys, forms)
        beside = _taken_out(done, held, keys, wanted)
        # Nothing leaves, even of a run that is killed here, without the keys that restore it.
        safe.publish_all([*map(stack.enter_context, beside), folder])
    if not done.held and overwrite:
        held.unlink(missing_ok=True)
    done.output, done.held = str(output), str(held) if done.held else ""
    done.record = str(output / Path(done.record).name)
    return replace(published, result=checked.result)


def _check(
    request: AnonymiseRequest, held: Path, because: str | None, also_read: Iterable[Path]
) -> None:
    """Check what no other step checks: the reason, and what is written beside the folder."""
    source, treatment = Path(request.source.path), request.treatment
    safe.check_is_named(source)
    with reading(str(source)):
        source.stat()
    # Beside it, decisions and keys are hidden until all is checked.
    safe.check_folder(source.parent, (), ())
    if because is not None and not because.strip():
        raise refused("no_reason")
    if treatment.key_table:
        format_of_name(Path(treatment.key_table), WRITERS)
        keys, output = Path(treatment.key_table).parent, Path(request.output)
        if keys.resolve() == output.resolve() or is_publication(keys):
            raise refused("keys_in_publication", folder=keys)
    inputs = [source, *request.plan.read_from, *also_read, treatment.document]
    beside = (treatment.key_table, private_path(treatment.key_table), held)
    safe.check_targets(beside, inputs, overwrite=request.overwrite)
    if held.is_symlink():
        raise refused("held_is_link", path=held)


def _hidden(request: AnonymiseRequest, folder: Path, keys: Path) -> AnonymiseRequest:
    """Return the request with a hidden folder as output."""
    treatment = replace(request.treatment, key_table=str(keys), new_key=False)
    return replace(
        request,
        output=str(folder / (DOCUMENT if treatment.document else CORPUS)),
        plan=replace(request.plan, treatment=treatment),
    )


def _hand_over(
    tasks: dict[Finding, Task], source: Path, queue: Path | None, queue_of: Callable[[Path], Path]
) -> tuple[Path | None, list[Finding]]:
    """Give findings to the people of a queue; return it, and those that somebody has answered."""
    if queue is None:
        with open_messages(source) as file:
            # The queue beside a file that was decided already is another's.
            if not {*FINAL_COLUMNS}.isdisjoint(file.columns):
                return None, []
        queue = queue_of(source)
    with Queue.open(queue) as opened:
        known = answers_of(opened)
        asked = [t for one, t in tasks.items() if not known.keep(t.row - 1, one.text)]
        opened.add_items(asked)
        waiting = opened.unanswered(asked)
    return queue, [one for one, task in tasks.items() if task not in waiting]


def answers_of(queue: Queue) -> Answers:
    """Return the answers of people: findings to keep, and words that are never names."""
    never = (word for word, (rule, _) in queue.word_rules().items() if rule is WordRule.NEVER)
    # Of what was found: messages, from 0, and texts.
    return Answers({*queue.run("answered findings")}, frozenset(never))


def _taken_out(
    done: Anonymised, held: Path, keys: Path, request: AnonymiseRequest
) -> Iterator[safe.Staged]:
    """Take what names people out of the hidden folders; yield it, and a new key, as files."""
    named = {Path(done.held): held} if done.held else {}
    key_table = request.treatment.key_table
    private, place = private_path(str(keys)), private_path(key_table)
    if key_table and private and place:
        named |= {keys: Path(key_table), private: place}
    yield from request.new_key()
    for path, to in named.items():
        content = path.read_bytes()
        path.unlink()
        yield safe.staged(to, content, private=True, overwrite=request.overwrite)


@contextmanager
def decided(source: Source | None, queue: Path | None) -> Iterator[tuple[Source | None, Answers]]:
    """Give what people made of a triaged file, if there is one, and their answers to findings."""
    if queue is None:
        yield source, Answers()
        return
    called = Path(source.path).parent if source else None
    with Queue.open(queue) as opened, safe.hidden_folder(queue.parent, called) as folder:
        yield source and _decided(source, opened, folder), answers_of(opened)


def _decided(source: Source, queue: Queue, folder: Path) -> Source:
    """Return the file that people made of a triaged one, which has the same messages."""
    path = folder / Path(source.path).name
    form = replace(source.reading.columns, separator=source.reading.separator)
    # Of a format that is only read, another is written.
    final = Source(str(path.with_suffix(default_output(path).suffix)), form)
    apply_queue(queue, final.path)
    with source.open() as one, final.open() as other:
        texts = ((text for chunk in file.chunks() for text in chunk.texts) for file in (one, other))
        if any(text != same for text, same in zip_longest(*texts)):
            add = as_typed("triage", "queue", "add", queue.path, source.path)
            raise refused("queue_of_others", queue=queue.path, path=source.path, add=add)
    return final
