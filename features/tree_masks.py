"""Small trees, evaluated without a walk from node to node.

The leaves of a tree are bits of a number, the leftmost one the lowest. A test that sends a row to
the right rules the leaves on its left out; of those that no test rules out, the leftmost is where
the row ends (QuickScorer: Lucchese et al., 2015). What all tests of a feature rule out follows from
the rank of a value among its thresholds: a feature of a row is looked up once for all trees.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from triage.features.forest import Tree

_MOST_LEAVES = 16
_ALL = (1 << _MOST_LEAVES) - 1


@dataclass(frozen=True)
class TreeMasks:
    """Trees of few leaves each."""

    left: dict[int, NDArray[np.uint16]]
    value: NDArray[np.float64]

    @classmethod
    def of(
        cls, trees: Sequence["Tree"], thresholds: dict[int, NDArray[np.float64]]
    ) -> "TreeMasks | None":
        """Return the masks of trees; None if one has too many leaves."""
        if max(len(tree.feature) for tree in trees) >= 2 * _MOST_LEAVES:
            return None
        left = {
            feature: np.full((len(known) + 1, len(trees)), _ALL, dtype=np.uint16)
            for feature, known in thresholds.items()
        }
        value = np.zeros((len(trees), _MOST_LEAVES))
        for number, tree in enumerate(trees):
            leaves, ruled_out = _laid_out(tree)
            value[number, : len(leaves)] = tree.value[leaves]
            for node, mask in ruled_out.items():
                feature = int(tree.feature[node])
                rank = np.searchsorted(thresholds[feature], tree.threshold[node])
                left[feature][rank + 1, number] &= _ALL ^ mask
        # A value beyond a threshold is beyond all lower ones.
        left = {feature: np.bitwise_and.accumulate(one) for feature, one in left.items()}
        return cls(left, value.ravel())

    def total(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the sum of the values of the leaves of each row, by the ranks of its features."""
        n_trees = len(self.value) // _MOST_LEAVES
        reached = np.full((len(ranks), n_trees), _ALL, dtype=np.uint16)
        of_feature = np.empty_like(reached)
        for feature, left in self.left.items():
            # Nothing is clipped: only without that mode a copy would be made.
            left.take(ranks[:, feature], axis=0, out=of_feature, mode="clip")
            reached &= of_feature
        leaf = _LOWEST_BIT.take(reached) + np.arange(n_trees) * _MOST_LEAVES
        # Tree by tree, as scikit-learn adds them up.
        total: NDArray[np.float64] = self.value.take(np.ascontiguousarray(leaf.T)).sum(axis=0)
        return total


def _laid_out(tree: "Tree") -> tuple[list[int], dict[int, int]]:
    """Return the leaves of a tree from left to right, and for each test those on its left."""
    leaves: list[int] = []
    ruled_out: dict[int, int] = {}
    children = tree.children.reshape(-1, 2).tolist()

    def lay_out(node: int) -> int:
        right, left = children[node]
        if left == node:
            leaves.append(node)
            return 1 << (len(leaves) - 1)
        ruled_out[node] = lay_out(left)
        return ruled_out[node] | lay_out(right)

    lay_out(0)
    return leaves, ruled_out


def _lowest_bits() -> NDArray[np.intp]:
    """Return the place of the lowest bit of each number of 16 bits; that of 0 is of no use."""
    place = np.zeros(_ALL + 1, dtype=np.intp)
    for bit in range(_MOST_LEAVES):
        place[1 << bit :: 2 << bit] = bit
    return place


_LOWEST_BIT = _lowest_bits()
