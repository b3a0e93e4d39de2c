"""Pages of a queue: their content, their forms, and the view of others."""

import re
import shutil
import stat
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.cases import cases_beside
from tests.triage.web import queues as q
from tests.triage.web.queues import Person, field, fields, find
from triage import Triage
from triage.cli.main import app
from triage.queue import Answer, Filters, Queue, Reason, Span, Spans, State, Task, WordRule
from triage.vocabulary import IdentifierType
from triage.web.pages import html as html_of
from triage.web.people import Right

CASES = cases_beside(__file__)

PRE, LIE = IdentifierType.PRE, IdentifierType.LIE


def _said(html: str) -> str:
    found = re.search(r'id="said">(.*?)</p>', html)
    assert found
    return unescape(found[1])


def _undo(client: Person, path: str = "/") -> str:
    return client.submit("/undo", **fields(client.see(path), ["last", "back"]))


def test_each_type_has_a_button_and_a_key_that_does_nothing_else(client: Person) -> None:
    html = client.see("/")
    keys = [unescape(key) for key in re.findall(r'data-key="([^"]*)"', html)]
    types = re.findall(r'data-type="([A-Z]+)" data-key="([^"]+)"', html)
    assert [type_ for type_, _ in types] == [*IdentifierType]
    assert [key for _, key in types[:10]] == [*"1234567890"]
    assert all(keys.count(key) == 1 for _, key in types)
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_answers_lead_on_and_marks_go_with_ta_alone(client: Person, queue: Queue) -> None:
    first = queue.next("anna")
    assert first is not None
    html = client.step(answer="TA", spans="0:2:LIE")
    assert _said(html) == "TA noté."
    assert "9 textes restants" in html
    assert q.standing(queue, first).spans == (Span(0, 2, LIE),)
    assert field(html, "item") != str(first)
    number = find(queue, "Solveig")
    for answer in ("NTA", "SKIP"):
        client.step(f"/item/{number}", answer=answer, spans="0:6:PRE")
        assert (q.standing(queue, number).answer, q.standing(queue, number).spans) == (answer, ())


def test_ta_with_nothing_marked_asks_for_the_word(client: Person, queue: Queue) -> None:
    number = find(queue, "Maëlle")
    page = fields(client.see(f"/item/{number}"), ["item", "seen", "last"])
    html = client.submit("/decide", **page, answer="TA", spans="", note="qui ?")
    assert _said(html).startswith("Quel mot\u00a0?")
    assert (queue.history(), field(html, "item")) == ([], str(number))
    assert queue.notes("anna", number)[0].text == "qui ?"
    html = client.submit("/decide", **page, answer="TA", spans="", bare=field(html, "bare"))
    assert _said(html) == "TA noté."
    assert 'name="bare"' not in html
    assert q.standing(queue, number).spans == ()
    # The same form twice decides once.
    page = fields(client.see("/"), q.STEP)
    client.submit("/decide", **page, answer="NTA")
    assert _said(client.submit("/decide", **page, answer="NTA")) == "Déjà noté."
    assert client.status("/decide", **page, answer="SKIP") == 409
    # A decision can be looked at and changed.
    number = find(queue, "Solveig")
    queue.decide("anna", number, Answer.TA, [Span(11, 18, LIE)])
    html = client.see(f"/item/{number}")
    assert "Vous avez répondu À anonymiser." in html
    assert field(html, "spans") == "11:18:LIE"
    assert _said(client.step(f"/item/{number}", answer="TA", spans="11:18:LIE")) == "Déjà noté."
    assert len(queue.history("anna")) == 3
    client.step(f"/item/{number}", answer="NTA")
    told = "Vous avez répondu Rien à anonymiser. Décision\u00a0: Rien à anonymiser."
    assert told in client.see(f"/item/{number}")
    assert queue.item(number).final is Answer.NTA


