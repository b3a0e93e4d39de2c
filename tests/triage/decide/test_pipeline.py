"""The pipeline: messages in, decisions out, with reasons, also line by line and in threads."""

import json
import sys
import tracemalloc
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, product
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.triage.conftest import SAMPLE
from triage import Triage, gather_partition, shared
from triage.decide.language import guess_language
from triage.decide.pipeline import Decisions, explain
from triage.decide.run import LineStream
from triage.decide.tables import COLUMNS, messages_of
from triage.decide.verdicts import evidence_texts, verdicts
from triage.dictionaries import Lexicon, Role, WordList, label_messages
from triage.errors import TriageError
from triage.model.learnt import Model, save_model
from triage.settings import Setup
from triage.vocabulary import Prediction

CASES = cases_beside(__file__)

FIVE = [*COLUMNS]
MESSAGES: list[str] = CASES["messages"]


@pytest.fixture(scope="module")
def decided(shipped: Triage) -> pd.DataFrame:
    return shipped.classify(MESSAGES)


def test_a_table_keeps_its_index_and_other_columns(shipped: Triage, decided: pd.DataFrame) -> None:
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


@pytest.mark.parametrize(("message", "is_of_nobody"), CASES["what_a_chat_writes_itself"])
def test_notices_of_a_chat_are_not_read(shipped: Triage, message: str, is_of_nobody: bool) -> None:
    [action] = shipped.classify([message])["action"]
    assert (action == "NTA") is is_of_nobody


def test_a_model_warns_where_dictionaries_changed(tmp_path: Path, numbers_are_ta: Model) -> None:
    elsewhere = replace(numbers_are_ta.manifest, dictionaries="0" * 64)
    save_model(numbers_are_ta, tmp_path / "same")
    save_model(replace(numbers_are_ta, manifest=elsewhere), tmp_path / "other")
    same, other = (
        Triage.load("fr", model=tmp_path / name, policy="agreement") for name in ("same", "other")
    )
    assert same.decide(["0 1 2 3 4 5 6 7 8 9", "ok"]).model == [Prediction.TA, Prediction.NTA]
    assert same.warning == ""
    assert "other dictionaries" in other.warning


@pytest.mark.parametrize("messages", [[], [""], ["", "   "], ["\n"]])
def test_messages_without_a_word_are_nta(messages: list[str], shipped: Triage) -> None:
    for given_as in (messages, pd.Series(messages, dtype=object), pd.DataFrame({"text": messages})):
        found = shipped.classify(given_as)
        assert list(found.columns)[-5:] == FIVE
        assert found["action"].tolist() == ["NTA"] * len(messages)


def test_a_missing_message_is_an_empty_one_and_a_number_is_read_as_text(shipped: Triage) -> None:
    table = pd.DataFrame({"text": [None, float("nan"), pd.NA, pd.NaT, 639981234]}, dtype=object)
    found = shipped.classify(table, corpus_evidence=False)
    expected = shipped.classify(["", "", "", "", "639981234"])
    assert found[FIVE].to_numpy().tolist() == expected[FIVE].to_numpy().tolist()
    assert found["text"].isna().tolist() == [True] * 4 + [False]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, "", " "], ids=repr)
def test_senders_that_are_missing_in_a_table_are_unknown(missing: object, shipped: Triage) -> None:
    nobody = pd.DataFrame({"text": pd.read_csv(SAMPLE)["text"].fillna("")})
    told = nobody.assign(sender=pd.Series([missing] * len(nobody), dtype=object))
    expected = shipped.classify(nobody, corpus_evidence=True)
    found = shipped.classify(told, sender_column="sender", corpus_evidence=True)
    pd.testing.assert_frame_equal(found.drop(columns="sender"), expected)


