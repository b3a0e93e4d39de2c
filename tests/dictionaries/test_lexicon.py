"""Word lists are read from folders and files, searched together, and kept as they were computed."""

import marshal
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.data.files import file_of
from triage.dictionaries import DictionaryError, Label, Lexicon, Role, WordList, lexicon
from triage.dictionaries.cache import keep
from triage.dictionaries.labelling import label_messages
from triage.dictionaries.lexicon import load_lexicon, user_list
from triage.dictionaries.lists import read_words
from triage.dictionaries.pack import PACKS, SETTINGS

CASES = cases_beside(__file__)

NAMES = WordList("names", Role.DICTIONARY, ("cédric", "zoé", "pierre"))
WORDS = WordList("words", Role.ANTI_DICTIONARY, ("crayon", "pierre", "désolé"))
NOTE: str = CASES["note"]


def pack(items: str = "Zoé\nLola\n", note: str = NOTE, exceptions: str = "# none\n") -> str:
    """Write a pack of one list called ``names``; return its folder, as a language is given."""
    folder = Path("xx").resolve()
    (folder / "names").mkdir(parents=True, exist_ok=True)
    file_of('[pack]\nname = "Xish"\n', folder / "pack.toml")
    for name, text in (("items.txt", items), ("note.toml", note), ("exceptions.txt", exceptions)):
        file_of(text, folder / "names" / name)
    return str(folder)


@pytest.mark.parametrize(("index", "form", "lists"), CASES["forms"])
def test_a_form_is_found_with_its_lists(index: str, form: str, lists: list[str]) -> None:
    many, left_out = tuple(f"mot{i}" for i in range(60_000)), frozenset({"aime", "maëlys"})
    lexicon = Lexicon([NAMES, WORDS]).with_lists(
        [
            WordList("many", Role.ANTI_DICTIONARY, many, frozenset({"mot7"})),
            WordList("aimed", Role.DICTIONARY, ("aimé", *left_out), left_out),
        ]
    )
    assert [*lexicon.names(getattr(lexicon, index).get(form))] == lists
    assert lexicon.lists[-1].entries == {"aimé"}


def test_a_users_list_is_named_after_its_file_and_makes_a_name_known() -> None:
    path = file_of("Namrata\nMélodine\n", "équipe 2.txt")
    own = user_list(path, Role.DICTIONARY)
    assert (own.name, own.role, own.source) == ("équipe 2", Role.DICTIONARY, str(path))
    mine = Lexicon([NAMES, WORDS]).with_lists([own])
    for word in label_messages(["namrata MÉLODINE Melodine mélodiiine"], mine).labels:
        assert word.label is Label.DICTIONARY
        assert mine.names(word.lists) == ("équipe 2",)


def test_lists_of_the_user_outweigh_the_pack() -> None:
    path, mine = file_of("zoé\n", "mine.txt"), Lexicon([NAMES, WORDS])
    also = file_of("zoé\n", "mine too.txt")
    for one, role, label in (
        (path, Role.ANTI_DICTIONARY, Label.ANTI_DICTIONARY),
        (also, Role.DICTIONARY, Label.AMBIGUOUS),
    ):
        mine = mine.with_lists([user_list(one, role)])
        assert [word.label for word in label_messages(["Zoé"], mine).labels] == [label]


@pytest.mark.parametrize("text", CASES["typed"])
def test_a_list_is_read_however_it_is_typed(text: str) -> None:
    words = read_words(file_of(text, "mine.txt"))
    assert words == (["zoé"] if "ola" not in text else ["zoé", "lola"])


@pytest.mark.parametrize(("content", "encoding", "problem"), CASES["unusable"])
def test_a_list_that_cannot_be_used_is_refused(content: str, encoding: str, problem: str) -> None:
    path = file_of(content.encode(encoding), "mine.txt")
    with pytest.raises(DictionaryError) as error:
        user_list(path, Role.DICTIONARY)
    assert str(error.value) == problem.format(path)


def test_a_pack_is_a_folder_of_lists() -> None:
    lexicon = load_lexicon(pack(exceptions="# a reason\nLola\tfirst of all a film\n"))
    [names] = lexicon.lists
    assert (names.name, names.role, {*names.entries}) == ("names", Role.DICTIONARY, {"zoé"})
    assert (names.title, names.source, names.licence) == ("Names", "invented", "MIT")
    items = "lola\r\nzoé\r\n# written by hand\nMaé\ta neighbour\r\n"
    language = pack(items=items, note=NOTE + "normalised = true\n")
    [generated] = load_lexicon(language).lists
    assert list(generated.words) == ["lola", "zoé", "maé"]


