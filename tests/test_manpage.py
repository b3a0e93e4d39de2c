"""The manual page is that of the commands, and man can show it."""

import shutil
import subprocess

import pytest

from tests.manpage import PAGE, _escaped, page


def test_the_page_says_what_the_help_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make man"


def test_no_character_of_the_help_is_taken_for_a_request() -> None:
    assert _escaped(".toml or \\b") == "\\&.toml or \\eb"
    assert _escaped("--names") == "\\-\\-names"
    requests = {line.split()[0] for line in page().splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".nf", ".fi", ".RS", ".RE"}


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_it_is_shown_without_complaint() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Kutf8", "-Tutf8", "-ww", PAGE],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "queue status" in done.stdout
