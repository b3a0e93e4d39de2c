"""``triage evaluate``: measures of the model in use, or of the paper's method."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TriageError
from ..settings import Run, Setup
from .options import (
    Deciding,
    JsonOption,
    Labelled,
    Writing,
    given,
    in_language,
    load,
    refuse,
    show,
)

if TYPE_CHECKING:
    from triage.reports.page import Part, Report

    from ..decide.workload import Workload
    from ..evaluation.corpus import AnnotatedCorpus


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
        "seek-hide, combined, annotators, comparison, sources, evidence or treatment.",
    ] = None


def evaluate(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    reading: Labelled,
    deciding: Deciding,
    method: PaperOptions,
    writing: Writing,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Output folder of the report: HTML, Markdown, JSON and figures."
        ),
    ] = None,
    label_column: Annotated[str, "Column of labels, TA or NTA."] = "label",
    seed: Annotated[int, "Random seed; the same one gives the same report."] = 0,
) -> None:
    """Measure leak, workload and more on annotated messages.

    FILE holds messages and their labels, TA or NTA. They are decided as triage classify would
    decide them with the same options, by the shipped model or that of --model; it must not have
    been trained on them. The report says whether the promised bound on the leak held.

    With --paper, models are trained on the first messages of FILE and tested on the later ones; the
    report has the tables and figures of the paper.
    """
    from triage.reports.charts import FILES

    from ..evaluation.corpus import command, read_corpus
    from ..evaluation.report import report as report_of
    from ..safe import check_folder

    of_model, of_method, quiet = given(deciding), given(method), writing.quiet
    shared = {
        "--features": of_model.pop("--features", None),
        "--language": deciding.language,
        "--seed": seed or None,
    }
    is_paper = of_method.pop("--paper", False) or method.only
    of_file = {
        "--text-column": reading.text_column,
        "--label-column": label_column if label_column != "label" else None,
        **given(reading),
    }
    if output:
        check_folder(output, FILES, [source], overwrite=writing.overwrite)
    path = Path(source)
    if is_paper:
        of_model.pop("--language", None)
        refuse(of_model, "does not apply to --paper, which trains new models: leave it out")
        second = method.second_label
        corpus = read_corpus(source, reading, label_column=label_column, second_label=second)
        parts = _parts_of_paper(corpus, deciding, method, seed, quiet=quiet)
        options = {"--paper": not method.only} | of_file | shared | of_method
        report = report_of(corpus, parts, command(path, options), path)
    else:
        refuse(of_method, "applies only with --paper: add --paper")
        corpus = read_corpus(source, reading, label_column=label_column, every_row=False)
        said = command(path, of_file | shared | of_model)
        report = _in_use_report(corpus, path, deciding, said, seed, quiet=quiet)
    _show(report, output, writing)


def _in_use_report(
    corpus: "AnnotatedCorpus", path: Path, deciding: Setup, said: str, seed: int, *, quiet: bool
) -> "Report":
    from ..evaluation.in_use import decide_labelled, in_use_report, learnt_from_as_many
    from ..safe import STANDARD_STREAM

    triage = load(in_language(deciding, lambda: corpus.messages))
    # A stream is decided as it comes.
    evidence = deciding.corpus_evidence
    if evidence is None and str(path) == STANDARD_STREAM:
        evidence = False
    decided = decide_labelled(triage, corpus, evidence)
    warning = learnt_from_as_many(triage.model.manifest, corpus)
    if warning and not quiet:
        typer.echo(f"triage: warning: {warning}", err=True)
    model = Path(deciding.model) if deciding.model else None
    return in_use_report(triage, decided, said, path, model, seed)


def _parts_of_paper(
    corpus: "AnnotatedCorpus", deciding: Setup, method: PaperOptions, seed: int, *, quiet: bool
) -> "tuple[Part, ...]":
    from triage.dictionaries.pack import FRENCH

    from ..decide.pipeline import load_lists
    from ..evaluation.corpus import Options
    from ..evaluation.report import evaluate as run

    if corpus.senders is None and method.only is None and not quiet:
        typer.echo("triage: no column of senders: folds are not grouped by sender", err=True)
    lexicon = load_lists(in_language(deciding, lambda: corpus.messages).language or FRENCH)
    with _steps(quiet) as progress:
        learning = Options(
            deciding.features or "patel2013",
            method.folds or 10,
            method.train_first,
            method.compare,
            method.show_words,
            seed,
            progress,
        )
        return run(corpus, learning, lexicon, method.only)


def _show(report: "Report", output: Path | None, writing: Run) -> None:
    """Save a report, or print it; as JSON it is always printed."""
    from triage.reports.charts import save_report
    from triage.reports.page import part_text, report_json

    if output is None:
        said = "\n\n".join(part_text(part) for part in report.parts)
    else:
        try:
            written = save_report(report, output, overwrite=writing.overwrite)
        except OSError as error:
            raise TriageError(f"cannot write the report to {output}: {error.strerror}") from error
        said = f"{len(written)} files in {output}, first of all {output / 'report.html'}"
    if not writing.quiet:
        typer.echo(report_json(report) if writing.json else said, nl=not writing.json)


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


def workload(
    source: Annotated[str, typer.Argument(metavar="FILE")], as_json: JsonOption = False
) -> None:
    """Tell how many messages people must read, for each bound on the residue or the leak.

    FILE is the output of triage classify, which has counted them. Choose a bound, and give it to
    triage classify --max-residue or --max-leak.
    """
    from ..decide.run_record import workloads_of

    found = workloads_of(source)
    bounds = [asdict(one) | {"seconds": one.seconds} for one in found]
    show({"bounds": bounds}, _lines(found), as_json)


def _lines(found: "Sequence[Workload]") -> Iterator[str]:
    yield f"{'at most':>17} {'to read':>10} {'hours':>7} {'TA':>10} {'NTA':>10}"
    for one in found:
        at_most = f"{one.measure} {max(one.bound, one.kept):.2%}"
        yield (
            f"{at_most:>17} {one.expert:>10,} {one.seconds / 3600:>7.1f} {one.ta:>10,} "
            f"{one.nta:>10,}"
        )
