"""Writing a corpus that may leave: ``triage publish``."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

from .. import publish as publishing
from ..errors import as_typed
from .anonymising import ToEdit, held_messages, request_of, to_edit, told, treated
from .options import Call, FileArgument, queue_beside
from .printed import Done, note, text
from .reading import queue_of


def publish(
    call: Annotated[
        Call, "plan style keep key new-key key-table document people overwrite jobs quiet"
    ],
    source: FileArgument,
    output: Path,
    to: tuple[publishing.Published, ...] = (),
    queue: Path | None = None,
    hold_undecided: bool = False,
    because: str | None = None,
) -> Done:
    forms = [*dict.fromkeys(to)]
    usual = queue_beside(Path(source))
    asked = request_of(call, source, str(output))
    try:
        made = publishing.publish(
            asked,
            partial(treated, call=call, setup=call.of_run(source)),
            partial(queue_of, call),
            forms=forms,
            queue=queue or (usual if usual.exists() else None),
            because=because,
            hold=hold_undecided,
            also_read=call.read_from,
        )
    except ToEdit as table:
        note("nothing was published")
        return to_edit(table, asked)._replace(code=1)
    if not made.result:
        facts = {"published": False, "against": made.against}
        return Done(facts, _refused(made, source), code=1, beside=not call.run.json)
    again = call.again("--overwrite", without=["--new-key"])
    how = f"with triage review {as_typed(source)}, then {again}"
    facts, lines = told(made.done, asked.plan, how)
    facts |= {"published": True, "formats": [one.value for one in forms]}
    facts |= {"because": because, "against": made.against, "likely": made.n_likely}
    named = {"output": as_typed(output), "source": as_typed(source)}
    likely = [text("publish likely", n=made.n_likely, **named)] if made.n_likely else []
    return Done(facts, [*lines, *likely, made.result])


def _refused(made: publishing.Publication, source: str) -> Iterator[str]:
    queue, read = made.queue or queue_beside(Path(source)), f"triage review {as_typed(source)}"
    added, name = f"added to {queue}: " if made.queue else "", as_typed(queue)
    yield "nothing was published:"
    for held, n in made.undecided.items():
        yield text("publish undecided", n=n, held=held_messages(n, held), read=read)
    for reason, n in made.certain.items():
        yield text("publish certain", n=n, reason=reason, added=added, read=read)
    for (reason, column), n in made.outside.items():
        yield text("publish outside", n=n, reason=reason, column=column)
    if made.undecided or made.certain:
        new = "" if queue.exists() else f"triage queue create {as_typed(source)} -o {name}, "
        yield text("publish by sheet", create=new, queue=name)
    yield "To publish all the same, say why with --because; the record tells it."