def test_undo_shows_what_was_undone_with_its_marks(client: Person, queue: Queue) -> None:
    outdated = client.see("/")
    client.step(answer="TA")
    page = fields(outdated, ["last", "back"])
    assert "a changé entre-temps" in _said(client.submit("/undo", **page))
    assert queue.progress("anna").decided == 1
    html = _undo(client)
    assert _said(html) == "Annulé\u00a0: TA."
    assert field(html, "item") == field(outdated, "item")
    assert queue.progress("anna").decided == 0
    assert _said(_undo(client)) == "Rien à annuler."
    for answer in ("TA", "NTA", "SKIP"):
        first = field(client.step(answer=answer, spans="0:2:LIE"), "item")
        html = _undo(client)
        assert field(html, "item") != first
        assert 'value="TA"' in _take(html)
        for shown in (html, client.see("/item/" + field(html, "item"))):
            assert field(shown, "spans") == "0:2:LIE"
    # An earlier answer that stands again shows its own marks.
    queue.decide("anna", 1, Answer.TA, [Span(0, 2, LIE)])
    client.step("/item/1", answer="TA", spans="0:2:PRE")
    assert field(_undo(client), "spans") == "0:2:LIE"


def _confirm(client: Person, word: str, rule: str, item: str) -> tuple[str, dict[str, str]]:
    """Return what a rule would do, and the form that confirms it."""
    html = client.submit("/word", word=word, rule=rule, type="PRE", item=item)
    form = html.split("/word/")[1]
    return html, dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))


def test_a_word_that_never_is_a_name(client: Person, queue: Queue) -> None:
    html, form = _confirm(client, "Rose", "never", str(find(queue, "fanee")))
    assert "«\u00a0Rose\u00a0», jamais un nom" in unescape(html)
    effect = queue.effect_of_word("anna", "rose", WordRule.NEVER)
    assert f"{effect.n_items} textes à décider ({effect.n_messages} messages)" in html
    assert queue.word_lists() == ([], [])
    assert "«\u00a0Rose\u00a0», jamais un nom" in _said(client.submit("/word/confirm", **form))
    assert queue.word_lists() == ([], ["Rose"])
    assert "Rose" in client.see("/status")
    assert "a changé entre-temps" in _said(client.submit("/word/confirm", **form))
    assert "Annulé\u00a0: «\u00a0Rose\u00a0»" in _said(_undo(client))
    assert queue.word_lists() == ([], [])
    for word in ("", " ", "deux mots", "x" * 201):
        assert client.status("/word", word=word, rule="never", type="PRE", item="") == 400
    # It is undone from the status, too.
    rule = queue.decide_word("anna", "rose", WordRule.NEVER)
    queue.decide("anna", find(queue, "Maëlle"), Answer.NTA)
    html = client.see("/status")
    assert re.findall(r'name="decision" value="(\d+)"', html) == [str(rule)]
    html = client.submit("/undo", **fields(html, ["last", "back"]), decision=rule)
    assert _said(html).startswith("Annulé\u00a0: «\u00a0rose\u00a0», jamais un nom")
    assert (queue.word_rules(), queue.progress("anna").decided) == ({}, 1)
    assert client.see("/status").count("<small>annulée</small>") == 2


def test_what_was_nta_is_asked_again_once_a_word_is_a_name(client: Person, queue: Queue) -> None:
    number = find(queue, "kevinn")
    queue.decide("zoé", number, Answer.NTA)
    html, form = _confirm(client, "kevinn", "always", "1")
    assert "1 texte décidé NTA sera à relire." in html
    html = client.submit("/word/confirm", **form | {"back": "list"})
    assert "1 texte décidé NTA sera à relire." in _said(html)
    told = _said(html).partition(". 1 texte")[0]
    assert 'href="/only/spelling">Graphies <b>1</b>' in html
    for path in ("/", "/only/spelling"):
        html = client.see(path)
        assert field(html, "item") == str(number)
        assert "décidé NTA avant la règle\u00a0: «\u00a0kevinn\u00a0» est toujours un nom" in html
        assert re.search(r"Décidé auparavant\s: <bdi>zoé</bdi> NTA, <time", html)
        assert "23:29:PRE" in field(html, "spans")
    last = queue.last_decision("anna")
    said = _said(client.submit("/undo", last=last, back="status"))
    # It is told of the same texts.
    assert said == f"Annulé\u00a0: {told}."
    assert queue.item(number).final is Answer.NTA
    # What is asked again and passed leaves the spellings.
    queue.decide_word("marc", "kevinn", WordRule.ALWAYS)
    assert 'id="message"' not in client.step("/only/spelling", answer="SKIP")
    assert queue.waiting("anna", rules=True)[Reason.SPELLING] == 1
    # A rule of another of its words asks nothing again.
    _, form = _confirm(client, "jsui", "never", "1")
    assert _said(client.submit("/word/confirm", **form)).endswith("jamais un nom (1 texte).")


