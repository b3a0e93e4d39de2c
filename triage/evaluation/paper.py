"""Seek&Hide alone (paper, Tables 3 and 4), together with the learnt model (Table 2); annotators."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledWord
from triage.features.learn import marked_words
from triage.reports.charts import Point, Series, curve
from triage.reports.measures import (
    Interval,
    Mask,
    clopper_pearson,
    cohen_kappa,
    share,
    share_by_group,
    upper_bound,
)
from triage.reports.page import Block, Cell, Figure, Part, Table

from ..decide.policy import TABLE, actions
from ..errors import TriageError
from ..model.learnt import TA_FROM
from ..vocabulary import Action, Prediction, Verdict
from .corpus import Options, Prepared
from .paper_models import bagged, fitted, ta_score

_Names = NDArray[np.str_]

_PAPER_SHARES = {"TA": 0.0472, "NTA": 0.6057, "UNTAGGED": 0.3471}
_PAPER_MATRIX = {"NTA": (13904, 59), "TA": (413, 676)}
_PAPER_QUALITY = (676 / 1089, 59 / 13963, (13904 + 676) / 15052)
_MOST = 10
# Of fewer TA messages one alone moves the leak by more than 2 %.
_FEWEST_TA = 50
_THRESHOLDS = np.round(np.arange(0.02, 0.99, 0.02), 2)
_MOST_LINES = 1000


def ends(interval: Interval | None) -> tuple[Cell, Cell]:
    """Return the ends of an interval as cells, blank where there is none."""
    return interval.ends if interval else (None, None)


def seek_hide_alone(prepared: Prepared, options: Options) -> Part:
    """Measure Seek&Hide's verdicts on all messages, by both readings of UNTAGGED."""
    is_ta = prepared.corpus.is_ta
    readings = {"default": np.array(prepared.default), "strict": np.array(prepared.strict)}
    blocks: list[Block] = [
        f"On all {len(is_ta):,} messages. By default a word of the dictionary makes a message TA "
        "whatever else it holds; the strict reading, the paper's, leaves a message untagged "
        "for any ambiguous or unknown word.",
        _shares(readings, prepared.corpus.groups, options.seed),
        _matrix(readings, is_ta),
        _quality(readings, is_ta),
        *_origins(prepared, options.show_words),
    ]
    return Part("seek-hide", "Seek&Hide alone (the paper's Tables 3 and 4)", blocks)


def _shares(readings: Mapping[str, _Names], groups: _Names, seed: int) -> Table:
    columns, rows = {"verdict": ""}, []
    for name in readings:
        columns[f"{name}: messages"] = ",d"
        columns |= {f"{name}: {what}": ".1%" for what in ("share", "95 % from", "to")}
    for verdict in Verdict:
        row: list[Cell] = [str(verdict)]
        for found in readings.values():
            here = found == verdict
            interval = share_by_group(here, np.ones(len(here), dtype=np.bool_), groups, seed)
            row += [int(here.sum()), float(here.mean()), *ends(interval)]
        rows.append((*row, _PAPER_SHARES[verdict]))
    return Table(
        "What Seek&Hide tags (Table 3)",
        columns | {"share (paper)": ".1%"},
        rows,
        "Intervals by bootstrap over senders.",
    )


def _matrix(readings: Mapping[str, _Names], is_ta: Mask) -> Table:
    rows = []
    for verdict in (Verdict.NTA, Verdict.TA):
        row: list[Cell] = [f"Seek&Hide: {verdict}"]
        for found in readings.values():
            row += [int(((found == verdict) & of_label).sum()) for of_label in (~is_ta, is_ta)]
        rows.append((*row, *_PAPER_MATRIX[verdict]))
    headings = [f"{name}: really {label}" for name in readings for label in ("NTA", "TA")]
    headings += ["really NTA (paper)", "really TA (paper)"]
    columns = {"verdict": "", **dict.fromkeys(headings, ",d")}
    return Table("Its verdicts against the labels (Table 4)", columns, rows)


def _quality(readings: Mapping[str, _Names], is_ta: Mask) -> Table:
    rows = []
    for name, found in readings.items():
        ta, nta = found == Verdict.TA, found == Verdict.NTA
        rows.append((name, share(is_ta, ta), share(is_ta, nta), share(ta == is_ta, ta | nta)))
    columns = {"precision of TA": ".3f", "TA among its NTA": ".4f"}
    return Table(
        "How far it can be trusted",
        {"reading": "", **columns, "accuracy of what it tags": ".3f"},
        [*rows, ("the paper", *_PAPER_QUALITY)],
    )


