"""Notes, guidelines, conversations, drafts, the end, and what of it others may see."""

import re
import stat
from html import unescape

import pytest

from tests.triage.web.queues import (
    HOSTILE,
    MESSAGES,
    PORT,
    SITE,
    TOKEN,
    Person,
    client_of,
    field,
    fields,
    find,
    guarded,
    standing,
)
from triage.queue import Answer, Filters, Queue, Span, State
from triage.vocabulary import IdentifierType
from triage.web.forms import Sessions
from triage.web.guidelines import blocks
from triage.web.people import Right
from triage.web.reading import Review
from triage.web.security import Guard, Hosts

PRE, LIE = IdentifierType.PRE, IdentifierType.LIE


def _as(queue: Queue, annotator: str) -> Person:
    return client_of(guarded(queue, annotator))


def _limited(queue: Queue, *without: Right, rules_own: bool = False) -> Person:
    """Return Carla, on a page without some rights."""
    review = Review(queue, "carla", rights={*Right} - {*without}, rules_own=rules_own)
    return client_of(Guard(review.routes(), Sessions(TOKEN), Hosts(SITE, PORT)))


def test_a_mark_is_shown_on_all_that_it_covers_and_kept(client: Person, queue: Queue) -> None:
    number = find(queue, "jarrive")
    client.step(f"/item/{number}", answer="TA", spans="5:11:PRE")
    html = client.see(f"/item/{number}")
    assert 'tabindex="-1">j<span class="part" data-mark="PRE">arrive</span></button>' in html
    assert standing(queue, number).spans == (Span(5, 11, PRE),)
    # Signs between words, too.
    number = find(queue, "Maëlle viens")
    client.step(f"/item/{number}", answer="TA", spans="7:17:PRE")
    html = client.see(f"/item/{number}")
    marked = re.findall(r'class="(?:w|p)[^"]*" data-s="(\d+)" data-e="\d+" data-mark="PRE"', html)
    assert marked == ["7", "13", "15"]
    # Marks of a message that is left are kept.
    skipped, left = find(queue, "fanee"), find(queue, "Solveig")
    client.step(f"/item/{skipped}", answer="SKIP", spans="0:2:LIE")
    client.step(f"/item/{left}", "/undo", spans="0:2:PRE")
    assert field(client.see(f"/item/{skipped}"), "spans") == "0:2:LIE"
    assert field(client.see(f"/item/{left}"), "spans") == "0:2:PRE"


@pytest.mark.parametrize("to", ["/decide", "/undo", "/note"])
def test_a_note_is_kept_with_the_answer_by_an_undo_and_alone(
    client: Person, queue: Queue, to: str
) -> None:
    number = find(queue, "fanee")
    said = {"answer": "NTA", "note": "une fleur", "asks": "1", "spans": "0:2:LIE"}
    html = client.step(f"/item/{number}", to, **said)
    if to == "/note":
        # The message stays open, with its marks.
        assert "Enregistré." in html
        assert field(html, "spans") == "0:2:LIE"
        assert ">\nune fleur</textarea>" in html
        assert queue.history() == []
    [note] = queue.notes("anna", number)
    assert (note.annotator, note.text, note.asks) == ("anna", "une fleur", True)
    # Others read one, escaped.
    queue.note("marc", number, HOSTILE, asks=True)
    for path in (f"/item/{number}", "/status"):
        html = _as(queue, "anna").see(path)
        assert "<img src=x" not in html
        assert HOSTILE in unescape(html)
        assert "demande un avis" in html
    # More of the conversation can be asked for.
    number = find(queue, "ok")
    short, long = (client.see(f"/item/{number}{query}") for query in ("", "?around=15"))
    assert f'href="/item/{number}?around=15"' in short
    assert "Tarek" in long
    assert "around=15" not in long
    assert client.get(f"/item/{number}?around=x").status_code == 404


