"""Spellings that may still be names: ``triage mine``."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from triage.dictionaries.pack import NO_LANGUAGE

from ..mining import LISTS, facts_of, open_session, write_round
from ..safe import check_folder, check_targets
from ..settings import declared
from .options import Call, FileArgument
from .printed import Done, text


def mine(
    call: Annotated[Call, "plan overwrite"],
    source: FileArgument,
    output: Path,
    answers: tuple[Path, ...] = (),
    catalogue: Path | None = None,
    key_table: str | None = None,
    queue: Path | None = None,
    lists: Path | None = None,
    concordance: Path | None = None,
    bound: float = declared(0.02, panel="Rare"),
) -> Done:
    overwrite = call.run.overwrite
    named = (path for path in (catalogue, key_table, queue) if path)
    inputs = [source, *call.read_from, *answers, *named]
    check_targets([output, concordance], inputs, overwrite=overwrite)
    if lists:
        check_folder(lists, LISTS, inputs, overwrite=overwrite)
    file = call.source(source)
    triage = None if call.setup.language == NO_LANGUAGE else call.triaged(file)
    session = open_session(
        file,
        triage,
        answers=answers,
        catalogue=catalogue,
        key_table=key_table,
        queue=queue,
        progress=call.progress,
        jobs=call.jobs,
    )
    found = session.candidates(bound)
    write_round(
        session, found, output=output, lists=lists, concordance=concordance, overwrite=overwrite
    )
    facts = facts_of(session, found, bound)
    return Done(facts, _mined_lines(facts, output, bound))


def _mined_lines(facts: Mapping[str, Any], output: Path, bound: float) -> Iterator[str]:
    yield text("mine", facts, output=output)
    if facts["answers"]:
        yield "answered: " + ", ".join(f"{n:,} {one}" for one, n in facts["answers"].items())
    yield text("mine left", facts)
    if not facts["candidates"]:
        yield f"mining has ended: no candidate is left from a likelihood of {bound:g} on"
