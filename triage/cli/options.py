"""Options of commands, made from the settings that each takes, and how commands are registered.

A command takes arguments, settings of its own, records of them, and a `Call`; behind that stands
which settings of a run are options. It returns what it did, which is printed in one place.
"""

import inspect
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from ..declared import Setting, build, key_of, setting_of, settings_of
from ..errors import TriageError, UserError
from ..settings import RECORDS, Reading, Run, Setup, Treatment
from .call import PLAN, SAID, TYPED, Call
from .printed import TEXTS, Done, paint, tell

_Record = TypeVar("_Record")
_PANELS = (*(one.panel for one in (Reading, Setup, Treatment, Run)), "Rare")
_EVERY = {name: one for record in RECORDS for name, one in settings_of(record).items()}
_PANEL_OF = {name: record.panel for record in RECORDS for name in settings_of(record)}  # type: ignore[attr-defined]

# Behind a call stand the settings that are options: those of a record, or their keys.
WITH_PLAN = "plan"
READING = tuple(f"--{one.key}" for one in settings_of(Reading).values())
DECIDING = tuple(f"--{one.key}" for one in settings_of(Setup).values())

FileArgument = Annotated[str, typer.Argument(metavar="FILE")]
QueueArgument = Annotated[Path, typer.Argument(metavar="QUEUE")]


def group(app: typer.Typer, name: str, about: str) -> typer.Typer:
    """Return a group of commands, which is added to the program."""
    made = typer.Typer(
        name=name,
        help=about,
        epilog=_examples(name),
        no_args_is_help=True,
        rich_markup_mode=None,
        add_completion=False,
        suggest_commands=False,
    )
    app.add_typer(made)
    return made


def _examples(path: str) -> str:
    # The backspace keeps click from joining the lines.
    examples = TEXTS["commands"][path]["examples"]
    title = "Example:" if len(examples) == 1 else "Examples:"
    return "\n".join(["\b", title, *(f"  triage {example}" for example in examples)])


def commands(app: typer.Typer, *functions: Callable[..., Done | None]) -> None:
    """Register commands in the order in which help lists them."""
    for function in functions:
        _register(app, function)


def _register(app: typer.Typer, function: Callable[..., Done | None]) -> None:
    name = function.__name__.strip("_")
    path = f"{app.info.name} {name}" if isinstance(app.info.name, str) else name
    told = "\n\n".join(filter(None, (function.__doc__, TEXTS["commands"][path].get("help"))))
    run = _runner(function, path)
    app.command(name=name, cls=_Command, help=told, epilog=_examples(path))(run)


def _runner(function: Callable[..., Done | None], path: str) -> Callable[..., None]:
    """Return what runs a command and tells its result; its signature has all options."""
    hints, signature = get_type_hints(function, include_extras=True), inspect.signature(function)
    own = {key: one for key, one in signature.parameters.items() if key != "call"}
    records = {key: hints[key] for key in own if is_dataclass(hints[key])}
    settings = {
        key: setting_of(key, hints[key], one.default)
        for key, one in own.items()
        if key not in records and get_origin(hints[key]) is not Annotated
    }
    of_call = _options_of(get_args(hints.get("call"))[1:], tells=hints["return"] is Done)

    def run(context: typer.Context, **given: Any) -> None:  # noqa: ANN401
        call = _called(context, {one.name: given.pop(one.name) for one in of_call})
        for key, record in records.items():
            given[key] = _built(record, {name: given.pop(name) for name in settings_of(record)})
        for key, one in settings.items():
            given[key] = one.checked(given[key], f"--{one.key}")
        done = function(**given, **({"call": call} if "call" in hints else {}))
        if isinstance(done, Done):
            _tell(done, call.run)

    arguments = [key for key in own if key not in records and key not in settings]
    parameters = [_parameter("context", inspect.Parameter.empty, typer.Context)]
    parameters += [_parameter(key, own[key].default, hints[key]) for key in arguments]
    parameters += [_option(one, path) for one in settings.values()]
    for record in records.values():
        panel = getattr(record, "panel", None)
        parameters += [_option(one, path, panel) for one in settings_of(record).values()]
    run.__signature__ = inspect.Signature([*parameters, *of_call])  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in (*parameters, *of_call)}
    return run


