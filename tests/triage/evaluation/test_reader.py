"""A reader, played on the invented sample messages."""

from pathlib import Path

import pytest

from triage.evaluation.corpus import AnnotatedCorpus
from triage.evaluation.reader import READERS, Later, main, reading
from triage.reports.page import Part

from .conftest import Labelled, Rows

FIRST = 170
slow = pytest.mark.slow


@slow
@pytest.mark.parametrize("name", READERS)
def test_reading_takes_off_leak_and_residue(
    name: str, corpus: AnnotatedCorpus, rows: Rows, few_trees: pytest.MonkeyPatch
) -> None:
    assert few_trees
    part: Part = reading(name, Later.of(corpus, FIRST))
    found = rows(part, "Leak and residue")
    for column in ("TA messages released", "messages with an identifier standing"):
        left = [int(str(row[column])) for row in found]
        assert left[-1] <= left[0]
    minutes = [float(str(row["minutes"])) for row in found]
    assert minutes == sorted(minutes)
    assert minutes[0] == 0 < minutes[-1]


@slow
def test_a_report_is_printed_and_written_without_a_message(
    sample: Path,
    corpus: AnnotatedCorpus,
    few_trees: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert few_trees
    main(["queue", str(sample), "--train-first", str(FIRST), "-o", str(tmp_path / "queue")])
    printed = capsys.readouterr().out
    assert printed.startswith("What is left by the minutes read: triage queue")
    page = (tmp_path / "queue" / "report.md").read_text(encoding="utf-8")
    assert "(figures/queue.png)" in page
    assert not [text for text in corpus.messages if len(text) > 12 and text in printed + page]


@pytest.mark.parametrize(
    ("first", "spans", "problem"),
    [
        ("1", {}, "the file needs a column spans"),
        ("2", {"spans": ["[]", "[]"]}, "the first 2 of 2 messages leave none to read"),
    ],
)
def test_what_cannot_be_read_is_a_clear_line(
    first: str,
    spans: dict[str, list[str]],
    problem: str,
    labelled: Labelled,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = labelled(("Coucou", "NTA"), ("Zoé", "TA"), **spans)
    with pytest.raises(SystemExit) as end:
        main(["mine", str(path), "--train-first", first])
    assert end.value.code == 2
    assert problem in capsys.readouterr().err
