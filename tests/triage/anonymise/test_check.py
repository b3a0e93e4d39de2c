"""What an anonymised file still holds: leaks that were planted are found, and graded."""

import re
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.anonymise.conftest import MARKER
from triage import Triage
from triage.anonymise.check import Certainty, Checked, check, document_strings
from triage.anonymise.comparison import Messages, Sought, compare, sought_in_key_table
from triage.anonymise.grading import Reason
from triage.anonymise.pages import lines_of
from triage.anonymise.restore import read_key_table
from triage.data import DataError
from triage.decide.source import Source
from triage.dictionaries.phrases import phrase_key
from triage.errors import TriageError

Check = Callable[..., Checked]
Write = Callable[..., Path]
CASES = cases_beside(__file__)


PATRICE = sought_in_key_table([{"identifier": "Patrice", "replacement": "<PRE_7>"}])
Seek = Callable[[str, str], Sought]


@pytest.fixture
def sought_in(shipped: Triage) -> Seek:
    """Return what a message says was replaced, beside its original."""

    def seek(before: str, after: str) -> Sought:
        messages = Messages("before", [before]), Messages("after", [after])
        return compare(*messages, [0], shipped.labeller)[0]

    return seek


@pytest.fixture
def checked_text(shipped: Triage, tmp_path: Path) -> Check:
    """Look through the text of a file for Patrice, or for what else was replaced."""

    def run(text: str, sought: Sought = PATRICE) -> Checked:
        path = tmp_path / "anon.csv"
        path.write_text(text)
        with Source(str(path)).open() as file:
            return check(file, sought, shipped)

    return run


@pytest.fixture
def checked(checked_text: Check) -> Check:
    """Look through messages for what was replaced."""

    def run(*messages: str, sought: Sought = PATRICE) -> Checked:
        rows = (f'{n},"{message}"\n' for n, message in enumerate(messages, 1))
        return checked_text(f"id,text\n{''.join(rows)}", sought)

    return run


def _by_key(cases: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(key, one) for key, several in cases.items() for one in several]


@pytest.mark.parametrize(
    ("replaced", "how", "marked"),
    [(*case[:2], marked) for case in CASES["messages"]["cases"] for marked in case[2:]],
)
def test_what_is_left_of_what_was_replaced_is_found(
    replaced: str, how: str, marked: str, checked: Check, sought_in: Seek
) -> None:
    before, after = CASES["replaced"][replaced]
    found = checked(after, re.sub(r"[][]", "", marked), sought=sought_in(before, after))
    left = [(2, *how.split(), text) for text in re.findall(r"\[(.*?)\]", marked)]
    assert [
        (one.row, one.certainty.value, Reason(one.reason).name.lower(), one.text)
        for one in found.left
    ] == left
    assert found.is_clean is ("certain" not in how)


def test_a_word_that_was_replaced_by_mistake_is_no_finding_where_it_stands(
    checked: Check, sought_in: Seek
) -> None:
    sought = sought_in("Wesh Bagarre", "Wesh <SUR_7>")
    found = checked("Wesh <SUR_7>", *["cherche pas la bagarre"] * 9, sought=sought).left
    assert {one.certainty for one in found} <= {Certainty.POSSIBLE}


@pytest.mark.parametrize(("certainty", "cell"), _by_key(CASES["cells"]))
def test_other_columns_are_looked_through_as_messages_are(
    certainty: str, cell: str, checked_text: Check
) -> None:
    found = checked_text(f'id,note,text\n1,"{cell}",Coucou <PRE_7>\n').left
    assert [(one.column, one.certainty) for one in found] == [("note", certainty)][: len(certainty)]


@pytest.mark.parametrize("left", ["0639981234", "Patrice", "zoe@example.org"])
def test_the_column_of_ids_is_looked_through(left: str, checked_text: Check) -> None:
    [found] = checked_text(f"id,text\n{left},Coucou <PRE_7>\n").left
    assert (found.row, found.column, found.certainty) == (1, "id", Certainty.CERTAIN)


def test_an_id_that_is_a_number_replaced_in_a_message_is_no_finding(
    checked_text: Check, sought_in: Seek
) -> None:
    sought = sought_in("le code 34000", "le code <COD_5>")
    found = checked_text("id,text\n34000,le code <COD_5>\n2,oui\n", sought).left
    assert found == []


@pytest.mark.parametrize(("certainty", "name"), _by_key(CASES["headers"]))
def test_a_name_in_the_header_is_found_and_not_told_as_a_column(
    certainty: str, name: str, checked_text: Check
) -> None:
    found = checked_text(f"id,{name},text\n1,06 39 98 12 34,Coucou <PRE_7>\n").left
    assert [(one.row, one.column, one.certainty, one.text) for one in found] == [
        *[(0, "column 2", certainty, name)][: len(certainty)],
        (1, "column 2" if certainty else name, "certain", "06 39 98 12 34"),
    ]


def test_findings_are_counted_by_certainty_and_severity(checked: Check) -> None:
    counts = checked("zoe@example.org et 0639981234", "www.example.org").counts()
    assert [(*sure_and_grave, n) for (*sure_and_grave, _), n in counts.items()] == [
        ("certain", "direct", 2),
        ("likely", "indirect", 1),
    ]


def test_findings_are_told_by_spelling_the_most_certain_and_frequent_first(checked: Check) -> None:
    found = checked("Karim arrive", "dis à Karim", "zoe@example.org", "karim ?").spellings()
    assert found[0][0].text == "zoe@example.org"
    assert ("Karim", 3) in [(one[0].text, len(one)) for one in found[1:]]