def _called(context: typer.Context, given: Mapping[str, Any]) -> Call:
    """Return a command as it was called: what no option of it says, plan or environment may."""
    origins = context.meta[SAID]
    said = {name: value for name, (value, _) in origins.items()} | {**given}

    def named(name: str) -> str:
        is_variable = name not in given and origins[name][1] == "environment"
        return f"TRIAGE_{name.upper()}" if is_variable else f"--{key_of(name)}"

    def built(record: type[_Record]) -> _Record:
        known = {name: said[name] for name in settings_of(record) if name in said}
        return build(record, known, named)

    settings = built(Reading), built(Setup), built(Treatment), built(Run)
    return Call(context, context.meta.get(PLAN), *settings)


def _built(record: type[_Record], given: Mapping[str, Any]) -> _Record:
    return build(record, given, lambda name: f"--{key_of(name)}")


def _tell(done: Done, run: Run) -> None:
    if done.code or run.json or not run.quiet:
        tell(done.facts if run.json else done.lines, beside=done.beside)
    if done.code:
        raise typer.Exit(done.code)


def _options_of(taken: tuple[Any, ...], *, tells: bool) -> list[inspect.Parameter]:
    """Return the options of a call: settings of records, and those named by their keys."""
    keys = {"json"} if tells else set[str]()
    for one in taken:
        keys |= {*one.split()} if isinstance(one, str) else _keys_of(one)
    plan = [_parameter("plan", [], _PLAN_OPTION)] if WITH_PLAN in keys else []
    chosen = [one for one in _EVERY.values() if one.key in keys]
    return plan + [_option(one, "", _PANEL_OF[one.name]) for one in chosen]


def _keys_of(record: type) -> set[str]:
    return {one.key for one in settings_of(record).values() if one.on_command_line}


def _option(one: Setting, path: str, panel: str | None = None) -> inspect.Parameter:
    """Return the option of a setting; its value is checked when the record is built."""
    own = TEXTS["commands"].get(path, {}).get("options", {})
    option = typer.Option(
        f"--{one.key}/--{one.negative}" if one.negative else f"--{one.key}",
        *([f"-{short}"] if (short := "o" if one.name == "output" else one.short) else []),
        help=one.help or own.get(one.key.replace("-", "_")) or TEXTS["options"][one.name],
        min=one.low,
        max=one.high,
        metavar="SHARE" if one.is_share else f"[{'|'.join(one.choices)}]" if one.choices else None,
        autocompletion=(lambda: [*one.choices]) if one.choices else None,
        rich_help_panel="Rare" if one.is_rare else panel,
    )
    kind: Any = one.kind if one.kind in (bool, int, Path) else Path if one.is_path else str
    if one.shape is tuple:
        return _parameter(one.name, [], Annotated[list[kind], option])
    default = str(one.default) if one.choices and one.default is not None else one.default
    kind = kind | None if default is None else kind
    return _parameter(one.name, default, Annotated[kind, option])


def _parameter(name: str, default: object, hint: Any) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


class _Command(TyperCommand):
    """A command whose help has its options in panels, those of a run behind its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        ctx.meta[TYPED] = [*args]
        _make_defaults(ctx, _environment(), "environment")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Name in an error, as a plan does, settings that the command takes from a plan alone."""
        try:
            return super().invoke(ctx)
        except UserError as error:
            line, options = str(error), {one for parameter in self.params for one in parameter.opts}
            for option, (one, value) in said_in_plan(ctx).items():
                if option not in options:
                    # The value that it names, if any, is said with it.
                    named = rf"(?<![\w-]){option}(?![\w-])(?: ([\w-]+(?=[,;]|$)|'[^']*'))?"
                    line = re.sub(named, partial(_said_with, one, value), line)
            error.args = (line,)
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for one in self.get_params(ctx):
            panel = "Arguments" if one.param_type_name == "argument" else "Options"
            # Of options of its own, click names no panel.
            panel = getattr(one, "rich_help_panel", None) or panel
            panel = Run.panel if "--help" in one.opts else panel
            if record := one.get_help_record(ctx):
                panels.setdefault(panel, []).append(record)
        for panel in sorted(panels, key=lambda one: one in _PANELS and 1 + _PANELS.index(one)):
            if panels[panel]:
                with formatter.section(paint(panel, bold=True)):
                    formatter.write_dl(panels[panel])


