"""Anonymise a triaged file: find all its identifiers, then write it with them replaced.

A document that a file was read from is written again with all of it anonymised: messages as their
table says, names and certain identifiers beside them replaced, descriptions of persons reduced to
codes, and comments, notes and instructions left out unless they are kept.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

from triage.data import MISSING, Chunk, Format, MessageFile, OutputFile, as_text, create_output
from triage.data.columns import find_column
from triage.data.errors import sender_of
from triage.data.formats import format_of_extension
from triage.data.tei import CODES, DATES, IDS, KINDS, Beside, Replacement, TeiDocument, persons_of
from triage.dictionaries.addresses import KnownWords, addresses
from triage.dictionaries.normal import each, folded
from triage.dictionaries.phrases import Phrases

from .. import __version__, safe
from ..decide.engine import used_chunks
from ..decide.find import Found, Identifier, Judged, Rule, ScoredMessages, find, without_overlaps
from ..decide.people import NAMES, Account, Entry, People
from ..decide.pipeline import Triage
from ..decide.source import Source
from ..errors import TriageError, reading, some_of
from ..model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS, MACHINE, actions_of
from ..progress import StartProgress
from ..settings import Ambiguous, Dates, Ids, Markup, Senders, Setup, StyleName, Treatment
from ..vocabulary import Action, IdentifierType, Quantity, Spans, check_spans, parse_spans
from . import columns, record, styles
from .entities import Spelling, StyleContext
from .keys import KEY_BYTES, KEY_COLUMNS, digested, private_output, private_path, private_record
from .plan import Plan
from .record import HeldFor, HeldMessage
from .styles import Style, own_names, pseudonyms_of, signed, with_people
from .words import TEXTS, refused

Pairs: TypeAlias = Sequence[tuple[Identifier, str]]
"""The identifiers of a message, and what replaces each."""

# Shorter spellings are words of many texts.
_SHORTEST = 3
# *Avec Petit*, *B. Petit*
_INSIDE = re.compile(r"(?:[\w,]['’]?|\b[A-ZÀ-Þ]\.) ?\Z")
# Identifiers whose form is certain, and points to one person.
_CERTAIN = frozenset(["TEL", "MEL", "IBA", "CRT", "NIR", "IPA", "CRY", "IMM", "PSD"])


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

    def new_key(self) -> list[safe.Staged]:
        """Stage the file of the key, if it is a new one."""
        path, is_new = self.treatment.key, self.treatment.new_key
        content = f"{self.key.hex()}\n".encode("ascii")
        return [safe.staged(path, content, private=True)] if path and is_new else []

    def check(self, setup: Setup) -> None:
        """Refuse what cannot be done, and outputs that would take the place of other files."""
        treatment = self.treatment
        if self.plan.keyed_styles and len(self.key) < KEY_BYTES:
            size = f" of {KEY_BYTES} bytes, not {len(self.key)}" if self.key else ""
            raise refused("no_key_for_style", style=self.plan.style, size=size)
        if StyleName.PAPER in self.plan.used_styles and not treatment.reversible:
            raise refused("paper_is_public")
        if treatment.document:
            is_stream = self.output == safe.STANDARD_STREAM
            if not is_stream and format_of_extension(Path(self.output)) is not Format.TEI:
                raise refused("document_is_tei", output=self.output)
        elif treatment.markup is not Markup.TEXT:
            raise refused("markup_of_document")
        # A key and a table of people are written where they are not there.
        tables = [Path(one) for one in (treatment.key, setup.people) if one]
        new = [one for one in tables if not one.exists()]
        outputs = (self.output, treatment.key_table, record.held_path(self.output), *new)
        files = [*tables, *map(Path, setup.paths), *self.plan.read_from]
        inputs = self.source.path, treatment.document, *(one for one in files if one not in new)
        records = [*record.record_paths(self.output), private_path(treatment.key_table)]
        safe.check_targets(outputs, inputs, records=records, overwrite=self.overwrite)


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
    document: "DocumentWriter | None" = None

    @cached_property
    def context(self) -> StyleContext:
        words, per_sender = {*each(folded, [*self.words])}, self.request.treatment.per_sender
        corpus = self.request.key, self.spellings, words, per_sender
        context = StyleContext(self.triage.lexicon, *corpus)
        return with_people(context, self.people, self.survey.senders)

    def table(self) -> tuple[list[Entry], int]:
        """Return the table of people to be edited, and how many names seem to be senders' own."""
        own = own_names(self.signatures, self.context)
        style = styles.make_style(self.request.plan, self.context)
        return styles.build_table(style, self.context, own), len(own)


