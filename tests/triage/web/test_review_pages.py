"""What the pages show, and what their forms do."""

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.cases import cases_beside
from tests.triage.web.queues import (
    HEADERS,
    MESSAGES,
    STEP,
    TestClient,
    client_of,
    field,
    fields,
    find,
    guarded,
    make_queue,
    many,
    post,
    standing,
    step,
)
from triage import Triage
from triage.cli.main import app
from triage.queue import Answer, Filters, Queue, Reason, Span, Spans, State, Task, WordRule
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__)

PRE, LIE = IdentifierType.PRE, IdentifierType.LIE


def _said(html: str) -> str:
    found = re.search(r'id="said">(.*?)</p>', html)
    assert found
    return unescape(found[1])


def _undo(client: TestClient, path: str = "/") -> str:
    return post(client, "/undo", **fields(client.get(path).text, ["last", "back"]))


def _message(html: str) -> str:
    found = re.search(r'class="flow">(.*?)</div></div>', html, re.DOTALL)
    assert found
    return unescape(re.sub(r"<[^>]+>", "", found[1]))


def test_each_type_has_a_button_and_a_key_that_does_nothing_else(client: TestClient) -> None:
    html = client.get("/").text
    keys = [unescape(key) for key in re.findall(r'data-key="([^"]*)"', html)]
    types = re.findall(r'data-type="([A-Z]+)" data-key="([^"]+)"', html)
    assert [type_ for type_, _ in types] == [*IdentifierType]
    assert [key for _, key in types[:10]] == [*"1234567890"]
    assert all(keys.count(key) == 1 for _, key in types)
    # Those that are seldom are folded.
    folded = re.search(r'<details id="more-types">.*?</details>', html, re.DOTALL)
    assert folded
    assert re.findall(r'data-type="([A-Z]+)"', folded[0]) == [*IdentifierType][10:]


def test_answers_lead_to_the_next_message(client: TestClient, queue: Queue) -> None:
    first = queue.next("anna")
    html = step(client, answer="TA", spans="0:2:LIE")
    assert _said(html) == "TA noté."
    assert "9 textes restants" in html
    assert first is not None
    assert standing(queue, first).spans == (Span(0, 2, LIE),)
    assert field(html, "item") != str(first)


def test_marks_go_with_ta_alone(client: TestClient, queue: Queue) -> None:
    number = find(queue, "Maëlle")
    for answer in ("NTA", "SKIP"):
        page = fields(client.get(f"/item/{number}").text, ["item", "seen", "last"])
        post(client, "/decide", **page, answer=answer, spans="0:6:PRE")
        item = queue.item(number)
        assert item
        assert item.standing[0].answer == answer
        assert item.standing[0].spans == ()


def test_ta_with_nothing_marked_asks_for_the_word(client: TestClient, queue: Queue) -> None:
    number = find(queue, "Maëlle")
    html = client.get(f"/item/{number}").text
    page = fields(html, ["item", "seen", "last"])
    html = post(client, "/decide", **page, answer="TA", spans="", note="qui ?")
    assert _said(html).startswith("Quel mot\u00a0?")
    assert (queue.history(), field(html, "item")) == ([], str(number))
    assert queue.notes("anna", number)[0].text == "qui ?"
    html = post(client, "/decide", **page, answer="TA", spans="", bare=field(html, "bare"))
    assert _said(html) == "TA noté."
    assert 'name="bare"' not in html
    assert standing(queue, number).spans == ()


def test_the_rule_of_a_spelling_is_undone_from_the_status(client: TestClient, queue: Queue) -> None:
    rule = queue.decide_word("anna", "rose", WordRule.NEVER)
    queue.decide("anna", find(queue, "Maëlle"), Answer.NTA)
    html = client.get("/status").text
    assert re.findall(r'name="decision" value="(\d+)"', html) == [str(rule)]
    html = post(client, "/undo", **fields(html, ["last", "back"]), decision=rule)
    assert _said(html).startswith("Annulé\u00a0: «\u00a0rose\u00a0», jamais un nom")
    assert (queue.word_rules(), queue.progress("anna").decided) == ({}, 1)


