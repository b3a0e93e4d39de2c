"""The identifiers of messages, as Python asks for them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from triage import Triage
from triage.anonymise.restore import read_key_table

MESSAGES = [
    "Coucou Patrice, appelle moi au 06 39 98 12 34",
    "j'arrive dans 5 minutes",
    "on mange chez Nico ce soir ?",
    "",
    "je suis au 12 rue des Lilas a Nantes",
]


def test_a_name_has_its_evidence_and_a_telephone_number_a_score_of_one(shipped: Triage) -> None:
    [[name, telephone]] = shipped.identifiers(MESSAGES[:1])
    assert (name.type, name.rule) == ("PRE", "evidence")
    assert 0.3 <= name.score < 1
    assert (telephone.type, telephone.rule, telephone.score) == ("TEL", "pattern", 1.0)


@pytest.mark.parametrize(
    ("message", "types"),
    [
        ("j'ai rendez-vous avec Mme Besnault demain", ["NOM"]),
        ("on mange chez Besnault demain", ["PRE"]),
        ("je vois le docteur Lefebvre à 17h", ["NOM"]),
        ("c'est madame Nathalie qui a les clés", ["PRE"]),
    ],
)
def test_behind_a_title_stands_a_last_name(message: str, types: list[str], shipped: Triage) -> None:
    [found] = shipped.identifiers([message])
    assert [one.type for one in found] == types


@pytest.mark.parametrize(
    "message", ["t'as vu le film avec Omar Sy ?", "on se voit rue St Antoine", "joyeux noël !"]
)
def test_public_names_are_left(message: str, shipped: Triage) -> None:
    assert shipped.identifiers([message]) == [[]]


def test_each_message_has_a_list_of_its_own(shipped: Triage) -> None:
    found = shipped.identifiers(MESSAGES)
    written = [
        [text[one.start : one.end] for one in of_message]
        for text, of_message in zip(MESSAGES, found, strict=True)
    ]
    assert written[1] == written[3] == []
    assert written[0] == ["Patrice", "06 39 98 12 34"]
    assert written[2] == ["Nico"]
    assert "12 rue des Lilas" in written[4][0]


def test_they_are_what_anonymise_replaces(
    shipped: Triage,
    run: Callable[..., object],
    csv_of: Callable[..., Path],
    tmp_path: Path,
) -> None:
    run("classify", csv_of(*MESSAGES), "-o", tmp_path / "out.csv")
    table = tmp_path / "keys.csv"
    options = ["--ambiguous", "mask", "--hold", "none", "--key-table"]
    run("anonymise", tmp_path / "out.csv", "-o", tmp_path / "anon.csv", *options, table)
    replaced = [(row["identifier"], row["type"]) for row in read_key_table(str(table))]
    found = shipped.identifiers(MESSAGES, corpus_evidence=True)
    assert [
        (text[one.start : one.end], one.type.value)
        for text, of_message in zip(MESSAGES, found, strict=True)
        for one in of_message
    ] == replaced


def test_evidence_of_the_corpus_may_be_used(shipped: Triage) -> None:
    messages = ["vois avec Namrata", "Namrata arrive", "chez Namrata ce soir"]
    alone = shipped.identifiers(messages)
    together = shipped.identifiers(messages, ["ana", "bob", "ana"], corpus_evidence=True)
    assert together[0][0].score != alone[0][0].score
