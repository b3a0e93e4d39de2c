"""The report of the paper's method: all of its parts, or one."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from triage.dictionaries import Lexicon
from triage.features import feature_set
from triage.reports.page import Part, Report

from ..errors import TriageError, UserError
from ..model.training import check_labels
from .anonymising import anonymising_part
from .corpus import TITLE, AnnotatedCorpus, Options, Prepared, made_from, prepare
from .in_use import evidence_part
from .paper import annotators, combined, seek_hide_alone
from .paper_features import information_gain, learnt_tree
from .paper_models import comparison, cross_validation, later_messages
from .sources import sources_part

_PAPER = "Patel et al., Approaches of anonymisation of an SMS corpus, CICLing 2013"

# As `--only` names them.
PARTS: dict[str, Callable[[Prepared, Options], Part]] = {
    "cross-validation": cross_validation,
    "later-messages": later_messages,
    "infogain": information_gain,
    "tree": learnt_tree,
    "seek-hide": seek_hide_alone,
    "combined": combined,
    "annotators": annotators,
    "comparison": comparison,
    "sources": sources_part,
    "evidence": evidence_part,
    "treatment": anonymising_part,
}
# These learn many models: only where they are asked for.
_ASKED_FOR = {"evidence", "treatment"}


def evaluate(
    corpus: AnnotatedCorpus, options: Options, lexicon: Lexicon, only: str | None = None
) -> tuple[Part, ...]:
    """Run one part of the evaluation, or all that the corpus and the options allow."""
    if only is not None and only not in PARTS:
        raise TriageError(f"there is no part {only!r}; there are: {', '.join(PARTS)}")
    check_labels(np.array(corpus.labels, dtype=str))
    if only == "annotators" and corpus.second is None:
        raise TriageError("name the second annotator's column with --second-label")
    if feature_set(options.features).weighs_words:
        raise TriageError(
            f"the paper's tables are of features that are counted, not of {options.features!r}: "
            "choose --features patel2013, or see what evidence gives with --only evidence"
        )
    prepared = prepare(corpus, lexicon, options)
    _check_both_sides(prepared)
    left_out = _ASKED_FOR | ({"annotators"} if corpus.second is None else set())
    left_out |= set() if options.compare else {"comparison"}
    parts = []
    for name in [only] if only else [name for name in PARTS if name not in left_out]:
        options.progress(name)
        try:
            parts.append(PARTS[name](prepared, options))
        except UserError as error:
            # The other parts need neither the extra nor marked identifiers.
            if only or name != "sources":
                raise
            parts.append(Part(name, "The methods of the sources", [f"Not measured: {error}"]))
    return tuple(parts)


def _check_both_sides(prepared: Prepared) -> None:
    for where, name in ((prepared.training, "first"), (prepared.later, "later")):
        here = prepared.corpus.is_ta[where]
        if here.all() or not here.any():
            raise TriageError(
                f"the {name} {len(here):,} messages have one label only: choose another number "
                "with --train-first"
            )


def report(corpus: AnnotatedCorpus, parts: tuple[Part, ...], command: str, source: Path) -> Report:
    """Return the report of the paper's method; see `made_from`."""
    return Report(TITLE, (*made_from(corpus, command, source), ("The paper", _PAPER)), parts)
