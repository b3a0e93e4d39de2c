"""Forests of decision trees as plain arrays: fitted by scikit-learn, evaluated with numpy alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

# So few rows that the state of each row in each tree stays in the processor's cache.
_BLOCK = 500
# Trees fitted on 20,000 messages are some 25 deep.
_DEEPEST = 10_000
# A node of a walk in one number: its children, the rank of its threshold, its feature.
_FEATURE_BITS, _RANK_BITS = 12, 20
_FEATURE, _RANK = (1 << _FEATURE_BITS) - 1, (1 << _RANK_BITS) - 1
_TEST = (1 << (_FEATURE_BITS + _RANK_BITS)) - 1
# The levels that are walked before rows that have reached a leaf are left out.
_LEVELS = 8
# Smaller trees need no walk: their leaves are bits of a number.
_MAX_LEAVES = 16
_ALL = (1 << _MAX_LEAVES) - 1
# The place of the lowest bit of each number of 16 bits; that of 0 is of no use.
_LOWEST_BIT = np.zeros(_ALL + 1, dtype=np.intp)
for _bit in range(_MAX_LEAVES):
    _LOWEST_BIT[1 << _bit :: 2 << _bit] = _bit


@dataclass(frozen=True)
class Forest:
    """Trees whose nodes lie end to end, the root of each first; their values are added up.

    `nodes` counts those of each tree. `children` holds the right and the left child of each node,
    counted from its root; a leaf is its own child.
    """

    nodes: Integers
    feature: Integers
    threshold: Floats
    children: Integers
    value: Floats

    @classmethod
    def from_bagging(cls, trees: Iterable[Any], columns: Iterable[Any]) -> "Forest":
        """Convert scikit-learn's trees of two classes, NTA and TA, each with its columns."""
        return cls.joined(
            (
                tree.children_left == -1,  # no child
                *(np.asarray(own_columns)[np.maximum(tree.feature, 0)], tree.threshold),
                *(tree.children_right, tree.children_left, tree.value[:, 0, 1]),
            )
            for tree, own_columns in zip((tree.tree_ for tree in trees), columns, strict=True)
        )

    @classmethod
    def joined(cls, trees: Iterable[tuple[NDArray[Any], ...]]) -> "Forest":
        """Join trees of the columns: is a leaf, feature, threshold, right, left, value."""
        parts = []
        for is_leaf, feature, threshold, *sides, value in trees:
            children = [np.where(is_leaf, np.arange(len(value)), side) for side in sides]
            parts.append((feature, threshold, np.column_stack(children).ravel(), value))
        sizes = np.array([len(value) for *_, value in parts])
        return cls(sizes, *map(np.concatenate, zip(*parts, strict=True)))

    def check(self) -> None:
        """Raise ValueError if the arrays, as read from a file, are no trees."""
        total = len(self.feature)
        if not len(self.nodes) or self.nodes.min() < 1 or self.nodes.max() > total:
            raise ValueError("a tree has no nodes or more than there are")
        if self.nodes.sum() != total:
            raise ValueError("the sizes of the trees do not add up to the number of nodes")
        if (len(self.threshold), len(self.children), len(self.value)) != (total, 2 * total, total):
            raise ValueError("the arrays of the nodes differ in length")
        if not (np.isfinite(self.threshold).all() and np.isfinite(self.value).all()):
            raise ValueError("a threshold or a value is not finite")
        itself, below = np.arange(total), self.below
        # Each child comes after its parent, and each node but the roots has one parent: no cycles.
        root = np.repeat(self.roots, self.nodes)
        end = root + np.repeat(self.nodes, self.nodes)
        inner = (below != itself[:, None]).any(axis=1)
        if not ((below > itself[:, None]) & (below < end[:, None]))[inner].all():
            raise ValueError("a child does not follow its parent")
        if not np.array_equal(np.bincount(below[inner].ravel(), minlength=total), itself != root):
            raise ValueError("a node has no parent, or two")
        reached = self.roots
        for _ in range(_DEEPEST):
            reached = below[reached[inner[reached]]].ravel()
            if not len(reached):
                return
        raise ValueError("a tree is too deep")

    def score(self, values: Floats) -> Floats:
        """Return the mean value of each row: from 0 (certainly NTA) to 1 (certainly TA)."""
        return self.total(values) / len(self.nodes)

    def total(self, values: Floats) -> Floats:
        """Return the sum of the values of the leaves of each row."""
        ranks = np.zeros(values.shape, dtype=np.int64)
        for feature, thresholds in self.thresholds.items():
            # Rounded as in training.
            column = values[:, feature].astype(np.float32).astype(np.float64)
            ranks[:, feature] = np.searchsorted(thresholds, column)
        totals = [self._layout.total(ranks[i : i + _BLOCK]) for i in range(0, len(ranks), _BLOCK)]
        return np.concatenate([np.zeros(0), *totals])

    @cached_property
    def thresholds(self) -> dict[int, Floats]:
        """The distinct thresholds of each feature that is tested, in order."""
        inner = self.below[:, 0] != np.arange(len(self.feature))
        feature, threshold = self.feature[inner], self.threshold[inner]
        return {f: np.unique(threshold[feature == f]) for f in np.unique(feature).tolist()}

    @property
    def roots(self) -> Integers:
        return np.cumsum(self.nodes) - self.nodes

    @property
    def below(self) -> Integers:
        """The right and the left child of each node, counted from the first node of all."""
        root = np.repeat(self.roots, self.nodes)
        return self.children.reshape(-1, 2).astype(np.int64) + root[:, None]

    @cached_property
    def _layout(self) -> "_Masks | _Walk":
        return _Masks(self) if self.nodes.max() < 2 * _MAX_LEAVES else _Walk(self)


