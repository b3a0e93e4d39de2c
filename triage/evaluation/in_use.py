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
from triage.features.learn import folds_by_group, lowered, marked_words
from triage.reports import measures
from triage.reports.page import Block, Cell, Part, Table

from ..decide.pipeline import Decisions, Triage
from ..decide.policy import TABLE, Promise, standing
from ..model.learnt import Manifest, Model
from ..safe import checksum
from ..vocabulary import Action, Quantity
from .corpus import TEXTS, AnnotatedCorpus, Prepared, weighed

_MOST_LINES = 20
# Drawing fewer senders again says nothing of other senders.
_FEWEST_SENDERS = 10
_DIVISIONS = 2
# Of so many messages with marks those of one lose their capitals.
_WRITTEN = {"as written": 0, "half without capitals": 2, "none with capitals": 1}


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
    has_senders = len(set(corpus.senders or []) - {""}) >= _FEWEST_SENDERS
    rows: list[tuple[Cell, ...]] = []
    for name, one in ((name, one) for name, one in shares.items() if one.of):
        ends = one.by_group(corpus.groups, seed) if has_senders else (None, None)
        said = TEXTS.text(f"shares.{name}")
        rows.append((said, one.n, one.of, one.value, *one.exact.ends, *ends))
    # How well the score alone ranks TA before NTA, where there are both.
    columns, ends = (np.array(decided.decisions.model_score), corpus.is_ta), (None, None)
    if (area := measures.auc(*columns)) < 1:  # else every draw gives the same
        ends = measures.bootstrap_by_group(measures.auc, corpus.groups, *columns, seed=seed).ends
    ranking = [] if np.isnan(area) else [TEXTS.table("in-use.ranking", [(area, *ends)])]
    return TEXTS.part(
        "in-use",
        *filter(None, _paragraphs(triage, decided, shares)),
        TEXTS.table("in-use.shares", rows, fewest=_FEWEST_SENDERS),
        *ranking,
        _cells(decided),
        *_missed_identifiers(triage, corpus, shares["left"].among),
    )


def _paragraphs(
    triage: Triage, decided: Decided, shares: dict[str, measures.Share]
) -> Iterator[str]:
    corpus, rejected = decided.corpus, decided.corpus.rejected
    n_senders = len(set(corpus.senders or []) - {""})
    lines = ", ".join(map(str, rejected[:_MOST_LINES])) + " …" * (len(rejected) > _MOST_LINES)
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
    """Return which model is measured, of a file or the shipped one, and what it learnt from."""
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
        one = shares[name]
        if one.of:
            most = measures.upper_bound(one.n, one.of)
            counts = {
                "n": Quantity(one.n),
                "of": Quantity(one.of),
                "share": one.value,
                "most": most,
            }
            sentences.append(TEXTS.text(f"in-use.{name}", **counts))
    return " ".join(sentences)


def kept_in_words(measure: str, bound: float, events: int, n: int) -> str:
    """Return what was promised, what was counted, and whether exact bounds show it was kept."""
    among = {"leak": "TA messages", "residue": "messages written"}[measure]
    promised = TEXTS.text("in-use.promised", measure=measure, bound=bound)
    if not n:
        return promised + TEXTS.text("in-use.none", among=among)
    most = measures.upper_bound(events, n)
    counted = TEXTS.text("in-use.counted", share=events / n, n=events, of=n, among=among, most=most)
    if most <= bound:
        verdict = "kept."
    elif measures.lower_bound(events, n) > bound:
        verdict = "not kept."
    else:
        verdict = TEXTS.text("in-use.too_few", fewest=measures.fewest_trials(bound), among=among)
    return promised + counted + verdict


def _cells(decided: Decided) -> Table:
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
    spans, is_out = [corpus.spans[i] for i in rows], released[rows].tolist()
    kinds = Counter((kind, out) for of, out in zip(spans, is_out, strict=True) for _, _, kind in of)
    labelled = label_messages([corpus.messages[i] for i in rows], triage.lexicon)
    here, words = marked_words(labelled, spans), labelled.words
    labels = Counter[tuple[str, bool]]()
    for form, message in zip(words.form[here].tolist(), words.message[here].tolist(), strict=True):
        word = labelled.labels[form]
        labels[str(word.label), is_out[message]] += word.kind is not Kind.PUNCTUATION
    named = sorted({kind for kind, _ in kinds}), [*map(str, Label)]
    for by, names, counts in zip(("type", "label"), named, (kinds, labels), strict=True):
        found = [(one, counts[one, True] + counts[one, False], counts[one, True]) for one in names]
        found.append(("all", sum(n for _, n, _ in found), sum(missed for _, _, missed in found)))
        shown = [(one, n, out, out / n, measures.upper_bound(out, n)) for one, n, out in found if n]
        yield TEXTS.table(f"in-use.missed_by_{by}", shown)


def evidence(prepared: Prepared) -> Part:
    """Cross-validate the default features by sender on all messages, in two divisions into folds.

    Each fold is decided by a model learnt without its senders, with the corpus evidence of the
    whole file, as a user's file is.
    """
    corpus, lexicon, seed = prepared.corpus, prepared.lexicon, prepared.seed
    corpus.marked("the evidence of words")
    rows: dict[str, list[list[float]]] = {how: [] for how in _WRITTEN}
    splits = [folds_by_group(corpus.is_ta, corpus.groups, seed + i) for i in range(_DIVISIONS)]
    step = prepared.progress(sum(map(len, splits)), "folds") if prepared.progress else None
    for split in splits:
        models = []
        for training, testing in split:
            models.append((corpus.learn(training.tolist(), lexicon, seed), testing))
            if step:
                step(1)
        for how, every in _WRITTEN.items():
            rows[how].append(_held_out(corpus, _without_capitals(corpus, every), models, lexicon))
    table: list[tuple[Cell, ...]] = []
    for how, divisions in rows.items():
        mean: list[float] = np.mean(divisions, axis=0).tolist()
        named_divisions = [("mean", mean), *((str(i), one) for i, one in enumerate(divisions, 1))]
        table += [(how, capitals, name, *rest) for name, (capitals, *rest) in named_divisions]
    n, n_ta = len(corpus.messages), int(corpus.is_ta.sum())
    return TEXTS.part(
        "evidence",
        TEXTS.text("evidence.about", n=n, n_ta=n_ta, divisions=_DIVISIONS),
        TEXTS.table("evidence.guarded", table),
    )


def _without_capitals(corpus: AnnotatedCorpus, every: int) -> list[str]:
    """Return the messages, with the identifiers of one in so many in lower case; 0: of none."""
    messages = [*corpus.messages]
    for i in range(0, len(messages), every) if every else ():
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
