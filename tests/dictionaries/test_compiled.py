"""What is computed from a pack's lists is kept, and made again when anything of it changed."""

import shutil
from pathlib import Path

import pytest

from triage.dictionaries import Lexicon, load_lexicon
from triage.dictionaries.compiled import LazyWords
from triage.dictionaries.lexicon import PACKS

LISTS = ("first_names", "sms_forms", "frequent_forms")
FORMS = ("patrice", "desole", "bcp", "xyzzy", "nicolas")


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    for name in LISTS:
        shutil.copytree(PACKS / "fr" / name, tmp_path / "packs" / "fr" / name)
    return tmp_path / "packs"


def tables_of(lexicon: Lexicon) -> tuple[object, ...]:
    return lexicon.tables


def kept(cache: Path) -> list[Path]:
    return sorted(cache.glob("*.lexicon"))


def test_a_kept_lexicon_is_the_one_that_was_computed(packs: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    computed = load_lexicon("fr", packs, cache)
    recalled = load_lexicon("fr", packs, cache)
    assert tables_of(recalled) == tables_of(computed)
    assert [recalled.exact.get(form) for form in FORMS] == [computed.exact.get(f) for f in FORMS]
    assert recalled.near("surment") == computed.near("surment")


def test_a_changed_list_is_computed_anew_and_replaces_the_old_one(
    packs: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    load_lexicon("fr", packs, cache)
    (before,) = kept(cache)
    with (packs / "fr" / "first_names" / "exceptions.txt").open("a", encoding="utf-8") as file:
        file.write("patrice\n")
    changed = load_lexicon("fr", packs, cache)
    (after,) = kept(cache)
    assert after != before
    assert changed.exact.get("patrice") == 0


def test_a_damaged_cache_is_made_again(packs: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    load_lexicon("fr", packs, cache)
    (path,) = kept(cache)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert load_lexicon("fr", packs, cache).exact.get("patrice")
    assert len(path.read_bytes()) == len(whole)


def test_plain_data_of_another_shape_is_made_again(packs: Path, tmp_path: Path) -> None:
    import marshal

    cache = tmp_path / "cache"
    load_lexicon("fr", packs, cache)
    (path,) = kept(cache)
    path.write_bytes(marshal.dumps(["something", "else"]))
    assert load_lexicon("fr", packs, cache).exact.get("patrice")


def test_the_cache_is_readable_by_its_owner_only(packs: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    load_lexicon("fr", packs, cache)
    (path,) = kept(cache)
    assert path.stat().st_mode & 0o077 == 0
    assert cache.stat().st_mode & 0o077 == 0


def test_a_cache_that_cannot_be_written_is_done_without(packs: Path, tmp_path: Path) -> None:
    below_a_file = tmp_path / "file"
    below_a_file.write_text("not a folder", encoding="utf-8")
    assert load_lexicon("fr", packs, below_a_file / "cache").exact.get("patrice")


def test_words_are_read_once_and_only_when_asked_for() -> None:
    reads: list[int] = []

    def read() -> list[str]:
        reads.append(1)
        return ["patrice"]

    words = LazyWords(read)
    assert reads == []
    assert (len(words), words[0], words[:1], list(words)) == (
        1,
        "patrice",
        ["patrice"],
        ["patrice"],
    )
    assert reads == [1]
