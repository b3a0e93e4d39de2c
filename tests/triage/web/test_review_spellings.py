"""Spellings in the reader: which comes, what is told of it, and what each answer does."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.web import queues as q
from tests.triage.web.stories import Reader, read, stories_of, tell
from triage import Triage
from triage.mining import BATCH
from triage.queue import Queue, WordRule
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


class Speller(Reader):
    """Somebody who answers spellings one by one."""

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

    def reads(self, line: str) -> None:
        """Find a line among the words of a page."""
        assert line in " ".join(re.sub(r"<[^>]+>", "", read(self.html)).split())

    def offered(self, to: str, fields: Mapping[str, str], shown: Sequence[str] = ()) -> None:
        """Press a button of the spelling that is offered beside a message."""
        found = re.search(r'(?s)<form class="offer.*?</form>', self.html)
        assert found
        self.html = found[0].replace("/word", to)
        self.send(to, fields, shown)


@pytest.fixture
def speller(queue: Queue) -> Speller:
    return Speller(queue)


@pytest.mark.parametrize(("of", "steps"), stories_of(cases_beside(__file__)["stories"]))
def test_stories(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(Speller(request.getfixturevalue(of)), steps)


def test_the_likeliest_comes_first_and_putting_off_ends(speller: Speller) -> None:
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
    speller: Speller, monkeypatch: pytest.MonkeyPatch, most: int, n_more: int
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
        pages = Speller(queue).say_to_the_end("later")
    assert pages
    assert not [page for page in pages if 'id="spelling"><bdi lang="">Jean<' in page]
    with Queue.open(q.make_queue(tmp_path / "empty.queue", shipped, [])) as queue:
        Speller(queue).see("/only/spelling", ["Il ne reste aucune graphie à décider"])


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


@pytest.fixture
def asked(asked_queue: Path, tmp_path: Path) -> Iterator[Queue]:
    """A queue in which one answer to a spelling settles several messages."""
    path = tmp_path / "asked.queue"
    path.write_bytes(asked_queue.read_bytes())
    with Queue.open(path) as opened:
        yield opened
