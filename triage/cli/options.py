"""Options that several commands share, each written once, and the registration of commands.

A command takes a group of options as one parameter: a dataclass with a field per option. The type
of an option is annotated with its help alone where the rest follows from the name of the parameter.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    NamedTuple,
    Self,
    get_args,
    get_origin,
    get_type_hints,
)

import typer
from typer.models import OptionInfo

from ..errors import TriageError
from .completion import completer

if TYPE_CHECKING:
    from ..decide.pipeline import Triage
    from ..decide.policy import Policy
    from ..decide.source import Source
    from ..queue import Queue

Command = Callable[..., None]


def command(app: typer.Typer, *examples: str, name: str | None = None) -> Callable[[Command], None]:
    """Return a decorator that registers a command, with examples at the end of its help."""
    # The backspace keeps click from joining the lines.
    title = "Example:" if len(examples) == 1 else "Examples:"
    epilog = "\n".join(["\b", title, *(f"  triage {example}" for example in examples)])

    def register(function: Command) -> None:
        app.command(name=name, epilog=epilog)(_expanded(function))

    return register


def _expanded(function: Command) -> Command:
    """Return a command with its own options first, then the fields of its groups."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    own, grouped = [], []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in groups:
            of_field = get_type_hints(groups[name], include_extras=True)
            grouped += [(o.name, _default(o), of_field[o.name]) for o in fields(groups[name])]
        else:
            own.append((name, parameter.default, hints[name]))
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=_completed(name, _named(name, hint)),
        )
        for name, default, hint in [*own, *grouped]
    ]

    def run(**given: Any) -> None:  # noqa: ANN401
        made = {
            name: group(**{option.name: given.pop(option.name) for option in fields(group)})
            for name, group in groups.items()
        }
        function(**made, **given)

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _named(name: str, hint: Any) -> Any:  # noqa: ANN401
    """Return the annotation of an option; a text in it is the help of an option of this name."""
    kind, *about = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if about and isinstance(about[0], str):
        return Annotated[kind, typer.Option(f"--{name.replace('_', '-')}", help=about[0])]
    return hint


def _completed(name: str, hint: Any) -> Any:  # noqa: ANN401
    """Let shells complete the values of an option, where they are known."""
    for option in get_args(hint)[1:]:
        if isinstance(option, OptionInfo):
            option.autocompletion = completer(name)
    return hint


def _default(option: "Field[Any]") -> object:
    return option.default if option.default_factory is MISSING else option.default_factory()


class Described(NamedTuple):
    """An option of a command: its parameter, its name without hyphens in front, type and help.

    The type is that of a plain value: bool, int or str, and tuple for several texts.
    """

    parameter: str
    name: str
    kind: type
    default: object
    is_path: bool
    help: str


def described(function: Command) -> list[Described]:
    """Describe the options of a command, without its arguments."""
    found = []
    for parameter in inspect.signature(_expanded(function)).parameters.values():
        hint, option = get_args(parameter.annotation)
        if isinstance(option, OptionInfo):
            # In an annotation, typer keeps the first name of an option as its default.
            names = map(str, (option.default, *(option.param_decls or ())))
            long = next(name for name in names if name.startswith("--"))
            kinds = {*get_args(hint), hint}
            kind = next((one for one in (bool, int) if one in kinds), str)
            found.append(
                Described(
                    parameter.name,
                    long.removeprefix("--"),
                    tuple if get_origin(hint) is list else kind,
                    None if parameter.default is parameter.empty else parameter.default,
                    Path in kinds,
                    option.help or "",
                )
            )
    return found


def given(group: Any, but: Sequence[str] = ()) -> dict[str, object]:  # noqa: ANN401
    """Return the options of a group, but some, that differ from their defaults."""
    values = {o: getattr(group, o.name) for o in fields(group) if o.name not in but}
    return {
        f"--{'no-' if value is False else ''}{option.name.replace('_', '-')}": value is False
        or value
        for option, value in values.items()
        if value != _default(option)
    }


def refuse(options: Iterable[str], why: str) -> None:
    """Raise TriageError for the first of some options that do not apply."""
    for option in options:
        raise TriageError(f"{option} {why}")