def test_the_columns_of_a_table_have_usual_names_or_are_named(shipped: Triage) -> None:
    table = pd.DataFrame({"Expéditeur": ["ana", "bob"], "Contenu": ["vois Namrata", "ok"]})
    for names in (("Contenu", "Expéditeur"), ("2", "1")):
        named = shipped.classify(table, names[0], sender_column=names[1])
        pd.testing.assert_frame_equal(shipped.classify(table), named)
    table = pd.DataFrame({"text": ["Ok"], "SMS_ANON": ["Coucou Patrice"]})
    assert shipped.classify(table, "SMS_ANON")["seek_hide"].tolist() == ["TA"]
    # Messages in a column with a usual name of senders are nobody's.
    told = pd.DataFrame({"from": ["Coucou Patrice", "ok"]})
    assert messages_of(told, "from").senders == ["", ""]
    # Of two columns with a usual name of senders the first is one.
    twice = pd.DataFrame([["ok", "ana", "bob"]], columns=["text", "sender", "sender"])
    assert messages_of(twice).senders == ["ana"]
    with pytest.raises(TriageError, match="'from' is the column of messages: name another"):
        shipped.classify(told, "from", sender_column="1")


@pytest.mark.parametrize(("columns", "column", "problem"), CASES["no_table"])
def test_what_is_no_table_of_messages_is_an_error(
    columns: list[str], column: str, problem: str, shipped: Triage
) -> None:
    with pytest.raises(TriageError, match=problem):
        shipped.classify(pd.DataFrame([["Ok", "Oui"]], columns=columns), column or None)


def test_what_is_no_list_of_messages_is_an_error(shipped: Triage) -> None:
    nothings: list[Any] = ["Coucou", None, 7, b"Coucou", {"text": ["Coucou"]}]
    for nothing in nothings:
        with pytest.raises(TriageError, match="messages are a list of texts, or a table"):
            shipped.classify(nothing)
    for use in (shipped.decide, shipped.identifiers):
        with pytest.raises(TriageError, match="messages are a list of texts, not one text"):
            use("Coucou")


NO_TEXTS: Any = ["Al"], ("Al", "Zoé"), {"text": "Al"}, b"Al", np.array(["Al", "Zoé"])


@pytest.mark.parametrize("cell", NO_TEXTS, ids=lambda cell: type(cell).__name__)
def test_a_cell_that_is_no_text_is_an_error(cell: Any, shipped: Triage) -> None:
    column = pd.Series(["ok", cell], dtype=object)
    problem = f"message 2 is of the type {type(cell).__name__}: give texts"
    for table in (["ok", cell], column, pd.DataFrame({"text": column, "sender": "ana"})):
        with pytest.raises(TriageError, match=problem):
            shipped.classify(table)
    with pytest.raises(TriageError, match=problem):
        shipped.identifiers(["ok", cell])
    with pytest.raises(TriageError, match=problem):
        gather_partition(pd.DataFrame({"text": column}))


def test_an_array_has_one_column(shipped: Triage) -> None:
    texts = np.array([["Coucou Patrice"], ["ok"]], dtype=object)
    assert shipped.classify(texts)["action"].tolist() == ["TA", "NTA"]
    with pytest.raises(TriageError, match="message 1 is of the type ndarray"):
        shipped.classify(np.hstack([texts, texts]))


def test_half_of_a_character_is_read_as_in_a_file(shipped: Triage) -> None:
    found = shipped.classify(["Patrice\ud83d arrive"])["evidence"].tolist()
    assert found == shipped.classify(["Patrice\ufffd arrive"])["evidence"].tolist()


def test_columns_may_be_called_by_numbers(shipped: Triage) -> None:
    table = pd.DataFrame({0: ["Coucou Patrice"], 1: ["ok"]})
    found = shipped.classify(table, 0, sender_column=1)  # type: ignore[arg-type]
    assert found["action"].tolist() == ["TA"]
    pd.testing.assert_frame_equal(found, shipped.classify(table, "0", sender_column="1"))


@pytest.mark.parametrize(("lists", "message", "verdict"), CASES["lists_of_users"])
def test_a_users_names_become_names_and_words_words(
    lists: dict[str, list[str]], message: str, verdict: str, tmp_path: Path
) -> None:
    options: dict[str, list[Path]] = {}
    for option, words in lists.items():
        options[option] = [tmp_path / f"my_{option}_{number}.txt" for number in range(len(words))]
        for path, word in zip(options[option], words, strict=True):
            path.write_text(word, encoding="utf-8")
    assert Triage.load("fr", **options).decide([message]).seek_hide == [verdict]


