"""``triage features``: the table of features of annotated messages, for other programs."""

from typing import Annotated

import typer

from ..settings import Reading, Setup
from ..vocabulary import DEFAULT_FEATURES
from .console import progress_bar, report
from .options import OutputOption, Writing, only


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
    from ..model.feature_table import feature_table
    from ..safe import check_targets, staged

    overwrite = writing.overwrite
    check_targets([output], [source], overwrite=overwrite)
    annotated = read_annotated(source, reading, label_column=label_column)
    language = setup.language or guess_language(annotated.messages).language
    with progress_bar(writing.quiet, "fits") as progress:
        names, values = feature_table(
            annotated,
            features,
            language,
            corpus_evidence=corpus_evidence,
            seed=seed,
            progress=progress,
        )
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
