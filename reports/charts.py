"""Figures: bars and curves for `Figure.draw`, and any figure as SVG and PNG.

Colours are those of Okabe and Ito, which the colour-blind tell apart; markers and hatches say the
same.
"""

import io
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from itertools import chain, cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from triage.errors import writing
from triage.reports.page import (
    Draw,
    Figure,
    Report,
    printable,
    report_html,
    report_json,
    report_markdown,
)
from triage.safe import write_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OWN_STYLE: dict[str, Any] = {"label": "this run", "facecolor": "#0072B2"}
_PAPER_STYLE: dict[str, Any] = {
    "label": "the paper",
    "facecolor": "#E69F00",
    "hatch": "///",
    "edgecolor": "white",
}
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
# One more than colours, so that a pair of both comes again after 42 lines.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_POINT_MARKERS = ("*", "X", "P", "d")
_SMALL_FONT = 8
_RC_PARAMS = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "svg.fonttype": "none",
    # A word may hold two dollar signs without meaning a formula.
    "text.parse_math": False,
    "hatch.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def bars(
    labels: Sequence[str],
    values: Sequence[float],
    *,
    paper: Sequence[float | None] | None = None,
    unit: str = "",
) -> Draw:
    """Return a drawer of horizontal bars, the first on top, each with its value."""

    def draw(axes: "Axes") -> None:
        positions = np.arange(len(labels), dtype=np.float64)
        series = [(values, _OWN_STYLE), *([] if paper is None else [(paper, _PAPER_STYLE)])]
        height = 0.8 / len(series)
        for n, (data, style) in enumerate(series):
            lengths = np.array(data, dtype=np.float64)
            offsets = positions + height * (n - (len(series) - 1) / 2)
            rectangles = axes.barh(offsets, lengths, height, linewidth=0, **style)
            texts = ["" if np.isnan(length) else format(length, "#.3g") for length in lengths]
            axes.bar_label(rectangles, texts, padding=3, fontsize=_SMALL_FONT)
        if paper is not None:
            axes.legend(frameon=False)
        axes.set_yticks(positions, labels)
        axes.tick_params(axis="y", length=0)
        # Also where the last label has no bar of the paper's; the first is on top.
        axes.set_ylim(len(labels) - 0.5, -0.5)
        # Room for the values beside the longest bars.
        axes.margins(x=0.12)
        axes.set_xlabel(unit)
        axes.xaxis.set_major_formatter(_number)

    return draw


def curve(
    lines: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x_label: str = "",
    y_label: str = "",
    percent: Literal["", "x", "y", "xy"] = "",
    points: Mapping[str, tuple[float, float]] | None = None,
) -> Draw:
    """Return a drawer of lines and marked points, each x and y by its name, with a legend."""

    def draw(axes: "Axes") -> None:
        styled = zip(lines.items(), cycle(_COLOURS), cycle(_MARKERS), strict=False)
        for (name, x_y), colour, marker in styled:
            x, y = (np.asarray(values, dtype=np.float64) for values in x_y)
            # Many markers would hide the line.
            style: dict[str, Any] = {"markevery": max(1, len(x) // 12), "markersize": 5}
            axes.plot(x, y, color=colour, linestyle="-", marker=marker, label=name, **style)
        style = {"color": "black", "linestyle": "none", "markersize": 10, "zorder": 3}
        marked = zip((points or {}).items(), cycle(_POINT_MARKERS), strict=False)
        for (name, (x_point, y_point)), marker in marked:
            axes.plot([x_point], [y_point], marker=marker, label=name, **style)
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.xaxis.set_major_formatter(_percentage if "x" in percent else _number)
        axes.yaxis.set_major_formatter(_percentage if "y" in percent else _number)
        axes.grid(color="0.9")
        axes.legend(frameon=False)

    return draw


def _percentage(share: float, _: object) -> str:
    return f"{100 * share:.6g}%"


def _number(value: float, _: object) -> str:
    return f"{value:,.10g}"


def figure_svg(figure: Figure) -> str:
    """Return a figure as SVG that says what it shows; its text stays text."""
    data = _drawn(figure, "svg", {"Date": None, "Creator": None, "Format": None, "Type": None})
    # What refers to an id refers to a definition, never to a group.
    svg = re.sub(r'<g id="[^"]*"', "<g", data.decode("utf-8", "replace"))
    opening_tag = f'<svg role="img" aria-label="{escape(figure.alt)}" '
    return printable(svg.replace("<svg ", opening_tag, 1))


def figure_png(figure: Figure) -> bytes:
    return _drawn(figure, "png", {"Software": None})


def _drawn(figure: Figure, kind: str, metadata: dict[str, None]) -> bytes:
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(), warnings.catch_warnings():
        # Words may hold any character; one that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing", UserWarning)
        # The user's own settings would give other bytes.
        mpl.rcdefaults()
        mpl.rcParams.update({**_RC_PARAMS, "svg.hashsalt": figure.name})
        canvas = Canvas(figsize=(figure.width, figure.height), layout="constrained")
        # scikit-learn measures the boxes of a tree by it.
        FigureCanvasAgg(canvas)
        figure.draw(canvas.add_subplot())
        buffer = io.BytesIO()
        canvas.savefig(buffer, format=kind, dpi=150, metadata=metadata)
    return buffer.getvalue()


# Beside the figures; where one of them is, there is a report.
FILES = ("report.html", "report.md", "report.json")
_FIGURES = "figures"


def save_report(report: Report, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a report as HTML, Markdown and JSON, and its figures as PNG and SVG.

    Figures of the report that is replaced are removed where this one has no such figures.
    """
    texts = report_html(report), report_markdown(report, _FIGURES), report_json(report)
    contents = dict(zip(FILES, map(str.encode, texts), strict=True))
    for figure in report.figures:
        contents[f"{_FIGURES}/{figure.name}.png"] = figure_png(figure)
        contents[f"{_FIGURES}/{figure.name}.svg"] = figure_svg(figure).encode()
    files = {folder / name: content for name, content in contents.items()}
    figures, before = folder / _FIGURES, _drawings(folder) if overwrite else set()
    new_folders = [path for path in (figures, *figures.parents) if not path.exists()]
    try:
        with writing(str(folder)):
            figures.mkdir(parents=True, exist_ok=True)
        write_files(files, overwrite=overwrite)
    except BaseException:
        for path in new_folders:
            with suppress(OSError):
                path.rmdir()
        raise
    for path in before - files.keys():
        path.unlink(missing_ok=True)
    return [*files]


def _drawings(folder: Path) -> set[Path]:
    """Return the figures that the JSON of a report names, none where it is of no report."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        parts = json.loads((folder / FILES[2]).read_bytes())["parts"]
        blocks = chain.from_iterable(part["blocks"] for part in parts)
        names = [Path(one["name"]).name for one in blocks if one["kind"] == "figure"]
        return {folder / _FIGURES / f"{one}.{kind}" for one in names for kind in ("png", "svg")}
    return set()
