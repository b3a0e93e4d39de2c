"""The words of this room's errors (texts.toml)."""

import tomllib
from pathlib import Path

from ..errors import refusals

_TEXTS = Path(__file__).with_name("texts.toml").read_text(encoding="utf-8")
refused = refusals(tomllib.loads(_TEXTS))
