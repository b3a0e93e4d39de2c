"""The pictures of the desk: each screen on a wide, a narrow and a dark page, in few colours."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

from tests.triage.web.browsers import find_browser, running_browser
from tests.triage.web.desks import Served, Visitor, serving_desk, visiting
from triage.queue import Answer, Filters, Queue
from triage.web import quality
from triage.web.homes import create_sample
from triage.web.people import People, Right
from triage.web.project import Project
from triage.web.steps import Step

LARGEST = 80_000
_COLOURS = (64, 32, 16, 8)
_SIZES: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "narrow": {"viewport": {"width": 360, "height": 780}},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}
_HOME = {"home": "/"}
_PROJECT = {
    "review": "read/",
    "spellings": "read/only/spelling",
    "disagreements": "read/only/disagreement",
    "list": "read/list",
    "status": "read/status",
    "names": "replace/names",
    "sample": "verify/sample",
} | {one: one for one in ("import", "read", "replace", "verify", "publish", "project", "people")}
_READ = 40


def take(folder: Path) -> None:
    """Take the pictures of a project of the sample messages into a folder."""
    path = find_browser()
    if not path:
        sys.exit("no Chromium found: install it, or name one by TRIAGE_BROWSER")
    with finished_desk() as served, running_browser(path) as browser:
        for size in _SIZES:
            page = _opened(browser, served, size)
            for name, screen in _screens().items():
                page.goto(f"{served.address}{screen}")
                _write(folder / f"desk-{name}-{size}.png", page)
            page.context.close()


def _screens() -> dict[str, str]:
    return _HOME | {name: f"/project/sample_fr/{path}" for name, path in _PROJECT.items()}


def _opened(browser: Browser, served: Served, size: str) -> Page:
    page = browser.new_context(locale="fr-FR", **_SIZES[size]).new_page()
    page.goto(served.link)
    return page


def _write(file: Path, page: Page) -> None:
    """Write what a page shows, in as many colours as a small file can have."""
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    for colours in _COLOURS:
        written = BytesIO()
        few = picture.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(written, "PNG", optimize=True)
        if len(written.getvalue()) < LARGEST:
            break
    file.write_bytes(written.getvalue())


@contextmanager
def finished_desk() -> Iterator[Served]:
    """Serve a project that two annotators have worked on, as far as its publication."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "triage-projects"
        home.mkdir()
        project = create_sample(home)
        project.write(replace(project.settings, name="Messages inventés", double=0.4))
        with serving_desk(home, host="127.0.0.1") as served, visiting(served) as visitor:
            _run(visitor, Step.CLASSIFY, Step.QUEUE)
            _decide(project)
            _run(visitor, Step.APPLY, Step.NAMES, Step.ANONYMISE, Step.CHECK)
            _read_sample(project)
            visitor.post("/project/sample_fr/publish", why="Relu par deux personnes.")
            people = People(home, "anna")
            people.add("sample_fr", "Bruno", [Right.READ])
            people.add("sample_fr", "Carla", [Right.READ, Right.RULE], "2999-12-31")
            yield served


def _run(visitor: Visitor, *steps: Step) -> None:
    for step in steps:
        visitor.post("/project/sample_fr/run", step=step.value, back="")
        visitor.wait("/project/sample_fr/")


def _decide(project: Project) -> None:
    """Let two annotators answer nearly all items, and agree on most."""
    with Queue.open(project.queue) as queue:
        for annotator, other in (("Bruno", 9), ("Carla", 7)):
            numbers = [row.number for row in queue.rows(annotator, Filters(), limit=1000)]
            for number in numbers[:-3]:
                item = queue.item(number)
                spans = item.suggested_spans if item else ()
                is_ta = bool(spans) and number % other != 0
                answer = Answer.TA if is_ta else Answer.NTA
                queue.decide(annotator, number, answer, spans if is_ta else ())


def _read_sample(project: Project) -> None:
    sample = quality.begin(project, 0.05)
    for row in sample.left[:_READ]:
        sample = quality.answered(sample, row, False)
    quality.keep(project, sample)


if __name__ == "__main__":
    take(Path(sys.argv[1]))
