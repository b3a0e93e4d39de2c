"""Publishing from a project: what it shares, what never, and where something is left."""

from dataclasses import replace

from triage.anonymise.check import Certainty, Finding
from triage.web.project import Project
from triage.web.publishing import reasons_of, secrets, spellings_of, unlike


def test_what_must_never_be_shared_is_told_by_what_it_holds(project: Project) -> None:
    for name in (
        "corpus.key",
        "keys.csv",
        "people.csv",
        "triaged.before.csv",
        ".x.figure",
        "log.jsonl",
    ):
        (project.folder / name).touch()
    assert [*secrets(project)] == [
        ("messages", ["original", "triaged.before.csv"]),
        ("keys", ["corpus.key", "keys.csv"]),
        ("names", ["people.csv"]),
    ]


def test_a_context_ends_between_words_and_tells_that_the_message_goes_on() -> None:
    left = Finding(Certainty.LIKELY, "initials of", None, 1, text="Zorgui")
    before, behind = "onjour, tu as vu hier au marché ce cher ", " qui allait chez le " * 2
    assert len(before) == len(behind) == 40
    long, short = (
        replace(left, before=a, behind=b) for a, b in ((before, behind), ("vu ", " hier"))
    )
    [found] = spellings_of([long, short])
    shown = [(one.before, one.behind) for one in found]
    assert shown == [
        ("…tu as vu hier au marché ce cher ", " qui allait chez le  qui allait chez le…"),
        ("vu ", " hier"),
    ]


def test_a_context_of_identical_messages_is_shown_once() -> None:
    left = Finding(Certainty.LIKELY, "initials of", None, 1, text="Zorgui")
    places = [
        replace(left, row=row, before=before) for row, before in enumerate(("vu ", "vu ", ""))
    ]
    assert [one.before for one in unlike(places)] == ["vu ", ""]


def test_ways_of_writing_a_spelling_and_reasons_are_one_to_look_at() -> None:
    written = ("Élodie", "elodie", "ELODIE", "Karim")
    left = [Finding(Certainty.LIKELY, "initials of", None, 1, text=text) for text in written]
    left.append(replace(left[0], certainty=Certainty.POSSIBLE, reason="beside a name"))
    found = spellings_of(left)
    assert [len(places) for places in found] == [4, 1]
    assert [reasons_of(places) for places in found] == [["INITIALS", "BESIDE"], ["INITIALS"]]