def find_all(
    file: MessageFile,
    request: AnonymiseRequest,
    triage: Triage,
    progress: StartProgress | None = None,
) -> FirstPass:
    if not {FINAL_ACTION, "action"} & {*file.columns}:
        kind = "document" if file.format is Format.TEI else "column"
        raise refused(f"not_triaged.{kind}", file=file.name)
    if FINAL_ACTION in file.columns and DECIDED_BY not in file.columns:
        names = {"final": FINAL_ACTION, "by": DECIDED_BY, "machine": MACHINE}
        raise refused("who_decided", file=file.name, **names)
    plan = columns.choose_columns(file, request.treatment)
    survey = columns.Survey(file, plan, triage.labeller, request.plan)
    first_pass, account = FirstPass(file, request, triage, survey), Account.of(triage, file)
    look, chunks = partial(_found_in, file, request), survey.added(file.whole_chunks())
    with used_chunks(
        triage, file, look, progress, chunks=chunks, account=account, jobs=request.jobs
    ) as results:
        for words, judged, found, spellings, signatures in results:
            first_pass.words |= words
            first_pass.judged += judged
            first_pass.found += found
            first_pass.spellings.update(spellings)
            first_pass.signatures.update(signatures)
    if account:
        first_pass.people = account.people
        survey.check_names(first_pass.people)
    if request.treatment.document:
        first_pass.document = DocumentWriter(first_pass)
        first_pass.people = first_pass.document.people
        first_pass.spellings.update(first_pass.document.spellings)
        survey.senders.update(first_pass.document.persons)
    return first_pass


def _found_in(
    file: MessageFile, request: AnonymiseRequest, chunk: Chunk, scored: ScoredMessages
) -> tuple[set[str], list[Judged], list[Found], Counter[Spelling], Counter[Spelling]]:
    """Find the identifiers of a chunk, perhaps in a worker process."""
    judged, plan = [*judged_rows(file, chunk)], request.plan
    found = [*map(plan.treat, find(scored, judged, plan.treatment.ambiguous), chunk.texts)]
    spellings, signatures = Counter[Spelling](), Counter[Spelling]()
    pack = scored.labelled.lexicon.pack
    for one, text, sender in zip(found, chunk.texts, chunk.senders, strict=True):
        if one.identifiers:
            spelt = {i: Spelling(text[i.start : i.end], i.type, sender) for i in one.identifiers}
            spellings.update(spelt.values())
            signatures.update({spelt[i] for i in signed(text, one.identifiers, pack)})
    words = {word.text for word in scored.labelled.labels}
    return words, judged, found, spellings, signatures


def judged_rows(file: MessageFile, chunk: Chunk) -> Iterator[Judged]:
    spans, actions = find_column(file.columns, FINAL_SPANS), actions_of(file.columns, chunk.rows)
    is_final = FINAL_ACTION in file.columns
    machine, by = (find_column(file.columns, one) for one in ("action", DECIDED_BY))
    rows = zip(chunk.rows, chunk.texts, chunk.lines, actions, strict=True)
    for row, text, line, (action, by_people) in rows:
        marks = None if spans is None else row[spans]
        if action not in Action.__members__:
            raise refused("not_triaged.action", file=file.name, line=line)
        if is_final and by is not None and action != Action.EXPERT and not as_text(row[by]):
            names = {"action": action, "by": DECIDED_BY, "machine": MACHINE}
            raise refused("nobody_decided", file=file.name, line=line, **names)
        spans_found: Spans = ()
        if by_people and as_text(marks):
            try:
                spans_found = check_spans(parse_spans(marks), len(text))
            except TriageError as error:
                raise refused("wrong_marks", file=file.name, line=line, error=error) from None
        is_confirmed = is_final and machine is not None and row[machine] == Action.TA
        is_unmarked = by_people and action == Action.TA and not (spans_found or is_confirmed)
        yield Judged(Action(action), by_people, spans_found, is_unmarked)


