"""The model in use, measured on labelled messages as ``triage classify`` decides them.

A cross-validation by sender measures what a model of the same features is worth on all messages.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, Lexicon, label_messages
from triage.features.learn import folds_by_group, lowered, marked_words
from triage.reports import measures
from triage.reports.page import Block, Cell, Part, Table

from ..decide.pipeline import Decisions, Triage
from ..decide.policy import TABLE, Promise, standing
from ..model.learnt import Manifest, Model
from ..safe import checksum
from ..vocabulary import Action, Quantity
from .corpus import TEXTS, AnnotatedCorpus, Prepared, weighed

_MAX_LINES = 20
# Drawing fewer senders again says nothing of other senders.
_MIN_SENDERS = 10
_DIVISIONS = 2
# By way of writing: of each so many messages, one loses the capitals of its identifiers; 0: none.
_WAYS_OF_WRITING = {"as written": 0, "half without capitals": 2, "none with capitals": 1}


def shares_of(is_ta: measures.Mask, actions: Sequence[str]) -> dict[str, measures.Share]:
    action = np.array(actions)
    released, as_ta, expert = (action == one for one in (Action.NTA, Action.TA, Action.EXPERT))
    return {
        "leak": measures.Share(is_ta & released, is_ta),
        "workload": measures.Share(expert, np.ones_like(is_ta)),
        "precision": measures.Share(is_ta & as_ta, as_ta),
        "recall": measures.Share(is_ta & as_ta, is_ta),
        "hidden": measures.Share(~is_ta & as_ta, ~is_ta),
        "left": measures.Share(is_ta & released, released),
    }


@dataclass(frozen=True)
class Decided:
    """Labelled messages as ``triage classify`` decides them."""

    corpus: AnnotatedCorpus
    decisions: Decisions
    promise: Promise | None
    in_corpus: bool
    # Messages that keep a marked identifier, if they are written.
    stands: measures.Mask | None = None


def decide_labelled(
    triage: Triage, corpus: AnnotatedCorpus, corpus_evidence: bool | None = None
) -> Decided:
    """Decide labelled messages as ``triage classify`` does; labels change nothing."""
    if corpus_evidence:
        triage.check_weighs_corpus("--corpus-evidence")
    in_corpus = triage.weighs_corpus and corpus_evidence is not False
    labelled, senders = triage.labeller.label(corpus.messages), corpus.senders_or_empty
    score = partial(weighed, triage) if in_corpus else triage.score
    scored = score(labelled, senders)
    promised = triage.promise(scored.names_with_capitals)
    stands = None if corpus.spans is None else standing(scored, corpus.spans)
    return Decided(corpus, triage.decide_scored(scored), promised, in_corpus, stands)


def in_use(triage: Triage, decided: Decided, seed: int = 0) -> Part:
    corpus = decided.corpus
    shares = shares_of(corpus.is_ta, decided.decisions.action)
    has_senders = len(set(corpus.senders or []) - {""}) >= _MIN_SENDERS
    rows: list[tuple[Cell, ...]] = []
    for name, share in shares.items():
        if share.of:
            ends = share.by_group(corpus.groups, seed) if has_senders else (None, None)
            counts = share.n, share.of, share.value
            rows.append((TEXTS.text(f"shares.{name}"), *counts, *share.exact.ends, *ends))
    # How well the score alone ranks TA before NTA, where there are both.
    columns, ends = (np.array(decided.decisions.model_score), corpus.is_ta), (None, None)
    if (area := measures.auc(*columns)) < 1:  # else every draw gives the same
        ends = measures.bootstrap_by_group(measures.auc, corpus.groups, *columns, seed=seed).ends
    ranking = [] if np.isnan(area) else [TEXTS.table("in-use.ranking", [(area, *ends)])]
    return TEXTS.part(
        "in-use",
        *filter(None, _paragraphs(triage, decided, shares)),
        TEXTS.table("in-use.shares", rows, fewest=_MIN_SENDERS),
        *ranking,
        _cells_table(decided),
        *_missed_identifiers(triage, corpus, shares["left"].among),
    )


def _paragraphs(
    triage: Triage, decided: Decided, shares: dict[str, measures.Share]
) -> Iterator[str]:
    corpus, rejected = decided.corpus, decided.corpus.rejected
    n_senders = len(set(corpus.senders or []) - {""})
    lines = ", ".join(map(str, rejected[:_MAX_LINES])) + " …" * (len(rejected) > _MAX_LINES)
    yield TEXTS.text(
        "in-use.measured",
        n=Quantity(len(corpus.messages)),
        by=f" of {Quantity(n_senders):# sender|# senders}" if n_senders else "",
        n_ta=int(corpus.is_ta.sum()),
        model=_named(triage),
        features=triage.model.manifest.features,
        policy=triage.policy.name,
        others="with" if decided.in_corpus else "without",
    ) + (TEXTS.text("in-use.rejected", n=len(rejected), lines=lines) if rejected else "")
    yield learnt_from_as_many(triage.model.manifest, corpus)
    yield in_words(shares)
    promised, leak = decided.promise, shares["leak"]
    if promised is not None and promised.leak is not None:
        yield kept_in_words("leak", promised.leak.share, leak.n, leak.of)
    if promised is not None and promised.residue is not None and decided.stands is not None:
        written = ~shares["workload"].hits
        n_standing = int((decided.stands & written).sum())
        yield kept_in_words("residue", promised.residue.share, n_standing, int(written.sum()))
    measured = {name: bool(shares[name].of) for name in ("leak", "hidden", "precision")}
    measured |= {"spans": corpus.spans is not None, "senders": corpus.senders is not None}
    yield " ".join(TEXTS.text(f"in-use.no_{name}") for name, is_it in measured.items() if not is_it)


def about_model(triage: Triage) -> str:
    """Say in words which model is measured, and what it learnt from."""
    manifest, file = triage.model.manifest, triage.model_file
    learnt = f"learnt from {manifest.n_ta:,} TA and {manifest.n_nta:,} NTA messages"
    digest = f"; SHA-256 {checksum(Path(file))}" if file else ""
    return f"{_named(triage)}, features {manifest.features}, {learnt}{digest}"


def _named(triage: Triage) -> str:
    file = triage.model_file
    return f"the model {Path(file).name}" if file else "the shipped model"


def learnt_from_as_many(manifest: Manifest, corpus: AnnotatedCorpus) -> str:
    """Return a warning where a model has learnt from as many messages of each label, else ''."""
    n_ta = int(corpus.is_ta.sum())
    if (manifest.n_ta, manifest.n_nta) != (n_ta, len(corpus.messages) - n_ta):
        return ""
    return TEXTS.text("in-use.as_many", n_ta=manifest.n_ta, n_nta=manifest.n_nta)


def in_words(shares: dict[str, measures.Share]) -> str:
    """Return leak, workload and precision in sentences that a data steward can quote."""
    sentences = []
    for name in ("leak", "workload", "precision", "hidden"):
        share = shares[name]
        if share.of:
            at_most = measures.upper_bound(share.n, share.of)
            counts = {"n": Quantity(share.n), "of": Quantity(share.of), "most": at_most}
            sentences.append(TEXTS.text(f"in-use.{name}", share=share.value, **counts))
    return " ".join(sentences)


def kept_in_words(measure: str, bound: float, events: int, n: int) -> str:
    """Say in words a promise, its count, and whether exact bounds show that it was kept."""
    among = {"leak": "TA messages", "residue": "messages written"}[measure]
    promised = TEXTS.text("in-use.promised", measure=measure, bound=bound)
    if not n:
        return promised + TEXTS.text("in-use.none", among=among)
    at_most, at_least = measures.upper_bound(events, n), 1 - measures.upper_bound(n - events, n)
    values = {"share": events / n, "n": events, "of": n, "among": among, "most": at_most}
    counted = TEXTS.text("in-use.counted", **values)
    if at_most <= bound:
        verdict = "kept."
    elif at_least > bound:
        verdict = "not kept."
    elif bound:
        verdict = TEXTS.text("in-use.too_few", fewest=measures.fewest_trials(bound), among=among)
    else:
        verdict = "that nothing stays, no number of messages can show."
    return promised + counted + verdict


def _cells_table(decided: Decided) -> Table:
    decisions, labels = decided.decisions, decided.corpus.labels
    voted = zip(decisions.seek_hide, decisions.model, decisions.action, labels, strict=True)
    counts = Counter(voted)
    rows: list[tuple[Cell, ...]] = []
    # The guarded policy may lead from one cell to several actions.
    for (verdict, vote), agreed in TABLE.items():
        for action in Action:
            n_ta, n_nta = (counts[verdict, vote, action, label] for label in ("TA", "NTA"))
            n_messages = n_ta + n_nta
            if n_messages or (decided.promise is None and agreed is action):
                names = str(verdict), str(vote), str(action)
                rows.append((*names, n_messages, n_messages / len(labels), n_ta, n_nta))
    return TEXTS.table("in-use.cells", rows)


def _missed_identifiers(
    triage: Triage, corpus: AnnotatedCorpus, released: measures.Mask
) -> Iterator[Block]:
    """Count the identifiers in released messages, by type and by the label of their words."""
    if corpus.spans is None:
        return
    is_marked = np.array([bool(spans) for spans in corpus.spans])
    if not is_marked.any():
        yield TEXTS.text("in-use.unmarked")
        return
    unmarked, extra = int((corpus.is_ta & ~is_marked).sum()), int((~corpus.is_ta & is_marked).sum())
    if unmarked + extra:
        yield TEXTS.text("in-use.differ", unmarked=unmarked, extra=extra)
    rows = np.flatnonzero(is_marked)
    spans, is_released = [corpus.spans[i] for i in rows], released[rows].tolist()
    by_type, by_label = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    for marks, is_out in zip(spans, is_released, strict=True):
        by_type.update((type_, is_out) for _, _, type_ in marks)
    labelled = label_messages([corpus.messages[i] for i in rows], triage.lexicon)
    words, is_identifier = labelled.words, marked_words(labelled, spans)
    forms, messages = words.form[is_identifier], words.message[is_identifier]
    for form, message in zip(forms.tolist(), messages.tolist(), strict=True):
        word = labelled.labels[form]
        by_label[str(word.label), is_released[message]] += word.kind is not Kind.PUNCTUATION
    yield _missed_table("type", sorted({type_ for type_, _ in by_type}), by_type)
    yield _missed_table("label", [*map(str, Label)], by_label)


def _missed_table(by: str, names: list[str], counts: Counter[tuple[str, bool]]) -> Table:
    """Return a table of counts by name, and by whether the message of each is released."""
    totals = [(one, counts[one, True] + counts[one, False], counts[one, True]) for one in names]
    totals.append(("all", sum(n for _, n, _ in totals), sum(missed for *_, missed in totals)))
    counted = [one for one in totals if one[1]]
    rows = [(*one, one[2] / one[1], measures.upper_bound(one[2], one[1])) for one in counted]
    return TEXTS.table(f"in-use.missed_by_{by}", rows)


def evidence(prepared: Prepared) -> Part:
    """Cross-validate the default features by sender on all messages, in two divisions into folds.

    Each fold is decided by a model learnt without its senders, with the corpus evidence of the
    whole file, as a user's file is.
    """
    corpus, lexicon, seed = prepared.corpus, prepared.lexicon, prepared.seed
    corpus.marked("the evidence of words")
    rows: dict[str, list[list[float]]] = {way: [] for way in _WAYS_OF_WRITING}
    splits = [folds_by_group(corpus.is_ta, corpus.groups, seed + i) for i in range(_DIVISIONS)]
    step = prepared.progress(sum(map(len, splits)), "folds") if prepared.progress else None
    for split in splits:
        models = []
        for training, testing in split:
            models.append((corpus.learn(training.tolist(), lexicon, seed), testing))
            if step:
                step(1)
        for way, one_in in _WAYS_OF_WRITING.items():
            rows[way].append(_held_out(corpus, _without_capitals(corpus, one_in), models, lexicon))
    table: list[tuple[Cell, ...]] = []
    for way, divisions in rows.items():
        mean: list[float] = np.mean(divisions, axis=0).tolist()
        named_divisions = [("mean", mean), *((str(i), one) for i, one in enumerate(divisions, 1))]
        table += [(way, capitals, name, *rest) for name, (capitals, *rest) in named_divisions]
    n, n_ta = len(corpus.messages), int(corpus.is_ta.sum())
    return TEXTS.part(
        "evidence",
        TEXTS.text("evidence.about", n=n, n_ta=n_ta, divisions=_DIVISIONS),
        TEXTS.table("evidence.guarded", table),
    )


def _without_capitals(corpus: AnnotatedCorpus, one_in: int) -> list[str]:
    """Return the messages; one in `one_in` has its identifiers in lower case, for 0 none."""
    messages = [*corpus.messages]
    for i in range(0, len(messages), one_in) if one_in else ():
        for start, end, _ in (corpus.spans or [])[i]:
            messages[i] = lowered(messages[i], start, end)
    return messages


def _held_out(
    corpus: AnnotatedCorpus,
    messages: list[str],
    models: Sequence[tuple[Model, NDArray[np.int64]]],
    lexicon: Lexicon,
) -> list[float]:
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
    shares = shares_of(is_ta, action.tolist())
    return [
        float(np.mean(capitals)),
        measures.auc(score, is_ta),
        *(measures.expert_share(score, is_ta, leak) for leak in (0.05, 0.02, 0.01)),
        *(shares[name].value for name in ("leak", "workload", "precision")),
        measures.share(stands, action != Action.EXPERT),
    ]
