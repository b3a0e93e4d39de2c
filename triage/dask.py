"""Classification of a Dask DataFrame, with the decisions of one machine: for one or a few machines.

Two passes: each partition is gathered, and what was gathered is merged; then each is classified
with the sum. Needs ``pip install '.[dask]'``.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from triage.data.errors import require

from .decide import corpus
from .decide.corpus import merge_evidence
from .decide.language import N_MESSAGES, chosen_language
from .decide.pipeline import load_once
from .model.annotated import text_of
from .settings import Setup

if TYPE_CHECKING:
    from dask.dataframe import DataFrame


def classify(
    ddf: "DataFrame",
    text_column: str = "text",
    sender_column: str | None = None,
    *,
    max_evidence_words: int = corpus.MAX_WORDS,
    setup: Setup = corpus.DEFAULT,
) -> "DataFrame":
    """Decide each message of a Dask DataFrame with the evidence of all of them."""
    dask, bag = require("dask", "dask"), require("dask.bag", "dask")
    corpus.check_frame(ddf, "dask", text_column, sender_column)
    heads = (part[text_column].head(N_MESSAGES, npartitions=1) for part in ddf.partitions)
    first = (text_of(cell) for cells in heads for cell in cells)
    setup = replace(setup, language=chosen_language(setup.language, first))
    gather, decide = (
        partial(step, text_column=text_column, sender_column=sender_column, setup=setup)
        for step in (corpus.gather_partition, corpus.classify_partition)
    )
    meta, evidence = decide(ddf._meta), None
    if load_once(setup).weighs_corpus:
        merge = partial(merge_evidence, may_repeat=True)
        whole = bag.from_delayed(ddf.to_delayed()).reduction(gather, merge).to_delayed()
        bounded = dask.delayed(merge)([whole], max_words=max_evidence_words)
        scheduler = None if dask.config.get("scheduler", None) else "processes"
        (evidence,) = dask.persist(bounded, scheduler=scheduler)
    classified: DataFrame = ddf.map_partitions(decide, evidence, meta=meta, enforce_metadata=False)
    return classified