def test_the_same_form_twice_decides_once(client: TestClient, queue: Queue) -> None:
    page = fields(client.get("/").text, STEP)
    post(client, "/decide", **page, answer="TA")
    assert _said(post(client, "/decide", **page, answer="TA")) == "Déjà noté."
    assert len(queue.history("anna")) == 1
    other = client.post("/decide", data=page | {"answer": "NTA"}, headers=HEADERS)
    assert other.status_code == 409
    assert len(queue.history("anna")) == 1


def test_a_decision_can_be_looked_at_and_changed(client: TestClient, queue: Queue) -> None:
    number = find(queue, "Solveig")
    queue.decide("anna", number, Answer.TA, [Span(11, 18, LIE)])
    html = client.get(f"/item/{number}").text
    assert "Vous avez répondu À anonymiser." in html
    assert field(html, "spans") == "11:18:LIE"
    page = fields(html, STEP)
    post(client, "/decide", **page, answer="TA")
    assert len(queue.history("anna")) == 1
    post(client, "/decide", **page, answer="NTA")
    item = queue.item(number)
    assert item
    assert item.final is Answer.NTA


def test_skipped_messages_come_back_last(client: TestClient) -> None:
    first = field(client.get("/").text, "item")
    html = step(client, answer="SKIP")
    assert _said(html) == "Passé."
    seen = []
    while (number := field(client.get("/").text, "item")) not in seen and number != first:
        seen.append(number)
        step(client, answer="NTA")
    assert len(seen) == len(MESSAGES) - 1
    assert number == first
    assert field(step(client, answer="SKIP"), "item") == first
    assert "Tout est décidé" in step(client, answer="NTA")


def test_undo_shows_what_was_undone(client: TestClient, queue: Queue) -> None:
    outdated = client.get("/").text
    first = field(outdated, "item")
    step(client, answer="TA")
    page = fields(outdated, ["last", "back"])
    assert "a changé entre-temps" in _said(post(client, "/undo", **page))
    assert queue.progress("anna").decided == 1
    html = _undo(client)
    assert _said(html) == "Annulé\u00a0: TA."
    assert field(html, "item") == first
    assert queue.progress("anna").decided == 0
    assert _said(_undo(client)) == "Rien à annuler."


def _confirm(client: TestClient, word: str, rule: str, item: str = "") -> str:
    return post(client, "/word", word=word, rule=rule, type="PRE", item=item)


def test_a_word_that_never_is_a_name(client: TestClient, queue: Queue) -> None:
    number = find(queue, "fanee")
    html = _confirm(client, "Rose", "never", str(number))
    assert "«\u00a0Rose\u00a0», jamais un nom" in unescape(html)
    effect = queue.effect_of_word("anna", "rose", WordRule.NEVER)
    assert f"{effect.n_items} textes à décider ({effect.n_messages} messages)" in html
    assert queue.word_lists() == ([], [])
    data = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', html.split("/word/")[1]))
    said = _said(post(client, "/word/confirm", **data))
    assert "«\u00a0Rose\u00a0», jamais un nom" in said
    assert queue.word_lists() == ([], ["Rose"])
    assert "Rose" in client.get("/status").text
    assert "a changé entre-temps" in _said(post(client, "/word/confirm", **data))
    assert "Annulé\u00a0: «\u00a0Rose\u00a0»" in _said(_undo(client))
    assert queue.word_lists() == ([], [])


def test_a_rule_is_of_one_word(client: TestClient) -> None:
    for word in ("", " ", "deux mots", "x" * 201):
        data = {"word": word, "rule": "never", "type": "PRE", "item": ""}
        assert client.post("/word", data=data, headers=HEADERS).status_code == 400


def _filter(client: TestClient, back: str = "list", **chosen: str) -> str:
    return post(client, "/filters", back=back, **({"state": "open"} | chosen))


@pytest.mark.parametrize(("chosen", "n"), CASES["filters"])
def test_filters(tmp_path: Path, shipped: Triage, chosen: dict[str, str], n: int) -> None:
    path = make_queue(tmp_path / "q", shipped, [*MESSAGES, ("50", "bises")])
    with Queue.open(path) as queue:
        queue.decide("anna", find(queue, "bises"), Answer.NTA)
        html = _filter(client_of(guarded(queue)), **chosen)
    assert html.count('name="items"') == n


