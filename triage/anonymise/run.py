"""Anonymise a triaged file: find all its identifiers, then write it with them replaced."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from triage.data import MISSING, Chunk, Format, MessageFile, OutputFile, as_text, create_output
from triage.data.errors import sender_of
from triage.data.read import format_of_extension
from triage.dictionaries.normal import folded

from ..decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ..decide.find import Found, Identifier, Judged, find
from ..decide.people import Account, People
from ..decide.pipeline import Triage
from ..decide.source import Source, whole_chunks
from ..errors import TriageError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS, MACHINE, actions_of
from ..progress import StartProgress
from ..safe import STANDARD_STREAM, Staged, check_targets, publish_all, replaces_records, staged
from ..settings import Ambiguous, Dates, Markup, StyleName, Treatment
from ..vocabulary import Action, Spans, check_spans, parse_spans
from . import columns
from .document import DocumentWriter, Pairs, replaced
from .entity import Spelling, StyleContext
from .held import COLUMNS, HeldFor, HeldMessage, held_path, holds, private_output, reason_of
from .keys import key_file
from .plan import Plan
from .record import Residue, make_record, record_files, record_paths, rendered
from .restore import KEY_COLUMNS, digested, private_path, private_record
from .styles import Style, anonymity_sets, make_style
from .table import (
    EntityTable,
    build_table,
    checked_style,
    confirmed_names,
    own_names,
    signed,
    tied_senders,
    with_people,
)


@dataclass(frozen=True)
class AnonymiseRequest:
    """A file, the output that is made of it, its plan and key; a new key is written beside it."""

    source: Source
    output: str
    plan: Plan = field(default_factory=Plan)
    key: bytes = b""
    overwrite: bool = False
    jobs: int = 1
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def treatment(self) -> Treatment:
        return self.plan.treatment

    def new_key(self) -> list[Staged]:
        """Stage the file of the key, if it is a new one."""
        treatment = self.treatment
        return [key_file(treatment.key, self.key)] if treatment.new_key and treatment.key else []

    def check_paths(
        self, also_read: Iterable[Path] = (), also_written: Iterable[Path] = ()
    ) -> None:
        treatment = self.treatment
        if StyleName.PAPER in self.plan.style.used and not treatment.reversible:
            raise TriageError(
                "the style paper numbers names by a public dictionary, in which anyone can look "
                "them up: add --reversible to accept that"
            )
        if treatment.document:
            is_stream = self.output == STANDARD_STREAM
            if not is_stream and format_of_extension(Path(self.output)) is not Format.TEI:
                raise TriageError(f"--document writes TEI: {self.output} must end in .xml or .tei")
        elif treatment.markup is not Markup.TEXT:
            raise TriageError("markup is for a TEI document: name it with --document")
        outputs = (self.output, treatment.key_table, held_path(self.output), *also_written)
        read = (self.source.path, treatment.document, *also_read)
        records = [*record_paths(self.output), private_path(treatment.key_table)]
        check_targets(outputs, read, records=records, overwrite=self.overwrite)


@dataclass
class FirstPass:
    """Decisions and identifiers of each message of a file, and a survey of its columns."""

    file: MessageFile
    request: AnonymiseRequest
    triage: Triage
    survey: columns.Survey
    found: list[Found] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    spellings: Counter[Spelling] = field(default_factory=Counter)
    signatures: Counter[Spelling] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)
    people: People | None = None
    document: DocumentWriter | None = None

    def context(self) -> StyleContext:
        key, per_sender = self.request.key, self.request.treatment.per_sender
        lexicon, spellings = self.triage.lexicon, [*self.spellings]
        context = StyleContext(lexicon, key, spellings, self.words, per_sender)
        return with_people(context, self.people, self.survey.senders)

    def table(self, context: StyleContext) -> tuple[EntityTable, int]:
        """Return the table of people to be edited, and how many names seem to be senders' own."""
        own = own_names(self.signatures, self.spellings, context)
        style = make_style(self.request.plan.style, context)
        return build_table(self.spellings, style, context, own), len(own)


