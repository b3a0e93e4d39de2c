"""A message is split into its words (paper, section 3.2, step 1)."""

import pytest

from tests.dictionaries.splitting import split
from triage.dictionaries import Kind, split_all


def texts(message: str) -> list[str]:
    return [word.text for word in split(message)]


def kinds(message: str) -> list[Kind]:
    return [word.kind for word in split(message)]


def test_words_stand_between_spaces() -> None:
    assert texts("on se voit ce soir") == ["on", "se", "voit", "ce", "soir"]


@pytest.mark.parametrize("space", ["  ", "\t", "\n", "\r\n", "\u00a0", "\u202f", "\u2003"])
def test_any_white_space_parts_words(space: str) -> None:
    assert texts(f"à{space}demain") == ["à", "demain"]


def test_outer_punctuation_comes_off_a_word() -> None:
    assert texts("Coucou Patrice, ça va?") == ["Coucou", "Patrice", ",", "ça", "va", "?"]
    assert texts("(avec Lola)") == ["(", "avec", "Lola", ")"]
    assert texts("«Salut»...") == ["«", "Salut", "»", "..."]


def test_a_sentence_may_follow_without_a_space() -> None:
    assert texts("Ok.Et toi?Bien") == ["Ok", ".", "Et", "toi", "?", "Bien"]


def test_a_run_of_one_sign_is_one_word_of_punctuation() -> None:
    assert texts("quoi ?!!! non...") == ["quoi", "?", "!!!", "non", "..."]
    assert kinds("?!!!") == [Kind.PUNCTUATION, Kind.PUNCTUATION]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("c'est", ["c'", "est"]),
        ("j’ai", ["j’", "ai"]),
        ("L'école", ["L'", "école"]),
        ("QU'IL", ["QU'", "IL"]),
        ("d’Amandine", ["d’", "Amandine"]),
        ("jusqu'à", ["jusqu'", "à"]),
        ("l'après-midi", ["l'", "après-midi"]),
        ("j'y'vais", ["j'", "y'vais"]),
    ],
)
def test_an_elided_word_is_a_word_of_its_own(written: str, words: list[str]) -> None:
    assert texts(written) == words


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u200e"])
def test_what_is_not_seen_does_not_part_a_word(unseen: str) -> None:
    assert texts(f"Pat{unseen}rice{unseen} vient") == [f"Pat{unseen}rice", unseen, "vient"]


def test_a_number_of_full_width_is_a_number() -> None:
    assert kinds("３９９８１２３４") == [Kind.NUMBER]


@pytest.mark.parametrize("word", ["aujourd'hui", "aujourd’hui", "p'tit", "rock'n'roll", "O'Brian"])
def test_an_apostrophe_inside_a_word_does_not_part_it(word: str) -> None:
    assert texts(word) == [word]
    assert kinds(word) == [Kind.WORD]


def test_an_apostrophe_at_the_end_is_punctuation() -> None:
    assert texts("j' sais pas'") == ["j", "'", "sais", "pas", "'"]


@pytest.mark.parametrize("name", ["Jean-Luc", "anne-laure", "Marie-Lou", "Saint-Jean-de-Védas"])
def test_a_hyphened_name_is_one_word(name: str) -> None:
    assert texts(f"chez {name}!") == ["chez", name, "!"]


def test_a_hyphen_at_the_edge_of_a_word_comes_off() -> None:
    assert texts("-Lola- et -moi") == ["-", "Lola", "-", "et", "-", "moi"]


def test_letters_with_combining_accents_are_one_word() -> None:
    assert texts("E\u0301milie a\u0300 l'e\u0301te\u0301") == [
        "E\u0301milie",
        "a\u0300",
        "l'",
        "e\u0301te\u0301",
    ]


SMILEYS = (
    ":) :-) ;) ;-) :D :-D ;D :p :P :o :s :/ :-/ :$ :* :-* :( :-( :'( :'-( :3 :] =) =D =p "
    "xD XD xDDD xp X( x) 8) <3 <333 </3 ^^ ^_^ ^.^ ^^' -_- -_-' -.- o_O O_o o.O 0_0 >_< T_T ): (:"
)


@pytest.mark.parametrize("smiley", SMILEYS.split())
def test_a_smiley_is_one_word(smiley: str) -> None:
    assert texts(f"ok {smiley} bisous") == ["ok", smiley, "bisous"]
    assert kinds(smiley) == [Kind.SMILEY]


@pytest.mark.parametrize("smiley", [":)", ";)", "<3", "^^", ":-*"])
def test_a_smiley_may_touch_the_word_before_it(smiley: str) -> None:
    assert texts(f"bisous{smiley}") == ["bisous", smiley]


def test_a_stretched_mouth_belongs_to_its_smiley() -> None:
    assert texts("super :))))) :DDD") == ["super", ":)))))", ":DDD"]


