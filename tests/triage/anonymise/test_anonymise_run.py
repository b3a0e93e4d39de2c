"""A triaged file with its identifiers replaced: what changes, what stays, and that no name does."""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.data.files import write
from tests.tables import read_rows, write_key
from tests.triage.anonymise.conftest import MARKER
from tests.triage.cli.program import Rows, Run
from triage import Triage
from triage.anonymise.keys import restore
from triage.anonymise.plan import Plan
from triage.anonymise.record import held_path, read_held
from triage.anonymise.run import Anonymised, AnonymiseRequest, anonymise, find_all
from triage.decide.source import Source
from triage.errors import TriageError
from triage.settings import Setup, Treatment
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__)

PRE = IdentifierType.PRE
COLUMNS = ("id", "text", "final_action", "decided_by", "final_spans")


@pytest.fixture
def decided(own_folder: Path) -> Callable[..., Path]:
    """Write messages that people decided: (text, action, spans)."""

    def made(*rows: tuple[str, str, object], name: str = "final.csv") -> Path:
        cells = (
            [str(n), text, action, "anna", spans if isinstance(spans, str) else json.dumps(spans)]
            for n, (text, action, spans) in enumerate(rows, 1)
        )
        return write(name, COLUMNS, cells, overwrite=True)

    return made


@pytest.fixture
def apply(shipped: Triage, own_folder: Path) -> Callable[..., Anonymised]:
    """Anonymise a file with tags, to anon.csv."""

    def run(source: Path, output: str = "anon.csv", **treatment: Any) -> Anonymised:
        request = AnonymiseRequest(Source(str(source)), output, Plan.of(Treatment(**treatment)))
        request.check(Setup())
        with request.source.open() as file:
            return anonymise(find_all(file, request, shipped))

    return run


Decided = Callable[..., Path]
Apply = Callable[..., Anonymised]


def _texts(rows_of: Rows, path: Path) -> list[object]:
    return [row["text"] for row in rows_of(path)]


@pytest.mark.parametrize(("output", "held"), CASES["the_list_of_what_is_held_back"])
def test_the_list_of_what_is_held_back_is_named_for_the_output(output: str, held: str) -> None:
    assert str(held_path(output)) == held


BEFORE_AND_AFTER = CASES["before_and_after"]


@pytest.mark.parametrize("name", ["final.csv", "final.xlsx", "final.jsonl", "final.tsv"])
def test_other_characters_stay(name: str, decided: Decided, apply: Apply, rows_of: Rows) -> None:
    cases = [(text, "TA", [span]) for text, span, _ in BEFORE_AND_AFTER]
    output, keys = name.replace("final", "anon"), str(Path("key.csv"))
    apply(decided(*cases, name=name), output, key_table=keys)
    assert _texts(rows_of, Path(output)) == [after for *_, after in BEFORE_AND_AFTER]
    restore(Source(output), keys, str(Path(f"back.{output}")))
    assert _texts(rows_of, Path(f"back.{output}")) == [text for text, *_ in BEFORE_AND_AFTER]


HOSTILE = CASES["hostile_spans"] | {
    "huge": f'[[0, {"9" * 30}, "PRE"]]',
    "beyond what is read": f'[[0, {"9" * 6000}, "PRE"]]',
    "deep": "[" * 100_000,
    "deep and closed": "[" * 100_000 + "]" * 100_000,
}


WRONG = [
    *(pytest.param("TA", spans, "final_spans", id=name) for name, spans in HOSTILE.items()),
    *((action, "", "action is none of TA, NTA") for action in ("", "ta", "SKIP", MARKER)),
]


@pytest.mark.parametrize(("action", "spans", "error"), WRONG)
def test_a_row_that_is_not_what_it_should_be_is_an_error_of_one_line(
    action: str, spans: str, error: str, decided: Decided, apply: Apply
) -> None:
    source = decided(("oui", "NTA", ""), (f"{MARKER} bonjour", action, spans))
    with pytest.raises(TriageError, match=rf"final\.csv, line 3: its {error}") as caught:
        apply(source)
    line = str(caught.value)
    assert (line.count("\n"), len(line) < 300, MARKER in line) == (0, True, False)
    assert [*Path().iterdir()] == [source]


def test_a_file_is_read_twice_at_most(apply: Apply, decided: Decided, reads: list[str]) -> None:
    apply(decided(("Coucou Patrice", "TA", [[7, 14, "PRE"]]), ("oui", "NTA", [])))
    assert reads == ["final.csv"] * 2


@pytest.mark.parametrize(("options", "written", "held"), CASES["held"])
def test_what_is_in_doubt_is_held_back_or_written_and_listed(
    options: str, written: str, held: str, anonymise: Run, triaged: Path
) -> None:
    triaged.write_text(CASES["messages"])
    told = anonymise(*options.split()).stdout
    assert Path("anon.csv").read_text() == f"id,text\n{written}"
    assert Path("anon.held.csv").read_text() == f"row,id,reason,written\n{held}"
    assert ("\n1 message waits for the expert: WRITTEN\n" in told) is ("--hold" in options)
    assert ("\n1 TA message with a word in doubt: mark" in told) is (options == "")


def test_an_id_that_a_spreadsheet_would_run_is_read_back(anonymise: Run) -> None:
    anonymise("--hold", "none")
    assert "\n1,'=1+1," in Path("anon.held.csv").read_text()
    assert [one.id for one in read_held("anon.csv")] == ["=1+1"]


Written = Callable[..., list[dict[str, str]]]
PEOPLE = cases_beside(__file__, "people.toml")
COLUMN, DROPPED = PEOPLE["files"]["column.csv"], PEOPLE["files"]["dropped.csv"]

NAMES = ("kerbrat", "poilvert", "solveig", "tancrede", "aurele")


def _plain(content: bytes) -> str:
    text = unicodedata.normalize("NFD", content.decode("utf-8", "replace"))
    return "".join(one for one in text if not unicodedata.combining(one)).casefold()


@pytest.mark.parametrize(("name", "content"), PEOPLE["files"].items())
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
    texts = [row["text"] for row in rows(PEOPLE["others"]["particles"], "surrogate")]
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
