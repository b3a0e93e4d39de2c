"""Word lists are read from folders and files, and searched together."""

from pathlib import Path

import pytest

from triage.dictionaries import (
    DictionaryError,
    Label,
    LabelledWord,
    Lexicon,
    Role,
    WordList,
    label_messages,
    load_lexicon,
    user_list,
)
from triage.dictionaries.lists import read_words

NAMES = WordList("names", Role.DICTIONARY, ("cédric", "zoé", "pierre"))
WORDS = WordList("words", Role.ANTI_DICTIONARY, ("crayon", "pierre", "désolé"))

NOTE = """\
title = "Names"
role = "dictionary"
source = "invented"
version = "1"
licence = "MIT"
made = "By hand."
entries = 2
"""


def labelled(message: str, lexicon: Lexicon) -> list[LabelledWord]:
    return label_messages([message], lexicon).labels


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def pack(folder: Path, items: str = "Zoé\nLola\n", note: str = NOTE, exceptions: str = "") -> str:
    """Write a pack of one list called ``names``; return its folder, as a language is given."""
    written(folder / "xx/pack.toml", '[pack]\nname = "Xish"\n')
    written(folder / "xx/names/items.txt", items)
    written(folder / "xx/names/note.toml", note)
    if exceptions:
        written(folder / "xx/names/exceptions.txt", exceptions)
    return str(folder / "xx")


def one_line(error: pytest.ExceptionInfo[DictionaryError]) -> str:
    message = str(error.value)
    assert "\n" not in message
    return message


# Looking up.


def test_a_form_is_found_with_the_lists_that_hold_it() -> None:
    lexicon = Lexicon([NAMES, WORDS])
    assert lexicon.names(lexicon.exact.get("pierre")) == ("names", "words")
    assert lexicon.names(lexicon.exact.get("cédric")) == ("names",)
    assert lexicon.exact.get("namrata") == 0


def test_accented_forms_are_found_without_their_accents() -> None:
    lexicon = Lexicon([NAMES, WORDS])
    assert lexicon.names(lexicon.folded.get("desole")) == ("words",)
    assert lexicon.folded.get("crayon") == 0


def test_a_list_with_the_role_of_a_feature_gives_no_label() -> None:
    lexicon = Lexicon([WordList("pronouns", Role.FEATURE, ("toi",))])
    (word,) = labelled("toi", lexicon)
    assert (word.label, lexicon.names(lexicon.exact.get("toi"))) == (Label.UNKNOWN, ("pronouns",))


def test_exceptions_are_taken_off() -> None:
    words = WordList("names", Role.DICTIONARY, ("aimé", "aime", "zoé"), frozenset({"aime"}))
    lexicon = Lexicon([words])
    assert words.entries == {"aimé", "zoé"}
    assert lexicon.exact.get("aime") == 0
    assert lexicon.exact.get("aimé") == lexicon.exact.get("zoé") == 1


def test_an_exception_is_taken_off_without_its_accents_too() -> None:
    words = WordList("names", Role.DICTIONARY, ("aimé", "zoé"), frozenset({"aimé"}))
    assert Lexicon([words]).folded.get("aime") == 0


def test_a_long_list_is_searched_as_a_short_one() -> None:
    many = tuple(f"mot{i}" for i in range(60_000))
    lexicon = Lexicon([NAMES, WordList("many", Role.ANTI_DICTIONARY, many, frozenset({"mot7"}))])
    assert lexicon.names(lexicon.exact.get("mot59999")) == ("many",)
    assert lexicon.exact.get("mot7") == 0


def test_two_lists_of_one_name_are_refused() -> None:
    with pytest.raises(DictionaryError) as error:
        Lexicon([NAMES, WORDS, WordList("names", Role.ANTI_DICTIONARY, ("table",))])
    assert one_line(error) == "two word lists have one name: names"


def test_a_lexicon_with_more_lists_leaves_the_first_as_it_was() -> None:
    lexicon = Lexicon([NAMES], "xx")
    more = lexicon.with_lists([WORDS])
    assert [words.name for words in more.lists] == ["names", "words"]
    assert more.language == "xx"
    assert [words.name for words in lexicon.lists] == ["names"]


# The fingerprint.


def test_the_fingerprint_is_the_same_on_every_machine() -> None:
    assert Lexicon([NAMES, WORDS]).fingerprint == (
        "37d90c658aaf2b7d4e1bd56b67ab0519f0bc7321ba429ad4ede5e20f5cb2a475"
    )


@pytest.mark.parametrize(
    ("name", "role", "words", "exceptions"),
    [
        ("names", Role.DICTIONARY, ("cédric", "zoé"), ()),
        ("names", Role.DICTIONARY, ("cédric", "zoé", "pierrot"), ()),
        ("nom", Role.DICTIONARY, NAMES.words, ()),
        ("names", Role.FEATURE, NAMES.words, ()),
        ("names", Role.DICTIONARY, NAMES.words, ("pierre",)),
        ("names", Role.DICTIONARY, ("cédric", "zoé", "pi"), ("erre",)),
    ],
)
def test_the_fingerprint_changes_with_a_list(
    name: str, role: Role, words: tuple[str, ...], exceptions: tuple[str, ...]
) -> None:
    changed = WordList(name, role, words, frozenset(exceptions))
    assert Lexicon([changed, WORDS]).fingerprint != Lexicon([NAMES, WORDS]).fingerprint


