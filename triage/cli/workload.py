"""``triage workload``: how many messages must be read, for each bound on the leak."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ..settings import Reading, Setup
from .console import show
from .options import JsonOption, load, of_run, only

if TYPE_CHECKING:
    from ..decide.workload import Workload


def workload(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    reading: Annotated[Reading, only("text_column")],
    setup: Annotated[Setup, only("model", "language")],
    as_json: JsonOption = False,
) -> None:
    """Tell how many messages people must read, for each bound on the leak.

    FILE is the output of triage classify. Its scores are read and nothing is written: choose a
    bound, and give it to triage classify --max-leak.
    """
    from ..decide.source import Source
    from ..decide.workload import workloads

    triage = load(of_run(setup, source))
    found = workloads(triage, Source(source, reading))
    bounds = [asdict(one) | {"seconds": one.seconds} for one in found]
    show({"bounds": bounds}, _lines(found), as_json)


def _lines(found: "Sequence[Workload]") -> Iterator[str]:
    yield f"{'leak at most':>12} {'to read':>10} {'hours':>7} {'TA':>10} {'NTA':>10}"
    for one in found:
        yield (
            f"{one.leak:>12.1%} {one.expert:>10,} {one.seconds / 3600:>7.1f} {one.ta:>10,} "
            f"{one.nta:>10,}"
        )
