"""Identifiers that anonymising finds and leaves, on messages whose identifiers are marked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from triage.dictionaries import Kind, LabelledMessages, label_messages
from triage.reports.document import Cell, Part, Table
from triage.reports.measures import upper_bound
from triage.reports.span_measures import Span, SpanCounts, bootstrap, measure

from ..anonymise.held import Reason, holds, reason_of
from ..anonymise.residue import is_covered, is_touched, severity_of
from ..decide.find import Found, Judged, find
from ..decide.pipeline import Triage, gather
from ..decide.precedence import Rule
from ..model.learnt import Model
from ..model.training import TrainingOptions
from ..settings import Ambiguous, Hold, Policy, PolicyName
from ..vocabulary import Action, IdentifierType, Severity
from .corpus import Prepared
from .evidence_set import Learner
from .models import Progress

# The steps of anonymising.
_STEPS = (
    ("identifiers known by their form", (Rule.PATTERN, Rule.ADDRESS)),
    ("words of evidence", (Rule.EVIDENCE,)),
    ("words in doubt, replaced", (Rule.DICTIONARY, Rule.CARRIED)),
)


def anonymising_part(prepared: Prepared, seed: int, progress: Progress) -> Part:
    """Learn from the training messages, and anonymise the later ones."""
    corpus = prepared.corpus
    marked = corpus.marked("treatment")
    model = Learner(prepared, TrainingOptions(seed=seed)).model("evidence")
    progress("treatment")
    later = prepared.later
    results = list(_anonymised(prepared, model))
    progress("treatment")
    found, actions = results[0].found, results[0].actions
    gold = marked[later]
    return Part(
        "treatment",
        "Treatment: which identifiers are found, and what is left",
        (
            f"Learnt from the first {prepared.first:,} messages, measured on the {len(gold):,} "
            "later ones, under the agreement table, before any expert has decided. Bounds on "
            "evidence were chosen on the first messages.",
            _by_type(gold, found),
            _all_types(gold, found, corpus.groups[later].tolist(), seed),
            _by_rule(gold, found),
            *_residue(gold, found, actions),
            _released(gold, results),
        ),
    )


_HELD = {
    Reason.NOTHING_FOUND: "holding back {:,} TA messages in which nothing was found",
    Reason.IN_DOUBT: "holding back {:,} TA messages with a word in doubt",
    Reason.WAITS: "an expert on the {:,} undecided",
}
_POLICIES = {
    "agreement": Policy(PolicyName.AGREEMENT),
    "guarded, --max-leak 0.02": Policy(PolicyName.GUARDED, 0.02),
    "guarded, --max-leak 0.01": Policy(PolicyName.GUARDED, 0.01),
}


@dataclass(frozen=True)
class _Anonymised:
    """The later messages under one policy, with the ends of their words; signs are no words."""

    policy: str
    actions: list[Action]
    found: list[Found]
    words: list[list[tuple[int, int]]]

    def reasons(self, ambiguous: Ambiguous) -> list[Reason | None]:
        """Return why each message should not be written."""
        return _reasons(self.found, self.actions, ambiguous)


def _reasons(
    found: Sequence[Found], actions: Sequence[Action], ambiguous: Ambiguous
) -> list[Reason | None]:
    holds_doubt = ambiguous is Ambiguous.HOLD
    return [
        reason_of(
            action,
            anything_found=bool(one.identifiers),
            in_doubt=holds_doubt and one.ambiguous > 0,
        )
        for one, action in zip(found, actions, strict=True)
    ]


def _anonymised(prepared: Prepared, model: Model) -> Iterator[_Anonymised]:
    """Yield the later messages, which are a corpus of their own, under each policy."""
    corpus, later = prepared.corpus, prepared.later
    texts = corpus.messages[later]
    senders = corpus.senders[later] if corpus.senders else [""] * len(texts)
    lexicon = prepared.labelled.lexicon
    triage = Triage(lexicon, model)
    scored = triage.score(label_messages(texts, lexicon), senders)
    weighed = triage.weigh(scored, gather([scored]))
    words = _words(weighed.labelled)
    for name, policy in _POLICIES.items():
        decided = Triage(lexicon, model, policy=policy).decide_scored(weighed)
        found = find(weighed, [Judged(action) for action in decided.action], Ambiguous.HOLD)
        yield _Anonymised(name, decided.action, found, words)


_NO_WORDS = (Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI)


def _words(labelled: LabelledMessages) -> list[list[tuple[int, int]]]:
    table, labels = labelled.words, labelled.labels
    words: list[list[tuple[int, int]]] = [[] for _ in labelled.messages]
    columns = (table.message, table.start, table.form)
    for message, start, form in zip(*(column.tolist() for column in columns), strict=True):
        if labels[form].kind not in _NO_WORDS:
            words[message].append((start, start + len(labels[form].text)))
    return words


def _spans(found: Found, rules: Sequence[str]) -> list[Span]:
    return [(i.start, i.end, i.type.value) for i in found.identifiers if i.rule in rules]


def _by_type(gold: Sequence[list[Span]], found: Sequence[Found]) -> Table:
    measures = measure(gold, [_spans(one, list(Rule)) for one in found])
    named = {**measures.by_type, "all, types minded": measures.all, "all": measures.untyped}
    return Table(
        "Identifiers found, by type",
        {
            **dict.fromkeys(("type", "marked", "found"), ""),
            "recall, overlapping": ".3f",
            "precision, overlapping": ".3f",
            "F1, overlapping": ".3f",
            "F2, overlapping": ".3f",
            "recall, exact": ".3f",
            "precision, exact": ".3f",
            "F1, exact": ".3f",
            "slot error rate": ".3f",
            "recall, whatever the type": ".3f",
        },
        [(name, *_scores(counts), _touched(gold, found, name)) for name, counts in named.items()],
        note=(
            "Overlapping: an identifier is found if a span of its type has a character in common "
            "with it. The last line, and the last column, mind no types: what a name is called "
            "matters less than that it goes. Slot error rate: errors of the cheapest pairing over "
            "marked ones."
        ),
    )


def _scores(counts: SpanCounts) -> tuple[Cell, ...]:
    overlapping, exact = counts.overlapping, counts.exactly
    return (
        counts.gold,
        counts.found,
        overlapping.recall,
        overlapping.precision,
        overlapping.f1,
        overlapping.f2,
        exact.recall,
        exact.precision,
        exact.f1,
        counts.slot_error_rate,
    )


def _touched(gold: Sequence[list[Span]], found: Sequence[Found], kind: str) -> float:
    """Return the share of the identifiers of a type that any span has a character of."""
    hits = [
        is_touched(span, one.identifiers)
        for spans, one in zip(gold, found, strict=True)
        for span in spans
        if kind.startswith("all") or kind in span[2].split("_")
    ]
    return float(np.mean(hits)) if hits else float("nan")


def _all_types(
    gold: Sequence[list[Span]], found: Sequence[Found], groups: Sequence[str], seed: int
) -> Table:
    untyped_gold = [[(start, end, "") for start, end, _ in spans] for spans in gold]
    untyped = [[(i.start, i.end, "") for i in one.identifiers] for one in found]
    figures: dict[str, Callable[[SpanCounts], float]] = {
        "recall": lambda counts: counts.overlapping.recall,
        "precision": lambda counts: counts.overlapping.precision,
        "F2": lambda counts: counts.overlapping.f2,
    }
    rows = []
    for name, figure in figures.items():
        try:
            interval = bootstrap(figure, untyped_gold, untyped, groups, seed=seed)
        except ValueError:  # nothing is marked, or nothing is found
            continue
        rows.append((name, interval.estimate, interval.low, interval.high))
    return Table(
        "All types together, overlapping, types not minded, with 95 % intervals (by sender)",
        {"figure": "", **dict.fromkeys(("estimate", "low", "high"), ".3f")},
        rows,
    )


def _by_rule(gold: Sequence[list[Span]], found: Sequence[Found]) -> Table:
    """Measure what each rule finds, and what would stay without it."""
    rows: list[tuple[Cell, ...]] = []
    every = list(Rule)
    recall = measure(gold, [_spans(one, every) for one in found]).untyped.overlapping.recall
    for rule in every:
        counts = measure(gold, [_spans(one, [rule]) for one in found]).untyped
        if counts.found:
            others = [_spans(one, [r for r in every if r is not rule]) for one in found]
            lost = recall - measure(gold, others).untyped.overlapping.recall
            rows.append((rule.value, counts.found, counts.overlapping.precision, lost))
    return Table(
        "Identifiers found, by rule; dictionary and carried are words in doubt",
        {"rule": "", "found": ",d", "precision": ".3f", "recall lost without it": ".4f"},
        rows,
    )


class _Step(NamedTuple):
    """The identifiers that are marked in what is written, and those found, after some steps."""

    name: str
    gold: Sequence[list[Span]]
    found: Sequence[Found]


def _residue(
    gold: Sequence[list[Span]], found: Sequence[Found], actions: Sequence[Action]
) -> tuple[Table, Table]:
    steps = [*_steps(gold, found, actions)]
    by_severity = [
        (name, severity.value, *_left("", _of(severity, marked), there)[1:])
        # Before anything is replaced, after the last rule, and what people add to it.
        for name, marked, there in (steps[0], *steps[len(_STEPS) :])
        for severity in Severity
    ]
    return (
        Table(
            "Residue: messages that still hold an identifier, after each step",
            {"step": "", **_LEFT},
            [_left(*step) for step in steps],
            note=(
                "Untouched: an identifier of which no character was replaced. Not wholly gone: one "
                "of which a character still stands. At most: one-sided, with 95 % confidence."
            ),
        ),
        Table(
            "Severity of the residue: messages that still hold a direct or an indirect identifier",
            {"step": "", "severity": "", **_LEFT},
            by_severity,
            note=(
                "Indirect identifiers are "
                f"{', '.join(t for t in IdentifierType if t.severity is Severity.INDIRECT)}, the "
                "others are direct (Grouin 2013)."
            ),
        ),
    )


_LEFT = {
    "untouched: messages": "",
    "share of all": ".2%",
    "at most": ".2%",
    "not wholly gone: messages": "",
    "share of all ": ".2%",
    "at most ": ".2%",
}


def _steps(
    gold: Sequence[list[Span]], found: Sequence[Found], actions: Sequence[Action]
) -> Iterator[_Step]:
    yield _Step("nothing", gold, [Found([])] * len(gold))
    done: list[str] = []
    for name, rules in _STEPS:
        done += rules
        kept = [Found([i for i in one.identifiers if i.rule in done]) for one in found]
        yield _Step(f"+ {name}", gold, kept)
    reasons = _reasons(found, actions, Ambiguous.HOLD)
    seen = gold
    for reason, name in _HELD.items():
        held = [one is reason for one in reasons]
        seen = _seen(seen, held)
        yield _Step(f"+ {name.format(sum(held))}", seen, found)


def _of(severity: Severity, gold: Sequence[list[Span]]) -> list[list[Span]]:
    return [[span for span in spans if severity_of(span[2]) is severity] for spans in gold]


def _seen(gold: Sequence[list[Span]], held: Sequence[bool]) -> list[list[Span]]:
    """Return the spans of the messages that are not held back."""
    return [[] if is_held else spans for spans, is_held in zip(gold, held, strict=True)]


# What is held back and what becomes of words in doubt; the last is the default.
_CHOICES = (
    (Hold.NONE, Ambiguous.HOLD),
    (Hold.TA, Ambiguous.HOLD),
    (Hold.UNDECIDED, Ambiguous.MASK),
    (Hold.UNDECIDED, Ambiguous.HOLD),
)


def _released(gold: Sequence[list[Span]], results: Sequence[_Anonymised]) -> Table:
    rows = [
        (one.policy, hold.value, ambiguous.value, *_leaves(gold, one, hold, ambiguous))
        for one in results
        for hold, ambiguous in _CHOICES
    ]
    return Table(
        "What leaves under each policy before any expert has decided, by what is held back",
        {
            "policy": "",
            "--hold": "",
            "--ambiguous": "",
            "held back: messages": "",
            "still hold an identifier: messages": "",
            "share of all": ".2%",
            "at most": ".2%",
            "precision": ".3f",
            "words lost by replacing": ".2%",
            "words lost by holding back": ".2%",
        },
        rows,
        note=(
            "Still hold: are written with an identifier no character of which was replaced. "
            "Precision: the share of what is replaced that is an identifier. Words lost: of the "
            "words that identify nobody, those replaced in messages that are written, and those of "
            "the messages held back."
        ),
    )


def _leaves(
    gold: Sequence[list[Span]], result: _Anonymised, hold: Hold, ambiguous: Ambiguous
) -> tuple[Cell, ...]:
    reasons = result.reasons(ambiguous)
    held = [reason is not None and holds(hold, reason) for reason in reasons]
    pairs = zip(result.found, held, strict=True)
    replaced = [[] if is_held else _spans(one, list(Rule)) for one, is_held in pairs]
    # What leaves untouched; the rest of the residue is not shown here.
    _, *residue = _left("", _seen(gold, held), result.found)[:4]
    precision = measure(gold, replaced).untyped.overlapping.precision
    return (sum(held), *residue, precision, *_lost(gold, result, held))


def _lost(
    gold: Sequence[list[Span]], result: _Anonymised, held: Sequence[bool]
) -> tuple[float, float]:
    """Return the shares of words that identify nobody lost by replacing and by holding back."""
    replaced = kept_back = everything = 0
    for spans, found, words, is_held in zip(gold, result.found, result.words, held, strict=True):
        harmless = [w for w in words if not any(s < w[1] and w[0] < e for s, e, _ in spans)]
        everything += len(harmless)
        if is_held:
            kept_back += len(harmless)
        else:
            replaced += sum(is_touched((*word, ""), found.identifiers) for word in harmless)
    return replaced / everything, kept_back / everything


def _left(name: str, gold: Sequence[list[Span]], found: Sequence[Found]) -> tuple[Cell, ...]:
    pairs = list(zip(gold, found, strict=True))
    untouched = sum(any(not is_touched(s, one.identifiers) for s in spans) for spans, one in pairs)
    standing = sum(any(not is_covered(s, one.identifiers) for s in spans) for spans, one in pairs)
    bounds = ((n, n / len(pairs), upper_bound(n, len(pairs))) for n in (untouched, standing))
    return name, *chain.from_iterable(bounds)
