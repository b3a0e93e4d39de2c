"""What is computed from a pack's lists is kept, and made again when anything of it changed."""

import marshal
import os
import shutil
import time
from pathlib import Path

import pytest

from triage.dictionaries import Lexicon, Role, WordList, load_lexicon
from triage.dictionaries.cache import _keep as keep
from triage.dictionaries.lists import LazyWords
from triage.dictionaries.pack import PACKS, SETTINGS

LISTS = ("first_names", "sms_forms", "frequent_forms")
FORMS = ("patrice", "desole", "bcp", "xyzzy", "nicolas")


@pytest.fixture
def pack(tmp_path: Path) -> str:
    folder = tmp_path / "fr"
    for name in LISTS:
        shutil.copytree(PACKS / "fr" / name, folder / name)
    shutil.copy(PACKS / "fr" / SETTINGS, folder)
    return str(folder)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "sms-triage"


def tables_of(lexicon: Lexicon) -> tuple[object, ...]:
    """Return all tables but the indexes of forms, which are compared by forms."""
    names = ("near", "by_consonants", "name_starts", "names_by_letters")
    return *map(lexicon.table, names), lexicon.fingerprint


def kept(cache: Path) -> list[Path]:
    return sorted(cache.glob("*.lexicon"))


def test_a_kept_lexicon_is_the_one_that_was_computed(pack: str) -> None:
    computed = load_lexicon(pack)
    recalled = load_lexicon(pack)
    assert tables_of(recalled) == tables_of(computed)
    for index in ("exact", "folded"):
        of_recalled, of_computed = getattr(recalled, index).get, getattr(computed, index).get
        forms = [*FORMS, *(form for words in computed.lists for form in words.words)]
        assert [*map(of_recalled, forms)] == [*map(of_computed, forms)]


def test_a_changed_list_is_computed_anew_beside_the_old_one(pack: str, cache: Path) -> None:
    load_lexicon(pack)
    (before,) = kept(cache)
    with Path(pack, "first_names", "exceptions.txt").open("a", encoding="utf-8") as file:
        file.write("patrice\n")
    changed = load_lexicon(pack)
    assert len(kept(cache)) == 2
    assert before in kept(cache)
    assert changed.exact.get("patrice") == 0


def test_what_was_kept_long_ago_is_removed(pack: str, cache: Path) -> None:
    load_lexicon(pack)
    (before,) = kept(cache)
    a_year_ago = time.time() - 365 * 86_400
    os.utime(before, (a_year_ago, a_year_ago))
    Path(pack, "first_names", "exceptions.txt").write_text("patrice\n", encoding="utf-8")
    load_lexicon(pack)
    (after,) = kept(cache)
    assert after != before


def test_a_kept_list_of_which_a_letter_was_changed_is_not_believed(pack: str, cache: Path) -> None:
    load_lexicon(pack)
    (path,) = kept(cache)
    path.write_bytes(path.read_bytes().replace(b"patrice", b"patrjce"))
    lexicon = load_lexicon(pack)
    assert lexicon.exact.get("patrice")
    assert not lexicon.exact.get("patrjce")


NAMES = ("patrjce",)


@pytest.fixture
def planted(pack: str, cache: Path) -> Path:
    """Give a cache that holds, with its checksum, another list than the pack."""
    load_lexicon(pack)
    (path,) = kept(cache)
    planted = Lexicon([WordList("first_names", Role.DICTIONARY, NAMES)])
    keep(marshal.dumps(planted.tables), path)
    assert load_lexicon(pack).exact.get("patrjce")
    return path


def believes(pack: str) -> bool:
    """Whether what was planted is believed; else the pack's own lists must have been read."""
    lexicon = load_lexicon(pack)
    assert bool(lexicon.exact.get("patrice")) != bool(lexicon.exact.get("patrjce"))
    return bool(lexicon.exact.get("patrjce"))


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_believed(mode: int, planted: Path, pack: str) -> None:
    planted.chmod(mode)
    assert not believes(pack)


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o1777])
def test_a_folder_that_others_may_write_is_neither_believed_nor_written(
    mode: int, planted: Path, pack: str
) -> None:
    planted.parent.chmod(mode)
    before = planted.read_bytes()
    assert not believes(pack)
    assert planted.read_bytes() == before


@pytest.mark.usefixtures("planted")
def test_a_file_of_somebody_else_is_not_believed(
    pack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    assert not believes(pack)


def test_a_link_to_a_folder_is_neither_followed_nor_written_through(
    planted: Path, pack: str, cache: Path
) -> None:
    before = planted.read_bytes()
    moved = cache.rename(cache.with_name("elsewhere"))
    cache.symlink_to(moved, target_is_directory=True)
    assert not believes(pack)
    assert planted.read_bytes() == before


def test_a_link_in_the_place_of_a_file_is_not_followed(
    planted: Path, pack: str, cache: Path
) -> None:
    moved = planted.rename(cache.parent / "elsewhere")
    before = moved.read_bytes()
    planted.symlink_to(moved)
    assert not believes(pack)
    assert moved.read_bytes() == before


def test_a_damaged_cache_is_made_again(pack: str, cache: Path) -> None:
    load_lexicon(pack)
    (path,) = kept(cache)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert load_lexicon(pack).exact.get("patrice")
    assert len(path.read_bytes()) == len(whole)


def test_the_cache_is_readable_by_its_owner_only(pack: str, cache: Path) -> None:
    load_lexicon(pack)
    (path,) = kept(cache)
    assert path.stat().st_mode & 0o077 == 0
    assert cache.stat().st_mode & 0o077 == 0


def test_a_cache_that_cannot_be_written_is_done_without(
    pack: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below_a_file = cache.with_name("file")
    below_a_file.write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(below_a_file))
    assert load_lexicon(pack).exact.get("patrice")


def test_words_are_read_once_and_only_when_asked_for() -> None:
    reads: list[int] = []

    def read() -> list[str]:
        reads.append(1)
        return ["patrice"]

    words = LazyWords(read)
    assert reads == []
    assert (len(words), list(words), "patrice" in words) == (1, ["patrice"], True)
    assert reads == [1]
