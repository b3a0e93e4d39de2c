"""Where outputs go when nobody says."""

from pathlib import Path

from triage.data.source import STANDARD_STREAM


def default_output(path: str | Path) -> Path:
    """Return the output's path for an input: beside it, in its format.

    Examples
    --------
    >>> default_output("corpus/sms.csv.gz").as_posix()
    'corpus/sms.triage.csv.gz'
    >>> default_output("-").as_posix()
    '-'
    """
    path = Path(path)
    if str(path) == STANDARD_STREAM:
        return path
    base, extensions = _split(path)
    return path.with_name(f"{base}.triage{extensions}")


def rejects_path(output: str | Path) -> Path:
    """Return the path for the rejects of an output: beside it, always CSV.

    Examples
    --------
    >>> rejects_path("corpus/sms.triage.csv.gz").as_posix()
    'corpus/sms.triage.rejects.csv'
    >>> rejects_path("-").as_posix()
    'rejects.csv'
    """
    output = Path(output)
    if str(output) == STANDARD_STREAM:
        return Path("rejects.csv")
    return output.with_name(f"{_split(output)[0]}.rejects.csv")


def _split(path: Path) -> tuple[str, str]:
    """Return a file's name without its extensions, and these: ``.gz`` comes after another."""
    inner = Path(path.stem) if path.suffix.lower() == ".gz" else path
    return inner.stem, path.name.removeprefix(inner.stem)
