"""Read damaged files for a time, and print what was counted."""

import argparse
import random

from tests.fuzz import files


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, help="by default another one each time")
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    counts = files.run(options.seconds, seed)
    print(", ".join(f"{n:,} {what}" for what, n in counts.items()), flush=True)


if __name__ == "__main__":
    main()
