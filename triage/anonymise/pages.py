"""The pages of a record of an anonymised file, and of what a check found in one."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from triage.reports.page import Block, Cell, Listing, Report, Table, Texts, printable

from .check import Certainty, Checked, Left
from .record import Record

_TEXTS = Texts(Path(__file__).with_name("texts.toml"))
_said, _table = _TEXTS.said, _TEXTS.table


def page_of_record(record: Record) -> Report:
    """Return the page of a record."""
    parts: dict[str, Iterable[Block]] = {
        "done": _done(record),
        "decided": _decided(record),
        "columns": [_table("columns.treatment", _cells(record["columns"]))],
        "left": _what_is_left(record),
        "not-promised": _TEXTS.figures("not-promised")["paragraphs"],
    }
    chapters = tuple(_TEXTS.part(name, *blocks) for name, blocks in parts.items())
    return Report(_said("record.title"), tuple(_about(record)), chapters)


def _cells(rows: Iterable[Record]) -> list[tuple[Cell, ...]]:
    return [tuple(row.values()) for row in rows]


def _about(record: Record) -> Iterator[tuple[str, str]]:
    sha256, lists, weights = record["output"]["sha256"], record["lists"], record["model"]["weights"]
    values = {
        "programs": ", ".join(f"{name} {version}" for name, version in record["program"].items()),
        "written": f"SHA-256 {sha256}" if sha256 else "a stream",
        "weights": f", weights {weights}" if weights else "",
        "yours": "".join(
            f", {n:,} entries of your own ({role})" for role, n in lists["yours"].items()
        ),
        "made": f", fingerprint {lists['fingerprint']}" if lists["fingerprint"] else "",
        "chosen": ", ".join(f"{name} {value}" for name, value in record["options"].items()),
        "fingerprint": f"fingerprint {record['key']}" if record["key"] else "none",
    }
    for term in _TEXTS.figures("about"):
        yield term, _said(f"about.{term}", **record, **values)


def _done(record: Record) -> Iterator[Block]:
    replaced = record["replaced"]
    n = sum(row["identifiers"] for row in replaced)
    yield _said("done.replaced", n=n, changed=record["changed"])
    reveals = " ".join(_said(f"reveals.{one}") for one in sorted({r["style"] for r in replaced}))
    reveals += _said("done.lengths") if record["options"]["lengths"] == "yes" else ""
    yield _table("done.by_type", _cells(replaced), reveals=reveals)
    held = record["held"]
    yield _table("done.held", _cells(held)) if held else _said("done.not_held")
    if changes := record["document"]:
        yield _table("done.document", [*changes.items()])
    if record["anonymity"]:
        yield _table("done.anonymity", _cells(record["anonymity"]))
    if record["key"]:
        yield _said("done.key")


def _decided(record: Record) -> Iterator[Block]:
    decisions = record["decisions"]
    by = {"people": decisions["by_people"], "the program": decisions["by_machine"]}
    rows = [(who, action, n) for who, actions in by.items() for action, n in actions.items()]
    yield _table("decided.actions", rows)
    policy = decisions["policy"]
    yield _said("decided.policy", policy=policy) if policy else _said("decided.no_policy")
    yield from decisions["promise"]
    if decisions["promise"]:
        yield _said("decided.bound")
    elif policy:
        yield _said("decided.no_bound")
    for what in decisions["other"]:
        yield _said("decided.other", what=what)


def _what_is_left(record: Record) -> Iterator[Block]:
    residue, found, sample = (record.get(name) for name in ("residue", "check", "sample"))
    no_marks = _said("left.not_measured")
    yield no_marks if residue is None else _table("left.marked", _cells(residue))
    if found is None:
        yield _said("left.not_checked")
    else:
        n = found["spellings"]
        sought = _said("left.forms") if n is None else _said("left.spellings", n=n)
        result = _said("left.clean" if found["clean"] else "left.not_clean")
        yield _said("left.checked", rows=found["rows"], sought=sought, result=result)
        if found["found"]:
            yield _table("left.findings", _cells(found["found"]))
    yield _said("left.not_asked") if sample is None else _said("left.asked", **sample)


_MOST_PLACES = 50
_WIDTH = 30
_BREAKS = re.compile(r"\s")


def page_of_check(checked: Checked) -> Report:
    """Return the page of what was found."""
    sought = _said("left.forms") if checked.replaced is None else f"{checked.replaced:,}"
    about = (
        ("Rows looked through", f"{checked.rows:,}"),
        ("Spellings replaced", sought),
        ("Result", checked.result),
    )
    by_reason = _table("summary.by_reason", [(*kind, n) for kind, n in checked.counts().items()])
    whole = [(one.row, one.certainty.value, one.reason) for one in checked.left if not one.text]
    tables = [by_reason, *([_table("summary.whole", whole)] if whole else [])]
    parts = [_TEXTS.part("summary", _said("summary.holds_words"), *tables)]
    spellings = checked.spellings()
    parts += [
        _TEXTS.part(certainty.value, _by_spelling(found), *map(_places, found))
        for certainty in (Certainty.CERTAIN, Certainty.LIKELY, Certainty.POSSIBLE)
        if (found := [one for one in spellings if one[0].certainty is certainty])
    ]
    return Report(_said("check.title"), about, tuple(parts))


def _by_spelling(found: list[list[Left]]) -> Table:
    rows = [(one[0].text, len(one), one[0].replaced, one[0].reason) for one in found]
    return _table("summary.by_spelling", rows)


def _places(spelling: list[Left]) -> Listing:
    lines = [*lines_of(spelling[:_MOST_PLACES])]
    if more := len(spelling) - len(lines):
        lines.append(f"  and {more:,} more")
    return Listing(spelling[0].text, "\n".join(lines))


def lines_of(places: Iterable[Left]) -> Iterator[str]:
    """Yield a line for each place; characters that control a terminal are replaced."""
    for one in places:
        left, right = one.before[-_WIDTH:].rjust(_WIDTH), one.behind[:_WIDTH].ljust(_WIDTH)
        where = f"row {one.row}" if one.row else "header"
        line = _BREAKS.sub(" ", f"{left}[{one.text}]{right}")
        yield printable(f"  {line}  {where}, {one.column}")
