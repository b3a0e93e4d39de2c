"""Cross-validate what is learnt of English messages, step by step, grouped by sender.

Run by ``make english``. Each fold's messages are decided by a model that was learnt without their
senders, with the corpus evidence of the whole file, as a user's file is.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from triage.decide.pipeline import Triage
from triage.dictionaries import Lexicon, label_messages, load_lexicon
from triage.evaluation.measures import area_under_roc, triaged
from triage.features import FEATURE_SETS
from triage.features.learn_words import folds_by_group
from triage.features.transfer import Start, translated
from triage.model.annotated import AnnotatedFile, read_annotated
from triage.model.learn import fit, training_table
from triage.model.learnt import TA_FROM_EVIDENCE, Model
from triage.model.shipped import read_tables, shipped_model, start_of, table_path
from triage.model.training import TrainingOptions
from triage.reports.measures import Interval, bootstrap_by_group
from triage.vocabulary import Action, Prediction, Verdict

_EVIDENCE = FEATURE_SETS["evidence"]
_OPTIONS = TrainingOptions()
# Decides which model decides the messages held out, from those to learn from.
_Learner = Callable[[NDArray[np.int64]], Model]


@dataclass(frozen=True)
class _Corpus:
    file: AnnotatedFile
    is_ta: NDArray[np.bool_]
    senders: list[str]

    @classmethod
    def read(cls, path: Path) -> "_Corpus":
        file = read_annotated(str(path))
        return cls(
            file, np.array([label == Prediction.TA for label in file.labels]), file.senders or []
        )


def main(folder: Path) -> None:
    """Print a row of a table for each step."""
    corpus = _Corpus.read(folder / "sms_en.csv.gz")
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
    if start is None or words is None:
        raise ValueError("the tables of English lack what learning starts from")
    steps = {
        "English lists, weights from the English labels alone": None,
        "learnt on from the French weights that are of no word": Start(translated(words, {})),
        "and from those of neighbours with a counterpart": Start(start.words),
        "and the trees of the French second stage, weighing half": start,
    }
    for step, given in steps.items():
        _report(step, corpus, english, _learner(corpus, english, given, TA_FROM_EVIDENCE))
    ta_from = shipped_model(english, "evidence").manifest.ta_from
    step = f"the same, TA from {ta_from} on (shipped)"
    _report(step, corpus, english, _learner(corpus, english, start, ta_from))


def _learner(corpus: _Corpus, lexicon: Lexicon, start: Start | None, ta_from: float) -> _Learner:
    file = corpus.file

    def learn(rows: NDArray[np.int64]) -> Model:
        kept = rows.tolist()
        table = training_table(
            label_messages([file.messages[row] for row in kept], lexicon),
            [file.labels[row] for row in kept],
            _EVIDENCE,
            _OPTIONS,
            spans=[(file.spans or [])[row] for row in kept],
            senders=[corpus.senders[row] for row in kept],
            start=start,
        )
        model = fit(table, _EVIDENCE, lexicon, _OPTIONS)
        return replace(model, manifest=replace(model.manifest, ta_from=ta_from))

    return learn


def _report(step: str, corpus: _Corpus, lexicon: Lexicon, learn: _Learner) -> None:
    n_messages = len(corpus.is_ta)
    score, untagged = np.zeros(n_messages), np.zeros(n_messages, dtype=np.bool_)
    actions = [Action.EXPERT] * n_messages
    for training, testing in folds_by_group(corpus.is_ta, np.array(corpus.senders), seed=0):
        decided = Triage(lexicon, learn(training), policy="agreement").decide(
            corpus.file.messages, corpus.senders, corpus_evidence=True
        )
        for row in testing.tolist():
            score[row] = decided.model_score[row]
            untagged[row] = decided.seek_hide[row] is Verdict.UNTAGGED
            actions[row] = decided.action[row]
    groups = np.array(corpus.senders)
    area = bootstrap_by_group(area_under_roc, groups, score, corpus.is_ta, n=400)
    found = triaged(actions, corpus.is_ta, groups, seed=0)
    cells = (
        step,
        f"{area.estimate:.3f} ({area.low:.3f} to {area.high:.3f})",
        f"{untagged.mean():.1%}",
        f"{found.leak.estimate:.1%}{_shown(found.leak_by_sender)}",
        f"{found.workload:.1%}{_shown(found.workload_by_sender)}",
        f"{found.precision:.2f}",
    )
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


def _shown(interval: Interval | None) -> str:
    return f" ({interval.low:.1%} to {interval.high:.1%})" if interval else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
