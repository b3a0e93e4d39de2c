"""What is wrong with the rows of a file, said in one line for all of them."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import TriageError

_SHOWN = 5


class Faults:
    """Gathers the rows of a file that cannot be read.

    Parameters
    ----------
    name : str
        How errors call the file.

    Examples
    --------
    >>> faults = Faults("tasks.json")
    >>> with faults.of("task 7"):
    ...     raise TriageError("the text is missing")
    >>> faults.check()
    Traceback (most recent call last):
    triage.errors.TriageError: tasks.json, task 7: the text is missing; mend or remove this row
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: list[tuple[str, str]] = []

    @contextmanager
    def of(self, where: str) -> Iterator[None]:
        """Take what is wrong with a row, so that the next one can be read."""
        try:
            yield
        except TriageError as error:
            self.add(where, str(error))

    def add(self, where: str, reason: str) -> None:
        """Note what is wrong with a row."""
        self._found.append((where, reason))

    def check(self) -> None:
        """Check that no row is wrong.

        Raises
        ------
        TriageError
            If one is: what is wrong with the first, and which others there are.
        """
        if not self._found:
            return
        where, reason = self._found[0]
        rows = [row for row, _ in self._found]
        more = ", …" if len(rows) > _SHOWN else ""
        remedy = "mend or remove this row"
        if len(rows) > 1:
            listed = ", ".join(rows[:_SHOWN]) + more
            remedy = f"{len(rows)} rows are wrong, mend or remove them: {listed}"
        raise TriageError(f"{self._name}, {where}: {reason}; {remedy}")
