"""Identifiers that anonymising finds and leaves, on messages whose identifiers are marked."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from triage.dictionaries import Kind, LabelledMessages, label_messages
from triage.features.learn import marked_words
from triage.reports.measures import Mask, upper_bound
from triage.reports.page import Cell, Part, Table
from triage.reports.spans import SpanCounts, Triple, bootstrap, measure, measure_by_type

from ..anonymise.record import HeldFor, is_held_back, reason_of, severity_of
from ..decide.find import Found, Judged, Rule, find, is_touched
from ..decide.pipeline import Triage
from ..settings import Ambiguous, Hold, Policy, PolicyName
from ..vocabulary import SEVERITIES, Action, IdentifierType, Severity
from .corpus import TEXTS, Prepared, weighed

_Gold = Sequence[list[Triple]]

_POLICIES = {
    "agreement": Policy(PolicyName.AGREEMENT),
    "guarded, --max-residue 0.002": Policy(PolicyName.GUARDED, max_residue=0.002),
    "guarded, --max-residue 0.01": Policy(PolicyName.GUARDED, max_residue=0.01),
    "guarded, --max-leak 0.02": Policy(PolicyName.GUARDED, max_leak=0.02),
}
# The steps of anonymising: the rules that find, and then what is held back.
_FINDING = {
    "identifiers known by their form": (Rule.PATTERN, Rule.ADDRESS),
    "words of evidence": (Rule.EVIDENCE,),
    "words in doubt, replaced": (Rule.DICTIONARY, Rule.CARRIED),
}
_HOLDING = {
    HeldFor.NOTHING_FOUND: "holding back {:,} TA messages in which nothing was found",
    HeldFor.IN_DOUBT: "holding back {:,} TA messages with a word in doubt",
    HeldFor.WAITS: "an expert on the {:,} undecided",
}
# What is held back and what becomes of words in doubt; the last is the default.
_CHOICES = (
    (Hold.NONE, Ambiguous.HOLD),
    (Hold.TA, Ambiguous.HOLD),
    (Hold.UNDECIDED, Ambiguous.MASK),
    (Hold.UNDECIDED, Ambiguous.HOLD),
)
_SIGNS = {Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI}


@dataclass(frozen=True)
class Treated:
    """The treatment of messages under a policy, and the identifiers found in them."""

    policy: str
    actions: list[Action]
    found: list[Found]

    def reasons(self, ambiguous: Ambiguous) -> list[HeldFor | None]:
        judged = zip(map(Judged, self.actions), self.found, strict=True)
        return [reason_of(*one, ambiguous) for one in judged]


def treatment(prepared: Prepared) -> Part:
    """Learn from the training messages, and anonymise the later ones, a corpus of their own."""
    corpus, later, lexicon = prepared.corpus, prepared.later, prepared.lexicon
    gold = corpus.marked("treatment")[later]
    labelled = label_messages(corpus.messages[later], lexicon)
    scored = weighed(Triage(lexicon, prepared.model), labelled, corpus.senders_or_empty[later])
    results = []
    for name, policy in _POLICIES.items():
        actions = Triage(lexicon, prepared.model, policy=policy).decide_scored(scored).action
        found = find(scored, [*map(Judged, actions)], Ambiguous.HOLD)
        results.append(Treated(name, actions, found))
    found, all_types = results[0].found, []
    for name in ("recall", "precision", "F2"):
        # Nothing is marked, or nothing is found.
        with suppress(ValueError):
            measure_of, groups = attrgetter(f"overlapping.{name.lower()}"), corpus.groups[later]
            interval = bootstrap(measure_of, gold, _spans(found), groups, seed=prepared.seed)
            all_types.append((name, interval.estimate, *interval.ends))
    return TEXTS.part(
        "treatment",
        TEXTS.text("treatment.about", first=prepared.first, n=len(gold)),
        _by_type(gold, found),
        TEXTS.table("treatment.all_types", all_types),
        by_rule(gold, found),
        *residue(gold, results[0]),
        released(gold, labelled, results),
    )


def _spans(found: Sequence[Found], rules: Sequence[Rule] = tuple(Rule)) -> list[list[Triple]]:
    return [
        [(i.start, i.end, i.type.value) for i in message.identifiers if i.rule in rules]
        for message in found
    ]


def _by_type(gold: _Gold, found: Sequence[Found]) -> Table:
    rows, by_type = [], measure_by_type(gold, _spans(found))
    by_type["all, types minded"] = sum(by_type.values(), SpanCounts())
    by_type["all"] = measure(gold, _spans(found))
    for name, counts in by_type.items():
        loose, exact = counts.overlapping, counts.exactly
        # A span is touched if any character of it is in a found one.
        hits = [
            is_touched(span, one.identifiers)
            for spans, one in zip(gold, found, strict=True)
            for span in spans
            if name.startswith("all") or name in span[2].split("_")
        ]
        touched = float(np.mean(hits)) if hits else float("nan")
        scores = (loose.recall, loose.precision, loose.f1, loose.f2, exact.recall, exact.precision)
        errors = (exact.f1, counts.slot_error_rate, touched)
        rows.append((name, counts.gold, counts.found, *scores, *errors))
    return TEXTS.table("treatment.types", rows)


def by_rule(gold: _Gold, found: Sequence[Found]) -> Table:
    """Measure what each rule finds, and what would stay without it."""
    rows: list[tuple[Cell, ...]] = []
    recall = measure(gold, _spans(found)).overlapping.recall
    for rule in Rule:
        counts = measure(gold, _spans(found, [rule]))
        if counts.found:
            without = _spans(found, [other for other in Rule if other is not rule])
            lost = recall - measure(gold, without).overlapping.recall
            rows.append((rule.value, counts.found, counts.overlapping.precision, lost))
    return TEXTS.table("treatment.rules", rows)


def residue(gold: _Gold, result: Treated) -> tuple[Table, Table]:
    """Count the messages that still hold an identifier after each step, and by severity."""
    # Each step, the identifiers marked in what would be written, and those found.
    steps: list[tuple[str, _Gold, Sequence[Found]]] = [("nothing", gold, [Found([])] * len(gold))]
    done, by_severity = list[Rule](), []
    for name, rules in _FINDING.items():
        done += rules
        kept = [[i for i in one.identifiers if i.rule in done] for one in result.found]
        steps.append((f"+ {name}", gold, [*map(Found, kept)]))
    reasons = result.reasons(Ambiguous.HOLD)
    for reason, name in _HOLDING.items():
        is_held = [one is reason for one in reasons]
        gold = _in_written(gold, is_held)
        steps.append((f"+ {name.format(sum(is_held))}", gold, result.found))
    # Before anything is replaced, after the last rule, and what people add to it.
    for name, marked, found in (steps[0], *steps[len(_FINDING) :]):
        for severity in Severity:
            of_it = [[one for one in spans if severity_of(one[2]) is severity] for spans in marked]
            by_severity.append((name, severity.value, *_residue_counts(of_it, found)))
    indirect = ", ".join(one for one in IdentifierType if SEVERITIES[one] is Severity.INDIRECT)
    by_step = [(name, *_residue_counts(marked, found)) for name, marked, found in steps]
    return (
        TEXTS.table("treatment.residue", by_step),
        TEXTS.table("treatment.severity", by_severity, indirect=indirect),
    )


def _in_written(gold: _Gold, held: Iterable[bool]) -> list[list[Triple]]:
    return [[] if is_held else spans for spans, is_held in zip(gold, held, strict=True)]


def _residue_counts(gold: _Gold, found: Sequence[Found]) -> tuple[Cell, ...]:
    """Return the messages with an untouched identifier, and those with one not wholly gone."""
    n_untouched = n_left = 0
    for spans, one in zip(gold, found, strict=True):
        covered = {i for part in one.identifiers for i in range(part.start, part.end)}
        n_untouched += any(covered.isdisjoint(range(*span[:2])) for span in spans)
        n_left += any(not covered.issuperset(range(*span[:2])) for span in spans)
    counts = n_untouched, n_left
    return tuple(x for n in counts for x in (n, n / len(gold), upper_bound(n, len(gold))))


def released(gold: _Gold, labelled: LabelledMessages, results: Sequence[Treated]) -> Table:
    """Measure what leaves under each policy, and which harmless words are lost."""
    words = labelled.words
    is_word = np.array([word.kind not in _SIGNS for word in labelled.labels], dtype=np.bool_)
    harmless = is_word[words.form] & ~marked_words(labelled, gold)
    rows = []
    for result in results:
        replaced = harmless & marked_words(labelled, _spans(result.found))
        for hold, ambiguous in _CHOICES:
            reasons = result.reasons(ambiguous)
            held: Mask = np.array([why is not None and is_held_back(hold, why) for why in reasons])
            standing = _residue_counts(_in_written(gold, held), result.found)[:3]
            measures = measure(gold, _in_written(_spans(result.found), held))
            # Of the harmless words, those replaced in what is written, and those held back.
            in_held = held[words.message]
            lost = [
                (mask & harmless).sum() / harmless.sum() for mask in (replaced & ~in_held, in_held)
            ]
            cells = (int(held.sum()), *standing, measures.overlapping.precision, *map(float, lost))
            rows.append((result.policy, hold.value, ambiguous.value, *cells))
    return TEXTS.table("treatment.released", rows)
