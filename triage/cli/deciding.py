"""What decides messages, explains it, learns from people and is measured by them.

They are ``triage classify``, ``gather``, ``explain``, ``workload``, ``train``, ``features`` and
``evaluate``.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

import typer

from ..declared import declared
from ..errors import TriageError, reading
from ..safe import STANDARD_STREAM, check_targets
from ..settings import PolicyName, Reading, Run, Setup
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
    at_work,
    formula_warning,
    in_language,
    load,
    note,
    opened_queue,
    origins,
    planned,
    processes,
    refuse,
    said,
    source_of,
    warn,
)

if TYPE_CHECKING:
    from collections import Counter
    from io import BufferedReader

    from triage.reports.page import Part

    from ..decide.policy import Cell
    from ..evaluation.corpus import AnnotatedCorpus

_PART = 1 << 16  # the most that is read at once: what a pipe holds
_OF_FILES = ("--queue", "--evidence", "--bom", "--jobs")


class Engine(StrEnum):
    """The machine that runs classify: this one, or a cluster."""

    PYTHON = "python"
    SPARK = "spark"


def classify(
    context: typer.Context,
    sources: Annotated[list[str], typer.Argument(metavar="FILE")],
    setup: Setup,
    columns: Reading,
    working: Run,
    output: str | None = declared(
        None,
        "Output file, - for standard output; by default FILE.triage.EXT, or FILE.triage.csv where "
        "such a file is only read.",
        short="o",
    ),
    queue: str | None = declared(None, "Also write the EXPERT messages to this file."),
    evidence: tuple[Path, ...] = declared(
        (), "Corpus evidence that triage gather made, of this file too or of others; repeatable."
    ),
    plan: PlanOption = None,
    json_lines: bool = declared(
        False,
        "With - as FILE: answer each line of JSON from standard input as it arrives, for another "
        "program.",
        is_rare=True,
    ),
    bom: bool | None = declared(
        None,
        "Begin CSV with a byte order mark, for Excel; by default if the input does or is in "
        "Windows-1252.",
        negative="no-bom",
        is_rare=True,
    ),
    engine: Engine = declared(
        Engine.PYTHON,
        "What runs it: python (default), or spark, which reads and writes folders of Parquet, CSV "
        "or JSON Lines on a cluster.",
        is_rare=True,
    ),
) -> Done:
    """Decide an action for each message: TA, NTA or EXPERT.

    FILE is a table (CSV, TSV, XLSX, ODS, JSON Lines or Parquet), a chat of WhatsApp, or - for
    standard input; docs/reference/files.md lists the formats. The output has its rows unchanged
    and in order, with both votes, the score, the action and the words that explain it behind them.
    """
    if json_lines:
        of_files = (*_OF_FILES, *READING[1:], "--output", "--engine")
        refuse(context, of_files, "has no effect on --json-lines: leave it out")
        return _by_line(sources, setup, columns.text_column)
    if engine is Engine.SPARK:
        refuse(context, (*_OF_FILES, *READING[3:]), "applies only without --engine")
        return _by_spark(sources, output, setup, columns, overwrite=working.overwrite)
    if len(sources) > 1:
        raise TriageError(
            "triage classify reads one file at a time: call it for each, with --evidence of "
            "triage gather if they are parts of one corpus, or add --engine spark"
        )
    from ..decide.evidence import Evidence, merge_evidence
    from ..decide.run import classify_stream
    from ..decide.source import Request

    request = Request(
        source_of(sources[0], columns),
        output,
        queue,
        True if evidence and setup.corpus_evidence is None else setup.corpus_evidence,
        working.overwrite,
        processes(working.jobs),
        bom,
        origins(context),
    )
    if evidence and not request.with_corpus_evidence:
        raise TriageError("--evidence has no effect with corpus-evidence=false: leave one out")
    request.check_paths([*map(Path, setup.paths), *evidence, *planned(plan).read_from])
    with request.source.stream() as (file, first_messages, chunks):
        triage = load(setup, lambda: first_messages)
        parts = [Evidence.load(path, triage.weights) for path in evidence]
        with at_work(working) as (progress, _):
            given = merge_evidence(parts) if parts else None
            outcome = classify_stream(triage, request, file, chunks, progress, given)
    facts = outcome | {
        "counts": _counts(outcome["counts"]),
        "promise": outcome["promise"] and asdict(outcome["promise"]),
        "language": triage.lexicon.language,
    }
    return Done(facts, _lines(outcome), beside=STANDARD_STREAM in (outcome["output"], queue))


def _by_line(sources: list[str], setup: Setup, text_column: str | None) -> Done:
    from ..decide.run import LineStream

    if sources != [STANDARD_STREAM]:
        raise TriageError("--json-lines answers a stream: write - as FILE, or leave it out")
    stream = LineStream(load(setup), text_column)
    stream.triage.promise()  # before the first line, should there be none

    def arrived() -> bytes:
        with reading("standard input"):
            return cast("BufferedReader", sys.stdin.buffer).read1(_PART)

    for answer in stream.answers(iter(arrived, b"")):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    facts = {"decided": stream.n_decided, "rejected": stream.n_rejected}
    line = f"{stream.n_decided:,} messages decided, {stream.n_rejected:,} lines rejected"
    return Done(facts, [line], beside=True)


def _by_spark(
    sources: list[str], output: str | None, setup: Setup, columns: Reading, *, overwrite: bool
) -> Done:
    if output is None:
        raise TriageError("--engine spark writes a folder: name it with --output")
    from ..spark import classify_folder

    done = classify_folder(None, sources, output, reading=columns, setup=setup, overwrite=overwrite)
    written, rejected = done["rows_written"], done["rows_rejected"]
    lines = [f"{written:,} rows written to {output}, {rejected:,} rejected", ""]
    lines += _count_lines(done["counts"], by_table=setup.policy is PolicyName.AGREEMENT)
    if done["n_words"]:
        lines += [
            "",
            f"Evidence of {done['n_words']:,} words was sent to all machines; "
            f"{done['n_left_out']:,} rarer words counted as unknown.",
        ]
    if done["rejects"]:
        lines.append(f"The rejected rows are in {done['rejects']}")
    return Done(done | {"output": output, "counts": _counts(done["counts"])}, lines)


def _counts(counts: "Counter[Cell]") -> list[dict[str, object]]:
    return [
        {"seek_hide": verdict, "model": vote, "action": action, "messages": n}
        for (verdict, vote, action), n in sorted(counts.items())
    ]


def _count_lines(counts: "Counter[Cell]", *, by_table: bool) -> Iterator[str]:
    """Yield the counts by votes: all cells of the agreement table, or those that occur."""
    from ..decide.policy import TABLE
    from ..vocabulary import Action

    order: list[Cell] = [(*votes, action) for votes, action in TABLE.items()]
    if not by_table:
        cells = ((*votes, action) for votes in TABLE for action in Action)
        order = [cell for cell in cells if counts[cell]]
    rows = [(*cell, counts[cell]) for cell in order]
    for action in Action:
        n = sum(n for (*_, decided), n in counts.items() if decided == action)
        rows.append(("all", "", action, n))
    yield f"{'Seek&Hide':<10}{'model':<7}{'action':<8}{'messages':>9}{'share':>9}"
    for verdict, vote, decided, n in rows:
        share = n / max(counts.total(), 1)
        yield f"{verdict:<10}{vote:<7}{decided:<8}{n:>9,}{share:>8.1%}"


def _lines(outcome: Mapping[str, Any]) -> Iterator[str]:
    from ..decide.policy import promise_lines

    yield (
        f"{outcome['rows_read']:,} rows read, {outcome['rows_written']:,} written to "
        f"{outcome['output']}, {outcome['rows_rejected']:,} rejected"
    )
    others = {"ids": outcome["id_column"], "senders": outcome["sender_column"]}
    taken = [f"{what} in {column}" if column else f"no {what}" for what, column in others.items()]
    columns = f"messages in {outcome['text_column']}, {', '.join(taken)}"
    yield f"read as {outcome['format']}: {'; '.join([columns, *outcome['reading']])}"
    yield from (f"Warning: {doubt}" for doubt in outcome["doubts"])
    if outcome["promise"]:
        yield from ("", *promise_lines(outcome["promise"]))
    yield ""
    yield from _count_lines(outcome["counts"], by_table=outcome["promise"] is None)
    if outcome["rejects"]:
        yield from ("", f"The rejected rows and why are in {outcome['rejects']}")
    if repeated := outcome["ids_repeated"]:
        yield from ("", f"Warning: {repeated:,} rows repeat the id of an earlier row")
    if outcome["formulas"]:
        yield from ("", formula_warning(outcome["formulas"]))


def gather(
    sources: Annotated[list[str], typer.Argument(metavar="FILE...")],
    output: OutputOption,
    setup: Annotated[Setup, "model", "language"],
    columns: Labelled,
    working: Writing,
    plan: PlanOption = None,
) -> Done:
    """Gather what parts of a corpus say of their words.

    It is for triage classify --evidence. Parts can be gathered on several machines: FILE is a file
    of messages, or the evidence of others, and the result is that of all. The evidence holds words
    of messages and names of senders; its file is readable by you only.
    """
    from ..decide.evidence import Evidence, is_evidence, merge_evidence
    from ..decide.run import gather_file

    read = [*sources, *map(str, (*setup.paths, *planned(plan).read_from))]
    check_targets([output], read, overwrite=working.overwrite)
    gathered = {one for one in sources if is_evidence(Path(one))}
    files = [source_of(one, columns) for one in sources]
    first = next((one for one in files if one.path not in gathered), None)
    triage = load(setup, first.first_messages if first else None)
    with at_work(working) as (progress, jobs):
        whole = merge_evidence(
            Evidence.load(Path(one.path), triage.weights)
            if one.path in gathered
            else gather_file(triage, one, jobs, progress)
            for one in files
        )
    whole.save(output, overwrite=working.overwrite)
    return Done.of(
        "{messages:,} messages: evidence of {words:,} words and {senders:,} senders written to "
        "{output}",
        output=str(output),
        messages=sum(part.n_messages for part in whole.parts),
        words=len(whole.table.words),
        senders=len(whole.table.senders),
    )


def explain(
    message: Annotated[str, typer.Argument(metavar="MESSAGE")],
    setup: Annotated[Setup, "model", "language", "names", "words"],
) -> Done:
    """Explain the decision on one message.

    MESSAGE is one message, in quotes, or - for standard input, which no list of commands keeps.
    Shown are the label of each word, the list and the spelling rule behind it, its word evidence,
    both votes and the action. Corpus evidence is not used: in a file, among other messages, the
    action may differ.
    """
    from ..decide.seek_hide import explain as explain_message

    if message == STANDARD_STREAM:
        with reading("standard input"):
            message = sys.stdin.read().removesuffix("\n")
    explained = explain_message(load(setup, lambda: [message]), message)
    words, lines = explained["words"], []
    width = min(24, max((len(one["text"]) for one in words), default=0))
    for word in words:
        number = "" if word["evidence"] is None else f"{word['evidence']:.2f}  "
        lines.append(f"{word['text']:<{width}}  {word['label']:<17}{number}{word['reason']}")
        if word["because"]:
            lines.append(" " * (width + 19) + "because: " + "; ".join(word["because"]))
    told = ", ".join(f"{name} {value:g}" for name, value in explained["features"].items() if value)
    lines += ["", f"Seek&Hide: {explained['seek_hide']}"]
    lines += [f"model:     {explained['model']} (score {explained['model_score']:.2f}; {told})"]
    return Done(explained, [*lines, f"action:    {explained['action']}"])


def workload(source: FileArgument) -> Done:
    """Tell how many texts people must read, bound by bound.

    FILE is the output of triage classify, which has counted them; a text that several messages have
    is read once. Choose a bound on the residue or
    the leak, and give it to triage classify --max-residue or --max-leak.
    """
    from ..decide.run import workloads_of

    bounds = [
        asdict(one) | {"texts": one.to_read, "seconds": one.seconds} for one in workloads_of(source)
    ]
    lines = [
        f"{'at most':>17} {'texts to read':>13} {'messages':>10} {'hours':>7} "
        f"{'TA':>10} {'NTA':>10}"
    ]
    for one in bounds:
        at_most = f"{one['measure']} {max(one['bound'], one['kept']):.2%}"
        lines.append(
            f"{at_most:>17} {one['texts']:>13,} {one['expert']:>10,} "
            f"{one['seconds'] / 3600:>7.1f} {one['ta']:>10,} {one['nta']:>10,}"
        )
    return Done({"bounds": bounds}, lines)


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

    from ..decide.find import covered
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
    decided, n_left, line = None, 0, "adapted to {n_ta:,} TA and {n_nta:,} NTA decisions: {output}"
    if from_queue:
        with opened_queue(from_queue) as queue:
            decided = decided_corpus(queue)
    if source:
        annotated = read_annotated(source, columns, label_column=label_column)
        if decided and from_queue:
            add_decisions(annotated, decided, from_queue.name)
        language = in_language(setup, lambda: annotated.messages).language or FRENCH
        with at_work(writing) as (progress, _):
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
        line = (
            f"learnt from {{n_ta:,}} TA and {{n_nta:,}} NTA messages{_left_out(n_left)}: {{output}}"
        )
    elif decided:
        model = learn_from_queue(load(setup, lambda: decided.messages), decided)
        n_ta, n_nta = int(decided.is_ta.sum()), int((~decided.is_ta).sum())
    save_model(model, output, overwrite=writing.overwrite)
    told = {"output": str(output), "adapted": source is None, "n_ta": n_ta, "n_nta": n_nta}
    return Done.of(line, **told, undecided=n_left)


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
    from ..safe import staged

    overwrite = writing.overwrite
    check_targets([output], [source], overwrite=overwrite)
    annotated = read_annotated(source, columns, label_column=label_column)
    language = setup.language or guess_language(annotated.messages)[0]
    with at_work(writing) as (progress, _):
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
    left, facts = annotated.undecided, {"messages": len(values), "features": len(names)}
    line = f"{{messages:,}} messages, {{features}} features{_left_out(left)}: {{output}}"
    return Done.of(line, output=str(output), **facts, undecided=left)


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
    from ..safe import check_folder

    is_paper = bool(method.paper or method.only)
    if is_paper:
        others = {*DECIDING} - {"--features", "--language"}
        refuse(context, others, "does not apply to --paper, which trains new models: leave it out")
    else:
        refuse(context, _OF_PAPER, "applies only with --paper: add --paper")
    if output:
        read = [source, *map(str, (*setup.paths, *planned(plan).read_from))]
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
        try:
            written = save_report(report, output, overwrite=writing.overwrite)
        except OSError as error:
            raise TriageError(f"cannot write the report to {output}: {error.strerror}") from error
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
    with at_work(working) as (progress, _):
        asked = replace(
            prepared,
            n_folds=method.folds,
            seed=seed,
            show_words=method.show_words,
            progress=progress,
        )
        return measured(asked, names), ("The paper", PAPER)
