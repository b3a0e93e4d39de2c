"""A user's recognisers come from a file, and each mistake in it is one clear line."""

import re
from pathlib import Path

import pytest

from tests.dictionaries.cases import read
from triage.dictionaries import DictionaryError, Kind
from triage.dictionaries.recognisers import Recognisers, chosen, load

CASES = read("recognisers/user")
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "reference" / "recognisers.md"
EXAMPLE = DOCUMENTATION.read_text("utf-8").partition("```toml\n")[2].partition("```")[0]


def file_of(folder: Path, content: str) -> Path:
    path = folder / "ours.toml"
    path.write_text(content, encoding="utf-8")
    return path


def found(folder: Path, content: str, message: str) -> list[str]:
    spans = Recognisers(load(file_of(folder, content))).find(message)
    return [message[span.start : span.end] for span in spans]


@pytest.mark.parametrize(("content", "message", "expected"), CASES["found"])
def test_what_the_form_the_triggers_and_the_check_allow_is_found(
    content: str, message: str, expected: str, tmp_path: Path
) -> None:
    content = {"badge": CASES["badge"], "example": EXAMPLE}.get(content, content)
    assert found(tmp_path, content, message) == ([expected] if expected else [])


def test_one_of_the_same_name_takes_the_place_of_ours(tmp_path: Path) -> None:
    content = "[iban]\ntype = 'IBA'\nregex = 'compte \\d{3}'"
    used = chosen("fr", own=load(file_of(tmp_path, content)))
    assert [one.form.pattern for one in used.all if one.name == "iban"] == ["(?i:compte \\d{3})"]
    assert [span.kind for span in used.find("compte 123")] == [Kind.IBA]


@pytest.mark.parametrize(("content", "says"), CASES["mistakes"])
def test_a_mistake_is_one_line(tmp_path: Path, content: str, says: str) -> None:
    path = file_of(tmp_path, content)
    with pytest.raises(DictionaryError, match=re.escape(says)) as error:
        load(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    with pytest.raises(DictionaryError, match=r"none\.toml cannot be read"):
        load(tmp_path / "none.toml")