class _Walk:
    """All trees, laid out so that one look-up tells all of a node: children, rank and feature."""

    def __init__(self, forest: Forest) -> None:
        root, below = np.repeat(forest.roots, forest.nodes), forest.below
        old, feature = np.arange(len(root)), forest.feature.astype(np.int64)
        is_inner = below[:, 0] != old
        inner = np.flatnonzero(is_inner)
        # The k-th inner node of a tree has its children at 2k + 1 and 2k + 2.
        n_before = np.cumsum(is_inner) - is_inner
        left = root + 1 + 2 * (n_before - n_before[root])
        new = root.copy()
        new[below[inner, 1]], new[below[inner, 0]] = left[inner], left[inner] + 1
        rank = np.zeros(len(root), dtype=np.int64)
        for f, thresholds in forest.thresholds.items():
            rank[feature == f] = np.searchsorted(thresholds, forest.threshold[feature == f])
        nodes = (new << 32) | (_RANK << _FEATURE_BITS)
        nodes[inner] = (left[inner] << 32) | (rank[inner] << _FEATURE_BITS) | feature[inner]
        order = np.argsort(new)
        self._roots, self._nodes, self._value = forest.roots, nodes[order], forest.value[order]

    def total(self, ranks: Integers) -> Floats:
        """Return the sum of the values of the leaves of each row, by the ranks of its features."""
        # As a node holds them: a rank is compared with all that stands below it.
        cells, (n, n_features) = (ranks << _FEATURE_BITS).ravel(), ranks.shape
        first_cell = np.tile(np.arange(n) * n_features, len(self._roots))
        node, leaf = np.repeat(self._roots, n), np.zeros(n * len(self._roots), dtype=np.int64)
        walking = np.arange(len(node))
        while len(walking):
            # Written over. Nothing is clipped, but without that mode copies are made.
            packed, cell, rank = np.empty((3, len(node)), dtype=np.int64)
            for _ in range(_LEVELS):
                self._nodes.take(node, out=packed, mode="clip")
                np.bitwise_and(packed, _FEATURE, out=cell)
                cell += first_cell
                cells.take(cell, out=rank, mode="clip")
                np.right_shift(packed, 32, out=node)
                packed &= _TEST
                node += rank > packed
            leaf[walking] = node
            still = np.flatnonzero(self._nodes.take(node) >> 32 != node)
            walking, node, first_cell = walking[still], node[still], first_cell[still]
        total: Floats = self._value.take(leaf).reshape(-1, n).sum(axis=0)
        return total


class _Masks:
    """Trees of few leaves, evaluated without a walk (QuickScorer: Lucchese et al., 2015).

    The leaves of a tree are bits of a number, the leftmost one the lowest. A test that sends a row
    to the right rules out the leaves on its left; the row ends at the leftmost of those that no
    test rules out. What all tests of a feature rule out follows from the rank of a value among its
    thresholds: a feature of a row is looked up once for all trees.
    """

    def __init__(self, forest: Forest) -> None:
        n_trees = len(forest.nodes)
        n_ranks = {feature: len(values) + 1 for feature, values in forest.thresholds.items()}
        left = {f: np.full((n, n_trees), _ALL, dtype=np.uint16) for f, n in n_ranks.items()}
        value = np.zeros((n_trees, _MAX_LEAVES))
        below = forest.below.tolist()

        def lay_out(tree: int, node: int, first: int) -> int:
            """Lay out the leaves below a node from left to right; return the place behind them."""
            right_child, left_child = below[node]
            if left_child == node:
                value[tree, first] = forest.value[node]
                return first + 1
            middle = lay_out(tree, left_child, first)
            feature, threshold = int(forest.feature[node]), forest.threshold[node]
            rank = np.searchsorted(forest.thresholds[feature], threshold) + 1
            left[feature][rank, tree] &= _ALL ^ ((1 << middle) - (1 << first))
            return lay_out(tree, right_child, middle)

        for tree, root in enumerate(forest.roots.tolist()):
            lay_out(tree, root, 0)
        # A value beyond a threshold is beyond all lower ones.
        self._left = {feature: np.bitwise_and.accumulate(one) for feature, one in left.items()}
        self._value, self._first = value.ravel(), np.arange(n_trees) * _MAX_LEAVES

    def total(self, ranks: Integers) -> Floats:
        """Return the sum of the values of the leaves of each row, by the ranks of its features."""
        reached = np.full((len(ranks), len(self._first)), _ALL, dtype=np.uint16)
        of_feature = np.empty_like(reached)
        for feature, left in self._left.items():
            # Nothing is clipped: only without that mode a copy would be made.
            left.take(ranks[:, feature], axis=0, out=of_feature, mode="clip")
            reached &= of_feature
        leaf = _LOWEST_BIT.take(reached) + self._first
        # Tree by tree, as scikit-learn adds them up.
        total: Floats = self._value.take(np.ascontiguousarray(leaf.T)).sum(axis=0)
        return total