def test_the_queue_page_keeps_to_the_filter(client: TestClient, queue: Queue) -> None:
    html = _filter(client, "item", word="rose")
    shown = {field(html, "item"), field(step(client, answer="NTA"), "item")}
    assert shown == {str(find(queue, "rose fanee")), str(find(queue, "rose chez"))}
    assert "Aucun texte ne correspond" in step(client, answer="NTA")
    cleared = _filter(client, "item", clear="1")
    assert "8 textes restants" in cleared


def test_filters_are_one_browsers_own(queue: Queue) -> None:
    app = guarded(queue)
    one, other = client_of(app), client_of(app)
    assert _filter(one, word="rose").count('name="items"') == 2
    assert other.get("/list").text.count('name="items"') == 10


def test_many_are_decided_at_once(client: TestClient, queue: Queue) -> None:
    html = _filter(client, word="rose")
    items = re.findall(r'name="items" value="(\d+)"', html)
    data = {**fields(html, ["last", "offset"]), "items": items}
    refused = client.post("/list", data=data | {"answer": "NTA"}, headers=HEADERS)
    assert refused.status_code == 409
    assert "un vote dit TA" in refused.text
    assert queue.progress("anna").decided == 0
    html = post(client, "/list", **data, answer="TA")
    assert _said(html) == "TA noté pour 2 textes."
    assert queue.progress("anna").decided == 2
    assert len(queue.history("anna")) == 1
    again = client.post("/list", data=data | {"answer": "TA"}, headers=HEADERS)
    assert again.status_code == 409
    assert _said(_undo(client, "/list")) == "Annulé\u00a0: TA (2 textes)."
    assert queue.progress("anna").decided == 0


def test_the_table_has_pages(tmp_path: Path, shipped: Triage) -> None:
    with Queue.open(make_queue(tmp_path / "q", shipped, many(120))) as queue:
        client = client_of(guarded(queue))
        pages = [client.get("/list", params={"offset": n}).text for n in (0, 50, 100, 900)]
        assert [page.count('name="items"') for page in pages] == [50, 50, 20, 20]
        assert "101 à 120 sur 120" in pages[2]
        assert client.get("/list", params={"offset": "x"}).status_code == 404


def test_disagreements(client: TestClient, queue: Queue) -> None:
    number = find(queue, "Solveig")
    queue.double(1.0)
    queue.decide("marc", number, Answer.TA, [Span(11, 18, PRE)])
    queue.decide("zoé", number, Answer.NTA)
    for other in (n for n in range(1, 7) if n != number):
        queue.decide("marc", other, Answer.TA)
        queue.decide("zoé", other, Answer.TA)
    status = client.get("/status").text
    assert f'href="/only/disagreement/{number}"' in status
    assert "zoé" in status
    html = client.get("/only/disagreement").text
    assert "Choisir la réponse de zoé" in html
    assert "Solveig" in html
    page = fields(html, ["item", "seen"])
    html = post(client, "/rule", **page, answer="TA", spans="11:18:PRE")
    assert _said(html) == "Désaccord tranché\u00a0: TA."
    assert "Réglé" not in html
    item = queue.item(number)
    assert item
    assert item.final is Answer.TA
    assert "Annulé" in _said(_undo(client, "/only/disagreement"))
    assert queue.numbers("", Filters(state=State.DISAGREED)) == [number]


def test_from_each_message_lead_links_to_those_beside_it(client: TestClient, queue: Queue) -> None:
    def beside(path: str) -> list[str]:
        links = re.findall(r'<a rel="(?:prev|next)" href="([^"]+)"', client.get(path).text)
        return [str(link) for link in links]

    first, second, third = (one.number for one in queue.rows("anna", Filters(), limit=3))
    step(client, f"/item/{first}", answer="NTA")
    assert beside(f"/item/{second}") == [f"/item/{first}", f"/item/{third}"]
    assert beside(f"/item/{first}")[0] == f"/item/{second}"
    for number in (3, 5):
        queue.decide("marc", number, Answer.TA)
        queue.decide("zoé", number, Answer.NTA)
    assert beside("/only/disagreement") == ["/only/disagreement/5"]
    assert beside("/only/disagreement/5") == ["/only/disagreement/3"]


