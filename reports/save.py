"""A report saved to a folder."""

import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from triage.reports.charts import figure_png, figure_svg
from triage.reports.page import Report, report_html, report_json, report_markdown

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# Beside the figures; where one of them is, there is a report.
FILES = ("report.html", "report.md", "report.json")
_FIGURES = "figures"


def save_report(report: Report, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a report as HTML, Markdown and JSON, and its figures as PNG and SVG."""
    _check(folder, overwrite=overwrite)
    with _staging_beside(folder) as staging:
        files = _files(report)
        for name, content in files.items():
            (staging / name).parent.mkdir(exist_ok=True)
            # Bytes, because text would get other line ends on Windows.
            (staging / name).write_bytes(content)
        # Drawing takes a while, in which another report may have appeared.
        _check(folder, overwrite=overwrite)
        if not folder.exists():
            staging.replace(folder)
        else:
            (folder / _FIGURES).mkdir(exist_ok=True)
            for name in files:
                (staging / name).replace(folder / name)
    return [folder / name for name in files]


def _files(report: Report) -> dict[str, bytes]:
    texts = report_html(report), report_markdown(report, _FIGURES), report_json(report)
    files = {name: text.encode() for name, text in zip(FILES, texts, strict=True)}
    for figure in report.figures:
        files[f"{_FIGURES}/{figure.name}.png"] = figure_png(figure)
        files[f"{_FIGURES}/{figure.name}.svg"] = figure_svg(figure).encode()
    return files


def _check(folder: Path, *, overwrite: bool) -> None:
    if not overwrite and any((folder / name).exists() for name in FILES):
        raise FileExistsError(errno.EEXIST, "there is a report already", str(folder))


@contextmanager
def _staging_beside(folder: Path) -> Iterator[Path]:
    """Yield a hidden folder on the same file system, locked while this process lives."""
    # One that exists may be a file system of its own, so its files are written within it.
    parent = folder if folder.exists() else folder.parent
    # Unlike that of `tempfile`, a folder made like this is as readable as any other.
    staging = parent / f".unfinished-{uuid.uuid4().hex}"
    staging.mkdir(parents=True)
    # A later run tells it by its lock from what a killed run left.
    handle = None if fcntl is None else os.open(staging, os.O_RDONLY)
    try:
        if handle is not None:
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        if handle is not None:
            os.close(handle)
