"""The files beside an output: messages held back, answers to a sample, and the record.

The record is for who answers for the file: JSON, and a page made of it. No message and no name is
in it, no time of day, so that the same run makes the same record, and no digest of what only its
owner has, by which guesses could be verified. `triage check` adds what it finds.
"""

import heapq
import json
import platform
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triage.data import as_text
from triage.data.errors import whole_characters
from triage.data.output import beside
from triage.dictionaries.lexicon import YOURS
from triage.reports.measures import upper_bound
from triage.reports.page import Block, Report, Table, report_html

from .. import safe
from ..decide import record as triaging
from ..decide.find import Found, Identifier, Judged, is_touched
from ..decide.source import YES_OR_NO, read_rows
from ..errors import TriageError, UserError, reading
from ..model.learnt import versions
from ..safe import STANDARD_STREAM, Staged, checksum, staged
from ..settings import Ambiguous, Hold
from ..vocabulary import SEVERITIES, Action, IdentifierType, Severity, parse_triples
from .keys import digest
from .words import TEXTS, refused

if TYPE_CHECKING:
    from .run import Anonymised, FirstPass

COLUMNS = ("row", "id", "reason", "written")
# Of each message a person says whether they recognise somebody: no search finds who is recognised
# by what is told (Grouin 2013).
SAMPLE = ("row", "text", "recognised")
FORMAT = 2
_said, _table = TEXTS.text, TEXTS.table
_DIGITS = 6
Record = dict[str, Any]
"""Fields of a record, as its JSON has them (docs/guide/publishing.md)."""
Marked = Sequence[tuple[object, Sequence[Identifier]]]
"""The marks of people in each message that is written, and the identifiers found in it."""


class HeldFor(StrEnum):
    """The reasons for which nobody can answer for a message as it would be written."""

    WAITS = "waits for the expert"
    NOTHING_FOUND = "TA in which nothing was found to replace"
    UNMARKED = "TA in which a person marked nothing"
    IN_DOUBT = "TA with a word in doubt"
    ASKED = "holds an identifier of a type that the plan asks about"


def is_held_back(hold: Hold, reason: HeldFor) -> bool:
    is_empty = reason in (HeldFor.NOTHING_FOUND, HeldFor.UNMARKED)
    return hold is Hold.UNDECIDED or (hold is Hold.TA and is_empty)


def reason_of(judged: Judged, found: Found, ambiguous: Ambiguous) -> HeldFor | None:
    """Return why a message should not be written; None where it may be."""
    if judged.action is Action.EXPERT:
        return HeldFor.WAITS
    if found.is_asked:
        return HeldFor.ASKED
    if judged.action is Action.NTA:
        return None
    if judged.is_unmarked:
        return HeldFor.UNMARKED
    if not (found.identifiers or found.kept):
        return HeldFor.NOTHING_FOUND
    return HeldFor.IN_DOUBT if ambiguous is Ambiguous.HOLD and found.ambiguous else None


@dataclass(frozen=True)
class HeldMessage:
    """A message that was held back, or written although it should have been."""

    row: int
    id: str
    reason: HeldFor
    written: bool


def held_path(output: str) -> Path:
    return Path("held.csv") if output == STANDARD_STREAM else beside(output, "held.csv")


def read_held(output: str) -> list[HeldMessage]:
    path = held_path(output)
    if output == STANDARD_STREAM or not path.exists():
        return []

    def held(cells: Mapping[str, str]) -> HeldMessage:
        row, id_, reason, written = (cells[name] for name in COLUMNS)
        return HeldMessage(int(row), id_, HeldFor(reason), written == "yes")

    try:
        return read_rows(path, COLUMNS, held)
    except TriageError:
        raise refused("no_held_list", path=path) from None


def input_rows(held: Iterable[HeldMessage], n: int) -> list[int]:
    """Return the row in the input, from 1, of each of the first messages of an output."""
    missing = {one.row for one in held if not one.written}
    return [*islice((row for row in count(1) if row not in missing), n)]


