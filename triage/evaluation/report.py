"""The evaluation of the paper's method: all of it, or one part."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from triage.dictionaries import Lexicon, load_lexicon
from triage.reports.document import Part, Report

from ..errors import TriageError
from ..model.learnt import named_features
from ..model.store import cache_folder
from ..model.training import check_labels
from .about import TITLE, made_from
from .annotators import annotators
from .combined import combined
from .comparison import comparison
from .corpus import Corpus, Prepared, prepare
from .crossval import cross_validation
from .evidence import evidence_part
from .infogain import information_gain
from .later import later_messages
from .models import Progress
from .seek_hide_alone import seek_hide_alone
from .treatment import treatment_part
from .tree import learnt_tree


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
    TREATMENT = "treatment"


@dataclass(frozen=True)
class Options:
    """What a user chooses of the evaluation of the paper's method.

    Parameters
    ----------
    features : str
    n_folds : int
    first : int, optional
        How many messages are for training.
    following : int
        How many behind them the paper's test takes.
    compare : bool
        Whether other models are compared.
    show_words : bool
        Whether words of messages are shown.
    seed, jobs : int
    """

    features: str = "patel2013"
    n_folds: int = 10
    first: int | None = None
    following: int = 2000
    compare: bool = False
    show_words: bool = False
    seed: int = 0
    jobs: int = 1


def evaluate(
    corpus: Corpus,
    options: Options,
    only: PartName | None = None,
    progress: Progress = lambda step: None,  # noqa: ARG005
    lexicon: Lexicon | None = None,
) -> tuple[Part, ...]:
    """Run the evaluation.

    Parameters
    ----------
    corpus : Corpus
    options : Options
    only : PartName, optional
        One part; by default all that the corpus and the options allow.
    progress : callable, optional
        Told the name of each step when it is done.
    lexicon : Lexicon, optional
        The French pack by default.

    Raises
    ------
    TriageError
        If the corpus is too small, or lacks what a part needs.
    """
    check_labels(np.array(corpus.labels, dtype=str))
    if only is PartName.ANNOTATORS and corpus.second is None:
        raise TriageError("name the second annotator's column with --second-label")
    if named_features(options.features).weighs_words:
        raise TriageError(
            f"the paper's tables are of features that are counted, not of {options.features!r}: "
            "choose --features patel2013, or see what evidence gives with --only evidence"
        )
    pack = lexicon or load_lexicon("fr", cache=cache_folder())
    prepared = prepare(corpus, pack, options.features, options.first, options.following)
    _check_both_sides(prepared)
    steps = _steps(prepared, options, progress)
    wanted = [only] if only else _all(corpus, options)
    return tuple(steps[name]() for name in wanted)


def _check_both_sides(prepared: Prepared) -> None:
    for where, name in ((prepared.training, "first"), (prepared.later, "later")):
        here = prepared.corpus.is_ta[where]
        if here.all() or not here.any():
            raise TriageError(
                f"the {name} {len(here):,} messages have one label only: choose another number "
                "with --train-first"
            )


def _all(corpus: Corpus, options: Options) -> list[PartName]:
    optional = {
        PartName.ANNOTATORS: corpus.second is not None,
        PartName.COMPARISON: options.compare,
        # These learn models of their own: only where they are asked for.
        PartName.EVIDENCE: False,
        PartName.TREATMENT: False,
    }
    return [name for name in PartName if optional.get(name, True)]


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
        PartName.ANNOTATORS: lambda: annotators(prepared.corpus),
        PartName.COMPARISON: lambda: comparison(prepared, n_folds, seed, options.jobs, progress),
        PartName.EVIDENCE: lambda: evidence_part(prepared, seed, progress),
        PartName.TREATMENT: lambda: treatment_part(prepared, seed, progress),
    }


def report(corpus: Corpus, parts: tuple[Part, ...], command: str, source: Path) -> Report:
    """Put parts together with what they were made from.

    Parameters
    ----------
    command : str
        That makes them again.
    source : Path
        The file; its folder is not told.
    """
    paper = "Patel et al., Approaches of anonymisation of an SMS corpus, CICLing 2013"
    about = (*made_from(corpus, command, source), ("The paper", paper))
    return Report(TITLE, about, parts)
