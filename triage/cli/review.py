"""``triage review``: the review page."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ..errors import TriageError
from ..settings import Setup
from .options import (
    DoubleOption,
    in_language,
    load,
    of_run,
    opened_queue,
    processes,
    progress_bar,
)

_NEEDED = ("starlette", "uvicorn")

AnnotatorOption = Annotated[str, "Your name, which is stored with your decisions."]
PortOption = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="Port; by default any free one.")
]
LangOption = Annotated[
    str | None,
    typer.Option("--lang", help="Language of the page, fr or en; by default the browser's."),
]
NoBrowserOption = Annotated[bool, "Print the address without opening a browser."]


@contextmanager
def needs_server() -> Iterator[None]:
    """Turn the error of a missing server into one line that says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name in _NEEDED:
            from triage.data.errors import how_to_install

            problem = f"the page needs {error.name}: {how_to_install('review')}"
            raise TriageError(problem) from None
        raise


def page_language(lang: str | None) -> str | None:
    """Return the language of a page; raise TriageError if there is none in it."""
    if lang not in (None, "fr", "en"):
        raise TriageError(f"--lang is fr or en, not {lang!r}")
    return lang


def review(
    path: Annotated[Path, typer.Argument(metavar="FILE")],
    annotator: AnnotatorOption = "expert",
    double: DoubleOption = None,
    host: Annotated[
        str | None,
        "Network address to listen on. By default the page can be reached from this "
        "machine only, under a name that ends in .localhost; use --host 127.0.0.1 if your "
        "browser does not find it.",
    ] = None,
    port: PortOption = 0,
    lang: LangOption = None,
    adjudicate_own: Annotated[
        bool, "Allow adjudication of disagreements on items that you have answered yourself."
    ] = False,
    no_browser: NoBrowserOption = False,
) -> None:
    """Decide in the browser what triage classify leaves to people.

    FILE is a queue of triage queue create, or what triage classify wrote: then the queue is made
    beside it, as sms.queue of sms.triage.csv, or opened if it is there. Only this machine can reach
    the page, and only with the address that is printed. Several annotators can work on one queue:
    each runs this command with a different --annotator.
    """
    with needs_server():
        from ..web.server import serve
    language = page_language(lang)
    path = queue_of(path)
    if double is not None:
        with opened_queue(path) as queue:
            queue.double(double)
    serve(
        path,
        annotator,
        host=host,
        port=port,
        open_browser=not no_browser,
        language=language,
        adjudicate_own=adjudicate_own,
    )


def queue_beside(path: Path) -> Path:
    """Return the place of the queue of a triaged file: ``sms.queue`` of ``sms.triage.csv``."""
    return path.with_name(f"{path.stem.removesuffix('.triage')}.queue")


def queue_of(path: Path) -> Path:
    """Return the queue of a file of messages, which is made where it is not there."""
    from ..decide.source import Source
    from ..queue.fill import create_queue
    from ..queue.queue import is_queue

    if is_queue(path):
        return path
    beside = queue_beside(path)
    if beside.exists():
        with opened_queue(beside) as queue:
            name = queue.about.name
        if name != path.name:
            raise TriageError(f"{beside} was made of {name}: triage review {beside} opens it")
        return beside
    setup, file = of_run(Setup(), str(path)), Source(str(path))
    triage = load(in_language(setup, file.first_messages))
    with progress_bar(quiet=False) as progress:
        filled = create_queue(beside, file, triage, progress, jobs=processes(None))
    typer.echo(f"{beside}: {filled.items:,} items to decide", err=True)
    return beside


def desk(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PATH]",
            help="A folder of projects, or a file of messages for a new project beside it; by "
            "default the folder triage-projects of your home.",
        ),
    ] = None,
    annotator: AnnotatorOption = "expert",
    host: Annotated[str | None, "Network address to listen on, as for triage review."] = None,
    port: PortOption = 0,
    lang: LangOption = None,
    no_browser: NoBrowserOption = False,
) -> None:
    """Take a corpus from a file to its publication in the browser.

    A project is a folder: the messages as they came, the queue, the plan, the keys, what was
    written, and a log. Each step on the page is one of the commands, and shows it.
    """
    with needs_server():
        from ..web.app import serve
    serve(
        path,
        annotator,
        host=host,
        port=port,
        open_browser=not no_browser,
        language=page_language(lang),
    )
