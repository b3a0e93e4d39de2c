"""A report saved to a folder."""

from collections.abc import Iterator
from pathlib import Path

from triage.errors import writing
from triage.reports.charts import figure_png, figure_svg
from triage.reports.page import Report, report_html, report_json, report_markdown
from triage.safe import write_files

# Beside the figures; where one of them is, there is a report.
FILES = ("report.html", "report.md", "report.json")
_FIGURES = "figures"


def save_report(report: Report, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a report as HTML, Markdown and JSON, and its figures as PNG and SVG."""
    files = {folder / name: content for name, content in _files(report)}
    with writing(str(folder)):
        (folder / _FIGURES).mkdir(parents=True, exist_ok=True)
    write_files(files, overwrite=overwrite)
    return [*files]


def _files(report: Report) -> Iterator[tuple[str, bytes]]:
    texts = report_html(report), report_markdown(report, _FIGURES), report_json(report)
    for name, text in zip(FILES, texts, strict=True):
        yield name, text.encode()
    for figure in report.figures:
        yield f"{_FIGURES}/{figure.name}.png", figure_png(figure)
        yield f"{_FIGURES}/{figure.name}.svg", figure_svg(figure).encode()
