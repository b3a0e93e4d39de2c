"""``triage anonymise``: the replacement of identifiers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TriageError, chosen
from .console import PrintOptions, formula_warning, progress_bar
from .options import JobsOption, OverwriteOption, SourceOptions, TriagedOptions, processes
from .plan import PlanOption

if TYPE_CHECKING:
    from ..anonymise.coherence import Finding
    from ..anonymise.columns import Columns
    from ..anonymise.first_pass import AnonymiseRequest
    from ..anonymise.held import Reason
    from ..anonymise.plan import Plan
    from ..anonymise.run import Anonymised
    from ..anonymise.styles import Styles
    from .results import EntitiesWritten

_LONGEST_NAME = 24
_MOST_NAMES = 30


@dataclass(frozen=True)
class ColumnOptions:
    """The columns of the output."""

    keep: Annotated[
        list[str],
        typer.Option("--keep", metavar="COLUMN", help="Also write this column; repeatable."),
    ] = field(default_factory=list)
    as_it_is: Annotated[
        list[str],
        typer.Option(
            "--as-it-is",
            metavar="COLUMN",
            help="Write this column even if identifiers are found in it; repeatable.",
        ),
    ] = field(default_factory=list)
    pseudonym: Annotated[
        list[str],
        typer.Option(
            "--pseudonym",
            metavar="COLUMN",
            help="Write pseudonyms in place of what is in this column, the same as of senders; "
            "repeatable.",
        ),
    ] = field(default_factory=list)
    sender: Annotated[str, "Senders: pseudonym (such as S0001), keep or drop."] = "pseudonym"
    dates: Annotated[
        str,
        "Dates: keep, day, month, year, shift (by a number of days, the same for all "
        "messages of a sender) or drop.",
    ] = "keep"
    ids: Annotated[str, "Message ids: keep, or number (replace by the row number)."] = "keep"
    date_column: Annotated[str | None, "Column of dates; detected by default."] = None

    def columns(self) -> "Columns":
        """Return the choice as the library takes it."""
        from ..anonymise.cells import Dates
        from ..anonymise.columns import Columns, Ids, Senders

        return Columns(
            tuple(self.keep),
            tuple(self.as_it_is),
            tuple(self.pseudonym),
            chosen(Senders, self.sender, "--sender"),
            chosen(Dates, self.dates, "--dates"),
            chosen(Ids, self.ids, "--ids"),
            self.date_column,
        )


@dataclass(frozen=True)
class StyleOptions:
    """The style of replacement, its key and its tables."""

    style: Annotated[
        str | None,
        "tag (default, <PRE_7>), mask (xxxxxxx), consistent (<PRE_7_k3>), surrogate (Fabrice) or "
        "paper (<PRE_7_4895>).",
    ] = None
    key: Annotated[
        Path | None,
        "Key file, needed by consistent and surrogate. If given, pseudonyms of senders "
        "and shifts of dates depend on it too.",
    ] = None
    new_key: Annotated[bool, "Create the key file, which must not exist yet."] = False
    per_sender: Annotated[
        bool,
        "Keep pseudonyms consistent within the messages of a sender only, not in the whole file.",
    ] = False
    reversible: Annotated[
        bool,
        "Required by --style paper: accept that anyone can look the names up in the "
        "public dictionary.",
    ] = False
    entities: Annotated[
        Path | None,
        "Table of entities and their replacements: created for you to edit if it does "
        "not exist, else applied.",
    ] = None
    force: Annotated[bool, "Apply the table of entities even if inconsistent."] = False
    show: Annotated[bool, "Show real names in warnings about the table."] = False

    def styles(self, plan: "Plan") -> "Styles":
        """Return the styles: the one that was named, else those of the plan."""
        from ..anonymise.styles import StyleName

        styles = plan.styles_of(
            None if self.style is None else chosen(StyleName, self.style, "--style")
        )
        if StyleName.PAPER in styles.used and not self.reversible:
            raise TriageError(
                "--style paper numbers names by a public dictionary, in which anyone can look them "
                "up; add --reversible to accept that"
            )
        return styles


def anonymise(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    output: Annotated[str, typer.Option("--output", "-o", help="Output file.")],
    styling: StyleOptions,
    columns: ColumnOptions,
    read: SourceOptions,
    triaged: TriagedOptions,
    printing: PrintOptions,
    plan: PlanOption = None,
    ambiguous: Annotated[
        str,
        "Words in doubt in TA messages: hold (hold their messages back), mask, keep, or ask "
        "(refuse to run while there are any, or messages that wait for the expert).",
    ] = "hold",
    hold: Annotated[
        str,
        "Messages to hold back: undecided (those that wait for the expert, those that the plan "
        "asks about, and TA messages with a word in doubt or nothing to replace), ta (TA with "
        "nothing to replace only) or none.",
    ] = "undecided",
    key_table: Annotated[
        str | None, "Write a key table of all replacements, readable by you only."
    ] = None,
    document: Annotated[
        Path | None,
        "TEI document that FILE was read from: it is the output, unchanged but for its messages.",
    ] = None,
    markup: Annotated[
        str,
        "With --document, what stands for an identifier: text (its replacement), name (in a name "
        "element of its type) or gap (a gap element alone).",
    ] = "text",
    overwrite: OverwriteOption = False,
    jobs: JobsOption = None,
) -> None:
    """Replace the identifiers in messages.

    FILE is the output of triage classify or triage queue apply. Every other character of the
    messages stays as it is. Replaced are the marks of annotators, pattern-matched identifiers and
    words with strong evidence. Messages that wait for the expert, and TA messages with a word in
    doubt or with nothing to replace, are held back and listed. The output has the messages, their
    ids and dates, pseudonyms of the senders, and the columns of --keep. Beside it, a record tells
    what was done, without any message or name.
    """
    from triage.data.tei_edition import Markup

    from ..anonymise.coherence import checked_style
    from ..anonymise.first_pass import AnonymiseRequest, find_all
    from ..anonymise.held import Hold
    from ..anonymise.keys import make_key
    from ..anonymise.own_names import confirmed_names, own_names, suggested
    from ..anonymise.plan import Plan
    from ..anonymise.record_of_run import About, decided_of, style_options
    from ..anonymise.run import anonymise as anonymise_all
    from ..anonymise.styles import StyleContext, make_styles
    from ..anonymise.table import build_table, read_table, write_table
    from ..decide.find import Ambiguous

    planned: Plan = plan or Plan()
    styles = styling.styles(planned)
    request = AnonymiseRequest(
        read.source(source),
        output,
        chosen(Ambiguous, ambiguous, "--ambiguous"),
        key_table,
        chosen(Hold, hold, "--hold"),
        columns.columns(),
        planned.treating(),
        overwrite=overwrite,
        jobs=processes(jobs),
        document=str(document) if document else None,
        markup=chosen(Markup, markup, "--markup"),
    )
    key, entities, models = styling.key, styling.entities, triaged.of_run(source)
    _check_paths(request, [*models.paths, *planned.read_from], key, entities)
    secret = _key(styles, key, is_new=styling.new_key)
    triage = models.of_messages(request.source.first_messages).load()
    with progress_bar(printing.quiet) as progress, request.source.open() as file:
        seen = find_all(file, request, triage, progress)
        if key and styling.new_key:
            secret = make_key(key)
        context = StyleContext(
            triage.lexicon, secret, [*seen.spellings], seen.words, styling.per_sender
        )
        if entities and not entities.exists():
            own = own_names(seen.signatures, seen.spellings, context)
            table = build_table(seen.spellings, make_styles(styles, context), context)
            write_table(entities, suggested(table, own))
            written: EntitiesWritten = {
                "entities": str(entities),
                "spellings": len(table.entries),
                "own_names": len(own),
            }
            printing.show(written, [_entities_line(styling, written)], err=output == "-")
            return
        edited = read_table(entities) if entities else None
        style, findings = checked_style(seen.spellings, styles, context, edited, show=styling.show)
        _check(findings, refuse=entities is not None and not styling.force)
        tied, warning = confirmed_names(edited, style, seen.survey.senders)
        if warning:
            typer.echo(f"triage: warning: {warning}", err=True)
        options = style_options(
            per_sender=styling.per_sender, entities=entities is not None, force=styling.force
        )
        about = About(triage, styles, options | planned.told(), decided_of(source))
        treated = anonymise_all(file, replace(request, key=secret), seen, style, about, tied)
    lines = _lines(treated, styles, request.source.path)
    printing.show(_facts(treated, styles, planned), lines, err=output == "-")


def _entities_line(styling: StyleOptions, written: "EntitiesWritten") -> str:
    n_spellings, n_own = written["spellings"], written["own_names"]
    own = (
        f". The column name_of says of {n_own:,} {'name' if n_own == 1 else 'names'} whose own it "
        "seems to be: confirm it with yes to tie the name to this sender's pseudonym"
        if n_own
        else ""
    )
    return (
        f"{n_spellings:,} spellings written to {styling.entities}: say in it what they stand for "
        "and what becomes of them, then run the same command again"
        f"{', without --new-key' if styling.new_key else ''}{own}"
    )


def _check_paths(
    request: "AnonymiseRequest", lists: list[Path], key: Path | None, entities: Path | None
) -> None:
    """Check all paths before any work; a key and a table of entities are inputs if they exist."""
    tables = [path for path in (key, entities) if path]
    request.check_paths(
        also_read=[*lists, *(path for path in tables if path.exists())],
        also_written=[path for path in tables if not path.exists()],
    )


def _key(styles: "Styles", path: Path | None, *, is_new: bool) -> bytes:
    """Return the key in a key file, empty without one; raise TriageError if options conflict."""
    from ..anonymise.keys import read_key

    if path is None:
        if is_new or styles.needs_key:
            raise TriageError(
                f"{'--new-key' if is_new else f'--style {styles}'} needs a key file: name it with "
                "--key, and add --new-key to make it"
            )
        return b""
    if is_new:
        if path.exists():
            raise TriageError(
                f"the key file {path} is there already: leave --new-key out to use it"
            )
        return b""
    if not path.exists():
        raise TriageError(
            f"there is no key file {path}: correct its name, or add --new-key to create it"
        )
    return read_key(path)


def _check(findings: "list[Finding]", *, refuse: bool) -> None:
    """Print the inconsistencies of the replacements, and raise TriageError on any if asked."""
    for finding in findings:
        typer.echo(f"triage: warning: {finding}", err=True)
    if findings and refuse:
        raise TriageError("nothing was written: correct the table, or add --force")


def _facts(treated: "Anonymised", styles: "Styles", plan: "Plan") -> dict[str, Any]:
    replaced = [row | {"severity": plan.severity[row["type"]]} for row in _counts(treated)]
    return vars(treated) | {"replaced": replaced, "style": str(styles)}


def _counts(treated: "Anonymised") -> list[dict[str, Any]]:
    return [
        {"type": kind, "rule": rule, "identifiers": n}
        for (kind, rule), n in sorted(treated.replaced.items())
    ]


def _lines(treated: "Anonymised", styles: "Styles", source: str) -> Iterator[str]:
    yield (
        f"{treated.rows_read:,} messages read, {treated.rows_written:,} written to "
        f"{treated.output}, {treated.rows_held:,} held back"
    )
    yield from _held_lines(treated, source)
    yield (
        f"{sum(treated.replaced.values()):,} identifiers replaced in {treated.changed:,} messages, "
        f"in the style {styles}"
    )
    if treated.left:
        left = ", ".join(f"{place}: {n:,}" for place, n in sorted(treated.left.items()))
        yield f"left in the document beside its messages, for you to look at: {left}"
    if treated.kept:
        kept = ", ".join(f"{n:,} {kind}" for kind, n in sorted(treated.kept.items()))
        yield f"left standing, as the plan says: {kept}"
    yield from ("", f"{'type':<6} {'found by':<12} {'identifiers':>11}")
    for row in _counts(treated):
        yield f"{row['type']:<6} {row['rule']:<12} {row['identifiers']:>11,}"
    yield from ("", f"columns written: {_listed(treated.columns)}")
    if treated.dropped:
        yield f"columns dropped: {_listed(treated.dropped)} (--keep COLUMN writes one)"
    if treated.record:
        yield f"The record of this, without any message or name, is {treated.record}"
    if treated.formulas:
        yield formula_warning(treated.formulas)


def _held_lines(treated: "Anonymised", source: str) -> Iterator[str]:
    """Yield the numbers of messages held back, or written all the same, and what to do."""
    from ..anonymise.held import Reason
    from ..model.annotated import FINAL_ACTION

    is_final = FINAL_ACTION in (*treated.columns, *treated.dropped)
    to_do = {
        Reason.WAITS: "decide them in their queue (triage review), then triage queue apply again"
        if is_final
        else f"triage queue create {source} -o work.queue, then triage review work.queue, triage "
        "queue apply work.queue -o final.csv, and anonymise final.csv",
        Reason.NOTHING_FOUND: "mark their words on the review page (table, state: all)",
        Reason.IN_DOUBT: "mark their words on the review page (table, state: all), or replace them "
        "with --ambiguous mask",
        Reason.ASKED: "mark on the review page what is to be replaced in them, or say replace or "
        "keep in the plan",
    }
    for reason in Reason:
        if n := treated.held_back[reason]:
            yield f"{_messages(n, reason)}: {to_do[reason]}"
        if n := treated.released[reason]:
            yield f"{_messages(n, reason)}: WRITTEN"
    if treated.held:
        yield f"They are listed in {treated.held}, by row and id"


def _messages(n: int, reason: "Reason") -> str:
    from ..anonymise.held import Reason

    what, wait, hold = ("message", "waits", "holds") if n == 1 else ("messages", "wait", "hold")
    return {
        Reason.WAITS: f"{n:,} {what} {wait} for the expert",
        Reason.NOTHING_FOUND: f"{n:,} TA {what} in which nothing was found to replace",
        Reason.IN_DOUBT: f"{n:,} TA {what} with a word in doubt",
        Reason.ASKED: f"{n:,} {what} {hold} identifiers of types that the plan asks about",
    }[reason]


def _listed(columns: Sequence[str]) -> str:
    """Return the names of columns; long ones are left out, as they may be messages."""
    shown = (name if len(name) <= _LONGEST_NAME else "…" for name in columns[:_MOST_NAMES])
    more = len(columns) - _MOST_NAMES
    return ", ".join([*shown, *([f"and {more:,} more"] if more > 0 else [])])
