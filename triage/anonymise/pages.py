"""The pages of a record of an anonymised file, and of what a check found in one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from triage.reports.page import Block, Listing, Report, Table, Texts, printable

from .check import Checked
from .record import Record
from .search import Certainty, Left

_TEXTS = Texts(Path(__file__).with_name("texts.toml"))
_said, _table = _TEXTS.said, _TEXTS.table


def page_of_record(record: Record) -> Report:
    decisions = record["decisions"]
    by = {"people": decisions["by_people"], "the program": decisions["by_machine"]}
    rows = [(who, action, n) for who, actions in by.items() for action, n in actions.items()]
    policy, promise = decisions["policy"], decisions["promise"]
    # Of each part the blocks that there are.
    parts: dict[str, Iterable[Block | None]] = {
        "done": _done(record),
        "decided": [
            _table("decided.actions", rows),
            _said("decided.policy", policy=policy) if policy else _said("decided.no_policy"),
            *promise,
            _said("decided.bound") if promise else None,
            _said("decided.no_bound") if policy and not promise else None,
            *(_said("decided.other", what=what) for what in decisions["other"]),
        ],
        "columns": [_cells("columns.treatment", record["columns"])],
        "left": _what_is_left(record),
        "not-promised": _TEXTS.figures("not-promised")["paragraphs"],
    }
    chapters = [
        _TEXTS.part(name, *(one for one in blocks if one is not None))
        for name, blocks in parts.items()
    ]
    return Report(_said("record.title"), tuple(_about(record)), tuple(chapters))


def _cells(name: str, rows: Sequence[Record] | None, **said: object) -> Table | None:
    """Return a table of the rows of a record; None without rows."""
    return _table(name, [tuple(row.values()) for row in rows], **said) if rows else None


def _done(record: Record) -> Iterator[Block | None]:
    replaced, n = record["replaced"], sum(row["identifiers"] for row in record["replaced"])
    reveals = " ".join(_said(f"reveals.{one}") for one in sorted({r["style"] for r in replaced}))
    reveals += _said("done.lengths") if record["options"]["lengths"] == "yes" else ""
    yield _said("done.replaced", n=n, changed=record["changed"])
    yield _table("done.by_type", [tuple(row.values()) for row in replaced], reveals=reveals)
    yield _cells("done.held", record["held"]) or _said("done.not_held")
    if record["document"]:
        yield _table("done.document", [*record["document"].items()])
    yield _cells("done.anonymity", record["anonymity"])
    yield _said("done.key") if record["key"] else None


def _what_is_left(record: Record) -> Iterator[Block | None]:
    found, sample, publication = map(record.get, ("check", "sample", "publication"))
    yield _cells("left.marked", record["residue"]) or _said("left.not_measured")
    if found is None:
        yield _said("left.not_checked")
    else:
        n = found["spellings"]
        sought = _said("left.forms") if n is None else _said("left.spellings", n=n)
        # As `Checked.result` says it.
        known = any(one["certainty"] != Certainty.PLANNED for one in found["found"])
        clean = "left.nothing_certain" if known else "left.nothing_known"
        result = _said(clean if found["clean"] else "left.not_clean")
        yield _said("left.checked", rows=found["rows"], sought=sought, result=result)
        yield _cells("left.findings", found["found"])
    yield from _sampled(sample) if sample else [_said("left.not_asked")]
    if publication and publication["because"] is not None:
        yield _said("left.because", because=publication["because"])
        if against := publication["against"]:
            yield _table("left.against", [*against.items()])


def _sampled(sample: Record) -> Iterator[str]:
    """Yield what a sample told: of a desk, which read originals, or of ``triage check``."""
    if "of" not in sample:
        yield _said("left.asked", **sample)
        return
    yield _said("left.read", **sample)
    if sample["recognised"]:
        yield _said("left.corrected", **sample)
    if sample["is_outdated"]:
        yield _said("left.outdated", **sample)


def _about(record: Record) -> Iterator[tuple[str, str]]:
    sha256, lists, weights = record["output"]["sha256"], record["lists"], record["model"]["weights"]
    yours = (f", {n:,} entries of your own ({role})" for role, n in lists["yours"].items())
    values = {
        "programs": ", ".join(f"{name} {version}" for name, version in record["program"].items()),
        "written": f"SHA-256 {sha256}" if sha256 else "a stream",
        "weights": f", weights {weights}" if weights else "",
        "yours": "".join(yours),
        "made": f", fingerprint {lists['fingerprint']}" if lists["fingerprint"] else "",
        "chosen": ", ".join(f"{name} {value}" for name, value in record["options"].items()),
        "fingerprint": f"fingerprint {record['key']}" if record["key"] else "none",
    }
    for term in _TEXTS.figures("about"):
        yield term, _said(f"about.{term}", **record, **values)


_MOST_PLACES = 50
_WIDTH = 30


def page_of_check(checked: Checked) -> Report:
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
    for sure in (Certainty.CERTAIN, Certainty.LIKELY, Certainty.POSSIBLE):
        if found := [one for one in checked.spellings() if one[0].certainty is sure]:
            rows = [(one[0].text, len(one), one[0].replaced, one[0].reason) for one in found]
            spelt = _table("summary.by_spelling", rows)
            parts.append(_TEXTS.part(sure.value, spelt, *map(_places, found)))
    return Report(_said("check.title"), about, tuple(parts))


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
        line = re.sub(r"\s", " ", f"{left}[{one.text}]{right}")
        yield printable(f"  {line}  {where}, {one.column}")
