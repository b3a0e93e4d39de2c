"""The page of what a check found."""

from triage.anonymise.check import Checked, Left
from triage.anonymise.check_page import page
from triage.anonymise.grading import Certainty
from triage.anonymise.traces import Trace
from triage.reports.page import Listing, Table, report_html
from triage.vocabulary import Severity


def _left(text: str, certainty: Certainty = Certainty.CERTAIN, row: int = 1) -> Left:
    reason, severity = Trace.SAME.value, Severity.DIRECT
    return Left(certainty, reason, severity, row, "text", 7, 3, "coucou ", text, " ça va")


def test_spellings_are_told_by_certainty_with_their_counts() -> None:
    left = [_left("Zoubida"), _left("Rose", Certainty.POSSIBLE), _left("zoubida", row=2)]
    _, certain, possible = page(Checked(2, 9, left)).parts
    tables = [part.blocks[0] for part in (certain, possible)]
    rows = [table.rows for table in tables if isinstance(table, Table)]
    assert [[row[:3] for row in found] for found in rows] == [[("Zoubida", 2, 3)], [("Rose", 1, 3)]]


def test_each_spelling_is_shown_in_its_contexts() -> None:
    _, certain = page(Checked(2, 9, [_left("Zoubida"), _left("zoubida", row=2)])).parts
    listing = certain.blocks[1]
    assert isinstance(listing, Listing)
    assert [line.split("  ")[-1] for line in listing.text.split("\n")] == [
        "row 1, text",
        "row 2, text",
    ]


def test_of_many_places_some_are_shown() -> None:
    _, certain = page(Checked(90, 9, [_left("Zoubida", row=row) for row in range(1, 91)])).parts
    listing = certain.blocks[1]
    assert isinstance(listing, Listing)
    assert listing.text.endswith("  and 40 more")


def test_whole_messages_are_told_by_their_rows() -> None:
    left = Left(Certainty.ADDED, "a message that is not among the originals", None, 7)
    [summary] = page(Checked(9, 9, [left])).parts
    tables = {block.title: block.rows for block in summary.blocks if isinstance(block, Table)}
    assert tables["Whole messages"] == [(7, "added", left.reason)]


def test_what_a_message_holds_is_no_markup() -> None:
    assert "<script>" not in report_html(page(Checked(1, 1, [_left("<script>")])))
