"""``triage evaluate``: what the paper measured, on your labelled messages."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import (
    EncodingOption,
    LabelOption,
    OverwriteOption,
    QuietOption,
    SenderOption,
    SeparatorOption,
    TextOption,
)

if TYPE_CHECKING:
    from triage.reports.document import Part

    from .evaluation.corpus import Corpus
    from .evaluation.report import Options, PartName


def evaluate(
    source: Annotated[str, typer.Argument(metavar="FILE", help="Messages labelled TA or NTA.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the page, Markdown, JSON and figures."),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            help="One part: cross-validation, later-messages, infogain, tree, seek-hide, combined, "
            "annotators, comparison, evidence, treatment.",
        ),
    ] = None,
    text_column: TextOption = None,
    label_column: LabelOption = "label",
    second_label: Annotated[
        str | None, typer.Option("--second-label", help="Another annotator's column of labels.")
    ] = None,
    sender_column: SenderOption = None,
    features: Annotated[
        str, typer.Option("--features", help="patel2013 or patel2013-normalised.")
    ] = "patel2013",
    folds: Annotated[int, typer.Option("--folds", min=2, help="Of the cross-validation.")] = 10,
    train_first: Annotated[
        int | None,
        typer.Option(
            "--train-first", help="Messages to learn from; by default 4000, or two thirds if fewer."
        ),
    ] = None,
    test_next: Annotated[
        int, typer.Option("--test-next", min=1, help="Messages behind them, for the paper's test.")
    ] = 2000,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare other models on the same folds.")
    ] = False,
    show_words: Annotated[
        bool,
        typer.Option(
            "--show-words", help="Show the words behind errors: they may identify people."
        ),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same page.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes for --compare.")] = 1,
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
) -> None:
    """Evaluate both methods on labelled messages: the paper's tables, with intervals."""
    from .evaluation.corpus import read_corpus
    from .evaluation.report import Options

    part = _part(only)
    if output:
        _check_folder(output, source, overwrite=overwrite)
    corpus = read_corpus(
        source,
        text_column=text_column,
        label_column=label_column,
        second_label=second_label,
        sender_column=sender_column,
        encoding=encoding,
        separator=separator,
    )
    if corpus.senders is None and part is None and not quiet:
        typer.echo("triage: no column of senders: folds are not grouped by sender", err=True)
    options = Options(features, folds, train_first, test_next, compare, show_words, seed, jobs)
    _run(corpus, options, part, output, Path(source), quiet, overwrite=overwrite)


def _check_folder(folder: Path, source: str, *, overwrite: bool) -> None:
    from triage.data.targets import check_folder
    from triage.data.unfinished import remove_stale
    from triage.reports.save import FILES

    check_folder(folder, FILES, [source], overwrite=overwrite)
    remove_stale(folder if folder.exists() else folder.parent)


def _part(only: str | None) -> "PartName | None":
    from .errors import TriageError
    from .evaluation.report import PartName

    if only is None:
        return None
    try:
        return PartName(only)
    except ValueError as error:
        raise TriageError(f"there is no part {only!r}; there are: {', '.join(PartName)}") from error


def _run(
    corpus: "Corpus",
    options: "Options",
    part: "PartName | None",
    output: Path | None,
    source: Path,
    quiet: bool,
    *,
    overwrite: bool,
) -> None:
    from triage.reports.text import part_text

    from .evaluation.report import evaluate as run

    with _steps(quiet) as progress:
        parts = run(corpus, options, part, progress)
    if output:
        _save(corpus, options, parts, output, source, quiet, overwrite=overwrite)
    elif not quiet:
        typer.echo("\n\n".join(part_text(part) for part in parts))


def _save(
    corpus: "Corpus",
    options: "Options",
    parts: "tuple[Part, ...]",
    output: Path,
    source: Path,
    quiet: bool,
    *,
    overwrite: bool,
) -> None:
    from triage.reports.save import save_report

    from .errors import TriageError
    from .evaluation.report import report

    try:
        written = save_report(report(corpus, parts, options, source), output, overwrite=overwrite)
    except OSError as error:
        raise TriageError(f"cannot write the report to {output}: {error.strerror}") from error
    if not quiet:
        typer.echo(f"{len(written)} files in {output}, first of all {output / 'report.html'}")


@contextmanager
def _steps(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show on a terminal which step is being done."""
    if quiet or not sys.stderr.isatty():
        yield lambda step: None  # noqa: ARG005
        return
    done: dict[str, int] = {}

    def show(step: str) -> None:
        done[step] = done.get(step, 0) + 1
        sys.stderr.write(f"\r\x1b[K{step}: {done[step]} done")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[K")
