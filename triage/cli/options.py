"""A command as it was called, and its options, made from the settings that it takes.

A command takes arguments, settings of its own, records of them, and a `Call`; behind that stands
which settings of a run are options. It returns what it did, which is printed in one place. What
reads and decides is loaded when a command asks for it: help need not wait for numpy.
"""

import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from ..errors import TriageError, UserError
from ..progress import StartProgress
from ..settings import (
    RECORDS,
    Reading,
    Run,
    Setting,
    Setup,
    Treatment,
    build,
    key_of,
    setting_of,
    settings_of,
)
from .printed import TEXTS, Done, note, paint, progress, tell, warn

if TYPE_CHECKING:
    from ..anonymise.plan import Plan
    from ..decide.pipeline import Triage
    from ..decide.source import Source
    from ..queue import Queue

Messages = Callable[[], Iterable[str]]

_PANELS = (Reading.panel, Setup.panel, Treatment.panel, Run.panel, "Rare")
_EVERY = {name: one for record in RECORDS for name, one in settings_of(record).items()}

# Behind a call stand the settings that are options: those of a record, or their keys.
WITH_PLAN = "plan"
READING = tuple(f"--{one.key}" for one in settings_of(Reading).values())
DECIDING = tuple(f"--{one.key}" for one in settings_of(Setup).values())

FileArgument = Annotated[str, typer.Argument(metavar="FILE")]
QueueArgument = Annotated[Path, typer.Argument(metavar="QUEUE")]
# Where a context keeps the plan, the words as they were typed, and what environment and plan say:
# values and sources, by name.
PLAN, TYPED, SAID = "triage.plan", "triage.typed", "triage.said"


@dataclass(frozen=True)
class Call:
    """The settings that command line, plan and environment say, and what a command works with."""

    context: typer.Context
    plan: "Plan | None"
    reading: Reading
    setup: Setup
    treatment: Treatment
    run: Run

    @property
    def read_from(self) -> list[Path]:
        """The files that settings and plan name, which no output may replace."""
        return [*map(Path, self.setup.paths), *(self.plan.read_from if self.plan else ())]

    @property
    def jobs(self) -> int:
        """Return how many processes work on a file."""
        return self.run.jobs or processes()

    @property
    def origins(self) -> dict[str, str]:
        """Return where each setting came from that is not as by default, by its name."""
        found = {name: where for name, (_, where) in self.context.meta[SAID].items()}
        found |= {one.name: "command line" for one in self._given()}
        settings = {*settings_of(Reading), *settings_of(Setup), *settings_of(Treatment)}
        return {key_of(name): found[name] for name in sorted(settings & {*found})}

    def _given(self) -> Iterator[Any]:
        """Yield the options that are on the command line."""
        for one in self.context.command.params:
            source = self.context.get_parameter_source(one.name or "")
            if one.param_type_name == "option" and source and source.name == "COMMANDLINE":
                yield one

    def said(self, *without: str) -> dict[str, Any]:
        """Return the options on the command line, by their names, but some."""
        found = {}
        for one in self._given():
            value = self.context.params[one.name]
            is_no = value is False and one.secondary_opts
            if one.type.name == "path":
                value = [*map(Path, value)] if one.multiple else Path(value)
            found[(one.secondary_opts if is_no else one.opts)[0]] = True if is_no else value
        return {option: value for option, value in found.items() if option not in without}

    def refuse(self, options: Iterable[str], why: str) -> None:
        """Raise TriageError if one of some options was given, where it does not apply."""
        names = {*options}
        for option in self.said():
            if names & {option, option.replace("--no-", "--")}:
                raise TriageError(f"{option} {why}")

    def again(self, *more: str, without: Iterable[str] = ()) -> str:
        """Return the command as it was typed, with and without some options, to run once more."""
        words = [one for one in self.context.meta[TYPED] if one not in without]
        words += [one for one in more if one not in words]
        return f"{self.context.command_path} {shlex.join(words)}"

    def source(self, path: str | Path) -> "Source":
        """Return a file of messages, and how it is read."""
        return source_of(path, self.reading)

    def load(self, messages: Messages | None = None) -> "Triage":
        """Load dictionaries and model, in a language guessed from messages where none is named."""
        return load(self.setup, messages)

    def triaged(self, file: "Source", messages: Messages | None = None) -> "Triage":
        """Load what decided a file that was triaged; what is not given is that of its run."""
        return load(of_run(self.setup, file.path), messages or file.first_messages)

    def language_of(self, messages: Iterable[str]) -> str:
        """Return the language of the dictionaries for some messages."""
        from triage.dictionaries.pack import FRENCH

        return in_language(self.setup, lambda: messages).language or FRENCH

    @cached_property
    def progress(self) -> StartProgress | None:
        """The starter of bars of progress; None where the command is quiet."""
        return progress(quiet=self.run.quiet)


def processes() -> int:
    """Return on how many cores this process may run."""
    with suppress(AttributeError):  # macOS and Windows have no such call
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def source_of(path: str | Path, reading: Reading | None = None) -> "Source":
    """Return a file of messages and how it is read."""
    from ..decide.source import Source

    return Source(str(path), reading or Reading())


