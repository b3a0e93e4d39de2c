"""A report saved to a folder."""

import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from triage.reports.charts import figure_png, figure_svg
from triage.reports.document import Report
from triage.reports.render import report_html, report_json, report_markdown

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FILES = ("report.html", "report.md", "report.json")
"""Beside the figures; where one of them is, there is a report."""
_FIGURES = "figures"


def save_report(report: Report, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a report as HTML, Markdown and JSON, and its figures as PNG and SVG."""
    _check(folder, overwrite=overwrite)
    with _staging_beside(folder) as staging:
        written = [path.relative_to(staging) for path in _write(report, staging)]
        # Drawing takes a while, in which another report may have appeared.
        _check(folder, overwrite=overwrite)
        _publish(staging, written, folder)
    return [folder / path for path in written]


def _check(folder: Path, *, overwrite: bool) -> None:
    if not overwrite and any((folder / name).exists() for name in FILES):
        raise FileExistsError(errno.EEXIST, "there is a report already", str(folder))


@contextmanager
def _staging_beside(folder: Path) -> Iterator[Path]:
    """Yield a hidden folder on the same file system, so that one rename publishes its content."""
    # One that exists may be a file system of its own, so its files are written within it.
    parent = folder if folder.exists() else folder.parent
    # Unlike that of `tempfile`, a folder made like this is as readable as any other.
    staging = parent / f".unfinished-{uuid.uuid4().hex}"
    staging.mkdir(parents=True)
    lock = _locked(staging)
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """Lock a folder while this process lives, so that a later run can tell it from a stale one."""
    if fcntl is None:
        return None
    handle = os.open(folder, os.O_RDONLY)
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return handle


def _write(report: Report, folder: Path) -> list[Path]:
    texts = report_html(report), report_markdown(report, _FIGURES), report_json(report)
    files = {name: text.encode() for name, text in zip(FILES, texts, strict=True)}
    for figure in report.figures:
        files[f"{_FIGURES}/{figure.name}.png"] = figure_png(figure)
        files[f"{_FIGURES}/{figure.name}.svg"] = figure_svg(figure).encode()
    (folder / _FIGURES).mkdir()
    for name, content in files.items():
        # Bytes, because text would get other line ends on Windows.
        (folder / name).write_bytes(content)
    return [folder / name for name in files]


def _publish(staging: Path, files: list[Path], folder: Path) -> None:
    if not folder.exists():
        staging.replace(folder)
        return
    (folder / _FIGURES).mkdir(exist_ok=True)
    for file in files:
        (staging / file).replace(folder / file)
