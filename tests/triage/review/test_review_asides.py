"""Notes, guidelines, conversations, drafts, the end, and what of it others may see."""

import re
import stat
from html import unescape

import pytest
from starlette.routing import Router

from tests.triage.review.queues import (
    HOSTILE,
    MESSAGES,
    ORIGIN,
    PORT,
    SITE,
    TOKEN,
    TestClient,
    client_of,
    field,
    fields,
    guarded,
)
from triage.queue import Answer, Filters, Queue, Span, State
from triage.review.app import Review
from triage.review.guidelines import blocks
from triage.review.rendering import Renderer
from triage.review.security import Guard, Hosts
from triage.review.sessions import Sessions
from triage.vocabulary import IdentifierType

PRE, LIE = IdentifierType.PRE, IdentifierType.LIE
HEADERS = {"Origin": ORIGIN}
STEP = ["csrf", "item", "seen", "spans", "last"]


def _find(queue: Queue, word: str) -> int:
    return queue.rows("anna", Filters(state=State.ALL, word=word))[0].number


def _post(client: TestClient, path: str, **data: str) -> str:
    response = client.post(path, data=data, headers=HEADERS)
    assert response.status_code == 200, response.text
    return str(response.text)


def _step(client: TestClient, path: str, to: str = "/decide", **changed: str) -> str:
    form = fields(client.get(path).text, [*STEP, "back"])
    return _post(client, to, **(form | changed))


def _as(queue: Queue, annotator: str) -> TestClient:
    return client_of(guarded(queue, annotator))


def _limited(queue: Queue, **rights: object) -> TestClient:
    """Return Carla, on a page with other rights than those of who starts it."""
    renderer = Renderer("carla")
    review = Review(queue, "carla", renderer, adjudicate_own=False, **rights)  # type: ignore[arg-type]
    guard = Guard(Router(review.routes()), Sessions(TOKEN), Hosts(SITE, PORT), renderer)
    return client_of(guard)


# Parts of words


def test_a_mark_on_a_part_of_a_word_is_shown_there_and_kept(
    client: TestClient, queue: Queue
) -> None:
    number = _find(queue, "jarrive")
    _step(client, f"/item/{number}", answer="TA", spans="5:11:PRE")
    html = client.get(f"/item/{number}").text
    assert 'tabindex="-1">j<span class="part" data-mark="PRE">arrive</span></button>' in html
    item = queue.item(number)
    assert item
    assert item.standing[0].spans == (Span(5, 11, PRE),)


def test_a_mark_that_covers_signs_between_words_is_shown_on_all_of_it(
    client: TestClient, queue: Queue
) -> None:
    number = _find(queue, "Maëlle viens")
    _step(client, f"/item/{number}", answer="TA", spans="7:17:PRE")
    html = client.get(f"/item/{number}").text
    marked = re.findall(r'class="(?:w|p)[^"]*" data-s="(\d+)" data-e="\d+" data-mark="PRE"', html)
    assert marked == ["7", "13", "15"]


# Drafts


def test_marks_of_a_skipped_message_are_there_when_it_comes_back(
    client: TestClient, queue: Queue
) -> None:
    number = _find(queue, "fanee")
    _step(client, f"/item/{number}", answer="SKIP", spans="0:2:LIE")
    assert field(client.get(f"/item/{number}").text, "spans") == "0:2:LIE"


def test_marks_of_the_message_that_is_left_by_undo_are_kept(
    client: TestClient, queue: Queue
) -> None:
    left = _find(queue, "Solveig")
    _step(client, f"/item/{_find(queue, 'fanee')}", answer="NTA")
    _step(client, f"/item/{left}", "/undo", spans="0:2:LIE")
    assert field(client.get(f"/item/{left}").text, "spans") == "0:2:LIE"


def test_marks_of_several_undone_decisions_are_kept(client: TestClient, queue: Queue) -> None:
    numbers = [_find(queue, word) for word in ("fanee", "Solveig")]
    for number in numbers:
        _step(client, f"/item/{number}", answer="NTA", spans="0:2:LIE")
    for _ in numbers:
        _step(client, "/", "/undo")
    for number in numbers:
        assert field(client.get(f"/item/{number}").text, "spans") == "0:2:LIE"


