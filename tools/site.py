"""Links of the documentation that lead out of it lead to the repository on the site."""

import posixpath
import re
from typing import Any

_LINK = re.compile(r"(?<=\]\()(\.\./[^)#\s]+)")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:  # noqa: ANN401
    """Return a page whose links to files outside of ``docs`` are addresses of the repository."""
    folder = posixpath.dirname(f"docs/{page.file.src_uri}")

    def address(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link[1]))
        return link[1] if path.startswith("docs/") else f"{config.repo_url}/blob/main/{path}"

    return _LINK.sub(address, markdown)
