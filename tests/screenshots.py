"""The pictures of the pages in the documentation: ``make pictures``."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from unittest.mock import patch

from playwright.sync_api import Browser, Page

from tests import desk_pictures as desk
from tests.triage.web.browsers import find_browser, running_browser, serving_here
from tests.triage.web.queues import TOKEN, make_queue, many
from triage import Triage
from triage.queue import Answer, Filters, Queue

DOCS = Path(__file__).parent.parent / "docs"
# Decisions are seen to be made at this pace.
_SECONDS = 6
_DECIDED = 34
_SHOWN = "Slt Maëlle, jsui a Nimes chez kevinn et Solveig Morel, la rose est fanee :-) tu viens ?"
_MESSAGES = [
    ("44", "Coucou, tu fais quoi ce soir ?"),
    ("44", _SHOWN),
    ("44", "On mange a 20h, amene le dessert"),
    *many(75),
]
_SIZES = {
    "review-desktop": {"viewport": {"width": 1200, "height": 800}},
    "review-dark": {"viewport": {"width": 1200, "height": 800}, "color_scheme": "dark"},
    "review-phone": {
        "viewport": {"width": 390, "height": 844},
        "is_mobile": True,
        "has_touch": True,
        "device_scale_factor": 1.5,
    },
}


def take(folder: Path) -> None:
    """Take the pictures of invented messages into a folder."""
    path = find_browser()
    if not path:
        sys.exit("no Chromium found: install it, or name one by TRIAGE_BROWSER")
    with _page() as (address, number), running_browser(path) as browser:
        for name in _SIZES:
            page = _opened(browser, name, address, number)
            page.screenshot(path=folder / f"{name}.png")


@contextmanager
def _page() -> Iterator[tuple[str, int]]:
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


def _opened(browser: Browser, name: str, address: str, number: int) -> Page:
    context = browser.new_context(locale="fr-FR", **_SIZES[name])  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{address}/?token={TOKEN}")
    page.goto(f"{address}/item/{number}")
    page.locator("#message button", has_text="Solveig").focus()
    page.keyboard.press("j")
    page.locator("#message button", has_text="kevinn").focus()
    return page


if __name__ == "__main__":
    take(DOCS)
    desk.take(DOCS)
