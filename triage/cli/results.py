"""What the commands print with ``--json``, from which their schemas are made (``make schemas``)."""

from typing import Any, Literal, NotRequired

# pydantic, which makes the schemas, cannot read those of typing before Python 3.12.
from typing_extensions import TypedDict

Action = Literal["TA", "NTA", "EXPERT"]
Vote = Literal["TA", "NTA"]
Verdict = Literal["TA", "NTA", "UNTAGGED"]


class Count(TypedDict):
    """Messages of the same votes and action."""

    seek_hide: Verdict
    model: Vote
    action: Action
    messages: int


class Promise(TypedDict):
    """What the guarded policy promises."""

    low: float
    """A message of a lower score is NTA."""
    high: float
    """A message of this score or a higher one is TA."""
    asked: float
    """The leak that was asked for."""
    leak: float
    """The leak on messages like those of the training is at most this."""
    n_ta: int
    """On how many held-out TA messages it rests."""
    min_precision: float
    is_precise: bool
    """Whether the precision can be promised, or is that of the held-out messages."""
    workload: float
    names_with_capitals: float | None
    """Their share in the file; null where it is unknown."""


class Classified(TypedDict):
    """What became of a file; the rows read are those written and those rejected."""

    language: str
    output: str
    format: str
    """That of the input."""
    text_column: str
    id_column: str | None
    sender_column: str | None
    rows_read: int
    rows_written: int
    rows_rejected: int
    rejects: str
    """Where the rejected rows are; empty without any."""
    ids_repeated: int
    """Rows whose id an earlier row has."""
    counts: list[Count]
    promise: Promise | None
    formulas: dict[str, int]
    """Cells of the output, by column, that a spreadsheet may take for formulas."""


class ClassifiedBySpark(TypedDict):
    """What became of folders, with --engine spark."""

    output: str
    rows_written: int
    rows_rejected: int
    rejects: str
    counts: list[Count]
    n_words: int
    """Words of which evidence was sent to all machines."""
    n_left_out: int
    """Words that counted as unknown."""
    language: str


class Bound(TypedDict):
    """What a bound on the leak asks of people."""

    max_leak: float
    """The bound."""
    leak: float
    """What can be promised: more, where the model was learnt from too few messages."""
    ta: int
    nta: int
    expert: int
    """Messages that people read."""
    seconds: float
    """How long that takes, at six seconds a message."""


class WorkloadOfBounds(TypedDict):
    """How many messages of a triaged file must be read, for each bound on the leak."""

    bounds: list[Bound]


class Streamed(TypedDict):
    """Lines that were answered, with --json-lines; on standard error."""

    decided: int
    rejected: int


class GatheredEvidence(TypedDict):
    """The evidence of files."""

    output: str
    messages: int
    words: int
    senders: int


class Word(TypedDict):
    """A word of a message."""

    text: str
    label: str
    reason: str
    """The list and the spelling rule behind the label."""
    evidence: float | None
    because: list[str]
    """What told for the evidence."""


class Explained(TypedDict):
    """The decision on a message."""

    words: list[Word]
    features: dict[str, float]
    seek_hide: Verdict
    model: Vote
    model_score: float
    action: Action


class QueueFilled(TypedDict):
    """What a file has added to a queue."""

    queue: str
    messages: int
    new: int
    """Messages that the queue did not have."""
    expert: int
    """Messages for the expert."""
    items: int
    """Items for the expert in the whole queue."""
    other_labels: int
    """Messages on which Seek&Hide votes otherwise with the present dictionaries."""


class Pair(TypedDict):
    """The agreement of two annotators."""

    first: str
    second: str
    n_items: int
    kappa: float | None
    low: float | None
    high: float | None
    disagreements: list[int]
    """Numbers of items to adjudicate."""


class QueueStatus(TypedDict):
    """Contents and progress of a queue."""

    messages: int
    expert_messages: int
    items: int
    items_final: int
    items_disagreed: int
    messages_decided: int
    doubled: int
    """Items that two annotators must answer."""
    annotators: dict[str, int]
    """Items that each has decided."""
    assigned: dict[str, int]
    """Open items of each."""
    pairs: list[Pair]
    always: list[str]
    never: list[str]


class QueueAssigned(TypedDict):
    """The open items of each annotator."""

    assigned: dict[str, int]


class WrittenList(TypedDict):
    """A list of words."""

    path: str
    words: int


class QueueLists(TypedDict):
    """The lists that were written."""

    lists: list[WrittenList]


class FinalCount(TypedDict):
    """Messages of the same final action, decided by the same."""

    final_action: Action
    decided_by: str
    messages: int


class QueueApplied(TypedDict):
    """The messages of a queue with their final actions."""

    output: str
    rows: int
    counts: list[FinalCount]
    formulas: dict[str, int]


class Measured(TypedDict):
    """The votes of a model on decided items."""

    area: float
    missed: int
    false_alarms: int


class Interval(TypedDict):
    """An estimate and its confidence interval."""

    estimate: float
    low: float
    high: float
    level: float


class QueueGain(TypedDict):
    """The gain of training on the decisions."""

    n_ta: int
    n_nta: int
    before: Measured
    after: Measured
    area: Interval


class QueueExported(TypedDict):
    """Items for another tool."""

    output: str
    items: int
    config: str | None


class QueueImported(TypedDict):
    """The answers of a file."""

    new: int
    changed: int
    same: int
    unanswered: int
    imported: bool
    """False with --dry-run."""
    annotators: list[str]


class Replaced(TypedDict):
    """Identifiers of a type that a rule found."""

    type: str
    rule: str
    identifiers: int
    severity: Literal["direct", "indirect"]


