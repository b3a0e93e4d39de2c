"""``triage mine`` as it is called: rounds with answers, and what comes of them."""

import csv
import json
import stat
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage import data
from triage.anonymise.plan import read_plan
from triage.dictionaries.lists import read_words
from triage.vocabulary import IdentifierType

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
Run = Callable[..., CompletedProcess[str]]
ALONE = ("--language", "none")
MESSAGES = (
    "Coucou Marion, ça va ?",
    "tu viens avec Marionn demain",
    "avecmarion on va au ciné",
    "bisous Marion",
    "bisous Zora",
    "zora me dit oui",
    "la rose de Rose est belle",
    "avec toi ou avec lui, avec plaisir",
    "et avec ça ?",
)


@pytest.fixture
def mine(run: Run, csv_of: Callable[..., Path], tmp_path: Path) -> Run:
    """Mine invented messages from a catalogue of one name, without dictionaries."""
    people = tmp_path / "people.csv"
    people.write_text("entity,type,spellings\np1,PRE,Marion\n", encoding="utf-8")
    messages = csv_of(*MESSAGES)

    def mined(output: str, *options: str | Path, stdin: str = "") -> CompletedProcess[str]:
        return run(
            *("mine", messages, "-o", tmp_path / output, *ALONE, "--catalogue", people),
            *options,
            stdin=stdin.encode(),
        )

    return mined


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [*csv.DictReader(file)]


def answer(path: Path, spelling: str, said: str, places: str = "") -> None:
    """Fill in the answer to a spelling, as in a spreadsheet."""
    header, *lines = path.read_text(encoding="utf-8-sig").splitlines()
    changed = [
        f"{spelling},{said},PRE,,{places},{line.split(',', 5)[5]}"
        if line.startswith(f"{spelling},")
        else line
        for line in lines
    ]
    path.write_text("\n".join([header, *changed]) + "\n", encoding="utf-8")


def test_candidates_are_written_the_likeliest_first(mine: Run, tmp_path: Path) -> None:
    done = mine("c.csv")
    assert (done.returncode, done.stderr) == (0, "")
    first, *others = rows(tmp_path / "c.csv")
    assert first["spelling"] == "Marionn"
    assert first["reasons"] == "stretched; capital inside a message"
    assert first["example"] == "tu viens avec [Marionn] demain"
    assert first["answer"] == ""
    assert "avecmarion" in [row["spelling"] for row in others]


def test_a_round_goes_on_from_the_answers(mine: Run, tmp_path: Path) -> None:
    mine("c.csv")
    answer(tmp_path / "c.csv", "Marionn", "always")
    answer(tmp_path / "c.csv", "Zora", "never")
    done = mine("c2.csv", "--answers", tmp_path / "c.csv")
    said = {row["spelling"]: row["answer"] for row in rows(tmp_path / "c2.csv")}
    assert (said["Marionn"], said["Zora"], said["avecmarion"]) == ("always", "never", "")
    assert "answered: 1 always, 1 never" in done.stdout


def test_answers_of_a_round_are_kept_in_the_next_ones(mine: Run, tmp_path: Path) -> None:
    mine("c.csv")
    answer(tmp_path / "c.csv", "Zora", "never")
    mine("c2.csv", "--answers", tmp_path / "c.csv")
    mine("c3.csv", "--answers", tmp_path / "c2.csv")
    (zora,) = (row for row in rows(tmp_path / "c3.csv") if row["spelling"] == "Zora")
    assert zora["answer"] == "never"


def test_mining_ends_when_no_candidate_is_left(mine: Run) -> None:
    done = mine("c.csv", "--bound", "1")
    assert "mining has ended: no candidate is left from a likelihood of 1 on" in done.stdout


def test_the_share_that_is_expected_to_be_left_is_told(mine: Run) -> None:
    facts = json.loads(mine("c.csv", "--json").stdout)
    assert facts["identifiers"] == 2
    assert 0 < facts["share_left"] < 1


def test_a_key_a_spelling_is_asked_at_the_terminal(mine: Run, tmp_path: Path) -> None:
    done = mine("c.csv", "--ask", stdin="a\nn\nl\nq\n")
    said = [row["answer"] for row in rows(tmp_path / "c.csv")]
    assert (said.count("always"), said.count("never"), said.count("later")) == (1, 1, 1)
    assert "Marionn" in done.stderr
    assert "tu viens avec" in done.stderr


def test_what_was_answered_is_kept_when_the_input_ends(mine: Run, tmp_path: Path) -> None:
    assert mine("c.csv", "--ask", stdin="a\n").returncode == 0
    assert [row["answer"] for row in rows(tmp_path / "c.csv")].count("always") == 1


def test_the_type_is_asked_for(mine: Run, tmp_path: Path) -> None:
    mine("c.csv", "--ask", stdin="t\nxxx\nsur\nq\n")
    (row,) = (row for row in rows(tmp_path / "c.csv") if row["answer"])
    assert (row["spelling"], row["type"]) == ("Marionn", "SUR")


