"""Queues of invented messages, and a browser that is no browser."""

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import httpx
import pandas as pd

from tests.cases import cases_beside
from triage import Triage
from triage.decide.source import Source
from triage.queue import Answer, Filters, Queue, State
from triage.queue.fill import create_queue
from triage.queue.records import Standing
from triage.web.people import Right, Sessions
from triage.web.reading import Review
from triage.web.server import Guard, Hosts

with warnings.catch_warnings():
    # Starlette would rather have a successor of httpx.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient as TestClient


class Person(TestClient):
    """Somebody who asks a page without a browser."""

    def see(self, path: str) -> str:
        return str(self.get(path).text)

    def form(self, path: str, data: Mapping[str, object]) -> httpx.Response:
        response: httpx.Response = self.post(path, data=data, headers=HEADERS)
        return response

    def status(self, path: str, /, **data: object) -> int:
        return int(self.form(path, data).status_code)

    def submit(self, path: str, /, **data: object) -> str:
        """Send a form; return the page that it leads to."""
        response = self.form(path, data)
        assert response.status_code == 200, response.text
        return str(response.text)

    def upload(self, to: str, content: bytes) -> tuple[int, str]:
        """Send a file; return the status, and where it leads or the line of an error."""
        headers = HEADERS | {"X-Fragment": "1", "Content-Type": "application/octet-stream"}
        sent = self.post(to, content=content, headers=headers)
        return sent.status_code, sent.text


CASES = cases_beside(__file__)
HOSTILE: str = CASES["hostile"]
MESSAGES = [(sender, text.replace("HOSTILE", HOSTILE)) for sender, text in CASES["messages"]]
TOKEN = "an-invented-token-for-tests"  # noqa: S105
PORT = 8123
SITE = "queue.localhost"
ORIGIN = f"http://{SITE}:{PORT}"
HEADERS = {"Origin": ORIGIN}
STEP = ["item", "seen", "spans", "last"]


def make_queue(
    path: Path,
    triage: Triage,
    messages: Sequence[tuple[str, str]] = MESSAGES,
    expert: bool = True,
    vote_ta: int = 0,
) -> Path:
    """Make a queue of messages, all of them the expert's; the model says TA of the first ones."""
    given = pd.DataFrame(messages, columns=["sender", "text"], dtype=object)
    given.insert(0, "id", range(1, len(given) + 1))
    table = triage.classify(given, corpus_evidence=False)
    if expert:
        table["action"] = "EXPERT"
    table.loc[table["id"] <= vote_ta, "model"] = "TA"
    triaged = path.with_suffix(".csv")
    table.to_csv(triaged, index=False)
    create_queue(path, Source(str(triaged)), triage)
    return path


def many(n: int) -> list[tuple[str, str]]:
    names, words = CASES["names"], CASES["words"]
    return [
        (str(i % 5), f"slt {names[i % 7]} on se voit au {words[i % 9]} a {i} h")
        for i in range(1, n + 1)
    ]


def guarded(
    queue: Queue, annotator: str = "anna", *without: Right, rules_own: bool = False
) -> Guard:
    """Return the page of a queue, without a server, for somebody without some rights."""
    review = Review(queue, annotator, rights={*Right} - {*without}, rules_own=rules_own)
    return Guard(review.routes(), Sessions(TOKEN), Hosts(SITE, PORT))


def client_of(app: Guard, *, logged_in: bool = True, language: str = "fr") -> Person:
    # As a browser says it of a form without fields, too.
    headers = {"Accept-Language": language, "Content-Type": "application/x-www-form-urlencoded"}
    client = Person(app, base_url=ORIGIN, headers=headers)
    if logged_in:
        client.get("/", params={"token": TOKEN})
    return client


def field(html: str, name: str) -> str:
    inside = re.search('<form id="answer".*?</form>', html, re.DOTALL)
    assert inside, html
    found = re.search(rf'name="{name}"[^>]* value="([^"]*)"', inside[0])
    assert found, inside[0]
    return found[1]


def fields(html: str, names: Iterable[str]) -> dict[str, str]:
    return {name: field(html, name) for name in names}


def decide_all(path: Path, answer: Answer = Answer.NTA) -> None:
    """Let anna give one answer to all items of a queue that are open to her."""
    with Queue.open(path) as queue:
        for number in queue.numbers("anna", Filters()):
            queue.decide("anna", number, answer)


def find(queue: Queue, word: str) -> int:
    return queue.rows("anna", Filters(state=State.ALL, word=word))[0].number


def standing(queue: Queue, number: int) -> Standing:
    item = queue.item(number)
    assert item
    return item.standing[0]
