"""Plant leaks in anonymised messages, thirty of each of ten kinds, and see what the check finds.

Run by ``make leaks``. What the check is made of was chosen on ids up to 4000, anonymised by models
learnt from other senders; what is reported are the later messages. A leak is planted in the
originals and in the output alike, as what was overlooked stands in both. Natural leaks, marked
identifiers that anonymising left, are known from the spans of the corpus::

    python -m tests.benchmarks.leaks ../shared/benchmarks [--choose] [--seeds N]
"""

import argparse
import csv
import gzip
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.planted import Leak, Message, Planter, Spot

TRAINING_IDS = 4000
N_PLANTED = 30
# In a half of the first messages few names come back.
N_CHOSEN_ON = 10


def main(folder: Path, target: Path | None, *, choose: bool, n_seeds: int) -> None:
    """Tell how many leaks of each kind are found, and how many findings are none."""
    corpus = folder / "sms_fr.csv.gz"
    if not corpus.exists():
        sys.exit(f"{corpus} is not here: the leaks are planted in the benchmark")
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        parts = _chosen_on(corpus, work) if choose else _reported_on(corpus, work)
        total = Tally()
        for anonymised, model in parts:
            for seed in range(n_seeds):
                total += _checked(anonymised.planted(seed), model, work)
    text = f"{_TITLE}\n{total.table()}"
    if target is None:
        sys.stdout.write(text)
    else:
        target.mkdir(parents=True, exist_ok=True)
        (target / "README.md").write_text(text, encoding="utf-8")


_TITLE = """# What the check finds of planted leaks

Thirty leaks of each of ten kinds, planted in the messages from id 4001 on, anonymised with nothing
held back by a model learnt from those before, and natural leaks, marked identifiers that
anonymising left. Of what `triage check --against` finds: how much is planted, natural, or nothing.
How: `docs/anonymise.md`, Checking.
"""


class Anonymised(NamedTuple):
    """Messages, what ``triage anonymise`` made of them, its key table, how many leaks to plant."""

    before: Path
    after: Path
    keys: Path
    n_planted: int

    def planted(self, seed: int) -> list[Message]:
        """Return the messages with leaks planted in them."""
        messages = _messages(*map(_rows, self[:3]))
        Planter(messages, seed).plant(self.n_planted)
        return messages


def _reported_on(corpus: Path, work: Path) -> Iterator[tuple[Anonymised, Path]]:
    rows = _rows(corpus)
    early = [row for row in rows if int(row["id"]) <= TRAINING_IDS]
    later = [row for row in rows if int(row["id"]) > TRAINING_IDS]
    yield _anonymised(early, later, work, "later", N_PLANTED)


def _chosen_on(corpus: Path, work: Path) -> Iterator[tuple[Anonymised, Path]]:
    """Yield each half of the first messages, by sender, anonymised by a model of the other half."""
    rows = [row for row in _rows(corpus) if int(row["id"]) <= TRAINING_IDS]
    halves: tuple[list[dict[str, str]], list[dict[str, str]]] = [], []
    for row in rows:
        halves[hashlib.sha256(row["sender"].encode()).digest()[0] % 2].append(row)
    yield _anonymised(halves[0], halves[1], work, "second half", N_CHOSEN_ON)
    yield _anonymised(halves[1], halves[0], work, "first half", N_CHOSEN_ON)


def _anonymised(
    learnt_from: list[dict[str, str]], rows: list[dict[str, str]], work: Path, name: str, n: int
) -> tuple[Anonymised, Path]:
    """Anonymise messages as if nobody decided: nothing is held back, all in doubt is replaced."""
    training, model, before, decided, after, keys = (
        work / f"{name}.{end}"
        for end in ("train.csv", "model", "csv", "triage.csv", "anon.csv", "key.csv")
    )
    _write(training, learnt_from)
    _write(before, rows)
    _run("train", training, "-o", model)
    _run("classify", before, "-o", decided, "-m", model, "--policy", "agreement")
    options = ("--hold", "none", "--ambiguous", "mask", "--key-table", keys, "-m", model)
    _run("anonymise", decided, "-o", after, *options)
    return Anonymised(before, after, keys, n), model


