"""Compare ways of finding addresses: a single pattern, the rules, the random field, their union.

Learns the random field anew, which takes some minutes::

    python -m tests.benchmarks.addresses ../shared/benchmarks -o reports/results/addresses

What was chosen was chosen on ids up to 4000.
"""

import csv
import gzip
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.dictionaries.made_addresses import made_messages, tricky_messages
from triage.dictionaries import Kind, load_lexicon
from triage.dictionaries.address_words import KnownWords
from triage.dictionaries.addresses import addresses
from triage.dictionaries.recognisers import shipped
from triage.evaluation.address_crf import find_addresses, learn_addresses
from triage.evaluation.address_crf import made_messages as messages_to_learn_from
from triage.evaluation.crf import Crf
from triage.reports.span_measures import Span, SpanCounts, bootstrap, measure

TRAINING_IDS = 4000

Found = list[list[Span]]


class Messages(NamedTuple):
    """Messages with their address spans and senders."""

    title: str
    texts: list[str]
    gold: Found
    senders: list[str]


def main(benchmark: Path, target: Path) -> None:
    """Write the tables."""
    corpus = benchmark / "sms_fr.csv.gz"
    if not corpus.exists():
        sys.exit(f"{corpus} is not here: the comparison needs the benchmark beside the project")
    lexicon = load_lexicon("fr")
    known = KnownWords.of(lexicon)
    crf = learn_addresses(messages_to_learn_from(lexicon), known)
    sets = [*_of_corpus(corpus), _made()]
    parts = [_INTRODUCTION, *(_table(messages, known, crf) for messages in sets)]
    parts.append(_false_alarms(known, crf))
    target.mkdir(parents=True, exist_ok=True)
    (target / "README.md").write_text("\n".join(parts), encoding="utf-8")


_INTRODUCTION = """# Ways of finding addresses

Precision, recall and F2 where one character in common is enough; the share of addresses covered
from end to end; F2 where both ends must be right; slot error rate (SER). How: `docs/addresses.md`.
Intervals: 95 %, from drawing senders (messages, where they are made) with replacement.
"""


def _of_corpus(path: Path) -> list[Messages]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    early = [row for row in rows if int(row["id"]) <= TRAINING_IDS]
    later = [row for row in rows if int(row["id"]) > TRAINING_IDS]
    return [
        _messages(f"{title}, {' and '.join(sorted(types))} spans", of, types)
        for title, of in (("Ids up to 4000", early), ("Ids from 4001", later))
        for types in ({"ADR"}, {"ADR", "LIE"})
    ]


def _messages(title: str, rows: Sequence[dict[str, str]], types: set[str]) -> Messages:
    def spans(row: dict[str, str]) -> list[Span]:
        wanted = (span for span in json.loads(row["spans"]) if types & set(span[2].split("_")))
        return [(start, end, "ADR") for start, end, _ in wanted]

    gold = [spans(row) for row in rows]
    return Messages(title, [row["text"] for row in rows], gold, [row["sender"] for row in rows])


def _made() -> Messages:
    made = made_messages()
    numbers = [str(i) for i in range(len(made))]
    texts, gold = [one.text for one in made], [one.spans for one in made]
    return Messages("500 made messages", texts, gold, numbers)


def _ways(known: KnownWords, crf: Crf) -> dict[str, Callable[[str], list[Span]]]:
    def by_pattern(text: str) -> list[Span]:
        return [(s.start, s.end, "ADR") for s in shipped("fr").find(text) if s.kind is Kind.ADR]

    def by_rules(text: str) -> list[Span]:
        return [(s.start, s.end, "ADR") for s in addresses(text, known)]

    def by_crf(text: str) -> list[Span]:
        return find_addresses(text, crf, known)

    return {
        "single pattern": by_pattern,
        "rules": by_rules,
        "random field": by_crf,
        "union": lambda text: _merged([*by_rules(text), *by_crf(text)]),
    }


def _merged(spans: list[Span]) -> list[Span]:
    """Return spans, those that overlap as one."""
    merged: list[Span] = []
    for start, end, kind in sorted(spans):
        if merged and start < merged[-1][1]:
            first, last, _ = merged[-1]
            merged[-1] = (first, max(end, last), kind)
        else:
            merged.append((start, end, kind))
    return merged


def _table(messages: Messages, known: KnownWords, crf: Crf) -> str:
    n = sum(map(len, messages.gold))
    lines = [
        f"\n## {messages.title}",
        f"{len(messages.texts)} messages, {n} spans.\n",
        "| way | found | precision | recall | F2 (interval) | covered | exact F2 | SER |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, way in _ways(known, crf).items():
        found = [way(text) for text in messages.texts]
        counts = measure(messages.gold, found).untyped
        f2 = bootstrap(_f2, messages.gold, found, messages.senders, n=500)
        lines.append(_row(name, counts, f"{f2.estimate:.2f} ({f2.low:.2f} to {f2.high:.2f})"))
    return "\n".join(lines)


def _f2(counts: SpanCounts) -> float:
    return counts.overlapping.f2


def _row(name: str, counts: SpanCounts, f2: str) -> str:
    here = counts.overlapping
    figures = (here.precision, here.recall)
    cells = [name, str(counts.found), *(f"{figure:.2f}" for figure in figures), f2]
    last = (counts.coverage, counts.exactly.f2, counts.slot_error_rate)
    return f"| {' | '.join([*cells, *(f'{figure:.2f}' for figure in last)])} |"


def _false_alarms(known: KnownWords, crf: Crf) -> str:
    texts = tricky_messages()
    lines = [f"\n## {len(texts)} made messages without an address, with words of addresses\n"]
    lines += ["| way | messages with a false alarm |", "| --- | --- |"]
    for name, way in _ways(known, crf).items():
        lines.append(f"| {name} | {sum(bool(way(text)) for text in texts)} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[sys.argv.index("-o") + 1]))
