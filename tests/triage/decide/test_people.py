"""Names that are read in cells, and where they count in messages."""

import json
import time
from itertools import product
from pathlib import Path

import pytest

from tests.cases import cases_beside
from triage.decide.find import Judged, find
from triage.decide.names import NameReader
from triage.decide.people import Account, People, read_people
from triage.decide.pipeline import Triage
from triage.decide.record import read_record
from triage.dictionaries import Lexicon
from triage.features.word_evidence import probability
from triage.settings import Ambiguous
from triage.vocabulary import Action

CASES = cases_beside(__file__)
Facts = list[tuple[str, str, str]]


def weighed(message: str, facts: Facts, language: str = "fr") -> list[tuple[str, float]]:
    """Return the words of a message with the probability of each, where somebody is known."""
    triage = Triage.load(language)
    raised = People(facts, triage.lexicon).raised(triage.weighed([message]))
    assert raised.words is not None
    labels, forms = raised.labelled.labels, raised.labelled.words.form.tolist()
    texts = [labels[form].text for form in forms]
    return [*zip(texts, probability(raised.words.log_odds).tolist(), strict=True)]


def named(message: str, facts: Facts, language: str = "fr") -> str:
    words = weighed(message, facts, language)
    return " ".join(text for text, likelihood in words if likelihood >= 0.9)


def highest(message: str, facts: Facts, language: str = "fr") -> float:
    return max(likelihood for _, likelihood in weighed(message, facts, language))


@pytest.mark.parametrize(("cell", "names"), CASES["cells"].items())
def test_a_cell_that_reads_as_a_name_names_somebody(cell: str, names: str, french: Lexicon) -> None:
    found = NameReader(french).read(cell)
    assert ", ".join(f"{type_} {text}" for type_, text in found) == names


@pytest.mark.parametrize(("header", "cells", "names"), CASES["columns_of_any_name"])
def test_name_columns_are_read(header: str, cells: list[str], names: str, french: Lexicon) -> None:
    account = Account(french, ["sms", header], text=0)
    account.add([["Marie Dupont", cell] for cell in cells])
    assert " ".join(one.text for one in account.people.spellings) == names


FACTS = [
    *(("a", "", "Jean Petit"), ("b", "NOM", "Poilvert"), ("c", "NOM", "Dupont-Moretti")),
    *(("d", "NOM", "Kerlouan"), ("e", "NOM", "Le Marchand"), ("f", "", "Manon de La Tour")),
    *(("f", "PRE", "Rose"), ("g", "", "Omar Sy"), ("h", "NOM", "Saint-Martin")),
    ("i", "NOM", "Saint-Prix"),
]
NAMED = [
    *((FACTS, "fr", *case) for case in CASES["a_name_counts_where_it_stands"]),
    *(([("a", "", "Hope van der Berg")], "en", *case) for case in CASES["behind_particles"]),
]


@pytest.mark.parametrize(("facts", "language", "message", "found"), NAMED)
def test_a_name_counts_where_it_stands_and_a_word_where_its_place_reads_as_a_name(
    facts: Facts, language: str, message: str, found: str
) -> None:
    assert named(message, facts, language) == found


TOGETHER = [("fr", "", "Constant Boulanger", *case) for case in CASES["names_that_are_words"]]
MAYBE = [(of, "NOM", *case) for of, *case in CASES["a_word_that_begins_a_sentence"]]


@pytest.mark.parametrize(("language", "type_", "name", "message", "is_read"), TOGETHER + MAYBE)
def test_a_name_that_is_a_word_is_read_by_people_where_it_may_be_one(
    language: str, type_: str, name: str, message: str, is_read: bool
) -> None:
    assert (highest(message, [("a", type_, name)], language) >= 0.5) is is_read


