"""Results computed from a pack's lists are kept, and made again when anything of it changed."""

import marshal
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.dictionaries import Lexicon, Role, WordList, lexicon, load_lexicon
from triage.dictionaries.cache import keep
from triage.dictionaries.pack import PACKS, SETTINGS

LISTS = ("first_names", "sms_forms", "frequent_forms")
TABLES = ("near", "by_consonants", "name_starts", "names_by_letters")


@pytest.fixture
def pack(tmp_path: Path) -> str:
    """A pack of few words and no expressions, which is computed soon."""
    folder = tmp_path / "fr"
    for name in LISTS:
        shutil.copytree(PACKS / "fr" / name, folder / name)
        items = folder / name / "items.txt"
        lines = items.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = {*lines[::50]} | ({"patrice\n"} if name == "first_names" else set())
        items.write_text("".join(one for one in lines if one in kept), encoding="utf-8")
    (folder / SETTINGS).write_text('[pack]\nname = "Xish"\n', encoding="utf-8")
    return str(folder)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Each lexicon is loaded as a process of its own would load it.
    monkeypatch.setattr(lexicon, "_loaded", lexicon._loaded.__wrapped__)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "sms-triage"


@pytest.fixture
def kept(pack: str, cache: Path) -> Path:
    """The only file of a cache, which was just made."""
    load_lexicon(pack)
    [path] = cache.glob("*.lexicon")
    return path


def test_a_kept_lexicon_is_the_one_that_was_computed_and_for_its_owner_alone(
    pack: str, cache: Path
) -> None:
    computed, recalled = load_lexicon(pack), load_lexicon(pack)
    assert [*map(recalled.table, TABLES)] == [*map(computed.table, TABLES)]
    assert recalled.fingerprint == computed.fingerprint
    forms = ["desole", "xyzzy", *(form for words in computed.lists for form in words.words)]
    for index in ("exact", "folded"):
        one, other = (map(getattr(of, index).get, forms) for of in (recalled, computed))
        assert [*one] == [*other]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (cache, *cache.glob("*.lexicon")))


@pytest.mark.parametrize("is_old", [False, True])
def test_a_changed_list_is_computed_anew_and_what_is_old_goes(
    is_old: bool, pack: str, cache: Path, kept: Path
) -> None:
    when = time.time() - (365 * 86_400 if is_old else 0)
    os.utime(kept, (when, when))
    Path(pack, "first_names", "exceptions.txt").write_text("patrice\n", encoding="utf-8")
    assert load_lexicon(pack).exact.get("patrice") == 0
    assert (kept.exists(), len([*cache.glob("*.lexicon")])) == (not is_old, 1 + (not is_old))


def test_a_changed_or_damaged_file_is_not_believed_and_made_again(pack: str, kept: Path) -> None:
    whole = kept.read_bytes()
    for content in (whole.replace(b"first", b"fjrst"), whole[: len(whole) // 2], b""):
        kept.write_bytes(content)
        assert load_lexicon(pack).exact.get("patrice")
        assert kept.read_bytes() == whole


DISTRUSTED: dict[str, Callable[[Path], object]] = {
    "file of a group": lambda kept: kept.chmod(0o620),
    "file of all": lambda kept: kept.chmod(0o602),
    "folder of a group": lambda kept: kept.parent.chmod(0o720),
    "folder of all": lambda kept: kept.parent.chmod(0o1777),
    "link to a folder": lambda kept: kept.parent.symlink_to(
        kept.parent.rename(kept.parent.with_name("elsewhere")), target_is_directory=True
    ),
    "link to a file": lambda kept: kept.symlink_to(kept.rename(kept.parent.parent / "elsewhere")),
    "somebody else": lambda _: None,
}


@pytest.mark.parametrize("why", DISTRUSTED)
def test_what_others_may_have_written_is_neither_believed_nor_written_through(
    why: str, pack: str, kept: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = Lexicon([WordList("first_names", Role.DICTIONARY, ("patrjce",))])
    keep(marshal.dumps(planted.tables), kept)
    assert load_lexicon(pack).exact.get("patrjce")
    before = kept.read_bytes()
    DISTRUSTED[why](kept)
    if why == "somebody else":
        another = os.getuid() + 1
        monkeypatch.setattr(os, "getuid", lambda: another)
    loaded = load_lexicon(pack)
    assert (bool(loaded.exact.get("patrice")), loaded.exact.get("patrjce")) == (True, 0)
    if not why.startswith("file"):
        elsewhere = cache.with_name("elsewhere")
        found = elsewhere if elsewhere.is_file() else kept
        assert found.read_bytes() == before


def test_a_cache_that_cannot_be_written_is_done_without(
    pack: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below_a_file = cache.with_name("file")
    below_a_file.write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(below_a_file))
    assert load_lexicon(pack).exact.get("patrice")
