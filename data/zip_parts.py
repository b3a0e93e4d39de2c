"""Zip archives that come out the same bytes each time."""

import zipfile

_NO_TIME = (1980, 1, 1, 0, 0, 0)
_OWNER_READS = 0o600 << 16


def part(name: str, *, stored: bool = False) -> zipfile.ZipInfo:
    """Return an archive entry without the time of writing, compressed unless `stored`."""
    entry = zipfile.ZipInfo(name, _NO_TIME)
    entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    entry.external_attr = _OWNER_READS
    return entry
