"""Seek&Hide alone (paper, Tables 3 and 4), and together with the learnt model (Table 2)."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledWord
from triage.reports.charts import Point, Series, curve
from triage.reports.document import Block, Cell, Figure, Part, Table

from ..decide.agreement import TABLE, actions
from ..model.learnt import TA_FROM
from ..vocabulary import Action, Prediction, Verdict
from .corpus import Prepared
from .measures import Mask, Triaged, by_sender, ends, share, triaged
from .models import bagged, fitted, ta_score

_PAPER_SHARES = {"TA": 0.0472, "NTA": 0.6057, "UNTAGGED": 0.3471}
_PAPER_MATRIX = {"NTA": (13904, 59), "TA": (413, 676)}
_MOST = 10
# Of fewer TA messages one alone moves the leak by more than 2 %.
_FEWEST_TA = 50
_THRESHOLDS = np.round(np.arange(0.02, 0.99, 0.02), 2)


def seek_hide_alone(prepared: Prepared, show_words: bool, seed: int) -> Part:
    """Measure Seek&Hide's verdicts on all messages, by both readings of UNTAGGED."""
    is_ta = prepared.corpus.is_ta
    readings = {"default": prepared.default, "strict": prepared.strict}
    blocks: list[Block] = [
        f"On all {len(is_ta):,} messages. By default a word of the dictionary makes a message TA "
        "whatever else it holds; the strict reading, the paper's, leaves a message untagged "
        "for any ambiguous or unknown word.",
        _shares(readings, prepared.corpus.groups, seed),
        _matrix(readings, is_ta),
        _quality(readings, is_ta),
        *_origins(prepared, show_words),
    ]
    return Part("seek-hide", "Seek&Hide alone (the paper's Tables 3 and 4)", blocks)


def _shares(readings: dict[str, list[Verdict]], groups: NDArray[np.str_], seed: int) -> Table:
    rows = []
    for verdict in Verdict:
        row: list[Cell] = [str(verdict)]
        for found in readings.values():
            here = np.array(found) == verdict
            interval = by_sender(here, np.ones(len(here), dtype=np.bool_), groups, seed)
            row += [int(here.sum()), float(here.mean()), *ends(interval)]
        rows.append((*row, _PAPER_SHARES[verdict]))
    columns = {"verdict": ""}
    for name in readings:
        columns[f"{name}: messages"] = ",d"
        columns |= {f"{name}: {what}": ".1%" for what in ("share", "95 % from", "to")}
    return Table(
        "What Seek&Hide tags (Table 3)",
        columns | {"share (paper)": ".1%"},
        rows,
        "Intervals by bootstrap over senders.",
    )


def _matrix(readings: dict[str, list[Verdict]], is_ta: Mask) -> Table:
    rows = []
    for verdict in (Verdict.NTA, Verdict.TA):
        row: list[Cell] = [f"Seek&Hide: {verdict}"]
        for found in readings.values():
            here = np.array(found) == verdict
            row += [int((here & ~is_ta).sum()), int((here & is_ta).sum())]
        rows.append((*row, *_PAPER_MATRIX[verdict]))
    headings = [f"{name}: really {label}" for name in readings for label in ("NTA", "TA")]
    headings += ["really NTA (paper)", "really TA (paper)"]
    columns = {"verdict": "", **dict.fromkeys(headings, ",d")}
    return Table("Its verdicts against the labels (Table 4)", columns, rows)


def _quality(readings: dict[str, list[Verdict]], is_ta: Mask) -> Table:
    rows = []
    for name, found in readings.items():
        verdict = np.array(found)
        ta, nta = verdict == Verdict.TA, verdict == Verdict.NTA
        rows.append((name, share(is_ta, ta), share(is_ta, nta), share(ta == is_ta, ta | nta)))
    rows.append(("the paper", 676 / 1089, 59 / 13963, (13904 + 676) / 15052))
    return Table(
        "How far it can be trusted",
        {
            "reading": "",
            "precision of TA": ".3f",
            "TA among its NTA": ".4f",
            "accuracy of what it tags": ".3f",
        },
        rows,
    )


def _origins(prepared: Prepared, show_words: bool) -> list[Block]:
    """Return the lists and rules behind the default reading's errors."""
    is_ta, verdict = prepared.corpus.is_ta, np.array(prepared.default)
    alarms = _dictionary_words(prepared, (verdict == Verdict.TA) & ~is_ta)
    misses = _missed(prepared, (verdict == Verdict.NTA) & is_ta)
    blocks: list[Block] = []
    for title, words in (
        ("False alarms: the words that made an NTA message TA", alarms),
        ("Misses: the words of TA messages that were taken for nothing", misses),
    ):
        if not words:
            blocks.append(f"{title}: none.")
            continue
        blocks.append(_origin_table(prepared, title, words))
        if show_words:
            blocks.append(_word_table(title, words))
    return blocks


def _dictionary_words(prepared: Prepared, messages: Mask) -> list[LabelledWord]:
    words = prepared.labelled.words
    of_form = np.array([word.label is Label.DICTIONARY for word in prepared.labelled.labels])
    here = messages[words.message] & of_form[words.form]
    return [prepared.labelled.labels[form] for form in words.form[here]]


def _missed(prepared: Prepared, messages: Mask) -> list[LabelledWord]:
    """Return the identifiers of missed messages: by their spans, else the words with a capital."""
    words, spans = prepared.labelled.words, prepared.corpus.spans
    found = []
    for at in np.flatnonzero(messages[words.message]):
        word = prepared.labelled.labels[words.form[at]]
        start, message = int(words.start[at]), int(words.message[at])
        if spans is None:
            is_identifier = word.kind is Kind.WORD and word.text[0].isupper()
        else:
            end = start + len(word.text)
            is_identifier = any(a < end and start < b for a, b, _ in spans[message])
        if is_identifier and word.kind is not Kind.PUNCTUATION:
            found.append(word)
    return found


