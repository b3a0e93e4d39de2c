"""Where outputs go when nobody says."""

from pathlib import Path

import pytest

from triage.data import default_output, rejects_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("sms.csv", "sms.triage.csv"),
        ("sms.csv.gz", "sms.triage.csv.gz"),
        ("corpus/sms.ods", "corpus/sms.triage.ods"),
        ("sms.2011.csv", "sms.2011.triage.csv"),
        ("-", "-"),
    ],
)
def test_the_output_is_beside_the_input_and_in_its_format(path: str, expected: str) -> None:
    assert default_output(path) == Path(expected)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("d.csv", "d.rejects.csv"),
        ("d.csv.gz", "d.rejects.csv"),
        ("corpus/d.xlsx", "corpus/d.rejects.csv"),
        ("-", "rejects.csv"),
    ],
)
def test_rejects_are_csv_beside_the_output(output: str, expected: str) -> None:
    assert rejects_path(output) == Path(expected)
