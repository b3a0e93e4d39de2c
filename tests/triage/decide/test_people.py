"""Names that are read in cells, and where they count in messages."""

from pathlib import Path

import numpy as np
import pytest

from triage.decide.find import Judged, find
from triage.decide.people import NameReader, People, read_people
from triage.decide.pipeline import Triage
from triage.dictionaries import Lexicon
from triage.features.word_evidence import probability
from triage.settings import Ambiguous
from triage.vocabulary import Action

CELLS = {
    "Marie Dupont": "PRE Marie, NOM Dupont",
    "DUPONT Marie": "NOM DUPONT, PRE Marie",
    "Dupont, Marie": "NOM Dupont, PRE Marie",
    "Jean-Pierre de la Tour": "PRE Jean-Pierre, NOM de la Tour",
    "Le Goff Marie": "NOM Le Goff, PRE Marie",
    "VAN DEN BERG Marie": "NOM VAN DEN BERG, PRE Marie",
    "De La Cruz, Marie": "NOM De La Cruz, PRE Marie",
    "El Amrani": "NOM El Amrani",
    "Jean Paul Petit": "PRE Jean, PRE Paul, NOM Petit",
    "Mme Petit": "NOM Petit",
    "A. Martin": "NOM Martin",
    "Marie D. ❤": "PRE Marie",
    "Jean d’Ornano": "PRE Jean, NOM d’Ornano",
    "solveig kerbrat": "PRE solveig, NOM kerbrat",
    "solveig.kerbrat@exemple.fr": "MEL solveig.kerbrat@exemple.fr, PRE Solveig, NOM Kerbrat",
    "+33 6 39 98 12 34": "TEL +33 6 39 98 12 34",
    "kevdu34": "PSD kevdu34",
    **dict.fromkeys(("S12", "user12", "12", "2011-09-17", "Papa", "Service Client", "Petit"), ""),
}


@pytest.mark.parametrize(("cell", "names"), CELLS.items())
def test_a_cell_names_somebody_where_it_reads_as_a_name(
    cell: str, names: str, french: Lexicon
) -> None:
    found = NameReader(french).read(cell)
    assert ", ".join(f"{type_} {text}" for type_, text in found) == names


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("tu as vu poilvert hier", "poilvert"),
        ("un petit café", ""),
        ("il est petit", ""),
        ("jean petit est la", "jean petit"),
        ("c'est mme petit qui vient", "petit"),
        ("on voit J. demain", "J"),
        ("c'est le jour J. Enfin", ""),
        ("bisous\nJ", "J"),
        ("Moretti arrive", "Moretti"),
        ("Kerlouan t'es ou ??", "Kerlouan"),
        ("on est a kerlouan", ""),
        ("Le Marchand est la", "Marchand"),
        ("le marchand est la", ""),
    ],
)
def test_a_name_counts_where_it_stands_and_a_word_where_its_place_reads_as_a_name(
    message: str, found: str
) -> None:
    triage = Triage.load("fr")
    facts = [
        *(("a", "", "Jean Petit"), ("b", "NOM", "Poilvert"), ("c", "NOM", "Dupont-Moretti")),
        *(("d", "NOM", "Kerlouan"), ("e", "NOM", "Le Marchand")),
    ]
    scored = triage.weighed([message])
    raised = People(facts, triage.lexicon).raised(scored)
    assert raised.words is not None
    named = raised.labelled.words.form[probability(raised.words.log_odds) >= 0.9].tolist()
    assert " ".join(raised.labelled.labels[form].text for form in named) == found


@pytest.mark.parametrize(
    ("language", "name", "message", "is_read"),
    [
        ("fr", "Petit", "Petit m'a dit ca", True),
        ("fr", "Petit", "Petit, tu viens ?", True),
        ("fr", "Petit", "Petit pourra venir", True),
        ("fr", "Petit", "Petit ?", True),
        ("fr", "Petit", "Petit dej demain ?", False),
        ("fr", "Renard", "Renard sans gene", True),
        ("fr", "Renard", "un renard sans gene", False),
        ("fr", "Rennes", "avec rennes hier", True),
        ("fr", "Petit", "Hier Petit dormait", True),
        ("en", "Will", "Will told me so", True),
        ("en", "Will", "Will they come", False),
        ("en", "Rose", "hi Rose come in", True),
    ],
)
def test_a_word_that_begins_a_sentence_is_read_by_people_where_it_may_be_a_name(
    language: str, name: str, message: str, is_read: bool
) -> None:
    triage = Triage.load(language)
    scored = triage.weighed([message])
    raised = People([("a", "NOM", name)], triage.lexicon).raised(scored)
    assert raised.words is not None
    assert (probability(raised.words.log_odds).max() >= 0.5) is np.bool_(is_read)


@pytest.mark.parametrize(
    ("name", "message", "found"),
    [
        ("Le Goff", "Le Goff t'es la", "Le Goff"),
        ("Le Goff", "chez goff ce soir", "goff"),
        ("De La Cruz", "vu de la Cruz hier", "de la Cruz"),
        ("De La Cruz", "La Cruz arrive", "La Cruz"),
        ("Van den Berg", "c van den berg", "van den berg"),
        ("El Amrani", "El Amrani dort", "El Amrani"),
        ("d'Anna", "t'as vu d’Anna", "d’Anna"),
        ("Le Petit", "vu Le Petit hier", "Le Petit"),
    ],
)
def test_the_particles_of_a_surname_are_found_with_it(name: str, message: str, found: str) -> None:
    triage = Triage.load("fr")
    people = People([("a", "NOM", name)], triage.lexicon)
    scored = people.raised(triage.weighed([message]))
    [one] = find(scored, [Judged(Action.TA)], Ambiguous.MASK)
    assert [message[i.start : i.end] for i in one.identifiers] == [found]
    assert [one.text for one in people.spellings()] == [name, name.split()[-1].removeprefix("d'")]


def test_a_row_has_several_spellings_the_first_of_which_names_the_entity(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("entity,type,spellings\n,NOM,Paris; P\\;1\n", encoding="utf-8")
    found = [(one.entity, one.spelling) for one in read_people(path)]
    assert found == [("Paris", "Paris"), ("Paris", "P;1")]
