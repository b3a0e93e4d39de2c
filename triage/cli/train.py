"""``triage train``: a model from labelled messages, or from the decisions of a queue."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TriageError
from ..vocabulary import DEFAULT_FEATURES
from .console import files_read, load_triage
from .options import (
    EncodingOption,
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
    from ..model.annotated import AnnotatedFile
    from ..model.learnt import Model


def train(
    output: Annotated[Path, typer.Option("--output", "-o", help="The model.")],
    source: Annotated[str | None, typer.Argument(metavar="[FILE]")] = None,
    from_queue: Annotated[
        Path | None,
        typer.Option("--from-queue", help="Learn from the decisions of this queue."),
    ] = None,
    text_column: TextOption = None,
    label_column: Annotated[
        str | None,
        typer.Option(
            "--label-column",
            help="The column of labels; by default final_action, where triage queue apply wrote "
            "the file, else label.",
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option("--features", help="The feature set: evidence (default), patel2013 …"),
    ] = None,
    sender_column: SenderOption = None,
    undersampling: Annotated[
        str | None,
        typer.Option("--undersampling", help="per_bag (default), or once as in the paper."),
    ] = None,
    model: ModelOption = None,
    names: NamesOption = [],  # noqa: B006 (typer copies it)
    words: WordsOption = [],  # noqa: B006
    seed: Annotated[
        int,
        typer.Option("--seed", min=0, max=2**32 - 1, help="The same seed gives the same model."),
    ] = 0,
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn a model from labelled messages, for `triage classify --model`.

    FILE holds messages and a column of labels, TA or NTA, in any format that classify reads. A
    column of spans says where the identifiers are, one of senders who sent each message: what is
    learnt of words is the better for both. A file of triage queue apply is learnt from as it is;
    messages that nobody has decided yet are left out.

    With --from-queue alone the shipped model, or that of --model, is adapted to what the expert
    decided; triage queue next says beforehand what that would bring. With FILE and --from-queue a
    model is learnt anew from both, which is better still.

    A model holds no message, but the first three and the last three letters of words that come
    again in the messages, names among them: words of three letters and fewer stand in it whole.
    Give it to nobody who may not see the messages.
    """
    from triage.data import check_targets

    from ..model.annotated import read_annotated
    from ..model.store import save_model

    of_file = {
        "--text-column": text_column,
        "--label-column": label_column,
        "--features": features,
        "--sender-column": sender_column,
        "--undersampling": undersampling,
        "--encoding": encoding,
        "--separator": separator,
    }
    of_queue = {"--model": model, "--names": names, "--words": words}
    if source:
        _refuse(of_queue, "where a model is learnt from a FILE")
    elif from_queue:
        _refuse(of_file, "without a FILE of labelled messages")
    else:
        raise TriageError(
            "say what to learn from: a FILE of labelled messages, or a queue with --from-queue"
        )
    read = [source, from_queue, *files_read(names, words, model)]
    check_targets([output], read, overwrite=overwrite)
    if source:
        labelled = read_annotated(
            source,
            text_column=text_column,
            label_column=label_column,
            sender_column=sender_column,
            encoding=encoding,
            separator=separator,
        )
        if from_queue:
            _add_decisions(labelled, from_queue)
        learnt, told = _learn(labelled, features, undersampling, seed)
    elif from_queue:
        learnt, told = _adapt(from_queue, model, names, words)
    save_model(learnt, output, overwrite=overwrite)
    if not quiet:
        typer.echo(f"{told}: {output}")


def _refuse(options: Mapping[str, object], when: str) -> None:
    given = [option for option, value in options.items() if value]
    if given:
        raise TriageError(f"{given[0]} says nothing {when}: leave it out")


def _learn(
    labelled: "AnnotatedFile", features: str | None, undersampling: str | None, seed: int
) -> tuple["Model", str]:
    """Return a model learnt from labelled messages, and what it was learnt from."""
    from ..model.learn import learn
    from ..model.training import TrainingOptions, Undersampling

    options = TrainingOptions(Undersampling(undersampling or "per_bag"), seed)
    model = learn(
        labelled.messages,
        labelled.labels,
        None,
        features or DEFAULT_FEATURES,
        options,
        spans=labelled.spans,
        senders=labelled.senders,
    )
    about = model.manifest
    left = f"; {labelled.undecided:,} undecided ones left out" if labelled.undecided else ""
    return model, f"learnt from {about.n_ta:,} TA and {about.n_nta:,} NTA messages{left}"


def _add_decisions(labelled: "AnnotatedFile", path: Path) -> None:
    """Add what was decided in a queue to labelled messages."""
    from ..queue import Queue
    from ..queue.learning import decided_corpus

    with Queue.open(path) as queue:
        corpus = decided_corpus(queue)
    spans = [[(s.start, s.end, s.type.value) for s in corpus.spans[i]] for i in corpus.items]
    if labelled.spans is not None:
        labelled.spans += spans
    if labelled.senders is not None:
        # Numbers of senders mean someone else in another file.
        senders = [corpus.senders[i] for i in corpus.items]
        labelled.senders += [f"{path.name}: {sender}" if sender else "" for sender in senders]
    labelled.messages += [corpus.messages[i] for i in corpus.items]
    labelled.labels += ["TA" if is_ta else "NTA" for is_ta in corpus.is_ta]


def _adapt(
    path: Path, model: Path | None, names: list[Path], words: list[Path]
) -> tuple["Model", str]:
    """Return a model adapted to the decisions of a queue, and what it was adapted to."""
    from ..queue import Queue
    from ..queue.learning import decided_corpus, learn_from_queue

    with Queue.open(path) as queue:
        corpus = decided_corpus(queue)
    adapted = learn_from_queue(load_triage(names, words, model), corpus)
    n_ta = int(corpus.is_ta.sum())
    return adapted, f"adapted to {n_ta:,} TA and {len(corpus.is_ta) - n_ta:,} NTA decisions"
