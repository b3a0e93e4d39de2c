"""What mining starts from: a triaged or anonymised file, a table of replacements.

Of a triaged file the identifiers that `triage anonymise` would find count as replaced. An
anonymised file shows them as tags; which spellings they were, and where surrogates stand, only its
table of replacements tells.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from triage.data import MessageFile, as_text

from ..anonymise.entity import short_forms
from ..anonymise.first_pass import judged_rows
from ..anonymise.key_table import read_key_table
from ..decide.corpus import CorpusPass, ScoredChunk, StartProgress, used_chunks
from ..decide.find import find
from ..decide.pipeline import ScoredMessages, Triage
from ..decide.source import Source, check_rejects, whole_chunks
from ..errors import TriageError
from ..model.annotated import FINAL_ACTION, sender_position
from ..settings import Ambiguous
from ..vocabulary import IdentifierType, Span, Spans
from .corpus import Corpus, read_corpus
from .known import Known, known_of, replaced_spellings

_Weights = Mapping[int, float]


@dataclass
class _Read:
    """The messages of a file, where identifiers are sure, and the evidence of their words."""

    texts: list[str] = field(default_factory=list)
    spans: list[Spans] = field(default_factory=list)
    evidence: list[_Weights] = field(default_factory=list)


def mined(
    source: Source,
    triage: Triage | None = None,
    key_table: str | None = None,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> tuple[Corpus, list[Known]]:
    """Read what is mined, and the spellings that are known without any answer."""
    with source.open() as file:
        read = _weighed(file, source, triage, progress, jobs) if triage else _plain(file)
    known = known_of(read.texts, read.spans)
    spans = read.spans
    if key_table is not None:
        rows = read_key_table(key_table)
        known += _replaced(rows, key_table)
        spans = _with_surrogates(read.texts, spans, rows)
    corpus = read_corpus(read.texts, spans, read.evidence if triage else None)
    return corpus, known


def _plain(file: MessageFile) -> _Read:
    read = _Read()
    for chunk in file.chunks():
        read.texts += chunk.texts
    check_rejects(file)
    read.spans = [()] * len(read.texts)
    return read


def _weighed(
    file: MessageFile, source: Source, triage: Triage, progress: StartProgress | None, jobs: int
) -> _Read:
    is_triaged = bool({FINAL_ACTION, "action"} & {*file.columns})
    sender = sender_position(file.columns, source.reading.sender_column, file.name)
    corpus = CorpusPass(whole_chunks(file, sender), file.lines, jobs=jobs)
    read = _Read()
    with used_chunks(triage, corpus, _Look(file, is_triaged), progress) as chunks:
        for chunk in chunks:
            for all_rows, rows in zip(vars(read).values(), vars(chunk).values(), strict=True):
                all_rows.extend(rows)
    return read


@dataclass(frozen=True)
class _Look:
    """Reads a scored chunk, perhaps in a worker process."""

    file: MessageFile
    is_triaged: bool

    def __call__(self, seen: ScoredChunk) -> _Read:
        chunk, scored = seen
        spans: list[Spans] = [()] * len(chunk.texts)
        if self.is_triaged:
            found = find(scored, [*judged_rows(self.file, chunk)], Ambiguous.HOLD)
            spans = [tuple(Span(i.start, i.end, i.type) for i in one.identifiers) for one in found]
        return _Read([*chunk.texts], spans, [*evidence_by_start(scored)])


def evidence_by_start(scored: ScoredMessages) -> list[dict[int, float]]:
    """Return the evidence of the words of each message, by their starts."""
    evidence: list[dict[int, float]] = [{} for _ in scored.labelled.messages]
    words = scored.labelled.words
    places = zip(words.message.tolist(), words.start.tolist(), scored.evidence, strict=True)
    for message, start, weight in places:
        evidence[message][start] = weight or 0.0
    return evidence


def _replaced(rows: Iterable[Mapping[str, object]], name: str) -> list[Known]:
    spelled = [(as_text(row["identifier"]), as_text(row.get("type"))) for row in rows]
    if not all(type_ in IdentifierType.__members__ for _, type_ in spelled):
        raise TriageError(f"{name} is no table of triage anonymise: it lacks types of identifiers")
    return replaced_spellings((text, IdentifierType(type_)) for text, type_ in spelled)


def _with_surrogates(
    texts: Sequence[str], spans: Sequence[Spans], rows: Iterable[Mapping[str, object]]
) -> list[Spans]:
    """Add where the replacements of a table stand, in the rows that it says were written."""
    of_row: defaultdict[str, list[tuple[str, IdentifierType]]] = defaultdict(list)
    for row in rows:
        of_row[as_text(row.get("written"))].append(
            (as_text(row["replacement"]), IdentifierType(as_text(row["type"])))
        )
    return [
        (*known, *_stand(text, of_row.get(str(number), [])))
        for number, (text, known) in enumerate(zip(texts, spans, strict=True), 1)
    ]


def _stand(text: str, replacements: Iterable[tuple[str, IdentifierType]]) -> Iterable[Span]:
    at = 0
    for replacement, type_ in replacements:
        start = text.find(replacement, at) if replacement else -1
        if start >= 0:
            at = start + len(replacement)
            yield Span(start, at, type_)


def short_forms_of(triage: Triage | None) -> Mapping[str, str]:
    """Return the short forms of first names that are known; none without a language."""
    return short_forms(triage.lexicon.pack) if triage else {}
