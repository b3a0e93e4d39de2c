"""Learning from people, and measuring it: ``triage train``, ``features`` and ``evaluate``."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from triage.data import create_output
from triage.data.output import arff
from triage.dictionaries import load_lexicon
from triage.reports.page import Part, part_text, report_json

from ..decide.policy import covered
from ..model.annotated import read_annotated
from ..model.learnt import Model, save_model
from ..queue import Queue
from ..queue.learning import add_decisions, decided_corpus, learn_from_queue
from ..safe import STANDARD_STREAM, check_folder, check_targets, staged
from ..settings import declared, settings_of
from ..vocabulary import DEFAULT_FEATURES, Quantity
from .options import DECIDING, READING, Call, FileArgument
from .printed import Done, note, refused, text, warn

# What says how messages are decided, of which a new model learns nothing.
_OF_DECIDING = {*DECIDING} - {"--language", "--features"}

# What learns, or measures it, takes seconds to load.
if TYPE_CHECKING:
    from ..evaluation.corpus import AnnotatedCorpus


def train(
    call: Annotated[Call, "plan model language seed overwrite"],
    output: Path,
    source: Annotated[str | None, typer.Argument(metavar="[FILE]")] = None,
    from_queue: Path | None = None,
    label_column: str | None = None,
    undersampling: str = "per_bag",
) -> Done:
    overwrite = call.run.overwrite
    check_targets([output], [source, from_queue, *call.read_from], overwrite=overwrite)
    if source:
        call.refuse(_OF_DECIDING, "has no effect when training on a FILE: leave it out")
        model, n_left = _learnt(call, source, from_queue, label_column, undersampling)
        n_ta, n_nta = model.manifest.n_ta, model.manifest.n_nta
    elif from_queue:
        unused = _OF_DECIDING - {"--model", "--names", "--words"}
        unused |= {*READING, "--label-column", "--undersampling", "--seed"}
        call.refuse(unused, "has no effect without a FILE of labelled messages: leave it out")
        with Queue.open(from_queue) as opened:
            decided = decided_corpus(opened)
        model, n_left = learn_from_queue(call.load(decided.messages), decided), 0
        n_ta, n_nta = decided.n_each
    else:
        raise refused("nothing_to_learn_from")
    save_model(model, output, overwrite=overwrite)
    facts = {"output": str(output), "adapted": source is None, "n_ta": n_ta, "n_nta": n_nta}
    line = text("train" if source else "train adapted", facts, left=_left_out(n_left))
    return Done(facts | {"undecided": n_left}, [line])


def _learnt(
    call: Call, source: str, queue: Path | None, label_column: str | None, undersampling: str
) -> tuple[Model, int]:
    """Return a model learnt from a file, and a queue, with the number of undecided messages."""
    from ..model.learn import learn

    annotated = read_annotated(source, call.reading, label_column=label_column)
    if queue:
        with Queue.open(queue) as opened:
            add_decisions(annotated, decided_corpus(opened), queue.name)
    model = learn(
        annotated,
        load_lexicon(call.language_of(annotated.messages)),
        call.setup.features or DEFAULT_FEATURES,
        cover=covered,
        undersampling=undersampling,
        seed=call.run.seed,
        progress=call.progress,
    )
    return model, annotated.undecided


def features(
    call: Annotated[Call, "plan language seed overwrite"],
    source: FileArgument,
    output: Path,
    label_column: str | None = None,
) -> Done:
    from ..model.learn import feature_table

    call.refuse(_OF_DECIDING - {"--corpus-evidence"}, "has no effect on features: leave it out")
    check_targets([output], [source], overwrite=call.run.overwrite)
    annotated = read_annotated(source, call.reading, label_column=label_column)
    names, values = feature_table(
        annotated,
        call.setup.features or DEFAULT_FEATURES,
        call.language_of(annotated.messages),
        corpus_evidence=call.setup.corpus_evidence is not False,
        seed=call.run.seed,
        progress=call.progress,
    )
    # Processors differ in the last digits of an exponential.
    rows = values.round(6).tolist()
    overwrite = call.run.overwrite
    if output.suffix.lower() == ".arff":
        content = arff("messages", names, rows, annotated.labels)
        table = staged(output, content, like=source, overwrite=overwrite)
    else:
        table = create_output(output, [*names, "class"], mode_from=source, overwrite=overwrite)
        table.write([*row, label] for row, label in zip(rows, annotated.labels, strict=True))
    with table:
        table.commit()
    facts = {"output": str(output), "messages": len(rows), "features": len(names)}
    line = text("features", facts, left=_left_out(annotated.undecided))
    return Done(facts | {"undecided": annotated.undecided}, [line])


def _left_out(n: int) -> str:
    return f"; {Quantity(n):# undecided one|# undecided ones} left out" if n else ""


@dataclass(frozen=True)
class PaperOptions:
    """The options of the paper's method."""

    panel: ClassVar[str] = "The method of the paper"

    paper: bool = False
    train_first: int | None = None
    folds: int = declared(10, low=2)
    compare: bool = False
    show_words: bool = False
    second_label: str | None = None
    only: str | None = None


