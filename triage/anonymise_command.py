"""``triage anonymise`` and ``triage check``: treatment on the command line."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import chosen, files_read, formula_warning, load_triage, progress_bar
from .errors import TriageError
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
    from .anonymise.check import Checked, Sought
    from .anonymise.coherence import Finding
    from .anonymise.records import StyleName
    from .anonymise.run import Treated, Treatment
    from .weighed import Source


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
            help="Words on which the votes differ, and messages that wait for the expert: mask, "
            "keep, or ask (refuse until the queue is cleared).",
        ),
    ] = "mask",
    key: Annotated[
        Path | None,
        typer.Option("--key", help="The key file of consistent and surrogate; --new-key makes it."),
    ] = None,
    new_key: Annotated[
        bool, typer.Option("--new-key", help="Make the key file that --key names.")
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
    names: NamesOption = [],  # noqa: B006 (typer copies it)
    words: WordsOption = [],  # noqa: B006
    model: ModelOption = None,
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the messages with their identifiers replaced; the rest stays as it is.

    What people marked is replaced, what is known by its form, what the votes are sure of, and in
    messages that are TA what carried that decision. A TA message in which nothing was found is
    held back. Columns that this program added are left out: they show the words.
    """
    from .anonymise.find import Ambiguous
    from .anonymise.pseudonyms import style_of, write_entities
    from .anonymise.records import StyleName
    from .anonymise.run import Treatment, find_all
    from .anonymise.run import anonymise as anonymise_all
    from .anonymise.styles import StyleContext
    from .weighed import Source

    name = chosen(StyleName, style, "--style")
    if name is StyleName.PAPER and not reversible:
        raise TriageError(
            "--style paper numbers names by a public dictionary: anyone can read them back; "
            "add --reversible if that is meant"
        )
    read = Source(source, text_column, id_column, sender_column, encoding, separator)
    how = chosen(Ambiguous, ambiguous, "--ambiguous")
    treatment = Treatment(read, output, how, key_table, overwrite)
    _check_paths(treatment, [*files_read(names, words, model)], key, entities)
    secret = _key(name, key, new=new_key)
    triage = load_triage(names, words, model)
    with progress_bar(quiet) as progress, read.open() as file:
        corpus = find_all(file, treatment, triage, progress)
        context = StyleContext(
            triage.lexicon, secret, [*corpus.spellings], corpus.words, per_sender
        )
        if entities and not entities.exists():
            table = write_entities(entities, corpus, name, context)
            told = (
                f"{len(table.entries):,} spellings written to {entities}: say in it what they "
                "stand for and what becomes of them, then run the same command again"
            )
        else:
            style_, findings = style_of(corpus, name, context, entities, show=show)
            _check(findings, refuse=entities is not None and not force)
            told = _told(anonymise_all(file, treatment, corpus, style_), name, as_json)
    if not quiet:
        typer.echo(told, err=output == "-")


def _check_paths(
    treatment: "Treatment", lists: list[Path], key: Path | None, entities: Path | None
) -> None:
    """Check where everything goes, before any work: a key and a table are read, or made."""
    tables = [path for path in (key, entities) if path]
    treatment.check_paths(
        also_read=[*lists, *(path for path in tables if path.exists())],
        also_written=[path for path in tables if not path.exists()],
    )


def _key(name: "StyleName", path: Path | None, *, new: bool) -> bytes:
    """Return the key of a style that needs one, from its file, which is made where asked for."""
    from .anonymise.keys import make_key, read_key
    from .anonymise.records import StyleName

    if name not in (StyleName.CONSISTENT, StyleName.SURROGATE):
        return b""
    if path is None:
        raise TriageError(
            f"--style {name} needs a key, from which its replacements follow: name its file with "
            "--key, and add --new-key to make it"
        )
    if new:
        return make_key(path)
    # A name mistyped would otherwise give other replacements than those there are.
    if not path.exists():
        raise TriageError(
            f"there is no key file {path}: name the one that you have, or add --new-key to make it"
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


def _told(treated: "Treated", name: "StyleName", as_json: bool) -> str:
    """Say what became of a file, without a name."""
    counts = [
        {"type": kind, "rule": rule, "identifiers": n}
        for (kind, rule), n in sorted(treated.replaced.items())
    ]
    if as_json:
        told = vars(treated) | {"replaced": counts, "style": name.value}
        return json.dumps(told, ensure_ascii=False)
    lines = [
        f"{treated.rows_read:,} messages read, {treated.rows_written:,} written to "
        f"{treated.output}, {treated.rows_held:,} held back",
        f"{sum(treated.replaced.values()):,} identifiers replaced in {treated.changed:,} messages, "
        f"in the style {name}",
        "",
        f"{'type':<6} {'found by':<12} {'identifiers':>11}",
        *(f"{row['type']:<6} {row['rule']:<12} {row['identifiers']:>11,}" for row in counts),
        "",
        f"columns written: {', '.join(treated.columns)}",
    ]
    if treated.held:
        lines.append(
            f"Messages that are TA, but in which nothing was found, are listed in {treated.held}"
        )
    if treated.formulas:
        lines.append(formula_warning(treated.formulas))
    return "\n".join(lines)


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
    """Look for what an anonymised file still holds; exit code 1 if something certain is left.

    Certain: a spelling that was replaced elsewhere, or an identifier known by its form. Likely: a
    variant of such a spelling. Possible: other names of the dictionaries.
    """
    from .anonymise.check import check as check_file
    from .weighed import Source

    if (against is None) == (key_table is None):
        raise TriageError("say what was replaced: the messages with --against, or --key-table")
    after = Source(source, text_column, id_column, None, encoding, separator)
    with after.open() as file:
        sought = _sought(after, against, key_table)
        found = check_file(file, sought, load_triage(names, words, None))
    if as_json:
        left = [
            vars(one) if show else {k: v for k, v in vars(one).items() if k != "text"}
            for one in found.left
        ]
        typer.echo(json.dumps({"rows": found.rows, "replaced": found.replaced, "left": left}))
    else:
        typer.echo("\n".join(_found_lines(found, show=show)))
    if not found.is_clean:
        raise typer.Exit(1)


def _sought(after: "Source", against: str | None, key_table: str | None) -> "Sought":
    from .anonymise.check import (
        read_key_table,
        read_pairs,
        sought_in_key_table,
        sought_in_originals,
    )

    if key_table:
        return sought_in_key_table(read_key_table(key_table))
    return sought_in_originals(read_pairs(replace(after, path=against or ""), after))


def _found_lines(found: "Checked", *, show: bool) -> Sequence[str]:
    lines = [
        f"{found.rows:,} rows looked through for {found.replaced:,} spellings that were replaced"
    ]
    counts = found.counts()
    lines += [f"{severity:<9} {n:>7,}  {reason}" for (severity, reason), n in counts.items()]
    if show:
        lines += [
            f"row {one.row}, {one.column}: {one.text} ({one.severity}: {one.reason})"
            for one in found.left
        ]
    elif found.left:
        lines.append("--show prints them, row by row")
    lines.append("clean: nothing certain is left" if found.is_clean else "NOT clean")
    return lines
