"""Random fields find spans of any types, and are measured beside the program's own methods."""

from hypothesis import given
from hypothesis import strategies as st

from triage.evaluation.sources import labels_of, learn_field, spans_of
from triage.reports.spans import Triple

# Tokens of three characters with a space between.
TEXT = "lea dit que zoe roy est par ici"
TOKENS = [(at, at + 3) for at in range(0, len(TEXT), 4)]
TYPES = ("PRE", "NOM", "ADR")


def features(text: str) -> list[list[str]]:
    return [[f"is {word}"] for word in text.split()]


def test_a_field_finds_spans_of_several_types_by_the_features_that_it_has_learnt() -> None:
    spans: list[Triple] = [(0, 3, "PRE"), (12, 19, "NOM")]
    example = (features(TEXT), labels_of(TOKENS, spans))
    field = learn_field([example] * 5)
    more = [[*names, "is never seen"] for names in features(TEXT)]
    for seen in (features(TEXT), more):
        assert spans_of(field.tag(seen), TOKENS) == spans
    assert spans_of(field.tag([]), []) == []


@given(st.data())
def test_labels_and_spans_are_inverse(data: st.DataObject) -> None:
    spans: list[Triple] = []
    token = data.draw(st.integers(0, 3))
    while token < len(TOKENS):
        last = data.draw(st.integers(token, len(TOKENS) - 1))
        spans.append((TOKENS[token][0], TOKENS[last][1], data.draw(st.sampled_from(TYPES))))
        token = last + 1 + data.draw(st.integers(0, 3))
    assert spans_of(labels_of(TOKENS, spans), TOKENS) == spans
