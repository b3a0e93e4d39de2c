"""The whole way in real browsers: from a dropped file to a published one, with two annotators."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from tests.cases import cases_beside

pytest.importorskip("playwright", reason="pip install playwright")

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.screenshots import finished_desk
from tests.triage.web.browsers import IN_A_BROWSER, PATIENCE, violations
from tests.triage.web.desks import PAGES, Served, serving
from triage.web import pages
from triage.web.project import Project

CASES = cases_beside(__file__)

pytestmark = [*IN_A_BROWSER, pytest.mark.slow]

Scheme = Literal["light", "dark"]
READER = [f"read/{name}" for name in ("", "only/spelling", "only/disagreement", "list", "status")]
# The machine hides neither of these: a name in no list, and one that is a word.
MESSAGES = CASES["messages"]
# What an owner clicks on beside reading; whatever decides nothing runs by itself.
SEVEN = CASES["clicks"]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "home").mkdir()
    with serving(tmp_path / "home") as running:
        yield running


def _context(browser: Browser, *, width: int = 1280, scheme: Scheme = "light") -> BrowserContext:
    context = browser.new_context(
        locale="fr-FR",
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        # The policy of the pages allows no script but theirs; a checker is one.
        bypass_csp=True,
    )
    context.set_default_timeout(PATIENCE)
    return context


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    context = _context(browser)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(served.link)
    yield page
    context.close()
    assert not problems


class Owner:
    """The owner at a browser, whose clicks beside reading are kept by what they are for."""

    def __init__(self, page: Page, *, has_script: bool = True) -> None:
        self.page = page
        self.clicks: list[str] = []
        self.n_moves = 0
        self._has_script = has_script

    def choose(self, file: Path) -> str:
        """Give a file to the page; return the address of its project."""
        self.clicks.append("choose the file")
        if self._has_script:
            self.page.set_input_files(".drop input", file)
            self.page.wait_for_url("**/import")
        else:
            self.page.fill("input[name=path]", str(file))
            with self.page.expect_navigation():
                self.page.click("form[action='/new'] button")
        return self.page.url.removesuffix("import")

    def click(self, what: str, button: str = "main button.primary") -> None:
        self.clicks.append(what)
        with self.page.expect_navigation():
            self.page.click(button)
        self.wait()

    def go_on(self, where: str = "main a.primary") -> None:
        """Follow what the page says is next, or another link, which opens a page alone."""
        self.n_moves += 1
        with self.page.expect_navigation():
            self.page.click(where)
        self.wait()

    def publish(self, why: str) -> None:
        """Publish, and leave out or say why where the page asks for it."""
        if self.page.locator("input[name=hold]").count():
            self.page.check("input[name=hold]")
        if self.page.locator("textarea").count():
            self.page.fill("textarea", why)
        self.click("publish")

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.wait()

    def wait(self) -> None:
        """Wait until no step runs: without a script by asking again, as the page offers it."""
        if self._has_script:
            self.page.wait_for_selector(".work", state="detached", timeout=90_000)
            self.page.wait_for_load_state("load")
        while self.page.locator(".work").count():
            self.page.wait_for_timeout(200)
            with self.page.expect_navigation():
                self.page.click(".work a.button")


def _corpus(tmp_path: Path) -> Path:
    file = tmp_path / "sms.csv"
    rows = (f'{i},{sender},"{text}"\n' for i, (sender, text) in enumerate(MESSAGES, 1))
    file.write_text("id,sender,text\n" + "".join(rows), encoding="utf-8")
    return file


def _annotator(browser: Browser, page: Page, project: str, name: str) -> Page:
    """Let the owner add an annotator, who opens the link in a browser of their own."""
    page.goto(f"{project}people")
    page.fill("input[name=name]", name)
    page.click("main button.primary")
    link = page.inner_text("#link")
    opened = _context(browser).new_page()
    opened.goto(link)
    return opened


def _answer(page: Page, key: str) -> None:
    """Answer an item with a key, a second time where the word of a TA is asked for."""
    title = page.inner_text("h1")
    page.keyboard.press(key)
    page.wait_for_function(
        "title => document.querySelector('h1').innerText !== title || "
        "document.querySelector('[name=bare]')",
        arg=title,
    )
    if page.locator("[name=bare]").count():
        page.keyboard.press(key)
    expect(page.locator("h1").first).not_to_have_text(title)


def _answer_all(page: Page, reader: str, key: str) -> int:
    """Answer all items of a list with a key; return how many there were."""
    page.goto(reader)
    n = 0
    while page.locator("#message").count():
        _answer(page, key)
        n += 1
    return n


def _published(tmp_path: Path) -> str:
    folder = Project(tmp_path / "home" / "sms").published
    return (folder / "corpus.csv").read_text(encoding="utf-8")


def test_a_dropped_file_is_published(page: Page, browser: Browser, tmp_path: Path) -> None:
    owner = Owner(page)
    project = owner.choose(_corpus(tmp_path))
    expect(page.locator("table.rows")).to_contain_text("Tarek dit que c bon pr samedi")
    owner.click("confirm how it is read")
    page.fill("input[name=max_residue]", "0,05")
    page.fill("input[name=double]", "100")
    owner.click("choose the bound")
    # The slider tells what a bound asks, and the field is the same bound.
    at_most = page.inner_text("#bound-said")
    page.locator("#bound").fill("0.5")
    expect(page.locator("#max-residue")).to_have_value("0,5")
    expect(page.locator("#bound-said")).not_to_have_text(at_most)
    expect(page.locator(".rail [aria-current]")).to_contain_text("à lire")

    # Two annotators, who disagree; the owner rules.
    bruno = _annotator(browser, page, project, "Bruno")
    carla = _annotator(browser, page, project, "Carla")
    assert _answer_all(bruno, f"{project}read/", "t") == 5
    assert _answer_all(carla, f"{project}read/", "n") == 5
    owner.open(f"{project}read")
    owner.click("begin to read", "main a.primary")
    page.goto(f"{project}read/only/spelling")
    while page.locator("#spelling").inner_text().lower() != "zorguinette":
        _answer(page, "s")
    _answer(page, "a")
    expect(page.locator("#said")).to_contain_text("orguinette")
    page.goto(f"{project}read/only/disagreement")
    # The stages beside the message count each ruling.
    expect(page.locator(".rail [aria-current]")).to_contain_text("5 désaccords")
    while page.locator("#answer button[value=TA]").count():
        _answer(page, "t")
    expect(page.locator(".rail [aria-current]")).not_to_contain_text("désaccord")

    # Style and columns; what is held back, because nothing in it can be replaced, is decided.
    owner.open(project)
    expect(page).to_have_url(f"{project}replace")
    page.check("input[value=mask]")
    owner.click("confirm style and columns")
    page.locator("form[action$='replace/held'] button").click()
    # Two read each of them anew: the owner keeps the one that is open before them.
    assert _answer_all(bruno, f"{project}read/only/held", "n") == 2
    assert _answer_all(carla, f"{project}read/only/held", "n") == 1
    page.keyboard.press("n")
    expect(page.locator("#message")).to_have_count(0)
    owner.open(f"{project}replace")
    owner.click("look at what the check left", ".rail a[href$=verify]")
    owner.go_on()
    owner.publish("Lu par deux personnes.")
    assert (owner.clicks, owner.n_moves) == (SEVEN, 1)
    text = _published(tmp_path)
    assert "orguinette" not in text
    assert "06 39 98" not in text
    assert text.count("\n") == 1 + len(MESSAGES)
    expect(page.locator("main")).to_contain_text("corpus.key")


@pytest.fixture(scope="module")
def finished() -> Iterator[Served]:
    """A desk with a project that was read and published."""
    with finished_desk() as running:
        yield running


# Colours are those of a scheme, and what stands where is told by the width.
@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (360, "dark"), (768, "light"), (1280, "dark")]
)
def test_all_is_accessible(browser: Browser, finished: Served, width: int, scheme: Scheme) -> None:
    context = _context(browser, width=width, scheme=scheme)
    page = context.new_page()
    page.goto(finished.link)
    found: dict[str, list[str]] = {"/": violations(page)}
    screens = [f"/project/sample_fr/{name}" for name in [*PAGES, *READER]]
    for screen in ["/project/sample_fr/people", *screens]:
        page.goto(f"{finished.address}{screen}")
        # A stage that is opened starts the steps that it needs, and its page is then loaded anew.
        page.wait_for_selector(".work", state="detached", timeout=90_000)
        page.wait_for_load_state("load")
        found[screen] = violations(page)
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, screen
        if screen.endswith("status"):
            tables = page.locator("main .scroll")
            assert not tables.evaluate_all("of => of.some(e => e.scrollWidth > e.clientWidth)")
    # Beside a message stand marks of parts of words, the guidelines and notes.
    page.goto(f"{finished.address}/project/sample_fr/read/item/1?around=15")
    for key in [*["Shift+ArrowLeft"] * 3, "2", "v", "k"]:
        page.keyboard.press(key)
    expect(page.locator("#guidelines")).to_be_visible()
    found["beside a message"] = violations(page)
    page.keyboard.type("une question")
    for key in ("Tab", "Space", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#said")).to_have_text("Enregistré.")
    found["with a note"] = violations(page)
    # The filters leave the answers in sight.
    page.evaluate("scrollTo(0, 0)")
    page.keyboard.press("/")
    answer = page.locator("#answer button[value=NTA]").bounding_box()
    assert answer
    assert answer["y"] + answer["height"] <= 800
    context.close()
    assert {screen: one for screen, one in found.items() if one} == {}


def test_the_whole_way_without_script(browser: Browser, served: Served, tmp_path: Path) -> None:
    context = browser.new_context(locale="en-GB", java_script_enabled=False)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(served.link)
    owner = Owner(page, has_script=False)
    project = owner.choose(_corpus(tmp_path))
    owner.click("confirm how it is read")
    owner.click("choose the bound")
    owner.click("begin to read", "main a.primary")
    while page.locator("#message").count():
        with page.expect_navigation():
            page.click("#answer button[value=NTA]")
    # The last answer leads there.
    expect(page).to_have_url(f"{project}replace")
    owner.click("confirm style and columns")
    owner.click("look at what the check left", ".rail .next a")
    expect(page.locator("main")).to_contain_text("were checked")
    # Names and a sample can be looked at on the way.
    owner.open(f"{project}replace/names")
    expect(page.locator("main table")).to_contain_text("06 39 98")
    owner.open(f"{project}verify/sample")
    page.click("main button.primary")
    page.click("button[value=no]")
    expect(page.locator("main")).to_contain_text("Messages left unchanged: 2 of ")
    owner.open(f"{project}verify")
    # What may be left is left to be, without a look.
    owner.go_on("main p.row a[href$=publish]")
    owner.publish("To try it without a script.")
    # What the check left was looked at on a page of its own, with a link to publishing.
    assert (owner.clicks, owner.n_moves) == (SEVEN, 1)
    expect(page.locator("main")).to_contain_text("May be shared")
    assert _published(tmp_path).count("\n") == 1 + len(MESSAGES)
    context.close()


def test_a_key_that_is_held_down_answers_once(context: BrowserContext) -> None:
    page, script = context.new_page(), Path(pages.__file__).with_name("static") / "desk.js"
    page.set_content('<main><button data-key="n">No</button></main>')
    page.add_script_tag(content=f"let n = 0; onclick = () => n++; {script.read_text()}")
    for _ in range(3):
        page.keyboard.down("n")
    assert page.evaluate("n") == 1


def test_a_report_is_printed_without_what_is_clicked(browser: Browser, finished: Served) -> None:
    page = _context(browser, scheme="dark").new_page()
    page.goto(finished.link)
    for screen in ("project", "verify", "verify/sample", "publish"):
        page.goto(f"{finished.address}/project/sample_fr/{screen}")
        page.wait_for_selector(".work", state="detached", timeout=90_000)
        page.wait_for_load_state("load")
        page.emulate_media(media="print")
        assert page.locator("h1").first.is_visible()
        for hidden in ("nav", "button", "form", ".terminal", ".reading"):
            assert not page.locator(f"{hidden}:visible").count(), (screen, hidden)
        style = "getComputedStyle(document.body)"
        ground, ink = page.evaluate(f"[{style}.backgroundColor, {style}.color]")
        assert (ground, ink) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)")
        assert 1 <= page.pdf(format="A4").count(b"/Type /Page\n") <= 6
        page.emulate_media(media="screen")
    page.context.close()
