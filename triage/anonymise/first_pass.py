"""The first pass over a triaged file: its decisions and its identifiers, before any is replaced."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from triage.data import Format, MessageFile, as_text
from triage.dictionaries import Lexicon
from triage.dictionaries.normal import folded

from ..decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ..decide.people import Account, People
from ..decide.pipeline import Triage
from ..decide.source import Chunk, Source, whole_chunks
from ..errors import TriageError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS, MACHINE
from ..model.find import Found, Identifier, Judged, find
from ..progress import StartProgress
from ..safe import check_targets
from ..settings import Ambiguous, Markup, Treatment
from ..vocabulary import Action, Spans, check_spans, parse_spans
from .columns import position_of
from .document import (
    BesideFinder,
    check_document,
    open_document,
    people_of,
    spellings_beside,
)
from .entity import Spelling
from .held import held_path
from .own_names import signed, with_people
from .plan import Treating
from .record import record_paths
from .restore import private_path
from .styles import StyleContext
from .survey import Survey


@dataclass(frozen=True)
class AnonymiseRequest:
    source: Source
    output: str
    treatment: Treatment = field(default_factory=Treatment)
    treating: Treating = field(default_factory=Treating)
    key: bytes = b""
    overwrite: bool = False
    jobs: int = 1

    def check_paths(
        self, also_read: Iterable[Path] = (), also_written: Iterable[Path] = ()
    ) -> None:
        """Check that all outputs can be written, and replace nothing unasked."""
        outputs = (
            self.output,
            self.treatment.key_table,
            held_path(self.output),
            *also_written,
        )
        if self.treatment.document:
            check_document(self.output)
        elif self.treatment.markup is not Markup.TEXT:
            raise TriageError("--markup is for a TEI document: name it with --document")
        read = (self.source.path, self.treatment.document, *also_read)
        records = [*record_paths(self.output), private_path(self.treatment.key_table)]
        check_targets(outputs, read, records=records, overwrite=self.overwrite)


@dataclass(frozen=True)
class FirstPass:
    """Decisions and identifiers of each message of a file, and a survey of its columns."""

    survey: Survey
    found: list[Found] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    spellings: Counter[Spelling] = field(default_factory=Counter)
    signatures: Counter[Spelling] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)
    people: People | None = None
    beside: BesideFinder | None = None

    def context(self, lexicon: Lexicon, key: bytes, *, per_sender: bool) -> StyleContext:
        """Return what the styles are made from."""
        context = StyleContext(lexicon, key, [*self.spellings], self.words, per_sender)
        return with_people(context, self.people, self.spellings, self.survey.senders)

    @property
    def waiting(self) -> int:
        """Messages that nobody has decided yet, or that hold a word in doubt."""
        return sum(
            judged.action is Action.EXPERT or found.ambiguous > 0
            for found, judged in zip(self.found, self.judged, strict=True)
        )


def find_all(
    file: MessageFile,
    request: AnonymiseRequest,
    triage: Triage,
    progress: StartProgress | None = None,
) -> FirstPass:
    """Find the identifiers of a whole file, and survey the columns that are to be written."""
    if not {FINAL_ACTION, "action"} & {*file.columns}:
        if file.format is Format.TEI:
            raise TriageError(
                f"{file.name} does not tell what becomes of its messages: say triage classify "
                f"{file.name}, and then, of what that writes, triage anonymise --document "
                f"{file.name}"
            )
        raise TriageError(
            f"{file.name} has no column 'action': what is anonymised is what triage classify or "
            "triage queue apply wrote",
            "not_triaged",
            file=file.name,
        )
    sender, treating = request.source.reading.sender_column, request.treating
    survey = Survey(file, request.treatment, triage.labeller, sender, treating)
    seen = FirstPass(survey)
    look = _Look(file, request.treatment.ambiguous, treating)
    account = Account.of(triage, file, survey.plan.sender)
    read = survey.added(whole_chunks(file, survey.plan.sender))
    corpus = CorpusPass(read, file.lines, jobs=request.jobs, account=account)
    with used_chunks(triage, corpus, look, progress) as chunks:
        for words, judged, found, spellings, signatures in chunks:
            seen.words.update(words)
            seen.judged.extend(judged)
            seen.found.extend(found)
            seen.spellings.update(spellings)
            seen.signatures.update(signatures)
    people = account.people() if account else None
    return _with_document(replace(seen, people=people), request, triage)


def _with_document(seen: FirstPass, request: AnonymiseRequest, triage: Triage) -> FirstPass:
    """Add what the document of a file holds beside its messages: persons and identifiers."""
    if not request.treatment.document:
        return seen
    document = open_document(request.treatment)
    people = people_of(document, seen.people, triage)
    find = BesideFinder(triage, people, seen.spellings, request.treating)
    seen.spellings.update(spellings_beside(document, find))
    seen.survey.senders.update(document.persons())
    return replace(seen, people=people, beside=find)


_ChunkFound = tuple[set[str], list[Judged], list[Found], Counter[Spelling], Counter[Spelling]]


@dataclass(frozen=True)
class _Look:
    """Finds the identifiers of a chunk, perhaps in a worker process."""

    file: MessageFile
    ambiguous: Ambiguous
    treating: Treating

    def __call__(self, seen: ScoredChunk) -> _ChunkFound:
        chunk, scored = seen
        judged = list(judged_rows(self.file, chunk))
        found = [
            self.treating(one, text)
            for one, text in zip(find(scored, judged, self.ambiguous), chunk.texts, strict=True)
        ]
        spellings: Counter[Spelling] = Counter()
        signatures: Counter[Spelling] = Counter()
        pack = scored.labelled.lexicon.pack
        for one, text, who in zip(found, chunk.texts, chunk.senders, strict=True):
            spellings.update(_spellings(one.identifiers, text, who))
            signatures.update({*_spellings(signed(text, one.identifiers, pack), text, who)})
        words = {folded(word.text) for word in scored.labelled.labels}
        return words, judged, found, spellings, signatures


def _spellings(found: Iterable[Identifier], text: str, sender: str) -> Iterator[Spelling]:
    return (Spelling(text[one.start : one.end], one.type, sender) for one in found)


def judged_rows(file: MessageFile, chunk: Chunk) -> Iterator[Judged]:
    at = file.columns.index(FINAL_ACTION if FINAL_ACTION in file.columns else "action")
    by, spans = position_of(file, DECIDED_BY), position_of(file, FINAL_SPANS)
    for row, text, line in zip(chunk.rows, chunk.texts, chunk.lines, strict=True):
        by_people = by is not None and as_text(row[by]) not in ("", MACHINE)
        action, marked = as_text(row[at]), None if spans is None else row[spans]
        if action not in Action.__members__:
            raise TriageError(
                f"{file.name}, line {line}: its action is none of TA, NTA and EXPERT; classify the "
                "messages again",
                "not_triaged",
                file=file.name,
            )
        found: Spans = ()
        if by_people and as_text(marked):
            try:
                found = check_spans(parse_spans(marked), len(text))
            except TriageError as error:
                raise TriageError(
                    f"{file.name}, line {line}: its final_spans are wrong, mend them: {error}"
                ) from None
        yield Judged(Action(action), by_people, found)