def _origins(prepared: Prepared, show_words: bool) -> list[Block]:
    """Return the lists and rules behind the default reading's errors."""
    is_ta, verdict = prepared.corpus.is_ta, np.array(prepared.default)
    words, labels = prepared.labelled.words, prepared.labelled.labels
    dictionary = np.array([word.label is Label.DICTIONARY for word in labels])[words.form]
    alarms = dictionary & ((verdict == Verdict.TA) & ~is_ta)[words.message]
    misses = _identifiers(prepared) & ((verdict == Verdict.NTA) & is_ta)[words.message]
    blocks: list[Block] = []
    for title, here in (
        ("False alarms: the words that made an NTA message TA", alarms),
        ("Misses: the words of TA messages that were taken for nothing", misses),
    ):
        found = [labels[form] for form in words.form[here]]
        if not found:
            blocks.append(f"{title}: none.")
            continue
        blocks.append(_origin_table(prepared, title, found))
        if show_words:
            blocks.append(_word_table(title, found))
    return blocks


def _identifiers(prepared: Prepared) -> Mask:
    """Return which words are identifiers: by their spans, else those with a capital."""
    labelled, spans = prepared.labelled, prepared.corpus.spans
    of_form = np.array(
        [
            (spans is not None or (word.kind is Kind.WORD and word.text[0].isupper()))
            and word.kind is not Kind.PUNCTUATION
            for word in labelled.labels
        ]
    )
    return of_form[labelled.words.form] & (True if spans is None else marked_words(labelled, spans))


def _origin_table(prepared: Prepared, title: str, words: list[LabelledWord]) -> Table:
    lexicon = prepared.lexicon
    counts = Counter(
        (
            " + ".join(lexicon.names(lexicon.deciding(word.lists))) or word.kind.value,
            word.rule or "as written",
            str(word.label),
        )
        for word in words
    )
    return Table(
        title,
        {"lists": "", "rule": "", "label": "", "words": ",d"},
        [(*origin, n) for origin, n in counts.most_common(_MOST)],
        f"{_most(len(counts), 'combinations')}, {len(words):,} words in all.",
    )


def _most(n: int, what: str) -> str:
    """Return how many of how many a table shows, in words."""
    return f"The {_MOST} most frequent of {n:,} {what}" if n > _MOST else f"All {n:,} {what}"


def _word_table(title: str, words: list[LabelledWord]) -> Table:
    counts = Counter(word.text.lower() for word in words)
    return Table(
        f"{title}: {_most(len(counts), 'different words').lower()}",
        {"word": "", "times": ",d"},
        counts.most_common(_MOST),
        "These words may identify someone.",
    )


def combined(prepared: Prepared, options: Options) -> Part:
    """Measure the agreement table on the later messages, and what other policies would give."""
    later, seed = prepared.later, options.seed
    is_ta, groups = prepared.corpus.is_ta[later], prepared.corpus.groups[later]
    model = fitted(bagged(seed), prepared.values, prepared.labels, np.arange(prepared.first))
    score = ta_score(model, prepared.values[later])
    default, strict = prepared.default[later], prepared.strict[later]
    n_ta = int(is_ta.sum())
    return Part(
        "combined",
        "Both methods together (the paper's Table 2)",
        (
            f"Learnt from the first {prepared.first:,} messages, measured on the {len(is_ta):,} "
            f"later ones, of which {is_ta.mean():.1%} are TA. The paper gives the table "
            "without numbers.",
            _cells(default, score, is_ta),
            _in_words(_agree(default, score, TA_FROM), is_ta, groups, seed),
            _policies(default, strict, score, is_ta, groups, seed),
            _curves({"default reading": default, "strict reading": strict}, score, is_ta)
            if n_ta >= _FEWEST_TA
            else f"The curve of leak against workload is not drawn: with {n_ta:,} TA "
            f"messages it would be steps of chance. It takes {_FEWEST_TA}.",
        ),
    )


def _vote(score: NDArray[np.float64], ta_from: float) -> list[Prediction]:
    return [Prediction.TA if value >= ta_from else Prediction.NTA for value in score.round(4)]


def _agree(verdicts: Sequence[Verdict], score: NDArray[np.float64], ta_from: float) -> list[Action]:
    return actions(verdicts, _vote(score, ta_from))


def _cells(verdicts: Sequence[Verdict], score: NDArray[np.float64], is_ta: Mask) -> Table:
    found, votes = np.array(verdicts), np.array(_vote(score, TA_FROM))
    rows: list[tuple[Cell, ...]] = []
    for (verdict, vote), action in TABLE.items():
        here = (found == verdict) & (votes == vote)
        truly = float(is_ta[here].mean()) if here.any() else None
        names = str(verdict), str(vote), str(action)
        rows.append((*names, int(here.sum()), float(here.mean()), truly))
    columns = dict.fromkeys(("Seek&Hide", "learnt model", "action"), "")
    return Table(
        "The cells of the agreement table",
        {**columns, "messages": ",d", "share": ".1%", "of them truly TA": ".1%"},
        rows,
    )


