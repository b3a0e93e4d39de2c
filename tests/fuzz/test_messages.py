"""Damaged files, and hostile and ordinary messages from split to replace: what holds of any.

``make fuzz`` tries many more of them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.dictionaries.cases import Word, split
from tests.fuzz.files import attack
from triage import Triage
from triage.anonymise.entities import Spelling, StyleContext
from triage.anonymise.plan import Plan
from triage.anonymise.run import replaced
from triage.anonymise.styles import Style, make_style
from triage.decide.find import Found, Judged, find
from triage.dictionaries import Kind, LabelledMessages, Lexicon, split_all
from triage.dictionaries.normal import folded
from triage.dictionaries.recognisers import shipped
from triage.model.learnt import shipped_model
from triage.settings import Ambiguous, StyleName, Treatment
from triage.vocabulary import Action

KEY = b"\1" * 32
PARTS = cases_beside(__file__)


def _telephone(digits: str, separator: str, first: str, pairs: Sequence[int]) -> str:
    written = separator.join([f"0{first}", *(f"{pair:02}" for pair in pairs)])
    return written.translate({ord(str(i)): digit for i, digit in enumerate(digits)})


def _put_in(text: str, sign: str, at: int) -> str:
    at %= len(text) + 1
    return text[:at] + sign + text[at:]


def _stretched(word: str, at: int, n: int) -> str:
    return _put_in(word, word[at % len(word)] * n, at % len(word))


WORD, IDENTIFIER = st.sampled_from(PARTS["words"]), st.sampled_from(PARTS["identifiers"])
SEPARATOR, PLACE = st.sampled_from(PARTS["separators"]), st.integers(0, 99)
# French numbers, with one separator and one kind of digits throughout.
TELEPHONE = st.builds(
    _telephone,
    st.sampled_from(PARTS["digits"]),
    SEPARATOR,
    st.sampled_from("12345679"),
    st.lists(st.integers(0, 99), min_size=4, max_size=4),
)
SIGNS = st.sampled_from(PARTS["ranges"]).flatmap(
    lambda ends: st.text(
        st.characters(min_codepoint=ends[0], max_codepoint=ends[1] - 1), max_size=5
    )
)
NUMBERS = st.lists(st.integers(0, 99_999).map(str), min_size=1, max_size=6)
PIECE = st.one_of(
    WORD,
    SIGNS,
    IDENTIFIER,
    TELEPHONE,
    st.builds(str.join, SEPARATOR, NUMBERS),
    st.sampled_from(PARTS["emoji"]),
    st.builds(_stretched, WORD, PLACE, st.integers(1, 40)),
    st.builds(_put_in, WORD | IDENTIFIER | TELEPHONE, st.sampled_from(PARTS["unseen"]), PLACE),
    st.builds(
        lambda text, n: text[:n],
        st.sampled_from(PARTS["addresses"]) | IDENTIFIER,
        st.integers(0, 60),
    ),
)
MESSAGE = st.builds(
    str.join, st.sampled_from((" ", " ", "", "\n", "\u00a0")), st.lists(PIECE, max_size=8)
)
MESSAGES = st.lists(MESSAGE, max_size=6)


@pytest.fixture(scope="module")
def pipeline(french: Lexicon) -> Triage:
    return Triage(french, shipped_model(french, "evidence"))


def are_apart(text: str, spans: Iterable[tuple[int, int]]) -> bool:
    """Return whether spans lie within a text, in order, and do not overlap."""
    ends = [0, *(end for span in spans for end in span), len(text)]
    pieces = [*pairwise(ends)]
    return all(a <= b for a, b in pieces) and all(a < b for a, b in pieces[1::2])


def check_words(messages: Sequence[str], labelled: LabelledMessages) -> None:
    """Assert that the words of messages stand where they say, in order, and white space between."""
    found: list[list[tuple[int, int]]] = [[] for _ in messages]
    words = labelled.words
    columns = (words.message, words.start, words.form)
    for at, start, form in zip(*(column.tolist() for column in columns), strict=True):
        text = words.forms[form].text
        assert messages[at][start : start + len(text)] == text != ""
        found[at].append((start, start + len(text)))
    for text, spans in zip(messages, found, strict=True):
        assert are_apart(text, spans)
        left = list(text)
        for start, end in spans:
            left[start:end] = " " * (end - start)
        assert not "".join(left).strip()


def check_replaced(text: str, found: Found, style: Style) -> None:
    """Assert that nothing but what was found is replaced."""
    pairs = [(i, style(Spelling(text[i.start : i.end], i.type))) for i in found.identifiers]
    assert are_apart(text, [(i.start, i.end) for i, _ in pairs])
    expected = text
    for identifier, replacement in pairs[::-1]:
        expected = expected[: identifier.start] + replacement + expected[identifier.end :]
    assert replaced(text, pairs) == expected


@given(MESSAGES)
def test_messages_are_split_together_as_each_alone(messages: list[str]) -> None:
    table = split_all(messages)
    together: list[list[Word]] = [[] for _ in messages]
    for form, message, start in zip(table.form, table.message, table.start, strict=True):
        text, kind = table.forms[form]
        together[message].append(Word(text, kind, int(start), int(start) + len(text)))
    assert together == [split(message) for message in messages]
    assert len(set(table.forms)) == len(table.forms)
    assert set(table.form.tolist()) == set(range(len(table.forms)))


@given(MESSAGES)
def test_messages_are_decided_again_and_alone_as_together(
    pipeline: Triage, messages: list[str]
) -> None:
    rows = list(pipeline.decide(messages).rows())
    assert list(pipeline.decide(messages).rows()) == rows
    assert [list(pipeline.decide([text]).rows()) for text in messages] == [[row] for row in rows]


@given(MESSAGES)
def test_what_was_found_and_nothing_else_is_replaced(pipeline: Triage, messages: list[str]) -> None:
    scored = pipeline.score(pipeline.labeller.label(messages), [""] * len(messages))
    check_words(messages, scored.labelled)
    judged = [*map(Judged, pipeline.decide(messages).action)]
    found = find(scored, judged, Ambiguous.MASK)
    spellings = Counter(
        Spelling(text[i.start : i.end], i.type)
        for text, one in zip(messages, found, strict=True)
        for i in one.identifiers
    )
    corpus_words = {folded(form.text) for form in scored.labelled.words.forms}
    context = StyleContext(pipeline.lexicon, KEY, spellings, corpus_words)
    for name in StyleName:
        style = make_style(Plan(Treatment(style=name)), context)
        for text, one in zip(messages, found, strict=True):
            check_replaced(text, one, style)


@given(TELEPHONE)
def test_a_telephone_number_is_found_whole_whatever_separates_it(number: str) -> None:
    found = split(f"appelle le {number} stp")
    assert [word.text for word in found if word.kind is Kind.TEL] == [number], ascii(number)


@given(PIECE.filter(bool))
def test_the_words_and_identifiers_of_a_long_message_stand_in_order(
    pipeline: Triage, piece: str
) -> None:
    text = piece * (5_000 // len(piece))
    assert are_apart(text, [(span.start, span.end) for span in shipped("fr").find(text)])
    scored = pipeline.score(pipeline.labeller.label([text]), [""])
    check_words([text], scored.labelled)
    [found] = find(scored, [Judged(Action.TA)], Ambiguous.MASK)
    assert are_apart(text, [(i.start, i.end) for i in found.identifiers])


def test_a_damaged_file_is_read_and_adds_up_or_is_refused_in_one_line() -> None:
    counts = attack(20110915, lambda n: n < 250)
    assert counts["files"] == counts["read"] + counts["refused"] == 250
    assert counts["read"] > 60
    assert counts["refused"] > 30