def test_here_but_not_there_opens_the_places(mine: Run, tmp_path: Path) -> None:
    catalogue = tmp_path / "c.csv"
    mine("all.csv", "--bound", "0")
    order = [row["spelling"] for row in rows(tmp_path / "all.csv")]
    before = order.index("Rose" if "Rose" in order else "rose")
    mine("c.csv", "--bound", "0", "--ask", stdin="l\n" * before + "h\nn\ny\nq\n")
    (row,) = (row for row in rows(catalogue) if row["answer"] == "here")
    assert row["places"] == "7:11"


def test_sorting_shows_the_same_spelling_again(mine: Run) -> None:
    assert mine("c.csv", "--ask", stdin="s\ns\nq\n").stderr.count("1  Marionn") == 3


def test_what_a_terminal_would_obey_is_not_printed(
    run: Run, csv_of: Callable[..., Path], tmp_path: Path
) -> None:
    messages = csv_of("avec Zora\x1b[31m ce soir")
    done = run("mine", messages, "-o", tmp_path / "c.csv", *ALONE, "--ask", stdin=b"q\n")
    assert "\x1b[31m" not in done.stderr


def test_lists_are_for_classify_and_anonymise(mine: Run, tmp_path: Path) -> None:
    mine("c.csv")
    answer(tmp_path / "c.csv", "Marionn", "always")
    answer(tmp_path / "c.csv", "Zora", "never")
    mine("c2.csv", "--answers", tmp_path / "c.csv", "--lists", tmp_path / "lists")
    assert read_words(tmp_path / "lists" / "names.txt") == ["marion", "marionn"]
    assert read_words(tmp_path / "lists" / "words.txt") == ["zora"]
    plan = read_plan(tmp_path / "lists" / "plan.toml")[0]
    assert plan.always == dict.fromkeys(("Marion", "Marionn"), IdentifierType.PRE)
    assert plan.never == ("Zora",)


def test_a_concordance_can_be_sorted(mine: Run, tmp_path: Path) -> None:
    mine("c.csv", "--bound", "0", "--concordance", tmp_path / "k.csv", "--sort", "right")
    zora = [row for row in rows(tmp_path / "k.csv") if row["spelling"] == "Zora"]
    assert [(row["left"], row["keyword"], row["right"]) for row in zora] == [
        ("bisous ", "Zora", ""),
        ("", "zora", " me dit oui"),
    ]


def test_contexts_start_another_corpus(
    run: Run, csv_of: Callable[..., Path], mine: Run, tmp_path: Path
) -> None:
    mine("c.csv", "--save-contexts", tmp_path / "contexts.csv")
    other = csv_of("bisous zora", "ok demain matin", name="other.csv")
    for output, options in (("o1.csv", ()), ("o2.csv", ("--contexts", tmp_path / "contexts.csv"))):
        run("mine", other, "-o", tmp_path / output, *ALONE, "--bound", "0", *options)
    likelihoods = [
        {row["spelling"]: float(row["likelihood"]) for row in rows(tmp_path / name)}["zora"]
        for name in ("o1.csv", "o2.csv")
    ]
    assert likelihoods[1] >= likelihoods[0]


def test_all_outputs_are_for_their_owner_alone(mine: Run, tmp_path: Path) -> None:
    lists, paths = tmp_path / "lists", [tmp_path / name for name in ("c.csv", "k.csv", "x.csv")]
    mine("c.csv", "--concordance", paths[1], "--save-contexts", paths[2], "--lists", lists)
    for path in (*paths, *lists.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_answers_are_never_replaced(mine: Run, tmp_path: Path) -> None:
    mine("c.csv")
    done = mine("c.csv", "--answers", tmp_path / "c.csv", "--overwrite")
    assert done.returncode == 2
    assert "is the input itself" in done.stderr


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--language", "xx"), "no dictionaries for the language 'xx'"),
        (("--names", "x.txt"), "--names has no effect with --language none"),
        (("--sort", "middle"), "--sort is one of corpus, left, right"),
        (("--catalogue", "missing.csv"), "missing.csv"),
    ],
)
def test_a_wrong_option_is_one_line(
    mine: Run, options: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    done = mine("c.csv", *options)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert problem in done.stderr
    assert not (tmp_path / "c.csv").exists()


def test_a_triaged_file_is_mined_for_what_anonymising_leaves(run: Run, tmp_path: Path) -> None:
    triaged = tmp_path / "s.triage.csv"
    run("classify", SAMPLE, "-o", triaged)
    assert run("mine", triaged, "-o", tmp_path / "c.csv").returncode == 0
    reasons = [row["reasons"] for row in rows(tmp_path / "c.csv")]
    assert all("evidence of the model" in one for one in reasons[:5])


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
