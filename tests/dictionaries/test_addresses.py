"""Postal addresses are found as one span each, and what only looks so is left alone."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dictionaries.made_addresses import made_messages, tricky_messages
from tests.dictionaries.test_linear_time import repeated
from triage.dictionaries import Kind, Lexicon
from triage.dictionaries.address_words import KnownWords, Tokens, nothing_known
from triage.dictionaries.addresses import addresses
from triage.reports.spans import Span, measure

Find = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def known(lexicon: Lexicon) -> KnownWords:
    return KnownWords.of(lexicon)


@pytest.fixture(scope="module")
def find(known: KnownWords) -> Find:
    return lambda text: [text[span.start : span.end] for span in addresses(text, known)]


@pytest.mark.parametrize(
    ("before", "address", "after"),
    [
        ("j'habite au ", "12 bis rue des Lilas 34000 Montpellier", ", sonne"),
        ("", "12, rue des Lilas, 34000 Montpellier", ""),
        ("viens ", "3 av jean jaures", " stp"),
        ("", "12bis r. des oliviers 34 070 montpellier", " a demain"),
        ("on est au ", "5 bd victor hugo", " devant"),
        ("", "7 pl. de la Comédie", "."),
        ("", "14 quater impasse du Puits", " !"),
        ("", "12 RUE JEAN JAURES 30000 NIMES", ""),
        ("", "12 rue du 8 mai 1945", ", à 20h"),
        ("c'est ", "8 rue pierre et marie curie", " je crois"),
        ("", "2 grand rue", ""),
        ("", "12-14 chemin de l'Étang", " ok"),
        ("", "12 b, rue Saint-Michel", ""),
        ("", "12 rue d’Alger", ""),
    ],
)
def test_number_before(find: Find, before: str, address: str, after: str) -> None:
    assert find(before + address + after) == [address]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("rdv rue des Lilas 12, 34000 Montpellier", "rue des Lilas 12, 34000 Montpellier"),
        ("je suis rue Voltaire au 12", "rue Voltaire au 12"),
        ("rue Voltaire n°12 ok", "rue Voltaire n°12"),
        ("mon adresse rue de Verdun", "rue de Verdun"),
        ("rue de Verdun, 34000 Montpellier", "rue de Verdun, 34000 Montpellier"),
        ("je vis à 34000 Montpellier", "34000 Montpellier"),
        ("12 rue Foch à Béziers", "12 rue Foch à Béziers"),
        ("12 rue Foch 75011 Paris 11e", "12 rue Foch 75011 Paris 11e"),
        ("12 rue Foch, BP 1204, 34000 Montpellier cedex 2", None),
        ("résidence les Pins, bât B, appt 12", None),
        ("Rés. Bellevue bat C 3 rue Foch 34000 Montpellier", None),
        ("12 rue Foch, 3e étage, porte 4", None),
        ("12 rue Foch\n34000 Montpellier", None),
        ("12 rue Foch.34170.Castelnau-le-Lez", None),
        ("3 place Foch 34430 st jean de vedas", None),
    ],
)
def test_parts_behind_missing_or_added(find: Find, text: str, address: str | None) -> None:
    assert find(text) == [address or text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "on est en route, 2 places quai 12",
        "3 cours de maths demain",
        "à la place de Lola j'irais",
        "2 rues plus loin, 2e rue à droite",
        "34000 euros la voiture",
        "Je suis rue de la Loge tkt",
        "il part à 12 quai B",
        "j'ai payé 12 euros rue vide",
        "5 min de route",
        "12 rue",
        "rdv à 18h05 rue bondée",
        "l'adresse stp ?",
        "1 place de ciné",
    ],
)
def test_no_address(find: Find, text: str) -> None:
    assert find(text) == []


def test_two_addresses(find: Find) -> None:
    assert find("du 12 rue Foch, au 3 avenue Jean Jaurès !") == [
        "12 rue Foch",
        "3 avenue Jean Jaurès",
    ]


def test_without_lists() -> None:
    (span,) = addresses("Viens au 12 rue des Lilas 34000 Montpellier stp")
    assert (span.start, span.end, span.kind) == (9, 43, Kind.ADR)


def test_made_messages(known: KnownWords) -> None:
    made = made_messages()
    found: list[list[Span]] = [
        [(s.start, s.end, "ADR") for s in addresses(one.text, known)] for one in made
    ]
    counts = measure([one.spans for one in made], found).untyped
    assert len(made) == 500
    assert counts.overlapping.recall > 0.98
    assert counts.overlapping.precision > 0.98
    assert counts.coverage > 0.88


def test_made_messages_are_the_same_every_time() -> None:
    assert made_messages(20) == made_messages(500)[:20]


def test_few_false_alarms(known: KnownWords) -> None:
    messages = tricky_messages()
    assert sum(bool(addresses(text, known)) for text in messages) <= len(messages) / 12


@given(st.text(alphabet="12 rueavbis.,-'’34000lotàÉß\n\u0301c", max_size=60))
def test_spans_lie_within_the_message_in_order(text: str) -> None:
    at = 0
    for span in addresses(text):
        assert at <= span.start < span.end <= len(text)
        at = span.end


@given(st.text(max_size=40))
def test_tokens_are_stretches_of_the_message(text: str) -> None:
    tokens = Tokens(text)
    stretches = [text[tokens.start(i) : tokens.end(i)] for i in range(len(tokens))]
    assert stretches == tokens.raw


HOSTILE = (
    *("h", "12 ", "1-", "34000 ", "34 000 ", "1 rue ", "12 rue A-", "12 rue de la ", "12 rue a "),
    *("12 r. ", "bat B ", "residence les ", "34000 saint ", "34000 le la ", "rue X au 12 ", "a'b-"),
    *("12 rue X, bat B, ", "12 rue X 34000 ", "saint-", "é\u0301", "adresse rue ", "1."),
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_length(unit: str, known: KnownWords) -> None:
    def cost(length: int) -> float:
        text = repeated(unit)(length)
        start = time.process_time()
        addresses(text, known)
        return time.process_time() - start

    cost(1_000)
    assert any(cost(32_000) < 10 * max(cost(8_000), 0.002) for _ in range(3))


@pytest.mark.parametrize("unit", ["h", "rue ", "12 ", "1. ", "de la ", "bat "])
def test_a_megabyte_is_read_within_seconds(unit: str, known: KnownWords) -> None:
    start = time.process_time()
    assert addresses(repeated(unit)(1_000_000), known) == []
    assert time.process_time() - start < 15


CUT_OFF = [
    "On est au 12 rue Foch 34000 montpelier le",
    "12 rue des Lilas 34000 castelnau-le-lez, sur",
    "12 rue Foch 30000 nimes en",
    "5 bd victor hugo 75001 paris 1er cedex de",
    "2 grand rue saint",
    "34000 saint",
]


@pytest.mark.parametrize("message", CUT_OFF)
def test_an_address_may_be_cut_off_anywhere(message: str, known: KnownWords) -> None:
    for end in range(len(message) + 1):
        for lists in (known, nothing_known()):
            assert all(0 <= s.start < s.end <= end for s in addresses(message[:end], lists))


def test_what_is_cut_off_behind_a_town_is_no_part_of_it(find: Find) -> None:
    assert find(CUT_OFF[0]) == ["12 rue Foch 34000 montpelier"]


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\t", "\u2009", " \u200b"], ids=ascii)
def test_any_space_is_one_in_an_address(space: str, find: Find) -> None:
    address = "12 bis rue des Lilas 34000 Montpellier".replace(" ", space)
    assert find(f"viens au {address}") == [address]
