"""Cases that tests read from files of TOML beside them."""

import tomllib
from pathlib import Path
from typing import Any


def cases_beside(test: str, name: str = "") -> dict[str, Any]:
    """Return the cases of a test module: those of its own name, or of another file there."""
    path = Path(test)
    own = f"{path.stem.removeprefix('test_')}.toml"
    return tomllib.loads((path.parent / (name or own)).read_text(encoding="utf-8"))


def joined(parts: str | list[str | tuple[str, int]]) -> str:
    """Return the text of a case, of which a part may be a text and how often it comes."""
    return "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)
