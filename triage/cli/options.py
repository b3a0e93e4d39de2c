"""A command as it was called, and its options, made from the settings that it takes.

A command takes arguments, settings of its own, records of them, and a `Call`; behind that stands
which settings of a run its help shows. It returns what it did, which is printed in one place.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand
from typer.main import get_command_from_info
from typer.models import CommandInfo

from triage.data.output import file_named

from ..anonymise.plan import Plan, read_plan
from ..decide.language import chosen_language
from ..decide.pipeline import Triage
from ..decide.record import with_run
from ..decide.source import Source
from ..errors import UserError
from ..progress import StartProgress
from ..safe import STANDARD_STREAM
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
from .printed import TEXTS, USAGE_ERROR, Done, examples, note, paint, progress, refused, show, warn

_PANELS = (Reading.panel, Setup.panel, Treatment.panel, Run.panel, "Rare")
_EVERY = {name: one for record in RECORDS for name, one in settings_of(record).items()}
_TABLES = {name for name, one in _EVERY.items() if one.shape is Mapping}

# Behind a call stand the settings that are options: those of a record, or their keys.
READING = tuple(f"--{one.key}" for one in settings_of(Reading).values())
DECIDING = tuple(f"--{one.key}" for one in settings_of(Setup).values())

FileArgument = Annotated[str, typer.Argument(metavar="FILE")]
# Where a context keeps the plan, its settings that are on the command line, the words as they were
# typed, and what environment and plan say: values and sources, by name.
PLAN, SINGLE, TYPED, SOURCES = "triage.plan", "triage.single", "triage.typed", "triage.sources"
# Files of a command that are read: of these, a stream is standard input.
_READ = {"against", "answers", "catalogue", "key_table"}


@dataclass(frozen=True)
class Call:
    """The settings that command line, plan and environment say, and what a command works with."""

    context: typer.Context
    plan: Plan | None
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
        """The number of processes that work on a file: by default one for each core."""
        with suppress(AttributeError):  # macOS and Windows have no such call
            return self.run.jobs or len(os.sched_getaffinity(0))
        return self.run.jobs or os.cpu_count() or 1

    @property
    def origins(self) -> dict[str, str]:
        """Return where each setting came from that is not as by default, by its name."""
        sources = {name: where for name, (_, where) in self.context.meta[SOURCES].items()}
        sources |= {one.name: "command line" for one, _ in self._given()}
        settings = {*settings_of(Reading), *settings_of(Setup), *settings_of(Treatment)}
        return {key_of(name): sources[name] for name in sorted(settings & {*sources})}

    def _given(self) -> Iterator[tuple[Any, str]]:
        """Yield the options that are on the command line, each with what it is called there."""
        for one in self.context.command.params:
            source = self.context.get_parameter_source(one.name or "")
            if one.param_type_name == "option" and source and source.name == "COMMANDLINE":
                is_no = self.context.params[one.name] is False
                yield one, (one.secondary_opts if is_no else one.opts)[0]

    def given(self, *without: str) -> Iterator[str]:
        """Yield the options on the command line as words, but some, without folders of files."""
        for one, said in self._given():
            value = self.context.params[one.name]
            for each in value if one.multiple else [value]:
                word = Path(each).name if os.path.lexists(str(each)) else str(each)
                if said not in without:
                    yield from [said] if isinstance(each, bool) else [said, word]

    def given_treatment(self) -> dict[str, Any]:
        """Return the settings of treatment on the command line, by name."""
        names = {one.name for one, _ in self._given()} & settings_of(Treatment).keys()
        return {name: getattr(self.treatment, name) for name in names}

    def refuse(self, options: Iterable[str], why: str) -> None:
        """Raise an error if one of some options was given, where it does not apply."""
        names, single = {*options}, self.context.meta.get(SINGLE, ())
        given = {one.opts[0]: said for one, said in self._given()}
        for option, shown in (given | {f"--{key}": f"--plan {key}=…" for key in single}).items():
            if option in names:
                raise refused("unused", option=shown, why=why)

    def source(self, path: str | Path) -> Source:
        return Source(str(path), self.reading)

    def load(self, messages: Iterable[str] | None = None, setup: Setup | None = None) -> Triage:
        """Load dictionaries and model, in a language guessed from messages where none is named."""
        setup = setup or self.setup
        if messages is not None:
            setup = replace(setup, language=self.language_of(messages, setup))
        triage = Triage.of(setup)
        warn(triage.warning)
        return triage

    def setup_of_run(self, source: str) -> Setup:
        """Return the setup for a triaged file: what is given, else what its run had."""
        return with_run(self.setup, source, warn)

    def load_as(self, file: Source, messages: Iterable[str] | None = None) -> Triage:
        """Load dictionaries and model as in the run of a triaged file."""
        messages = file.first_messages() if messages is None else messages
        return self.load(messages, self.setup_of_run(file.path))

    def language_of(self, messages: Iterable[str], setup: Setup | None = None) -> str:
        """Return the language that is named, else one guessed from messages, which is said."""
        return chosen_language((setup or self.setup).language, messages, note, "--language")

    @cached_property
    def progress(self) -> StartProgress | None:
        return progress(quiet=self.run.quiet)


def queue_beside(path: Path) -> Path:
    """Return the place of the queue of a triaged file: ``sms.queue`` of ``sms.triage.csv``."""
    return file_named(path).with_name(f"{path.stem.removesuffix('.triage')}.queue")


def command(path: str, module: str) -> Any:
    """Load a command: the function of a module that is called like the last word of its path."""
    name = path.rpartition(" ")[2]
    functions = vars(import_module(f"{__package__}.{module}"))
    # Some are words of Python.
    function = functions.get(f"{name}_") or functions[name]
    texts = filter(None, (TEXTS["commands"][path].get(one) for one in ("about", "help")))
    info = CommandInfo(
        name,
        cls=_Command,
        help="\n\n".join(texts),
        epilog=examples(path),
        callback=_runner(function, path),
    )
    return get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode=None)


def _runner(function: Callable[..., Done | None], path: str) -> Callable[..., None]:
    """Return a function that runs a command and shows its result; its signature has all options."""
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
    of_call = _options_of(get_args(hints.get("call"))[1:], {*hints}, tells=hints["return"] is Done)

    def run(context: typer.Context, **given: Any) -> None:
        with _naming_variables(context):
            call = _call_of(context, {one.name: given.pop(one.name) for one in of_call})
            for key, record in records.items():
                fields = {name: given.pop(name) for name in settings_of(record)}
                given[key] = build(record, fields, _option_of)
            given |= {key: one.checked(given[key], f"--{one.key}") for key, one in own.items()}
            done = function(**given, **({"call": call} if "call" in hints else {}))
        if done and (done.code or call.run.json or not call.run.quiet):
            beside = done.beside or STANDARD_STREAM in map(str, map(given.get, own.keys() - _READ))
            show(done.facts if call.run.json else done.lines, beside=beside)
        if done and done.code:
            raise typer.Exit(done.code)

    run.__signature__ = inspect.Signature([*parameters, *of_call])  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in (*parameters, *of_call)}
    return run


def _call_of(context: typer.Context, given: Mapping[str, Any]) -> Call:
    """Return a command as it was called; a plan says tables by types, which no option does."""
    tables = {name: value for name, (value, _) in context.meta[SOURCES].items() if name in _TABLES}
    values, settings = tables | {**given}, list[Any]()
    for record in RECORDS:
        fields = {name: values[name] for name in settings_of(record) if name in values}
        settings.append(build(record, fields, _option_of))
    return Call(context, context.meta.get(PLAN), *settings)


def _option_of(name: str) -> str:
    return f"--{key_of(name)}"


@contextmanager
def _naming_variables(context: typer.Context) -> Iterator[None]:
    """Name the variable of the environment in errors about an option that it says."""
    try:
        yield
    except UserError as error:
        for name in context.meta[SOURCES]:
            if variable := variable_of(context, name):
                error.rename(_option_of(name), variable)
        raise


def variable_of(context: typer.Context, name: str) -> str:
    """Return the variable of the environment that says a setting, empty where none does."""
    _, where = context.meta[SOURCES].get(name, ("", ""))
    source = context.get_parameter_source(name)
    is_there = where == "environment" and (source is None or source.name == "DEFAULT_MAP")
    return f"TRIAGE_{name.upper()}" if is_there else ""


def _options_of(wanted: tuple[Any, ...], own: set[str], *, tells: bool) -> list[inspect.Parameter]:
    """Return the options of a call, hidden where a plan alone is meant to say them."""
    keys = {"json"} if tells else set[str]()
    for group in wanted:
        settings = () if isinstance(group, str) else settings_of(group).values()
        keys |= {one.key for one in settings if one.on_command_line}
        keys |= {*group.split()} if isinstance(group, str) else set()
    in_plan: set[str] = set()
    if "plan" in keys:
        # The files and the switches of a plan are those of the treatment.
        in_plan = {*settings_of(Reading), *settings_of(Setup), "jobs"}
        in_plan |= {"quiet"} if tells else set()
        in_plan = {*_EVERY} if "style" in keys else in_plan
    plan = [_parameter("plan", [], _PLAN_OPTION)] if in_plan else []
    return plan + [
        _option(one, hidden=one.key not in keys or not one.on_command_line)
        for name, one in _EVERY.items()
        if one.key in keys or (name in in_plan and name not in own and name not in _TABLES)
    ]


def _option(one: Setting, path: str = "", *, hidden: bool = False) -> inspect.Parameter:
    """Return the option of a setting; its value is checked when the record is built."""
    texts = TEXTS["commands"].get(path, {}).get("options", {})
    short = "o" if one.name == "output" else one.short
    choices = f"[{'|'.join(one.choices)}]" if one.choices else None
    kind: Any = one.kind if one.kind in (bool, int, Path) else Path if one.is_path else str
    option = typer.Option(
        f"--{one.key}/--{one.negative}" if one.negative else f"--{one.key}",
        *([f"-{short}"] if short else []),
        hidden=hidden,
        help=one.help or texts.get(one.key.replace("-", "_")) or TEXTS["options"][one.name],
        min=one.low,
        max=one.high,
        metavar="SHARE" if one.kind is float else choices,
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
        # Of the environment, nothing by which more of a message stays.
        harmless = (*settings_of(Reading), "language", "jobs")
        given = {name: os.environ.get(f"TRIAGE_{name.upper()}") for name in harmless}
        values = {name: value for name, value in given.items() if value}
        _make_defaults(ctx, values, "environment")
        try:
            return super().parse_args(ctx, args)
        except USAGE_ERROR as error:
            # Of an option without its value, click does not say whose it is.
            error.ctx = ctx
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
    sources = context.meta.setdefault(SOURCES, {})
    sources |= {name: (value, where) for name, value in values.items()}
    context.default_map = {
        name: [*value] if isinstance(value, tuple) else value
        for name, (value, _) in sources.items()
        # A style that the command line names is that of all types, that of a plan of the others.
        if name != "style"
    }


def _read_plan(context: typer.Context, given: list[str]) -> list[str]:
    """Read what ``--plan`` says, which are the defaults of the other options."""
    if not given:
        return given
    single = [one for one in given if "=" in one and not os.path.lexists(one)]
    files = [Path(one) for one in given if one not in single]
    if len(files) > 1:
        raise refused("several_plans")
    context.meta[PLAN], values = read_plan(*files, given=single)
    context.meta[SINGLE] = [one.partition("=")[0] for one in single]
    names = {one.name for one in context.command.params}
    names |= _TABLES if "style" in names else set()
    # They ask what becomes of identifiers, which they do not replace.
    asked = names | {*settings_of(Treatment)} if context.info_name in ("check", "mine") else names
    for key in context.meta[SINGLE]:
        if key.replace("-", "_") not in asked:
            raise refused("other_setting", key=key, command=context.command_path)
    defaults = {name: one for name, one in values.items() if name in names and one is not None}
    _make_defaults(context, defaults, "plan")
    return given


_PLAN_OPTION = Annotated[
    list[str],
    typer.Option(
        "--plan",
        metavar="PLAN",
        callback=_read_plan,
        is_eager=True,
        help="A plan, as triage plan prints one, or a single setting of it, such as strict=true; "
        "repeatable. Each setting is also an option of its own, which wins.",
    ),
]
