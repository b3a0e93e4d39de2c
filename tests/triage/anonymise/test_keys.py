"""Keys and key tables: made, read, and refused; by a table that was changed nothing comes back."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Refused, Run
from triage.anonymise.keys import Keyed, digest, read_key
from triage.data import DataError
from triage.errors import TriageError

CASES = cases_beside(__file__)


def test_a_new_key_is_of_its_owner_alone_and_takes_the_place_of_none(
    anonymise: Run, not_anonymised: Refused
) -> None:
    path, before = Path("corpus.key"), os.umask(0)
    options = ("--style", "surrogate", "--key", path, "--new-key")
    try:
        assert anonymise(*options).returncode == 0
    finally:
        os.umask(before)
    key = read_key(path)
    assert (len(key), path.stat().st_mode & 0o777) == (32, 0o600)
    Path("anon.csv").unlink()
    assert "is there already: leave --new-key out to use it" in not_anonymised(*options)
    assert read_key(path) == key


@pytest.mark.parametrize(("content", "mode"), CASES["no_keys"])
def test_a_key_that_others_may_read_or_that_is_none_is_refused_and_not_shown(
    content: str, mode: int, tmp_path: Path
) -> None:
    path = tmp_path / "corpus.key"
    path.write_text(content)
    path.chmod(mode)
    with pytest.raises(TriageError, match="is no key file" if mode == 0o600 else "chmod 600") as e:
        read_key(path)
    assert not content or content not in str(e.value)


def test_a_key_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none.key", tmp_path):
        with pytest.raises(DataError, match="cannot read the key file"):
            read_key(path)


def test_choices_follow_from_key_and_purpose() -> None:
    assert digest(b"key", "a", "bc") != digest(b"key", "ab", "c")
    assert digest(b"key", "a") != digest(b"other", "a")
    assert len(digest(b"key", "half a character \ud83d")) == 32
    keyed = Keyed(b"key", "a die")
    thrown = [keyed.below(6) for _ in range(6000)]
    assert all(900 < thrown.count(side) < 1100 for side in range(6))


@pytest.fixture
def not_restored(anonymise: Run, refused: Refused) -> Callable[[], str]:
    """Write a key table, and return why messages are not put back by it."""
    anonymise("--key-table", Path("key.csv"))

    def why() -> str:
        told = refused("restore", "anon.csv", "--key-table", "key.csv", "-o", "original.csv")
        assert "atrice" not in told
        return told

    return why


@pytest.mark.parametrize("edit", CASES["edits"].values(), ids=CASES["edits"])
def test_a_message_that_was_changed_is_not_restored(
    edit: tuple[str, str], not_restored: Callable[[], str]
) -> None:
    output = Path("anon.csv")
    output.write_text(output.read_text().replace(*edit, 1))
    assert "messages were changed, moved or removed since: " in not_restored()


def test_by_half_a_key_table_nothing_is_restored(not_restored: Callable[[], str]) -> None:
    table = Path("key.csv")
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:3]))
    assert "key.csv is not the whole table" in not_restored()
