"""The functions of the package give what the commands write."""

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

import triage
from tests.cases import cases_beside
from tests.triage.cli.program import Run
from tests.triage.conftest import SAMPLE
from triage.data import DataError
from triage.errors import TriageError

CASES = cases_beside(__file__)
TABLE = pd.DataFrame(CASES["rows"], columns=["expéditeur", "texte"])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sms.csv"
    TABLE.to_csv(path, index=False)
    return path


@pytest.fixture
def decided() -> pd.DataFrame:
    table: pd.DataFrame = triage.classify(TABLE)
    return table


def test_a_file_is_read_as_it_is(file: Path) -> None:
    pd.testing.assert_frame_equal(triage.read(file), TABLE)


def test_rows_that_cannot_be_read_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "sms.jsonl"
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


@pytest.mark.parametrize("use", [triage.classify, triage.explain, triage.identifiers])
def test_a_string_is_one_message_and_a_file_is_a_path(
    use: Callable[..., pd.DataFrame], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {*use("Coucou Patrice").get("message", [0])} == {0}
    monkeypatch.chdir(file.parent)
    with pytest.raises(TriageError, match=r"'sms\.csv' is the name of a file: say Path"):
        use("sms.csv")


def test_names_are_words_or_lists_or_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = tmp_path / "ours.txt"
    ours.write_text("Kelmina\n", encoding="utf-8")

    def actions(names: object, words: object = ()) -> list[str]:
        table = triage.classify(["Zorvanelle", "Kelmina"], names=names, words=words)
        return [one if one == "TA" else "" for one in table["action"]]

    assert actions("Zorvanelle") == ["TA", ""]
    assert actions(ours) == ["", "TA"]
    assert actions(["Zorvanelle", ours]) == ["TA", "TA"]
    monkeypatch.chdir(tmp_path)
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
def test_every_function_guesses_by_the_same_rule(
    use: Callable[..., object], english_messages: list[str]
) -> None:
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


def test_labels_in_a_column_that_is_called_by_a_number_are_found() -> None:
    numbered = pd.DataFrame({1: ["TA", "NTA"], "text": ["Coucou Patrice", "ok"]})
    labelled = numbered.rename(columns={1: "label"})
    pd.testing.assert_frame_equal(
        triage.evaluate(numbered, label_column=1),  # type: ignore[arg-type]
        triage.evaluate(labelled),
    )


@pytest.mark.parametrize("learn", [triage.train, triage.evaluate])
def test_a_seed_is_a_whole_number_from_0_on(learn: Callable[..., object]) -> None:
    with pytest.raises(TriageError, match=r"^seed is at least 0, not -1"):
        learn(SAMPLE, seed=-1)


def test_a_model_is_trained_and_decides(tmp_path: Path) -> None:
    table = pd.read_csv(SAMPLE)
    trained = triage.train(table, tmp_path / "model", features="patel2013")
    actions = trained.classify(["Coucou Patrice"])["action"]
    with pytest.warns(UserWarning, match="learnt from too few messages to promise much"):
        loaded = triage.classify(["Coucou Patrice"], model=tmp_path / "model")["action"]
    assert actions.tolist() == loaded.tolist()


def test_a_triaged_file_is_checked_with_the_settings_of_its_run(tmp_path: Path, run: Run) -> None:
    (tmp_path / "sms.csv").write_text("id,text\n1,jean a 14 ans\n")
    run("classify", tmp_path / "sms.csv", "--plan", "find=age")
    found = triage.check(tmp_path / "sms.triage.csv", show=True)
    assert "14 ans" in found["text"].tolist()


def test_the_temporary_file_is_its_owners_alone_and_goes(
    decided: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    from triage.decide.source import Source

    opened = Source.open

    def noting(source: Source) -> object:
        seen.append(Path(source.path).stat().st_mode & 0o077)
        return opened(source)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(Source, "open", noting)
    triage.anonymise(decided)
    assert seen[0] == 0
    assert [*tmp_path.iterdir()] == []


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


def test_lists_follow_from_the_answers(tmp_path: Path) -> None:
    triage.mine(MINED, answers=answered(), lists=tmp_path / "mined")
    assert (tmp_path / "mined" / "names.txt").read_text(encoding="utf-8") == "Zorvane\n"
    decided = triage.classify(["Zorvane"], names=[tmp_path / "mined" / "names.txt"])
    assert decided["action"].tolist() == ["TA"]
    with pytest.raises(DataError, match=r"names.txt|words.txt|plan.toml"):
        triage.mine(MINED, answers=answered(), lists=tmp_path / "mined")


def test_another_language_asks_no_dictionary() -> None:
    table = pd.DataFrame({"text": ["ich sehe Zorvane", "und Zorvane schläft"]})
    people = pd.DataFrame({"entity": ["p1"], "type": ["PRE"], "spellings": ["Zorvane"]})
    found = triage.mine(table, catalogue=people, language="none", bound=0)
    assert found.attrs["round"]["identifiers"] > 0
    with pytest.raises(TriageError, match="asks no dictionary"):
        triage.mine(table, language="none", strict=True)


def test_a_bound_is_a_share() -> None:
    with pytest.raises(TriageError, match=r"^bound 5 would be 500%"):
        triage.mine(MINED, bound=5)


def test_a_message_in_place_of_a_table_is_not_told() -> None:
    for use in (triage.anonymise, triage.check, triage.entities, triage.mine):
        with pytest.raises(TriageError, match=r"^the table is no text: give a table, or a Path"):
            use("Coucou Zéphyrine")


def test_an_error_names_the_table_of_answers() -> None:
    wrong = triage.mine(MINED).assign(answer="perhaps")
    with pytest.raises(TriageError, match=r"^the table of answers, line 1: the answer is none of"):
        triage.mine(MINED, answers=wrong)
