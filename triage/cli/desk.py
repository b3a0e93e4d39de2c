"""``triage desk``: the whole way in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from .review import needs_server, page_language


def desk(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PATH]",
            help="A folder of projects, or a file of messages for a new project beside it; by "
            "default the folder triage-projects of your home.",
        ),
    ] = None,
    annotator: Annotated[str, "Your name, which is stored with your decisions."] = "expert",
    host: Annotated[str | None, "Network address to listen on, as for triage review."] = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; by default any free one.")
    ] = 0,
    lang: Annotated[
        str | None,
        typer.Option("--lang", help="Language of the page, fr or en; by default the browser's."),
    ] = None,
    no_browser: Annotated[bool, "Print the address without opening a browser."] = False,
) -> None:
    """Take a corpus from a file to its publication in the browser.

    A project is a folder: the messages as they came, the queue, the plan, the keys, what was
    written, and a log. Each step on the page is one of the commands, and shows it.
    """
    with needs_server():
        from ..desk.server import serve
    serve(
        path,
        annotator,
        host=host,
        port=port,
        open_browser=not no_browser,
        language=page_language(lang),
    )
