"""The feature set ``evidence`` beside the twelve: targets, promises, robustness, ablation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Label, LabelledMessages, label_messages
from triage.features import feature_names, second_stage
from triage.features.learn_words import marked_words
from triage.features.word_evidence import probability
from triage.reports.document import Cell, Part, Table
from triage.reports.measures import auc

from ..decide.pipeline import Decisions, ScoredMessages, Triage, gather
from ..decide.policy import act
from ..decide.seek_hide import holds_identifier
from ..errors import TriageError
from ..model.learn import TrainingTable, describe, fit, held_out_scores, training_table
from ..model.learnt import Model, named_features
from ..model.rewriting import lowered
from ..model.training import TrainingOptions
from ..settings import Policy, PolicyName
from ..vocabulary import CERTAIN_FROM, Action, Prediction
from .corpus import AnnotatedCorpus, Prepared
from .in_use import kept
from .measures import Mask, expert_share, share
from .models import Progress

LEAKS = (0.05, 0.02, 0.01)
_AT_LEAKS = [f"expert share at leak {leak:.0%}" for leak in LEAKS]
_PROMISES = (0.05, 0.02, 0.01, 0.005)


@dataclass(frozen=True)
class _Measured:
    """A score of messages, with the model's votes and the actions."""

    score: NDArray[np.float64]
    is_vote_ta: Mask
    action: NDArray[np.str_]

    @classmethod
    def of(cls, decided: Decisions, rows: slice) -> "_Measured":
        return cls(
            np.array(decided.model_score)[rows],
            np.array([vote is Prediction.TA for vote in decided.model[rows]], dtype=np.bool_),
            np.array([str(action) for action in decided.action[rows]]),
        )


def evidence_part(prepared: Prepared, seed: int, progress: Progress) -> Part:
    """Learn from the training messages, and measure on the later ones and out of fold."""
    corpus = prepared.corpus
    corpus.marked("the evidence of words")
    learner = Learner(prepared, TrainingOptions(seed=seed))
    model = learner.model("evidence")
    if not (model.words and model.words.voter.held_out.is_ta.any()):
        raise TriageError(
            "too few messages are labelled TA among the first to hold any out: label more, or "
            "choose a larger --train-first"
        )
    progress("evidence")
    triage = Triage(prepared.labelled.lexicon, model, policy=PolicyName.AGREEMENT)
    decided = triage.decide(corpus.messages, corpus.senders, corpus_evidence=True)
    return Part(
        "evidence",
        "Evidence of words and of the corpus",
        (
            f"Learnt from the first {prepared.first:,} messages, measured on the "
            f"{len(corpus.messages) - prepared.first:,} later ones, of which "
            f"{int(corpus.is_ta[prepared.later].sum()):,} are TA. All was chosen on the first "
            "ones, in folds grouped by sender.",
            _targets(prepared, learner, model, decided, progress),
            *_promises(prepared, model, progress),
            _by_label(prepared, triage, progress),
            _ablation(prepared, learner, progress),
        ),
    )


class Learner:
    """Learns models from the training messages of a corpus."""

    def __init__(self, prepared: Prepared, options: TrainingOptions) -> None:
        self._options = options
        corpus, here = prepared.corpus, prepared.training
        self._labels = corpus.labels[here]
        self._senders = corpus.senders[here] if corpus.senders else None
        self._spans = corpus.spans[here] if corpus.spans else None
        self._lexicon = prepared.labelled.lexicon
        self._labelled = label_messages(corpus.messages[here], self._lexicon)

    def table(self, features: str, *, marked: bool = True) -> TrainingTable:
        """Return a training table."""
        return training_table(
            self._labelled,
            self._labels,
            named_features(features),
            self._options,
            spans=self._spans if marked else None,
            senders=self._senders,
        )

    def held_out(self, without: Sequence[str]) -> NDArray[np.float64]:
        """Return the scores of the training messages out of fold, without some evidence."""
        features = named_features("evidence")
        described = describe(
            self._labelled,
            self._labels,
            features,
            self._options.seed,
            spans=self._spans,
            senders=self._senders,
            without=without,
        )
        if described.corpus_values is None:
            raise TypeError("the features weigh words")
        tables = [described.corpus_values]
        [score] = held_out_scores(tables, self._labels, features, self._options, described.folds)
        return score

    def model(self, features: str, *, marked: bool = True) -> Model:
        """Learn a model, from marked words unless `marked` is False."""
        table = self.table(features, marked=marked)
        return fit(table, named_features(features), self._lexicon, self._options)


