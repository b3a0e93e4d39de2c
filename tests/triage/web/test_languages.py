"""Both languages say all that the pages ask for, each error that one meets, and nothing else."""

import ast
import re
import time
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter

import pytest

from tests.cases import cases_beside
from tests.triage.web.desks import ended
from triage.anonymise.check import Certainty
from triage.anonymise.record import HeldFor as Held
from triage.dictionaries import Label, Lexicon
from triage.errors import UserError, read_problem, write_problem
from triage.publish import Published
from triage.queue import Answer, Order, State, WordRule
from triage.queue import Reason as Why
from triage.settings import OfType, StyleName
from triage.vocabulary import IdentifierType
from triage.web.jobs import Jobs
from triage.web.pages import CODES, Translator, chosen, list_name, local_time, translator
from triage.web.project import Project
from triage.web.quality import Stratum
from triage.web.replacing import CHOICES, Becomes
from triage.web.spellings import GRADES
from triage.web.stages import Name, Step

CASES = cases_beside(__file__)
STRINGS = {code: translator(code).strings for code in CODES}
PACKAGE = files("triage.web")
SOURCES = {
    file.name: file.read_text(encoding="utf-8")
    for folder in (PACKAGE, PACKAGE / "templates")
    for file in folder.iterdir()
    if file.name.endswith((".py", ".html"))
}
# What the pages put behind the beginning of a key.
MADE: dict[str, Iterable[str]] = CASES["made"] | {
    "answer.": [*Answer, "EXPERT"],
    "desk.certainty.": Certainty,
    "desk.change.": {
        *(*Becomes, *OfType),
        *(choice for of_role in CHOICES.values() for choice in of_role),
    },
    "desk.format.": Published,
    "desk.quality.": [one for half in Stratum for one in (f"{half}.question", f"progress.{half}")],
    "desk.reason.": {*Held} - {Held.WAITS},
    "desk.step.": [*Step, "publish"],
    "desk.style.": [style for style in StyleName if style is not StyleName.PAPER],
    "desk.title.": [*Name, "home", "sample", "project", "people", "names", "extend"],
    "label.": Label,
    "order.": Order,
    "reason.": GRADES.values(),
    "reasons.": Why,
    "state.": {*State} - {State.DISAGREED},
    "task.": [*list(Why)[:3], Why.SPELLING],
    "type.": IdentifierType,
    "word.": WordRule,
}
# Lists and rules come from packs, problems and rejected rows from the whole program.
LOOKED_UP = ("list.", "problem.", "rejected.")


def _made() -> set[str]:
    return {f"{beginning}{end}" for beginning, ends in MADE.items() for end in ends}


def test_both_languages_have_the_same_keys_and_values() -> None:
    # Why a row is rejected is said in English.
    of_rows = {key: key for key in STRINGS["fr"] if key.startswith("rejected.")}
    assert STRINGS["fr"].keys() == STRINGS["en"].keys() | of_rows.keys()
    for key, french in STRINGS["fr"].items():
        english = {**of_rows, **STRINGS["en"]}[key]
        assert french.count("{}") == english.count("{}")
        assert french.strip()
        assert english.strip()
        assert _values(french) == _values(english), key