def opened_queue(path: Path) -> "Queue":
    """Open a queue."""
    from ..queue import Queue

    return Queue.open(path)


def in_language(setup: Setup, messages: Messages) -> Setup:
    """Return settings with a language: by default guessed from messages, which is said."""
    from ..decide.language import guess_language

    if setup.language:
        return setup
    language, about = guess_language(messages())
    note(about)
    return replace(setup, language=language)


def of_run(setup: Setup, source: str) -> Setup:
    """Return settings for a file that was triaged: what is not given is that of its run."""
    from ..decide.run import with_run

    told, warning = with_run(setup, source)
    warn(warning)
    return told


def load(setup: Setup, messages: Messages | None = None) -> "Triage":
    """Load dictionaries and model, in a language guessed from messages where none is named."""
    from ..decide.pipeline import Triage

    triage = Triage.of(in_language(setup, messages) if messages else setup)
    warn(triage.warning)
    return triage


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
        name = function.__name__.strip("_")
        path = f"{app.info.name} {name}" if isinstance(app.info.name, str) else name
        told = filter(None, (function.__doc__, TEXTS["commands"][path].get("help")))
        command = app.command(
            name=name, cls=_Command, help="\n\n".join(told), epilog=_examples(path)
        )
        command(_runner(function, path))


def _runner(function: Callable[..., Done | None], path: str) -> Callable[..., None]:
    """Return what runs a command and tells its result; its signature has all options."""
    hints, own, records = get_type_hints(function, include_extras=True), {}, {}
    parameters = [_parameter("context", inspect.Parameter.empty, typer.Context)]
    for key, one in inspect.signature(function).parameters.items():
        if is_dataclass(hints[key]):
            records[key] = hints[key]
        elif get_origin(hints[key]) is not Annotated:
            own[key] = setting_of(key, hints[key], one.default)
        elif key != "call":
            parameters.append(_parameter(key, one.default, hints[key]))
    parameters += [_option(one, path) for one in own.values()]
    for record in records.values():
        parameters += [_option(one, path) for one in settings_of(record).values()]
    of_call = _options_of(get_args(hints.get("call"))[1:], tells=hints["return"] is Done)

    def run(context: typer.Context, **given: Any) -> None:
        call = _called(context, {one.name: given.pop(one.name) for one in of_call})
        for key, record in records.items():
            said = {name: given.pop(name) for name in settings_of(record)}
            given[key] = build(record, said, lambda name: f"--{key_of(name)}")
        given |= {key: one.checked(given[key], f"--{one.key}") for key, one in own.items()}
        done = function(**given, **({"call": call} if "call" in hints else {}))
        if done and (done.code or call.run.json or not call.run.quiet):
            tell(done.facts if call.run.json else done.lines, beside=done.beside)
        if done and done.code:
            raise typer.Exit(done.code)

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

    settings: list[Any] = []
    for record in RECORDS:
        known = {name: said[name] for name in settings_of(record) if name in said}
        settings.append(build(record, known, named))
    return Call(context, context.meta.get(PLAN), *settings)


def _options_of(taken: tuple[Any, ...], *, tells: bool) -> list[inspect.Parameter]:
    """Return the options of a call: settings of records, and those named by their keys."""
    keys = {"json"} if tells else set[str]()
    for of in taken:
        known = () if isinstance(of, str) else settings_of(of).values()
        keys |= {one.key for one in known if one.on_command_line}
        keys |= {*of.split()} if isinstance(of, str) else set()
    plan = [_parameter("plan", [], _PLAN_OPTION)] if WITH_PLAN in keys else []
    return plan + [_option(one) for one in _EVERY.values() if one.key in keys]


def _option(one: Setting, path: str = "") -> inspect.Parameter:
    """Return the option of a setting; its value is checked when the record is built."""
    own = TEXTS["commands"].get(path, {}).get("options", {})
    short = "o" if one.name == "output" else one.short
    kind: Any = one.kind if one.kind in (bool, int, Path) else Path if one.is_path else str
    option = typer.Option(
        f"--{one.key}/--{one.negative}" if one.negative else f"--{one.key}",
        *([f"-{short}"] if short else []),
        help=one.help or own.get(one.key.replace("-", "_")) or TEXTS["options"][one.name],
        min=one.low,
        max=one.high,
        metavar="SHARE"
        if one.kind is float
        else f"[{'|'.join(one.choices)}]"
        if one.choices
        else None,
        autocompletion=(lambda: [*one.choices]) if one.choices else None,
        rich_help_panel=one.panel,
    )
    if one.shape is tuple:
        return _parameter(one.name, [], Annotated[list[kind], option])
    default = str(one.default) if one.choices and one.default is not None else one.default
    kind = kind | None if default is None else kind
    return _parameter(one.name, default, Annotated[kind, option])


def _parameter(name: str, default: object, hint: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


class _Command(TyperCommand):
    """A command whose help has its options in panels, those of a run behind its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[TYPED] = [*args]
        _make_defaults(ctx, _environment(), "environment")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
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

    def format_options(self, ctx: Any, formatter: Any) -> None:
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
