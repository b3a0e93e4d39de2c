"""Words of a message: how it is split, compared, joined and labelled (paper, 3.2, Table 1)."""

import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.dictionaries.cases import CATALAN, read, split
from triage import dictionaries
from triage.dictionaries import Label, Labeller, Lexicon, Role, WordList, label_messages
from triage.dictionaries.edits import NameVariants, one_edit_from, with_a_letter_less
from triage.dictionaries.lexicon import YOURS
from triage.dictionaries.normal import each, fold, normal
from triage.dictionaries.phrases import Phrases

CASES, WAYS, PHRASES = read("words"), read("normal"), read("phrases")


def texts(message: str) -> list[str]:
    return [word.text for word in split(message)]


@pytest.mark.parametrize(
    ("message", "words"), [case for cases in CASES["split"].values() for case in cases], ids=ascii
)
def test_a_message_is_split(message: str, words: list[str]) -> None:
    assert texts(message) == words


@pytest.mark.parametrize(
    ("kind", "word"), [(kind, word) for kind, words in CASES["one"].items() for word in words]
)
def test_one_word_has_its_kind(kind: str, word: str) -> None:
    assert {found.kind.value for found in split(word)} == {kind}
    assert texts(f"ok {word} bisous") == ["ok", word, "bisous"]
    if kind not in ("SMILEY", "PUNCTUATION"):
        assert texts(f"ok {word}, toi {word}!") == ["ok", word, ",", "toi", word, "!"]


@pytest.mark.parametrize(("of", "written", "expected"), WAYS["one_way"])
def test_case_accents_apostrophes_are_written_one_way(of: str, written: str, expected: str) -> None:
    assert {"normal": normal, "fold": fold}[of](written) == expected


@given(st.text(alphabet="abcÀÉÈÇçéœŒñï'’`\u0301 \n", max_size=30))
def test_what_is_normal_stays_and_folds_to_ascii_composed_or_not(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert normal(normal(text)) == normal(decomposed) == normal(text)
    assert fold(normal(text)).isascii()
    assert fold(normal(decomposed)) == fold(normal(text))


@given(st.lists(st.text(max_size=6)))
@pytest.mark.parametrize("of", [normal, fold])
def test_many_words_are_read_as_each_by_itself(of: Callable[[str], str], words: list[str]) -> None:
    assert each(of, words) == [*map(of, words)]


PACK = [
    WordList("first_names", Role.DICTIONARY, ("rosa", "zoé")),
    WordList("forms", Role.ANTI_DICTIONARY, ("au", "le", "bar", "du", "coin", "rdv", "avec", "d")),
]


@pytest.mark.parametrize(("text", "phrases", "found"), PHRASES["phrases"])
def test_a_phrase_is_found_in_any_writing(text: str, phrases: list[str], found: list[str]) -> None:
    spans = Phrases(dict.fromkeys(phrases, True)).find(text)
    assert [text[span.start : span.end] for span in spans] == found


@pytest.mark.parametrize(("entry", "role", "message", "words"), PHRASES["of_user"])
def test_a_phrase_of_the_user_is_one_word_outside_identifiers(
    entry: str, role: str, message: str, words: dict[str, bool]
) -> None:
    mine = WordList("mine", Role(role), (entry,), title=YOURS)
    found = label_messages([message], Lexicon([*PACK, mine], "fr"))
    labels = [found.labels[form] for form in found.words.form]
    assert {word.text: word.label is Label.DICTIONARY for word in labels} == words


WORD = st.text(alphabet="abc", min_size=6, max_size=8)
NAME = st.text("abzm", min_size=3, max_size=9)


def one_edit_away(word: str) -> set[str]:
    """Return every word one edit away, by trying all edits."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    less = {left + right[1:] for left, right in cuts if right}
    more = {left + letter + right for left, right in cuts for letter in "abc"}
    other = {left + letter + right[1:] for left, right in cuts if right for letter in "abc"}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    return (less | more | other | swapped) - {word}


@given(st.lists(WORD, max_size=20), WORD)
def test_exactly_the_words_one_edit_away_are_found(words: list[str], word: str) -> None:
    assert set(one_edit_from(word, with_a_letter_less(words))) == one_edit_away(word) & set(words)
    assert one_edit_from(word[:4], with_a_letter_less([word[:3]])) == []


def distance(one: str, other: str) -> int:
    """Return the distance of Levenshtein, from its definition."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i, j in product(range(1, len(one) + 1), range(1, len(other) + 1)):
        change = table[i - 1, j - 1] + (one[i - 1] != other[j - 1])
        table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, change)
    return table[len(one), len(other)]


