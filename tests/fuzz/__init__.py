"""Attacks with seeded chance: what comes of them is the same for the same seed and version.

``python -m tests.fuzz --seconds 600`` runs them for long; the tests beside them, for a moment.
"""
