"""Expressions of many names, whatever their case, accents and hyphens."""

import re
from collections.abc import Iterable
from typing import Any

from triage.dictionaries.normal import fold
from triage.dictionaries.pack import NEVER
from triage.dictionaries.recognisers.recogniser import any_of

_Tree = dict[str, Any]
# Since when a person is known.
_YEAR = re.compile(r" \d{4}\Z")
_WRITTEN = {
    of[0]: f"[{of}]" for of in ("aàâäáãå", "cç", "eéèêë", "iîïíì", "nñ", "oôöóòõ", "uùûü", "yÿ")
}
_WRITTEN |= {" ": "[ -]{1,2}+", "'": "['’]"}


def any_name(names: Iterable[str]) -> str:
    """Return the expression of any of some names, the longest first, beginnings shared."""
    tree: _Tree = {}
    for name in sorted(names):
        node = tree
        for letter in _plain(name):
            node = node.setdefault(letter, {})
        node[""] = {}
    return _branch(tree) if tree else NEVER


def _plain(name: str) -> str:
    folded = fold(_YEAR.sub("", name))
    return " ".join(folded.replace("-", " ").replace("’", "'").split())


def _branch(tree: _Tree) -> str:
    ways = [
        _WRITTEN.get(letter, re.escape(letter)) + _branch(rest)
        for letter, rest in tree.items()
        if letter
    ]
    if not ways:
        return ""
    if "" in tree:
        return f"(?:{'|'.join(ways)})?"
    return any_of(ways) if len(ways) > 1 else ways[0]
