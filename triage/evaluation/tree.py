"""One learnt tree, as people read it: text in the form of the paper's Fig. 1, and a drawing.

The text is that of Weka's J48. scikit-learn's ``export_text`` writes another form, without the
messages that reach a leaf, and cuts halfway between two values.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from triage.reports.document import Draw, Figure, Listing, Part, Table

from ..model.training import balanced_rows
from .corpus import Prepared
from .models import fitted, single_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Place = tuple[float, float]

_TEXT_DEPTH, _PICTURE_DEPTH = 6, 3
_INDENT = "|   "
# Weka's `Utils.SMALL`: weights below it count as none.
_NOTHING = 1e-6
# Light ones of Okabe and Ito's colours, as of the other charts.
_TINTS = ("#CFE4F2", "#FBE3B5", "#CDEBDD", "#F3DCE8")
_SMALL = 8


@dataclass(frozen=True)
class TreeNode:
    """A node of a binary decision tree; a leaf has no feature and no branches."""

    feature: str | None
    threshold: float
    at_most: "TreeNode | None"
    above: "TreeNode | None"
    label: str
    correct: float
    wrong: float

    def __post_init__(self) -> None:
        if len({self.feature is None, self.at_most is None, self.above is None}) > 1:
            msg = f"a node tests a feature and leads to two nodes, or does neither: {self.feature}"
            raise ValueError(msg)

    @property
    def branches(self) -> tuple[tuple[str, "TreeNode"], ...]:
        """The condition and the node of either branch; none for a leaf."""
        if self.at_most is None or self.above is None:
            return ()
        value = _threshold(self.threshold)
        return (f"<= {value}", self.at_most), (f"> {value}", self.above)

    @property
    def counts(self) -> str:
        """The messages that reach it and, if any, those with another label, as in Weka."""
        reached = _weight(self.correct + self.wrong)
        return f"{reached}/{_weight(self.wrong)}" if self.wrong > _NOTHING else reached


def learnt_tree(prepared: Prepared, seed: int) -> Part:
    """Learn one tree from the training messages, balanced once, and print and draw it."""
    labels, values = prepared.labels[prepared.training], prepared.values[prepared.training]
    rows = balanced_rows(labels == "TA", seed)
    pruned = cast(GridSearchCV, fitted(single_tree(seed), values, labels, rows)).best_estimator_
    root = _read(pruned, values[rows], prepared.names)
    return Part(
        "tree",
        "A learnt tree (the paper's Fig. 1)",
        (
            f"Learnt from {len(rows):,} of the first {prepared.first:,} messages, balanced once. "
            "Behind each leaf: the messages that reach it, and those of them of the other class.",
            Table(
                "Its size",
                {"what": "", "here": ",d", "Fig. 1 (paper)": ",d"},
                [
                    ("nodes", pruned.tree_.node_count, 127),
                    ("leaves", int(pruned.get_n_leaves()), 64),
                ],
                "Pruned by cost and complexity, chosen by cross-validation within these messages; "
                "Weka's J48 prunes by a pessimistic estimate of the error.",
            ),
            Listing(f"The tree, cut at depth {_TEXT_DEPTH}", tree_text(root, _TEXT_DEPTH)),
            *_drawn(root),
        ),
    )


def _drawn(root: TreeNode) -> list[Figure]:
    """Return the drawing of a tree; none of a single leaf."""
    if not root.branches:
        return []
    return [
        Figure(
            "tree",
            f"The top of the tree, to depth {_PICTURE_DEPTH}",
            f"The root asks {root.feature}.",
            tree_drawing(root, _PICTURE_DEPTH),
            width=9.0,
            height=5.0,
        )
    ]


def _read(
    learnt: DecisionTreeClassifier, values: NDArray[np.float64], names: tuple[str, ...], at: int = 0
) -> TreeNode:
    """Read a fitted tree from a node on."""
    tree = learnt.tree_
    counts = tree.value[at, 0] / tree.value[at, 0].sum() * tree.weighted_n_node_samples[at]
    majority = int(np.argmax(counts))
    label, correct = str(learnt.classes_[majority]), float(round(counts[majority]))
    wrong = float(round(counts.sum() - counts[majority]))
    if tree.children_left[at] == tree.children_right[at]:
        return TreeNode(None, 0.0, None, None, label, correct, wrong)
    column = values[:, tree.feature[at]]
    return TreeNode(
        feature=names[tree.feature[at]],
        threshold=float(column[column <= tree.threshold[at]].max()),
        at_most=_read(learnt, values, names, tree.children_left[at]),
        above=_read(learnt, values, names, tree.children_right[at]),
        label=label,
        correct=correct,
        wrong=wrong,
    )


def tree_text(root: TreeNode, depth: int | None = None) -> str:
    """Return a tree as Weka's J48 prints it."""
    if not root.branches or depth == 0:
        return _text_end(root)
    return "\n".join(_lines(root, "", depth))


