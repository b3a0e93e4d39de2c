"""Replacing: the table of people and names, its pages and changes; styles as they are shown."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.web.desks import client_at
from tests.triage.web.queues import Person, hidden, make_queue
from triage import Triage
from triage.anonymise.record import HeldFor, held_path
from triage.anonymise.styles import write_table
from triage.decide.people import Entry, read_people
from triage.settings import StyleName
from triage.vocabulary import IdentifierType
from triage.web.project import Project
from triage.web.replacing import by_style_again, held_rows, style_cards, take_over
from triage.web.visits import Desk

CASES = cases_beside(__file__)
PRE, NOM = IdentifierType.PRE, IdentifierType.NOM
PAGE = "/project/sms/replace/names"
ENTRIES = [
    Entry("Maëlle", "maelle", PRE, 7, True, "Solène"),
    Entry("maelle", "maelle", PRE, 2, True, "solène"),
    Entry("Zorgui", "zorgui", NOM, 3, True, "Besnard"),
    Entry("Rose", "rose", PRE, 1, False, ""),
    *(Entry(f"Nom{n:03}", f"nom{n}", NOM, 1, True, f"Autre{n}") for n in range(120)),
]


@pytest.fixture
def client(project: Project, shipped: Triage, tmp_path: Path, desk: Desk) -> Person:
    for path in (project.names, project.names_made):
        write_table(path, ENTRIES)
    texts = [("7", "Coucou Maëlle, tu viens ?"), ("7", "la rose est fanee")]
    project.queue.write_bytes(make_queue(tmp_path / "q", shipped, texts).read_bytes())
    desk.jobs.bring_up_to = lambda *_: None  # type: ignore[method-assign]  # no step runs
    return client_at(desk, "fr")


def _spellings(html: str) -> list[str]:
    return re.findall(r'<th scope="row" lang=""><bdi>(.*?)</bdi>', html)


def _change(client: Person, address: str, **fields: str) -> str:
    html = client.see(address)
    kept = {name: hidden(html, name) for name in ("facet", "sort", "offset", "open")}
    return client.submit(PAGE, **(kept | fields))


def test_given_name_and_surname_are_found_by_both_types(client: Person, project: Project) -> None:
    of_one = [
        Entry(*one, 3, True, f"<{one[2]}>")
        for one in (("Élodie", "e", PRE), ("Castaing", "e", NOM))
    ]
    write_table(project.names, of_one, overwrite=True)
    for facet in ("", "PRE", "NOM"):
        html = client.see(f"{PAGE}?facet={facet}")
        assert _spellings(html) == ["Élodie"]
        assert html.count("<abbr") == 2
        assert '<bdi lang="">&lt;NOM&gt;</bdi>' in html
    assert re.search(r"NOM nom <b>1</b>", html)


def test_entities_stand_on_pages_by_facet_order_and_search(client: Person) -> None:
    first, last = client.see(PAGE), client.see(f"{PAGE}?offset=100")
    assert _spellings(first)[:3] == ["Maëlle", "Zorgui", "Rose"]
    assert [len(_spellings(page)) for page in (first, last)] == [50, 23]
    assert _spellings(client.see(f"{PAGE}?facet=PRE")) == ["Maëlle", "Rose"]
    assert _spellings(client.see(f"{PAGE}?facet=kept")) == ["Rose"]
    for sort, spelling in (("spelling", "Maëlle"), ("replacement", "Rose")):
        assert f"sort={sort}" in first
        assert _spellings(client.see(f"{PAGE}?sort={sort}"))[0] == spelling
    for wrong in ("facet=XYZ", "sort=age"):
        assert client.get(f"{PAGE}?{wrong}").status_code == 400
    # An open entity shows its places in the messages.
    assert "tu viens" not in first
    html = client.see(f"{PAGE}?open=1")
    assert re.search(r'<a href="/project/sms/read/item/1">Maëlle</a>.*tu viens', html)
    # A search finds spellings and replacements, and stands in no address.
    for sought, found in (("MAELLE", ["Maëlle"]), ("besnard", ["Zorgui"]), ("nothing", [])):
        shown = client.form(PAGE, {"search": sought})
        assert _spellings(shown.text) == found
        assert sought not in str(shown.url)
        # It belongs to its address: loaded again it stands, and the next visit shows all.
        assert _spellings(client.see(str(shown.url))) == found
        assert len(_spellings(client.see(PAGE))) == 50


def test_a_change_is_kept_in_the_table(client: Person, project: Project) -> None:
    for number, change, value, changed in CASES["changes"]:
        write_table(project.names, ENTRIES, overwrite=True)
        fields = {"number": str(number), "seen": ENTRIES[number].spelling, "change": change}
        _change(client, f"{PAGE}?open=1", **fields, value=value)
        one = read_people(project.names)[number]
        assert [one.entity, one.type, one.replace, one.replacement] == changed


def test_a_change_of_a_table_not_shown_is_refused(client: Person, project: Project) -> None:
    for number, seen, change, line in (
        *(("2", "Rose", "keep", "La table a changé"), ("999", "Rose", "keep", "La table a changé")),
        ("0", "Maëlle", "merge", "Cette graphie n’est pas dans la table"),
    ):
        fields = {"number": number, "seen": seen, "change": change, "value": "Bruno"}
        assert line in _change(client, f"{PAGE}?open=1", **fields)
    # A replacement that is a name of the corpus, or another one's, is refused beside its field.
    for value in ("ZORGUI", "rose", "besnard"):
        html = _change(
            client, f"{PAGE}?open=1", number="0", seen="Maëlle", change="name", value=value
        )
        assert re.search(f'tu viens.*?role="alert">«.{value}.» désigne.*?<form', html, re.DOTALL)
    assert read_people(project.names) == ENTRIES


@pytest.mark.parametrize(("type_", "replacement", "is_free"), CASES["free"])
def test_a_replacement_is_free_as_the_check_of_the_table_says(
    client: Person, project: Project, type_: str, replacement: str, *, is_free: bool
) -> None:
    first, last = (Entry(one, one, IdentifierType(type_), 1) for one in ("Ulysse", "4411"))
    other = Entry("Zorgui", "z", NOM, 3, True, "<NOM_6_k3>")
    write_table(project.names, [first, other, last], overwrite=True)
    client.submit(PAGE, change="name", number="0", seen="Ulysse", value=replacement)
    assert (read_people(project.names)[0].replacement == replacement) is is_free


def test_another_style_replaces_all_but_what_is_named(client: Person, project: Project) -> None:
    client.see(PAGE)
    _change(client, f"{PAGE}?open=1", change="name", number="0", seen="Maëlle", value="Ysoline")
    by_style_again(project)
    found = {one.spelling: one.replacement for one in read_people(project.names)}
    assert found["Maëlle"] == "Ysoline"
    assert {one for spelling, one in found.items() if spelling != "Maëlle"} == {""}


def test_another_style_replaces_a_spelling_that_stands_in_two_rows(project: Project) -> None:
    both = [
        Entry("Rose", "rose", PRE, 2, True, "Lise"),
        Entry("Rose", "r. b.", NOM, 1, True, "Garnier"),
    ]
    for path in (project.names, project.names_made):
        write_table(path, both, overwrite=True)
    by_style_again(project)
    assert [one.replacement for one in read_people(project.names)] == ["", ""]


def test_a_table_made_anew_keeps_what_a_person_changed(client: Person, project: Project) -> None:
    """Take in what was found since, leave out what is no more, and let names follow entities."""
    for number, change, value in CASES["changed_by_a_person"]:
        seen = ENTRIES[number].spelling
        fields = {"number": str(number), "seen": seen, "change": change, "value": value}
        _change(client, f"{PAGE}?open=1", **fields)
    momo = Entry("Momo", "momo", PRE, 2, True, "Loïc")
    found = [replace(one, count=9, replacement=f"{one.replacement}2") for one in ENTRIES[:5]]
    write_table(project.names_new, [*found, momo, Entry("maellee", "maelle", PRE, 1)])
    take_over(project)
    table = {one.spelling: one for one in read_people(project.names)}
    assert table == {
        "Maëlle": Entry("Maëlle", "maelle", PRE, 9, True, "Ysoline"),
        "maelle": Entry("maelle", "maelle", PRE, 9, True, ""),
        "maellee": Entry("maellee", "maelle", PRE, 1, True, ""),
        "Zorgui": Entry("Zorgui", "zorgui", PRE, 9, True, ""),
        "Rose": Entry("Rose", "rose", PRE, 9, True, ""),
        "Nom000": Entry("Nom000", "zorgui", PRE, 9, True, ""),
        "Momo": momo,
        # It was changed, and stands nowhere any more.
        "Nom001": Entry("Nom001", "nom1", NOM, 0, False, "Autre1"),
    }
    assert not project.names_new.exists()


@pytest.mark.parametrize(("page", "fields"), CASES["unsent"])
def test_forms_of_no_page_are_refused(page: str, fields: dict[str, str], client: Person) -> None:
    assert client.status(f"/project/sms/{page}", **{"offset": "0", **fields}) == 400


@pytest.mark.parametrize(("change", "value"), [("type", "TEL"), ("merge", "0467123456")])
def test_two_types_become_one(client: Person, project: Project, change: str, value: str) -> None:
    number, tel = "0467123456", IdentifierType.TEL
    as_name = Entry(number, number, PRE, 2, True, "Valeriano")
    as_number = Entry(number, f"{number} (TEL)", tel, 2, True, "0465716044")
    write_table(project.names, [as_name, as_number], overwrite=True)
    client.submit(PAGE, change=change, number="0", seen=number, value=value)
    both = read_people(project.names)
    assert {(one.entity, one.type, one.replacement) for one in both} == {
        (as_number.entity, tel, as_number.replacement)
    }


MESSAGE = "tu viens au mariage de Cé et Raph ?"


def _tagged(project: Project) -> list[tuple[str, str]]:
    return next(one["examples"] for one in style_cards(project) if one["style"] == StyleName.TAG)


def test_what_is_still_to_be_read_is_not_counted_among_the_held_back(project: Project) -> None:
    project.anonymised.touch()
    reasons = (HeldFor.WAITS, HeldFor.UNMARKED)
    rows = "".join(f"{row},,{reason},no\n" for row, reason in enumerate(reasons, 1))
    held_path(str(project.anonymised)).write_text(f"row,id,reason,written\n{rows}")
    assert held_rows(project) == [(2, HeldFor.UNMARKED)]
    # Both would be missing from what is published.
    assert [row for row, _ in held_rows(project, waiting=True)] == [1, 2]


def test_a_style_is_shown_on_what_people_marked_or_what_is_suggested(project: Project) -> None:
    project.final.write_text(
        "text,final_action,decided_by,final_spans\n"
        f'{MESSAGE},TA,anna,"[[23, 25, ""PRE""], [29, 33, ""PRE""]]"\n'
        'Élodie Castaing a créé le groupe,TA,machine,"[[0, 6, ""PRE""], [7, 15, ""NOM""]]"\n'
        # A text that comes again is shown once.
        f'{MESSAGE},TA,anna,"[[23, 25, ""PRE""], [29, 33, ""PRE""]]"\n'
        "on se voit demain,NTA,machine,\n"
    )
    assert [after for _, after in _tagged(project)] == [
        "tu viens au mariage de <PRE> et <PRE> ?",
        "<PRE> <NOM> a créé le groupe",
    ]


def test_a_style_is_shown_on_what_was_replaced_until_more_is_decided(project: Project) -> None:
    project.final.write_text(f"text,final_action,decided_by,final_spans\n{MESSAGE},TA,anna,\n")
    header = "row,written,id,start,end,type,rule,identifier,replacement\n"
    project.key_table.write_text(f"{header}1,1,1,29,33,SUR,people,Raph,<SUR>\n")
    assert _tagged(project) == [(MESSAGE, "tu viens au mariage de Cé et <SUR> ?")]
    # While steps run, a page shows the last ones: what is worked out then would keep it waiting.
    project.final.write_text("text,final_action\nune autre,NTA\n")
    as_kept = style_cards(project, as_kept=True)
    assert as_kept[0]["examples"] == [[MESSAGE, "tu viens au mariage de Cé et <SUR> ?"]]
    assert style_cards(project)[0]["examples"] == ()
