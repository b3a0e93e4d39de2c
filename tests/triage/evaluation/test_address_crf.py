"""Addresses are found by a random field that was learnt from made messages, and these are right."""

from itertools import islice, pairwise

import pytest

from tests.dictionaries.made_addresses import TEMPLATES as TEMPLATES_TO_TEST_WITH
from triage.dictionaries import Lexicon
from triage.dictionaries.address_words import KnownWords, Tokens, nothing_known
from triage.dictionaries.normal import fold
from triage.evaluation.address_crf import (
    TEMPLATES,
    Maker,
    find_addresses,
    learn_addresses,
    made_messages,
    markov_chain,
    word_features,
)
from triage.evaluation.crf import Crf


@pytest.fixture(scope="module")
def known(french: Lexicon) -> KnownWords:
    return KnownWords.of(french)


@pytest.fixture(scope="module")
def crf(french: Lexicon, known: KnownWords) -> Crf:
    """Learnt from few messages: enough for addresses that are written in full."""
    return learn_addresses(made_messages(french, n_with=300, n_without=300), known)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "address", "after"),
    [
        ("viens au ", "12 rue Foch", " stp"),
        ("j'habite ", "3 bis avenue de Toulouse, 34000 Montpellier", ""),
        ("adresse : ", "7 bd gambetta 30000 nimes", " a demain"),
    ],
)
def test_finds_an_address(
    before: str, address: str, after: str, crf: Crf, known: KnownWords
) -> None:
    text = before + address + after
    assert [text[a:b] for a, b, _ in find_addresses(text, crf, known)] == [address]


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "   ", "coucou", "rue", "on se voit à 18h ?"])
def test_finds_none(text: str, crf: Crf, known: KnownWords) -> None:
    assert find_addresses(text, crf, known) == []


def test_features_are_named() -> None:
    features = word_features(Tokens("au 12bis, rue"), nothing_known())
    assert {"code ca", "+1 is ,", "-1 is au", "+2 street type", "+3 beyond"} <= set(features[1])
    assert "glued" in features[2]


def test_lists_stand_in_for_parts_of_speech(known: KnownWords) -> None:
    town, name = word_features(Tokens("nimes patrice"), known)
    assert {"town", "+1 name"} <= set(town)
    assert {"name", "-1 town"} <= set(name)


def test_words_of_names_are_no_features() -> None:
    features = word_features(Tokens("12 rue Zanzibar"), nothing_known())
    assert not any("zanzibar" in name for names in features for name in names)


def test_made_messages_hold_an_address_each_or_none(french: Lexicon) -> None:
    made = list(made_messages(french, n_with=60, n_without=40))
    assert [len(one.spans) for one in made] == [1] * 60 + [0] * 40


def test_made_messages_are_the_same_every_time(french: Lexicon) -> None:
    assert list(made_messages(french, 20, 20)) == list(made_messages(french, 20, 20))


def test_nothing_to_test_with_is_learnt_from() -> None:
    learnt = {*TEMPLATES["carrier"], *TEMPLATES["statement"], *TEMPLATES["known_street"]}
    tested = {name.split(" ", 1)[1] for name in TEMPLATES_TO_TEST_WITH["street"]}
    tested |= {*TEMPLATES_TO_TEST_WITH["message"], *TEMPLATES_TO_TEST_WITH["tricky"]}
    assert learnt & tested <= {"{address}"}


def made(*templates: str, n: int = 200, **lists: list[str]) -> set[str]:
    """Return the different messages that are made, in lower case without accents."""
    maker = Maker({"message": templates, **lists}, seed=1)
    return {fold(maker.message().text) for _ in range(n)}


def test_every_template_is_used() -> None:
    assert made("coucou", "salut") == {"coucou", "salut"}


def test_alternatives_lists_and_numbers_are_drawn() -> None:
    filled = made("{|a }{street}{ {1-3}|}", street=["rue Foch"])
    assert filled == {f"{a}rue foch{b}" for a in ("", "a ") for b in (" 1", " 2", " 3", "")}


def test_list_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError, match="town"):
        made("{town}")


def test_message_is_written_in_one_way() -> None:
    maker = Maker({"message": ["Été ⟨12 Allée Zoé⟩ là"]}, seed=1)
    texts = {maker.message().text for _ in range(400)}
    assert texts == {
        "Été 12 Allée Zoé là",
        "été 12 allée zoé là",
        "ete 12 allee zoe la",
        "ÉTÉ 12 ALLÉE ZOÉ LÀ",
    }


def test_addresses_are_where_the_spans_say() -> None:
    # In capitals "ß" is two letters.
    maker = Maker({"message": ["ß {ok|} ⟨1 rue A⟩, puis ⟨2 rue ß⟩"]}, seed=1)
    for one in (maker.message() for _ in range(200)):
        cut = [fold(one.text[start:end]) for start, end, _ in one.spans]
        assert cut in (["1 rue a", "2 rue ß"], ["1 rue a", "2 rue ss"])


def test_chain_holds_words_in_an_order_of_the_texts() -> None:
    texts = ["je suis là", "tu es là", "je viens"]
    pairs = {pair for text in texts for pair in pairwise(["", *text.split(), ""])}
    for sentence in islice(markov_chain(texts, seed=1), 50):
        assert set(pairwise(["", *sentence.split(), ""])) <= pairs


def test_chain_that_would_not_end_is_cut() -> None:
    assert len(next(markov_chain(["ha ha " * 5000], seed=1)).split()) <= 40
