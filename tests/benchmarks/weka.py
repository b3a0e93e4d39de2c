"""Hold InfoGain, the decision tree and bagging against Weka 3.6.14, on the paper's training data.

Run by ``make weka``, with Debian's package ``weka`` and Java. Weka ranks the features of the first
messages, balanced once, and cross-validates J48 and bags of it, in as many draws as here::

    python -m tests.benchmarks.weka ../shared/benchmarks /usr/share/java/weka.jar
"""

import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean

from tests.benchmarks.files import FIRST
from tests.processes import printed_by
from triage.dictionaries import load_lexicon
from triage.evaluation.corpus import Prepared, prepare, read_corpus
from triage.evaluation.paper import cross_validation
from triage.reports.infogain import rank
from triage.reports.page import Table

_SEEDS = range(3)
_INFOGAIN = "weka.attributeSelection.InfoGainAttributeEval"
_J48 = "weka.classifiers.trees.J48"
_PRUNED = ("-C", "0.25", "-M", "2")
_BAGGING = ("weka.classifiers.meta.Bagging", "-S", "1", "-I", "50")
_RANKED = re.compile(r"^ *([\d.]+) +\d+ (\w+)$", re.MULTILINE)


def main(folder: Path, jar: Path) -> None:
    """Print the information gain of each feature, and accuracies in cross-validation."""
    prepared = prepare(read_corpus(str(folder / "sms_fr.csv.gz")), load_lexicon("fr"), first=FIRST)
    accuracies: defaultdict[str, list[float]] = defaultdict(list)
    for seed in _SEEDS:
        drawn = replace(prepared, seed=seed)
        with tempfile.TemporaryDirectory() as scratch:
            table = Path(scratch, "table.arff")
            _write_arff(drawn, table)
            if not seed:
                _print_gains(drawn, _weka(jar, _INFOGAIN, "-i", table))
            split = ("-t", table, "-s", seed + 1)
            theirs = {
                "decision tree": _weka(jar, _J48, *split, *_PRUNED),
                "bagged trees": _weka(jar, *_BAGGING, *split, "-W", _J48, "--", *_PRUNED),
            }
        for name, said in theirs.items():
            by_weka = re.findall(r"Correctly Classified.* ([\d.]+) +%", said)[-1]
            accuracies[f"{name}, Weka"].append(float(by_weka))
        for name, accuracy in _accuracies(drawn):
            accuracies[f"{name}, here"].append(100 * accuracy)
    for name, of in sorted(accuracies.items()):
        print(f"{name:20} {mean(of):.1f} % ({', '.join(f'{one:.1f}' for one in of)})")


def _write_arff(prepared: Prepared, path: Path) -> None:
    rows = prepared.balanced
    cells = zip(prepared.values[rows].tolist(), prepared.labels[rows].tolist(), strict=True)
    header = [f"@attribute {name} numeric" for name in prepared.names]
    lines = ["@relation table", *header, "@attribute class {NTA,TA}", "@data"]
    lines += [",".join(map(str, (*values, label))) for values, label in cells]
    path.write_text("\n".join([*lines, ""]), encoding="ascii")


def _weka(jar: Path, *words: object) -> str:
    return printed_by("java", "-cp", *map(str, (jar, *words)))


def _print_gains(prepared: Prepared, said: str) -> None:
    theirs = {name: float(gain) for gain, name in _RANKED.findall(said)}
    rows = prepared.balanced
    for one in rank(prepared.values[rows], prepared.labels[rows], prepared.names):
        print(f"{one.feature:20} {one.gain:.4f}, Weka {theirs[one.feature]:.4f}")


def _accuracies(prepared: Prepared) -> Iterator[tuple[str, float]]:
    """Yield the accuracies of the learnt models in cross-validation, as the paper's Table 6."""
    table = next(one for one in cross_validation(prepared).blocks if isinstance(one, Table))
    for name, accuracy, *_ in table.rows[1:]:
        yield str(name), float(accuracy or 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
