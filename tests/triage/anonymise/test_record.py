"""The record of an output, its keys, the words of its errors: true, and telling no name."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run
from tests.triage.test_safe import files_of_at_most
from triage.anonymise.keys import Keyed, digest, read_key
from triage.anonymise.record import add_to_record, record_paths
from triage.anonymise.words import refused
from triage.data import DataError
from triage.dictionaries import Lexicon
from triage.dictionaries.lexicon import PERSON_NAMES
from triage.errors import TriageError

CASES = cases_beside(__file__)


@pytest.fixture
def recorded(done: Run, triaged: Path) -> Callable[..., dict[str, Any]]:
    def record(*options: str | Path, output: str = "anon.csv") -> dict[str, Any]:
        done("anonymise", triaged, "-o", Path(output), *options, "--overwrite")
        path, _ = record_paths(str(Path(output)))
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    return record


Recorded = Callable[..., dict[str, Any]]


def _key(digits: str) -> Path:
    path = Path(f"{digits}.key")
    path.write_text(digits * 32)
    path.chmod(0o600)
    return path


def _contents(output: str = "anon.csv") -> str:
    return "".join(path.read_text() for path in record_paths(output))


def test_a_record_has_the_digest_of_its_output_alone(recorded: Recorded, triaged: Path) -> None:
    output, table, names = (Path(name) for name in ("anon.csv.gz", "k.csv", "names.txt"))
    names.write_text("Zorglub\n")
    told = recorded("--plan", f"names={names}", "--key-table", table, output=output.name)
    assert told["input"] == {"rows": 5}
    assert told["output"] == {"sha256": _sha256(output), "rows": 3}
    contents = _contents(output.name)
    private = json.loads(Path("k.private.json").read_text())
    secret = [private["messages"], *map(_sha256, (triaged, table, names))]
    assert secret[1:3] == [private["input"], private["key_table"]]
    assert not [one for one in secret if one in contents]
    # Nor one of the lists with one's own words.
    del told["lists"]["shipped"]
    assert told["lists"] == {"yours": {"dictionary": 1}, "fingerprint": ""}
    assert told["model"]["weights"] == ""


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_fingerprint_tells_whether_two_runs_had_the_same_key(recorded: Recorded) -> None:
    one, other = _key("0a"), _key("0b")
    found = [recorded("--key", key)["key"] for key in (one, one, other)]
    assert found[0] == found[1] != found[2]
    assert recorded()["key"] == ""


def test_a_page_tells_the_sample_that_was_read_at_a_desk(recorded: Recorded) -> None:
    recorded()
    read = {"of": 285, "answered": 149, "recognised": 4, "at_most": 0.0604, "corrected": 3}
    for is_outdated in (False, True):
        sample = {**read, "is_outdated": is_outdated, "left_now": 270}
        add_to_record(str(Path("anon.csv")), sample=sample)
        told = _contents()
        assert "Nobody has been asked" not in told
        assert "Of the 285 messages left as they are, a person read 149" in told
        assert "at most 6.04% of them" in told
        assert "Of these, 3 had been corrected or left out before the publication." in told
        assert ("now 270 are left as they are" in told) is is_outdated


def test_a_full_disk_is_told_where_a_record_grows(recorded: Recorded) -> None:
    recorded()
    sample = {"seed": 0, "drawn": 3, "answered": 3, "recognised": 0, "at_most": 0.632}
    before, full = _contents(), pytest.raises(DataError, match=r"^cannot write anon\.record")
    with full, files_of_at_most(100):
        add_to_record("anon.csv", sample=sample)
    assert _contents() == before


@pytest.mark.parametrize(("name", "content", "said"), CASES["no_records"])
def test_what_is_no_record_of_the_output_is_left_alone(
    name: str, content: str, said: str, recorded: Recorded, run: Run
) -> None:
    told = recorded()
    if content == "without columns":
        content = json.dumps({key: one for key, one in told.items() if key != "columns"})
    Path(name).write_text("[" * 100_000 if content == "deep" else content)
    before = _contents()
    done = run("check", Path("anon.csv"))
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert said in done.stderr
    assert _contents() == before


@pytest.mark.parametrize(("options", "smallest", "median"), CASES["anonymity_sets"])
def test_the_record_tells_the_anonymity_sets(
    options: str,
    smallest: str | int,
    median: str | int,
    recorded: Recorded,
    triaged: Path,
    french: Lexicon,
) -> None:
    triaged.write_text("text,action\nvu Patrice et Zoé,TA\nSlt Karim et Xqztlu,TA\n")
    key = ["--key", _key("0a")] if "surrogate" in options else []
    [told] = recorded("--style", *options.split(), *key)["anonymity"]
    names = {n for one in french.lists if one.name in PERSON_NAMES for n in one.entries}
    size: dict[str | int, int] = {"all": len(names), 1: 1}
    size |= {f"of length {n}": sum(len(name) == n for name in names) for n in (3, 7)}
    assert told["type"] == "PRE"
    if smallest == "of all types":
        assert told["smallest"] == told["median"] > size["all"]
    elif smallest == "a few":
        assert 1 < told["smallest"] <= told["median"] < 1000
    else:
        assert (told["smallest"], told["median"]) == (size[smallest], size[median])


@pytest.mark.parametrize(("content", "mode"), CASES["no_keys"])
def test_a_key_that_is_none_or_readable_is_refused(content: str, mode: int, tmp_path: Path) -> None:
    path = tmp_path / "corpus.key"
    path.write_text(content)
    path.chmod(mode)
    with pytest.raises(TriageError, match="is no key file" if mode == 0o600 else "chmod 600") as e:
        read_key(path)
    assert not content or content not in str(e.value)


def test_choices_follow_from_key_and_purpose() -> None:
    assert digest(b"key", "a", "bc") != digest(b"key", "ab", "c")
    assert digest(b"key", "a") != digest(b"other", "a")
    assert len(digest(b"key", "half a character \ud83d")) == 32
    keyed = Keyed(b"key", "a die")
    thrown = [keyed.below(6) for _ in range(6000)]
    assert all(900 < thrown.count(side) < 1100 for side in range(6))


def test_the_part_before_a_point_is_the_key_of_pages() -> None:
    error = refused("not_a_date.row", file="sms.csv", line=3, column="date")
    assert (error.key, error.values["line"]) == ("not_a_date", "3")
    assert refused("one_code").key == ""
