"""``triage anonymise --entities``: a table of who is who, written, edited, followed."""

import csv
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.anonymise.keys import make_key

Done = CompletedProcess[str]
Run = Callable[..., Done]
HEADER = "id,sender,text,seek_hide,model,model_score,action,evidence\n"
MESSAGES = [
    "Coucou Patrice, tu viens ?",
    "Coucou patriiiice, a demain",
    "Solveig est chez Patrice",
    "On mange a midi",
]


@pytest.fixture
def triaged(tmp_path: Path) -> Path:
    path = tmp_path / "sms.triage.csv"
    rows = [f'{i},7,"{text}",TA,TA,0.9,TA,' for i, text in enumerate(MESSAGES[:3], 1)]
    rows.append(f"4,7,{MESSAGES[3]},NTA,NTA,0.01,NTA,")
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def anonymise(run: Run, triaged: Path, tmp_path: Path) -> Callable[..., Done]:
    """Anonymise by a table of entities, with surrogates of one key."""
    make_key(tmp_path / "corpus.key")

    def anonymised(*options: str) -> Done:
        return run(
            "anonymise",
            triaged,
            "-o",
            tmp_path / "anon.csv",
            "--style",
            "surrogate",
            "--key",
            tmp_path / "corpus.key",
            "--entities",
            tmp_path / "who.csv",
            *options,
        )

    return anonymised


def table(tmp_path: Path) -> list[dict[str, str]]:
    with (tmp_path / "who.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def edit(tmp_path: Path, change: Callable[[dict[str, str]], None]) -> None:
    rows = table(tmp_path)
    for row in rows:
        change(row)
    with (tmp_path / "who.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def texts(tmp_path: Path) -> list[str]:
    with (tmp_path / "anon.csv").open(encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


def test_the_table_is_written_first_and_nothing_else(
    anonymise: Callable[..., Done], tmp_path: Path
) -> None:
    done = anonymise()
    assert done.returncode == 0
    assert "3 spellings written to" in done.stdout
    assert not (tmp_path / "anon.csv").exists()
    assert (tmp_path / "who.csv").stat().st_mode & 0o077 == 0
    assert {row["entity"] for row in table(tmp_path)} == {"patrice", "solveig"}


def test_variants_of_a_name_get_one_pseudonym(
    anonymise: Callable[..., Done], tmp_path: Path
) -> None:
    anonymise()
    assert anonymise().returncode == 0
    replaced = {row["spelling"]: row["replacement"] for row in table(tmp_path)}
    assert texts(tmp_path)[0] == f"Coucou {replaced['Patrice']}, tu viens ?"
    assert texts(tmp_path)[3] == MESSAGES[3]
    assert replaced["Patrice"] != replaced["Solveig"]


def test_what_a_person_wrote_into_the_table_is_followed(
    anonymise: Callable[..., Done], tmp_path: Path
) -> None:
    anonymise()

    def change(row: dict[str, str]) -> None:
        if row["spelling"] == "Solveig":
            row["replace"] = "no"
        else:
            row["replacement"] = "Anatole"

    edit(tmp_path, change)
    assert anonymise().returncode == 0
    assert texts(tmp_path)[2] == "Solveig est chez Anatole"


def test_one_pseudonym_for_two_people_is_refused_unless_it_is_forced(
    anonymise: Callable[..., Done], tmp_path: Path
) -> None:
    anonymise()
    edit(tmp_path, lambda row: row.update(replacement="Anatole"))
    done = anonymise()
    assert done.returncode == 2
    assert "stands for two different entities: 'Anatole' for 2" in done.stderr
    assert "Solveig" not in done.stderr
    assert "correct the table, or add --force" in done.stderr
    assert not (tmp_path / "anon.csv").exists()
    assert anonymise("--force").returncode == 0
    assert texts(tmp_path)[2] == "Anatole est chez Anatole"


def test_a_pseudonym_that_is_a_word_of_the_corpus_is_refused(
    anonymise: Callable[..., Done], tmp_path: Path
) -> None:
    anonymise()

    def change(row: dict[str, str]) -> None:
        if row["spelling"] == "Solveig":
            row["replacement"] = "Midi"

    edit(tmp_path, change)
    done = anonymise()
    assert done.returncode == 2
    assert "Midi" in done.stderr
