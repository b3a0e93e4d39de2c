"""``triage pack`` and ``triage dictionaries``: the lists of a language."""

from pathlib import Path
from typing import Annotated, Any

import typer

from triage.data.errors import how_to_install
from triage.dictionaries import load_lexicon
from triage.dictionaries.build_pack import LISTS, check_sample, fill_pack, problems, write_new_pack
from triage.dictionaries.recognisers import available

from ..errors import as_typed
from .options import Call
from .printed import Done, note, refused, show, text

LanguageArgument = Annotated[
    str, typer.Argument(metavar="LANGUAGE", help="The code of the language, such as ca.")
]
_OF_LIST = ("title", "source", "version", "licence", "made")
_OF_RECOGNISER = ("is_on", "score", "examples", "counterexamples")


def new(language: LanguageArgument, output: Path | None = None) -> None:
    folder = output or Path(language)
    write_new_pack(folder, language)
    show([f"{folder}: {len(LISTS)} lists to fill, and pack.toml"])


def build(
    language: LanguageArgument,
    pack: Path | None = None,
    hunspell: Path = Path("/usr/share/hunspell"),
) -> None:
    folder = pack or Path(language)
    if not folder.is_dir():
        raise refused("no_pack", folder=folder, language=language, typed=as_typed(folder))
    filled, missing = fill_pack(folder, language, hunspell)
    absent = f"not installed: {', '.join(missing)}"
    if missing and not filled:
        raise refused("nothing_filled", absent=absent, way=how_to_install("dictionaries"))
    show(f"{name:<23}{n:>9,}  {', '.join(sources)}" for name, n, sources in filled)
    if missing:
        note(absent)


def check(
    call: Annotated[Call, "plan"],
    language: Annotated[
        str, typer.Argument(metavar="LANGUAGE", help="A pack that is shipped, or a folder.")
    ],
    source: Annotated[str | None, typer.Argument(metavar="[FILE]")] = None,
) -> Done:
    lexicon, faults = load_lexicon(language), problems(language)
    sizes = {words.name: len(words.entries) for words in lexicon.lists}
    facts: dict[str, Any] = {"lists": sizes, "problems": faults}
    lines = [f"{one.name:<23}{one.role:<17}{sizes[one.name]:>9,}" for one in lexicon.lists]
    if source:
        with call.source(source).open() as file:
            messages = [message for chunk in file.chunks() for message in chunk.texts]
            file.check_whole()
        facts["sample"] = check_sample(messages, lexicon)
        lines += ["", text("pack check", facts["sample"])]
        for title, key in (("unknown", "unknown"), ("names that are words, too", "ambiguous")):
            words = ", ".join(f"{word} {n:,}" for word, n in facts["sample"][key])
            lines.append(f"{title}: {words or 'none'}")
    return Done(facts, [*lines, *(f"wrong: {one}" for one in faults)], int(bool(faults)))


def dictionaries(language: str = "fr") -> Done:
    lists: list[dict[str, Any]] = [
        {"name": words.name, "role": words.role, "entries": len(words.entries)}
        | {key: getattr(words, key) for key in _OF_LIST}
        for words in load_lexicon(language).lists
    ]
    forms: list[dict[str, Any]] = [
        {"name": one.name, "type": one.kind} | {key: getattr(one, key) for key in _OF_RECOGNISER}
        for one in available(language)
    ]
    lines = [f"{'list':<23}{'role':<17}{'entries':>9}  licence, source"]
    for one in lists:
        about = "; ".join(part for part in (one["licence"], one["source"]) if part)
        lines.append(f"{one['name']:<23}{one['role']:<17}{one['entries']:>9,}  {about}")
    lines += ["", f"{'recogniser':<31}{'type':<7}{'used':<5}{'score':>5}  example"]
    for one in forms:
        example = " ".join(" ".join(one["examples"][:1]).split())
        used = "yes" if one["is_on"] else "no"
        lines.append(f"{one['name']:<31}{one['type']:<7}{used:<5}{one['score']:>5}  {example}")
    return Done({"lists": lists, "recognisers": forms}, lines)
