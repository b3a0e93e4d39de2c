"""Figures as SVG and PNG."""

import io
import re
import warnings
from html import escape
from pathlib import Path

from triage.reports.document import Figure, Report, printable

_DOTS_PER_INCH = 150
_SETTINGS = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "svg.fonttype": "none",
    # A word may hold two dollar signs without meaning a formula.
    "text.parse_math": False,
    "hatch.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def figure_svg(figure: Figure) -> str:
    """Return a figure as SVG that says what it shows; its text stays text.

    No two figures of a report share an id, so that all can stand in one page.

    Parameters
    ----------
    figure : Figure

    Returns
    -------
    str

    Examples
    --------
    >>> figure = Figure("line", "A line", "A line that rises.", lambda axes: axes.plot([0, 1]))
    >>> '<svg role="img" aria-label="A line that rises."' in figure_svg(figure)
    True
    """
    drawn = _drawn(figure, "svg", {"Date": None, "Creator": None, "Format": None, "Type": None})
    # What refers to an id refers to a definition, never to a group.
    svg = re.sub(r'<g id="[^"]*"', "<g", drawn.decode("utf-8", "replace"))
    named = f'<svg role="img" aria-label="{escape(figure.alt)}" '
    return printable(svg.replace("<svg ", named, 1))


def figure_png(figure: Figure) -> bytes:
    """Return a figure as PNG.

    Parameters
    ----------
    figure : Figure

    Returns
    -------
    bytes
    """
    return _drawn(figure, "png", {"Software": None})


def save_figures(report: Report, folder: Path) -> list[Path]:
    """Write every figure of a report as PNG and as SVG.

    Parameters
    ----------
    report : Report
    folder : Path
        Made if it is missing.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in report.figures:
        png, svg = (folder / f"{figure.name}.{kind}" for kind in ("png", "svg"))
        png.write_bytes(figure_png(figure))
        svg.write_bytes(figure_svg(figure).encode())
        written += [png, svg]
    return written


def _drawn(figure: Figure, kind: str, metadata: dict[str, None]) -> bytes:
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(), warnings.catch_warnings():
        # Words may hold any character; one that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing", UserWarning)
        # The user's own settings would give other bytes.
        mpl.rcdefaults()
        mpl.rcParams.update({**_SETTINGS, "svg.hashsalt": figure.name})
        canvas = Canvas(figsize=(figure.width, figure.height), layout="constrained")
        figure.draw(canvas.add_subplot())
        buffer = io.BytesIO()
        canvas.savefig(buffer, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()