N_THREADS = 6
MANY = [" ".join(words) for words in product(*CASES["parts"])]


def test_threads_that_share_a_pipeline_get_the_answers_of_one(shipped: Triage) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # let threads take turns as often as they can
    expected = [*Triage(shipped.lexicon, shipped.model).decide(MANY).rows()]
    firsts = [thread * len(MANY) // N_THREADS for thread in range(N_THREADS)]
    try:
        for _ in range(3):
            new, start = Triage(shipped.lexicon, shipped.model), Barrier(N_THREADS)

            def decide(first: int, new: Triage = new, start: Barrier = start) -> Decisions:
                start.wait()  # so that all meet the same words for the first time
                return new.decide(MANY[first:] + MANY[:first])

            with ThreadPoolExecutor(N_THREADS) as threads:
                for first, decisions in zip(firsts, threads.map(decide, firsts), strict=True):
                    assert [*decisions.rows()] == expected[first:] + expected[:first]
    finally:
        sys.setswitchinterval(interval)


def test_threads_load_the_shared_pipeline_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Setup] = []

    def load(setup: Setup) -> object:
        loaded.append(setup)
        return object()

    monkeypatch.setattr("triage.decide.pipeline._loaded", lru_cache(load))
    with ThreadPoolExecutor(N_THREADS) as threads:
        found = list(threads.map(shared, ["fr"] * N_THREADS))
    assert loaded == [Setup("fr")]
    assert all(one is found[0] for one in found)


SEEK_HIDE = cases_beside(__file__, "seek_hide.toml")
# Lists so short that a test can say what each word is.
FEW_WORDS = Lexicon(
    [
        WordList("first_names", Role.DICTIONARY, ("zoé", "pierre")),
        WordList("forms", Role.ANTI_DICTIONARY, ("une", "pierre", "crayon", "coucou")),
    ]
)
SHOWN_NAME = "«zoé» DICTIONARY (first_names)"


@pytest.mark.parametrize(("message", "verdict", "strict"), SEEK_HIDE["verdicts"])
def test_a_name_is_ta_and_doubt_is_untagged_of_the_strict_reading_any_doubt(
    message: str, verdict: str, strict: str
) -> None:
    labelled = label_messages(["coucou", message, "zoé"], FEW_WORDS)
    assert verdicts(labelled) == ["NTA", verdict, "TA"]
    assert verdicts(labelled, strict=True) == ["NTA", strict, "TA"]


@pytest.mark.parametrize(("message", "strict", "shown"), SEEK_HIDE["evidence"])
def test_the_evidence_is_the_words_that_decided(message: str, strict: bool, shown: str) -> None:
    labelled = label_messages(["une crayon", message, "zoé"], FEW_WORDS)
    assert evidence_texts(labelled, verdicts(labelled, strict)) == ["", shown, SHOWN_NAME]


@pytest.mark.parametrize("word", ["xq" * 50_000, "x" * 100_000])
def test_twelve_words_are_shown_and_one_without_end_is_cut(word: str) -> None:
    labelled = label_messages(
        [" ".join(f"xq{one}zt" for one in "abcdefghijklmnop"), word], FEW_WORDS
    )
    many, long = evidence_texts(labelled, verdicts(labelled))
    assert many.count(" | ") == 11
    assert long.startswith(f"«{word[:60]}…»")
    assert len(long) < 200


def test_a_word_has_its_evidence_and_what_told_for_it(shipped: Triage) -> None:
    explained = explain(shipped, "tu vas chez pierre")
    words = {word["text"]: word for word in explained["words"]}
    name, other = words["pierre"], words["vas"]
    assert name["evidence"] > 0.5 > other["evidence"]
    assert "after: chez" in name["because"]
    assert other["because"] == []
    assert list(explained["features"]) == list(shipped.model.manifest.columns)