class Anonymised(TypedDict):
    """What became of a file; the rows read are those written and those held back."""

    output: str
    rows_read: int
    rows_written: int
    rows_held: int
    held: str
    """Where the messages held back are listed; empty without any."""
    record: str
    held_back: dict[str, int]
    """Messages by the reason for which they were held back."""
    released: dict[str, int]
    """Messages by the reason for which they should have been."""
    columns: list[str]
    dropped: list[str]
    changed: int
    """Messages in which something was replaced."""
    replaced: list[Replaced]
    kept: dict[str, int]
    """Identifiers by type that the plan leaves standing."""
    formulas: dict[str, int]
    left: dict[str, int]
    """What a document that was written again still tells of persons, by place."""
    style: str


class Converted(TypedDict):
    """What was written for other programs."""

    output: str
    messages: int
    identifiers: Literal["annotated", "replaced", "found", "marked", "none"]
    """Where they are from; none with --to table."""


class EntitiesWritten(TypedDict):
    """A table of entities that was written, to be edited."""

    entities: str
    spellings: int
    own_names: int
    """Names of which it suggests whose own they are."""


class Finding(TypedDict):
    """What is left in a message; texts and their places only with --show."""

    certainty: str
    reason: str
    severity: Literal["direct", "indirect"] | None
    row: int
    """From 1."""
    column: str
    start: NotRequired[int]
    replaced: NotRequired[int]
    before: NotRequired[str]
    text: NotRequired[str]
    behind: NotRequired[str]


class Sample(TypedDict):
    """In how many messages of a sample a person recognised somebody."""

    seed: int
    drawn: int
    answered: int
    recognised: int
    at_most: float


class Checked(TypedDict):
    """What is left in an anonymised file."""

    rows: int
    replaced: int | None
    """Spellings that were looked for; null with nothing to compare with."""
    clean: bool
    undecided: int
    added: int
    left: list[Finding]
    sample: NotRequired[Sample]


class Mined(TypedDict):
    """A round of mining."""

    candidates: int
    bound: float
    stand: int
    """How often the candidates stand."""
    answers: dict[str, int]
    identifiers: int
    """Words that are known to identify somebody."""
    expected_left: float
    share_left: float


class Restored(TypedDict):
    """Messages whose identifiers were put back."""

    output: str
    rows: int
    changed: int
    identifiers: int


class Trained(TypedDict):
    """A model that was learnt, or adapted to the decisions of a queue."""

    output: str
    adapted: bool
    n_ta: int
    n_nta: int
    undecided: int
    """Messages that were left out."""


class Paragraph(TypedDict):
    """A paragraph of a report."""

    kind: Literal["paragraph"]
    text: str


class Table(TypedDict):
    """A table of a report."""

    kind: Literal["table"]
    title: str
    paper: list[str]
    """Columns of the paper's own figures."""
    rows: list[dict[str, str | int | float | None]]
    note: str


class Figure(TypedDict):
    """A figure of a report."""

    kind: Literal["figure"]
    name: str
    title: str
    alt: str


class Listing(TypedDict):
    """Preformatted text of a report."""

    kind: Literal["listing"]
    title: str
    text: str


class Part(TypedDict):
    """A part of a report."""

    name: str
    title: str
    blocks: list[Paragraph | Table | Figure | Listing]


class Evaluated(TypedDict):
    """A report; what --output writes as report.json."""

    title: str
    about: dict[str, str]
    parts: list[Part]


class FeatureTable(TypedDict):
    """A table of features."""

    output: str
    messages: int
    features: int
    undecided: int
    """Messages that were left out."""


class WordListFacts(TypedDict):
    """A word list."""

    name: str
    role: str
    entries: int
    title: str
    source: str
    version: str
    licence: str
    made: str


class RecogniserFacts(TypedDict):
    """A recogniser of identifiers of form."""

    name: str
    type: str
    is_on: bool
    score: float
    examples: list[str]
    counterexamples: list[str]


class Dictionaries(TypedDict):
    """The lists and the recognisers."""

    lists: list[WordListFacts]
    recognisers: list[RecogniserFacts]


class Coverage(TypedDict):
    """The share of births whose first name is in the lists."""

    first_names: int
    births: int
    share: float


class SampleChecked(TypedDict):
    """What a pack knows of a sample of messages; words with their counts."""

    n_messages: int
    n_words: int
    known: float
    untagged: float
    unknown: list[tuple[str, int]]
    ambiguous: list[tuple[str, int]]


class PackChecked(TypedDict):
    """A pack, and what is wrong with it."""

    lists: dict[str, int]
    problems: list[str]
    names: NotRequired[Coverage]
    sample: NotRequired[SampleChecked]


RESULTS: dict[str, Any] = {
    "classify": Classified | ClassifiedBySpark | Streamed,
    "gather": GatheredEvidence,
    "explain": Explained,
    "workload": WorkloadOfBounds,
    "queue create": QueueFilled,
    "queue add": QueueFilled,
    "queue status": QueueStatus,
    "queue assign": QueueAssigned,
    "queue lists": QueueLists,
    "queue apply": QueueApplied,
    "queue next": QueueGain | None,
    "queue export": QueueExported,
    "queue import": QueueImported,
    "anonymise": Anonymised | EntitiesWritten,
    "check": Checked,
    "convert": Converted,
    "mine": Mined,
    "restore": Restored,
    "train": Trained,
    "evaluate": Evaluated,
    "features": FeatureTable,
    "dictionaries": Dictionaries | Coverage,
    "pack check": PackChecked,
}
"""What each command prints."""
