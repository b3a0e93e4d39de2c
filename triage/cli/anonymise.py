"""``triage anonymise`` and ``triage check`` on the command line."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TriageError
from .console import chosen, files_read, formula_warning, load_triage, progress_bar
from .options import (
    EncodingOption,
    IdOption,
    JsonOption,
    ModelOption,
    NamesOption,
    OverwriteOption,
    QuietOption,
    SenderOption,
    SeparatorOption,
    TextOption,
    WordsOption,
)

if TYPE_CHECKING:
    from ..anonymise.check import Checked, Left
    from ..anonymise.coherence import Finding
    from ..anonymise.first_pass import AnonymiseRequest
    from ..anonymise.held import Reason
    from ..anonymise.run import Anonymised
    from ..anonymise.styles import StyleName


def anonymise(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="What triage classify or queue apply wrote.")
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write.")],
    style: Annotated[
        str, typer.Option("--style", help="tag, mask, consistent, surrogate or paper.")
    ] = "tag",
    ambiguous: Annotated[
        str,
        typer.Option(
            "--ambiguous",
            help="Words on which the votes differ: mask, keep, or ask (refuse while there are "
            "any, or messages that wait for the expert).",
        ),
    ] = "mask",
    hold: Annotated[
        str,
        typer.Option(
            "--hold",
            help="What is not written: undecided (what waits for the expert, and TA in which "
            "nothing was found), ta (the latter alone) or none.",
        ),
    ] = "undecided",
    keep: Annotated[
        list[str],
        typer.Option("--keep", metavar="COLUMN", help="Write this column, too; repeatable."),
    ] = [],  # noqa: B006 (typer copies it)
    as_it_is: Annotated[
        list[str],
        typer.Option(
            "--as-it-is",
            metavar="COLUMN",
            help="Write this column although names, numbers or the like are found in it; "
            "repeatable.",
        ),
    ] = [],  # noqa: B006
    sender: Annotated[
        str, typer.Option("--sender", help="The senders: pseudonym (S0001), keep or drop.")
    ] = "pseudonym",
    dates: Annotated[
        str,
        typer.Option(
            "--dates",
            help="The dates: keep, day, month, year, shift (by days, the same for all messages "
            "of a sender) or drop.",
        ),
    ] = "keep",
    ids: Annotated[
        str,
        typer.Option("--ids", help="The ids: keep, or number (the number of the row instead)."),
    ] = "keep",
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            help="The key file of consistent and surrogate; pseudonyms of senders and shifts of "
            "dates follow from it, too.",
        ),
    ] = None,
    new_key: Annotated[
        bool, typer.Option("--new-key", help="Make the key file, which must not be there.")
    ] = False,
    per_sender: Annotated[
        bool,
        typer.Option("--per-sender", help="Consistent within a sender only, not the whole file."),
    ] = False,
    reversible: Annotated[
        bool,
        typer.Option(
            "--reversible", help="Yes, who has the dictionary may read --style paper back."
        ),
    ] = False,
    key_table: Annotated[
        str | None,
        typer.Option(
            "--key-table", help="A table of all replacements, which only you may read, goes here."
        ),
    ] = None,
    entities: Annotated[
        Path | None,
        typer.Option(
            "--entities",
            help="The table of what each spelling stands for, and what replaces it: written where "
            "there is none, for you to edit, else followed.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace by the table, incoherent as it may be.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Show real names in warnings of incoherence.")
    ] = False,
    text_column: TextOption = None,
    id_column: IdOption = None,
    sender_column: SenderOption = None,
    date_column: Annotated[
        str | None, typer.Option("--date-column", help="When each message was sent.")
    ] = None,
    names: NamesOption = [],  # noqa: B006
    words: WordsOption = [],  # noqa: B006
    model: ModelOption = None,
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the messages with their identifiers replaced; every other character stays.

    What people marked is replaced, what is known by its form, what the votes are sure of, and in
    messages that are TA what carried that decision. Messages that wait for the expert, and TA in
    which nothing was found, are not written but listed. Of the columns, ids, dates and pseudonyms
    of the senders are written with the messages, and those of --keep.
    """
    from ..anonymise.cells import Dates
    from ..anonymise.coherence import checked_style
    from ..anonymise.columns import Columns, Ids, Senders
    from ..anonymise.find import Ambiguous
    from ..anonymise.first_pass import AnonymiseRequest, find_all
    from ..anonymise.held import Hold
    from ..anonymise.keys import make_key
    from ..anonymise.run import anonymise as anonymise_all
    from ..anonymise.styles import StyleContext, StyleName, make_style
    from ..anonymise.table import build_table, read_table, write_table
    from ..decide.source import Source

    name = chosen(StyleName, style, "--style")
    if name is StyleName.PAPER and not reversible:
        raise TriageError(
            "--style paper numbers names by a public dictionary: anyone can read them back; "
            "add --reversible if that is meant"
        )
    read = Source(source, text_column, id_column, sender_column, encoding, separator)
    columns = Columns(
        tuple(keep),
        tuple(as_it_is),
        chosen(Senders, sender, "--sender"),
        chosen(Dates, dates, "--dates"),
        chosen(Ids, ids, "--ids"),
        date_column,
    )
    treatment = AnonymiseRequest(
        read,
        output,
        chosen(Ambiguous, ambiguous, "--ambiguous"),
        key_table,
        chosen(Hold, hold, "--hold"),
        columns,
        overwrite=overwrite,
    )
    _check_paths(treatment, [*files_read(names, words, model)], key, entities)
    secret = _key(name, key, is_new=new_key)
    triage = load_triage(names, words, model)
    with progress_bar(quiet) as progress, read.open() as file:
        seen = find_all(file, treatment, triage, progress)
        if key and new_key:
            secret = make_key(key)
        context = StyleContext(triage.lexicon, secret, [*seen.spellings], seen.words, per_sender)
        if entities and not entities.exists():
            table = build_table(seen.spellings, make_style(name, context), context)
            write_table(entities, table)
            told = (
                f"{len(table.entries):,} spellings written to {entities}: say in it what they "
                "stand for and what becomes of them, then run the same command again"
                f"{', without --new-key' if new_key else ''}"
            )
        else:
            edited = read_table(entities) if entities else None
            style_, findings = checked_style(seen.spellings, name, context, edited, show=show)
            _check(findings, refuse=entities is not None and not force)
            treated = anonymise_all(file, replace(treatment, key=secret), seen, style_)
            told = _json(treated, name) if as_json else _told(treated, name, read.path)
    if not quiet:
        typer.echo(told, err=output == "-")


