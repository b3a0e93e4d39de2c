"""Writes table.arff: features of the shapes that matter to where values are cut."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

N_MESSAGES, N_TO_ANONYMISE = 300, 90


def main() -> None:
    random = np.random.default_rng(2013)
    is_ta = np.arange(N_MESSAGES) < N_TO_ANONYMISE
    bands = random.integers(0, 3, N_MESSAGES) * 2 + is_ta
    signs = random.choice([-1, 1], N_MESSAGES)
    is_tied = random.random(N_MESSAGES) < 0.8 - 0.3 * is_ta
    features = {
        "counts": random.poisson(0.3 + is_ta),
        "rare": random.random(N_MESSAGES) < 0.01 + 0.08 * is_ta,
        "constant": np.full(N_MESSAGES, 3),
        "uninformative": random.normal(size=N_MESSAGES),
        "continuous": random.normal(size=N_MESSAGES) + 0.9 * is_ta,
        "tied": np.where(is_tied, 0, random.poisson(2, N_MESSAGES)),
        "bands": bands + random.normal(scale=0.3, size=N_MESSAGES),
        "symmetric": signs * random.poisson(2 + 2 * is_ta),
    }
    columns = [column.astype(float).round(3).tolist() for column in features.values()]
    rows = zip(*columns, np.where(is_ta, "TA", "NTA").tolist(), strict=True)
    lines = [*_header(features), *(",".join(map(str, row)) for row in rows)]
    Path(__file__).with_name("table.arff").write_text("\n".join(lines) + "\n", encoding="ascii")


def _header(names: Iterable[str]) -> list[str]:
    attributes = [f"@attribute {name} numeric" for name in names]
    return ["@relation table", *attributes, "@attribute class {NTA,TA}", "@data"]


if __name__ == "__main__":
    main()
