"""The model in use, measured on labelled messages as ``triage classify`` decides them."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from triage.reports.document import Block, Cell, Part, Report, Table
from triage.reports.measures import (
    bootstrap_by_group,
    clopper_pearson,
    fewest_trials,
    lower_bound,
    upper_bound,
)

from ..decide.agreement import TABLE
from ..decide.corpus import StartProgress
from ..decide.pipeline import Decisions, Triage
from ..decide.promise import Promise
from ..decide.run import in_corpus, use_stream
from ..decide.source import MessageStream, Request
from ..errors import TriageError
from ..model.learnt import Manifest
from ..safe import checksum
from ..vocabulary import Action
from .corpus import AnnotatedCorpus, LabelledColumns
from .measures import Mask, area_under_roc, by_sender, ends
from .missed import missed_identifiers
from .provenance import TITLE, made_from

_MOST_LINES = 20
# Drawing fewer senders again says nothing of other senders.
_FEWEST_SENDERS = 10


@dataclass(frozen=True)
class Decided:
    """Labelled messages and their decisions."""

    corpus: AnnotatedCorpus
    decisions: Decisions
    promise: Promise | None
    in_corpus: bool
    rejected: list[int]


def decide_labelled_stream(
    triage: Triage,
    request: Request,
    stream: MessageStream,
    label_column: str = "label",
    progress: StartProgress | None = None,
) -> Decided:
    """Decide labelled messages by the pipeline of ``triage classify``; labels change nothing."""
    header = stream.header()
    columns = LabelledColumns(header, label_column)

    decisions, promised = Decisions([], [], [], [], []), None
    used = use_stream(
        triage,
        request,
        header,
        stream,
        lambda seen: (
            seen.chunk,
            triage.decide_scored(seen.scored),
            triage.promise(seen.scored.names_with_capitals),
        ),
        progress,
    )
    with used as decided:
        for chunk, found, promised in decided:  # noqa: B007 (of the corpus: each time the same)
            columns.add(chunk, chunk.senders)
            for whole, part in zip(vars(decisions).values(), vars(found).values(), strict=True):
                whole.extend(part)
    if not columns.messages:
        raise TriageError(f"{header.name} holds no message that can be read")
    corpus = columns.corpus(has_senders=any(columns.senders))
    rejected = [reject.line for reject in stream.tail.rejects]
    return Decided(corpus, decisions, promised, in_corpus(triage, request), rejected)


def in_use_report(
    triage: Triage,
    decided: Decided,
    command: str,
    source: Path,
    model: Path | None = None,
    seed: int = 0,
) -> Report:
    """Put the measures together with what they were made from."""
    manifest = triage.model.manifest
    learnt = f"learnt from {manifest.n_ta:,} TA and {manifest.n_nta:,} NTA messages"
    # The shipped model is fitted on each machine, under the versions that are shown anyway.
    digest = f"; SHA-256 {checksum(model)}" if model else ""
    about = (
        *made_from(decided.corpus, command, source),
        ("Model", f"{_named(model)}, features {manifest.features}, {learnt}{digest}"),
    )
    return Report(TITLE, about, (in_use(triage, decided, model, seed),))


def in_use(triage: Triage, decided: Decided, model: Path | None = None, seed: int = 0) -> Part:
    """Measure decided messages; parameters as of `in_use_report`."""
    corpus, shares = decided.corpus, _shares(decided)
    return Part(
        "in-use",
        "The model in use, on these messages",
        (
            *_in_words(triage, decided, model, shares),
            _share_table(shares, corpus, seed),
            *_ranking(corpus, decided.decisions.model_score, seed),
            _cells(decided),
            *missed_identifiers(triage, corpus, shares["left"].among),
        ),
    )


def _named(model: Path | None) -> str:
    return f"the model {model.name}" if model else "the shipped model"


def learnt_from_as_many(manifest: Manifest, corpus: AnnotatedCorpus) -> str:
    """Return a warning where a model has learnt from as many messages of each label, else ''."""
    n_ta = int(corpus.is_ta.sum())
    if (manifest.n_ta, manifest.n_nta) != (n_ta, len(corpus.messages) - n_ta):
        return ""
    return (
        f"The model has learnt from {manifest.n_ta:,} TA and {manifest.n_nta:,} NTA messages, "
        "exactly as many as there are here. If they are the same, all figures below flatter it: "
        "measure it on messages that it has not learnt from."
    )


@dataclass(frozen=True)
class _Share:
    """The hits among some messages."""

    name: str
    hits: Mask
    among: Mask

    @property
    def n(self) -> int:
        return int(self.hits.sum())

    @property
    def of(self) -> int:
        return int(self.among.sum())

    def shown(self, what: str) -> str:
        return f"{self.n:,} of {self.of:,} {what} ({self.n / self.of:.2%})"


def _shares(decided: Decided) -> dict[str, _Share]:
    is_ta = decided.corpus.is_ta
    action = np.array([str(action) for action in decided.decisions.action])
    released, as_ta = action == Action.NTA, action == Action.TA
    every = np.ones(len(is_ta), dtype=np.bool_)
    shares = (
        _Share("leak: TA that end as NTA", is_ta & released, is_ta),
        _Share("workload: messages that end as EXPERT", action == Action.EXPERT, every),
        _Share("precision: TA among what ends as TA", is_ta & as_ta, as_ta),
        _Share("recall: TA that end as TA", is_ta & as_ta, is_ta),
        _Share("hidden: NTA that end as TA", ~is_ta & as_ta, ~is_ta),
        _Share("left: TA among what ends as NTA", is_ta & released, released),
    )
    return {share.name.partition(":")[0]: share for share in shares}


def _in_words(
    triage: Triage, decided: Decided, model: Path | None, shares: dict[str, _Share]
) -> list[str]:
    leak = shares["leak"]
    paragraphs = [
        _what_was_measured(triage, decided, model),
        learnt_from_as_many(triage.model.manifest, decided.corpus),
        _counts(shares),
        kept_in_words(decided.promise, leak.n, leak.of) if decided.promise else "",
        _unmeasured(shares, decided.corpus),
    ]
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


def _counts(shares: dict[str, _Share]) -> str:
    """Return leak, workload and precision in sentences that a data steward can quote."""
    leak, precision, hidden = shares["leak"], shares["precision"], shares["hidden"]
    sentences = []
    if leak.of:
        sentences.append(
            f"Leak: {leak.shown('TA messages')} would be released as they stand; at most "
            f"{upper_bound(leak.n, leak.of):.2%} with 95 % confidence."
        )
    sentences.append(f"Workload: {shares['workload'].shown('messages')} go to the expert.")
    if precision.of:
        shown = precision.shown("messages that end as TA")
        sentences.append(f"Precision: {shown} are labelled TA.")
    if hidden.of:
        sentences.append(f"Hidden: {hidden.shown('NTA messages')} end as TA.")
    return " ".join(sentences)


def _unmeasured(shares: dict[str, _Share], corpus: AnnotatedCorpus) -> str:
    """Name what cannot be measured on these messages."""
    missing = (
        (
            not shares["leak"].of,
            "No message is labelled TA: neither leak nor recall can be measured.",
        ),
        (
            not shares["hidden"].of,
            "No message is labelled NTA: what is hidden for nothing cannot be measured.",
        ),
        (
            not shares["precision"].of,
            "No message ends as TA: the precision cannot be measured.",
        ),
        (
            corpus.spans is None,
            "The file has no column spans: which identifiers are missed cannot be measured.",
        ),
        (
            corpus.senders is None,
            "It is not known who sent the messages: intervals take each for one of another sender.",
        ),
    )
    return " ".join(sentence for holds, sentence in missing if holds)


class Kept(StrEnum):
    """Verdict of labelled messages on a promise, with 95 % confidence."""

    KEPT = "kept"
    NOT_KEPT = "not kept"
    UNKNOWN = "these messages are too few to tell"


def kept(promised: float, leaked: int, n_ta: int) -> Kept:
    """Compare a promised leak, a share, with the one counted, by exact one-sided bounds."""
    if n_ta and upper_bound(leaked, n_ta) <= promised:
        return Kept.KEPT
    if n_ta and lower_bound(leaked, n_ta) > promised:
        return Kept.NOT_KEPT
    return Kept.UNKNOWN


def kept_in_words(promised: Promise, leaked: int, n_ta: int) -> str:
    """Return in words what was promised, what was counted, and whether that keeps the promise."""
    asked = "" if promised.is_kept else f" ({promised.asked:.2%} was asked for)"
    text = f"The guarded policy promised a leak of at most {promised.leak:.2%}{asked}; "
    if not n_ta:
        return f"{text}here no message is labelled TA: {Kept.UNKNOWN}."
    verdict = kept(promised.leak, leaked, n_ta)
    text += (
        f"on these messages it is {leaked / n_ta:.2%} ({leaked:,} of {n_ta:,} TA messages; at "
        f"most {upper_bound(leaked, n_ta):.2%} with 95 % confidence): {verdict}."
    )
    if verdict is not Kept.UNKNOWN:
        return text
    fewest = fewest_trials(promised.leak)
    return f"{text} It takes {fewest:,} TA messages to show it, if none of them is released."


def _share_table(shares: dict[str, _Share], corpus: AnnotatedCorpus, seed: int) -> Table:
    rows = []
    for share in shares.values():
        if share.of:
            exact = clopper_pearson(share.n, share.of)
            drawn = _by_sender(share, corpus, seed)
            rows.append(
                (share.name, share.n, share.of, exact.estimate, exact.low, exact.high, *drawn)
            )
    percentages = ("share", "95 % from", "to", "by sender: from", "by sender: to")
    return Table(
        "Leak, workload and precision",
        {"measure": "", "messages": ",d", "of": ",d", **dict.fromkeys(percentages, ".2%")},
        rows,
        "From and to: Clopper and Pearson, which takes each message by itself. By sender: "
        "bootstrap over senders, since messages of one sender are alike; blank where fewer than "
        f"{_FEWEST_SENDERS} senders are known, or where none or all of the messages count.",
    )


def _by_sender(share: _Share, corpus: AnnotatedCorpus, seed: int) -> tuple[Cell, Cell]:
    """Return the interval by sender, blank where these messages cannot give one."""
    if len(set(corpus.senders or []) - {""}) < _FEWEST_SENDERS:
        return None, None
    return ends(by_sender(share.hits, share.among, corpus.groups, seed))


def _ranking(corpus: AnnotatedCorpus, score: list[float], seed: int) -> list[Block]:
    """Measure how well the score alone ranks TA before NTA, where there are both."""
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
            dict.fromkeys(("area under ROC", "95 % from", "to"), ".4f"),
            [row],
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
        {
            "Seek&Hide": "",
            "learnt model": "",
            "action": "",
            "messages": ",d",
            "share": ".1%",
            "labelled TA": ",d",
            "labelled NTA": ",d",
        },
        rows,
    )
