"""``triage evaluate``: measures of the model in use, or of the paper's method."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TriageError
from ..settings import Setup
from .options import (
    Deciding,
    JsonOption,
    Labelled,
    Writing,
    given,
    in_language,
    load,
    progress_bar,
    refuse,
    show,
)

if TYPE_CHECKING:
    from triage.reports.page import Part

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
    from triage.reports.charts import FILES, save_report
    from triage.reports.page import part_text, report_json

    from ..evaluation.corpus import read_corpus
    from ..evaluation.report import report_of
    from ..safe import check_folder

    path, is_paper = Path(source), bool(method.paper or method.only)
    if output:
        check_folder(output, FILES, [source], overwrite=writing.overwrite)
    said: dict[str, object] = {
        "--text-column": reading.text_column,
        "--label-column": label_column if label_column != "label" else None,
        **given(reading),
        "--features": deciding.features,
        "--language": deciding.language,
        "--seed": seed or None,
    }
    if is_paper:
        others = given(deciding, without=("features", "language"))
        refuse(others, "does not apply to --paper, which trains new models: leave it out")
        said = {"--paper": not method.only} | said | given(method, without=("paper",))
    else:
        refuse(given(method), "applies only with --paper: add --paper")
        said |= given(deciding)
    second = method.second_label
    corpus = read_corpus(
        source, reading, label_column=label_column, second_label=second, every_row=is_paper
    )
    if is_paper:
        parts, about = _of_paper(corpus, deciding, method, seed, quiet=writing.quiet)
    else:
        parts, about = _of_model(corpus, path, deciding, seed, quiet=writing.quiet)
    report = report_of(corpus, parts, said, path, about)
    text = "\n\n".join(part_text(part) for part in report.parts)
    if output:
        try:
            written = save_report(report, output, overwrite=writing.overwrite)
        except OSError as error:
            raise TriageError(f"cannot write the report to {output}: {error.strerror}") from error
        text = f"{len(written)} files in {output}, first of all {output / FILES[0]}"
    if not writing.quiet:
        typer.echo(report_json(report) if writing.json else text, nl=not writing.json)


def _of_model(
    corpus: "AnnotatedCorpus", path: Path, deciding: Setup, seed: int, *, quiet: bool
) -> "tuple[tuple[Part, ...], tuple[str, str]]":
    """Measure the model in use; return its part, and which model it is."""
    from ..evaluation.in_use import about_model, decide_labelled, in_use, learnt_from_as_many
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
    return (in_use(triage, decided, model, seed),), ("Model", about_model(triage, model))


def _of_paper(
    corpus: "AnnotatedCorpus", deciding: Setup, method: PaperOptions, seed: int, *, quiet: bool
) -> "tuple[tuple[Part, ...], tuple[str, str]]":
    """Measure the method of the paper; return all parts that are asked for, and the paper."""
    from triage.dictionaries import load_lexicon
    from triage.dictionaries.pack import FRENCH

    from ..evaluation.corpus import prepare
    from ..evaluation.report import PAPER, chosen_parts, measured

    names = chosen_parts(method.only, second=bool(method.second_label), compare=method.compare)
    if corpus.senders is None and method.only is None and not quiet:
        typer.echo("triage: no column of senders: folds are not grouped by sender", err=True)
    language = in_language(deciding, lambda: corpus.messages).language or FRENCH
    features = deciding.features or "patel2013"
    prepared = prepare(corpus, load_lexicon(language), features, method.train_first)
    with progress_bar(quiet, "steps") as progress:
        asked = replace(
            prepared,
            n_folds=method.folds or 10,
            seed=seed,
            show_words=method.show_words,
            progress=progress,
        )
        return measured(asked, names), ("The paper", PAPER)


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
