"""The record of an anonymised file, for who answers for it: no message and no name is in it.

It is JSON, and a page made of it, beside the output. It holds no time of day, so that the same run
makes the same record, and no digest of what only its owner has, by which guesses could be verified.
`triage check` adds what it finds.
"""

import json
import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triage.data import MessageFile, as_text
from triage.dictionaries.lexicon import YOURS
from triage.reports.measures import upper_bound

from ..decide import run_record
from ..decide.pipeline import Triage
from ..errors import TriageError, reading
from ..model.annotated import Spans
from ..model.find import Identifier, is_touched
from ..model.learnt import versions
from ..safe import STANDARD_STREAM, Staged, checksum, publish_all, replaces_records, staged
from ..settings import Senders
from ..vocabulary import IdentifierType, Severity, parse_triples
from .columns import Plan, position_of
from .held import Reason, beside
from .keys import digest
from .styles import Styles

if TYPE_CHECKING:
    from .first_pass import AnonymiseRequest, FirstPass
    from .run import Anonymised

FORMAT = 2
_MARKED = "spans"
_FINGERPRINT_BYTES = 8
_DIGITS = 6


Record = dict[str, Any]
"""Fields of a record, as its JSON has them (docs/guide/publishing.md)."""

Marked = tuple[int, int, str]
"""Start, end and type, which may be open (``NOM_SUR``) or none that is known here."""


def severity_of(kind: str) -> Severity:
    """Return the severity of a type: the graver where it is open, direct where it is unknown."""
    known = IdentifierType.__members__
    severities = {
        IdentifierType(part).severity if part in known else Severity.DIRECT
        for part in kind.split("_")
    }
    return Severity.DIRECT if Severity.DIRECT in severities else Severity.INDIRECT


def is_covered(span: Marked, found: Iterable[Identifier]) -> bool:
    """Return whether all characters of a marked identifier are replaced."""
    return {*range(span[0], span[1])} <= {at for one in found for at in range(one.start, one.end)}


@dataclass
class Residue:
    """Marked identifiers in the messages that are written, by severity: all, those untouched."""

    n_messages: int = 0
    marked: Counter[Severity] = field(default_factory=Counter)
    untouched: Counter[Severity] = field(default_factory=Counter)
    messages: Counter[Severity] = field(default_factory=Counter)

    def add(self, marked: Iterable[Marked], found: Sequence[Identifier]) -> None:
        spans = [(severity_of(span[2]), span) for span in marked]
        left = Counter(severity for severity, span in spans if not is_touched(span, found))
        self.n_messages += 1
        self.marked.update(severity for severity, _ in spans)
        self.untouched.update(left)
        self.messages.update({*left})

    def told(self) -> list[Record]:
        n = self.n_messages
        return [
            {
                "severity": severity.value,
                "marked": self.marked[severity],
                "untouched": self.untouched[severity],
                "messages": (left := self.messages[severity]),
                "share": round(left / n, _DIGITS) if n else 0.0,
                "at_most": round(upper_bound(left, n), _DIGITS) if n else 1.0,
            }
            for severity in Severity
        ]


def decided_of(source: str) -> Record:
    """Return how a file was decided, from the record of ``triage classify`` beside it."""
    run = run_record.read_record(source)
    if run is None:
        return {"policy": "", "promise": [], "model": "", "set of lists": ""}
    return {
        "policy": str(run["policy"].get("name", "")),
        "promise": [*run["promise"]],
        "model": run["weights"],
        "set of lists": run["dictionaries"],
    }


@dataclass(frozen=True)
class About:
    """Facts of a run that stand in neither its file nor its request."""

    triage: Triage
    styles: Styles
    options: Mapping[str, str]
    decided: Record


def style_options(*, per_sender: bool, people: bool, force: bool) -> dict[str, str]:
    told = {"per-sender": per_sender, "people": people, "force": force}
    return {option: "yes" if is_given else "no" for option, is_given in told.items()}


def marked_position(file: MessageFile) -> int | None:
    """Return the position of the column of identifiers that people marked; None without one."""
    position = position_of(file, _MARKED)
    return None if position == file.text_position else position


def marked(cell: object) -> Spans:
    return parse_triples(cell if isinstance(cell, list) else as_text(cell), strict=False)


def make_record(
    request: "AnonymiseRequest",
    seen: "FirstPass",
    about: About,
    done: "Anonymised",
    residue: Residue | None,
    output_sha256: str,
) -> Record:
    """Return the record of an output that is written and not yet published."""
    plan, manifest = seen.survey.plan, about.triage.model.manifest
    yours = _yours(about.triage)
    # With words of one's own, these would let anybody verify a guess of them.
    weights, lists = about.triage.weights, about.triage.lexicon.fingerprint
    return {
        "format": FORMAT,
        "program": {"Python": platform.python_version()} | versions(),
        "model": {
            "features": manifest.features,
            "learnt_from": manifest.n_ta + manifest.n_nta,
            "weights": "" if yours else weights,
        },
        "lists": {
            "shipped": sum(words.title != YOURS for words in about.triage.lexicon.lists),
            "yours": yours,
            "fingerprint": "" if yours else lists,
        },
        "decisions": _decisions(seen, about.decided, {"model": weights, "set of lists": lists}),
        "options": _options(request) | {"style": str(about.styles)} | dict(about.options),
        "key": fingerprint(request.key) if request.key else "",
        "input": {"rows": done.rows_read},
        "output": {"sha256": output_sha256, "rows": done.rows_written},
        "changed": done.changed,
        "replaced": [*_replaced(done, about.styles)],
        "anonymity": done.anonymity,
        "held": [
            {"reason": reason.value, "held_back": held, "written": written}
            for reason in Reason
            if (held := done.held_back[reason]) + (written := done.released[reason])
        ],
        "columns": [
            {"column": name, "treatment": _treatment(plan, position)}
            for position, name in enumerate(seen.survey.public_names())
        ],
        "residue": None if residue is None else residue.told(),
        "document": dict(done.document) if request.treatment.document else None,
    }


