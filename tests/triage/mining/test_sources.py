"""What mining starts from: tags, surrogates, queues, lists of a corpus."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from triage.decide.source import Source
from triage.mining.answers import Answer, Said
from triage.mining.concordance import Order, concordance
from triage.mining.contexts import Context, Contexts, Side
from triage.mining.corpus import NO_NAME, TYPES, read_corpus
from triage.mining.known import Known, counted, marked, with_answers
from triage.mining.outlook import outlook
from triage.mining.queued import of_queue
from triage.mining.session import Session
from triage.mining.sources import mined
from triage.queue import Queue
from triage.queue.records import About, WordRule
from triage.queue.records import Answer as Decided
from triage.vocabulary import IdentifierType, Span

PRE, NOM, LIE = IdentifierType.PRE, IdentifierType.NOM, IdentifierType.LIE
LEA = Known("Léa", PRE, "p1")
ABOUT = About("sms.csv", ("text",), "text", "", "", 0.5)


@given(st.lists(st.text(max_size=40), max_size=5))
def test_each_word_stands_where_its_place_says(texts: list[str]) -> None:
    corpus = read_corpus(texts)
    assert len(corpus.places) == len(corpus.form) == len(corpus.replaced)
    for word, place in enumerate(corpus.places):
        assert place.end == place.start or corpus.written(word).strip()


def test_a_tag_is_a_place_of_its_type() -> None:
    corpus = read_corpus(["Coucou <NOM_6>, <3"])
    assert [TYPES[number] for number in corpus.replaced if number != NO_NAME] == [NOM]


def test_tags_and_words_of_identifiers_are_counted() -> None:
    corpus = read_corpus(["<PRE_6> Léa", "06 00 11", "ok"], [(), (Span(0, 8, PRE),), ()])
    assert Session(corpus, [LEA]).round().n_marked == 2


def test_words_that_were_split_take_other_identifiers() -> None:
    texts = ["<NOM_6> et Léa", "", "Zoé Martin, Léa"]
    before, after = [(Span(11, 14, PRE),), (), ()], [(), (), (Span(0, 10, NOM), Span(12, 15, PRE))]
    changed = read_corpus(texts, before).with_replaced(after)
    assert changed.replaced.tolist() == read_corpus(texts, after).replaced.tolist()


def test_a_spelling_of_several_words_is_known_however_they_are_joined() -> None:
    corpus = read_corpus(["saint-clar", "à Saint  Clar", "saint"])
    types = marked(corpus, [Known("Saint-Clar", LIE)], {})
    assert [corpus.written(word) for word in np.flatnonzero(types != NO_NAME).tolist()] == [
        "saint",
        "clar",
        "Saint",
        "Clar",
    ]


def test_an_answer_for_some_places_marks_these_alone() -> None:
    corpus = read_corpus(["la rose", "avec Rose"])
    here = Answer("rose", Said.HERE, PRE, places=frozenset({(2, 5)}))
    types = marked(corpus, with_answers([], {here.key: here}), {here.key: here})
    assert [corpus.written(word) for word in np.flatnonzero(types != NO_NAME).tolist()] == ["Rose"]


def test_an_answer_outweighs_what_is_known() -> None:
    never = Answer("LÉA", Said.NEVER)
    assert with_answers([LEA], {never.key: never}) == []


def test_spellings_that_differ_in_case_count_together() -> None:
    several = [Known("léa", PRE, "", 1, False), Known("Léa", PRE, "", 2, False)]
    assert [(one.spelling, one.replaced) for one in counted(several)] == [("Léa", 3)]


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
    corpus, known = mined(source, key_table=str(table))
    assert [(one.spelling, one.replaced, one.everywhere) for one in known] == [("Léa", 1, False)]
    assert [corpus.places[word].message for word in np.flatnonzero(corpus.replaced >= 0)] == [0]


def test_rules_for_words_of_a_queue_are_answers(tmp_path: Path) -> None:
    with Queue.create(tmp_path / "work.queue", ABOUT) as queue:
        queue.decide_word("anna", "zora", WordRule.ALWAYS, NOM)
        queue.decide_word("anna", "matin", WordRule.NEVER)
        _, answers = of_queue(queue)
    said = {key: (one.said, one.type) for key, one in answers.items()}
    assert said["zora"] == (Said.ALWAYS, NOM)
    assert said["matin"][0] is Said.NEVER


def test_what_people_marked_in_a_queue_is_known(
    run: Callable[..., object], csv_of: Callable[..., Path], tmp_path: Path
) -> None:
    triaged, work = tmp_path / "t.csv", tmp_path / "work.queue"
    run("classify", csv_of("avec Zorax demain"), "-o", triaged)
    run("queue", "create", triaged, "-o", work)
    with Queue.open(work) as queue:
        queue.decide("anna", 1, Decided.TA, [Span(5, 10, PRE)])
        known, _ = of_queue(queue)
    assert known == [Known("Zorax", PRE, replaced=1, everywhere=False)]


def test_contexts_hold_types_in_place_of_names() -> None:
    corpus = read_corpus(["Léa et Zoé", "Léa et Marc", "bisous"])
    types = marked(corpus, [LEA, Known("Zoé", PRE), Known("Marc", PRE)], {})
    good = [*Contexts(corpus, types).good()]
    assert Context(Side.LEFT, ("et",), 2, 2) in good
    assert not any("lea" in one.words for one in good)


def test_a_frequent_context_is_extended_by_a_word() -> None:
    texts = [f"on va à {name}" for name in ("Léa", "Zoé")] + ["il est à coté"] * 60
    corpus = read_corpus(texts)
    types = marked(corpus, [LEA, Known("Zoé", PRE)], {})
    left = [one for one in Contexts(corpus, types).good() if one.side is Side.LEFT]
    assert [(one.words, one.names, one.total) for one in left] == [(("va", "a"), 2, 2)]


def test_nothing_stands_beyond_the_edge_of_a_message() -> None:
    corpus = read_corpus(["ciao", "Léa"])
    words = Contexts(corpus, marked(corpus, [LEA], {})).words
    (lea,) = corpus.words_of("lea").tolist()
    assert words(Side.LEFT, 2, lea) == words(Side.RIGHT, 2, lea) == ("—", "—")


def test_a_concordance_is_sorted_by_the_nearest_word() -> None:
    corpus = read_corpus(["b a Léa d", "a b Léa c"])
    words = corpus.words_of("lea")
    assert [one.row for one in concordance(corpus, words)] == [1, 2]
    assert [one.row for one in concordance(corpus, words, Order.LEFT)] == [1, 2]
    assert [one.row for one in concordance(corpus, words, Order.RIGHT)] == [2, 1]


def test_a_session_asks_for_each_spelling_once() -> None:
    session = Session(read_corpus(["avec Zora", "et Marco", "bof"]), [LEA], bound=0)
    asked = []
    for one in session.asked(batch=1):
        asked.append(one.key)
        session.answer(one, Said.LATER)
    assert sorted(asked) == ["avec", "bof", "et", "marco", "zora"]


def test_answers_of_a_session_count_in_its_next_batch() -> None:
    session = Session(read_corpus(["avec Zora", "bonjour Zoraaaa"]), [], bound=0.2)
    asked = session.asked(batch=1)
    session.answer(next(asked), Said.ALWAYS)
    assert next(asked).akin in ("Zora", "Zoraaaa")


def test_what_was_wrong_so_far_lowers_what_is_expected() -> None:
    session = Session(read_corpus([f"avec Zora{end}" for end in "bcdfghjk"]), [], bound=0.2)
    before = session.outlook()
    for one, _ in zip(session.asked(), range(4), strict=False):
        session.answer(one, Said.NEVER)
    assert session.outlook().left < before.left / 2


def test_without_words_nothing_is_left() -> None:
    session = Session(read_corpus(["", "12"]), [])
    assert outlook(session.round(), []).share == 0


@given(st.sampled_from(["—", "¶", "<>", "<PRE>", "-", "'", "=", "é\u0301"]), st.text(max_size=8))
def test_no_spelling_is_taken_for_an_edge_or_a_tag(spelling: str, text: str) -> None:
    session = Session(read_corpus([f"{text}{spelling}", text]), [Known(spelling, PRE)], bound=0)
    for one in session.round().candidates(0):
        assert all(session.corpus.written(word) for word in one.words)
