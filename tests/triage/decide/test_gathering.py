"""Gathered evidence: of which messages, merged, and as a file."""

import stat
from dataclasses import fields
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage import Triage
from triage.decide.evidence_file import from_arrow, load_evidence, save_evidence, to_arrow
from triage.decide.gathering import (
    Fingerprint,
    Gathered,
    Gathering,
    fingerprint,
    is_among,
    merged,
)
from triage.errors import TriageError
from triage.features.evidence_table import EvidenceTable

ROWS = [
    ("ana", "Je suis chez Namrata ce soir"),
    ("bob", "Tu viens avec Namrata demain ?"),
    ("", "Demande à Namrata si elle vient 😂"),
    ("ana", "j'ai vu namrat hier"),
    ("dan", ""),
    ("\ud800", "Zorbu\ud800lina"),
]
MESSAGES = st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=6)


def gathered(triage: Triage, rows: list[tuple[str, str]]) -> Gathered:
    gathering = Gathering(with_fingerprint=True)
    labelled = triage.labeller.label([text for _, text in rows])
    gathering.add(triage.score(labelled, [sender for sender, _ in rows]))
    return gathering.gathered()


def same(one: EvidenceTable, other: EvidenceTable) -> bool:
    names = [field.name for field in fields(one)]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


# Which messages they were


@given(MESSAGES, st.randoms())
def test_the_order_of_messages_does_not_change_their_fingerprint(
    rows: list[tuple[str, str]], random: Random
) -> None:
    shuffled = random.sample(rows, len(rows))
    one, other = (
        fingerprint([text for _, text in some], [sender for sender, _ in some])
        for some in (rows, shuffled)
    )
    assert one == other


@pytest.mark.parametrize(
    ("texts", "senders"),
    [(["Oui"], ["ana"]), (["ok", "ok"], ["ana", "ana"]), (["ok"], ["bob"]), (["aok"], ["an"])],
)
def test_other_messages_have_another_fingerprint(texts: list[str], senders: list[str]) -> None:
    assert fingerprint(texts, senders) != fingerprint(["ok"], ["ana"])


# Merging


def test_parts_in_any_order_are_the_whole(shipped: Triage) -> None:
    parts = [gathered(shipped, ROWS[:2]), gathered(shipped, ROWS[2:3]), gathered(shipped, ROWS[3:])]
    one, other = merged(parts), merged(parts[::-1])
    assert same(one.table, gathered(shipped, ROWS).table)
    assert same(one.table, other.table)
    assert one.parts == other.parts


def test_the_same_messages_are_not_counted_twice(shipped: Triage) -> None:
    part = gathered(shipped, ROWS[:3])
    with pytest.raises(TriageError, match="gathered twice"):
        merged([part, gathered(shipped, ROWS[3:]), part])


# As a table and a file


def test_a_file_holds_what_was_gathered_for_its_owner_only(shipped: Triage, tmp_path: Path) -> None:
    path, whole = tmp_path / "all.evidence", gathered(shipped, ROWS)
    save_evidence(whole, "weights", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    read = load_evidence(path, "weights")
    assert same(read.table, whole.table)
    assert read.parts == whole.parts
    assert isinstance(read.parts[0], Fingerprint)


def test_evidence_of_other_weights_is_refused(shipped: Triage, tmp_path: Path) -> None:
    save_evidence(gathered(shipped, ROWS), "others", tmp_path / "all.evidence")
    with pytest.raises(TriageError, match="another version, model or lists: gather it again"):
        load_evidence(tmp_path / "all.evidence", "weights")


@pytest.mark.parametrize("rows", [ROWS, []])
def test_rows_of_an_arrow_table_may_come_in_any_order(
    rows: list[tuple[str, str]], shipped: Triage
) -> None:
    table = gathered(shipped, rows).table
    arrow = to_arrow(table)
    shuffled = arrow.take(pa.array(range(len(arrow) - 1, -1, -1), pa.int64()))
    assert same(from_arrow(shuffled), table)


def test_what_is_no_evidence_or_cut_short_is_refused(shipped: Triage, tmp_path: Path) -> None:
    path = tmp_path / "all.evidence"
    save_evidence(gathered(shipped, ROWS), "weights", path)
    for content in (path.read_bytes()[:-200], b"", b"Coucou", b"ARROW1\0\0" + b"\xff" * 64):
        path.write_bytes(content)
        with pytest.raises(TriageError, match="holds no evidence of triage gather, or is damaged"):
            load_evidence(path, "weights")


def test_parts_are_known_among_what_was_gathered_before(shipped: Triage) -> None:
    part, rest = gathered(shipped, ROWS[:3]), gathered(shipped, ROWS[3:])
    both = merged([part, rest])
    assert is_among(part.parts, both)
    assert is_among([*part.parts, *rest.parts], gathered(shipped, ROWS))
    assert not is_among(part.parts, rest)
