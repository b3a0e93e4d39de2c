"""Where a message is signed."""

import time

import pytest

from triage.anonymise.signatures import signed
from triage.decide.precedence import Identifier, Rule
from triage.dictionaries.pack import load_pack
from triage.vocabulary import IdentifierType

FRENCH_PACK = load_pack("fr")

PRE, TEL = IdentifierType.PRE, IdentifierType.TEL


def _is_signed(text: str, name: str = "Marie") -> bool:
    at = text.index(name)
    found = [Identifier(at, at + len(name), PRE, Rule.EVIDENCE)]
    return [*signed(text, found, FRENCH_PACK)] == found


@pytest.mark.parametrize(
    "text",
    [
        "Coucou c'est Marie, t'es dispo demain ?",
        "slt cé pa grave. c est Marie :)",
        "Salut Karim, c’est Marie de la fac",
        "Bonjour, moi c'est Marie.",
        "Bonjour, je m'appelle Marie et je cherche un studio",
        "Bonsoir, ici Marie, j'ai un souci",
        "Marie à l'appareil, tu peux rappeler ?",
        "on se voit demain alors\nMarie",
        "Je serai en retard.\n\n- Marie !",
        "je pars demain matin. Bisous, Marie",
        "Merci pour tout ! Gros bisous à tous. Marie :)",
        "Dossier envoyé. Cordialement, Marie",
        "Bonne soirée - Marie",
        "ok pour 8h. A plus ! Marie",
        "jte rappelle bizzz... Marie <3",
        "À très bientôt. Marie",
    ],
)
def test_it_is_signed(text: str) -> None:
    assert _is_signed(text)


@pytest.mark.parametrize(
    "text",
    [
        "Coucou Marie, ça va ?",
        "Bisous Marie",
        "merci Marie",
        "c'est Marie qui a le double des clés",
        "ah bon c'est Marie ?",
        "elle m'a dit que c'est Marie",
        "tu viens avec Marie",
        "bisous, Marie t'attend",
        "bonne journée, Marie ?",
        "il est chez elle, Marie",
        "Marie",
        "Marie\ntu dors ?",
    ],
)
def test_it_is_not_signed(text: str) -> None:
    assert not _is_signed(text)


def test_of_first_and_last_name_the_first_signs() -> None:
    text = "Bien cordialement, Marie Dupont"
    marie = Identifier(19, 24, PRE, Rule.EVIDENCE)
    dupont = Identifier(25, 31, IdentifierType.NOM, Rule.EVIDENCE)
    assert [*signed(text, [marie, dupont], FRENCH_PACK)] == [marie]


def test_a_telephone_number_signs_nothing() -> None:
    assert not [*signed("Bisous, 0639981234", [Identifier(8, 18, TEL, Rule.PATTERN)], FRENCH_PACK)]


@pytest.mark.slow
@pytest.mark.parametrize("stretch", ["bisous ", "a plus, ", "\n ", "c'est ", "bonne a-", "Marie "])
def test_a_long_message_takes_a_time_in_proportion(stretch: str) -> None:
    text = stretch * (200_000 // len(stretch))
    found = [Identifier(at, at + 5, PRE, Rule.EVIDENCE) for at in range(0, len(text) - 7, 7)]
    start = time.process_time()
    assert len([*signed(text, found, FRENCH_PACK)]) <= len(found)
    assert time.process_time() - start < 5