def _check_paths(
    treatment: "AnonymiseRequest", lists: list[Path], key: Path | None, entities: Path | None
) -> None:
    """Check where everything goes, before any work: a key and a table are read, or made."""
    tables = [path for path in (key, entities) if path]
    treatment.check_paths(
        also_read=[*lists, *(path for path in tables if path.exists())],
        also_written=[path for path in tables if not path.exists()],
    )


def _key(name: "StyleName", path: Path | None, *, is_new: bool) -> bytes:
    """Return the key of a key file; nothing where there is none, or none yet.

    Raises
    ------
    TriageError
        If the style needs a key and none is named, the file is missing and not to be made, or is
        to be made and there.
    """
    from ..anonymise.keys import read_key
    from ..anonymise.styles import StyleName

    if path is None:
        if is_new or name in (StyleName.CONSISTENT, StyleName.SURROGATE):
            raise TriageError(
                f"{'--new-key' if is_new else f'--style {name}'} needs a key file: name it with "
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
            f"there is no key file {path}: mend its name, or add --new-key to make a new key there"
        )
    return read_key(path)


def _check(findings: "list[Finding]", *, refuse: bool) -> None:
    """Print what is incoherent about the replacements.

    Raises
    ------
    TriageError
        If something is, and that is to be refused.
    """
    for finding in findings:
        typer.echo(f"triage: warning: {finding}", err=True)
    if findings and refuse:
        raise TriageError("nothing was written: mend the table, or add --force")


def _json(treated: "Anonymised", name: "StyleName") -> str:
    """Say what became of a file, for programs."""
    told = vars(treated) | {"replaced": _counts(treated), "style": name.value}
    return json.dumps(told, ensure_ascii=False)


def _counts(treated: "Anonymised") -> list[dict[str, str | int]]:
    return [
        {"type": kind, "rule": rule, "identifiers": n}
        for (kind, rule), n in sorted(treated.replaced.items())
    ]


def _told(treated: "Anonymised", name: "StyleName", source: str) -> str:
    """Say what became of a file, without a name."""
    lines = [
        f"{treated.rows_read:,} messages read, {treated.rows_written:,} written to "
        f"{treated.output}, {treated.rows_held:,} held back",
        *_held_lines(treated, source),
        f"{sum(treated.replaced.values()):,} identifiers replaced in {treated.changed:,} messages, "
        f"in the style {name}",
        "",
        f"{'type':<6} {'found by':<12} {'identifiers':>11}",
        *(
            f"{row['type']:<6} {row['rule']:<12} {row['identifiers']:>11,}"
            for row in _counts(treated)
        ),
        "",
        f"columns written: {_listed(treated.columns)}",
    ]
    if treated.dropped:
        lines.append(f"columns dropped: {_listed(treated.dropped)} (--keep COLUMN writes one)")
    if treated.formulas:
        lines.append(formula_warning(treated.formulas))
    return "\n".join(lines)


