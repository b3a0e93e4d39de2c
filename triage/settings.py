"""The settings of a run: how a file is read, what decides, what becomes of identifiers.

Each is declared once, as a field of a record at the end, and its help is in ``settings.toml``.
"""

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from enum import StrEnum
from functools import cache, wraps
from inspect import Parameter, signature
from numbers import Integral
from os import PathLike, fspath
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, TypeVar, cast, get_args, get_origin, get_type_hints

from .errors import TriageError, UserError

Record = TypeVar("Record")
Function = TypeVar("Function", bound=Callable[..., object])
_FORM = {bool: "true or false", int: "a whole number", Path: "a path", str: 'a text, such as "one"'}
_HELP = tomllib.loads(Path(__file__).with_name("settings.toml").read_text(encoding="utf-8"))
# An option, but of no command that is quoted.
_OPTION = re.compile(r"\btriage [^,;:()]+|(?<![\w-])--(?:plan )?([a-z]+(?:-[a-z]+)*)((?:=true)?)")


class SettingError(TriageError, TypeError):
    """A setting is unknown or has a wrong value; the line names the nearest right one."""


def declared(default: object, **about: Any) -> Any:
    """Declare a setting; what else there is to say of it are fields of `Setting`."""
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=about)
    return field(default=default, metadata=about)


def of_plan(default: object, **about: Any) -> Any:
    """Declare a setting whose option help leaves out: plans, Python and the environment say it."""
    return declared(default, on_command_line=False, **about)


@dataclass(frozen=True)
class Setting:
    """A setting as it is declared: its name in Python, its key in options and plans, and the rest.

    `kind` is bool, int, str, Path, a choice or float, which is a share and may be written 2%, of
    one value, of a tuple or of a mapping; `table` is where a plan has it, `panel` where help has
    its option, `negative` is the option for false, and `without` are choices that it does not take.
    """

    name: str
    kind: type
    shape: type | None
    holds_lists: bool
    default: Any
    help: str = ""
    panel: str | None = None
    table: str = "options"
    short: str = ""
    low: int | None = None
    high: int | None = None
    is_path: bool = False
    negative: str = ""
    on_command_line: bool = True
    is_open: bool = False
    holds_words: bool = False
    without: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Its name in options of commands and in plans."""
        return key_of(self.name)

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it may have; empty where any of its kind may stand."""
        every = tuple(self.kind) if issubclass(self.kind, StrEnum) else ()
        return tuple(one for one in every if one not in self.without)

    def checked(self, value: object, where: str) -> Any:
        """Return a value as the record has it; `where` names it in an error."""
        if value is None and self.default is None:
            return None
        if self.holds_words:
            return files_and_words(value, where)
        if self.shape is Mapping:
            problem = f"{where} is a table, with a key and a value on each line"
            checked = self._texts if self.holds_lists else self._one
            table = _expect(value, Mapping, problem)
            return {key: checked(one, f"{where} {key}") for key, one in table.items()}
        return self._texts(value, where) if self.shape is tuple else self._one(value, where)

    def _texts(self, value: object, where: str) -> tuple[Any, ...]:
        if isinstance(value, str | PathLike) or not isinstance(value, Iterable):
            raise SettingError(f'{where} is a list of texts, such as ["one", "another"]')
        return tuple(self._one(one, where) for one in value)

    def _one(self, value: object, where: str) -> object:
        if self.choices:
            return choice(self.kind, value, where)
        if self.kind is float:
            return share_of(value, where, is_open=self.is_open)
        if isinstance(value, PathLike) and (self.is_path or self.name == "language"):
            value = fspath(value)
        what = "the path of a file" if self.is_path else _FORM[self.kind]
        found = _expect(value, self.kind, f"{where} is {what}")
        if self.low is not None and found < self.low:
            raise SettingError(f"{where} is at least {self.low}, not {found}")
        if self.high is not None and found > self.high:
            raise SettingError(f"{where} is at most {self.high}, not {found}")
        return found


