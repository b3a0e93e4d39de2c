"""``triage dictionaries``: the lists and recognisers, and how many first names are covered."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from .console import show
from .options import JsonOption

if TYPE_CHECKING:
    from triage.dictionaries import Lexicon
    from triage.dictionaries.recognisers import Recogniser


def dictionaries(
    language: Annotated[
        str, "Language of the lists: fr, several such as fr,en, or the folder of your own pack."
    ] = "fr",
    as_json: JsonOption = False,
) -> None:
    """List the dictionaries with their sources and licences, and the recognisers of forms."""
    from triage.dictionaries.recognisers import available

    from ..decide.lists import load_lists

    lexicon, recognisers = load_lists(language), available(language)
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
