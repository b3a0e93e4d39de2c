"""Anonymise a triaged corpus: find its identifiers, replace them, and check the result."""
