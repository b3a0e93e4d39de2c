"""Items as they are exported, and made-up ones, for the tests of the exchange."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import strategies as st

from triage.queue import Answer, Span, Spans
from triage.queue.exchange import FORMATS, ExchangeFormat, checked_format
from triage.queue.rows import Destination, Row
from triage.vocabulary import IdentifierType

ABOUT = {"messages": 2, "seek_hide": "TA", "model": "NTA", "model_score": 0.25}


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
) -> Row:
    """Return an item with what is suggested and what an annotator said."""
    suggestions = spans_in(text, suggested)
    about = {"item": number, "digest": f"{number:032x}", "ids": ["sms_1", "sms_7"], **ABOUT}
    about["evidence"] = "zoé: DICTIONARY"
    spans = spans_in(text, named) if answer in ("TA", "NTA") else suggestions
    said = Answer(answer) if answer else None
    return Row("sms_1 sms_7", text, spans, said, about, suggested=suggestions)


# Letters, white space of every kind, what formats quote, emoji of several code points.
PIECES = [
    *"abZé0'\"\\#|=;_-@+,<",
    *(" ", "  ", "\t", "\n", "\r\n", "\r", "\u00a0", "\u2028", "\x85"),
    *("😀", "👩🏽‍🚒", "🇫🇷", "e\u0301", ":)", "Zoé", "l’", "06 39", "\ufeff"),
]


@st.composite
def any_items(draw: st.DrawFn, least: int = 0) -> Row:
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
    id_ = draw(st.sampled_from(["1", "a/b", 'é\n"', "../x"]))
    return Row(id_, "".join(pieces), spans, answer, ABOUT | {"digest": "ab12"})


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exchange")


def export(
    path: Path,
    rows: Iterable[Row],
    format_: ExchangeFormat | None = None,
    *,
    overwrite: bool = False,
) -> int:
    to = Destination(path, overwrite=overwrite)
    return FORMATS[checked_format(to, format_, ())].write(to, rows)
