"""``triage review``: the review page on the command line."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import TriageError
from .options import DoubleOption

_NEEDED = ("starlette", "uvicorn")


def review(
    path: Annotated[Path, typer.Argument(metavar="QUEUE", help="A file of triage queue create.")],
    annotator: Annotated[
        str, typer.Option("--annotator", help="Who decides; each annotator has a name.")
    ] = "expert",
    double: DoubleOption = None,
    host: Annotated[
        str | None,
        typer.Option(
            "--host",
            help="Listen on this address, and serve the page under it. By default on this machine "
            "alone, under a name of its own that ends in .localhost; --host 127.0.0.1 is for "
            "browsers that do not find such names.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="By default a free one.")
    ] = 0,
    language: Annotated[
        str | None,
        typer.Option("--lang", help="Of the page, fr or en; by default the browser's."),
    ] = None,
    adjudicate_own: Annotated[
        bool,
        typer.Option(
            "--adjudicate-own",
            help="Let me settle disagreements on messages that I have answered.",
        ),
    ] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open no browser.")
    ] = False,
) -> None:
    """Decide the messages of a queue on a page in the browser.

    The page is served on this machine alone, and only to who has the address that is printed.
    Several annotators each run it with a name of their own, on the same queue.
    """
    try:
        from ..review.server import serve
    except ModuleNotFoundError as error:
        if error.name in _NEEDED:
            from triage.data.errors import how_to_install

            problem = f"the page needs {error.name}: {how_to_install('review')}"
            raise TriageError(problem) from None
        raise
    if language not in (None, "fr", "en"):
        raise TriageError(f"--lang is fr or en, not {language!r}")
    if double is not None:
        _double(path, double)
    serve(
        path,
        annotator,
        host=host,
        port=port,
        open_browser=not no_browser,
        language=language,
        adjudicate_own=adjudicate_own,
    )


def _double(path: Path, share: float) -> None:
    from ..queue import Queue

    with Queue.open(path) as queue:
        queue.double(share)
