"""Classification of a Dask DataFrame, with the decisions of one machine: for one or a few machines.

Two passes: each partition is gathered, and what was gathered is merged; then each is classified
with the sum. Needs ``pip install '.[dask]'``.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from triage.data.errors import require

from .decide import corpus as parts_of
from .decide.language import N_MESSAGES, said_language
from .decide.pipeline import load_once
from .model.annotated import text_of
from .settings import Setup

if TYPE_CHECKING:
    import pandas as pd
    from dask.dataframe import DataFrame

_AT_ONCE = 8


def classify(
    ddf: "DataFrame",
    text: str = "text",
    sender: str | None = None,
    *,
    max_evidence_words: int = parts_of.MOST_WORDS,
    setup: Setup = parts_of.DEFAULT,
) -> "DataFrame":
    """Decide each message of a Dask DataFrame with the evidence of all of them."""
    dask, frames = require("dask", "dask"), require("dask.dataframe", "dask")
    # Without rows: what is wrong with the columns is said before any work.
    meta = parts_of.classify_partition(ddf._meta, text=text, sender=sender, setup=setup)
    some = (part[text].head(N_MESSAGES, npartitions=1) for part in ddf.partitions)
    first = (text_of(cell) for cells in some for cell in cells)
    setup = replace(setup, language=said_language(setup.language, first))
    parts, evidence = ddf.to_delayed(), None
    merge, most = dask.delayed(parts_of.merge_evidence), _AT_ONCE
    gather, decide = (
        partial(dask.delayed(step), text=text, sender=sender, setup=setup)
        for step in (_gathered, parts_of.classify_partition)
    )
    if load_once(setup).weighs_corpus and parts:
        gathered = [*map(gather, parts)]
        while len(gathered) > most:
            gathered = [merge(gathered[i : i + most]) for i in range(0, len(gathered), most)]
        scheduler = None if dask.config.get("scheduler", None) else "processes"
        whole = merge(gathered, max_words=max_evidence_words)
        (evidence,) = dask.persist(whole, scheduler=scheduler)
    decided = [decide(part, evidence) for part in parts]
    classified: DataFrame = frames.from_delayed(
        decided, meta=meta, divisions=ddf.divisions, verify_meta=False
    )
    return classified


def _gathered(part: "pd.DataFrame", **how: Any) -> parts_of.Evidence:  # noqa: ANN401
    """Gather a partition, which is given once, though another one may hold the same messages."""
    return replace(parts_of.gather_partition(part, **how), parts=())