def _values(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_pages_ask_for_what_there_is() -> None:
    asked = re.findall(
        r"\b(?:t|t\.count|say|HTTPError)\((?:\d+, )?\"([\w.]+)\"[,)]", "\n".join(SOURCES.values())
    )
    assert not {*asked, *_made()} - STRINGS["en"].keys()


def test_nothing_is_translated_for_nothing() -> None:
    whole = {key for key in STRINGS["en"] if not key.startswith(LOOKED_UP)} - _made()
    pages = "\n".join(SOURCES.values())
    assert not {key for key in whole if f'"{key}"' not in pages}


def test_numbers_are_written_as_a_language_writes_them() -> None:
    french, english = map(translator, ("fr", "en"))
    assert [french.count("stage.to_read", n) for n in (0, 1, 2)] == [
        *("0 texte à lire", "1 texte à lire", "2 textes à lire")
    ]
    assert [english.count("items", n) for n in (0, 1, 2)] == ["0 texts", "1 text", "2 texts"]
    assert french.count("desk.decided_of", 1, of="24") == "1 texte décidé sur 24"
    assert french.share(1, 24) == "4,2\u202f%"
    # What is not all is less than 100 %.
    assert [english.share(n, 10_000) for n in (9_999, 10_000)] == ["99.9%", "100.0%"]
    assert english.share(0, 0) == "100.0%"
    assert [t.written(0.2) for t in (french, english)] == ["0,2", "0.2"]
    times = [english.duration(one).replace("\u00a0", " ") for one in (1, 8, 57, 58, 119, 5_400)]
    assert times == ["5 s", "10 s", "55 s", "1 min", "2 min", "1 h 30"]


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the clock cannot be set")
def test_a_moment_is_told_by_the_clock_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as here:
        here.setenv("TZ", "Europe/Paris")
        time.tzset()
        assert local_time("2026-07-01T23:30:09.929+00:00") == "2026-07-02 01:30"
    time.tzset()


@pytest.mark.parametrize("code", CODES)
def test_lists_of_the_pack_have_a_name(french: Lexicon, code: str) -> None:
    t = translator(code)
    for word_list in french.lists:
        assert list_name(word_list.name, t) in STRINGS[code].values()


def test_templates_hold_no_text_of_their_own() -> None:
    for name, source in SOURCES.items():
        if not name.endswith(".html"):
            continue
        bare = re.sub(r"{[{%#].*?[}%#]}|<[^>]*>", " ", source, flags=re.DOTALL)
        words = set(re.findall(r"[^\W\d_]{2,}", re.sub(r"&\w+;", " ", bare)))
        assert words <= {*CASES["bare_words"]}, name


@pytest.mark.parametrize(("cookie", "default", "accepted", "code"), CASES["choice"])
def test_choice(cookie: str, default: str, accepted: str, code: str) -> None:
    assert chosen(cookie, default or None, accepted).code == code


ROOT = Path(__file__).parents[3]
# What makes an error, with the place of its key among the arguments.
ERRORS = {"ColumnError": 1, "DataError": 1, "TriageError": 1, "fault": 0, "refusing": 1}
ERRORS |= {"refused": 0}
# Values that these always give.
GIVEN = {"fault": {"file", "instead"}, "refusing": {"file"}}
# Keys that a reader of tables is told.
TOLD = {"names_table": {"file"}, "control_character": {"where"}}
# Each error of these modules can be met on a page.
OF_THE_DESK = (
    "triage/web/*.py",
    "triage/model/annotated.py",
    *(f"data/{name}.py" for name in ("columns", "text", "chats")),
)


@cache
def _raised(*patterns: str) -> list[tuple[str, ast.Call]]:
    """Return the errors that the code makes, with the files."""
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    calls = [
        (f"{path.parent.name}/{path.name}", node)
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    return [(name, call) for name, call in calls if getattr(call.func, "id", "") in ERRORS]


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
    written = key.values[0] if isinstance(key, ast.JoinedStr) else key
    name = str(written.value) if isinstance(written, ast.Constant) else ""
    # Behind a point stands which error of this key it is; others of a room have none.
    is_whole = isinstance(key, ast.Constant) and getattr(call.func, "id", "") != "refused"
    return name.partition(".")[0] if is_whole or "." in name else ""


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
    assert told.keys() == keyed.keys() - {*CASES["of_no_page"]}
    assert {key for key in told if not told[key] <= keyed[key]} == set()


@pytest.mark.parametrize("module", OF_THE_DESK)
def test_each_error_of_these_modules_has_a_key(module: str) -> None:
    met = [f"{path}: {ast.unparse(call)[:100]}" for path, call in _raised(module) if not _key(call)]
    assert [one for one in met if not any(known in one for known in CASES["never_met"])] == []


def test_an_error_travels_from_one_process_to_another(tmp_path: Path, texts: Translator) -> None:
    write_problem(tmp_path / "p", UserError("a.csv is empty", "empty", file="a.csv"))
    assert translator("fr").problem(read_problem(tmp_path / "p")).startswith("a.csv est vide")
    assert read_problem(tmp_path / "nowhere") is None
    # One of no page is shown as it is.
    assert texts.problem(UserError("something else", "")) == "something else"
    assert texts.problem(None) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "content", "starts"), CASES["failing"])
def test_a_step_that_fails_says_why_to_the_reader(
    texts: Translator, tmp_path: Path, name: str, content: str, starts: dict[str, str]
) -> None:
    (tmp_path / name).write_text(content)
    project = Project.create(tmp_path / "project", tmp_path / name, "SMS")
    job = ended(Jobs().start(project, (Step.CLASSIFY,), "anna"))
    assert (job.is_done, project.triaged.exists()) == (False, False)
    line = texts.problem(job.problem)
    assert line.startswith(starts[texts.code])
    assert "--" not in line
