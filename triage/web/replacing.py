"""Replacing: the plan as a person sets it, and styles shown on messages of the corpus."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, TypeVar

from triage.data import DataError

from ..anonymise.held import HeldMessage, held_path, read_held
from ..anonymise.held import Reason as HeldReason
from ..anonymise.plan import Plan, plan_text, read_plan
from ..decide.source import Source
from ..errors import UserError
from ..queue import Queue, Reason, Task
from ..queue.records import text_digest
from ..safe import write_file
from ..settings import Dates, Ids, Reading, Senders, StyleName, Treatment
from ..vocabulary import Action
from .figures import Figure, Version, version_of
from .importing import Column, Preview, Role, texts_of
from .project import Project, written

# The paper's can be undone by anyone.
STYLES = (StyleName.TAG, StyleName.SURROGATE, StyleName.CONSISTENT, StyleName.MASK)
_SHOWN = 3
# In some of them, nothing is found to replace.
_TRIED = 9
_LONGEST = 160
_MOST_HELD = 20
_ACTIONS = ("final_action", "action")
# The styles are shown with a key that is nobody's.
_KEY = bytes(32)
# The page keeps no options of the command line, and must not write a plan that has some.
_NO_OPTIONS = ("files", "options")


def plan_of(project: Project) -> Plan:
    """Return the plan of a project; the default one where none was made."""
    return read_plan(project.plan, without=_NO_OPTIONS)[0] if project.plan.exists() else Plan()


def plan_or_default(project: Project) -> tuple[UserError | None, Plan]:
    """Return why the plan cannot be read, and the plan; the default one where it cannot."""
    try:
        return None, plan_of(project)
    except UserError as error:
        return error, Plan()


def keep_plan(project: Project, plan: Plan) -> None:
    write_file(project.plan, plan_text(plan).encode(), private=True, overwrite=True)


class StyleCard(NamedTuple):
    style: StyleName
    examples: tuple[tuple[str, str], ...]


_PLAIN_CARDS = tuple(StyleCard(style, ()) for style in STYLES)


def style_cards(project: Project) -> tuple[StyleCard, ...]:
    """Return the styles, shown on messages of the project that are to be anonymised."""
    source = project.final if project.final.exists() else project.triaged
    if not source.exists():
        return _PLAIN_CARDS
    try:
        return _CARDS.of(project.folder, version_of(source), project.settings.reading)
    except DataError:
        # Other columns were chosen since.
        return _PLAIN_CARDS


def _cards(final: Version, reading: Reading) -> tuple[StyleCard, ...]:
    import pandas as pd

    from ..api.anonymising import anonymise

    texts = _examples(Source(str(final.path), written(reading)))
    if not texts:
        return _PLAIN_CARDS
    table = pd.DataFrame({"text": texts, "action": [Action.TA.value] * len(texts)})
    replaced = {
        style: anonymise(table, style=style, key=_KEY, hold="none")["text"] for style in STYLES
    }
    changed = [i for i, text in enumerate(texts) if replaced[StyleName.TAG][i] != text][:_SHOWN]
    return tuple(
        StyleCard(style, tuple((texts[i], after[i]) for i in changed))
        for style, after in replaced.items()
    )


_CARDS = Figure(
    "styles",
    _cards,
    lambda kept: tuple(
        StyleCard(StyleName(style), tuple((before, after) for before, after in examples))
        for style, examples in kept
    ),
    lambda cards: [(card.style, card.examples) for card in cards],
)


def keep_cards(project: Project) -> None:
    source = project.final if project.final.exists() else project.triaged
    _CARDS.keep(project.folder, version_of(source), project.settings.reading)


def _examples(final: Source) -> list[str]:
    """Return a few short messages to anonymise, from all of the corpus."""
    with final.open() as file:
        at = next(file.columns.index(name) for name in _ACTIONS if name in file.columns)
        found = [
            text
            for chunk in file.chunks()
            for row, text in zip(chunk.rows, chunk.texts, strict=True)
            if row[at] == Action.TA and 0 < len(text) <= _LONGEST
        ]
    step = max(1, len(found) // _TRIED)
    return found[::step][:_TRIED]


class Held(NamedTuple):
    """A message that was held back, and the page of the review where it is decided."""

    row: int
    reason: str
    text: str
    page: str


def held_back(project: Project) -> tuple[int, list[Held]]:
    """Return how many messages were held back, and the first ones."""
    held = held_of(project)
    if not held:
        return 0, []
    try:
        texts = _HELD.of(project.folder, *_of_held(project, held))
    except DataError:
        return len(held), []
    with Queue.open(project.queue) as queue:
        shown = [
            Held(one.row, one.reason.value, text, f"item/{number}" if number else "")
            for one, text in zip(held[:_MOST_HELD], texts, strict=True)
            for number in [queue.find(text_digest(text))]
        ]
    return len(held), shown


def held_of(project: Project) -> tuple[HeldMessage, ...]:
    """Return the messages that were held back and not written; none before anything was."""
    held = held_path(str(project.anonymised))
    return _held_in(version_of(held), str(project.anonymised)) if held.exists() else ()


def tasks_of_held(project: Project) -> list[Task]:
    """Return the messages that somebody has decided and that are held back all the same."""
    return [
        Task(Reason.HELD, row=one.row)
        for one in held_of(project)
        if one.reason is not HeldReason.WAITS
    ]


@lru_cache(maxsize=8)
def _held_in(_: Version, anonymised: str) -> tuple[HeldMessage, ...]:
    return tuple(one for one in read_held(anonymised) if not one.written)


def _of_held(project: Project, held: Sequence[HeldMessage]) -> tuple[Hashable, ...]:
    """Return what the texts of the first messages that were held back are of."""
    rows = tuple(one.row for one in held[:_MOST_HELD])
    return version_of(project.final), project.settings.reading, rows


def keep_held(project: Project) -> None:
    """Keep the messages that were held back, as far as they are shown."""
    if held := held_of(project):
        _HELD.keep(project.folder, *_of_held(project, held))


_HELD: Figure[tuple[str, ...]] = Figure("held", texts_of, tuple)


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


class Chosen(NamedTuple):
    """A column, what may become of it, and what does."""

    column: Column
    choices: tuple[StrEnum, ...]
    chosen: StrEnum | None


def first_plan(plan: Plan, preview: Preview) -> Plan:
    """Return the plan that is proposed: ids that identify somebody are replaced by numbers."""
    ids = preview.of_role(Role.ID)
    if ids is None or not ids.is_warned_of:
        return plan
    return replace(plan, treatment=replace(plan.treatment, ids=Ids.NUMBER))


def chosen_columns(plan: Plan, preview: Preview) -> list[Chosen]:
    """Return what becomes of each column by a plan; messages have no choice."""
    by_role = {
        Role.SENDER: plan.treatment.sender,
        Role.DATE: plan.treatment.dates,
        Role.ID: plan.treatment.ids,
    }
    found = []
    for column in preview.columns:
        choices, chosen = CHOICES.get(column.role, ()), by_role.get(column.role)
        if column.role is Role.OTHER:
            keeping = Becomes.AS_IT_IS if column.is_warned_of else Becomes.KEEP
            choices, chosen = (Becomes.DROP, Becomes.PSEUDONYM, keeping), Becomes.DROP
            if column.name in plan.treatment.pseudonym:
                chosen = Becomes.PSEUDONYM
            elif column.name in plan.treatment.keep:
                chosen = Becomes.AS_IT_IS if column.name in plan.treatment.as_it_is else keeping
        found.append(Chosen(column, choices, chosen))
    return found


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
