"""The command line as such: version, help, options and settings, results as JSON."""

import json
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

import triage
import triage.cli
from tests.cases import cases_beside
from tests.data.files import csv_of
from tests.triage.cli.program import Refused, Run, by_hand, commands, program
from tests.triage.conftest import SAMPLE
from triage.cli.printed import TEXTS
from triage.errors import TriageError
from triage.model.learnt import load_model
from triage.settings import Policy, Reading, SettingError, Setup, Treatment, settings_of

_GROUP, _CONTEXT = program()
COMMANDS = sorted(_GROUP.list_commands(_CONTEXT))
# Those of groups, too.
EVERY = dict(commands())


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_printed(option: str, run: Run) -> None:
    done = run(option)
    assert (done.returncode, done.stdout) == (0, f"sms-triage {triage.__version__}\n")


@pytest.mark.parametrize(
    ("room", "part", "also"),
    [("queue", "", ""), ("cli", "refused", ""), ("anonymise", "errors", "publish.py")],
)
def test_the_words_of_errors_are_all_there_and_all_used(room: str, part: str, also: str) -> None:
    folder = Path(triage.__file__).parent
    files = [*folder.glob(f"{room}/*.py"), *folder.glob("web/*.py"), *folder.glob(also or "-")]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    words = tomllib.loads((folder / room / "texts.toml").read_text(encoding="utf-8"))
    named = {*re.findall(r'refused\(\s*f?"([^"]+)"', code)}
    held = {*(words[part] if part else words)}
    used = re.compile("|".join(re.sub(r"\\{.*?\\}", ".+", re.escape(name)) for name in named))
    assert {name for name in held if not used.fullmatch(name)} == set()
    assert {name for name in named if "{" not in name} <= held


def commands_in(printed: str) -> list[list[str]]:
    """Return the commands that a printed text tells to run next, with their arguments."""
    found = re.findall(r"\btriage((?: [^\s,:;()]+)+)", printed)
    return [shlex.split(one) for one in found if shlex.split(one)[0] in EVERY]


@pytest.mark.slow
def test_each_next_command_runs_as_it_is_printed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.web.server.serve", lambda *_, **__: None)
    name = "my sms.csv"
    Path(name).write_bytes(SAMPLE.read_bytes())
    printed = [
        run(*one)
        for one in (
            ("classify", name),
            ("publish", "my sms.triage.csv", "-o", "corpus"),
            ("publish", "my sms.triage.csv", "-o", "my corpus", "--hold-undecided", "--to", "tei"),
            ("anonymise", "my sms.triage.csv", "-o", "anon.csv"),
            ("check", "anon.csv", "--against", name),
        )
    ]
    told = [one for done in printed for one in commands_in(done.stdout + done.stderr)]
    assert {one[0] for one in told} == {"review", "publish", "mine"}
    for command in told:
        done = run(*command)
        refused = "publish" in command and "--hold-undecided" not in command
        assert done.returncode == int(refused), (command, done.stderr)


@pytest.mark.parametrize("of", ["", "queue", "pack"])
def test_help_tells_each_command_in_a_line(of: str, run: Run) -> None:
    assert "..." not in run(*of.split(), "--help").stdout.partition("Commands:")[2]


@pytest.mark.parametrize(("option", "code"), [(["--help"], 0), (["-h"], 0), ([], 2)])
def test_help_lists_the_commands(option: list[str], code: int, run: Run) -> None:
    done = run(*option)
    shown = done.stdout + done.stderr
    assert (done.returncode, shown.startswith("Usage: triage ")) == (code, True)
    assert all(f"\n  {command} " in shown for command in COMMANDS)


@pytest.mark.parametrize("command", sorted({*COMMANDS, *EVERY}))
def test_the_help_of_each_command_has_an_example(command: str, run: Run) -> None:
    done = run(*command.split(), "--help")
    assert done.returncode == 0
    assert re.search(rf"Examples?:\s+triage\s+{command}\b", done.stdout)


