"""A triaged file with its identifiers replaced: what changes, what stays, and that no name does."""

import json
import unicodedata
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.data.files import rows_of, write
from tests.tables import read_rows, write_key
from tests.triage.anonymise.conftest import MARKER
from tests.triage.cli.program import Refused, Run
from triage.anonymise.record import held_path, read_held
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__)

PRE = IdentifierType.PRE
COLUMNS = ("id", "text", "final_action", "decided_by", "final_spans")


def decided(*rows: tuple[str, str, object], name: str = "final.csv") -> Path:
    """Write messages that people decided: (text, action, spans)."""
    cells = (
        [str(n), text, action, "anna", spans if isinstance(spans, str) else json.dumps(spans)]
        for n, (text, action, spans) in enumerate(rows, 1)
    )
    return write(name, COLUMNS, cells, overwrite=True)


def _texts(path: Path) -> list[object]:
    return [row["text"] for row in rows_of(path)]


@pytest.mark.parametrize(("output", "held"), CASES["the_list_of_what_is_held_back"])
def test_the_list_of_what_is_held_back_is_named_for_the_output(output: str, held: str) -> None:
    assert str(held_path(output)) == held


BEFORE_AND_AFTER = CASES["before_and_after"]


@pytest.mark.parametrize("name", ["final.csv", "final.xlsx", "final.jsonl", "final.tsv"])
def test_other_characters_stay(name: str, done: Run) -> None:
    cases = [(text, "TA", [span]) for text, span, _ in BEFORE_AND_AFTER]
    output, back = (Path(f"{folder}_{name}") for folder in ("anon", "back"))
    done("anonymise", decided(*cases, name=name), "-o", output, "--key-table", "key.csv")
    assert _texts(output) == [after for *_, after in BEFORE_AND_AFTER]
    done("restore", output, "--key-table", "key.csv", "-o", back)
    assert _texts(back) == [text for text, *_ in BEFORE_AND_AFTER]


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
def test_a_row_that_is_not_what_it_should_be_is_told(
    action: str, spans: str, error: str, refused: Refused
) -> None:
    source = decided(("oui", "NTA", ""), (f"{MARKER} bonjour", action, spans))
    line = refused("anonymise", source, "-o", "anon.csv")
    assert (f"final.csv, line 3: its {error}" in line, len(line) < 300) == (True, True)


def test_a_file_is_read_twice_at_most(done: Run, reads: list[str]) -> None:
    source = decided(("Coucou Patrice", "TA", [[7, 14, "PRE"]]), ("oui", "NTA", []))
    done("anonymise", source, "-o", "anon.csv", "--plan", "language=fr")
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


PEOPLE = cases_beside(__file__, "people.toml")

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


@pytest.mark.parametrize("style", ["consistent", "surrogate"])
def test_a_name_glued_to_a_word_has_the_pseudonym_of_its_person(style: str, done: Run) -> None:
    Path("sms.csv").write_text(PEOPLE["others"]["glued"], encoding="utf-8")
    write_key(Path("corpus.key"))
    done("classify", "sms.csv")
    done("anonymise", "sms.triage.csv", "-o", "anon.csv", f"--style={style}", "--key=corpus.key")
    solveig, *others = read_rows(Path("anon.csv"))
    assert all(solveig["sender"].split()[0].lower() in row["text"].lower() for row in others)


def test_one_surrogate_stands_in_column_and_message(done: Run) -> None:
    Path("sms.csv").write_text(PEOPLE["others"]["particle"], encoding="utf-8")
    write_key(Path("corpus.key"))
    done("classify", "sms.csv")
    options = ("--style", "surrogate", "--key", "corpus.key", "--hold", "none")
    done("anonymise", "sms.triage.csv", "-o", "anon.csv", *options)
    found = read_rows(Path("anon.csv"))
    solveig, tancrede, again, marie, nobody = (row["sender"] for row in found)
    texts = [row["text"].lower() for row in found]
    assert solveig == again
    assert tancrede.split()[-1].lower() in texts[0]
    assert texts[1] == f"on mange chez les {solveig.split()[-1].lower()} dimanche"
    # A particle stays, and goes with the surname that it stands before.
    assert texts[3] == f"salut le {marie.split()[-1].lower()} tu viens ?"
    assert texts[4] == f"je suis chez {marie.split()[-1].lower()}"
    assert nobody.startswith("S0")
