"""The record of an anonymised file, for who answers for it: no message and no name is in it.

It is JSON, and a page made of it, beside the output. It holds no time of day, so that the same run
makes the same record. `triage check` adds what it finds.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from triage.data.errors import reading

from ..errors import TriageError
from ..safe import STANDARD_STREAM, Staged, checksum, publish_all, replaces_records, staged
from .held import beside

FORMAT = 1


class ContentFacts(TypedDict):
    """A file: its checksum, empty of a stream, and its rows."""

    sha256: str
    rows: int


class ModelFacts(TypedDict):
    """What weighs words; `weights` is a fingerprint of its weights and of the lists."""

    features: str
    learnt_from: int
    weights: str


class ListFacts(TypedDict):
    """The dictionaries; `yours` are the entries of the user's own lists, by role."""

    shipped: int
    yours: dict[str, int]
    fingerprint: str


class DecisionFacts(TypedDict):
    """Numbers of messages by their action, and how it was decided, empty where that is unknown."""

    by_people: dict[str, int]
    by_machine: dict[str, int]
    policy: str
    promise: list[str]
    model: str
    lists: str


class ReplacedFacts(TypedDict):
    """A number of identifiers that were replaced."""

    type: str
    severity: str
    rule: str
    style: str
    identifiers: int


class HeldFacts(TypedDict):
    """Numbers of messages that were held back for a reason, and written all the same."""

    reason: str
    held_back: int
    written: int


class ColumnFacts(TypedDict):
    """A column of the input, and what became of it."""

    column: str
    treatment: str


class ResidueFacts(TypedDict):
    """Identifiers that people marked in what was written, those untouched, messages with such."""

    severity: str
    marked: int
    untouched: int
    messages: int
    share: float
    at_most: float


class FindingFacts(TypedDict):
    """How often `triage check` found something."""

    certainty: str
    severity: str
    reason: str
    findings: int


class CheckFacts(TypedDict):
    """What `triage check` found; `spellings` were looked for, None where none were known."""

    rows: int
    spellings: int | None
    clean: bool
    found: list[FindingFacts]


class SampleFacts(TypedDict):
    """In how many messages of a sample a person recognised somebody."""

    seed: int
    drawn: int
    answered: int
    recognised: int
    at_most: float


class Record(TypedDict):
    """All that a record tells."""

    format: int
    program: dict[str, str]
    model: ModelFacts
    lists: ListFacts
    decisions: DecisionFacts
    options: dict[str, str]
    key: str
    input: ContentFacts
    output: ContentFacts
    changed: int
    replaced: list[ReplacedFacts]
    held: list[HeldFacts]
    columns: list[ColumnFacts]
    residue: list[ResidueFacts] | None
    check: NotRequired[CheckFacts]
    sample: NotRequired[SampleFacts]


def record_paths(output: str) -> list[Path]:
    """Return the paths of the record of an output, JSON and page; none beside a stream."""
    if output == STANDARD_STREAM:
        return []
    return [beside(output, f"record.{ending}") for ending in ("json", "html")]


def rendered(record: Record) -> tuple[str, str]:
    """Return a record as JSON and as a page."""
    from triage.reports.render import report_html

    from .record_page import page

    return json.dumps(record, ensure_ascii=False, indent=2) + "\n", report_html(page(record))


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
        return cast(Record, record)
    return None


def check_unchanged(output: str, record: Record) -> None:
    """Raise TriageError if an output is not, byte for byte, the one of its record."""
    path, _ = record_paths(output)
    if checksum(Path(output)) != record["output"]["sha256"]:
        raise TriageError(f"{output} was changed after {path} was written: its checksum differs")


def add_to_record(
    output: str, check: CheckFacts | None = None, sample: SampleFacts | None = None
) -> bool:
    """Add what was found of an output to the record beside it; return whether there is one."""
    record = read_record(output)
    if record is None:
        return False
    check_unchanged(output, record)
    try:
        if check is not None and (check["spellings"] is not None or not _knew_spellings(record)):
            record["check"] = check
        if sample is not None:
            record["sample"] = sample
        contents = rendered(record)
    except (AttributeError, KeyError, TypeError, ValueError):
        # A person has edited it.
        raise _no_record(record_paths(output)[0]) from None
    with ExitStack() as stack:
        files = record_files(output, contents, output, overwrite=True)
        publish_all([*map(stack.enter_context, files)])
    return True


def _knew_spellings(record: Record) -> bool:
    return "check" in record and record["check"]["spellings"] is not None


def _no_record(path: Path) -> TriageError:
    return TriageError(f"{path} is no record of triage anonymise: move it away")