def draw(texts: Sequence[str], n: int, seed: int) -> list[tuple[int, str]]:
    """Draw `n` messages, or all if there are fewer, in random order; with their rows, from 1."""
    key, rows = str(seed).encode(), range(1, len(texts) + 1)
    drawn = heapq.nsmallest(n, rows, key=lambda row: digest(key, "sample", str(row)))
    return [(row, texts[row - 1]) for row in drawn]


def read_sample(path: Path, drawn: Iterable[tuple[int, str]]) -> list[bool]:
    """Read the answers to a sample; those that are empty are left out."""
    texts = {str(row): whole_characters(text).strip() for row, text in drawn}

    def answer(cells: Mapping[str, str]) -> bool | None:
        if texts.get(cells["row"]) != cells["text"]:
            raise ValueError(
                "not a message of this sample; the file checked, --sample and --seed must be those "
                "that it was made with"
            )
        recognised = YES_OR_NO.get(cells["recognised"].lower())
        if recognised is None and cells["recognised"]:
            raise ValueError("recognised is neither yes nor no")
        return recognised

    all_rows = read_rows(path, ("text", "row", "recognised"), answer)
    if answers := [one for one in all_rows if one is not None]:
        return answers
    raise refused("no_answer", path=path)


def severity_of(kind: str, severity: Mapping[IdentifierType, Severity] = SEVERITIES) -> Severity:
    severities = {
        severity[IdentifierType(part)] if part in IdentifierType.__members__ else Severity.DIRECT
        for part in kind.split("_")
    }
    return Severity.DIRECT if Severity.DIRECT in severities else Severity.INDIRECT


def _residue(marked: Marked, severity: Mapping[IdentifierType, Severity]) -> list[Record]:
    """Count by severity what people marked in the messages written, and what is untouched there."""
    counts, rows = Counter[tuple[str, Severity]](), list[Record]()
    for cell, found in marked:
        untouched = set[Severity]()
        for span in parse_triples(cell if isinstance(cell, list) else as_text(cell), strict=False):
            severity_of_mark = severity_of(span[2], severity)
            counts["marked", severity_of_mark] += 1
            if not is_touched(span, found):
                counts["untouched", severity_of_mark] += 1
                untouched.add(severity_of_mark)
        for severity_of_mark in untouched:
            counts["messages", severity_of_mark] += 1
    for one in Severity:
        numbers = {name: counts[name, one] for name in ("marked", "untouched", "messages")}
        n, total = numbers["messages"], len(marked)
        share, at_most = (n / total, upper_bound(n, total)) if total else (0.0, 1.0)
        rows.append({"severity": one.value, **numbers})
        rows[-1] |= {"share": round(share, _DIGITS), "at_most": round(at_most, _DIGITS)}
    return rows


def make_record(
    seen: "FirstPass", done: "Anonymised", marked: Marked | None, sha256: str, *, is_edited: bool
) -> Record:
    """Return the record of an output that is written and not yet published."""
    plan, key, document = seen.request.plan, seen.request.key, seen.request.treatment.document
    # A document keeps the columns of its format.
    roles = {} if document else done.roles
    return {
        "format": FORMAT,
        "program": {"Python": platform.python_version()} | versions(),
        **_decided(seen),
        "options": _options(seen, is_edited=is_edited),
        # It shows whether two runs had the same key, and no more.
        "key": digest(key, "fingerprint")[:8].hex() if key else "",
        "input": {"rows": done.rows_read},
        "output": {"sha256": sha256, "rows": done.rows_written},
        "reading": {f"{role}_column": name for role, name in roles.items()},
        "language": seen.triage.lexicon.language,
        "changed": done.changed,
        **_became(seen, done),
        "residue": None if marked is None else _residue(marked, plan.severity),
        "document": dict(done.document) if document else None,
    }


