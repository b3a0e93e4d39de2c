"""``triage evaluate``: measures of the model in use, or of the paper's method."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TriageError
from .console import PrintOptions, progress_bar
from .options import (
    InputOptions,
    OverwriteOption,
    PolicyOptions,
    given,
    processes,
    refuse,
)

if TYPE_CHECKING:
    from triage.reports.document import Report


@dataclass(frozen=True)
class PaperOptions:
    """The options of the paper's method, in the order in which a report names them."""

    paper: Annotated[
        bool,
        "Evaluate the method of the paper: train on the first messages, test on the later "
        "ones, with --features patel2013 (default) or patel2013-normalised.",
    ] = False
    train_first: Annotated[
        int | None,
        "With --paper: number of messages to train on; by default 4000, or two thirds if "
        "there are fewer.",
    ] = None
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds", min=2, help="With --paper: number of cross-validation folds; by default 10."
        ),
    ] = None
    test_next: Annotated[
        int | None,
        typer.Option(
            "--test-next",
            min=1,
            help="With --paper: number of messages of the paper's test set; by default 2000.",
        ),
    ] = None
    compare: Annotated[bool, "With --paper: compare other models on the same folds."] = False
    show_words: Annotated[
        bool, "With --paper: show the words that caused errors; this may identify people."
    ] = False
    second_label: Annotated[str | None, "With --paper: column of another annotator's labels."] = (
        None
    )
    only: Annotated[
        str | None,
        "One part of --paper: cross-validation, later-messages, infogain, tree, "
        "seek-hide, combined, annotators, comparison, evidence, chaining or treatment.",
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", min=1, help="With --compare: number of parallel processes; by default 1."
        ),
    ] = None


def evaluate(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    columns: InputOptions,
    deciding: PolicyOptions,
    method: PaperOptions,
    printing: PrintOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Output folder of the report: HTML, Markdown, JSON and figures."
        ),
    ] = None,
    label_column: Annotated[str, "Column of labels, TA or NTA."] = "label",
    seed: Annotated[int, "Random seed; the same one gives the same report."] = 0,
    overwrite: OverwriteOption = False,
) -> None:
    """Measure leak, workload and more on annotated messages.

    FILE holds messages and their labels, TA or NTA. They are decided as triage classify would
    decide them with the same options, by the shipped model or that of --model; it must not have
    been trained on them. The report says whether the promised bound on the leak held.

    With --paper, models are trained on the first messages of FILE and tested on the later ones; the
    report has the tables and figures of the paper.
    """
    of_model, of_method, quiet = given(deciding), given(method), printing.quiet
    shared = {
        "--features": of_model.pop("--features", None),
        "--language": deciding.language,
        "--seed": seed or None,
    }
    jobs = {"--jobs": of_method.pop("--jobs")} if method.jobs else {}
    is_paper = of_method.pop("--paper", False) or method.only
    of_file = {
        "--text-column": columns.text_column,
        "--label-column": label_column if label_column != "label" else None,
        **given(columns),
    }
    if output:
        _check_folder(output, source, overwrite=overwrite)
    if is_paper:
        of_model.pop("--language", None)
        refuse(of_model, "does not apply to --paper, which trains new models: leave it out")
        options = {"--paper": not method.only} | of_file | shared | of_method
        report = _paper_report(
            source, columns, label_column, deciding, method, seed, options, quiet
        )
    else:
        refuse(of_method | jobs, "applies only with --paper: add --paper")
        options = of_file | shared | of_model
        report = _in_use_report(source, columns, label_column, deciding, seed, options, quiet)
    _show(report, output, printing, overwrite=overwrite)


def _check_folder(folder: Path, source: str, *, overwrite: bool) -> None:
    from triage.reports.save import FILES

    from ..safe import check_folder

    check_folder(folder, FILES, [source], overwrite=overwrite)


def _in_use_report(
    source: str,
    columns: InputOptions,
    label_column: str,
    deciding: PolicyOptions,
    seed: int,
    options: Mapping[str, object],
    quiet: bool,
) -> "Report":
    from ..decide.source import Request, Source, read_ahead

    request = Request(
        Source(source, **vars(columns)),
        corpus_evidence=deciding.corpus_evidence,
        jobs=processes(None),
    )
    with read_ahead(request.source) as stream:
        triage = deciding.of_messages(stream.first_messages).load_pipeline()
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
    path = Path(source)
    return in_use_report(triage, decided, command(path, options), path, deciding.model, seed)


def _paper_report(
    source: str,
    columns: InputOptions,
    label_column: str,
    deciding: PolicyOptions,
    method: PaperOptions,
    seed: int,
    options: Mapping[str, object],
    quiet: bool,
) -> "Report":
    from triage.dictionaries.pack import FRENCH

    from ..decide.lists import load_lists
    from ..evaluation.corpus import read_corpus
    from ..evaluation.provenance import command
    from ..evaluation.report import Options, PartName, report
    from ..evaluation.report import evaluate as run

    if method.only is not None and method.only not in [*PartName]:
        raise TriageError(f"there is no part {method.only!r}; there are: {', '.join(PartName)}")
    part = PartName(method.only) if method.only is not None else None
    corpus = read_corpus(
        source, label_column=label_column, second_label=method.second_label, **vars(columns)
    )
    if corpus.senders is None and part is None and not quiet:
        typer.echo("triage: no column of senders: folds are not grouped by sender", err=True)
    learning = Options(
        deciding.features or "patel2013",
        method.folds or 10,
        method.train_first,
        method.test_next or 2000,
        method.compare,
        method.show_words,
        seed,
        method.jobs or 1,
    )
    lexicon = load_lists(deciding.of_messages(lambda: corpus.messages).language or FRENCH)
    with _steps(quiet) as progress:
        parts = run(corpus, learning, part, progress, lexicon)
    return report(corpus, parts, command(Path(source), options), Path(source))


def _show(
    report: "Report", output: Path | None, printing: PrintOptions, *, overwrite: bool
) -> None:
    """Save a report, or print it; as JSON it is always printed."""
    from triage.reports.render import part_text, report_json
    from triage.reports.save import save_report

    if output is None:
        said = "\n\n".join(part_text(part) for part in report.parts)
    else:
        try:
            written = save_report(report, output, overwrite=overwrite)
        except OSError as error:
            raise TriageError(f"cannot write the report to {output}: {error.strerror}") from error
        said = f"{len(written)} files in {output}, first of all {output / 'report.html'}"
    if not printing.quiet:
        typer.echo(report_json(report) if printing.as_json else said, nl=not printing.as_json)


@contextmanager
def _steps(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Give a callback that shows the current step on a terminal."""
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
