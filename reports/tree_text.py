"""A decision tree as text, in the form of the paper's Fig. 1, which is that of Weka's J48."""

from collections.abc import Iterator
from dataclasses import dataclass

_INDENT = "|   "
# Weka's `Utils.SMALL`: weights below it count as none.
_NOTHING = 1e-6


@dataclass(frozen=True)
class TreeNode:
    """A node of a binary decision tree.

    Attributes
    ----------
    feature : str or None
        What it tests; None for a leaf.
    threshold : float
        The greatest value that goes to `at_most`.
    at_most, above : TreeNode or None
        Where messages go; both None for a leaf.
    label : str
        The majority of the training messages that reach it.
    correct, wrong : float
        Those of them with that label, and without it.

    Raises
    ------
    ValueError
        If it tests a feature without leading to two nodes, or leads on without a test.
    """

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
        """All messages that reach it and, if there are any, those with another label, as Weka."""
        reached = _weight(self.correct + self.wrong)
        return f"{reached}/{_weight(self.wrong)}" if self.wrong > _NOTHING else reached


def tree_text(root: TreeNode, depth: int | None = None) -> str:
    """Return a tree as Weka's J48 prints it.

    Parameters
    ----------
    root : TreeNode
    depth : int, optional
        How many tests follow one another before the rest is cut off, which is shown by the
        majority label and an ellipsis. By default nothing is cut off.

    Returns
    -------
    str

    Examples
    --------
    >>> few = TreeNode(None, 0, None, None, "NTA", 265, 8)
    >>> many = TreeNode(None, 0, None, None, "TA", 12, 0)
    >>> numbers = TreeNode("Numbers", 2.5, few, many, "NTA", 265, 20)
    >>> root = TreeNode("UpperCase", 1, numbers, many, "NTA", 265, 32)
    >>> print(tree_text(root))
    UpperCase <= 1
    |   Numbers <= 2.5: NTA (273.0/8.0)
    |   Numbers > 2.5: TA (12.0)
    UpperCase > 1: TA (12.0)
    >>> print(tree_text(root, depth=1))
    UpperCase <= 1: NTA …
    UpperCase > 1: TA (12.0)
    """
    if not root.branches or depth == 0:
        return _end(root)
    return "\n".join(_lines(root, "", depth))


def count_nodes(root: TreeNode) -> int:
    """Return the number of tests and leaves: the size of the tree, in Weka's words.

    Examples
    --------
    >>> leaf = TreeNode(None, 0, None, None, "TA", 1, 0)
    >>> count_nodes(TreeNode("Numbers", 0, leaf, leaf, "TA", 2, 0))
    3
    """
    return 1 + sum(count_nodes(node) for _, node in root.branches)


def count_leaves(root: TreeNode) -> int:
    """Return the number of leaves.

    Examples
    --------
    >>> leaf = TreeNode(None, 0, None, None, "TA", 1, 0)
    >>> count_leaves(TreeNode("Numbers", 0, leaf, leaf, "TA", 2, 0))
    2
    """
    return sum(count_leaves(node) for _, node in root.branches) or 1


def _lines(node: TreeNode, indent: str, depth: int | None) -> Iterator[str]:
    left = None if depth is None else depth - 1
    for condition, branch in node.branches:
        line = f"{indent}{node.feature} {condition}"
        if branch.branches and left != 0:
            yield line
            yield from _lines(branch, indent + _INDENT, left)
        else:
            yield line + _end(branch)


def _end(node: TreeNode) -> str:
    return f": {node.label} …" if node.branches else f": {node.label} ({node.counts})"


def _threshold(value: float) -> str:
    """Return a number as Weka's `Utils.doubleToString(value, 6)` does."""
    # Adding 0 takes the sign from -0.0.
    return f"{round(value, 6) + 0.0:.6f}".rstrip("0").rstrip(".")


def _weight(value: float) -> str:
    return str(round(float(value), 2))
