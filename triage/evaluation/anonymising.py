"""Identifiers that anonymising finds and leaves, on messages whose identifiers are marked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from triage.dictionaries import Kind, LabelledMessages, label_messages
from triage.reports.measures import upper_bound
from triage.reports.page import Cell, Part, Table
from triage.reports.spans import Span, SpanCounts, bootstrap, measure

from ..anonymise.held import Reason, holds, is_covered, reason_of, severity_of
from ..decide.pipeline import Triage
from ..model.find import Found, Judged, Rule, find, is_touched
from ..model.learnt import Model
from ..settings import Ambiguous, Hold, Policy, PolicyName
from ..vocabulary import Action, IdentifierType, Severity
from .corpus import Options, Prepared, weighed

_Gold = Sequence[Sequence[Span]]

_POLICIES = {
    "agreement": Policy(PolicyName.AGREEMENT),
    "guarded, --max-residue 0.002": Policy(PolicyName.GUARDED, max_residue=0.002),
    "guarded, --max-leak 0.02": Policy(PolicyName.GUARDED, max_leak=0.02),
}
# The steps of anonymising: the rules that find, and then what is held back.
_FINDING = {
    "identifiers known by their form": (Rule.PATTERN, Rule.ADDRESS),
    "words of evidence": (Rule.EVIDENCE,),
    "words in doubt, replaced": (Rule.DICTIONARY, Rule.CARRIED),
}
_HOLDING = {
    Reason.NOTHING_FOUND: "holding back {:,} TA messages in which nothing was found",
    Reason.IN_DOUBT: "holding back {:,} TA messages with a word in doubt",
    Reason.WAITS: "an expert on the {:,} undecided",
}
# What is held back and what becomes of words in doubt; the last is the default.
_CHOICES = (
    (Hold.NONE, Ambiguous.HOLD),
    (Hold.TA, Ambiguous.HOLD),
    (Hold.UNDECIDED, Ambiguous.MASK),
    (Hold.UNDECIDED, Ambiguous.HOLD),
)
_NO_WORDS = (Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI)
_LEFT = ("untouched: messages", "share of all", "at most")
_STANDING = ("not wholly gone: messages", "share of all ", "at most ")


def anonymising_part(prepared: Prepared, options: Options) -> Part:
    """Learn from the training messages, and anonymise the later ones."""
    gold = prepared.corpus.marked("treatment")[prepared.later]
    results = list(_anonymised(prepared, prepared.learn(options.seed)))
    found = results[0].found
    groups = prepared.corpus.groups[prepared.later].tolist()
    return Part(
        "treatment",
        "Treatment: which identifiers are found, and what is left",
        (
            f"Learnt from the first {prepared.first:,} messages, measured on the {len(gold):,} "
            "later ones, under the agreement table, before any expert has decided. Bounds on "
            "evidence were chosen on the first messages.",
            _by_type(gold, found),
            _all_types(gold, found, groups, options.seed),
            by_rule(gold, found),
            *residue(gold, results[0]),
            released(gold, results),
        ),
    )


@dataclass(frozen=True)
class Anonymised:
    """The later messages under one policy, with the ends of their words; signs are no words."""

    policy: str
    actions: list[Action]
    found: list[Found]
    words: list[list[tuple[int, int]]]

    def reasons(self, ambiguous: Ambiguous) -> list[Reason | None]:
        """Return why each message should not be written."""
        holds_doubt = ambiguous is Ambiguous.HOLD
        return [
            reason_of(
                action,
                anything_found=bool(one.identifiers),
                in_doubt=holds_doubt and one.ambiguous > 0,
            )
            for one, action in zip(self.found, self.actions, strict=True)
        ]


def _anonymised(prepared: Prepared, model: Model) -> Iterator[Anonymised]:
    """Yield the later messages, which are a corpus of their own, under each policy."""
    corpus, later, lexicon = prepared.corpus, prepared.later, prepared.lexicon
    labelled = label_messages(corpus.messages[later], lexicon)
    scored = weighed(Triage(lexicon, model), labelled, corpus.senders_or_empty[later])
    words = _words(labelled)
    for name, policy in _POLICIES.items():
        decided = Triage(lexicon, model, policy=policy).decide_scored(scored)
        found = find(scored, [*map(Judged, decided.action)], Ambiguous.HOLD)
        yield Anonymised(name, decided.action, found, words)


def _words(labelled: LabelledMessages) -> list[list[tuple[int, int]]]:
    table, labels = labelled.words, labelled.labels
    words: list[list[tuple[int, int]]] = [[] for _ in labelled.messages]
    columns = (table.message, table.start, table.form)
    for message, start, form in zip(*(column.tolist() for column in columns), strict=True):
        if labels[form].kind not in _NO_WORDS:
            words[message].append((start, start + len(labels[form].text)))
    return words


def _spans(found: Sequence[Found], rules: Sequence[Rule] = tuple(Rule)) -> list[list[Span]]:
    return [
        [(i.start, i.end, i.type.value) for i in one.identifiers if i.rule in rules]
        for one in found
    ]


def _by_type(gold: _Gold, found: Sequence[Found]) -> Table:
    measures = measure(gold, _spans(found))
    named = {**measures.by_type, "all, types minded": measures.all, "all": measures.untyped}
    overlapping = [f"{name}, overlapping" for name in ("recall", "precision", "F1", "F2")]
    exact = [f"{name}, exact" for name in ("recall", "precision", "F1")]
    shares = (*overlapping, *exact, "slot error rate", "recall, whatever the type")
    return Table(
        "Identifiers found, by type",
        dict.fromkeys(("type", "marked", "found"), "") | dict.fromkeys(shares, ".3f"),
        [(name, *_scores(counts), _touched(gold, found, name)) for name, counts in named.items()],
        note=(
            "Overlapping: an identifier is found if a span of its type has a character in common "
            "with it. The last line, and the last column, mind no types: what a name is called "
            "matters less than that it goes. Slot error rate: errors of the cheapest pairing over "
            "marked ones."
        ),
    )


def _scores(counts: SpanCounts) -> tuple[Cell, ...]:
    found, exact = counts.overlapping, counts.exactly
    return (
        *(counts.gold, counts.found),
        *(found.recall, found.precision, found.f1, found.f2),
        *(exact.recall, exact.precision, exact.f1, counts.slot_error_rate),
    )


def _touched(gold: _Gold, found: Sequence[Found], kind: str) -> float:
    """Return the share of the identifiers of a type that any span has a character of."""
    hits = [
        is_touched(span, one.identifiers)
        for spans, one in zip(gold, found, strict=True)
        for span in spans
        if kind.startswith("all") or kind in span[2].split("_")
    ]
    return float(np.mean(hits)) if hits else float("nan")


def _all_types(gold: _Gold, found: Sequence[Found], groups: Sequence[str], seed: int) -> Table:
    figures: dict[str, Callable[[SpanCounts], float]] = {
        "recall": lambda counts: counts.overlapping.recall,
        "precision": lambda counts: counts.overlapping.precision,
        "F2": lambda counts: counts.overlapping.f2,
    }
    rows = []
    for name, figure in figures.items():
        try:
            interval = bootstrap(figure, gold, _spans(found), groups, seed=seed)
        except ValueError:  # nothing is marked, or nothing is found
            continue
        rows.append((name, interval.estimate, *interval.ends))
    return Table(
        "All types together, overlapping, types not minded, with 95 % intervals (by sender)",
        {"figure": "", **dict.fromkeys(("estimate", "low", "high"), ".3f")},
        rows,
    )


def by_rule(gold: _Gold, found: Sequence[Found]) -> Table:
    """Measure what each rule finds, and what would stay without it."""
    rows: list[tuple[Cell, ...]] = []
    recall = measure(gold, _spans(found)).untyped.overlapping.recall
    for rule in Rule:
        counts = measure(gold, _spans(found, [rule])).untyped
        if counts.found:
            others = _spans(found, [other for other in Rule if other is not rule])
            lost = recall - measure(gold, others).untyped.overlapping.recall
            rows.append((rule.value, counts.found, counts.overlapping.precision, lost))
    return Table(
        "Identifiers found, by rule; dictionary and carried are words in doubt",
        {"rule": "", "found": ",d", "precision": ".3f", "recall lost without it": ".4f"},
        rows,
    )


def residue(gold: _Gold, result: Anonymised) -> tuple[Table, Table]:
    steps = [*_steps(gold, result)]
    by_severity = [
        (name, severity.value, *_left(_of(severity, marked), found))
        # Before anything is replaced, after the last rule, and what people add to it.
        for name, marked, found in (steps[0], *steps[len(_FINDING) :])
        for severity in Severity
    ]
    columns = {
        name: "" if "messages" in name else ".2%" for names in (_LEFT, _STANDING) for name in names
    }
    indirect = [one for one in IdentifierType if one.severity is Severity.INDIRECT]
    return (
        Table(
            "Residue: messages that still hold an identifier, after each step",
            {"step": "", **columns},
            [(name, *_left(marked, found)) for name, marked, found in steps],
            note=(
                "Untouched: an identifier of which no character was replaced. Not wholly gone: one "
                "of which a character still stands. At most: one-sided, with 95 % confidence."
            ),
        ),
        Table(
            "Severity of the residue: messages that still hold a direct or an indirect identifier",
            {"step": "", "severity": "", **columns},
            by_severity,
            note=(
                f"Indirect identifiers are {', '.join(indirect)}, the others are direct "
                "(Grouin 2013)."
            ),
        ),
    )


def _steps(gold: _Gold, result: Anonymised) -> Iterator[tuple[str, _Gold, Sequence[Found]]]:
    """Yield each step, the identifiers marked in what would be written, and those found."""
    yield "nothing", gold, [Found([])] * len(gold)
    done: list[Rule] = []
    for name, rules in _FINDING.items():
        done += rules
        kept = [[i for i in one.identifiers if i.rule in done] for one in result.found]
        yield f"+ {name}", gold, [*map(Found, kept)]
    reasons = result.reasons(Ambiguous.HOLD)
    for reason, name in _HOLDING.items():
        held = [one is reason for one in reasons]
        gold = _written(gold, held)
        yield f"+ {name.format(sum(held))}", gold, result.found


def _of(severity: Severity, gold: _Gold) -> list[list[Span]]:
    return [[span for span in spans if severity_of(span[2]) is severity] for spans in gold]


def _written(gold: _Gold, held: Sequence[bool]) -> list[Sequence[Span]]:
    """Return the spans of the messages that are not held back."""
    return [[] if is_held else spans for spans, is_held in zip(gold, held, strict=True)]


def _left(gold: _Gold, found: Sequence[Found]) -> tuple[Cell, ...]:
    """Return the messages with an untouched identifier, and those with one not wholly gone."""
    cells: tuple[Cell, ...] = ()
    for is_gone in (is_touched, is_covered):
        n = sum(
            any(not is_gone(span, one.identifiers) for span in spans)
            for spans, one in zip(gold, found, strict=True)
        )
        cells += (n, n / len(gold), upper_bound(n, len(gold)))
    return cells


def released(gold: _Gold, results: Sequence[Anonymised]) -> Table:
    rows = [
        (one.policy, hold.value, ambiguous.value, *_leaves(gold, one, hold, ambiguous))
        for one in results
        for hold, ambiguous in _CHOICES
    ]
    lost = ("words lost by replacing", "words lost by holding back")
    return Table(
        "What leaves under each policy before any expert has decided, by what is held back",
        {
            **dict.fromkeys(("policy", "--hold", "--ambiguous", "held back: messages"), ""),
            "still hold an identifier: messages": "",
            **dict.fromkeys(("share of all", "at most"), ".2%"),
            "precision": ".3f",
            **dict.fromkeys(lost, ".2%"),
        },
        rows,
        note=(
            "Still hold: are written with an identifier no character of which was replaced. "
            "Precision: the share of what is replaced that is an identifier. Words lost: of the "
            "words that identify nobody, those replaced in messages that are written, and those of "
            "the messages held back."
        ),
    )


def _leaves(gold: _Gold, result: Anonymised, hold: Hold, ambiguous: Ambiguous) -> tuple[Cell, ...]:
    reasons = result.reasons(ambiguous)
    held = [reason is not None and holds(hold, reason) for reason in reasons]
    untouched = _left(_written(gold, held), result.found)[: len(_LEFT)]
    replaced = _written(_spans(result.found), held)
    precision = measure(gold, replaced).untyped.overlapping.precision
    return (sum(held), *untouched, precision, *_lost(gold, result, held))


def _lost(gold: _Gold, result: Anonymised, held: Sequence[bool]) -> tuple[float, float]:
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
