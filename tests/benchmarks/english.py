"""Cross-validate what is learnt of English messages, step by step, grouped by sender.

Run by ``make english``. Each fold's messages are decided by a model that was learnt without their
senders, with the corpus evidence of the whole file, as a user's file is.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.model import start_of, translated
from triage.decide.pipeline import Triage
from triage.dictionaries import Lexicon, label_messages, load_lexicon
from triage.evaluation.corpus import AnnotatedCorpus, read_corpus
from triage.features import feature_set
from triage.features.learn import Start, folds_by_group
from triage.model.annotated import AnnotatedMessages
from triage.model.learn import fit, training_table
from triage.model.learnt import TA_FROM_EVIDENCE, Model
from triage.model.shipped import read_tables, shipped_model, table_path
from triage.model.training import TrainingOptions
from triage.reports.measures import Mask, area_under_roc, bootstrap_by_group, share, share_by_group
from triage.vocabulary import Action, Verdict

_EVIDENCE = feature_set("evidence")
_OPTIONS = TrainingOptions()
# Decides which model decides the messages held out, from those to learn from.
_Learner = Callable[[NDArray[np.int64]], Model]


def main(folder: Path) -> None:
    corpus = read_corpus(str(folder / "sms_en.csv.gz"))
    sys.stdout.write(
        "| step | area under ROC (95 %) | untagged | leak (95 %) | workload (95 %) "
        "| precision of TA |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
    )
    french, english = load_lexicon("fr"), load_lexicon("en")
    table = read_tables(table_path("fr", "evidence"), _EVIDENCE)
    shipped = fit(table, _EVIDENCE, french, _OPTIONS)
    _report("French pack and model", corpus, french, lambda _: shipped)
    start, words = start_of("en"), table.words
    if words is None:
        raise ValueError("the tables of English lack what learning starts from")
    steps = {
        "English lists, weights from the English labels alone": Start(),
        "learnt on from the French weights that are of no word": Start(translated(words, {})),
        "and from those of neighbours with a counterpart": start,
    }
    for step, given in steps.items():
        _report(step, corpus, english, _learner(corpus, english, given, TA_FROM_EVIDENCE))
    ta_from = shipped_model(english, "evidence").manifest.ta_from
    step = f"the same, TA from {ta_from} on (shipped)"
    _report(step, corpus, english, _learner(corpus, english, start, ta_from))


def _learner(corpus: AnnotatedCorpus, lexicon: Lexicon, start: Start, ta_from: float) -> _Learner:
    def learn(rows: NDArray[np.int64]) -> Model:
        kept = rows.tolist()
        table = training_table(
            label_messages([corpus.messages[row] for row in kept], lexicon),
            AnnotatedMessages(
                [corpus.messages[row] for row in kept],
                [corpus.labels[row] for row in kept],
                [corpus.senders_or_empty[row] for row in kept],
                [(corpus.spans or [])[row] for row in kept],
            ),
            _EVIDENCE,
            _OPTIONS,
            start,
        )
        model = fit(table, _EVIDENCE, lexicon, _OPTIONS)
        return replace(model, manifest=replace(model.manifest, ta_from=ta_from))

    return learn


def _report(step: str, corpus: AnnotatedCorpus, lexicon: Lexicon, learn: _Learner) -> None:
    is_ta, groups = corpus.is_ta, np.array(corpus.senders_or_empty)
    score, untagged = np.zeros(len(is_ta)), np.zeros(len(is_ta), dtype=np.bool_)
    action = np.full(len(is_ta), Action.EXPERT)
    for training, testing in folds_by_group(is_ta, groups, seed=0):
        decided = Triage(lexicon, learn(training), policy="agreement").decide(
            corpus.messages, corpus.senders, corpus_evidence=True
        )
        score[testing] = np.array(decided.model_score)[testing]
        untagged[testing] = (np.array(decided.seek_hide) == Verdict.UNTAGGED)[testing]
        action[testing] = np.array(decided.action)[testing]
    area = bootstrap_by_group(area_under_roc, groups, score, is_ta, n=400)
    expert = action == Action.EXPERT
    cells = (
        step,
        f"{area.estimate:.3f} ({area.low:.3f} to {area.high:.3f})",
        f"{untagged.mean():.1%}",
        _share((action == Action.NTA) & is_ta, is_ta, groups),
        _share(expert, np.ones_like(expert), groups),
        f"{share(is_ta, action == Action.TA):.2f}",
    )
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


def _share(hits: Mask, among: Mask, groups: NDArray[np.str_]) -> str:
    found = share_by_group(hits, among, groups)
    interval = f" ({found.low:.1%} to {found.high:.1%})" if found else ""
    return f"{share(hits, among):.1%}{interval}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
