"""Five hundred invented messages with an address each, and messages that only look so."""

import random
import tomllib
from pathlib import Path

from triage.dictionaries.normal import fold
from triage.evaluation.sources import Made, made_message

SEED = 2018
TEMPLATES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def made_messages(n: int = 500, seed: int = SEED) -> list[Made]:
    draw = random.Random(seed)  # noqa: S311
    return [made_message(draw, TEMPLATES, "message") for _ in range(n)]


def tricky_messages() -> list[str]:
    """Messages without an address, as written and in lower case without accents."""
    return [*TEMPLATES["tricky"], *map(fold, TEMPLATES["tricky"])]
