"""The model in use, measured on labelled messages as ``triage classify`` decides them.

What a model of the same features is worth on all messages is found by cross-validation by sender.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, Lexicon, label_messages
from triage.features.learn import folds_by_group, marked_words
from triage.reports.measures import (
    Mask,
    area_under_roc,
    bootstrap_by_group,
    clopper_pearson,
    expert_share,
    fewest_trials,
    lower_bound,
    share_by_group,
    upper_bound,
)
from triage.reports.page import Block, Cell, Part, Report, Table

from ..decide.pipeline import Decisions, Triage
from ..decide.policy import TABLE
from ..decide.promise import Promise
from ..errors import TriageError
from ..model.coverage import standing
from ..model.learn import lowered
from ..model.learnt import Manifest, Model
from ..safe import checksum
from ..vocabulary import Action
from .corpus import TITLE, AnnotatedCorpus, Options, Prepared, made_from, weighed

_MOST_LINES = 20
_TOO_FEW = "these messages are too few to tell"
# Drawing fewer senders again says nothing of other senders.
_FEWEST_SENDERS = 10
_LEAKS = (0.05, 0.02, 0.01)
_DIVISIONS = 2
_GUARDED = ("guarded: leak", "guarded: workload", "guarded: precision of TA")
# Of so many messages with marks those of one lose their capitals.
_WRITTEN = {"as written": 0, "half without capitals": 2, "none with capitals": 1}


@dataclass(frozen=True)
class Decided:
    corpus: AnnotatedCorpus
    decisions: Decisions
    promise: Promise | None
    in_corpus: bool
    # Messages that keep a marked identifier, if they are written.
    stands: Mask | None = None


def decide_labelled(
    triage: Triage, corpus: AnnotatedCorpus, corpus_evidence: bool | None = None
) -> Decided:
    """Decide labelled messages as ``triage classify`` does; labels change nothing."""
    if corpus_evidence and not triage.weighs_corpus:
        raise TriageError(
            "--corpus-evidence needs a model that weighs words: its features are "
            f"{triage.model.manifest.features!r}"
        )
    in_corpus = triage.weighs_corpus and corpus_evidence is not False
    labelled, senders = triage.labeller.label(corpus.messages), corpus.senders_or_empty
    score = partial(weighed, triage) if in_corpus else triage.score
    scored = score(labelled, senders)
    promised = triage.promise(scored.names_with_capitals)
    stands = None if corpus.spans is None else standing(scored, corpus.spans)
    return Decided(corpus, triage.decide_scored(scored), promised, in_corpus, stands)


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
    digest = f"; SHA-256 {checksum(model)}" if model else ""
    about = (
        *made_from(decided.corpus, command, source),
        ("Model", f"{_named(model)}, features {manifest.features}, {learnt}{digest}"),
    )
    return Report(TITLE, about, (in_use(triage, decided, model, seed),))


def in_use(triage: Triage, decided: Decided, model: Path | None = None, seed: int = 0) -> Part:
    """Measure decided messages; parameters as of `in_use_report`."""
    corpus, shares = decided.corpus, _shares(decided)
    leak = shares["leak"]
    paragraphs = [
        _what_was_measured(triage, decided, model),
        learnt_from_as_many(triage.model.manifest, corpus),
        _counts(shares),
        *_kept(decided, leak),
        _unmeasured(shares, corpus),
    ]
    return Part(
        "in-use",
        "The model in use, on these messages",
        (
            *filter(None, paragraphs),
            _share_table(shares, corpus, seed),
            *_ranking(corpus, decided.decisions.model_score, seed),
            _cells(decided),
            *_missed_identifiers(triage, corpus, shares["left"].among),
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
    action = np.array(decided.decisions.action)
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
    if corpus.rejected:
        lines = ", ".join(map(str, corpus.rejected[:_MOST_LINES]))
        more = " …" if len(corpus.rejected) > _MOST_LINES else ""
        text += (
            f" Rows that cannot be read are left out: {len(corpus.rejected):,}, in these lines of "
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
        (shares["leak"].of, "No message is labelled TA: neither leak nor recall can be measured."),
        (
            shares["hidden"].of,
            "No message is labelled NTA: what is hidden for nothing cannot be measured.",
        ),
        (shares["precision"].of, "No message ends as TA: the precision cannot be measured."),
        (
            corpus.spans is not None,
            "The file has no column spans: which identifiers are missed cannot be measured.",
        ),
        (
            corpus.senders is not None,
            "It is not known who sent the messages: intervals take each for one of another sender.",
        ),
    )
    return " ".join(sentence for is_measured, sentence in missing if not is_measured)


def kept_in_words(measure: str, bound: float, events: int, n: int) -> str:
    """Return what was promised, what was counted, and whether exact bounds show it was kept."""
    among = _PROMISED[measure]
    text = f"The guarded policy promised a {measure} of some {bound:.2%}; "
    if not n:
        return f"{text}here there are no {among}: {_TOO_FEW}."
    most = upper_bound(events, n)
    text += (
        f"on these messages it is {events / n:.2%} ({events:,} of {n:,} {among}; at "
        f"most {most:.2%} with 95 % confidence): "
    )
    if most <= bound:
        return f"{text}kept."
    if lower_bound(events, n) > bound:
        return f"{text}not kept."
    fewest = fewest_trials(bound)
    return f"{text}{_TOO_FEW}. It takes {fewest:,} {among} without one to show it."


_PROMISED = {"leak": "TA messages", "residue": "messages written"}


def _kept(decided: Decided, leak: "_Share") -> Iterator[str]:
    """Yield whether each bound that was promised was kept."""
    promised = decided.promise
    if promised is not None and promised.leak is not None:
        yield kept_in_words("leak", promised.leak.share, leak.n, leak.of)
    if promised is not None and promised.residue is not None and decided.stands is not None:
        written = np.array([action is not Action.EXPERT for action in decided.decisions.action])
        n_standing = int((decided.stands & written).sum())
        yield kept_in_words("residue", promised.residue.share, n_standing, int(written.sum()))


def _share_table(shares: dict[str, _Share], corpus: AnnotatedCorpus, seed: int) -> Table:
    has_senders = len(set(corpus.senders or []) - {""}) >= _FEWEST_SENDERS
    rows: list[tuple[Cell, ...]] = []
    for share in shares.values():
        if not share.of:
            continue
        exact = clopper_pearson(share.n, share.of)
        drawn = (
            share_by_group(share.hits, share.among, corpus.groups, seed) if has_senders else None
        )
        ends = drawn.ends if drawn else (None, None)
        rows.append((share.name, share.n, share.of, exact.estimate, *exact.ends, *ends))
    percentages = ("share", "95 % from", "to", "by sender: from", "by sender: to")
    return Table(
        "Leak, workload and precision",
        {"measure": "", "messages": ",d", "of": ",d", **dict.fromkeys(percentages, ".2%")},
        rows,
        "From and to: Clopper and Pearson, which takes each message by itself. By sender: "
        "bootstrap over senders, since messages of one sender are alike; blank where fewer than "
        f"{_FEWEST_SENDERS} senders are known, or where none or all of the messages count.",
    )


def _ranking(corpus: AnnotatedCorpus, score: list[float], seed: int) -> list[Block]:
    """Measure how well the score alone ranks TA before NTA, where there are both."""
    is_ta = corpus.is_ta
    if is_ta.all() or not is_ta.any():
        return []
    scores = np.array(score)
    row: tuple[Cell, ...] = (area_under_roc(scores, is_ta), None, None)
    if row[0] != 1:  # else every draw gives the same
        interval = bootstrap_by_group(area_under_roc, corpus.groups, scores, is_ta, seed=seed)
        row = (interval.estimate, *interval.ends)
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
    found, labels = decided.decisions, decided.corpus.labels
    n = Counter(zip(found.seek_hide, found.model, found.action, labels, strict=True))
    rows: list[tuple[Cell, ...]] = []
    # The guarded policy may lead from one cell to several actions.
    for (verdict, vote), agreed in TABLE.items():
        for action in Action:
            of_ta, of_nta = n[verdict, vote, action, "TA"], n[verdict, vote, action, "NTA"]
            both = of_ta + of_nta
            if both or (decided.promise is None and agreed is action):
                names = str(verdict), str(vote), str(action)
                rows.append((*names, both, both / len(labels), of_ta, of_nta))
    counts = {"messages": ",d", "share": ".1%", "labelled TA": ",d", "labelled NTA": ",d"}
    return Table(
        "Both votes and the action, by label",
        {**dict.fromkeys(("Seek&Hide", "learnt model", "action"), ""), **counts},
        rows,
    )


def _missed_identifiers(triage: Triage, corpus: AnnotatedCorpus, released: Mask) -> Iterator[Block]:
    """Count the identifiers in released messages, by type and by the label of their words."""
    if corpus.spans is None:
        return
    is_marked = np.array([bool(spans) for spans in corpus.spans])
    if not is_marked.any():
        yield "The column spans marks no identifier."
        return
    unmarked, extra = int((corpus.is_ta & ~is_marked).sum()), int((~corpus.is_ta & is_marked).sum())
    if unmarked + extra:
        yield (
            "Labels and marks differ. Messages that are labelled TA and have no marked identifier: "
            f"{unmarked:,}; that are labelled NTA and have one: {extra:,}."
        )
    rows = np.flatnonzero(is_marked)
    spans, is_out = [corpus.spans[i] for i in rows], released[rows].tolist()
    kinds = Counter((kind, out) for of, out in zip(spans, is_out, strict=True) for _, _, kind in of)
    names = sorted({kind for kind, _ in kinds})
    yield _missed_table("type", "identifiers", "type", names, kinds)
    labelled = label_messages([corpus.messages[i] for i in rows], triage.lexicon)
    here, words = marked_words(labelled, spans), labelled.words
    found = zip(words.form[here].tolist(), words.message[here].tolist(), strict=True)
    labels = Counter(
        (str(labelled.labels[form].label), is_out[message])
        for form, message in found
        if labelled.labels[form].kind is not Kind.PUNCTUATION
    )
    yield _missed_table("label", "words", "the label of their words", [*map(str, Label)], labels)


def _missed_table(
    what: str, counted: str, by: str, names: Sequence[str], counts: Counter[tuple[str, bool]]
) -> Table:
    found = [(name, counts[name, True] + counts[name, False], counts[name, True]) for name in names]
    found.append(("all", sum(n for _, n, _ in found), sum(missed for _, _, missed in found)))
    missed_columns = {"in messages that end as NTA": ",d", "share": ".2%", "at most": ".2%"}
    return Table(
        f"Identifiers missed, by {by}",
        {what: "", counted: ",d", **missed_columns},
        [(name, n, missed, missed / n, upper_bound(missed, n)) for name, n, missed in found if n],
        "At most: one-sided, with 95 % confidence.",
    )


def evidence_part(prepared: Prepared, options: Options) -> Part:
    """Cross-validate the default features by sender on all messages, in two divisions into folds.

    Each fold is decided by a model learnt without its senders, with the corpus evidence of the
    whole file, as a user's file is.
    """
    corpus, lexicon, seed = prepared.corpus, prepared.lexicon, options.seed
    corpus.marked("the evidence of words")
    texts = {how: _without_capitals(corpus, every) for how, every in _WRITTEN.items()}
    rows: dict[str, list[tuple[float, ...]]] = {how: [] for how in texts}
    for division in range(_DIVISIONS):
        split = folds_by_group(corpus.is_ta, corpus.groups, seed + division)
        models = []
        for training, testing in split:
            models.append((corpus.learn(training.tolist(), lexicon, seed), testing))
            options.progress("evidence")
        for how, messages in texts.items():
            rows[how].append(_held_out(corpus, messages, models, lexicon))
            options.progress("evidence")
    leaks = [f"expert share at leak {leak:.0%}" for leak in _LEAKS]
    guarded = (*_GUARDED, "guarded: residue")
    shares = (*leaks, *guarded)
    return Part(
        "evidence",
        "Evidence of words and of the corpus, cross-validated by sender",
        (
            f"All {len(corpus.messages):,} messages, {int(corpus.is_ta.sum()):,} of them TA, each "
            "scored by a model that was learnt without its sender, with the corpus evidence of all "
            f"of them. A mean of {_DIVISIONS} divisions into folds, and the two.",
            Table(
                "What the model and the guarded policy give",
                {
                    "identifiers": "",
                    "first names with capitals": ".0%",
                    "division": "",
                    "area under ROC": ".4f",
                    **dict.fromkeys(shares, ".1%"),
                    guarded[-1]: ".2%",
                },
                [row for how, of_how in rows.items() for row in _with_mean(how, of_how)],
                "Expert share: what experts must read when messages are ranked by score, so that "
                "the leak is this and 95 % of what is called TA is TA; a dash where one TA message "
                "is a larger leak. Guarded: with the bounds that are used by default; residue: the "
                "messages written in which an identifier stands. Without capitals are the marked "
                "identifiers of every other message, or of all.",
            ),
        ),
    )


def _without_capitals(corpus: AnnotatedCorpus, every: int) -> list[str]:
    """Return the messages, with the identifiers of one in so many in lower case; 0: of none."""
    messages = list(corpus.messages)
    for i in range(0, len(messages), every) if every else ():
        for start, end, _ in (corpus.spans or [])[i]:
            text = messages[i]
            messages[i] = text[:start] + lowered(text[start:end]) + text[end:]
    return messages


def _held_out(
    corpus: AnnotatedCorpus,
    messages: list[str],
    models: Sequence[tuple[Model, NDArray[np.int64]]],
    lexicon: Lexicon,
) -> tuple[float, ...]:
    """Decide each fold by its model, and return the share of capitals and the measures."""
    labelled, is_ta = label_messages(messages, lexicon), corpus.is_ta
    score, action = np.zeros(len(messages)), np.full(len(messages), Action.EXPERT)
    stands, capitals = np.zeros(len(messages), dtype=np.bool_), []
    for model, testing in models:
        triage = Triage(lexicon, model, policy="guarded")
        scored = weighed(triage, labelled, corpus.senders_or_empty)
        decided = triage.decide_scored(scored)
        score[testing] = np.array(decided.model_score)[testing]
        action[testing] = np.array(decided.action)[testing]
        stands[testing] = standing(scored, corpus.spans or ())[testing]
        capitals.append(scored.names_with_capitals or 0.0)
    as_ta = action == Action.TA
    return (
        float(np.mean(capitals)),
        area_under_roc(score, is_ta),
        *(expert_share(score, is_ta, leak) for leak in _LEAKS),
        float((action[is_ta] == Action.NTA).mean()),
        float((action == Action.EXPERT).mean()),
        float(is_ta[as_ta].mean()) if as_ta.any() else float("nan"),
        float(stands[action != Action.EXPERT].mean()),
    )


def _with_mean(how: str, divisions: list[tuple[float, ...]]) -> Iterator[tuple[Cell, ...]]:
    means: list[float] = np.mean(divisions, axis=0).tolist()
    for name, (capitals, *measures) in (("mean", means), *enumerate(divisions, start=1)):
        yield how, capitals, str(name), *measures
