"""Messages are decided line by line, however the lines arrive."""

import json
import tracemalloc
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage import Triage
from triage.decide.run import LineStream
from triage.decide.tables import COLUMNS

CASES = cases_beside(__file__)
TEXTS = ["Coucou Patrice", "j'arrive", "appelle moi au 06 39 98 12 34", "à 2m1 Zoé 😀", ""]
LINES = [json.dumps({"n": n, "text": text}, ensure_ascii=False) for n, text in enumerate(TEXTS)]


def answers(triage: Triage, parts: Iterable[bytes], column: str | None = None) -> list[bytes]:
    return b"".join(LineStream(triage, column).answers(parts)).splitlines()


def test_an_answer_is_the_object_with_the_decision(shipped: Triage) -> None:
    found = [json.loads(line) for line in answers(shipped, ["\n".join(LINES).encode()])]
    expected = shipped.classify(TEXTS)
    assert [*found[0]] == ["n", "text", *COLUMNS]
    assert [one["text"] for one in found] == TEXTS
    for column in COLUMNS:
        assert [one[column] for one in found] == expected[column].tolist()


@given(st.data())
def test_it_does_not_matter_how_lines_are_cut(shipped: Triage, data: st.DataObject) -> None:
    whole = ("\r\n".join(LINES) + "\n\nno JSON\n").encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    ends = [0, *cuts, len(whole)]
    parts = [whole[a:b] for a, b in pairwise(ends)]
    assert answers(shipped, parts) == answers(shipped, [whole])


@pytest.mark.parametrize(("line", "error"), CASES["no_lines"])
def test_a_line_that_cannot_be_decided_is_answered_too(
    line: str, error: str, shipped: Triage
) -> None:
    stream = LineStream(shipped)
    content = f'\n{line * 100_000 if line == "[" else line}\n{{"text": "ok"}}\n'.encode("latin-1")
    wrong, right = b"".join(stream.answers([content])).splitlines()
    assert json.loads(wrong)["line"] == 2
    assert json.loads(wrong)["error"].startswith(error)
    assert json.loads(right)["action"] == "NTA"
    assert (stream.n_decided, stream.n_rejected) == (1, 1)


def test_the_key_of_the_message_may_be_named(shipped: Triage) -> None:
    found = answers(shipped, [b'{"corps": "Coucou Patrice"}\n{"text": "ok"}'], "corps")
    assert json.loads(found[0])["action"] == "TA"
    assert json.loads(found[1]) == {"line": 2, "error": "no key 'corps'"}


def test_a_line_without_end_does_not_fill_the_memory(
    shipped: Triage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.decide.run.LONGEST_ROW", 100_000)
    parts = [*[b"x" * 100_000] * 50, b'\n{"text": "ok"}\n']
    tracemalloc.start()
    found = [json.loads(line) for line in answers(shipped, parts)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found[0] == {"line": 1, "error": "more than 100,000 bytes"}
    assert found[1]["action"] == "NTA"
    # The parts alone are 5 MB.
    assert peak < 2_000_000


def test_half_a_character_stays_as_it_was_and_a_byte_order_mark_is_none(shipped: Triage) -> None:
    [found] = answers(shipped, [b'\xef\xbb\xbf{"text": "ok \\ud83d"}'])
    assert b"\\ud83d" in found
