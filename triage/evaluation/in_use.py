"""The model in use, measured on labelled messages as ``triage classify`` decides them."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from triage.reports.document import Block, Cell, Column, Part, Report, Table
from triage.reports.intervals import bootstrap_by_group, clopper_pearson, upper_bound

from ..decide.agreement import TABLE
from ..decide.pipeline import Triage
from ..model.learnt import Manifest
from ..vocabulary import Action
from .about import TITLE, made_from
from .corpus import Corpus
from .decided import Decided
from .kept import kept_in_words
from .measures import area_under_roc, by_sender
from .missed import missed_identifiers

_Mask = NDArray[np.bool_]
_MOST_LINES = 20
# Drawing fewer senders again says nothing of other senders.
_FEWEST_SENDERS = 10


def in_use(triage: Triage, decided: Decided, model: Path | None = None, seed: int = 0) -> Part:
    """Measure what was decided of labelled messages.

    Parameters
    ----------
    triage : Triage
        The pipeline that decided.
    decided : Decided
    model : Path, optional
        The model's file; none for the shipped one.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Part
        Its first paragraphs hold all that matters in words; one of them says what these
        messages cannot tell.
    """
    corpus, ends = decided.corpus, _Ends.of(decided)
    shares = _Shares.of(corpus.is_ta, ends)
    return Part(
        "in-use",
        "The model in use, on these messages",
        (
            *_in_words(triage, decided, model, shares),
            _share_table(shares, corpus, seed),
            *_ranking(corpus, decided.decisions.model_score, seed),
            _cells(decided),
            *missed_identifiers(triage, corpus, ends.released),
        ),
    )


def in_use_report(
    triage: Triage,
    decided: Decided,
    command: str,
    source: Path,
    model: Path | None = None,
    seed: int = 0,
) -> Report:
    """Put the measures together with what they were made from.

    Parameters
    ----------
    triage, decided, model, seed
        As for `in_use`.
    command : str
        That makes the report again.
    source : Path
        The file; its folder is not told.
    """
    manifest = triage.model.manifest
    learnt = f"learnt from {manifest.n_ta:,} TA and {manifest.n_nta:,} NTA messages"
    # The shipped model is fitted on each machine, under the versions that are told anyway.
    checksum = f"; SHA-256 {_sha256(model)}" if model else ""
    about = (
        *made_from(decided.corpus, command, source),
        ("Model", f"{_named(model)}, features {manifest.features}, {learnt}{checksum}"),
    )
    return Report(TITLE, about, (in_use(triage, decided, model, seed),))


def _sha256(model: Path) -> str:
    with model.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _named(model: Path | None) -> str:
    return f"the model {model.name}" if model else "the shipped model"


def learnt_from_as_many(manifest: Manifest, corpus: Corpus) -> str:
    """Return a warning where a model has learnt from as many messages of each label, else nothing.

    That is all that a model tells of the messages that it has learnt from.

    Parameters
    ----------
    manifest : Manifest
    corpus : Corpus
    """
    n_ta = int(corpus.is_ta.sum())
    if (manifest.n_ta, manifest.n_nta) != (n_ta, len(corpus.messages) - n_ta):
        return ""
    return (
        f"The model has learnt from {manifest.n_ta:,} TA and {manifest.n_nta:,} NTA messages, "
        "exactly as many as there are here. If they are the same, all figures below flatter it: "
        "measure it on messages that it has not learnt from."
    )


@dataclass(frozen=True)
class _Ends:
    """Which messages end as NTA, as TA and as EXPERT."""

    released: _Mask
    as_ta: _Mask
    for_expert: _Mask

    @classmethod
    def of(cls, decided: Decided) -> "_Ends":
        action = np.array([str(action) for action in decided.decisions.action])
        return cls(action == Action.NTA, action == Action.TA, action == Action.EXPERT)


@dataclass(frozen=True)
class _Share:
    """How many of some messages are of a kind."""

    name: str
    hits: _Mask
    among: _Mask

    @property
    def n(self) -> int:
        return int(self.hits.sum())

    @property
    def of(self) -> int:
        return int(self.among.sum())

    def shown(self, what: str) -> str:
        return f"{self.n:,} of {self.of:,} {what} ({self.n / self.of:.2%})"


@dataclass(frozen=True)
class _Shares:
    """All that is counted of messages; a share of none cannot be measured."""

    leak: _Share
    workload: _Share
    precision: _Share
    recall: _Share
    hidden: _Share
    left: _Share

    @classmethod
    def of(cls, is_ta: _Mask, ends: _Ends) -> "_Shares":
        every = np.ones(len(is_ta), dtype=np.bool_)
        return cls(
            _Share("leak: TA that end as NTA", is_ta & ends.released, is_ta),
            _Share("workload: messages that end as EXPERT", ends.for_expert, every),
            _Share("precision: TA among what ends as TA", is_ta & ends.as_ta, ends.as_ta),
            _Share("recall: TA that end as TA", is_ta & ends.as_ta, is_ta),
            _Share("hidden: NTA that end as TA", ~is_ta & ends.as_ta, ~is_ta),
            _Share("left: TA among what ends as NTA", is_ta & ends.released, ends.released),
        )


def _in_words(triage: Triage, decided: Decided, model: Path | None, shares: _Shares) -> list[str]:
    paragraphs = [
        _what_was_measured(triage, decided, model),
        learnt_from_as_many(triage.model.manifest, decided.corpus),
        _counts(shares),
    ]
    if decided.promise:
        paragraphs.append(kept_in_words(decided.promise, shares.leak.n, shares.leak.of))
    paragraphs.append(_unmeasured(shares, decided.corpus))
    return [paragraph for paragraph in paragraphs if paragraph]


def _what_was_measured(triage: Triage, decided: Decided, model: Path | None) -> str:
    corpus = decided.corpus
    n_senders = len(set(corpus.senders or []) - {""})
    by = f" of {n_senders:,} senders" if n_senders else ""
    others = "with" if decided.in_corpus else "without"
    text = (
        f"{len(corpus.messages):,} messages{by}, {int(corpus.is_ta.sum()):,} of them labelled TA, "
        f"decided as triage classify decides them: by {_named(model)} (features "
        f"{triage.model.manifest.features}) and the {triage.policy.name} policy, {others} corpus "
        "evidence."
    )
    if decided.rejected:
        lines = ", ".join(map(str, decided.rejected[:_MOST_LINES]))
        more = " …" if len(decided.rejected) > _MOST_LINES else ""
        text += (
            f" Rows that cannot be read are left out: {len(decided.rejected):,}, in these lines of "
            f"the file: {lines}{more}."
        )
    return text


def _counts(shares: _Shares) -> str:
    """Say leak, workload and precision in sentences that a data steward can quote."""
    leak, precision, hidden = shares.leak, shares.precision, shares.hidden
    said = []
    if leak.of:
        said.append(
            f"Leak: {leak.shown('TA messages')} would be released as they stand; at most "
            f"{upper_bound(leak.n, leak.of):.2%} with 95 % confidence."
        )
    said.append(f"Workload: {shares.workload.shown('messages')} go to the expert.")
    if precision.of:
        shown = precision.shown("messages that end as TA")
        said.append(f"Precision: {shown} are labelled TA.")
    if hidden.of:
        said.append(f"Hidden: {hidden.shown('NTA messages')} end as TA.")
    return " ".join(said)


def _unmeasured(shares: _Shares, corpus: Corpus) -> str:
    """Say what these messages cannot tell."""
    said = []
    if not shares.leak.of:
        said.append("No message is labelled TA: neither leak nor recall can be measured.")
    if not shares.hidden.of:
        said.append("No message is labelled NTA: what is hidden for nothing cannot be measured.")
    if not shares.precision.of:
        said.append("No message ends as TA: the precision cannot be measured.")
    if corpus.spans is None:
        said.append(
            "The file has no column spans: which identifiers are missed cannot be measured."
        )
    if corpus.senders is None:
        said.append(
            "It is not known who sent the messages: intervals take each for one of another sender."
        )
    return " ".join(said)


def _share_table(shares: _Shares, corpus: Corpus, seed: int) -> Table:
    rows = []
    for share in vars(shares).values():
        if share.of:
            exact = clopper_pearson(share.n, share.of)
            drawn = _bootstrapped(share, corpus, seed)
            rows.append(
                (share.name, share.n, share.of, exact.estimate, exact.low, exact.high, *drawn)
            )
    return Table(
        "Leak, workload and precision",
        (
            Column("measure"),
            Column("messages", ",d"),
            Column("of", ",d"),
            Column("share", ".2%"),
            Column("95 % from", ".2%"),
            Column("to", ".2%"),
            Column("by sender: from", ".2%"),
            Column("by sender: to", ".2%"),
        ),
        tuple(rows),
        "From and to: Clopper and Pearson, which takes each message by itself. By sender: "
        "bootstrap over senders, since messages of one sender are alike; blank where fewer than "
        f"{_FEWEST_SENDERS} senders are known, or where none or all of the messages count.",
    )


def _bootstrapped(share: _Share, corpus: Corpus, seed: int) -> tuple[Cell, Cell]:
    """Return the interval by sender, where these messages can tell one."""
    if len(set(corpus.senders or []) - {""}) < _FEWEST_SENDERS:
        return None, None
    interval = by_sender(share.hits, share.among, corpus.groups, seed)
    return (interval.low, interval.high) if interval else (None, None)


def _ranking(corpus: Corpus, score: list[float], seed: int) -> list[Block]:
    """Say how well the score alone tells TA from NTA, where there are both."""
    is_ta = corpus.is_ta
    if is_ta.all() or not is_ta.any():
        return []
    scores = np.array(score)
    row: tuple[Cell, ...] = (area_under_roc(scores, is_ta), None, None)
    if row[0] != 1:  # else every draw gives the same
        interval = bootstrap_by_group(area_under_roc, corpus.groups, scores, is_ta, seed=seed)
        row = (interval.estimate, interval.low, interval.high)
    return [
        Table(
            "How well the score of the model ranks TA before NTA",
            (
                Column("area under ROC", ".4f"),
                Column("95 % from", ".4f"),
                Column("to", ".4f"),
            ),
            (row,),
            "Interval by bootstrap over senders, or over messages where no sender is known.",
        )
    ]


def _cells(decided: Decided) -> Table:
    """Return the cells of both votes with what they lead to, by label."""
    found = decided.decisions
    labels = decided.corpus.labels
    n = Counter(zip(found.seek_hide, found.model, found.action, labels, strict=True))
    # The guarded policy may lead from one cell to several actions.
    cells = [(verdict, vote, action) for verdict, vote in TABLE for action in Action]
    rows = []
    for verdict, vote, action in cells:
        of_ta, of_nta = n[verdict, vote, action, "TA"], n[verdict, vote, action, "NTA"]
        if of_ta + of_nta or (decided.promise is None and TABLE[verdict, vote] is action):
            share = (of_ta + of_nta) / len(labels)
            rows.append(
                (str(verdict), str(vote), str(action), of_ta + of_nta, share, of_ta, of_nta)
            )
    return Table(
        "Both votes and the action, by label",
        (
            Column("Seek&Hide"),
            Column("learnt model"),
            Column("action"),
            Column("messages", ",d"),
            Column("share", ".1%"),
            Column("labelled TA", ",d"),
            Column("labelled NTA", ",d"),
        ),
        tuple(rows),
    )
