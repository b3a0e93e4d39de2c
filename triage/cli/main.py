"""The program ``triage``: its commands, and how it starts and ends."""

import gc
import io
import os
import sys
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from .. import __version__
from ..errors import PROBLEM_FILE, TriageError, UserError, reason_of, write_problem
from . import INTERRUPTED
from .printed import TEXTS, USAGE_ERROR, end_bars, examples, note, paint, shown

USAGE = 2

# The commands of each group, with their modules: the way of a corpus first, rare ones last.
_COMMANDS = {
    "": "classify:deciding review:reading publish:publishing desk:reading explain:deciding "
    "workload:deciding gather:deciding anonymise:anonymising plan:anonymising check:checking "
    "mine:checking restore:anonymising convert:reading train:learning evaluate:learning "
    "features:learning dictionaries:pack",
    "queue": "create:reading add:reading status:reading assign:reading apply:reading next:reading "
    "export:reading import:reading",
    "pack": "new:pack build:pack check:pack",
}


class _Group(TyperGroup):
    """A group whose commands are loaded, with all that they need, when they are called."""

    def __init__(self, *, name: str | None = None, **options_given: Any) -> None:  # noqa: ANN401
        super().__init__(name=name, **options_given)
        group = name if name in _COMMANDS else ""
        modules = dict(one.split(":") for one in _COMMANDS[group].split())
        self._of = {one: (f"{group} {one}".strip(), module) for one, module in modules.items()}
        # Until then help tells them by a sentence each.
        about = {one: TEXTS["commands"][path]["about"] for one, (path, _) in self._of.items()}
        commands: dict[str, Any] = {one: TyperCommand(one, help=about[one]) for one in about}
        self.commands = {**commands, **self.commands}
        options: dict[str, Any] = {"rich_markup_mode": None, "suggest_commands": False}
        for one in ("queue", "pack") if group == "" else ():
            texts = {"help": TEXTS["commands"][one]["about"], "epilog": examples(one)}
            self.commands[one] = _Group(name=one, **texts, **options, no_args_is_help=True)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        name, found, rest = super().resolve_command(ctx, args)
        if name in self._of:
            from .options import command

            found = command(*self._of[name])
        return name, found, rest


app = typer.Typer(
    cls=_Group,
    help="Decide for each message of a corpus: TA (to anonymise), NTA (nothing to anonymise) or "
    "EXPERT (a person must look). People decide the EXPERT messages; then identifiers are "
    "replaced.\n\n"
    "\b\n  triage classify sms.csv\n  triage review sms.triage.csv\n"
    "  triage publish sms.triage.csv -o corpus",
    epilog="The terms of these help texts are defined in docs/reference/glossary.md.",
    no_args_is_help=True,
    rich_markup_mode=None,
    # Rich's tracebacks show local variables, which hold messages.
    pretty_exceptions_enable=False,
    # Click itself suggests commands.
    suggest_commands=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"sms-triage {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; a user's error is one line on standard error and exit code 2."""
    # A run makes millions of small objects that live until its end, with hardly a cycle: more
    # frequent garbage collection would take a sixth of the time.
    gc.set_threshold(1_000_000, 50, 50)
    _prepare_streams()
    # The messages in memory are not for a file that a crash would leave.
    with suppress(ImportError, OSError, ValueError):  # Windows has none
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    try:
        status = app(prog_name="triage", standalone_mode=False)
        if status == INTERRUPTED:
            note("interrupted")
        sys.exit(status if isinstance(status, int) else 0)
    except SystemExit as end:
        # The reader of the output has left (`| head`), which typer treats like any failure.
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(141)  # as a shell reports a program ended by SIGPIPE
        raise
    except Exception as error:
        end_bars()
        user_error = _user_error(error)
        if user_error is None:
            raise
        # Where the environment names a file for problems, it is told there as well.
        if file := os.environ.get(PROBLEM_FILE):
            with suppress(OSError):
                write_problem(Path(file), user_error)
        typer.echo(f"{paint('triage:', fg='red')} {shown(str(user_error))}", err=True)
        sys.exit(USAGE)


def _user_error(error: Exception) -> UserError | None:
    """Return an error as its user is told it; None where it is a fault of the program."""
    if isinstance(error, USAGE_ERROR):
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            sys.exit(USAGE)
        return TriageError(_usage_line(error))
    if isinstance(error, OSError):
        # Files have errors of their own, so this is printing, such as to a full disk.
        # Python would try to print the rest once more when it ends.
        with suppress(OSError), open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        name, reason = error.filename or "standard output", reason_of(error)
        line = f"cannot write {name}: {reason}"
        return TriageError(line, "cannot_write", file=name, reason=reason)
    if isinstance(error, MemoryError):
        line = "there is not enough memory for this file: split it, or shorten its longest cells"
        return TriageError(line, "no_memory")
    if isinstance(error, RecursionError):
        return TriageError("something in the input is nested too deeply: unnest it", "nested")
    return error if isinstance(error, UserError) else None


def _usage_line(error: Any) -> str:  # noqa: ANN401
    """Return the line of a wrong command, option or argument, with the nearest right name."""
    from .options import variable_of

    context, param = error.ctx, cast(Any, getattr(error, "param", None))
    help_command = f"{context.command_path} --help" if context else "triage --help"
    if type(error).__name__ == "NoSuchOption":
        options = [one for parameter in context.command.params for one in parameter.opts]
        near = get_close_matches(error.option_name, options, n=1, cutoff=0.7)
        more = f"did you mean {near[0]}?" if near else f"see {help_command}"
        return f"there is no option {error.option_name}; {more}"
    line = str(error.format_message()).rstrip(".")
    line = f"{line[0].lower()}{line[1:]}"
    if param and context and (variable := variable_of(context, param.name)):
        line = f"{variable}: {line}"
    return line if line.endswith("?") else f"{line}; see {help_command}"


# Each is opened in the opposite mode, so that using a closed stream is an error; only standard
# error accepts and drops what is written.
_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))


def _prepare_streams() -> None:
    """Open a stand-in for each closed standard stream, whose number the next file would get."""
    for name, mode, flags in _STREAMS:
        if getattr(sys, name) is None:
            # The lowest number that is free: that of the stream, unless a file is open under it.
            handle = os.open(os.devnull, flags)
            stream = open(handle, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal may be unable to show a rare character.
        sys.stdout.reconfigure(errors="backslashreplace")
