"""Every format of the program stands in the table of the documents."""

from pathlib import Path

from triage.data import Format
from triage.data.output import WRITERS
from triage.data.read import FORMATS

FILES = Path(__file__).parents[3] / "docs" / "reference" / "files.md"


def test_all_formats_are_in_the_table_of_the_documents() -> None:
    lines = FILES.read_text(encoding="utf-8").splitlines()
    table = [line.split("|") for line in lines if line.startswith("| `")]
    rows = {name.strip("` "): row for row in table for name in row[1].split(",")}
    for format_ in Format:
        assert rows[format_.value][4].strip().startswith("as ") is (format_ not in WRITERS)
        for extension in FORMATS[format_][0]:
            assert f"`{extension}`" in rows[format_.value][2]
