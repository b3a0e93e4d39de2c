"""The functions of the package give what the commands write, and name their own keywords."""

import re
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import triage
from tests.cases import cases_beside
from tests.data.files import file_of
from tests.tables import write_key
from tests.triage.cli.program import Run
from tests.triage.conftest import SAMPLE
from triage.data import DataError
from triage.decide.source import Source
from triage.errors import TriageError

pytestmark = pytest.mark.usefixtures("own_folder")
CASES = cases_beside(__file__)
TABLE = pd.DataFrame(CASES["rows"], columns=["expéditeur", "texte"])


@pytest.fixture
def file(own_folder: Path) -> Path:
    TABLE.to_csv("sms.csv", index=False)
    return Path("sms.csv")


@pytest.fixture
def decided() -> pd.DataFrame:
    table: pd.DataFrame = triage.classify(TABLE)
    return table


def test_a_file_is_read_as_it_is(file: Path) -> None:
    pd.testing.assert_frame_equal(triage.read(file), TABLE)


def test_rows_that_cannot_be_read_are_left_out_with_a_warning() -> None:
    path = Path("sms.jsonl")
    path.write_text('{"text": "ok"}\n{"text": \n{"text": "oui"}\n', encoding="utf-8")
    with pytest.warns(UserWarning, match="1 row cannot be read .* line 2") as told:
        assert triage.read(path)["text"].tolist() == ["ok", "oui"]
    with pytest.warns(UserWarning, match="1 row cannot be read") as told_again:
        triage.classify(path)
    assert [one.filename for one in (*told, *told_again)] == [__file__] * 2


def test_the_sample_is_decided_as_the_command_decides_it(run: Run) -> None:
    run("classify", SAMPLE, "-o", Path("out.csv"))
    written = pd.read_csv(Path("out.csv"))["action"].tolist()
    assert triage.classify(pd.read_csv(SAMPLE))["action"].tolist() == written
    assert triage.classify(SAMPLE)["action"].tolist() == written


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("use", [triage.classify, triage.explain, triage.identifiers])
def test_a_string_is_one_message_and_a_file_is_a_path(use: Callable[..., pd.DataFrame]) -> None:
    assert {*use("Coucou Patrice").get("message", [0])} == {0}
    with pytest.raises(TriageError, match=r"'sms\.csv' is the name of a file: say Path"):
        use("sms.csv")


def test_names_are_words_or_lists_or_both() -> None:
    ours = Path("ours.txt")
    ours.write_text("Kelmina\n", encoding="utf-8")

    def actions(names: object, words: object = ()) -> list[str]:
        table = triage.classify(["Zorvanelle", "Kelmina"], names=names, words=words)
        return [one if one == "TA" else "" for one in table["action"]]

    assert actions("Zorvanelle") == ["TA", ""]
    assert actions(ours) == ["", "TA"]
    assert actions(["Zorvanelle", ours]) == ["TA", "TA"]
    with pytest.raises(TriageError, match=r"say Path\('ours.txt'\)"):
        actions("ours.txt")


def test_the_first_messages_tell_their_language_which_is_said(english_messages: list[str]) -> None:
    table = pd.DataFrame({"text": english_messages})
    with pytest.warns(UserWarning, match="decided as English .* chosen with language") as told:
        decided = triage.classify(table)
    assert told[0].filename == __file__
    assert decided.attrs["language"] == "en"
    pd.testing.assert_frame_equal(decided, triage.Triage.load("en").classify(table))


