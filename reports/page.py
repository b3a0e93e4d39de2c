"""A report as one page of HTML that needs nothing else."""

from html import escape

from triage.reports.document import Block, Column, Figure, Listing, Part, Report, Table, printable
from triage.reports.figures import figure_svg

_STYLE = """
:root {
  --paper: #fff; --ink: #1b1f24; --soft: #59636e; --line: #d0d7de; --tint: #f3f5f7;
  --theirs: #fdf3dc; --link: #0b5394; --shade: #0003;
  color-scheme: light dark;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --ink: #e4e8ec; --soft: #9ba6b1; --line: #39424c; --tint: #1d232a;
    --theirs: #332b17; --link: #7db8f0; --shade: #000b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem 4rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
h1, h2 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.9rem; margin: 0 0 1rem; }
h2 { font-size: 1.4rem; margin: 3rem 0 0.5rem; padding-top: 0.75rem; }
section h2 { border-top: 1px solid var(--line); }
nav h2 { font-size: 1rem; margin: 1.5rem 0 0.25rem; padding: 0; }
p { max-width: 44rem; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
nav ol { margin: 0; padding-left: 1.5rem; }
nav li { padding: 0.15rem 0; }
figure { margin: 1.75rem 0; }
figcaption, caption { font-weight: 600; text-align: left; padding-bottom: 0.5rem; }
/* A caption stays in sight while its wide table is scrolled. */
caption span { display: inline-block; position: sticky; left: 0; max-width: calc(100vw - 2rem); }
/* Shade at the edges beyond which there is more: the covers scroll along, the shade does not. */
.scroll {
  overflow-x: auto;
  background:
    linear-gradient(to right, var(--paper) 40%, transparent) left / 2rem 100% local,
    linear-gradient(to left, var(--paper) 40%, transparent) right / 2rem 100% local,
    linear-gradient(to right, var(--shade), transparent) left / 0.75rem 100% scroll,
    linear-gradient(to left, var(--shade), transparent) right / 0.75rem 100% scroll;
  background-repeat: no-repeat;
}
.table { margin: 1.75rem 0; }
table { border-collapse: collapse; font-size: 0.94rem; }
th, td { padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left; }
thead th { vertical-align: bottom; border-bottom: 2px solid var(--soft); }
tbody th { font-weight: 400; }
tbody th, tbody td { vertical-align: top; }
tbody tr:hover { background: var(--tint); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
.paper { background: var(--theirs); font-style: italic; }
.note { color: var(--soft); font-size: 0.9em; margin: 0.5rem 0 0; }
/* Figures are drawn in dark ink, so they keep a light ground; narrower, none could be read. */
.drawing {
  width: fit-content; min-width: 30rem; padding: 0.5rem;
  background: #fff; border: 1px solid var(--line); border-radius: 6px;
}
svg { display: block; max-width: 100%; height: auto; }
pre {
  width: max-content; min-width: 100%; margin: 0; padding: 0.75rem 1rem;
  background: var(--tint); border-radius: 6px;
  font: 0.87em/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
@media screen {
  /* What names a row stays in sight too. */
  tbody th, table:has(tbody th) thead th:first-child {
    position: sticky; left: 0; background: var(--paper);
  }
  tbody tr:hover th { background: var(--tint); }
}
@media screen and (min-width: 40rem) {
  tbody th { white-space: nowrap; }
}
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 14rem minmax(0, 1fr); column-gap: 3rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; }
  nav h2 { margin-top: 2rem; }
  caption span { max-width: 54rem; }
}
@media (max-width: 30rem) {
  tbody th { max-width: 40vw; overflow-wrap: break-word; }
  dl { grid-template-columns: 1fr; }
  dd { margin-bottom: 0.4rem; }
}
@media print {
  @page { margin: 18mm; }
  body { display: block; max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  h2, figcaption, caption { break-after: avoid; }
  tr, figure.picture { break-inside: avoid; }
  .scroll { overflow: visible; background: none; }
  .drawing { min-width: 0; padding: 0; border: 0; }
  pre { width: auto; white-space: pre-wrap; }
  table { font-size: 9pt; }
  th, td { padding: 0.2rem 0.4rem; }
  caption span { position: static; max-width: none; }
  .paper { print-color-adjust: exact; }
}
"""

