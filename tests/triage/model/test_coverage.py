"""Finds of messages, the risk of what stays, and marked identifiers that stand."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from triage import Triage
from triage.decide.pipeline import with_user_lists
from triage.model.find import Coverage, ScoredMessages, coverage, standing
from triage.vocabulary import Action


def scored(triage: Triage, messages: Sequence[str]) -> ScoredMessages:
    return triage.score(triage.labeller.label(messages), [""] * len(messages))


def covered(triage: Triage, *messages: str) -> Coverage:
    found = coverage(scored(triage, messages))
    assert found is not None
    return found


def test_what_is_replaced_bears_no_risk_and_doubtful_words_do(shipped: Triage) -> None:
    of = covered(
        shipped,
        *("Coucou Patrice", "ok a plus", "appelle le 06 39 98 12 34", "tu viens avec perle?"),
        *("vu poilpray hier", "vu lucas poilpray hier"),
    )
    assert of.found.tolist()[:3] == [1, 0, 2]
    surely, none, _, doubtful, alone, beside_first_name = of.risk
    assert none < 0.01
    assert surely < 0.05 < doubtful
    assert beside_first_name < alone


def test_a_word_of_the_users_list_is_replaced_or_read(shipped: Triage, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("cahier\n", encoding="utf-8")
    lexicon = with_user_lists(shipped.lexicon, [tmp_path / "names.txt"], [])
    [action] = Triage(lexicon, shipped.model).decide(["j'ai oublié mon cahier"]).action
    [without] = shipped.decide(["j'ai oublié mon cahier"]).action
    assert (action is Action.NTA, without) == (False, Action.NTA)


def test_without_weights_of_words_nothing_is_covered() -> None:
    plain = Triage.load("fr", features="patel2013")
    assert coverage(scored(plain, ["Coucou Patrice"])) is None


@pytest.mark.parametrize(
    ("marked", "stands"),
    [((7, 14), False), ((0, 6), True), ((7, 7), False), ((12, 20), False)],
)
def test_an_identifier_stands_if_none_of_its_characters_is_replaced(
    shipped: Triage, marked: tuple[int, int], stands: bool
) -> None:
    of = scored(shipped, ["Coucou Patrice, ça va ?", "Coucou Patrice, ça va ?"])
    assert standing(of, [[(*marked, "PRE")], []]).tolist() == [stands, False]
