"""Find the benchmark; read and write pages and tables of what was measured."""

import sys
from collections.abc import Sequence
from pathlib import Path

from triage.reports.page import Block, Part, Report, report_markdown

# The paper's training messages: those with ids up to 4000, which are the first of the benchmark.
TRAINING_IDS, FIRST = 4000, 3892


def french(folder: Path) -> Path:
    """Return the path of the French benchmark, which lies beside the project."""
    path = folder / "sms_fr.csv.gz"
    if not path.exists():
        sys.exit(f"{path} is not here: this needs the benchmark beside the project")
    return path


def write_page(folder: Path, title: str, blocks: Sequence[Block]) -> None:
    """Write what was measured as a page of Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    page = report_markdown(Report(title, (), (Part("measured", "Measured", blocks),)))
    (folder / "README.md").write_text(page, encoding="utf-8")


def print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def print_heading(*cells: str) -> None:
    print_row(*cells)
    print_row(*["---"] * len(cells))
