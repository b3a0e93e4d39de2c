"""An anonymised file beside its originals or its table: misuse is refused, doubt is told."""

import csv
import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cases import cases_beside
from triage import Triage, data
from triage.anonymise.check import Certainty, Checked, check_output
from triage.anonymise.entity import Spelling
from triage.anonymise.held import held_path
from triage.anonymise.styles import StyleContext, make_style
from triage.decide.source import Source
from triage.dictionaries import split_all
from triage.dictionaries.normal import folded
from triage.errors import TriageError
from triage.settings import StyleName
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__)

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
PAIRS = cases_beside(__file__, "check.toml")["pairs"]
Rows = Sequence[Sequence[str]]
Compare = Callable[..., Checked]
Outputs = dict[str, list[list[str]]]
HELD = "row,id,reason,written\n"


def rows(messages: str) -> Rows:
    """Return the rows of messages, with ids if the first has one."""
    cells = [row.split(": ") for row in messages.split("|")]
    return [["id", "text"][-len(cells[0]) :], *cells]


BEFORE = rows("1: Coucou Patrice, ça va|2: oui|3: Slt Karim")
AFTER = rows("1: Coucou <PRE_7>, ça va|2: oui|3: Slt <PRE_5>")


def _write(path: Path, given: Rows) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(given)
    return path


@pytest.fixture
def compared(shipped: Triage, tmp_path: Path) -> Compare:
    """Check an output against its originals, a table of replacements, or nothing."""

    def run(after: Rows, before: Rows | None, keys: Rows | None = None) -> Checked:
        output = Source(str(_write(tmp_path / "anon.csv", after)))
        against = Source(str(_write(tmp_path / "sms.csv", before))) if before else None
        table = str(_write(tmp_path / "key.csv", keys)) if keys else None
        return check_output(output, shipped, against=against, key_table=table)

    return run


@pytest.fixture(scope="module")
def originals() -> list[list[str]]:
    """The sample's messages with their ids."""
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        return [["id", "text"], *([row["id"], row["text"]] for row in csv.DictReader(file))]


@pytest.fixture(scope="module")
def outputs(shipped: Triage) -> Outputs:
    """The sample with what it marks replaced, in each style."""
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        marked = [
            (row["id"], row["text"], json.loads(row["spans"])) for row in csv.DictReader(file)
        ]
    spellings = [
        Spelling(text[start:end], IdentifierType(kind))
        for _, text, spans in marked
        for start, end, kind in spans
    ]
    words = {folded(form.text) for form in split_all([text for _, text, _ in marked]).forms}
    context = StyleContext(shipped.lexicon, b"k" * 32, spellings, words, False)
    written: Outputs = {}
    for name in StyleName:
        style = make_style(name, context)
        written[name] = [["id", "text"]]
        for id_, text, spans in marked:
            pieces, at = "", 0
            for start, end, kind in sorted(spans):
                new = style(Spelling(text[start:end], IdentifierType(kind)))
                pieces, at = pieces + text[at:start] + new, end
            written[name].append([id_, pieces + text[at:]])
    return written


def _texts(given: Rows) -> list[list[str]]:
    return [[row[1]] for row in given]


def _shuffled(given: Rows) -> list[Sequence[str]]:
    order = random.Random(1)  # noqa: S311
    return [given[0], *order.sample(given[1:], len(given) - 1)]


def _of(checked: Checked, certainty: Certainty) -> list[tuple[int, str]]:
    return [(one.row, one.reason) for one in checked.left if one.certainty is certainty]


@pytest.mark.parametrize("style", [*StyleName])
@pytest.mark.parametrize("change", [list, _shuffled, lambda given: given[:200]])
def test_an_output_of_any_style_is_taken_for_what_it_is(
    style: str,
    change: Callable[[Rows], Rows],
    outputs: Outputs,
    originals: Rows,
    compared: Compare,
) -> None:
    found = compared(change(outputs[style]), originals)
    assert found.replaced
    assert _of(found, Certainty.ADDED) == []