def evaluate(
    call: Annotated[Call, "plan model language policy max-residue seed overwrite"],
    source: FileArgument,
    method: PaperOptions,
    output: Path | None = None,
    label_column: str = "label",
) -> Done:
    from triage.reports.charts import FILES, save_report

    from ..evaluation.corpus import read_corpus
    from ..evaluation.report import report_of

    is_paper, overwrite = bool(method.paper or method.only), call.run.overwrite
    if is_paper:
        call.refuse(_OF_DECIDING, "does not apply to --paper, which trains models: leave it out")
    else:
        of_paper = (f"--{one.key}" for one in settings_of(PaperOptions).values())
        call.refuse(of_paper, "applies only with --paper: add --paper")
    if output:
        check_folder(output, FILES, [source, *call.read_from], overwrite=overwrite)
    corpus = read_corpus(
        source,
        call.reading,
        label_column=label_column,
        second_label=method.second_label,
        every_row=is_paper,
    )
    parts, about = _of_paper(call, corpus, method) if is_paper else _of_model(call, corpus, source)
    options = call.given("--output", "--overwrite", "--json")
    report = report_of(corpus, parts, options, Path(source), about)
    lines = "\n\n".join(map(part_text, report.parts)).split("\n")
    if output:
        written = save_report(report, output, overwrite=overwrite)
        lines = [f"{len(written)} files in {output}, first of all {output / FILES[0]}"]
    return Done(json.loads(report_json(report)), lines)


def _of_model(
    call: Call, corpus: "AnnotatedCorpus", source: str
) -> "tuple[tuple[Part, ...], tuple[str, str]]":
    """Measure the model in use; return its part, and which model it is."""
    from ..evaluation.in_use import about_model, decide_labelled, in_use, learnt_from_as_many

    triage = call.load(corpus.messages)
    # A stream is decided as it comes.
    evidence = call.setup.corpus_evidence
    if evidence is None and source == STANDARD_STREAM:
        evidence = False
    decided = decide_labelled(triage, corpus, evidence)
    warn(learnt_from_as_many(triage.model.manifest, corpus))
    return (in_use(triage, decided, call.run.seed),), ("Model", about_model(triage))


def _of_paper(
    call: Call, corpus: "AnnotatedCorpus", method: PaperOptions
) -> "tuple[tuple[Part, ...], tuple[str, str]]":
    """Measure the method of the paper; return all parts that are asked for, and the paper."""
    from ..evaluation.corpus import prepare
    from ..evaluation.report import PAPER, chosen_parts, measured

    names = chosen_parts(method.only, second=bool(method.second_label), compare=method.compare)
    if corpus.senders is None and method.only is None and not call.run.quiet:
        note("no column of senders: folds are not grouped by sender")
    lists = load_lexicon(call.language_of(corpus.messages))
    prepared = prepare(corpus, lists, call.setup.features or "patel2013", method.train_first)
    prepared = replace(
        prepared,
        n_folds=method.folds,
        seed=call.run.seed,
        show_words=method.show_words,
        progress=call.progress,
    )
    return measured(prepared, names), ("The paper", PAPER)
