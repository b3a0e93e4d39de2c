"""Limits that keep a damaged file from filling the memory; ordinary messages do not reach them."""

LONGEST_CELL = 1 << 24  # characters of a cell
LONG_CELL = f"a cell of more than {LONGEST_CELL:,} characters"
LONGEST_ROW = 1 << 25  # characters of a row of a text file, with line breaks within quotes
MOST_READ_AGAIN = 1 << 28  # characters of rows whose quotes are never closed
MAX_COLUMNS = 16_384  # columns, as in a spreadsheet
MAX_ROWS = 1_048_576  # rows of a sheet
MAX_CELLS = 50_000_000  # cells of a sheet, which is read whole
MAX_TITLES = 20  # rows above the header of a table, such as a title and a date
MAX_UNNAMED = 100  # columns of a sheet to the right of the last name
LARGEST_PART = 1 << 32  # bytes of a part of a spreadsheet, unpacked
# Bytes of a part of a spreadsheet, unpacked, beyond which it may be no better packed than this.
LARGE_PART, BEST_PACKED = 1 << 26, 100
# Steps of SQLite until the rows of a query are counted: half a minute, a hundred million rows.
MAX_STEPS = 10**9
LARGEST_JSON = 1 << 28  # bytes of a JSON file other than JSON Lines, which is read whole
DEEPEST = 100  # nested lists and objects in JSON, and nested elements in XML
CHUNK_CELLS = 1_000_000  # cells of a chunk: files with very many columns are read in fewer rows
# Characters of a chunk: files with very long cells are read in fewer rows.
CHUNK_CHARACTERS = 1 << 20
LONGEST_REJECT = 1 << 20  # characters kept of a rejected row
# Characters kept of all rejected rows; of further ones only line and reason are.
MAX_REJECTED = 1 << 26