def _lines(node: TreeNode, indent: str, depth: int | None) -> Iterator[str]:
    left = None if depth is None else depth - 1
    for condition, branch in node.branches:
        line = f"{indent}{node.feature} {condition}"
        if branch.branches and left != 0:
            yield line
            yield from _lines(branch, indent + _INDENT, left)
        else:
            yield line + _text_end(branch)


def _text_end(node: TreeNode) -> str:
    return f": {node.label} …" if node.branches else f": {node.label} ({node.counts})"


def _threshold(value: float) -> str:
    """Return a number as Weka's `Utils.doubleToString(value, 6)` does."""
    # Adding 0 takes the sign from -0.0.
    return f"{round(value, 6) + 0.0:.6f}".rstrip("0").rstrip(".")


def _weight(value: float) -> str:
    return str(round(float(value), 2))


def tree_drawing(root: TreeNode, depth: int = 3) -> Draw:
    """Return a drawer of a decision tree as boxes, cut off as in `tree_text`."""

    def draw(axes: "Axes") -> None:
        tints = dict(zip(sorted(_labels(root)), cycle(_TINTS), strict=False))
        _draw_branch(axes, root, depth, tints, columns=iter(range(2**depth)), level=0)
        axes.set_axis_off()
        # Boxes do not widen the axes, so there must be room for half a box at either end.
        axes.margins(x=0.08, y=0.12)
        axes.set_position((0, 0, 1, 1))

    return draw


def _draw_branch(
    axes: "Axes",
    node: TreeNode,
    depth: int,
    tints: dict[str, str],
    columns: Iterator[int],
    level: int,
) -> _Place:
    """Draw a node above its branches, and return its place; ends take the next free column."""
    if not node.branches or level == depth:
        place = (float(next(columns)), -float(level))
        _draw_box(axes, place, _box_text(node), tints[node.label])
        return place
    ends = [
        (condition, _draw_branch(axes, branch, depth, tints, columns, level + 1))
        for condition, branch in node.branches
    ]
    place = (sum(x for _, (x, _) in ends) / len(ends), -float(level))
    for condition, end in ends:
        _draw_edge(axes, place, end, condition)
    _draw_box(axes, place, str(node.feature), "white")
    return place


def _box_text(node: TreeNode) -> str:
    """Return the text of a box at the end, in short lines because many stand side by side."""
    if node.branches:
        return f"{node.label} …"
    reached, wrong = round(node.correct + node.wrong, 2), round(node.wrong, 2)
    return f"{node.label}\n{reached:,.10g}" + (f"\n{wrong:,.10g} wrong" if wrong else "")


def _draw_box(axes: "Axes", place: _Place, text: str, colour: str) -> None:
    axes.update_datalim([place])
    box = {"boxstyle": "round,pad=0.4", "facecolor": colour, "edgecolor": "0.4"}
    axes.text(*place, text, ha="center", va="center", fontsize=_SMALL, bbox=box, zorder=3)


def _draw_edge(axes: "Axes", start: _Place, end: _Place, condition: str) -> None:
    axes.plot(*zip(start, end, strict=True), color="0.4", linewidth=1, zorder=1)
    # Beyond the middle, where the two edges of a node are farther from one another.
    x, y = (at + 0.62 * (to - at) for at, to in zip(start, end, strict=True))
    behind = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    shown = condition.replace("<=", "≤")
    axes.text(x, y, shown, ha="center", va="center", fontsize=_SMALL, bbox=behind, zorder=2)


def _labels(node: TreeNode) -> set[str]:
    return {node.label}.union(*(_labels(branch) for _, branch in node.branches))