@pytest.mark.parametrize(("message", "sure"), CASES["a_name_counts_where_it_is_glued_or_cut_short"])
def test_a_name_counts_where_it_is_glued_to_a_word_or_cut_short(message: str, sure: str) -> None:
    likelihood = highest(message, [("a", "", "Solveig Petit")])
    assert ("name" if likelihood >= 0.9 else "perhaps" if likelihood >= 0.5 else "") == sure


@pytest.mark.parametrize("message", ["petit.solveig", "solveig/petit", "Solveig Petit"])
def test_a_sign_joins_the_names_of_a_person_as_a_space_does(message: str) -> None:
    triage = Triage.load("fr")
    people = People([("a", "", "Solveig Petit")], triage.lexicon)
    [found] = find(people.raised(triage.weighed([message])), [Judged(Action.TA)], Ambiguous.KEEP)
    texts = {message[i.start : i.end].lower() for i in found.identifiers}
    assert texts == {"solveig", "petit"}


@pytest.mark.parametrize("language", ["fr", "en"])
def test_a_message_with_a_name_of_the_account_is_ta_in_every_language(language: str) -> None:
    triage = Triage.load(language)
    people = People([("a", "PRE", "Zorvane")], triage.lexicon)
    scored = people.raised(triage.weighed(["ok Zorvane", "thanks zorvane !", "its zorvanes place"]))
    assert triage.decide_scored(scored).action == [Action.TA] * 3


@pytest.mark.parametrize(("name", "message", "found"), CASES["the_particles_of_a_surname_are"])
def test_the_particles_of_a_surname_are_found_with_it(name: str, message: str, found: str) -> None:
    triage = Triage.load("fr")
    people = People([("a", "NOM", name)], triage.lexicon)
    scored = people.raised(triage.weighed([message]))
    [one] = find(scored, [Judged(Action.TA)], Ambiguous.MASK)
    assert [message[i.start : i.end] for i in one.identifiers] == [found]
    assert [one.text for one in people.spellings] == [name, name.split()[-1].removeprefix("d'")]


def test_what_has_no_letter_is_no_name_whatever_a_header_calls_it(french: Lexicon) -> None:
    facts = [("p1", "PRE", "..."), ("p1", "NOM", "..."), ("p2", "TEL", "06 12 34 98 71")]
    assert [one.text for one in People(facts, french).spellings] == ["06 12 34 98 71"]


@pytest.mark.parametrize(("content", "rows"), CASES["tables_of_people"])
def test_a_table_of_people_is_read(content: str, rows: list[list[object]], tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(content, encoding="utf-8")
    assert [
        [one.entity, one.type, one.spelling, one.replace, one.replacement]
        for one in read_people(path)
    ] == rows


def test_a_person_is_called_by_each_name_once(french: Lexicon) -> None:
    called = People([("p3", "", "Thibault de La Rochefordière")], french).cells["p3"]
    names = ["Thibault", "de La Rochefordière"]
    assert [text for _, text in called.names] == names


@pytest.mark.timing
def test_names_of_a_person_are_found_as_one_word_however_many_there_are(french: Lexicon) -> None:
    names = map("".join, product("BCDFGLMNPR", "aeiou", "bcdfglmnpr", "aeiou"))
    people = People([("p4", "NOM", name) for name in names], french)
    start = time.process_time()
    assert [people.is_whole_name(cell) for cell in ("BabaRuru", "BabaBaba")] == [True, False]
    assert time.process_time() - start < 1


def test_the_record_of_many_people_is_read_whole(tmp_path: Path) -> None:
    texts = "program language model dictionaries weights features corpus_evidence strict policy"
    record: dict[str, object] = dict.fromkeys(texts.split(), "")
    record |= {"lists": [], "recognisers": [], "find": [], "promise": []}
    people = [["Zoé Kermorgan", "PRE", "Zoé"]] * 50_000
    (tmp_path / "sms.run.json").write_text(json.dumps(record | {"people": people}))
    read = read_record(str(tmp_path / "sms.csv"))
    assert read is not None
    assert read["people"] == people
