"""The simulated expert, on the invented sample messages."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage import data
from triage.errors import TriageError
from triage.evaluation import queue_simulation as simulation
from triage.evaluation.corpus import read_corpus
from triage.evaluation.queue_orders import OURS, RANDOM, DecidedMessages, left_after
from triage.evaluation.queue_simulation import main, simulate
from triage.reports.document import Figure, Part, Table

pytestmark = pytest.mark.slow

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
FIRST, SIZE = 260, 200
NUMBERS = ("--train-first", f"{FIRST}", "--corpus", f"{SIZE}")


@pytest.fixture(scope="module", autouse=True)
def small(few_trees: pytest.MonkeyPatch) -> None:
    """Learn few trees, from few decisions."""
    few_trees.setattr(simulation, "_SEEDS_TO_LEARN", range(1))
    few_trees.setattr(simulation, "_AFTER", (5, 30))
    few_trees.setattr(simulation, "_CHECKED", (30,))


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, and the same once more from other senders."""
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    sender = header.index("sender")
    again = [[f"9{cell}" if i == sender else cell for i, cell in enumerate(row)] for row in rows]
    path = tmp_path_factory.mktemp("labelled") / "twice.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows, *again])
    return path


@pytest.fixture(scope="module")
def folder(labelled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("queue") / "results"
    main([str(labelled), "-o", str(found), *NUMBERS])
    return found


@pytest.fixture(scope="module")
def parts(labelled: Path) -> tuple[Part, ...]:
    return simulate(read_corpus(str(labelled)), FIRST, SIZE)


def tables(part: Part) -> list[Table]:
    return [block for block in part.blocks if isinstance(block, Table)]


def test_the_report_and_its_figures_are_written(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    figures = sorted(path.name for path in (folder / "figures").iterdir())
    assert figures == ["leak.png", "learning-area.png", "learning-leak.png", "workload.png"]
    assert all(f"](figures/{name})" in text for name in figures)
    assert OURS in text


def test_the_same_messages_give_the_same_bytes(
    labelled: Path, folder: Path, tmp_path: Path
) -> None:
    main([str(labelled), "-o", str(tmp_path), *NUMBERS])
    for path in sorted(folder.rglob("*.*")):
        assert (tmp_path / path.relative_to(folder)).read_bytes() == path.read_bytes()


def test_no_text_of_a_message_is_told(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    messages = read_corpus(str(SAMPLE)).messages
    assert not any(message in text for message in messages if len(message) > 12)


def test_every_order_ends_with_the_machines_leak(parts: tuple[Part, ...]) -> None:
    for table in tables(parts[0]):
        names = [row[0] for row in table.rows]
        assert names[0] == OURS
        assert names[-1] == RANDOM
        for row in table.rows:
            after_10, after_50 = row[1], row[3]
            assert isinstance(after_10, float)
            assert isinstance(after_50, float)
            assert 0 <= after_50 <= after_10 <= 1


def test_learning_is_tested_before_and_after(parts: tuple[Part, ...]) -> None:
    learning, gains = tables(parts[1])
    assert learning.rows[0][:2] == ("as it was", 0)
    ours = [row for row in learning.rows if row[0] == OURS]
    assert [row[1] for row in ours][:2] == [5, 30]
    assert ours[0][2] is None
    assert isinstance(ours[-1][2], float)
    assert [row[0] for row in gains.rows][-1] == ours[-1][1]


def test_figures_say_what_they_show(parts: tuple[Part, ...]) -> None:
    figures = [block for part in parts for block in part.blocks if isinstance(block, Figure)]
    assert all("nan" not in figure.alt and figure.alt.endswith(".") for figure in figures)


def test_numbers_that_leave_nothing_are_refused() -> None:
    corpus = read_corpus(str(SAMPLE))
    for first, size in ((0, 90), (130, 0), (130, 135), (500, 10)):
        with pytest.raises(TriageError, match="leave none to test on"):
            simulate(corpus, first, size)
    with pytest.raises(TriageError, match="needs a column spans"):
        simulate(replace(corpus, spans=None), 130, 90)


DECIDED = DecidedMessages(
    messages=["a", "a", "b", "c", "d"],
    is_ta=np.array([True, True, False, True, True]),
    score=np.array([0.2, 0.1, 0.6, 0.4, 0.1]),
    ta_from=0.3,
    agreement=np.array(["NTA", "NTA", "TA", "TA", "NTA"]),
    guarded=np.array(["EXPERT", "NTA", "EXPERT", "EXPERT", "NTA"]),
)


def test_a_decision_serves_every_message_of_its_text() -> None:
    queue = DECIDED.queue(DECIDED.guarded)
    assert queue.n_items == 3
    assert queue.scores.tolist() == [0.2, 0.6, 0.4]
    order = np.array([2, 0, 1])
    # Both messages that read so leave with the second decision; the machine's own leak stays.
    assert queue.leak(order).tolist() == [0.75, 0.75, 0.25, 0.25]
    assert queue.workload(order).tolist() == [0.6, 0.4, 0.2, 0.0]
    assert queue.harmless(order).tolist() == [1, 1, 1, 0]
    assert queue.n_ta(order, 2) == 2


PER_ITEM = st.lists(st.integers(0, 9), min_size=1, max_size=30)


@given(PER_ITEM, st.randoms())
def test_it_falls_from_all_to_nothing_in_any_order(per_item: list[int], chance: object) -> None:
    order = list(range(len(per_item)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    left = left_after(order, per_item)
    assert left[0] == sum(per_item)
    assert left[-1] == 0
    assert (-np.diff(left)).tolist() == [per_item[i] for i in order]


def test_the_greatest_first_leaves_the_least_at_every_step() -> None:
    per_item = np.array([1, 5, 2, 0, 3])
    best = left_after(np.argsort(-per_item), per_item)
    worst = left_after(np.argsort(per_item), per_item)
    assert (best <= worst).all()
    assert best.tolist() == [11, 6, 3, 1, 0, 0]


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3], []])
def test_an_order_names_each_item_once(order: list[int]) -> None:
    with pytest.raises(ValueError, match="each of 3 items once"):
        left_after(order, [1, 1, 1])


def test_no_items_leave_nothing() -> None:
    assert left_after([], []).tolist() == [0]
