"""What a sample that a person reads says of the whole corpus."""

import pytest

from triage.errors import TriageError
from triage.web import quality
from triage.web.project import Project
from triage.web.quality import Sample, Stratum

ROWS = {Stratum.RELEASED: tuple(range(1, 301)), Stratum.TAGGED: tuple(range(301, 401))}
SIZES = {Stratum.RELEASED: 9000, Stratum.TAGGED: 1000}


def _sample(n_leaks: int, n_right: int) -> Sample:
    """Return a sample that was read to its end."""
    answers = {row: row <= n_leaks for row in range(1, 301)}
    answers |= {row: row <= 300 + n_right for row in range(301, 401)}
    return Sample(0.01, ROWS, SIZES, answers)


@pytest.fixture
def decided(project: Project) -> Project:
    """A project of which 400 messages were decided."""
    rows = (f"{i},message {i},{'TA' if i % 4 == 0 else 'NTA'}\n" for i in range(1, 401))
    project.final.write_text("id,text,final_action\n" + "".join(rows))
    return project


def test_a_sample_without_a_leak_excludes_the_bound() -> None:
    measured = quality.measured(_sample(0, 90))
    assert (measured.found, measured.read, measured.of, measured.leak) == (0, 300, 9000, 0)
    assert measured.share_at_most < 0.01
    assert measured.precision
    low, high = measured.precision
    assert low < 0.9 < high


def test_the_leak_is_of_all_messages_with_an_identifier() -> None:
    measured = quality.measured(_sample(3, 90))
    # One per cent of 9,000, beside nine tenths of 1,000.
    assert measured.leak == pytest.approx(90 / (90 + 900))
    assert (measured.leak_at_most or 0) > (measured.leak or 0)
    assert measured.left_in == 90
    assert 90 < measured.left_in_at_most < 9000
    assert _sample(3, 90).left == 0


def test_the_sample_is_drawn_from_what_was_released_and_what_was_tagged(decided: Project) -> None:
    sample = quality.begin(decided, 0.05)
    assert len(sample.rows[Stratum.RELEASED]) == quality.size_for(0.05)
    assert all(row % 4 for row in sample.rows[Stratum.RELEASED])
    assert not any(row % 4 for row in sample.rows[Stratum.TAGGED])
    last = sample.rows[Stratum.TAGGED][-1]
    assert quality.text_of(decided, sample, last) == f"message {last}"
    path = decided.folder / "quality.json"
    assert path.stat().st_mode & 0o077 == 0
    assert "message" not in path.read_text()


def test_answers_are_kept_and_can_be_taken_back(decided: Project) -> None:
    sample = quality.begin(decided, 0.05)
    first = sample.rows[Stratum.RELEASED][0]
    assert sample.next == (Stratum.RELEASED, first)
    quality.keep(decided, quality.answered(sample, first, True))
    again = quality.read(decided)
    assert again
    assert again.counts(Stratum.RELEASED) == (1, 1)
    assert again.next != sample.next
    assert quality.answered(again, first, None).next == sample.next
    with pytest.raises(TriageError, match="in the sample"):
        quality.answered(sample, 9999, True)


def test_without_decisions_there_is_nothing_to_draw_from(project: Project) -> None:
    with pytest.raises(TriageError, match="not written yet"):
        quality.begin(project, 0.01)


def test_a_sample_of_decisions_that_have_changed_is_outdated(decided: Project) -> None:
    sample = quality.begin(decided, 0.05)
    assert not quality.is_outdated(decided, sample)
    decided.final.write_text("id,text,final_action\n1,message 1,TA\n")
    assert quality.is_outdated(decided, sample)
