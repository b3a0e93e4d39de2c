"""Copies of marked messages, with other names in the places of names."""

import re

from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries import label_messages, load_lexicon
from triage.features.refill import COPIES, Refilled, Spans, refilled

FRENCH = load_lexicon("fr")
LABELS = st.sampled_from(["PRE", "NOM", "SUR", "ADR", "TEL"])
GAPS = st.text(alphabet="ab 'é!🙂\n", max_size=6)
NAMES = st.sampled_from(["Lola", "LOLA", "lola", "Jo", "J", "zoé", "Éva", "06 12"])
PARTS = st.lists(st.tuples(GAPS, NAMES, LABELS), max_size=4)


def refill(text: str, marks: Spans) -> Refilled:
    found = refilled(label_messages([text], FRENCH), [marks])
    assert found
    return found


def between(text: str, marks: Spans) -> list[str]:
    ends = [0, *(stop for _, stop, _ in marks)]
    starts = [*(start for start, _, _ in marks), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


@given(parts=PARTS, last=GAPS)
def test_what_is_no_name_stays(parts: list[tuple[str, str, str]], last: str) -> None:
    text, marks = "", Spans()
    for gap, name, kind in parts:
        marks.append((len(text) + len(gap), len(text) + len(gap) + len(name), kind))
        text += gap + name
    found = refill(text + last, marks)
    assert found.source.tolist() == ([0] * COPIES if marks else [])
    for copy, spans in zip(found.labelled.messages, found.spans, strict=True):
        assert between(copy, spans) == between(text + last, marks)
        for new, old in zip(spans, marks, strict=True):
            if old[2] in ("ADR", "TEL"):
                assert copy[slice(*new[:2])] == text[slice(*old[:2])]


def test_a_name_is_written_as_the_one_that_stood_there() -> None:
    forms = {"Mathilde": "[A-ZÀ-Ý][^A-Z]+", "MATHILDE": "[^a-z]+", "mathilde": "[^A-Z]+"}
    for name, form in forms.items():
        found = refill(f"vois {name}", [(5, 13, "PRE")])
        assert all(re.fullmatch(f"vois {form}", copy) for copy in found.labelled.messages)


def test_the_same_messages_give_the_same_copies() -> None:
    text, marks = "Mathilde Durand", [(0, 8, "PRE"), (9, 15, "NOM")]
    one, other = (refill(text, marks).labelled.messages for _ in range(2))
    assert one == other
    assert text not in one
