"""Standard streams that are closed, as by ``triage … >&-``."""

import os
import sys
from contextlib import suppress

# Opened the wrong way round, so that an error tells who uses what is closed; only what nobody can
# be told, the errors themselves, is dropped.
_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))


def replace_closed() -> None:
    """Put stand-ins in the place of standard streams that are closed.

    A file that is opened later would otherwise get the number of a closed stream, and what is
    printed would go into it.
    """
    for number, (name, mode, way) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            handle = _opened_as(number, os.open(os.devnull, way))
            stream = open(handle, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _opened_as(number: int, handle: int) -> int:
    """Return the number of an open file, which is the one wanted if nothing else has that."""
    with suppress(OSError):
        os.fstat(number)
        return handle
    os.dup2(handle, number)
    os.close(handle)
    return number
