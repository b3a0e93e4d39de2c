"""The whole way in real browsers: from a dropped file to a published one, with two annotators.

A story of desk_browser.toml has steps: what people do there, and what is then to be seen.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.web.stories import stories_of, tell

pytest.importorskip("playwright", reason="pip install playwright")

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.screenshots import finished_desk
from tests.triage.web.browsers import IN_A_BROWSER, PATIENCE, Browsing, violations
from tests.triage.web.desks import PAGES, Served, serving
from triage.web import pages
from triage.web.project import Project

CASES = cases_beside(__file__)

pytestmark = [*IN_A_BROWSER, pytest.mark.slow]

SCREENS = ("people", *PAGES, *(f"read/{name}" for name in CASES["reader"]))


def _context(browser: Browser, **options: Any) -> BrowserContext:
    # The policy of the pages allows no script but theirs; a checker is one.
    usual: dict[str, Any] = {
        "locale": "fr-FR",
        "viewport": {"width": 1280, "height": 800},
        "bypass_csp": True,
    }
    context = browser.new_context(**usual | options)
    context.set_default_timeout(PATIENCE)
    return context


def _settle(page: Page) -> None:
    """Wait until no step runs: without a script by asking again, as the page offers it."""
    while page.locator(".work").count():
        if page.locator(".work noscript").is_visible():
            page.wait_for_timeout(200)
            page.click(".work a.button")
        else:
            page.wait_for_selector(".work", state="detached", timeout=90_000)
    page.wait_for_load_state("load")


class Owner(Browsing):
    """The owner at a browser, who may give links to annotators."""

    def __init__(self, page: Page, project: str = "sms", folder: Path | None = None) -> None:
        self.page, self.project, self.folder = page, project, folder or Path()
        self.others: dict[str, Owner] = {}

    def drop(self) -> None:
        self.page.set_input_files(".drop input", self.folder / "sms.csv")
        self.comes_to("**/import")

    def type_path(self) -> None:
        self.fill("input[name=path]", str(self.folder / "sms.csv"))

    def go(self, place: str) -> None:
        """Click on what leads to a page, and wait for the steps that run there."""
        with self.page.expect_navigation():
            self.click(place)
        _settle(self.page)

    def see(self, path: str) -> None:
        server = "/".join(self.page.url.split("/")[:3])
        self.page.goto(f"{server}/project/{self.project}/{path}")
        _settle(self.page)

    def gives_link(self, name: str) -> None:
        """Add an annotator, who opens the link in a browser of their own."""
        self.see("people")
        self.fill("input[name=name]", name)
        self.go("main button.primary")
        browser = self.page.context.browser
        assert browser
        self.others[name] = Owner(_context(browser).new_page())
        self.others[name].page.goto(self.page.inner_text("#link"))

    def answer(self, key: str) -> None:
        """Answer an item with a key, a second time where the word of a TA is asked for."""
        title, bare = self.page.inner_text("h1"), self.place("[name=bare]")
        self.press(key)
        place = "document.querySelector('h1').innerText"
        asked = "document.querySelector('[name=bare]')"
        self.page.wait_for_function(f"title => {place} !== title || {asked}", arg=title)
        if bare.count():
            self.press(key)
        expect(self.place("h1").first).not_to_have_text(title)

    def answer_all(self, key: str, n: int, name: str = "", path: str = "") -> None:
        """Answer all items of a list with a key, as somebody; tell how many there are."""
        reader = self.others.get(name, self)
        reader.see(f"read/{path}")
        while reader.place("#answer button[value=TA]").count():
            reader.answer(key)
            n -= 1
        assert n == 0

    def pass_to(self, spelling: str) -> None:
        while self.page.inner_text("#spelling").lower() != spelling:
            self.answer("s")

    def click_to_the_end(self, place: str) -> None:
        while self.place(place).count():
            self.go(place)

    def is_accessible(self) -> None:
        assert violations(self.page) == [], self.page.url
        self.fits("html")

    def fits(self, place: str) -> None:
        wide = "of => of.some(e => e.scrollWidth > e.clientWidth)"
        assert not self.place(place).evaluate_all(wide), self.page.url

    def is_published(self, *hidden: str) -> None:
        """Tell that all messages are published, without some words."""
        text = (Project(self.folder / "home" / "sms").published / "corpus.csv").read_text()
        assert text.count("\n") == 1 + len(CASES["messages"])
        assert [one for one in hidden if one in text] == []


@contextmanager
def _owner(browser: Browser, folder: Path, **options: Any) -> Iterator[Owner]:
    (folder / "home").mkdir()
    rows = (f'{i},{of},"{text}"\n' for i, (of, text) in enumerate(CASES["messages"], 1))
    (folder / "sms.csv").write_text("id,sender,text\n" + "".join(rows), encoding="utf-8")
    with serving(folder / "home") as served:
        page, problems = _context(browser, **options).new_page(), list[str]()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(served.link)
        yield Owner(page, folder=folder)
        page.context.close()
        assert not problems


@pytest.fixture
def owner(browser: Browser, tmp_path: Path) -> Iterator[Owner]:
    with _owner(browser, tmp_path) as opened:
        yield opened


@pytest.fixture
def scriptless(browser: Browser, tmp_path: Path) -> Iterator[Owner]:
    with _owner(browser, tmp_path, locale="en-GB", java_script_enabled=False) as opened:
        yield opened


@pytest.mark.parametrize(("of", "steps"), stories_of(CASES["stories"]))
def test_stories(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(request.getfixturevalue(of), steps)


@pytest.fixture(scope="module")
def finished() -> Iterator[Served]:
    """A desk with a project that was read and published."""
    with finished_desk() as running:
        yield running


def _visitor(browser: Browser, finished: Served, **options: Any) -> Owner:
    page = _context(browser, **options).new_page()
    page.goto(finished.link)
    return Owner(page, "sample_fr")


# Colours are those of a scheme, and what stands where is told by the width.
@pytest.mark.parametrize(("width", "scheme"), CASES["looks"])
def test_all_is_accessible(browser: Browser, finished: Served, width: int, scheme: str) -> None:
    size = {"width": width, "height": 800}
    visitor = _visitor(browser, finished, viewport=size, color_scheme=scheme)
    visitor.is_accessible()
    for screen in SCREENS:
        visitor.see(screen)
        visitor.is_accessible()
    tell(visitor, CASES["beside_a_message"])
    visitor.page.context.close()


def test_a_key_that_is_held_down_answers_once(context: BrowserContext) -> None:
    page, script = context.new_page(), Path(pages.__file__).with_name("static") / "desk.js"
    page.set_content('<main><button data-key="n">No</button></main>')
    page.add_script_tag(content=f"let n = 0; onclick = () => n++; {script.read_text()}")
    for _ in range(3):
        page.keyboard.down("n")
    assert page.evaluate("n") == 1


def test_a_report_is_printed_without_what_is_clicked(browser: Browser, finished: Served) -> None:
    visitor = _visitor(browser, finished, color_scheme="dark")
    for screen in ("project", "verify", "verify/sample", "publish"):
        visitor.see(screen)
        page = visitor.page
        page.emulate_media(media="print")
        assert page.locator("h1").first.is_visible()
        for hidden in ("nav", "button", "form", ".terminal", ".reading"):
            assert not page.locator(f"{hidden}:visible").count(), (screen, hidden)
        style = "getComputedStyle(document.body)"
        ground, ink = page.evaluate(f"[{style}.backgroundColor, {style}.color]")
        assert (ground, ink) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)")
        assert 1 <= page.pdf(format="A4").count(b"/Type /Page\n") <= 6
        page.emulate_media(media="screen")
    visitor.page.context.close()