@pytest.mark.parametrize("reason", [Reason.LEAK, Reason.FINDING, Reason.HELD])
def test_items_of_one_reason_come_one_after_the_other(
    client: TestClient, queue: Queue, reason: Reason
) -> None:
    queue.add_items([Task(reason, "1", start=0, end=6), Task(reason, "7")])
    page = client.get(f"/only/{reason}").text
    assert re.search(rf'href="/only/{reason}" aria-current="page">[^<]+<b>2</b>', page)
    # Its place is marked.
    assert field(page, "spans").startswith("0:6:PRE")
    html = step(client, f"/only/{reason}", answer="NTA")
    assert 'value="7"' in html
    assert "Aucun texte ne correspond" in step(client, f"/only/{reason}", answer="NTA")


def _disagreement_of_anna(queue: Queue) -> int:
    number = find(queue, "Solveig")
    queue.decide("anna", number, Answer.TA, [Span(11, 18, PRE)])
    queue.decide("zoé", number, Answer.NTA)
    return number


def test_who_has_answered_settles_no_disagreement(client: TestClient, queue: Queue) -> None:
    number = _disagreement_of_anna(queue)
    html = client.get("/only/disagreement").text
    assert "quelqu’un d’autre doit trancher" in html
    assert 'name="answer"' not in html
    page = fields(html, ["item", "seen", "spans"]) | {"answer": "NTA"}
    refused = client.post("/rule", data=page, headers=HEADERS)
    assert refused.status_code == 403
    assert "quelqu’un d’autre doit trancher" in refused.text
    assert queue.numbers("", Filters(state=State.DISAGREED)) == [number]


def test_a_disagreement_that_is_anothers_comes_before_ones_own(
    client: TestClient, queue: Queue
) -> None:
    own = _disagreement_of_anna(queue)
    for name, answer in (("marc", Answer.TA), ("zoé", Answer.NTA)):
        queue.decide(name, own + 1, answer)
    assert field(client.get("/only/disagreement").text, "item") == str(own + 1)


def _doubled(path: Path, answer: Answer, spans: Spans) -> None:
    """Have zoé answer messages that anna is to answer, too: alone, by many, and then undone."""
    with Queue.open(path) as queue:
        queue.double(1.0)
        queue.decide("zoé", 1, answer, spans)
        queue.note("zoé", 1, f"moi je dis {answer}", asks=True)
        queue.decide_all("zoé", [2, 3], answer)
        queue.decide("zoé", 4, answer, spans)
        queue.undo("zoé")
        queue.decide("anna", 5, Answer.SKIP)
        queue.decide("zoé", 5, answer, spans)


def _all_that_anna_sees(path: Path) -> list[str]:
    """Return every page, and what the command line says; times and sessions are left out."""
    with Queue.open(path) as queue:
        client = client_of(guarded(queue))
        pages = ["/", "/status", "/list", "/only/spelling"]
        pages += [f"/only/{reason}" for reason in Reason]
        pages += [f"/{place}/{n}" for place in ("item", "only/disagreement") for n in range(1, 7)]
        shown = [client.get(page).text for page in pages]
        for state in State:
            shown.append(_filter(client, state=state.value))
            shown.append(_filter(client, "item", state=state.value))
    asked = ["queue", "status", str(path)]
    shown += [CliRunner().invoke(app, [*asked, *more]).output for more in ([], ["--json"])]
    for state in State:
        out = path.with_name(f"{state.value}.csv")
        options = ["--annotator", "anna", "--state", state.value]
        CliRunner().invoke(app, ["queue", "export", str(path), "-o", str(out), *options])
        shown.append(out.read_text(encoding="utf-8"))
        out.unlink()
    return [re.sub(r'\d{4}-\d\d-[^ "<]+( \d\d:\d\d)?', "", s) for s in shown]


def test_nothing_tells_what_the_other_one_of_two_answered(queue_path: Path) -> None:
    """Whether zoé said TA or NTA, anna sees the same, byte for byte, until she has answered."""
    seen = []
    for answer, spans in ((Answer.TA, (Span(0, 2, LIE),)), (Answer.NTA, ())):
        path = queue_path.with_name("copy") / "work.queue"
        path.parent.mkdir()
        shutil.copy(queue_path, path)
        _doubled(path, answer, spans)
        seen.append(_all_that_anna_sees(path))
        shutil.rmtree(path.parent)
    for one, other in zip(*seen, strict=True):
        assert one == other
    assert any("masquée" in page for page in seen[0])


