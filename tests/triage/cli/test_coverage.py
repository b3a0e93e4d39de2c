"""``triage pack check --names``: how many births the first names of the lists cover."""

from pathlib import Path

import pytest

from tests.triage.cli.program import Run


@pytest.mark.parametrize(
    ("content", "covered"),
    [
        ("prenom,naissances\nPATRICE,60\nJean-Patrice,15\nXqztlu,25\n", "75.00% of 100"),
        ("name,sexe,count\nPATRICE,,60\nJean-Patrice,,15\nXqztlu,,25\n", "75.00% of 100"),
        ("name,count\n", "0.00% of 0"),
    ],
)
def test_coverage_is_a_share_of_births(
    content: str, covered: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "prenoms.csv").write_text(content)
    done = run("pack", "check", "fr", "--names", tmp_path / "prenoms.csv")
    assert done.stdout.endswith(f"cover {covered} births\n")
