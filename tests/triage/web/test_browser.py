"""The page in a real browser, with a real server: keys, marks, readers, phones, power cuts.

A story of browser.toml has steps: what somebody does there, and what is then to be seen.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.web.desks import serving
from tests.triage.web.queues import find, make_queue, many, standing
from tests.triage.web.stories import Reader, stories_of, tell
from triage import Triage
from triage.queue import Queue
from triage.web.project import Project

pytest.importorskip("playwright", reason="pip install playwright")

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.triage.web.browsers import (
    IN_A_BROWSER,
    PHONE,
    Browsing,
    logged_in,
    on_a_phone,
    serving_here,
)

pytestmark = IN_A_BROWSER
CASES = cases_beside(__file__)
# Too low for a finger.
SMALL = """() => [...document.querySelectorAll('button:not(.w), a.button, summary, select, nav a')]
  .filter(e => e.checkVisibility({visibilityProperty: true}))
  .map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect().height])
  .filter(([, height]) => height < 43.5)"""


@pytest.fixture(scope="module")
def long_queue(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    return make_queue(tmp_path_factory.mktemp("long") / "long.queue", shipped, many(80))


@pytest.fixture
def long_path(long_queue: Path, tmp_path: Path) -> Path:
    path = tmp_path / "long.queue"
    path.write_bytes(long_queue.read_bytes())
    return path


def _number(page: Page) -> str:
    return page.locator("#answer [name=item]").input_value()


def _step(page: Page, key: str) -> None:
    """Press a key that decides, and wait for the next message."""
    # The script puts a new form in its place.
    page.evaluate("document.querySelector('#answer').dataset.old = '1'")
    page.keyboard.press(key)
    page.wait_for_selector("#answer:not([data-old])")


class Hands(Browsing, Reader):
    """Anna before the page of a queue, with a keyboard and a mouse."""

    def __init__(self, queue: Queue, page: Page, address: str) -> None:
        super().__init__(queue)
        self.page, self.address = page, address

    def open(self, path: str) -> None:
        self.page.goto(f"{self.address}{self._filled(path)}")

    def open_unmarked(self, path: str) -> None:
        """Open a message, and take away the marks that the program suggests."""
        self.open(path)
        marked = self.page.locator("#message button[data-mark]")
        while marked.count():
            marked.first.click()
        self.value("#spans", "")

    def word(self, text: str) -> Locator:
        return self.page.locator("#message button", has_text=text).first

    def focus_word(self, text: str) -> None:
        self.word(text).focus()

    def click_word(self, text: str) -> None:
        self.word(text).click()

    def drag(self, first: str, n: int, last: str, m: int) -> None:
        """Drag the mouse from the n-th letter of a word to the m-th of another."""
        start, end = _edge(self.word(first), n), _edge(self.word(last), m)
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self.page.mouse.move(*end)
        self.page.mouse.up()

    def step(self, *keys: str) -> None:
        """Press keys that each decide, and wait for the next message."""
        for key in keys:
            _step(self.page, key)

    def unmark_by_keyboard(self) -> None:
        marked = self.page.locator("#message [data-mark]")
        while marked.count():
            marked.first.focus()
            self.press("Space")

    def passed(self, n: int) -> None:
        assert self.queue.progress("anna").skipped == n

    def said(self, line: str) -> None:
        self.reads("#said", line)


def _edge(word: Locator, n: int) -> tuple[float, float]:
    """Return a point at the left edge of the n-th character of a word."""
    x, y = word.evaluate(
        """(word, n) => {
          const range = document.createRange();
          const node = word.firstChild;
          range.setStart(node, n < node.length ? n : n - 1);
          range.setEnd(node, n < node.length ? n + 1 : n);
          const box = range.getBoundingClientRect();
          return [n < node.length ? box.left + 1 : box.right - 1, box.top + box.height / 2];
        }""",
        n,
    )
    return float(x), float(y)


def _before(context: BrowserContext, path: Path) -> Iterator[Hands]:
    with serving_here(path) as address, Queue.open(path) as queue:
        yield Hands(queue, logged_in(context, address), address)


@pytest.fixture
def hands(context: BrowserContext, queue_path: Path) -> Iterator[Hands]:
    yield from _before(context, queue_path)


@pytest.fixture
def voted(context: BrowserContext, tmp_path: Path, shipped: Triage) -> Iterator[Hands]:
    """Before a message in which no word is suggested by itself; a vote says TA of it."""
    messages = [("1", "on mange a midi")]
    yield from _before(context, make_queue(tmp_path / "q", shipped, messages, vote_ta=1))


@pytest.fixture
def asked(context: BrowserContext, tmp_path: Path, shipped: Triage) -> Iterator[Hands]:
    """Before messages of which one answer to a spelling settles several."""
    messages = [("7", text) for text in cases_beside(__file__, "review_pages.toml")["asked"]]
    yield from _before(context, make_queue(tmp_path / "q", shipped, messages))


@pytest.fixture
def marked(tmp_path: Path, shipped: Triage) -> Path:
    """A queue of messages with parts of words to mark."""
    return make_queue(tmp_path / "q", shipped, [("7", text) for text in CASES["marked"]])


@pytest.fixture
def marking(context: BrowserContext, marked: Path) -> Iterator[Hands]:
    yield from _before(context, marked)


@pytest.mark.parametrize(("of", "steps"), stories_of(CASES["stories"]))
def test_stories(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(request.getfixturevalue(of), steps)


@pytest.mark.parametrize(("keys", "spans"), CASES["keys"])
def test_keys_mark_a_part_of_a_word(marking: Hands, keys: list[list[Any]], spans: str) -> None:
    marking.open_unmarked("/item/{chezmarinestp}")
    marking.focus_word("chezmarinestp")
    for key, n in keys:
        marking.press(*[key] * n)
    marking.value("#spans", spans)


def test_fifty_messages_by_keyboard_alone(context: BrowserContext, long_path: Path) -> None:
    keys = ["t", "n", "Enter", "Enter", "s"]
    with serving(long_path, "server") as server, Queue.open(long_path) as queue:
        page = logged_in(context, server.link)
        for i in range(50):
            _step(page, keys[i % 5])
        assert queue.progress("anna").decided == 40
        assert queue.progress("anna").skipped == 10
        shown = _number(page)
        expect(page.locator("#live")).to_have_text("Passé. 40 textes à lire.")
        _step(page, "u")
        _step(page, "u")
        assert queue.progress("anna").decided == 39
        assert page.url.startswith(f"{server.address}/item/")
        undone = _number(page)
        _step(page, "Enter")
        page.reload()
        assert _number(page) != undone
        assert server.stop() == 0
    with serving(long_path, "server") as server:
        page = logged_in(context, server.link)
        assert page.locator(".progress").inner_text().startswith("40 décidés · 40 textes à lire")
        assert _number(page) != shown


def test_no_other_server_gets_the_cookie(context: BrowserContext, queue_path: Path) -> None:
    heard: list[str | None] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.headers.get("Cookie"))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with serving(queue_path, "server") as server, HTTPServer(("127.0.0.1", 0), Listener) as other:
        page = logged_in(context, server.link)
        assert _number(page)
        threading.Thread(target=other.serve_forever).start()
        for name in ("127.0.0.1", "localhost"):
            page.goto(f"http://{name}:{other.server_port}/")
        other.shutdown()
        assert heard
        assert set(heard) == {None}
        [cookie] = context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert cookie["domain"].endswith(".localhost")
        assert not cookie["domain"].startswith(".")


def test_unsaved_is_sent_again(context: BrowserContext, project: Project, long_path: Path) -> None:
    project.queue.write_bytes(long_path.read_bytes())
    home = project.folder.parent
    with serving(home) as server:
        page = logged_in(context, server.link)
        page.goto(f"{server.address}/project/sms/read/")
        server.kill()
    number = _number(page)
    page.locator("#message button").first.click()
    marks = page.locator("#spans").input_value()
    page.keyboard.press("t")
    expect(page.locator("#retry")).to_be_visible()
    with serving(home), Queue.open(project.queue) as queue:
        page.locator("#retry").click()
        expect(page.locator("#banner")).to_be_hidden()
        expect(page.locator("#said")).to_have_text("TA noté.")
        found = queue.item(int(number))
        assert found
        spans = [f"{s.start}:{s.end}:{s.type}" for s in found.standing[0].spans]
        assert " ".join(spans) == marks


def test_a_phone(browser: Browser, address: str, queue: Queue) -> None:
    with on_a_phone(browser) as context:
        page = logged_in(context, address)
        for path in ("/", "/list", "/only/spelling", "/status", "/item/2", "/only/disagreement"):
            page.goto(address + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
            assert page.evaluate(SMALL) == [], path
            for button in page.locator("button:not(.w):visible").all():
                button.scroll_into_view_if_needed()
                box = button.bounding_box()
                assert box
                assert 0 <= box["x"] <= box["x"] + box["width"] <= PHONE["width"] + 0.5, path
        # A finger marks and answers.
        number = find(queue, "fanee")
        page.goto(f"{address}/item/{number}")
        page.locator("#message button", has_text="rose").tap()
        expect(page.locator("#panel-why")).to_contain_text("ambigu")
        page.locator("[data-type=SUR]").tap()
        page.locator("#take").tap()
        expect(page.locator("#said")).to_have_text("TA noté.")
        assert [s.type.value for s in standing(queue, number).spans] == ["SUR"]


def _places(page: Page) -> list[list[float]]:
    found: list[list[float]] = page.evaluate(
        """[...document.querySelectorAll('#message, #message [data-s], #panel, .answers button')]
        .filter(e => e.id !== 'take')
        .map(e => e.getBoundingClientRect()).map(b => [b.x, b.y, b.width, b.height])"""
    )
    return found


@pytest.mark.parametrize("width", [360, 900])
def test_nothing_moves_with_marks(marking: Hands, width: int) -> None:
    marking.page.set_viewport_size({"width": width, "height": 800})
    marking.open_unmarked("/item/{rose}")
    words, before = marking.page.locator("#message button", has_text="rose"), _places(marking.page)
    for n_marks in (4, 0):
        for word in words.all():
            word.click()
        marking.counts(n_marks, "#message [data-mark]")
        assert _places(marking.page) == before


def test_a_finger_that_moves_along_a_line_marks_letters(browser: Browser, marked: Path) -> None:
    with on_a_phone(browser) as context, contextmanager(_before)(context, marked) as hands:
        hands.open_unmarked("/item/{chezmarinestp}")
        start, end = (_edge(hands.word("chezmarinestp"), n) for n in (4, 10))
        session = context.new_cdp_session(hands.page)
        points = [start, ((start[0] + end[0]) / 2, start[1]), end]
        for kind, (x, y) in zip(("touchStart", "touchMove", "touchMove"), points, strict=True):
            session.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            )
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        hands.value("#spans", "10:16:PRE")