def _decided(seen: "FirstPass") -> Record:
    """Return the model and the lists that decided, and what was decided."""
    lexicon, manifest = seen.triage.lexicon, seen.triage.model.manifest
    # Of the user's own lists not even the names are published.
    own = [words for words in lexicon.lists if words.title == YOURS]
    yours = Counter(words.role.value for words in own for _ in words.entries)
    # With words of one's own, these would let anybody verify a guess of them.
    used = {"model": seen.triage.weights, "set of lists": lexicon.fingerprint}
    shown = dict.fromkeys(used, "") if yours else used
    model = {
        "features": manifest.features,
        "learnt_from": manifest.n_ta + manifest.n_nta,
        "weights": shown["model"],
    }
    lists = {
        "shipped": len(lexicon.lists) - len(own),
        "yours": dict(sorted(yours.items())),
        "fingerprint": shown["set of lists"],
    }
    return {"model": model, "lists": lists, "decisions": _decisions(seen, used)}


def _options(seen: "FirstPass", *, is_edited: bool) -> dict[str, str]:
    plan, treatment = seen.request.plan, seen.request.treatment
    answers = {True: "yes", False: "no"}
    names = ["ambiguous", "hold", "sender", "dates", "ids", "lengths"]
    names += ["markup"] if treatment.document else []
    values = {name: getattr(treatment, name) for name in names} | {"style": plan.style}
    values |= {"per-sender": treatment.per_sender, "people": is_edited, "force": treatment.force}
    sources = defaultdict[str, list[str]](list)
    for name, where in sorted(seen.request.origins.items(), key=lambda origin: origin[1]):
        sources[f"said by the {where}"].append(name)
    return {
        **{name: answers.get(one, one) for name, one in values.items()},
        **{where: ", ".join(names) for where, names in sources.items()},
        **plan.recorded(),
    }


def _became(seen: "FirstPass", done: "Anonymised") -> Record:
    """Return how identifiers, messages and columns were treated."""
    plan, columns = seen.request.plan, seen.survey.columns
    replaced = [
        {
            "type": kind,
            "severity": plan.severity[IdentifierType(kind)].value,
            "rule": rule,
            "style": plan.style_of(IdentifierType(kind)).value,
            "identifiers": n,
        }
        for (kind, rule), n in sorted(done.replaced.items())
    ]
    held = [
        {"reason": one.value, "held_back": done.held_back[one], "written": done.released[one]}
        for one in HeldFor
        if done.held_back[one] + done.released[one]
    ]
    treated = [
        {"column": name, "treatment": becomes.format(dates=columns.choice.dates)}
        for name, becomes in zip(seen.survey.public_names(), columns.becomes, strict=True)
    ]
    return {"replaced": replaced, "anonymity": done.anonymity, "held": held, "columns": treated}


def _decisions(seen: "FirstPass", used: Mapping[str, str]) -> Record:
    """Return who decided, and by the record of ``triage classify``, with which policy."""
    counts = Counter((one.by_people, one.action.value) for one in seen.judged)
    by_people, by_machine = (
        {action: n for (by, action), n in sorted(counts.items()) if by is by_whom}
        for by_whom in (True, False)
    )
    run = triaging.read_record(seen.request.source.path)
    fingerprints = {"model": run["weights"], "set of lists": run["dictionaries"]} if run else {}
    return {
        "by_people": by_people,
        "by_machine": by_machine,
        "policy": str(run["policy"].get("name", "")) if run else "",
        "promise": [*run["promise"]] if run else [],
        "other": [name for name in used if fingerprints.get(name, "") not in ("", used[name])],
    }


def record_paths(output: str) -> list[Path]:
    endings = () if output == STANDARD_STREAM else ("json", "html")
    return [beside(output, f"record.{ending}") for ending in endings]


