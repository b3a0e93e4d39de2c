"""The part of an evaluation about treatment, on the invented sample messages."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from triage import data
from triage.decide.find import Found
from triage.decide.precedence import Identifier
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.evaluation.anonymising import _Anonymised, _by_rule, _released, _residue
from triage.evaluation.corpus import read_corpus
from triage.evaluation.report import Options, PartName, evaluate
from triage.reports.document import Part, Table
from triage.vocabulary import Action, IdentifierType

pytestmark = pytest.mark.slow

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
OPTIONS = Options(first=170)
Row = dict[str, str | int | float | None]


@pytest.fixture(scope="module")
def part(french: Lexicon, few_trees: object) -> Part:  # noqa: ARG001
    [found] = evaluate(read_corpus(str(SAMPLE)), OPTIONS, PartName.TREATMENT, lexicon=french)
    return found


@pytest.fixture(scope="module")
def rows(part: Part) -> Callable[[str], list[Row]]:
    """Return the rows of the table of a title, by column."""

    def of(title: str) -> list[Row]:
        [table] = [b for b in part.blocks if isinstance(b, Table) and b.title.startswith(title)]
        return [dict(zip(table.headings, row, strict=True)) for row in table.rows]

    return of


Rows = Callable[[str], list[Row]]


def test_identifiers_by_type_add_up(rows: Rows) -> None:
    *types, _, untyped = rows("Identifiers found, by type")
    corpus = read_corpus(str(SAMPLE))
    assert corpus.spans is not None
    marked = sum(map(len, corpus.spans[170:]))
    by_type = {row["type"]: int(str(row["marked"])) for row in types if row["type"] != "all"}
    assert sum(by_type.values()) == untyped["marked"] == marked


def test_measures_are_shares(rows: Rows) -> None:
    for row in rows("Identifiers found, by type"):
        for name, value in row.items():
            if name.startswith(("recall", "precision", "F")):
                share = float(str(value))
                assert math.isnan(share) or 0 <= share <= 1


def test_most_identifiers_of_the_sample_are_found(rows: Rows) -> None:
    *_, untyped = rows("Identifiers found, by type")
    assert float(str(untyped["recall, overlapping"])) > 0.6
    assert float(str(untyped["precision, overlapping"])) > 0.6


def test_intervals_hold_their_estimate(rows: Rows) -> None:
    figures = rows("All types together")
    assert [row["figure"] for row in figures] == ["recall", "precision", "F2"]
    for row in figures:
        assert float(str(row["low"])) <= float(str(row["estimate"])) <= float(str(row["high"]))


def test_the_estimate_is_that_of_the_table_by_type(rows: Rows) -> None:
    *_, untyped = rows("Identifiers found, by type")
    recall = rows("All types together")[0]
    assert recall["estimate"] == pytest.approx(untyped["recall, overlapping"])


def test_residue_never_grows(rows: Rows) -> None:
    left = rows("Residue")
    for name in ("untouched: messages", "not wholly gone: messages"):
        counts = [int(str(row[name])) for row in left]
        assert counts == sorted(counts, reverse=True)


def test_residue_starts_with_every_message_that_holds_an_identifier(rows: Rows) -> None:
    corpus = read_corpus(str(SAMPLE))
    assert corpus.spans is not None
    assert rows("Residue")[0]["untouched: messages"] == sum(map(bool, corpus.spans[170:]))


def test_residue_has_a_bound_above_its_share(rows: Rows) -> None:
    for row in rows("Residue"):
        assert float(str(row["share of all"])) <= float(str(row["at most"])) <= 1
        assert float(str(row["share of all "])) <= float(str(row["at most "])) <= 1


PATRICE = (7, 14, "PRE")
_OUTCOME = (
    "still hold an identifier: messages",
    "precision",
    "words lost by replacing",
    "words lost by holding back",
)


def _found(*spans: tuple[int, int]) -> Found:
    return Found([Identifier(*span, IdentifierType.PRE, "evidence") for span in spans])


def test_residue_counts_what_is_held_back_and_what_an_expert_sees() -> None:
    gold = [[PATRICE], [PATRICE], [PATRICE], [], [PATRICE]]
    in_doubt = replace(_found((0, 6)), ambiguous=1)
    found = [_found(), _found(), _found((7, 14)), _found(), in_doubt]
    actions = [Action.TA, Action.EXPERT, Action.TA, Action.NTA, Action.TA]
    residue, _ = _residue(gold, found, actions)
    assert [row[1] for row in residue.rows][-4:] == [3, 2, 1, 0]
    assert [str(row[0]) for row in residue.rows][-3:] == [
        "+ holding back 1 TA messages in which nothing was found",
        "+ holding back 1 TA messages with a word in doubt",
        "+ an expert on the 1 undecided",
    ]


def test_a_rule_is_measured_by_what_it_finds_and_what_would_stay_without_it() -> None:
    by_carried = Identifier(0, 6, IdentifierType.PRE, "carried")
    table = _by_rule([[PATRICE]], [Found([by_carried, *_found((7, 14)).identifiers])])
    assert table.rows == [("evidence", 1, 1.0, 1.0), ("carried", 1, 0.0, 0.0)]


def test_residue_of_direct_and_of_indirect_identifiers_is_told_apart() -> None:
    gold = [[PATRICE, (20, 24, "LIE")], [(0, 4, "LIE")], [(0, 4, "NOM_LIE")], [PATRICE]]
    found = [_found((20, 24)), _found(), _found(), _found()]
    actions = [Action.NTA, Action.NTA, Action.NTA, Action.EXPERT]
    _, by_severity = _residue(gold, found, actions)
    assert [row[1:3] for row in by_severity.rows] == [
        *[("direct", 3), ("indirect", 2)],
        *[("direct", 3), ("indirect", 1)] * 3,
        *[("direct", 2), ("indirect", 1)],
    ]


def test_what_leaves_is_told_for_each_policy_and_each_way_of_holding_back(rows: Rows) -> None:
    released = rows("What leaves")
    assert [(row["--hold"], row["--ambiguous"]) for row in released] == [
        ("none", "hold"),
        ("ta", "hold"),
        ("undecided", "mask"),
        ("undecided", "hold"),
    ] * 3
    for row in released:
        assert (row["held back: messages"] == 0) or row["--hold"] != "none"
    for name in ("still hold an identifier: messages", "words lost by replacing"):
        for at in (0, 4, 8):
            values = [float(str(row[name])) for row in released[at : at + 4]]
            assert values == sorted(values, reverse=True)


def test_words_of_messages_held_back_are_counted_apart_from_those_replaced() -> None:
    words = [(0, 6), (7, 14)]
    anonymised = _Anonymised(
        "agreement",
        [Action.EXPERT, Action.TA, Action.TA],
        [_found(), replace(_found((0, 6), (7, 14)), ambiguous=1), _found()],
        [words, words, words],
    )
    released = _released([[PATRICE], [PATRICE], []], [anonymised])
    columns = ("--hold", "--ambiguous", "held back: messages", *_OUTCOME)
    told = [dict(zip(released.headings, row, strict=True)) for row in released.rows]
    # Of four words that identify nobody one is replaced beside one in doubt, one waits, two stand
    # in a TA message in which nothing was found.
    assert [tuple(row[column] for column in columns) for row in told[:3]] == [
        ("none", "hold", 0, 1, 1 / 2, 1 / 4, 0),
        ("ta", "hold", 1, 1, 1 / 2, 1 / 4, 2 / 4),
        ("undecided", "mask", 2, 0, 1 / 2, 1 / 4, 3 / 4),
    ]
    assert told[3]["held back: messages"] == 3
    assert told[3]["words lost by replacing"] == 0


def test_without_marked_identifiers_there_is_nothing_to_measure(french: Lexicon) -> None:
    corpus = replace(read_corpus(str(SAMPLE)), spans=None)
    with pytest.raises(TriageError, match="the file needs a column spans"):
        evaluate(corpus, OPTIONS, PartName.TREATMENT, lexicon=french)