# The browser itself then refuses anything from elsewhere.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report_html(report: Report) -> str:
    """Return a report as one page of HTML, without scripts and with nothing from elsewhere.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str

    Examples
    --------
    >>> page = report_html(Report("Results", (), (Part("leak", "Leak", ("2 < 3",)),)))
    >>> "<h1>Results</h1>" in page, "<p>2 &lt; 3</p>" in page
    (True, True)
    """
    title = escape(report.title)
    contents = "\n".join(_entry(part) for part in report.parts)
    parts = "\n".join(_part(part) for part in report.parts)
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<h1>{title}</h1>
{_about(report)}
</header>
<nav aria-labelledby="contents.title">
<h2 id="contents.title">Contents</h2>
<ol>
{contents}
</ol>
</nav>
<main>
{parts}
</main>
</body>
</html>
"""
    return printable(page)


def _about(report: Report) -> str:
    entries = (f"<dt>{escape(term)}</dt><dd>{escape(value)}</dd>" for term, value in report.about)
    return _element("dl", "\n".join(entries)) if report.about else ""


def _entry(part: Part) -> str:
    return f'<li><a href="#{part.name}">{escape(part.title)}</a></li>'


def _part(part: Part) -> str:
    # No name of a part has a dot, so these ids are never the name of another.
    blocks = (_block(block, f"{part.name}.{i}") for i, block in enumerate(part.blocks, start=1))
    heading = f'<h2 id="{part.name}.title">{escape(part.title)}</h2>'
    start = f'<section id="{part.name}" aria-labelledby="{part.name}.title">'
    return "\n".join([start, heading, *blocks, "</section>"])


def _block(block: Block, name: str) -> str:
    match block:
        case str():
            return _element("p", escape(block))
        case Table():
            return _table(block, name)
        case Figure():
            return _figure(block, name)
        case Listing():
            text = f"<pre>{escape(block.text)}</pre>"
            return _captioned(block.title, _scrolling(text, name), name, "listing")


def _table(table: Table, name: str) -> str:
    caption = f'<caption id="{name}"><span>{escape(table.title)}</span></caption>'
    looks = [*map(_look, table.columns, table.to_the_right)]
    heading = _row(table.headings, ['th scope="col"'] * len(looks), looks)
    # A row is named by its first cell, unless that is a number.
    first = "td" if table.to_the_right[0] else 'th scope="row"'
    tags = [first, *["td"] * (len(looks) - 1)]
    rows = "\n".join(_row(cells, tags, looks) for cells in table.shown_rows())
    body = f"<thead>\n{heading}\n</thead>\n<tbody>\n{rows}\n</tbody>"
    scrolling = _scrolling(f"<table>\n{caption}\n{body}\n</table>", name)
    note = f'\n<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f'<div class="table">\n{scrolling}{note}\n</div>'


def _look(column: Column, to_the_right: bool) -> str:
    classes = ["number"] * to_the_right + ["paper"] * column.paper
    return f' class="{" ".join(classes)}"' if classes else ""


def _row(cells: list[str], tags: list[str], looks: list[str]) -> str:
    filled = (
        f"<{tag}{look}>{escape(cell)}</{tag.split()[0]}>"
        for cell, tag, look in zip(cells, tags, looks, strict=True)
    )
    return f"<tr>{''.join(filled)}</tr>"


def _figure(figure: Figure, name: str) -> str:
    svg = figure_svg(figure)
    # What comes before the element belongs to a file of its own.
    element = svg[svg.index("<svg ") :].rstrip()
    drawing = _scrolling(f'<div class="drawing">{element}</div>', name)
    return _captioned(figure.title, drawing, name, "picture")


def _captioned(title: str, content: str, name: str, kind: str) -> str:
    caption = f'<figcaption id="{name}">{escape(title)}</figcaption>'
    return f'<figure class="{kind}">\n{caption}\n{content}\n</figure>'


def _scrolling(content: str, name: str) -> str:
    """Put wide content in a box that scrolls by itself, also with the keyboard."""
    box = f'<div class="scroll" role="region" aria-labelledby="{name}" tabindex="0">'
    return f"{box}\n{content}\n</div>"


def _element(tag: str, content: str) -> str:
    return f"<{tag}>{content}</{tag}>"
