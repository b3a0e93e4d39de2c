"""Marking in a real browser: parts of words, by mouse, finger and keys; and that nothing moves."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.web.queues import make_queue, standing
from triage import Triage
from triage.queue import Answer, Filters, Queue, Span, State
from triage.vocabulary import IdentifierType

pytest.importorskip("playwright", reason="pip install playwright")

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.triage.web.browsers import IN_A_BROWSER, logged_in, on_a_phone

pytestmark = IN_A_BROWSER
CASES = cases_beside(__file__)
MESSAGES = [("7", text) for text in CASES["messages"]]
GLUED, EMOJI, PLAIN, LONG = range(1, 5)


@pytest.fixture(scope="module")
def full_queue(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    return make_queue(tmp_path_factory.mktemp("marking") / "full.queue", shipped, MESSAGES)


def _open(context: BrowserContext, address: str, item: int) -> Page:
    page = logged_in(context, address, f"/item/{item}")
    # The marks that the program suggests are taken away.
    marked = page.locator("#message button[data-mark]")
    while marked.count():
        marked.first.click()
    expect(page.locator("#spans")).to_have_value("")
    return page


def _word(page: Page, text: str) -> Locator:
    return page.locator("#message button", has_text=text).first


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


def _drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def test_dragging_marks_parts_of_words(context: BrowserContext, address: str, queue: Queue) -> None:
    page = _open(context, address, GLUED)
    word = _word(page, "chezmarinestp")
    word.click()
    expect(page.locator("#spans")).to_have_value("6:19:PRE")
    # The part takes the place of the mark of the word; a click takes it away.
    for is_last in (False, True):
        _drag(page, _edge(word, 4), _edge(word, 10))
        expect(page.locator("#spans")).to_have_value("10:16:PRE")
        if not is_last:
            word.locator(".part").click()
            expect(page.locator("#spans")).to_have_value("")
    expect(word.locator(".part")).to_have_text("marine")
    expect(page.locator("#panel-word")).to_have_text("marine")
    page.keyboard.press("3")
    expect(page.locator("#spans")).to_have_value("10:16:SUR")
    # What is chosen is announced.
    expect(page.locator("#live")).to_have_text("marine SUR")
    page.keyboard.press("t")
    expect(page.locator("#said")).to_have_text("TA noté.")
    assert standing(queue, GLUED).spans == (Span(10, 16, IdentifierType.SUR),)


def test_dragging_back_marks_from_letter_to_letter(context: BrowserContext, address: str) -> None:
    page = _open(context, address, EMOJI)
    _drag(page, _edge(_word(page, "Lilas"), 5), _edge(_word(page, "Zoé"), 1))
    start = MESSAGES[1][1].index("oé")
    end = MESSAGES[1][1].index("Lilas") + 5
    expect(page.locator("#spans")).to_have_value(f"{start}:{end}:PRE")
    expect(page.locator("#message .p.joined")).to_have_text("(")


@pytest.mark.parametrize(("keys", "spans"), CASES["keys"])
def test_keys_mark_a_part_of_a_word(
    context: BrowserContext, address: str, keys: list[list[Any]], spans: str
) -> None:
    page = _open(context, address, GLUED)
    _word(page, "chezmarinestp").focus()
    for key, n in keys:
        for _ in range(n):
            page.keyboard.press(key)
    expect(page.locator("#spans")).to_have_value(spans)


def _places(page: Page) -> list[list[float]]:
    found: list[list[float]] = page.evaluate(
        """[...document.querySelectorAll('#message, #message [data-s], #panel, .answers button')]
        .filter(e => e.id !== 'take')
        .map(e => e.getBoundingClientRect()).map(b => [b.x, b.y, b.width, b.height])"""
    )
    return found


@pytest.mark.parametrize("width", [360, 900])
def test_nothing_moves_with_marks(browser: Browser, address: str, width: int) -> None:
    context = browser.new_context(locale="fr-FR", viewport={"width": width, "height": 800})
    page = _open(context, address, LONG)
    words = page.locator("#message button", has_text="rose")
    before = _places(page)
    for word in words.all():
        word.click()
    expect(page.locator("#message [data-mark]")).to_have_count(4)
    assert _places(page) == before
    for word in words.all():
        word.click()
    expect(page.locator("#message [data-mark]")).to_have_count(0)
    assert _places(page) == before
    context.close()


def test_a_finger_that_moves_along_a_line_marks_letters(browser: Browser, address: str) -> None:
    with on_a_phone(browser) as context:
        page = _open(context, address, GLUED)
        word = _word(page, "chezmarinestp")
        start, end = _edge(word, 4), _edge(word, 10)
        session = context.new_cdp_session(page)
        points = [start, ((start[0] + end[0]) / 2, start[1]), end]
        for kind, (x, y) in zip(("touchStart", "touchMove", "touchMove"), points, strict=True):
            session.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            )
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(page.locator("#spans")).to_have_value("10:16:PRE")


def test_keys_write_notes_and_answer(context: BrowserContext, address: str, queue: Queue) -> None:
    page = _open(context, address, PLAIN)
    page.keyboard.press("k")
    expect(page.locator("#note")).to_be_focused()
    page.keyboard.type("tns ?")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_have_text("Enregistré.")
    assert not queue.history()
    [question] = queue.notes("anna")
    assert (question.item, question.text) == (PLAIN, "tns ?")
    assert queue.rows("anna", Filters(state=State.OPEN))
    page.locator("#message").focus()
    page.keyboard.press("v")
    drawer = page.locator("#guidelines")
    expect(drawer).to_contain_text("Ce qu’il faut marquer")
    expect(drawer).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("#said")).to_have_text("NTA noté.")
    expect(drawer).to_be_visible()
    page.keyboard.press("v")
    expect(drawer).to_be_hidden()
    assert queue.history()[0].answer is Answer.NTA
