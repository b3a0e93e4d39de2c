"""``triage train``: a model from an annotated file, or from the decisions of a queue."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TriageError
from ..settings import Reading, Setup
from ..vocabulary import DEFAULT_FEATURES
from .options import (
    Labelled,
    OutputOption,
    Writing,
    given,
    in_language,
    load,
    only,
    progress_bar,
    refuse,
    report,
)

if TYPE_CHECKING:
    from ..model.annotated import AnnotatedMessages
    from ..model.learnt import Model
    from ..progress import StartProgress
    from ..queue.learning import DecidedCorpus


@dataclass(frozen=True)
class LearningOptions:
    label_column: Annotated[
        str | None,
        "Column of labels, TA or NTA; by default final_action if FILE comes from triage "
        "queue apply, else label.",
    ] = None
    features: Annotated[
        str | None, "Feature set: evidence (default), patel2013 or patel2013-normalised."
    ] = None
    undersampling: Annotated[
        str | None,
        "Balance NTA and TA messages for each tree (per_bag, default) or once, as in the "
        "paper (once).",
    ] = None


def train(
    output: Annotated[Path, typer.Option("--output", "-o", help="Output file of the model.")],
    reading: Labelled,
    learning: LearningOptions,
    models: Annotated[Setup, only("model", "language")],
    writing: Writing,
    source: Annotated[str | None, typer.Argument(metavar="[FILE]")] = None,
    from_queue: Annotated[Path | None, "Learn from the decisions in this queue."] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", min=0, max=2**32 - 1, help="Random seed; the same one gives the same model."
        ),
    ] = 0,
) -> None:
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
    from ..model.annotated import read_annotated
    from ..model.store import save_model
    from ..queue.learning import learn_from_queue
    from ..safe import check_targets

    if source:
        refuse(given(models, ("language",)), "has no effect when training on a FILE: leave it out")
    elif from_queue:
        unused = given(reading) | given(learning)
        refuse(unused, "has no effect without a FILE of labelled messages: leave it out")
    else:
        raise TriageError("name a FILE of labelled messages, or a queue with --from-queue")
    check_targets([output], [source, from_queue, *models.paths], overwrite=writing.overwrite)
    if source:
        annotated = read_annotated(source, reading, label_column=learning.label_column)
        if from_queue:
            _add_decisions(annotated, _decided(from_queue), from_queue.name)
        with progress_bar(writing.quiet, "fits") as progress:
            model = _learn(annotated, models, learning, seed, progress)
        n_ta, n_nta, undecided = model.manifest.n_ta, model.manifest.n_nta, annotated.undecided
    elif from_queue:
        decided = _decided(from_queue)
        model = learn_from_queue(load(in_language(models, lambda: decided.messages)), decided)
        n_ta, undecided = int(decided.is_ta.sum()), 0
        n_nta = len(decided.is_ta) - n_ta
    save_model(model, output, overwrite=writing.overwrite)
    facts = {
        "output": str(output),
        "adapted": source is None,
        "n_ta": n_ta,
        "n_nta": n_nta,
        "undecided": undecided,
    }
    report(writing, facts, [_line(facts)])


def _line(facts: Mapping[str, Any]) -> str:
    n_ta, n_nta, output = facts["n_ta"], facts["n_nta"], facts["output"]
    if facts["adapted"]:
        return f"adapted to {n_ta:,} TA and {n_nta:,} NTA decisions: {output}"
    n_left = facts["undecided"]
    left = f"; {n_left:,} undecided ones left out" if n_left else ""
    return f"learnt from {n_ta:,} TA and {n_nta:,} NTA messages{left}: {output}"


def _learn(
    annotated: "AnnotatedMessages",
    models: Setup,
    learning: LearningOptions,
    seed: int,
    progress: "StartProgress | None",
) -> "Model":
    from triage.dictionaries import load_lexicon
    from triage.dictionaries.pack import FRENCH

    from ..model.learn import learn
    from ..model.training import TrainingOptions, Undersampling

    return learn(
        annotated.messages,
        annotated.labels,
        load_lexicon(in_language(models, lambda: annotated.messages).language or FRENCH),
        learning.features or DEFAULT_FEATURES,
        TrainingOptions(Undersampling(learning.undersampling or "per_bag"), seed),
        spans=annotated.spans,
        senders=annotated.senders,
        progress=progress,
    )


def _decided(queue: Path) -> "DecidedCorpus":
    from ..queue import Queue
    from ..queue.learning import decided_corpus

    with Queue.open(queue) as opened:
        return decided_corpus(opened)


def _add_decisions(annotated: "AnnotatedMessages", corpus: "DecidedCorpus", queue: str) -> None:
    if annotated.spans is not None:
        annotated.spans += [
            [(s.start, s.end, s.type.value) for s in corpus.spans[i]] for i in corpus.items
        ]
    if annotated.senders is not None:
        # The same sender number may denote somebody else in another file.
        senders = [corpus.senders[i] for i in corpus.items]
        annotated.senders += [f"{queue}: {sender}" if sender else "" for sender in senders]
    annotated.messages += [corpus.messages[i] for i in corpus.items]
    annotated.labels += ["TA" if is_ta else "NTA" for is_ta in corpus.is_ta]


_DIGITS = 6


def features(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    output: OutputOption,
    reading: Annotated[Reading, only("text_column", "sender_column", "format")],
    writing: Writing,
    setup: Annotated[Setup, only("language")],
    label_column: Annotated[
        str | None,
        "Column of labels, TA or NTA; by default final_action if there is one, or label.",
    ] = None,
    features: Annotated[
        str, "Feature set: evidence (default), patel2013 or patel2013-normalised."
    ] = DEFAULT_FEATURES,
    corpus_evidence: Annotated[
        bool,
        typer.Option(
            "--corpus-evidence/--no-corpus-evidence",
            help="Use what the other messages of the file say of a word (default).",
        ),
    ] = True,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", min=0, max=2**32 - 1, help="Random seed; the same one gives the same table."
        ),
    ] = 0,
) -> None:
    """Write the features of annotated messages, for R, Weka or other programs.

    FILE holds messages and a column of labels, TA or NTA, as for triage train. The output (.csv,
    .parquet, .arff or another format of tables) has a row for each labelled message, in order: its
    features, and its label as class. It holds no message and no word. The evidence of words is
    learnt from FILE, for each message without its sender, so that what learns from the table is
    not misled.
    """
    from triage.data import create_output
    from triage.data.tables import arff

    from ..decide.language import guess_language
    from ..model.annotated import read_annotated
    from ..model.learn import feature_table
    from ..safe import check_targets, staged

    overwrite = writing.overwrite
    check_targets([output], [source], overwrite=overwrite)
    annotated = read_annotated(source, reading, label_column=label_column)
    language = setup.language or guess_language(annotated.messages)[0]
    with progress_bar(writing.quiet, "fits") as progress:
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
    facts = {
        "output": str(output),
        "messages": len(values),
        "features": len(names),
        "undecided": annotated.undecided,
    }
    left = f"; {annotated.undecided:,} undecided ones left out" if annotated.undecided else ""
    report(writing, facts, [f"{len(values):,} messages, {len(names)} features{left}: {output}"])
