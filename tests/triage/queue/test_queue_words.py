"""Deciding a word: always or never a name, in all open items that hold it."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.triage.queue.corpora import (
    CORPUS,
    ITEMS,
    LA_ZOUZOU,
    MIDI,
    ROSE,
    ZOUZOU,
    derived,
    marked,
    sms,
)
from triage.data import DataError
from triage.errors import TriageError
from triage.queue import Answer, Filters, Item, Queue, State, WordRule
from triage.queue.apply import write_list
from triage.vocabulary import IdentifierType

Run = Callable[..., CompletedProcess[str]]
MakeQueue = Callable[..., Queue]
Rows = Callable[..., list[dict[str, object]]]
ALWAYS, NEVER = WordRule.ALWAYS, WordRule.NEVER

NICKNAME = sms("slt doudounet tu dors ?", 30, score=0.4)
TWICE = sms("Doudounet et doudounet 😀 chez Rose", 31, "9")
THRICE = sms("Doudounet et doudounet 😀 chez Rose", 32, "8")


@pytest.fixture
def spoken(make_queue: MakeQueue) -> Queue:
    """A queue with a nickname that no list holds."""
    return make_queue(*CORPUS, NICKNAME, TWICE, THRICE)


def item_of(queue: Queue, number: int) -> Item:
    item = queue.item(number)
    assert item is not None
    return item


SLT, DOUBLE = len(ITEMS) + 1, len(ITEMS) + 2


@pytest.mark.parametrize("word", ["doudounet", "DOUDOUNET", "Doudoünet", " doudounet "])
def test_a_word_that_always_is_a_name_makes_its_items_ta(word: str, spoken: Queue) -> None:
    spoken.decide_word("anna", word, ALWAYS, IdentifierType.SUR)
    slt, twice = item_of(spoken, SLT), item_of(spoken, DOUBLE)
    assert (slt.final, twice.final) == (Answer.TA, Answer.TA)
    assert slt.standing[0].spans == marked(slt.text, "doudounet", type_="SUR")
    both = marked(twice.text, "Doudounet", "doudounet", type_="SUR")
    assert set(both) <= set(twice.standing[0].spans)


def test_what_else_is_suggested_is_marked_with_it(spoken: Queue) -> None:
    spoken.decide_word("anna", "zouzou", ALWAYS, IdentifierType.SUR)
    item = item_of(spoken, ITEMS["zouzou et eléa arrivent"])
    [eleas] = [w for w in item.words if w.text == "eléa"]
    assert eleas.suggested
    assert item.standing[0].spans == (
        *marked(item.text, "zouzou", type_="SUR"),
        *marked(item.text, "eléa"),
    )


def test_a_word_that_never_is_a_name_releases_what_holds_no_other(spoken: Queue) -> None:
    spoken.decide_word("anna", "zouzou", NEVER)
    assert item_of(spoken, ZOUZOU).final is Answer.NTA
    assert item_of(spoken, LA_ZOUZOU).final is Answer.NTA
    with_elea = item_of(spoken, ITEMS["zouzou et eléa arrivent"])
    assert with_elea.final is None
    assert with_elea.suggested_spans == marked(with_elea.text, "eléa")


def test_only_open_items_are_decided(spoken: Queue) -> None:
    spoken.decide("anna", ZOUZOU, Answer.NTA)
    spoken.decide("marc", LA_ZOUZOU, Answer.NTA)
    spoken.decide_word("anna", "zouzou", ALWAYS)
    assert spoken.history()[0].items == (ITEMS["zouzou et eléa arrivent"],)
    assert item_of(spoken, ZOUZOU).final is Answer.NTA


def test_only_one_s_own_items_are_decided(spoken: Queue) -> None:
    spoken.assign(["anna", "marc"])
    mine = {row.number for row in spoken.rows("anna", Filters(word="zouzou"))}
    spoken.decide_word("anna", "zouzou", ALWAYS)
    assert set(spoken.history()[0].items) == mine


@pytest.mark.parametrize("rule", WordRule)
@pytest.mark.parametrize("word", ["doudounet", "ZOUZOU", "eléa", "rose", "on", "absente"])
def test_what_would_happen_is_what_happens(word: str, rule: WordRule, spoken: Queue) -> None:
    spoken.decide("anna", ROSE, Answer.SKIP)
    held = spoken.rows("anna", Filters(word=word))
    effect = spoken.effect_of_word("anna", word, rule)
    assert (effect.n_items, effect.n_messages) == (len(held), sum(row.n_messages for row in held))
    before = spoken.count("anna", Filters())
    spoken.decide_word("anna", word, rule)
    assert len(spoken.history()[0].items) == effect.n_settled
    assert before - spoken.count("anna", Filters()) == effect.n_settled


def test_asking_what_would_happen_changes_nothing(spoken: Queue) -> None:
    before = derived(spoken.connection)
    spoken.effect_of_word("anna", "zouzou", ALWAYS)
    assert derived(spoken.connection) == before
    assert (spoken.history(), spoken.word_lists()) == ([], ([], []))


@pytest.mark.parametrize("rule", WordRule)
def test_undo_takes_all_of_it_back(rule: WordRule, spoken: Queue) -> None:
    spoken.decide("anna", ZOUZOU, Answer.SKIP)
    before = derived(spoken.connection), [item_of(spoken, n) for n in range(1, DOUBLE + 1)]
    spoken.decide_word("anna", "zouzou", rule)
    done = spoken.undo("anna")
    assert done is not None
    assert (done.kind, done.word, done.rule) == ("word", "zouzou", rule)
    assert (
        derived(spoken.connection),
        [item_of(spoken, n) for n in range(1, DOUBLE + 1)],
    ) == before
    assert spoken.word_lists() == ([], [])


def test_a_rule_outweighs_what_the_machine_suggests(spoken: Queue) -> None:
    spoken.decide_word("anna", "arrivent", ALWAYS, IdentifierType.LIE)
    spoken.undo("anna")
    spoken.decide_word("marc", "zouzou", NEVER)
    item = item_of(spoken, ITEMS["zouzou et eléa arrivent"])
    assert {w.text: w.suggested for w in item.words} == {
        "zouzou": False,
        "et": False,
        "eléa": True,
        "arrivent": False,
    }


def test_of_several_rules_of_a_word_the_last_counts(spoken: Queue) -> None:
    spoken.decide_word("anna", "zouzou", ALWAYS)
    spoken.decide_word("marc", "Zouzou", NEVER)
    assert spoken.word_lists() == ([], ["Zouzou"])
    spoken.undo("marc")
    assert spoken.word_lists() == (["zouzou"], [])


@pytest.mark.parametrize("word", ["", "  ", "chez rose", "a\nb"])
@pytest.mark.parametrize("rule", WordRule)
def test_a_rule_is_of_one_word(word: str, rule: WordRule, spoken: Queue) -> None:
    with pytest.raises(TriageError, match="a rule is of one word") as refused:
        spoken.decide_word("anna", word, rule)
    assert "rose" not in str(refused.value)
    with pytest.raises(TriageError, match="a rule is of one word"):
        spoken.effect_of_word("anna", word, rule)
    assert spoken.history() == []


def test_a_word_that_no_open_item_holds_is_a_rule_nevertheless(spoken: Queue) -> None:
    spoken.decide_word("anna", " Timothée ", ALWAYS)
    assert spoken.history()[0].items == ()
    assert spoken.word_lists() == (["Timothée"], [])
    assert spoken.count("anna", Filters(state=State.DECIDED)) == 0


def test_a_doubled_item_wants_a_second_answer_to_a_word_s_rule_too(spoken: Queue) -> None:
    spoken.double(1.0)
    spoken.decide_word("anna", "doudounet", ALWAYS)
    assert item_of(spoken, SLT).final is None
    spoken.decide("marc", SLT, Answer.TA)
    assert item_of(spoken, SLT).final is Answer.TA


# The corpus's own lists


def test_lists_are_for_their_owner_and_read_a_word_a_line(
    run: Run, spoken: Queue, tmp_path: Path
) -> None:
    spoken.decide_word("anna", "doudounet", ALWAYS)
    spoken.decide_word("anna", "tard", NEVER)
    names, words = tmp_path / "names.txt", tmp_path / "words.txt"
    done = run("queue", "lists", spoken.path, "--names", names, "--words", words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "doudounet" in names.read_text(encoding="utf-8").split("\n")
    assert words.read_text(encoding="utf-8").split("\n")[0] == "tard"
    assert {path.stat().st_mode & 0o777 for path in (names, words)} == {0o600}


def test_lists_teach_classify(run: Run, spoken: Queue, tmp_path: Path, rows_of: Rows) -> None:
    source = tmp_path / "sms.csv"
    source.write_text("text\nslt doudounet\nla zouzou est partie\n", encoding="utf-8")
    run("classify", source, "-o", tmp_path / "before.csv")
    spoken.decide_word("anna", "doudounet", ALWAYS)
    spoken.decide_word("anna", "zouzou", NEVER)
    names, words = tmp_path / "names.txt", tmp_path / "words.txt"
    run("queue", "lists", spoken.path, "--names", names, "--words", words)
    done = run("classify", source, "-o", tmp_path / "after.csv", "--names", names, "--words", words)
    assert done.returncode == 0, done.stderr
    seek_hide = [
        [row["seek_hide"] for row in rows_of(tmp_path / name)]
        for name in ("before.csv", "after.csv")
    ]
    assert seek_hide == [["UNTAGGED", "TA"], ["TA", "NTA"]]


def test_of_two_lists_both_are_written_or_none(run: Run, spoken: Queue, tmp_path: Path) -> None:
    spoken.decide_word("anna", "doudounet", ALWAYS)
    names, words = tmp_path / "names.txt", tmp_path / "words.txt"
    done = run("queue", "lists", spoken.path, "--names", names, "--words", words)
    assert done.returncode == 2
    assert "there is no word to write to" in done.stderr
    assert not names.exists()


def test_a_list_that_is_there_stays(run: Run, spoken: Queue, tmp_path: Path) -> None:
    spoken.decide_word("anna", "doudounet", ALWAYS)
    (tmp_path / "names.txt").write_text("mine\n")
    done = run("queue", "lists", spoken.path, "--names", tmp_path / "names.txt")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "names.txt exists already: add --overwrite to replace it" in done.stderr
    assert (tmp_path / "names.txt").read_text() == "mine\n"


def test_where_to_write_must_be_said(run: Run, spoken: Queue) -> None:
    done = run("queue", "lists", spoken.path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "name the output files with --names" in done.stderr


def test_a_list_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        write_list(tmp_path / "absent" / "names.txt", ["zouzou"])


def test_the_words_are_counted_in_the_status(run: Run, spoken: Queue) -> None:
    spoken.decide_word("anna", "doudounet", ALWAYS)
    spoken.decide_word("anna", "midi", NEVER)
    status = spoken.status()
    assert (status.always, status.never) == (("doudounet",), ("midi",))
    assert "words: 1 always a name, 1 never" in run("queue", "status", spoken.path).stdout
    assert item_of(spoken, MIDI).final is Answer.NTA
