"""Anonymise a triaged file: its second pass, which writes it with its identifiers replaced."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from triage.data import Chunk, MessageFile, OutputFile, create_output

from ..errors import TriageError
from ..model.annotated import senders_of
from ..model.find import Identifier
from ..safe import STANDARD_STREAM, Staged, publish_all, replaces_records, staged
from ..settings import Ambiguous, Markup
from .anonymity import anonymity_sets
from .columns import Plan, RowWriter
from .document import DocumentWriter, note_of
from .entity import Spelling
from .first_pass import AnonymiseRequest, FirstPass
from .held import HeldMessage, Reason, held_list, held_path, holds, reason_of
from .record import (
    About,
    Record,
    Residue,
    make_record,
    marked,
    marked_position,
    record_files,
    record_paths,
    rendered,
)
from .restore import KEY_COLUMNS, digested, key_rows_of, private_path, private_record
from .styles import Style


@dataclass
class Anonymised:
    """Counts of what became of a file: rows read are the rows written and the rows held."""

    output: str
    rows_read: int = 0
    rows_written: int = 0
    rows_held: int = 0
    held: str = ""
    record: str = ""
    held_back: Counter[Reason] = field(default_factory=Counter)
    released: Counter[Reason] = field(default_factory=Counter)
    columns: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    changed: int = 0
    replaced: Counter[tuple[str, str]] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    formulas: dict[str, int] = field(default_factory=dict)
    document: Counter[str] = field(default_factory=Counter)
    anonymity: list[dict[str, Any]] = field(default_factory=list)


def anonymise(
    file: MessageFile,
    request: AnonymiseRequest,
    seen: FirstPass,
    style: Style,
    about: About,
    own: Mapping[str, str] | None = None,
) -> Anonymised:
    """Write a file with its identifiers replaced, and the record of that."""
    if request.treatment.ambiguous is Ambiguous.ASK and seen.waiting:
        raise TriageError(
            f"{seen.waiting:,} messages wait for the expert or hold a word in doubt: decide them "
            "(triage queue create, triage review), or say --ambiguous hold, mask or keep"
        )
    request.check_paths()
    plan = seen.survey.plan
    done = Anonymised(request.output, columns=plan.columns, dropped=plan.dropped)
    chosen, is_gap = request.treatment, request.treatment.markup is Markup.GAP
    document = DocumentWriter(chosen, plan, file.name) if chosen.document else None
    # A gap says the type, as a tag does that is not written.
    in_messages: Style = (lambda _: "") if is_gap else style
    writer = _Writer(request, seen, in_messages, own or {}, done, marked_position(file), document)
    with ExitStack() as stack:
        keys = stack.enter_context(_key_table(request)) if chosen.key_table else None
        output: Staged
        if document:
            _write(file, writer, None, keys)
            whole = _whole(request, document, seen, done, about, style, writer.pseudonyms)
            output = stack.enter_context(whole)
        else:
            output = stack.enter_context(_table(file, request, plan))
            _write(file, writer, output, keys)
            done.formulas = dict(output.formulas)
        shown = {one: f"<{one.type}>" for one in writer.shown} if is_gap else writer.shown
        done.anonymity = anonymity_sets(shown, about.styles, about.triage.lexicon)
        record = make_record(request, seen, about, done, writer.residue, output.checksum())
        outputs = [*_with_private_record(keys, request, writer, stack), output]
        _commit(outputs, request, writer.held, record, done)
    return done


def _write(
    file: MessageFile, writer: "_Writer", output: OutputFile | None, keys: OutputFile | None
) -> None:
    """Write all rows, and what was replaced in them."""
    for chunk in file.chunks():
        for table, rows in zip((output, keys), writer.rows(chunk), strict=True):
            if table:
                table.write(rows)


def _table(file: MessageFile, request: AnonymiseRequest, plan: Plan) -> OutputFile:
    return create_output(
        request.output,
        plan.columns,
        like=plan.dialect(file.dialect),
        mode_from=request.source.path,
        overwrite=request.overwrite,
    )


def _whole(
    request: AnonymiseRequest,
    document: DocumentWriter,
    seen: FirstPass,
    done: Anonymised,
    about: About,
    style: Style,
    pseudonyms: Mapping[str, str],
) -> Staged:
    """Create the output of a document, no more readable than the file of its decisions."""
    note = note_of(done, seen.survey.plan, request.treatment.markup, str(about.styles))
    if seen.beside:
        done.document = document.clean(seen.beside, style, pseudonyms)
    return staged(
        request.output,
        document.content(note),
        like=request.source.path,
        overwrite=request.overwrite,
    )


def _key_table(request: AnonymiseRequest) -> OutputFile:
    """Create the key table, which only its owner may read."""
    return create_output(
        str(request.treatment.key_table),
        KEY_COLUMNS,
        private=True,
        guard_formulas=True,
        overwrite=request.overwrite,
    )


def _with_private_record(
    keys: OutputFile | None, request: AnonymiseRequest, writer: "_Writer", stack: ExitStack
) -> Iterator[Staged]:
    if keys is None:
        return
    path = private_path(request.treatment.key_table)
    if path:
        content = private_record(request.source.path, keys.checksum(), writer.messages.hexdigest())
        replaces = request.overwrite or replaces_records(request.output)
        yield stack.enter_context(staged(path, content, private=True, overwrite=replaces))
    yield keys


def _commit(
    outputs: list[Staged],
    request: AnonymiseRequest,
    held: list[HeldMessage],
    record: Record,
    done: Anonymised,
) -> None:
    """Show the outputs with their record and the list of what was held back, none of them older."""
    path, overwrite = held_path(request.output), request.overwrite
    with ExitStack() as stack:
        beside: list[Staged] = []
        if held:
            beside.append(stack.enter_context(held_list(path, held, overwrite=overwrite)))
            done.held = str(path)
        # Nothing stands beside a stream.
        if request.output != STANDARD_STREAM:
            files = record_files(
                request.output, rendered(record), request.source.path, overwrite=overwrite
            )
            beside += map(stack.enter_context, files)
            done.record = str(record_paths(request.output)[-1])
        publish_all([*beside, *outputs])
    if not held and request.output != STANDARD_STREAM:
        path.unlink(missing_ok=True)


class _Writer:
    """Rows as they are written, counted; messages that are held back are listed."""

    def __init__(
        self,
        request: AnonymiseRequest,
        seen: FirstPass,
        style: Style,
        own: Mapping[str, str],
        done: Anonymised,
        marked_at: int | None,
        document: DocumentWriter | None,
    ) -> None:
        survey = seen.survey
        self.held: list[HeldMessage] = []
        self.residue = Residue() if marked_at is not None else None
        self._marked_at = marked_at
        self._document = document
        self._hold = request.treatment.hold
        self._holds_doubt = request.treatment.ambiguous is Ambiguous.HOLD
        self._plan = survey.plan
        key = request.key or survey.fingerprint
        self._row_writer = RowWriter(survey.plan, survey.senders, key, own)
        self.pseudonyms = self._row_writer.pseudonyms
        self._seen = seen
        self._style = style
        self._done = done
        self.messages = hashlib.sha256()
        self.shown: dict[Spelling, str] = {}

    def rows(self, chunk: Chunk) -> tuple[list[list[object]], list[list[object]]]:
        """Return the rows of a chunk as they are written, and those of the key table."""
        rows: list[list[object]] = []
        key_rows: list[list[object]] = []
        senders = senders_of(chunk.rows, self._plan.sender)
        for row, text, id_, sender in zip(chunk.rows, chunk.texts, chunk.ids, senders, strict=True):
            self._done.rows_read += 1
            number = self._done.rows_read
            if self._is_held(number, id_):
                if self._document:
                    cells = self._row_writer.row(row, number, sender, "")
                    self._document.write(row, cells, None)
                    # What is withheld is read as an empty message.
                    self.messages.update(digested(""))
                continue
            self.messages.update(digested(text))
            self._done.rows_written += 1
            pairs = [
                (i, self._shown(Spelling(text[i.start : i.end], i.type, sender)))
                for i in self._seen.found[number - 1].identifiers
            ]
            self._done.changed += bool(pairs)
            self._done.kept.update(i.type.value for i in self._seen.found[number - 1].kept)
            self._done.replaced.update((i.type.value, i.rule) for i, _ in pairs)
            if self.residue is not None and self._marked_at is not None:
                self.residue.add(marked(row[self._marked_at]), [i for i, _ in pairs])
            written = replaced(text, pairs) if pairs else row[self._plan.text]
            rows.append(self._row_writer.row(row, number, sender, written))
            if self._document:
                self._document.write(row, rows[-1], pairs)
            # A document has a place for messages that are held back.
            place = number if self._document else self._done.rows_written
            key_rows += key_rows_of(number, place, id_, text, pairs)
        return rows, key_rows

    def _shown(self, spelling: Spelling) -> str:
        shown = self.shown.get(spelling)
        if shown is None:
            shown = self.shown[spelling] = self._style(spelling)
        return shown

    def _is_held(self, number: int, id_: str) -> bool:
        """Return whether a message is held back; list it where it is or should be."""
        found, judged = self._seen.found[number - 1], self._seen.judged[number - 1]
        reason = reason_of(
            judged.action,
            anything_found=bool(found.identifiers or found.kept),
            in_doubt=self._holds_doubt and found.ambiguous > 0,
            is_asked=found.is_asked,
        )
        if reason is None:
            return False
        is_held = holds(self._hold, reason)
        self.held.append(HeldMessage(number, id_, reason, written=not is_held))
        (self._done.held_back if is_held else self._done.released)[reason] += 1
        self._done.rows_held += is_held
        return is_held


def replaced(text: str, replacements: Sequence[tuple[Identifier, str]]) -> str:
    """Replace identifiers of a text, which are in order and do not overlap."""
    pieces, at = [], 0
    for identifier, replacement in replacements:
        pieces += [text[at : identifier.start], replacement]
        at = identifier.end
    return "".join([*pieces, text[at:]])
