"""Mining a corpus for spellings of identifiers that nothing has found (Reffay et al., 2012)."""