def files_and_words(given: Any, where: str) -> tuple[Path | str, ...]:
    """Return lists of words, which are paths, and single words, which are texts.

    >>> files_and_words("Zorvane", "names"), files_and_words([Path("a.txt"), "Zoé"], "names")
    (('Zorvane',), (PosixPath('a.txt'), 'Zoé'))
    """
    problem = f"{where} are words, or a Path, or a list of both"
    every = [given] if isinstance(given, str | bytes | PathLike) else given
    found = []
    for one in _expect(every, Iterable, problem):
        if isinstance(one, PathLike):
            found.append(Path(one))
        else:
            check_is_no_file(_expect(one, str, problem), where)
            found.append(one)
    return tuple(found)


def check_is_no_file(text: str, where: str) -> None:
    """Raise SettingError for a text that is the name of a file: a file is a Path."""
    is_file = False
    with suppress(OSError, ValueError):  # too long for a name, or with a NUL in it
        is_file = Path(text).is_file()
    if is_file:
        raise SettingError(f"{where}: {text!r} is the name of a file: say Path({text!r})")


def _expect(value: Any, kind: type, problem: str) -> Any:
    wanted: Any = Integral if kind is int else kind  # a whole number may be one of numpy
    if not isinstance(value, wanted) or (kind is int and isinstance(value, bool)):
        raise SettingError(problem)
    return int(value) if kind is int else value


def key_of(name: str) -> str:
    """Return a setting's name as options and plans write it."""
    return name.strip("_").replace("_", "-")


@cache
def settings_of(record: Any) -> Mapping[str, Setting]:
    """Return the settings of a record, by name; those of one command have their help there."""
    hints, helps = get_type_hints(record), _HELP.get(record.__name__, {})
    panel = getattr(record, "panel", None)
    return {
        one.name: setting_of(one.name, hints[one.name], one, helps.get(one.name, ""), panel)
        for one in fields(record)
    }


def setting_of(
    name: str, hint: Any, declared_as: object, help_: str = "", panel: str | None = None
) -> Setting:
    """Return the setting of a field or a parameter, with its type."""
    is_field = isinstance(declared_as, Field)
    declaration = cast("Field[Any]", declared_as if is_field else field(default=declared_as))
    shape = get_origin(hint) if get_origin(hint) in (tuple, Mapping) else None
    kinds = (kind for kind in reversed(get_args(hint)) if kind not in (NoneType, ...))
    kind = next(kinds, hint)
    holds_lists = get_origin(kind) is tuple
    if holds_lists:
        kind = get_args(kind)[0]
    kind = str if declaration.metadata.get("holds_words") else kind
    default = {} if declaration.default is MISSING else declaration.default
    about = {"help": help_, "panel": panel, **declaration.metadata}
    return Setting(name, kind, shape, holds_lists, default, **about)


def build(
    record: type[Record], given: Mapping[str, object], name: Callable[[str], str] = str
) -> Record:
    """Return a record of the settings given, each checked; `name` tells how an error names one."""
    known = settings_of(record)  # type: ignore[arg-type]  # a class is hashable
    check_names(given, known, "setting")
    return record(**{one: known[one].checked(value, name(one)) for one, value in given.items()})


def changed(record: object) -> dict[str, Any]:
    """Return the settings of a record that differ from their defaults, by name."""
    known = settings_of(type(record))  # type: ignore[arg-type]
    return {name: value for name, value in vars(record).items() if value != known[name].default}


def choice(choices: Any, value: object, where: str) -> Any:
    """Return the choice of a name; raise SettingError with the nearest one otherwise."""
    if isinstance(value, str) and value in [*choices]:
        return choices(value)
    raise SettingError(f"{where} cannot be {value!r}{nearest(value, choices)}")


def check_names(given: Iterable[str], known: Iterable[str], what: str) -> None:
    """Raise SettingError for the first unknown name, with the nearest known one."""
    names = [*known]
    for name in given:
        if name not in names:
            raise SettingError(f"there is no {what} called {name!r}{nearest(name, names)}")


