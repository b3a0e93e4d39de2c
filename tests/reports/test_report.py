"""A report says the same on a page, in Markdown, as text and as data, and is saved whole."""

import errno
import json
import math
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib.axes import Axes

from tests.cases import cases_beside
from tests.tables import contents
from triage.data import DataError
from triage.reports import page as pages
from triage.reports.charts import bars, curve, figure_png, figure_svg, save_report
from triage.reports.page import Draw, Figure, Listing, Part, Report, Table

CASES = cases_beside(__file__)

SCRIPT = "<script>alert(1)</script>"
TABLE = Table(
    "Table 6",
    {"model": "", "accuracy": ".1%", "accuracy (paper)": ".1%"},
    (("tree", 0.8512, 0.87), ("baseline", math.nan, None)),
    note="Ten folds.",
)


def draw(axes: Axes) -> None:
    axes.plot([0, 1], label="a line")


def report_of(*blocks: str | Table | Figure | Listing, title: str = "Results") -> Report:
    return Report(title, (("seed", "0"),), (Part("folds", "Cross-validation", blocks),))


LINE = Figure("line", "A line", "A line that rises.", draw)
REPORT = report_of(
    "A paragraph.",
    TABLE,
    LINE,
    Listing("The tree", "Numbers <= 2\n|   Length > 3: TA (2.0)"),
)
RENDERINGS: list[Callable[[Report], str]] = [
    pages.report_html,
    pages.report_markdown,
    pages.report_json,
    lambda report: "\n".join(pages.part_text(part) for part in report.parts),
]


def page_of(html: str) -> ElementTree.Element:
    """Return a page, which is checked to be well formed: its tags balance, but for void ones."""
    return ElementTree.fromstring(re.sub(r"<((?:meta|br)\b[^>]*)>", r"<\1/>", html))


def attributes(page: ElementTree.Element, name: str) -> list[str]:
    return [one.attrib[name] for one in page.iter() if name in one.attrib]


def everywhere(text: str) -> Report:
    """Return a report with a text in all places that take one."""
    table = Table(text, {text: "", f"{text} (paper)": ""}, [(text, text)], text)

    def draw_text(axes: Axes) -> None:
        axes.set(title=text, xlabel=text)

    figure = Figure("figure", text, text, draw_text)
    blocks = (text, table, figure, Listing(text, text))
    return Report(text, ((text, text),), (Part("part", text, blocks),))


def test_terminal_text_is_aligned_and_leaves_figures_out() -> None:
    assert pages.part_text(REPORT.parts[0]).rstrip("\n") == CASES["as_text"].rstrip("\n")


def test_markdown_has_aligned_tables_links_to_figures_and_fenced_listings() -> None:
    assert pages.report_markdown(REPORT, "other/figures") == CASES["as_markdown"]


@pytest.mark.parametrize(("plain", "escaped"), CASES["markdown_escapes_what_would_be_read_as"])
def test_markdown_escapes_what_would_be_read_as_marks(plain: str, escaped: str) -> None:
    assert pages.report_markdown(report_of(plain)).splitlines()[-1] == escaped


def test_the_page_is_well_formed_its_references_lead_somewhere_and_figures_are_described() -> None:
    two = Part("tree", "The tree", (Figure("other", "Another", "A line.", draw), TABLE))
    page = page_of(pages.report_html(Report("Results", (), (*REPORT.parts, two))))
    names = attributes(page, "id")
    links = [link.removeprefix("#") for link in attributes(page, "href")]
    assert len(set(names)) == len(names)
    assert {*links, *attributes(page, "aria-labelledby")} <= {*names}
    assert links[:2] == ["folds", "tree"]
    assert (page.tag, page.attrib) == ("html", {"lang": "en"})
    headings = [one.tag for one in page.iter() if re.fullmatch(r"h\d", one.tag)]
    assert headings == ["h1", "h2", "h2", "h2"]
    svg = next(one for one in page.iter() if one.tag.endswith("}svg"))
    assert (svg.get("role"), svg.get("aria-label")) == ("img", "A line that rises.")


def test_the_page_runs_nothing_and_loads_nothing() -> None:
    html = pages.report_html(everywhere(SCRIPT))
    page = page_of(html)
    tags = {one.tag.rpartition("}")[2] for one in page.iter()}
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert not attributes(page, "src")
    assert all(link.startswith("#") for link in attributes(page, "href"))
    assert not re.search(r"url\((?!#)|@import", html)
    assert "default-src 'none'" in html


def test_markup_in_any_text_stays_text() -> None:
    report = everywhere(SCRIPT)
    assert SCRIPT not in pages.report_html(report)
    assert "".join(page_of(pages.report_html(report)).itertext()).count(SCRIPT) >= 14
    prose = re.sub(r"```.*?```", "", pages.report_markdown(report), flags=re.DOTALL)
    assert "<" not in prose
    assert json.loads(pages.report_json(report))["title"] == SCRIPT


