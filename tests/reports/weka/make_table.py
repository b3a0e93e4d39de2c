"""Writes table.arff: the shapes of feature that decide how values are cut."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

N_TO_ANONYMISE, N_NOTHING = 90, 210


def main() -> None:
    random = np.random.default_rng(2013)
    n_messages = N_TO_ANONYMISE + N_NOTHING
    is_ta = np.repeat([1, 0], [N_TO_ANONYMISE, N_NOTHING])
    bands = random.integers(0, 3, n_messages) * 2 + is_ta
    # A value and its opposite in each class: every cut has one as good on the other side of 0.
    either_sign = np.tile([1, -1], n_messages // 2)
    distances = np.repeat(random.poisson(2 + 2 * is_ta[::2]), 2)
    features = {
        "counts": random.poisson(0.3 + is_ta),
        "rare": random.random(n_messages) < 0.01 + 0.08 * is_ta,
        "constant": np.full(n_messages, 3),
        "uninformative": random.normal(size=n_messages),
        "continuous": random.normal(size=n_messages) + 0.9 * is_ta,
        "tied": np.where(random.random(n_messages) < 0.8 - 0.3 * is_ta, 0, random.poisson(2)),
        "bands": np.round(bands + random.normal(scale=0.3, size=n_messages), 1),
        "mirrored": either_sign * distances,
    }
    columns = [column.astype(float).tolist() for column in features.values()]
    labels = np.where(is_ta, "TA", "NTA").tolist()
    lines = [*_header(features), *(",".join(map(str, row)) for row in zip(*columns, labels))]
    Path(__file__).with_name("table.arff").write_text("\n".join(lines) + "\n", encoding="ascii")


def _header(names: Iterable[str]) -> list[str]:
    attributes = [f"@attribute {name} numeric" for name in names]
    return ["@relation table", *attributes, "@attribute class {NTA,TA}", "@data"]


if __name__ == "__main__":
    main()
