"""The content of each page of a project, as plain data for a template."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..anonymise.check import Certainty
from ..anonymise.grading import Reason
from ..publish import CORPUS, FORMS, Published
from ..queue import Queue
from ..settings import OfType, StyleName
from . import importing as corpus
from . import life, names, quality
from . import publishing as publication
from . import replacing as plans
from .forms import CODES, Translator, translator
from .project import Project
from .replacing import chosen_columns, first_plan
from .stages import Name, confirmed
from .steps import ORDER, State, Step, left_to_read, states, work

Shown = dict[str, Any]
# What the program has left open is no decision of its own.
_OPEN = "EXPERT"
_MOST_SPELLINGS = 50
_LAST_DONE = 20
_REASONS = {reason.value: reason.name for reason in Reason}


def _bars(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def overview(project: Project) -> Shown:
    """Return what was done in a project, and the commands that do the same."""
    return {
        "changes": life.changes(project),
        "commands": [
            *(work(project, step).shown for step in ORDER),
            publication.publishing(project, ()).shown,
        ],
        "history": [one for one in project.history() if one.get("what") == "step"][-_LAST_DONE:],
    }


def importing(project: Project, t: Translator) -> Shown:
    """Return how the file is read."""
    found = corpus.preview(project)
    return {
        "preview": found,
        "settings": project.settings,
        "problem": corpus.problem_of(found),
        "ways": corpus.ways(found, project.settings, t),
        "command": work(project, Step.CLASSIFY).shown,
    }


def bounds(project: Project, t: Translator) -> Shown:
    """Return the bounds of the triage, what each asks of people, and how far they are."""
    counts, (rows, is_exact) = corpus.counts(project), corpus.bounds(project)
    up_to = bisect_right([one.bound for one in rows], project.settings.max_residue)
    queue = _queue(project, counts, t) if project.queue.exists() else None
    to_read = left_to_read(project) if queue else counts.get(_OPEN, 0)
    texts = queue["texts"] if queue else t.count("messages", to_read)
    seconds, is_measured = corpus.pace(project)
    return {
        "settings": project.settings,
        "state": states(project)[Step.CLASSIFY],
        "commands": (
            *(work(project, step).shown for step in (Step.CLASSIFY, Step.QUEUE)),
            f"triage workload {project.relative(project.triaged)}",
        ),
        "counts": counts,
        "total": sum(counts.values()),
        "to_read": to_read,
        "texts": texts,
        "time": t.duration(to_read * seconds),
        "bounds": rows,
        "is_exact": is_exact,
        "times": [t.duration(one.expert * seconds) for one in rows],
        "seconds": seconds,
        "is_measured": is_measured,
        # Of a bound between two, the smaller one, which asks more.
        "chosen": max(0, up_to - 1),
        "queue": queue,
    }


def _queue(project: Project, counts: Mapping[str, int], t: Translator) -> Shown:
    """Return how much of a queue is decided, and who decided it."""
    with Queue.open(project.queue) as queue:
        status = queue.status()
    by_program = sum(n for action, n in counts.items() if action != _OPEN)
    return {
        "status": status,
        "texts": t.texts(status.items - status.items_final, status.messages_waiting),
        "deciders": _bars({t("desk.the_program"): by_program} | dict(status.annotators)),
    }


def replacing(project: Project, t: Translator) -> Shown:
    """Return the plan, the styles on messages of the corpus, and what was held back."""
    problem, plan = plans.plan_or_default(project)
    found = corpus.preview(project)
    is_confirmed = Name.REPLACE in confirmed(project)
    if not (problem or is_confirmed):
        plan = first_plan(plan, found)
    record = publication.record_of(project.anonymised)
    replaced: Counter[str] = Counter()
    for one in record["replaced"] if record else ():
        label = f"{one['type']} {t.known('type.' + one['type'], '')}".strip()
        replaced[label] += one["identifiers"]
    return {
        "problem": problem,
        "plan": plan,
        "cards": plans.style_cards(project),
        "treatments": [*OfType],
        "columns": chosen_columns(plan, found),
        "searched": found["searched"],
        "is_confirmed": is_confirmed,
        "types_found": _bars(replaced),
        "n_held": len(plans.held_of(project)),
        "held": plans.held_back(project),
        "state": states(project)[Step.ANONYMISE],
        "command": work(project, Step.ANONYMISE).shown,
    }


def naming(project: Project, view: names.View, search: str, problem: str = "") -> Shown:
    """Return a page of the entities of a project."""
    return names.names_page(project, view, search) | {
        "problem": problem,
        "may_make": states(project)[Step.ANONYMISE] is not State.LOCKED,
        "command": work(project, Step.NAMES).shown,
    }


def sampling(project: Project, t: Translator) -> Shown:
    """Return the sample that a person reads, and what it says so far."""
    sample = quality.read(project)
    is_outdated = sample is not None and quality.is_outdated(project, sample)
    row = sample.left[0] if sample and sample.left and not is_outdated else 0
    return {
        "sample": sample,
        "bounds": [(one, t.decimal(one * 100), n) for one, n in quality.bounds(project)],
        "may_begin": states(project)[Step.APPLY] is State.DONE,
        "row": row,
        "half": "released" if sample and row in sample.rows[quality.Stratum.RELEASED] else "tagged",
        "text": quality.text_of(project, sample, row) if sample and row else "",
        "is_outdated": is_outdated,
        "measured": quality.measured(sample) if sample and not is_outdated else None,
        "open_leaks": quality.open_leaks(project),
    }


def checking(project: Project, t: Translator) -> Shown:
    """Return what the check found, by spelling, the surest first, and what the sample says."""
    found = publication.checked(project)
    spellings = _spellings(found["left"]) if found else []
    lock = publication.lock(project)
    return sampling(project, t) | {
        "is_confirmed": Name.REPLACE in confirmed(project),
        "found": found,
        "n_sure": sum(len(one["places"]) for one in spellings if one["certainty"] in _SURE),
        "spellings": spellings[:_MOST_SPELLINGS],
        "more": max(0, len(spellings) - _MOST_SPELLINGS),
        "state": states(project)[Step.CHECK],
        "lock": lock,
        "is_locked": bool(lock.steps or lock.asks_why),
        "command": work(project, Step.CHECK).shown,
    }


_SURE = (Certainty.CERTAIN, Certainty.UNDECIDED, Certainty.ADDED)


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


def publishing(project: Project, t: Translator) -> Shown:
    """Return what may be shared, what stands against it, and what must never be."""
    _, plan = plans.plan_or_default(project)
    chosen = [Published(one) for one in project.settings.formats if one in [*Published]]
    found = checking(project, t)
    lock: publication.Lock = found["lock"]
    return found | {
        "left": left_to_read(project),
        "held": Counter(one.reason.value for one in plans.held_of(project)),
        "published": publication.published(project),
        "is_current": publication.is_current(project),
        "secrets": publication.secrets(project),
        "formats": FORMS,
        "chosen": chosen,
        "is_surrogate": (plan.treatment.style or StyleName.TAG) is StyleName.SURROGATE,
        "folder": project.folder,
        "methods": [(code, methods(project, translator(code))) for code in CODES],
        "commands": [publication.publishing(project, chosen, hold=bool(lock.left_out)).shown],
    }


def methods(project: Project, t: Translator) -> str:
    """Return a paragraph for the methods section of an article, on what is published."""
    record = publication.record_of(project.published / CORPUS)
    if record is None:
        return ""
    decisions, style = record["decisions"], record["options"]["style"]
    n_people = sum(decisions["by_people"].values())
    n_machine = sum(n for action, n in decisions["by_machine"].items() if action != _OPEN)
    n_replaced = sum(one["identifiers"] for one in record["replaced"])
    n_types = len({one["type"] for one in record["replaced"]})
    n_held = sum(one["held_back"] for one in record["held"])
    said = [
        t(
            "methods.program",
            rows=t.count("messages", record["input"]["rows"]),
            version=record["program"]["sms-triage"],
            machine=t.number(n_machine),
            residue=t.decimal(project.settings.max_residue * 100),
        ),
        t.count("methods.people", n_people) if n_people else "",
        t.count("methods.replaced", n_replaced, types=t.count("methods.types", n_types))
        + " "
        + t(f"methods.style.{style}"),
        _sampled(project, t) if publication.is_current(project) else "",
        t.count("methods.held", n_held) if n_held else "",
        t.count("methods.published", record["output"]["rows"]),
    ]
    return " ".join(filter(None, said))


def _sampled(project: Project, t: Translator) -> str:
    """Return what the sample of the present state says, with what became of its leaks."""
    sample = quality.read(project)
    if sample is None or quality.is_outdated(project, sample):
        return ""
    measured, n_open = quality.measured(sample), quality.open_leaks(project)
    if not measured.read:
        return ""
    corrected = measured.found - n_open
    return " ".join(
        filter(
            None,
            [
                t.count(
                    "methods.sample",
                    measured.found,
                    read=t.number(measured.read),
                    of=t.number(measured.of),
                    share=t.decimal(measured.at_most * 100),
                ),
                t.count("methods.corrected", corrected) if corrected > 0 else "",
                t.count("methods.uncorrected", n_open) if n_open else "",
            ],
        )
    )