def _shared(option: typer.CallbackParam, text: str | None) -> float | None:
    return None if text is None else share_of(text, f"--{str(option.name).replace('_', '-')}")


def share_of(text: str, option: str) -> float:
    """Return a share written as ``2%`` or ``0.02``."""
    number, percent, rest = text.strip().partition("%")
    try:
        share = float(number.replace(",", ".")) / (100 if percent else 1)
    except ValueError:
        share = math.nan
    if not rest and 0 <= share <= 1:
        return share
    if not percent and 1 < share <= 100:
        problem = (
            f"{option} {text} would be {share:.0%}: for {text} % write {text}% or {share / 100:g}"
        )
    else:
        problem = f"{option} {text} is no share: it lies between 0 and 1, such as 2% or 0.02"
    raise TriageError(problem)


def _share(name: str, about: str) -> Any:  # noqa: ANN401
    # The callback converts: only there is the name of the option known.
    return typer.Option(name, metavar="SHARE", parser=str, callback=_shared, help=about)


QueueArgument = Annotated[Path, typer.Argument(metavar="QUEUE")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Output file.")]
TextOption = Annotated[str | None, "Column of messages, by name or number; detected by default."]
IdOption = Annotated[str | None, "Column of message ids, by name or number; detected by default."]
SenderOption = Annotated[str | None, "Column of senders, by name or number; detected by default."]
EncodingOption = Annotated[str | None, "File encoding; detected by default."]
SeparatorOption = Annotated[str | None, "Separator of CSV columns; detected by default."]
FormatOption = Annotated[
    str | None,
    "Format of the file, such as whatsapp or jsonl; by default that of its content, else its name.",
]
NoHeaderOption = Annotated[
    bool,
    typer.Option(
        "--no-header", help="The first row is a message; columns are named by number, from 1."
    ),
]
SheetOption = Annotated[str | None, "Sheet of a workbook, by name or number; by default the first."]
TableOption = Annotated[
    str | None,
    "Table of a SQLite database, or a query; by default the only one with a column of messages.",
]
OverwriteOption = Annotated[bool, "Replace output files that exist already."]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
LanguageOption = Annotated[
    str | None,
    "Language of the messages: fr, several such as fr,en, the folder of your own pack, or none; "
    "guessed from the first messages by default.",
]
NamesOption = Annotated[list[Path], "Your own list of names, one per line; repeatable."]
WordsOption = Annotated[
    list[Path], "Your own list of words that are not names, one per line; repeatable."
]
RecognisersOption = Annotated[
    list[Path], "Your own recognisers of identifiers of form, a TOML file; repeatable."
]
FindOption = Annotated[
    list[str],
    "Also find a kind of identifiers that is off by default: age, school, employer, or all; "
    "repeatable.",
]
ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model",
        "-m",
        help="A model made by triage train, from a source that you trust; by default the shipped "
        "one.",
    ),
]
FeaturesOption = Annotated[
    str | None,
    "Feature set of the shipped model: evidence (default), or patel2013, the twelve "
    "features of the paper.",
]
StrictOption = Annotated[
    bool, "Leave a message untagged if any of its words is ambiguous or unknown."
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="Number of processes; by default one per core. The result is always the same.",
    ),
]
DoubleOption = Annotated[
    float | None,
    _share("--double", "Share of items for double coding by two annotators, such as 10%."),
]


@dataclass(frozen=True)
class InputOptions:
    """The columns, the encoding and the format of an annotated file."""

    text_column: TextOption = None
    sender_column: SenderOption = None
    encoding: EncodingOption = None
    separator: SeparatorOption = None
    format: FormatOption = None
    no_header: NoHeaderOption = False
    sheet: SheetOption = None
    table: TableOption = None


@dataclass(frozen=True)
class SourceOptions:
    """The columns, the encoding and the format of a file of messages."""

    text_column: TextOption = None
    id_column: IdOption = None
    sender_column: SenderOption = None
    encoding: EncodingOption = None
    separator: SeparatorOption = None
    format: FormatOption = None
    no_header: NoHeaderOption = False
    sheet: SheetOption = None
    table: TableOption = None

    def source(self, path: str) -> "Source":
        """Return the file as commands read it."""
        from ..decide.source import Source

        return Source(path, **vars(self))


