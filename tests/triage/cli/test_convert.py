"""triage convert: the same identifiers in every format, whatever file they come from."""

from pathlib import Path

import pytest

from tests.triage.cli.program import Run, Write
from triage import Triage
from triage.queue.exchange import read

TEXTS = ["Coucou Patrice, ça va?", "J'arrive dans 5min", "mon num 06 39 98 12 34"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_other_files_have_the_identifiers_that_are_found(
    jobs: str, run: Run, csv_of: Write, shipped: Triage
) -> None:
    done = run("convert", csv_of(*TEXTS), "-o", Path("c.conll"), "--plan", f"jobs={jobs}")
    assert "that are found in them" in done.stdout
    found = shipped.identifiers(TEXTS, corpus_evidence=True)
    spans = [[(i.start, i.end, i.type) for i in of_message] for of_message in found]
    written = read(Path("c.conll"))
    assert [[*row.spans] for row in written] == spans
    assert [row.answer for row in written] == ["TA", "NTA", "TA"]