@dataclass
class Anonymised:
    """Counts of what became of a file: rows read are the rows written and the rows held."""

    output: str
    rows_read: int
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
    edited: Sequence[Entry] | None = None,
    warn: Callable[[str], object] = lambda _: None,
) -> Anonymised:
    """Write a file with its identifiers replaced, as an edited table says, and the record of it."""
    waiting = sum(
        judged.action is Action.EXPERT or found.ambiguous > 0
        for found, judged in zip(seen.found, seen.judged, strict=True)
    )
    request, treatment = seen.request, seen.request.treatment
    if treatment.ambiguous is Ambiguous.ASK and waiting:
        raise refused("waiting", n=Quantity(waiting))
    style, findings = styles.checked_style(request.plan, seen.context, edited)
    for finding in findings:
        warn(finding.line)
    if findings and edited and not treatment.force:
        texts = dict.fromkeys(text for finding in findings for text in finding.texts)
        raise refused("names_incoherent.table", texts=some_of([*texts]))
    writer = _Writer(seen, style, edited)
    warn(writer.warning)
    with ExitStack() as stack:
        outputs = writer.outputs(stack.enter_context)
        sha256, is_edited = outputs[-1].checksum(), edited is not None
        made = record.make_record(seen, writer.done, writer.marked, sha256, is_edited=is_edited)
        safe.publish_all([*map(stack.enter_context, writer.beside(made)), *outputs])
    if not writer.done.held and request.output != safe.STANDARD_STREAM:
        record.held_path(request.output).unlink(missing_ok=True)
    return writer.done


