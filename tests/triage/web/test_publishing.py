"""What a project may share, what never, and where something is left."""

from triage.web.project import Project
from triage.web.publishing import secrets, spellings_of


def test_what_must_never_be_shared_is_told_by_what_it_holds(project: Project) -> None:
    for name in ("corpus.key", "keys.csv", "people.csv", ".actions.figure", "log.jsonl"):
        (project.folder / name).touch()
    assert [*secrets(project)] == [
        ("messages", ["original"]),
        ("keys", ["corpus.key", "keys.csv"]),
        ("names", ["people.csv"]),
    ]


def test_a_context_ends_between_words_and_tells_that_the_message_goes_on() -> None:
    left = {"certainty": "likely", "reason": "initials of", "text": "Zorgui"}
    long = {
        "before": "onjour, tu as vu hier au marché ce cher ",
        "behind": " qui allait chez le " * 2,
    }
    short = {"before": "vu ", "behind": " hier"}
    assert [len(text) for text in long.values()] == [40, 40]
    [found] = spellings_of([left | long, left | short])
    shown = [(one["before"], one["behind"]) for one in found["places"]]
    assert shown == [
        ("…tu as vu hier au marché ce cher ", " qui allait chez le  qui allait chez le…"),
        ("vu ", " hier"),
    ]
