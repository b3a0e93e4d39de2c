"""Labelled messages, read and prepared once for every part of an evaluation."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, Lexicon, label_messages, load_lexicon
from triage.dictionaries.cache import cache_folder
from triage.features import feature_set
from triage.reports.measures import Mask
from triage.safe import checksum

from ..decide.language import named_or_guessed
from ..decide.pipeline import Triage, gather
from ..decide.seek_hide import verdicts
from ..decide.source import Source
from ..errors import TriageError
from ..model.annotated import (
    Spans,
    check_label_cells,
    groups_of,
    label_position,
    sender_position,
    senders_of,
)
from ..model.find import ScoredMessages
from ..model.learn import learn
from ..model.learnt import Model, versions
from ..model.training import TrainingOptions
from ..settings import Reading
from ..vocabulary import Prediction, Verdict, parse_triples

TITLE = "Evaluation of the triage"


@dataclass
class AnnotatedCorpus:
    """Labelled messages in the order of their arrival, and the lines that cannot be read."""

    messages: list[str]
    labels: list[str]
    senders: list[str] | None = None
    second: list[str] | None = None
    spans: list[Spans] | None = None
    lines: list[int] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)

    @cached_property
    def is_ta(self) -> Mask:
        """Mask of the messages labelled TA, shape (n_messages,)."""
        return np.array([label == Prediction.TA for label in self.labels], dtype=bool)

    @cached_property
    def groups(self) -> NDArray[np.str_]:
        """The sender of each message; each message is a group of its own where none is known."""
        numbers = groups_of(self.senders, len(self.messages))
        # Padded, so that they sort as the senders do.
        return np.array([f"{number:012d}" for number in numbers])

    @cached_property
    def senders_or_empty(self) -> list[str]:
        """The sender of each message, empty where none is known."""
        return self.senders or [""] * len(self.messages)

    def marked(self, what: str) -> list[Spans]:
        """Return the marked identifiers, on which `what` is measured."""
        if self.spans is None:
            raise TriageError(
                f"{what} is measured on marked identifiers: the file needs a column spans, as JSON "
                "lists of [start, end, type]"
            )
        return self.spans

    def learn(self, rows: Sequence[int], lexicon: Lexicon, seed: int = 0) -> Model:
        return learn(
            [self.messages[i] for i in rows],
            [self.labels[i] for i in rows],
            lexicon,
            options=TrainingOptions(seed=seed),
            spans=[self.spans[i] for i in rows] if self.spans else None,
            senders=[self.senders[i] for i in rows] if self.senders else None,
        )


@dataclass(frozen=True)
class Options:
    """Options of ``triage evaluate --paper``; `first` messages are learnt from."""

    features: str = "patel2013"
    n_folds: int = 10
    first: int | None = None
    compare: bool = False
    show_words: bool = False
    seed: int = 0
    progress: Callable[[str], None] = lambda step: None  # noqa: ARG005


@dataclass(frozen=True)
class Prepared:
    """A corpus with its words' labels, its features and Seek&Hide's verdicts."""

    corpus: AnnotatedCorpus
    labelled: LabelledMessages
    names: tuple[str, ...]
    values: NDArray[np.float64]
    default: list[Verdict]
    strict: list[Verdict]
    first: int

    @cached_property
    def labels(self) -> NDArray[np.str_]:
        """The label of each message, shape (n_messages,)."""
        return np.array(self.corpus.labels)

    @property
    def lexicon(self) -> Lexicon:
        """The dictionaries that the words were labelled with."""
        return self.labelled.lexicon

    @property
    def training(self) -> slice:
        return slice(0, self.first)

    @property
    def later(self) -> slice:
        return slice(self.first, None)

    def learn(self, seed: int) -> Model:
        return self.corpus.learn(range(self.first), self.lexicon, seed)


def prepare(corpus: AnnotatedCorpus, lexicon: Lexicon, options: Options) -> Prepared:
    """Label the words of a corpus and compute what every part needs."""
    n, first = len(corpus.messages), options.first
    if first is not None and not 0 < first < n:
        raise TriageError(
            f"cannot train on the first {first:,} of {n:,} messages and test on the others: "
            "choose another number with --train-first"
        )
    chosen = feature_set(options.features)
    labelled = label_messages(corpus.messages, lexicon)
    return Prepared(
        corpus,
        labelled,
        chosen.features,
        chosen.compute(labelled),
        verdicts(labelled),
        verdicts(labelled, strict=True),
        first or min(4000, n * 2 // 3),
    )


def weighed(triage: Triage, labelled: LabelledMessages, senders: Sequence[str]) -> ScoredMessages:
    """Weigh the words of messages that are a corpus of their own."""
    scored = triage.score(labelled, senders)
    return triage.weigh(scored, gather([scored]))


def read_corpus(
    path: str,
    reading: Reading | None = None,
    *,
    label_column: str = "label",
    second_label: str | None = None,
    every_row: bool = True,
) -> AnnotatedCorpus:
    """Read labelled messages; rows that cannot be read are an error where every row is wanted."""
    source = Source(path, reading or Reading())
    with source.open() as file:
        label = label_position(file, label_column, "--label-column")
        second = label_position(file, second_label, "--second-label") if second_label else None
        sender = sender_position(file.columns, source.reading.sender_column, file.name)
        span = file.columns.index("spans") if "spans" in file.columns else None
        found = AnnotatedCorpus(
            [],
            [],
            None if sender is None else [],
            None if second is None else [],
            None if span is None else [],
        )
        for chunk in file.chunks():
            found.messages += chunk.texts
            found.labels += check_label_cells(chunk, label, file.name)
            found.lines += chunk.lines
            if found.senders is not None:
                found.senders += senders_of(chunk.rows, sender)
            if found.second is not None and second is not None:
                found.second += check_label_cells(chunk, second, file.name)
            if found.spans is not None and span is not None:
                found.spans += [parse_triples(row[span], strict=False) for row in chunk.rows]
        found.rejected += [reject.line for reject in file.rejects]
        if file.rejects and every_row:
            first = file.rejects[0]
            raise TriageError(
                f"{file.name}, line {first.line}: {first.reason}; mend or remove this row"
            )
        if not found.messages:
            raise TriageError(f"{file.name} holds no message that can be read")
    return found if found.senders and any(found.senders) else replace(found, senders=None)


def lexicon_of(messages: Sequence[str]) -> Lexicon:
    language, _ = named_or_guessed(None, lambda: messages)
    return load_lexicon(language, cache=cache_folder())


def made_from(corpus: AnnotatedCorpus, command: str, source: Path) -> tuple[tuple[str, str], ...]:
    """Return what a report was made from: the command, and the file without its folder."""
    made_with = ", ".join(f"{name} {version}" for name, version in versions().items())
    counts = f"{len(corpus.messages):,} messages, {int(corpus.is_ta.sum()):,} of them TA"
    data = f"{source.name}, {counts}"
    if source.is_file():
        data += f"; SHA-256 {checksum(source)}"
    return ("Command", command), ("Data", data), ("Program", made_with)


def command(source: Path, options: Mapping[str, object]) -> str:
    """Return the command that gives a report again, without the folders of files."""
    words = ["triage", "evaluate", source.name]
    for option, value in options.items():
        for given in value if isinstance(value, list) else [value]:
            if given is True:
                words.append(option)
            elif given is not None and given is not False:
                words += [option, given.name if isinstance(given, Path) else str(given)]
    return shlex.join(words)
