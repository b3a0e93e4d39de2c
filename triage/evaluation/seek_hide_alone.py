"""Seek&Hide alone (paper, Tables 3 and 4), and where its errors come from."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledWord
from triage.reports.document import Block, Column, Part, Table

from ..vocabulary import Verdict
from .corpus import Prepared
from .measures import by_sender, share

PAPER_SHARES = {"TA": 0.0472, "NTA": 0.6057, "UNTAGGED": 0.3471}
PAPER_MATRIX = {"NTA": (13904, 59), "TA": (413, 676)}
_MOST = 10


def seek_hide_alone(prepared: Prepared, show_words: bool, seed: int) -> Part:
    """Measure Seek&Hide's verdicts on all messages, by both readings of UNTAGGED."""
    is_ta = prepared.corpus.is_ta
    readings = {"default": prepared.default, "strict": prepared.strict}
    blocks: list[Any] = [
        f"On all {len(is_ta):,} messages. By default a word of the dictionary makes a message TA "
        f"whatever else it "
        "holds; the strict reading, the paper's, leaves a message untagged for any ambiguous or "
        "unknown word.",
        _shares(readings, prepared.corpus.groups, seed),
        _matrix(readings, is_ta),
        _quality(readings, is_ta),
    ]
    blocks += _origins(prepared, show_words)
    return Part("seek-hide", "Seek&Hide alone (the paper's Tables 3 and 4)", tuple(blocks))


def _shares(readings: dict[str, list[Verdict]], groups: NDArray[np.str_], seed: int) -> Table:
    rows = []
    for verdict in Verdict:
        row: list[Any] = [str(verdict)]
        for found in readings.values():
            here = np.array(found) == verdict
            interval = by_sender(here, np.ones(len(here), dtype=np.bool_), groups, seed)
            ends = (interval.low, interval.high) if interval else (None, None)
            row += [int(here.sum()), float(here.mean()), *ends]
        rows.append((*row, PAPER_SHARES[verdict]))
    columns = [Column("verdict")]
    for name in readings:
        columns += [Column(f"{name}: messages", ",d"), Column(f"{name}: share", ".1%")]
        columns += [Column(f"{name}: 95 % from", ".1%"), Column(f"{name}: to", ".1%")]
    return Table(
        "What Seek&Hide tags (Table 3)",
        (*columns, Column("share", ".1%", paper=True)),
        tuple(rows),
        "Intervals by bootstrap over senders.",
    )


def _matrix(readings: dict[str, list[Verdict]], is_ta: NDArray[np.bool_]) -> Table:
    rows = []
    for verdict in (Verdict.NTA, Verdict.TA):
        row: list[Any] = [f"Seek&Hide: {verdict}"]
        for found in readings.values():
            here = np.array(found) == verdict
            row += [int((here & ~is_ta).sum()), int((here & is_ta).sum())]
        rows.append((*row, *PAPER_MATRIX[verdict]))
    columns = [Column("verdict")]
    for name in readings:
        columns += [Column(f"{name}: really {label}", ",d") for label in ("NTA", "TA")]
    columns += [Column("really NTA", ",d", paper=True), Column("really TA", ",d", paper=True)]
    return Table("Its verdicts against the labels (Table 4)", tuple(columns), tuple(rows))


def _quality(readings: dict[str, list[Verdict]], is_ta: NDArray[np.bool_]) -> Table:
    rows = []
    for name, found in readings.items():
        verdict = np.array(found)
        ta, nta = verdict == Verdict.TA, verdict == Verdict.NTA
        rows.append((name, share(is_ta, ta), share(is_ta, nta), share(ta == is_ta, ta | nta)))
    rows.append(("the paper", 676 / 1089, 59 / 13963, (13904 + 676) / 15052))
    return Table(
        "How far it can be trusted",
        (
            Column("reading"),
            Column("precision of TA", ".3f"),
            Column("TA among its NTA", ".4f"),
            Column("accuracy of what it tags", ".3f"),
        ),
        tuple(rows),
    )


def _origins(prepared: Prepared, show_words: bool) -> list[Block]:
    """Say which lists and rules stand behind the default reading's errors."""
    is_ta, verdict = prepared.corpus.is_ta, np.array(prepared.default)
    alarms = _words(prepared, (verdict == Verdict.TA) & ~is_ta, (Label.DICTIONARY,))
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


def _words(
    prepared: Prepared, messages: NDArray[np.bool_], labels: Sequence[Label]
) -> list[LabelledWord]:
    words = prepared.labelled.words
    of_form = np.array([word.label in labels for word in prepared.labelled.labels])
    here = messages[words.message] & of_form[words.form]
    return [prepared.labelled.labels[form] for form in words.form[here]]


def _missed(prepared: Prepared, messages: NDArray[np.bool_]) -> list[LabelledWord]:
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
    rows = tuple((*origin, n) for origin, n in counts.most_common(_MOST))
    return Table(
        title,
        (Column("lists"), Column("rule"), Column("label"), Column("words", ",d")),
        rows,
        f"{_most(len(counts), 'combinations')}, {len(words):,} words in all.",
    )


def _most(n: int, what: str) -> str:
    """Say how many of how many a table shows."""
    return f"The {_MOST} most frequent of {n:,} {what}" if n > _MOST else f"All {n:,} {what}"


def _word_table(title: str, words: list[LabelledWord]) -> Table:
    counts = Counter(word.text.lower() for word in words)
    return Table(
        f"{title}: {_most(len(counts), 'different words').lower()}",
        (Column("word"), Column("times", ",d")),
        tuple(counts.most_common(_MOST)),
        "These words may identify someone.",
    )
