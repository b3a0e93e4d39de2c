"""``triage plan``, and the option ``--plan`` of ``triage anonymise``."""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Described, command, described

if TYPE_CHECKING:
    from enum import StrEnum

    from ..anonymise.plan import Plan
    from ..anonymise.plan_file import Section
    from ..vocabulary import IdentifierType

plan_app = typer.Typer(
    name="plan",
    help="The plan of treatment: a file that says how messages are anonymised.",
    epilog="\b\nExamples:\n  triage plan show > plan.toml\n"
    "  triage anonymise final.csv -o anon.csv --plan plan.toml",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    suggest_commands=False,
)

# Files that are named as text, because - is a standard stream.
_FILES = ("output", "key-table")
_WIDTH = 96


# Typer evaluates the annotations, and the plan is loaded only when one is read.
def _read(context: typer.Context, path: str | None) -> Any:  # noqa: ANN401
    """Read the plan of ``--plan``; what it says are the defaults of the other options."""
    if path is None:
        return None
    options = _sections()
    plan = read(Path(path))
    parameters = {option.name: option.parameter for found in options.values() for option in found}
    values = vars(plan.general) | vars(plan.columns)
    values |= {parameters[name]: value for name, value in plan.options.items()}
    del values["style"]
    context.default_map = {
        name: [*value] if isinstance(value, tuple) else value
        for name, value in values.items()
        if value is not None
    }
    return plan


def read(path: Path) -> "Plan":
    """Read a plan, in which all options of ``triage anonymise`` may stand."""
    from ..anonymise.plan_file import read_plan

    further = {
        section: {option.name: option.kind for option in found}
        for section, found in _sections().items()
    }
    return read_plan(path, further)


# The parser converts nothing, the callback does: only it knows the other options.
PlanOption = Annotated[
    Any,
    typer.Option(
        "--plan",
        metavar="PLAN",
        parser=str,
        callback=_read,
        is_eager=True,
        help="Plan of treatment (see triage plan show); what the command line says wins.",
    ),
]


def _sections() -> "Mapping[Section, list[Described]]":
    """Return the options of ``triage anonymise`` that no field of a plan has, by their tables."""
    from ..anonymise.columns import Columns
    from ..anonymise.plan import General
    from ..anonymise.plan_file import Section
    from .anonymise import anonymise

    own = {one.name for group in (General, Columns) for one in fields(group)} | {"plan"}
    found: dict[Section, list[Described]] = {
        section: [] for section in (Section.COLUMNS, Section.FILES, Section.OPTIONS)
    }
    for option in described(anonymise):
        if option.parameter in own:
            continue
        if option.name.endswith("-column"):
            found[Section.COLUMNS].append(option)
        elif option.is_path or option.name in _FILES:
            found[Section.FILES].append(option)
        else:
            found[Section.OPTIONS].append(option)
    return found


@command(plan_app, "plan show > plan.toml", "anonymise final.csv -o anon.csv --plan plan.toml")
def show() -> None:
    """Print the default plan, with a comment for each key."""
    typer.echo("\n".join(_lines()))


def _lines() -> Iterator[str]:
    from ..anonymise.columns import Columns
    from ..anonymise.plan import General, Plan
    from ..anonymise.plan_file import Section, key_of
    from .anonymise import anonymise

    plan = Plan()
    options = {option.parameter: option for option in described(anonymise)}
    further = _sections()

    def settings(section: Section, group: type, values: object) -> Iterator[str]:
        yield from ("", f"[{section}]")
        for one in fields(group):
            yield from _entry(key_of(one.name), getattr(values, one.name), options[one.name].help)
        yield from _further(further.get(section, ()))

    yield from _comment(
        "A plan of treatment for triage anonymise --plan. A key that is left out has the value "
        "that it has here; what the command line says wins. The types of identifiers are in "
        "docs/glossary.md."
    )
    yield from settings(Section.GENERAL, General, plan.general)
    yield from _by_type(
        Section.TYPES,
        plan.types,
        "What becomes of identifiers of a type: replace; keep (they stay, and are counted); ask "
        "(their messages are held back until a person has marked what is to be replaced).",
    )
    yield from _by_type(
        Section.STYLES,
        plan.styles,
        'Types that have another style than that of [general], such as PRE = "surrogate".',
    )
    yield from _by_type(
        Section.SEVERITY,
        plan.severity,
        "Whether an identifier of a type names somebody by itself (direct) or with others "
        "(indirect).",
    )
    yield from _LISTS
    yield from settings(Section.COLUMNS, Columns, plan.columns)
    for section in (Section.FILES, Section.OPTIONS):
        yield from ("", f"[{section}]")
        if section is Section.FILES:
            yield from _comment("Paths are relative to the folder of the plan.")
        yield from _further(further[section])


_LISTS = (
    "",
    "[lists]",
    "# Spellings of one or several words, whatever their case and accents.",
    "# They stay, unless a person marked them.",
    "never = []",
    "# The same as files, an entry a line.",
    "never-files = []",
    "",
    "[lists.always]",
    "# They are replaced wherever they stand, by their types:",
    '# NOM = ["Rosa Luxembourg"]',
    '# LIE = ["le Bar du Coin"]',
    "",
    "[lists.always-files]",
    "# The same as files, an entry a line:",
    '# PRE = ["prenoms.txt"]',
)


def _by_type(
    section: "Section", values: "Mapping[IdentifierType, StrEnum]", about: str
) -> Iterator[str]:
    yield from ("", f"[{section}]", *_comment(about))
    yield from (f"{type_} = {_toml(value)}" for type_, value in values.items())


def _further(options: Iterable[Described]) -> Iterator[str]:
    for option in options:
        yield from _entry(option.name, option.default, option.help)


def _entry(key: str, value: object, about: str) -> Iterator[str]:
    """Yield a key with its value, commented out where it has none by default."""
    yield from _comment(about.replace("; repeatable", ""))
    yield f"# {key} = …" if value is None else f"{key} = {_toml(value)}"


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def _toml(value: object) -> str:
    """Return a bool, a number, a text or a list of texts as TOML, in which they are as in JSON."""
    return json.dumps([*value] if isinstance(value, tuple) else value, ensure_ascii=False)
