"""``triage check`` as it is called, and that what ``triage anonymise`` writes is clean."""

import stat
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.triage.cli.program import Run
from triage import data
from triage.anonymise.keys import make_key
from triage.settings import StyleName

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
BEFORE = "id,text\n1,Coucou Patrice\n2,oui\n3,Slt Karim\n"
CLEAN = "id,text\n1,Coucou <PRE_7>\n2,oui\n3,Slt <PRE_5>\n"


@pytest.fixture
def check(run: Run, tmp_path: Path) -> Run:
    """Check messages of which the last was left as it was."""

    def checked(left: str, *options: str | Path) -> CompletedProcess[str]:
        (tmp_path / "sms.csv").write_text(BEFORE + left)
        (tmp_path / "anon.csv").write_text(CLEAN + left)
        return run("check", tmp_path / "anon.csv", "--against", tmp_path / "sms.csv", *options)

    return checked


@pytest.mark.parametrize("style", [style.value for style in StyleName])
def test_the_sample_is_clean_in_every_style(style: str, run: Run, tmp_path: Path) -> None:
    triaged, output = tmp_path / "sample.triage.csv", tmp_path / "anon.csv"
    table = tmp_path / "key.csv"
    make_key(tmp_path / "k")
    run("classify", SAMPLE, "-o", triaged)
    options = (
        "--style",
        style,
        "--plan",
        "reversible=true",
        "--key",
        tmp_path / "k",
        "--key-table",
        table,
    )
    assert run("anonymise", triaged, "-o", output, *options).returncode == 0
    for told in (("--against", SAMPLE), ("--key-table", table)):
        done = run("check", output, *told)
        assert (done.returncode, done.stderr) == (0, "")
        assert "\nnothing certain is left; to be expected: residue some " in done.stdout


def test_any_number_of_processes_finds_the_same(
    check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 2)
    left = "4,ah patrice !\n5,oui 06 39 98 12 34\n6,et Patrisse alors\n7,bisous\n"
    one, *others = (check(left, "--json", "--show", "--jobs", jobs).stdout for jobs in "123")
    assert all(f'"row": {row},' in one for row in (4, 5, 6))
    assert others == [one, one]


def test_the_report_is_a_page_for_its_owner_alone(check: Run, tmp_path: Path) -> None:
    report = tmp_path / "check.html"
    check("4,ah Patrice <script>\n" * 90, "--report", report)
    page = report.read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "ah [Patrice] &lt;script&gt;" in page
    assert "<script>" not in page
    assert "  and 40 more" in page
    assert stat.S_IMODE(report.stat().st_mode) == 0o600


@pytest.mark.slow
def test_a_message_of_a_megabyte_is_looked_through(check: Run) -> None:
    done = check('4,"' + "ah oui Patrice, on se voit demain au 06 39 98 12 34 " * 20_000 + '"\n')
    assert done.returncode == 1
    assert "certain   direct    20,000  identifier by its form\n" in done.stdout
