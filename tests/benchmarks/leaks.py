"""Plant leaks in anonymised messages, thirty of each of ten kinds, and see what the check finds.

Run by ``make reports``. Messages with ids from 4001 on are anonymised by a model learnt from those
before. A leak is planted in the originals and in the output alike, as what was overlooked stands in
both. Natural leaks, marked identifiers that anonymising left, are known from the spans of the
corpus::

    python -m tests.benchmarks.leaks ../shared/benchmarks reports/results/leaks
"""

import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.files import TRAINING_IDS, french, write_page
from tests.benchmarks.planted import Leak, Message, Planter, Spot
from tests.processes import done_by
from tests.tables import Row, read_rows, write_rows
from triage.reports.page import Block, Cell, Table

N_PLANTED = 30

_ABOUT = (
    "Thirty leaks of each of ten kinds, planted in the messages from id 4001 on, anonymised with "
    "nothing held back by a model learnt from those before, and natural leaks, marked identifiers "
    "that anonymising left. Of what triage check --against finds: how much is planted, natural, or "
    "nothing. How: docs/guide/publishing.md, Checking."
)


def main(folder: Path, target: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        messages = _anonymised(read_rows(french(folder)), work)
        Planter(messages, seed=0).plant(N_PLANTED)
        tally = _checked(messages, work)
    write_page(target, "What the check finds of planted leaks", [_ABOUT, *tally.tables()])


def _anonymised(rows: list[Row], work: Path) -> list[Message]:
    """Anonymise messages as if nobody decided: nothing is held back, all in doubt is replaced."""
    training, model, before, decided, after, keys = (
        work / name
        for name in ("train.csv", "model", "sms.csv", "triage.csv", "anon.csv", "key.csv")
    )
    write_rows(training, [row for row in rows if int(row["id"]) <= TRAINING_IDS])
    write_rows(before, [row for row in rows if int(row["id"]) > TRAINING_IDS])
    _run("train", training, "-o", model)
    _run("classify", before, "-o", decided, "-m", model, "--policy", "agreement")
    # The model is told by the record of the run.
    options = ("--hold", "none", "--ambiguous", "mask", "--key-table", keys)
    _run("anonymise", decided, "-o", after, *options)
    of_id: defaultdict[str, list[Row]] = defaultdict(list)
    for key in read_rows(keys):
        of_id[key["id"]].append(key)
    originals = {row["id"]: row for row in read_rows(before)}
    messages = []
    for row in read_rows(after):
        original, replaced = originals[row["id"]], of_id[row["id"]]
        marked = json.loads(original["spans"])
        spots = [spot for start, end, _ in marked for spot in _left(start, end, replaced)]
        messages.append(Message(row, original["text"], row["text"], spots, replaced))
    return messages


def _run(*command: object) -> str:
    done = done_by(sys.executable, "-m", "triage", *map(str, command))
    # The check answers 1 where something is left.
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return done.stdout


def _left(start: int, end: int, keys: Iterable[Row]) -> Iterator[Spot]:
    """Yield what is left of a marked identifier, where it stands in the output."""
    shift, at = 0, start
    for key in keys:
        first, last = int(key["start"]), int(key["end"])
        if at < min(first, end):
            yield Spot(at + shift, min(first, end) + shift)
        if last > at:
            at = max(at, last)
        if first < end:
            shift += len(key["replacement"]) - (last - first)
    if at < end:
        yield Spot(at + shift, end + shift)


@dataclass
class Tally:
    """Counts of leaks by kind and of what found them, of findings, and of clean messages."""

    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: Counter[tuple[str, str]] = field(default_factory=Counter)
    clean: int = 0
    flagged: int = 0

    def add(self, message: Message, found: Sequence[Row]) -> None:
        best: dict[Spot, str] = {}
        for one in found:
            start = int(one["start"])
            end = start + len(one["text"])
            spots = [spot for spot in message.spots if start < spot.end and spot.start < end]
            for spot in spots:
                best[spot] = min(best.get(spot, "~"), one["certainty"])
            what = "none" if not spots else "planted" if any(s.leak for s in spots) else "natural"
            self.findings[one["certainty"], what] += 1
        for spot in message.spots:
            self.found[spot.leak or "natural", best.get(spot, "")] += 1
        if not message.spots:
            self.clean += 1
            self.flagged += any(one["certainty"] in ("certain", "likely") for one in found)

    def tables(self) -> Iterator[Block]:
        """Yield what is found of each kind of leak, and how many findings are true."""
        rows: list[tuple[Cell, ...]] = []
        for kind in (*Leak, "natural"):
            certain = self.found[kind, "certain"]
            n = sum(times for (one, _), times in self.found.items() if one == kind)
            both = certain + self.found[kind, "likely"]
            rows.append((str(kind), n, certain, both, both / max(n, 1)))
        columns = dict.fromkeys(("planted", "certain", "certain or likely"), "d")
        yield Table("Leaks found", {"leak": "", **columns, "share": ".0%"}, rows)
        rows = []
        for certainty in ("certain", "likely", "possible"):
            planted, natural, none = (
                self.findings[certainty, what] for what in ("planted", "natural", "none")
            )
            true = (planted + natural) / max(planted + natural + none, 1)
            cells = (planted, natural, none, true, natural / max(natural + none, 1))
            rows.append((certainty, *cells))
        columns = dict.fromkeys(("planted", "natural", "none"), "d")
        shares = dict.fromkeys(("true", "true without the planted"), ".0%")
        yield Table("Findings", {"findings": "", **columns, **shares}, rows)
        share = 1000 * self.flagged / max(self.clean, 1)
        yield f"{share:.1f} of 1,000 clean messages are flagged (certain or likely)."


def _checked(messages: list[Message], work: Path) -> Tally:
    before, after = work / "planted.csv", work / "planted.anon.csv"
    write_rows(before, [{**m.row, "text": m.before} for m in messages])
    write_rows(after, [{**m.row, "text": m.after} for m in messages])
    options = ("--against", before, "--json", "--show", "--plan", f"model={work / 'model'}")
    told = _run("check", after, *options)
    found: defaultdict[int, list[Row]] = defaultdict(list)
    for one in json.loads(told)["left"]:
        if one["text"] and one["column"] == "text":
            found[int(one["row"]) - 1].append(one)
    tally = Tally()
    for number, message in enumerate(messages):
        tally.add(message, found[number])
    return tally


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
