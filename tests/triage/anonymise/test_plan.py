"""The file of a plan of treatment: what it says, and what is wrong with it in one line."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.dictionaries.test_linear import is_linear
from tests.triage.cli.program import Run
from triage.anonymise.plan import Plan, plan_text, read_plan
from triage.decide.find import Found, Identifier, Rule
from triage.errors import TriageError
from triage.settings import Ambiguous, Dates, Hold, OfType, StyleName, Treatment
from triage.vocabulary import IdentifierType, Severity

CASES = cases_beside(__file__)

PRE, NOM, LIE, TEL = map(IdentifierType, ("PRE", "NOM", "LIE", "TEL"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "plan.toml"


def plan_of(path: Path, text: str) -> Plan:
    path.write_text(text, encoding="utf-8")
    return read_plan(path)[0]


def test_a_plan_says_what_holds_of_all_types_and_columns(path: Path) -> None:
    plan = plan_of(path, CASES["plans"]["general"])
    assert plan.treatment == Treatment(
        StyleName.CONSISTENT,
        Ambiguous.ASK,
        Hold.TA,
        per_sender=True,
        keep=("ville",),
        dates=Dates.MONTH,
    )
    values = read_plan(path)[1]
    assert (values["text_column"], values["date_column"]) == ("sms", "envoi")


@pytest.mark.parametrize(("text", "told", "left"), CASES["followed"])
def test_a_plan_is_followed(text: str, told: str, left: str, done: Run, triaged: Path) -> None:
    plan, output = Path("plan.toml"), Path("anon.csv")
    plan.write_text(text)
    assert told in done("anonymise", triaged, "-o", output, "--plan", plan).stdout
    assert left in output.read_text()


def test_spellings_are_listed_in_the_plan_and_in_files(path: Path) -> None:
    path.with_name("noms.txt").write_text("# famille\nde la Tour\n", encoding="utf-8")
    path.with_name("lieux.txt").write_text("le Bar du Coin\tpas un nom\n", encoding="utf-8")
    plan = plan_of(path, CASES["plans"]["lists"])
    always = {"Zoé": PRE, "de la tour": NOM}
    assert plan.listed == always | dict.fromkeys(("Marine", "le bar du coin"))
    assert [one.name for one in plan.read_from] == ["plan.toml", "lieux.txt", "noms.txt"]


def test_paths_are_relative_to_the_plan(path: Path) -> None:
    path.write_text('[files]\nkey = "k"\nnames = ["a.txt", "/b.txt"]\noutput = "-"')
    folder = path.parent
    assert read_plan(path)[1] == {
        "key": str(folder / "k"),
        "names": (folder / "a.txt", Path("/b.txt")),
        "output": "-",
    }


@pytest.mark.parametrize(("text", "problem"), CASES["what_is_wrong_is_one_line_with"])
def test_what_is_wrong_is_one_line_with_the_nearest(text: str, problem: str, path: Path) -> None:
    with pytest.raises(TriageError) as error:
        plan_of(path, text)
    assert str(error.value) == f"{path}: {problem}"


@pytest.mark.parametrize(("content", "problem"), CASES["no_plans"])
def test_what_is_no_plan_is_told(content: str, problem: str, path: Path) -> None:
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(TriageError, match=problem):
        read_plan(path)


def test_the_plan_of_the_document_can_be_read(path: Path) -> None:
    document = Path(__file__).parents[3] / "docs" / "guide" / "publishing.md"
    path.with_name("prenoms.txt").write_text("Zoé\n", encoding="utf-8")
    shown = re.search(r"```toml\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)
    assert shown
    plan = plan_of(path, shown[1])
    assert plan.listed["Rosa Luxembourg"] is NOM
    assert plan.types[LIE] is OfType.ASK


def test_a_plan_is_read_as_it_was_written_and_the_default_one_says_nothing(path: Path) -> None:
    assert plan_text(Plan()) == ""
    assert plan_of(path, "") == Plan(read_from=(path,))
    plan = Plan(
        Treatment(StyleName.MASK, per_sender=True, keep=('a "b"', "é\\"), pseudonym=("x\ny",)),
        {**Plan().types, TEL: OfType.ASK, LIE: OfType.KEEP},
        {PRE: StyleName.SURROGATE},
        {**Plan().severity, LIE: Severity.DIRECT},
        {"Zoé": PRE, "# Marine": None, "de la 'Tour'": NOM, "C:\\new": LIE, '"Lou" = 1': None},
    )
    read = plan_of(path, plan_text(plan))
    assert (read.types, read.styles, read.severity) == (plan.types, plan.styles, plan.severity)
    for name in ("style", "per_sender", "keep", "pseudonym"):
        assert getattr(read.treatment, name) == getattr(plan.treatment, name)
    assert read.listed == plan.listed


FOUND = {
    name: Identifier(start, end, IdentifierType(of), Rule(by))
    for name, (start, end, of, by) in CASES["found"].items()
}


@pytest.mark.parametrize("case", CASES["treated"], ids=lambda case: case["about"])
def test_identifiers_are_replaced_or_kept(case: dict[str, Any]) -> None:
    types = {IdentifierType(one): OfType.KEEP for one in case.get("types_kept", ())}
    types |= {IdentifierType(one): OfType.ASK for one in case.get("types_asked", ())}
    listed = {of: IdentifierType(one) if one else None for of, one in case["listed"].items()}
    found = Found([FOUND[one] for one in case["found"]])
    treated = Plan(types=types, listed=listed).treat(found, CASES["message"])
    assert treated.identifiers == [FOUND[one] for one in case["replaced"]]
    assert treated.kept == [FOUND[one] for one in case.get("kept", ())]
    assert treated.is_asked is case.get("is_asked", False)


@pytest.mark.timing
def test_time_of_what_stays_of_a_message_grows_with_its_length() -> None:
    plan = Plan(listed={"Zoé": None})

    def work(text: str) -> object:
        starts = range(0, len(text), 5)
        return [plan.stays(start, start + 4, IdentifierType.TEL, text) for start in starts]

    assert is_linear(work, ["Rosa "])