def _held_lines(treated: "Anonymised", source: str) -> list[str]:
    """Say what was held back or should have been, and what to do about it."""
    from ..anonymise.held import Reason
    from ..model.labelled import FINAL_ACTION

    is_final = FINAL_ACTION in (*treated.columns, *treated.dropped)
    to_do = {
        Reason.WAITS: "decide them in their queue (triage review), then triage queue apply again"
        if is_final
        else f"triage queue create {source} -o work.queue, then triage review work.queue, triage "
        "queue apply work.queue -o final.csv, and anonymise final.csv",
        Reason.NOTHING_FOUND: "mark their words on the review page (table, state: all)",
    }
    lines = [
        f"{_messages(n, reason)}: {what}"
        for reason in Reason
        for n, what in (
            (treated.held_back[reason], to_do[reason]),
            (treated.released[reason], "WRITTEN"),
        )
        if n
    ]
    if treated.held:
        lines.append(f"They are listed in {treated.held}, by row and id")
    return lines


def _messages(n: int, reason: "Reason") -> str:
    from ..anonymise.held import Reason

    what, wait = ("message", "waits") if n == 1 else ("messages", "wait")
    if reason is Reason.WAITS:
        return f"{n:,} {what} {wait} for the expert"
    return f"{n:,} TA {what} in which nothing was found to replace"


def _listed(columns: Sequence[str]) -> str:
    """Return names of columns as they are shown; a long one may be a message."""
    shown = (name if len(name) <= _LONGEST_NAME else "…" for name in columns[:_MOST_NAMES])
    more = len(columns) - _MOST_NAMES
    return ", ".join([*shown, *([f"and {more:,} more"] if more > 0 else [])])


_LONGEST_NAME = 24
_MOST_NAMES = 30


def check(
    source: Annotated[str, typer.Argument(metavar="FILE", help="What triage anonymise wrote.")],
    against: Annotated[
        str | None, typer.Option("--against", help="The messages before they were anonymised.")
    ] = None,
    key_table: Annotated[
        str | None, typer.Option("--key-table", help="The table of triage anonymise, instead.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print what was found: it may identify people.")
    ] = False,
    text_column: TextOption = None,
    id_column: IdOption = None,
    names: NamesOption = [],  # noqa: B006
    words: WordsOption = [],  # noqa: B006
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look for what an anonymised file still holds; exit code 1 if it is not clean.

    Not clean: messages that wait for the expert, messages that the originals do not have, and what
    is certain, which is a spelling that was replaced elsewhere, or an identifier known by its form.
    Likely: a variant of such a spelling. Possible: other names of the dictionaries. Without
    --against and --key-table, names and forms alone are looked for.
    """
    from triage.dictionaries import Labeller

    from ..anonymise.check import check_output
    from ..decide.lists import load_lists
    from ..decide.source import Source

    if against is not None and key_table is not None:
        raise TriageError("say what was replaced by --against or by --key-table, not by both")
    output = Source(source, text_column, id_column, None, encoding, separator)
    before = None if against is None else replace(output, path=against)
    labeller = Labeller(load_lists("fr", names, words))
    found = check_output(output, labeller, against=before, key_table=key_table)
    typer.echo(_found_json(found, show) if as_json else "\n".join(_found_lines(found, show)))
    if not found.is_clean:
        raise typer.Exit(1)


def _found_json(found: "Checked", show: bool) -> str:
    from ..anonymise.check import Severity

    left = [
        vars(one) if show else {k: v for k, v in vars(one).items() if k != "text"}
        for one in found.left
    ]
    told = {
        "rows": found.rows,
        "replaced": found.replaced,
        "clean": found.is_clean,
        "undecided": found.n_of(Severity.UNDECIDED),
        "added": found.n_of(Severity.ADDED),
        "left": left,
    }
    return json.dumps(told, ensure_ascii=False)


def _found_lines(found: "Checked", show: bool) -> Sequence[str]:
    sought = "names and forms alone: there is nothing to compare with"
    if found.replaced is not None:
        sought = f"{found.replaced:,} spellings that were replaced"
    lines = [f"{found.rows:,} rows looked through for {sought}"]
    counts = found.counts()
    lines += [f"{severity:<9} {n:>7,}  {reason}" for (severity, reason), n in counts.items()]
    if show:
        lines += map(_shown, found.left)
    elif found.left:
        lines.append("--show prints them, row by row")
    lines.append("clean: nothing certain is left" if found.is_clean else "NOT clean")
    return lines


def _shown(left: "Left") -> str:
    row = f"row {left.row}" if left.row else "header"
    what = f", {left.column}: {left.text} " if left.column else ": "
    return f"{row}{what}({left.severity}: {left.reason})"
