"""Mining of a queue: its messages, what people marked in them, and their rules for words."""

from ..anonymise.entity import short_forms
from ..queue import Answer as Decided
from ..queue import Queue, Spans, WordRule
from ..vocabulary import Action, IdentifierType
from .answers import Answer, Said
from .candidates import Round
from .corpus import Corpus, read_corpus
from .known import Known, known_of, replaced_spellings


def of_queue(queue: Queue) -> tuple[list[Known], dict[str, Answer]]:
    """Return what people decided in a queue: spellings that they marked, and rules for words."""
    marks: list[tuple[str, IdentifierType]] = []
    for number, decided in queue.resolved().items():
        item = queue.item(number)
        if item and decided.answer is Decided.TA:
            marks += [(item.text[one.start : one.end], one.type) for one in decided.spans]
    return replaced_spellings(marks), rules_of(queue)


def rules_of(queue: Queue) -> dict[str, Answer]:
    """Return the rules for words of a queue as answers, by their keys."""
    said = {WordRule.ALWAYS: Said.ALWAYS, WordRule.NEVER: Said.NEVER}
    answers = (
        Answer(word, said[rule], IdentifierType(type_ or IdentifierType.PRE))
        for word, (rule, type_) in queue.word_rules().items()
    )
    return {one.key: one for one in answers}


def round_of(queue: Queue) -> tuple[Corpus, Round]:
    """Return the messages of a queue, in order, and the round of mining that its decisions give.

    Identifiers are what people marked, and what the machine suggests where it anonymises without
    them. The suggestions of other messages are still to be decided.
    """
    rows, actions, evidence = queue.texts(), queue.actions(), queue.evidence()
    resolved, suggested = queue.resolved(), queue.suggestions()
    spans: list[Spans] = []
    for (item, _, _), action in zip(rows, actions, strict=True):
        if decided := resolved.get(item):
            spans.append(decided.spans)
        else:
            spans.append(suggested(item) if action is Action.TA else ())
    texts = [text for _, _, text in rows]
    corpus = read_corpus(texts, spans, [evidence.get(item, {}) for item, _, _ in rows])
    known = known_of(texts, spans)
    return corpus, Round(corpus, known, rules_of(queue), short_forms=short_forms())
