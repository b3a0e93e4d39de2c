"""Run every attack for a time, and print what was counted."""

import argparse
import importlib
import pkgutil
import random
from collections.abc import Callable, Iterator

import tests.fuzz


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="for all attacks together")
    parser.add_argument("--seed", type=int, help="by default another one each time")
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    attacks = list(_attacks())
    print(f"seed {seed}", flush=True)
    for name, run in attacks:
        counts = run(options.seconds / len(attacks), seed)
        print(f"{name}: " + ", ".join(f"{n:,} {what}" for what, n in counts.items()), flush=True)


def _attacks() -> Iterator[tuple[str, Callable[[float, int], dict[str, int]]]]:
    """Yield the modules of this package that have ``run(seconds, seed)``, and that."""
    for module in pkgutil.iter_modules(tests.fuzz.__path__):
        if not module.name.startswith(("_", "test_")):
            run = getattr(importlib.import_module(f"tests.fuzz.{module.name}"), "run", None)
            if run is not None:
                yield module.name, run


if __name__ == "__main__":
    main()
