"""Hostile messages, names and files on every screen."""

import csv
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cases import cases_beside
from tests.triage.web.browsers import NEEDS_BROWSER, find_browser
from tests.triage.web.desks import PAGES, STEPS, client_at, ended, serving
from triage.web import quality
from triage.web.homes import create
from triage.web.jobs import Jobs
from triage.web.people import Right
from triage.web.server import HEADERS
from triage.web.visits import Desk

CASES = cases_beside(__file__)

pytestmark = pytest.mark.slow
MESSAGES = CASES["messages"]
HOSTILE_NAME = "<script>alert(1)</script>{{7*7}}"
RAW = ("<script>alert", "<img src=x", "<svg onload", "</textarea></bdi>", "?q=<b>")
SCREENS = ["/", *(f"/project/hostile/{one}" for one in (*PAGES, *CASES["screens"]))]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project of hostile messages that was taken to its check, and a sample."""
    folder = tmp_path_factory.mktemp("hostile")
    file = folder / "hostile.csv"
    with file.open("w", encoding="utf-8", newline="") as written:
        writer = csv.writer(written, lineterminator="\r\n")
        writer.writerow(["id", "sender", "text", HOSTILE_NAME])
        writer.writerows([n, HOSTILE_NAME, text, text[:99]] for n, text in enumerate(MESSAGES))
    (folder / "home").mkdir()
    project = create(folder / "home", file, "hostile")
    project.write(type(project.settings)(HOSTILE_NAME, project.settings.original, double=1.0))
    jobs = Jobs()
    for step in STEPS:
        job = ended(jobs.start(project, (step,), HOSTILE_NAME))
        assert job.is_done, (step, job.problem)
    quality.begin(project, 0.05)
    people = Desk(folder / "home", "anna").people
    people.add("hostile", HOSTILE_NAME, [Right.READ])
    return folder / "home"


def test_every_screen_shows_hostile_text_as_text(home: Path) -> None:
    desk = Desk(home, "anna")
    client = client_at(desk, "fr")
    for screen in SCREENS:
        response = client.get(screen)
        assert response.status_code == 200, screen
        assert [raw for raw in RAW if raw in response.text] == [], screen
        assert {name: response.headers[name] for name in HEADERS} == HEADERS
        assert len(response.content) < 1_000_000
    # A file of any name can be dropped.
    before = {*home.iterdir()}
    for name in (HOSTILE_NAME, "a\0b.csv", "\u202e.csv", "x" * 300, "..", ""):
        status, page = client.upload(f"/upload?name={quote(name)}", b"text\nMa\xc3\xablle\n")
        assert status in (200, 400)
        pages = ["/", page] if status == 200 else ["/"]
        assert {client.get(one).status_code for one in pages} == {200}
    desk.jobs.end()
    for folder in {*home.iterdir()} - before:
        folder.rename(home.parent / f"gone-{folder.name}")


@pytest.mark.browser
@NEEDS_BROWSER
def test_no_screen_is_wider_than_a_phone_and_nothing_runs(home: Path) -> None:
    pytest.importorskip("playwright", reason="pip install playwright")
    from tests.triage.web.browsers import running_browser

    with serving(home) as served, running_browser(find_browser() or "") as browser:
        page = browser.new_page(viewport={"width": 360, "height": 800}, locale="fr-FR")
        said: list[str] = []
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.goto(served.link)
        wide = {}
        for screen in SCREENS:
            page.goto(f"{served.address}{screen}")
            found = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if found > 0:
                wide[screen] = found
        assert (wide, said) == ({}, [])
