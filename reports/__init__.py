"""Reports: measures from plain arrays, and how they are shown to people."""