def test_a_table_is_anonymised_in_the_language_that_it_was_decided_in(
    english_messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = triage.classify(pd.DataFrame({"text": english_messages}), language="en")
    # Too few words to guess by.
    few = decided[decided["text"].str.contains("Priya")]
    anonymising, asked = import_module("triage.api.anonymising"), list[str]()
    pipeline_of = anonymising.pipeline_of

    def noting(setup: triage.Setup, messages: Iterable[str]) -> object:
        asked.append(str(setup.language))
        return pipeline_of(setup, messages)

    monkeypatch.setattr(anonymising, "pipeline_of", noting)
    assert triage.entities(few)["spellings"].tolist() == ["Priya"]
    assert asked == ["en"]


@pytest.mark.parametrize("use", [triage.identifiers, triage.check, triage.mine, triage.explain])
def test_all_guess_the_language(use: Callable[..., object], english_messages: list[str]) -> None:
    with pytest.warns(UserWarning, match="decided as English"):
        use(pd.DataFrame({"text": english_messages}))


def test_a_table_is_anonymised_as_its_file_is(decided: pd.DataFrame, file: Path, run: Run) -> None:
    run("classify", file)
    run("anonymise", Path("sms.triage.csv"), "-o", Path("anon.csv"))
    written = pd.read_csv(Path("anon.csv"), dtype=str)
    for messages in (decided, Path("sms.triage.csv")):
        found = triage.anonymise(messages)
        pd.testing.assert_frame_equal(found.astype(str), written, check_dtype=False)


@pytest.mark.parametrize("left", [["ok"], []])
def test_what_is_held_back_is_told_and_nothing_may_be_left(left: list[str]) -> None:
    actions = ["NTA"] * len(left) + ["EXPERT"]
    found = triage.anonymise(pd.DataFrame({"text": [*left, "Xqztlu"], "action": actions}))
    assert ([*found], found["text"].tolist()) == (["text"], left)
    [held] = found.attrs["held"]
    assert (held["row"], held["reason"]) == (len(actions), "waits for the expert")


def test_numbers_and_dates_of_other_columns_stay(decided: pd.DataFrame) -> None:
    table = decided.assign(size=[0.1234567890123, 2, 3, 4, 5])
    found = triage.anonymise(table, keep=["size"], ambiguous="mask", hold="none")
    assert found["size"].tolist() == table["size"].tolist()


def test_the_package_of_that_name_is_the_function_too(decided: pd.DataFrame) -> None:
    package = import_module("triage.anonymise.run").__package__
    assert triage.anonymise is sys.modules[package]  # type: ignore[comparison-overlap, index]
    assert len(triage.anonymise(decided)) > 0


def test_what_is_left_is_found(decided: pd.DataFrame) -> None:
    left = triage.anonymise(decided, ambiguous="mask", hold="none")
    left["texte"] = [*left["texte"][:-1], TABLE["texte"].iloc[-1]]
    found = triage.check(left, decided)
    assert "text" not in found
    assert "Namrata" in triage.check(left, decided, show=True)["text"].tolist()


def test_the_measures_are_those_of_the_command(run: Run) -> None:
    printed = run("evaluate", SAMPLE).stdout
    [leak] = triage.evaluate(pd.read_csv(SAMPLE)).iloc[:1].to_dict("records")
    assert f"{next(iter(leak.values()))}" in printed
    pd.testing.assert_frame_equal(triage.evaluate(SAMPLE), triage.evaluate(pd.read_csv(SAMPLE)))


def test_a_column_may_be_called_by_a_number_and_a_seed_be_one_of_numpy() -> None:
    numbered = pd.DataFrame({1: ["TA", "NTA"], "text": ["Coucou Patrice", "ok"]})
    found = triage.evaluate(numbered, label_column=1, seed=np.int64(3))  # type: ignore[arg-type]
    expected = triage.evaluate(numbered.rename(columns={1: "label"}), seed=3)
    pd.testing.assert_frame_equal(found, expected)


def test_a_model_is_trained_and_decides() -> None:
    trained = triage.train(pd.read_csv(SAMPLE), Path("model"), features="patel2013")
    actions = trained.classify(["Coucou Patrice"])["action"]
    with pytest.warns(UserWarning, match="learnt from too few messages to promise much"):
        loaded = triage.classify(["Coucou Patrice"], model=Path("model"))["action"]
    assert actions.tolist() == loaded.tolist()


def test_a_triaged_file_is_checked_with_the_settings_of_its_run(run: Run) -> None:
    Path("sms.csv").write_text("id,text\n1,jean a 14 ans\n")
    run("classify", "sms.csv", "--plan", "find=age")
    found = triage.check(Path("sms.triage.csv"), show=True)
    assert "14 ans" in found["text"].tolist()


def test_the_temporary_file_is_its_owners_alone_and_goes(
    decided: pd.DataFrame, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, opened = list[int](), Source.open

    def noting(source: Source) -> object:
        seen.append(Path(source.path).stat().st_mode & 0o077)
        return opened(source)

    monkeypatch.setattr("tempfile.tempdir", str(own_folder))
    monkeypatch.setattr(Source, "open", noting)
    triage.anonymise(decided)
    assert seen[0] == 0
    assert [*own_folder.iterdir()] == []


MINED = pd.DataFrame({"text": CASES["mined"]})
SAID = {"Zorvane": "always", "Kelmina": "never"}


def answered() -> pd.DataFrame:
    found: pd.DataFrame = triage.mine(MINED)
    return found.assign(answer=found["spelling"].map(SAID))


def test_candidates_are_those_of_the_command(run: Run) -> None:
    MINED.to_csv(Path("sms.csv"), index=False)
    run("mine", Path("sms.csv"), "-o", Path("candidates.csv"))
    written = pd.read_csv(Path("candidates.csv"), keep_default_na=False)
    for messages in (MINED, Path("sms.csv")):
        found = triage.mine(messages)
        pd.testing.assert_frame_equal(found, written, check_dtype=False)


def test_what_was_answered_is_not_asked_again() -> None:
    assert {*triage.mine(MINED)["spelling"]} == {*SAID}
    again = triage.mine(MINED, answers=answered())
    assert again.attrs["round"]["candidates"] == 0
    assert again.attrs["round"]["answers"] == {"always": 1, "never": 1}
    assert dict(zip(again["spelling"], again["answer"], strict=True)) == SAID


def test_lists_follow_from_the_answers() -> None:
    triage.mine(MINED, answers=answered(), lists="mined")
    names = Path("mined/names.txt")
    assert names.read_text(encoding="utf-8") == "Zorvane\n"
    decided = triage.classify(["Zorvane"], names=[names])
    assert decided["action"].tolist() == ["TA"]
    with pytest.raises(DataError, match=r"names.txt|words.txt|plan.toml"):
        triage.mine(MINED, answers=answered(), lists="mined")
    with pytest.raises(DataError, match=r"names\.txt is the input itself"):
        triage.mine(MINED, names=names, lists="mined", overwrite=True)
    assert names.exists()


def test_another_language_asks_no_dictionary() -> None:
    table = pd.DataFrame({"text": ["ich sehe Zorvane", "und Zorvane schläft"]})
    people = pd.DataFrame({"entity": ["p1"], "type": ["PRE"], "spellings": ["Zorvane"]})
    found = triage.mine(table, catalogue=people, language="none", bound=0)
    assert found.attrs["round"]["identifiers"] > 0


DECIDED = pd.DataFrame(cases_beside(__file__, "anonymise.toml")["decided"])


def test_what_is_said_here_wins_over_the_plan() -> None:
    Path("plan.toml").write_text(
        'general.style = "mask"\ncolumns = {ids = "number", dates = "year"}'
    )
    found = triage.anonymise(DECIDED, plan=Path("plan.toml"), style="tag", dates="month")
    assert found["text"].iloc[2] == "<PRE> arrive"
    assert found["id"].tolist() == [1, 2, 3]
    assert found["date"].tolist() == ["2011-09"] * 3


def test_a_key_is_a_file_or_its_bytes() -> None:
    key = write_key(Path("corpus.key"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_file = triage.anonymise(DECIDED, style="surrogate", key=Path("corpus.key"))
        for one in (key, bytearray(key), memoryview(key)):
            by_bytes = triage.anonymise(DECIDED, style="surrogate", key=one)
            pd.testing.assert_frame_equal(by_file, by_bytes)
    assert not by_file["text"].str.contains("Patrice|06 39 98 12 34").any()


def test_entities_that_contradict_each_other_are_refused_unless_forced() -> None:
    decided = DECIDED.assign(text=["Coucou Patrice", "ok", "Nico arrive"])
    table = triage.entities(decided).assign(replacement="Fabrice")
    with (
        pytest.warns(UserWarning, match="for two different entities"),
        pytest.raises(TriageError, match=r"correct the table.* or add force=True") as refused,
    ):
        triage.anonymise(decided, people=table)
    # The pages say it in their language, with what is to be searched for in the table.
    assert (refused.value.key, refused.value.values) == ("names_incoherent", {"texts": "Fabrice"})
    with pytest.warns(UserWarning, match="for two different entities"):
        found = triage.anonymise(decided, people=table, force=True)
    assert found["text"].iloc[2] == "Fabrice arrive"


def test_a_key_table_is_its_owners_alone_and_brings_messages_back(run: Run) -> None:
    anonymised, table = Path("anon.csv"), Path("keys.csv")
    triage.anonymise(DECIDED, key_table=table).to_csv(anonymised, index=False)
    assert table.stat().st_mode & 0o077 == 0
    with pytest.raises(DataError, match=r"keys\.csv"):
        triage.anonymise(DECIDED, key_table=table)
    run("restore", anonymised, "--key-table", table, "-o", Path("back.csv"))
    assert pd.read_csv(Path("back.csv"))["text"].tolist() == DECIDED["text"].tolist()
    assert triage.check(anonymised, key_table=table).attrs["clean"]


LEARNING: tuple[Callable[..., object], ...] = triage.train, triage.evaluate
WRONG: list[tuple[Callable[[], object], str]] = [
    *(
        (partial(use, "Coucou Zéphyrine"), "^the table is no text: give a table, or a Path")
        for use in (triage.anonymise, triage.check, triage.entities, triage.mine)
    ),
    *(
        (partial(learn, SAMPLE, seed=seed), "^seed is (at least 0, not -1|a whole number)$")
        for learn in LEARNING
        for seed in (-1, np.int64(-1), True, 1.0)
    ),
    *(
        (partial(triage.anonymise, table), problem)
        for table, problem in (
            (DECIDED.drop(columns="action"), "^the table has no column 'action'"),
            (DECIDED.assign(action="perhaps"), "^the table, line 1: its action is none of"),
            (DECIDED.rename(columns={"text": "x"}), "^the table: .* name it with text_column"),
            (DECIDED.rename(columns={"text": "x"}), "columns: id, sender, date, x, action"),
            (pd.concat([DECIDED, DECIDED], axis=1), "^the table: columns 1 and 6 have the same na"),
        )
    ),
    (
        lambda: triage.anonymise(DECIDED, people=triage.entities(DECIDED).assign(type="XYZ")),
        "^the table of people, line 1: its type is none of",
    ),
    (
        lambda: triage.mine(MINED, answers=triage.mine(MINED).assign(answer="perhaps")),
        "^the table of answers, line 1: the answer is none of",
    ),
    (lambda: triage.mine(MINED, bound=5), "^bound 5 would be 500%"),
    (lambda: triage.mine(MINED, language="none", strict=True), "asks no dictionary"),
    (lambda: triage.Policy("guarded", max_residue=0), "^max_residue must be more than 0"),
    (lambda: triage.read(file_of(b"text\n\x81\n")), "name its encoding with encoding;"),
]


@pytest.mark.parametrize(("ask", "problem"), WRONG)
def test_an_error_names_table_and_keywords_and_no_file_or_option(
    ask: Callable[[], object], problem: str
) -> None:
    with pytest.raises((TriageError, DataError), match=problem) as caught:
        ask()
    assert not re.search("Zéphyrine|triage-|--", str(caught.value))


def test_a_share_may_be_a_text() -> None:
    assert triage.Policy("guarded", max_residue="0.1%").max_residue == 0.001  # type: ignore[arg-type]


def test_where_there_is_nothing_nothing_is_found() -> None:
    nothing = DECIDED[:0]
    assert triage.anonymise(nothing)["id"].tolist() == []
    assert triage.check(nothing).attrs["clean"]
    decided = triage.classify(pd.DataFrame({"text": ["ok", "oui"]}))
    people, candidates = triage.entities(decided), triage.mine(decided)
    assert (len(people), len(candidates)) == (0, 0)
    assert triage.anonymise(decided, people=people)["text"].tolist() == ["ok", "oui"]
    assert len(triage.mine(decided, answers=candidates)) == 0


ACCEPTED = cases_beside(__file__, "anonymise.toml")["accepted"]


@pytest.mark.parametrize(("given", "text"), ACCEPTED)
def test_what_is_asked_of_a_table_is_done(given: dict[str, Any], text: str) -> None:
    Path("never.txt").write_text("Patrice\n", encoding="utf-8")
    assert re.fullmatch(text, triage.anonymise(DECIDED, **given)["text"].iloc[2])


def test_half_of_a_character_stays() -> None:
    texts = pd.Series(["Coucou Patrice \ud83d", "ok\ud83d", "Patrice"], dtype=object)
    found = triage.anonymise(DECIDED.assign(text=texts))
    assert found["text"].tolist() == ["Coucou <PRE> \ufffd", "ok\ud83d", "<PRE>"]


@pytest.mark.parametrize(
    ("index", "kept"),
    [([7, 9, 8], [9, 8]), (["ana", "bob", "ana"], [1, 2]), (DECIDED["date"], [1, 2])],
)
def test_rows_are_joined_by_the_index_unless_it_may_be_a_name(index: Any, kept: list[int]) -> None:
    decided = DECIDED.assign(action=["EXPERT", "NTA", "TA"]).set_axis(index)
    assert triage.anonymise(decided).index.tolist() == kept


REFUSED = cases_beside(__file__, "anonymise.toml")["refused"]
SHORT = {"style": "surrogate", "key": b"abc"}, "needs a key of 32 bytes, not 3: name its file with"


@pytest.mark.parametrize(("given", "told"), [*REFUSED, SHORT])
def test_what_cannot_be_asked_of_a_table_is_refused(given: dict[str, Any], told: str) -> None:
    Path("plan.toml").write_text('[files]\ndocument = "sms.xml"\n', encoding="utf-8")
    Path("marked.toml").write_text('[options]\nmarkup = "gap"\n', encoding="utf-8")
    with pytest.raises(TriageError, match=told):
        triage.anonymise(DECIDED, **given)


def test_what_a_plan_says_of_a_document_is_nothing_to_entities() -> None:
    planned = '[files]\ndocument = "sms.xml"\n[options]\nmarkup = "gap"\n'
    Path("plan.toml").write_text(planned, encoding="utf-8")
    found = triage.entities(DECIDED, plan="plan.toml")
    pd.testing.assert_frame_equal(found, triage.entities(DECIDED))
