"""Read damaged files for a time, and print what was counted."""

import argparse
import random
import time

from tests.fuzz.files import attack
from triage import Triage


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, help="by default another one each time")
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    triage, end = Triage.load("fr"), time.monotonic() + options.seconds
    counts = attack(seed, lambda _: time.monotonic() < end, triage)
    print(", ".join(f"{n:,} {what}" for what, n in counts.items()), flush=True)


if __name__ == "__main__":
    main()
