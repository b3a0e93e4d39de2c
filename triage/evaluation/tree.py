"""One learnt tree, as people read it (paper, Fig. 1)."""

from typing import cast

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from triage.reports.charts import tree_drawing
from triage.reports.document import Column, Figure, Listing, Part, Table
from triage.reports.tree_text import TreeNode, count_leaves, count_nodes, tree_text

from ..model.training import balanced_rows
from .corpus import Prepared
from .models import single_tree

_TEXT_DEPTH, _PICTURE_DEPTH = 6, 3


def learnt_tree(prepared: Prepared, seed: int) -> Part:
    """Learn one tree from the training messages, balanced once, and print and draw it."""
    labels = np.array(prepared.corpus.labels)[prepared.training]
    values = prepared.values[prepared.training]
    rows = balanced_rows(labels == "TA", seed)
    fitted = cast(DecisionTreeClassifier, single_tree(seed).fit(values[rows], labels[rows]))
    root = _Reader(fitted, values[rows], prepared.names).node(0)
    return Part(
        "tree",
        "A learnt tree (the paper's Fig. 1)",
        (
            f"Learnt from {len(rows):,} of the first {prepared.first:,} messages, balanced once. "
            f"Behind each leaf: the "
            "messages that reach it, and those of them of the other class.",
            Table(
                "Its size",
                (Column("what"), Column("here", ",d"), Column("Fig. 1", ",d", paper=True)),
                (("nodes", count_nodes(root), 127), ("leaves", count_leaves(root), 64)),
                "Weka's J48 prunes its trees; this one is grown to the end.",
            ),
            Listing(f"The tree, cut at depth {_TEXT_DEPTH}", tree_text(root, _TEXT_DEPTH)),
            *_drawn(root),
        ),
    )


def _drawn(root: TreeNode) -> list[Figure]:
    """Return the drawing of a tree; none of one that asks nothing."""
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


class _Reader:
    """Reads a fitted tree as people print it.

    scikit-learn cuts halfway between two values, J48 prints the lower of the two
    (``UpperCase <= 1``): it sends the same messages the same way.
    """

    def __init__(
        self, fitted: DecisionTreeClassifier, values: NDArray[np.float64], names: tuple[str, ...]
    ) -> None:
        self._tree = fitted.tree_
        self._classes = fitted.classes_
        self._values = values
        self._names = names

    def node(self, at: int) -> TreeNode:
        tree = self._tree
        counts = tree.value[at, 0] / tree.value[at, 0].sum() * tree.weighted_n_node_samples[at]
        majority = int(np.argmax(counts))
        is_leaf = tree.children_left[at] == tree.children_right[at]
        return TreeNode(
            feature=None if is_leaf else self._names[tree.feature[at]],
            threshold=0.0 if is_leaf else self._lower_value(at),
            at_most=None if is_leaf else self.node(tree.children_left[at]),
            above=None if is_leaf else self.node(tree.children_right[at]),
            label=str(self._classes[majority]),
            correct=float(round(counts[majority])),
            wrong=float(round(counts.sum() - counts[majority])),
        )

    def _lower_value(self, at: int) -> float:
        column = self._values[:, self._tree.feature[at]]
        return float(column[column <= self._tree.threshold[at]].max())
