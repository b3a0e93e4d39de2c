"""Word lists are read from folders and files, and searched together."""

from pathlib import Path

import pytest

from tests.cases import cases_beside
from triage.dictionaries import (
    DictionaryError,
    Label,
    Lexicon,
    Role,
    WordList,
    label_messages,
    load_lexicon,
    user_list,
)
from triage.dictionaries.lists import read_words

CASES = cases_beside(__file__)

NAMES = WordList("names", Role.DICTIONARY, ("cédric", "zoé", "pierre"))
WORDS = WordList("words", Role.ANTI_DICTIONARY, ("crayon", "pierre", "désolé"))
NOTE: str = CASES["note"]


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


@pytest.mark.parametrize(("index", "form", "lists"), CASES["forms"])
def test_a_form_is_found_with_the_lists_that_hold_it_but_for_exceptions(
    index: str, form: str, lists: list[str]
) -> None:
    many, left_out = tuple(f"mot{i}" for i in range(60_000)), frozenset({"aime", "maëlys"})
    lexicon = Lexicon([NAMES, WORDS]).with_lists(
        [
            WordList("many", Role.ANTI_DICTIONARY, many, frozenset({"mot7"})),
            WordList("aimed", Role.DICTIONARY, ("aimé", *left_out), left_out),
        ]
    )
    assert [*lexicon.names(getattr(lexicon, index).get(form))] == lists
    assert lexicon.lists[-1].entries == {"aimé"}


def test_a_users_list_is_named_after_its_file_and_makes_a_name_known(tmp_path: Path) -> None:
    path = written(tmp_path / "équipe 2.txt", "Namrata\nMélodine\n")
    own = user_list(path, Role.DICTIONARY)
    assert (own.name, own.role, own.source) == ("équipe 2", Role.DICTIONARY, str(path))
    mine = Lexicon([NAMES, WORDS]).with_lists([own])
    for word in label_messages(["namrata MÉLODINE Melodine mélodiiine"], mine).labels:
        assert word.label is Label.DICTIONARY
        assert mine.names(word.lists) == ("équipe 2",)


def test_lists_of_the_user_outweigh_the_pack(tmp_path: Path) -> None:
    path, mine = written(tmp_path / "mine.txt", "zoé\n"), Lexicon([NAMES, WORDS])
    also = written(tmp_path / "mine too.txt", "zoé\n")
    for one, role, label in (
        (path, Role.ANTI_DICTIONARY, Label.ANTI_DICTIONARY),
        (also, Role.DICTIONARY, Label.AMBIGUOUS),
    ):
        mine = mine.with_lists([user_list(one, role)])
        assert [word.label for word in label_messages(["Zoé"], mine).labels] == [label]


@pytest.mark.parametrize("text", CASES["typed"])
def test_a_list_is_read_however_it_is_typed(text: str, tmp_path: Path) -> None:
    words = read_words(written(tmp_path / "mine.txt", text))
    assert words == (["zoé"] if "ola" not in text else ["zoé", "lola"])


@pytest.mark.parametrize(("content", "encoding", "problem"), CASES["unusable"])
def test_a_list_that_cannot_be_used_is_refused(
    content: str, encoding: str, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(content.encode(encoding))
    with pytest.raises(DictionaryError) as error:
        user_list(path, Role.DICTIONARY)
    assert one_line(error) == problem.format(path)


def test_a_list_that_is_not_there_is_refused(tmp_path: Path) -> None:
    problem = "cannot read the word list .*: No such file or directory"
    with pytest.raises(DictionaryError, match=problem):
        user_list(tmp_path / "mine.txt", Role.DICTIONARY)


def test_a_pack_is_a_folder_of_lists(tmp_path: Path) -> None:
    lexicon = load_lexicon(pack(tmp_path, exceptions="# a reason\nLola\tfirst of all a film\n"))
    [names] = lexicon.lists
    assert (names.name, names.role, {*names.entries}) == ("names", Role.DICTIONARY, {"zoé"})
    assert (names.title, names.source, names.licence) == ("Names", "invented", "MIT")
    items = "lola\r\nzoé\r\n# written by hand\nMaé\ta neighbour\r\n"
    language = pack(tmp_path / "b", items=items, note=NOTE + "normalised = true\n")
    [generated] = load_lexicon(language).lists
    assert list(generated.words) == ["lola", "zoé", "maé"]


@pytest.mark.parametrize("language", ["nl", "", "fr/names", "../fr", "fr,nl"])
def test_an_unknown_language_is_refused(language: str) -> None:
    unknown = f"no dictionaries for the language {language.rpartition(',')[2]!r}; there are: "
    with pytest.raises(DictionaryError, match=rf"\A{unknown}.*\Z"):
        load_lexicon(language)


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        ("title = ", "cannot read the note"),
        (NOTE.replace('licence = "MIT"\n', ""), "lacks: licence"),
        (NOTE.replace('"dictionary"', '"antidictionary"'), "has no known role; there are: dict"),
        (NOTE, "cannot read the word list"),
        (NOTE + "normalised = true\n", "cannot read the word list"),
    ],
)
def test_a_pack_with_a_wrong_note_or_without_items_is_refused(
    note: str, reason: str, tmp_path: Path
) -> None:
    language = pack(tmp_path, note=note)
    if reason.endswith("word list"):
        Path(language, "names/items.txt").unlink()
    with pytest.raises(DictionaryError) as error:
        load_lexicon(language)
    assert reason in one_line(error)
    assert str(tmp_path / "xx/names") in str(error.value)
