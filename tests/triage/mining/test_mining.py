"""Mining: which spellings become candidates and why, and what is known before; see stories.toml."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.triage.cli.program import Refused
from triage import mining
from triage.anonymise.grading import NO_NAME, Clue, Kinship, KnownSpelling, WordAnswer, read_corpus
from triage.data.output import private_table
from triage.mining import COLUMNS, Candidate, Round, candidate_rows, read_answers
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__)
PRE, NOM, SUR, LIE = map(IdentifierType, ("PRE", "NOM", "SUR", "LIE"))
MARION, LEA = (
    KnownSpelling(name, PRE, "p1", answer=WordAnswer.ALWAYS) for name in ("Marion", "Léa")
)


def found(
    *texts: str, known: KnownSpelling = MARION, **answers: WordAnswer
) -> dict[str, Candidate]:
    """Return all candidates of some messages by their keys."""
    word_answers = {key: KnownSpelling(key, answer=one) for key, one in answers.items()}
    return {one.key: one for one in Round(read_corpus(texts), [known], word_answers).candidates(0)}


def where(texts: list[str], known: list[KnownSpelling], **answers: KnownSpelling) -> list[str]:
    corpus = read_corpus(texts)
    types = mining.marked(corpus, mining.with_answers(known, answers))
    return [corpus.written(word) for word in np.flatnonzero(types != NO_NAME).tolist()]


@pytest.mark.parametrize(("spelling", "known", "reason"), CASES["kinship"])
def test_a_spelling_is_akin_to_a_name(spelling: str, known: list[list[str]], reason: str) -> None:
    names = [KnownSpelling(name, IdentifierType(type_), entity) for name, type_, entity in known]
    akin = Kinship(names, frozenset({"avec"}), {"bastos": "sebastien"}, {})(spelling)
    assert [(why.name, one) for why, one in akin] == [(reason, names[0])][: len(reason)]


@pytest.mark.parametrize(("text", "of", "key", "expected"), CASES["candidates"])
def test_a_candidate_has_type_and_entity(text: str, of: str, key: str, expected: list[str]) -> None:
    one = found(text, known=replace(MARION, type=IdentifierType(of)))[key]
    assert [one.type, one.entity, one.akin] == expected


def test_a_known_spelling_is_a_candidate_only_where_it_was_replaced_elsewhere() -> None:
    assert "marion" not in found("Marion", "MARION !", "Mârion ?")
    one = found("<PRE_6> arrive", "marion", known=KnownSpelling("Marion", PRE, "", 3))["marion"]
    assert (one.stands, one.replaced, one.reasons[0]) == (1, 3, Clue.REPLACED)


@pytest.mark.parametrize(("text", "key", "reason", "holds"), CASES["reasons"])
def test_reasons_lie_in_the_place(text: str, key: str, reason: str, holds: bool) -> None:
    assert (Clue[reason] in found(text)[key].reasons) == holds


@pytest.mark.parametrize("name", ["Marion", "<PRE_6>"])
def test_a_context_of_names_or_tags_gives_another_name_away(name: str) -> None:
    texts = [f"{said} {one} !" for one in (name, "zora") for said in ("bisous", "coucou")]
    candidates = found(*texts, f"bisous {name} !", f"coucou {name} !", "demain matin", "oui oui")
    zora = candidates["zora"]
    assert Clue.CONTEXT in zora.reasons
    assert zora.context in ("bisous …", "coucou …", "… !")
    assert zora.likelihood > candidates["matin"].likelihood


@pytest.mark.parametrize(("text", "spelling", "variant"), CASES["languages"])
def test_any_language_can_be_mined(text: str, spelling: str, variant: str) -> None:
    round_ = Round(read_corpus([text]), [KnownSpelling(spelling, PRE)], {})
    assert round_.candidates()[0].spelling == variant


@pytest.mark.parametrize("texts", [["<PRE_6> 12 !!! :) 42"], ["", " ", "..."], []])
def test_numbers_signs_and_tags_are_no_candidates(texts: list[str]) -> None:
    assert found(*texts) == {}
    assert Round(read_corpus(texts), []).expected_left() == pytest.approx(0)


@given(st.sampled_from(["—", "¶", "<>", "<PRE>", "-", "'", "=", "é\u0301"]), st.text(max_size=8))
def test_no_spelling_is_taken_for_an_edge_or_a_tag(spelling: str, text: str) -> None:
    corpus = read_corpus([f"{text}{spelling}", text])
    for one in Round(corpus, [KnownSpelling(spelling, PRE)], {}).candidates(0):
        assert all(corpus.written(word) for word in one.words)


@given(st.lists(st.text(max_size=40), max_size=5))
def test_each_word_stands_where_its_place_says(texts: list[str]) -> None:
    corpus = read_corpus(texts)
    assert len(corpus.message) == len(corpus.form) == len(corpus.replaced)
    for word, place in enumerate(map(corpus.place, range(len(corpus.form)))):
        assert place[1] == place[2] or corpus.written(word).strip()


def test_spellings_are_marked_however_they_are_written_or_where_an_answer_says() -> None:
    texts = ["saint-clar", "à Saint  Clar", "saint"]
    saint = KnownSpelling("Saint-Clar", LIE, answer=WordAnswer.ALWAYS)
    assert where(texts, [saint]) == ["saint", "clar", "Saint", "Clar"]
    here = KnownSpelling("rose", PRE, answer=WordAnswer.HERE, places=frozenset({(2, 5)}))
    assert where(["la rose", "avec Rose"], [], rose=here) == ["Rose"]
    assert where(["Léa"], [LEA], lea=KnownSpelling("LÉA", answer=WordAnswer.NEVER)) == []


def test_what_was_wrong_so_far_lowers_what_is_expected() -> None:
    corpus = read_corpus([f"avec Zora{end}" for end in "bcdfghjk"])
    before = Round(corpus, [])
    never = {
        one.key: KnownSpelling(one.spelling, answer=WordAnswer.NEVER, likelihood=one.likelihood)
        for one in before.candidates(0.2)[:4]
    }
    assert Round(corpus, [], never).expected_left() < before.expected_left() / 2


def test_answers_come_back_as_they_were_written(tmp_path: Path) -> None:
    written = [
        KnownSpelling("Rose", SUR, "p1", 0, WordAnswer.HERE, frozenset({(3, 7), (12, 0)}), 0.25, 4),
        KnownSpelling("=zora", answer=WordAnswer.NEVER, stands=2),
        KnownSpelling("léa", NOM, answer=WordAnswer.ALWAYS, likelihood=0.5, stands=1),
    ]
    answers, path = {one.key: one for one in written}, tmp_path / "answers.csv"
    rows = candidate_rows(Round(read_corpus([]), [], answers), [])
    with private_table(path, COLUMNS, rows) as output:
        output.commit()
    assert read_answers(path) == answers


@pytest.mark.parametrize(("option", "header", "row", "problem"), CASES["wrong_rows"])
def test_a_wrong_row_is_named_by_its_line_alone(
    option: str, header: str, row: str, problem: str, refused: Refused
) -> None:
    path = Path("table.csv")
    path.write_text(f"{header}\n{row}\n")
    options = ("-o", path.with_name("out.csv"), "--plan", "language=none")
    line = refused("mine", path, *options, f"--{option}", path)
    assert problem in line
    assert "zora" not in line
