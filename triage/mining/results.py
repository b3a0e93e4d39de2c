"""Files that a round of mining writes: candidates to be answered, concordances, and lists.

All of it holds names: only its owner may read it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from triage.data import Dialect, Format, OutputFile, create_output
from triage.data.errors import whole_characters
from triage.reports.page import printable

from ..safe import Staged, staged
from ..vocabulary import IdentifierType
from .candidates import Candidate
from .corpus import Corpus, Order, concordance, key_of
from .known import Answer, Known, Said, with_answers
from .session import Session

COLUMNS = (
    *("spelling", "answer", "type", "entity", "places"),
    *("likelihood", "stands", "replaced", "reasons", "akin", "context", "example"),
)
LINE_COLUMNS = ("spelling", "row", "start", "left", "keyword", "right")
NAMES, WORDS, PLAN = LISTS = "names.txt", "words.txt", "plan.toml"
_DIGITS = 4
_EXAMPLE_WIDTH = 30


def facts_of(session: Session, found: Sequence[Candidate]) -> dict[str, Any]:
    """Return the numbers of a round; words of identifiers that still stand are estimated."""
    said = Counter(one.said.value for one in session.answers.values())
    return {
        "candidates": len(found),
        "bound": session.bound,
        "stand": sum(one.stands for one in found),
        "answers": dict(sorted(said.items())),
        "identifiers": session.round().n_marked,
        "expected_left": round(session.round().expected_left(), 1),
        "share_left": round(session.share_left(), _DIGITS),
    }


def candidates_output(
    path: str | Path, session: Session, found: Iterable[Candidate], *, overwrite: bool = False
) -> OutputFile:
    """Return an output of candidates, whose answers are empty, and of the answers so far."""
    return _output(path, COLUMNS, candidate_rows(session, found), overwrite=overwrite)


def candidate_rows(session: Session, found: Iterable[Candidate]) -> Iterator[list[object]]:
    """Yield candidates, then the answers so far, in the order of `COLUMNS`."""
    answers = session.answers
    yield from (_row(session.corpus, one, answers.get(one.key)) for one in found)
    for one in answers.values():
        if one.said is not Said.LATER:
            likelihood = "" if one.likelihood is None else round(one.likelihood, _DIGITS)
            cells = [one.spelling, one.said.value, one.type.value, one.entity, one.places_cell]
            yield [*map(whole_characters, cells), likelihood, one.stands, *[""] * 5]


def _row(corpus: Corpus, one: Candidate, answer: Answer | None) -> list[object]:
    (line, *_) = concordance(corpus, one.words[:1], width=_EXAMPLE_WIDTH)
    return [
        whole_characters(one.spelling),
        answer.said.value if answer else "",
        one.type.value,
        whole_characters(one.entity),
        "",
        round(one.likelihood, _DIGITS),
        one.stands,
        one.replaced,
        "; ".join(one.reasons),
        whole_characters(one.akin),
        whole_characters(one.context),
        whole_characters(f"{line.left}[{line.keyword}]{line.right}"),
    ]


def concordance_output(
    path: str | Path,
    corpus: Corpus,
    found: Iterable[Candidate],
    order: Order,
    *,
    overwrite: bool = False,
) -> OutputFile:
    """Return an output of all places of candidates, each with its context."""
    rows = (
        [whole_characters(one.spelling), line.row, line.start, *map(whole_characters, line[2:])]
        for one in found
        for line in concordance(corpus, one.words, order)
    )
    return _output(path, LINE_COLUMNS, rows, overwrite=overwrite)


def _output(
    path: str | Path, columns: Sequence[str], rows: Iterable[list[object]], *, overwrite: bool
) -> OutputFile:
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    like = Dialect(Format.CSV, bom=True)
    output = create_output(
        path, columns, like=like, private=True, guard_formulas=True, overwrite=overwrite
    )
    output.write(rows)
    return output


def lists_outputs(
    folder: Path, known: Iterable[Known], answers: Mapping[str, Answer], *, overwrite: bool = False
) -> list[Staged]:
    """Return the lists of what is always, and never, an identifier; an empty one is left out."""
    always = [one for one in with_answers(known, answers) if one.everywhere]
    never = _sorted(one.spelling for one in answers.values() if one.said is Said.NEVER)
    texts = {
        NAMES: "".join(f"{one}\n" for one in _sorted(one.spelling for one in always)),
        WORDS: "".join(f"{one}\n" for one in never),
        PLAN: "".join(_plan(always, never)) if always or never else "",
    }
    made = []
    for name, text in texts.items():
        if text:
            path, content = folder / name, text.encode()
            made.append(staged(path, content, private=True, overwrite=overwrite))
    return made


def _sorted(spellings: Iterable[str]) -> list[str]:
    """Return spellings in order, each once whatever its case and accents."""
    by_key = {key_of(one): printable(whole_characters(one)) for one in spellings}
    return [by_key[key] for key in sorted(by_key)]


def _plan(always: Sequence[Known], never: Sequence[str]) -> Iterator[str]:
    yield f"[lists]\nnever = {json.dumps(never, ensure_ascii=False)}\n\n[lists.always]\n"
    by_key = {key_of(one.spelling): one for one in always}
    for type_ in IdentifierType:
        listed = _sorted(one.spelling for one in by_key.values() if one.type is type_)
        if listed:
            yield f"{type_} = {json.dumps(listed, ensure_ascii=False)}\n"