class _Writer:
    def __init__(self, seen: FirstPass, style: Style, edited: Sequence[Entry] | None) -> None:
        request, plan = seen.request, seen.survey.columns
        self._seen, self._style, self._treatment = seen, style, request.treatment
        self._key = request.key or seen.survey.checksum.digest()
        corpus = seen.survey.senders, self._key, style, seen.people, edited
        per_sender = self._treatment.per_sender
        self._pseudonyms, self.warning = pseudonyms_of(*corpus, per_sender=per_sender)
        self._changed = [(i, plan.becomes[i]) for i in plan.which(*columns.REWRITTEN)]
        self._held, self._shown = list[HeldMessage](), dict[Spelling, str]()
        # What people marked in the messages that are written, and what was found there.
        self._marks = find_column(seen.file.columns, "spans")
        is_marked = self._marks not in (None, seen.file.text_position)
        self.marked: list[tuple[object, list[Identifier]]] | None = [] if is_marked else None
        self.done = Anonymised(
            request.output,
            len(seen.judged),
            columns=[plan.names[i] for i in plan.written],
            roles=plan.roles,
            dropped=[plan.names[i] for i in plan.which(columns.Becomes.DROPPED)],
        )

    def outputs(self, stage: Callable[[Any], Any]) -> list[safe.Staged]:
        """Write the private record, a new key, the key table, and the output, which is last."""
        seen, request, done = self._seen, self._seen.request, self.done
        source, key_path = request.source.path, self._treatment.key_table
        options: dict[str, Any] = {"overwrite": request.overwrite}
        table: Any = None
        keys = stage(private_output(key_path, KEY_COLUMNS, **options)) if key_path else None
        if not seen.document:
            dialect = seen.survey.columns.dialect(seen.file.dialect)
            named = request.output, done.columns
            table = stage(create_output(*named, like=dialect, mode_from=source, **options))
        digest = self._write(table, keys)
        if seen.document:
            content = seen.document.content(done, self._style, self._pseudonyms)
            if keys:
                # In no message, but beside them.
                keys.write(_key_row((0, 0, ""), *one) for one in seen.document.replaced)
            output = stage(safe.staged(request.output, content, like=source, **options))
        else:
            output, done.formulas = table, dict(table.formulas)
        done.anonymity = styles.anonymity_sets(self._shown, request.plan, seen.triage.lexicon)
        outputs = [*map(stage, request.new_key()), *filter(None, [keys]), output]
        if keys and (path := private_path(key_path)):
            content = private_record(source, keys.checksum(), digest)
            replaces = request.overwrite or safe.replaces_records(request.output)
            outputs.insert(0, stage(safe.staged(path, content, private=True, overwrite=replaces)))
        return outputs

    def beside(self, made: record.Record) -> Iterator[safe.Staged]:
        """Yield the list of messages that are held back, and the record; none beside a stream."""
        request, done = self._seen.request, self.done
        if self._held:
            done.held = str(record.held_path(request.output))
            listed = private_output(done.held, record.COLUMNS, overwrite=request.overwrite)
            listed.write(
                [one.row, one.id, one.reason.value, "yes" if one.written else "no"]
                for one in self._held
            )
            yield listed
        if request.output != safe.STANDARD_STREAM:
            done.record = str(record.record_paths(request.output)[-1])
            like, overwrite = request.source.path, request.overwrite
            yield from record.record_files(request.output, made, like, overwrite=overwrite)

    def _write(self, table: OutputFile | None, keys: OutputFile | None) -> str:
        """Write all rows, and what was replaced in them; return a digest of the messages."""
        messages, document, number, place = hashlib.sha256(), self._seen.document, 0, 0
        text_at = self._seen.survey.columns.text
        for chunk in self._seen.file.chunks():
            rows, key_rows = list[list[object]](), list[list[object]]()
            cells_of = zip(chunk.rows, chunk.texts, chunk.ids, chunk.senders, strict=True)
            for row, text, id_, sender in cells_of:
                number += 1
                pairs = self._pairs(number, row, text, id_, sender)
                if pairs is None and not document:
                    continue
                # What is withheld of a document is read as an empty message.
                messages.update(digested("" if pairs is None else text))
                new = "" if pairs is None else replaced(text, pairs) if pairs else row[text_at]
                cells = self._cells(row, number, sender, new)
                if document:
                    pairs = document.write(row, cells, pairs)
                if pairs is not None:
                    place = number if document else place + 1
                    rows.append(cells)
                    key_rows += [_key_row((number, place, id_), text, *pair) for pair in pairs]
            if table:
                table.write(rows)
            if keys:
                keys.write(key_rows)
        self.done.rows_held = self.done.held_back.total()
        self.done.rows_written = number - self.done.rows_held
        return messages.hexdigest()

    def _pairs(
        self, number: int, row: Sequence[object], text: str, id_: str, sender: str
    ) -> Pairs | None:
        """Return the identifiers of a message and what replaces them; None where it is held."""
        judged, found, done = self._seen.judged[number - 1], self._seen.found[number - 1], self.done
        if reason := record.reason_of(judged, found, self._treatment.ambiguous):
            is_held = record.is_held_back(self._treatment.hold, reason)
            self._held.append(HeldMessage(number, id_, reason, written=not is_held))
            (done.held_back if is_held else done.released)[reason] += 1
            if is_held:
                return None
        is_gap, pairs = self._treatment.markup is Markup.GAP, []
        # A gap says the type, as a tag does that is not written.
        style = partial(styles.tag, lengths=False) if is_gap else self._style
        for i in found.identifiers:
            spelling = Spelling(text[i.start : i.end], i.type, sender)
            if spelling not in self._shown:
                self._shown[spelling] = style(spelling)
            pairs.append((i, "" if is_gap else self._shown[spelling]))
        # What a table of people keeps stays as it is.
        pairs = [(i, new) for i, new in pairs if new != text[i.start : i.end]]
        changed = [i for i, _ in pairs]
        kept = {*found.identifiers} - {*changed}
        done.kept.update(i.type.value for i in (*found.kept, *kept))
        done.replaced.update((i.type.value, i.rule) for i in changed)
        done.changed += bool(changed)
        if self.marked is not None and self._marks is not None:
            self.marked.append((row[self._marks], changed))
        return pairs

    def _cells(self, row: list[object], number: int, sender: str, text: object) -> list[object]:
        """Return the cells of a row that are written, given its sender and new text."""
        plan, dates = self._seen.survey.columns, self._treatment.dates
        new = {plan.text: text}
        for i, becomes in self._changed:
            if becomes is columns.Becomes.NUMBERS:
                new[i] = number
            elif becomes is columns.Becomes.PSEUDONYMS:
                # A cell that says nothing stays one, as the file would write it.
                blank = row[i] if row[i] is MISSING else "" if isinstance(row[i], str) else None
                person = sender if i == plan.sender else sender_of(row[i])
                new[i] = self._pseudonyms[person] if person else blank
            else:
                purpose = ("sender", sender) if sender else ("row", str(number))
                days = columns.shift_of(self._key, *purpose) if dates is Dates.SHIFT else 0
                new[i] = columns.change_date(row[i], dates, days, month_first=plan.month_first)
        return [new.get(i, row[i]) for i in plan.written]


