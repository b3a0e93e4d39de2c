"""``triage mine`` as it is called: rounds with answers, and what comes of them."""

import csv
import json
import stat
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run
from triage import data
from triage.anonymise.plan import read_plan
from triage.dictionaries.lists import read_words
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__)

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
ALONE = ("--language", "none")
MESSAGES = (
    *("Coucou Marion, ça va ?", "tu viens avec Marionn demain", "avecmarion on va au ciné"),
    *("bisous Marion", "Zora, bisous", "zora me dit oui", "la rose de Rose est belle"),
    *("avec toi ou avec lui, avec plaisir", "et avec ça ?"),
)


@pytest.fixture
def mine(run: Run, csv_of: Callable[..., Path], tmp_path: Path) -> Run:
    """Mine invented messages from a catalogue of one name, without dictionaries."""
    people = tmp_path / "people.csv"
    people.write_text("entity,type,spellings\np1,PRE,Marion\n", encoding="utf-8")
    messages = csv_of(*MESSAGES)

    def mined(output: str, *options: str | Path, stdin: str = "") -> CompletedProcess[str]:
        named = ("mine", messages, "-o", tmp_path / output, *ALONE, "--catalogue", people)
        return run(*named, *options, stdin=stdin.encode())

    return mined


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [*csv.DictReader(file)]


@pytest.fixture
def answered(mine: Run, tmp_path: Path) -> Path:
    """A first round in which Marionn is always a name and Zora never, as in a spreadsheet."""
    mine("c.csv")
    found = rows(tmp_path / "c.csv")
    for row in found:
        row["answer"] = {"Marionn": "always", "Zora": "never"}.get(row["spelling"], "")
    with (tmp_path / "c.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    return tmp_path / "c.csv"


def test_candidates_are_written_the_likeliest_first(mine: Run, tmp_path: Path) -> None:
    done = mine("c.csv", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert facts["identifiers"] == 2
    assert 0 < facts["share_left"] < 1
    first, *others = rows(tmp_path / "c.csv")
    assert (first["spelling"], first["answer"]) == ("Marionn", "")
    assert first["reasons"] == "stretched; capital inside a message"
    assert first["example"] == "tu viens avec [Marionn] demain"
    assert "avecmarion" in [row["spelling"] for row in others]


def test_rounds_go_on_from_the_answers_until_no_candidate_is_left(
    mine: Run, answered: Path, tmp_path: Path
) -> None:
    done = mine("c2.csv", "--answers", answered)
    assert "answered: 1 always, 1 never" in done.stdout
    done = mine("c3.csv", "--answers", tmp_path / "c2.csv", "--bound", "1")
    assert "mining has ended: no candidate is left from a likelihood of 1 on" in done.stdout
    for name, left in (("c2.csv", ""), ("c3.csv", None)):
        said = {row["spelling"]: row["answer"] for row in rows(tmp_path / name)}
        assert (said["Marionn"], said["Zora"], said.get("avecmarion")) == ("always", "never", left)


def test_lists_and_a_sorted_concordance_are_for_their_owner_alone(
    mine: Run, answered: Path, tmp_path: Path
) -> None:
    lists, paths = tmp_path / "lists", [tmp_path / name for name in ("c2.csv", "k.csv")]
    further = ("--concordance", paths[1])
    mine("c2.csv", "--answers", answered, "--bound", "0", *further, "--lists", lists)
    assert read_words(lists / "names.txt") == ["marion", "marionn"]
    assert read_words(lists / "words.txt") == ["zora"]
    plan = read_plan(lists / "plan.toml")[0]
    assert plan.always == dict.fromkeys(("Marion", "Marionn"), IdentifierType.PRE)
    assert plan.never == ("Zora",)
    places = [(r["left"], r["keyword"]) for r in rows(paths[1]) if r["keyword"].lower() == "rose"]
    assert places == [("la ", "rose"), ("la rose de ", "Rose")]
    for path in (*paths, *lists.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(("options", "problem"), CASES["a_wrong_option_is_one_line"])
def test_a_wrong_option_is_one_line(
    mine: Run, options: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    done = mine("c.csv", *(option.format(tmp_path) for option in options))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert problem in done.stderr
    assert not (tmp_path / "c.csv").exists()


def test_a_triaged_file_is_mined_for_what_anonymising_leaves(run: Run, tmp_path: Path) -> None:
    triaged = tmp_path / "s.triage.csv"
    run("classify", SAMPLE, "-o", triaged)
    assert run("mine", triaged, "-o", tmp_path / "c.csv").returncode == 0
    reasons = [row["reasons"] for row in rows(tmp_path / "c.csv")]
    assert sum("evidence of the model" in one for one in reasons[:5]) >= 3


def test_a_key_table_tells_what_an_anonymised_file_has_lost(
    run: Run, csv_of: Callable[..., Path], tmp_path: Path
) -> None:
    sms = csv_of("Coucou Patrice, ça va?", "Patrice arrive", "et patrisse ?", name="s.csv")
    triaged, anon, table = (tmp_path / name for name in ("t.csv", "a.csv", "k.csv"))
    run("classify", sms, "-o", triaged)
    run("anonymise", triaged, "-o", anon, "--key-table", table, "--hold", "none")
    done = run("mine", anon, "--key-table", table, "-o", tmp_path / "c.csv", *ALONE)
    assert done.returncode == 0, done.stderr
    akin = {row["spelling"]: row["akin"] for row in rows(tmp_path / "c.csv")}
    assert akin.get("patrisse") == "Patrice"
