"""Reports: the paper's method, all of it or one part, and where a report comes from."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from triage.dictionaries import Lexicon
from triage.reports.document import Part, Report, Table
from triage.reports.measures import cohen_kappa

from ..errors import TriageError
from ..model.learnt import named_features
from ..model.training import check_labels
from .anonymising import anonymising_part
from .chaining import chaining_part
from .classifiers import comparison, cross_validation, later_messages
from .corpus import AnnotatedCorpus, Prepared, lexicon_of, prepare
from .evidence_set import evidence_part
from .infogain import information_gain
from .models import Progress
from .provenance import TITLE, made_from
from .seek_hide import combined, seek_hide_alone
from .tree import learnt_tree

_MOST_LINES = 1000


class PartName(StrEnum):
    """The parts of an evaluation, as ``--only`` names them."""

    CROSS_VALIDATION = "cross-validation"
    LATER_MESSAGES = "later-messages"
    INFOGAIN = "infogain"
    TREE = "tree"
    SEEK_HIDE = "seek-hide"
    COMBINED = "combined"
    ANNOTATORS = "annotators"
    COMPARISON = "comparison"
    EVIDENCE = "evidence"
    CHAINING = "chaining"
    TREATMENT = "treatment"


@dataclass(frozen=True)
class Options:
    """Options of ``triage evaluate --paper``; `first` and `following` are those of `Prepared`."""

    features: str = "patel2013"
    n_folds: int = 10
    first: int | None = None
    following: int = 2000
    compare: bool = False
    show_words: bool = False
    seed: int = 0
    jobs: int = 1


def evaluate(
    corpus: AnnotatedCorpus,
    options: Options,
    only: PartName | None = None,
    progress: Progress = lambda step: None,  # noqa: ARG005
    lexicon: Lexicon | None = None,
) -> tuple[Part, ...]:
    """Run one part of the evaluation, or all that the corpus and the options allow."""
    check_labels(np.array(corpus.labels, dtype=str))
    if only is PartName.ANNOTATORS and corpus.second is None:
        raise TriageError("name the second annotator's column with --second-label")
    if named_features(options.features).weighs_words:
        raise TriageError(
            f"the paper's tables are of features that are counted, not of {options.features!r}: "
            "choose --features patel2013, or see what evidence gives with --only evidence"
        )
    pack = lexicon or lexicon_of(corpus.messages)
    prepared = prepare(corpus, pack, options.features, options.first, options.following)
    _check_both_sides(prepared)
    optional = {
        PartName.ANNOTATORS: corpus.second is not None,
        PartName.COMPARISON: options.compare,
        # These learn models of their own: only where they are asked for.
        PartName.EVIDENCE: False,
        PartName.CHAINING: False,
        PartName.TREATMENT: False,
    }
    wanted = [only] if only else [name for name in PartName if optional.get(name, True)]
    steps = _steps(prepared, options, progress)
    return tuple(steps[name]() for name in wanted)


def _check_both_sides(prepared: Prepared) -> None:
    for where, name in ((prepared.training, "first"), (prepared.later, "later")):
        here = prepared.corpus.is_ta[where]
        if here.all() or not here.any():
            raise TriageError(
                f"the {name} {len(here):,} messages have one label only: choose another number "
                "with --train-first"
            )


def _steps(
    prepared: Prepared, options: Options, progress: Progress
) -> dict[PartName, Callable[[], Part]]:
    seed, n_folds = options.seed, options.n_folds
    return {
        PartName.CROSS_VALIDATION: lambda: cross_validation(prepared, n_folds, seed, progress),
        PartName.LATER_MESSAGES: lambda: later_messages(prepared, seed, progress),
        PartName.INFOGAIN: lambda: information_gain(prepared, seed),
        PartName.TREE: lambda: learnt_tree(prepared, seed),
        PartName.SEEK_HIDE: lambda: seek_hide_alone(prepared, options.show_words, seed),
        PartName.COMBINED: lambda: combined(prepared, seed),
        PartName.ANNOTATORS: lambda: _annotators(prepared.corpus),
        PartName.COMPARISON: lambda: comparison(prepared, n_folds, seed, options.jobs, progress),
        PartName.EVIDENCE: lambda: evidence_part(prepared, seed, progress),
        PartName.CHAINING: lambda: chaining_part(prepared, seed, progress),
        PartName.TREATMENT: lambda: anonymising_part(prepared, seed, progress),
    }


def _annotators(corpus: AnnotatedCorpus) -> Part:
    """Compare two columns of labels."""
    second = corpus.second or []
    try:
        agreement = cohen_kappa(corpus.labels, second)
    except ValueError as error:
        raise TriageError(f"the two annotators' labels cannot be compared: {error}") from error
    differ = np.flatnonzero(np.array(corpus.labels) != np.array(second))
    lines = ", ".join(str(corpus.lines[i]) for i in differ[:_MOST_LINES]) or "none"
    kappa = agreement.kappa
    return Part(
        "annotators",
        "Two annotators",
        (
            Table(
                "Agreement on TA and NTA",
                {
                    "messages": ",d",
                    "agreed": ".1%",
                    **dict.fromkeys(("Cohen's kappa", "95 % from", "to"), ".3f"),
                },
                [(len(second), agreement.observed, kappa.estimate, kappa.low, kappa.high)],
            ),
            f"They differ on {len(differ):,} messages, in these lines of the file: {lines}"
            + (" …" if len(differ) > _MOST_LINES else "."),
        ),
    )


def report(corpus: AnnotatedCorpus, parts: tuple[Part, ...], command: str, source: Path) -> Report:
    """Return the report of the paper's method; see `made_from`."""
    paper = "Patel et al., Approaches of anonymisation of an SMS corpus, CICLing 2013"
    return Report(TITLE, (*made_from(corpus, command, source), ("The paper", paper)), parts)
