"""``triage schema``: the schemas of what the commands print as JSON."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import TriageError

_FOLDER = Path(__file__).parent / "schemas"


def _known() -> list[str]:
    return sorted(path.stem for path in _FOLDER.glob("*.json"))


def _words(incomplete: str) -> list[str]:
    """Return the words of the commands that begin so, for a shell."""
    words = {word for name in _known() for word in name.split("-")}
    return sorted(word for word in words if word.startswith(incomplete))


def schema(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND]...", show_default=False, autocompletion=_words),
    ] = None,
) -> None:
    """Print the JSON Schema of what a command prints with --json.

    COMMAND is a command, such as classify or queue status. Without it, the commands are listed.
    """
    known = _known()
    name = "-".join(command or ())
    if not name:
        typer.echo("\n".join(one.replace("-", " ") for one in known))
    elif name in known:
        typer.echo((_FOLDER / f"{name}.json").read_text(encoding="utf-8"), nl=False)
    else:
        raise TriageError(
            f"there is no schema of {name.replace('-', ' ')!r}: triage schema lists those there are"
        )
