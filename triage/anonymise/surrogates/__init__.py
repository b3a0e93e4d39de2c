"""Invented identifiers: what stands for a name, a place, a number, an address."""
