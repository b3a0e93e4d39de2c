"""The reports of ``triage evaluate``, and what each was made from."""

from collections.abc import Callable, Iterable
from pathlib import Path

from triage.reports.page import Part, Report
from triage.safe import checksum

from ..errors import TriageError, UserError, as_typed
from ..model.learnt import versions
from ..settings import check_names
from . import paper
from .corpus import AnnotatedCorpus, Prepared
from .in_use import evidence
from .sources import sources
from .treatment import treatment

PAPER = "Patel et al., Approaches of anonymisation of an SMS corpus, CICLing 2013"

# As `--only` names them.
PARTS: dict[str, Callable[[Prepared], Part]] = {
    "cross-validation": paper.cross_validation,
    "later-messages": paper.later_messages,
    "infogain": paper.information_gain,
    "tree": paper.learnt_tree,
    "seek-hide": paper.seek_hide_alone,
    "combined": paper.combined,
    "annotators": paper.annotators,
    "comparison": paper.comparison,
    "sources": sources,
    "evidence": evidence,
    "treatment": treatment,
}


def chosen_parts(only: str | None, *, second: bool, compare: bool) -> list[str]:
    """Return the parts that are asked for; evidence and treatment, which learn much, by name."""
    optional = {"annotators": second, "comparison": compare, "evidence": False, "treatment": False}
    asked = [name for name in PARTS if optional.get(name, True)]
    if only is None:
        return asked
    check_names([only], PARTS, "part")
    if only == "annotators" and not second:
        raise TriageError("name the second annotator's column with --second-label")
    if others := {*asked} & {*optional} - {only}:
        option = "--compare" if "comparison" in others else "--second-label"
        raise TriageError(f"{option} has no effect with --only {only}: leave it out")
    return [only]


def measured(prepared: Prepared, names: list[str]) -> tuple[Part, ...]:
    parts = []
    step = prepared.progress(len(names), "parts") if prepared.progress and len(names) > 1 else None
    for name in names:
        try:
            parts.append(PARTS[name](prepared))
        except UserError as error:
            # The other parts need neither the extra nor marked identifiers.
            if len(names) == 1 or name != "sources":
                raise
            parts.append(Part(name, "The methods of the sources", [f"Not measured: {error}"]))
        if step:
            step(1)
    return tuple(parts)


def report_of(
    corpus: AnnotatedCorpus,
    parts: tuple[Part, ...],
    options: Iterable[str],
    source: Path,
    *about: tuple[str, str],
) -> Report:
    """Return a report with what it was made from: command, file, and versions of the program."""
    counts = f"{len(corpus.messages):,} messages, {int(corpus.is_ta.sum()):,} of them TA"
    digest = f"; SHA-256 {checksum(source)}" if source.is_file() else ""
    made_from = (
        ("Command", as_typed("triage", "evaluate", source.name, *options)),
        ("Data", f"{source.name}, {counts}{digest}"),
        ("Program", ", ".join(f"{name} {version}" for name, version in versions().items())),
    )
    return Report("Evaluation of the triage", (*made_from, *about), parts)