@pytest.mark.parametrize("name", EVERY)
def test_each_option_has_help_and_is_one_where_an_example_names_it(name: str) -> None:
    group, context = program()
    for example in re.findall(r"  triage (.+)", EVERY[name].epilog or ""):
        words = shlex.split(re.split(r" [<>] ", example)[0])
        command: click.Command = group
        while isinstance(command, click.Group):
            _, found, words = command.resolve_command(context, words)
            assert found
            command = found
        command.make_context(name, words, context, resilient_parsing=True)
    options = (one for one in EVERY[name].params if one.param_type_name == "option")
    assert all(getattr(one, "help", None) for one in options)


def test_each_text_belongs_to_a_command() -> None:
    for path, told in TEXTS["commands"].items():
        known = (
            {one.name.strip("_") for one in EVERY[path].params if one.name} if path in EVERY else {}
        )
        assert {*told.get("options", {})} <= {*known}, path
    code = "".join(path.read_text("utf-8") for path in Path(triage.cli.__path__[0]).glob("*.py"))
    assert {*re.findall(r'\btext\("([a-z ]+)"', code)} <= {*TEXTS["said"]}
    unsaid = [name for name in TEXTS["said"] if f'"{name}"' not in code]
    assert unsaid == [f"queue next {advice}" for advice in ("better", "worse", "chance")]


def test_every_setting_is_an_option_or_of_a_plan_alone() -> None:
    settings = [one for of in (Reading, Setup, Treatment) for one in settings_of(of).values()]
    options = {option.opts[0][2:] for one in EVERY.values() for option in one.params}
    assert {one.key for one in settings if one.on_command_line} <= options


OPTIONS = cases_beside(__file__, "options.toml")


@pytest.mark.parametrize(("text", "share"), OPTIONS["shares"])
def test_a_share_is_of_a_hundred_or_of_one(text: str, share: float) -> None:
    assert triage.settings.share_of(text, "--double") == pytest.approx(share)


