"""A real browser and a real server, for tests that need both."""

import os
import shutil
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn

from tests.triage.web.queues import TOKEN
from triage.queue import Queue
from triage.web.people import Sessions
from triage.web.reading import Review
from triage.web.server import Guard, Hosts, configured

with suppress(ImportError):
    from playwright.sync_api import expect
if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize

_AXE = Path(__file__).parents[2] / "vendor" / "axe-core" / "axe.min.js"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Milliseconds; a busy machine takes long to load a page.
PATIENCE = 60_000
PHONE: "ViewportSize" = {"width": 360, "height": 740}


def find_browser() -> str | None:
    """Return the path of a Chromium; TRIAGE_BROWSER names another one."""
    named = os.environ.get("TRIAGE_BROWSER")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)


NEEDS_BROWSER = pytest.mark.skipif(
    find_browser() is None,
    reason="the browser tests need Chromium: install it, or name one by TRIAGE_BROWSER",
)
IN_A_BROWSER = [pytest.mark.browser, NEEDS_BROWSER]


@contextmanager
def running_browser(path: str) -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def violations(page: "Page") -> list[str]:
    """Return the rules of accessibility (WCAG 2.2 AA) that a page breaks, and where."""
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    # The bar of answers covers what it will not cover at the end of the page.
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    found = page.evaluate(
        "async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', "
        "'wcag22aa', 'best-practice']})).violations"
        ".map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).slice(0, 3).join(', '))"
    )
    return [str(one) for one in found]


@contextmanager
def on_a_phone(browser: "Browser") -> Iterator["BrowserContext"]:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, locale="fr-FR")
    yield context
    context.close()


def logged_in(context: "BrowserContext", address: str, path: str = "") -> "Page":
    """Return a page of a server, opened by its link or with the token of tests."""
    page = context.new_page()
    page.goto(address if "?" in address else f"{address}/?token={TOKEN}")
    if path:
        page.goto(address + path)
    return page


@contextmanager
def serving_here(queue_path: Path) -> Iterator[str]:
    """Serve a queue from a thread, which starts sooner than a process; yield its address."""
    with Queue.open(queue_path) as queue, socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        site, port = "queue.localhost", listening.getsockname()[1]
        routes = Review(queue, "anna").routes()
        app = Guard(routes, Sessions(TOKEN), Hosts(site, port))
        server = uvicorn.Server(configured(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://{site}:{port}"
        finally:
            server.should_exit = True
            thread.join()


class Browsing:
    """Somebody before a page in a browser; places are selectors."""

    page: "Page"

    def place(self, place: str) -> "Locator":
        return self.page.locator(place)

    def width(self, width: int, height: int = 800) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def focus(self, place: str) -> None:
        self.place(place).focus()

    def click(self, place: str) -> None:
        self.place(place).click()

    def check(self, place: str, is_so: bool = True) -> None:
        self.place(place).set_checked(is_so)

    def fill(self, place: str, text: str) -> None:
        self.place(place).fill(text)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tabs(self, *stops: str) -> None:
        """Tell where each press of Tab leads."""
        for stop in stops:
            self.press("Tab")
            assert self.page.evaluate("at => document.activeElement.matches(at)", stop), stop

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def sends(self, *keys: Mapping[str, object]) -> None:
        """Send what keys of another keyboard send, or such as are held down."""
        for key in keys:
            self.page.evaluate(
                "key => document.activeElement.dispatchEvent(new KeyboardEvent("
                "'keydown', {code: 'Key', bubbles: true, cancelable: true, ...key}))",
                key,
            )

    def back(self) -> None:
        self.page.go_back()

    def forward(self) -> None:
        self.page.go_forward()

    def rest(self) -> None:
        self.page.wait_for_timeout(200)

    def comes_to(self, address: str) -> None:
        self.page.wait_for_url(address)

    def reads(self, place: str, text: str) -> None:
        expect(self.place(place)).to_have_text(text)

    def contains(self, place: str, *texts: str) -> None:
        for text in texts:
            expect(self.place(place)).to_contain_text(text)

    def lacks(self, place: str, text: str) -> None:
        expect(self.place(place)).not_to_contain_text(text)

    def value(self, place: str, value: str) -> None:
        expect(self.place(place)).to_have_value(value)

    def counts(self, n: int, place: str) -> None:
        expect(self.place(place)).to_have_count(n)

    def has_focus(self, place: str) -> None:
        expect(self.place(place)).to_be_focused()

    def is_seen(self, place: str) -> None:
        expect(self.place(place)).to_be_visible()

    def is_hidden(self, place: str) -> None:
        expect(self.place(place)).to_be_hidden()

    def ends_above(self, height: int, *places: str) -> None:
        """Tell that places end above a height of the window."""
        for place in places:
            ends = [e.bounding_box() for e in self.place(place).all()]
            assert max(box["y"] + box["height"] for box in ends if box) <= height, place

    def is_above(self, one: str, other: str) -> None:
        below = self.place(other).bounding_box()
        assert below
        self.ends_above(int(below["y"]), one)
