"""Which spellings become candidates, and why."""

import pytest

from triage.mining.answers import Answer, Said
from triage.mining.candidates import Candidate, candidates
from triage.mining.corpus import read_corpus
from triage.mining.kinship import Kinship, Reason
from triage.mining.known import Known
from triage.vocabulary import IdentifierType, Span

PRE, NOM = IdentifierType.PRE, IdentifierType.NOM
MARION = Known("Marion", PRE, "p1")
ALL = 0.0


def found(*texts: str, known: Known = MARION, **answers: Said) -> dict[str, Candidate]:
    """Return all candidates of some messages by their keys."""
    said = {key: Answer(key, one) for key, one in answers.items()}
    return {one.key: one for one in candidates(read_corpus(texts), [known], said, bound=ALL)}


@pytest.mark.parametrize(
    ("spelling", "reason"),
    [
        ("marions", Reason.ONE_EDIT),
        ("maroin", Reason.TWO_EDITS),
        ("marionnnn", Reason.STRETCHED),
        ("mar", Reason.SHORT),
        ("marion34", Reason.HANDLE),
        ("avecmarion", Reason.GLUED),
        ("marionavec", Reason.GLUED),
    ],
)
def test_a_spelling_is_akin_to_a_known_name(spelling: str, reason: Reason) -> None:
    akin = Kinship([MARION], frozenset({"avec"}))(spelling)
    assert [(one.reason, one.known) for one in akin] == [(reason, MARION)]


def test_a_short_form_of_a_known_list_is_akin_to_its_name() -> None:
    akin = Kinship([Known("Sébastien", PRE)], frozenset(), {"bastos": "sebastien"})("bastos")
    assert [one.reason for one in akin] == [Reason.SHORT]


def test_initials_are_those_of_a_full_name() -> None:
    assert [one.reason for one in Kinship([Known("Jean Dupré", NOM)], frozenset())("jd")] == [
        Reason.INITIALS
    ]


def test_initials_are_those_of_the_names_of_one_entity() -> None:
    names = [Known("Léa", PRE, "p1"), Known("Roux", NOM, "p1"), Known("Paul", PRE, "p2")]
    akin = Kinship(names, frozenset())
    assert ([one.known for one in akin("lr")], akin("lp")) == ([names[0]], [])


def test_words_of_an_address_are_no_names() -> None:
    address = Known("12 rue du Portail", IdentifierType.ADR)
    assert Kinship([address], frozenset())("portailll") == []


def test_a_known_name_is_not_akin_to_itself() -> None:
    assert Kinship([MARION], frozenset())("marion") == []


def test_a_known_spelling_is_no_candidate_in_any_case_or_accents() -> None:
    assert "marion" not in found("Marion", "MARION !", "Mârion ?")


def test_a_spelling_that_was_replaced_elsewhere_is_a_candidate_where_it_stands() -> None:
    one = found("<PRE_6> arrive", "marion", known=Known("Marion", PRE, "", 3, False))["marion"]
    assert (one.key, one.stands, one.replaced, one.reasons[0]) == (
        "marion",
        1,
        3,
        Reason.REPLACED,
    )


def test_a_stretched_name_has_its_type_and_entity() -> None:
    one = found("tu viens avec Marionn", known=Known("Marion", IdentifierType.SUR, "p1"))["marionn"]
    assert (one.type, one.entity, one.akin) == (IdentifierType.SUR, "p1", "Marion")


def test_a_misspelt_name_may_be_another_entity() -> None:
    one = found("tu viens avec Maroin")["maroin"]
    assert (one.type, one.entity, one.akin) == (PRE, "", "Marion")


def test_a_word_behind_a_first_name_is_likely_a_last_name() -> None:
    assert found("Marion Fontanel est là")["fontanel"].type is NOM


def test_a_word_beside_a_hyphen_is_beside_the_name() -> None:
    assert Reason.BESIDE in found("et Marion-Lou ?")["lou"].reasons


def test_a_context_of_names_gives_another_name_away() -> None:
    texts = [f"{said} {name} !" for name in ("Marion", "Zora") for said in ("bisous", "coucou")]
    several = [
        *texts,
        "bisous Marion !",
        "coucou Marion !",
        "demain matin",
        "ok parfait",
        "oui oui",
    ]
    one = found(*several)["zora"]
    assert Reason.CONTEXT in one.reasons
    assert one.context in ("bisous …", "coucou …", "… !")
    assert one.likelihood > found(*several)["matin"].likelihood


def test_a_tag_shows_where_names_stand() -> None:
    texts = ["bisous <PRE_6>", "bisous <PRE_4>", "bisous zora", "demain matin", "ok parfait"]
    kept = {one.key: one for one in candidates(read_corpus(texts), [], {}, bound=ALL)}
    assert kept["zora"].likelihood > kept["parfait"].likelihood
    assert kept["zora"].context == "bisous …"


def test_a_capital_inside_a_message_is_a_reason() -> None:
    one = found("demain chez Zora")["zora"]
    assert Reason.CAPITAL in one.reasons
    assert Reason.CAPITAL not in found("Demain chez zora")["demain"].reasons


def test_the_likeliest_is_first() -> None:
    order = [*found("avec Marionn", "on verra bien", "une table").values()]
    assert order[0].key == "marionn"
    assert [one.likelihood for one in order] == sorted(
        (one.likelihood for one in order), reverse=True
    )


@pytest.mark.parametrize("said", [Said.ALWAYS, Said.NEVER])
def test_what_was_answered_is_asked_no_more(said: Said) -> None:
    assert "marionn" not in found("avec Marionn", marionn=said)


def test_what_is_for_later_stays_a_candidate() -> None:
    assert "marionn" in found("avec Marionn", marionn=Said.LATER)


def test_what_was_answered_gives_new_variants() -> None:
    texts = ("avec Zora", "et zoraaa", "ah zora")
    assert Reason.STRETCHED not in found(*texts)["zoraaa"].reasons
    assert Reason.STRETCHED in found(*texts, zora=Said.ALWAYS)["zoraaa"].reasons


def test_evidence_of_the_model_counts_where_there_is_one() -> None:
    corpus = read_corpus(["avec zora", "une table"], None, [{5: 0.9}, {4: 0.01}])
    (zora, *rest) = candidates(corpus, [], {}, bound=ALL)
    assert (zora.key, zora.reasons[0]) == ("zora", Reason.EVIDENCE)
    assert all(one.likelihood < zora.likelihood for one in rest)


def test_an_identifier_that_is_sure_is_none_of_the_candidates() -> None:
    corpus = read_corpus(["avec Zora"], [(Span(5, 9, PRE),)])
    assert [one.key for one in candidates(corpus, [], {}, bound=ALL)] == ["avec"]


@pytest.mark.parametrize(
    ("text", "spelling", "variant"),
    [
        ("завтра с Мариной", "Марина", "Мариной"),
        ("πάμε με τη Μαρίαα", "Μαρία", "Μαρίαα"),
        ("amanhã com a Mariaana", "Mariana", "Mariaana"),
    ],
)
def test_any_language_can_be_mined(text: str, spelling: str, variant: str) -> None:
    first = candidates(read_corpus([text]), [Known(spelling, PRE)], {})[0]
    assert first.spelling == variant


def test_numbers_signs_and_tags_are_no_candidates() -> None:
    assert [*found("<PRE_6> 12 !!! :) 42")] == []


def test_messages_without_words_have_no_candidates() -> None:
    assert [*found("", " ", "...")] == []
    assert candidates(read_corpus([]), [], {}) == []
