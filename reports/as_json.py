"""A report as JSON, for programs."""

import json
import math
from typing import Any

from triage.reports.document import Block, Cell, Figure, Listing, Part, Report, Table, printable


def report_json(report: Report) -> str:
    """Return a report as JSON.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        An object with `title`, `about` and `parts`. Each of a part's `blocks` has a `kind`:
        `paragraph`, `table`, `figure` or `listing`. A table's `rows` are objects with the unrounded
        cells by their headings, null for nan, and its `paper` names the headings of the paper's
        own figures.

    Examples
    --------
    >>> from triage.reports.document import Column
    >>> table = Table("Leak", (Column("leak", ".1%"),), ((0.0212,),))
    >>> report = Report("Results", (), (Part("leak", "Leak", (table,)),))
    >>> json.loads(report_json(report))["parts"][0]["blocks"][0]["rows"]
    [{'leak': 0.0212}]
    """
    content = {
        "title": report.title,
        "about": dict(report.about),
        "parts": [_part(part) for part in report.parts],
    }
    return printable(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def _part(part: Part) -> dict[str, Any]:
    blocks = [_block(block) for block in part.blocks]
    return {"name": part.name, "title": part.title, "blocks": blocks}


def _block(block: Block) -> dict[str, Any]:
    match block:
        case str():
            return {"kind": "paragraph", "text": block}
        case Table():
            return _table(block)
        case Figure(name=name, title=title, alt=alt):
            return {"kind": "figure", "name": name, "title": title, "alt": alt}
        case Listing(title=title, text=text):
            return {"kind": "listing", "title": title, "text": text}


def _table(table: Table) -> dict[str, Any]:
    headings = table.headings
    return {
        "kind": "table",
        "title": table.title,
        "paper": [column.heading for column in table.columns if column.paper],
        "rows": [dict(zip(headings, map(_value, row), strict=True)) for row in table.rows],
        "note": table.note,
    }


def _value(cell: Cell) -> Cell:
    """Return the cell, or None for a number that JSON does not have."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
