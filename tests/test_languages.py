"""Nothing in the code is written for one language: its words are in its pack."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from triage.dictionaries.lists import read_words
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import PACKS

ROOT = Path(__file__).parents[1]
# Formats name their columns and notices in the languages of programs, and lists are built of words.
MODULES = sorted(
    path
    for room in ("dictionaries", "features", "triage")
    for path in ROOT.glob(f"{room}/**/*.py")
    if not (path.name.startswith("build_") or any(one.is_symlink() for one in path.parents))
)
LISTS = ("frequent_forms", "inflected_forms", "sms_forms", "cities")
# Words of the program that are French words, too; columns and cells as spreadsheets of French
# programs have them; examples of help texts; a package of spaCy, a module of python-stdnum.
ENGLISH = frozenset(
    (Path(__file__).parent / "english_words.txt").read_text(encoding="utf-8").split()
)
WORD = re.compile(r"[^\W\d_]{3,}")
# Sets of letters in expressions, and what a backslash marks.
NO_WORDS = re.compile(r"\[[^\]]*\]|\\[a-zA-Z]|\(\?[a-z]+:|\(\?P<\w+>")


@cache
def french() -> frozenset[str]:
    paths = (PACKS / "fr" / name / "items.txt" for name in LISTS)
    return frozenset(fold(word) for path in paths for word in read_words(path))


def literals(source: str) -> Iterator[str]:
    """Yield the texts of a module, but for its documentation."""
    tree = ast.parse(source)
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            yield str(node.value)


def french_words(source: str) -> set[str]:
    words = (w for text in literals(source) for w in WORD.findall(NO_WORDS.sub(" ", text)))
    folded = {fold(word) for word in words if word != word.upper()}
    return (folded & french()) - ENGLISH


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_of_the_code_is_french(path: Path) -> None:
    assert french_words(path.read_text(encoding="utf-8")) == set()
