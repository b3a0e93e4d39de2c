"""A moment of the attack with damaged files; ``make fuzz`` runs it for long."""

from tests.fuzz.files import attack


def test_a_damaged_file_is_read_and_adds_up_or_is_refused_in_one_line() -> None:
    counts = attack(20110915, lambda n: n < 250)
    assert counts["files"] == counts["read"] + counts["refused"] == 250
    assert counts["read"] > 60
    assert counts["refused"] > 30