@given(st.lists(NAME, max_size=8), st.dictionaries(NAME, st.integers(1, 4).map(float), max_size=8))
@example(["zaba"], {"zbbb": 1.0, "zbba": 2.0, "zabb": 2.0})
def test_a_variant_is_of_the_best_name(unknown: list[str], established: dict[str, float]) -> None:
    variant_of = NameVariants(established)
    for word in unknown:
        near = [
            name
            for name in sorted(established)
            if name != word
            and distance(word, name) <= (1 if len(name) <= 5 else 2)
            and min(len(word), len(name)) >= 4
        ]
        assert variant_of(word) == max(near, key=established.__getitem__, default="")


LABELS = [(lexicon, *case) for lexicon, cases in read("labels").items() for case in cases.items()]


@cache
def labeller(of: str) -> Labeller:
    """Label by a pack, or by the French one without its list of SMS forms."""
    if of != "no_sms_forms":
        return Labeller(dictionaries.load_lexicon(CATALAN if of == "ca" else of))
    lists = dictionaries.load_lexicon("fr").lists
    return Labeller(Lexicon(words for words in lists if words.name != "sms_forms"))


@pytest.mark.parametrize(
    ("lexicon", "case"),
    [(lexicon, case) for lexicon, _, case in LABELS],
    ids=[f"{lexicon}: {about}" for lexicon, about, _ in LABELS],
)
def test_words_are_labelled(lexicon: str, case: dict[str, Any]) -> None:
    for written, reading in case.get("read_as") or [[word, ""] for word in case["words"]]:
        [word] = labeller(lexicon).label([written]).labels
        assert (word.text, word.label.name) == (written, case["label"])
        assert word.rule == case.get("rule", word.rule), written
        assert word.read_as == (reading or word.read_as)


def labelled(message: str, lexicon: Lexicon) -> list[dictionaries.LabelledWord]:
    """Label the words of a message where they stand, punctuation left out."""
    found = label_messages([message], lexicon)
    words = [found.labels[form] for form in found.words.form]
    return [word for word in words if word.kind is not dictionaries.Kind.PUNCTUATION]


@pytest.mark.parametrize(("message", "named"), read("named")["named"])
def test_all_other_words_name_nobody(message: str, named: list[str], french: Lexicon) -> None:
    words = labelled(message, french)
    assert [word.text for word in words if word.label is Label.DICTIONARY] == named
    others = {word.label for word in words if word.text not in named}
    assert others <= {Label.ANTI_DICTIONARY}


@pytest.mark.parametrize("message", read("named")["where_a_name_stands"])
def test_a_word_where_a_name_stands_is_a_name(message: str, french: Lexicon) -> None:
    [named] = [word for word in labelled(message, french) if word.label is Label.DICTIONARY]
    # A name that a list holds keeps its lists, and needs no rule.
    rule = "" if named.text == "Jo" else "place"
    assert (named.kind, named.rule, bool(named.lists)) == ("WORD", rule, not rule)


def test_what_the_user_calls_a_word_is_nowhere_a_name(french: Lexicon, tmp_path: Path) -> None:
    (mine := tmp_path / "mots.txt").write_text("yo", encoding="utf-8")
    with_mine = Lexicon([*french.lists, dictionaries.user_list(mine, Role.ANTI_DICTIONARY)])
    *_, word = label_messages(["bsx Yo"], with_mine).labels
    assert (word.text, word.label) == ("Yo", Label.ANTI_DICTIONARY)
