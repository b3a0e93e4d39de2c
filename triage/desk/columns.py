"""The treatment of the columns beside the messages, as a person chooses it on the page."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from ..anonymise.plan import Plan
from ..settings import Dates, Ids, Senders, Treatment
from .importing import Column, Preview, Role, preview
from .project import Project
from .replacing import keep_plan, plan_or_default

_Choice = TypeVar("_Choice", bound=StrEnum)
_KEEP = "keep"


class Becomes(StrEnum):
    """The treatment of a column without a role."""

    DROP = "drop"
    PSEUDONYM = "pseudonym"
    KEEP = "keep"
    AS_IT_IS = "as_it_is"


CHOICES: Mapping[Role, tuple[StrEnum, ...]] = {
    Role.SENDER: (Senders.PSEUDONYM, Senders.DROP, Senders.KEEP),
    Role.DATE: (*Dates,),
    Role.ID: (*Ids,),
}


@dataclass(frozen=True)
class Chosen:
    """A column, what may become of it, and what does."""

    column: Column
    choices: tuple[StrEnum, ...]
    chosen: StrEnum | None


def first_plan(preview: Preview) -> Plan:
    """Return the plan that is proposed: ids that identify somebody are replaced by numbers."""
    ids = preview.of_role(Role.ID)
    default = Plan()
    if ids is None or not ids.is_warned_of:
        return default
    return replace(default, treatment=replace(default.treatment, ids=Ids.NUMBER))


def chosen_columns(plan: Plan, preview: Preview) -> list[Chosen]:
    """Return what becomes of each column by a plan; messages have no choice."""
    by_role = {
        Role.SENDER: plan.treatment.sender,
        Role.DATE: plan.treatment.dates,
        Role.ID: plan.treatment.ids,
    }
    return [
        Chosen(column, CHOICES.get(column.role, ()), by_role.get(column.role))
        if column.role is not Role.OTHER
        else Chosen(column, _choices(column), _becomes(plan, column))
        for column in preview.columns
    ]


def _choices(column: Column) -> tuple[Becomes, ...]:
    keeping = Becomes.AS_IT_IS if column.is_warned_of else Becomes.KEEP
    return Becomes.DROP, Becomes.PSEUDONYM, keeping


def _becomes(plan: Plan, column: Column) -> Becomes:
    if column.name in plan.treatment.pseudonym:
        return Becomes.PSEUDONYM
    if column.name not in plan.treatment.keep:
        return Becomes.DROP
    insisted = column.name in plan.treatment.as_it_is or column.is_warned_of
    return Becomes.AS_IT_IS if insisted else Becomes.KEEP


def keep_columns(project: Project, date_column: str | None, said: Mapping[str, str]) -> None:
    """Keep what becomes of the columns in the plan, unless that was written by hand."""
    problem, plan = plan_or_default(project)
    found = preview(project, date_column)
    if problem or found.problem:
        return
    plan = replace(plan, treatment=replace(plan.treatment, date_column=date_column))
    keep_plan(project, with_columns(plan, found, said))


def with_columns(plan: Plan, preview: Preview, said: Mapping[str, str]) -> Plan:
    """Return a plan with what a person chose of each column, by its name."""
    others = {
        column.name: Becomes(said[column.name])
        for column in preview.others
        if said.get(column.name) in [*Becomes]
    }

    def of(*wanted: Becomes) -> tuple[str, ...]:
        return tuple(name for name, becomes in others.items() if becomes in wanted)

    default = Treatment()
    # Who keeps such a column has seen the warning beside it.
    insisted = (
        column.name
        for column in preview.columns
        if column.role in CHOICES and column.is_warned_of and said.get(column.name) == _KEEP
    )
    return replace(
        plan,
        treatment=replace(
            plan.treatment,
            keep=of(Becomes.KEEP, Becomes.AS_IT_IS),
            as_it_is=(*of(Becomes.AS_IT_IS), *insisted),
            pseudonym=of(Becomes.PSEUDONYM),
            sender=_said(preview, Role.SENDER, said, default.sender),
            dates=_said(preview, Role.DATE, said, default.dates),
            ids=_said(preview, Role.ID, said, default.ids),
        ),
    )


def _said(preview: Preview, role: Role, said: Mapping[str, str], default: _Choice) -> _Choice:
    """Return what was chosen of the column of a role, if that is one of its choices."""
    column = preview.of_role(role)
    wanted = said.get(column.name, "") if column else ""
    kind = type(default)
    return kind(wanted) if wanted in [*kind] else default
