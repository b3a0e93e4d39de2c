"""The whole way in real browsers: from a dropped file to a published one, with two annotators."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from tests.cases import cases_beside

pytest.importorskip(
    "playwright", reason="the browser tests need playwright: pip install playwright"
)

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.desk_pictures import finished_desk
from tests.triage.desk.desks import Served, serving_desk
from tests.triage.review.browsers import (
    IN_A_BROWSER,
    find_browser,
    running_browser,
    violations,
)
from triage.web.project import Project

CASES = cases_beside(__file__)

pytestmark = [*IN_A_BROWSER, pytest.mark.slow]

Scheme = Literal["light", "dark"]
PAGES = [
    "project",
    "import",
    "read",
    "replace",
    "replace/names",
    "verify",
    "verify/sample",
    "publish",
]
READER = [f"read/{name}" for name in ("", "only/spelling", "only/disagreement", "list", "status")]
# The machine hides neither of these: a name in no list, and one that is a word.
MESSAGES = CASES["messages"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser(find_browser() or "") as running:
        yield running


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "home").mkdir()
    with serving_desk(tmp_path / "home") as running:
        yield running


def _context(browser: Browser, *, width: int = 1280, scheme: Scheme = "light") -> BrowserContext:
    context = browser.new_context(
        locale="fr-FR",
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        # The policy of the pages allows no script but theirs; a checker is one.
        bypass_csp=True,
    )
    context.set_default_timeout(20_000)
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


def _run(page: Page, button: str = "button.primary") -> None:
    with page.expect_navigation():
        page.click(button)
    page.wait_for_selector(".work", state="detached", timeout=90_000)
    page.wait_for_load_state("load")


def _dropped(page: Page, file: Path) -> str:
    """Give a file to the page; return the address of its project."""
    page.set_input_files(".drop input", file)
    page.wait_for_url("**/import")
    return page.url.removesuffix("import")


def _next_step(page: Page, project: str, button: str = "button.primary") -> None:
    page.goto(project)
    _run(page, f".stages li[aria-current] {button}")


def _corpus(tmp_path: Path) -> Path:
    file = tmp_path / "sms.csv"
    rows = (f'{i},{sender},"{text}"\n' for i, (sender, text) in enumerate(MESSAGES, 1))
    file.write_text("id,sender,text\n" + "".join(rows), encoding="utf-8")
    return file


def _annotator(browser: Browser, page: Page, project: str, name: str) -> Page:
    """Let the owner add an annotator, who opens the link in a browser of their own."""
    page.goto(f"{project}people")
    page.fill("input[name=name]", name)
    page.click("form.inline button.primary")
    link = page.inner_text(".note code")
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


def _answer_all(page: Page, project: str, key: str) -> int:
    """Answer all items with a key; return how many there were."""
    page.goto(f"{project}read/")
    n = 0
    while page.locator("#message").count():
        _answer(page, key)
        n += 1
    return n


def test_from_a_dropped_file_to_a_published_one(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    project = _dropped(page, _corpus(tmp_path))
    folder = Project(tmp_path / "home" / "sms")

    # Import and triage; two annotators answer all.
    expect(page.locator("table.rows")).to_contain_text("Tarek dit que c bon pr samedi")
    page.click("button.primary")
    # The slider tells what a bound asks, and the field is the same bound.
    at_most = page.inner_text("#bound-said")
    page.locator("#bound").fill("0.5")
    expect(page.locator("#max-residue")).to_have_value("0.5")
    expect(page.locator("#bound-said")).not_to_have_text(at_most)
    page.fill("input[name=max_residue]", "0,05")
    page.fill("input[name=double]", "100")
    _run(page)
    expect(page.locator("section table")).to_contain_text("à lire")
    _next_step(page, project)

    # Two annotators, who disagree.
    bruno = _annotator(browser, page, project, "Bruno")
    carla = _annotator(browser, page, project, "Carla")
    n = _answer_all(bruno, project, "t")
    assert n == _answer_all(carla, project, "n") > 0
    page.goto(project)
    expect(page.locator(".figures")).to_contain_text("désaccord")
    page.goto(f"{project}read/only/disagreement")
    while page.locator("#answer button[value=TA]").count():
        _answer(page, "t")

    # A round of mining: a spelling that is always a name.
    page.goto(f"{project}read/only/spelling")
    while page.locator("#spelling").inner_text().lower() != "zorguinette":
        with page.expect_response(re.compile("/spelling$")):
            page.keyboard.press("s")
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("orguinette")

    # Replace; a message that is held back, because nothing in it can be replaced, is decided.
    page.goto(project)
    _run(page, ".stages li[aria-current] form button")
    page.goto(f"{project}replace")
    page.check("input[value=mask]")
    _run(page)
    held = page.get_by_text("Décider maintenant")
    expect(held).not_to_have_count(0)
    while held.count():
        held.first.click()
        name = page.locator("#message button.w", has_text="zorguinette")
        page.wait_for_selector("#message")
        is_name = name.count() > 0
        if is_name:
            name.click()
        with page.expect_response(re.compile("/(decide|rule)$")):
            page.keyboard.press("t" if is_name else "n")
        page.goto(project)
        _run(page, ".stages li[aria-current] form button")
        page.goto(f"{project}replace")
        _run(page)

    # Publishing is locked until the check was made.
    page.goto(f"{project}publish")
    expect(page.locator("main")).to_contain_text("verrouillée")
    page.goto(f"{project}check")
    _run(page)
    page.goto(f"{project}publish")
    if page.locator("input[name=hold]").count():
        page.check("input[name=hold]")
    if page.locator("textarea").count():
        page.fill("textarea", "Lu par deux personnes.")
    _run(page, "main form button")
    text = (folder.published / "corpus.csv").read_text(encoding="utf-8")
    assert "orguinette" not in text
    assert "06 39 98" not in text
    assert text.count("\n") == 1 + len(MESSAGES)
    expect(page.locator("main")).to_contain_text("corpus.key")


@pytest.fixture(scope="module")
def finished() -> Iterator[Served]:
    """A desk with a project that was read and published."""
    with finished_desk() as running:
        yield running


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_every_screen_is_accessible(
    browser: Browser, finished: Served, width: int, scheme: Scheme
) -> None:
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
    context.close()
    assert {screen: one for screen, one in found.items() if one} == {}


def _wait_without_script(page: Page) -> None:
    """Ask again until no step runs, as the page offers it without a script."""
    while page.locator(".work").count():
        page.click("text=Actualiser")


def test_a_corpus_goes_the_whole_way_without_script(
    browser: Browser, served: Served, tmp_path: Path
) -> None:
    context = browser.new_context(locale="fr-FR", java_script_enabled=False)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(served.link)
    page.fill("input[name=path]", str(_corpus(tmp_path)))
    page.click("form[action='/new'] button")
    page.click("button.primary")
    project = page.url.removesuffix("read")
    page.click("button.primary")
    _wait_without_script(page)
    for start, button in (
        (project, ".stages li[aria-current] button.primary"),
        (project, ".stages li[aria-current] form button"),
        (f"{project}names", "main form button"),
        (f"{project}replace", "button.primary"),
        (project, ".stages li[aria-current] form button"),
    ):
        page.goto(start)
        page.click(button)
        _wait_without_script(page)
    page.goto(f"{project}quality")
    page.click("button.primary")
    page.click("button[value=no]")
    expect(page.locator("main")).to_contain_text("Si vous publiez")
    page.goto(f"{project}publish")
    if page.locator("input[name=hold]").count():
        page.check("input[name=hold]")
    if page.locator("textarea").count():
        page.fill("textarea", "Pour un essai sans script.")
    page.click("main form button")
    _wait_without_script(page)
    expect(page.locator("main")).to_contain_text("corpus.csv")
    context.close()


@pytest.mark.parametrize("screen", ["project", "verify", "verify/sample", "publish"])
def test_a_report_is_printed_without_what_cannot_be_used_on_paper(
    browser: Browser, finished: Served, screen: str
) -> None:
    context = _context(browser, scheme="dark")
    page = context.new_page()
    page.goto(finished.link)
    page.goto(f"{finished.address}/project/sample_fr/{screen}")
    page.emulate_media(media="print")
    assert page.locator("h1").first.is_visible()
    for hidden in ("nav", "button", "form", ".terminal", ".reading"):
        assert not page.locator(f"{hidden}:visible").count(), hidden
    ground, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (ground, ink) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)")
    pages = page.pdf(format="A4").count(b"/Type /Page\n")
    assert 1 <= pages <= 6
    context.close()