@dataclass(frozen=True)
class ModelOptions:
    """The model, the user's own lists, and the recognisers of identifiers of form."""

    model: ModelOption = None
    language: LanguageOption = None
    names: NamesOption = field(default_factory=list)
    words: WordsOption = field(default_factory=list)
    recognisers: RecognisersOption = field(default_factory=list)
    find: FindOption = field(default_factory=list)

    @property
    def paths(self) -> list[Path]:
        """The files that are read, which no output may replace."""
        return [*self.names, *self.words, *self.recognisers, *([self.model] if self.model else [])]

    def of_messages(self, messages: Callable[[], Iterable[str]]) -> Self:
        """Return these options with a language: by default guessed from messages, which is said."""
        if self.language:
            return self
        from ..decide.language import guess_language

        guess = guess_language(messages())
        if note := guess.note():
            typer.echo(f"triage: {note}", err=True)
        return replace(self, language=guess.language)

    def load(
        self,
        strict: bool = False,
        features: str | None = None,
        policy: "Policy | None" = None,
    ) -> "Triage":
        """Load dictionaries and model, and print the warning of the pipeline, if any."""
        from triage.dictionaries.pack import FRENCH

        from ..decide.pipeline import Triage

        triage = Triage.load(
            self.language or FRENCH,
            model=self.model,
            names=self.names,
            words=self.words,
            recognisers=self.recognisers,
            find=self.find,
            strict=strict,
            policy=policy,
            features=features,
        )
        if triage.warning:
            typer.echo(f"triage: warning: {triage.warning}", err=True)
        return triage


@dataclass(frozen=True)
class TriagedOptions(ModelOptions):
    """The model and the lists for a file that was triaged, by default the lists of that run."""

    no_lists: Annotated[bool, "Do not use the lists that triage classify used."] = False

    def of_run(self, source: str) -> "ModelOptions":
        """Return the model, and the language and lists of the run unless others are given."""
        from ..decide.run_record import language_of_run, lists_of_run, recognisers_of_run

        if self.no_lists and (self.names or self.words):
            raise TriageError("give either lists or --no-lists, not both")
        told = replace(self, language=self.language or language_of_run(source))
        if self.no_lists:
            return told
        names, words, warning = lists_of_run(source, self.names, self.words)
        if warning:
            typer.echo(f"triage: warning: {warning}", err=True)
        files, find = self.recognisers, self.find
        if not (files or find):
            files, find = recognisers_of_run(source)
        return replace(told, names=names, words=words, recognisers=files, find=find)


@dataclass(frozen=True)
class PolicyOptions(ModelOptions):
    """The model, the user's own lists, and the way in which actions are decided."""

    features: FeaturesOption = None
    strict: StrictOption = False
    policy: Annotated[
        str | None,
        "Keep leak and precision within bounds (guarded, the default), or decide by the agreement "
        "table of the paper (agreement).",
    ] = None
    max_leak: Annotated[
        float | None,
        _share("--max-leak", "The highest leak allowed; by default 2%."),
    ] = None
    min_precision: Annotated[
        float | None,
        _share("--min-precision", "The lowest precision of TA allowed; by default 95%."),
    ] = None
    corpus_evidence: Annotated[
        bool | None,
        typer.Option(
            "--corpus-evidence/--no-corpus-evidence",
            help="Use what the other messages of the file say of a word; by default for files, "
            "not for streams.",
        ),
    ] = None

    def load_pipeline(self) -> "Triage":
        """Load the pipeline with its policy."""
        return self.load(self.strict, self.features, self.chosen())

    def chosen(self) -> "Policy | None":
        """Return the policy with its bounds; None where none is asked for."""
        from ..decide.policy import chosen_policy

        return chosen_policy(self.policy, self.max_leak, self.min_precision)


def processes(jobs: int | None) -> int:
    """Return how many processes work on a file."""
    from ..decide.processes import available_cores

    return jobs or available_cores()


@contextmanager
def opened_queue(path: Path) -> Iterator["Queue"]:
    """Open the queue of an argument; its errors name the file."""
    from ..queue import Queue
    from ..queue.schema import trouble

    with trouble(path), Queue.open(path) as queue:
        yield queue