def find_all(
    file: MessageFile,
    request: AnonymiseRequest,
    triage: Triage,
    progress: StartProgress | None = None,
) -> FirstPass:
    if not {FINAL_ACTION, "action"} & {*file.columns}:
        line = (
            f"{file.name} has no column 'action': what is anonymised is what triage classify or "
            "triage queue apply wrote"
        )
        if file.format is Format.TEI:
            line = (
                f"{file.name} does not tell what becomes of its messages: say triage classify "
                f"{file.name}, and then, of what that writes, triage anonymise --document "
                f"{file.name}"
            )
        raise TriageError(line, "not_triaged", file=file.name)
    if FINAL_ACTION in file.columns and DECIDED_BY not in file.columns:
        raise TriageError(
            f"{file.name} has a column {FINAL_ACTION!r} and none {DECIDED_BY!r}, which says what "
            f"people decided: add it (a name, or {MACHINE}), as triage queue apply does"
        )
    treatment = request.treatment
    plan = columns.choose_columns(file, treatment)
    survey = columns.Survey(file, plan, triage.labeller, request.plan)
    seen = FirstPass(file, request, triage, survey)
    look = partial(_look, file, treatment.ambiguous, request.plan)
    account = Account.of(triage, file, plan.sender)
    read = survey.added(whole_chunks(file))
    corpus = CorpusPass(read, file.lines, jobs=request.jobs, account=account)
    with used_chunks(triage, corpus, look, progress) as chunks:
        for words, judged, found, spellings, signatures in chunks:
            seen.words |= words
            seen.judged += judged
            seen.found += found
            seen.spellings.update(spellings)
            seen.signatures.update(signatures)
    if account:
        seen.people = account.people
        survey.check_names(seen.people)
    if treatment.document:
        seen.document = DocumentWriter(seen)
        seen.people = seen.document.people
        seen.spellings.update([*seen.document.spellings()])
        survey.senders.update(seen.document.persons)
    return seen


def _look(
    file: MessageFile, ambiguous: Ambiguous, of: Plan, seen: ScoredChunk
) -> tuple[set[str], list[Judged], list[Found], Counter[Spelling], Counter[Spelling]]:
    """Find the identifiers of a chunk, perhaps in a worker process."""
    chunk, scored = seen
    judged = list(judged_rows(file, chunk))
    found = [*map(of.treat, find(scored, judged, ambiguous), chunk.texts)]
    spellings, signatures = Counter[Spelling](), Counter[Spelling]()
    pack = scored.labelled.lexicon.pack
    for one, text, who in zip(found, chunk.texts, chunk.senders, strict=True):
        if one.identifiers:
            spellings.update(_spellings(one.identifiers, text, who))
            signatures.update({*_spellings(signed(text, one.identifiers, pack), text, who)})
    words = {folded(word.text) for word in scored.labelled.labels}
    return words, judged, found, spellings, signatures


def _spellings(found: Iterable[Identifier], text: str, sender: str) -> Iterator[Spelling]:
    return (Spelling(text[one.start : one.end], one.type, sender) for one in found)


def judged_rows(file: MessageFile, chunk: Chunk) -> Iterator[Judged]:
    spans, actions = columns.position_of(file, FINAL_SPANS), actions_of(file.columns, chunk.rows)
    rows = zip(chunk.rows, chunk.texts, chunk.lines, actions, strict=True)
    for row, text, line, (action, by_people) in rows:
        marks = None if spans is None else row[spans]
        if action not in Action.__members__:
            raise TriageError(
                f"{file.name}, line {line}: its action is none of TA, NTA and EXPERT; classify the "
                "messages again",
                "not_triaged",
                file=file.name,
            )
        found: Spans = ()
        if by_people and as_text(marks):
            try:
                found = check_spans(parse_spans(marks), len(text))
            except TriageError as error:
                raise TriageError(
                    f"{file.name}, line {line}: its final_spans are wrong, mend them: {error}"
                ) from None
        yield Judged(Action(action), by_people, found)


@dataclass
class Anonymised:
    """Counts of what became of a file: rows read are the rows written and the rows held."""

    output: str
    rows_read: int = 0
    rows_written: int = 0
    rows_held: int = 0
    held: str = ""
    record: str = ""
    held_back: Counter[HeldFor] = field(default_factory=Counter)
    released: Counter[HeldFor] = field(default_factory=Counter)
    columns: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    changed: int = 0
    replaced: Counter[tuple[str, str]] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    formulas: dict[str, int] = field(default_factory=dict)
    document: Counter[str] = field(default_factory=Counter)
    anonymity: list[dict[str, Any]] = field(default_factory=list)