def test_a_place_is_shown_in_its_context_without_what_controls_a_terminal(checked: Check) -> None:
    [line] = lines_of(checked("oui", "\x1b[31mcoucou\nPatrice, ça va ?").left)
    assert line.endswith("  row 2, text")
    assert "coucou [Patrice], ça va ?" in line
    assert "\x1b" not in line


@pytest.mark.parametrize("after", ["lena.neveu@example.org", "www.example.org/dibosu"])
def test_a_surrogate_address_that_is_all_of_a_message_is_no_finding(
    after: str, shipped: Triage
) -> None:
    before = Messages("before", ["zoe.dupont@gmail.com"]), Messages("after", [after])
    sought, added = compare(*before, [0], shipped.labeller)
    assert (sought.originals, added) == ({0: "zoe.dupont@gmail.com"}, {})


def test_what_went_is_sought_and_no_more(sought_in: Seek) -> None:
    before = "vu Patrice Duvall, Karim, Karim au 12 rue des Glycines"
    found = sought_in(before, "vu <PRE_7> <NOM_6>, X, Karim au <ADR_21>")
    assert {one.spelling: one.replaced for one in found.known} == {
        "patrice": 1,
        "duvall": 1,
        "karim": 1,
        "patrice duvall": 0,
        "12 rue des glycines": 1,
    }


@pytest.mark.parametrize(
    ("pairs", "sought", "inserted"),
    [
        (["Jean Moulin|Luc Petit"], {"jean", "moulin"}, {"luc", "petit"}),
        (["2012-45871|7947-15880"], {"2012", "45871"}, {"7947", "15880"}),
        (["Zoé|Léa", "Léa|Zoé"], {"zoe", "lea"}, set()),
    ],
)
def test_a_key_table_tells_what_is_sought_and_what_may_stand(
    pairs: Sequence[str], sought: set[str], inserted: set[str]
) -> None:
    names = ("identifier", "replacement")
    found = sought_in_key_table([dict(zip(names, pair.split("|"), strict=True)) for pair in pairs])
    assert {word for one in found.known for word in phrase_key(one.spelling)} >= sought
    assert found.inserted >= inserted
    assert not found.inserted & sought


def test_a_surrogate_that_is_a_name_that_went_elsewhere_is_found_only_where_nobody_put_it(
    checked: Check,
) -> None:
    rows = [
        {"written": 1, "identifier": "Patrice", "replacement": "Karim"},
        {"written": 2, "identifier": "Karim", "replacement": "Bruno"},
    ]
    messages = "Coucou Karim", "Salut Bruno et Karim", "Karim et Karim"
    found = checked(*messages, sought=sought_in_key_table(rows))
    assert [(one.row, one.text) for one in found.left] == [(2, "Karim"), (3, "Karim"), (3, "Karim")]


def test_identifiers_side_by_side_are_one_whole() -> None:
    first = {"row": 1, "start": 3, "end": 10, "identifier": "Patrice", "replacement": "<PRE_7>"}
    last = {"row": 1, "start": 11, "end": 17, "identifier": "Duvall", "replacement": "<NOM_6>"}
    for rows, is_one in (([first, last], True), ([first, {**last, "row": 2}], False)):
        known = [one.spelling for one in sought_in_key_table(rows).known]
        assert ("Patrice Duvall" in known) is is_one


def test_properties_of_a_workbook_are_strings_of_it(tmp_path: Path) -> None:
    path = tmp_path / "anon.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("docProps/core.xml", "<c><creator>Zoé &amp; co</creator></c>")
    assert [*document_strings(str(path))] == ["Zoé & co"]


def test_a_row_that_cannot_be_read_is_not_passed_over(checked_text: Check) -> None:
    with pytest.raises(TriageError, match=r"line 3: .*every row is wanted") as error:
        checked_text(f"id,text\n1,oui\n2,{MARKER},x\n")
    assert MARKER not in str(error.value)


def test_a_key_table_is_read_with_its_guards_off(tmp_path: Path) -> None:
    path = tmp_path / "key.csv"
    path.write_text("identifier,replacement\n'=1+1,<SUR_4>\n")
    assert read_key_table(str(path)) == [{"identifier": "=1+1", "replacement": "<SUR_4>"}]


@pytest.mark.parametrize(
    ("column", "error"), [("identifier", "is no table of triage anonymise"), ("text", "identifier")]
)
def test_what_is_no_key_table_is_an_error(column: str, error: str, tmp_path: Path) -> None:
    (tmp_path / "key.csv").write_text(f"{column}\n{MARKER}\n")
    with pytest.raises((TriageError, DataError), match=error) as told:
        read_key_table(str(tmp_path / "key.csv"))
    assert MARKER not in str(told.value)


@pytest.mark.parametrize(
    "message",
    [
        "0 1 " * 20_000,
        "0" * 80_000,
        "P. " * 25_000,
        "rue de la " * 8_000,
        "avecpatrice" * 8_000,
        "-patrice" * 10_000,
        "0.1,2/" * 13_000,
    ],
    ids=["digits apart", "digits", "initials", "links", "glued", "hyphens", "separators"],
)
@pytest.mark.timing
def test_a_hostile_message_takes_no_time(message: str, checked: Check, sought_in: Seek) -> None:
    address = "12 rue de la Soif 34000 Sète"
    sought = sought_in(f"Patrice Pujol {address}", "<PRE_7> <NOM_5> <ADR_28>")
    checked("oui", sought=sought)
    start = time.perf_counter()
    checked(message, sought=sought)
    assert time.perf_counter() - start < 2
