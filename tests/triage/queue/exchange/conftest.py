"""Items as they are exported, and made-up ones, for the tests of the exchange."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import strategies as st

from triage.queue import Answer, Span, Spans
from triage.queue.exchange import Exported
from triage.queue.records import Votes
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


def item(
    text: str, answer: str | None = None, named: str = "", suggested: str = "", number: int = 1
) -> Exported:
    """Return an item with what is suggested and what an annotator said."""
    return Exported(
        number,
        f"{number:032x}",
        text,
        2,
        ("sms_1", "sms_7"),
        VOTES,
        "zoé: DICTIONARY",
        spans_in(text, suggested),
        None if answer is None else Answer(answer),
        spans_in(text, named),
    )


# Letters, white space of every kind, what formats quote, emoji of several code points.
PIECES = [
    *"abZé0'\"\\#|=;_-@+,<",
    *(" ", "  ", "\t", "\n", "\r\n", "\r", "\u00a0", "\u2028", "\x85"),
    *("😀", "👩🏽‍🚒", "🇫🇷", "e\u0301", ":)", "Zoé", "l’", "06 39", "\ufeff"),
]


@st.composite
def any_items(draw: st.DrawFn, least: int = 0) -> Exported:
    """Make a message, perhaps empty, with identifiers, which may touch, and an answer."""
    pieces = draw(st.lists(st.sampled_from(PIECES), min_size=least, max_size=12))
    edges = [sum(map(len, pieces[:n])) for n in range(len(pieces) + 1)]
    starts = sorted(draw(st.sets(st.sampled_from(edges), max_size=8)))
    spans = tuple(
        Span(start, end, draw(st.sampled_from(IdentifierType)))
        for start, end in pairwise(starts)
        if draw(st.booleans())
    )
    answer = draw(st.none() | st.sampled_from(Answer))
    ids = (draw(st.sampled_from(["1", "a/b", 'é\n"', "../x"])),)
    return Exported(7, "ab12", "".join(pieces), 1, ids, VOTES, "", spans, answer, spans)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exchange")
