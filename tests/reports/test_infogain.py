"""Information gain is Weka's, and impossible input is refused."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from triage.reports.infogain import Ranked, rank

WEKA = Path(__file__).with_name("weka")


def rank_one(values: ArrayLike, labels: ArrayLike) -> Ranked:
    [ranked] = rank(np.reshape(values, (-1, 1)), labels, ["feature"])
    return ranked


def printed_by_weka(name: str) -> str:
    return (WEKA / name).read_text(encoding="ascii")


@pytest.fixture(scope="module")
def ranked() -> list[Ranked]:
    header, rows = printed_by_weka("table.arff").split("@data\n")
    cells = [row.split(",") for row in rows.split()]
    table = np.array([row[:-1] for row in cells], dtype=float)
    names = re.findall(r"@attribute (\w+) numeric", header)
    return rank(table, [row[-1] for row in cells], names)


def test_gains_and_ranks_are_those_that_weka_prints(ranked: list[Ranked]) -> None:
    lines = re.findall(r"^ *([\d.]+) +\d+ (\w+)$", printed_by_weka("infogain.txt"), re.MULTILINE)
    expected = [(place, name, float(gain)) for place, (gain, name) in enumerate(lines, start=1)]
    assert len(expected) == 8
    assert [(one.rank, one.feature, round(one.gain, 4)) for one in ranked] == expected


def test_values_are_cut_where_weka_cuts_them(ranked: list[Ranked]) -> None:
    found = {one.feature: [round(cut, 6) for cut in one.cut_points] for one in ranked}
    lines = re.findall(r"@attribute (\w+) (.*(?:inf|All).*)", printed_by_weka("cut_points.txt"))
    # An interval reads (low-high], and both may be negative: (-2.5--1.5].
    ends = {name: re.findall(r"-(-?[\d.]+)\]", intervals) for name, intervals in lines}
    assert found == {name: [float(end) for end in of_name] for name, of_name in ends.items()}


def test_of_mirrored_cuts_the_one_that_weka_takes() -> None:
    # Weka 3.6.14 answers 0.5, whichever class it hears of first; 3.5 leaves the same entropy.
    counts = {0: (0, 6), 1: (2, 1), 2: (1, 1), 3: (1, 2), 4: (6, 0)}
    values = [value for value, (nta, ta) in counts.items() for _ in range(nta + ta)]
    labels = [label for nta, ta in counts.values() for label in ["NTA"] * nta + ["TA"] * ta]
    assert rank_one(values, labels).cut_points == (0.5,)
    assert rank_one(values, labels).gain == pytest.approx(0.3958156, abs=1e-7)


def test_a_value_equal_to_a_cut_belongs_below_it() -> None:
    # Halfway between neighbouring floats rounds to one of them; Weka 3.6.14 answers 0 likewise.
    lower = np.nextafter(1.0, 2.0)
    upper = np.nextafter(lower, 2.0)
    values, labels = [lower] * 5 + [upper] * 5, ["NTA"] * 5 + ["TA"] * 5
    assert rank_one(values, labels).cut_points == (upper,)
    assert rank_one(values, labels).gain == 0


def test_equal_gains_keep_the_order_of_the_table() -> None:
    # The gains of a feature and of its opposite differ in the last digit here.
    labels = ["NTA"] * 14 + ["TA"] * 2 + ["NTA"] * 2 + ["TA"] * 12
    feature = np.repeat([0, 1], [16, 14])
    table = np.column_stack([np.zeros(30), feature, np.ones(30), 1 - feature])
    order = [one.feature for one in rank(table, labels, ["none", "yes", "never", "no"])]
    assert order == ["yes", "no", "none", "never"]
