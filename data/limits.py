"""How much a file may hold where it could otherwise fill the memory.

All are far beyond any message: one of a million characters is read like any other.
"""

LONGEST_CELL = 1 << 24
"""Characters of a cell."""

LONGEST_ROW = 1 << 25
"""Characters of a row of a text file, line breaks within quotes counted."""

MOST_COLUMNS = 16_384
"""Columns, as in a spreadsheet."""

MOST_ROWS = 1_048_576
"""Rows of a sheet."""

MOST_CELLS = 50_000_000
"""Cells of a sheet, which is read whole."""

MOST_UNNAMED = 100
"""Columns of a sheet behind the last one that has a name."""

LARGEST_PART = 1 << 32
"""Bytes of a part of a spreadsheet, unpacked."""

DEEPEST = 100
"""Lists and objects within one another in JSON, and elements in a spreadsheet's XML."""

CHUNK_CELLS = 1_000_000
"""Cells that are read at a time: files of very many columns are read in fewer rows."""

LONGEST_REJECT = 1 << 20
"""Characters kept of a row that can't be read."""

MOST_REJECTED = 1 << 26
"""Characters kept of all rows that can't be read; of further ones only line and reason are."""