def nearest(name: object, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown name: the nearest known one, or all."""
    by_look = {key_of(one).lower(): str(one) for one in known}
    near = get_close_matches(key_of(str(name)).lower(), by_look, n=1)
    if near:
        return f"; did you mean {by_look[near[0]]!r}?"
    return f"; there are: {', '.join(by_look.values())}"


def share_of(value: object, where: str, *, is_open: bool = False) -> float:
    """Return a share given as a number, or written as ``2%`` or ``0.02``, 0 and 1 unless `is_open`.

    >>> share_of("2%", "--double"), share_of(0.02, "--double"), share_of("2,5 %", "--double")
    (0.02, 0.02, 0.025)
    """
    number, percent, rest = str(value).strip().partition("%")
    try:
        share = float(number.replace(",", ".")) / (100 if percent else 1)
    except ValueError:
        share = math.nan
    if is_open and share in (0, 1):
        raise SettingError(
            f"{where} must be more than 0 and less than 1, such as 0.5%, not {share:g}"
        )
    if not rest and 0 <= share <= 1:
        return share
    if not percent and 1 < share <= 100:
        raise SettingError(
            f"{where} {value} would be {share:.0%}: for {value} % write {value}% or {share / 100:g}"
        )
    raise SettingError(f"{where} {value} is no share: it lies between 0 and 1, such as 2% or 0.02")


def keywords(*records: type, without: Iterable[str] = ()) -> Callable[[Function], Function]:
    """Return a decorator: the last parameter, ``**settings``, takes the settings of some records.

    They are in the signature, for completion; an unknown one is a SettingError with the nearest.
    What a run sets besides, such as a seed, is checked as well. Errors that name an option of the
    command line name the keyword.
    """

    def decorate(function: Function) -> Function:
        written = signature(function)
        own = [one for one in written.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        taken = {one.name for one in own} | {*without}
        further = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[name])
            for record, hints in ((record, get_type_hints(record)) for record in records)
            for name, one in settings_of(record).items()
            if name not in taken
        ]
        known = [one.name for one in (*own, *further) if one.name not in ("self", "cls")]

        @wraps(function)
        def run(*args: object, **given: object) -> object:
            check_names(given, known, "keyword")
            of_run = settings_of(Run)
            for name in given.keys() & of_run.keys():
                given[name] = of_run[name].checked(given[name], name)
            try:
                return function(*args, **given)
            except UserError as error:
                error.args = (_OPTION.sub(_keyword, str(error)),)
                raise

        run.__signature__ = written.replace(parameters=[*own, *further])  # type: ignore[attr-defined]
        return run  # type: ignore[return-value]

    return decorate


def _keyword(found: re.Match[str]) -> str:
    return found[1].replace("-", "_") + found[2].title() if found[1] else found[0]


PolicyName = StrEnum("PolicyName", ["AGREEMENT", "GUARDED"])
StyleName = StrEnum("StyleName", ["TAG", "PAPER", "CONSISTENT", "SURROGATE", "MASK"])
# Choices for words in doubt, and for what waits for the expert.
Ambiguous = StrEnum("Ambiguous", ["HOLD", "MASK", "KEEP", "ASK"])
# The messages held back: none, TA in which nothing was found, or whatever is undecided.
Hold = StrEnum("Hold", ["NONE", "TA", "UNDECIDED"])
Senders = StrEnum("Senders", ["KEEP", "PSEUDONYM", "DROP"])
Dates = StrEnum("Dates", ["KEEP", "DAY", "MONTH", "YEAR", "SHIFT", "DROP"])
# Changes of the id of a message: NUMBER writes the number of its row instead.
Ids = StrEnum("Ids", ["KEEP", "NUMBER"])
# Elements that stand for an identifier: its replacement alone, in a `name`, or a `gap`.
Markup = StrEnum("Markup", ["TEXT", "NAME", "GAP"])
OfType = StrEnum("OfType", ["REPLACE", "KEEP", "ASK"])
_BOUNDS = ("max_residue", "max_leak", "min_precision")


def _file(**about: Any) -> Any:
    return declared(None, table="files", is_path=True, **about)


@dataclass(frozen=True)
class Reading:
    """Settings of reading a file of messages; None is detected."""

    panel: ClassVar[str] = "Reading FILE"

    text_column: str | None = declared(None, table="columns")
    id_column: str | None = declared(None, table="columns")
    sender_column: str | None = declared(None, table="columns")
    date_column: str | None = declared(None, table="columns", on_command_line=False)
    encoding: str | None = of_plan(None)
    separator: str | None = of_plan(None)
    format: str | None = declared(None)
    no_header: bool = of_plan(False)
    sheet: str | None = of_plan(None)
    table: str | None = of_plan(None)

    @property
    def columns(self) -> "Reading":
        """The columns by which a table that was written of the file is read."""
        # Without a header, the only column is taken for that of messages; its name is its number.
        text = self.text_column or ("1" if self.no_header else None)
        return Reading(text, self.id_column, self.sender_column, self.date_column)


@dataclass(frozen=True)
class Policy:
    """Say by which rule votes and scores become actions.

    Parameters
    ----------
    name : PolicyName or str
        ``agreement`` is the paper's Table 2; ``guarded`` keeps residue, leak and precision within
        the bounds below.
    max_residue : float, optional
        The highest share, from 0 to 1, of the messages written that may keep an identifier. By
        default `usual_residue`, or a leak of `usual_leak` for a model whose residue is not known.
    max_leak : float, optional
        The highest share of TA messages that may be released, in place of `max_residue`; if both
        are given, both hold.
    min_precision : float
        The lowest share of true TA among messages that end as TA.

    Raises
    ------
    TriageError
        If a share is not between 0 and 1, no policy has this name, or agreement has a bound.
    """

    name: PolicyName | str = PolicyName.GUARDED
    max_residue: float | None = None
    max_leak: float | None = None
    min_precision: float = 0.95

    usual_residue: ClassVar[float] = 0.002
    # The leak of the agreement table where names have capitals; without, it leaks twice as much.
    usual_leak: ClassVar[float] = 0.02

    @classmethod
    def of(cls, policy: "Policy | str | None") -> "Policy":
        """Return a policy, that of a name, or by default the guarded one."""
        if isinstance(policy, Policy):
            return policy
        return cls() if policy is None else cls(policy)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", choice(PolicyName, self.name, "policy"))
        for option in _BOUNDS:
            if (share := getattr(self, option)) is not None:
                object.__setattr__(self, option, share_of(share, option, is_open=True))
        _check_takes_bounds(self.name, changed(self).keys() & {*_BOUNDS})


def _check_takes_bounds(policy: object, bounds: Iterable[str]) -> None:
    if policy == PolicyName.AGREEMENT and (bound := min(bounds, default="")):
        rule = "is of the guarded policy: leave it out, or the policy agreement"
        raise SettingError(f"{key_of(bound)} {rule}")


@dataclass(frozen=True)
class Setup:
    """Name the dictionaries, model and policy that decide, in plain values for workers.

    Parameters
    ----------
    language : str, optional
        By default guessed from the first thousand messages where all are at hand; a partition
        is taken for French.
    model, people, features : str, optional
    names, words : str, Path or sequence of them, optional
        A word is a str, a list of words a Path.
    recognisers, find : tuple of str
    no_people, strict : bool
    policy : Policy or str, optional
    max_residue, max_leak, min_precision : float, optional
    corpus_evidence : bool, optional

    Examples
    --------
    >>> Setup(policy=Policy(max_leak=0.01)).max_leak
    0.01
    """

    panel: ClassVar[str] = "Deciding"

    language: str | None = declared(None)
    model: str | None = _file(short="m")
    names: tuple[Path | str, ...] = declared((), table="files", is_path=True, holds_words=True)
    words: tuple[Path | str, ...] = declared((), table="files", is_path=True, holds_words=True)
    recognisers: tuple[str, ...] = of_plan((), table="files", is_path=True)
    people: str | None = _file()
    no_people: bool = of_plan(False)
    find: tuple[str, ...] = of_plan(())
    features: str | None = of_plan(None)
    strict: bool = of_plan(False)
    policy: Policy | str | PolicyName | None = declared(None)
    max_residue: float | None = declared(None, is_open=True)
    max_leak: float | None = declared(None, panel="Rare", is_open=True)
    min_precision: float | None = declared(None, panel="Rare", is_open=True)
    corpus_evidence: bool | None = of_plan(None, negative="no-corpus-evidence")

    def __post_init__(self) -> None:
        if self.policy is not None:
            policy = Policy.of(self.policy)
            object.__setattr__(self, "policy", policy.name)
            for name in changed(policy).keys() & {*_BOUNDS}:
                object.__setattr__(self, name, getattr(policy, name))
        for name, one in settings_of(Setup).items():
            object.__setattr__(self, name, one.checked(getattr(self, name), name))
        if self.people and self.no_people:
            raise TriageError("people are named, and no-people takes none: leave out one")
        self.chosen_policy()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Setup":
        """Return the setup that keywords say, each checked; the policy may be a `Policy`."""
        known = settings_of(cls)  # type: ignore[arg-type]  # a class is hashable
        return cls(**{name: value for name, value in given.items() if name in known})

    @property
    def paths(self) -> list[str]:
        """The files that are read, which no output may replace."""
        lists = [str(one) for one in (*self.names, *self.words) if isinstance(one, Path)]
        return [*lists, *self.recognisers, *filter(None, (self.model, self.people))]

    def chosen_policy(self) -> Policy | None:
        """Return the policy that is asked for, if any."""
        given = {one: getattr(self, one) for one in _BOUNDS if getattr(self, one) is not None}
        _check_takes_bounds(self.policy, given)
        name = str(self.policy or PolicyName.GUARDED)
        return Policy(name, **given) if self.policy or given else None


@dataclass(frozen=True)
class Treatment:
    """Treatment of identifiers, columns and messages in an anonymised file."""

    panel: ClassVar[str] = "Replacing"

    style: StyleName | None = declared(None, table="general")
    ambiguous: Ambiguous = declared(Ambiguous.HOLD, table="general")
    hold: Hold = declared(Hold.UNDECIDED, table="general")
    per_sender: bool = of_plan(False, table="general")
    reversible: bool = of_plan(False, table="general")
    lengths: bool = of_plan(False, table="general")
    types: Mapping[str, OfType] = of_plan({}, table="")
    styles: Mapping[str, StyleName] = of_plan({}, table="")
    severity: Mapping[str, str] = of_plan({}, table="")
    never: tuple[str, ...] = of_plan((), table="lists")
    never_files: tuple[str, ...] = of_plan((), table="lists", is_path=True)
    always: Mapping[str, tuple[str, ...]] = of_plan({}, table="lists")
    always_files: Mapping[str, tuple[str, ...]] = of_plan({}, table="lists", is_path=True)
    keep: tuple[str, ...] = declared((), table="columns")
    as_it_is: tuple[str, ...] = of_plan((), table="columns")
    pseudonym: tuple[str, ...] = of_plan((), table="columns")
    sender: Senders = of_plan(Senders.PSEUDONYM, table="columns")
    dates: Dates = of_plan(Dates.KEEP, table="columns")
    ids: Ids = of_plan(Ids.KEEP, table="columns")
    key: str | None = _file()
    new_key: bool = declared(False)
    key_table: str | None = _file()
    force: bool = of_plan(False)
    show: bool = of_plan(False)
    document: str | None = _file()
    markup: Markup = of_plan(Markup.TEXT)


@dataclass(frozen=True)
class Run:
    """Settings of a command's work and output."""

    panel: ClassVar[str] = "Running"

    output: str | None = of_plan(None, table="files", is_path=True)
    overwrite: bool = declared(False)
    seed: int = of_plan(0, low=0, high=2**32 - 1)
    jobs: int | None = declared(None, short="j", low=1)
    quiet: bool = declared(False, short="q")
    json: bool = declared(False)


RECORDS: tuple[type, ...] = (Reading, Setup, Treatment, Run)