def _targets(
    prepared: Prepared, learner: Learner, model: Model, decided: Decisions, progress: Progress
) -> Table:
    corpus, later = prepared.corpus, prepared.later
    lexicon = prepared.labelled.lexicon
    lower_cased = _lower_cased(corpus, later)

    def run(which: Model, messages: list[str], corpus_evidence: bool) -> _Measured:
        found = Triage(lexicon, which, policy=PolicyName.AGREEMENT).decide(
            messages, corpus.senders, corpus_evidence=corpus_evidence
        )
        progress("evidence")
        return _Measured.of(found, later)

    runs = {
        "evidence, with corpus evidence (the default)": _Measured.of(decided, later),
        "evidence, without corpus evidence": run(model, corpus.messages, False),
        "the same, identifiers without capitals, with corpus evidence": run(
            model, lower_cased, True
        ),
        "the same, identifiers without capitals, without": run(model, lower_cased, False),
        "evidence learnt from labels of messages alone": run(
            learner.model("evidence", marked=False), corpus.messages, True
        ),
        "patel2013": run(learner.model("patel2013"), corpus.messages, False),
    }
    is_ta = corpus.is_ta[later]
    return Table(
        "What the model and the agreement table give on the later messages",
        {
            "features": "",
            "area under ROC": ".4f",
            **dict.fromkeys(("balanced accuracy", "recall of TA", "precision of TA"), ".3f"),
            **dict.fromkeys(("leak", "workload", *_AT_LEAKS), ".1%"),
        },
        [(name, *_figures(measured, is_ta)) for name, measured in runs.items()],
        "The last columns: what experts must read when messages are ranked by score, so that the "
        "leak is this and 95 % of what is called TA is TA; a dash where one TA message is a larger "
        "leak. Without capitals are the later "
        "messages; the others stay as they are.",
    )


def _figures(measured: _Measured, is_ta: Mask) -> tuple[float, ...]:
    vote = measured.is_vote_ta
    recall, of_nta = float(vote[is_ta].mean()), float((~vote[~is_ta]).mean())
    return (
        auc(measured.score, is_ta),
        (recall + of_nta) / 2,
        recall,
        share(is_ta, vote),
        float((measured.action[is_ta] == Action.NTA).mean()),
        float((measured.action == Action.EXPERT).mean()),
        *_expert_shares(measured.score, is_ta),
    )


def _expert_shares(score: NDArray[np.float64], is_ta: Mask) -> list[float]:
    """Return the expert's share at each leak; nan where one TA message is more than that."""
    n_ta = int(is_ta.sum())
    return [
        expert_share(score, is_ta, leak) if n_ta * leak >= 1 else float("nan") for leak in LEAKS
    ]


def _lower_cased(corpus: AnnotatedCorpus, where: slice, step: int = 1) -> list[str]:
    """Return the messages, with the identifiers of some, or of some every few, in lower case."""
    messages = list(corpus.messages)
    for i in range(*where.indices(len(messages)))[::step]:
        for start, end, _ in (corpus.spans or [])[i]:
            text = messages[i]
            messages[i] = text[:start] + lowered(text[start:end]) + text[end:]
    return messages


def _promises(prepared: Prepared, model: Model, progress: Progress) -> list[Table]:
    """Measure the guarded policy on the later messages, written with ever fewer capitals."""
    corpus, later = prepared.corpus, prepared.later
    half = _lower_cased(corpus, later, step=2)
    return [
        _promise_table(prepared, model, messages, how, progress)
        for how, messages in (
            ("as they are written", corpus.messages),
            ("the identifiers of every other one without capitals", half),
            ("all identifiers without capitals", _lower_cased(corpus, later)),
        )
    ]


