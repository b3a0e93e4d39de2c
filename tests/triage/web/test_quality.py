"""Before publishing: a sample tells of the whole corpus; what is left, and what is never shared."""

import json
from dataclasses import replace

import pytest

from tests.cases import cases_beside
from triage.anonymise.check import Certainty, Finding
from triage.anonymise.record import read_record
from triage.reports.measures import fewest_trials
from triage.web import quality
from triage.web.pages import environment, translator
from triage.web.project import Project
from triage.web.publishing import reasons_of, secrets, spellings_of, unlike
from triage.web.quality import Sample, Stratum

CASES = cases_beside(__file__)
ROWS = {Stratum.RELEASED: tuple(range(1, 301)), Stratum.TAGGED: tuple(range(301, 401))}
SIZES = {Stratum.RELEASED: 9000, Stratum.TAGGED: 1000}


def _sample(n_leaks: int, n_right: int) -> Sample:
    """Return a sample that was read to its end."""
    answers = {row: row <= n_leaks for row in range(1, 301)}
    answers |= {row: row <= 300 + n_right for row in range(301, 401)}
    return Sample(0.01, 0, ROWS, SIZES, answers)


def _decide(project: Project, actions: dict[int, str]) -> None:
    """Decide 400 messages, every fourth TA unless it is said otherwise."""
    said = {i: "TA" if i % 4 == 0 else "NTA" for i in range(1, 401)} | actions
    rows = (f"{i},message {i},{action}\n" for i, action in said.items())
    project.final.write_text("id,text,final_action\n" + "".join(rows))


@pytest.fixture
def decided(project: Project) -> Project:
    _decide(project, {})
    return project


def test_the_leak_is_of_all_messages_with_an_identifier() -> None:
    measured = quality.measured(_sample(3, 90))
    # One per cent of 9,000, beside nine tenths of 1,000.
    assert measured["leak"]
    assert measured["leak"][0] == pytest.approx(90 / (90 + 900))
    assert measured["leak"][1] > measured["leak"][0]
    # The three that were found are known.
    assert measured["expected"] == 87
    assert 87 < measured["expected_at_most"] < 9000
    without = quality.measured(_sample(0, 90))
    assert without["at_most"] < 0.01
    assert without["precision"]
    assert without["precision"].low < 0.9 < without["precision"].high
    # A file that was read whole leaves nothing to expect.
    sizes = {Stratum.RELEASED: 300, Stratum.TAGGED: 100}
    whole = quality.measured(replace(_sample(3, 90), sizes=sizes))
    assert (whole["at_most"], whole["expected"], whole["expected_at_most"]) == (0.01, 0, 0)


def test_the_sample_is_drawn_from_what_was_released_and_what_was_tagged(decided: Project) -> None:
    sample = quality.begin(decided, 0.05)
    assert len(sample.rows[Stratum.RELEASED]) == fewest_trials(0.05)
    assert all(row % 4 for row in sample.rows[Stratum.RELEASED])
    assert not any(row % 4 for row in sample.rows[Stratum.TAGGED])
    last = sample.rows[Stratum.TAGGED][-1]
    assert [*quality.rows_of(decided, sample)[-1]] == [f"message {last}", "TA"]
    path = decided.folder / "quality.json"
    assert path.stat().st_mode & 0o077 == 0
    assert "message" not in path.read_text()
    # Answers are kept and can be taken back.
    first, second, *_ = sample.left
    quality.keep(decided, quality.answered(sample, first, True))
    again = quality.read(decided)
    assert again
    assert again.counts(Stratum.RELEASED) == (1, 1)
    assert (again.left[0], list(again.leaks)) == (second, [first])
    taken_back = quality.answered(again, first, None)
    assert (taken_back.left[0], list(taken_back.leaks)) == (first, [])


def _read(project: Project, sample: Sample, n: int) -> Sample:
    for row in sample.left[:n]:
        sample = quality.answered(sample, row, False)
    quality.keep(project, sample)
    return sample


def test_another_sample_draws_what_was_not_read_until_decisions_change(decided: Project) -> None:
    sample = _read(decided, quality.begin(decided, 0.05), 20)
    second = quality.begin(decided, 0.05)
    assert not {*second.left} & {*sample.answers}
    assert quality.measured(second)["read"] == 20
    assert len(second.left) >= fewest_trials(0.05)
    quality.keep(decided, sample)
    assert not quality.is_outdated(decided, sample)
    unread = next(row for row in range(1, 401) if row % 4 and row not in sample.all_rows)
    _decide(decided, {unread: "TA"})
    assert quality.is_outdated(decided, sample)
    # What is said anew is of other messages than those that were read before.
    another = quality.begin(decided, 0.05)
    assert quality.measured(another)["read"] == 0
    assert not {*another.all_rows} & {*sample.answers}


