"""The content of each page, from a project, as plain data for a template."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from triage.data import Format

from ..anonymise.check import Certainty
from ..anonymise.grading import Reason
from ..anonymise.record import record_paths
from ..decide.workload import SECONDS_PER_MESSAGE
from ..publish import FORMS, Published
from ..queue import Queue
from ..settings import OfType, StyleName
from . import importing as corpus
from . import names, quality
from . import publishing as publication
from . import replacing as plans
from .forms import CODES, HTTPError, Translator, translator
from .project import Project
from .publishing import checked
from .replacing import chosen_columns, first_plan
from .stages import Name
from .steps import ORDER, State, Step, states, work

Shown = dict[str, object]
# The pages of a project from which a step is started.
PAGES = ("", *Name, "replace/names", "verify/sample", "project")
# What the program has left open is no decision of its own.
_OPEN = "EXPERT"
_MOST_SPELLINGS = 50
_RADIUS = 54.0
_REASONS = {reason.value: reason.name for reason in Reason}


@dataclass(frozen=True)
class Ring:
    """A ring of which a part is filled, in numbers that a template draws in SVG."""

    part: int
    whole: int

    @property
    def share(self) -> float:
        """The part that is filled; all of it where there is nothing."""
        return self.part / self.whole if self.whole else 1.0

    @property
    def length(self) -> float:
        return 2 * math.pi * _RADIUS

    @property
    def filled(self) -> float:
        return self.length * self.share


@dataclass(frozen=True)
class Bar:
    """A bar: its label, its count, and its width in percent of the widest."""

    label: str
    n: int
    width: float


def _bars(counts: Mapping[str, int]) -> list[Bar]:
    most = max(counts.values(), default=0) or 1
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [Bar(label, n, round(100 * n / most, 1)) for label, n in ordered]


def share_of(written: str) -> float:
    """Return a share that a person gave in percent; HTTPError if it is none."""
    try:
        share = float(written.replace(",", ".")) / 100
    except ValueError:
        raise HTTPError(400, "error.form") from None
    if not 0 < share <= 1:
        raise HTTPError(400, "error.form")
    return share


def overview(project: Project, t: Translator) -> Shown:
    return {
        "commands": [
            *(work(project, step).shown for step in ORDER),
            publication.publishing(project, ()).shown,
        ],
        "queue": _queue(project, t),
        "types_found": _types_found(project, t),
        "history": [*project.history()][-10:][::-1],
        "settings": project.settings,
    }


def _queue(project: Project, t: Translator) -> Mapping[str, object] | None:
    if not project.queue.exists():
        return None
    counts = corpus.counts(project)
    with Queue.open(project.queue) as queue:
        status = queue.status()
    left = status.items - status.items_final
    return {
        "status": status,
        "left": left,
        "time": t.duration(left * SECONDS_PER_MESSAGE),
        "ring": Ring(status.items_final, status.items),
        "deciders": _bars(
            {t("desk.the_program"): sum(n for action, n in counts.items() if action != _OPEN)}
            | dict(status.annotators)
        ),
    }


def _types_found(project: Project, t: Translator) -> list[Bar]:
    """Return how many identifiers of each type were replaced, as the record tells."""
    record = _record(project)
    found: Counter[str] = Counter()
    for one in record["replaced"] if record else ():
        found[f"{one['type']} {t.known('type.' + one['type'], '')}".strip()] += one["identifiers"]
    return _bars(found)


def _record(project: Project) -> Mapping[str, Any] | None:
    path = record_paths(str(project.anonymised))[0]
    if not path.exists():
        return None
    record: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record


def importing(project: Project) -> Shown:
    """Return how the file is read, and what becomes of its columns."""
    problem, plan = plans.plan_or_default(project)
    found = corpus.preview(project, plan.treatment.date_column)
    if not (problem or project.plan.exists()):
        plan = first_plan(found)
    return {
        "preview": found,
        "settings": project.settings,
        "plan": plan,
        "plan_problem": problem,
        "columns": chosen_columns(plan, found),
        "formats": [*Format],
        "command": work(project, Step.CLASSIFY).shown,
    }


def bounds(project: Project, t: Translator, person: str) -> Shown:
    """Return the bounds of the triage, what each asks of people, and what came of the last one."""
    counts, pace = corpus.counts(project), corpus.pace(project, person)
    found = corpus.bounds(project)
    return {
        "settings": project.settings,
        "state": states(project)[Step.CLASSIFY],
        "commands": (
            work(project, Step.CLASSIFY).shown,
            f"triage workload {project.relative(project.triaged)}",
        ),
        "counts": counts,
        "total": sum(counts.values()),
        "to_read": counts.get(_OPEN, 0),
        "time": t.duration(counts.get(_OPEN, 0) * pace.seconds),
        "bounds": found,
        "times": [t.duration(one.expert * pace.seconds) for one in found.rows],
        "pace": pace,
        "chosen": found.nearest(project.settings.max_residue),
    }


def replacing(project: Project) -> Shown:
    """Return the plan, the styles on messages of the corpus, and what was held back."""
    problem, plan = plans.plan_or_default(project)
    found = corpus.preview(project, plan.treatment.date_column)
    n_held, held = plans.held_back(project)
    return {
        "problem": problem,
        "plan": plan,
        "cards": plans.style_cards(project),
        "treatments": [*OfType],
        "columns": chosen_columns(plan, found),
        "n_held": n_held,
        "held": held,
        "state": states(project)[Step.ANONYMISE],
        "command": work(project, Step.ANONYMISE).shown,
    }


def naming(project: Project, offset: int, problem: str = "") -> Shown:
    """Return the entities of a project, the most frequent first."""
    table = names.table_of(project)
    found = names.entities_of(project)
    entries = table.entries if table else ()
    shown = found[offset : offset + names.ROWS]
    wanted = {entry for one in shown for entry in one.entries}
    places = {entry: number for number, entry in enumerate(entries) if entry in wanted}
    return {
        "problem": problem,
        "table": entries,
        "found": shown,
        "numbers": {one.number: [places[entry] for entry in one.entries] for one in shown},
        "total": len(found),
        "offset": offset,
        "rows": names.ROWS,
        "may_make": states(project)[Step.ANONYMISE] is not State.LOCKED,
        "command": work(project, Step.NAMES).shown,
    }


def sampling(project: Project, problem: str = "") -> Shown:
    """Return the sample that a person reads, and what it says so far."""
    sample = quality.read(project)
    is_outdated = sample is not None and quality.is_outdated(project, sample)
    following = sample.next if sample and not is_outdated else None
    return {
        "problem": problem,
        "sample": sample,
        "bounds": quality.BOUNDS,
        "sizes": {bound: quality.size_for(bound) for bound in quality.BOUNDS},
        "may_begin": project.final.exists(),
        "row": following[1] if following else 0,
        "text": quality.text_of(project, sample, following[1]) if sample and following else "",
        "is_outdated": is_outdated,
        "n_rows": sum(map(len, sample.rows.values())) if sample else 0,
        "measured": quality.measured(sample) if sample else None,
    }


def checking(project: Project) -> Shown:
    """Return what the check found, by spelling, the most certain first."""
    found = checked(project)
    spellings = _spellings(found["left"]) if found else []
    return {
        "found": found,
        "spellings": spellings[:_MOST_SPELLINGS],
        "more": max(0, len(spellings) - _MOST_SPELLINGS),
        "state": states(project)[Step.CHECK],
        "command": work(project, Step.CHECK).shown,
    }


def _spellings(left: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return findings by what was found, the most certain and most frequent first."""
    by: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for one in left:
        by.setdefault((one["certainty"], one["text"].casefold(), one["reason"]), []).append(one)
    order = [certainty.value for certainty in Certainty]
    found = [
        {
            "certainty": certainty,
            "text": places[0]["text"],
            "reason": _REASONS.get(reason),
            "places": places,
        }
        for (certainty, _, reason), places in by.items()
    ]
    return sorted(found, key=lambda one: (order.index(one["certainty"]), -len(one["places"])))