def _in_words(decided: Sequence[Action], is_ta: Mask, groups: _Names, seed: int) -> str:
    """Return the leak and the workload in sentences that a data steward can quote."""
    leaked, expert = _leaked_and_expert(decided, is_ta)
    by_sender = share_by_group(leaked, is_ta, groups, seed)
    work = share_by_group(expert, np.ones_like(expert), groups, seed)
    between = (
        f"; by bootstrap over senders between {by_sender.low:.1%} and {by_sender.high:.1%}"
        if by_sender
        else ""
    )
    from_to = f" (95 % interval {work.low:.1%} to {work.high:.1%})" if work else ""
    n_leaked, n_ta = int(leaked.sum()), int(is_ta.sum())
    return (
        f"Leak: {n_leaked / n_ta:.1%} of the TA messages would be released as they stand; "
        f"at most {upper_bound(n_leaked, n_ta):.1%} of TA released, 95 % confidence "
        f"(Clopper–Pearson{between}). Workload: {expert.mean():.1%} of the messages go to the "
        f"expert{from_to}."
    )


def _leaked_and_expert(decided: Sequence[Action], is_ta: Mask) -> tuple[Mask, Mask]:
    found = np.array(decided)
    return (found == Action.NTA) & is_ta, found == Action.EXPERT


_ALONE = {Verdict.TA: Action.TA, Verdict.NTA: Action.NTA, Verdict.UNTAGGED: Action.EXPERT}


def _policies(
    default: Sequence[Verdict],
    strict: Sequence[Verdict],
    score: NDArray[np.float64],
    is_ta: Mask,
    groups: _Names,
    seed: int,
) -> Table:
    policies: dict[str, list[Action]] = {
        "agreement table": _agree(default, score, TA_FROM),
        "agreement table, model votes TA from 0.5": _agree(default, score, 0.5),
        "agreement table, strict reading": _agree(strict, score, TA_FROM),
        "agreement table, untagged to the expert": [
            Action.EXPERT if verdict is Verdict.UNTAGGED else action
            for verdict, action in zip(default, _agree(default, score, TA_FROM), strict=True)
        ],
        "Seek&Hide alone, untagged to the expert": [_ALONE[verdict] for verdict in default],
        "Seek&Hide alone, strict, untagged to the expert": [_ALONE[verdict] for verdict in strict],
        "learnt model alone": [Action(vote.value) for vote in _vote(score, TA_FROM)],
    }
    rows: list[tuple[Cell, ...]] = []
    for name, decided in policies.items():
        leaked, expert = _leaked_and_expert(decided, is_ta)
        leak = clopper_pearson(int(leaked.sum()), int(is_ta.sum()))
        work = share_by_group(expert, np.ones_like(expert), groups, seed)
        precision = share(is_ta, np.array(decided) == Action.TA)
        shares = (leak.estimate, *leak.ends, float(expert.mean()), *ends(work))
        rows.append((name, *shares, precision))
    shown = [f"{what}{end}" for what in ("leak", "workload") for end in ("", ": 95 % from", ": to")]
    return Table(
        "What each policy and reading gives",
        {"policy": "", **dict.fromkeys(shown, ".1%"), "precision of TA": ".3f"},
        rows,
        "Leak: Clopper–Pearson. Workload: bootstrap over senders.",
    )


def _curves(
    readings: Mapping[str, Sequence[Verdict]], score: NDArray[np.float64], is_ta: Mask
) -> Figure:
    def leak_and_work(verdicts: Sequence[Verdict], ta_from: float) -> tuple[float, float]:
        leaked, expert = _leaked_and_expert(_agree(verdicts, score, ta_from), is_ta)
        return float(leaked.sum() / is_ta.sum()), float(expert.mean())

    series = []
    for name, verdicts in readings.items():
        leaks, works = zip(*(leak_and_work(verdicts, t) for t in _THRESHOLDS), strict=True)
        series.append(Series(name, works, leaks))
    leak, work = leak_and_work(readings["default reading"], TA_FROM)
    return Figure(
        "leak-workload",
        "Leak against workload, as the model's threshold moves",
        f"With the threshold {TA_FROM} the leak is {leak:.1%} and the workload {work:.1%}.",
        curve(
            series,
            x_label="workload: share of messages for the expert",
            y_label="leak: share of TA released",
            percent="xy",
            points=[Point(f"TA from {TA_FROM}", work, leak)],
        ),
    )


def annotators(prepared: Prepared, _: Options) -> Part:
    """Compare two columns of labels."""
    corpus = prepared.corpus
    second = corpus.second or []
    try:
        agreement = cohen_kappa(corpus.labels, second)
    except ValueError as error:
        raise TriageError(f"the two annotators' labels cannot be compared: {error}") from error
    differ = np.flatnonzero(np.array(corpus.labels) != np.array(second))
    lines = ", ".join(str(corpus.lines[i]) for i in differ[:_MOST_LINES]) or "none"
    columns = dict.fromkeys(("Cohen's kappa", "95 % from", "to"), ".3f")
    kappa = agreement.kappa
    return Part(
        "annotators",
        "Two annotators",
        (
            Table(
                "Agreement on TA and NTA",
                {"messages": ",d", "agreed": ".1%", **columns},
                [(len(second), agreement.observed, kappa.estimate, *kappa.ends)],
            ),
            f"They differ on {len(differ):,} messages, in these lines of the file: {lines}"
            + (" …" if len(differ) > _MOST_LINES else "."),
        ),
    )