def anonymise(
    seen: FirstPass,
    context: StyleContext,
    edited: EntityTable | None = None,
    warn: Callable[[str], object] = lambda _: None,
) -> Anonymised:
    """Write a file with its identifiers replaced, as an edited table says, and the record of it."""
    waiting = sum(
        judged.action is Action.EXPERT or found.ambiguous > 0
        for found, judged in zip(seen.found, seen.judged, strict=True)
    )
    request, treatment = seen.request, seen.request.treatment
    if treatment.ambiguous is Ambiguous.ASK and waiting:
        raise TriageError(
            f"{waiting:,} messages wait for the expert or hold a word in doubt: decide them "
            "(triage queue create, triage review), or say --ambiguous hold, mask or keep"
        )
    senders = seen.survey.senders
    style, findings = checked_style(
        seen.spellings, request.plan.style, context, edited, show=treatment.show
    )
    for finding in findings:
        warn(finding)
    if findings and edited and not treatment.force:
        raise TriageError("nothing was written: correct the table, or add --plan force=true")
    tied = tied_senders(seen.people, style, senders, per_sender=context.per_sender)
    confirmed, warning = confirmed_names(edited, style, senders)
    if warning:
        warn(warning)
    writer = _Writer(seen, context, style, tied | confirmed)
    done = writer.done
    with ExitStack() as stack:
        outputs = _outputs(writer, stack)
        done.anonymity = anonymity_sets(writer.shown, request.plan.style, context.lexicon)
        told = {"people": edited is not None, "force": treatment.force}
        record = make_record(seen, done, writer.residue, context.key, told, outputs[-1].checksum())
        publish_all([*map(stack.enter_context, _beside(writer, rendered(record))), *outputs])
    if not done.held and request.output != STANDARD_STREAM:
        held_path(request.output).unlink(missing_ok=True)
    return done


def _outputs(writer: "_Writer", stack: ExitStack) -> list[Staged]:
    """Write the output, which is last, a new key, and the key table with its private record."""
    seen, request = writer.seen, writer.seen.request
    like, key_path, overwrite = request.source.path, request.treatment.key_table, request.overwrite
    keys = table = None
    if key_path:
        keys = stack.enter_context(private_output(key_path, KEY_COLUMNS, overwrite=overwrite))
    if not seen.document:
        dialect = seen.survey.plan.dialect(seen.file.dialect)
        table = create_output(
            request.output, writer.done.columns, like=dialect, mode_from=like, overwrite=overwrite
        )
        stack.enter_context(table)
    digest = writer.write(table, keys)
    outputs = [*map(stack.enter_context, request.new_key()), *([keys] if keys else [])]
    if keys and (path := private_path(key_path)):
        content = private_record(like, keys.checksum(), digest)
        replaces = overwrite or replaces_records(request.output)
        record = staged(path, content, private=True, overwrite=replaces)
        outputs.insert(0, stack.enter_context(record))
    if table:
        writer.done.formulas = dict(table.formulas)
        outputs.append(table)
    elif seen.document:
        content = seen.document.content(writer.done, writer.style, writer.pseudonyms)
        whole = staged(request.output, content, like=like, overwrite=overwrite)
        outputs.append(stack.enter_context(whole))
    return outputs


def _beside(writer: "_Writer", record: tuple[str, str]) -> Iterator[Staged]:
    """Yield the list of messages that are held back, and the record; no record beside a stream."""
    request, done = writer.seen.request, writer.done
    if writer.held:
        done.held = str(held_path(request.output))
        listed = private_output(done.held, COLUMNS, overwrite=request.overwrite)
        listed.write(one.cells() for one in writer.held)
        yield listed
    if request.output != STANDARD_STREAM:
        done.record = str(record_paths(request.output)[-1])
        like, overwrite = request.source.path, request.overwrite
        yield from record_files(request.output, record, like, overwrite=overwrite)


