"""What the tests of the exchange share: items, and places in texts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from triage.queue import Answer, Span, Spans, Votes
from triage.queue.exchange import Exported
from triage.vocabulary import Action, IdentifierType, Prediction, Verdict

VOTES = Votes(Verdict.TA, Prediction.NTA, 0.25, Action.EXPERT)


def spans_in(text: str, named: str) -> Spans:
    """Return where words stand first: ``Zoé PRE, Lyon LIE``."""
    found = []
    for entry in filter(None, named.split(", ")):
        word, type_ = entry.rsplit(" ", 1)
        start = text.index(word)
        found.append(Span(start, start + len(word), IdentifierType(type_)))
    return tuple(found)


def make_item(
    text: str, answer: str | None = None, named: str = "", suggested: str = "", number: int = 1
) -> Exported:
    """Return an item with what is suggested and what an annotator said."""
    return Exported(
        item=number,
        digest=f"{number:032x}",
        text=text,
        n_messages=2,
        ids=("sms_1", "sms_7"),
        votes=VOTES,
        evidence="zoé: DICTIONARY",
        suggested=spans_in(text, suggested),
        answer=None if answer is None else Answer(answer),
        spans=spans_in(text, named),
    )


@pytest.fixture
def item() -> Callable[..., Exported]:
    """Make an item of the queue."""
    return make_item


@pytest.fixture
def spans() -> Callable[[str, str], Spans]:
    """Find words in a text."""
    return spans_in


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for the files of examples that are made up."""
    return tmp_path_factory.mktemp("exchange")
