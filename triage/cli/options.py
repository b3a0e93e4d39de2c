"""Options of commands, made from the settings that each takes, and how commands are registered.

A command takes arguments, settings of its own, and records of settings; behind a record stand those
of its settings that are options. It returns what it did, which is printed in one place.
"""

import inspect
import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import Field, is_dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from ..declared import Setting, build, declared, key_of, setting_of, settings_of
from ..errors import TriageError, UserError
from ..progress import PROGRESS_FILE, AddProgress, StartProgress, reporting
from ..settings import RECORDS, Reading, Run, Setup, Treatment

if TYPE_CHECKING:
    from ..anonymise.plan import Plan
    from ..decide.pipeline import Triage
    from ..decide.source import Source
    from ..queue import Queue

# What a terminal would obey, a page would turn round, or no encoding has.
_CONTROL = re.compile(r"[\0-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LAST = (*(one.panel for one in (Reading, Setup, Treatment, Run)), "Rare")
_EXAMPLES = tomllib.loads((files(__package__) / "examples.toml").read_text(encoding="utf-8"))
# Where a context keeps what the environment and the plan say: values and sources, by name.
_SAID = "triage.said"
_TYPED = "triage.typed"
_PLAN = "triage.plan"


class Done(NamedTuple):
    """The result of a command: facts for programs, lines for people, and its exit code.

    It is told on standard error if `beside` what the command writes to standard output.
    """

    facts: Mapping[str, Any] | None
    lines: Iterable[str]
    code: int = 0
    beside: bool = False


# Behind a record stand the names of those of its settings that are options; by default all are.
Labelled = Annotated[Reading, "text_column", "sender_column"]
# The record beside what this program wrote says how it is read, and with which lists and model.
Triaged = Annotated[Reading, ""]
WithPeople = Annotated[Setup, "people"]
Known = Annotated[Setup, ""]
Writing = Annotated[Run, "overwrite", "quiet", "json"]
Silent = Annotated[Run, "overwrite", "json"]

READING = tuple(f"--{one.key}" for one in settings_of(Reading).values())
DECIDING = tuple(f"--{one.key}" for one in settings_of(Setup).values())

FileArgument = Annotated[str, typer.Argument(metavar="FILE")]
QueueArgument = Annotated[Path, typer.Argument(metavar="QUEUE")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Output file.")]
SEED = declared(0, "Random seed; the same one gives the same result.", low=0, high=2**32 - 1)
DOUBLE = declared(
    None, "Share of items for double coding by two annotators, such as 10%.", is_share=True
)


def _defaults(context: typer.Context, values: Mapping[str, Any], where: str) -> None:
    """Make some values the defaults of the options of a command, and of its other settings."""
    said = context.meta.setdefault(_SAID, {})
    said |= {name: (value, where) for name, value in values.items()}
    context.default_map = {
        name: [*value] if isinstance(value, tuple) else value
        for name, (value, _) in said.items()
        # A style that the command line names is that of all types, that of a plan of the others.
        if name != "style"
    }


def _environment() -> dict[str, object]:
    """Return the settings that may be variables of the environment: nothing by which more stays."""
    harmless = [*settings_of(Reading).values()]
    harmless += [settings_of(Setup)["language"], settings_of(Run)["jobs"]]
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


def of_plan(context: typer.Context) -> dict[str, Setting]:
    """Return the settings that a command takes from a plan, by name."""
    every = {name: one for record in RECORDS for name, one in settings_of(record).items()}
    if context.info_name in ("anonymise", "publish"):
        return every
    # The files and the switches of a plan are those of the treatment.
    known = {*settings_of(Reading), *settings_of(Setup), "jobs", "quiet"}
    return {name: one for name, one in every.items() if name in known}


def said_in_plan(context: typer.Context) -> dict[str, tuple[Setting, str]]:
    """Return which setting of a plan says what an option would, and its value, by the option."""
    told: dict[str, tuple[Setting, str]] = {}
    for one in of_plan(context).values():
        names = [f"--{one.key}", *([f"-{one.short}"] if one.short else [])]
        told |= dict.fromkeys(names, (one, "true" if one.kind is bool else "…"))
        told[f"--{one.negative or f'no-{one.key}'}"] = one, "false"
    return told


def _read_plan(context: typer.Context, given: list[str]) -> list[str]:
    """Read what ``--plan`` says, which are the defaults of the other options."""
    if not given:
        return given
    from ..anonymise.plan import read_plan

    said = [one for one in given if "=" in one and not Path(one).exists()]
    files = [Path(one) for one in given if one not in said]
    if len(files) > 1:
        raise TriageError("--plan names one file, and any number of settings, such as strict=true")
    context.meta[_PLAN], values = read_plan(*files, said=said)
    # The commands that replace identifiers, or ask what becomes of them.
    if context.info_name not in ("anonymise", "publish", "check", "mine"):
        keys = {one.key for one in settings_of(Treatment).values()}
        if wrong := [one for one in said if one.partition("=")[0] in keys]:
            line = f"--plan {wrong[0].partition('=')[0]}=… is a setting of triage anonymise and "
            raise TriageError(f"{line}publish: {context.command_path} has no use for it")
    known = of_plan(context)
    of_options = {name: one for name, one in values.items() if name in known and one is not None}
    _defaults(context, of_options, "plan")
    return given


def _parameter(name: str, default: object, hint: Any) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


_PLAN_OPTION = _parameter(
    "plan",
    [],
    Annotated[
        list[str],
        typer.Option(
            "--plan",
            metavar="PLAN",
            callback=_read_plan,
            is_eager=True,
            help="Plan (see triage plan), which may hold every setting, or one of its settings, "
            "such as strict=true; repeatable. What the command line says wins.",
        ),
    ],
)
# Commands with settings that decide have the option; those with such a parameter get the plan.
PlanOption = Any


def planned(plan: "Plan | None") -> "Plan":
    """Return the plan of ``--plan``, or that of the defaults."""
    from ..anonymise.plan import Plan

    return plan or Plan()


def files_of(plan: "Plan | None") -> tuple[Path, ...]:
    """Return the files of a plan: itself, and its lists."""
    return plan.read_from if plan else ()


def _said_with(one: Setting, value: str, found: re.Match[str]) -> str:
    return f"--plan {one.key}={found[1] or value}"


class _Command(TyperCommand):
    """A command whose help has its options in panels, those of records behind its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        ctx.meta[_TYPED] = [*args]
        _defaults(ctx, _environment(), "environment")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Name in an error, as a plan does, settings that the command takes from a plan alone."""
        try:
            return super().invoke(ctx)
        except UserError as error:
            line, options = str(error), {one for parameter in self.params for one in parameter.opts}
            for option, (one, value) in said_in_plan(ctx).items() if "--plan" in options else ():
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
            panel = Run.panel if one.name == "help" else getattr(one, "rich_help_panel") or panel  # noqa: B009
            if record := one.get_help_record(ctx):
                panels.setdefault(panel, []).append(record)
        for panel in sorted(panels, key=lambda one: one in _LAST and 1 + _LAST.index(one)):
            if panels[panel]:
                with formatter.section(paint(panel, bold=True)):
                    formatter.write_dl(panels[panel])


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


def _examples(name: str) -> str:
    # The backspace keeps click from joining the lines.
    examples = _EXAMPLES[name]
    title = "Example:" if len(examples) == 1 else "Examples:"
    return "\n".join(["\b", title, *(f"  triage {example}" for example in examples)])


def commands(app: typer.Typer, *functions: Callable[..., Done | None]) -> None:
    """Register commands in the order in which help lists them."""
    for function in functions:
        _register(app, function)


def _register(app: typer.Typer, function: Callable[..., Done | None]) -> None:
    """Register a command: its own options first, then those of its records, then the examples."""
    hints, signature = get_type_hints(function, include_extras=True), inspect.signature(function)
    records = {key: _record_of(one) for key, one in hints.items() if is_dataclass(_record_of(one))}
    groups = {key: _options_of(hints[key]) for key in records}
    settings, parameters = {}, []
    for key, one in signature.parameters.items():
        if isinstance(one.default, Field):
            settings[key] = setting_of(key, hints[key], one.default)
            parameters.append(_option(settings[key], None))
        elif key not in (*groups, "context", "plan"):
            parameters.append(_parameter(key, one.default, hints[key]))
    if {Setup, Reading} & {*records.values()}:
        parameters.append(_PLAN_OPTION)
    parameters += [one for options in groups.values() for one in options]
    if hints["return"] is Done and Run not in records.values():
        parameters += _options_of(Annotated[Run, "json"])

    def run(context: typer.Context, **given: Any) -> None:  # noqa: ANN401
        for key, options in groups.items():
            values = {one.name: given.pop(one.name) for one in options}
            # What no option of the command says, plan or environment may.
            known = settings_of(records[key]) if records[key] in RECORDS else ()
            said = {name: one for name, (one, _) in context.meta[_SAID].items() if name in known}
            given[key] = build(records[key], said | values, lambda name: f"--{key_of(name)}")
        for key, one in settings.items():
            given[key] = one.checked(given[key], f"--{one.key}")
        given |= {"context": context, "plan": context.meta.get(_PLAN)}
        done = function(**{key: given[key] for key in signature.parameters})
        if isinstance(done, Done):
            is_quiet = any(isinstance(one, Run) and one.quiet for one in given.values())
            _tell(done, context, is_quiet=is_quiet)

    parameters.insert(0, _parameter("context", inspect.Parameter.empty, typer.Context))
    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    name = function.__name__.strip("_")
    path = f"{app.info.name} {name}" if isinstance(app.info.name, str) else name
    app.command(name=name, cls=_Command, epilog=_examples(path))(run)


def _tell(done: Done, context: typer.Context, *, is_quiet: bool) -> None:
    if done.code or not is_quiet:
        tell(done.facts if context.params["json"] else done.lines, beside=done.beside)
    if done.code:
        raise typer.Exit(done.code)


def _record_of(hint: Any) -> Any:  # noqa: ANN401
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _options_of(hint: Any) -> list[inspect.Parameter]:  # noqa: ANN401
    """Return the options of a record: all its settings, or those that the hint names."""
    record = _record_of(hint)
    known, names = settings_of(record), get_args(hint)[1:]
    return [
        _option(one, getattr(record, "panel", None))
        for one in known.values()
        if (one.name in names if names else one.on_command_line)
    ]


def _option(one: Setting, panel: str | None) -> inspect.Parameter:
    """Return the option of a setting; its value is checked when the record is built."""
    option = typer.Option(
        f"--{one.key}/--{one.negative}" if one.negative else f"--{one.key}",
        *([f"-{one.short}"] if one.short else []),
        help=one.help,
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


def _given(context: typer.Context) -> Iterator[Any]:
    """Yield the options that are on the command line."""
    for one in context.command.params:
        source = context.get_parameter_source(one.name or "")
        if one.param_type_name == "option" and source and source.name == "COMMANDLINE":
            yield one


def said(context: typer.Context, *without: str) -> dict[str, Any]:
    """Return the options on the command line, by their names, but some."""
    found = {}
    for one in _given(context):
        value = context.params[one.name]
        is_no = value is False and one.secondary_opts
        if one.type.name == "path":
            value = [*map(Path, value)] if one.multiple else Path(value)
        found[(one.secondary_opts if is_no else one.opts)[0]] = True if is_no else value
    return {option: value for option, value in found.items() if option not in without}


def again(context: typer.Context, *more: str, without: Iterable[str] = ()) -> str:
    """Return the command as it was typed, with and without some options, to be run once more."""
    words = [one for one in context.meta[_TYPED] if one not in without]
    words += [one for one in more if one not in words]
    return f"{context.command_path} {shlex.join(words)}"


def origins(context: typer.Context) -> dict[str, str]:
    """Return where each setting came from that is not as by default, by its name."""
    found = {name: where for name, (_, where) in context.meta[_SAID].items()}
    found |= {one.name: "command line" for one in _given(context)}
    settings = {*settings_of(Reading), *settings_of(Setup), *settings_of(Treatment)}
    return {key_of(name): found[name] for name in sorted(settings & {*found})}


def refuse(context: typer.Context, options: Iterable[str], why: str) -> None:
    """Raise TriageError if one of some options is on the command line, where it does not apply."""
    names = {*options}
    for option in said(context):
        if names & {option, option.replace("--no-", "--")}:
            raise TriageError(f"{option} {why}")


def in_language(setup: Setup, messages: Callable[[], Iterable[str]]) -> Setup:
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


def load(setup: Setup, messages: Callable[[], Iterable[str]] | None = None) -> "Triage":
    """Load dictionaries and model, in a language guessed from messages where none is named."""
    from ..decide.pipeline import Triage

    triage = Triage.of(in_language(setup, messages) if messages else setup)
    warn(triage.warning)
    return triage


def source_of(path: str | Path, columns: Reading | None = None) -> "Source":
    """Return a file of messages and how it is read; what reads it is loaded with it, not before."""
    from ..decide.source import Source

    return Source(str(path), columns or Reading())


def opened_queue(path: Path) -> "Queue":
    """Open a queue; numpy is loaded with it, which help need not wait for."""
    from ..queue import Queue

    return Queue.open(path)


def processes(jobs: int | None) -> int:
    """Return how many processes work on a file."""
    if jobs:
        return jobs
    with suppress(AttributeError):  # macOS and Windows have no such call
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def tell(found: Mapping[str, Any] | Iterable[str] | None, *, beside: bool = False) -> None:
    """Print facts as JSON, or lines; what a terminal would obey is printed as it is escaped."""
    if found is None or isinstance(found, Mapping):
        lines: Iterable[str] = [json.dumps(found, ensure_ascii=False)]
    else:
        lines = (part for line in found for part in line.split("\n"))
    typer.echo("\n".join(map(shown, lines)), err=beside)


def paint(text: str, **how: Any) -> str:  # noqa: ANN401
    """Return a text in colour, which is dropped where no terminal shows it."""
    return text if os.environ.get("NO_COLOR") else typer.style(text, **how)


def note(text: str) -> None:
    """Print a line on standard error, if there is one."""
    if text:
        typer.echo(f"{paint('triage:', fg='yellow')} {shown(text)}", err=True)


def warn(text: str) -> None:
    """Print a warning on standard error, if there is one."""
    note(text and f"warning: {text}")


def shown(line: str) -> str:
    r"""Return a line in which what a terminal would obey is escaped.

    >>> print(shown("un\x1b[31m.csv"))
    un\u001b[31m.csv
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def formula_warning(formulas: Mapping[str, int]) -> str:
    """Return the warning about cells that a spreadsheet may take for formulas, by column."""
    counts = ", ".join(f"{n:,} of {column}" for column, n in formulas.items())
    return (
        f"Warning: a spreadsheet may take cells for formulas ({counts}), since CSV holds them as "
        "they are: for a spreadsheet, write .xlsx"
    )


@contextmanager
def progress_bars(working: Run | None = None) -> Iterator[StartProgress | None]:
    """Give progress bars, on standard error if that is a terminal.

    Where the environment names a file for progress, it is told there instead.
    """
    if file := os.environ.get(PROGRESS_FILE):
        yield reporting(Path(file))
        return
    if (working and working.quiet) or not sys.stderr.isatty():
        yield None
        return
    bars = []

    def start(rows: int | None, work: str) -> AddProgress:
        bar = typer.progressbar(length=rows or 0, label=work, file=sys.stderr, show_pos=True)
        bars.append(bar)
        bar.render_progress()
        return bar.update

    try:
        yield start
    finally:
        for bar in bars:
            bar.render_finish()