def _promise_table(
    prepared: Prepared, model: Model, messages: list[str], how: str, progress: Progress
) -> Table:
    corpus, later = prepared.corpus, prepared.later
    is_ta, lexicon = corpus.is_ta[later], prepared.labelled.lexicon
    triage = Triage(lexicon, model)
    weighed = _weighed(triage, label_messages(messages, lexicon), corpus)
    decided, by_form = triage.decide_scored(weighed), holds_identifier(weighed.labelled)
    score = np.array(decided.model_score)
    rows: list[tuple[Cell, ...]] = []
    for max_leak in _PROMISES:
        triage = Triage(lexicon, model, policy=Policy(PolicyName.GUARDED, max_leak))
        promised = triage.promise(weighed.names_with_capitals)
        if promised is None:
            raise TypeError("the guarded policy promises something")
        actions = act(promised, decided.seek_hide, decided.model, score, by_form)
        action = np.array([str(action) for action in actions[later]])
        released, as_ta = is_ta & (action == Action.NTA), action == Action.TA
        rows.append(
            (
                f"{max_leak:g}",
                promised.leak,
                float(released.sum() / is_ta.sum()),
                kept(promised.leak, int(released.sum()), int(is_ta.sum())).value,
                float((action == Action.EXPERT).mean()),
                share(is_ta, as_ta),
                promised.low,
                promised.high,
            )
        )
        progress("evidence")
    return Table(
        f"The guarded policy on the later messages, {how}",
        {
            "--max-leak": "",
            "promised leak": ".2%",
            "leak in fact": ".2%",
            "promise": "",
            "workload": ".1%",
            "precision of TA": ".3f",
            "NTA below": ".4f",
            "TA from": ".4f",
        },
        rows,
        f"{weighed.names_with_capitals:.0%} of the first names inside sentences have a capital. "
        "The promise holds for messages like those of the training; the later ones are of other "
        f"days, and {_met(prepared)}.",
    )


def _met(prepared: Prepared) -> str:
    """Return in words the share of later messages whose senders have messages in training."""
    if prepared.corpus.senders is None:
        return "nobody knows of which senders"
    groups = prepared.corpus.groups
    met = float(np.isin(groups[prepared.later], groups[prepared.training]).mean())
    return f"{met:.0%} of them of senders met in training"


def _by_label(prepared: Prepared, triage: Triage, progress: Progress) -> Table:
    """Count the identifiers found, by the label of their word."""
    corpus, labelled = prepared.corpus, prepared.labelled
    weighed = _weighed(triage, labelled, corpus).words
    if weighed is None:
        raise TypeError("a model of the set evidence weighs words")
    progress("evidence")
    words = labelled.words
    marked = marked_words(labelled, corpus.spans or []) & (words.message >= prepared.first)
    found = probability(weighed.log_odds) >= CERTAIN_FROM
    label = np.array([str(word.label) for word in labelled.labels])[words.form]
    rows: list[tuple[Cell, ...]] = []
    for name in Label:
        here = marked & (label == str(name))
        rows.append((str(name), int(here.sum()), share(found, here)))
    rows.append(("all", int(marked.sum()), share(found, marked)))
    return Table(
        "Identifiers found, by the label of their word",
        {"label": "", "words": ",d", f"evidence from {CERTAIN_FROM:g} on": ".1%"},
        rows,
        "DICTIONARY and AMBIGUOUS stand in a list of names, the others in none.",
    )


def _weighed(triage: Triage, labelled: LabelledMessages, corpus: AnnotatedCorpus) -> ScoredMessages:
    scored = triage.score(labelled, corpus.senders or [""] * len(corpus.messages))
    return triage.weigh(scored, gather([scored]))


def _ablation(prepared: Prepared, learner: Learner, progress: Progress) -> Table:
    """Measure the loss out of fold without each family of evidence."""
    is_ta = prepared.corpus.is_ta[prepared.training]
    rows: list[tuple[Cell, ...]] = []
    for name, without in _families().items():
        score = learner.held_out(without)
        known = ~np.isnan(score)
        shares = _expert_shares(score[known], is_ta[known])
        rows.append((name, auc(score[known], is_ta[known]), *shares))
        progress("evidence")
    return Table(
        "Without one family of evidence, out of fold on the training messages",
        {"left out": "", "area under ROC": ".4f", **dict.fromkeys(_AT_LEAKS, ".1%")},
        rows,
        "Folds grouped by sender; differences below .001 and 1 % are noise.",
    )


def _families() -> dict[str, Sequence[str]]:
    """Return the families of evidence that are left out in turn, by name."""
    families: dict[str, Sequence[str]] = {"nothing": ()}
    families |= {f"words: {family}": (family,) for family in feature_names.FAMILIES}
    families |= {f"corpus: {name}": columns for name, columns in second_stage.FAMILIES.items()}
    return families | {"corpus: all": second_stage.COLUMNS[1:]}