@pytest.mark.parametrize("style", ["tag", "mask", "consistent", "paper"])
@pytest.mark.parametrize("texts", [list, _texts], ids=["ids", "no ids"])
def test_originals_in_which_tags_stand_are_refused(
    style: str,
    texts: Callable[[Rows], Rows],
    outputs: Outputs,
    originals: Rows,
    compared: Compare,
) -> None:
    with pytest.raises(TriageError, match=r"sms\.csv looks anonymised itself: .* name the anon"):
        compared(texts(originals), texts(outputs[style]))


def test_originals_named_first_are_never_clean(
    outputs: Outputs, originals: Rows, compared: Compare
) -> None:
    assert not compared(originals, outputs["surrogate"]).is_clean


@pytest.mark.parametrize("style", [*StyleName])
def test_originals_of_another_corpus_are_refused(
    style: str, outputs: Outputs, originals: Rows, compared: Compare
) -> None:
    ids = [row[0] for row in originals[1:]]
    texts = [row[1] for row in reversed(originals[1:])]
    other = [["id", "text"], *zip(ids, texts, strict=True)]
    with pytest.raises(TriageError, match=r"only \d of \d+ messages of .*anon\.csv resemble those"):
        compared(outputs[style], other)


def test_rows_in_another_order_without_ids_are_refused(
    outputs: Outputs, originals: Rows, compared: Compare
) -> None:
    with pytest.raises(TriageError, match="or in another order; without ids, name their column"):
        compared(_texts(_shuffled(outputs["tag"])), _texts(originals))


def test_two_rows_that_changed_places_without_ids_are_told(
    outputs: Outputs, originals: Rows, compared: Compare
) -> None:
    changed = _texts(outputs["tag"])
    changed[1], changed[2] = changed[2], changed[1]
    found = compared(changed, _texts(originals))
    reason = "a message that has nothing to do with the original in its row"
    assert _of(found, Certainty.ADDED) == [(1, reason), (2, reason)]
    assert not found.is_clean


@pytest.mark.parametrize(("before", "after"), CASES["a_single_message_may_be_replaced_whole"])
def test_a_single_message_may_be_replaced_whole(before: str, after: str, compared: Compare) -> None:
    assert compared(rows(f"1: {after}"), rows(f"1: {before}")).is_clean


@pytest.mark.parametrize(("before", "after"), PAIRS["paired"])
def test_messages_are_paired_by_their_ids_or_else_their_places(
    before: str, after: str, compared: Compare
) -> None:
    found = compared(rows(after), rows(before))
    assert found.replaced
    assert found.is_clean


@pytest.mark.parametrize(("before", "after", "told"), PAIRS["refused"])
def test_originals_of_another_output_are_refused_without_their_words(
    before: str, after: str, told: str, compared: Compare
) -> None:
    with pytest.raises(TriageError, match=told) as error:
        compared(rows(after), rows(before))
    assert not re.search("zyxsecret|Patrice|Coucou|Slt", str(error.value))


def test_a_file_is_not_its_own_original(shipped: Triage, tmp_path: Path) -> None:
    output = _write(tmp_path / "anon.csv", AFTER)
    (tmp_path / "link.csv").symlink_to(output)
    for path in (output, tmp_path / "link.csv"):
        with pytest.raises(TriageError, match=r"is the same file as .*anon\.csv"):
            check_output(Source(str(output)), shipped, against=Source(str(path)))
        with pytest.raises(TriageError, match=r"is the same file as .*anon\.csv"):
            check_output(Source(str(output)), shipped, key_table=str(path))


def test_an_output_without_messages_is_clean(compared: Compare) -> None:
    found = compared(AFTER[:1], BEFORE)
    assert (found.rows, found.is_clean) == (0, True)


def test_a_message_that_the_originals_lack_is_told(compared: Compare) -> None:
    found = compared([*AFTER, ["9", "on se voit demain"]], BEFORE)
    assert _of(found, Certainty.ADDED) == [(4, "a message that is not among the originals")]
    assert not found.is_clean


