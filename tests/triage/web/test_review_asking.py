"""Spellings that are asked once for all messages: beside a message, listed, counted."""

import re
from html import unescape
from pathlib import Path

import pytest

from tests.triage.web.queues import (
    TestClient,
    fields,
    find,
    hidden,
    make_queue,
    post,
)
from triage import Triage
from triage.queue import Answer, Queue, WordRule

OFFER = re.compile(r'<form class="offer.*?</form>', re.DOTALL)


@pytest.fixture(scope="module")
def full_queue(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    texts = [f"on se voit avec Tarek a {hour} h" for hour in range(8, 12)]
    texts += [f"je mange avec Solveig a {hour} h" for hour in range(3)]
    texts += ["Tarek et Solveig sont la", "je rentre avec Lola", "ok"]
    path = tmp_path_factory.mktemp("asked") / "asked.queue"
    return make_queue(path, shipped, [("7", text) for text in texts])


def _offer(client: TestClient, number: int) -> str:
    found = OFFER.search(unescape(client.get(f"/item/{number}").text))
    return found[0] if found else ""


def _fields(offer: str) -> dict[str, str]:
    return {name: hidden(offer, name) for name in ("item", "word", "type", "state", "back")}


def _asked(client: TestClient) -> str:
    page = unescape(client.get("/only/spelling").text)
    return " ".join(re.sub(r"<[^>]+>", "", page.split('id="spelling">')[1]).split())


def _answer(client: TestClient, said: str) -> None:
    form = fields(client.get("/only/spelling").text, ["last", "word"])
    post(client, "/spelling", **form, type="PRE", said=said)


def test_what_settles_most_comes_first_with_its_places(client: TestClient, queue: Queue) -> None:
    first = _asked(client)
    assert first.startswith("Tarek déciderait 4 textes · présente dans 5 textes à décider")
    assert "on se voit avec Tarek a 8 h" in first
    assert "2 graphies décideraient 7 des 10 textes restants" in first
    link = f'<a href="/item/{find(queue, "Tarek")}">Tarek</a>'
    assert link in client.get("/only/spelling").text


@pytest.mark.parametrize("said", ["later", "never"])
def test_the_next_ones_come_in_turn(client: TestClient, said: str) -> None:
    _answer(client, said)
    assert _asked(client).startswith("Solveig déciderait")
    _answer(client, said)
    assert re.match(r"\w+ indice de nom", _asked(client))


def test_what_was_put_off_comes_again_once_no_other_is_left(client: TestClient) -> None:
    _answer(client, "later")
    while not _asked(client).startswith("Tarek"):
        _answer(client, "never")


def test_a_message_offers_its_most_frequent_spelling(client: TestClient, queue: Queue) -> None:
    offer = _offer(client, find(queue, "tarek solveig"))
    assert "«\u00a0Tarek\u00a0» figure dans 5 textes à décider" in offer
    assert re.findall(r'name="rule" value="(\w+)" data-key="(\w)"', offer) == [
        ("always", "q"),
        ("never", "z"),
    ]


def test_once_it_is_confirmed_the_next_message_comes(client: TestClient, queue: Queue) -> None:
    offer = _fields(_offer(client, find(queue, "tarek")))
    html = post(client, "/word", **offer, rule="never").split("/word/confirm")[1]
    names = ("last", "back", "item", "word", "rule", "type")
    html = post(client, "/word/confirm", **{name: hidden(html, name) for name in names})
    assert 'id="message"' in html
    assert "tarek" in queue.word_rules()


def test_it_leads_to_the_texts_that_hold_it(client: TestClient, queue: Queue) -> None:
    html = post(client, "/filters", **_fields(_offer(client, find(queue, "tarek"))))
    assert "<h1" in html
    assert re.findall(r"1 à 5 sur 5", html)


def test_what_is_rare_decided_or_has_a_rule_is_not_offered(
    client: TestClient, queue: Queue
) -> None:
    assert not _offer(client, find(queue, "lola"))
    decided = find(queue, "tarek")
    queue.decide("anna", decided, Answer.NTA)
    assert not _offer(client, decided)
    queue.undo("anna")
    queue.decide_word("anna", "tarek", WordRule.NEVER)
    assert "«\u00a0Solveig\u00a0»" in _offer(client, find(queue, "tarek solveig"))


def test_each_page_tells_how_many_spellings_settle_messages(
    client: TestClient, queue: Queue
) -> None:
    assert '<a href="/only/spelling">Graphies <b>2</b></a>' in client.get("/").text
    for word in ("tarek", "solveig"):
        queue.decide_word("anna", word, WordRule.NEVER)
    assert '<a href="/only/spelling">Graphies</a>' in client.get("/").text
