"""The words of errors stand in one table, and none is left over."""

import re
from pathlib import Path

from triage.anonymise.words import TEXTS, refused


def test_each_error_of_the_table_is_raised_and_none_is_left_over() -> None:
    room = Path("triage/anonymise").glob("*.py")
    raised = re.findall(r'refused\(f?"([^"]+)"', "".join(path.read_text() for path in room))
    names = [re.escape(name).replace(r"\{", "{").replace(r"\}", "}") for name in raised]
    patterns = [re.compile(re.sub("{[^}]*}", "[a-z]+", name)) for name in names]
    errors = TEXTS.figures("errors")
    assert all(any(one.fullmatch(error) for error in errors) for one in patterns)
    assert [e for e in errors if not any(one.fullmatch(e) for one in patterns)] == []


def test_the_part_before_a_point_is_the_key_of_pages() -> None:
    error = refused("not_a_date.row", file="sms.csv", line=3, column="date")
    assert (error.key, error.values["line"]) == ("not_a_date", "3")
    assert refused("one_code").key == ""