@pytest.mark.parametrize("render", RENDERINGS)
def test_no_cell_steers_a_terminal_or_hides_the_headings(render: Callable[[Report], str]) -> None:
    headings = {"word": "", "leak (paper)": ".1%"}
    word = "a\x1b[2Jb\x00\x9b\ud83dc\r\nd"
    for rows in ([(word, math.inf)], []):
        rendered = render(report_of(Table("Words", headings, rows)))
        rendered.encode()
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", rendered)
        assert "leak (paper)" in rendered


def test_cells_are_one_line_each_and_numbers_align_to_the_right_and_name_no_row() -> None:
    table = Table(
        "Words", {"n": "", "bound": ".1f", "word": ""}, [(1, math.inf, "a\r\nb\tc\u2028d")]
    )
    report = report_of(table)
    assert pages.part_text(report.parts[0]).splitlines()[-1] == "1    inf  a b c d"
    assert '"bound": null' in pages.report_json(report)
    assert '<tr><td class="number">1</td>' in pages.report_html(report)


def test_a_fence_is_longer_than_those_it_holds() -> None:
    assert pages.report_markdown(report_of(Listing("", "````\na"))).endswith(
        "`````text\n````\na\n`````\n"
    )


CURVE = curve(
    {"bagged tree": ([500, 4000], [0.8, 0.9]), "tree": ([500, 4000], [0.7, math.nan])},
    x_label="messages",
    y_label="accuracy",
    percent="y",
    points={"where we stand": (4000, 0.9)},
)
BARS = bars(["UpperCase", "Numbers"], [0.21, 0.05], paper=[0.2, None], unit="bits")


def figure_of(draw: Draw) -> Figure:
    return Figure("figure", "A figure", "What it shows.", draw)


def texts(draw: Draw) -> list[str]:
    """Return the texts of a figure's SVG, which is checked to be well formed."""
    svg = ElementTree.fromstring(figure_svg(figure_of(draw)))
    return ["".join(one.itertext()) for one in svg.iter() if one.tag.endswith("}text")]


@pytest.mark.parametrize("label", ["$x$", "$", "_hidden", "<b>&", "café", "\x1b", "🦊"])
def test_any_word_can_be_a_label(label: str) -> None:
    shown = texts(bars([label, "b"], [1, 2]))
    assert label.replace("\x1b", "\ufffd") in shown
    assert figure_png(figure_of(bars([label], [1])))


@pytest.mark.parametrize("draw", [BARS, CURVE])
def test_the_same_figure_gives_the_same_bytes(draw: Draw) -> None:
    figure = figure_of(draw)
    assert figure_svg(figure) == figure_svg(figure)
    assert figure_png(figure) == figure_png(figure)


def test_the_users_settings_change_nothing_and_are_kept() -> None:
    figure = figure_of(CURVE)
    before = figure_svg(figure)
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert figure_svg(figure) == before
        assert mpl.rcParams["font.size"] == 30


FILES = ["report.html", "report.md", "report.json", "figures/line.png", "figures/line.svg"]


NOT_DRAWN = Listing("", "(figures/mine.png)")
FIRST, SECOND = (report_of(LINE, NOT_DRAWN, title=title) for title in ("First", "Second"))
BROKEN = report_of(replace(LINE, draw=Mock(side_effect=RuntimeError)))


def test_a_new_folder_holds_all_files_the_same_each_time_for_everybody(tmp_path: Path) -> None:
    for name in ("one", "deep/two"):
        folder = tmp_path / name
        assert save_report(FIRST, folder) == [folder / file for file in FILES]
        assert folder.stat().st_mode == folder.parent.stat().st_mode | 0o055
    assert contents(tmp_path / "one") == contents(tmp_path / "deep" / "two")
    assert b"(figures/line.png)" in contents(folder)["report.md"]


def test_a_folder_that_exists_keeps_what_is_not_of_the_report(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="ascii")
    save_report(FIRST, tmp_path)
    before = contents(tmp_path)
    with pytest.raises(DataError, match=r"report\.html exists already"):
        save_report(SECOND, tmp_path)
    with pytest.raises(RuntimeError):
        save_report(BROKEN, tmp_path, overwrite=True)
    assert contents(tmp_path) == before
    save_report(SECOND, tmp_path, overwrite=True)
    assert sorted(contents(tmp_path)) == sorted([*FILES, "notes.txt"])
    assert b"# Second" in contents(tmp_path)["report.md"]
    (tmp_path / "figures" / "mine.png").write_text("mine", encoding="ascii")
    save_report(report_of("Nothing drawn."), tmp_path, overwrite=True)
    assert sorted(contents(tmp_path)) == sorted([*FILES[:3], "figures/mine.png", "notes.txt"])


def test_a_failure_leaves_all_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError):
        save_report(BROKEN, tmp_path / "results")
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
        with pytest.raises(DataError, match="No space left"):
            save_report(FIRST, tmp_path / "deep" / "results")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "results").write_text("mine", encoding="ascii")
    with pytest.raises(DataError, match="Not a directory"):
        save_report(FIRST, tmp_path / "results")
    assert contents(tmp_path) == {"results": b"mine"}