def _filter(client: Person, back: str = "list", **chosen: str) -> str:
    return client.submit("/filters", back=back, **({"state": "open"} | chosen))


def test_a_message_says_which_words_may_be_names(tmp_path: Path, shipped: Triage) -> None:
    messages = [("1", "tu viens a la fete de fouzilhon?"), ("2", "Coucou Maëlle"), ("3", "ok ok")]
    with Queue.open(q.make_queue(tmp_path / "q", shipped, messages)) as queue:
        client = q.client_of(q.guarded(queue))
        shown = [client.see(f"/item/{number}") for number in queue.numbers("anna", Filters())]
    said = [re.findall(r"peut-être encore un nom\s:\s([^<\s]+)", html) for html in shown]
    assert sorted(said) == [[], [], ["fouzilhon"]]


def test_filters(tmp_path: Path, shipped: Triage) -> None:
    path = q.make_queue(tmp_path / "q", shipped, [*q.MESSAGES, ("50", "bises")])
    with Queue.open(path) as queue:
        queue.decide("anna", find(queue, "bises"), Answer.NTA)
        for chosen, n in CASES["filters"]:
            html = _filter(q.client_of(q.guarded(queue)), **chosen)
            assert html.count('name="items"') == n, chosen
        # What is sought among the open texts is found where it was decided.
        html = _filter(q.client_of(q.guarded(queue)), word="bises")
        assert html.count('name="items"') == 1


def test_filters_are_one_browsers_own_and_hold_in_reading(client: Person, queue: Queue) -> None:
    app = q.guarded(queue)
    one, other = q.client_of(app), q.client_of(app)
    assert _filter(one, word="rose").count('name="items"') == 2
    assert other.see("/list").count('name="items"') == 10
    html = _filter(client, "item", word="rose")
    shown = {field(html, "item"), field(client.step(answer="NTA"), "item")}
    assert shown == {str(find(queue, "rose fanee")), str(find(queue, "rose chez"))}
    assert "Rien ne correspond" in client.step(answer="NTA")
    assert "8 textes restants" in _filter(client, "item", clear="1")


def test_many_are_decided_at_once(client: Person, queue: Queue) -> None:
    html = _filter(client, word="rose")
    items = re.findall(r'name="items" value="(\d+)"', html)
    data = {**fields(html, ["last", "offset"]), "items": items}
    assert client.status("/list", **data, answer="NTA") == 409
    assert queue.progress("anna").decided == 0
    assert _said(client.submit("/list", **data, answer="TA")) == "TA noté pour 2 textes."
    assert (queue.progress("anna").decided, len(queue.history("anna"))) == (2, 1)
    assert client.status("/list", **data, answer="TA") == 409
    assert _said(_undo(client, "/list")) == "Annulé\u00a0: TA (2 textes)."
    assert queue.progress("anna").decided == 0


def test_disagreements(client: Person, queue: Queue) -> None:
    number = find(queue, "Solveig")
    queue.double(1.0)
    queue.decide("marc", number, Answer.TA, [Span(11, 18, PRE)])
    queue.decide("zoé", number, Answer.NTA)
    for other in (n for n in range(1, 7) if n != number):
        queue.decide("marc", other, Answer.TA)
        queue.decide("zoé", other, Answer.TA)
    status = client.see("/status")
    assert f'href="/only/disagreement/{number}"' in status
    assert "zoé" in status
    html = client.see("/only/disagreement")
    assert "Choisir cette réponse" in html
    assert "Solveig" in html
    page = fields(html, ["item", "seen"])
    html = client.submit("/rule", **page, answer="TA", spans="11:18:PRE")
    assert _said(html) == "Désaccord tranché\u00a0: TA."
    assert "<p>1 décidé ·" in html
    assert "Réglé" not in html
    assert queue.item(number).final is Answer.TA
    assert "Annulé" in _said(_undo(client, "/only/disagreement"))
    assert queue.numbers("", Filters(state=State.DISAGREED)) == [number]
    # What is none cannot be settled.
    assert client.status("/rule", item="1", seen="0", spans="", answer="NTA") == 404