def test_the_fingerprint_changes_with_a_list_more() -> None:
    lexicon = Lexicon([NAMES])
    assert lexicon.with_lists([WORDS]).fingerprint != lexicon.fingerprint


# The user's own lists.


def test_a_users_list_makes_a_name_known(tmp_path: Path) -> None:
    path = written(tmp_path / "my_names.txt", "Namrata\nMélodine\n")
    mine = Lexicon([NAMES, WORDS]).with_lists([user_list(path, Role.DICTIONARY)])
    for word in labelled("namrata MÉLODINE Melodine mélodiiine", mine):
        assert word.label is Label.DICTIONARY
        assert mine.names(word.lists) == ("my_names",)


@pytest.mark.parametrize(
    ("roles", "label"),
    [
        ([Role.ANTI_DICTIONARY], Label.ANTI_DICTIONARY),
        ([Role.DICTIONARY, Role.ANTI_DICTIONARY], Label.AMBIGUOUS),
    ],
)
def test_lists_of_the_user_outweigh_the_pack(
    roles: list[Role], label: Label, tmp_path: Path
) -> None:
    lists = [user_list(written(tmp_path / f"my_{one.name}.txt", "zoé\n"), one) for one in roles]
    mine = Lexicon([NAMES, WORDS]).with_lists(lists)
    assert [word.label for word in labelled("Zoé", mine)] == [label]


def test_a_users_list_is_named_after_its_file(tmp_path: Path) -> None:
    path = written(tmp_path / "équipe 2.txt", "Namrata")
    mine = user_list(path, Role.DICTIONARY)
    assert (mine.name, mine.role, mine.source) == ("équipe 2", Role.DICTIONARY, str(path))


@pytest.mark.parametrize(
    "text",
    [
        "Zoé\nLola\n",
        "Zoé\nLola",
        "\ufeffZoé\nLola\n",
        "Zoé\r\nLola\r\n",
        "Zoé\rLola\r",
        "\n\nZoé\n\n\nLola\n\n",
        "# mes amis\nZoé\n  # et\nLola\n#fin",
        "Zoé\tune amie\nLola\t# sa soeur",
        "  Zoé\nLola  ",
        " Zoé ",
        "ZOÉ\nlola",
        "Zoe\u0301\nLola",
    ],
)
def test_a_list_is_read_however_it_is_typed(text: str, tmp_path: Path) -> None:
    words = read_words(written(tmp_path / "mine.txt", text))
    assert words == (["zoé"] if "ola" not in text else ["zoé", "lola"])


EMPTY = "the word list {} holds no word: write one a line"
UNREADABLE = "cannot read the word list {}: "


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        *((text, EMPTY) for text in (b"", b"\n\n", b"  \n\t\n", b"# rien\n", b"\xef\xbb\xbf")),
        *(("Zoé".encode(one), f"{UNREADABLE}it is not UTF-8 text") for one in ("cp1252", "utf-16")),
        (None, f"{UNREADABLE}No such file or directory"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused(
    content: bytes | None, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DictionaryError) as error:
        user_list(path, Role.DICTIONARY)
    assert one_line(error) == problem.format(path)


# Packs.


def test_a_pack_is_a_folder_of_lists(tmp_path: Path) -> None:
    lexicon = load_lexicon(pack(tmp_path, exceptions="# a reason\nLola\tfirst of all a film\n"))
    (names,) = lexicon.lists
    assert (names.name, names.role) == ("names", Role.DICTIONARY)
    assert names.entries == {"zoé"}
    assert (names.title, names.source, names.licence) == ("Names", "invented", "MIT")


def test_a_list_that_says_it_is_normalised_is_read_as_it_stands(tmp_path: Path) -> None:
    language = pack(tmp_path, items="lola\r\nzoé\r\n", note=NOTE + "normalised = true\n")
    (names,) = load_lexicon(language).lists
    assert list(names.words) == ["lola", "zoé"]


@pytest.mark.parametrize("language", ["nl", "", "fr/names", "../fr", "fr,nl"])
def test_an_unknown_language_is_refused(language: str) -> None:
    with pytest.raises(DictionaryError) as error:
        load_lexicon(language)
    unknown = language.rpartition(",")[2]
    assert one_line(error).startswith(f"no dictionaries for the language {unknown!r}; there are: ")


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        ("title = ", "cannot read the note"),
        (NOTE.replace('licence = "MIT"\n', ""), "lacks: licence"),
        (NOTE.replace('"dictionary"', '"antidictionary"'), "has no known role; there are: dict"),
    ],
)
def test_a_pack_with_a_wrong_note_is_refused(note: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(DictionaryError) as error:
        load_lexicon(pack(tmp_path, note=note))
    assert reason in one_line(error)
    assert str(tmp_path / "xx/names/note.toml") in str(error.value)


@pytest.mark.parametrize("normalised", ["", "normalised = true\n"])
def test_a_pack_without_its_items_is_refused(normalised: str, tmp_path: Path) -> None:
    language = pack(tmp_path, note=NOTE + normalised)
    items = Path(language, "names/items.txt")
    items.unlink()
    with pytest.raises(DictionaryError) as error:
        load_lexicon(language)
    assert one_line(error) == f"cannot read the word list {items}: No such file or directory"
