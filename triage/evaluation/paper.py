"""The tables and figures of the paper: Seek&Hide, learnt models, both together, two annotators."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree

from triage.dictionaries import Kind, Label
from triage.features.learn import marked_words
from triage.reports.charts import bars, curve
from triage.reports.infogain import rank
from triage.reports.measures import Confusion, Mask, Share, auc, cohen_kappa, confusion, share
from triage.reports.page import Block, Cell, Figure, Listing, Part, Table

from ..decide.policy import TABLE, actions
from ..model.learn import MIN_OF_EACH, Undersampling, balanced_rows
from ..model.learn import UndersampledBaggedTrees as BaggedTrees
from ..model.learnt import TA_FROM
from ..vocabulary import Action, Prediction, Verdict
from .corpus import TEXTS, Prepared, refused
from .in_use import in_words, shares_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# An unfitted or fitted classifier of scikit-learn.
Classifier = Any
Values = NDArray[Any]
Labels = NDArray[np.str_]
Rows = NDArray[np.int64]
Folds = Iterable[tuple[Rows, Rows | slice]]
_Floats = NDArray[np.float64]

CLASSES = ("NTA", "TA")
# Bits of entropy that a leaf must save, the most first; 0 grows the tree to its end. Of 1,000
# messages .0001 prunes nothing, and .1 leaves a single test.
_PRUNINGS = (*np.geomspace(0.1, 0.0001, 16), 0.0)
_FOLLOWING = 2000
_SIZES = (250, 500, 1000, 2000, 3000, 4000)
_TEXT_DEPTH, _PICTURE_DEPTH = 6, 3
_THRESHOLDS = np.round(np.arange(0.02, 0.99, 0.02), 2)
_N_SHOWN, _MAX_LINES = 10, 1000
# Figures of fewer points or bars mislead; where TA messages are fewer, each moves the leak by 2 %.
_MIN_POINTS, _MIN_BARS, _MIN_TA = 3, 3, 50

_PAPER = TEXTS.figures("paper")


def single_tree(seed: int) -> Classifier:
    """Return an unfitted decision tree like the paper's: entropy, at least 2 in a leaf, pruned."""
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed)
    return GridSearchCV(tree, {"ccp_alpha": _PRUNINGS}, scoring="roc_auc", cv=5)


def folds(is_ta: Mask, groups: Rows | None, n_folds: int, seed: int) -> Folds:
    """Yield stratified folds, with all messages of a sender in one fold where groups are given."""
    needed = {"messages of each label; one label has": min(is_ta.sum(), (~is_ta).sum())}
    if groups is not None:
        needed["senders; there are"] = len(np.unique(groups))
    for unit, n in needed.items():
        if n < n_folds:
            raise refused("too_many_folds", folds=n_folds, unit=unit, n=n)
    splitter: Any = StratifiedKFold if groups is None else StratifiedGroupKFold
    split = splitter(n_folds, shuffle=True, random_state=seed)
    yield from split.split(np.zeros(len(is_ta)), is_ta, groups)


def fitted(
    estimator: Classifier, values: Values, labels: Labels, rows: Rows, balance: int | None = None
) -> Classifier:
    """Return a copy fitted to these rows, balanced by a seed unless it balances its own bags."""
    if balance is not None and not hasattr(estimator, "undersampling"):
        rows = rows[balanced_rows(labels[rows] == "TA", balance)]
    if not _suffices(labels[rows] == "TA"):
        raise refused("too_few", fewest=MIN_OF_EACH)
    return clone(estimator).fit(values[rows], labels[rows])


def ta_score(model: Classifier, values: Values) -> _Floats:
    return np.asarray(model.predict_proba(values)[:, CLASSES.index("TA")])


def _held_out(
    estimator: Classifier, values: Values, labels: Labels, split: Folds, seed: int
) -> tuple[Confusion, float]:
    """Return the votes on what is tested beside its labels, and the area under the ROC curve."""
    score = np.full(len(labels), np.nan)
    for train, test in split:
        score[test] = ta_score(fitted(estimator, values, labels, train, seed), values[test])
    score, labels = score[~np.isnan(score)], labels[~np.isnan(score)]
    predictions = np.where(score > 0.5, "TA", "NTA")
    return confusion(labels, predictions, CLASSES), auc(score, labels == "TA")