class DocumentWriter:
    """The document of a triaged file, which takes its messages in order."""

    def __init__(self, seen: FirstPass) -> None:
        self._seen, self._n_read, columns = seen, 0, seen.survey.columns
        self._columns, path = columns, str(columns.choice.document)
        self._names = {"file": seen.file.name, "path": path}
        self._places = (columns.id, columns.sender, columns.date, columns.text)
        with reading(path):
            self._document = TeiDocument(path, safe.read_file(Path(path)), columns.choice.markup)
        self._messages = self._document.messages()
        if unwritten := [columns.names[i] for i in columns.written if i not in self._places]:
            raise refused("document_columns", column=unwritten[0])
        self.persons, described = self._document.persons(), persons_of(self._document.tokens)
        # With the ids of messages, those that become others or stay by choice.
        self._ids = {*self.persons}
        self.people = seen.people or People(described, seen.triage.lexicon)
        self._stays = seen.request.plan.stays
        names, words = dict[str, IdentifierType](), dict[str, IdentifierType]()
        for one in self.people.spellings:
            if len(one.text) >= _SHORTEST:
                (words if one.is_word else names)[one.text] = one.type
        self._account, self._words = Phrases(names), Phrases(words)
        # Names found in the messages, written with a capital.
        found = (one for one in seen.spellings if one.type in NAMES and one.text[:1].isupper())
        self._found = Phrases({one.text: one.type for one in found if len(one.text) >= _SHORTEST})
        beside = [*self._document.beside(KINDS)]
        texts = [one.text for one in beside if one.kind in ("text", "markup")]
        texts += [value for one in self._document.tokens for value in one.attributes.values()]
        self._certain = self._certain_in([*{*texts}])
        # The identifiers in texts beside the messages, and what takes their place.
        self.replaced = list[tuple[str, Identifier, str]]()
        self.spellings = [
            Spelling(one.text[i.start : i.end], i.type)
            for one in beside
            if one.kind == "text"
            for i in self._find(one.text, is_credit=one.is_credit)
        ]

    def _certain_in(self, texts: list[str]) -> dict[str, list[Identifier]]:
        """Return what has a form that points to one person, addresses, and names of the account."""
        known, labeller = KnownWords(self._seen.triage.lexicon), self._seen.triage.labeller
        certain = dict[str, list[Identifier]]()
        for text, spans in zip(texts, labeller.recognisers.find_each(texts), strict=True):
            found = (*(one for one in spans if one.kind.value in _CERTAIN), *addresses(text, known))
            typed = ((one.start, one.end, IdentifierType(one.kind.value)) for one in found)
            certain[text] = [Identifier(*one, Rule.PATTERN) for one in typed]
        # However they are written: *bisousSolveig*, *les kerbrats*.
        labelled = labeller.label(texts)
        names = [self.people.type_of(word) for word in labelled.labels]
        places = labelled.words.message, labelled.words.start, labelled.words.form
        for message, start, form in zip(*(one.tolist() for one in places), strict=True):
            length = len(labelled.labels[form].text)
            if length >= _SHORTEST and (type_ := names[form]):
                name = Identifier(start, start + length, type_, Rule.EVIDENCE)
                certain[texts[message]].append(name)
        return certain

    def _find(self, text: str, *, is_credit: bool = False) -> list[Identifier]:
        names = [*self._account.find(text)]
        if not is_credit:
            names += [one for one in self._found.find(text) if text[one.start].isupper()]
        # A name that is also a word stands beside another one or, but in credits, behind a word.
        words = [one for one in self._words.find(text) if text[one.start].isupper()]
        beside = {at for one in (*names, *words) for at in (one.start - 1, one.end + 1)}
        names += [
            one
            for one in words
            if not beside.isdisjoint(one[:2])
            or (not is_credit and _INSIDE.search(text, max(0, one.start - 4), one.start))
        ]
        identifiers = [Identifier(*one[:3], Rule.EVIDENCE) for one in names]
        identifiers = without_overlaps([*identifiers, *self._certain[text]], text)
        return [one for one in identifiers if not self._stays(one.start, one.end, one.type, text)]

    def write(self, row: list[object], cells: list[object], pairs: Pairs | None) -> Pairs | None:
        """Take a message, and return the replacements in its text as the document reads them."""
        self._n_read += 1
        message = next(self._messages, None)
        # The columns hold all that the document has of a message.
        cells_read = ["" if place is None else as_text(row[place]) for place in self._places]
        if message is None or cells_read != [one or "" for one in message.cells]:
            what = f"message {self._n_read:,} is another"
            raise refused("other_document", **self._names, what=what)
        self._ids.add(cells_read[0])
        if pairs is None:
            self._document.withhold(message)
        elif replacements := [Replacement(i.start, i.end, i.type.value, new) for i, new in pairs]:
            pairs = _as_read(cells_read[-1], pairs, self._document.replace(message, replacements))
        new = dict(zip(self._columns.written, map(as_text, cells), strict=True))
        columns, choice = self._columns, self._columns.choice
        if columns.sender is not None and choice.sender is not Senders.KEEP:
            self._document.set_sender(message, new.get(columns.sender))
        if columns.date is not None and choice.dates is not Dates.KEEP:
            self._document.set_date(message, new.get(columns.date))
        if choice.ids is Ids.NUMBER:
            self._document.set_number(message, self._n_read)
        return pairs

    def content(self, done: Anonymised, style: Style, pseudonyms: Mapping[str, str]) -> bytes:
        """Change what stands beside the messages, and return the document with a note of it."""
        if next(self._messages, None):
            what = f"it has more than {self._n_read:,} messages"
            raise refused("other_document", **self._names, what=what)
        choice, counts, counted = self._columns.choice, Counter[str](), TEXTS.figures("document")
        self.persons |= pseudonyms.keys()
        self._ids |= self.persons
        if choice.sender is not Senders.KEEP:
            self._document.name_persons(pseudonyms)
        for one in self._document.beside({*choice.keep} & {*KINDS}):
            if one.kind == "tag":
                names = [*self._attributes(one)]
                if names:
                    self._document.leave_out_attributes(one.tokens[0], names)
                counts[counted["tag"]] += len(names)
            elif one.kind not in ("text", "markup"):
                self._document.rewrite(one, "")
                counts[counted[one.kind]] += 1
            elif found := self._find(one.text, is_credit=one.is_credit):
                pairs = [(i, style(Spelling(one.text[i.start : i.end], i.type))) for i in found]
                self.replaced += [(one.text, *pair) for pair in pairs]
                self._document.rewrite(one, replaced(one.text, pairs))
                counts[counted[one.kind]] += len(found)
        done.document = +counts
        types = ", ".join(sorted({kind for kind, _ in done.replaced})) or "none"
        how = TEXTS.text(f"note.{choice.markup}", style=self._seen.request.plan.style)
        facts = {"version": __version__, "types": types, "how": how, "done": done, "choice": choice}
        note = TEXTS.text("note.document", n=done.replaced.total(), **facts)
        return self._document.content(note)

    def _attributes(self, one: Beside) -> Iterator[str]:
        """Yield the attributes of a tag that hold an identifier, or a date within a message."""
        tag, choice = one.tokens[0], self._columns.choice
        of_person = tag.local in ("person", "personGrp")
        is_message = tag.holds == "message" and not tag.in_message
        for name, value in tag.attributes.items():
            # The number of a person may be the id of a message, and that of a thing a person's.
            is_number = name in IDS and not of_person and (is_message or value not in self.persons)
            is_id = value in self._ids and (name in IDS[:2] or is_number)
            words = {self._document.id_pointed(name, word) for word in value.split()}
            if is_id or (is_message and name == "who") or words <= self._ids:
                continue
            is_date = name in DATES and tag.in_message and choice.dates is not Dates.KEEP
            # *rend="A01"*, whose id becomes another where something points to it.
            is_person = any(one in self.persons and not one.isdecimal() for one in value.split())
            is_alias = (name == "alias" or is_person) and choice.sender is not Senders.KEEP
            if is_date or is_alias or (of_person and name not in CODES) or self._find(value):
                yield name


