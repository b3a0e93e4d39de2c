"""Learning from people, and measuring it: ``triage train``, ``features`` and ``evaluate``."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from ..declared import declared
from ..errors import TriageError
from ..safe import STANDARD_STREAM, check_folder, check_targets, staged
from ..settings import Run, Setup
from ..vocabulary import DEFAULT_FEATURES
from .options import (
    DECIDING,
    READING,
    SEED,
    Done,
    FileArgument,
    Labelled,
    OutputOption,
    PlanOption,
    Writing,
    files_of,
    in_language,
    load,
    note,
    opened_queue,
    progress_bars,
    refuse,
    said,
    warn,
)

if TYPE_CHECKING:
    from triage.reports.page import Part

    from ..evaluation.corpus import AnnotatedCorpus

_DIGITS = 6
LABEL = declared(
    None,
    "Column of labels, TA or NTA; by default final_action if FILE comes from triage queue apply, "
    "else label.",
)
FEATURES = declared(
    DEFAULT_FEATURES, "Feature set: evidence (default), patel2013 or patel2013-normalised."
)


def train(
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", help="Output file of the model.")],
    columns: Labelled,
    setup: Annotated[Setup, "model", "language"],
    writing: Writing,
    source: Annotated[str | None, typer.Argument(metavar="[FILE]")] = None,
    from_queue: Path | None = declared(None, "Learn from the decisions in this queue."),
    label_column: str | None = LABEL,
    features: str = FEATURES,
    undersampling: str = declared(
        "per_bag",
        "Balance NTA and TA messages for each tree (per_bag, default) or once, as in the paper "
        "(once).",
    ),
    seed: int = SEED,
) -> Done:
    """Train a model on annotated messages.

    The model is for triage classify --model. FILE holds messages and a column of labels, TA or NTA,
    in any format that triage classify reads. The model is better if a column of spans marks the
    identifiers and a column names the senders. FILE may be the output of triage queue apply:
    undecided messages are left out.

    With --from-queue and no FILE, the shipped model, or that of --model, is adapted to the expert's
    decisions; triage queue next estimates the gain beforehand. With FILE and --from-queue, a new
    model is trained on both, which is better still.

    A model holds no message, but the first three and the last three letters of words that occur
    repeatedly, names among them: words of three letters and fewer stand in it whole. Do not give it
    to anybody who may not see the messages.
    """
    from triage.dictionaries import load_lexicon
    from triage.dictionaries.pack import FRENCH

    from ..decide.risk import covered
    from ..model.annotated import read_annotated
    from ..model.learn import learn
    from ..model.learnt import save_model
    from ..queue.learning import add_decisions, decided_corpus, learn_from_queue

    if source:
        refuse(context, ["--model"], "has no effect when training on a FILE: leave it out")
    elif from_queue:
        of_file = (*READING, "--label-column", "--features", "--undersampling")
        refuse(context, of_file, "has no effect without a FILE of labelled messages: leave it out")
    else:
        raise TriageError("name a FILE of labelled messages, or a queue with --from-queue")
    check_targets([output], [source, from_queue, *setup.paths], overwrite=writing.overwrite)
    decided, n_left = None, 0
    if from_queue:
        with opened_queue(from_queue) as queue:
            decided = decided_corpus(queue)
    if source:
        annotated = read_annotated(source, columns, label_column=label_column)
        if decided and from_queue:
            add_decisions(annotated, decided, from_queue.name)
        language = in_language(setup, lambda: annotated.messages).language or FRENCH
        with progress_bars(writing) as progress:
            model = learn(
                annotated,
                load_lexicon(language),
                features,
                cover=covered,
                undersampling=undersampling,
                seed=seed,
                progress=progress,
            )
        n_ta, n_nta, n_left = model.manifest.n_ta, model.manifest.n_nta, annotated.undecided
    elif decided:
        model = learn_from_queue(load(setup, lambda: decided.messages), decided)
        n_ta, n_nta = int(decided.is_ta.sum()), int((~decided.is_ta).sum())
    save_model(model, output, overwrite=writing.overwrite)
    counts = f"{n_ta:,} TA and {n_nta:,} NTA"
    adapted, learnt = f"adapted to {counts} decisions", f"learnt from {counts} messages"
    line = f"{learnt}{_left_out(n_left)}: {output}" if source else f"{adapted}: {output}"
    facts = {"output": str(output), "adapted": source is None, "n_ta": n_ta, "n_nta": n_nta}
    return Done(facts | {"undecided": n_left}, [line])


def features(
    source: FileArgument,
    output: OutputOption,
    columns: Labelled,
    writing: Writing,
    setup: Annotated[Setup, "language"],
    label_column: str | None = LABEL,
    features: str = FEATURES,
    corpus_evidence: bool = declared(
        True,
        "Use what the other messages of the file say of a word (default).",
        negative="no-corpus-evidence",
    ),
    seed: int = SEED,
) -> Done:
    """Write the features of annotated messages as a table.

    FILE holds messages and a column of labels, TA or NTA, as for triage train. The output is for R,
    Weka or other programs (.csv, .parquet, .arff or another format of tables) and has a row for
    each labelled message, in order: its features, and its label as class. It holds no message and
    no word. The evidence of words is learnt from FILE, for each message without its sender, so that
    what learns from the table is not misled.
    """
    from triage.data import create_output
    from triage.data.output import arff

    from ..decide.language import guess_language
    from ..model.annotated import read_annotated
    from ..model.learn import feature_table

    overwrite = writing.overwrite
    check_targets([output], [source], overwrite=overwrite)
    annotated = read_annotated(source, columns, label_column=label_column)
    language = setup.language or guess_language(annotated.messages)[0]
    with progress_bars(writing) as progress:
        names, values = feature_table(
            annotated,
            features,
            language,
            corpus_evidence=corpus_evidence,
            seed=seed,
            progress=progress,
        )
    # Processors differ in the last digits of an exponential.
    values = values.round(_DIGITS)
    if output.suffix.lower() == ".arff":
        content = arff("messages", names, values.tolist(), annotated.labels)
        table = staged(output, content, like=source, overwrite=overwrite)
    else:
        rows = zip(values.tolist(), annotated.labels, strict=True)
        table = create_output(output, [*names, "class"], mode_from=source, overwrite=overwrite)
        table.write([*row, label] for row, label in rows)
    with table:
        table.commit()
    n_messages, n_features, left = len(values), len(names), annotated.undecided
    line = f"{n_messages:,} messages, {n_features} features{_left_out(left)}: {output}"
    facts = {"output": str(output), "messages": n_messages, "features": n_features}
    return Done(facts | {"undecided": left}, [line])


def _left_out(n: int) -> str:
    return f"; {n:,} undecided ones left out" if n else ""


@dataclass(frozen=True)
class OfPaper:
    """The options of the paper's method."""

    panel: ClassVar[str] = "The method of the paper"

    paper: bool = declared(
        False,
        "Evaluate the method of the paper: train on the first messages, test on the later ones, "
        "with --features patel2013 (default) or patel2013-normalised.",
    )
    train_first: int | None = declared(
        None,
        "With --paper: number of messages to train on; by default 4000, or two thirds if there are "
        "fewer.",
    )
    folds: int = declared(10, "With --paper: number of cross-validation folds.", low=2)
    compare: bool = declared(False, "With --paper: compare other models on the same folds.")
    show_words: bool = declared(
        False, "With --paper: show the words that caused errors; this may identify people."
    )
    second_label: str | None = declared(None, "With --paper: column of another annotator's labels.")
    only: str | None = declared(
        None,
        "One part of --paper: cross-validation, later-messages, infogain, tree, seek-hide, "
        "combined, annotators, comparison, sources, evidence or treatment.",
    )