def test_who_has_answered_settles_no_disagreement_of_theirs(client: Person, queue: Queue) -> None:
    number = find(queue, "Solveig")
    queue.decide("anna", number, Answer.TA, [Span(11, 18, PRE)])
    queue.decide("zoé", number, Answer.NTA)
    html = client.see("/only/disagreement")
    assert "quelqu’un d’autre doit trancher" in html
    assert 'name="answer"' not in html
    page = fields(html, ["item", "seen", "spans"]) | {"answer": "NTA"}
    assert client.status("/rule", **page) == 403
    assert queue.numbers("", Filters(state=State.DISAGREED)) == [number]
    for name, answer in (("marc", Answer.TA), ("zoé", Answer.NTA)):
        queue.decide(name, number + 1, answer)
    assert field(client.see("/only/disagreement"), "item") == str(number + 1)


def test_a_number_is_marked_by_its_form_by_the_blind_too(queue: Queue, client: Person) -> None:
    queue.double(1.0)
    html = client.see(f"/item/{find(queue, 'Appelle')}")
    types = dict(re.findall(r'data-s="(\d+)"[^>]* data-t="(\w+)" data-why=""', html))
    assert types["15"] == "TEL"
    assert types["0"] == "PRE"


def test_what_somebody_else_is_reading_is_not_missing(queue: Queue, client: Person) -> None:
    for number in range(2, 11):
        queue.decide("anna", number, Answer.NTA)
    queue.add_items([Task(Reason.LEAK, row=1)])
    queue.release("anna")
    assert queue.next("marc") == 1
    for page in ("/", "/only/leak"):
        html = client.see(page)
        assert "1 texte est en cours de lecture par quelqu’un d’autre." in html
        assert "Rien ne correspond" not in html
        # It waits for nobody else beside that.
        assert "attend une autre personne" not in html


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
        client = q.client_of(q.guarded(queue))
        pages = ["/", "/status", "/list", "/only/spelling"]
        pages += [f"/only/{reason}" for reason in Reason]
        pages += [f"/{place}/{n}" for place in ("item", "only/disagreement") for n in range(1, 7)]
        shown = [client.see(page) for page in pages]
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
    """Be it TA or NTA that zoé said, anna sees the same, byte for byte, until she has answered."""
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


def test_who_reads_what_two_read_sees_no_suggestion(client: Person, queue: Queue) -> None:
    number = find(queue, "kevinn")
    queue.double(1.0)
    html = client.see(f"/item/{number}")
    assert "Seek&amp;Hide <b>" not in html
    assert field(html, "spans") == ""
    # Nor any label, list or type of a word.
    words = re.findall(
        r'<button type="button" class="(.*?)".*?data-t="(.*?)" data-why="(.*?)"', html
    )
    assert {*words} == {("w", "PRE", "")}
    message = html.split("<aside")[0]
    assert not re.search("indice de nom|dictionnaire|prénoms|ambigu|offer|encore un nom", message)
    assert "hidden disabled" in _take(html)
    assert 'name="items"' not in client.see("/list")
    assert client.status("/list", last="0", offset="0", items=number, answer="NTA") == 409
    client.step(f"/item/{number}", answer="NTA")
    assert "Seek&amp;Hide <b>" in client.see(f"/item/{number}")