def _make_defaults(context: typer.Context, values: Mapping[str, Any], where: str) -> None:
    """Make some values the defaults of the options of a command, and of its other settings."""
    said = context.meta.setdefault(SAID, {})
    said |= {name: (value, where) for name, value in values.items()}
    context.default_map = {
        name: [*value] if isinstance(value, tuple) else value
        for name, (value, _) in said.items()
        # A style that the command line names is that of all types, that of a plan of the others.
        if name != "style"
    }


def _environment() -> dict[str, object]:
    """Return the settings that may be variables of the environment: nothing by which more stays."""
    harmless = [*settings_of(Reading).values(), _EVERY["language"], _EVERY["jobs"]]
    given = {one: os.environ.get(f"TRIAGE_{one.name.upper()}") for one in harmless}
    return {
        one.name: value.lower() in ("1", "true", "yes", "on")
        if one.kind is bool
        else int(value)
        if one.kind is int and value.isdecimal()
        else value
        for one, value in given.items()
        if value
    }


def _read_plan(context: typer.Context, given: list[str]) -> list[str]:
    """Read what ``--plan`` says, which are the defaults of the other options."""
    if not given:
        return given
    from ..anonymise.plan import read_plan

    said = [one for one in given if "=" in one and not Path(one).exists()]
    files = [Path(one) for one in given if one not in said]
    if len(files) > 1:
        raise TriageError("--plan names one file, and any number of settings, such as strict=true")
    context.meta[PLAN], values = read_plan(*files, said=said)
    # The commands that replace identifiers, or ask what becomes of them.
    if context.info_name not in ("anonymise", "publish", "check", "mine"):
        keys = {one.key for one in settings_of(Treatment).values()}
        if wrong := [one for one in said if one.partition("=")[0] in keys]:
            line = f"--plan {wrong[0].partition('=')[0]}=… is a setting of triage anonymise and "
            raise TriageError(f"{line}publish: {context.command_path} has no use for it")
    known = _of_plan(context)
    of_options = {name: one for name, one in values.items() if name in known and one is not None}
    _make_defaults(context, of_options, "plan")
    return given


_PLAN_OPTION = Annotated[
    list[str],
    typer.Option(
        "--plan",
        metavar="PLAN",
        callback=_read_plan,
        is_eager=True,
        help="Plan (see triage plan), which may hold every setting, or one of its settings, "
        "such as strict=true; repeatable. What the command line says wins.",
    ),
]


def _of_plan(context: typer.Context) -> dict[str, Setting]:
    """Return the settings that a command takes from a plan, by name."""
    if context.info_name in ("anonymise", "publish"):
        return _EVERY
    # The files and the switches of a plan are those of the treatment.
    known = {*settings_of(Reading), *settings_of(Setup), "jobs", "seed"}
    # What prints its result alone cannot keep quiet.
    known |= {one.name for one in context.command.params if one.name == "quiet"}
    return {name: one for name, one in _EVERY.items() if name in known}


def said_in_plan(context: typer.Context) -> dict[str, tuple[Setting, str]]:
    """Return which setting of a plan says what an option would, and its value, by the option."""
    told: dict[str, tuple[Setting, str]] = {}
    if not any(one.name == WITH_PLAN for one in context.command.params):
        return told
    for one in _of_plan(context).values():
        names = [f"--{one.key}", *([f"-{one.short}"] if one.short else [])]
        told |= dict.fromkeys(names, (one, "true" if one.kind is bool else "…"))
        told[f"--{one.negative or f'no-{one.key}'}"] = one, "false"
    return told


def _said_with(one: Setting, value: str, found: re.Match[str]) -> str:
    return f"--plan {one.key}={found[1] or value}"
