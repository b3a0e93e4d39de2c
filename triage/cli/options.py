"""Options of commands, made from the settings that each takes, and how commands are registered.

A command takes a record of settings as one parameter; `only` and `but` say which of its settings
are options of that command. An option of one command alone is a parameter or a field of a dataclass
whose type is annotated with its help.
"""

import inspect
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ..declared import Setting, build, changed, key_of, settings_of, share_of
from ..errors import TriageError
from ..progress import PROGRESS_FILE, AddProgress, StartProgress, reporting
from ..settings import RECORDS, Reading, Run, Setup

if TYPE_CHECKING:
    from ..decide.pipeline import Triage
    from ..queue import Queue

Command = Callable[..., None]


@dataclass(frozen=True)
class _Taken:
    """The settings of a record that are options of a command."""

    names: frozenset[str]
    are_left_out: bool = False

    def has(self, name: str) -> bool:
        return (name in self.names) is not self.are_left_out


def only(*names: str) -> _Taken:
    """Take these settings of a record as options."""
    return _Taken(frozenset(names))


def but(*names: str) -> _Taken:
    """Take the settings of a record but these as options."""
    return _Taken(frozenset(names), are_left_out=True)


Messages = Annotated[Reading, but("date_column")]
Labelled = Annotated[
    Reading, only("text_column", "sender_column", "separator", "format", "sheet", "table")
]
# What this program wrote says itself how it is to be read, but for a user's own columns.
Triaged = Annotated[Reading, only("text_column", "id_column", "sender_column")]
Models = Annotated[
    Setup,
    only("model", "language", "names", "words", "people", "no_people", "recognisers", "find"),
]
Deciding = Annotated[Setup, but()]
Writing = Annotated[Run, only("overwrite", "quiet", "json")]
Working = Annotated[Run, but()]

QueueArgument = Annotated[Path, typer.Argument(metavar="QUEUE")]
FileArgument = Annotated[str, typer.Argument(metavar="FILE")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Output file.")]
JsonOption = Annotated[bool, typer.Option("--json", help=settings_of(Run)["json"].help)]
NoListsOption = Annotated[bool, "Do not use the lists that triage classify used."]


def _share(option: typer.CallbackParam, text: str | None) -> float | None:
    return None if text is None else share_of(text, f"--{key_of(str(option.name))}")


DoubleOption = Annotated[
    float | None,
    # The callback converts: only there is the name of the option known.
    typer.Option(
        "--double",
        metavar="SHARE",
        parser=str,
        callback=_share,
        help="Share of items for double coding by two annotators, such as 10%.",
    ),
]


def command(app: typer.Typer, *examples: str, name: str | None = None) -> Callable[[Command], None]:
    """Return a decorator that registers a command, with examples at the end of its help."""
    # The backspace keeps click from joining the lines.
    title = "Example:" if len(examples) == 1 else "Examples:"
    epilog = "\n".join(["\b", title, *(f"  triage {example}" for example in examples)])

    def register(function: Command) -> None:
        app.command(name=name, epilog=epilog)(_expanded(function))

    return register


def _expanded(function: Command) -> Command:
    """Return a command with its own options first, then those of its records."""
    hints = get_type_hints(function, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(_record_of(hint))}
    own, grouped = [], []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in groups:
            grouped += _parameters(groups[name])
        else:
            own.append(_parameter(name, parameter.default, hints[name]))
    parameters = [*own, *grouped]

    def run(**given: Any) -> None:  # noqa: ANN401
        made = {
            name: _built(hint, {one.name: given.pop(one.name) for one in _parameters(hint)})
            for name, hint in groups.items()
        }
        function(**made, **given)

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _record_of(hint: Any) -> Any:  # noqa: ANN401
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _parameters(hint: Any) -> list[inspect.Parameter]:  # noqa: ANN401
    """Return the options of a record of settings, or of a dataclass of one command."""
    record = _record_of(hint)
    if record in RECORDS:
        taken = get_args(hint)[1] if get_origin(hint) is Annotated else but()
        settings = settings_of(record).values()
        return [_of_setting(one) for one in settings if one.on_command_line and taken.has(one.name)]
    of_field = get_type_hints(record, include_extras=True)
    return [
        _parameter(
            one.name,
            one.default if one.default_factory is MISSING else one.default_factory(),
            of_field[one.name],
        )
        for one in fields(record)
    ]


def _parameter(name: str, default: object, hint: Any) -> inspect.Parameter:  # noqa: ANN401
    """Return an option; a text in its annotation is the help of an option of this name."""
    kind, *about = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if about and isinstance(about[0], str):
        hint = Annotated[kind, typer.Option(f"--{key_of(name)}", help=about[0])]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _of_setting(one: Setting) -> inspect.Parameter:
    """Return the option of a setting; its value is checked when the record is built."""
    names = [f"--{one.key}/--{one.negative}" if one.negative else f"--{one.key}"]
    option = typer.Option(
        *names,
        *([f"-{one.short}"] if one.short else []),
        help=one.help,
        min=one.low,
        metavar="SHARE" if one.is_share else f"[{'|'.join(one.choices)}]" if one.choices else None,
        autocompletion=(lambda: [*one.choices]) if one.choices else None,
    )
    kind: Any = one.kind if one.kind in (bool, int) else Path if one.is_path else str
    if one.shape is tuple:
        kind = list[kind]
    elif one.default is None:
        kind |= None
    default = [] if one.shape is tuple else one.default
    if one.choices and default is not None:
        default = str(default)
    return inspect.Parameter(
        one.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, option],
    )


