"""The settings of a run: how a file is read, what decides, what becomes of identifiers.

Each is declared here alone. Options of commands, tables of a plan, keywords of Python, forms of the
page and the record of a run are made from these records.
"""

from collections.abc import Mapping
from dataclasses import dataclass
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


def _column(what: str, **about: Any) -> Any:  # noqa: ANN401
    told = f"Column of {what}, by name or number; detected by default."
    return declared(None, told, table="columns", **about)


def _file(told: str, **about: Any) -> Any:  # noqa: ANN401
    return declared(None, told, table="files", is_path=True, **about)


@dataclass(frozen=True)
class Reading:
    """Settings of reading a file of messages; None is detected."""

    panel: ClassVar[str] = "Reading FILE"

    text_column: str | None = _column("messages")
    id_column: str | None = _column("message ids")
    sender_column: str | None = _column("senders")
    date_column: str | None = _column("dates", on_command_line=False)
    encoding: str | None = of_plan(None, "File encoding; detected by default.")
    separator: str | None = of_plan(None, "Separator of CSV columns; detected by default.")
    format: str | None = declared(
        None,
        "Format of the file, such as whatsapp or jsonl; by default that of its content, else its "
        "name.",
    )
    no_header: bool = of_plan(
        False, "The first row is a message; columns are named by number, from 1."
    )
    sheet: str | None = of_plan(
        None, "Sheet of a workbook, by name or number; by default the first."
    )
    table: str | None = of_plan(
        None,
        "Table of a SQLite database, or a query; by default the only one with a column of "
        "messages.",
    )

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
        for option in ("max_residue", "max_leak", "min_precision"):
            if (share := getattr(self, option)) is not None:
                object.__setattr__(self, option, share_of(share, option, is_open=True))


def _of_policy(policy: Policy | str | None) -> dict[str, Any]:
    """Return the settings that a policy stands for; bounds are of the guarded one alone."""
    if policy is None:
        return {}
    if isinstance(policy, Policy) and policy.name is PolicyName.GUARDED:
        usual = vars(Policy())
        bounds = {name: value for name, value in vars(policy).items() if value != usual[name]}
        return {"policy": policy.name, **bounds}
    name = policy.name if isinstance(policy, Policy) else policy
    return {"policy": choice(PolicyName, name, "policy")}


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

    language: str | None = declared(
        None,
        "Language of the messages: fr, several such as fr,en, the folder of your own pack, or "
        "none; guessed from the first messages by default.",
    )
    model: str | None = _file(
        "A model made by triage train, from a source that you trust; by default the shipped one.",
        short="m",
    )
    names: tuple[Path | str, ...] = declared(
        (),
        "Your own list of names, one per line; repeatable.",
        table="files",
        is_path=True,
        holds_words=True,
    )
    words: tuple[Path | str, ...] = declared(
        (),
        "Your own list of words that are not names, one per line; repeatable.",
        table="files",
        is_path=True,
        holds_words=True,
    )
    recognisers: tuple[str, ...] = of_plan(
        (),
        "Your own recognisers of identifiers of form, a TOML file; repeatable.",
        table="files",
        is_path=True,
    )
    people: str | None = _file(
        "Table of people: entity, type and spellings of each. To triage anonymise it also says "
        "what replaces them; where there is no such file, that writes one for you to edit."
    )
    no_people: bool = of_plan(
        False, "Do not take names of people from senders, contacts, names in columns and headers."
    )
    find: tuple[str, ...] = of_plan(
        (),
        "Also find a kind of identifiers that is off by default: age, school, employer, or all; "
        "repeatable.",
    )
    features: str | None = of_plan(
        None,
        "Feature set: evidence (default), or patel2013, the twelve features of the paper; to train "
        "a model also patel2013-normalised.",
    )
    strict: bool = of_plan(
        False, "Leave a message untagged if any of its words is ambiguous or unknown."
    )
    policy: Policy | str | PolicyName | None = declared(
        None,
        "Keep residue, leak and precision within bounds (guarded, the default), or decide by the "
        "agreement table of the paper (agreement).",
    )
    max_residue: float | None = declared(
        None,
        "The highest share of the messages written that may keep an identifier; by default 0.2%.",
        is_open=True,
    )
    max_leak: float | None = declared(
        None,
        "The highest share of TA messages that may end as NTA, in the place of --max-residue, or "
        "with it.",
        is_rare=True,
        is_open=True,
    )
    min_precision: float | None = declared(
        None, "The lowest precision of TA allowed; by default 95%.", is_rare=True, is_open=True
    )
    corpus_evidence: bool | None = of_plan(
        None,
        "Use what the other messages of the file say of a word; by default for files, not for "
        "streams.",
        negative="no-corpus-evidence",
    )

    def __post_init__(self) -> None:
        for name, value in _of_policy(self.policy).items():
            object.__setattr__(self, name, value)
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
        if given.get("policy") is not None:
            given = {**given, **_of_policy(given["policy"])}
        return build(cls, given)

    @property
    def paths(self) -> list[str]:
        """The files that are read, which no output may replace."""
        model = [self.model] if self.model else []
        people = [self.people] if self.people else []
        lists = [str(one) for one in (*self.names, *self.words) if isinstance(one, Path)]
        return [*lists, *self.recognisers, *model, *people]

    def chosen_policy(self) -> Policy | None:
        """Return the policy that is asked for; None where nothing is.

        Raises
        ------
        TriageError
            If bounds are given for the agreement table, or are no shares.
        """
        name = PolicyName(str(self.policy or PolicyName.GUARDED))
        names = ("max_residue", "max_leak", "min_precision")
        bounds = {name: getattr(self, name) for name in names}
        given = {option: share for option, share in bounds.items() if share is not None}
        if name is PolicyName.AGREEMENT and given:
            option = key_of(next(iter(given)))
            raise TriageError(f"--{option} is of the guarded policy: leave --policy agreement out")
        return None if self.policy is None and not given else Policy(name, **given)


