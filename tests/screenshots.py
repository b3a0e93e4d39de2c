"""The pictures of the pages in the documentation: ``make pictures``."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

from PIL import Image
from playwright.sync_api import Browser, Page

from tests.cases import cases_beside
from tests.triage.web.browsers import find_browser, running_browser, serving_here
from tests.triage.web.desks import Served, Visitor, serving, visiting
from tests.triage.web.queues import TOKEN, make_queue, many
from triage import Triage
from triage.queue import Answer, Filters, Queue
from triage.web import quality
from triage.web.homes import create
from triage.web.people import Accounts, Right
from triage.web.project import Project
from triage.web.stages import Step

DOCS = Path(__file__).parent.parent / "docs"


def take(folder: Path) -> None:
    path = find_browser()
    if not path:
        sys.exit("no Chromium found: install it, or name one by TRIAGE_BROWSER")
    with _reviewed() as (address, number), running_browser(path) as browser:
        for name, size in CASES["review"].items():
            page = _page(browser, f"{address}/?token={TOKEN}", size)
            page.goto(f"{address}/item/{number}")
            page.locator("#message button", has_text="Solveig").focus()
            page.keyboard.press("j")
            page.locator("#message button", has_text="kevinn").focus()
            page.screenshot(path=folder / f"{name}.png")
    with finished_desk() as served, running_browser(path) as browser:
        for name, size in CASES["desk"].items():
            page = _page(browser, served.link, size)
            _write(folder / f"desk-home-{name}.png", page)
            for screen, where in _SCREENS.items():
                page.goto(f"{served.address}/project/sample_fr/{where}")
                _write(folder / f"desk-{screen}-{name}.png", page)
            page.context.close()


def _page(browser: Browser, address: str, size: dict[str, Any]) -> Page:
    page = browser.new_context(locale="fr-FR", **size).new_page()
    page.goto(address)
    return page


CASES = cases_beside(__file__)
# Decisions are seen to be made at this pace.
_SECONDS = 6
_DECIDED = 34
_MESSAGES = [*(("44", text) for text in CASES["messages"]), *many(75)]


@contextmanager
def _reviewed() -> Iterator[tuple[str, int]]:
    with tempfile.TemporaryDirectory() as folder:
        queue_path = make_queue(Path(folder) / "work.queue", Triage.load("fr"), _MESSAGES)
        with Queue.open(queue_path) as queue, _paced():
            number = queue.rows("anna", Filters(word="Solveig Morel"))[0].number
            items = [row.number for row in queue.rows("anna", Filters(), limit=100)]
            for item in [item for item in items if item != number][:_DECIDED]:
                found = queue.item(item)
                assert found
                spans = found.suggested_spans
                queue.decide("anna", item, Answer.TA if spans else Answer.NTA, spans)
        with serving_here(queue_path) as address:
            yield address, number


@contextmanager
def _paced() -> Iterator[None]:
    start = datetime(2026, 1, 5, 9, tzinfo=UTC)
    times = ((start + timedelta(seconds=_SECONDS * n)).isoformat() for n in count())
    with patch("triage.queue.queue._now", lambda: next(times)):
        yield


_LARGEST = 80_000
_COLOURS = (64, 32, 16, 8)
_SCREENS = CASES["screens"] | {one: one for one in CASES["stages"]}
_READ = 40


def _write(file: Path, page: Page) -> None:
    """Write what a page shows, in as many colours as a small file can have."""
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    for colours in _COLOURS:
        written = BytesIO()
        few = picture.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(written, "PNG", optimize=True)
        if len(written.getvalue()) < _LARGEST:
            break
    file.write_bytes(written.getvalue())


@contextmanager
def finished_desk() -> Iterator[Served]:
    """Serve a project that two annotators have worked on, as far as its publication."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "triage-projects"
        home.mkdir()
        project = create(home, DOCS.parent / "data" / "sample_fr.csv")
        project.write(replace(project.settings, name="Messages inventés", double=0.4))
        with serving(home, host="127.0.0.1") as served, visiting(served) as visitor:
            _run(visitor, Step.CLASSIFY, Step.QUEUE)
            _decide(project)
            _run(visitor, Step.APPLY, Step.NAMES, Step.ANONYMISE, Step.CHECK)
            _read_sample(project)
            visitor.post("/project/sample_fr/publish", why="Relu par deux personnes.")
            people = Accounts(home, "anna")
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
    take(DOCS)