def cross_validation(prepared: Prepared) -> Part:
    """Cross-validate on the training messages: balanced once as in the paper, and grouped."""
    n_folds, seed, rows = prepared.n_folds, prepared.seed, prepared.balanced
    labels = prepared.labels[rows]
    estimators = {"decision tree": single_tree(seed), "bagged trees": BaggedTrees(seed=seed)}
    accuracies = defaultdict(list)
    predicted = np.empty_like(labels)
    for train, test in folds(labels == "TA", None, n_folds, seed):
        for name, estimator in estimators.items():
            model = fitted(estimator, prepared.values, prepared.labels, rows[train])
            # The last one, the bagged trees, stays.
            predicted[test] = model.predict(prepared.values[rows[test]])
            accuracies[name].append(float((predicted[test] == labels[test]).mean()))
    ours = confusion(labels, predicted, CLASSES)
    table: list[tuple[Cell, ...]] = [("random", 0.5, None, None, None, 0.5)]
    for name, scores in accuracies.items():
        mean, deviation = float(np.mean(scores)), float(np.std(scores, ddof=1))
        half = float(student.ppf(0.975, len(scores) - 1)) * deviation / len(scores) ** 0.5
        ends = mean - half, mean + half
        table.append((name, mean, deviation, *ends, _PAPER["cross_validated"][name]))
    columns = zip(CLASSES, ours.matrix.T.tolist(), strict=True)
    matrix = [(name, *counts, *_PAPER["matrix"][name]) for name, counts in columns]
    classes = [(name, *counts, *_PAPER["classes"][name]) for name, counts in ours.by_class.items()]
    n_ta = int(prepared.corpus.is_ta[: prepared.first].sum())
    return TEXTS.part(
        "cross-validation",
        TEXTS.text(
            "cross-validation.about", first=prepared.first, n_ta=n_ta, n=len(rows), folds=n_folds
        ),
        TEXTS.table("cross-validation.accuracy", table),
        TEXTS.table("cross-validation.matrix", matrix),
        TEXTS.table("cross-validation.classes", classes),
        *_by_sender(prepared, ours.accuracy),
    )


def _by_sender(prepared: Prepared, flattering: float) -> Iterator[Block]:
    if not prepared.corpus.senders:
        yield TEXTS.text("cross-validation.no_senders")
        return
    training, seed = slice(prepared.first), prepared.seed
    values, labels = prepared.values[training], prepared.labels[training]
    is_ta = prepared.corpus.is_ta[training]
    split = folds(is_ta, prepared.corpus.groups[training], prepared.n_folds, seed)
    out_of_fold, area = _held_out(BaggedTrees(seed=seed), values, labels, split, seed)
    balanced, precision = out_of_fold.balanced_accuracy, out_of_fold.by_class["TA"].precision
    grouped = [("balanced accuracy", balanced), ("accuracy", out_of_fold.accuracy)]
    grouped.append(("area under the ROC curve", area))
    classes = [(name, *class_measures) for name, class_measures in out_of_fold.by_class.items()]
    yield TEXTS.text("cross-validation.by_sender", share=is_ta.mean())
    yield TEXTS.table("cross-validation.grouped", grouped)
    yield TEXTS.table("cross-validation.natural", classes)
    if not np.isnan(precision):
        yield TEXTS.text(
            "cross-validation.flattering",
            accuracy=flattering,
            balanced=balanced,
            precision=precision,
            wrong=1 - out_of_fold.by_class["NTA"].recall,
            each=(~is_ta).sum() / is_ta.sum(),
        )


