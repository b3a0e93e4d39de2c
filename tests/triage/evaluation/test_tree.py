"""A tree is printed as the paper's Fig. 1 and Weka's J48 print it."""

import pytest

from triage.evaluation.tree import TreeNode, tree_text


def leaf(label: str, correct: float, wrong: float = 0) -> TreeNode:
    return TreeNode(None, 0, None, None, label, correct, wrong)


def node(feature: str, threshold: float, at_most: TreeNode, above: TreeNode) -> TreeNode:
    return TreeNode(feature, threshold, at_most, above, "NTA", 300, 40)


TREE = node(
    "UpperCase",
    1,
    node(
        "Numbers",
        2,
        leaf("NTA", 265, 8),
        node("Length", 0.3333333, leaf("TA", 4), leaf("NTA", 3, 1)),
    ),
    node("Numbers", 0, leaf("TA", 12.345, 0.5), leaf("TA", 90)),
)


def test_a_tree_has_the_form_of_weka() -> None:
    assert tree_text(TREE).splitlines() == [
        "UpperCase <= 1",
        "|   Numbers <= 2: NTA (273.0/8.0)",
        "|   Numbers > 2",
        "|   |   Length <= 0.333333: TA (4.0)",
        "|   |   Length > 0.333333: NTA (4.0/1.0)",
        "UpperCase > 1",
        "|   Numbers <= 0: TA (12.85/0.5)",
        "|   Numbers > 0: TA (90.0)",
    ]


def test_a_tree_is_cut_at_its_depth() -> None:
    assert tree_text(TREE, depth=2).splitlines() == [
        "UpperCase <= 1",
        "|   Numbers <= 2: NTA (273.0/8.0)",
        "|   Numbers > 2: NTA …",
        "UpperCase > 1",
        "|   Numbers <= 0: TA (12.85/0.5)",
        "|   Numbers > 0: TA (90.0)",
    ]
    assert tree_text(TREE, depth=0) == ": NTA …"
    assert tree_text(TREE, depth=3) == tree_text(TREE)


def test_a_lone_leaf_has_no_test_before_it() -> None:
    assert tree_text(leaf("NTA", 10, 2)) == ": NTA (12.0/2.0)"


@pytest.mark.parametrize(
    ("threshold", "shown"),
    [(1.0, "1"), (2.5, "2.5"), (0.1234567, "0.123457"), (-1e-9, "0"), (-2.0, "-2"), (1200, "1200")],
)
def test_thresholds_have_at_most_six_decimals(threshold: float, shown: str) -> None:
    text = tree_text(node("Length", threshold, leaf("TA", 1), leaf("NTA", 1)))
    assert text.startswith(f"Length <= {shown}: TA")


@pytest.mark.parametrize(
    ("feature", "above"), [("Length", None), (None, leaf("TA", 1)), (None, None)]
)
def test_a_node_that_is_neither_test_nor_leaf_is_refused(
    feature: str | None, above: TreeNode | None
) -> None:
    with pytest.raises(ValueError, match="a node tests a feature and leads to two nodes"):
        TreeNode(feature, 0, leaf("TA", 1), above, "TA", 1, 0)
