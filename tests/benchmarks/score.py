"""Train on ids up to 4000 and score the later messages with the corpus's own scorer.

Run by ``make score``. The first 4,000 ids are the paper's training data (section 6.3); everything
that was chosen was chosen on them.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.files import TRAINING_IDS, french
from tests.tables import read_rows, write_rows
from triage.settings import PolicyName


def main(folder: Path) -> None:
    """Print the scorer's table for ids 4001 to 6000 and 4001 to 23055, of both policies."""
    corpus = french(folder)
    with tempfile.TemporaryDirectory() as scratch:
        training, model, decided = (Path(scratch, name) for name in ("train.csv", "model", "d.csv"))
        rows = read_rows(corpus)
        write_rows(training, [row for row in rows if int(row["id"]) <= TRAINING_IDS])
        _run(sys.executable, "-m", "triage", "train", training, "-o", model)
        for policy in PolicyName:
            how = "-m", model, "--policy", policy, "--overwrite"
            _run(sys.executable, "-m", "triage", "classify", corpus, "-o", decided, *how)
            for last in ("6000", "23055"):
                sys.stdout.write(f"\n{policy}, ids 4001 to {last}\n")
                _run(sys.executable, folder / "score.py", decided, corpus, "--ids", "4001", last)


def _run(*command: object) -> None:
    sys.stdout.flush()
    subprocess.run([str(part) for part in command], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
