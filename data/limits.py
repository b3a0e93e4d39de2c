"""Limits that keep a damaged or hostile file from filling the memory, far beyond any message."""

LONGEST_CELL = 1 << 24
"""Characters of a cell."""

LONGEST_ROW = 1 << 25
"""Characters of a row of a text file, with line breaks within quotes."""

MOST_COLUMNS = 16_384
"""Columns, as in a spreadsheet."""

MOST_ROWS = 1_048_576
"""Rows of a sheet."""

MOST_CELLS = 50_000_000
"""Cells of a sheet, which is read whole."""

MOST_TITLES = 20
"""Rows above the header of a table, such as a title and a date."""

MOST_UNNAMED = 100
"""Columns of a sheet to the right of the last name."""

LARGEST_PART = 1 << 32
"""Bytes of a part of a spreadsheet, unpacked."""

LARGE_PART, BEST_PACKED = 1 << 26, 100
"""Bytes of a part of a spreadsheet, unpacked, beyond which it may be no better packed than this."""

MOST_STEPS = 10**9
"""Steps of SQLite until the rows of a query are counted: half a minute, a hundred million rows."""

LARGEST_JSON = 1 << 28
"""Bytes of a JSON file other than JSON Lines, which is read whole."""

DEEPEST = 100
"""Nested lists and objects in JSON, and nested elements in XML."""

CHUNK_CELLS = 1_000_000
"""Cells of a chunk: files with very many columns are read in fewer rows."""

CHUNK_CHARACTERS = 1 << 20
"""Characters of a chunk: files with very long cells are read in fewer rows."""

LONGEST_REJECT = 1 << 20
"""Characters kept of a rejected row."""

MOST_REJECTED = 1 << 26
"""Characters kept of all rejected rows; of further ones only line and reason are."""
