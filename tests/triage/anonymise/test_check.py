"""What an anonymised file still holds: planted leaks are found, and how sure each is told."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from triage import Triage
from triage.anonymise.check import Checked, check
from triage.anonymise.check_page import lines_of
from triage.anonymise.comparison import (
    Sought,
    counted_words,
    ordered_words,
    sought_in_key_table,
    wholes_of,
)
from triage.anonymise.grading import Certainty
from triage.anonymise.key_table import read_key_table
from triage.anonymise.traces import Trace
from triage.data import DataError
from triage.decide.source import Source
from triage.dictionaries import split_all
from triage.errors import TriageError

Check = Callable[..., Checked]
Write = Callable[..., Path]
CERTAIN, LIKELY, POSSIBLE = Certainty.CERTAIN, Certainty.LIKELY, Certainty.POSSIBLE


def sought_in_originals(before: str, after: str) -> Sought:
    table = split_all([before, after])
    (words, _), (had, has) = ordered_words(table), counted_words(table)
    lost = had - has
    return Sought.of(lost, has - had, wholes_of(words, lost))


PATRICE = sought_in_originals("Coucou Patrice", "Coucou <PRE_7>")
MARKER = "zyxsecret"


@pytest.fixture
def checked(shipped: Triage, csv_of: Write) -> Check:
    """Look through messages for what was replaced."""

    def run(*messages: str, sought: Sought = PATRICE) -> Checked:
        with Source(str(csv_of(*messages))).open() as file:
            return check(file, sought, shipped)

    return run


def _found(checked: Checked) -> list[tuple[str, Certainty]]:
    return [(one.text, one.certainty) for one in checked.left]


@pytest.mark.parametrize("left", ["Patrice", "patrice", "PATRICE", "Pâtrice", "Patri\u0302ce"])
def test_a_spelling_that_was_replaced_elsewhere_is_certain(left: str, checked: Check) -> None:
    found = checked("Coucou <PRE_7>", f"il a vu {left}, hier")
    assert _found(found) == [(left, CERTAIN)]
    assert not found.is_clean


@pytest.mark.parametrize("left", ["Patriiiice", "patriceeee", "PATRICEEEE"])
def test_a_stretched_spelling_where_a_name_stands_is_certain(left: str, checked: Check) -> None:
    found = checked("Coucou <PRE_7>", f"ohé {left} !")
    assert _found(found) == [(left, CERTAIN)]
    assert not found.is_clean


def test_a_short_form_where_a_name_stands_is_certain(checked: Check) -> None:
    sought = sought_in_originals("Coucou Nicolas", "Coucou <PRE_7>")
    found = checked("Coucou <PRE_7>", "ohé nico !", sought=sought)
    assert _found(found) == [("nico", CERTAIN)]


def test_a_spelling_that_is_a_common_word_is_possible(checked: Check) -> None:
    sought = sought_in_originals("Coucou Rose", "Coucou <PRE_4>")
    found = checked("Coucou <PRE_4>", "la rose est belle", sought=sought)
    assert _found(found) == [("rose", POSSIBLE)]
    assert found.is_clean


def test_another_word_that_stands_where_names_stand_is_likely(checked: Check) -> None:
    found = checked("Coucou <PRE_7>", "Karim arrive")
    assert _found(found) == [("Karim", LIKELY)]


def test_a_word_that_was_replaced_by_mistake_is_possible_where_it_stands(checked: Check) -> None:
    sought = sought_in_originals("Wesh Bagarre", "Wesh <SUR_7>")
    found = checked("Wesh <SUR_7>", *["cherche pas la bagarre"] * 9, sought=sought)
    assert {certainty for _, certainty in _found(found)} == {POSSIBLE}


@pytest.mark.parametrize(
    ("message", "left", "reason"),
    [
        ("tu viens avecpatrice ce soir", "avecpatrice", Trace.GLUED),
        ("bisous à Jean-Patrice", "Jean-Patrice", Trace.GLUED),
        ("coucou Patirce !", "Patirce", Trace.MISSPELT),
        ("coucou Patrise ça va", "Patrise", Trace.MISSPELT),
        ("ajoute lepatrice34 stp", "lepatrice34", Trace.HANDLE),
        ("écris moi à patrice34@orange.fr", "patrice34@orange.fr", Trace.FORM),
    ],
)
def test_a_spelling_that_was_replaced_is_found_in_disguise(
    message: str, left: str, reason: Trace, checked: Check
) -> None:
    [found] = checked("Coucou <PRE_7>", message).left
    assert (found.text, found.reason) == (left, reason.value)
    assert found.certainty in (CERTAIN, LIKELY)


@pytest.mark.parametrize("left", ["P. D.", "P.D", "PD"])
def test_initials_of_a_full_name_that_was_replaced_are_likely(left: str, checked: Check) -> None:
    sought = sought_in_originals("vu Patrice Duvall hier", "vu <PRE_7> <NOM_6> hier")
    found = checked("vu <PRE_7> <NOM_6> hier", f"demande à {left} demain", sought=sought)
    assert _found(found) == [(left.removesuffix("."), LIKELY)]


@pytest.mark.parametrize(
    ("message", "left"), [("avec <PRE_7> D. demain", "D"), ("avec P. <NOM_6> demain", "P")]
)
def test_an_initial_beside_a_name_that_was_replaced_is_likely(
    message: str, left: str, checked: Check
) -> None:
    sought = sought_in_originals("vu Patrice Duvall hier", "vu <PRE_7> <NOM_6> hier")
    assert _found(checked(message, sought=sought)) == [(left, LIKELY)]


@pytest.mark.parametrize("message", ["M.P.D.R", "avec <PRE_7> à demain", "avec <PRE_7>. D'accord"])
def test_other_letters_are_no_initials(message: str, checked: Check) -> None:
    sought = sought_in_originals("vu Patrice Duvall hier", "vu <PRE_7> <NOM_6> hier")
    assert checked(message, sought=sought).left == []


@pytest.mark.parametrize(
    "left", ["rdv rue des Glycines", "viens au 7 Glycines", "on se voit aux Glycines"]
)
def test_part_of_an_address_that_was_replaced_is_likely(left: str, checked: Check) -> None:
    address = "12 rue des Glycines 34000 Montpellier"
    sought = sought_in_originals(f"chez moi {address}", "chez moi <ADR_37>")
    assert _found(checked(left, sought=sought)) == [("Glycines", LIKELY)]


@pytest.mark.parametrize("message", ["je rentre sur Montpellier", "de belles glycines"])
def test_the_town_of_an_address_and_its_common_words_are_no_findings(
    message: str, checked: Check
) -> None:
    address = "12 rue des Glycines 34000 Montpellier"
    sought = sought_in_originals(f"chez moi {address}", "chez moi <ADR_37>")
    assert checked(message, sought=sought).left == []


@pytest.mark.parametrize(
    "left",
    ["063 998 12 34", "06.3998.1234", "0 6 3 9 9 8 1 2 3 4", "06_39_98_12_34", "+33 639 98 12 34"],
)
def test_a_number_is_found_in_any_spacing(left: str, checked: Check) -> None:
    sought = sought_in_originals("au 06 39 98 12 34", "au <TEL_14>")
    for known in (sought, PATRICE):
        [found] = checked(f"appelle {left} ce soir", sought=known).left
        assert (found.text.removeprefix("+"), found.certainty) == (left.removeprefix("+"), CERTAIN)


@pytest.mark.parametrize("message", ["le 05/12/2011 14h30", "1 000 000 000 de fois", "12 13 14 15"])
def test_dates_and_amounts_are_no_numbers(message: str, checked: Check) -> None:
    assert checked(message).left == []


@pytest.mark.parametrize(
    "left", ["06 39 98 12 34", "0639981234", "zoe@example.org", "http://example.org/zoe"]
)
def test_what_is_known_by_its_form_is_certain(left: str, checked: Check) -> None:
    found = checked("Coucou <PRE_7>", f"voila {left} bisous")
    assert _found(found) == [(left, CERTAIN)]
    assert found.left[0].reason.startswith("an identifier known by its form")


def test_a_finding_tells_where_it_stands(checked: Check) -> None:
    [found] = checked("oui", "Coucou <PRE_7>", "Patrice", "non").left
    assert (found.row, found.column) == (3, "text")


def test_each_time_that_it_stands_is_told(checked: Check) -> None:
    found = checked("patrice et Patrice", "Patrice")
    assert [(one.row, one.text) for one in found.left] == [
        (1, "patrice"),
        (1, "Patrice"),
        (2, "Patrice"),
    ]


def _other_column(cell: str, shipped: Triage, folder: Path, name: str = "note") -> Checked:
    path = folder / "anon.csv"
    path.write_text(f'id,{name},text\n1,"{cell}",Coucou <PRE_7>\n')
    with Source(str(path)).open() as file:
        return check(file, PATRICE, shipped)


@pytest.mark.parametrize(
    ("left", "certainty"),
    [
        ("Patrice", CERTAIN),
        ("vu avec patrice hier", CERTAIN),
        ("zoe@example.org", CERTAIN),
        ("0639981234", CERTAIN),
        ("Patriiiice", LIKELY),
        ("Karim", POSSIBLE),
    ],
)
def test_other_columns_are_looked_through_as_messages_are(
    left: str, certainty: Certainty, shipped: Triage, tmp_path: Path
) -> None:
    found = _other_column(left, shipped, tmp_path)
    assert [(one.column, one.certainty) for one in found.left] == [("note", certainty)]


@pytest.mark.parametrize("left", ["0639981234", "Patrice", "zoe@example.org"])
def test_the_column_of_ids_is_looked_through(left: str, shipped: Triage, tmp_path: Path) -> None:
    path = tmp_path / "anon.csv"
    path.write_text(f"id,text\n{left},Coucou <PRE_7>\n")
    with Source(str(path)).open() as file:
        [found] = check(file, PATRICE, shipped).left
    assert (found.row, found.column, found.certainty) == (1, "id", CERTAIN)


@pytest.mark.parametrize(
    "cell",
    [
        "2011-09-17 10:12:25",
        "2011-09-17T10:12:25+02:00",
        "17/09/2011 10:12",
        "05/06/11 10:12",
        "15 sept. 2011 07:28:55",
        "20110917",
        "2011-09",
        "7",
        "1316254345",
        "S0001",
        "NTA",
        "EXPERT",
        "PRE",
        "true",
        "0.97",
        "[[25, 29, 'PRE']]",
    ],
)
def test_dates_numbers_pseudonyms_and_labels_are_no_finding(
    cell: str, shipped: Triage, tmp_path: Path
) -> None:
    assert _other_column(cell, shipped, tmp_path).left == []


def test_an_id_that_is_a_number_replaced_in_a_message_is_no_finding(
    shipped: Triage, tmp_path: Path
) -> None:
    path = tmp_path / "anon.csv"
    path.write_text("id,text\n34000,le code <COD_5>\n2,le code 34000\n")
    sought = sought_in_originals("le code 34000", "le code <COD_5>")
    with Source(str(path)).open() as file:
        found = check(file, sought, shipped)
    assert [(one.row, one.column) for one in found.left if one.text == "34000"] == [(2, "text")]


@pytest.mark.parametrize(("name", "certainty"), [("Patrice", CERTAIN), ("Karim", POSSIBLE)])
def test_a_name_in_the_header_is_found_and_not_told_as_a_column(
    name: str, certainty: Certainty, shipped: Triage, tmp_path: Path
) -> None:
    found = _other_column("06 39 98 12 34", shipped, tmp_path, name=name)
    assert [(one.row, one.column, one.certainty, one.text) for one in found.left] == [
        (0, "column 2", certainty, name),
        (1, "column 2", CERTAIN, "06 39 98 12 34"),
    ]


@pytest.mark.parametrize(
    "name", ["sender", "sent_at", "label", "NUM_SMS", "DATE_HEURE", "expediteur", "prenom", "ville"]
)
def test_usual_names_of_columns_are_no_finding(name: str, shipped: Triage, tmp_path: Path) -> None:
    assert _other_column("7", shipped, tmp_path, name=name).left == []


@pytest.mark.parametrize("message", ["Coucou <PRE_7>", "oui", "<TEL_14> <PRE_7_k3>", "à 12h30", ""])
def test_tags_and_common_words_are_no_finding(message: str, checked: Check) -> None:
    assert checked(message).left == []


def test_what_was_put_in_may_stand(checked: Check) -> None:
    sought = sought_in_originals("Coucou Patrice", "Coucou Fabrice")
    assert checked("Coucou Fabrice", sought=sought).left == []


def test_a_telephone_number_that_was_put_in_may_stand(checked: Check) -> None:
    sought = sought_in_originals("au 06 12 34 56 78", "au 06 39 98 00 01")
    assert checked("au 06 39 98 00 01", sought=sought).left == []


def test_little_words_and_numbers_of_an_address_name_nobody(checked: Check) -> None:
    sought = sought_in_originals("au 12 rue de la Soif", "au <ADR_20>")
    assert checked("la fin de 12 jours", sought=sought).left == []


def test_findings_are_counted_by_certainty_and_severity(checked: Check) -> None:
    counts = checked("Karim et Patrice", "patriiice www.example.org et Patrice").counts()
    assert [(*sure_and_grave, n) for (*sure_and_grave, _), n in counts.items()] == [
        ("certain", "direct", 2),
        ("certain", "direct", 1),
        ("certain", "indirect", 1),
        ("likely", "direct", 1),
    ]


def test_a_name_that_stands_twice_and_went_once_is_sought() -> None:
    sought = sought_in_originals("Patrice et Patrice", "<PRE_7> et Patrice")
    assert sought.spellings == {"patrice": 1}


def test_what_did_not_change_is_not_sought() -> None:
    assert sought_in_originals("Coucou Karim", "Coucou Karim").spellings == {}


def test_words_of_a_key_table_are_sought_one_by_one() -> None:
    row = {"identifier": "Jean Moulin", "replacement": "Luc Petit"}
    sought = sought_in_key_table([row])
    assert sought.spellings == {"jean": 1, "moulin": 1}
    assert {"luc", "petit"} <= sought.inserted


def test_a_code_that_was_put_in_may_stand_as_one_word() -> None:
    row = {"identifier": "2012-45871", "replacement": "7947-15880"}
    assert "7947-15880" in sought_in_key_table([row]).inserted


def test_what_was_replaced_and_put_in_is_sought() -> None:
    rows = [
        {"identifier": "Zoé", "replacement": "Léa"},
        {"identifier": "Léa", "replacement": "Zoé"},
    ]
    assert sought_in_key_table(rows) == Sought({"zoe": 1, "lea": 1}, indirect=frozenset())


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
    elsewhere = {**last, "row": 2}
    assert sought_in_key_table([first, last]).wholes == {("patrice", "duvall")}
    assert sought_in_key_table([first, elsewhere]).wholes == set()


def test_words_side_by_side_that_went_are_one_whole() -> None:
    sought = sought_in_originals("vu Patrice Duvall, Karim", "vu <PRE_7> <NOM_6>, <PRE_5>")
    assert sought.wholes == {("patrice", "duvall")}


def test_a_row_that_cannot_be_read_is_not_passed_over(shipped: Triage, tmp_path: Path) -> None:
    path = tmp_path / "anon.csv"
    path.write_text(f"id,text\n1,oui\n2,{MARKER},x\n")
    with Source(str(path)).open() as file:  # noqa: SIM117 (the file is no part of the claim)
        with pytest.raises(TriageError, match=r"line 3: .*every row is wanted") as error:
            check(file, PATRICE, shipped)
    assert MARKER not in str(error.value)


def test_a_key_table_is_read_with_its_guards_off(tmp_path: Path) -> None:
    path = tmp_path / "key.csv"
    path.write_text("identifier,replacement\n'=1+1,<SUR_4>\n")
    assert read_key_table(str(path)) == [{"identifier": "=1+1", "replacement": "<SUR_4>"}]


def test_a_table_without_replacements_is_no_key_table(tmp_path: Path) -> None:
    (tmp_path / "key.csv").write_text(f"identifier\n{MARKER}\n")
    with pytest.raises(TriageError, match="is no table of triage anonymise") as error:
        read_key_table(str(tmp_path / "key.csv"))
    assert MARKER not in str(error.value)


def test_a_table_without_identifiers_is_no_key_table(tmp_path: Path) -> None:
    (tmp_path / "key.csv").write_text(f"text\n{MARKER}\n")
    with pytest.raises(DataError) as error:
        read_key_table(str(tmp_path / "key.csv"))
    assert MARKER not in str(error.value)


def test_findings_are_told_by_spelling_the_most_certain_and_frequent_first(checked: Check) -> None:
    found = checked("Karim arrive", "coucou Patrice !", "coucou patrice !", "coucou Patriice !")
    assert [(one.first.text, len(one.places)) for one in found.spellings()] == [
        ("Patrice", 2),
        ("Patriice", 1),
        ("Karim", 1),
    ]


def test_a_place_is_shown_in_its_context(checked: Check) -> None:
    found = checked("oui", "coucou\nPatrice, ça va ?")
    [line] = lines_of(found.left)
    assert line.endswith("  row 2, text")
    assert "coucou [Patrice], ça va ?" in line


def test_what_controls_a_terminal_is_not_shown(checked: Check) -> None:
    [line] = lines_of(checked("\x1b[31mcoucou Patrice").left)
    assert "\x1b" not in line


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
def test_a_hostile_message_takes_no_time(message: str, checked: Check) -> None:
    address = "12 rue de la Soif 34000 Sète"
    sought = sought_in_originals(f"Patrice Pujol {address}", "<PRE_7> <NOM_5> <ADR_28>")
    checked("oui", sought=sought)
    start = time.perf_counter()
    checked(message, sought=sought)
    assert time.perf_counter() - start < 2