def test_the_table_has_pages_and_agreement_from_twenty_on(tmp_path: Path, shipped: Triage) -> None:
    with Queue.open(q.make_queue(tmp_path / "q", shipped, q.many(120))) as queue:
        client = q.client_of(q.guarded(queue))
        pages = [client.see(f"/list?offset={n}") for n in (0, 50, 100, 900)]
        assert [page.count('name="items"') for page in pages] == [50, 50, 20, 20]
        assert "101 à 120 sur 120" in pages[2]
        assert client.get("/list?offset=x").status_code == 404
        queue.double(1.0)
        for number in range(1, 21):
            answer, spans = (Answer.TA, [Span(0, 3, PRE)]) if number % 2 else (Answer.NTA, [])
            for name in ("marc", "zoé"):
                queue.decide(name, number, answer, spans)
            if number in (19, 20):
                page = q.client_of(q.guarded(queue)).see("/status")
                assert ('data-name="Kappa de Cohen">1,00</td>' in page) == (number == 20)


def _take(html: str) -> str:
    found = re.search(r'<button class="primary" id="take".*?</button>', html, re.DOTALL)
    assert found
    return found[0]


@pytest.fixture
def voted(tmp_path: Path, shipped: Triage) -> Iterator[Queue]:
    """Messages in which no word is suggested by itself; a vote says TA of the first two."""
    messages = [("1", "on mange a midi"), ("2", "!!"), ("3", "ok")]
    with Queue.open(q.make_queue(tmp_path / "q", shipped, messages, vote_ta=2)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("number", "is_released", "shown"), CASES["no_single_key_releases_against_a_vote"]
)
def test_no_key_releases_ta(voted: Queue, number: int, is_released: bool, shown: list[str]) -> None:
    if is_released:
        voted.decide("anna", number, Answer.NTA)
    html = q.client_of(q.guarded(voted)).see(f"/item/{number}")
    assert [part for part in shown if part not in _take(html)] == []
    assert ("hidden" in _take(html)) == ("hidden disabled" in shown)
    if number == 1 and not is_released:
        assert field(html, "spans").count(":") == 2
    assert number != 2 or "pas de proposition" in html
    html = q.client_of(q.guarded(voted)).see("/list")
    suggested = re.findall(r'href="/item/(\d)".*?data-name="Suggestion">([\w–]+)<', html, re.DOTALL)
    assert dict(suggested) == dict([("1", "TA"), ("2", "–"), ("3", "NTA")][is_released:])


def test_the_switch_of_language_stays_and_leads_to_no_other_site(client: Person) -> None:
    html = client.submit("/language", language="en", back="/list")
    assert '<html lang="en">' in html
    assert "Search and filter" in html
    english = client.see("/")
    assert '<html lang="en">' in english
    assert '<div id="message-text" lang="" dir="auto" class="flow">' in english
    client.follow_redirects = False
    for back in ("//evil.example", "https://evil.example", "/item/1\n"):
        form = {"language": "fr", "back": back}
        assert client.form("/language", form).headers["location"] == "/"
    for back in ("/project/Été/read/", "/project/%C3%89t%C3%A9/read/"):
        sent = client.form("/language", {"language": "fr", "back": back})
        assert sent.headers["location"] == "/project/%C3%89t%C3%A9/read/"


def test_a_part_of_a_page_is_that_part(client: Person) -> None:
    response = client.get("/", headers={"X-Fragment": "1"})
    assert "<html" not in response.text
    assert response.headers["x-place"] == "main"
    refused = client.get("/item/999", headers={"X-Fragment": "1"})
    assert refused.text.startswith("Cette page ou ce message")


def test_strange_messages(tmp_path: Path, shipped: Triage) -> None:
    texts = ["Rose " * 10_000, "x" * 200_000, "Rose," * 2_000, " \n" * 20_000]
    texts.append("\u202eRose \u200d\r\n fin")
    messages = [("1", text) for text in texts]
    with Queue.open(q.make_queue(tmp_path / "q", shipped, messages)) as queue:
        client = q.client_of(q.guarded(queue))
        for number, text in enumerate(texts, 1):
            html = client.see(f"/item/{number}")
            assert html.count('class="w') < 3_100
            assert len(html) < 3 * len(text) + 1_500_000
        assert client.get("/list").status_code == 200


def _as(queue: Queue, annotator: str, *without: Right, rules_own: bool = False) -> Person:
    return q.client_of(q.guarded(queue, annotator, *without, rules_own=rules_own))


