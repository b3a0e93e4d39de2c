"""``triage evaluate``: the model in use, or the paper's method, on your labelled messages."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TriageError
from .console import load_triage, progress_bar
from .options import (
    CorpusEvidenceOption,
    EncodingOption,
    FeaturesOption,
    LabelOption,
    MaxLeakOption,
    MinPrecisionOption,
    ModelOption,
    NamesOption,
    OverwriteOption,
    PolicyOption,
    QuietOption,
    SenderOption,
    SeparatorOption,
    StrictOption,
    TextOption,
    WordsOption,
)

if TYPE_CHECKING:
    from triage.reports.document import Report

    from ..decide.pipeline import Triage
    from ..decide.source import Request
    from ..evaluation.corpus import AnnotatedCorpus
    from ..evaluation.report import Options, PartName


def evaluate(
    source: Annotated[str, typer.Argument(metavar="FILE", help="Messages labelled TA or NTA.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the page, Markdown, JSON and figures."),
    ] = None,
    text_column: TextOption = None,
    label_column: LabelOption = "label",
    sender_column: SenderOption = None,
    model: ModelOption = None,
    features: FeaturesOption = None,
    names: NamesOption = [],  # noqa: B006 (typer copies it)
    words: WordsOption = [],  # noqa: B006
    strict: StrictOption = False,
    policy: PolicyOption = "agreement",
    max_leak: MaxLeakOption = None,
    min_precision: MinPrecisionOption = None,
    corpus_evidence: CorpusEvidenceOption = None,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="Learn anew from the first messages and measure the paper's method on the later "
            "ones, by --features patel2013 (default) or patel2013-normalised.",
        ),
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            help="Of --paper, which it implies, one part: cross-validation, later-messages, "
            "infogain, tree, seek-hide, combined, annotators, comparison, evidence, treatment.",
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds", min=2, help="With --paper: of the cross-validation; by default 10."
        ),
    ] = None,
    train_first: Annotated[
        int | None,
        typer.Option(
            "--train-first",
            help="With --paper: messages to learn from; by default 4000, or two thirds if fewer.",
        ),
    ] = None,
    test_next: Annotated[
        int | None,
        typer.Option(
            "--test-next",
            min=1,
            help="With --paper: messages behind them, for the paper's test; by default 2000.",
        ),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="With --paper: other models on the same folds.")
    ] = False,
    show_words: Annotated[
        bool,
        typer.Option(
            "--show-words",
            help="With --paper: show the words behind errors, which may identify people.",
        ),
    ] = False,
    second_label: Annotated[
        str | None,
        typer.Option("--second-label", help="With --paper: another annotator's column of labels."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="With --compare: processes; by default 1.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same page.")] = 0,
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure on labelled messages what triage classify decides of them, with intervals.

    The messages are decided as triage classify would decide them with the same options, by the
    shipped model or that of --model; the labels change nothing. They must be others than the model
    has learnt from. With --policy guarded, the report says whether its promise held.

    With --paper, models are learnt anew from the first messages, and the tables and figures of
    the paper are made from the later ones.
    """
    of_file: dict[str, object] = {
        "--text-column": text_column,
        "--label-column": label_column if label_column != "label" else None,
        "--sender-column": sender_column,
        "--encoding": encoding,
        "--separator": separator,
    }
    of_model: dict[str, object] = {
        "--model": model,
        "--names": names,
        "--words": words,
        "--strict": strict,
        "--policy": policy if policy != "agreement" else None,
        "--max-leak": max_leak,
        "--min-precision": min_precision,
        "--corpus-evidence": corpus_evidence,
        "--no-corpus-evidence": corpus_evidence is False,
    }
    of_paper: dict[str, object] = {
        "--train-first": train_first,
        "--folds": folds,
        "--test-next": test_next,
        "--compare": compare,
        "--show-words": show_words,
        "--second-label": second_label,
    }
    shared: dict[str, object] = {"--features": features, "--seed": seed or None}
    if output:
        _check_folder(output, source, overwrite=overwrite)
    if paper or only:
        _refuse(of_model, "says nothing of the paper's method, which is learnt anew: leave it out")
        from ..evaluation.corpus import read_corpus
        from ..evaluation.report import Options

        part = _part(only)
        corpus = read_corpus(
            source,
            text_column=text_column,
            label_column=label_column,
            second_label=second_label,
            sender_column=sender_column,
            encoding=encoding,
            separator=separator,
        )
        learning = Options(
            features or "patel2013",
            folds or 10,
            train_first,
            test_next or 2000,
            compare,
            show_words,
            seed,
            jobs or 1,
        )
        given = {"--paper": not only} | of_file | shared | of_paper | {"--only": only}
        made = _paper_report(corpus, learning, part, source, given, quiet)
    else:
        _refuse(of_paper | {"--jobs": jobs}, "is of the paper's method: add --paper")
        from ..decide.policy import chosen_policy
        from ..decide.source import Request, Source

        chosen = chosen_policy(policy, max_leak, min_precision)
        read = Source(source, text_column, None, sender_column, encoding, separator)
        request = Request(read, corpus_evidence=corpus_evidence)
        load = partial(load_triage, names, words, model, strict, features, chosen)
        given = of_file | shared | of_model
        made = _in_use_report(request, load, label_column, model, seed, given, quiet)
    _show(made, output, quiet, overwrite=overwrite)


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Refuse options of the other evaluation."""
    for option, value in options.items():
        if value is not None and value is not False and value != []:
            raise TriageError(f"{option} {why}")


def _check_folder(folder: Path, source: str, *, overwrite: bool) -> None:
    from triage.data.paths import check_folder
    from triage.data.staging import remove_stale
    from triage.reports.save import FILES

    check_folder(folder, FILES, [source], overwrite=overwrite)
    remove_stale(folder if folder.exists() else folder.parent)


def _part(only: str | None) -> "PartName | None":
    from ..evaluation.report import PartName

    if only is None:
        return None
    try:
        return PartName(only)
    except ValueError as error:
        raise TriageError(f"there is no part {only!r}; there are: {', '.join(PartName)}") from error


def _in_use_report(
    request: "Request",
    load: "Callable[[], Triage]",
    label_column: str,
    model: Path | None,
    seed: int,
    given: Mapping[str, object],
    quiet: bool,
) -> "Report":
    from ..decide.source import read_ahead

    with read_ahead(request.source) as stream:
        triage = load()
        from ..evaluation.in_use import (
            decide_labelled_stream,
            in_use_report,
            learnt_from_as_many,
        )
        from ..evaluation.provenance import command

        with progress_bar(quiet) as progress:
            decided = decide_labelled_stream(triage, request, stream, label_column, progress)
    warning = learnt_from_as_many(triage.model.manifest, decided.corpus)
    if warning and not quiet:
        typer.echo(f"triage: warning: {warning}", err=True)
    source = Path(request.source.path)
    return in_use_report(triage, decided, command(source, given), source, model, seed)


def _paper_report(
    corpus: "AnnotatedCorpus",
    options: "Options",
    part: "PartName | None",
    source: str,
    given: Mapping[str, object],
    quiet: bool,
) -> "Report":
    from ..evaluation.provenance import command
    from ..evaluation.report import evaluate as run
    from ..evaluation.report import report

    if corpus.senders is None and part is None and not quiet:
        typer.echo("triage: no column of senders: folds are not grouped by sender", err=True)
    with _steps(quiet) as progress:
        parts = run(corpus, options, part, progress)
    return report(corpus, parts, command(Path(source), given), Path(source))


def _show(report: "Report", output: Path | None, quiet: bool, *, overwrite: bool) -> None:
    """Save a report, or print it."""
    from triage.reports.render import part_text

    if output:
        _save(report, output, quiet, overwrite=overwrite)
    elif not quiet:
        typer.echo("\n\n".join(part_text(part) for part in report.parts))


def _save(report: "Report", output: Path, quiet: bool, *, overwrite: bool) -> None:
    from triage.reports.save import save_report

    try:
        written = save_report(report, output, overwrite=overwrite)
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
