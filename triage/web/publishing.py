"""Publishing: what stands against it, what is published, and what must never be."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..anonymise.check import Certainty, Left
from ..anonymise.record import record_paths
from ..decide.source import Source
from ..publish import CORPUS, FORMS, KIND, tasks_of
from ..queue import Queue, Task
from ..vocabulary import Action
from . import quality
from .forms import Translator, translator
from .project import Project, once
from .replacing import held_of
from .spellings import GRADES
from .steps import State, Step, fingerprint, last_done, states, work

_SURE = (Certainty.CERTAIN, Certainty.UNDECIDED, Certainty.ADDED)
# What names people, or leads back to them.
SECRETS = (
    *("original", "triaged.csv", "triaged.rejects.csv", "triaged.before.csv", "final.csv"),
    *("work.queue", "corpus.key", "keys.csv", "people.csv", "keys.private.json", "plan.toml"),
    *("quality.json", "check.json", "anonymised.held.csv"),
)


class Lock(NamedTuple):
    """Obstacles to publishing: steps to be done, and messages by what is open in them.

    And the share of identifiers that the sample does not exclude, if it lies above the one asked.
    """

    steps: int = 0
    left_out: int = 0
    certain: int = 0
    added: int = 0
    leaks: int = 0
    above: tuple[float, float] | None = None

    @property
    def asks_why(self) -> bool:
        return bool(self.certain or self.added or self.leaks or self.above)


def lock(project: Project) -> Lock:
    found = checked(project)
    steps = sum(state is not State.DONE for state in states(project).values())
    if found is None or steps:
        return Lock(steps or 1)
    tasks = tasks_in(project)
    with Queue.open(project.queue) as queue:
        n_answered = len(tasks) - len(queue.unanswered(tasks))
        again = queue.handed_over_rows()
    of = Counter(one["certainty"] for one in found["left"])
    left_out = {row for row, _ in held_of(project)}.union(again)
    certain = of[Certainty.CERTAIN] + of[Certainty.UNDECIDED] - n_answered
    of_sample = quality.open_leaks(project), quality.above_bound(project)
    return Lock(0, len(left_out), certain, of[Certainty.ADDED], *of_sample)


def checked(project: Project) -> Mapping[str, Any] | None:
    """Return what the check found; None before it."""
    return once(_read, project.check) if project.check.exists() else None


def _read(path: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def tasks_in(project: Project) -> list[Task]:
    """Return the certain findings of the check in messages, as they go into the queue."""
    return once(_tasks, project.check, project.key_table, project.anonymised)


def _tasks(check: Path, key_table: Path, anonymised: Path) -> list[Task]:
    certain = [
        Left(
            Certainty.CERTAIN,
            *(one["reason"], None, one["row"], one["column"], one["start"]),
            text=one["text"],
        )
        for one in _read(check)["left"]
        if one["certainty"] == Certainty.CERTAIN
    ]
    return [*tasks_of(certain, Source(str(anonymised)), str(key_table)).values()]


def published(project: Project) -> list[dict[str, Any]]:
    """Return what may be shared, the table first."""
    known = {CORPUS: "table", KIND.mark: "record", "corpus.record.html": "record_page"}
    known |= {form.name: format_.value for format_, form in FORMS.items()}
    found = []
    for path in (project.published / name for name in known):
        if path.exists():
            size = sum(one.stat().st_size for one in (path, *path.rglob("*")) if one.is_file())
            about = {"name": path.name, "about": known[path.name], "is_folder": path.is_dir()}
            found.append(about | {"size": size})
    return found


def record_of(corpus: Path) -> Mapping[str, Any] | None:
    """Return the record of an anonymised corpus; None where there is none."""
    path = record_paths(str(corpus))[0]
    return once(_read, path) if path.exists() else None


def is_current(project: Project) -> bool:
    """Return whether what is published is of the present decisions, plan and names."""
    read = last_done(project).get(Step.PUBLISH)
    return (project.published / CORPUS).exists() and read == fingerprint(
        work(project, Step.PUBLISH)
    )


def secrets(project: Project) -> list[str]:
    """Return what must never be shared of what is there."""
    return [name for name in SECRETS if (project.folder / name).exists()]


def spellings_of(left: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return findings by what was found, the most certain and most frequent first."""
    by: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for one in left:
        by.setdefault((one["certainty"], one["text"].casefold(), one["reason"]), []).append(one)
    found = [
        {
            "certainty": certainty,
            "text": places[0]["text"],
            "reason": GRADES.get(reason),
            "places": places,
        }
        for (certainty, _, reason), places in by.items()
    ]
    order = [certainty.value for certainty in Certainty]
    return sorted(found, key=lambda one: (order.index(one["certainty"]), -len(one["places"])))


def n_sure(spellings: Sequence[Mapping[str, Any]]) -> int:
    """Return how many findings are no guess."""
    return sum(len(one["places"]) for one in spellings if one["certainty"] in _SURE)


def methods(project: Project, language: str) -> str:
    """Return a paragraph for the methods section of an article, on what is published."""
    record, t = record_of(project.published / CORPUS), translator(language)
    if record is None:
        return ""
    machine, people = (record["decisions"][f"by_{by}"] for by in ("machine", "people"))
    replaced = record["replaced"]
    style = record["options"]["style"]
    kinds = t.count("methods.types", len({one["type"] for one in replaced}))
    n_held = sum(one["held_back"] for one in record["held"])
    said = [
        t(
            "methods.program",
            rows=t.count("messages", record["input"]["rows"]),
            version=record["program"]["sms-triage"],
            machine=t.number(sum(n for action, n in machine.items() if action != Action.EXPERT)),
            residue=t.decimal(project.settings.max_residue * 100),
        ),
        t.count("methods.people", sum(people.values())) if sum(people.values()) else "",
        t.count(
            "methods.replaced",
            sum(one["identifiers"] for one in replaced),
            types=kinds,
            style=t.known(f"desk.style.{style}", style).partition(" | ")[0].lower(),
        ),
        *(_methods_of_sample(project, t) if is_current(project) else ()),
        t.count("methods.held", n_held) if n_held else "",
        t.count("methods.published", record["output"]["rows"]),
    ]
    return " ".join(filter(None, said))


def _methods_of_sample(project: Project, t: Translator) -> list[str]:
    """Return what the sample of the present state says, with what became of its leaks."""
    drawn = quality.read(project)
    if drawn is None or quality.is_outdated(project, drawn):
        return []
    found, n_open = quality.measured(drawn), quality.open_leaks(project)
    if not found["read"]:
        return []
    read, of, share = (*map(t.number, (found["read"], found["of"])), found["at_most"] * 100)
    corrected = found["found"] - n_open
    return [
        t.count("methods.sample", found["found"], read=read, of=of, share=t.decimal(share)),
        t.count("methods.corrected", corrected) if corrected > 0 else "",
        t.count("methods.uncorrected", n_open) if n_open else "",
    ]
