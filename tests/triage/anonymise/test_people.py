"""Names of people whom the file itself names: none is left in any byte of what is written."""

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.tables import read_rows, write_key
from tests.triage.cli.program import Run

Written = Callable[..., list[dict[str, str]]]
CASES = cases_beside(__file__)
COLUMN, DROPPED = CASES["files"]["column.csv"], CASES["files"]["dropped.csv"]

NAMES = ("kerbrat", "poilvert", "solveig", "tancrede", "aurele")


def _plain(content: bytes) -> str:
    text = unicodedata.normalize("NFD", content.decode("utf-8", "replace"))
    return "".join(one for one in text if not unicodedata.combining(one)).casefold()


@pytest.mark.parametrize(("name", "content"), CASES["files"].items())
def test_no_name_that_the_file_tells_is_ever_written(name: str, content: str, done: Run) -> None:
    Path(name).write_text(content, encoding="utf-8")
    write_key(Path("corpus.key"))
    done("classify", name, "-o", "sms.triage.csv")
    for style in ("tag", "mask", "consistent", "surrogate"):
        folder = Path(style)
        folder.mkdir()
        options = ("--style", style, "--key", "corpus.key", "--hold", "none")
        done("anonymise", "sms.triage.csv", "-o", folder / "anon.csv", *options)
        written = {path.name: _plain(path.read_bytes()) for path in folder.iterdir()}
        left = [(path, one) for path, text in written.items() for one in NAMES if one in text]
        assert left == [], style
        assert "ok a demain" in written["anon.csv"]


@pytest.fixture
def rows(done: Run) -> Callable[..., list[dict[str, str]]]:
    """Classify and anonymise a file, and return the rows of the output."""
    key, source = Path("corpus.key"), Path("sms.csv")
    write_key(key)

    def anonymised(
        content: str, style: str, *options: str, of_output: tuple[str, ...] = ()
    ) -> list[dict[str, str]]:
        source.write_text(content, encoding="utf-8")
        triaged, output = Path("sms.triage.csv"), Path("anon.csv")
        done("classify", source, "-o", triaged, *options)
        said = ("--style", style, "--key", key, "--hold", "none", *options, *of_output)
        done("anonymise", triaged, "-o", output, *said)
        return read_rows(output)

    return anonymised


@pytest.mark.parametrize(("style", "form"), [("consistent", "_{}>"), ("surrogate", "{}")])
def test_one_pseudonym_stands_in_column_and_message(style: str, form: str, rows: Written) -> None:
    found = rows(COLUMN, style)
    last = [form.format(row["sender"].split()[-1].lower()) for row in found]
    assert last[1] in found[0]["text"].lower()
    assert last[0] in found[1]["text"].lower()
    assert last[0] in found[5]["text"].lower()
    assert found[0]["sender"] == found[2]["sender"]
    assert found[6]["sender"].startswith("S0")


def test_particles_go_with_their_surname_and_the_check_names_them(rows: Written, done: Run) -> None:
    texts = [row["text"] for row in rows(CASES["others"]["particles"], "surrogate")]
    assert texts[0].startswith("Salut Le ")
    assert texts[1].split()[-1] == texts[0].split()[2].lower()
    told = done("check", "anon.csv", "--against", "sms.triage.csv", "--show").stdout
    assert "possible direct: Petit (1 left): name of the account of people" in told
    assert " direct: " not in told.replace("direct: Petit", "")


def test_a_name_that_begins_like_an_elided_word_is_that_of_its_bearer(rows: Written) -> None:
    content = "sender,text\nAwa N'Guiré,ok a demain\nLou,appelle n'guire stp\nLou,c'est N’Guiré\n"
    bearer, *others = rows(content, "consistent")
    shown = f"<NOM_{bearer['sender']}>"
    assert [row["text"] for row in others] == [f"appelle {shown} stp", f"c'est {shown}"]


def test_people_of_a_users_table_are_found_under_all_their_spellings(rows: Written) -> None:
    people = Path("people.csv")
    people.write_text("entity,type,spellings\nSol,NOM,Kerbrat; Kerbrate\nSol,SUR,Zoubinou\n")
    content = "id,sender,text\n1,7,kerbrate et zoubinou arrivent\n2,7,ok pour kerbrat\n"
    found = rows(content, "consistent", "--people", str(people))
    words = " ".join(row["text"] for row in found).split()
    codes = {word.strip("<>").split("_")[-1] for word in words if "<" in word}
    assert len(codes) == 1
    assert not re.search("kerbrat|zoubinou", str(found))


def test_columns_of_names_have_the_pseudonyms_of_the_messages(rows: Written) -> None:
    options = ("--plan", "pseudonym=Nom", "--plan", "pseudonym=Prénom")
    first, second, third = rows(DROPPED, "surrogate", of_output=options)
    assert second["Nom"].lower() in first["text"]
    assert first["Nom"].lower() in second["text"]
    assert (third["Nom"], third["Prénom"]) == ("", "")


def test_a_name_that_stays_ties_nobody(rows: Written) -> None:
    people = Path("people.csv")
    people.write_text("entity,type,spellings,replace\nAurèle Petit,NOM,Petit,no\n", "utf-8")
    found = rows(COLUMN, "surrogate", "--people", str(people))
    assert found[3]["sender"].startswith("S0")
    assert found[0]["sender"][:2] != "S0"
