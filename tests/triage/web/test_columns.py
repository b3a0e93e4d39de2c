"""How a file is read, and what becomes of its columns."""

from pathlib import Path

import pytest

from triage.anonymise.plan import Plan
from triage.settings import Dates, Ids, Senders
from triage.vocabulary import IdentifierType
from triage.web.importing import preview
from triage.web.project import Project
from triage.web.replacing import (
    Becomes,
    chosen_columns,
    first_plan,
    with_columns,
)

FILE = (
    "id,sender,destinataire,date,operateur,note,text\n"
    "0639981234,7,0639985678,2011-09-17,SFR,vu par Patrice,Coucou\n"
    "0639981290,7,0639985678,2011-09-18,SFR,,ok\n"
    "0712345678,31,0639981234,2011-09-18,SFR,,a tte\n"
)


def project_of(folder: Path, content: str, name: str = "sms.csv") -> Project:
    (folder / name).write_text(content, encoding="utf-8")
    return Project.create(folder / "project", folder / name, "SMS")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_of(tmp_path, FILE)


def test_each_column_has_its_role_and_what_was_found_in_it(project: Project) -> None:
    found = {column["name"]: column for column in preview(project)["columns"]}
    assert [column["role"] for column in found.values()] == [
        *("id", "sender", "other", "date", "other", "other", "text"),
    ]
    assert dict(found["destinataire"]["holds"]) == {IdentifierType.TEL: 3}
    assert dict(found["note"]["holds"]) == {IdentifierType.PRE: 1}
    assert not found["operateur"]["is_warned_of"]


def test_ids_that_identify_somebody_become_numbers_at_first(project: Project) -> None:
    assert first_plan(Plan(), preview(project)).treatment.ids is Ids.NUMBER
    assert first_plan(Plan(), {"columns": []}).treatment.ids is Ids.KEEP


def test_what_is_chosen_of_the_columns_is_in_the_plan(project: Project) -> None:
    said = {
        "id": "number",
        "sender": "drop",
        "date": "month",
        "destinataire": "pseudonym",
        "operateur": "keep",
        "note": "as_it_is",
    }
    columns = with_columns(Plan(), preview(project), said).treatment
    assert columns.pseudonym == ("destinataire",)
    assert columns.keep == ("operateur", "note")
    assert columns.as_it_is == ("note",)
    assert (columns.ids, columns.sender, columns.dates) == (
        *(Ids.NUMBER, Senders.DROP, Dates.MONTH),
    )
    chosen = {
        one["column"]["name"]: one["chosen"]
        for one in chosen_columns(Plan(columns), preview(project))
    }
    assert chosen == {**said, "text": None}
    choices = {
        one["column"]["name"]: one["choices"] for one in chosen_columns(Plan(), preview(project))
    }
    assert Becomes.AS_IT_IS in choices["destinataire"]
    assert Becomes.KEEP not in choices["destinataire"]


@pytest.mark.parametrize("said", [{"nowhere": "keep"}, {"operateur": "hide"}, {}])
def test_what_is_not_said_of_a_column_is_the_default(
    project: Project, said: dict[str, str]
) -> None:
    assert with_columns(Plan(), preview(project), said) == Plan()