def test_punctuation_does_not_swallow_a_smiley() -> None:
    assert texts("trop bien!!:)") == ["trop", "bien", "!!", ":)"]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("rdv:demain", ["rdv", ":", "demain"]),  # not :d
        ("xavier", ["xavier"]),  # not x
        ("oO", ["oO"]),
        ("xptdr", ["xptdr"]),  # not xp
        ("mode d'emploi:Prends", ["mode", "d'", "emploi", ":", "Prends"]),  # not :P
    ],
)
def test_letters_behind_it_make_a_smiley_a_word(message: str, words: list[str]) -> None:
    assert texts(message) == words
    assert Kind.SMILEY not in kinds(message)


@pytest.mark.parametrize(
    "emoji",
    [
        pytest.param("😂", id="one"),
        pytest.param("❤️", id="with the emoji selector"),
        pytest.param("❤", id="without the emoji selector"),
        pytest.param("©️", id="a sign made an emoji"),
        pytest.param("‼️", id="punctuation made an emoji"),
        pytest.param("👍🏽", id="skin tone"),
        pytest.param("👨‍👩‍👧‍👦", id="family"),
        pytest.param("👩🏿‍🚀", id="profession with skin tone"),
        pytest.param("🏳️‍🌈", id="rainbow flag"),
        pytest.param("🇫🇷", id="flag"),
        pytest.param(
            "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", id="Scotland"
        ),
        pytest.param("1️⃣", id="keycap"),
        pytest.param("3⃣", id="keycap without selector"),
        pytest.param("#️⃣", id="keycap of a sign"),
        pytest.param("😂😂😂", id="several in a row"),
        pytest.param("1️⃣2️⃣", id="keycaps in a row"),
    ],
)
def test_an_emoji_is_one_word(emoji: str) -> None:
    assert texts(f"coucou {emoji}, toi") == ["coucou", emoji, ",", "toi"]
    assert kinds(emoji) == [Kind.EMOJI]


@pytest.mark.parametrize("emoji", ["😂", "❤️", "👍🏽", "🇫🇷"])
def test_an_emoji_may_touch_the_words_around_it(emoji: str) -> None:
    assert texts(f"bisous{emoji}Lola") == ["bisous", emoji, "Lola"]


def test_emoji_stand_apart_from_smileys() -> None:
    assert texts("😘:)") == ["😘", ":)"]


@pytest.mark.parametrize("number", ["2", "18", "2012", "12,50", "3.5", "1.000.000"])
def test_a_number_is_one_word(number: str) -> None:
    assert texts(f"il reste {number}.") == ["il", "reste", number, "."]
    assert kinds(number) == [Kind.NUMBER]


def test_a_unit_sign_is_no_part_of_a_number() -> None:
    assert texts("12,50€ ou 20%") == ["12,50", "€", "ou", "20", "%"]


@pytest.mark.parametrize("hour", ["18h30", "7h", "07h05", "18H", "12:30", "0h00", "23h59"])
def test_an_hour_is_one_word(hour: str) -> None:
    assert texts(f"rdv {hour}!") == ["rdv", hour, "!"]
    assert kinds(hour) == [Kind.HOUR]


def test_hours_around_a_hyphen_are_two() -> None:
    assert texts("18h-20h30") == ["18h", "-", "20h30"]


@pytest.mark.parametrize("word", ["2m1", "a2m1", "15min", "3cours", "h24", "g20", "4eme", "99h"])
def test_letters_and_digits_together_are_one_word(word: str) -> None:
    assert texts(f"ok {word}, slt") == ["ok", word, ",", "slt"]
    assert kinds(word) == [Kind.WORD]


def test_underscores_are_punctuation() -> None:
    assert texts("a_b __") == ["a", "_", "b", "__"]
    assert kinds("_") == [Kind.PUNCTUATION]


@pytest.mark.parametrize("message", ["", " ", "   ", "\n\t \u00a0"])
def test_nothing_written_is_no_word(message: str) -> None:
    assert split(message) == []


def test_a_nul_is_a_sign_like_another() -> None:
    assert texts("a\0b \0") == ["a", "\0", "b", "\0"]


def test_a_word_knows_where_it_stands() -> None:
    message = "Hé  😂 Zoé, tél 06 39 98 12 34"
    assert [(word.start, word.end, word.text) for word in split(message)] == [
        (0, 2, "Hé"),
        (4, 5, "😂"),
        (6, 9, "Zoé"),
        (9, 10, ","),
        (11, 14, "tél"),
        (15, 29, "06 39 98 12 34"),
    ]


def test_a_table_holds_each_distinct_word_once() -> None:
    table = split_all(["Ok ok Lola", "ok !", "Lola"])
    assert [form.text for form in table.forms] == ["Ok", "ok", "Lola", "!"]
    assert table.form.tolist() == [0, 1, 2, 1, 3, 2]
    assert table.message.tolist() == [0, 0, 0, 1, 1, 2]
    assert table.start.tolist() == [0, 3, 6, 0, 3, 0]


def test_a_table_of_messages_without_words_is_empty() -> None:
    table = split_all(["", "  "])
    assert (table.forms, table.n_messages) == ([], 2)
    assert len(table.form) == len(table.message) == len(table.start) == 0


def test_a_table_of_no_messages_is_empty() -> None:
    table = split_all([])
    assert (table.forms, table.n_messages, len(table.form)) == ([], 0, 0)
