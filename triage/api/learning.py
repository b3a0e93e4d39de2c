"""Measuring a model on annotated messages, and training one."""

from pathlib import Path
from typing import Any

from triage.reports.page import Table

from ..decide.language import chosen_language
from ..decide.pipeline import Triage
from ..errors import warn
from ..settings import Reading, Setup, keywords
from ..vocabulary import DEFAULT_FEATURES
from .deciding import pipeline_of
from .tables import Given, like, reading_of, stored


@keywords(Reading, Setup)
def evaluate(
    messages: Given, *, label_column: str = "label", seed: int = 0, **settings: Any
) -> Any:
    """Measure leak, workload and more on annotated messages; as ``triage evaluate``.

    Parameters
    ----------
    messages : Path, or a table of pandas, Polars or Arrow
        With labels, TA or NTA.
    label_column : str
    corpus_evidence : bool, optional
        Decide each message by what the others tell, the default.
    seed : int
        The seed of the bootstrap.
    **settings
        As for `Triage.load`, and for files as for `read`.

    Returns
    -------
    DataFrame
        A row for each share, with its interval.

    Examples
    --------
    >>> import triage
    >>> measured = evaluate(Path(triage.data.__path__[0]) / "sample_fr.csv")
    >>> measured.iloc[0, 0]
    'leak: TA that end as NTA'
    """
    import pandas as pd

    from ..evaluation.corpus import read_corpus
    from ..evaluation.in_use import decide_labelled, in_use, learnt_from_as_many

    with stored(messages) as path:
        reading = reading_of(messages, settings)
        corpus = read_corpus(path, reading, label_column=label_column, every_row=False)
    setup = Setup.of(settings)
    triage = pipeline_of(setup, corpus.messages)
    decided = decide_labelled(triage, corpus, setup.corpus_evidence)
    warn(learnt_from_as_many(triage.model.manifest, corpus))
    part = in_use(triage, decided, seed)
    shares = next(block for block in part.blocks if isinstance(block, Table))
    return like(messages, pd.DataFrame([*shares.rows], columns=shares.headings))


@keywords(Reading)
def train(
    messages: Given,
    output: str | Path | None = None,
    *,
    label_column: str | None = None,
    language: str | None = None,
    features: str = DEFAULT_FEATURES,
    undersampling: str = "per_bag",
    seed: int = 0,
    overwrite: bool = False,
    **reading: Any,
) -> Triage:
    """Train a model on annotated messages; as ``triage train``.

    Parameters
    ----------
    messages : Path, or a table of pandas, Polars or Arrow
        With labels, TA or NTA, and better with ``spans`` and senders too.
    output : path, optional
        Where the model is saved, for ``triage classify --model``.
    label_column : str, optional
        By default ``final_action`` if there is one, else ``label``.
    language : str, optional
        Of the messages; by default guessed from the first thousand.
    features, undersampling, seed
        As the options of the command.
    overwrite : bool
        Whether a file at `output` is replaced.
    **reading
        For files, as for `read`.

    Returns
    -------
    Triage
        A pipeline that decides by the new model.
    """
    from triage.dictionaries import load_lexicon

    from ..decide.policy import covered
    from ..model.annotated import read_annotated
    from ..model.learn import learn
    from ..model.learnt import save_model

    with stored(messages) as path:
        annotated = read_annotated(path, reading_of(messages, reading), label_column=label_column)
    lists = load_lexicon(chosen_language(language, annotated.messages))
    model = learn(annotated, lists, features, cover=covered, undersampling=undersampling, seed=seed)
    if output is not None:
        save_model(model, Path(output), overwrite=overwrite)
    return Triage(lists, model)
