"""A desk with one project, and a browser that is no browser."""

from pathlib import Path

import pytest

from triage.web.project import Project

MESSAGES = (
    "id,sender,text\n"
    '1,7,"Coucou Maëlle, tu viens chez Rose ce soir ?"\n'
    "2,7,Oui jarrive a 20h\n"
    '3,31,"Appelle moi au 06 39 98 12 34, c\'est urgent"\n'
    "4,31,Tarek dit que c bon pr samedi\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of four messages, of which nothing was done."""
    file = tmp_path / "sms.csv"
    file.write_text(MESSAGES, encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    return Project.create(home / "sms", file, "Mes SMS")
