"""Names of people whom the file itself names: none is left in any byte of what is written."""

import csv
import unicodedata
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run
from triage.anonymise.keys import make_key

Done = CompletedProcess[str]
CASES = cases_beside(__file__)
COLUMN, DROPPED = CASES["files"]["column.csv"], CASES["files"]["dropped.csv"]

NAMES = ("kerbrat", "poilvert", "solveig", "tancrede", "aurele")


def _plain(content: bytes) -> str:
    text = unicodedata.normalize("NFD", content.decode("utf-8", "replace"))
    return "".join(one for one in text if not unicodedata.combining(one)).casefold()


@pytest.mark.parametrize("style", ["tag", "mask", "consistent", "surrogate"])
@pytest.mark.parametrize(("name", "content"), CASES["files"].items())
def test_no_name_that_the_file_tells_is_in_what_is_written(
    name: str, content: str, style: str, run: Callable[..., Done], tmp_path: Path
) -> None:
    source, folder = tmp_path / name, tmp_path / "out"
    source.write_text(content, encoding="utf-8")
    make_key(tmp_path / "corpus.key")
    folder.mkdir()
    triaged = tmp_path / "sms.triage.csv"
    assert run("classify", source, "-o", triaged).returncode == 0
    options = ("--style", style, "--key", tmp_path / "corpus.key", "--hold", "none")
    done = run("anonymise", triaged, "-o", folder / "anon.csv", *options)
    assert done.returncode == 0, done.stderr
    written = {path.name: _plain(path.read_bytes()) for path in folder.iterdir()}
    assert "anon.csv" in written
    left = [(path, name) for path, text in written.items() for name in NAMES if name in text]
    assert left == []
    assert "ok a demain" in written["anon.csv"]


def _anonymised(
    content: str, style: str, run: Callable[..., Done], folder: Path, *options: str
) -> list[dict[str, str]]:
    source = _file(folder, content)
    triaged, output = folder / "sms.triage.csv", folder / "anon.csv"
    key = folder / "corpus.key"
    if not key.exists():
        make_key(key)
    assert run("classify", source, "-o", triaged, "--overwrite", *options).returncode == 0
    said = ("--style", style, "--key", key, "--hold", "none", "--overwrite", *options)
    done = run("anonymise", triaged, "-o", output, *said)
    assert done.returncode == 0, done.stderr
    return _rows(output)


@pytest.mark.parametrize(("style", "form"), [("consistent", "_{}>"), ("surrogate", "{}")])
def test_a_person_has_one_pseudonym_in_column_and_message(
    style: str, form: str, run: Callable[..., Done], tmp_path: Path
) -> None:
    rows = _anonymised(COLUMN, style, run, tmp_path)
    last = [form.format(row["sender"].split()[-1].lower()) for row in rows]
    assert last[1] in rows[0]["text"].lower()
    assert last[0] in rows[1]["text"].lower()
    assert last[0] in rows[5]["text"].lower()
    assert rows[0]["sender"] == rows[2]["sender"]
    assert rows[6]["sender"].startswith("S0")


def test_a_surname_that_is_a_word_counts_behind_the_initial_of_its_bearer(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    rows = _anonymised(COLUMN, "tag", run, tmp_path)
    assert rows[7]["text"] == "on attend <PRE>. <NOM>"


@pytest.mark.parametrize("style", ["tag", "surrogate"])
def test_particles_go_with_their_surname_and_the_check_names_what_stands_of_people(
    style: str, run: Callable[..., Done], tmp_path: Path
) -> None:
    texts = [row["text"] for row in _anonymised(CASES["others"]["particles"], style, run, tmp_path)]
    if style == "tag":
        assert texts == [
            *("Salut <NOM> tu viens ?", "je suis chez <NOM>", "t'as vu <NOM> hier ?"),
            *("c'est <NOM> qui arrive", "<NOM> t'es ou ??"),
            "Petit dej et un petit verre demain ?",
        ]
    else:
        assert texts[0].startswith("Salut Le ")
        assert texts[1].split()[-1] == texts[0].split()[2].lower()
    triaged = tmp_path / "sms.triage.csv"
    done = run("check", tmp_path / "anon.csv", "--against", triaged, "--show")
    assert "possible direct: Petit (1 left): name of the account of people" in done.stdout
    assert " direct: " not in done.stdout.replace("direct: Petit", "")


@pytest.mark.parametrize("style", ["tag", "mask"])
def test_styles_without_pseudonyms_tie_nobody(
    style: str, run: Callable[..., Done], tmp_path: Path
) -> None:
    assert {row["sender"][:2] for row in _anonymised(COLUMN, style, run, tmp_path)} == {"S0"}


def test_without_the_account_only_the_messages_tell(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    rows = _anonymised(COLUMN, "tag", run, tmp_path, "--plan", "no-people=true")
    assert rows[0]["text"] == "tu as vu poilvert hier ?"


def test_people_of_a_users_table_are_found_under_all_their_spellings(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    people = tmp_path / "people.csv"
    people.write_text("entity,type,spellings\nSol,NOM,Kerbrat; Kerbrate\nSol,SUR,Zoubinou\n")
    content = "id,sender,text\n1,7,kerbrate et zoubinou arrivent\n2,7,ok pour kerbrat\n"
    rows = _anonymised(content, "consistent", run, tmp_path, "--people", str(people))
    words = " ".join(row["text"] for row in rows).split()
    codes = {word.strip("<>").split("_")[-1] for word in words if "<" in word}
    assert len(codes) == 1
    assert "kerbrat" not in str(rows)
    assert "zoubinou" not in str(rows)


def test_columns_of_names_have_the_pseudonyms_of_the_messages(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    options = ("--pseudonym", "Nom", "--pseudonym", "Prénom")
    assert run("classify", _file(tmp_path, DROPPED), "-o", tmp_path / "t.csv").returncode == 0
    make_key(tmp_path / "corpus.key")
    said = ("--style", "surrogate", "--key", tmp_path / "corpus.key", "--hold", "none", *options)
    assert run("anonymise", tmp_path / "t.csv", "-o", tmp_path / "anon.csv", *said).returncode == 0
    first, second, third = _rows(tmp_path / "anon.csv")
    assert second["Nom"].lower() in first["text"]
    assert first["Nom"].lower() in second["text"]
    assert (third["Nom"], third["Prénom"]) == ("", "")


def test_a_name_that_stays_ties_nobody(run: Callable[..., Done], tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    said = ("entity,type,spellings,replace", "Aurèle Petit,NOM,Petit,no", "")
    people.write_text("\n".join(said), encoding="utf-8")
    rows = _anonymised(COLUMN, "surrogate", run, tmp_path, "--people", str(people))
    assert rows[3]["sender"].startswith("S0")
    assert rows[0]["sender"][:2] != "S0"


def _file(folder: Path, content: str) -> Path:
    path = folder / "sms.csv"
    path.write_text(content, encoding="utf-8")
    return path


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def test_a_table_of_people_and_no_people_contradict_each_other(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text(COLUMN, encoding="utf-8")
    options = ("--people", tmp_path / "people.csv", "--plan", "no-people=true")
    done = run("classify", tmp_path / "sms.csv", "-o", tmp_path / "out.csv", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "leave out one" in done.stderr
