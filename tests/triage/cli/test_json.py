"""What ``--json`` prints is what its schema says, for every command."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from jsonschema import Draft202012Validator
from tests.manpage import commands, program
from tests.schemas import FOLDER, schemas
from triage.cli.results import RESULTS

from triage.queue import Queue, WordRule
from triage.queue.learning import Gain, Measured
from triage.reports.measures import Interval

Run = Callable[..., CompletedProcess[str]]
SAMPLE = Path(__file__).parents[3] / "data" / "sample_fr.csv"
MESSAGES = (
    "Coucou Patrice, appelle moi au 06 39 98 12 34",
    "j'arrive dans 5 minutes",
    "vois avec Namrata stp",
    "on mange chez Xqztlu ce soir ?",
)
# In the order in which a corpus goes through them; each finds what those before have written.
STORY = {
    "classify": "sms.csv -o sms.triage.csv",
    "gather": "sms.csv -o sms.evidence",
    "explain": "Coucou-Patrice",
    "workload": "sms.triage.csv",
    "queue create": "sms.triage.csv -o work.queue",
    "queue add": "work.queue sms.triage.csv",
    "queue assign": "work.queue --to anna --to marc --double 100%",
    "queue export": "work.queue -o items.csv --annotator anna",
    "queue import": "work.queue items.csv --annotator anna --dry-run",
    "queue status": "work.queue",
    "queue next": "work.queue",
    "queue lists": "work.queue --names names.txt --words words.txt",
    "queue apply": "work.queue -o final.csv",
    "anonymise": "sms.triage.csv -o anon.csv --key-table keys.csv --hold none",
    "check": "anon.csv --against sms.csv --show",
    "convert": "anon.csv --key-table keys.csv -o anon.conll",
    "mine": "sms.triage.csv -o candidates.csv",
    "restore": "anon.csv --key-table keys.csv -o back.csv",
    "train": "sample_fr.csv -o model --features patel2013",
    "evaluate": "sample_fr.csv",
    "features": "sample_fr.csv -o features.csv",
    "dictionaries": "",
    "pack check": "fr sms.csv --names births.csv",
}
VARIANTS = {
    "classify": "sms.csv -o guarded.csv --policy guarded",
    "anonymise": "sms.triage.csv -o other.csv --style surrogate --key k --new-key --entities e.csv",
    "check": "anon.csv",
    "dictionaries": "--coverage births.csv",
}


def check(command: str, printed: str) -> None:
    """Hold what a command printed against its schema."""
    path = FOLDER / f"{command.replace(' ', '-')}.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(printed))


@pytest.fixture
def folder(tmp_path: Path, csv_of: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    csv_of(*MESSAGES)
    (tmp_path / "sample_fr.csv").symlink_to(SAMPLE)
    (tmp_path / "births.csv").write_text("name,births\nPatrice,3\nXqztlu,1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_each_command_prints_what_its_schema_says(run: Run) -> None:
    for command, arguments in STORY.items():
        if command == "queue lists":
            with Queue.open(Path("work.queue")) as queue:
                queue.decide_word("anna", "Namrata", WordRule.ALWAYS)
                queue.decide_word("anna", "Xqztlu", WordRule.NEVER)
        done = run(*command.split(), *arguments.split(), "--json")
        assert done.returncode in (0, 1), done.stderr
        check(command, done.stdout)
    for command, arguments in VARIANTS.items():
        done = run(*command.split(), *arguments.split(), "--json")
        check(command, done.stdout)


def test_the_gain_of_decisions_is_as_its_schema_says() -> None:
    measured = Measured(0.7, 3, 4)
    gain = Gain(30, 40, measured, measured, Interval(0.1, -0.1, 0.2, 0.95))
    check("queue next", json.dumps(asdict(gain)))


def test_every_command_with_the_option_has_a_schema_and_is_tested() -> None:
    with_option = {
        context.command_path.removeprefix("triage ")
        for command, context in commands(*program())
        if any("--json" in option.opts for option in command.params)
    }
    assert with_option == {*RESULTS} == {*STORY}


def test_the_schemas_are_those_of_the_types() -> None:
    shipped = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    assert shipped == schemas(), "run make schemas"


def test_a_schema_is_printed(run: Run) -> None:
    assert json.loads(run("schema", "queue", "status").stdout)["title"].startswith("triage queue")
    assert run("schema").stdout.split("\n")[:-1] == sorted(RESULTS)
    assert run("schema", "queue").stderr.startswith("triage: there is no schema of 'queue'")
