"""Errors that a user of the desk meets: each has a line of the page's own, in both languages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.triage.web.desks import ended
from triage.errors import UserError, read_problem, write_problem
from triage.web.forms import Translator, translator
from triage.web.jobs import Jobs
from triage.web.project import Project
from triage.web.steps import Step

ROOT = Path(__file__).parents[3]
# What makes an error, with the place of its key among the arguments.
ERRORS = {"ColumnError": 1, "DataError": 1, "TriageError": 1, "fault": 1, "refusing": 2}
# Values that these always give.
GIVEN = {"fault": {"file"}, "refusing": {"file"}}
# Keys that a reader of tables is told.
TOLD = {"names_table": {"file"}}
# Each error of these modules can be met on a page.
OF_THE_DESK = (
    "triage/web/*.py",
    "triage/model/annotated.py",
    *(f"data/{name}.py" for name in ("columns", "text", "whatsapp")),
)
# Errors of options that the desk never gives, and of its start, which has no page yet.
_NEVER_MET = {
    *("--separator", "labels must be", "every row is wanted"),
    *("there is no file", "cannot make the folder"),
    *("a token has", "a port is", "cannot listen"),
}


def _raised(*patterns: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield the errors that the code makes, with the files."""
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
                yield f"{path.parent.name}/{path.name}", node


def _keyed() -> dict[str, set[str]]:
    """Return the keys of all errors, with the names of the values that each always has."""
    found: dict[str, set[str]] = {**TOLD}
    for _, call in _raised("triage/**/*.py", "data/*.py"):
        key, names = _key(call), {str(word.arg) for word in call.keywords}
        names |= GIVEN.get(getattr(call.func, "id", ""), set())
        if key:
            found[key] = found.get(key, names) & names
    return found


def _key(call: ast.Call) -> str:
    place = ERRORS[getattr(call.func, "id", "")]
    key = call.args[place] if len(call.args) > place else None
    return str(key.value) if isinstance(key, ast.Constant) else ""


@pytest.fixture(params=["fr", "en"])
def texts(request: pytest.FixtureRequest) -> Translator:
    return translator(request.param)


def test_each_key_has_a_text_with_values_that_are_there(texts: Translator) -> None:
    keyed = _keyed()
    assert len(keyed) > 50
    told = {
        key.removeprefix("problem."): set(re.findall(r"\{(\w+)\}", text))
        for key, text in texts.strings.items()
        if key.startswith("problem.")
    }
    assert told.keys() == keyed.keys()
    assert {key for key in told if not told[key] <= keyed[key]} == set()


@pytest.mark.parametrize("module", OF_THE_DESK)
def test_each_error_of_these_modules_has_a_key(module: str) -> None:
    met = [f"{path}: {ast.unparse(call)[:100]}" for path, call in _raised(module) if not _key(call)]
    assert [one for one in met if not any(known in one for known in _NEVER_MET)] == []


def test_an_error_travels_from_one_process_to_another(tmp_path: Path, texts: Translator) -> None:
    write_problem(tmp_path / "p", UserError("a.csv is empty", "empty", file="a.csv"))
    assert translator("fr").problem(read_problem(tmp_path / "p")).startswith("a.csv est vide")
    assert read_problem(tmp_path / "nowhere") is None
    # One of no page is shown as it is.
    assert texts.problem(UserError("something else", "")) == "something else"
    assert texts.problem(None) == ""


@pytest.mark.slow
def test_a_step_that_fails_says_why_in_the_language_of_the_page(
    project: Project, texts: Translator
) -> None:
    project.original.chmod(0o600)
    project.original.write_text("number\n1\n")
    job = ended(Jobs().start(project, (Step.CLASSIFY,), "anna"))
    assert (job.is_done, project.triaged.exists()) == (False, False)
    line = texts.problem(job.problem)
    assert line.startswith("original/sms.csv")
    assert "--" not in line
