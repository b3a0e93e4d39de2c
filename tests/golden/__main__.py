"""``python -m tests.golden record|check [GROUP …] [--keep DIR] [--jobs N]``."""

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .record import Group, differences, groups, recorded, results_of, run_group, write_hashes


def main() -> None:
    if sys.argv[1:2] == ["group"]:
        name, work, results, jobs = sys.argv[2:]
        run_group(name, Path(work), Path(results), int(jobs))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["record", "check"])
    parser.add_argument("group", nargs="*", help="by default all")
    parser.add_argument("--keep", type=Path, help="folder in which the results stay")
    parser.add_argument("--jobs", type=int, default=1, help="the cores that commands find")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # Neither what another version of the program has computed, nor the user's own.
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        # Sums differ in the last digit between the kernels of OpenBLAS for different processors.
        os.environ["OPENBLAS_CORETYPE"] = "Haswell"
        wanted = [one for one in groups() if one.name in given.group or not given.group]
        if not wanted:
            parser.error(f"the groups are {', '.join(one.name for one in groups())}")
        found = _results(wanted, (given.keep or Path(folder)).resolve(), given.jobs)
    if given.what == "record":
        kept = {one.name: recorded().get(one.name, {}) for one in groups()}
        write_hashes(kept | found)
        return
    other = [line for name, results in found.items() for line in differences(name, results)]
    sys.exit("\n".join(other) if other else 0)


def _results(wanted: list[Group], kept: Path, jobs: int) -> dict[str, dict[str, str]]:
    from .samples import missing

    def run(group: Group) -> dict[str, str] | None:
        if why := missing(group.input):
            print(f"{group.name}: left out: {why}", flush=True)
            return None
        start = time.monotonic()
        results = results_of(group.name, kept, jobs)
        took = time.monotonic() - start
        print(f"{group.name}: {len(results)} results in {took:.1f} s", flush=True)
        return results

    # The first one computes the tables of lists that all others need; those that take long lead.
    first, *others = wanted
    others.sort(key=lambda group: not group.slow)
    found = [run(first)]
    with ThreadPoolExecutor(2) as pool:
        found += pool.map(run, others)
    every = zip([first, *others], found, strict=True)
    return {group.name: results for group, results in every if results is not None}


if __name__ == "__main__":
    main()
