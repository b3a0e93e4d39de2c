"""Tables of numbers with a class, as Weka reads them (ARFF)."""

from collections.abc import Iterable, Sequence


def arff(
    relation: str, columns: Sequence[str], rows: Iterable[Sequence[float]], classes: Sequence[str]
) -> bytes:
    r"""Return a table of numbers, whose last attribute is the class."""
    kinds = ",".join(sorted(set(classes)))
    lines = [
        f"@relation {_quoted(relation)}",
        *(f"@attribute {_quoted(column)} numeric" for column in columns),
        f"@attribute class {{{kinds}}}",
        "@data",
        *(
            ",".join([*map(repr, map(float, row)), kind])
            for row, kind in zip(rows, classes, strict=True)
        ),
    ]
    return ("\n".join(lines) + "\n").encode()


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
