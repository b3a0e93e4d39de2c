"""Pages of a queue: messages and spellings, their forms, and the view of others."""

import json
import re
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.cases import cases_beside
from tests.triage.web import queues as q
from tests.triage.web.queues import Person, find
from tests.triage.web.stories import Reader, stories_of, tell
from triage import Triage
from triage.cli.main import app
from triage.mining import BATCH
from triage.queue import Answer, Filters, Queue, Reason, Span, Spans, State, Task, WordRule
from triage.vocabulary import IdentifierType
from triage.web import spellings
from triage.web.pages import html as html_of
from triage.web.spellings import Spellings, likeliest

CASES = cases_beside(__file__)

PRE, LIE = IdentifierType.PRE, IdentifierType.LIE


class Annotator(Reader):
    """Somebody who also looks for messages, at the guidelines, and answers spellings."""

    def becomes_owner(self, name: str) -> None:
        """Go on as somebody who also rules on what they have answered."""
        self._app = q.guarded(self.queue, name, rules_own=True)
        self.another_browser()

    def finds(self, n: int, chosen: Mapping[str, str]) -> None:
        """Find messages among those that are open to a browser of its own."""
        self.another_browser()
        self.see("/list")
        self.send("/filters", {"state": "open", **chosen})
        self.counts(n, 'name="items"')

    def suggestions(self, told: Mapping[str, str]) -> None:
        found = r'(?s)href="/item/(\d)".*?data-name="Suggestion">(.*?)<'
        assert dict(re.findall(found, self.html)) == told

    def guidelines(self, start: str) -> None:
        path = self.queue.path.with_name("guidelines.md")
        assert path.read_text(encoding="utf-8").startswith(start)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def guidelines_cannot_be_read(self) -> None:
        path = self.queue.path.with_name("guidelines.md")
        path.unlink()
        path.mkdir()

    def spelling(self) -> str:
        found = re.search(r'id="spelling"><bdi[^>]*>(.*?)</bdi>', self.html)
        return unescape(found[1]) if found else ""

    def say(
        self,
        said: str,
        fields: Mapping[str, str] | None = None,
        shown: Sequence[str] = (),
        hidden: Sequence[str] = (),
    ) -> None:
        self.see("/only/spelling")
        given = {"type": "PRE", "said": said, **(fields or {})}
        self.send("/spelling", given, shown, hidden)

    def come_to(self, spelling: str) -> None:
        """Put off what comes before a spelling."""
        self.see("/only/spelling")
        while self.spelling() != spelling:
            self.say("later")

    def say_to_the_end(self, said: str) -> list[str]:
        """Answer all that is asked; return the pages."""
        pages = []
        self.see("/only/spelling")
        while self.spelling():
            pages.append(self.html)
            self.say(said)
        return pages

    def asks_again(self, spelling: str) -> None:
        assert self.spelling() == spelling

    def asks_no_more(self, spelling: str) -> None:
        assert self.spelling() != spelling

    def offered(self, to: str, fields: Mapping[str, str], shown: Sequence[str] = ()) -> None:
        """Press a button of the spelling that is offered beside a message."""
        found = re.search(r'(?s)<form class="offer.*?</form>', self.html)
        assert found
        self.html = found[0].replace("/word", to)
        self.send(to, fields, shown)


