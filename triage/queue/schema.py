"""The file of a queue: its tables, its version, and opening it.

One SQLite file holds all. What people decided (`decisions`, `answers`) is only ever appended, and
triggers see to it; what follows from that (`standing`, and an item's state) is kept beside it so
that each step is quick, and can be computed again (`triage.queue.settle.resettle`).
"""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib.resources import files
from pathlib import Path

from ..errors import TriageError

VERSION = 1
# Marks the file as ours: "SMSq".
_APPLICATION = 0x534D5371
_OWNER_ONLY = 0o600
# Another process may be writing thousands of messages.
_PATIENCE = 30.0
# How a file system says that it knows no hard links.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}

_WORDS_OF_FORM = "CREATE INDEX words_of_form ON words (form)"


def create(path: Path) -> sqlite3.Connection:
    """Make the file of a queue, which only its owner may read.

    Raises
    ------
    TriageError
        If there is such a file already, or it cannot be made.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY))
    except FileExistsError:
        raise _already_there(path) from None
    except OSError as error:
        raise TriageError(f"cannot write {path}: {error.strerror}") from None
    connection = _connect(path)
    tables = files(__package__) / "schema.sql"
    connection.executescript(tables.read_text(encoding="utf-8"))
    connection.execute(_WORDS_OF_FORM)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    return connection


def connect(path: Path) -> sqlite3.Connection:
    """Open the file of a queue.

    Returns
    -------
    sqlite3.Connection
        In autocommit mode: what writes begins a transaction itself.

    Raises
    ------
    TriageError
        If it is missing, cannot be read, is no queue or one of a newer version.
    """
    if not path.is_file():
        raise TriageError(f"there is no queue {path}: make one with triage queue create")
    if not os.access(path, os.R_OK | os.W_OK):
        raise TriageError(f"{path} cannot be read and written: mend its permissions")
    try:
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as looked_at:
            application = looked_at.execute("PRAGMA application_id").fetchone()[0]
            version = looked_at.execute("PRAGMA user_version").fetchone()[0]
        if application != _APPLICATION:
            raise TriageError(f"{path} is no queue: make one with triage queue create")
        if version != VERSION:
            raise TriageError(
                f"{path} was made by another version of this program (its tables are of version "
                f"{version}, these of {VERSION}): open it with that one"
            )
        return _connect(path)
    except sqlite3.DatabaseError as error:
        raise TriageError(f"{path} cannot be read as a queue: {error}") from None


def _connect(path: Path) -> sqlite3.Connection:
    # Whoever holds the connection sees to it that one thread uses it at a time.
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    # A decision that was acknowledged outlives a power cut, too.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cache_size = -64000")
    return connection


@contextmanager
def trouble(path: Path) -> Iterator[None]:
    """Tell of trouble with the file itself, such as damage or a full disk, in one line.

    Parameters
    ----------
    path : Path
        How the error calls the file.

    Raises
    ------
    TriageError
        If the file cannot be read or written.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) not in (sqlite3.DatabaseError, sqlite3.OperationalError):
            raise
        raise TriageError(f"{path} cannot be read or written: {error}") from None


@contextmanager
def writing_fast(connection: sqlite3.Connection) -> Iterator[None]:
    """Write without care for a power cut: into a file that has not got its name yet."""
    connection.execute("PRAGMA journal_mode = MEMORY")
    connection.execute("PRAGMA synchronous = OFF")
    # Kept up to date word by word, an index takes as long as all the rest.
    connection.execute("DROP INDEX words_of_form")
    yield
    connection.execute(_WORDS_OF_FORM)


def publish(finished: Path, path: Path) -> None:
    """Give a finished file its name, on the disk; never in the place of another file.

    Parameters
    ----------
    finished : Path
        Closed, and in the folder of `path`. Its present name may stay.

    Raises
    ------
    TriageError
        If there is a file of that name by now, or it cannot be given.
    """
    try:
        with finished.open("rb") as file:
            os.fsync(file.fileno())
        try:
            os.link(finished, path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            # No other creation takes a name that an empty file holds.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY))
            finished.replace(path)
    except FileExistsError:
        raise _already_there(path) from None
    except OSError as error:
        raise TriageError(f"cannot write {path}: {error.strerror}") from None


def check_free(path: Path) -> None:
    """Check that a queue can get a name.

    Raises
    ------
    TriageError
        If there is a file of that name, or the log of a queue that had it: SQLite would read
        the decisions in it into the new one.
    """
    if path.exists():
        raise _already_there(path)
    log = Path(f"{path}-wal")
    if log.exists():
        raise TriageError(
            f"{log} is left of another queue of this name, and may hold its last decisions: move "
            "it away, or choose another name"
        )


def _already_there(path: Path) -> TriageError:
    return TriageError(
        f"{path} is there already: choose another name, or add to it with triage queue add"
    )


def remove(path: Path) -> None:
    """Remove the file of a queue and what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{path}{suffix}").unlink()
