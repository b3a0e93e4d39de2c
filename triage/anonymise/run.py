"""Anonymise a triaged file: what ``triage anonymise`` does, for Python."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from triage.data import (
    Chunk,
    MessageFile,
    OutputFile,
    as_text,
    check_targets,
    commit_all,
    create_output,
)
from triage.dictionaries.normal import folded

from ..decide.corpus import StartProgress, weighed_chunks
from ..decide.pipeline import Triage
from ..decide.source import STANDARD_STREAM, Source, SplitChunk, whole_chunks
from ..errors import TriageError
from ..model.labelled import DECIDED_BY, FINAL_ACTION, FINAL_SPANS, MACHINE, senders_of
from ..vocabulary import Action, Spans, check_spans, parse_spans
from .columns import Cells, Columns, position_of
from .find import Ambiguous, Found, Judged, find
from .held import HeldMessage, Hold, Reason, held_list, held_path, reason_of
from .records import Identifier, Spelling, Style
from .survey import Survey

KEY_COLUMNS = ("row", "id", "start", "end", "type", "rule", "identifier", "replacement")


@dataclass(frozen=True)
class Treatment:
    """A file to anonymise, and how.

    Parameters
    ----------
    source : Source
    output : str
    ambiguous : Ambiguous
    key_table : str, optional
        Where the table of replacements goes, for the holder of the data alone.
    hold : Hold
        Which messages are not written.
    columns : Columns
        Which columns are written beside the messages.
    key : bytes
        From which pseudonyms of senders and shifts of dates follow; by default from the content
        of the whole file.
    overwrite : bool, default False
        Whether outputs that exist are replaced.
    """

    source: Source
    output: str
    ambiguous: Ambiguous = Ambiguous.MASK
    key_table: str | None = None
    hold: Hold = Hold.UNDECIDED
    columns: Columns = field(default_factory=Columns)
    key: bytes = b""
    overwrite: bool = False

    @property
    def held(self) -> str:
        """Return where the messages are listed that are held back."""
        return str(held_path(self.output))

    def check_paths(
        self, also_read: Iterable[Path] = (), also_written: Iterable[Path] = ()
    ) -> None:
        """Check that all outputs can be written, and replace nothing unasked.

        Parameters
        ----------
        also_read, also_written : iterable of Path
            Lists, a model, a key, a table of entities.

        Raises
        ------
        DataError
            If an output is one of the inputs, exists and may not be replaced, or cannot be written.
        """
        outputs = (self.output, self.key_table, self.held, *also_written)
        check_targets(outputs, [self.source.path, *also_read], overwrite=self.overwrite)


@dataclass
class Treated:
    """What became of a file.

    Parameters
    ----------
    output : str
    rows_read, rows_written, rows_held : int
        The first is the sum of the others.
    held : str
        Where the rows are listed that were, or should have been, held back; empty without any.
    held_back, released : dict of Reason to int
        Messages that were held back, and those that `Treatment.hold` has written all the same.
    columns, dropped : list of str
        Those of the output, and the others of the input.
    changed : int
        Messages in which something was replaced.
    replaced : dict of (str, str) to int
        Identifiers by type and by the rule that found them.
    formulas : dict of str to int
        Cells of the output, by column, that a spreadsheet may take for formulas.
    """

    output: str
    rows_read: int = 0
    rows_written: int = 0
    rows_held: int = 0
    held: str = ""
    held_back: Counter[Reason] = field(default_factory=Counter)
    released: Counter[Reason] = field(default_factory=Counter)
    columns: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    changed: int = 0
    replaced: Counter[tuple[str, str]] = field(default_factory=Counter)
    formulas: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Corpus:
    """The identifiers of a whole file, before any is replaced.

    Parameters
    ----------
    survey : Survey
        Of its columns.
    found : list of Found, length n_messages
    judged : list of Judged, length n_messages
    spellings : dict of Spelling to int
        How often each is to be replaced.
    words : set of str
        All that occur, without case and accents.
    """

    survey: Survey
    found: list[Found] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    spellings: Counter[Spelling] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)

    @property
    def waiting(self) -> int:
        """Messages that nobody has decided yet, or that hold a word on which the votes differ."""
        return sum(
            judged.action is Action.EXPERT or found.ambiguous > 0
            for found, judged in zip(self.found, self.judged, strict=True)
        )


def find_all(
    file: MessageFile,
    treatment: Treatment,
    triage: Triage,
    progress: StartProgress | None = None,
) -> Corpus:
    """Find the identifiers of a whole file.

    Parameters
    ----------
    file : MessageFile
    treatment : Treatment
    triage : Triage
    progress : callable, optional
        As for `triage.decide.corpus.weighed_chunks`.

    Raises
    ------
    DataError
        If the file cannot be read, or an output cannot be written.
    TriageError
        If it was not triaged, holds actions or spans that are none, or a column that is to be
        written may not be (`triage.anonymise.survey.Survey`).
    """
    treatment.check_paths()
    _check_triaged(file)
    survey = Survey(file, treatment.columns, triage.labeller, treatment.source.sender_column)
    corpus = Corpus(survey)
    chunks = survey.added(whole_chunks(file, survey.plan.sender))
    with weighed_chunks(triage, chunks, file.lines, progress) as weighed:
        for chunk, scored in weighed:
            judged = list(_judged(file, chunk))
            found = find(scored, judged, treatment.ambiguous)
            corpus.words.update(folded(word.text) for word in scored.labelled.labels)
            corpus.judged.extend(judged)
            corpus.found.extend(found)
            for one, text, who in zip(found, chunk.texts, chunk.senders, strict=True):
                corpus.spellings.update(
                    Spelling(text[i.start : i.end], i.type, who) for i in one.identifiers
                )
    return corpus


def _check_triaged(file: MessageFile) -> None:
    if not {FINAL_ACTION, "action"} & {*file.columns}:
        raise TriageError(
            f"{file.name} has no column 'action': what is anonymised is what triage classify or "
            "triage queue apply wrote"
        )


def _judged(file: MessageFile, chunk: SplitChunk) -> Iterator[Judged]:
    """Read what was decided of each message."""
    at = file.columns.index(FINAL_ACTION if FINAL_ACTION in file.columns else "action")
    by, spans = position_of(file, DECIDED_BY), position_of(file, FINAL_SPANS)
    for row, text, line in zip(chunk.rows, chunk.texts, chunk.lines, strict=True):
        by_people = by is not None and as_text(row[by]) not in ("", MACHINE)
        action, marked = as_text(row[at]), None if spans is None else row[spans]
        if action not in Action.__members__:
            raise TriageError(
                f"{file.name}, line {line}: its action is none of TA, NTA and EXPERT; classify the "
                "messages again"
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


def anonymise(file: MessageFile, treatment: Treatment, corpus: Corpus, style: Style) -> Treated:
    """Write a file with its identifiers replaced; every other character stays as it is.

    What `Treatment.hold` holds back is not written but listed, and so is, marked as written, what
    it lets pass.

    Parameters
    ----------
    file : MessageFile
    treatment : Treatment
    corpus : Corpus
        Of `find_all`.
    style : Style

    Returns
    -------
    Treated

    Raises
    ------
    DataError
        If an output cannot be written.
    TriageError
        If something waits for the expert and `Ambiguous.ASK` was asked for.
    """
    if treatment.ambiguous is Ambiguous.ASK and corpus.waiting:
        raise TriageError(
            f"{corpus.waiting:,} messages wait for the expert or hold an ambiguous word: decide "
            "them (triage queue create, triage review), or say --ambiguous mask or keep"
        )
    treatment.check_paths()
    plan = corpus.survey.plan
    treated = Treated(treatment.output, columns=plan.columns, dropped=plan.dropped)
    writer = _Writer(treatment, corpus, style, treated)
    with _outputs(file, treatment, corpus) as (output, *tables):
        for chunk in file.chunks():
            rows, key_rows = writer.rows(chunk)
            output.write(rows)
            for table in tables:
                table.write(key_rows)
        treated.rows_written, treated.formulas = output.rows_written, dict(output.formulas)
        _commit([*tables, output], treatment, writer.held, treated)
    return treated


def _commit(
    outputs: list[OutputFile], treatment: Treatment, held: list[HeldMessage], treated: Treated
) -> None:
    """Show the outputs together with the list of what was held back, never with an earlier one."""
    if held:
        with held_list(treatment.output, held, overwrite=treatment.overwrite) as listed:
            commit_all([listed, *outputs])
        treated.held = treatment.held
        return
    commit_all(outputs)
    # Nothing stands beside a stream: a list of this name is of something else.
    if treated.output != STANDARD_STREAM:
        held_path(treated.output).unlink(missing_ok=True)


@contextmanager
def _outputs(file: MessageFile, treatment: Treatment, corpus: Corpus) -> Iterator[list[OutputFile]]:
    """Open the output and, where it is wanted, the key table, which only its owner may read."""
    plan = corpus.survey.plan
    output = create_output(
        treatment.output,
        plan.columns,
        like=plan.dialect(file.dialect),
        mode_from=treatment.source.path,
        overwrite=treatment.overwrite,
    )
    with ExitStack() as stack:
        outputs = [stack.enter_context(output)]
        if treatment.key_table:
            table = create_output(
                treatment.key_table,
                KEY_COLUMNS,
                private=True,
                guard_formulas=True,
                overwrite=treatment.overwrite,
            )
            outputs.append(stack.enter_context(table))
        yield outputs


class _Writer:
    """Turns rows into what is written of them."""

    def __init__(
        self, treatment: Treatment, corpus: Corpus, style: Style, treated: Treated
    ) -> None:
        columns = corpus.survey
        self.held: list[HeldMessage] = []
        self._hold = treatment.hold
        self._plan = columns.plan
        self._cells = Cells(columns.plan, columns.senders, treatment.key or columns.fingerprint)
        self._corpus = corpus
        self._style = style
        self._treated = treated

    def rows(self, chunk: Chunk) -> tuple[list[list[object]], list[list[object]]]:
        """Return the rows of a chunk as they are written, and those of the key table."""
        rows: list[list[object]] = []
        key_rows: list[list[object]] = []
        senders = senders_of(chunk.rows, self._plan.sender)
        for row, text, id_, sender in zip(chunk.rows, chunk.texts, chunk.ids, senders, strict=True):
            self._treated.rows_read += 1
            number = self._treated.rows_read
            identifiers = self._corpus.found[number - 1].identifiers
            if self._is_held(number, id_):
                continue
            pairs = [(i, self._replacement(i, text, sender)) for i in identifiers]
            self._treated.changed += bool(pairs)
            self._treated.replaced.update((i.type.value, i.rule) for i, _ in pairs)
            written = replaced(text, pairs) if pairs else row[self._plan.text]
            rows.append(self._cells.of(row, number, sender, written))
            key_rows += [
                [number, id_, i.start, i.end, i.type.value, i.rule, text[i.start : i.end], r]
                for i, r in pairs
            ]
        return rows, key_rows

    def _replacement(self, identifier: Identifier, text: str, sender: str) -> str:
        written = text[identifier.start : identifier.end]
        return self._style.replacement(Spelling(written, identifier.type, sender))

    def _is_held(self, number: int, id_: str) -> bool:
        """Tell whether a message is held back; list it where it is or should be."""
        found, judged = self._corpus.found[number - 1], self._corpus.judged[number - 1]
        reason = reason_of(judged.action, anything_found=bool(found.identifiers))
        if reason is None:
            return False
        is_held = self._hold.holds(reason)
        self.held.append(HeldMessage(number, id_, reason, written=not is_held))
        (self._treated.held_back if is_held else self._treated.released)[reason] += 1
        self._treated.rows_held += is_held
        return is_held


def replaced(text: str, replacements: Sequence[tuple[Identifier, str]]) -> str:
    """Return a text with its identifiers replaced.

    Parameters
    ----------
    text : str
    replacements : sequence of (Identifier, str)
        In order; none overlaps another.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> patrice = Identifier(7, 14, IdentifierType.PRE, "dictionary")
    >>> replaced("Coucou Patrice, ça va?", [(patrice, "<PRE_7>")])
    'Coucou <PRE_7>, ça va?'
    """
    pieces, at = [], 0
    for identifier, replacement in replacements:
        pieces += [text[at : identifier.start], replacement]
        at = identifier.end
    return "".join([*pieces, text[at:]])


def anonymise_file(
    treatment: Treatment,
    triage: Triage,
    style: Callable[[Corpus], Style],
    progress: StartProgress | None = None,
) -> Treated:
    """Anonymise a file: find all identifiers first, then replace them.

    Parameters
    ----------
    treatment : Treatment
    triage : Triage
    style : callable
        Given what is to be replaced, returns the style.
    progress : callable, optional
        As for `find_all`.

    Returns
    -------
    Treated

    Raises
    ------
    DataError, TriageError
        As for `find_all` and `anonymise`.
    """
    with treatment.source.open() as file:
        corpus = find_all(file, treatment, triage, progress)
        return anonymise(file, treatment, corpus, style(corpus))
