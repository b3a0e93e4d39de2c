"""Identifiers that anonymising finds and leaves, on the invented sample messages."""

from dataclasses import replace

from triage.decide.find import Found, Identifier, Rule
from triage.dictionaries import Lexicon, label_messages
from triage.evaluation.treatment import Treated, released, residue
from triage.reports.spans import Triple
from triage.vocabulary import Action, IdentifierType

PATRICE = (7, 14, "PRE")


def of_evidence(*spans: tuple[int, int]) -> Found:
    return Found([Identifier(*span, IdentifierType.PRE, Rule.EVIDENCE) for span in spans])


IN_DOUBT = replace(of_evidence((0, 6)), ambiguous=1)


def anonymised(actions: list[Action], found: list[Found]) -> Treated:
    return Treated("agreement", actions, found)


def test_residue_counts_what_is_held_back_and_what_an_expert_sees() -> None:
    gold: list[list[Triple]] = [[PATRICE], [PATRICE], [PATRICE], [], [PATRICE]]
    found = [of_evidence(), of_evidence(), of_evidence((7, 14)), of_evidence(), IN_DOUBT]
    actions = [Action.TA, Action.EXPERT, Action.TA, Action.NTA, Action.TA]
    steps, _ = residue(gold, anonymised(actions, found))
    assert [row[1] for row in steps.rows][-4:] == [3, 2, 1, 0]
    assert [str(row[0]) for row in steps.rows][-3:] == [
        "+ holding back 1 TA messages in which nothing was found",
        "+ holding back 1 TA messages with a word in doubt",
        "+ an expert on the 1 undecided",
    ]


def test_words_of_messages_held_back_are_counted_apart_from_those_replaced(french: Lexicon) -> None:
    labelled = label_messages(["Coucou Patrice"] * 3, french)
    found = [of_evidence(), replace(of_evidence((0, 6), (7, 14)), ambiguous=1), of_evidence()]
    result = anonymised([Action.EXPERT, Action.TA, Action.TA], found)
    table = released([[PATRICE], [PATRICE], []], labelled, [result])
    told = [dict(zip(table.headings, row, strict=True)) for row in table.rows]
    columns = ("held back: messages", "still hold an identifier: messages", "precision")
    lost = ("words lost by replacing", "words lost by holding back")
    # Of four words that identify nobody one is replaced beside one in doubt, one waits, two stand
    # in a TA message in which nothing was found.
    assert [tuple(row[column] for column in (*columns, *lost)) for row in told[:3]] == [
        (0, 1, 1 / 2, 1 / 4, 0),
        (1, 1, 1 / 2, 1 / 4, 2 / 4),
        (2, 0, 1 / 2, 1 / 4, 3 / 4),
    ]
    assert told[3]["held back: messages"] == 3
    assert told[3]["words lost by replacing"] == 0
