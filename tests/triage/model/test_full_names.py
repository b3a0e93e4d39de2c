"""Last names beside first names are identifiers with them."""

import numpy as np
import pytest

from triage.decide.pipeline import shared
from triage.dictionaries import Lexicon, label_messages
from triage.model.find import LastName, ScoredIdentifier, last_names


def found(message: str) -> dict[str, str]:
    ones: list[ScoredIdentifier]
    [ones] = shared("fr").identifiers([message])
    return {message[one.start : one.end]: one.type.value for one in ones}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("lucas poilpray a encore oublié ses clés", {"lucas": "PRE", "poilpray": "NOM"}),
        ("t'as vu Anaïs Vielmon au marché ?", {"Anaïs": "PRE", "Vielmon": "NOM"}),
        ("t'as vu Anaïs Zorbulaine au marché ?", {"Anaïs": "PRE", "Zorbulaine": "NOM"}),
        ("rdv chez camille de la tournelle", {"camille": "PRE", "de la tournelle": "NOM"}),
        ("rdv avec Gisèle Van Roux demain", {"Gisèle": "PRE", "Van Roux": "NOM"}),
        ("c'est Jouhanneau Naomie au téléphone", {"Jouhanneau": "NOM", "Naomie": "PRE"}),
        ("faut que tu voies mme bouyge", {"bouyge": "NOM"}),
        # Common words are no last names, nor is what a sign separates.
        *(
            (message, {"julie": "PRE"})
            for message in (
                *("je dîne avec julie demain", "je dîne avec julie, poilpray demain"),
                *("Bonsoir julie ! ça va ?", "julie stp rappelle moi"),
            )
        ),
        ("laurent mange à 13h", {"laurent": "PRE"}),
    ],
)
def test_a_last_name_is_found_beside_a_first_name_or_a_title(
    message: str, expected: dict[str, str]
) -> None:
    assert found(message) == expected


@pytest.mark.parametrize(
    ("message", "evidence", "is_found"),
    [
        ("prévenir jade gleizes", 0.1, True),
        ("prévenir jade garde", 0.1, False),
        ("prévenir jade Zorbulaine", 0.1, False),
        ("prévenir jade Zorbulaine", 0.5, True),
        ("prévenir jade gleizes", 0.01, False),
    ],
)
def test_beside_a_first_name_in_doubt_only_what_is_no_word_is_a_last_name(
    french: Lexicon, message: str, evidence: float, is_found: bool
) -> None:
    found = last_names(label_messages([message], french), np.array([0.0, evidence, 0.0]))
    assert found == ([LastName(2, 2, 1)] if is_found else [])
