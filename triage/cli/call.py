"""A command as it was called: its settings, where each was said, and what it works with."""

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..declared import key_of, settings_of
from ..errors import TriageError
from ..progress import StartProgress
from ..settings import Reading, Run, Setup, Treatment
from .printed import note, progress_bars, warn

if TYPE_CHECKING:
    from ..anonymise.plan import Plan
    from ..decide.pipeline import Triage
    from ..decide.source import Source
    from ..queue import Queue

# Where a context keeps the plan, the words as they were typed, and what environment and plan say:
# values and sources, by name.
PLAN, TYPED, SAID = "triage.plan", "triage.typed", "triage.said"


@dataclass(frozen=True)
class Call:
    """The settings that command line, plan and environment say, and what they stand for."""

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

    def load(self, messages: Callable[[], Iterable[str]] | None = None) -> "Triage":
        """Load dictionaries and model, in a language guessed from messages where none is named."""
        return load(self.setup, messages)

    def triaged(
        self, file: "Source", messages: Callable[[], Iterable[str]] | None = None
    ) -> "Triage":
        """Load what decided a file that was triaged; what is not given is that of its run."""
        return load(of_run(self.setup, file.path), messages or file.first_messages)

    def language_of(self, messages: Iterable[str]) -> str:
        """Return the language of the dictionaries for some messages."""
        from triage.dictionaries.pack import FRENCH

        return in_language(self.setup, lambda: messages).language or FRENCH

    def progress(self) -> AbstractContextManager[StartProgress | None]:
        """Give progress bars where the command is not quiet."""
        return progress_bars(quiet=self.run.quiet)


def processes() -> int:
    """Return on how many cores this process may run."""
    with suppress(AttributeError):  # macOS and Windows have no such call
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# What reads and decides is loaded when it is asked for: help need not wait for numpy.
def source_of(path: str | Path, reading: Reading | None = None) -> "Source":
    """Return a file of messages and how it is read."""
    from ..decide.source import Source

    return Source(str(path), reading or Reading())


def opened_queue(path: Path) -> "Queue":
    """Open a queue."""
    from ..queue import Queue

    return Queue.open(path)


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
