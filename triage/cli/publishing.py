"""Writing a corpus that may leave: ``triage publish``."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

from .. import publish as publishing
from ..errors import as_typed
from ..model.annotated import FINAL_ACTION
from .anonymising import NoTableError, anonymised, held_messages, report, request_of, write_people
from .options import TYPED, Call, FileArgument, queue_beside
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
    beside, read = queue_beside(Path(source)), f"triage review {as_typed(queue or source)}"
    request = request_of(call, source, str(output))
    try:
        published = publishing.publish(
            request,
            partial(anonymised, call=call, setup=call.setup_of_run(source)),
            partial(queue_of, call),
            forms=forms,
            queue=queue or (beside if beside.exists() else None),
            because=because,
            hold=hold_undecided,
            also_read=call.read_from,
        )
    except NoTableError as table:
        note("nothing was published")
        return write_people(table, request)._replace(code=1)
    columns, sheet_of = (*published.done.columns, *published.done.dropped), source
    if FINAL_ACTION in columns and not published.queue:
        read, sheet_of = "triage review of its queue, then triage queue apply again", ""
    if not published.result:
        facts = {"published": False, "against": published.against}
        return Done(facts, _refused(published, sheet_of, read), code=1, beside=not call.run.json)
    words = (one for one in call.context.meta[TYPED] if one not in ("--new-key", "--overwrite"))
    again = as_typed("triage", "publish", *words, "--overwrite")
    facts, lines = report(published.done, request.plan, f"with {read}, then {again}")
    facts |= {"published": True, "formats": [one.value for one in forms]}
    facts |= {"because": because, "against": published.against, "likely": published.n_likely}
    before = as_typed(source, *(["--queue", queue] if queue else []))
    names = {"output": as_typed(output), "source": before}
    likely = [text("publish likely", n=published.n_likely, **names)] if published.n_likely else []
    return Done(facts, [*lines, *likely, published.result])


def _refused(published: publishing.Publication, source: str, read: str) -> Iterator[str]:
    added = f"added to {published.queue}: " if published.queue else ""
    yield "nothing was published:"
    for held, n in published.undecided.items():
        yield text("publish undecided", n=n, held=held_messages(n, held), read=read)
    for reason, n in published.certain.items():
        yield text("publish certain", n=n, reason=reason, added=added, read=read)
    for (reason, column), n in published.outside.items():
        yield text("publish outside", n=n, reason=reason, column=column)
    if source and (published.undecided or published.certain):
        queue = published.queue or queue_beside(Path(source))
        new = "" if queue.exists() else as_typed("triage", "queue", "create", source, "-o", queue)
        yield text("publish by sheet", create=new and f"{new}, ", queue=as_typed(queue))
    yield "To publish all the same, say why with --because; the record tells it."