def test_a_mark_is_shown_on_all_that_it_covers_and_kept(client: Person, queue: Queue) -> None:
    number = find(queue, "jarrive")
    client.step(f"/item/{number}", answer="TA", spans="5:11:PRE")
    html = client.see(f"/item/{number}")
    assert 'tabindex="-1">j<span class="part" data-mark="PRE">arrive</span></button>' in html
    assert q.standing(queue, number).spans == (Span(5, 11, PRE),)
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
def test_a_note_is_kept_with_what_is_sent(client: Person, queue: Queue, to: str) -> None:
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
    queue.note("marc", number, q.HOSTILE, asks=True)
    for path in (f"/item/{number}", "/status"):
        html = _as(queue, "anna").see(path)
        assert "<img src=x" not in html
        assert q.HOSTILE in unescape(html)
        assert "demande un avis" in html
    # More of the conversation can be asked for.
    number = find(queue, "ok")
    short, long = (client.see(f"/item/{number}{query}") for query in ("", "?around=15"))
    assert f'href="/item/{number}?around=15"' in short
    assert "Tarek" in long
    assert "around=15" not in long
    assert client.get(f"/item/{number}?around=x").status_code == 404


def test_guidelines_are_changed_and_read_beside_a_message(client: Person, queue: Queue) -> None:
    carla = _as(queue, "carla", Right.PUBLISH)
    assert 'name="text"' not in carla.see("/")
    form = {"seen": "", "text": "x"}
    assert carla.status("/guidelines", **form) == 403
    assert not queue.path.with_name("guidelines.md").exists()
    aside = client.see("/").split("<aside")[1]
    [seen] = re.findall(r'name="seen" value="(\w+)"', aside)
    html = client.submit("/guidelines", seen=seen, text=f"# Noms\r\n\r\n{q.HOSTILE}")
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
    told = html_of("# Un\n\n[lien](javascript:x) <b> **deux**")
    assert told == "<h2>Un</h2>\n<p>[lien](javascript:x) &lt;b&gt; <strong>deux</strong></p>\n"


@pytest.fixture
def finished(queue: Queue) -> Queue:
    """A queue in which Carla has decided all, and one text is in disagreement."""
    for number in range(1, len(q.MESSAGES) + 1):
        queue.decide("carla", number, Answer.TA if number < 4 else Answer.NTA)
    queue.double(1.0)
    return queue


def test_the_end_says_what_was_decided_and_what_is_next(finished: Queue) -> None:
    assert "button primary" not in _as(finished, "carla").see("/")
    html = _as(finished, "carla").see("/")
    assert "Vous avez décidé 10 textes" in unescape(html)
    assert "3 TA, 7 NTA" in html
    # Disagreements come once no message is left.
    finished.decide("anna", 1, Answer.NTA)
    assert "Vous avez décidé 10 textes" in unescape(_as(finished, "carla").see("/"))
    html = _as(finished, "carla", rules_own=True).see("/")
    assert (field(html, "item"), 'class="sides"' in html) == ("1", True)
    # A ruling stands for one's own answer.
    finished.decide("carla", 1, Answer.NTA, (), rules=True, own=True)
    progress = finished.progress("carla")
    assert (progress.decided, progress.decided_ta) == (10, 2)
    assert finished.status().annotators == {"anna": 1, "carla": 10}


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
    sides = re.findall(r"<h3 id.*?</h3>\s*<div class=\"flow\"[^>]*>(.*?)</div>", html, re.DOTALL)
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
    carla = _as(queue, "carla", Right.RULE)
    html = carla.see(f"/item/{disagreed}")
    assert 'class="sides"' not in html
    form = fields(html, ["item", "seen"]) | {"spans": "0:2:LIE", "answer": "TA"}
    refused = carla.form("/rule", form)
    assert (refused.status_code, "pas le droit de faire" in refused.text) == (403, True)
    assert queue.numbers("", Filters(state=State.DISAGREED)) == [disagreed]
    # And who only rules opens disagreements alone.
    carla = _as(queue, "carla", Right.READ)
    assert field(carla.see("/"), "item") == str(disagreed)
    other = find(queue, "fanee")
    assert [carla.get(path).status_code for path in (f"/item/{other}", "/only/spelling")] == [
        403
    ] * 2