@dataclass(frozen=True)
class Treatment:
    """Treatment of identifiers, columns and messages in an anonymised file."""

    panel: ClassVar[str] = "Replacing"

    style: StyleName | None = declared(
        None,
        "tag (default, <PRE>), mask (xxx), consistent (<PRE_k3>), surrogate (Fabrice) or "
        "paper (<PRE_7_4895>).",
        table="general",
    )
    ambiguous: Ambiguous = declared(
        Ambiguous.HOLD,
        "Words in doubt in TA messages: hold (hold their messages back), mask, keep, or ask "
        "(refuse to run while there are any, or messages that wait for the expert).",
        table="general",
    )
    hold: Hold = declared(
        Hold.UNDECIDED,
        "Messages to hold back: undecided (those that wait for the expert, those that the plan "
        "asks about, and TA messages with a word in doubt or nothing to replace), ta (TA with "
        "nothing to replace only) or none.",
        table="general",
    )
    per_sender: bool = of_plan(
        False,
        "Keep pseudonyms consistent within the messages of a sender only, not in the whole file.",
        table="general",
    )
    reversible: bool = of_plan(
        False,
        "Required by --style paper: accept that anyone can look the names up in the public "
        "dictionary.",
        table="general",
    )
    lengths: bool = of_plan(
        False,
        "Say the lengths of identifiers in tags and masks (<PRE_7>, xxxxxxx): they help to guess "
        "names. The style paper always does.",
        table="general",
    )
    types: Mapping[str, OfType] = of_plan(
        {},
        "What becomes of identifiers of a type: replace; keep (they stay, and are counted); ask "
        "(their messages are held back until a person has marked what is to be replaced).",
        table="",
    )
    styles: Mapping[str, StyleName] = of_plan(
        {},
        'Types that have another style than that of [general], such as PRE = "surrogate".',
        table="",
    )
    severity: Mapping[str, str] = of_plan(
        {},
        "Whether an identifier of a type names somebody by itself (direct) or with others "
        "(indirect).",
        table="",
    )
    never: tuple[str, ...] = of_plan(
        (),
        "Spellings of one or several words, whatever their case and accents, that stay unless a "
        "person marked them.",
        table="lists",
    )
    never_files: tuple[str, ...] = of_plan(
        (), "The same as files, an entry a line.", table="lists", is_path=True
    )
    always: Mapping[str, tuple[str, ...]] = of_plan(
        {},
        'Spellings that are replaced wherever they stand, by their types: NOM = ["Rosa Parks"]',
        table="lists",
    )
    always_files: Mapping[str, tuple[str, ...]] = of_plan(
        {}, 'The same as files, an entry a line: PRE = ["prenoms.txt"]', table="lists", is_path=True
    )
    keep: tuple[str, ...] = declared(
        (),
        "Also write this column; of a document, what stands beside its messages: comment, note, "
        "instruction; repeatable.",
        table="columns",
    )
    as_it_is: tuple[str, ...] = of_plan(
        (), "Write this column even if identifiers are found in it; repeatable.", table="columns"
    )
    pseudonym: tuple[str, ...] = of_plan(
        (),
        "Write pseudonyms in place of what is in this column, the same as of senders; repeatable.",
        table="columns",
    )
    sender: Senders = of_plan(
        Senders.PSEUDONYM, "Senders: pseudonym (such as S0001), keep or drop.", table="columns"
    )
    dates: Dates = of_plan(
        Dates.KEEP,
        "Dates: keep, day, month, year, shift (by a number of days, the same for all messages of "
        "a sender) or drop.",
        table="columns",
    )
    ids: Ids = of_plan(
        Ids.KEEP, "Message ids: keep, or number (replace by the row number).", table="columns"
    )
    key: str | None = _file(
        "Key file, needed by consistent and surrogate. If given, pseudonyms of senders and shifts "
        "of dates depend on it too."
    )
    new_key: bool = declared(False, "Create the key file, which must not exist yet.")
    key_table: str | None = _file("Write a key table of all replacements, readable by you only.")
    force: bool = of_plan(False, "Apply the table of people even if inconsistent.")
    show: bool = of_plan(False, "Show real names in warnings about the table.")
    document: str | None = _file(
        "TEI document that FILE was read from: it is the output, anonymised as a whole."
    )
    markup: Markup = of_plan(
        Markup.TEXT,
        "With --document, what stands for an identifier: text (its replacement), name (in a name "
        "element of its type) or gap (a gap element alone).",
    )


@dataclass(frozen=True)
class Run:
    """Settings of a command's work and output."""

    panel: ClassVar[str] = "Running"

    output: str | None = of_plan(None, "Output file.", table="files", is_path=True)
    overwrite: bool = declared(False, "Replace output files that exist already.")
    seed: int = of_plan(
        0, "Seed of what is drawn; the same one gives the same result.", low=0, high=2**32 - 1
    )
    jobs: int | None = declared(
        None,
        "Number of processes; by default one per core. The result is always the same.",
        short="j",
        low=1,
    )
    quiet: bool = declared(False, "Print nothing but errors.", short="q")
    json: bool = declared(False, "Print the result as JSON.")


RECORDS: tuple[type, ...] = (Reading, Setup, Treatment, Run)