def later_messages(prepared: Prepared) -> Part:
    """Test on the messages that come later, with all, half and less of the training data."""
    n, seed = prepared.first, prepared.seed
    tests = {"all later ones": prepared.later}
    if n + _FOLLOWING < len(prepared.labels):
        tests = {f"the next {_FOLLOWING:,}": slice(n, n + _FOLLOWING), **tests}
    learners = [
        ("decision tree", single_tree(seed), n),
        ("bagged trees", BaggedTrees(seed=seed), n),
    ]
    has_half = _suffices(prepared.corpus.is_ta[: n // 2])
    if has_half:
        learners.append(("bagged trees", BaggedTrees(seed=seed), n // 2))
    table: list[tuple[Cell, ...]] = []
    for name, estimator, size in learners:
        for i, (test, rows) in enumerate(tests.items()):
            paper = _PAPER["later"][name] if size == n and i == 0 else None
            table.append((name, size, test, *_measured(prepared, estimator, size, rows), paper))
    half = TEXTS.text("later-messages.half") if has_half else ""
    return TEXTS.part(
        "later-messages",
        TEXTS.text("later-messages.about", first=n, half=half),
        TEXTS.table("later-messages.tested", table),
        _learning_curve(prepared),
    )


def _suffices(is_ta: Mask) -> bool:
    return bool(min(is_ta.sum(), (~is_ta).sum()) >= MIN_OF_EACH)


def _measured(
    prepared: Prepared, estimator: Classifier, size: int, tested: slice
) -> tuple[float, float, float]:
    """Learn from the first messages; return accuracy, balanced accuracy and area on later ones."""
    values, labels, split = prepared.values, prepared.labels, [(np.arange(size), tested)]
    measured, area = _held_out(estimator, values, labels, split, prepared.seed)
    return measured.accuracy, measured.balanced_accuracy, area


def _learning_curve(prepared: Prepared) -> Figure | str:
    first, is_ta = prepared.first, prepared.corpus.is_ta
    sizes = [*(one for one in _SIZES if one < first and _suffices(is_ta[:one])), first]
    if len(sizes) < _MIN_POINTS:
        possible = ", ".join(map(str, _SIZES))
        return TEXTS.text(
            "later-messages.no_curve", fewest=_MIN_POINTS, sizes=possible, n=len(sizes)
        )
    learner = BaggedTrees(seed=prepared.seed)
    measured = [_measured(prepared, learner, size, prepared.later) for size in sizes]
    _, balanced, area = zip(*measured, strict=True)
    lines = {"balanced accuracy": (sizes, balanced), "area under ROC": (sizes, area)}
    return TEXTS.figure(
        "later-messages.learning-curve",
        curve(lines, x_label="messages learnt from", y_label="on the later messages"),
        low=balanced[0],
        least=sizes[0],
        high=balanced[-1],
        most=sizes[-1],
    )


def information_gain(prepared: Prepared) -> Part:
    """Rank the features by information gain on the training messages, balanced and not."""
    values, labels, rows = prepared.values, prepared.labels, prepared.balanced
    ranked = rank(values[rows], labels[rows], prepared.names)
    as_they_come = rank(values[: prepared.first], labels[: prepared.first], prepared.names)
    natural = {r.feature: r.gain for r in as_they_come}
    table = []
    for r in ranked:
        paper = _PAPER["infogain"].get(r.feature)
        gains = r.gain, natural[r.feature]
        table.append((r.rank, r.feature, *gains, len(r.cut_points), paper))
    n_cut = sum(r.gain > 0 for r in ranked)
    chart: Figure | str = TEXTS.text("infogain.no_chart", n=n_cut, of=len(ranked))
    if n_cut >= _MIN_BARS:
        features, by_feature = [r.feature for r in ranked], [r.gain for r in ranked]
        of_paper = [*map(_PAPER["infogain"].get, features)]
        draw = bars(features, by_feature, paper=of_paper, unit="bits")
        first = {"feature": features[0], "gain": by_feature[0]}
        chart = TEXTS.figure("infogain.infogain", draw, **first)
    return TEXTS.part(
        "infogain",
        TEXTS.text("infogain.about", first=prepared.first),
        TEXTS.table("infogain.gains", table),
        chart,
    )


def learnt_tree(prepared: Prepared) -> Part:
    """Learn one tree from the training messages, balanced once, and print and draw it."""
    rows, names = prepared.balanced, [*prepared.names]
    estimator = single_tree(prepared.seed)
    learnt = fitted(estimator, prepared.values, prepared.labels, rows).best_estimator_
    size = {"nodes": learnt.tree_.node_count, "leaves": int(learnt.get_n_leaves())}
    text = export_text(
        learnt, feature_names=names, max_depth=_TEXT_DEPTH, decimals=1, show_weights=True
    )

    def draw(axes: "Axes") -> None:
        look = {"impurity": False, "filled": True, "rounded": True, "fontsize": 8}
        names_of = {"feature_names": names, "class_names": [*learnt.classes_]}
        plot_tree(learnt, max_depth=_PICTURE_DEPTH, ax=axes, **names_of, **look)

    # A tree that asks nothing is not drawn.
    root = names[learnt.tree_.feature[0]]
    figure = TEXTS.figure("tree.tree", draw, depth=_PICTURE_DEPTH, feature=root)
    return TEXTS.part(
        "tree",
        TEXTS.text("tree.about", n=len(rows), first=prepared.first),
        TEXTS.table("tree.size", [(name, n, _PAPER["tree"][name]) for name, n in size.items()]),
        Listing(TEXTS.text("tree.cut", depth=_TEXT_DEPTH), text),
        *([replace(figure, width=9.0, height=5.0)] if size["nodes"] > 1 else []),
    )


def seek_hide_alone(prepared: Prepared) -> Part:
    """Measure Seek&Hide's verdicts on all messages, by both readings of UNTAGGED."""
    is_ta = prepared.corpus.is_ta
    readings = {name: np.array(verdicts) for name, verdicts in prepared.readings.items()}
    shares, matrix, quality = [], [], []
    for verdict in Verdict:
        row, by_label = [], []
        for verdicts in readings.values():
            tagged = Share(verdicts == verdict, np.ones_like(is_ta))
            row += [tagged.n, tagged.value, *tagged.by_group(prepared.corpus.groups, prepared.seed)]
            by_label += [int((tagged.hits & ~is_ta).sum()), int((tagged.hits & is_ta).sum())]
        shares.append((str(verdict), *row, _PAPER["tagged"][verdict]))
        if verdict in _PAPER["verdicts"]:
            matrix.append((f"Seek&Hide: {verdict}", *by_label, *_PAPER["verdicts"][verdict]))
    for name, verdicts in readings.items():
        ta, nta = verdicts == Verdict.TA, verdicts == Verdict.NTA
        quality.append((name, share(is_ta, ta), share(is_ta, nta), share(ta == is_ta, ta | nta)))
    return TEXTS.part(
        "seek-hide",
        TEXTS.text("seek-hide.about", n=len(is_ta)),
        TEXTS.table("seek-hide.shares", shares),
        TEXTS.table("seek-hide.matrix", sorted(matrix)),
        TEXTS.table("seek-hide.quality", [*quality, ("the paper", *_PAPER["quality"])]),
        *_origins(prepared, readings["default"]),
    )


def _origins(prepared: Prepared, verdict: Labels) -> Iterator[Block]:
    """Yield the lists and rules behind the default reading's errors."""
    is_ta, labelled, spans = prepared.corpus.is_ta, prepared.labelled, prepared.corpus.spans
    words, labels, lexicon = labelled.words, labelled.labels, labelled.lexicon
    is_name = np.array([word.label is Label.DICTIONARY for word in labels])[words.form]
    # Identifiers are the marked words, where none are marked those with a capital.
    may_identify = [
        word.kind is not Kind.PUNCTUATION
        if spans is not None
        else word.kind is Kind.WORD and word.text[0].isupper()
        for word in labels
    ]
    identifies = np.array(may_identify)[words.form]
    if spans is not None:
        identifies &= marked_words(labelled, spans)
    alarms = is_name & ((verdict == Verdict.TA) & ~is_ta)[words.message]
    misses = identifies & ((verdict == Verdict.NTA) & is_ta)[words.message]
    for name, is_error in (("alarms", alarms), ("misses", misses)):
        title = TEXTS.text(f"seek-hide.{name}")
        wrong = [labels[form] for form in words.form[is_error]]
        if not wrong:
            yield f"{title}: none."
            continue
        origins = Counter(
            (
                " + ".join(lexicon.names(lexicon.deciding(word.lists))) or word.kind.value,
                word.rule or "as written",
                str(word.label),
            )
            for word in wrong
        )
        rows = [(*origin, n) for origin, n in origins.most_common(_N_SHOWN)]
        extent = _extent(len(origins))
        yield TEXTS.table("seek-hide.origins", rows, title=title, most=extent, n=len(wrong))
        if prepared.show_words:
            counts = Counter(word.text.lower() for word in wrong)
            extent, frequent = _extent(len(counts)).lower(), counts.most_common(_N_SHOWN)
            yield TEXTS.table("seek-hide.words", frequent, title=title, most=extent)


def _extent(n: int) -> str:
    """Say in words how many of `n` rows a table shows."""
    return f"The {_N_SHOWN} most frequent of {n:,}" if n > _N_SHOWN else f"All {n:,}"


def combined(prepared: Prepared) -> Part:
    """Measure the agreement table on the later messages, and what other policies would give."""
    later, values = prepared.later, prepared.values
    is_ta = prepared.corpus.is_ta[later]
    rows = np.arange(prepared.first)
    score = ta_score(
        fitted(BaggedTrees(seed=prepared.seed), values, prepared.labels, rows), values[later]
    )
    readings = {name: verdicts[later] for name, verdicts in prepared.readings.items()}
    verdicts, predictions = np.array(readings["default"]), np.array(_predictions(score, TA_FROM))
    cells: list[tuple[Cell, ...]] = []
    for (verdict, vote), action in TABLE.items():
        in_cell = (verdicts == verdict) & (predictions == vote)
        share_of_ta = float(is_ta[in_cell].mean()) if in_cell.any() else None
        names = str(verdict), str(vote), str(action)
        cells.append((*names, int(in_cell.sum()), float(in_cell.mean()), share_of_ta))
    n_ta = int(is_ta.sum())
    counts = {"first": prepared.first, "n": len(is_ta), "share": is_ta.mean()}
    return TEXTS.part(
        "combined",
        TEXTS.text("combined.about", **counts),
        TEXTS.table("combined.cells", cells),
        in_words(shares_of(is_ta, _agreed_actions(readings["default"], score, TA_FROM))),
        _policies(readings, score, prepared),
        _curves(readings, score, is_ta)
        if n_ta >= _MIN_TA
        else TEXTS.text("combined.no_curve", n=n_ta, fewest=_MIN_TA),
    )


def _predictions(score: _Floats, ta_from: float) -> list[Prediction]:
    return [Prediction.TA if value >= ta_from else Prediction.NTA for value in score.round(4)]


def _agreed_actions(verdicts: Sequence[Verdict], score: _Floats, ta_from: float) -> list[Action]:
    return actions(verdicts, _predictions(score, ta_from))


_ALONE = {Verdict.TA: Action.TA, Verdict.NTA: Action.NTA, Verdict.UNTAGGED: Action.EXPERT}


def _policies(
    readings: Mapping[str, Sequence[Verdict]], score: _Floats, prepared: Prepared
) -> Table:
    default, strict = readings["default"], readings["strict"]
    is_ta, groups = prepared.corpus.is_ta[prepared.later], prepared.corpus.groups[prepared.later]
    agreed = _agreed_actions(default, score, TA_FROM)
    policies: dict[str, list[Action]] = {
        "agreement table": agreed,
        "agreement table, model votes TA from 0.5": _agreed_actions(default, score, 0.5),
        "agreement table, strict reading": _agreed_actions(strict, score, TA_FROM),
        "agreement table, untagged to the expert": [
            Action.EXPERT if verdict is Verdict.UNTAGGED else action
            for verdict, action in zip(default, agreed, strict=True)
        ],
        "Seek&Hide alone, untagged to the expert": [_ALONE[verdict] for verdict in default],
        "Seek&Hide alone, strict, untagged to the expert": [_ALONE[verdict] for verdict in strict],
        "learnt model alone": [Action(vote.value) for vote in _predictions(score, TA_FROM)],
    }
    rows: list[tuple[Cell, ...]] = []
    for name, decided in policies.items():
        shares = shares_of(is_ta, decided)
        leak, work = shares["leak"], shares["workload"]
        between = (*leak.exact.ends, work.value, *work.by_group(groups, prepared.seed))
        rows.append((name, leak.value, *between, shares["precision"].value))
    return TEXTS.table("combined.policies", rows)


def _curves(readings: Mapping[str, Sequence[Verdict]], score: _Floats, is_ta: Mask) -> Figure:
    def leak_and_work(verdicts: Sequence[Verdict], ta_from: float) -> tuple[float, float]:
        shares = shares_of(is_ta, _agreed_actions(verdicts, score, ta_from))
        return shares["leak"].value, shares["workload"].value

    lines = {}
    for name, verdicts in readings.items():
        leaks, works = zip(*(leak_and_work(verdicts, t) for t in _THRESHOLDS), strict=True)
        lines[f"{name} reading"] = works, leaks
    leak, work = leak_and_work(readings["default"], TA_FROM)
    draw = curve(
        lines,
        x_label="workload: share of messages for the expert",
        y_label="leak: share of TA released",
        percent="xy",
        points={f"TA from {TA_FROM}": (work, leak)},
    )
    return TEXTS.figure("combined.leak-workload", draw, ta_from=TA_FROM, leak=leak, work=work)


def annotators(prepared: Prepared) -> Part:
    labels, second = prepared.corpus.labels, prepared.corpus.second or []
    try:
        observed, kappa = cohen_kappa(labels, second)
    except ValueError as error:
        raise refused("not_compared", error=error) from error
    disagreements = np.flatnonzero(prepared.labels != np.array(second))
    lines = ", ".join(str(prepared.corpus.lines[i]) for i in disagreements[:_MAX_LINES]) or "none"
    lines += " …" if len(disagreements) > _MAX_LINES else "."
    row = (len(second), observed, kappa.estimate, *kappa.ends)
    return TEXTS.part(
        "annotators",
        TEXTS.table("annotators.agreement", [row]),
        TEXTS.text("annotators.differ", n=len(disagreements), lines=lines),
    )


def comparison(prepared: Prepared) -> Part:
    """Cross-validate several models by sender, on messages as they come."""
    training, n_folds, seed = slice(prepared.first), prepared.n_folds, prepared.seed
    labels, values = prepared.labels[training], prepared.values[training]
    texts = np.array(prepared.corpus.messages, dtype=object)[training]
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, lowercase=False)
    of_text = make_pipeline(characters, LogisticRegression(C=10, max_iter=1000))
    forest = RandomForestClassifier(200, min_samples_leaf=5, random_state=seed)
    models: dict[str, tuple[Classifier, Values]] = {
        "dummy": (DummyClassifier(strategy="stratified", random_state=seed), values),
        "decision tree": (single_tree(seed), values),
        "bagged trees, balanced once": (BaggedTrees(Undersampling.ONCE, seed=seed), values),
        "bagged trees, balanced per bag": (BaggedTrees(seed=seed), values),
        "random forest": (forest, values),
        "characters (TF-IDF) + logistic regression": (of_text, texts),
    }
    split = [*folds(labels == "TA", prepared.corpus.groups[training], n_folds, seed)]
    rows = []
    for name, (model, inputs) in models.items():
        out_of_fold, area = _held_out(model, inputs, labels, split, seed)
        ta = out_of_fold.by_class["TA"]
        cells = (out_of_fold.balanced_accuracy, area, ta.recall, ta.precision, out_of_fold.accuracy)
        rows.append((name, *cells))
    return TEXTS.part(
        "comparison",
        TEXTS.text("comparison.about", folds=n_folds, first=prepared.first),
        TEXTS.table("comparison.models", rows),
    )
