"""Hostile text costs no more than its length: no expression and no rule runs away."""

import gc
import time
from collections.abc import Callable

import pytest

from triage.dictionaries import Labeller, Lexicon
from triage.dictionaries.recognisers import chosen

pytestmark = pytest.mark.timing

ENOUGH = 0.002  # seconds that the clock measures well
LONG_ENOUGH = 250_000  # characters: what is quadratic shows by then
LINEAR, QUADRATIC = 4, 16  # how the time grows when the text is four times as long


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda length: before + unit * (length // len(unit)) + after


HOSTILE = {
    # Words: letters, smileys, numbers, accents, emoji.
    "one letter": repeated("h"),
    "a word of any letters": repeated("abcdefghijklmnop"),
    "a word behind a digit": repeated("h", "0"),
    "laughter": repeated("ha"),
    "laughter broken at the end": repeated("ha", "m", "z"),
    "vowels without a consonant": repeated("ou", "m", "z"),
    "letters doubled by turns": repeated("aabb"),
    "a few doubled letters in a long word": repeated("abcd", "aabbccddee"),
    "apostrophes": repeated("j'", "m"),
    "hyphens": repeated("a-"),
    "hyphens and apostrophes": repeated("a'b-"),
    "digits and letters": repeated("1", "", "x"),
    "digits and full stops": repeated("1.", "", "x"),
    "combining accents": repeated("\u0301", "e", "'"),
    "combining accents by turns": repeated("e\u0301"),
    "brackets": repeated("()"),
    "one bracket": repeated("("),
    "eyes": repeated(":"),
    "eyes and noses": repeated(":-"),
    "eyes with a long mouth": repeated(")", ":", "a"),
    "many smileys": repeated(":)"),
    "crosses": repeated("x", "", "dz"),
    "crosses and laughs": repeated("xd", "", "z"),
    "brows": repeated("^_"),
    "one brow": repeated("_", "^"),
    "dashes": repeated("-_."),
    "hearts": repeated("<", "", "3"),
    "emoji joined": repeated("👨\u200d"),
    "emoji selectors": repeated("\ufe0f", "👨", "x"),
    "keycaps": repeated("#\ufe0f"),
    "line breaks": repeated("\n"),
    "apostrophes alone": repeated("'"),
    # Identifiers.
    "at signs": repeated("a@"),
    "one at sign at the end": repeated("a", "", "@"),
    "at sign and full stops": repeated("a.", "a@"),
    "full stops": repeated("a."),
    "full stops and hyphens": repeated("a-."),
    "domains": repeated(".fr"),
    "domains with paths": repeated("x.fr/"),
    "web addresses": repeated("http://"),
    "a long web address": repeated(")", "http://", "a"),
    "www": repeated("www."),
    "zeros": repeated("0 "),
    "zeros joined": repeated("0"),
    "telephone number begun": repeated("06 12 34 5 "),
    "pairs of digits with wide gaps": repeated("06 - 39 - 98 - 1 - "),
    "pairs of digits, a line each": repeated("06\n"),
    "pairs of digits, two lines each": repeated("06 \n\n "),
    "a line break after each digit": repeated("0\n6\n"),
    "keycaps of digits": repeated("0\ufe0f\u20e36\ufe0f\u20e3 "),
    "what is not seen": repeated("\u200b", "06", "39"),
    "what is not seen inside a word": repeated("\u200b", "zo", "é"),
    "what is not seen by turns": repeated("z\u00ad"),
    "digits of full width": repeated("０６ "),
    "country codes": repeated("+3"),
    "country codes in brackets": repeated("+33 (0"),
    "marks begun": repeated("<PRE_"),
    "a mark without end": repeated("_PRE", "<PRE"),
    "triggers": repeated("code ", "123 "),
    "triggers and little words": repeated("code c'est le de la porte ", "123 "),
    "triggers and punctuation": repeated("code : : : : ", "123 "),
    "triggers and any words": repeated("carte siret iban secu tva wallet plaque ", "123 "),
    "a trigger and signs": repeated(" : (=", "iban", "1"),
    "numbers before little words": repeated("1 85 05 78 135 187 95 c est mon num de ", "", "x"),
    "little words behind a number": repeated("c est mon ", "4970 6122 2029 7295 "),
    "groups of a card": repeated("4970 "),
    "digits with hyphens": repeated("4-", "9"),
    "digits behind a trigger": repeated("1 2 ", "secu "),
    "digits with wide gaps": repeated("4 - 9 - ", "cb "),
    "accounts begun": repeated("FR76 3000 "),
    "countries": repeated("fr76"),
    "a bank without end": repeated("FR76ABCD 1", "iban "),
    "the parts of an account": repeated("30004 guichet 00001 compte ", "banque "),
    "plates begun": repeated("AB-123-"),
    "plates of letters": repeated("AB 123 AB "),
    "departments": repeated("123 AB 3 "),
    "months of expiry": repeated("exp 09/"),
    "letters of an address": repeated("1A", "3", "0"),
    "addresses of a coin": repeated("bc1q"),
    "hexadecimal": repeated("0xab"),
    "digits with wider gaps": repeated("06 . 39    98 - "),
    "digits one by one": repeated("0 6 3 9 9 8 1 2 3 "),
    "letters for digits": repeated("O6 l9 oI "),
    "country codes with areas": repeated("+32 (4) 75 12 34 56 "),
    "triggers of telephones": repeated("tel le num de lucas c'est 63 "),
    "codes and codes": repeated("code 4512 puis "),
    "codes of any word": repeated("code de la abcdefghij "),
    "digits before a code": repeated("4829 code de "),
    "triggers of passwords": repeated("mdp abcd efgh c'est "),
    "a password of one letter": repeated("a", "mdp : "),
    "a password of signs": repeated("!", "mdp : a"),
    "quoted passwords begun": repeated('mdp "aaa '),
    "keys of wireless networks": repeated("cle du wifi c'est AB12 "),
    "triggers of numbers": repeated("num de colis n° ", "12"),
    "triggers of numbers and any word": repeated("dossier abcdef ", "12"),
    "a number of letters and digits": repeated("A1-", "dossier "),
    "numbers in groups": repeated("12 34 ", "dossier "),
    "bookings": repeated("ref ABCDEF "),
    "numbers of parcels": repeated("1A234567890"),
    "street numbers": repeated("1 rue "),
    "street numbers with letters": repeated("1 bis, 1 b, "),
    "an address without end": repeated("A ", "1 rue A "),
    # Identifiers of later years.
    "handles begun": repeated("@a"),
    "a handle without end": repeated("a.", "@a"),
    "networks": repeated("insta "),
    "networks and little words": repeated("insta c'est mon pseudo sur ", "", "lola_34"),
    "networks and signs": repeated("snap : -> "),
    "tags of handles": repeated("zoe#482 "),
    "words that may be handles": repeated("lola_34 sur "),
    "mail spelt out, begun": repeated("zoe point ", "", "arobase"),
    "spelt at signs": repeated("a arobase "),
    "points": repeated("point ", "zoe arobase a "),
    "at": repeated("zoe at "),
    "a domain of many labels": repeated("a.", "", "io"),
    "hosts of links": repeated("zoom.us/"),
    "meetings": repeated("id de réunion : "),
    "numbers of meetings begun": repeated("812 345 "),
    "decimals": repeated("43.6108 "),
    "decimals without end": repeated("1", "43."),
    "degrees": repeated("43°36'39 "),
    "plus codes begun": repeated("JV6G+"),
    "three words begun": repeated("///a.b"),
    "numbers of machines": repeated("192.168."),
    "groups of machines": repeated("fe80:"),
    "pairs of machines": repeated("00:1a:2b:3c:"),
    "births": repeated("né le "),
    "births and little words": repeated("anniv de zoé c'est le "),
    "dates": repeated("12 mars ", "", "anniv"),
    "postcodes": repeated("34000 "),
    "postcodes with words": repeated("34000 le la "),
    "towns before a postcode": repeated("saint jean ", "", "34000"),
    "hyphens before a postcode": repeated("a-", "", " 34000"),
}

# What recognisers find that are off unless asked for.
HOSTILE_IF_ON = {
    "ages": repeated("34 ans "),
    "spans of years": repeated("depuis presque plus de "),
    "numbers in words": repeated("quatre vingt "),
    "types of schools": repeated("lycée de la "),
    "names of schools": repeated("lycée jean jean jean "),
    "a word of a school without end": repeated("a'b-", "lycée "),
    "words for working": repeated("je bosse "),
    "working and little words": repeated("bosse a a a a a "),
    "employers": repeated("bosse chez dupuis dupuis "),
}


def cost(work: Callable[[str], object], text: str) -> float:
    """Processor seconds of a run; collecting garbage is not counted."""
    gc.disable()
    try:
        start = time.process_time()
        work(text)
        return time.process_time() - start
    finally:
        gc.enable()


def growth(work: Callable[[str], object], text_of: Callable[[int], str]) -> float:
    """How many times as long a text four times as long takes."""
    length = 2_000
    while (seconds := cost(work, text_of(length))) < ENOUGH and length < LONG_ENOUGH:
        length *= 2
    return cost(work, text_of(4 * length)) / seconds


@pytest.mark.parametrize("text_of", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_grows_with_the_length(text_of: Callable[[int], str], lexicon: Lexicon) -> None:
    def work(text: str) -> object:
        return Labeller(lexicon).label([text])

    work("soremnet")  # what the rules look words up in is made on first use
    limit = (LINEAR + QUADRATIC) / 2
    assert any(growth(work, text_of) < limit for _ in range(3))


@pytest.mark.parametrize("text_of", HOSTILE_IF_ON.values(), ids=HOSTILE_IF_ON.keys())
def test_time_of_all_recognisers_grows_with_the_length(text_of: Callable[[int], str]) -> None:
    find = chosen("fr", ["all"]).find
    limit = (LINEAR + QUADRATIC) / 2
    assert any(growth(find, text_of) < limit for _ in range(3))


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        pytest.param("h" * 1_000_000, ["letter_repetitions"], id="a million h"),
        pytest.param("0" + "h" * 1_000_000, [""], id="a million h behind a digit"),
        pytest.param("n" + "o" * 1_000_000 + "n", ["letter_repetitions"], id="a stretched word"),
        pytest.param("ha" * 500_000, ["onomatopoeia"], id="half a million ha"),
        pytest.param("abcdefghij" * 100_000, [""], id="a word of a million letters"),
        pytest.param("aabb" * 1_250, [""], id="5,000 letters doubled by turns"),
        pytest.param(" " * 1_000_000, [], id="a million spaces"),
    ],
)
def test_a_megabyte_is_labelled_within_seconds(
    text: str, rules: list[str], lexicon: Lexicon
) -> None:
    start = time.process_time()
    found = Labeller(lexicon).label([text])
    assert time.process_time() - start < 5
    assert [word.rule for word in found.labels] == rules