def _built(hint: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
    record = _record_of(hint)
    if record not in RECORDS:
        return record(**values)
    return build(record, values, lambda name: f"--{key_of(name)}")


def given(record: Any, without: Sequence[str] = ()) -> dict[str, object]:  # noqa: ANN401
    """Return the options of a record that differ from their defaults, but some.

    >>> given(Setup(policy="agreement", corpus_evidence=False))
    {'--policy': <PolicyName.AGREEMENT: 'agreement'>, '--no-corpus-evidence': True}
    """
    if type(record) in RECORDS:
        known, values = settings_of(type(record)), changed(record)
        # Of a path a report tells the name alone.
        for name in (one for one in values if known[one].is_path):
            value = values[name]
            values[name] = [*map(Path, value)] if isinstance(value, tuple) else Path(value)
    else:
        defaults = {one.name: one.default for one in _parameters(type(record))}
        values = {name: value for name, value in vars(record).items() if value != defaults[name]}
    return {
        f"--{'no-' if value is False else ''}{key_of(name)}": value is False or value
        for name, value in values.items()
        if name not in without
    }


def refuse(options: Iterable[str], why: str) -> None:
    """Raise TriageError for the first of some options that do not apply."""
    for option in options:
        raise TriageError(f"{option} {why}")


def in_language(pipeline: Setup, messages: Callable[[], Iterable[str]]) -> Setup:
    """Return settings with a language: by default guessed from messages, which is said."""
    if pipeline.language:
        return pipeline
    from ..decide.language import guess_language

    language, note = guess_language(messages())
    if note:
        typer.echo(f"triage: {note}", err=True)
    return replace(pipeline, language=language)


def of_run(pipeline: Setup, source: str, *, no_lists: bool = False) -> Setup:
    """Return settings for a file that was triaged: what is not given is that of its run."""
    from ..decide.run_record import with_run

    told, warning = with_run(pipeline, source, no_lists=no_lists)
    if warning:
        typer.echo(f"triage: warning: {warning}", err=True)
    return told


def load(pipeline: Setup) -> "Triage":
    """Load dictionaries and model, and print the warning of the pipeline, if any."""
    from ..decide.pipeline import Triage

    triage = Triage.of(pipeline)
    if triage.warning:
        typer.echo(f"triage: warning: {triage.warning}", err=True)
    return triage


def processes(jobs: int | None) -> int:
    """Return how many processes work on a file."""
    from ..decide.processes import available_cores

    return jobs or available_cores()


@contextmanager
def opened_queue(path: Path) -> Iterator["Queue"]:
    """Open the queue of an argument; its errors name the file."""
    from ..queue import Queue

    with Queue.open(path) as queue:
        yield queue


def show(found: object, lines: Iterable[str], as_json: bool, *, err: bool = False) -> None:
    """Print a result as JSON, or in lines for people."""
    text = json.dumps(found, ensure_ascii=False) if as_json else "\n".join(lines)
    typer.echo(text, err=err)


def report(run: Run, found: object, lines: Iterable[str], *, err: bool = False) -> None:
    """Print a result unless it is not wanted."""
    if not run.quiet:
        show(found, lines, run.json, err=err)


def formula_warning(formulas: Mapping[str, int]) -> str:
    """Return the warning about cells that a spreadsheet may take for formulas, by column."""
    counts = ", ".join(f"{n:,} of {column}" for column, n in formulas.items())
    return (
        f"Warning: a spreadsheet may take cells for formulas ({counts}), since CSV holds them as "
        "they are: for a spreadsheet, write .xlsx"
    )


@contextmanager
def progress_bar(quiet: bool, label: str = "messages") -> Iterator[StartProgress | None]:
    """Give a progress bar on standard error, if that is a terminal and `quiet` is not set.

    Where the environment names a file for progress, it is told there instead.
    """
    if file := os.environ.get(PROGRESS_FILE):
        yield reporting(Path(file))
        return
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bars = []

    def start(rows: int | None) -> AddProgress:
        bar = typer.progressbar(length=rows or 0, label=label, file=sys.stderr, show_pos=True)
        bars.append(bar)
        bar.render_progress()
        return bar.update

    try:
        yield start
    finally:
        for bar in bars:
            bar.render_finish()