def record_files(
    output: str, record: Record, like: str | Path, *, overwrite: bool = False
) -> Iterator[Staged]:
    """Yield the files of a record, whole and not yet published, as readable as another file."""
    overwrite = overwrite or safe.replaces_records(output)
    written = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    contents = written, report_html(page_of_record(record))
    for path, content in zip(record_paths(output), contents, strict=False):
        yield staged(path, content.encode(), like=like, overwrite=overwrite)


def read_record(output: str) -> Record | None:
    """Return the record beside an output; None where there is none."""
    path = next(iter(record_paths(output)), None)
    if path is None or not path.exists():
        return None
    with reading(str(path)):
        content = path.read_bytes()
    try:
        record: Record = json.loads(content)
        if record["format"] != FORMAT or not isinstance(record["output"]["sha256"], str):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise refused("no_record", path=path) from None
    return record


def add_to_record(output: str, **found: Record | None) -> None:
    """Add what was found of an output (check, sample, publication) to the record beside it."""
    record = read_record(output)
    if record is None:
        return
    path, _ = record_paths(output)
    if checksum(Path(output)) != record["output"]["sha256"]:
        raise refused("output_changed", output=output, path=path)
    with ExitStack() as stack:
        try:
            n_spellings = record.get("check", {"spellings": None})["spellings"]
            check = found.get("check")
            # What was found without spellings does not replace what was found with some.
            if check and check["spellings"] is None and n_spellings is not None:
                del found["check"]
            record |= {name: one for name, one in found.items() if one is not None}
            files = record_files(output, record, output, overwrite=True)
            staged_files = [*map(stack.enter_context, files)]
        except UserError:  # a full disk, of which the record is not to blame
            raise
        except (AttributeError, KeyError, TypeError, ValueError):
            # A person has edited it.
            raise refused("no_record", path=path) from None
        safe.publish_all(staged_files)


def page_of_record(record: Record) -> Report:
    decisions = record["decisions"]
    by_whom = {"people": decisions["by_people"], "the program": decisions["by_machine"]}
    rows = [(who, action, n) for who, actions in by_whom.items() for action, n in actions.items()]
    policy, promise = decisions["policy"], decisions["promise"]
    # The blocks of each part; None for one that does not apply.
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
        "not-promised": TEXTS.figures("not-promised")["paragraphs"],
    }
    chapters = [
        TEXTS.part(name, *(one for one in blocks if one is not None))
        for name, blocks in parts.items()
    ]
    return Report(_said("record.title"), tuple(_about(record)), tuple(chapters))


def _cells(name: str, rows: Sequence[Record] | None, **values: object) -> Table | None:
    """Return a table of the rows of a record; None without rows."""
    return _table(name, [tuple(row.values()) for row in rows], **values) if rows else None


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
    check, sample, publication = map(record.get, ("check", "sample", "publication"))
    yield _cells("left.marked", record["residue"]) or _said("left.not_measured")
    if check is None:
        yield _said("left.not_checked")
    else:
        n = check["spellings"]
        sought = _said("left.forms") if n is None else _said("left.spellings", n=n)
        # As `Checked.result` says it.
        has_findings = any(one["certainty"] != "planned" for one in check["found"])
        clean = "left.nothing_certain" if has_findings else "left.nothing_known"
        result = _said(clean if check["clean"] else "left.not_clean")
        yield _said("left.checked", rows=check["rows"], sought=sought, result=result)
        yield _cells("left.findings", check["found"])
    if not sample:
        yield _said("left.not_asked")
    elif "of" not in sample:
        yield _said("left.asked", **sample)
    else:
        # A sample of the desk, where people read originals.
        yield _said("left.read", **sample)
        yield _said("left.corrected", **sample) if sample["recognised"] else None
        yield _said("left.outdated", **sample) if sample["is_outdated"] else None
    if publication and publication["because"] is not None:
        yield _said("left.because", because=publication["because"])
        if against := publication["against"]:
            yield _table("left.against", [*against.items()])


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
    for term in TEXTS.figures("about"):
        yield term, _said(f"about.{term}", **record, **values)
