"""Information of the features: InfoGain (paper, Table 5) and one learnt tree (Fig. 1)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from sklearn.tree import DecisionTreeClassifier, plot_tree

from triage.reports.charts import bars
from triage.reports.infogain import Ranked, rank
from triage.reports.page import Block, Figure, Listing, Part, Table

from ..model.training import balanced_rows
from .corpus import Options, Prepared
from .paper_models import Values, fitted, single_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of the paper: Table 5 and Fig. 1.
_INFOGAIN = {
    "UpperCase": 0.2754,
    "SMSLength": 0.2121,
    "FirstName": 0.1366,
    "Countries": 0.0986,
    "Cities": 0.0986,
    "WordLength": 0.0776,
    "Numbers": 0.0367,
    "Elongations": 0.0353,
    "Abbreviations": 0.034,
    "Punctuation": 0.0269,
    "LEFFF": 0.0262,
    "Pronouns": 0.0,
}
_NODES, _LEAVES = 127, 64
_FEWEST_BARS = 3
_TEXT_DEPTH, _PICTURE_DEPTH = 6, 3


def information_gain(prepared: Prepared, options: Options) -> Part:
    """Rank the features by information gain on the training messages, balanced and not."""
    labels, values = prepared.labels[prepared.training], prepared.values[prepared.training]
    balanced = balanced_rows(labels == "TA", options.seed)
    ranked = rank(values[balanced], labels[balanced], prepared.names)
    natural = {r.feature: r.gain for r in rank(values, labels, prepared.names)}
    rows = [
        (r.rank, r.feature, r.gain, natural[r.feature], len(r.cut_points), _INFOGAIN.get(r.feature))
        for r in ranked
    ]
    gains = dict.fromkeys(("balanced once", "as they come"), ".4f")
    return Part(
        "infogain",
        "InfoGain of the features (the paper's Table 5)",
        (
            f"Bits that a feature tells of the label, on the first {prepared.first:,} messages; "
            "numeric features are cut by Fayyad and Irani's MDL criterion, as Weka's "
            "InfoGainAttributeEval does.",
            Table(
                "Features by information gain",
                {"rank": "d", "feature": "", **gains, "cut points": "d", "InfoGain (paper)": ".4f"},
                rows,
            ),
            _gains(ranked),
        ),
    )


def _gains(ranked: list[Ranked]) -> Figure | str:
    n_cut = sum(r.gain > 0 for r in ranked)
    if n_cut < _FEWEST_BARS:
        return (
            f"No chart is drawn: on so few messages {n_cut} of {len(ranked)} features are worth "
            "a cut, and a gain of 0 says that no cut could be found, not that a feature tells "
            "nothing."
        )
    names, gains = [r.feature for r in ranked], [r.gain for r in ranked]
    return Figure(
        "infogain",
        "Information gain, in bits, balanced once",
        f"{ranked[0].feature} tells most, {ranked[0].gain:.3f} bits.",
        bars(names, gains, paper=[_INFOGAIN.get(name) for name in names], unit="bits"),
    )


def learnt_tree(prepared: Prepared, options: Options) -> Part:
    """Learn one tree from the training messages, balanced once, and print and draw it."""
    labels, values = prepared.labels[prepared.training], prepared.values[prepared.training]
    rows = balanced_rows(labels == "TA", options.seed)
    learnt = fitted(single_tree(options.seed), values, labels, rows).best_estimator_
    n_nodes = learnt.tree_.node_count
    name_lower_values(learnt, values[rows])
    blocks: list[Block] = [
        f"Learnt from {len(rows):,} of the first {prepared.first:,} messages, balanced once. "
        "Behind each leaf: the messages that reach it, and those of them of the other class.",
        Table(
            "Its size",
            {"what": "", "here": ",d", "Fig. 1 (paper)": ",d"},
            [("nodes", n_nodes, _NODES), ("leaves", int(learnt.get_n_leaves()), _LEAVES)],
            "Pruned by cost and complexity, chosen by cross-validation within these messages; "
            "Weka's J48 prunes by a pessimistic estimate of the error.",
        ),
        Listing(
            f"The tree, cut at depth {_TEXT_DEPTH}", tree_text(learnt, prepared.names, _TEXT_DEPTH)
        ),
    ]
    if n_nodes > 1:
        blocks.append(_tree_figure(learnt, prepared.names))
    return Part("tree", "A learnt tree (the paper's Fig. 1)", blocks)


def name_lower_values(learnt: DecisionTreeClassifier, values: Values) -> None:
    """Move each threshold from halfway between two values to the lower one, which Weka names."""
    tree = learnt.tree_
    for node in np.flatnonzero(tree.children_left != tree.children_right):
        column = values[:, tree.feature[node]]
        tree.threshold[node] = column[column <= tree.threshold[node]].max()


def tree_text(learnt: DecisionTreeClassifier, names: tuple[str, ...], depth: int) -> str:
    """Return a tree as Weka's J48 prints it.

    scikit-learn's ``export_text`` writes another form, without the messages that reach a leaf.
    """
    if learnt.tree_.node_count == 1:
        return _leaf_text(learnt, 0)
    return "\n".join(_lines(learnt, names, 0, "", depth))


def _lines(
    learnt: DecisionTreeClassifier, names: tuple[str, ...], node: int, indent: str, depth: int
) -> Iterator[str]:
    tree = learnt.tree_
    for sign, branches in (("<=", tree.children_left), (">", tree.children_right)):
        branch = branches[node]
        line = f"{indent}{names[tree.feature[node]]} {sign} {_threshold(tree.threshold[node])}"
        if tree.children_left[branch] == tree.children_right[branch]:
            yield line + _leaf_text(learnt, branch)
        elif depth == 1:
            yield f"{line}: {learnt.classes_[np.argmax(tree.value[branch, 0])]} …"
        else:
            yield line
            yield from _lines(learnt, names, branch, f"{indent}|   ", depth - 1)


def _leaf_text(learnt: DecisionTreeClassifier, leaf: int) -> str:
    """Return the label of a leaf, the messages that reach it and, if any, those with another."""
    tree = learnt.tree_
    shares = tree.value[leaf, 0] / tree.value[leaf, 0].sum()
    reached = tree.weighted_n_node_samples[leaf]
    wrong = round(reached * (1 - shares.max()))
    counts = f"{round(reached):.1f}/{wrong:.1f}" if wrong else f"{round(reached):.1f}"
    return f": {learnt.classes_[np.argmax(shares)]} ({counts})"


def _threshold(value: float) -> str:
    """Return a number as Weka's `Utils.doubleToString(value, 6)` does."""
    # Adding 0 takes the sign from -0.0.
    return f"{round(value, 6) + 0.0:.6f}".rstrip("0").rstrip(".")


def _tree_figure(learnt: DecisionTreeClassifier, names: tuple[str, ...]) -> Figure:
    def draw(axes: "Axes") -> None:
        plot_tree(
            learnt,
            max_depth=_PICTURE_DEPTH,
            feature_names=names,
            class_names=list(learnt.classes_),
            impurity=False,
            filled=True,
            rounded=True,
            fontsize=8,
            ax=axes,
        )

    return Figure(
        "tree",
        f"The top of the tree, to depth {_PICTURE_DEPTH}",
        f"The root asks {names[learnt.tree_.feature[0]]}.",
        draw,
        width=9.0,
        height=5.0,
    )
