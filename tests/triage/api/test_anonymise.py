"""`triage.anonymise` has the options of the command, and names what it was given in errors."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import triage
from tests.cases import cases_beside
from tests.tables import write_key
from tests.triage.cli.program import Run
from triage.data import DataError
from triage.errors import TriageError

DECIDED = pd.DataFrame(cases_beside(__file__)["decided"])


@pytest.fixture
def plan(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "plan.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_what_is_said_here_wins_over_the_plan(plan: Callable[[str], Path]) -> None:
    path = plan('[general]\nstyle = "mask"\n[columns]\nids = "number"\ndates = "year"')
    found = triage.anonymise(DECIDED, plan=path, style="tag", dates="month")
    assert found["text"].iloc[2] == "<PRE> arrive"
    assert found["id"].tolist() == [1, 2, 3]
    assert found["date"].tolist() == ["2011-09"] * 3


def test_a_key_is_a_file_or_its_bytes(tmp_path: Path) -> None:
    key = write_key(tmp_path / "corpus.key")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_file = triage.anonymise(DECIDED, style="surrogate", key=tmp_path / "corpus.key")
        by_bytes = triage.anonymise(DECIDED, style="surrogate", key=key)
    pd.testing.assert_frame_equal(by_file, by_bytes)
    assert not by_file["text"].str.contains("Patrice|06 39 98 12 34").any()


def test_the_style_of_the_paper_must_be_accepted() -> None:
    with pytest.raises(TriageError, match=": add reversible to accept that"):
        triage.anonymise(DECIDED, style="paper")
    found = triage.anonymise(DECIDED, style="paper", reversible=True)
    assert found["text"].iloc[2].startswith("<PRE_")


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


@pytest.mark.parametrize("option", ["style", "ambiguous", "hold", "sender", "dates", "ids"])
def test_an_unknown_choice_is_answered_by_the_known_ones(option: str) -> None:
    with pytest.raises(TriageError, match=f"^{option} cannot be 'other'; "):
        triage.anonymise(DECIDED, **{option: "other"})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (DECIDED.drop(columns="action"), "^the table has no column 'action'"),
        (DECIDED.assign(action="perhaps"), "^the table, line 1: its action is none of"),
        (DECIDED.rename(columns={"text": "x"}), "^the table: .* name it with text_column"),
        (DECIDED.rename(columns={"text": "x"}), r"columns: id, sender, date, x, action"),
        (pd.concat([DECIDED, DECIDED], axis=1), "^the table: columns 1 and 6 have the same name"),
    ],
)
def test_an_error_names_the_table_and_no_file(table: pd.DataFrame, problem: str) -> None:
    with pytest.raises((TriageError, DataError), match=problem) as caught:
        triage.anonymise(table)
    assert "triage-" not in str(caught.value)


@pytest.mark.parametrize("plan", [{"style": "mask"}, [], 5])
def test_a_plan_is_a_path_or_a_plan(plan: Any) -> None:
    with pytest.raises(TriageError, match=r"^plan is a path or a Plan, not"):
        triage.anonymise(DECIDED, plan=plan)


def test_errors_name_keywords_and_no_options(tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_bytes(b"text\n\x81\n")
    with pytest.raises(DataError, match="name its encoding with encoding;"):
        triage.read(tmp_path / "sms.csv")
    with pytest.raises(TriageError, match=r"^max_residue must be more than 0"):
        triage.Policy("guarded", max_residue=0)
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


def test_half_of_a_character_stays() -> None:
    texts = pd.Series(["Coucou Patrice \ud83d", "ok\ud83d", "Patrice"], dtype=object)
    found = triage.anonymise(DECIDED.assign(text=texts))
    assert found["text"].tolist() == ["Coucou <PRE> \ufffd", "ok\ud83d", "<PRE>"]


@pytest.mark.parametrize(
    ("index", "kept"),
    [([7, 9, 8], [9, 8]), (["ana", "bob", "ana"], [1, 2]), (DECIDED["date"], [1, 2])],
)
def test_rows_are_joined_by_the_index_unless_it_may_name_somebody(
    index: Any, kept: list[int]
) -> None:
    decided = DECIDED.assign(action=["EXPERT", "NTA", "TA"]).set_axis(index)
    assert triage.anonymise(decided).index.tolist() == kept


def test_an_error_in_a_table_of_entities_names_it() -> None:
    with pytest.raises(TriageError, match=r"^the table of people, line 1: its type is none of"):
        triage.anonymise(DECIDED, people=triage.entities(DECIDED).assign(type="XYZ"))


@pytest.mark.parametrize(("key", "told"), [(None, ""), (b"abc", " of 32 bytes, not 3")])
def test_a_key_that_is_none_is_told_by_its_length(key: bytes | None, told: str) -> None:
    match = rf"needs a key{told}: name its file with key \(triage anonymise --new-key and triage"
    with pytest.raises(TriageError, match=match):
        triage.anonymise(DECIDED, style="surrogate", key=key)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"document": "sms.xml"}, "^there is no keyword called 'document'"),
        ({"markup": "gap"}, "^there is no keyword called 'markup'"),
        ({"key": 5}, "^key is the path of a key file, or its 32 bytes"),
    ],
)
def test_what_has_no_effect_on_a_table_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(TriageError, match=told):
        triage.anonymise(DECIDED, **given)


def test_lists_of_a_call_are_read(tmp_path: Path) -> None:
    (tmp_path / "never.txt").write_text("Patrice\n", encoding="utf-8")
    found = triage.anonymise(DECIDED, never_files=[tmp_path / "never.txt"])
    assert "Patrice" in " ".join(found["text"])
