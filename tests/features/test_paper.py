"""The twelve features of the paper (section 4, Table 5), each by a message made for it."""

import pytest

from triage.dictionaries import Labeller, Lexicon, Role, WordList, label_messages
from triage.errors import TriageError
from triage.features import feature_set
from triage.features.paper import NAMES, patel2013, per_character


@pytest.fixture(scope="module")
def labeller(french: Lexicon) -> Labeller:
    return Labeller(french)


def of(message: str, labeller: Labeller) -> dict[str, float]:
    (values,) = patel2013(labeller.label([message]))
    return dict(zip(NAMES, values.tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "message", "count"),
    [
        ("UpperCase", "Coucou Élodie, tu viens chez MARC ou pas XD ?", 3),
        ("UpperCase", "coucou eLODIE :D", 0),
        ("SMSLength", "Ça va ? 😂", 9),
        ("FirstName", "Coucou Patrice, je vois Lola et patrice", 3),
        ("FirstName", "rose et pierre", 2),  # ambiguous names too
        ("FirstName", "une bise à Isa", 1),  # short forms too
        ("FirstName", "nicoooolllaassss", 1),  # what a rule reads as a name too
        ("FirstName", "je mange un crayon", 0),
        ("Countries", "on va en Espagne puis en italie", 2),
        ("Countries", "on va à Madrid", 0),
        ("Cities", "de Montpellier à Londres", 2),
        ("Cities", "on va en Espagne", 0),
        ("WordLength", "je mange :) 18h30 !!", (2 + 5) / 2),
        *(("WordLength", message, 0) for message in ("!", "😂", "18h30", "<PRE_7>")),
        ("Numbers", "rdv 18h30 au 12, j'ai 2,50€, tel 06 39 98 12 34", 4),
        ("Numbers", "on est 2m1 a 2", 1),
        ("Elongations", "saluuuut Lolaaa, troooop bieeeen", 4),
        ("Elongations", "Créée, coooOol, ÉÉÉ", 2),
        ("Elongations", "ah créer mmmh brrr :))) ...", 0),
        ("Abbreviations", "slt tkt bcp", 3),
        ("Abbreviations", "quand mangeons-nous", 0),
        ("Punctuation", "Quoi ?! Non... (si)", 5),
        ("Punctuation", "ok :) ^^ 😂 18h30", 0),
        ("LEFFF", "je mange un crayon", 4),
        ("LEFFF", "zorvan kelyana", 0),
        ("Pronouns", "je te le dis, c'est toi", 5),
        ("Pronouns", "crayon vert", 0),
    ],
)
def test_a_feature_counts_what_its_name_says(
    name: str, message: str, count: float, labeller: Labeller
) -> None:
    assert of(message, labeller)[name] == count


def test_a_pack_may_lack_lists() -> None:
    lexicon = Lexicon([WordList("mine", Role.DICTIONARY, ("zoé",))])
    (values,) = patel2013(label_messages(["Zoé en Espagne"], lexicon))
    counts = dict(zip(NAMES, values, strict=True))
    assert (counts["FirstName"], counts["Countries"], counts["UpperCase"]) == (0, 0, 2)


def test_per_character_divides_counts_by_the_length(labeller: Labeller) -> None:
    labelled = labeller.label(["Coucou Patrice, ça va ?", ""])
    values, normalised = patel2013(labelled), per_character(labelled)
    for name, count, share in zip(NAMES, values[0], normalised[0], strict=True):
        assert share == (count if name in ("SMSLength", "WordLength") else count / 23)
    assert normalised[1].tolist() == [0.0] * 12


def test_an_unknown_set_is_refused_with_those_there_are() -> None:
    known = "evidence, patel2013, patel2013-normalised"
    with pytest.raises(TriageError, match=f"no feature set is called 'patel'; there are: {known}"):
        feature_set("patel")
