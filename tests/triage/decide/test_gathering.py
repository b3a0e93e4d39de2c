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


@given(MESSAGES, MESSAGES)
def test_fingerprints_of_parts_add_up(
    one: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    first, second, both = (
        fingerprint([text for _, text in some], [sender for sender, _ in some])
        for some in (one, other, one + other)
    )
    assert first + second == both


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


def test_a_part_is_known_among_what_was_gathered_before(shipped: Triage) -> None:
    part, rest = gathered(shipped, ROWS[:3]), gathered(shipped, ROWS[3:])
    assert is_among(part.parts, merged([part, rest]))
    assert not is_among(part.parts, rest)


def test_shares_of_several_processes_are_one_part(shipped: Triage) -> None:
    shares = [gathered(shipped, ROWS[:1]), gathered(shipped, ROWS[1:])]
    assert is_among([one for share in shares for one in share.parts], gathered(shipped, ROWS))
    assert not is_among(shares[0].parts, gathered(shipped, ROWS))


# As a table and a file


def test_rows_of_an_arrow_table_may_come_in_any_order(shipped: Triage) -> None:
    table = gathered(shipped, ROWS).table
    arrow = to_arrow(table)
    shuffled = arrow.take(pa.array(range(len(arrow) - 1, -1, -1)))
    assert same(from_arrow(shuffled), table)


def test_nothing_gathered_is_an_empty_table(shipped: Triage) -> None:
    table = gathered(shipped, []).table
    assert len(to_arrow(table)) == 0
    assert same(from_arrow(to_arrow(table)), table)


def test_a_file_holds_what_was_gathered_for_its_owner_only(shipped: Triage, tmp_path: Path) -> None:
    path, whole = tmp_path / "all.evidence", gathered(shipped, ROWS)
    save_evidence(whole, "weights", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    read = load_evidence(path, "weights")
    assert same(read.table, whole.table)
    assert read.parts == whole.parts
    assert isinstance(read.parts[0], Fingerprint)


def test_the_same_evidence_is_the_same_file(shipped: Triage, tmp_path: Path) -> None:
    parts = [gathered(shipped, ROWS[:2]), gathered(shipped, ROWS[2:])]
    for name, some in (("one", parts), ("other", parts[::-1])):
        save_evidence(merged(some), "weights", tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_evidence_of_other_weights_is_refused(shipped: Triage, tmp_path: Path) -> None:
    save_evidence(gathered(shipped, ROWS), "others", tmp_path / "all.evidence")
    with pytest.raises(TriageError, match="another version, model or lists: gather it again"):
        load_evidence(tmp_path / "all.evidence", "weights")


@pytest.mark.parametrize("content", [b"", b"Coucou", b"ARROW1\0\0" + b"\xff" * 64])
def test_what_is_no_evidence_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "all.evidence").write_bytes(content)
    with pytest.raises(TriageError, match="holds no evidence of triage gather, or is damaged"):
        load_evidence(tmp_path / "all.evidence", "weights")


def test_a_truncated_file_is_refused(shipped: Triage, tmp_path: Path) -> None:
    path = tmp_path / "all.evidence"
    save_evidence(gathered(shipped, ROWS), "weights", path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(TriageError, match="holds no evidence of triage gather, or is damaged"):
        load_evidence(path, "weights")
