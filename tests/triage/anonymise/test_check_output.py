"""An anonymised file beside its originals or its table: misuse is refused, doubt is told."""

import csv
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from triage import Triage, data
from triage.anonymise.check import Checked, check_output
from triage.anonymise.entity import Spelling
from triage.anonymise.grading import Certainty
from triage.anonymise.held import held_path
from triage.anonymise.styles import StyleContext, make_style
from triage.anonymise.traces import Trace
from triage.decide.source import Source
from triage.dictionaries import split_all
from triage.dictionaries.normal import folded
from triage.errors import TriageError
from triage.settings import StyleName
from triage.vocabulary import IdentifierType

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
MARKER = "zyxsecret"
Rows = Sequence[Sequence[str]]
Compare = Callable[..., Checked]
Outputs = dict[str, list[list[str]]]


def _write(path: Path, rows: Rows) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture
def compared(shipped: Triage, tmp_path: Path) -> Compare:
    """Check an output against its originals, or against nothing."""

    def run(after: Rows, before: Rows | None) -> Checked:
        output = Source(str(_write(tmp_path / "anon.csv", after)))
        against = before and Source(str(_write(tmp_path / "sms.csv", before)))
        return check_output(output, shipped, against=against or None)

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
        rows = [(row["id"], row["text"], json.loads(row["spans"])) for row in csv.DictReader(file)]
    spellings = [
        Spelling(text[start:end], IdentifierType(kind))
        for _, text, spans in rows
        for start, end, kind in spans
    ]
    words = {folded(form.text) for form in split_all([text for _, text, _ in rows]).forms}
    context = StyleContext(shipped.lexicon, b"k" * 32, spellings, words, False)
    written: Outputs = {}
    for name in StyleName:
        style = make_style(name, context)
        written[name] = [["id", "text"]]
        for id_, text, spans in rows:
            pieces, at = "", 0
            for start, end, kind in sorted(spans):
                new = style(Spelling(text[start:end], IdentifierType(kind)))
                pieces, at = pieces + text[at:start] + new, end
            written[name].append([id_, pieces + text[at:]])
    return written


def _texts(rows: Rows) -> list[list[str]]:
    return [[row[1]] for row in rows]


def _shuffled(rows: Rows) -> list[Sequence[str]]:
    order = random.Random(1)  # noqa: S311
    return [rows[0], *order.sample(rows[1:], len(rows) - 1)]


def _of(checked: Checked, certainty: Certainty) -> list[tuple[int, str]]:
    return [(one.row, one.reason) for one in checked.left if one.certainty is certainty]


BEFORE = [["id", "text"], ["1", "Coucou Patrice, ça va"], ["2", "oui"], ["3", "Slt Karim"]]
AFTER = [["id", "text"], ["1", "Coucou <PRE_7>, ça va"], ["2", "oui"], ["3", "Slt <PRE_5>"]]


@pytest.mark.parametrize("style", [*StyleName])
@pytest.mark.parametrize("change", [list, _shuffled, lambda rows: rows[:200]])
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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Patrice", "<PRE_7>"),
        ("Patrice", "Fabrice"),
        ("Patrice", "xxxxxxx"),
        ("Perfecto l'Cyrinou", "<PRE_8> l'<PRE_7>"),
        ("12 rue de la Soif 34000 Montpellier", "<ADR_35>"),
        ("Jean Moulin 12 rue de la Soif", "Luc Petit 7 rue de la Paix"),
    ],
)
def test_a_single_message_may_be_replaced_whole(before: str, after: str, compared: Compare) -> None:
    header = ["id", "text"]
    assert compared([header, ["1", after]], [header, ["1", before]]).is_clean


def test_a_file_is_not_its_own_original(shipped: Triage, tmp_path: Path) -> None:
    output = _write(tmp_path / "anon.csv", AFTER)
    (tmp_path / "link.csv").symlink_to(output)
    for path in (output, tmp_path / "link.csv"):
        with pytest.raises(TriageError, match=r"is the same file as .*anon\.csv"):
            check_output(Source(str(output)), shipped, against=Source(str(path)))
        with pytest.raises(TriageError, match=r"is the same file as .*anon\.csv"):
            check_output(Source(str(output)), shipped, key_table=str(path))


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (BEFORE, "hold the same messages"),
        (BEFORE[:3], "differ in no word"),
        ([*BEFORE[:3], ["3", "Slt  Karim"]], "differ in no word"),
    ],
    ids=["a copy", "a part", "spaces"],
)
def test_originals_from_which_nothing_went_are_refused(
    after: Rows, told: str, compared: Compare
) -> None:
    with pytest.raises(TriageError, match=f"{told}: nothing was replaced"):
        compared(after, BEFORE)


@pytest.mark.parametrize(("one", "other"), [("mask", "tag"), ("tag", "mask"), ("paper", "tag")])
def test_originals_that_are_anonymised_themselves_are_refused(
    one: str, other: str, outputs: Outputs, compared: Compare
) -> None:
    with pytest.raises(TriageError, match=r"sms\.csv looks anonymised itself"):
        compared(outputs[one], outputs[other])


