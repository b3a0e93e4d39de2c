"""The golden record: what the commands and the pages give, kept as a hash of each result."""