def test_who_reads_a_message_twice_sees_no_vote_score_or_suggestion(
    client: TestClient, queue: Queue
) -> None:
    number = find(queue, "kevinn")
    queue.double(1.0)
    html = client.get(f"/item/{number}").text
    assert "Seek&amp;Hide <b>" not in html
    assert field(html, "spans") == ""
    # Nor any label, list or type of a word.
    words = re.findall(
        r'<button type="button" class="(.*?)".*?data-t="(.*?)" data-why="(.*?)"', html
    )
    assert {*words} == {("w", "PRE", "")}
    assert not re.search("indice de nom|dictionnaire|prénoms|ambigu|offer", html)
    assert "hidden disabled" in _take(html)
    listed = client.get("/list").text
    assert 'name="items"' not in listed
    data = {"last": "0", "offset": "0", "items": str(number), "answer": "NTA"}
    assert client.post("/list", data=data, headers=HEADERS).status_code == 409
    step(client, f"/item/{number}", answer="NTA")
    assert "Seek&amp;Hide <b>" in client.get(f"/item/{number}").text


def test_the_share_that_two_read_changes_for_what_nobody_has_read(
    client: TestClient, queue: Queue
) -> None:
    queue.decide("anna", 1, Answer.NTA)
    post(client, "/double", share="100")
    assert [queue.item(n).wanted for n in (1, 2)] == [1, 2]
    assert (
        'name="share" inputmode="decimal" size="4" required value="100"'
        in client.get("/status").text
    )
    refused = client.post("/double", data={"share": "x"}, headers=HEADERS)
    assert refused.status_code == 400


def test_agreement_is_told_from_twenty_items_on(tmp_path: Path, shipped: Triage) -> None:
    with Queue.open(make_queue(tmp_path / "q", shipped, many(30))) as queue:
        queue.double(1.0)
        for number in range(1, 21):
            for name in ("marc", "zoé"):
                answer = Answer.TA if number % 2 else Answer.NTA
                spans = [Span(0, 3, PRE)] if answer is Answer.TA else []
                queue.decide(name, number, answer, spans)
            if number in (19, 20):
                page = client_of(guarded(queue)).get("/status").text
                assert ('<td class="n">1,00</td>' in page) == (number == 20)


def test_what_is_no_disagreement_cannot_be_settled(client: TestClient, queue: Queue) -> None:
    data = {"item": "1", "seen": "0", "spans": "", "answer": "NTA"}
    refused = client.post("/rule", data=data, headers=HEADERS)
    assert refused.status_code == 404
    assert "a changé entre-temps" in refused.text
    assert not queue.history()


def _take(html: str) -> str:
    found = re.search(r'<button class="primary" id="take".*?</button>', html, re.DOTALL)
    assert found
    return found[0]


@pytest.fixture
def voted(tmp_path: Path, shipped: Triage) -> Iterator[Queue]:
    """Messages in which no word is suggested by itself; a vote says TA of the first two."""
    path = make_queue(
        tmp_path / "q", shipped, [("1", "on mange a midi"), ("2", "!!"), ("3", "ok")], vote_ta=2
    )
    with Queue.open(path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("number", "is_released", "shown"), CASES["no_single_key_releases_against_a_vote"]
)
def test_no_single_key_releases_against_a_vote(
    voted: Queue, number: int, is_released: bool, shown: list[str]
) -> None:
    if is_released:
        voted.decide("anna", number, Answer.NTA)
    html = client_of(guarded(voted)).get(f"/item/{number}").text
    assert [part for part in shown if part not in _take(html)] == []
    assert ("hidden" in _take(html)) == ("hidden disabled" in shown)
    if number == 1 and not is_released:
        assert field(html, "spans").count(":") == 2
    assert number != 2 or "Un vote dit TA" in html


def test_the_table_suggests_no_release_against_a_vote(voted: Queue) -> None:
    html = client_of(guarded(voted)).get("/list").text
    suggested = re.findall(r'href="/item/(\d)".*?data-name="Suggestion">([\w–]+)<', html, re.DOTALL)
    assert dict(suggested) == {"1": "TA", "2": "–", "3": "NTA"}


@pytest.mark.parametrize("answer", ["TA", "NTA", "SKIP"])
def test_undo_brings_back_the_marks(client: TestClient, answer: str) -> None:
    first = field(step(client, answer=answer, spans="0:2:LIE"), "item")
    html = _undo(client)
    assert field(html, "item") != first
    assert field(html, "spans") == "0:2:LIE"
    assert 'value="TA"' in _take(html)
    assert field(client.get("/item/" + field(html, "item")).text, "spans") == "0:2:LIE"


