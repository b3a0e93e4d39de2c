"""A plan that is written is read as it was."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from triage.anonymise.plan_file import read_plan
from triage.anonymise.plan_text import plan_text

from triage.anonymise.plan import General, Plan
from triage.dictionaries.phrases import phrase_key
from triage.settings import OfType, StyleName
from triage.vocabulary import IdentifierType, Severity

types = st.sampled_from(list(IdentifierType))
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
spellings = st.lists(texts.filter(phrase_key), max_size=6, unique_by=phrase_key)


def _of_types(kind: type[StyleName | OfType | Severity]) -> st.SearchStrategy[dict]:  # type: ignore[type-arg]
    return st.dictionaries(types, st.sampled_from(list(kind)))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    listed = draw(spellings)
    n = draw(st.integers(0, len(listed)))
    return Plan(
        General(draw(st.sampled_from(StyleName)), per_sender=draw(st.booleans())),
        {**Plan().types, **draw(_of_types(OfType))},
        draw(_of_types(StyleName)),
        {**Plan().severity, **draw(_of_types(Severity))},
        {spelling: draw(types) for spelling in listed[:n]},
        tuple(listed[n:]),
        Treatment(
            tuple(draw(st.lists(texts, max_size=3))),
            pseudonym=tuple(draw(st.lists(texts, max_size=2))),
        ),
    )


@given(plans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_plan_is_read_as_it_was_written(tmp_path: Path, plan: Plan) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(plan_text(plan).encode())
    read = read_plan(path, {})
    assert (read.general, read.types, read.styles) == (plan.general, plan.types, plan.styles)
    assert (read.severity, read.columns) == (plan.severity, plan.columns)
    assert (dict(read.always), sorted(read.never)) == (dict(plan.always), sorted(plan.never))


def test_the_default_plan_says_nothing() -> None:
    assert plan_text(Plan()) == ""
