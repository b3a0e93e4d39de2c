"""The command line: ``triage``."""