def test_an_output_without_messages_is_clean(compared: Compare) -> None:
    found = compared(AFTER[:1], BEFORE)
    assert (found.rows, found.is_clean) == (0, True)


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
    rows = _texts(outputs["tag"])
    rows[1], rows[2] = rows[2], rows[1]
    found = compared(rows, _texts(originals))
    reason = "a message that has nothing to do with the original in its row"
    assert _of(found, Certainty.ADDED) == [(1, reason), (2, reason)]
    assert not found.is_clean


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
    list_ = "row,id,reason,written\n2,2,waits for the expert,yes\n"
    list_ += "7,7,TA in which nothing was found to replace,no\n"
    held_path(str(tmp_path / "anon.csv")).write_text(list_)
    found = compared(AFTER, BEFORE)
    [(row, reason)] = _of(found, Certainty.UNDECIDED)
    assert (row, reason) == (2, "a message that waits for the expert, and that nobody decided")
    assert not found.is_clean


def test_originals_tell_what_nobody_decided(compared: Compare) -> None:
    actions = ["action", "TA", "EXPERT", "TA"]
    before = [[*row, action] for row, action in zip(BEFORE, actions, strict=True)]
    found = compared(AFTER, before)
    assert [row for row, _ in _of(found, Certainty.UNDECIDED)] == [2]
    assert compared([AFTER[0], AFTER[1], AFTER[3]], before).is_clean


def test_the_output_itself_tells_what_nobody_decided(compared: Compare) -> None:
    extra = [["final_action", "decided_by"], ["EXPERT", ""], ["NTA", "anna"], ["TA", "machine"]]
    after = [[*row, *more] for row, more in zip(AFTER, extra, strict=True)]
    for before in (BEFORE, None):
        found = compared(after, before)
        assert [row for row, _ in _of(found, Certainty.UNDECIDED)] == [1]


def test_with_nothing_to_compare_names_and_forms_are_looked_for(compared: Compare) -> None:
    found = compared([*AFTER, ["4", "Karim au 06 39 98 12 34"]], None)
    assert found.replaced is None
    assert [(one.text, one.certainty.value) for one in found.left] == [
        ("Karim", "likely"),
        ("06 39 98 12 34", "certain"),
    ]


KEYS = [["id", "identifier", "replacement"], ["1", "Patrice", "<PRE_7>"], ["3", "Karim", "<PRE_5>"]]


@pytest.fixture
def tabled(shipped: Triage, tmp_path: Path) -> Compare:
    """Check an output by a table of replacements."""

    def run(after: Rows, keys: Rows) -> Checked:
        output = Source(str(_write(tmp_path / "anon.csv", after)))
        table = _write(tmp_path / "key.csv", keys)
        return check_output(output, shipped, key_table=str(table))

    return run


@pytest.mark.parametrize("after", [AFTER, AFTER[:3], _texts(AFTER)])
def test_a_table_of_this_file_is_used(after: Rows, tabled: Compare) -> None:
    assert tabled(after, KEYS).replaced == 2


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (
            BEFORE,
            r"only 0 of 2 replacements of .*key\.csv stand in .*in the messages that it names",
        ),
        (_texts(BEFORE), r"only 0 of 2 replacements of .*key\.csv stand in .*anon\.csv: it is of"),
        ([["id", "text"], ["1", "<PRE_5>"], ["3", "<PRE_7>"]], "only 0 of 2 replacements"),
        ([["id", "text"], ["8", "<PRE_7>"], ["9", "<PRE_5>"]], "only 0 of 2 replacements"),
    ],
    ids=["originals", "without ids", "other messages", "other ids"],
)
def test_a_table_of_another_file_is_refused(after: Rows, told: str, tabled: Compare) -> None:
    with pytest.raises(TriageError, match=told):
        tabled(after, KEYS)


@pytest.mark.parametrize(
    ("after", "before"),
    [
        (BEFORE, AFTER),
        (BEFORE, BEFORE),
        (AFTER, [["id", "text"], *([id_, MARKER] for id_ in "123")]),
        (AFTER, [["id", "text"], [MARKER, MARKER]]),
    ],
    ids=["swapped", "the same", "another corpus", "other ids"],
)
def test_no_refusal_shows_a_message(after: Rows, before: Rows, compared: Compare) -> None:
    with pytest.raises(TriageError) as error:
        compared(after, before)
    assert not any(word in str(error.value) for word in (MARKER, "Patrice", "Coucou", "Slt"))


def test_with_nothing_to_compare_a_name_is_not_clean(compared: Compare) -> None:
    assert not compared([["id", "text"], ["1", "Coucou Patrice"]], None).is_clean
    assert compared([["id", "text"], ["1", "Coucou toi"]], None).is_clean


def test_a_long_number_in_a_message_is_certain(compared: Compare) -> None:
    found = compared([["id", "text"], ["1", "appelle 612345678"]], None)
    assert _of(found, Certainty.CERTAIN) == [(1, Trace.FORM)]


def test_a_number_as_spreadsheets_leave_it_is_certain_in_any_column(compared: Compare) -> None:
    rows = [["id", "note", "text"], ["1", "612345678.0", "oui"], ["2", "", "non"]]
    found = compared(rows, None)
    assert _of(found, Certainty.CERTAIN) == [(1, Trace.NUMBER)]


def test_rows_that_were_held_back_are_missing_without_ids(
    compared: Compare, tmp_path: Path
) -> None:
    before = [["text"], ["Coucou Patrice, ça va"], ["On se voit demain"], ["Salut Karim, ok"]]
    after = [["text"], ["Coucou <PRE_7>, ça va"], ["Salut <PRE_5>, ok"]]
    with pytest.raises(TriageError, match="cannot be told"):
        compared(after, before)
    list_ = "row,id,reason,written\n2,2,waits for the expert,no\n"
    held_path(str(tmp_path / "anon.csv")).write_text(list_)
    assert compared(after, before).is_clean