def test_a_record_tells_what_was_read_corrected_and_decided_since(decided: Project) -> None:
    assert quality.recorded(decided) is None
    sample = quality.begin(decided, 0.05)
    assert quality.recorded(decided) is None
    first, second, *_ = sample.left
    for row in (first, second):
        sample = quality.answered(sample, row, True)
    _read(decided, sample, 57)
    _decide(decided, {first: "TA"})
    told = quality.recorded(decided)
    assert told
    read = {"of": 300, "answered": 59, "recognised": 2, "corrected": 1}
    assert told | read == told
    assert (told["is_outdated"], told["left_now"]) == (False, 299)
    unread = next(row for row in range(1, 401) if row % 4 and row not in sample.all_rows)
    _decide(decided, {first: "TA", unread: "TA"})
    assert quality.recorded(decided) == told | {"is_outdated": True, "left_now": 298}


def test_an_article_prints_what_the_sample_told_whatever_came_since(project: Project) -> None:
    project.published.mkdir()
    (project.published / "corpus.record.json").write_text(json.dumps(CASES["record"]))
    values = {"t": translator("en"), "project": project}
    values["record"] = read_record(str(project.published / "corpus.csv"))
    said = environment().get_template("methods.html").render(values)
    assert [one for one in CASES["said"] if one not in said] == []


def test_only_bounds_that_the_messages_can_show_are_offered(project: Project) -> None:
    for n_released, offered in ((300, [0.01, 0.02, 0.05]), (60, [0.05]), (5, [0.05]), (0, [0.05])):
        _decide(project, {i: "NTA" if i <= n_released else "TA" for i in range(1, 401)})
        found = quality.bounds(project)
        assert [bound for bound, _ in found] == offered
        assert all(n <= n_released for _, n in found)
    # Where nothing was left as it is, what was tagged is read all the same.
    sample = _read(project, quality.begin(project, 0.05), 200)
    measured = quality.measured(sample)
    assert (len(sample.all_rows), measured["tagged"], measured["of"]) == (200, 200, 0)


LEFT = Finding(Certainty.LIKELY, "initials of", None, 1, text="Zorgui")


def test_what_must_never_be_shared_is_told_by_what_it_holds(project: Project) -> None:
    of_keys, others = ("corpus.key", "keys.csv"), ("people.csv", "triaged.before.csv")
    for name in (*of_keys, *others, ".x.figure", "log.jsonl"):
        (project.folder / name).touch()
    assert [*secrets(project)] == [
        ("messages", ["original", "triaged.before.csv"]),
        ("keys", ["corpus.key", "keys.csv"]),
        ("names", ["people.csv"]),
    ]


def test_a_context_ends_between_words_and_tells_that_the_message_goes_on() -> None:
    before, behind = "onjour, tu as vu hier au marché ce cher ", " qui allait chez le " * 2
    assert len(before) == len(behind) == 40
    long = replace(LEFT, before=before, behind=behind)
    short = replace(LEFT, before="vu ", behind=" hier")
    [found] = spellings_of([long, short])
    shown = [(one.before, one.behind) for one in found]
    assert shown == [
        ("…tu as vu hier au marché ce cher ", " qui allait chez le  qui allait chez le…"),
        ("vu ", " hier"),
    ]


def test_a_context_of_identical_messages_is_shown_once() -> None:
    places = [replace(LEFT, row=row, before=one) for row, one in enumerate(("vu ", "vu ", ""))]
    assert [one.before for one in unlike(places)] == ["vu ", ""]


def test_ways_of_writing_a_spelling_and_reasons_are_one_to_look_at() -> None:
    written = ("Élodie", "elodie", "ELODIE", "Karim")
    left = [replace(LEFT, text=text) for text in written]
    left.append(replace(left[0], certainty=Certainty.POSSIBLE, reason="beside a name"))
    found = spellings_of(left)
    assert [len(places) for places in found] == [4, 1]
    assert [reasons_of(places) for places in found] == [["INITIALS", "BESIDE"], ["INITIALS"]]