class _Writer:
    """Writes rows, counts what is done, and lists the messages that are held back."""

    def __init__(
        self, seen: FirstPass, context: StyleContext, style: Style, own: Mapping[str, str]
    ) -> None:
        request, plan, senders = seen.request, seen.survey.plan, seen.survey.senders
        self.seen, self.style = seen, style
        self._key = context.key or seen.survey.checksum.digest()
        self.pseudonyms = {
            **columns.sender_pseudonyms({*senders} - {""}, self._key, own.values()),
            **own,
        }
        self._written = plan.written
        self._changed = [(i, plan.becomes[i]) for i in plan.which(*columns.REWRITTEN)]
        self.residue = Residue.of(seen.file, request.plan.severity)
        self.held: list[HeldMessage] = []
        self.shown: dict[Spelling, str] = {}
        self.done = Anonymised(
            request.output,
            columns=[plan.names[i] for i in self._written],
            roles=plan.roles,
            dropped=[plan.names[i] for i in plan.which(columns.Becomes.DROPPED)],
        )

    def write(self, table: OutputFile | None, keys: OutputFile | None) -> str:
        """Write all rows, and what was replaced in them; return a digest of the messages."""
        messages, plan, done = hashlib.sha256(), self.seen.survey.plan, self.done
        for chunk in self.seen.file.chunks():
            rows: list[list[object]] = []
            key_rows: list[list[object]] = []
            for row, text, id_, who in zip(
                chunk.rows, chunk.texts, chunk.ids, chunk.senders, strict=True
            ):
                done.rows_read += 1
                pairs = self._pairs(row, text, id_, who)
                if pairs is None and not self.seen.document:
                    continue
                # What is withheld of a document is read as an empty message.
                messages.update(digested("" if pairs is None else text))
                new = "" if pairs is None else replaced(text, pairs) if pairs else row[plan.text]
                cells = self._cells(row, who, new)
                if self.seen.document:
                    pairs = self.seen.document.write(row, cells, pairs)
                if pairs is not None:
                    rows.append(cells)
                    place = done.rows_read if self.seen.document else done.rows_written
                    for i, shown in pairs:
                        said = i.start, i.end, i.type.value, i.rule, text[i.start : i.end], shown
                        key_rows.append([done.rows_read, place, id_, *said])
            if table:
                table.write(rows)
            if keys:
                keys.write(key_rows)
        return messages.hexdigest()

    def _cells(self, row: list[object], sender: str, text: object) -> list[object]:
        """Return the cells of a row that are written, given its sender and new text."""
        plan, number = self.seen.survey.plan, self.done.rows_read
        how = plan.choice.dates
        new = {plan.text: text}
        for i, becomes in self._changed:
            if becomes is columns.Becomes.NUMBERS:
                new[i] = number
            elif becomes is columns.Becomes.PSEUDONYMS:
                # A cell that says nothing stays one, as the file would write it.
                blank = row[i] if row[i] is MISSING else "" if isinstance(row[i], str) else None
                person = sender if i == plan.sender else sender_of(row[i])
                new[i] = self.pseudonyms[person] if person else blank
            else:
                whose = ("sender", sender) if sender else ("row", str(number))
                days = columns.shift_of(self._key, *whose) if how is Dates.SHIFT else 0
                new[i] = columns.change_date(row[i], how, days, month_first=plan.month_first)
        return [new.get(i, row[i]) for i in self._written]

    def _pairs(self, row: Sequence[object], text: str, id_: str, sender: str) -> Pairs | None:
        """Return the identifiers of a message and what replaces them; None where it is held."""
        done, found = self.done, self.seen.found[self.done.rows_read - 1]
        treatment = self.seen.request.treatment
        reason = reason_of(
            self.seen.judged[done.rows_read - 1].action,
            anything_found=bool(found.identifiers or found.kept),
            in_doubt=treatment.ambiguous is Ambiguous.HOLD and found.ambiguous > 0,
            is_asked=found.is_asked,
        )
        if reason:
            is_held = holds(treatment.hold, reason)
            self.held.append(HeldMessage(done.rows_read, id_, reason, written=not is_held))
            (done.held_back if is_held else done.released)[reason] += 1
            if is_held:
                done.rows_held += 1
                return None
        done.rows_written += 1
        if self.residue:
            self.residue.add(row, found.identifiers)
        for one in found.kept:
            done.kept[one.type.value] += 1
        if not found.identifiers:
            return []
        is_gap = treatment.markup is Markup.GAP
        pairs = []
        for i in found.identifiers:
            spelling = Spelling(text[i.start : i.end], i.type, sender)
            if spelling not in self.shown:
                # A gap says the type, as a tag does that is not written.
                self.shown[spelling] = f"<{i.type}>" if is_gap else self.style(spelling)
            pairs.append((i, "" if is_gap else self.shown[spelling]))
            done.replaced[i.type.value, i.rule] += 1
        done.changed += 1
        return pairs
