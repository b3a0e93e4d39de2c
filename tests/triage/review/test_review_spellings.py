"""The tab of spellings: what is listed, and what each answer does."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from tests.triage.review.queues import (
    HOSTILE,
    MESSAGES,
    ORIGIN,
    TestClient,
    client_of,
    guarded,
    make_queue,
)
from triage import Triage
from triage.mining.session import BATCH
from triage.queue import Answer, Filters, Queue, Span, State, WordRule
from triage.vocabulary import IdentifierType

MINED = [
    *MESSAGES,
    ("50", "bisous Zorah, on se voit samedi"),
    ("51", "tu viens avec Zorah ou sans zorah ?"),
]
ZORAH = {"word": "Zorah", "type": "PRE"}


@pytest.fixture(scope="module")
def mined_queue(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    return make_queue(tmp_path_factory.mktemp("mined") / "mined.queue", shipped, MINED)


@pytest.fixture
def queue(mined_queue: Path, tmp_path: Path) -> Iterator[Queue]:
    path = tmp_path / "work.queue"
    path.write_bytes(mined_queue.read_bytes())
    with Queue.open(path) as opened:
        yield opened


@pytest.fixture
def client(queue: Queue) -> TestClient:
    return client_of(guarded(queue))


def _page(client: TestClient) -> str:
    return str(client.get("/spellings").text)


def _rows(html: str) -> dict[str, str]:
    """Return the text of each row by its spelling, in order."""
    rows = {}
    for row in re.findall(r"<li data-row>(.*?)</form>", html, re.DOTALL):
        spelling = re.search(r"<h2[^>]*><bdi[^>]*>(.*?)</bdi></h2>", row)
        assert spelling
        rows[unescape(spelling[1])] = unescape(re.sub(r"<[^>]+>", "", row))
    return rows


def _say(client: TestClient, said: str, **fields: str) -> str:
    page = _page(client)
    hidden = dict(re.findall(r'<input type="hidden" name="(csrf|last)" value="([^"]*)">', page))
    data = hidden | ZORAH | {"said": said} | fields
    response = client.post("/spellings", data=data, headers={"Origin": ORIGIN})
    assert response.status_code == 200, response.text
    return str(response.text)


def _undo(client: TestClient) -> str:
    form = re.search(r'<form id="answer".*?</form>', _page(client), re.DOTALL)
    assert form
    data = dict(re.findall(r'name="(csrf|last|back)" value="([^"]*)"', form[0]))
    return str(client.post("/undo", data=data, headers={"Origin": ORIGIN}).text)


def test_likeliest_spelling_comes_first(client: TestClient) -> None:
    shown = re.findall(r"vraisemblance ([01],[0-9]{2})", _page(client))
    assert len(shown) > 5
    assert shown == sorted(shown, reverse=True)


def test_row_tells_counts_reasons_and_contexts(client: TestClient, queue: Queue) -> None:
    row = _rows(_page(client))["Zorah"]
    assert "présente 3 fois · remplacée 0 fois" in row
    assert "évidence du modèle" in row
    assert "tu viens avec Zorah ou sans zorah ?" in row
    number = queue.rows("anna", Filters(state=State.ALL, word="bisous"))[0].number
    assert f'<a href="/item/{number}">Zorah</a>' in _page(client)


def test_looking_changes_nothing(client: TestClient, queue: Queue) -> None:
    _page(client)
    assert not queue.history()


def test_always_is_a_rule_for_the_word_with_its_type(client: TestClient, queue: Queue) -> None:
    html = _say(client, "always", type="SUR")
    assert queue.word_rules() == {"zorah": (WordRule.ALWAYS, "SUR")}
    assert "« Zorah » est toujours un nom : 2 textes." in html
    assert "Zorah" not in _rows(html)


def test_never_is_asked_no_more(client: TestClient, queue: Queue) -> None:
    assert "Zorah" not in _rows(_say(client, "never"))
    assert queue.word_rules()["zorah"][0] is WordRule.NEVER


def test_later_comes_once_no_other_is_left(client: TestClient, queue: Queue) -> None:
    html = _say(client, "later")
    assert "Zorah" not in _rows(html)
    assert not queue.history()
    while [*_rows(html)] != ["Zorah"]:
        html = _say(client, "never", word=next(iter(_rows(html))))
    assert queue.word_rules().keys().isdisjoint({"zorah"})


def test_here_opens_the_messages_in_which_it_stands(client: TestClient, queue: Queue) -> None:
    html = _say(client, "here")
    assert '<h1 tabindex="-1">Tableau</h1>' in html
    assert "bisous" in html
    assert "Solveig" not in html
    assert not queue.history()


def test_undone_answer_is_a_candidate_again(client: TestClient, queue: Queue) -> None:
    _say(client, "never")
    assert "Zorah" in _rows(_undo(client))
    assert not queue.word_rules()


def test_answer_to_a_page_that_is_out_of_date_does_nothing(
    client: TestClient, queue: Queue
) -> None:
    queue.decide_word("anna", "lola", WordRule.ALWAYS)
    assert "Rien n’a été fait" in unescape(_say(client, "always", last="0"))
    assert "zorah" not in queue.word_rules()


def test_marks_count_as_replaced_once_spellings_are_weighed_anew(
    client: TestClient, queue: Queue
) -> None:
    _page(client)
    number = queue.rows("anna", Filters(state=State.ALL, word="bisous"))[0].number
    queue.decide("anna", number, Answer.TA, [Span(7, 12, IdentifierType.PRE)])
    assert "remplacée 0 fois" in _rows(_page(client))["Zorah"]
    for i in range(BATCH):
        queue.decide_word("anna", f"mot{i}", WordRule.NEVER)
    assert "présente 2 fois · remplacée 1 fois" in _rows(_page(client))["Zorah"]


def test_suggestions_of_the_machine_count_as_replaced_where_nobody_is_asked(
    tmp_path: Path, shipped: Triage
) -> None:
    path = make_queue(tmp_path / "machine.queue", shipped, MINED, expert=False)
    with Queue.open(path) as queue:
        rows = _rows(_page(client_of(guarded(queue))))
    assert "Jean" not in rows


@pytest.mark.parametrize(
    "wrong", [{"said": "perhaps"}, {"type": "XYZ"}, {"word": "deux mots"}, {"word": ""}]
)
def test_malformed_answer_is_refused(
    client: TestClient, queue: Queue, wrong: dict[str, str]
) -> None:
    page = _page(client)
    hidden = dict(re.findall(r'<input type="hidden" name="(csrf|last)" value="([^"]*)">', page))
    data = hidden | ZORAH | {"said": "never"} | wrong
    assert client.post("/spellings", data=data, headers={"Origin": ORIGIN}).status_code == 400
    assert not queue.history()


def test_messages_are_escaped(client: TestClient) -> None:
    html = _page(client)
    assert HOSTILE not in html
    assert "&lt;script&gt;" in html


def test_empty_corpus_has_no_spelling(tmp_path: Path, shipped: Triage) -> None:
    with Queue.open(make_queue(tmp_path / "empty.queue", shipped, [])) as queue:
        assert "Il ne reste aucune orthographe" in _page(client_of(guarded(queue)))