def test_an_earlier_answer_that_stands_again_shows_its_own_marks(
    client: TestClient, queue: Queue
) -> None:
    queue.decide("anna", 1, Answer.TA, [Span(0, 2, LIE)])
    page = fields(client.get("/item/1").text, ["item", "seen", "last"])
    post(client, "/decide", **page, answer="TA", spans="0:2:PRE")
    assert field(_undo(client), "spans") == "0:2:LIE"


def test_the_switch_of_language_stays(client: TestClient) -> None:
    html = post(client, "/language", language="en", back="/list")
    assert '<html lang="en">' in html
    assert "Search and filter" in html
    english = client.get("/").text
    assert '<html lang="en">' in english
    assert '<div id="message-text" lang="fr" dir="auto" class="flow">' in english
    for back in ("//evil.example", "https://evil.example", "/item/1\n"):
        response = client.post(
            "/language",
            data={"language": "fr", "back": back},
            headers=HEADERS,
            follow_redirects=False,
        )
        assert response.headers["location"] == "/"


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("path", ["/", "/item/1", "/only/spelling", "/list", "/status"])
def test_every_page_is_there_in_both_languages(queue: Queue, language: str, path: str) -> None:
    response = client_of(guarded(queue), language=language).get(path)
    assert response.status_code == 200
    assert f'<html lang="{language}">' in response.text
    ids = re.findall(r' id="([^"]+)"', response.text)
    assert len(ids) == len(set(ids))


def test_a_part_of_a_page_is_that_part(client: TestClient) -> None:
    response = client.get("/", headers={"X-Fragment": "1"})
    assert "<html" not in response.text
    assert response.headers["x-place"] == "main"
    refused = client.get("/item/999", headers={"X-Fragment": "1"})
    assert refused.text.startswith("Cette page ou ce message")


@pytest.mark.parametrize(
    "text",
    [
        "Rose " * 30_000,
        "x" * 500_000,
        "Rose," * 2_000,
        " \n" * 50_000,
        "\u202eRose \u0000\u200d\r\n fin",
    ],
)
def test_strange_messages(tmp_path: Path, shipped: Triage, text: str) -> None:
    with Queue.open(make_queue(tmp_path / "q", shipped, [("1", text.replace("\0", ""))])) as queue:
        client = client_of(guarded(queue))
        html = client.get("/item/1").text
        assert html.count('class="w') < 3_100
        assert len(html) < 3 * len(text) + 1_500_000
        assert client.get("/list").status_code == 200


def test_what_somebody_decided_nta_is_asked_again_once_a_word_of_it_is_always_a_name(
    client: TestClient, queue: Queue
) -> None:
    number = find(queue, "kevinn")
    queue.decide("zoé", number, Answer.NTA)
    asked = _confirm(client, "kevinn", "always", "1")
    assert "1 texte décidé NTA sera à relire." in asked
    data = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', asked.split("/word/")[1])
    html = post(client, "/word/confirm", **dict(data) | {"back": "list"})
    assert "À relire, car quelqu’un avait décidé NTA\u00a0: 1 texte." in _said(html)
    assert 'href="/only/spelling">Graphies <b>1</b>' in html
    for path in ("/", "/only/spelling"):
        html = client.get(path).text
        assert field(html, "item") == str(number)
        assert "décidé NTA avant la règle\u00a0: «\u00a0kevinn\u00a0» est toujours un nom" in html
        assert re.search(r"Décidé auparavant\s: <bdi>zoé</bdi> NTA, <time", html)
        assert "23:29:PRE" in field(html, "spans")
    last = str(queue.last_decision("anna"))
    assert "Annulé\u00a0: «\u00a0kevinn\u00a0»" in _said(
        post(client, "/undo", last=last, back="status")
    )
    assert queue.item(number).final is Answer.NTA


def test_what_is_asked_again_and_passed_leaves_the_spellings(
    client: TestClient, queue: Queue
) -> None:
    number = find(queue, "kevinn")
    queue.decide("zoé", number, Answer.NTA)
    queue.decide_word("marc", "kevinn", WordRule.ALWAYS)
    assert 'id="message"' not in step(client, "/only/spelling", answer="SKIP")
    assert queue.waiting("anna", rules=True)[Reason.SPELLING] == 1
