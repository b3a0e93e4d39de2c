"""Spellings that are asked once for all messages: beside a message, listed, counted."""

import re
from html import unescape
from pathlib import Path

import pytest

from tests.triage.review.queues import HEADERS, TestClient, find, hidden, make_queue, post
from triage import Triage
from triage.queue import Answer, Queue, WordRule
from triage.web.rendering import FRAGMENT

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
    return {name: hidden(offer, name) for name in ("csrf", "item", "word", "type", "state", "back")}


def _rows(client: TestClient) -> list[str]:
    page = unescape(client.get("/spellings").text)
    rows = re.findall(r"<li data-row>(.*?)<form", page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", "", row).split()) for row in rows]


def test_what_settles_most_comes_first_with_its_places(client: TestClient, queue: Queue) -> None:
    first, second, *others = _rows(client)
    assert first.startswith("Tarek réglerait 4 textes ouverts · présente dans 5 textes ouverts")
    assert "on se voit avec Tarek a 8 h" in first
    assert second.startswith("Solveig réglerait 3 textes ouverts · présente dans 4 textes ouverts")
    assert any(row.startswith("Lola vraisemblance") for row in others)
    assert not any(row.startswith(("Tarek", "Solveig")) for row in others)
    assert f'<a href="/item/{find(queue, "Tarek")}">Tarek</a>' in client.get("/spellings").text


@pytest.mark.parametrize("said", ["later", "never"])
def test_a_spelling_that_was_answered_or_put_off_comes_first_no_more(
    client: TestClient, said: str
) -> None:
    page = client.get("/spellings").text
    data = {name: hidden(page, name) for name in ("csrf", "last")}
    post(client, "/spellings", **data, word="Tarek", type="PRE", said=said)
    assert _rows(client)[0].startswith("Solveig")


def test_what_was_put_off_comes_again_once_no_other_is_left(client: TestClient) -> None:
    while not (last := _rows(client))[0].startswith("Tarek") or len(last) > 1:
        page, word = client.get("/spellings").text, last[0].split()[0]
        data = {name: hidden(page, name) for name in ("csrf", "last")}
        said = "later" if word == "Tarek" else "never"
        post(client, "/spellings", **data, word=word, type="PRE", said=said)
    assert len(last) == 1


def test_a_message_offers_its_most_frequent_spelling(client: TestClient, queue: Queue) -> None:
    offer = _offer(client, find(queue, "tarek solveig"))
    assert "« Tarek » figure dans 5 textes ouverts" in offer
    assert re.findall(r'name="rule" value="(\w+)" data-key="(\w)"', offer) == [
        ("always", "q"),
        ("never", "z"),
    ]


def test_its_answer_is_confirmed_first(client: TestClient, queue: Queue) -> None:
    offer = _fields(_offer(client, find(queue, "tarek")))
    html = unescape(post(client, "/word", **offer, rule="never"))
    assert "5 textes ouverts (5 messages) contiennent ce mot" in html
    assert "4 seraient décidés NTA" in html
    assert not queue.history()


def test_it_leads_to_the_texts_that_hold_it(client: TestClient, queue: Queue) -> None:
    html = post(client, "/filters", **_fields(_offer(client, find(queue, "tarek"))))
    assert "<h1" in html
    assert re.findall(r"1 à 5 sur 5", html)


def test_a_rare_spelling_is_not_offered(client: TestClient, queue: Queue) -> None:
    assert not _offer(client, find(queue, "lola"))


def test_a_message_that_was_decided_offers_nothing(client: TestClient, queue: Queue) -> None:
    number = find(queue, "tarek")
    queue.decide("anna", number, Answer.NTA)
    assert not _offer(client, number)


def test_a_spelling_with_a_rule_is_not_offered(client: TestClient, queue: Queue) -> None:
    queue.decide_word("anna", "tarek", WordRule.NEVER)
    assert "« Solveig »" in _offer(client, find(queue, "tarek solveig"))


def test_the_queue_that_is_opened_says_what_spellings_would_settle(client: TestClient) -> None:
    line = "2 orthographes régleraient 7 des 10 textes ouverts"
    assert f'<a href="/spellings">{line}' in client.get("/").text
    assert line not in client.get("/", headers={FRAGMENT: "1"}).text


def test_without_such_spellings_it_says_nothing(client: TestClient, queue: Queue) -> None:
    for word in ("tarek", "solveig"):
        queue.decide_word("anna", word, WordRule.NEVER)
    assert "réglerai" not in client.get("/").text


def test_the_status_counts_rules_and_what_they_settled(client: TestClient, queue: Queue) -> None:
    queue.decide_word("zoé", "tarek", WordRule.NEVER)
    html = unescape(client.get("/status", headers=HEADERS).text)
    assert "<dt>Règles d’orthographes</dt><dd>1</dd>" in html
    assert "<dt>Messages réglés par ces règles</dt><dd>4</dd>" in html