def fingerprint(key: bytes) -> str:
    """Return a fingerprint of a key: it tells whether two runs had the same key, and no more."""
    return digest(key, "fingerprint")[:_FINGERPRINT_BYTES].hex()


def _yours(triage: Triage) -> dict[str, int]:
    """Count the entries of the user's own lists, of which not even the names are told."""
    yours: Counter[str] = Counter()
    for words in triage.lexicon.lists:
        if words.title == YOURS:
            yours[words.role.value] += len(words.entries)
    return dict(sorted(yours.items()))


def _decisions(seen: "FirstPass", decided: Record, finding: Mapping[str, str]) -> Record:
    counts = Counter((one.by_people, one.action.value) for one in seen.judged)
    by = {
        by_people: {action: n for (who, action), n in sorted(counts.items()) if who is by_people}
        for by_people in (True, False)
    }
    return {
        "by_people": by[True],
        "by_machine": by[False],
        "policy": decided["policy"],
        "promise": decided["promise"],
        "other": [what for what, used in finding.items() if decided[what] not in ("", used)],
    }


def _options(request: "AnonymiseRequest") -> dict[str, str]:
    treatment = request.treatment
    names = ("ambiguous", "hold", "sender", "dates", "ids")
    chosen = {name: getattr(treatment, name).value for name in names}
    chosen["lengths"] = "yes" if treatment.lengths else "no"
    return chosen | ({"markup": treatment.markup.value} if treatment.document else {})


def _replaced(done: "Anonymised", styles: Styles) -> Iterator[Record]:
    for (kind, rule), n in sorted(done.replaced.items()):
        yield {
            "type": kind,
            "severity": IdentifierType(kind).severity.value,
            "rule": rule,
            "style": styles.of(IdentifierType(kind)).value,
            "identifiers": n,
        }


def _treatment(plan: Plan, position: int) -> str:
    if position not in plan.written:
        return "dropped"
    if position == plan.text:
        return "messages, with identifiers replaced"
    choice = plan.choice
    how = {plan.sender: choice.sender, plan.date: choice.dates, plan.id: choice.ids}
    if position in plan.others:
        return f"changed: {Senders.PSEUDONYM.value}"
    if position in plan.changed:
        return f"changed: {how[position].value}"
    if position in plan.searched:
        return "kept, searched for identifiers"
    return "kept as it is, unsearched"


def record_paths(output: str) -> list[Path]:
    """Return the paths of the record of an output, JSON and page; none beside a stream."""
    if output == STANDARD_STREAM:
        return []
    return [beside(output, f"record.{ending}") for ending in ("json", "html")]


def rendered(record: Record) -> tuple[str, str]:
    from triage.reports.page import report_html

    from .record_page import page_of_record

    page = report_html(page_of_record(record))
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n", page


def record_files(
    output: str, record: tuple[str, str], like: str | Path, *, overwrite: bool = False
) -> Iterator[Staged]:
    """Yield the files of a record, whole and not yet published, as readable as another file."""
    overwrite = overwrite or replaces_records(output)
    for path, content in zip(record_paths(output), record, strict=True):
        yield staged(path, content.encode(), like=like, overwrite=overwrite)


def read_record(output: str) -> Record | None:
    """Return the record beside an output; None where there is none."""
    for path in record_paths(output)[:1]:
        if not path.exists():
            return None
        with reading(str(path)):
            content = path.read_bytes()
        try:
            record = json.loads(content)
            if record["format"] != FORMAT or not isinstance(record["output"]["sha256"], str):
                raise ValueError
        except (ValueError, TypeError, KeyError, RecursionError):
            raise _no_record(path) from None
        return {**record}
    return None


def add_to_record(
    output: str,
    check: Record | None = None,
    sample: Record | None = None,
    publication: Record | None = None,
) -> bool:
    """Add what was found of an output to the record beside it; return whether there is one."""
    record = read_record(output)
    if record is None:
        return False
    path, _ = record_paths(output)
    if checksum(Path(output)) != record["output"]["sha256"]:
        raise TriageError(f"{output} was changed after {path} was written: its checksum differs")
    try:
        known = record.get("check", {"spellings": None})["spellings"]
        # What was found without spellings does not replace what was found with some.
        if check is not None and (check["spellings"] is not None or known is None):
            record["check"] = check
        if sample is not None:
            record["sample"] = sample
        if publication is not None:
            record["publication"] = publication
        contents = rendered(record)
    except (AttributeError, KeyError, TypeError, ValueError):
        # A person has edited it.
        raise _no_record(path) from None
    with ExitStack() as stack:
        files = record_files(output, contents, output, overwrite=True)
        publish_all([*map(stack.enter_context, files)])
    return True


def _no_record(path: Path) -> TriageError:
    return TriageError(f"{path} is no record of triage anonymise: move it away")