def test_guidelines_are_changed_by_those_who_may_and_read_beside_a_message(
    client: Person, queue: Queue
) -> None:
    carla = _limited(queue, Right.PUBLISH)
    assert 'name="text"' not in carla.see("/")
    form = {"seen": "", "text": "x"}
    assert carla.status("/guidelines", **form) == 403
    assert not queue.path.with_name("guidelines.md").exists()
    aside = client.see("/").split("<aside")[1]
    [seen] = re.findall(r'name="seen" value="(\w+)"', aside)
    html = client.submit("/guidelines", seen=seen, text=f"# Noms\r\n\r\n{HOSTILE}")
    assert "Enregistré." in html
    aside = html.split("<aside")[1]
    assert "<h2>Noms</h2>" in aside
    assert "<script>alert" not in aside
    path = queue.path.with_name("guidelines.md")
    assert path.read_text(encoding="utf-8").startswith("# Noms\n\n<script>")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = client.form("/guidelines", {"seen": seen, "text": "x"})
    assert again.status_code == 409
    # Where they cannot be read, the page says so, and the message is there.
    path.unlink()
    path.mkdir()
    html = client.see("/")
    assert "guidelines.md" in html
    assert 'name="text"' not in html
    assert 'id="message"' in html
    # Markdown that is not known is plain text.
    line = (("1. un 2. **deux [lien](http://exemple)", False),)
    found = [*blocks("1. un\n2. **deux\n[lien](http://exemple)")]
    assert found == [("paragraph", (line,))]


@pytest.fixture
def finished(queue: Queue) -> Queue:
    """A queue in which Carla has decided all, and one text is in disagreement."""
    for number in range(1, len(MESSAGES) + 1):
        queue.decide("carla", number, Answer.TA if number < 4 else Answer.NTA)
    queue.double(1.0)
    return queue


def test_the_end_says_what_was_decided_and_what_is_next(finished: Queue) -> None:
    assert "button primary" not in _as(finished, "carla").see("/")
    html = _limited(finished).see("/")
    assert "Vous avez décidé 10 textes" in unescape(html)
    assert "3 TA, 7 NTA" in html
    # Disagreements come once no message is left.
    finished.decide("anna", 1, Answer.NTA)
    assert "Vous avez décidé 10 textes" in unescape(_as(finished, "carla").see("/"))
    html = _limited(finished, rules_own=True).see("/")
    assert (field(html, "item"), "Les réponses" in html) == ("1", True)


@pytest.fixture
def disagreed(queue: Queue) -> int:
    """The number of a message that anna and marc have answered, and others are to."""
    queue.double(1.0)
    number = find(queue, "Solveig")
    queue.note("anna", number, "secret-note", asks=True)
    queue.decide("anna", number, Answer.TA, [Span(11, 16, LIE)])
    queue.decide("marc", number, Answer.NTA)
    return number


def test_answers_stand_side_by_side_once_both_are_given(queue: Queue, disagreed: int) -> None:
    html = _as(queue, "carla").see(f"/only/disagreement/{disagreed}")
    sides = re.findall(r"<h3>.*?</h3>\s*<div class=\"flow\"[^>]*>(.*?)</div>", html, re.DOTALL)
    assert sides == [
        'Tu as vu So<span class="part" data-mark="LIE">lveig</span> hier ?',
        "Tu as vu Solveig hier ?",
    ]
    assert "secret-note" in html
    # Who settles it is named.
    _as(queue, "carla").step(f"/item/{disagreed}", "/rule", answer="TA")
    html = _as(queue, "anna").see(f"/item/{disagreed}")
    assert re.search(r"Tranché par\s*<bdi>carla</bdi>, <time", html)
    assert queue.resolved()[disagreed].annotator == "carla"


def test_who_may_not_rule_sees_no_answers_and_settles_nothing(queue: Queue, disagreed: int) -> None:
    carla = _limited(queue, Right.RULE)
    html = carla.see(f"/item/{disagreed}")
    assert "Les réponses" not in html
    form = fields(html, ["item", "seen"]) | {"spans": "0:2:LIE", "answer": "TA"}
    refused = carla.form("/rule", form)
    assert (refused.status_code, "pas ce droit ici" in refused.text) == (403, True)
    assert queue.numbers("", Filters(state=State.DISAGREED)) == [disagreed]
    # And who only rules opens disagreements alone.
    carla = _limited(queue, Right.READ)
    assert field(carla.see("/"), "item") == str(disagreed)
    other = find(queue, "fanee")
    assert [carla.get(path).status_code for path in (f"/item/{other}", "/only/spelling")] == [
        403
    ] * 2
