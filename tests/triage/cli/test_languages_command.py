"""Messages are decided in the language that is given or guessed; a pack can be one's own."""

import json
from pathlib import Path

import pytest

from tests.triage.cli.program import Refused, Run
from tests.triage.decide.test_language import FINNISH
from triage.decide.run_record import read_record

CATALAN = str(Path(__file__).parents[2] / "packs" / "ca")


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    path = tmp_path / "sms.csv"
    path.write_text("id,text\n1,Hola Jordi\n2,casa\n3,zzyzx\n4,06 39 98 12 34\n", encoding="utf-8")
    return path


def votes(path: Path) -> list[str]:
    return [line.split(",")[2] for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def test_a_pack_of_ones_own_decides(run: Run, messages: Path) -> None:
    out = messages.with_name("out.csv")
    done = run("classify", messages, "-o", out, "--language", CATALAN, "--json")
    assert done.returncode == 0
    assert "no weights were learnt from messages in" in done.stderr
    assert json.loads(done.stdout)["language"] == CATALAN
    assert votes(out)[:3] == ["TA", "NTA", "UNTAGGED"]


def test_who_goes_on_gets_the_language_of_the_run(run: Run, messages: Path) -> None:
    out = messages.with_name("out.csv")
    run("classify", messages, "-o", out, "--language", CATALAN)
    record = read_record(str(out))
    assert record
    assert record["language"] == CATALAN
    done = run("anonymise", out, "-o", messages.with_name("anon.csv"), "--hold", "none")
    assert done.returncode == 0
    assert "Jordi" not in messages.with_name("anon.csv").read_text(encoding="utf-8")


def test_two_languages_are_looked_up_together(run: Run, messages: Path) -> None:
    out = messages.with_name("out.csv")
    assert run("classify", messages, "-o", out, "--language", f"fr,{CATALAN}").returncode == 0
    assert votes(out) == ["TA", "NTA", "UNTAGGED", "TA"]


def test_messages_in_no_language_of_the_packs_are_said(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "fi.csv"
    source.write_text(
        "\n".join(["text", *(f'"{one}"' for one in FINNISH)]) + "\n", encoding="utf-8"
    )
    done = run("classify", source)
    assert done.returncode == 0
    assert "look like no language of which there is a pack" in done.stderr
    assert run("classify", source, "--overwrite", "--language", "fr").stderr == ""


def test_an_unknown_language_is_one_line(refused: Refused, messages: Path) -> None:
    assert "no dictionaries for the language 'xx'; there are: " in refused(
        "classify", messages, "--language", "xx"
    )


def test_a_new_pack_can_be_used_at_once(run: Run, messages: Path, tmp_path: Path) -> None:
    folder = tmp_path / "oc"
    assert "17 lists to fill" in run("pack", "new", "oc", "-o", folder).stdout
    assert run("pack", "check", folder).returncode == 0
    assert run("classify", messages, "--language", folder).returncode == 0
    again = run("pack", "new", "oc", "-o", folder)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)


def test_a_check_tells_what_a_pack_lacks(run: Run, messages: Path) -> None:
    done = run("pack", "check", CATALAN, messages, "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["problems"] == []
    assert found["sample"]["unknown"] == [["zzyzx", 1]]
    assert found["lists"]["first_names"] == 9


def test_an_example_that_is_not_true_is_told(run: Run, tmp_path: Path) -> None:
    settings = "[codes]\ntriggers = ['pin']\n[examples.code]\nfound = ['hola']\n"
    (tmp_path / "pack.toml").write_text(settings, encoding="utf-8")
    done = run("pack", "check", tmp_path)
    assert done.returncode == 1
    assert "wrong: [examples.code]: 'hola' is not found" in done.stdout


def test_an_expression_of_a_pack_that_is_not_linear_is_refused(
    refused: Refused, tmp_path: Path
) -> None:
    (tmp_path / "pack.toml").write_text("", encoding="utf-8")
    own = '[badge]\ntype = "NUM"\nregex = "(?:[0-9]+)+Z"\n'
    (tmp_path / "recognisers.toml").write_text(own, encoding="utf-8")
    assert "[badge]: a repetition without an end" in refused("pack", "check", tmp_path)
