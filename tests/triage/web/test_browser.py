"""The page in a real browser, with a real server: keys, marks, readers, phones, power cuts."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.triage.web.desks import serving
from tests.triage.web.queues import find, make_queue, many, standing
from triage import Triage
from triage.queue import Answer, Queue, WordRule
from triage.web.project import Project

pytest.importorskip("playwright", reason="pip install playwright")

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.triage.web.browsers import IN_A_BROWSER, PHONE, logged_in, on_a_phone, serving_here

pytestmark = IN_A_BROWSER
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


def test_the_way_back_leads_to_what_was_answered(context: BrowserContext, long_path: Path) -> None:
    with serving(long_path, "server") as server:
        page, seen = logged_in(context, server.link), list[str]()
        for _ in range(3):
            seen.append(_number(page))
            _step(page, "n")
        for number in reversed(seen):
            page.go_back()
            page.wait_for_function(
                "n => document.querySelector('#answer').item.value === n", arg=number
            )
            assert page.url.endswith(f"/item/{number}")
            expect(page.locator(".about-message")).to_contain_text("Rien à anonymiser")
        page.go_forward()
        page.wait_for_function(
            "n => document.querySelector('#answer').item.value === n", arg=seen[1]
        )


def test_spellings_by_keyboard_alone(context: BrowserContext, address: str, queue: Queue) -> None:
    page = logged_in(context, address, "/only/spelling")
    shown, said = page.locator("#spelling"), page.locator("#said")
    first = shown.inner_text()
    page.keyboard.press("a")
    expect(said).to_contain_text(f"« {first} », toujours un nom")
    second = shown.inner_text()
    page.keyboard.press("x")
    expect(said).to_contain_text(f"« {second} », jamais un nom")
    assert {rule for rule, _ in queue.word_rules().values()} == {WordRule.ALWAYS, WordRule.NEVER}
    page.keyboard.press("u")
    expect(said).to_contain_text(f"Annulé : « {second} »")
    expect(shown).to_have_text(second)
    page.keyboard.press("s")
    expect(said).to_have_text("Passé.")
    third = shown.inner_text()
    page.keyboard.press("h")
    page.wait_for_url("**/list")
    expect(page.locator("td.text").first).to_contain_text(third)
    assert first.lower() in "".join(queue.word_lists()[0]).lower()


def test_the_order_of_the_focus(context: BrowserContext, address: str, queue: Queue) -> None:
    page = logged_in(context, address, f"/item/{find(queue, 'kevinn')}")
    places = {"#message": "word", "#panel": "panel", ".answers": "answers", "header": "top"}
    places |= {".reasons": "reasons", ".beside": "beside"}
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                "places => (e => { for (const [at, name] of Object.entries(places)) "
                "if (e.closest(at)) return name; "
                "return e.className || e.tagName; })(document.activeElement)",
                places,
            )
        )
    stops = [stop for i, stop in enumerate(seen) if i == 0 or stop != seen[i - 1]]
    expected = ["skip-link", "top", "reasons", "SUMMARY", "beside", "word", "SUMMARY", "panel"]
    assert stops[: len(expected) + 1] == [*expected, "answers"]
    assert seen[: seen.index("answers")].count("word") == 1


def test_marks_by_keyboard(context: BrowserContext, address: str, queue: Queue) -> None:
    number = find(queue, "Nimes")
    item = queue.item(number)
    assert item
    page = logged_in(context, address, f"/item/{number}")
    for mark in range(len(item.suggested_spans)):
        del mark
        page.locator("#message [data-mark]").first.focus()
        page.keyboard.press("Space")
    # Both votes say TA.
    expect(page.locator("#take")).to_be_hidden()
    page.locator("#message button", has_text="voit").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#message button:focus")).to_have_text("Nimes")
    page.keyboard.press("5")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel-word")).to_have_text("Jean")
    # The digits of a French keyboard, without Shift.
    page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'é', code: 'Digit2', bubbles: true, cancelable: true}))"
    )
    page.keyboard.press("j")
    expect(page.locator("#take-marked")).to_have_text("2 identifiants")
    _step(page, "Enter")
    text = item.text
    marks = [(text[s.start : s.end], s.type.value) for s in standing(queue, number).spans]
    assert marks == [("Nimes", "LIE"), ("Jean Morel-Duval", "NOM")]
    page.goto(f"{address}/item/{number}")
    expect(page.locator("#message .joined")).to_have_count(1)
    page.locator("#message button", has_text="Jean").click()
    expect(page.locator("#message [data-mark]")).to_have_count(1)


def test_no_key_releases_alone(context: BrowserContext, tmp_path: Path, shipped: Triage) -> None:
    path = make_queue(tmp_path / "q", shipped, [("1", "on mange a midi")], vote_ta=1)
    with serving_here(path) as address, Queue.open(path) as queue:
        page = logged_in(context, address)
        expect(page.locator("#take-what")).to_have_text("TA")
        page.locator("#message [data-mark]").focus()
        page.keyboard.press("Space")
        expect(page.locator("#take")).to_be_hidden()
        expect(page.locator("#no-take")).to_contain_text("pas de proposition")
        page.keyboard.press("Enter")
        expect(page.locator("#live")).to_contain_text("pas de proposition")
        assert not queue.history()
        page.keyboard.press("Space")
        expect(page.locator("#take")).to_be_visible()
        page.keyboard.press("Space")
        page.keyboard.press("n")
        expect(page.locator("#said")).to_have_text("NTA noté.")
        page.keyboard.press("u")
        expect(page.locator("#said")).to_have_text("Annulé : NTA.")
        expect(page.locator("#message [data-mark]")).to_have_count(0)
        expect(page.locator("#take")).to_be_hidden()


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


def test_other_keys_decide_nothing(context: BrowserContext, address: str, queue: Queue) -> None:
    page = logged_in(context, address)
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("tnsu")
    expect(page.locator("#search")).to_have_value("tnsu")
    page.locator("#message").focus()
    for key in ("Control+t", "Alt+n", "Meta+s"):
        page.keyboard.press(key)
    page.evaluate(
        "for (const key of ['t', 'Enter', 'n']) document.body.dispatchEvent(new KeyboardEvent("
        "'keydown', {key, code: 'Key', repeat: true, bubbles: true, cancelable: true}))"
    )
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("t")
    page.locator("#keys-on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    page.wait_for_timeout(200)
    assert not queue.history()
    page.locator("[data-opens=help]").click()
    page.locator("#keys-on").check()
    page.keyboard.press("Escape")
    # Enter presses the control that has the focus.
    page.locator(".answers [value=SKIP]").focus()
    _step(page, "Enter")
    assert queue.history()[0].answer is Answer.SKIP


def test_a_word_for_all_messages(context: BrowserContext, address: str, queue: Queue) -> None:
    page = logged_in(context, address)
    number = find(queue, "rose fanee")
    page.goto(f"{address}/item/{number}")
    page.locator("#message button", has_text="rose").focus()
    page.keyboard.press("x")
    dialog = page.locator("#dialog")
    expect(dialog).to_contain_text("« rose », jamais un nom ?")
    expect(dialog).to_contain_text("2 textes à décider (2 messages)")
    page.keyboard.press("Escape")
    assert queue.word_lists() == ([], [])
    page.keyboard.press("x")
    expect(dialog.locator(".primary")).to_be_focused()
    _step(page, "Enter")
    expect(dialog).to_be_hidden()
    assert queue.word_lists() == ([], ["rose"])
    assert queue.progress("anna").decided == 1
    _step(page, "u")
    assert queue.progress("anna").decided == 0


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


def test_what_is_out_of_date_is_loaded_anew(context: BrowserContext, address: str) -> None:
    page = logged_in(context, address)
    other = logged_in(context, address, f"/item/{_number(page)}")
    other.keyboard.press("n")
    expect(other.locator("#said")).to_have_text("NTA noté.")
    page.keyboard.press("t")
    expect(page.locator("#retry")).to_be_hidden()
    page.locator("#reload").click()
    expect(page.locator("#banner")).to_be_hidden()


def test_bulk_work_in_the_table(context: BrowserContext, address: str, queue: Queue) -> None:
    page = logged_in(context, address)
    page.get_by_role("link", name="Liste").click()
    page.wait_for_url("**/list")
    page.keyboard.press("/")
    page.keyboard.type("rose")
    page.keyboard.press("Enter")
    expect(page.locator("[name=items]")).to_have_count(2)
    assert "rose" not in page.url
    page.locator("#choose-all").check()
    expect(page.locator("#chosen")).to_have_text("2")
    page.locator(".answers [value=TA]").click()
    expect(page.locator("#said")).to_have_text("TA (2 textes) noté.")
    assert queue.progress("anna").decided == 2
    with page.expect_navigation():
        page.locator("[formaction='/undo']").click()
    expect(page.locator("[name=items]")).to_have_count(2)
    assert queue.progress("anna").decided == 0


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


def test_types_are_seen_on_a_phone(context: BrowserContext, address: str, queue: Queue) -> None:
    page = logged_in(context, address)
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(f"{address}/item/{find(queue, 'fanee')}")
    types, answers = (page.locator(of).bounding_box() for of in (".types:visible", "#answer"))
    assert types
    assert answers
    assert types["y"] + types["height"] <= answers["y"] <= 640 - answers["height"]
    page.goto(f"{address}/only/spelling")
    answers = page.locator("#answer").bounding_box()
    assert answers
    assert answers["y"] + answers["height"] <= 640


def test_what_is_read_is_seen_without_scrolling(context: BrowserContext, queue_path: Path) -> None:
    with Queue.open(queue_path) as queue:
        for name, answer in (("marc", Answer.TA), ("zoé", Answer.NTA)):
            queue.decide(name, 9, answer)
    with serving_here(queue_path) as address:
        page = logged_in(context, address)
        for path in ("/item/2", "/item/9", "/only/spelling"):
            page.goto(address + path)
            assert page.evaluate("document.documentElement.scrollHeight") <= 800, path
            seen = page.evaluate(
                "[...document.querySelectorAll('#message, #answer button:not([hidden])')]"
                ".map(e => e.getBoundingClientRect().bottom)"
            )
            assert max(seen) <= 800, path
