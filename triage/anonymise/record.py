"""The record of an anonymised file, for who answers for it: no message and no name is in it.

It is JSON, and a page made of it, beside the output. It holds no time of day, so that the same run
makes the same record. `triage check` adds what it finds.
"""

import json
import platform
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triage.data import MessageFile, as_text
from triage.dictionaries.lexicon import YOURS
from triage.reports.measures import upper_bound

from ..decide import run_record
from ..decide.pipeline import Triage
from ..errors import TriageError, reading
from ..model.annotated import Spans
from ..model.learnt import versions
from ..safe import STANDARD_STREAM, Staged, checksum, publish_all, replaces_records, staged
from ..settings import Senders
from ..vocabulary import IdentifierType, parse_triples
from .columns import Plan, position_of
from .held import Reason, Residue, beside
from .keys import digest
from .styles import Styles

if TYPE_CHECKING:
    from .first_pass import AnonymiseRequest, FirstPass
    from .run import Anonymised

FORMAT = 1
_MARKED = "spans"
_FINGERPRINT_BYTES = 8
_DIGITS = 6


Record = dict[str, Any]
"""Fields of a record, as its JSON has them (docs/anonymise.md)."""


def decided_of(source: str) -> Record:
    """Return how a file was decided, from the record of ``triage classify`` beside it."""
    run = run_record.read_record(source)
    if run is None:
        return {"policy": "", "promise": [], "model": "", "lists": ""}
    return {
        "policy": str(run.policy.get("name", "")),
        "promise": [*run.promise],
        "model": run.weights,
        "lists": run.dictionaries,
    }


@dataclass(frozen=True)
class About:
    """Facts of a run that stand in neither its file nor its request."""

    triage: Triage
    styles: Styles
    options: Mapping[str, str]
    decided: Record


def style_options(*, per_sender: bool, entities: bool, force: bool) -> dict[str, str]:
    told = {"per-sender": per_sender, "entities": entities, "force": force}
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
    path = request.source.path
    # A stream, or a pipe, cannot be read once more.
    is_file = path != STANDARD_STREAM and Path(path).is_file()
    input_sha256 = checksum(Path(path)) if is_file else ""
    names = seen.survey.public_names()
    return {
        "format": FORMAT,
        "program": {"Python": platform.python_version()} | versions(),
        "model": _model(about.triage),
        "lists": _lists(about.triage),
        "decisions": _decisions(seen, about.decided),
        "options": _options(request) | {"style": str(about.styles)} | dict(about.options),
        "key": fingerprint(request.key) if request.key else "",
        "input": {"sha256": input_sha256, "rows": done.rows_read},
        "output": {"sha256": output_sha256, "rows": done.rows_written},
        "changed": done.changed,
        "replaced": [*_replaced(done, about.styles)],
        "held": [*_held(done)],
        "columns": [
            {"column": name, "treatment": _treatment(seen.survey.plan, position)}
            for position, name in enumerate(names)
        ],
        "residue": None if residue is None else [*_residue(residue)],
    }


def fingerprint(key: bytes) -> str:
    """Return a fingerprint of a key: it tells whether two runs had the same key, and no more."""
    return digest(key, "fingerprint")[:_FINGERPRINT_BYTES].hex()


def _model(triage: Triage) -> Record:
    manifest = triage.model.manifest
    return {
        "features": manifest.features,
        "learnt_from": manifest.n_ta + manifest.n_nta,
        "weights": triage.weights,
    }


def _lists(triage: Triage) -> Record:
    lists = triage.lexicon.lists
    # Of the user's own lists not even the names of the files: they may be those of people.
    yours: Counter[str] = Counter()
    for words in lists:
        if words.title == YOURS:
            yours[words.role.value] += len(words.entries)
    return {
        "shipped": sum(words.title != YOURS for words in lists),
        "yours": dict(sorted(yours.items())),
        "fingerprint": triage.lexicon.fingerprint,
    }


def _decisions(seen: "FirstPass", decided: Record) -> Record:
    counts = Counter((one.by_people, one.action.value) for one in seen.judged)
    by = {
        by_people: {action: n for (who, action), n in sorted(counts.items()) if who is by_people}
        for by_people in (True, False)
    }
    return {"by_people": by[True], "by_machine": by[False], **decided}


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


def _held(done: "Anonymised") -> Iterator[Record]:
    for reason in Reason:
        held_back, written = done.held_back[reason], done.released[reason]
        if held_back or written:
            yield {"reason": reason.value, "held_back": held_back, "written": written}


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


def _residue(residue: Residue) -> Iterator[Record]:
    n = residue.n_messages
    for one in residue.by_severity:
        yield {
            "severity": one.severity.value,
            "marked": one.marked,
            "untouched": one.untouched,
            "messages": one.messages,
            "share": round(one.messages / n, _DIGITS) if n else 0.0,
            "at_most": round(upper_bound(one.messages, n), _DIGITS) if n else 1.0,
        }


def record_paths(output: str) -> list[Path]:
    """Return the paths of the record of an output, JSON and page; none beside a stream."""
    if output == STANDARD_STREAM:
        return []
    return [beside(output, f"record.{ending}") for ending in ("json", "html")]


def rendered(record: Record) -> tuple[str, str]:
    from triage.reports.page import report_html

    from .pages import page_of_record

    return json.dumps(record, ensure_ascii=False, indent=2) + "\n", report_html(
        page_of_record(record)
    )


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


def check_unchanged(output: str, record: Record) -> None:
    """Raise TriageError if an output is not, byte for byte, the one of its record."""
    path, _ = record_paths(output)
    if checksum(Path(output)) != record["output"]["sha256"]:
        raise TriageError(f"{output} was changed after {path} was written: its checksum differs")


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
    check_unchanged(output, record)
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
        raise _no_record(record_paths(output)[0]) from None
    with ExitStack() as stack:
        files = record_files(output, contents, output, overwrite=True)
        publish_all([*map(stack.enter_context, files)])
    return True


def _no_record(path: Path) -> TriageError:
    return TriageError(f"{path} is no record of triage anonymise: move it away")
