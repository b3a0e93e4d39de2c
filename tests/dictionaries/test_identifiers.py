"""Telephone numbers, addresses and codes are known by their form, and are one word each."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dictionaries.splitting import split
from triage.dictionaries import Kind
from triage.dictionaries.recognisers import shipped


def found(message: str) -> list[tuple[str, Kind]]:
    return [(message[span.start : span.end], span.kind) for span in shipped("fr").find(message)]


def is_found_in_a_message(text: str, kind: Kind) -> bool:
    """Whether it is found whole, alone, in a sentence, and in brackets before a full stop."""
    return all(
        found(message) == [(text, kind)] for message in (text, f"Oui, {text} stp", f"Oui ({text}).")
    )


FRENCH_NUMBERS = [
    "06 39 98 12 34",
    "0639981234",
    "06.39.98.12.34",
    "06-39-98-12-34",
    "06/39/98/12/34",
    "0639 981 234",
    "06 399 812 34",
    "04 67 00 12 34",
    "+33 6 39 98 12 34",
    "+33639981234",
    "+336 39 98 12 34",
    "+33 (0)6 39 98 12 34",
    "0033639981234",
    "00 33 6 39 98 12 34",
]
FOREIGN_NUMBERS = [
    "+32 475 12 34 56",
    "+32475123456",
    "0032475123456",
    "+41 79 123 45 67",
    "+212 6 12 34 56 78",
    "+212612345678",
    "+213 5 51 23 45 67",
    "+44 7911 123456",
    "+44 (0)20 7946 0958",
    "+1 (555) 123-4567",
    "+1 514-555-0123",
    "+49 1512 3456789",
    "+34 612 345 678",
]


@pytest.mark.parametrize("number", FRENCH_NUMBERS)
def test_a_french_telephone_number_is_found(number: str) -> None:
    assert is_found_in_a_message(number, Kind.TEL)


PAIRS = ("06", "39", "98", "12", "34")
SEPARATORS = [
    # Spaces, and what spreadsheets and address books write for them.
    *(
        "  ",
        "   ",
        "\t",
        "\u00a0",
        "\u202f",
        "\u2007",
        "\u2009",
        "\u3000",
        "\u202f\u202f",
        "\u2800",
    ),
    # Hyphens, dashes and the minus sign.
    *("\u2010", "\u2011", "\u2012", "–", "—", "\u2015", "\u2212", "\uff0d", " - ", " – ", "--"),
    # Stops, dots, low lines, slashes.
    *("_", "·", "•", "\u2027", "\u2024", "\uff0e", ". ", " . ", " / ", "\u2044", "..."),
    # What is not seen.
    *("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200e", "\u200f", "\u034f"),
    *("\u202a", "\u2066", "\u2069", "\x00", " \u200b", "\u202f\u200e"),
    # Ends of lines.
    *("\n", "\r\n", "\r", "\u2028", "\u2029", " \n", "\n ", "\n\n"),
]


@pytest.mark.parametrize("separator", SEPARATORS, ids=ascii)
def test_a_telephone_number_is_one_whatever_stands_between_its_digits(separator: str) -> None:
    assert is_found_in_a_message(separator.join(PAIRS), Kind.TEL)


@pytest.mark.parametrize("break_", ["\n", "\r\n", " \n"])
@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_a_telephone_number_that_a_line_breaks_is_one(at: int, break_: str) -> None:
    number = " ".join(PAIRS[:at]) + break_ + " ".join(PAIRS[at:])
    assert found(f"mon num: {number}\n2 personnes") == [(number, Kind.TEL)]


@pytest.mark.parametrize(
    "digits",
    [
        "０６３９９８１２３４",
        "٠٦٣٩٩٨١٢٣٤",
        "۰۶ ۳۹ ۹۸ ۱۲ ۳۴",
        "०६३९९८१२३४",
        "𝟎𝟔𝟑𝟗𝟗𝟖𝟏𝟐𝟑𝟒",
        "⓪⑥③⑨⑨⑧①②③④",
        "0\ufe0f\u20e36\ufe0f\u20e33\ufe0f\u20e39\ufe0f\u20e39\ufe0f\u20e38\ufe0f\u20e31\u20e32\u20e33\u20e34\u20e3",
        "0\u03366\u0336 3\u03369\u0336 9\u03368\u0336 1\u03362\u0336 3\u03364\u0336",
        "＋33 6 39 98 12 34",
    ],
)
def test_a_telephone_number_is_one_in_whatever_digits(digits: str) -> None:
    assert is_found_in_a_message(digits, Kind.TEL)


def test_direction_marks_around_a_telephone_number_stay() -> None:
    number = "+33 6 39 98 12 34"
    assert found(f"Zoé \u202a{number}\u202c ok") == [(number, Kind.TEL)]


def test_an_hour_on_the_line_above_is_no_part_of_a_telephone_number() -> None:
    assert found("à 18\n06 12 34 56 78") == [("06 12 34 56 78", Kind.TEL)]
    assert found("rdv 08\n06 12 34 56 78") == [("06 12 34 56 78", Kind.TEL)]


def test_telephone_numbers_on_lines_of_their_own_are_each_one() -> None:
    lines = ["06 39 98 12 34", "06 39 98 12 35", "0639981236"]
    assert found("\n".join(lines)) == [(line, Kind.TEL) for line in lines]


@pytest.mark.parametrize("number", FOREIGN_NUMBERS)
def test_a_foreign_telephone_number_is_found(number: str) -> None:
    assert is_found_in_a_message(number, Kind.TEL)


@pytest.mark.parametrize(
    "message",
    [
        "ça fait 12,50€ ou 1 000 euros",
        "rdv à 18h30 ou 12:30",
        "le 01/02/2012",
        "le 01/02/2012 18h30",
        "le 01.02.2012 12:30",
        "né le 01-02-1990 10h15",
        "06 39 98",
        "12345678901234567890",
        "10639981234",
        "06399812345678",
        "12 30 40 50 60",
        "2010 2011 2012 2013",
        "+10 points",
        "le 3615, c'était en 1985",
        "le 01‑02‑2012 12:30",
        "le 01 / 02 / 2012 18h30",
        "le 01/02/12\n18 30 22",
        "ça coûte 100\u202f000\u202f000 €",
        "12\u00a0500\u00a0000 habitants",
        "2·5 puis 3·14159265",
        "07,50 08,20 12,30 15,10",
        "07,50\n08,20\n12,30\n15,10",
        "08h30 - 12h30 - 14h00 - 18h00",
        "08:30\n12:30\n14:00\n18:00",
        "06 - 12 - 18 - 24 - 30 - 36",
        "02\n14\n25\n33\n47\n49",
        "18\n06\n39\n98\n12\n34",
        "notes: 06/20\n12/20\n08/20\n15/20",
        "sets: 06-04\n03-06\n07-05",
        "x² + 06³",
    ],
)
def test_other_numbers_are_no_telephone_numbers(message: str) -> None:
    assert Kind.TEL not in {kind for _, kind in found(message)}


@pytest.mark.parametrize(
    "address",
    [
        "lola@exemple.fr",
        "jean.dupuis-34@mail.exemple.org",
        "l_m+sms@exemple.com",
        "lola＠exemple．fr",
        "lola\u200b@exemple\u2060.fr",
        "ｌｏｌａ@ｅｘｅｍｐｌｅ.ｆｒ",
        "le\u0301a@exemple.fr",
    ],
)
def test_an_e_mail_address_is_found(address: str) -> None:
    assert is_found_in_a_message(address, Kind.MEL)


def test_an_e_mail_address_is_found_between_angles() -> None:
    assert found("Lola <lola@exemple.fr>, stp") == [("lola@exemple.fr", Kind.MEL)]


@pytest.mark.parametrize("message", ["@lola t'es où", "lola@exemple", "rdv@18h", "a @ demain"])
def test_an_at_sign_alone_makes_no_e_mail_address(message: str) -> None:
    assert Kind.MEL not in {kind for _, kind in found(message)}


@pytest.mark.parametrize(
    "address",
    [
        "http://exemple.fr",
        "https://youtu.be/abc_d-e?t=1&x=%20#fin",
        "Http://bit.ly/Abc",
        "www.exemple.fr/photos",
        "Www.exemple.io",
        "exemple.fr",
        "photos.exemple.com/lola",
    ],
)
def test_a_web_address_is_found(address: str) -> None:
    assert is_found_in_a_message(address, Kind.URL)


@pytest.mark.parametrize("end", [".", ",", "!", "?)", "...", "»"])
def test_punctuation_behind_a_web_address_is_no_part_of_it(end: str) -> None:
    assert found(f"va sur http://exemple.fr/a{end} ok") == [("http://exemple.fr/a", Kind.URL)]


@pytest.mark.parametrize("message", ["ok.Et toi", "oui...non", "j'arrive.bisous", "3.5", "w.c."])
def test_a_full_stop_inside_a_word_makes_no_web_address(message: str) -> None:
    assert found(message) == []


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("le code c'est 45B78", "45B78"),
        ("code: 1234#", "1234#"),
        ("le code d'entrée est A1234", "A1234"),
        ("le code de la porte c’est 12A34", "12A34"),
        ("le code de l'immeuble est 2580", "2580"),
        ("code du portail 45a12", "45a12"),
        ("Digicode 4521B, 3e étage", "4521B"),
        ("interphone 213", "213"),
        ("code wifi : 12AB34CD56", "12AB34CD56"),
        ("mdp=1234", "1234"),
    ],
)
def test_a_code_is_found_near_its_trigger(message: str, code: str) -> None:
    assert found(message) == [(code, Kind.COD)]


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("ton colis n° 6A12345678 est arrivé", "6A12345678"),
        ("colis 6Q01234567890", "6Q01234567890"),
    ],
)
def test_the_number_of_a_parcel_is_found_near_its_trigger(message: str, number: str) -> None:
    assert found(message) == [(number, Kind.NUM)]


@pytest.mark.parametrize(
    "message",
    [
        "le 45B78 c'est quoi",
        "bus 1234 à la gare",
        "j'ai décodé 1234 messages",
        "j'ai code 14h30",
        "j'ai code 14H30",
        "code 15min",
        "le code de la route en 2012",
        "mon code c'est pas 3 ni 12",
        "l'interphone: Lola",
        "colis perdu, 300€ pour rien",
    ],
)
def test_no_code_without_trigger_and_no_hour_or_quantity_for_a_code(message: str) -> None:
    assert found(message) == []


@pytest.mark.parametrize(
    "address",
    [
        "12 rue des Lilas",
        "12 bis, rue des Lilas 34000 Montpellier",
        "108 avenue foch",
        "14bis av. de Lodève",
        "3 bd Gambetta",
        "27 bd du Jeu",
        "7 boulevard Louis Blanc",
        "189 chemin des acacias",
        "2 impasse d'Orient",
        "1 allée de l'Olivier",
        "3 cours Gambetta",
        "12 place de la comédie",
        "12 place d'Italie",
        "4 pl. du Marché",
        "1 route de Nîmes",
    ],
)
def test_a_street_address_is_found(address: str) -> None:
    assert is_found_in_a_message(address, Kind.ADR)


@pytest.mark.parametrize(
    "message",
    [
        "j'ai eu 3 cours ce matin",
        "j'ai 3 cours de maths",
        "il reste 1 place dans la voiture",
        "j'ai 2 place de ciné",
        "3 places pour le concert",
        "j'ai lu 3 bd de Tintin",
        "la 2e rue à droite",
        "c'est à 3 rues d'ici",
    ],
)
def test_a_number_before_a_word_for_streets_may_be_no_address(message: str) -> None:
    assert found(message) == []


@pytest.mark.parametrize("mark", ["<PRE_7>", "<ADR_LIE_21>", "<PRE_7_17316>", "<TEL_10>"])
def test_a_mark_is_found_and_nothing_inside_it(mark: str) -> None:
    assert is_found_in_a_message(mark, Kind.MASKED)


@pytest.mark.parametrize("text", ["<3", "<PRE>", "<pre_7>", "<PRE_7", "PRE_7", "<PRENOM_7>"])
def test_what_looks_like_a_mark_is_none(text: str) -> None:
    assert found(f"coucou {text} bisous") == []


def test_several_identifiers_are_found_in_order() -> None:
    assert found("Lola lola@exemple.fr, 12 rue des Lilas, 06 39 98 12 34, code 45B78") == [
        ("lola@exemple.fr", Kind.MEL),
        ("12 rue des Lilas", Kind.ADR),
        ("06 39 98 12 34", Kind.TEL),
        ("45B78", Kind.COD),
    ]


def test_what_belongs_to_a_longer_identifier_is_not_found_again() -> None:
    assert found("http://exemple.fr/?mel=lola@exemple.fr") == [
        ("http://exemple.fr/?mel=lola@exemple.fr", Kind.URL)
    ]


def test_an_identifier_is_one_word_among_the_others() -> None:
    words = split("Appelle le 06 39 98 12 34!")
    assert [(word.text, word.kind) for word in words] == [
        ("Appelle", Kind.WORD),
        ("le", Kind.WORD),
        ("06 39 98 12 34", Kind.TEL),
        ("!", Kind.PUNCTUATION),
    ]


@given(st.text(alphabet="01269 +.-/()hcodeABrue@wfr:<PE_>\n", max_size=40))
def test_identifiers_are_in_order_and_do_not_overlap(message: str) -> None:
    spans = shipped("fr").find(message)
    assert all(span.start < span.end for span in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