@pytest.mark.parametrize(("of", "steps"), stories_of(CASES["stories"]))
def test_stories(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(Annotator(request.getfixturevalue(of)), steps)


def test_markdown_that_is_not_known_is_plain_text() -> None:
    told = html_of("# Un\n\n[lien](javascript:x) <b> **deux**")
    assert told == "<h2>Un</h2>\n<p>[lien](javascript:x) &lt;b&gt; <strong>deux</strong></p>\n"


def test_each_type_has_a_button_and_a_key_that_does_nothing_else(client: Person) -> None:
    html = client.see("/")
    keys = [unescape(key) for key in re.findall(r'data-key="([^"]*)"', html)]
    types = re.findall(r'data-type="([A-Z]+)" data-key="([^"]+)"', html)
    assert [type_ for type_, _ in types] == [*IdentifierType]
    assert [key for _, key in types[:10]] == [*"1234567890"]
    assert all(keys.count(key) == 1 for _, key in types)
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_a_message_says_which_words_may_be_names(tmp_path: Path, shipped: Triage) -> None:
    messages = [("1", "tu viens a la fete de fouzilhon?"), ("2", "Coucou Maëlle"), ("3", "ok ok")]
    with Queue.open(q.make_queue(tmp_path / "q", shipped, messages)) as queue:
        client = q.client_of(q.guarded(queue))
        shown = [client.see(f"/item/{number}") for number in queue.numbers("anna", Filters())]
    said = [re.findall(r"peut-être encore un nom\s:\s([^<\s]+)", html) for html in shown]
    assert sorted(said) == [[], [], ["fouzilhon"]]


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
        assert "pour d’autres" not in html


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
            shown.append(client.submit("/filters", state=state, back="list"))
            shown.append(client.submit("/filters", state=state, back="item"))
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


def test_who_reads_what_two_read_sees_no_label_list_or_type(client: Person, queue: Queue) -> None:
    queue.double(1.0)
    html = client.see(f"/item/{find(queue, 'kevinn')}")
    words = re.findall(
        r'<button type="button" class="(.*?)".*?data-t="(.*?)" data-why="(.*?)"', html
    )
    assert {*words} == {("w", "PRE", "")}
    message = html.split("<aside")[0]
    assert not re.search("indice de nom|dictionnaire|prénoms|ambigu|offer|encore un nom", message)


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


@pytest.fixture
def voted(tmp_path: Path, shipped: Triage) -> Iterator[Queue]:
    """Messages in which no word is suggested by itself; a vote says TA of the first two."""
    messages = [("1", "on mange a midi"), ("2", "!!"), ("3", "ok")]
    with Queue.open(q.make_queue(tmp_path / "q", shipped, messages, vote_ta=2)) as opened:
        yield opened


def test_the_switch_of_language_leads_to_no_other_site(client: Person) -> None:
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


@pytest.fixture
def finished(queue: Queue) -> Queue:
    """A queue in which Carla has decided all, and one text is in disagreement."""
    for number in range(1, len(q.MESSAGES) + 1):
        queue.decide("carla", number, Answer.TA if number < 4 else Answer.NTA)
    queue.double(1.0)
    return queue


MINED = [
    *q.MESSAGES,
    ("50", "bisous Zorah, on se voit samedi"),
    ("51", "tu viens avec Zorah ou sans zorah ?"),
]


@pytest.fixture
def mined(tmp_path: Path, shipped: Triage) -> Iterator[Queue]:
    with Queue.open(q.make_queue(tmp_path / "q", shipped, MINED)) as opened:
        yield opened


@pytest.fixture
def asked(tmp_path: Path, shipped: Triage) -> Iterator[Queue]:
    """Messages of which one answer to a spelling settles several."""
    texts = [("7", text) for text in CASES["asked"]]
    with Queue.open(q.make_queue(tmp_path / "q", shipped, texts)) as opened:
        yield opened


@pytest.fixture
def speller(mined: Queue) -> Annotator:
    return Annotator(mined)


def test_the_likeliest_comes_first_and_putting_off_ends(speller: Annotator) -> None:
    pages = speller.say_to_the_end("later")
    seen = [found for page in pages for found in re.findall(r"indice de nom\s: ([01],\d\d)", page)]
    assert len(seen) == len(pages) > 5
    assert seen == sorted(seen, reverse=True)
    assert not [page for page in pages if q.HOSTILE in page]
    # What was put off comes again once the page is opened again.
    assert "Celles que vous avez passées reviendront" in speller.html
    speller.see("/only/spelling")
    assert speller.html == pages[0]
    assert not speller.queue.history()


@pytest.mark.parametrize(("most", "n_more"), [(spellings._QUICK, 0), (1, BATCH)])
def test_marks_count_as_replaced_at_once_or_in_a_large_corpus_after_some_decisions(
    speller: Annotator, monkeypatch: pytest.MonkeyPatch, most: int, n_more: int
) -> None:
    monkeypatch.setattr(spellings, "_QUICK", most)
    speller.come_to("Zorah")
    speller.decide("anna", "bisous", "TA", "7:12:PRE")
    if n_more:
        speller.see("/only/spelling", ["remplacée 0 fois"])
    for i in range(n_more):
        speller.rule("anna", f"mot{i}", "never")
    speller.come_to("Zorah")
    speller.shows(["présente 2 fois · remplacée 1 fois"])


def test_suggestions_count_where_nobody_is_asked(tmp_path: Path, shipped: Triage) -> None:
    path = q.make_queue(tmp_path / "machine.queue", shipped, MINED, expert=False)
    with Queue.open(path) as queue:
        pages = Annotator(queue).say_to_the_end("later")
    assert pages
    assert not [page for page in pages if 'id="spelling"><bdi lang="">Jean<' in page]
    with Queue.open(q.make_queue(tmp_path / "empty.queue", shipped, [])) as queue:
        Annotator(queue).see("/only/spelling", ["Il ne reste aucune graphie à décider"])


def test_a_first_look_shows_what_is_kept(mined: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    # A large corpus is not weighed anew after each decision.
    monkeypatch.setattr(spellings, "_QUICK", 1)
    first = json.loads(json.dumps(likeliest(mined)))
    shown = Spellings(mined).next("anna", frozenset())
    assert shown
    monkeypatch.setattr(spellings, "MinedQueue", None)
    kept = Spellings(mined, lambda: first).next("anna", frozenset())
    assert kept == json.loads(json.dumps(shown))

    # What was put off or answered is left out; once a rule was undone it holds no more.
    def key(looks: dict[str, object], *put_off: str) -> object:
        found = Spellings(mined, lambda: looks).next("anna", {*put_off})
        return found and found["key"]

    one, other = (look["key"] for look in first["looks"][:2])
    assert key(first, one) == other
    mined.decide_word("anna", first["looks"][0]["spelling"], WordRule.NEVER, IdentifierType.PRE)
    assert key(first) == other
    mined.undo("anna")
    for changed in ({"rules": ["other"]}, {"votes": [0]}):
        with pytest.raises(TypeError, match="not callable"):
            key(first | changed)