def publishing(project: Project) -> Shown:
    """Return what may be shared, what stands against it, and what must never be."""
    _, plan = plans.plan_or_default(project)
    chosen = [Published(one) for one in project.settings.formats if one in [*Published]]
    return {
        "lock": publication.lock(project),
        "published": publication.published(project),
        "is_current": publication.is_current(project),
        "secrets": publication.secrets(project),
        "formats": FORMS,
        "chosen": chosen,
        "is_surrogate": (plan.treatment.style or StyleName.TAG) is StyleName.SURROGATE,
        "folder": project.folder,
        "methods": [(code, _methods(project, translator(code))) for code in CODES],
        "commands": [publication.publishing(project, chosen).shown],
    }


def _methods(project: Project, t: Translator) -> str:
    """Return a paragraph for the methods section of an article."""
    record = _record(project)
    if record is None:
        return ""
    decisions, style = record["decisions"], record["options"]["style"]
    return t(
        "desk.methods.text",
        version=record["program"]["sms-triage"],
        rows=t.number(record["input"]["rows"]),
        written=t.number(record["output"]["rows"]),
        people=t.number(sum(decisions["by_people"].values())),
        machine=t.number(
            sum(n for action, n in decisions["by_machine"].items() if action != _OPEN)
        ),
        replaced=t.number(sum(one["identifiers"] for one in record["replaced"])),
        types=t.number(len({one["type"] for one in record["replaced"]})),
        style=t.known(f"desk.style.{style}", style).lower(),
        held=t.number(sum(one["held_back"] for one in record["held"])),
        residue=t.decimal(project.settings.max_residue * 100),
    )