def _key_row(place: Sequence[object], text: str, i: Identifier, new: str) -> list[object]:
    return [*place, i.start, i.end, i.type.value, i.rule, text[i.start : i.end], new]


def _as_read(text: str, pairs: Pairs, new: str) -> Pairs:
    """Return replacements with the white space around them that a reader of their text drops."""
    if new == replaced(text, pairs):
        return pairs
    widened, pattern, at = list[Identifier](), "", 0
    for one, replacement in pairs:
        start, end = one.start, one.end
        while start > at and text[start - 1].isspace():
            start -= 1
        while text[end : end + 1].isspace():
            end += 1
        words = r"\s+".join(map(re.escape, replacement.split()))
        pattern += rf"{re.escape(text[at:start])}(\s*+{words}\s*+)"
        widened.append(one._replace(start=start, end=end))
        at = end
    match = re.fullmatch(pattern + re.escape(text[at:]), new)
    return [*zip(widened, match.groups(), strict=True)] if match else pairs


def replaced(text: str, replacements: Pairs) -> str:
    """Replace identifiers of a text, which are in order and do not overlap."""
    pieces, at = [], 0
    for identifier, replacement in replacements:
        pieces += [text[at : identifier.start], replacement]
        at = identifier.end
    return "".join([*pieces, text[at:]])
