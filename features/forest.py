"""Decision trees as plain arrays: fitted by scikit-learn, stored and evaluated with numpy alone.

Classifying does not wait for scikit-learn to load (some seconds), and a model stays readable
whatever version of scikit-learn fitted it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.features.tree_masks import TreeMasks

_NO_CHILD = -1  # in scikit-learn's trees


@dataclass(frozen=True)
class Tree:
    """A decision tree over nodes 0 (the root) to n_nodes - 1."""

    feature: NDArray[np.intp]
    threshold: NDArray[np.float64]
    children: NDArray[np.intp]
    depth: int
    value: NDArray[np.float64]

    @classmethod
    def from_sklearn(cls, tree: Any, columns: NDArray[np.int64]) -> "Tree":  # noqa: ANN401  # untyped
        """Convert a fitted ``sklearn.tree._tree.Tree`` of two classes, NTA and TA."""
        is_leaf = tree.children_left == _NO_CHILD
        itself = np.arange(tree.node_count)
        right = np.where(is_leaf, itself, tree.children_right)
        left = np.where(is_leaf, itself, tree.children_left)
        return cls(
            feature=columns[np.where(is_leaf, 0, tree.feature)].astype(np.intp),
            threshold=tree.threshold.astype(np.float64),
            children=np.column_stack([right, left]).ravel().astype(np.intp),
            depth=int(tree.max_depth),
            value=tree.value[:, 0, 1].copy(),
        )


@dataclass(frozen=True)
class Forest:
    """Trees whose values are added up, or averaged."""

    trees: tuple[Tree, ...]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the trees end to end, as the arguments of `from_arrays`."""
        joined = {
            name: np.concatenate([getattr(tree, name) for tree in self.trees])
            for name in ("feature", "threshold", "children", "value")
        }
        return {"nodes": np.array([len(tree.feature) for tree in self.trees]), **joined}

    @classmethod
    def from_arrays(
        cls,
        nodes: NDArray[np.int64],
        feature: NDArray[np.int64],
        threshold: NDArray[np.float64],
        children: NDArray[np.int64],
        value: NDArray[np.float64],
    ) -> "Forest":
        """Return the forest whose trees lie end to end in these arrays."""
        total = len(feature)
        if not len(nodes) or nodes.min() < 1 or nodes.max() > total or nodes.sum() != total:
            raise ValueError("the sizes of the trees do not add up to the number of nodes")
        if (len(threshold), len(children), len(value)) != (total, 2 * total, total):
            raise ValueError("the arrays of the nodes differ in length")
        if not (np.isfinite(threshold).all() and np.isfinite(value).all()):
            raise ValueError("a threshold or a value is not finite")
        ends = np.cumsum(nodes)
        depths = _depths(children.reshape(total, 2), ends - nodes, ends)
        spans = zip((ends - nodes).tolist(), ends.tolist(), depths.tolist(), strict=True)
        feature, children = feature.astype(np.intp), children.astype(np.intp)
        return cls(
            tuple(
                Tree(feature[a:b], threshold[a:b], children[2 * a : 2 * b], depth, value[a:b])
                for a, b, depth in spans
            )
        )

    @classmethod
    def from_sklearn(cls, trees: Iterable[Any], columns: Iterable[Any]) -> "Forest":
        """Convert the fitted trees of a bagging ensemble, each with its columns."""
        pairs = zip(trees, columns, strict=True)
        return cls(tuple(Tree.from_sklearn(tree.tree_, np.asarray(c)) for tree, c in pairs))

    def score(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean value of each row: from 0 (certainly NTA) to 1 (certainly TA)."""
        return self.total(values) / len(self.trees)

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the values of each row."""
        ranks = self._walk.ranks(values)
        way = self._masks or self._walk
        totals = [way.total(ranks[i : i + _BLOCK]) for i in range(0, len(ranks), _BLOCK)]
        return np.concatenate([np.zeros(0), *totals])

    @cached_property
    def _walk(self) -> "_Walk":
        return _Walk.of(self.trees)

    @cached_property
    def _masks(self) -> TreeMasks | None:
        return TreeMasks.of(self.trees, self._walk.thresholds)


# So few rows that what is known of each of them and each tree stays in the processor's cache.
_BLOCK = 400
_FEATURE_BITS, _RANK_BITS = 12, 20
_FEATURE, _RANK = (1 << _FEATURE_BITS) - 1, (1 << _RANK_BITS) - 1
_LEVELS = 4


@dataclass(frozen=True)
class _Walk:
    """All trees, laid out so that one look-up tells all of a node."""

    roots: NDArray[np.int64]
    nodes: NDArray[np.int64]
    value: NDArray[np.float64]
    thresholds: dict[int, NDArray[np.float64]]

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> "_Walk":
        sizes = np.array([len(tree.feature) for tree in trees])
        roots = np.cumsum(sizes) - sizes
        feature, threshold, value = (
            np.concatenate([getattr(tree, name) for tree in trees])
            for name in ("feature", "threshold", "value")
        )
        children = np.concatenate(
            [tree.children.reshape(-1, 2) + root for tree, root in zip(trees, roots, strict=True)]
        )
        old = np.arange(len(feature))
        inner = np.flatnonzero(children[:, 0] != old)
        # The k-th inner node of a tree has its children at 2k + 1 and 2k + 2.
        n_before = np.cumsum(children[:, 0] != old) - (children[:, 0] != old)
        root = np.repeat(roots, sizes)
        left = root + 1 + 2 * (n_before - n_before[root])
        new = root.copy()
        new[children[inner, 1]], new[children[inner, 0]] = left[inner], left[inner] + 1
        tested = np.unique(feature[inner]).tolist()
        thresholds = {f: np.unique(threshold[inner][feature[inner] == f]) for f in tested}
        rank = np.zeros(len(feature), dtype=np.int64)
        for f, known in thresholds.items():
            rank[feature == f] = np.searchsorted(known, threshold[feature == f])
        nodes = (new << 32) | (_RANK << _FEATURE_BITS)
        nodes[inner] = (left[inner] << 32) | (rank[inner] << _FEATURE_BITS) | feature[inner]
        order = np.argsort(new)
        return cls(roots, nodes[order], value[order], thresholds)

    def ranks(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many thresholds of its feature each value exceeds."""
        ranks = np.zeros(values.shape, dtype=np.int64)
        for f, known in self.thresholds.items():
            # Rounded as in training.
            column = values[:, f].astype(np.float32).astype(np.float64)
            ranks[:, f] = np.searchsorted(known, column)
        return ranks

    def total(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the sum of the values of the leaves of each row."""
        cells, (n, n_features) = ranks.ravel(), ranks.shape
        first_cell = np.tile(np.arange(n) * n_features, len(self.roots))
        node, leaf = np.repeat(self.roots, n), np.zeros(n * len(self.roots), dtype=np.int64)
        walking = np.arange(len(node))
        while len(walking):
            for _ in range(_LEVELS):
                about = self.nodes.take(node)
                cell = cells.take(first_cell + (about & _FEATURE))
                node = (about >> 32) + (cell > ((about >> _FEATURE_BITS) & _RANK))
            leaf[walking] = node
            still = np.flatnonzero(self.nodes.take(node) >> 32 != node)
            walking, node, first_cell = walking[still], node[still], first_cell[still]
        total: NDArray[np.float64] = self.value.take(leaf).reshape(-1, n).sum(axis=0)
        return total


# Trees fitted on 20,000 messages are some 25 deep.
_DEEPEST = 10_000


def _depths(
    children: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the depth of each tree, after checking that it is one."""
    sizes = ends - starts
    root = np.repeat(starts, sizes)
    below, itself = children + root[:, None], np.arange(len(children))
    inner = (below != itself[:, None]).any(axis=1)
    # Each child comes after its parent, and each node but the roots has one parent: no cycles.
    follows = (
        (children >= 0) & (below > itself[:, None]) & (below < np.repeat(ends, sizes)[:, None])
    )
    parents = np.bincount(below[inner & follows.all(axis=1)].ravel(), minlength=len(children))
    if not (follows[inner].all() and np.array_equal(parents, itself != root)):
        raise ValueError("the nodes of a tree do not follow one another")
    level, depth, reached = np.zeros(len(children), dtype=np.int64), 0, starts
    while len(reached := below[reached[inner[reached]]].ravel()):
        depth += 1
        if depth > _DEEPEST:
            raise ValueError("a tree is too deep")
        level[reached] = depth
    return np.maximum.reduceat(level, starts)
