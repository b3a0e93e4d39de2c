"""``triage restore``: original messages come back, whatever the style, or nothing is written."""

import stat
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Refused, Run
from triage.data import open_messages

CASES = cases_beside(__file__)
TRIAGED = (
    "id,text,action\n"
    '1,"Coucou Patrice, ça va ?",TA\n'
    "2,on verra bien,TA\n"
    "3,oui et toi,NTA\n"
    "4,Slt patrice appelle Karim au 06 39 98 12 34,TA\n"
)


@pytest.fixture
def anonymised(anonymise: Run) -> Path:
    """Anonymise messages, of which the second is held back."""
    anonymise("--key-table", Path("key.csv"))
    return Path("anon.csv")


@pytest.fixture
def restored(own_folder: Path) -> tuple[str | Path, ...]:
    """Ways in which messages are put back."""
    table = ("--key-table", Path("key.csv"))
    return ("restore", Path("anon.csv"), *table, "-o", Path("original.csv"))


@pytest.fixture
def line(refused: Refused, restored: tuple[str | Path, ...]) -> Refused:
    """Return the one line of an error, behind which nothing is written."""

    def said() -> str:
        told = refused(*restored)
        assert "atrice" not in told
        return told

    return said


def _texts(path: Path) -> list[str]:
    with open_messages(path) as file:
        return [text for chunk in file.chunks() for text in chunk.texts]


@pytest.mark.usefixtures("anonymised")
def test_messages_that_were_written_come_back(done: Run, restored: tuple[str | Path, ...]) -> None:
    assert done(*restored).stdout.endswith("4 identifiers put back in 2 of them\n")
    assert Path("original.csv").read_text() == (
        "id,text\n"
        '1,"Coucou Patrice, ça va ?"\n'
        "3,oui et toi\n"
        "4,Slt patrice appelle Karim au 06 39 98 12 34\n"
    )
    assert stat.S_IMODE(Path("original.csv").stat().st_mode) == 0o600


@pytest.mark.parametrize("edit", CASES["edits"].values(), ids=CASES["edits"])
def test_a_message_that_was_changed_is_an_error(
    edit: tuple[str, str], line: Refused, anonymised: Path
) -> None:
    anonymised.write_text(anonymised.read_text().replace(*edit, 1))
    assert "messages were changed, moved or removed since: " in line()


@pytest.mark.usefixtures("anonymised")
def test_half_a_key_table_is_refused(line: Refused) -> None:
    table = Path("key.csv")
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:3]))
    assert "key.csv is not the whole table" in line()


@pytest.mark.usefixtures("anonymised")
def test_without_its_private_record_a_key_table_is_refused(line: Refused) -> None:
    private = Path("key.private.json")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    private.write_text("{}")
    assert "is no private record of triage anonymise" in line()
    private.unlink()
    assert "nobody can tell whether the table is whole" in line()


@pytest.mark.usefixtures("anonymised")
def test_a_table_of_another_file_is_an_error(run: Run, line: Refused) -> None:
    Path("other.csv").write_text("text,action\noui,NTA\nCoucou Zoé,TA\n")
    table = ("--key-table", Path("key.csv"), "--overwrite")
    run("anonymise", Path("other.csv"), "-o", Path("other.anon.csv"), *table)
    assert "key.csv is not the table of " in line()


@pytest.mark.parametrize(("columns", "row", "said"), CASES["no_places"])
@pytest.mark.usefixtures("anonymised")
def test_a_table_without_places_is_an_error(
    columns: str, row: str, said: str, line: Refused
) -> None:
    Path("key.csv").write_text(f"{columns}\n{row}\n")
    assert said in line()
