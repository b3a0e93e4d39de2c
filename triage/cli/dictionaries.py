"""``triage dictionaries``: the lists and recognisers, and how many first names are covered."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import TriageError
from ..settings import Setup
from .console import show
from .options import JsonOption, only

if TYPE_CHECKING:
    from triage.dictionaries import Lexicon
    from triage.dictionaries.recognisers import Recogniser


def dictionaries(
    setup: Annotated[Setup, only("names", "words")],
    language: Annotated[
        str, "Language of the lists: fr, several such as fr,en, or the folder of your own pack."
    ] = "fr",
    coverage: Annotated[
        Path | None,
        "CSV file of first names and counts of births: print the share that the lists cover.",
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the dictionaries with their sources and licences, and the recognisers of forms."""
    from triage.dictionaries.recognisers import available

    from ..decide.lists import load_lists

    lexicon = load_lists(language, setup.names, setup.words)
    if coverage:
        covered = coverage_of(lexicon, coverage)
        show(covered, [coverage_line(covered)], as_json)
    else:
        recognisers = available(language)
        facts = {"lists": _facts(lexicon), "recognisers": [*map(_fact, recognisers)]}
        show(facts, [*_list_lines(lexicon), "", *_recogniser_lines(recognisers)], as_json)


def _list_lines(lexicon: "Lexicon") -> Iterator[str]:
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


def _fact(recogniser: "Recogniser") -> dict[str, Any]:
    return {
        "name": recogniser.name,
        "type": recogniser.kind,
        "is_on": recogniser.is_on,
        "score": recogniser.score,
        "examples": recogniser.examples,
        "counterexamples": recogniser.counterexamples,
    }


def coverage_of(lexicon: "Lexicon", path: Path) -> dict[str, Any]:
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


def coverage_line(covered: dict[str, Any]) -> str:
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
