"""Replacing: the table of people and names, its pages and changes; styles as they are shown."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.web.queues import make_queue
from tests.triage.web.stories import Owner, stories_of, tell
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
Row = Sequence[Any]
ENTRIES = [
    *CASES["entries"],
    *([f"Nom{n:03}", f"nom{n}", "NOM", 1, True, f"Autre{n}"] for n in range(120)),
]


def _entry(spelling: str, entity: str, of: str, *more: object) -> Entry:
    return Entry(spelling, entity, IdentifierType(of), *more)  # type: ignore[arg-type]


class Namer(Owner):
    """Anna, who looks at the names of a project and changes them."""

    def table(self, *rows: Row) -> None:
        """Let a table be as the program made it."""
        for path in (self.project.names, self.project.names_made):
            write_table(path, [_entry(*row) for row in rows], overwrite=True)

    def is_made_anew(self, *rows: Row) -> None:
        write_table(self.project.names_new, [_entry(*row) for row in rows])
        take_over(self.project)
        assert not self.project.names_new.exists()

    def has_another_style(self) -> None:
        by_style_again(self.project)

    def change(
        self, seen: str, change: str, value: str = "", shown: Sequence[str] = (), number: int = -1
    ) -> None:
        """Change the first row of a spelling, or what stood in another one when it was seen."""
        written = [one.spelling for one in read_people(self.project.names)]
        place = number if number >= 0 else written.index(seen)
        self.see("replace/names?open=1")
        fields = {"number": place, "seen": seen, "change": change, "value": value, "open": 1}
        self.send("replace/names", fields, shown)

    def lists(self, path: str, n: int, *spellings: str) -> None:
        """Tell how many entities a page lists, and the first of them."""
        self.see(path)
        self.lists_now(n, *spellings)

    def lists_now(self, n: int, *spellings: str) -> None:
        found = re.findall(r'<th scope="row" lang=""><bdi>(.*?)</bdi>', self.html)
        assert (len(found), found[: len(spellings)]) == (n, [*spellings])

    def finds(self, sought: str, n: int, *spellings: str) -> None:
        """Search; find entities at an address without what is sought, also when loaded anew."""
        self.see("replace/names")
        self.send("replace/names", {"search": sought})
        self.lists_now(n, *spellings)
        assert sought not in str(self.url)
        self.lists(str(self.url.raw_path, "ascii"), n, *spellings)

    def holds(self, *rows: Row) -> None:
        """Tell all rows of the table, in any order."""
        assert Counter(read_people(self.project.names)) == Counter(_entry(*row) for row in rows)

    def is_as_made(self) -> None:
        assert read_people(self.project.names) == read_people(self.project.names_made)

    def replaces_by(self, *names: str) -> None:
        """Tell all replacements of the table."""
        found = [one.replacement for one in read_people(self.project.names)]
        assert [one for one in found if one] == [*names]


@pytest.fixture
def namer(project: Project, shipped: Triage, desk: Desk) -> Namer:
    """Anna, before a table of 124 rows."""
    make_queue(project.queue, shipped, [("7", "Coucou Maëlle, tu viens ?"), ("7", "la rose")])
    desk.jobs.bring_up_to = lambda *_: None  # type: ignore[method-assign]  # no step runs
    namer = Namer(project, desk)
    namer.table(*ENTRIES)
    return namer


@pytest.mark.parametrize(("of", "steps"), stories_of(CASES["stories"]))
def test_stories(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(request.getfixturevalue(of), steps)


@pytest.mark.parametrize(("seen", "change", "value", "changed"), CASES["changes"])
def test_a_change_is_kept_in_the_table(
    namer: Namer, seen: str, change: str, value: str, changed: list[object]
) -> None:
    namer.change(seen, change, value)
    [one] = [one for one in read_people(namer.project.names) if one.spelling == seen]
    assert [one.entity, one.type, one.replace, one.replacement] == changed


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
