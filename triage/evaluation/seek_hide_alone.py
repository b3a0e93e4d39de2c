"""Seek&Hide alone (paper, Tables 3 and 4), and where its errors come from."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledWord
from triage.reports.document import Block, Cell, Part, Table

from ..vocabulary import Verdict
from .corpus import Prepared
from .measures import Mask, by_sender, ends, share

PAPER_SHARES = {"TA": 0.0472, "NTA": 0.6057, "UNTAGGED": 0.3471}
PAPER_MATRIX = {"NTA": (13904, 59), "TA": (413, 676)}
_MOST = 10


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
        rows.append((*row, PAPER_SHARES[verdict]))
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
        rows.append((*row, *PAPER_MATRIX[verdict]))
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
