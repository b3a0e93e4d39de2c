"""Templates are filled by chance; spans say where the addresses are."""

from itertools import islice, pairwise

import pytest

from triage.dictionaries.normal import fold
from triage.evaluation.address_crf import Maker, markov_chain


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
