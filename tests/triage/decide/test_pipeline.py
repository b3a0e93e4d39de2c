"""The pipeline: messages in, decisions out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage import Triage
from triage.decide.agreement import TABLE
from triage.decide.pipeline import COLUMNS
from triage.dictionaries import DictionaryError, Lexicon
from triage.errors import TriageError
from triage.model.learnt import Model
from triage.model.store import save_model
from triage.vocabulary import Prediction, Verdict

FIVE = ["seek_hide", "model", "model_score", "action", "evidence"]
MESSAGES = [
    "Coucou Patrice, ça va ?",
    "J'arrive",
    "tu vas chez pierre",
    "Mon num 06 39 98 12 34",
    "mdrrrr 😂😂",
    "",
    "j'ai vu Xqztlu hier",
]


@pytest.fixture(scope="module")
def decided(shipped: Triage) -> pd.DataFrame:
    return shipped.classify(MESSAGES)


def test_there_are_five_columns_of_decisions(decided: pd.DataFrame) -> None:
    assert list(COLUMNS) == FIVE
    assert list(decided.columns) == ["text", *FIVE]


def test_a_list_is_decided_message_by_message(decided: pd.DataFrame) -> None:
    assert decided["text"].tolist() == MESSAGES
    assert decided["seek_hide"].tolist() == [
        "TA",
        "NTA",
        "UNTAGGED",
        "TA",
        "NTA",
        "NTA",
        "UNTAGGED",
    ]


def test_votes_are_combined_by_the_agreement_table_where_that_is_asked_for(
    shipped: Triage,
) -> None:
    decided = Triage(shipped.lexicon, shipped.model, policy="agreement").classify(MESSAGES)
    votes = zip(decided["seek_hide"], decided["model"], strict=True)
    actions = [TABLE[Verdict(verdict), Prediction(vote)] for verdict, vote in votes]
    assert decided["action"].tolist() == actions


def test_scores_lie_between_nought_and_one_with_four_decimals(decided: pd.DataFrame) -> None:
    assert decided["model_score"].between(0, 1).all()
    assert decided["model_score"].tolist() == decided["model_score"].round(4).tolist()


def test_the_vote_follows_the_score_that_is_shown(decided: pd.DataFrame, shipped: Triage) -> None:
    is_ta = decided["model_score"] >= shipped.model.manifest.ta_from
    assert decided["model"].tolist() == np.where(is_ta, "TA", "NTA").tolist()


def test_a_clear_name_is_to_anonymise(shipped: Triage) -> None:
    [row] = shipped.classify(["Coucou Patrice, ça va?"]).to_dict("records")
    assert (row["seek_hide"], row["model"], row["action"]) == ("TA", "TA", "TA")


def test_a_series_keeps_its_index(shipped: Triage, decided: pd.DataFrame) -> None:
    labels = [f"m{number}" for number in range(len(MESSAGES))]
    messages = pd.Series(MESSAGES, index=labels, name="SMS")
    found = shipped.classify(messages, corpus_evidence=False)
    assert found.index.tolist() == labels
    assert found[FIVE].to_numpy().tolist() == decided[FIVE].to_numpy().tolist()


def test_a_table_keeps_its_index_and_its_other_columns(
    shipped: Triage, decided: pd.DataFrame
) -> None:
    table = pd.DataFrame(
        {"sender": range(7), "text": MESSAGES, "date": pd.date_range("2011-09-17", periods=7)},
        index=[9, 8, 8, 7, -1, 0, 3],
    )
    before = table.copy(deep=True)
    found = shipped.classify(table, corpus_evidence=False)
    pd.testing.assert_frame_equal(found[["sender", "text", "date"]], before)
    pd.testing.assert_frame_equal(table, before)
    assert list(found.columns) == ["sender", "text", "date", *FIVE]
    assert found[FIVE].to_numpy().tolist() == decided[FIVE].to_numpy().tolist()


def test_the_text_column_of_a_table_can_be_named(shipped: Triage) -> None:
    table = pd.DataFrame({"text": ["Ok"], "SMS_ANON": ["Coucou Patrice"]})
    assert shipped.classify(table, text_column="SMS_ANON")["seek_hide"].tolist() == ["TA"]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_a_missing_message_is_an_empty_one(missing: object, shipped: Triage) -> None:
    table = pd.DataFrame({"text": [missing, "Coucou Patrice"]})
    found = shipped.classify(table, corpus_evidence=False)
    empty = shipped.classify([""])[FIVE].to_numpy().tolist()
    assert found[FIVE].to_numpy().tolist()[:1] == empty
    assert found["text"].isna().tolist() == [True, False]


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_a_column_of_any_text_type_is_decided(
    dtype: str, shipped: Triage, decided: pd.DataFrame
) -> None:
    table = pd.DataFrame({"text": pd.Series(MESSAGES, dtype=dtype)})
    found = shipped.classify(table, corpus_evidence=False)
    assert found[FIVE].to_numpy().tolist() == decided[FIVE].to_numpy().tolist()


def test_a_message_that_is_a_number_is_read_as_text(shipped: Triage) -> None:
    found = shipped.classify(pd.DataFrame({"text": [639981234, 7]}))
    assert found["text"].tolist() == [639981234, 7]
    assert found["action"].isin(["TA", "NTA", "EXPERT"]).all()


@pytest.mark.parametrize("nothing", [[], pd.Series([], dtype=object), pd.DataFrame({"text": []})])
def test_no_messages_have_no_decisions(nothing: Any, shipped: Triage) -> None:  # noqa: ANN401
    found = shipped.classify(nothing)
    assert list(found.columns) == ["text", *FIVE]
    assert len(found) == 0


@pytest.mark.parametrize("messages", [[""], ["", "   "], ["\n"]])
def test_messages_without_a_word_are_nta(messages: Sequence[str], shipped: Triage) -> None:
    assert shipped.classify(messages)["action"].tolist() == ["NTA"] * len(messages)


def test_the_same_messages_are_decided_alike_twice(shipped: Triage, decided: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(shipped.classify(MESSAGES), decided)


def test_another_pipeline_decides_alike(decided: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(Triage.load("fr").classify(MESSAGES), decided)


def test_one_call_or_many_decide_alike(shipped: Triage, decided: pd.DataFrame) -> None:
    apart = pd.concat([shipped.classify([message]) for message in MESSAGES], ignore_index=True)
    pd.testing.assert_frame_equal(apart, decided)


WORDS = ["coucou", "Patrice", "pierre", "Xqztlu", "nicooolas", "06 39 98 12 34", "😂", "12", "!"]


@settings(max_examples=25, deadline=None)
@given(
    messages=st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), min_size=1),
    chance=st.randoms(use_true_random=False),
)
def test_the_order_of_messages_is_of_no_account(
    messages: list[str],
    chance: Random,
    shipped: Triage,
) -> None:
    shuffled = chance.sample(messages, len(messages))
    rows = zip(messages, shipped.decide(messages).rows(), strict=True)
    others = zip(shuffled, shipped.decide(shuffled).rows(), strict=True)
    assert sorted(rows, key=repr) == sorted(others, key=repr)


def test_the_strict_reading_leaves_more_untagged(french: Lexicon, numbers_are_ta: Model) -> None:
    message = ["Patrice xqztlu"]
    default, strict = (Triage(french, numbers_are_ta, strict=way) for way in (False, True))
    assert default.decide(message).seek_hide == [Verdict.TA]
    assert strict.decide(message).seek_hide == [Verdict.UNTAGGED]


def test_decisions_are_rows_of_plain_values(shipped: Triage) -> None:
    [row] = shipped.decide(["Coucou Patrice"]).rows()
    assert [type(cell) for cell in row] == [str, str, float, str, str]


@pytest.mark.parametrize("column", FIVE)
def test_a_table_that_was_triaged_before_is_an_error(column: str, shipped: Triage) -> None:
    table = pd.DataFrame({"text": ["Ok"], column: ["?"]})
    with pytest.raises(TriageError, match=f"has a column '{column}' already"):
        shipped.classify(table)


def test_a_missing_text_column_is_an_error_that_lists_those_there_are(shipped: Triage) -> None:
    table = pd.DataFrame({"num": [1], "SMS": ["Ok"]})
    with pytest.raises(TriageError, match="no column 'corps'; there are: num, SMS"):
        shipped.classify(table, "corps")


def test_the_columns_of_a_table_are_those_with_usual_names(shipped: Triage) -> None:
    table = pd.DataFrame({"Expéditeur": ["ana", "bob"], "Contenu": ["vois Namrata", "ok"]})
    named = shipped.classify(table, "Contenu", sender_column="Expéditeur")
    pd.testing.assert_frame_equal(shipped.classify(table), named)


def test_a_column_may_be_named_by_its_number(shipped: Triage) -> None:
    table = pd.DataFrame({"num": [1], "corps": ["Coucou Patrice"]})
    assert shipped.classify(table, "2")["action"].tolist() == ["TA"]


def test_a_table_without_a_usual_name_says_how_to_name_the_column(shipped: Triage) -> None:
    with pytest.raises(TriageError, match="name it with text_column; there are: id, corps"):
        shipped.classify(pd.DataFrame({"id": [1], "corps": ["Ok"]}))


@pytest.mark.parametrize("nothing", ["Coucou Patrice", None, 7])
def test_what_is_no_list_of_messages_is_an_error(nothing: Any, shipped: Triage) -> None:  # noqa: ANN401
    with pytest.raises(TriageError, match="messages are a list of texts, or a table"):
        shipped.classify(nothing)


@pytest.mark.parametrize("dtype", ["string[pyarrow]", "string[python]", "str"])
def test_the_text_types_of_pandas_are_alike(dtype: str, shipped: Triage) -> None:
    table = pd.DataFrame({"text": [*MESSAGES, None]})
    typed = table.astype({"text": dtype})
    assert shipped.classify(typed)[FIVE].equals(shipped.classify(table)[FIVE])


def test_a_table_or_a_column_of_arrow_is_decided_like_one_of_pandas(shipped: Triage) -> None:
    table = pa.table({"sender": ["ana", "bob"], "text": ["vois Namrata", None]})
    decided = shipped.classify(table)
    pd.testing.assert_frame_equal(decided, shipped.classify(table.to_pandas()))
    column = shipped.classify(table["text"])
    pd.testing.assert_frame_equal(column, shipped.classify(table.to_pandas()["text"]))


def test_a_table_or_a_column_of_polars_is_decided_like_one_of_pandas(shipped: Triage) -> None:
    table = pl.DataFrame({"sender": ["ana", "bob"], "text": ["vois Namrata", None]})
    expected = shipped.classify(pd.DataFrame(table.to_dict(as_series=False)))
    assert shipped.classify(table)[FIVE].equals(expected[FIVE])
    assert len(shipped.classify(table["text"])) == 2


def test_a_table_that_only_exports_arrow_is_decided_too(shipped: Triage) -> None:
    table = pa.table({"text": MESSAGES})

    class Exporting:
        def __arrow_c_stream__(self, schema: object = None) -> object:
            return table.__arrow_c_stream__(schema)

    pd.testing.assert_frame_equal(shipped.classify(Exporting()), shipped.classify(table))


def test_two_text_columns_are_an_error(shipped: Triage) -> None:
    table = pd.DataFrame([["Ok", "Oui"]], columns=["text", "text"])
    with pytest.raises(TriageError, match="more than one column 'text'"):
        shipped.classify(table)


def test_a_language_without_dictionaries_is_an_error() -> None:
    with pytest.raises(DictionaryError, match="'oc'; there are: en, fr, none"):
        Triage.load("oc")


@pytest.fixture
def word_list(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, *words: str) -> Path:
        path = tmp_path / name
        path.write_text("\n".join(words), encoding="utf-8")
        return path

    return write


def test_a_users_names_become_names(shipped: Triage, word_list: Callable[..., Path]) -> None:
    message = ["j'ai vu xqztlu hier"]
    assert shipped.decide(message).seek_hide == [Verdict.UNTAGGED]
    mine = Triage.load("fr", names=[word_list("my_names.txt", "Xqztlu")])
    decided = mine.decide(message)
    assert decided.seek_hide == [Verdict.TA]
    assert decided.evidence[0].startswith("«xqztlu» DICTIONARY (my_names) 0.")


def test_a_users_words_become_words(shipped: Triage, word_list: Callable[..., Path]) -> None:
    message = ["un xqztlu"]
    assert shipped.decide(message).seek_hide == [Verdict.UNTAGGED]
    mine = Triage.load("fr", words=[word_list("my_words.txt", "xqztlu")])
    assert mine.decide(message).seek_hide == [Verdict.NTA]


def test_a_name_that_the_user_calls_a_word_is_a_word(word_list: Callable[..., Path]) -> None:
    mine = Triage.load("fr", words=[word_list("my_words.txt", "Patrice")])
    assert mine.decide(["Patrice"]).seek_hide == [Verdict.NTA]


def test_several_lists_of_a_user_add_up(word_list: Callable[..., Path]) -> None:
    lists = [word_list("a.txt", "xqztlu"), word_list("b.txt", "vbnmio")]
    mine = Triage.load("fr", names=list(map(str, lists)))
    assert mine.decide(["xqztlu", "vbnmio"]).seek_hide == [Verdict.TA, Verdict.TA]


def test_user_lists_leave_the_pack_as_it_is(
    shipped: Triage, word_list: Callable[..., Path]
) -> None:
    Triage.load("fr", names=[word_list("my_names.txt", "xqztlu")])
    assert shipped.decide(["un xqztlu"]).seek_hide == [Verdict.UNTAGGED]
    assert Triage.load("fr").decide(["un xqztlu"]).seek_hide == [Verdict.UNTAGGED]


@pytest.mark.parametrize("name", ["first_names.txt", "cities.txt"])
def test_a_list_called_like_one_of_the_pack_is_an_error(
    name: str, word_list: Callable[..., Path]
) -> None:
    with pytest.raises(TriageError, match=r"two lists are called .*: rename the file"):
        Triage.load("fr", names=[word_list(name, "xqztlu")])


def test_a_model_of_ones_own_decides(model_path: Path, numbers_are_ta: Model) -> None:
    mine = Triage.load("fr", model=str(model_path))
    assert mine.decide(["0 1 2 3 4 5 6 7 8 9", "ok"]).model == [Prediction.TA, Prediction.NTA]
    assert mine.model.manifest.n_ta == numbers_are_ta.manifest.n_ta


def test_a_model_learnt_with_other_dictionaries_is_used_with_a_warning(
    tmp_path: Path, numbers_are_ta: Model
) -> None:
    model = numbers_are_ta
    save_model(model, tmp_path / "same")
    elsewhere = replace(model.manifest, dictionaries="0" * 64)
    save_model(replace(model, manifest=elsewhere), tmp_path / "other")
    same, other = (
        Triage.load("fr", model=tmp_path / name, policy="agreement") for name in ("same", "other")
    )
    assert same.warning == ""
    assert "other dictionaries" in other.warning
