"""Publishing: what the check found, what is published, and what must never be."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from triage.data.output import tei_places
from triage.dictionaries.normal import folded

from ..anonymise.check import CONTEXT, Certainty, Finding, grouped
from ..decide.source import Source
from ..publish import CORPUS, FORMS, tasks_of
from ..queue import Queue, Task
from ..vocabulary import IdentifierType
from .project import Project, cached_until_changed
from .spellings import GRADES, LINES, Look, key_of


@cached_until_changed
def checked(check: Path) -> Mapping[str, Any]:
    """Return the findings of the check, and the numbers of some; none before it."""
    content = json.loads(check.read_text(encoding="utf-8")) if check.exists() else {"left": ()}
    findings = [Finding(**one) for one in content["left"]]
    counts = Counter(one.certainty for one in findings)
    n_certain = counts[Certainty.CERTAIN] + counts[Certainty.UNDECIDED]
    likely = {folded(one.text) for one in findings if one.certainty == Certainty.LIKELY}
    return {
        "rows": content.get("rows"),
        "left": findings,
        # What stands against publishing: certain identifiers, messages without an original.
        "sure": {"certain": n_certain, "added": counts[Certainty.ADDED]},
        "n_likely": len(likely),
        "n_unkept": len(findings) - counts[Certainty.PLANNED],
    }


def tasks_in(project: Project) -> list[Task]:
    """Return the certain findings of the check in messages, as they go into the queue."""
    findings = in_messages(project).items()
    return [task for one, task in findings if one.certainty == Certainty.CERTAIN]


def in_messages(project: Project) -> dict[Finding, Task]:
    """Return the findings in messages that nobody keeps, with their places in the queue."""
    return _in_messages(project.check, project.key_table, project.anonymised)[0]


@cached_until_changed
def _in_messages(
    check: Path, key_table: Path, anonymised: Path
) -> tuple[dict[Finding, Task], list[list[Finding]]]:
    """Return the findings with their places, and by spelling, the most certain first."""
    findings = [one for one in checked(check)["left"] if one.certainty != Certainty.PLANNED]
    tasks = tasks_of(findings, Source(str(anonymised)), str(key_table))
    return tasks, grouped(tasks, lambda one: key_of(one.text))


def to_decide(project: Project, queue: Queue) -> Iterator[tuple[str, dict[Finding, Task]]]:
    """Yield each spelling that the check found in messages, where people were not asked of it."""
    tasks, spellings = _in_messages(project.check, project.key_table, project.anonymised)
    answered, waiting = {*queue.run("answered findings")}, {*queue.unanswered([*tasks.values()])}
    rules = queue.word_rules()
    for group in spellings:
        places = {
            one: tasks[one]
            for one in group
            if tasks[one] not in waiting and (tasks[one].row - 1, one.text) not in answered
            if folded(one.text) not in rules
        }
        if places:
            yield key_of(group[0].text), places


def look_at(places: Mapping[Finding, Task], queue: Queue) -> Look:
    """Return a spelling that the check found, as the reader shows one."""
    (first, task), *_ = places.items()
    item_of = dict(queue.with_items([*places.values()]))
    words = queue.item(item_of[task]).words
    return {
        "spelling": first.text,
        "type": next((word.type for word in words if word.start == task.start), IdentifierType.PRE),
        "certainty": first.certainty,
        "reasons": reasons_of(places),
        "stands": len(places),
        "lines": [(item_of[places[one]], one) for one in unlike(places)[:LINES]],
    }


def unlike(places: Iterable[Finding]) -> list[Finding]:
    """Return one of the places of a spelling for each context."""
    return [*{(one.before, one.text, one.behind): one for one in places}.values()]


def reasons_of(places: Iterable[Finding]) -> list[str]:
    """Return the ends of the keys of the reasons for which a spelling was found."""
    return [*dict.fromkeys(GRADES[place.reason] for place in places)]


@cached_until_changed
def no_place_in_tei(anonymised: Path) -> list[str]:
    """Return the columns of what is published that TEI cannot hold."""
    with Source(str(anonymised)).open() as file:
        return tei_places(file.columns, file.dialect.roles)[1]


def published(project: Project) -> list[dict[str, Any]]:
    """Return the files that may be shared, the table first."""
    names = {CORPUS: "table", "corpus.record.json": "record", "corpus.record.html": "record_page"}
    names |= {form.name: format_.value for format_, form in FORMS.items()}
    files = []
    for name, about in names.items():
        if (path := project.published / name).exists():
            size = sum(one.stat().st_size for one in (path, *path.rglob("*")) if one.is_file())
            files.append({"name": name, "about": about, "is_folder": path.is_dir(), "size": size})
    return files


# What names people, of all that is there but the publication.
_SECRETS = {
    "messages": ("original", "triaged.csv", "triaged.before.csv", "final.csv", "publish.held.csv"),
    "decisions": ("work.queue",),
    "keys": ("corpus.key", "keys.csv", "keys.private.json"),
    "names": ("people.csv", "people.made.csv"),
    "found": ("check.json",),
}


def secrets(project: Project) -> Iterator[tuple[str, list[str]]]:
    """Yield the files that must never be shared, by what they hold."""
    for about, names in _SECRETS.items():
        if files := [name for name in names if (project.folder / name).exists()]:
            yield about, files


def spellings_of(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return findings by what was found, for whatever reason, the most certain first.

    Their contexts end between words, and say where they go on.
    """

    def shown(place: Finding) -> Finding:
        before, behind = place.before, place.behind
        if len(before) == CONTEXT:
            before = f"…{before.partition(' ')[2] or before}"
        if len(behind) == CONTEXT:
            behind = f"{behind.rpartition(' ')[0] or behind}…"
        return replace(place, before=before, behind=behind)

    # Whole messages have no spelling.
    spellings = grouped(findings, lambda one: key_of(one.text) or one.certainty)
    return [[*map(shown, places)] for places in spellings]
