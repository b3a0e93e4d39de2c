"""Classification of a Dask DataFrame, with the decisions of one machine: for one or a few machines.

Two passes: each partition is gathered, and what was gathered is merged; then each is classified
with the sum. Needs ``pip install '.[dask]'``.
"""

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from triage.data.errors import require

from .decide.language import N_MESSAGES
from .decide.partition import (
    DEFAULT,
    MOST_WORDS,
    classify_partition,
    gather_partition,
    in_language,
    load_once,
    merge_evidence,
)
from .model.annotated import text_of
from .settings import Setup

if TYPE_CHECKING:
    from dask.dataframe import DataFrame

_MERGED_AT_ONCE = 8


def classify(
    ddf: "DataFrame",
    text: str = "text",
    sender: str | None = None,
    *,
    max_evidence_words: int = MOST_WORDS,
    setup: Setup = DEFAULT,
) -> "DataFrame":
    """Decide each message of a Dask DataFrame with the evidence of all of them."""
    dask, frames = require("dask", "dask"), require("dask.dataframe", "dask")
    # Without rows: what is wrong with the columns is said before any work.
    meta = classify_partition(ddf._meta, text=text, sender=sender, setup=setup)
    setup, note = in_language(setup, lambda: _first_messages(ddf, text))
    if note:
        warnings.warn(note, stacklevel=2)
    parts = ddf.to_delayed()
    options: dict[str, Any] = {"text": text, "sender": sender, "setup": setup}
    evidence = None
    if load_once(setup).weighs_corpus and parts:
        gathered = [dask.delayed(gather_partition)(part, **options) for part in parts]
        merge, most = dask.delayed(merge_evidence), _MERGED_AT_ONCE
        while len(gathered) > most:
            gathered = [merge(gathered[i : i + most]) for i in range(0, len(gathered), most)]
        scheduler = None if dask.config.get("scheduler", None) else "processes"
        whole = merge(gathered, max_words=max_evidence_words)
        (evidence,) = dask.persist(whole, scheduler=scheduler)
    decided = [dask.delayed(classify_partition)(part, evidence, **options) for part in parts]
    classified: DataFrame = frames.from_delayed(
        decided, meta=meta, divisions=ddf.divisions, verify_meta=False
    )
    return classified


def _first_messages(ddf: "DataFrame", text: str) -> Iterator[str]:
    """Yield messages of the first partitions, as long as they are asked for."""
    for part in ddf.partitions:
        yield from map(text_of, part[text].head(N_MESSAGES, npartitions=1).tolist())
