"""Classification of a Dask DataFrame, with the decisions of one machine: for one or a few machines.

Two passes: each partition is gathered, and what was gathered is merged; then each is classified
with the sum. Needs ``pip install '.[dask]'``.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from triage.data.errors import require

from .decide import corpus
from .decide.evidence import merge_evidence
from .decide.language import N_MESSAGES, chosen_language
from .decide.pipeline import load_once
from .model.annotated import text_of
from .settings import Setup

if TYPE_CHECKING:
    from dask.dataframe import DataFrame

_AT_ONCE = 8


def classify(
    ddf: "DataFrame",
    text_column: str = "text",
    sender_column: str | None = None,
    *,
    max_evidence_words: int = corpus.MAX_WORDS,
    setup: Setup = corpus.DEFAULT,
) -> "DataFrame":
    """Decide each message of a Dask DataFrame with the evidence of all of them."""
    dask, evidence = require("dask", "dask"), None
    gather, decide = (
        partial(step, text_column=text_column, sender_column=sender_column)
        for step in (corpus.gather_partition, corpus.classify_partition)
    )
    # Without rows: what is wrong with the columns is said before any work.
    meta = decide(ddf._meta, setup=setup)
    heads = (part[text_column].head(N_MESSAGES, npartitions=1) for part in ddf.partitions)
    first = (text_of(cell) for cells in heads for cell in cells)
    setup = replace(setup, language=chosen_language(setup.language, first))
    if load_once(setup).weighs_corpus:
        parts = [dask.delayed(gather)(part, setup=setup) for part in ddf.to_delayed()]
        merge = dask.delayed(partial(merge_evidence, may_repeat=True))
        while len(parts) > _AT_ONCE:
            parts = [merge(parts[i : i + _AT_ONCE]) for i in range(0, len(parts), _AT_ONCE)]
        scheduler = None if dask.config.get("scheduler", None) else "processes"
        whole = merge(parts, max_words=max_evidence_words)
        (evidence,) = dask.persist(whole, scheduler=scheduler)
    classified: DataFrame = ddf.map_partitions(
        decide, evidence, setup=setup, meta=meta, enforce_metadata=False
    )
    return classified