def test_a_message_in_the_place_of_another_hides_no_name(compared: Compare) -> None:
    before = [*BEFORE, ["4", "je vois Patrice demain"], ["5", "ok merci"]]
    after = [*AFTER, ["4", "ah ok mais avec Karim alors"], ["5", "ok merci"]]
    found = compared(after, before)
    reason = "a message that has nothing to do with the original of its id"
    assert _of(found, Certainty.ADDED) == [(4, reason)]
    assert [(one.row, one.text) for one in found.left if one.text] == [(4, "Karim")]


def test_the_list_beside_an_output_tells_what_nobody_decided(
    compared: Compare, tmp_path: Path
) -> None:
    assert compared(AFTER, BEFORE).is_clean
    held_path(str(tmp_path / "anon.csv")).write_text(
        f"{HELD}2,2,waits for the expert,yes\n7,7,TA in which nothing was found to replace,no\n"
    )
    found = compared(AFTER, BEFORE)
    reason = "a message that waits for the expert, and that nobody decided"
    assert _of(found, Certainty.UNDECIDED) == [(2, reason)]
    assert not found.is_clean


def test_rows_that_were_held_back_are_missing_without_ids(
    compared: Compare, tmp_path: Path
) -> None:
    before = rows("Coucou Patrice, ça va|On se voit demain|Salut Karim, ok")
    after = rows("Coucou <PRE_7>, ça va|Salut <PRE_5>, ok")
    with pytest.raises(TriageError, match="cannot be told"):
        compared(after, before)
    held_path(str(tmp_path / "anon.csv")).write_text(f"{HELD}2,2,waits for the expert,no\n")
    assert compared(after, before).is_clean


@pytest.mark.parametrize(
    ("columns", "undecided"), CASES["originals_and_outputs_tell_what_nobody_decided"]
)
def test_originals_and_outputs_tell_what_nobody_decided(
    columns: Sequence[str], undecided: list[int], compared: Compare
) -> None:
    def with_columns(given: Rows) -> Rows:
        return [[*row, *cells.split(",")] for row, cells in zip(given, columns, strict=True)]

    for found in (
        compared(AFTER, with_columns(BEFORE)),
        compared(with_columns(AFTER), BEFORE),
        compared(with_columns(AFTER), None),
    ):
        assert [row for row, _ in _of(found, Certainty.UNDECIDED)] == undecided


def test_what_was_left_out_waits_for_nobody(compared: Compare) -> None:
    actions = ["action", "TA", "EXPERT", "TA"]
    before = [[*row, action] for row, action in zip(BEFORE, actions, strict=True)]
    assert compared([AFTER[0], AFTER[1], AFTER[3]], before).is_clean


KEYS = [["id", "identifier", "replacement"], ["1", "Patrice", "<PRE_7>"], ["3", "Karim", "<PRE_5>"]]


@pytest.mark.parametrize("after", [AFTER, AFTER[:3], _texts(AFTER)])
def test_a_table_of_this_file_is_used(after: Rows, compared: Compare) -> None:
    assert compared(after, None, KEYS).replaced == 2


@pytest.mark.parametrize(("after", "told"), PAIRS["other_table"])
def test_a_table_of_another_file_is_refused(after: str, told: str, compared: Compare) -> None:
    with pytest.raises(TriageError, match=told):
        compared(rows(after), None, KEYS)


@pytest.mark.parametrize(
    ("left", "certainty"),
    [
        ("Coucou toi", None),
        ("Coucou Patrice", "likely"),
        ("appelle 612345678", "certain"),
        ("le 06 39 98 12 34", "certain"),
    ],
)
def test_with_nothing_to_compare_names_and_forms_are_looked_for(
    left: str, certainty: str | None, compared: Compare
) -> None:
    found = compared(rows(f"1: {left}"), None)
    assert found.replaced is None
    assert [one.certainty for one in found.left] == [certainty] * bool(certainty)
    assert found.is_clean is (certainty != "certain")


def test_a_number_as_spreadsheets_leave_it_is_certain_in_any_column(compared: Compare) -> None:
    given = [["id", "note", "text"], ["1", "612345678.0", "oui"], ["2", "", "non"]]
    assert [row for row, _ in _of(compared(given, None), Certainty.CERTAIN)] == [1]
