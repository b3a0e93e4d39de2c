"""Which spellings become candidates and why, and what mining starts from."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.triage.cli.program import Refused
from triage.anonymise.filled import private_table
from triage.anonymise.grading import (
    NO_NAME,
    TYPES,
    Answer,
    Candidate,
    Kinship,
    Known,
    Reason,
    Round,
    Said,
    marked,
    read_corpus,
    with_answers,
)
from triage.decide.source import Source
from triage.mining.session import (
    COLUMNS,
    candidate_rows,
    open_session,
    read_answers,
    read_catalogue,
)
from triage.queue import Answer as Decided
from triage.queue import Queue, WordRule
from triage.vocabulary import IdentifierType, Span

PRE, NOM, SUR, LIE, ADR = map(IdentifierType, ("PRE", "NOM", "SUR", "LIE", "ADR"))
MARION, LEA = Known("Marion", PRE, "p1"), Known("Léa", PRE, "p1")


def found(*texts: str, known: Known = MARION, **answers: Said) -> dict[str, Candidate]:
    """Return all candidates of some messages by their keys."""
    said = {key: Answer(key, one) for key, one in answers.items()}
    return {one.key: one for one in Round(read_corpus(texts), [known], said).candidates(0)}


def where(texts: list[str], known: list[Known], **answers: Answer) -> list[str]:
    corpus = read_corpus(texts)
    types = marked(corpus, with_answers(known, answers))
    return [corpus.written(word) for word in np.flatnonzero(types != NO_NAME).tolist()]


# Kinship


@pytest.mark.parametrize(
    ("spelling", "known", "reason"),
    [
        ("marions", [MARION], Reason.ONE_EDIT),
        ("maroin", [MARION], Reason.TWO_EDITS),
        ("marionnnn", [MARION], Reason.STRETCHED),
        ("mar", [MARION], Reason.SHORT),
        ("marion34", [MARION], Reason.HANDLE),
        ("avecmarion", [MARION], Reason.GLUED),
        ("marionavec", [MARION], Reason.GLUED),
        ("bastos", [Known("Sébastien", PRE)], Reason.SHORT),
        ("jd", [Known("Jean Dupré", NOM)], Reason.INITIALS),
        ("lr", [LEA, Known("Roux", NOM, "p1"), Known("Paul", PRE, "p2")], Reason.INITIALS),
        ("lp", [LEA, Known("Paul", PRE, "p2")], None),
        ("portailll", [Known("12 rue du Portail", ADR)], None),
        ("marion", [MARION], None),
    ],
)
def test_a_spelling_is_akin_to_a_known_name(
    spelling: str, known: list[Known], reason: Reason | None
) -> None:
    akin = Kinship(known, frozenset({"avec"}), {"bastos": "sebastien"})(spelling)
    assert [(one.reason, one.known) for one in akin] == ([(reason, known[0])] if reason else [])


# Candidates


@pytest.mark.parametrize(
    ("text", "known", "key", "expected"),
    [
        ("avec Marionn", Known("Marion", SUR, "p1"), "marionn", (SUR, "p1", "Marion")),
        ("avec Maroin", MARION, "maroin", (PRE, "", "Marion")),
        ("Marion Fontanel est là", MARION, "fontanel", (NOM, "", "")),
    ],
    ids=["stretched", "misspelt", "behind a first name"],
)
def test_a_candidate_has_a_type_and_perhaps_an_entity(
    text: str, known: Known, key: str, expected: tuple[IdentifierType, str, str]
) -> None:
    one = found(text, known=known)[key]
    assert (one.type, one.entity, one.akin) == expected


def test_a_known_spelling_is_a_candidate_only_where_it_was_replaced_elsewhere() -> None:
    assert "marion" not in found("Marion", "MARION !", "Mârion ?")
    one = found("<PRE_6> arrive", "marion", known=Known("Marion", PRE, "", 3, False))["marion"]
    assert (one.stands, one.replaced, one.reasons[0]) == (1, 3, Reason.REPLACED)


@pytest.mark.parametrize(
    ("text", "key", "reason", "holds"),
    [
        ("et Marion-Lou ?", "lou", Reason.BESIDE, True),
        ("demain chez Zora", "zora", Reason.CAPITAL, True),
        ("Demain chez zora", "demain", Reason.CAPITAL, False),
    ],
)
def test_reasons_lie_in_the_place(text: str, key: str, reason: Reason, holds: bool) -> None:
    assert (reason in found(text)[key].reasons) == holds


@pytest.mark.parametrize("name", ["Marion", "<PRE_6>"])
def test_a_context_of_names_or_tags_gives_another_name_away(name: str) -> None:
    texts = [f"{said} {one} !" for one in (name, "zora") for said in ("bisous", "coucou")]
    candidates = found(*texts, f"bisous {name} !", f"coucou {name} !", "demain matin", "oui oui")
    zora = candidates["zora"]
    assert Reason.CONTEXT in zora.reasons
    assert zora.context in ("bisous …", "coucou …", "… !")
    assert zora.likelihood > candidates["matin"].likelihood


def test_the_likeliest_is_first() -> None:
    order = [*found("avec Marionn", "on verra bien", "une table").values()]
    assert order[0].key == "marionn"
    likelihoods = [one.likelihood for one in order]
    assert likelihoods == sorted(likelihoods, reverse=True)


@pytest.mark.parametrize(
    ("said", "asked"), [(Said.ALWAYS, False), (Said.NEVER, False), (Said.LATER, True)]
)
def test_what_was_answered_is_asked_no_more(said: Said, asked: bool) -> None:
    assert ("marionn" in found("avec Marionn", marionn=said)) == asked


def test_what_was_answered_gives_new_variants() -> None:
    texts = ("avec Zora", "et zoraaa", "ah zora")
    assert Reason.STRETCHED not in found(*texts)["zoraaa"].reasons
    assert Reason.STRETCHED in found(*texts, zora=Said.ALWAYS)["zoraaa"].reasons


def test_evidence_of_the_model_counts_where_there_is_one() -> None:
    corpus = read_corpus(["avec zora", "une table"], (), np.array([[0, 1], [5, 4], [0.9, 0.01]]))
    (zora, *rest) = Round(corpus, [], {}).candidates(0)
    assert (zora.key, zora.reasons[0]) == ("zora", Reason.EVIDENCE)
    assert all(one.likelihood < zora.likelihood for one in rest)


def test_an_identifier_that_is_sure_is_none_of_the_candidates() -> None:
    corpus = read_corpus(["avec Zora"], [(Span(5, 9, PRE),)])
    assert [one.key for one in Round(corpus, [], {}).candidates(0)] == ["avec"]


@pytest.mark.parametrize(
    ("text", "spelling", "variant"),
    [
        ("завтра с Мариной", "Марина", "Мариной"),
        ("πάμε με τη Μαρίαα", "Μαρία", "Μαρίαα"),
        ("amanhã com a Mariaana", "Mariana", "Mariaana"),
    ],
)
def test_any_language_can_be_mined(text: str, spelling: str, variant: str) -> None:
    round_ = Round(read_corpus([text]), [Known(spelling, PRE)], {})
    assert round_.candidates()[0].spelling == variant


@pytest.mark.parametrize("texts", [["<PRE_6> 12 !!! :) 42"], ["", " ", "..."], []])
def test_numbers_signs_and_tags_are_no_candidates(texts: list[str]) -> None:
    assert found(*texts) == {}
    assert Round(read_corpus(texts), []).expected_left() == pytest.approx(0)


@given(st.sampled_from(["—", "¶", "<>", "<PRE>", "-", "'", "=", "é\u0301"]), st.text(max_size=8))
def test_no_spelling_is_taken_for_an_edge_or_a_tag(spelling: str, text: str) -> None:
    corpus = read_corpus([f"{text}{spelling}", text])
    for one in Round(corpus, [Known(spelling, PRE)], {}).candidates(0):
        assert all(corpus.written(word) for word in one.words)


# The corpus


@given(st.lists(st.text(max_size=40), max_size=5))
def test_each_word_stands_where_its_place_says(texts: list[str]) -> None:
    corpus = read_corpus(texts)
    assert len(corpus.message) == len(corpus.form) == len(corpus.replaced)
    for word, place in enumerate(map(corpus.place, range(len(corpus.form)))):
        assert place.end == place.start or corpus.written(word).strip()


def test_tags_and_words_of_identifiers_are_counted() -> None:
    corpus = read_corpus(["Coucou <NOM_6>, <3", "Léa", "06 00 11"], [(), (), (Span(0, 8, PRE),)])
    types = [TYPES[number] for number in corpus.replaced if number != NO_NAME]
    assert types == [NOM, PRE, PRE, PRE]
    assert Round(corpus, [LEA]).n_marked == 2


# What is known


def test_spellings_are_marked_however_they_are_written_or_where_an_answer_says() -> None:
    texts = ["saint-clar", "à Saint  Clar", "saint"]
    assert where(texts, [Known("Saint-Clar", LIE)]) == ["saint", "clar", "Saint", "Clar"]
    here = Answer("rose", Said.HERE, PRE, places=frozenset({(2, 5)}))
    assert where(["la rose", "avec Rose"], [], rose=here) == ["Rose"]
    assert where(["Léa"], [LEA], lea=Answer("LÉA", Said.NEVER)) == []


def test_surrogates_of_a_key_table_are_no_words_of_the_corpus(
    csv_of: Callable[..., Path], tmp_path: Path
) -> None:
    table = tmp_path / "key.csv"
    table.write_text(
        "row,written,id,start,end,type,rule,checksum,identifier,replacement\n"
        "1,1,1,7,10,PRE,evidence,00,Léa,Zoé\n",
        encoding="utf-8",
    )
    source = Source(str(csv_of("Coucou Zoé", "Zoé dort")))
    session = open_session(source, None, key_table=str(table))
    corpus = session.corpus
    assert session.known == [Known("Léa", PRE, replaced=1, everywhere=False)]
    assert [
        corpus.place(word).message for word in np.flatnonzero(corpus.replaced >= 0).tolist()
    ] == [0]


def test_what_people_decided_in_a_queue_is_known(
    run: Callable[..., object], csv_of: Callable[..., Path], tmp_path: Path
) -> None:
    triaged, work = tmp_path / "t.csv", tmp_path / "work.queue"
    run("classify", csv_of("avec Zorax demain"), "-o", triaged)
    run("queue", "create", triaged, "-o", work)
    with Queue.open(work) as queue:
        queue.decide("anna", 1, Decided.TA, [Span(5, 10, PRE)])
        queue.decide_word("anna", "zora", WordRule.ALWAYS, NOM)
        queue.decide_word("anna", "matin", WordRule.NEVER)
    session = open_session(Source(str(triaged)), None, queue=work)
    assert session.known == [Known("Zorax", PRE, replaced=1, everywhere=False)]
    said = {key: (one.said, one.type) for key, one in session.answers.items()}
    assert said["zora"] == (Said.ALWAYS, NOM)
    assert said["matin"][0] is Said.NEVER


def test_what_was_wrong_so_far_lowers_what_is_expected() -> None:
    corpus = read_corpus([f"avec Zora{end}" for end in "bcdfghjk"])
    before = Round(corpus, [])
    said = {
        one.key: Answer(one.spelling, Said.NEVER, likelihood=one.likelihood)
        for one in before.candidates(0.2)[:4]
    }
    assert Round(corpus, [], said).expected_left() < before.expected_left() / 2


# Tables that people fill in


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: str) -> Path:
        (tmp_path / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return tmp_path / "table.csv"

    return write


Table = Callable[..., Path]


def test_answers_are_read_by_the_folded_spelling(table: Table) -> None:
    lines = ("Léa,always,SUR,p1,", "matin,Never,,,", "zora,,,,", "rose,here,,,3:7 12:0")
    assert read_answers(table("spelling,answer,type,entity,places", *lines)) == {
        "lea": Answer("Léa", Said.ALWAYS, SUR, "p1"),
        "matin": Answer("matin", Said.NEVER),
        "rose": Answer("rose", Said.HERE, places=frozenset({(3, 7), (12, 0)})),
    }


def test_answers_come_back_as_they_were_written(tmp_path: Path) -> None:
    said = [
        Answer("Rose", Said.HERE, SUR, "p1", frozenset({(3, 7), (12, 0)}), 0.25, 4),
        Answer("=zora", Said.NEVER, stands=2),
        Answer("léa", Said.ALWAYS, NOM, likelihood=0.5, stands=1),
    ]
    answers, path = {one.key: one for one in said}, tmp_path / "answers.csv"
    rows = candidate_rows(Round(read_corpus([]), [], answers), [])
    with private_table(path, COLUMNS, rows) as output:
        output.commit()
    assert read_answers(path) == answers


def test_a_catalogue_has_an_entity_a_row(table: Table) -> None:
    path = table(
        "entity,type,spellings", "p1,PRE,Léa|Lélé", 'l1,LIE,"Saint-Clar; st clar"', ",,Zoé"
    )
    assert read_catalogue(path) == [
        *(Known(one, PRE, "p1") for one in ("Léa", "Lélé")),
        *(Known(one, LIE, "l1") for one in ("Saint-Clar", "st clar")),
        Known("Zoé", PRE, "Zoé"),
    ]


ANSWERS = "spelling,answer,type"


@pytest.mark.parametrize(
    ("option", "header", "row", "problem"),
    [
        ("answers", ANSWERS, "zora,toujours,", "line 2: the answer is none of always, never"),
        ("answers", ANSWERS, "zora,always,XXX", "line 2: its type is none of PRE"),
        ("answers", ANSWERS, "zora,here,", "line 2: of an answer 'here' the places are needed"),
        ("answers", ANSWERS, "-,always,", "line 2: it has no spelling"),
        ("answers", "spelling,type", "zora,PRE", "no column 'answer'"),
        ("catalogue", "entity,type,spellings", "p2,PRE,", "line 2: it has no spelling"),
    ],
)
def test_a_wrong_row_is_named_by_its_line_alone(
    option: str, header: str, row: str, problem: str, table: Table, refused: Refused
) -> None:
    path = table(header, row)
    options = ("-o", path.with_name("out.csv"), "--language", "none")
    line = refused("mine", path, *options, f"--{option}", path)
    assert problem in line
    assert "zora" not in line
