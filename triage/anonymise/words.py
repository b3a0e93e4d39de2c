"""The words of this room: of its errors, its pages and its documents (texts.toml)."""

from pathlib import Path

from triage.reports.page import Texts

from ..errors import refusals

TEXTS = Texts(Path(__file__).with_name("texts.toml"))
refused = refusals(TEXTS.figures("errors"))
