"""The senders' own names: suggested, confirmed by a person, tied."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.anonymise.entity import Entity, Spelling
from triage.anonymise.keys import make_key
from triage.anonymise.own_names import own_names, own_pseudonyms, suggested
from triage.anonymise.styles import StyleContext
from triage.anonymise.table import EntityTable, Entry
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.vocabulary import IdentifierType

PRE = IdentifierType.PRE
Done = CompletedProcess[str]
Run = Callable[..., Done]


def _spelling(text: str, sender: str = "7") -> Spelling:
    return Spelling(text, PRE, sender)


@pytest.fixture
def context(french: Lexicon) -> StyleContext:
    return StyleContext(french)


MARIE = Entity(PRE, "marie")


def test_a_name_that_signs_two_messages_is_suggested(context: StyleContext) -> None:
    signatures = {_spelling("Marie"): 1, _spelling("mariiie"): 1}
    assert own_names(signatures, signatures, context) == {"7": MARIE}


@pytest.mark.parametrize(
    ("signatures", "spellings"),
    [
        ({"Marie": 1}, {"Marie": 1}),
        ({"Marie": 2, "Karim": 2}, {"Marie": 2, "Karim": 2}),
        ({"Marie": 2}, {"Marie": 4}),
    ],
)
def test_a_name_that_signs_seldom_or_is_said_to_others_is_not_suggested(
    signatures: dict[str, int], spellings: dict[str, int], context: StyleContext
) -> None:
    signing, found = (
        {_spelling(text): n for text, n in one.items()} for one in (signatures, spellings)
    )
    assert own_names(signing, found, context) == {}


def test_a_name_of_two_senders_is_suggested_for_neither(french: Lexicon) -> None:
    signatures = {_spelling("Marie", "7"): 2, _spelling("Marie", "8"): 2}
    assert own_names(signatures, signatures, StyleContext(french)) == {}
    per_sender = StyleContext(french, per_sender=True)
    assert [*own_names(signatures, signatures, per_sender)] == ["7", "8"]


def test_unknown_senders_have_no_names(context: StyleContext) -> None:
    signatures = {_spelling("Marie", ""): 3}
    assert own_names(signatures, signatures, context) == {}


ROWS = (
    Entry("Marie", "marie", PRE, 3, True, "Agathe"),
    Entry("marie", "marie", PRE, 1, True, "agathe"),
    Entry("Karim", "karim", PRE, 1, True, "Fabien"),
)


def _style(spelling: Spelling) -> str:
    return {"Marie": "Agathe", "marie": "agathe", "Karim": "Fabien"}[spelling.text]


def _confirmed(*names_of: str) -> list[Entry]:
    return [
        replace(row, name_of=sender, confirmed=bool(sender))
        for row, sender in zip(ROWS, names_of, strict=True)
    ]


def test_the_first_row_of_a_name_holds_the_suggestion() -> None:
    table = suggested(EntityTable(ROWS), {"7": MARIE})
    assert [(row.name_of, row.confirmed) for row in table.entries] == [
        ("7", False),
        ("", False),
        ("", False),
    ]


def test_a_confirmed_name_gives_its_sender_its_pseudonym() -> None:
    assert own_pseudonyms(_confirmed("7", "7", "8"), _style, {"7", "8", "9"}) == {
        "7": "Agathe",
        "8": "Fabien",
    }


def test_a_suggestion_that_nobody_confirmed_ties_nobody() -> None:
    rows = suggested(EntityTable(ROWS), {"7": MARIE}).entries
    assert own_pseudonyms(rows, _style, {"7"}) == {}


@pytest.mark.parametrize(
    ("replacement", "shown"),
    [
        ("<PRE_5_k3>", {"7": "k3"}),
        ("<PRE_5>", {}),
        ("<PRE_5_4895>", {}),
        ("xxxxx", {}),
    ],
)
def test_codes_are_pseudonyms_and_types_lengths_and_public_numbers_are_not(
    replacement: str, shown: dict[str, str]
) -> None:
    assert own_pseudonyms(_confirmed("7", "", ""), lambda _: replacement, {"7"}) == shown


def test_a_sender_whom_the_file_lacks_is_tied_to_nothing() -> None:
    assert own_pseudonyms(_confirmed("7", "", ""), _style, {"8"}) == {}


@pytest.mark.parametrize(
    ("names_of", "senders", "error"),
    [
        (("7", "", "7"), {"7"}, "two names of one sender"),
        (("7", "8", ""), {"7", "8"}, "one name for two senders"),
        (("7", "", ""), {"7", "agathe"}, "is a sender of the file"),
    ],
)
def test_what_would_make_two_people_one_is_refused(
    names_of: tuple[str, ...], senders: set[str], error: str
) -> None:
    with pytest.raises(TriageError, match=error):
        own_pseudonyms(_confirmed(*names_of), _style, senders)


MESSAGES = (
    ("7", "Coucou c'est Marie, on mange ensemble ?"),
    ("7", "Je suis en retard. Bisous, Marie"),
    ("8", "Tu as vu Marie ce matin ?"),
)


@pytest.fixture
def anonymise(run: Run, tmp_path: Path) -> Callable[..., Done]:
    """Anonymise messages of two senders by a table of entities."""
    source = tmp_path / "sms.triage.csv"
    rows = [f'{i},{who},"{text}",TA' for i, (who, text) in enumerate(MESSAGES, 1)]
    source.write_text("\n".join(["id,sender,text,action", *rows, ""]))
    make_key(tmp_path / "corpus.key")

    def anonymised(style: str, table: str) -> Done:
        options = ("--style", style, "--key", tmp_path / "corpus.key", "--overwrite")
        output = tmp_path / "anon.csv"
        return run("anonymise", source, "-o", output, *options, "--entities", tmp_path / table)

    return anonymised


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _confirm(path: Path) -> None:
    rows = _rows(path)
    for row in rows:
        row["confirmed"] = "oui" if row["name_of"] else ""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize(("style", "written"), [("surrogate", "{}"), ("consistent", "<PRE_5_{}>")])
def test_who_signs_is_tied_to_the_name_once_a_person_has_confirmed_it(
    style: str, written: str, anonymise: Callable[..., Done], tmp_path: Path
) -> None:
    table, output = tmp_path / "who.csv", tmp_path / "anon.csv"
    assert "The column name_of says of 1 name whose own" in anonymise(style, "who.csv").stdout
    [row] = [row for row in _rows(table) if row["name_of"]]
    assert (row["spelling"], row["name_of"], row["confirmed"]) == ("Marie", "7", "")

    assert anonymise(style, "who.csv").returncode == 0
    untied = [row["sender"] for row in _rows(output)]
    assert {*untied} == {"S0001", "S0002"}

    _confirm(table)
    assert anonymise(style, "who.csv").returncode == 0
    first, second, third = _rows(output)
    assert first["sender"] == second["sender"] != untied[0]
    assert written.format(first["sender"]) == row["replacement"]
    assert row["replacement"] in third["text"]
    assert third["sender"] == untied[2]


def test_a_style_without_pseudonyms_ties_nobody_and_says_so(
    anonymise: Callable[..., Done], tmp_path: Path
) -> None:
    anonymise("tag", "who.csv")
    _confirm(tmp_path / "who.csv")
    done = anonymise("tag", "who.csv")
    assert done.returncode == 0
    assert "warning: 1 confirmed name ties nobody" in done.stderr
    assert {row["sender"] for row in _rows(tmp_path / "anon.csv")} == {"S0001", "S0002"}