def test_missing_libraries_are_named(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules is how Python itself marks a module that can't be imported.
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in [name for name in sys.modules if name.startswith("triage.web.")]:
        monkeypatch.delitem(sys.modules, name)
    error = refused("review", Path("work.queue"))
    assert error.startswith("triage: uvicorn is not installed: pip install '.[review]' in ")
    assert re.search(r"pip install 'sms_triage-[0-9.]+-py3-none-any\.whl\[review\]'", error)


def test_what_is_chosen_for_a_model_is_in_its_manifest(run: Run) -> None:
    chosen = "--undersampling once --plan features=patel2013-normalised --plan seed=9"
    run("train", SAMPLE, "-o", "model", *chosen.split())
    about = load_model(Path("model")).manifest
    assert (about.undersampling, about.features, about.seed) == ("once", "patel2013-normalised", 9)


@pytest.mark.parametrize(("record", "values", "problem"), OPTIONS["wrong_settings"])
def test_a_wrong_setting_is_told(record: str, values: dict[str, object], problem: str) -> None:
    records: dict[str, type] = {"setup": Setup, "treatment": Treatment, "reading": Reading}
    with pytest.raises(SettingError) as error:
        triage.settings.build(records[record], values)
    assert str(error.value).startswith(problem)


@pytest.mark.parametrize("values", [{"strict": "x"}, {"recognisers": "abc"}, {"model": 3}])
def test_a_setup_is_checked_where_it_is_made(values: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"^{next(iter(values))} is "):
        Setup(**values)


def test_a_policy_is_a_name_and_its_bounds() -> None:
    assert Setup(policy=Policy(max_leak=0.01)) == Setup(policy="guarded", max_leak=0.01)
    assert Setup(policy="agreement").chosen_policy() == Policy("agreement")
    with pytest.raises(TriageError, match=r"^max-leak is of the guarded policy"):
        Setup(policy="agreement", max_leak=0.01).chosen_policy()


def test_every_setting_of_reading_is_an_option() -> None:
    # The desk hands them to classify.
    options = {option for one in EVERY["classify"].params for option in one.opts}
    assert {f"--{one.key}" for one in settings_of(Reading).values()} <= options


def test_the_plan_that_is_shown_holds_every_option(run: Run) -> None:
    shown = run("plan").stdout
    options = (one for one in EVERY["anonymise"].params if one.opts[0] != "--plan")
    names = {one.opts[0].removeprefix("--") for one in options if one.opts[0].startswith("--")}
    keys = {line.lstrip("# ").partition(" = ")[0] for line in shown.splitlines() if " = " in line}
    assert names <= keys


def test_the_plan_that_is_shown_says_the_defaults(run: Run) -> None:
    Path("t.csv").write_text("id,sender,text,action\n1,a,Coucou Patrice,TA\n2,a,oui,NTA\n")
    Path("plan.toml").write_text(run("plan").stdout, encoding="utf-8")
    said = run("anonymise", "t.csv", "-o", "anon.csv").stdout
    expected = Path("anon.csv").read_bytes()
    planned = run("anonymise", "t.csv", "-o", "anon.csv", "--plan", "plan.toml", "--overwrite")
    assert (planned.stdout, Path("anon.csv").read_bytes()) == (said, expected)


def test_each_key_that_is_commented_out_can_be_used(run: Run) -> None:
    shown = run("plan").stdout
    assert "# style = …\n" in shown
    lines = (line.removeprefix("# ").replace("…", '"x"') for line in shown.splitlines())
    filled = [line for line in lines if line.startswith("[") or " = " in line]
    keys = [line for line in filled if line.startswith("[") or line.partition(" ")[2][0] == "="]
    assert tomllib.loads("\n".join(keys))["files"]["key"] == "x"


GOLDEN = Path(__file__).parent / "json"
JSON = cases_beside(__file__, "json.toml")
# In the order in which a corpus goes through them; each finds what those before have written.
STORY = JSON["story"]


def shape(value: object) -> object:
    """Return a result without what the lists and the model of a version decide: its numbers."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        shapes = [shape(one) for one in value]
        return [one for i, one in enumerate(shapes) if one not in shapes[:i]][:3]
    if isinstance(value, bool) or value is None:
        return value
    return (
        type(value).__name__ if isinstance(value, int | float) else re.sub(r"\d", "0", str(value))
    )


@pytest.mark.slow
def test_each_command_prints_what_its_golden_file_holds(run: Run) -> None:
    csv_of(*JSON["messages"])
    Path("sample_fr.csv").symlink_to(SAMPLE)
    printed = {}
    for command, arguments in STORY.items():
        if command == "queue apply":
            by_hand("RULE", "work.queue", "Namrata", "always")
            by_hand("RULE", "work.queue", "Xqztlu", "never")
        done = run(*command.split(), *arguments.split(), "--json")
        assert done.returncode in (0, 1), done.stderr
        printed[command] = shape(json.loads(done.stdout))
    golden = {command: GOLDEN / f"{command.replace(' ', '-')}.json" for command in printed}
    # A file that is missing is written, and the test fails once, so that it is read.
    missing = [command for command, path in golden.items() if not path.exists()]
    for command in missing:
        text = json.dumps(printed[command], ensure_ascii=False, indent=1) + "\n"
        golden[command].write_text(text, encoding="utf-8")
    assert not missing, "golden files were missing and are written: read them, and run again"
    for command, path in golden.items():
        assert printed[command] == json.loads(path.read_text(encoding="utf-8")), command


def test_every_command_with_the_option_is_tested() -> None:
    with_option = (
        path for path, one in EVERY.items() if any("--json" in option.opts for option in one.params)
    )
    assert {*with_option} == {*STORY}