_OF_PAPER = ("--train-first", "--folds", "--compare", "--show-words", "--second-label")


def evaluate(
    context: typer.Context,
    source: FileArgument,
    columns: Labelled,
    setup: Annotated[Setup, "model", "language", "features", "policy", "max_residue", "max_leak"],
    method: OfPaper,
    writing: Writing,
    output: Path | None = declared(
        None, "Output folder of the report: HTML, Markdown, JSON and figures.", short="o"
    ),
    label_column: str = declared("label", "Column of labels, TA or NTA."),
    seed: int = SEED,
    plan: PlanOption = None,
) -> Done:
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

    is_paper = bool(method.paper or method.only)
    if is_paper:
        others = {*DECIDING} - {"--features", "--language"}
        refuse(context, others, "does not apply to --paper, which trains new models: leave it out")
    else:
        refuse(context, _OF_PAPER, "applies only with --paper: add --paper")
    if output:
        read = [source, *map(str, (*setup.paths, *files_of(plan)))]
        check_folder(output, FILES, read, overwrite=writing.overwrite)
    corpus = read_corpus(
        source,
        columns,
        label_column=label_column,
        second_label=method.second_label,
        every_row=is_paper,
    )
    if is_paper:
        parts, about = _of_paper(corpus, setup, method, seed, writing)
    else:
        parts, about = _of_model(corpus, source, setup, seed)
    options = said(context, "--output", "--overwrite", "--quiet", "--json")
    report = report_of(corpus, parts, options, Path(source), about)
    lines = ["\n\n".join(map(part_text, report.parts))]
    if output:
        written = save_report(report, output, overwrite=writing.overwrite)
        lines = [f"{len(written)} files in {output}, first of all {output / FILES[0]}"]
    return Done(json.loads(report_json(report)), lines)


def _of_model(
    corpus: "AnnotatedCorpus", source: str, setup: Setup, seed: int
) -> "tuple[tuple[Part, ...], tuple[str, str]]":
    """Measure the model in use; return its part, and which model it is."""
    from ..evaluation.in_use import about_model, decide_labelled, in_use, learnt_from_as_many

    triage = load(setup, lambda: corpus.messages)
    # A stream is decided as it comes.
    evidence = setup.corpus_evidence
    if evidence is None and source == STANDARD_STREAM:
        evidence = False
    decided = decide_labelled(triage, corpus, evidence)
    warn(learnt_from_as_many(triage.model.manifest, corpus))
    model = Path(setup.model) if setup.model else None
    return (in_use(triage, decided, model, seed),), ("Model", about_model(triage, model))


def _of_paper(
    corpus: "AnnotatedCorpus", setup: Setup, method: OfPaper, seed: int, working: Run
) -> "tuple[tuple[Part, ...], tuple[str, str]]":
    """Measure the method of the paper; return all parts that are asked for, and the paper."""
    from triage.dictionaries import load_lexicon
    from triage.dictionaries.pack import FRENCH

    from ..evaluation.corpus import prepare
    from ..evaluation.report import PAPER, chosen_parts, measured

    names = chosen_parts(method.only, second=bool(method.second_label), compare=method.compare)
    if corpus.senders is None and method.only is None and not working.quiet:
        note("no column of senders: folds are not grouped by sender")
    lists = load_lexicon(in_language(setup, lambda: corpus.messages).language or FRENCH)
    prepared = prepare(corpus, lists, setup.features or "patel2013", method.train_first)
    with progress_bars(working) as progress:
        asked = replace(
            prepared,
            n_folds=method.folds,
            seed=seed,
            show_words=method.show_words,
            progress=progress,
        )
        return measured(asked, names), ("The paper", PAPER)
