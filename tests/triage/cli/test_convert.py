"""triage convert: the same identifiers in every format, whatever file they come from."""

from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Refused, Run, Write
from triage import Triage
from triage.queue.exchange import read

CASES = cases_beside(__file__)

TEXTS = ["Coucou Patrice, ça va?", "J'arrive dans 5min", "mon num 06 39 98 12 34"]


def found_in(path: Path) -> list[tuple[str, str | None, list[tuple[int, int, str]]]]:
    return [(row.text, row.answer, [*row.spans]) for row in read(path)]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_other_files_have_the_identifiers_that_are_found(
    jobs: str, run: Run, csv_of: Write, shipped: Triage
) -> None:
    done = run("convert", csv_of(*TEXTS), "-o", Path("c.conll"), "--plan", f"jobs={jobs}")
    assert "that are found in them" in done.stdout
    found = shipped.identifiers(TEXTS, corpus_evidence=True)
    spans = [[(i.start, i.end, i.type) for i in of_message] for of_message in found]
    assert [row[2] for row in found_in(Path("c.conll"))] == spans
    assert [row[1] for row in found_in(Path("c.conll"))] == ["TA", "NTA", "TA"]


@pytest.mark.parametrize(("arguments", "reason"), CASES["an_output_that_cannot_be_is_one"])
def test_an_output_that_cannot_be_is_one_line(
    arguments: list[str], reason: str, refused: Refused, csv_of: Write
) -> None:
    csv_of(*TEXTS)
    Path("taken.conll").write_text("mine", encoding="utf-8")
    assert reason in refused("convert", "sms.csv", *arguments)
    assert Path("taken.conll").read_text(encoding="utf-8") == "mine"
