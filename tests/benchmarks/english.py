"""Cross-validate what is learnt of English messages, grouped by sender.

Run by ``make english``. Each fold's messages are decided by a model that was learnt without their
senders, with the corpus evidence of the whole file, as a user's file is.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.files import print_heading, print_row
from tools.model import learn_shipped
from triage.decide.pipeline import Triage
from triage.dictionaries import Lexicon, load_lexicon
from triage.evaluation.corpus import AnnotatedCorpus, read_corpus
from triage.features.learn import folds_by_group
from triage.model.learnt import Model, shipped_model
from triage.reports.measures import Mask, Share, auc, bootstrap_by_group, share
from triage.vocabulary import Action, Verdict

# Decides which model decides the messages held out, from those to learn from.
_Learner = Callable[[AnnotatedCorpus, NDArray[np.int64]], Model]


def main(folder: Path) -> None:
    few, more = (read_corpus(str(folder / f"sms_en{name}.csv.gz")) for name in ("", "_more"))
    together = AnnotatedCorpus(
        few.messages + more.messages,
        few.labels + more.labels,
        few.senders_or_empty + more.senders_or_empty,
        spans=few.marked("English") + more.marked("English"),
    )
    measured = ("area under ROC (95 %)", "untagged", "leak (95 %)", "workload (95 %)")
    print_heading("step", *measured, "precision of TA")
    french, english = load_lexicon("fr"), load_lexicon("en")
    shipped = shipped_model(french, "evidence")
    _report("French pack and model", together, french, lambda *_: shipped)

    def anew(corpus: AnnotatedCorpus, rows: NDArray[np.int64]) -> Model:
        return corpus.learn(rows.tolist(), english)

    def as_shipped(corpus: AnnotatedCorpus, rows: NDArray[np.int64]) -> Model:
        return learn_shipped(corpus.only(rows.tolist()), english, "evidence")

    _report("English lists, learnt from the first 1,995 messages alone", few, english, anew)
    all_messages = f"learnt from all {len(together.messages):,}"
    _report(f"{all_messages}, agreement", together, english, anew)
    for policy in ("agreement", "guarded"):
        step = f"{all_messages} and invented ones (shipped), {policy}"
        _report(step, together, english, as_shipped, policy)


def _report(
    step: str,
    corpus: AnnotatedCorpus,
    lexicon: Lexicon,
    learner: _Learner,
    policy: str = "agreement",
) -> None:
    is_ta, groups = corpus.is_ta, np.array(corpus.senders_or_empty)
    score, untagged = np.zeros(len(is_ta)), np.zeros(len(is_ta), dtype=np.bool_)
    action = np.full(len(is_ta), Action.EXPERT)
    for training, testing in folds_by_group(is_ta, groups, seed=0):
        decided = Triage(lexicon, learner(corpus, training), policy=policy).decide(
            corpus.messages, corpus.senders, corpus_evidence=True
        )
        score[testing] = np.array(decided.model_score)[testing]
        untagged[testing] = (np.array(decided.seek_hide) == Verdict.UNTAGGED)[testing]
        action[testing] = np.array(decided.action)[testing]
    area = bootstrap_by_group(auc, groups, score, is_ta, n=400)
    expert = action == Action.EXPERT
    print_row(
        step,
        f"{area.estimate:.3f} ({area.low:.3f} to {area.high:.3f})",
        f"{untagged.mean():.1%}",
        _share((action == Action.NTA) & is_ta, is_ta, groups),
        _share(expert, np.ones_like(expert), groups),
        f"{share(is_ta, action == Action.TA):.2f}",
    )


def _share(hits: Mask, among: Mask, groups: NDArray[np.str_]) -> str:
    one = Share(hits, among)
    low, high = one.by_group(groups)
    interval = f" ({low:.1%} to {high:.1%})" if low is not None else ""
    return f"{one.value:.1%}{interval}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