def _origin_table(prepared: Prepared, title: str, words: list[LabelledWord]) -> Table:
    lexicon = prepared.labelled.lexicon
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


def combined(prepared: Prepared, seed: int) -> Part:
    """Measure the agreement table on the later messages, and what other policies would give."""
    later = prepared.later
    is_ta, groups = prepared.corpus.is_ta[later], prepared.corpus.groups[later]
    model = fitted(bagged(seed), prepared.values, prepared.labels, np.arange(prepared.first))
    score = ta_score(model, prepared.values[later])
    default, strict = prepared.default[later], prepared.strict[later]
    ours = triaged(_agree(default, score, TA_FROM), is_ta, groups, seed)
    return Part(
        "combined",
        "Both methods together (the paper's Table 2)",
        (
            f"Learnt from the first {prepared.first:,} messages, measured on the {len(is_ta):,} "
            f"later ones, of which {is_ta.mean():.1%} are TA. The paper gives the table "
            "without numbers.",
            _cells(default, score, is_ta),
            _in_words(ours),
            _policies(default, strict, score, is_ta, groups, seed),
            _curves(default, strict, score, is_ta)
            if is_ta.sum() >= _FEWEST_TA
            else f"The curve of leak against workload is not drawn: with {int(is_ta.sum()):,} TA "
            f"messages it would be steps of chance. It takes {_FEWEST_TA}.",
        ),
    )


def _in_words(measured: Triaged) -> str:
    """Return the leak and the workload in sentences that a data steward can quote."""
    leak, work = measured.leak_by_sender, measured.workload_by_sender
    between = (
        f"; by bootstrap over senders between {leak.low:.1%} and {leak.high:.1%}" if leak else ""
    )
    from_to = f" (95 % interval {work.low:.1%} to {work.high:.1%})" if work else ""
    return (
        f"Leak: {measured.leak.estimate:.1%} of the TA messages would be released as they stand; "
        f"at most {measured.most_leaked:.1%} of TA released, 95 % confidence "
        f"(Clopper–Pearson{between}). Workload: {measured.workload:.1%} of the messages go to the "
        f"expert{from_to}."
    )


def _vote(score: NDArray[np.float64], ta_from: float) -> list[Prediction]:
    return [Prediction.TA if value >= ta_from else Prediction.NTA for value in score.round(4)]


def _agree(verdicts: Sequence[Verdict], score: NDArray[np.float64], ta_from: float) -> list[Action]:
    return actions(verdicts, _vote(score, ta_from))


def _cells(verdicts: Sequence[Verdict], score: NDArray[np.float64], is_ta: Mask) -> Table:
    found, votes = np.array(verdicts), np.array(_vote(score, TA_FROM))
    rows = []
    for (verdict, vote), action in TABLE.items():
        here = (found == verdict) & (votes == vote)
        share = float(is_ta[here].mean()) if here.any() else None
        rows.append(
            (str(verdict), str(vote), str(action), int(here.sum()), float(here.mean()), share)
        )
    return Table(
        "The cells of the agreement table",
        {
            "Seek&Hide": "",
            "learnt model": "",
            "action": "",
            "messages": ",d",
            "share": ".1%",
            "of them truly TA": ".1%",
        },
        rows,
    )


def _policies(
    default: Sequence[Verdict],
    strict: Sequence[Verdict],
    score: NDArray[np.float64],
    is_ta: Mask,
    groups: NDArray[np.str_],
    seed: int,
) -> Table:
    votes = _vote(score, TA_FROM)
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
        "learnt model alone": [Action(vote.value) for vote in votes],
    }
    measured = {name: triaged(decided, is_ta, groups, seed) for name, decided in policies.items()}
    rows = [
        (
            name,
            *(one.leak.estimate, one.leak.low, one.leak.high),
            *(one.workload, *ends(one.workload_by_sender)),
            one.precision,
        )
        for name, one in measured.items()
    ]
    shares = [
        f"{what}{end}" for what in ("leak", "workload") for end in ("", ": 95 % from", ": to")
    ]
    return Table(
        "What each policy and reading gives",
        {"policy": "", **dict.fromkeys(shares, ".1%"), "precision of TA": ".3f"},
        rows,
        "Leak: Clopper–Pearson. Workload: bootstrap over senders.",
    )


_ALONE = {Verdict.TA: Action.TA, Verdict.NTA: Action.NTA, Verdict.UNTAGGED: Action.EXPERT}


def _curves(
    default: Sequence[Verdict],
    strict: Sequence[Verdict],
    score: NDArray[np.float64],
    is_ta: Mask,
) -> Figure:
    series = []
    for name, verdicts in (("default reading", default), ("strict reading", strict)):
        points = [_leak_and_work(_agree(verdicts, score, t), is_ta) for t in _THRESHOLDS]
        series.append(Series(name, [w for _, w in points], [leak for leak, _ in points]))
    leak, work = _leak_and_work(_agree(default, score, TA_FROM), is_ta)
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


def _leak_and_work(decided: Sequence[Action], is_ta: Mask) -> tuple[float, float]:
    found = np.array(decided)
    leaked = (found == Action.NTA) & is_ta
    return float(leaked.sum() / is_ta.sum()), float((found == Action.EXPERT).mean())
