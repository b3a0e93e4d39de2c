"""A report on the disk."""

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from triage.reports.as_json import report_json
from triage.reports.document import Report
from triage.reports.figures import save_figures
from triage.reports.markdown import report_markdown
from triage.reports.page import report_html

_FIGURES = "figures"


def save_report(report: Report, folder: Path) -> list[Path]:
    """Write a report as HTML, Markdown and JSON, and its figures as PNG and SVG.

    Nothing half-written shows: a new folder appears whole, and in one that exists each finished
    file replaces the one of its name. Other files stay.

    Parameters
    ----------
    report : Report
    folder : Path
        Made if it is missing, with those it lies in.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    OSError
        If a file cannot be written; what the folder held is then as it was, unless that happens
        while finished files are being moved to their places.
    """
    with _staging_beside(folder) as staging:
        written = [path.relative_to(staging) for path in _write(report, staging)]
        _publish(staging, written, folder)
    return [folder / path for path in written]


@contextmanager
def _staging_beside(folder: Path) -> Iterator[Path]:
    """Give a hidden folder from which one rename leads to the place of what is in it."""
    # One that exists may be a file system of its own, so its files are written within it.
    home = folder if folder.exists() else folder.parent
    # Unlike that of `tempfile`, a folder made like this is as readable as any other.
    staging = home / f".unfinished-{uuid.uuid4().hex}"
    staging.mkdir(parents=True)
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _write(report: Report, folder: Path) -> list[Path]:
    texts = {
        "report.html": report_html(report),
        "report.md": report_markdown(report, _FIGURES),
        "report.json": report_json(report),
    }
    for name, text in texts.items():
        # Bytes, because text would get other line ends on Windows.
        (folder / name).write_bytes(text.encode())
    return [folder / name for name in texts] + save_figures(report, folder / _FIGURES)


def _publish(staging: Path, files: list[Path], folder: Path) -> None:
    if not folder.exists():
        staging.replace(folder)
        return
    (folder / _FIGURES).mkdir(exist_ok=True)
    for file in files:
        (staging / file).replace(folder / file)