@pytest.mark.parametrize("language", ["nl", "", "fr/names", "../fr", "fr,nl"])
def test_an_unknown_language_is_refused(language: str) -> None:
    unknown = f"no dictionaries for the language {language.rpartition(',')[2]!r}; there are: "
    with pytest.raises(DictionaryError, match=rf"\A{unknown}.*\Z"):
        load_lexicon(language)


@pytest.mark.parametrize(("old", "new", "reason"), CASES["wrong_notes"])
def test_a_pack_with_a_wrong_note_or_no_items_is_refused(old: str, new: str, reason: str) -> None:
    language = pack(note=NOTE.replace(old, new))
    if reason.endswith("word list"):
        Path(language, "names/items.txt").unlink()
    with pytest.raises(DictionaryError) as error:
        load_lexicon(language)
    message = str(error.value)
    assert (reason in message, "\n" in message) == (True, False)
    assert str(Path("xx/names").resolve()) in message


THINNED = ("first_names", "sms_forms", "frequent_forms")
TABLES = ("near", "by_consonants", "name_starts", "names_by_letters")


@pytest.fixture
def small_pack(own_folder: Path) -> str:
    """A pack of few words and no expressions, which is computed soon."""
    folder = own_folder / "fr"
    for name in THINNED:
        shutil.copytree(PACKS / "fr" / name, folder / name)
        items = folder / name / "items.txt"
        lines = items.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = {*lines[::50]} | ({"patrice\n"} if name == "first_names" else set())
        items.write_text("".join(one for one in lines if one in kept), encoding="utf-8")
    (folder / SETTINGS).write_text('[pack]\nname = "Xish"\n', encoding="utf-8")
    return str(folder)


@pytest.fixture(autouse=True)
def cache(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Each lexicon is loaded as a process of its own would load it.
    monkeypatch.setattr(lexicon, "_loaded", lexicon._loaded.__wrapped__)
    monkeypatch.setenv("XDG_CACHE_HOME", str(own_folder))
    return own_folder / "sms-triage"


@pytest.fixture
def kept(small_pack: str, cache: Path) -> Path:
    """The only file of a cache, which was just made."""
    load_lexicon(small_pack)
    [path] = cache.glob("*.lexicon")
    return path


def test_a_kept_lexicon_is_the_computed_one_and_private(small_pack: str, cache: Path) -> None:
    computed, recalled = load_lexicon(small_pack), load_lexicon(small_pack)
    assert [*map(recalled.table, TABLES)] == [*map(computed.table, TABLES)]
    assert recalled.fingerprint == computed.fingerprint
    forms = ["desole", "xyzzy", *(form for words in computed.lists for form in words.words)]
    for index in ("exact", "folded"):
        one, other = (map(getattr(of, index).get, forms) for of in (recalled, computed))
        assert [*one] == [*other]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (cache, *cache.glob("*.lexicon")))


@pytest.mark.parametrize("is_old", [False, True])
def test_a_changed_list_is_computed_anew_and_what_is_old_goes(
    is_old: bool, small_pack: str, cache: Path, kept: Path
) -> None:
    when = time.time() - (365 * 86_400 if is_old else 0)
    os.utime(kept, (when, when))
    Path(small_pack, "first_names", "exceptions.txt").write_text("patrice\n", encoding="utf-8")
    assert load_lexicon(small_pack).exact.get("patrice") == 0
    assert (kept.exists(), len([*cache.glob("*.lexicon")])) == (not is_old, 1 + (not is_old))


def test_a_changed_or_damaged_file_is_made_again(small_pack: str, kept: Path) -> None:
    whole = kept.read_bytes()
    for content in (whole.replace(b"first", b"fjrst"), whole[: len(whole) // 2], b""):
        kept.write_bytes(content)
        assert load_lexicon(small_pack).exact.get("patrice")
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
    why: str, small_pack: str, kept: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = Lexicon([WordList("first_names", Role.DICTIONARY, ("patrjce",))])
    keep(marshal.dumps(planted.tables), kept)
    assert load_lexicon(small_pack).exact.get("patrjce")
    before = kept.read_bytes()
    DISTRUSTED[why](kept)
    if why == "somebody else":
        another = os.getuid() + 1
        monkeypatch.setattr(os, "getuid", lambda: another)
    loaded = load_lexicon(small_pack)
    assert (bool(loaded.exact.get("patrice")), loaded.exact.get("patrjce")) == (True, 0)
    if not why.startswith("file"):
        elsewhere = cache.with_name("elsewhere")
        found = elsewhere if elsewhere.is_file() else kept
        assert found.read_bytes() == before


def test_a_cache_that_cannot_be_written_is_done_without(
    small_pack: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below_a_file = cache.with_name("file")
    below_a_file.write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(below_a_file))
    assert load_lexicon(small_pack).exact.get("patrice")
