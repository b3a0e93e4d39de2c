"""Replacing: the plan as a person sets it, and styles shown on messages of the corpus."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triage.data import DataError

from ..anonymise.keys import read_key_table
from ..anonymise.plan import Plan, read_plan
from ..anonymise.record import held_path, read_held
from ..errors import UserError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS
from ..queue import Queue
from ..queue.records import text_digest
from ..settings import Dates, Ids, Senders, StyleName, Treatment
from ..vocabulary import Action
from .importing import Preview
from .project import Project, decided, decided_in, once

if TYPE_CHECKING:
    import pandas as pd

# The paper's can be undone by anyone.
STYLES = (StyleName.TAG, StyleName.SURROGATE, StyleName.CONSISTENT, StyleName.MASK)
_SHOWN = 3
# In some of them, nothing is found to replace.
_TRIED = 9
_LONGEST = 160
_MOST_HELD = 20


def plan_of(project: Project) -> tuple[UserError | None, Plan]:
    """Return why the plan cannot be read, and the plan; the default one where there is none."""
    if not project.plan.exists():
        return None, Plan()
    try:
        # The page keeps no options of the command line, and must not write a plan that has some.
        return None, read_plan(project.plan, without=("files", "options"))[0]
    except UserError as error:
        return error, Plan()


def style_cards(project: Project) -> list[dict[str, Any]]:
    """Return the styles, shown on messages of the project that are to be anonymised."""
    source = project.final if project.final.exists() else project.triaged
    # What was replaced is known until something is decided anew.
    replaced = (project.key_table,) if _version(project.key_table) > _version(source) else ()
    with suppress(UserError):  # there is no file yet, or somebody has changed it
        if cards := project.figure("styles", _cards, source, *replaced):
            return cards
    return [{"style": style, "examples": ()} for style in STYLES]


def _version(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def _cards(final: Path, keys: Path | None = None) -> list[dict[str, Any]]:
    from ..api.anonymising import anonymise

    # A few short messages to anonymise, from all of the corpus.
    of = enumerate(decided(final), 1)
    found = [row for row, (text, to) in of if to == Action.TA and 0 < len(text) <= _LONGEST]
    rows = found[:: max(1, len(found) // _TRIED)][:_TRIED]
    if not rows:
        return []
    table = _with_spans(final, keys, rows)
    texts = table["text"]
    replaced = {
        # The styles are shown with a key that is nobody's.
        style: anonymise(table, style=style, key=bytes(32), hold="none")["text"]
        for style in STYLES
    }
    changed = [i for i, text in enumerate(texts) if replaced[StyleName.TAG][i] != text][:_SHOWN]
    return [
        {"style": style, "examples": [(texts[i], after[i]) for i in changed]}
        for style, after in replaced.items()
    ]


def _with_spans(final: Path, keys: Path | None, rows: Sequence[int]) -> "pd.DataFrame":
    """Return messages as if a person had marked what is replaced in them, where that is known."""
    import pandas as pd

    messages = decided_in(final, rows, FINAL_SPANS)
    spans = [cell for _, cell in messages]
    if keys:
        marked = defaultdict[int, list[list[object]]](list)
        for one in read_key_table(str(keys)):
            marked[int(one["row"])].append([int(one["start"]), int(one["end"]), one["type"]])
        spans = [json.dumps(marked[row]) if row in marked else "" for row in rows]
    return pd.DataFrame(
        {
            "text": [text for text, _ in messages],
            FINAL_ACTION: Action.TA.value,
            DECIDED_BY: "anybody",
            FINAL_SPANS: spans,
        }
    )


def held_back(project: Project) -> list[dict[str, str]]:
    """Return the first messages that were held back, with the page where each is decided."""
    held = held_of(project)[:_MOST_HELD]
    if not held:
        return []
    rows = tuple(row for row, _ in held)
    try:
        texts = project.figure("held", decided_in, project.final, rows)
    except DataError:
        return []
    with Queue.open(project.queue) as queue:
        items = [queue.find(text_digest(text)) for text, _ in texts]
    return [
        {"reason": reason, "text": text, "page": f"item/{item}" if item else ""}
        for (_, reason), (text, _), item in zip(held, texts, items, strict=True)
    ]


def held_of(project: Project) -> Sequence[tuple[int, str]]:
    """Return the rows that were held back and not written, with why; none before anything was."""
    return _held_in(held_path(str(project.anonymised)), project.anonymised)


@once
def _held_in(held: Path, anonymised: Path) -> Sequence[tuple[int, str]]:
    found = read_held(str(anonymised)) if held.exists() else ()
    return [(one.row, one.reason.value) for one in found if not one.written]


# The treatment of a column without a role.
Becomes = StrEnum("Becomes", ["DROP", "PSEUDONYM", "KEEP", "AS_IT_IS"])

# The settings of columns that have a role.
_FIELDS = {"sender": "sender", "date": "dates", "id": "ids"}
# What may become of a column that has a role; messages have no choice.
CHOICES: Mapping[str, tuple[StrEnum, ...]] = {
    "sender": (Senders.PSEUDONYM, Senders.DROP, Senders.KEEP),
    "date": (*Dates,),
    "id": (*Ids,),
}


def first_plan(plan: Plan, found: Preview) -> Plan:
    """Return the plan that is proposed: ids that identify somebody are replaced by numbers."""
    if any(one["role"] == "id" and one["is_warned_of"] for one in found["columns"]):
        return replace(plan, treatment=replace(plan.treatment, ids=Ids.NUMBER))
    return plan


def chosen_columns(plan: Plan, found: Preview) -> Iterator[dict[str, Any]]:
    """Yield each column, what may become of it, and what does by a plan."""
    treatment = plan.treatment
    by_role = {role: getattr(treatment, field) for role, field in _FIELDS.items()}
    for column in found["columns"]:
        name, role = column["name"], column["role"]
        choices, chosen = CHOICES.get(role, ()), by_role.get(role)
        if role == "other":
            keeping = Becomes.AS_IT_IS if column["is_warned_of"] else Becomes.KEEP
            choices, chosen = (Becomes.DROP, Becomes.PSEUDONYM, keeping), Becomes.DROP
            if name in treatment.pseudonym:
                chosen = Becomes.PSEUDONYM
            elif name in treatment.keep:
                chosen = Becomes.AS_IT_IS if name in treatment.as_it_is else keeping
        yield {"column": column, "choices": choices, "chosen": chosen}


def with_columns(plan: Plan, found: Preview, said: Mapping[str, str]) -> Plan:
    """Return a plan with what a person chose of each column, by its name."""
    chosen: dict[str, Any] = {field: getattr(Treatment(), field) for field in _FIELDS.values()}
    others, insisted = dict[str, str](), list[str]()
    for column in found["columns"]:
        name, role = column["name"], column["role"]
        wanted, field = said.get(name, ""), _FIELDS.get(role, "")
        if role == "other":
            others[name] = wanted
        elif field and wanted in CHOICES[role]:
            chosen[field] = type(chosen[field])(wanted)
            # Who keeps such a column has seen the warning beside it.
            insisted += [name] if column["is_warned_of"] and wanted == Becomes.KEEP else []

    def of(*wanted: Becomes) -> tuple[str, ...]:
        return tuple(name for name, becomes in others.items() if becomes in wanted)

    treatment = replace(
        plan.treatment,
        keep=of(Becomes.KEEP, Becomes.AS_IT_IS),
        as_it_is=(*of(Becomes.AS_IT_IS), *insisted),
        pseudonym=of(Becomes.PSEUDONYM),
        **chosen,
    )
    return replace(plan, treatment=treatment)