def test_a_model_that_weighs_no_words_gives_no_evidence() -> None:
    [word] = explain(Triage.load("fr", features="patel2013"), "Patrice")["words"]
    assert (word["evidence"], word["because"]) == (None, [])


def test_every_word_is_explained_in_order_by_its_lists_its_rule_or_its_kind(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[badge]\ntype = "COD"\nregex = "zx[0-9]{3}"\n', encoding="utf-8")
    words = explain(Triage.load("fr", recognisers=[own]), CASES["explained"])["words"]
    assert [[one["text"], one["label"], one["reason"]] for one in words] == CASES["words"]


LANGUAGES = cases_beside(__file__, "language.toml")
FRENCH, FINNISH = LANGUAGES["french"], LANGUAGES["finnish"]


@pytest.mark.parametrize(
    ("messages", "language"),
    # The first thousand messages tell.
    [
        *LANGUAGES["few_words"],
        *((messages, "fr") for messages in (FRENCH, [], ["lol ok bye"] * 1000)),
        ([*FRENCH * 250, *FINNISH * 3000], "fr"),
    ],
)
def test_words_tell_a_language_and_another_one_is_said(messages: list[str], language: str) -> None:
    found, note = guess_language(messages)
    assert (found, bool(note)) == (language, language == "en")


TEXTS = ["Coucou Patrice", "j'arrive", "appelle moi au 06 39 98 12 34", "à 2m1 Zoé 😀", ""]
LINES = [json.dumps({"n": n, "text": text}, ensure_ascii=False) for n, text in enumerate(TEXTS)]


def answers(triage: Triage, parts: Iterable[bytes], column: str | None = None) -> list[bytes]:
    return b"".join(LineStream(triage, column).answers(parts)).splitlines()


def test_an_answer_is_the_object_with_the_decision(shipped: Triage) -> None:
    found = [json.loads(line) for line in answers(shipped, ["\n".join(LINES).encode()])]
    expected = shipped.classify(TEXTS)
    assert [*found[0]] == ["n", "text", *COLUMNS]
    assert [one["text"] for one in found] == TEXTS
    for column in COLUMNS:
        assert [one[column] for one in found] == expected[column].tolist()


@given(st.data())
def test_it_does_not_matter_how_lines_are_cut(shipped: Triage, data: st.DataObject) -> None:
    whole = ("\r\n".join(LINES) + "\n\nno JSON\n").encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    ends = [0, *cuts, len(whole)]
    parts = [whole[a:b] for a, b in pairwise(ends)]
    assert answers(shipped, parts) == answers(shipped, [whole])


@pytest.mark.parametrize(("line", "error"), cases_beside(__file__, "line_stream.toml")["no_lines"])
def test_a_line_that_cannot_be_decided_is_answered(line: str, error: str, shipped: Triage) -> None:
    stream = LineStream(shipped)
    content = f'\n{line * 100_000 if line == "[" else line}\n{{"text": "ok"}}\n'.encode("latin-1")
    wrong, right = b"".join(stream.answers([content])).splitlines()
    assert json.loads(wrong)["line"] == 2
    assert json.loads(wrong)["error"].startswith(error)
    assert json.loads(right)["action"] == "NTA"
    assert (stream.n_decided, stream.n_rejected) == (1, 1)


def test_an_endless_line_fills_no_memory(shipped: Triage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.decide.run.LONGEST_ROW", 100_000)
    parts = [*[b"x" * 100_000] * 50, b'\n{"text": "ok"}\n']
    tracemalloc.start()
    found = [json.loads(line) for line in answers(shipped, parts)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found[0] == {"line": 1, "error": "more than 100,000 bytes"}
    assert found[1]["action"] == "NTA"
    # The parts alone are 5 MB.
    assert peak < 2_000_000


def test_half_a_character_stays_as_it_was_and_a_byte_order_mark_is_none(shipped: Triage) -> None:
    [found] = answers(shipped, [b'\xef\xbb\xbf{"text": "ok \\ud83d"}'])
    assert b"\\ud83d" in found