# Notes


def test_a_note_is_kept_with_the_answer(client: TestClient, queue: Queue) -> None:
    number = _find(queue, "fanee")
    _step(client, f"/item/{number}", answer="NTA", note="une fleur", asks="1")
    [note] = queue.notes(number, "anna")
    assert (note.annotator, note.text, note.asks) == ("anna", "une fleur", True)


def test_a_note_alone_leaves_the_message_open_and_its_marks(
    client: TestClient, queue: Queue
) -> None:
    number = _find(queue, "fanee")
    html = _step(client, f"/item/{number}", "/note", note="fleur ?", spans="0:2:LIE")
    assert "Note gardée." in html
    assert field(html, "spans") == "0:2:LIE"
    assert ">\nfleur ?</textarea>" in html
    assert queue.history() == []


def test_a_note_is_escaped_and_others_read_it(queue: Queue) -> None:
    number = _find(queue, "fanee")
    queue.note("marc", number, HOSTILE, asks=True)
    for path in (f"/item/{number}", "/status"):
        html = _as(queue, "anna").get(path).text
        assert "<img src=x" not in html
        assert HOSTILE in unescape(html)
        assert "demande un avis" in html


def test_an_undo_keeps_the_note_that_was_being_written(client: TestClient, queue: Queue) -> None:
    number = _find(queue, "fanee")
    _step(client, f"/item/{number}", "/undo", note="à revoir")
    assert [note.text for note in queue.notes(number, "anna")] == ["à revoir"]


# Conversations


def test_more_of_the_conversation_can_be_asked_for(client: TestClient, queue: Queue) -> None:
    number = _find(queue, "ok")
    short, long = (client.get(f"/item/{number}{query}").text for query in ("", "?around=15"))
    assert f'href="/item/{number}?around=15"' in short
    assert "Tarek" in long
    assert "around=15" not in long
    assert client.get(f"/item/{number}?around=x").status_code == 404


# Guidelines


def test_the_guidelines_of_the_program_are_in_the_language_of_the_page(queue: Queue) -> None:
    for language, words in (("fr", "Ce qu’il faut marquer"), ("en", "What to mark")):
        html = client_of(guarded(queue), language=language).get("/guidelines").text
        assert words in html
        for type_ in IdentifierType:
            assert f"<b>{type_.value}</b>" in html


def test_guidelines_are_changed_and_read_beside_a_message(client: TestClient, queue: Queue) -> None:
    page = client.get("/guidelines").text
    seen, csrf = _hidden(page, "seen"), _hidden(page, "csrf")
    html = _post(client, "/guidelines", csrf=csrf, seen=seen, text=f"# Noms\r\n\r\n{HOSTILE}")
    assert "Consignes gardées." in html
    aside = client.get("/guidelines", headers={"X-Fragment": "1"}).text
    assert "<h2>Noms</h2>" in aside
    assert "<h1" not in aside
    assert "<script>alert" not in aside
    path = queue.path.with_name("guidelines.md")
    assert path.read_text(encoding="utf-8").startswith("# Noms\n\n<script>")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = client.post(
        "/guidelines", data={"csrf": csrf, "seen": seen, "text": "x"}, headers=HEADERS
    )
    assert again.status_code == 409


def _hidden(html: str, name: str) -> str:
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', html)
    assert found
    return found[1]


def test_guidelines_are_changed_by_those_who_may(queue: Queue) -> None:
    carla = _limited(queue, may_edit=False)
    html = carla.get("/guidelines").text
    assert "<textarea" not in html
    form = {"csrf": _hidden(carla.get("/").text, "csrf"), "seen": "", "text": "x"}
    assert carla.post("/guidelines", data=form, headers=HEADERS).status_code == 403
    assert not queue.path.with_name("guidelines.md").exists()


def test_markdown_that_is_not_known_is_plain_text() -> None:
    [block] = blocks("1. un\n2. **deux\n[lien](http://exemple)")
    assert block.kind == "paragraph"
    assert block.lines == ((("1. un 2. **deux [lien](http://exemple)", False),),)


