"""Attacks: files that are damaged by seeded chance, and messages that Hypothesis draws.

``make fuzz`` runs them for long; the tests beside them, for a moment.
"""
