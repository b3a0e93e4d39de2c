"""A new language pack: its lists, empty, and its settings, each explained."""

import json
from dataclasses import dataclass
from pathlib import Path

from triage.dictionaries.errors import DictionaryError
from triage.dictionaries.lists import Role
from triage.dictionaries.pack import PACKS, SETTINGS
from triage.safe import FolderKind, Staged

_TEMPLATE = PACKS / "new_pack.toml"


@dataclass(frozen=True)
class NewList:
    """A list that every pack may have: the name by which rules know it, and its use."""

    name: str
    role: Role
    title: str
    to_put_in: str


_NAMES, _WORDS, _FEATURE = Role.DICTIONARY, Role.ANTI_DICTIONARY, Role.FEATURE
LISTS = (
    NewList("first_names", _NAMES, "First names", "all that people of the corpus may have"),
    NewList("common_first_names", _FEATURE, "Common first names", "of these, some hundreds"),
    NewList("commonest_first_names", _FEATURE, "Very common first names", "of these, a hundred"),
    NewList("nicknames", _NAMES, "Short forms and pet names", "as friends write them"),
    NewList("last_names", _NAMES, "Last names", "the frequent ones that are no words"),
    NewList("inflected_forms", _WORDS, "Words in all their forms", "a full dictionary"),
    NewList("frequent_forms", _FEATURE, "Frequent words", "10,000 that are nobody's name"),
    NewList("commonest_forms", _FEATURE, "Very frequent words", "2,000; they tell the language"),
    NewList("sms_forms", _WORDS, "Forms of text messages", "each with a gloss behind a tab"),
    NewList("pronouns", _FEATURE, "Pronouns", "with their forms of text messages"),
    NewList("calendar", _WORDS, "Days, months and feasts", "in full and short"),
    NewList("cities", _WORDS, "Towns", "of the country, and large ones of the world"),
    NewList("places", _WORDS, "Regions, rivers, districts", "what is no town"),
    NewList("countries", _WORDS, "Countries", "in the language"),
    NewList("languages", _WORDS, "Languages and demonyms", "in the language"),
    NewList("brands", _WORDS, "Brands, shops, apps, media", "known where the corpus is from"),
    NewList("public_persons", _WORDS, "Public persons", "single words that name no friend"),
)


def write_new_pack(folder: Path, language: str) -> None:
    """Write the folder of a pack, whole or not at all."""
    if folder.exists():
        raise DictionaryError(f"{folder} is there already: choose another folder")
    try:
        with Staged(folder, kind=FolderKind(SETTINGS, ())) as staged:
            text = _TEMPLATE.read_text(encoding="utf-8").replace("{name}", language)
            (staged.place / SETTINGS).write_text(text, encoding="utf-8")
            for one in LISTS:
                _write_empty(staged.place / one.name, one)
            staged.commit()
    except OSError as error:
        raise DictionaryError(f"cannot write {folder}: {error.strerror}") from None


def _write_empty(folder: Path, one: NewList) -> None:
    folder.mkdir()
    (folder / "items.txt").write_text(f"# {one.to_put_in}, one a line\n", encoding="utf-8")
    write_note(folder, {"title": one.title, "role": one.role.value, **dict.fromkeys(_TO_FILL, "")})


_TO_FILL = ("source", "version", "licence", "made")


def write_note(folder: Path, note: dict[str, object]) -> None:
    """Write the note of a list."""
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in note.items()]
    (folder / "note.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