def _rows(path: Path) -> list[dict[str, str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def _write(path: Path, rows: Sequence[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


def _run(*command: object) -> str:
    words = [sys.executable, "-m", "triage", *map(str, command)]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    # The check answers 1 where something is left.
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return done.stdout


def _messages(
    before: list[dict[str, str]], after: list[dict[str, str]], keys: list[dict[str, str]]
) -> list[Message]:
    """Return the messages of an output, with the marked identifiers that it still holds."""
    of_id: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for key in keys:
        of_id[key["id"]].append(key)
    originals = {row["id"]: row for row in before}
    messages = []
    for row in after:
        original, replaced = originals[row["id"]], of_id[row["id"]]
        marked = json.loads(original["spans"])
        spots = [spot for start, end, _ in marked for spot in _left(start, end, replaced)]
        messages.append(Message(row, original["text"], row["text"], spots, replaced))
    return messages


def _left(start: int, end: int, keys: Iterable[dict[str, str]]) -> Iterator[Spot]:
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
    """Counts of leaks found and of findings."""

    planted: Counter[Leak] = field(default_factory=Counter)
    found: Counter[tuple[Leak, str]] = field(default_factory=Counter)
    natural: int = 0
    natural_found: Counter[str] = field(default_factory=Counter)
    findings: Counter[tuple[str, str]] = field(default_factory=Counter)
    clean: int = 0
    flagged: int = 0

    def __iadd__(self, other: "Tally") -> "Tally":
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)
        return self

    def table(self) -> str:
        """Return the counts as a table of Markdown."""
        lines = ["| leak | planted | certain | certain or likely |", "| --- | --- | --- | --- |"]
        for leak in Leak:
            certain = self.found[leak, "certain"]
            both = certain + self.found[leak, "likely"]
            lines.append(
                f"| {leak.value} | {self.planted[leak]} | {certain} | "
                f"{both} ({both / self.planted[leak]:.0%}) |"
            )
        certain, both = self.natural_found["certain"], self.natural_found["likely"]
        lines.append(f"| natural | {self.natural} | {certain} | {certain + both} |")
        lines += [
            "",
            "| findings | planted | natural | none | true |",
            "| --- | --- | --- | --- | --- |",
        ]
        for certainty in ("certain", "likely", "possible"):
            planted, natural, none = (
                self.findings[certainty, what] for what in ("planted", "natural", "none")
            )
            everything = planted + natural + none
            lines.append(
                f"| {certainty} | {planted} | {natural} | {none} | "
                f"{(planted + natural) / max(everything, 1):.0%}, without planted "
                f"{natural / max(natural + none, 1):.0%} |"
            )
        share = 1000 * self.flagged / max(self.clean, 1)
        lines += ["", f"{share:.1f} of 1,000 clean messages are flagged (certain or likely)", ""]
        return "\n".join(lines)


def _checked(messages: list[Message], model: Path, work: Path) -> Tally:
    before, after = work / "planted.csv", work / "planted.anon.csv"
    _write(before, [{**m.row, "text": m.before} for m in messages])
    _write(after, [{**m.row, "text": m.after} for m in messages])
    told = _run("check", after, "--against", before, "--json", "--show", "-m", model)
    return _tallied(messages, json.loads(told)["left"])


def _tallied(messages: list[Message], left: Sequence[dict[str, str]]) -> Tally:
    tally = Tally()
    found: defaultdict[int, list[dict[str, str]]] = defaultdict(list)
    for one in left:
        if one["text"] and one["column"] == "text":
            found[int(one["row"]) - 1].append(one)
    for number, message in enumerate(messages):
        _tally(tally, message, found[number])
    return tally


def _tally(tally: Tally, message: Message, found: list[dict[str, str]]) -> None:
    best: dict[Spot, str] = {}
    for one in found:
        spots = [spot for spot in message.spots if _is_on(one, spot, message.after)]
        for spot in spots:
            best[spot] = min(best.get(spot, "~"), one["certainty"])
        what = "none" if not spots else "planted" if any(s.leak for s in spots) else "natural"
        tally.findings[one["certainty"], what] += 1
    for spot in message.spots:
        if spot.leak:
            tally.planted[spot.leak] += 1
            tally.found[spot.leak, best.get(spot, "")] += 1
        else:
            tally.natural += 1
            tally.natural_found[best.get(spot, "")] += 1
    if message.is_free:
        tally.clean += 1
        tally.flagged += any(one["certainty"] in ("certain", "likely") for one in found)


def _is_on(one: dict[str, str], spot: Spot, text: str) -> bool:
    """Return whether a finding has a character in common with what leaks."""
    start = int(one["start"]) if "start" in one else text.find(one["text"])
    while start >= 0:
        if start < spot.end and spot.start < start + len(one["text"]):
            return True
        start = -1 if "start" in one else text.find(one["text"], start + 1)
    return False


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", dest="target", type=Path, help="folder of the table")
    parser.add_argument("--choose", action="store_true", help="on ids up to 4000")
    parser.add_argument("--seeds", type=int, default=1, help="plant so often")
    given = parser.parse_args()
    main(given.folder, given.target, choose=given.choose, n_seeds=given.seeds)
