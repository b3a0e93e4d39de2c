"""Messages of the decided file by their rows."""

from ..decide.source import Source
from ..settings import Reading
from .project import written
from .versions import Version


def texts_of(final: Version, reading: Reading, rows: tuple[int, ...]) -> tuple[str, ...]:
    """Return the messages of rows, from 1, in the order of the rows that were asked for."""
    wanted, found = {*rows}, dict[int, str]()
    with Source(str(final.path), written(reading)).open() as file:
        texts = (text for chunk in file.chunks() for text in chunk.texts)
        found = {row: text for row, text in enumerate(texts, 1) if row in wanted}
    return tuple(found[row] for row in rows)
