"""The tab of spellings: what is listed, and what each answer does."""

import re
from html import unescape
from pathlib import Path

import pytest

from tests.triage.review.queues import (
    HEADERS,
    HOSTILE,
    MESSAGES,
    TestClient,
    client_of,
    fields,
    find,
    guarded,
    hidden,
    make_queue,
    post,
)
from triage import Triage
from triage.mining.session import BATCH
from triage.queue import Answer, Queue, Span, WordRule
from triage.vocabulary import IdentifierType

MINED = [
    *MESSAGES,
    ("50", "bisous Zorah, on se voit samedi"),
    ("51", "tu viens avec Zorah ou sans zorah ?"),
]
ZORAH = {"word": "Zorah", "type": "PRE"}


@pytest.fixture(scope="module")
def full_queue(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    return make_queue(tmp_path_factory.mktemp("mined") / "mined.queue", shipped, MINED)


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


def _answer(client: TestClient, said: str, **changed: str) -> dict[str, str]:
    page = _page(client)
    return {
        **{name: hidden(page, name) for name in ("csrf", "last")},
        **ZORAH,
        "said": said,
    } | changed


def _say(client: TestClient, said: str, **changed: str) -> str:
    return post(client, "/spellings", **_answer(client, said, **changed))


def _undo(client: TestClient) -> str:
    return post(client, "/undo", **fields(_page(client), ["csrf", "last", "back"]))


def test_likeliest_spelling_comes_first(client: TestClient, queue: Queue) -> None:
    html = _page(client)
    shown = re.findall(r"vraisemblance ([01],[0-9]{2})", html)
    assert len(shown) > 5
    assert shown == sorted(shown, reverse=True)
    assert not queue.history()
    assert HOSTILE not in html
    assert "&lt;script&gt;" in html


def test_row_tells_counts_reasons_and_contexts(client: TestClient, queue: Queue) -> None:
    row = _rows(_page(client))["Zorah"]
    assert "présente 3 fois · remplacée 0 fois" in row
    assert "nom probable d’après le modèle" in row
    assert "tu viens avec Zorah ou sans zorah ?" in row
    number = find(queue, "bisous")
    assert f'<a href="/item/{number}">Zorah</a>' in _page(client)


def test_always_is_a_rule_for_the_word_with_its_type(client: TestClient, queue: Queue) -> None:
    html = _say(client, "always", type="SUR")
    assert queue.word_rules() == {"zorah": (WordRule.ALWAYS, "SUR")}
    assert "« Zorah » est toujours un nom : 2 textes." in html
    assert "Zorah" not in _rows(html)


def test_never_is_asked_no_more_until_it_is_undone(client: TestClient, queue: Queue) -> None:
    assert "Zorah" not in _rows(_say(client, "never"))
    assert queue.word_rules()["zorah"][0] is WordRule.NEVER
    assert "Zorah" in _rows(_undo(client))
    assert not queue.word_rules()


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
    number = find(queue, "bisous")
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
    data = _answer(client, "never") | wrong
    assert client.post("/spellings", data=data, headers=HEADERS).status_code == 400
    assert not queue.history()


def test_empty_corpus_has_no_spelling(tmp_path: Path, shipped: Triage) -> None:
    with Queue.open(make_queue(tmp_path / "empty.queue", shipped, [])) as queue:
        assert "Il ne reste aucune orthographe" in _page(client_of(guarded(queue)))
