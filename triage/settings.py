"""The settings of a run: how a file is read, what decides, what becomes of identifiers.

Each is declared here alone, and its help is in ``settings.toml``. Options of commands, tables of a
plan, keywords of Python, forms of the page and the record of a run are made from these records.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from .declared import build, choice, declared, files_and_words, key_of, of_plan, share_of
from .errors import TriageError

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


def _file(**about: Any) -> Any:  # noqa: ANN401
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
    """The rule by which votes and scores become actions.

    Parameters
    ----------
    name : PolicyName or str
        ``agreement`` is the paper's Table 2; ``guarded`` keeps residue, leak and precision within
        bounds.
    max_residue : float, optional
        Of the guarded policy: the share of the messages written that may keep an identifier. By
        default `usual_residue`, or where it was not measured a leak of `usual_leak`.
    max_leak : float, optional
        Of the guarded policy: the share of TA messages that may be released, between 0 and 1. It
        stands in the place of `max_residue`; where both are given, both hold.
    min_precision : float
        Of the guarded policy: the share of true TA among messages that end as TA.

    Raises
    ------
    TriageError
        If a share is not between 0 and 1, or no policy has this name.
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
        """Return a policy, that of a name, or by default the guarded one.

        Examples
        --------
        >>> Policy.of("agreement").name.value, Policy.of(None).name.value
        ('agreement', 'guarded')
        """
        if isinstance(policy, Policy):
            return policy
        return cls() if policy is None else cls(policy)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", choice(PolicyName, self.name, "policy"))
        for option in _BOUNDS:
            if (share := getattr(self, option)) is not None:
                object.__setattr__(self, option, share_of(share, option, is_open=True))


@dataclass(frozen=True)
class Setup:
    """The dictionaries, model and policy that decide, as plain values that travel to workers.

    Parameters
    ----------
    language : str, optional
        By default it is guessed where all messages are at hand, by their first thousand; a
        partition does not tell it, and is French.
    model : str, optional
    names, words : str, Path or sequence of them, optional
        A word is a str, a list of words a Path.
    recognisers, find : tuple of str
    people : str, optional
    no_people : bool
    features : str, optional
    strict : bool
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
            policy, usual = Policy.of(self.policy), Policy()
            object.__setattr__(self, "policy", policy.name)
            for name in _BOUNDS if policy.name is PolicyName.GUARDED else ():
                if (bound := getattr(policy, name)) != getattr(usual, name):
                    object.__setattr__(self, name, bound)
        for name in ("names", "words"):
            object.__setattr__(self, name, files_and_words(getattr(self, name), name))
        for name in ("recognisers", "find"):
            object.__setattr__(self, name, tuple(map(str, getattr(self, name))))
        if self.people and self.no_people:
            raise TriageError("people are named, and no-people takes none: leave out one")
        self.chosen_policy()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Setup":
        """Return the setup of keywords, each checked; the policy may be a `Policy`."""
        others = {name: value for name, value in given.items() if name != "policy"}
        return replace(build(cls, others), policy=given.get("policy"))

    @property
    def paths(self) -> list[str]:
        """The files that are read, which no output may replace."""
        lists = [str(one) for one in (*self.names, *self.words) if isinstance(one, Path)]
        return [*lists, *self.recognisers, *filter(None, (self.model, self.people))]

    def chosen_policy(self) -> Policy | None:
        """Return the policy that is asked for; None where nothing is.

        Raises
        ------
        TriageError
            If bounds are given for the agreement table, or are no shares.
        """
        name = PolicyName(str(self.policy or PolicyName.GUARDED))
        given = {one: getattr(self, one) for one in _BOUNDS if getattr(self, one) is not None}
        if name is PolicyName.AGREEMENT and given:
            option = key_of(next(iter(given)))
            raise TriageError(f"--{option} is of the guarded policy: leave --policy agreement out")
        return None if self.policy is None and not given else Policy(name, **given)


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
