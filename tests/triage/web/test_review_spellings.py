"""Spellings in the reader: which comes, what is told of it, and what each answer does."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from tests.triage.web import queues as q
from tests.triage.web.queues import Person, fields, find
from triage import Triage
from triage.mining import BATCH
from triage.queue import Answer, Queue, Span, WordRule
from triage.vocabulary import IdentifierType
from triage.web import spellings
from triage.web.spellings import Spellings, likeliest

MINED = [
    *q.MESSAGES,
    ("50", "bisous Zorah, on se voit samedi"),
    ("51", "tu viens avec Zorah ou sans zorah ?"),
]


@pytest.fixture(scope="module")
def full_queue(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    return q.make_queue(tmp_path_factory.mktemp("mined") / "mined.queue", shipped, MINED)


def _page(client: Person) -> str:
    return str(client.see("/only/spelling"))


def _spelling(html: str) -> str:
    found = re.search(r'id="spelling"><bdi[^>]*>(.*?)</bdi>', html)
    return unescape(found[1]) if found else ""


def _say(client: Person, said: str, **changed: str) -> str:
    form = fields(_page(client), ["last", "back", "word"])
    return client.submit("/spelling", **({**form, "type": "PRE", "said": said} | changed))


def _undo(client: Person) -> str:
    return client.submit("/undo", **fields(_page(client), ["last", "back"]))


def _come_to(client: Person, spelling: str) -> str:
    """Put off what comes before a spelling; return its page."""
    html = _page(client)
    while _spelling(html) != spelling:
        html = _say(client, "later")
    return html


def test_the_likeliest_comes_first_and_putting_off_ends(client: Person, queue: Queue) -> None:
    seen, html = dict[str, str](), _page(client)
    while spelling := _spelling(html):
        found = re.search(r"indice de nom\s: ([01],[0-9]{2})", html)
        assert found
        assert q.HOSTILE not in html
        seen[spelling] = found[1]
        html = _say(client, "later")
    assert len(seen) > 5
    assert [*seen.values()] == sorted(seen.values(), reverse=True)
    # What was put off comes again once the page is opened again.
    assert "Celles que vous avez passées reviendront" in html
    assert _spelling(_page(client)) == next(iter(seen))
    assert not queue.history()


def test_a_spelling_has_its_counts_reasons_and_contexts(client: Person, queue: Queue) -> None:
    html = unescape(_come_to(client, "Zorah"))
    assert "présente 3 fois · remplacée 0 fois" in html
    assert "nom probable d’après le modèle" in html
    line = " ".join(re.sub(r"<[^>]+>", "", html.split("kwic")[1]).split())
    assert "tu viens avec Zorah ou sans zorah ?" in line
    assert f'<a href="/item/{find(queue, "bisous")}">Zorah</a>' in html


def test_each_answer_does_what_it_says(client: Person, queue: Queue) -> None:
    html = _say(client, "here", word="Zorah")
    assert '<h1 tabindex="-1">Liste</h1>' in html
    assert ("bisous" in html, "Solveig" in html) == (True, False)
    assert not queue.history()
    # What is never a name is asked no more until that is undone.
    first = _spelling(_page(client))
    assert _spelling(_say(client, "never")) != first
    assert queue.word_lists()[1] == [first]
    assert _spelling(_undo(client)) == first
    assert not queue.word_rules()
    html = _say(client, "always", word="Zorah", type="SUR")
    assert queue.word_rules() == {"zorah": (WordRule.ALWAYS, "SUR")}
    assert "«\u00a0Zorah\u00a0», toujours un nom (2 textes)." in html
    # A page that is out of date does nothing.
    html = _say(client, "always", word="lola", last="0")
    assert "rien n’a été enregistré" in unescape(html)
    assert "lola" not in queue.word_rules()
    data = fields(_page(client), ["last", "back", "word"]) | {"type": "PRE", "said": "never"}
    n = len(queue.history())
    for wrong in ({"said": "perhaps"}, {"type": "XYZ"}, {"word": "deux mots"}, {"word": ""}):
        assert client.status("/spelling", **data | wrong) == 400
    assert len(queue.history()) == n


@pytest.mark.parametrize(("most", "n_more"), [(spellings._QUICK, 0), (1, BATCH)])
def test_marks_count_as_replaced_at_once_or_in_a_large_corpus_after_some_decisions(
    client: Person, queue: Queue, monkeypatch: pytest.MonkeyPatch, most: int, n_more: int
) -> None:
    monkeypatch.setattr(spellings, "_QUICK", most)
    _come_to(client, "Zorah")
    number = find(queue, "bisous")
    queue.decide("anna", number, Answer.TA, [Span(7, 12, IdentifierType.PRE)])
    if n_more:
        assert "remplacée 0 fois" in _page(client)
    for i in range(n_more):
        queue.decide_word("anna", f"mot{i}", WordRule.NEVER)
    assert "présente 2 fois · remplacée 1 fois" in _come_to(client, "Zorah")


def test_suggestions_count_where_nobody_is_asked(tmp_path: Path, shipped: Triage) -> None:
    path = q.make_queue(tmp_path / "machine.queue", shipped, MINED, expert=False)
    with Queue.open(path) as queue:
        client, seen = q.client_of(q.guarded(queue)), []
        html = _page(client)
        while spelling := _spelling(html):
            seen.append(spelling)
            html = _say(client, "later")
    assert "Jean" not in seen
    with Queue.open(q.make_queue(tmp_path / "empty.queue", shipped, [])) as queue:
        assert "Il ne reste aucune graphie à décider" in _page(q.client_of(q.guarded(queue)))


def test_a_first_look_shows_what_is_kept(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    # A large corpus is not weighed anew after each decision.
    monkeypatch.setattr(spellings, "_QUICK", 1)
    first = json.loads(json.dumps(likeliest(queue)))
    shown = Spellings(queue).next("anna", frozenset())
    assert shown
    monkeypatch.setattr(spellings, "MinedQueue", None)
    kept = Spellings(queue, lambda: first).next("anna", frozenset())
    assert kept == json.loads(json.dumps(shown))

    # What was put off or answered is left out; once a rule was undone it holds no more.
    def key(looks: dict[str, object], *put_off: str) -> object:
        found = Spellings(queue, lambda: looks).next("anna", {*put_off})
        return found and found["key"]

    one, other = (look["key"] for look in first["looks"][:2])
    assert key(first, one) == other
    queue.decide_word("anna", first["looks"][0]["spelling"], WordRule.NEVER, IdentifierType.PRE)
    assert key(first) == other
    queue.undo("anna")
    for changed in ({"rules": ["other"]}, {"votes": [0]}):
        with pytest.raises(TypeError, match="not callable"):
            key(first | changed)


@pytest.fixture(scope="module")
def asked_queue(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    texts = [f"on se voit avec Tarek a {hour} h" for hour in range(8, 12)]
    texts += [f"je mange avec Solveig a {hour} h" for hour in range(3)]
    texts += ["Tarek et Solveig sont la", "je rentre avec Lola", "ok"]
    path = tmp_path_factory.mktemp("asked") / "asked.queue"
    return q.make_queue(path, shipped, [("7", text) for text in texts])


def _offer(client: Person, number: int) -> str:
    html = unescape(client.see(f"/item/{number}"))
    found = re.search(r'(?s)<form class="offer.*?</form>', html)
    return found[0] if found else ""


def _asked(client: Person) -> str:
    page = unescape(_page(client))
    return " ".join(re.sub(r"<[^>]+>", "", page.split('id="spelling">')[1]).split())


@pytest.fixture
def asked(asked_queue: Path, tmp_path: Path) -> Iterator[Queue]:
    """A queue in which one answer to a spelling settles several messages."""
    path = tmp_path / "asked.queue"
    path.write_bytes(asked_queue.read_bytes())
    with Queue.open(path) as opened:
        yield opened


@pytest.fixture
def reader(asked: Queue) -> Person:
    return q.client_of(q.guarded(asked))


def test_what_settles_most_comes_first_with_its_places(reader: Person, asked: Queue) -> None:
    assert '<a href="/only/spelling">Graphies <b>2</b></a>' in reader.see("/")
    first = _asked(reader)
    assert first.startswith("Tarek déciderait 4 textes · figure dans 5 textes à décider")
    assert "on se voit avec Tarek a 8 h" in first
    assert "2 graphies suffisent pour décider 7 des 10 textes restants" in first
    assert f'<a href="/item/{find(asked, "Tarek")}">Tarek</a>' in _page(reader)
    # The next ones come in turn, and what was put off once the page is opened again.
    _say(reader, "later")
    assert _asked(reader).startswith("Solveig déciderait")
    _say(reader, "never")
    assert re.match(r"\w+ indice de nom", _asked(reader))
    while _spelling(_say(reader, "never")):
        pass
    assert _asked(reader).startswith("Tarek")
    asked.decide_word("anna", "tarek", WordRule.NEVER)
    assert '<a href="/only/spelling">Graphies</a>' in reader.see("/")


def test_a_message_offers_its_most_frequent_spelling(reader: Person, asked: Queue) -> None:
    both, decided = find(asked, "tarek solveig"), find(asked, "tarek")
    offer = _offer(reader, both)
    assert "«\u00a0Tarek\u00a0» figure dans 5 textes à décider" in offer
    keys = re.findall(r'name="rule" value="(\w+)" data-key="(\w)"', offer)
    assert keys == [("always", "q"), ("never", "z")]
    # It leads to the texts that hold it.
    fields = {name: q.hidden(offer, name) for name in ("item", "word", "type", "state", "back")}
    html = reader.submit("/filters", **fields)
    assert ("<h1" in html, "1 à 5 sur 5" in html) == (True, True)
    reader.submit("/filters", back="list", clear="1")
    # What is rare, decided or has a rule is not offered.
    asked.decide("anna", decided, Answer.NTA)
    assert not _offer(reader, find(asked, "lola")) + _offer(reader, decided)
    asked.undo("anna")
    # Once it is confirmed the next message comes.
    html = reader.submit("/word", **fields, rule="never").split("/word/confirm")[1]
    names = ("last", "back", "item", "word", "rule", "type")
    html = reader.submit("/word/confirm", **{name: q.hidden(html, name) for name in names})
    assert 'id="message"' in html
    assert "tarek" in asked.word_rules()
    assert "«\u00a0Solveig\u00a0»" in _offer(reader, both)