# The end


@pytest.fixture
def finished(queue: Queue) -> Queue:
    """A queue in which Carla has decided all, and one text is in disagreement."""
    for number in range(1, len(MESSAGES) + 1):
        queue.decide("carla", number, Answer.TA if number < 4 else Answer.NTA)
    queue.double(1.0)
    return queue


def test_the_end_says_what_was_decided_and_what_is_next(finished: Queue) -> None:
    finished.decide("anna", 1, Answer.NTA)
    html = _limited(finished, next_step=("done.adjudicate", "/project/sms/")).get("/").text
    assert "Vous avez décidé 10 textes" in unescape(html)
    assert "3 TA, 7 NTA" in html
    assert "1 désaccord à régler" in unescape(html)
    assert '<a class="button primary" href="/project/sms/">' in html


def test_without_a_next_step_the_end_names_none(finished: Queue) -> None:
    html = _as(finished, "carla").get("/").text
    assert "button primary" not in html


# Disagreements


@pytest.fixture
def doubled(queue: Queue) -> tuple[Queue, int]:
    queue.double(1.0)
    number = _find(queue, "Solveig")
    queue.note("anna", number, "secret-note", asks=True)
    queue.decide("anna", number, Answer.TA, [Span(11, 16, LIE)])
    return queue, number


def _pages(number: int) -> list[str]:
    shown = [f"/item/{number}", "/", "/table", "/spellings", "/status", "/guidelines"]
    return [*shown, "/adjudicate", f"/adjudicate/{number}", f"/item/{number}?around=15"]


def test_no_page_shows_an_answer_to_who_has_yet_to_give_one(
    doubled: tuple[Queue, int],
) -> None:
    queue, number = doubled
    queue.decide("anna", _find(queue, "fanee"), Answer.TA, [Span(3, 7, LIE)])
    marc = _as(queue, "marc")
    _post(
        marc,
        "/filters",
        csrf=_hidden(marc.get("/").text, "csrf"),
        back="table",
        state="all",
        word="",
        sender="",
        seek_hide="",
        model="",
    )
    for path in _pages(number):
        html = marc.get(path).text
        assert "secret-note" not in html, path
        assert 'data-mark="LIE"' not in html, path
        assert "11:16" not in html, path
    assert marc.get(f"/adjudicate/{number}").status_code == 404


def test_answers_stand_side_by_side_once_both_are_given(doubled: tuple[Queue, int]) -> None:
    queue, number = doubled
    queue.decide("marc", number, Answer.NTA)
    html = _as(queue, "carla").get(f"/adjudicate/{number}").text
    sides = re.findall(r"<h3>.*?</h3>\s*<div class=\"flow\"[^>]*>(.*?)</div>", html, re.DOTALL)
    assert sides == [
        'Tu as vu So<span class="part" data-mark="LIE">lveig</span> hier ?',
        "Tu as vu Solveig hier ?",
    ]
    assert "secret-note" in html


def test_who_settles_a_disagreement_is_named(doubled: tuple[Queue, int]) -> None:
    queue, number = doubled
    queue.decide("marc", number, Answer.NTA)
    _step(_as(queue, "carla"), f"/adjudicate/{number}", "/adjudicate", answer="TA")
    for path in (f"/adjudicate/{number}", f"/item/{number}"):
        html = _as(queue, "anna").get(path).text
        assert re.search(r"Réglé par\s*<bdi>carla</bdi>, <time", html), path
    assert queue.resolved()[number].annotator == "carla"


def test_who_may_not_settle_disagreements_is_told_so(doubled: tuple[Queue, int]) -> None:
    queue, number = doubled
    queue.decide("marc", number, Answer.NTA)
    carla = _limited(queue, may_adjudicate=False)
    html = carla.get(f"/adjudicate/{number}").text
    assert "pas le droit de régler" in html
    form = fields(html, ["csrf", "item", "seen", "spans"]) | {"answer": "TA"}
    assert carla.post("/adjudicate", data=form, headers=HEADERS).status_code == 403
    assert queue.disagreements() == [number]
