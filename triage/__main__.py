"""Run the command line: ``python -m triage``."""

from triage.cli import run

if __name__ == "__main__":
    run()
