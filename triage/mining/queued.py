"""Mining of a queue: its messages, what people marked in them, and their rules for words."""

from triage.dictionaries.pack import load_pack

from ..anonymise.entity import short_forms
from ..decide.language import guess_language
from ..queue import Answer as Decided
from ..queue import Queue, Spans, WordRule
from ..vocabulary import Action, IdentifierType
from .answers import Answer, Said
from .candidates import Round
from .corpus import read_corpus
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


class MinedQueue:
    """The messages of a queue, read once, and rounds of mining from the decisions on them."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        rows, evidence = queue.texts(), queue.evidence()
        self.items = [item for item, _, _ in rows]
        self._is_sure = [action is Action.TA for action in queue.actions()]
        texts = [text for _, _, text in rows]
        self._short_forms = short_forms(load_pack(guess_language(texts).language))
        self.corpus = read_corpus(texts, evidence=[evidence.get(item, {}) for item in self.items])

    def round(self) -> Round:
        """Return the round of mining that the decisions of people give now."""
        spans = self._identifiers()
        self.corpus = self.corpus.with_replaced(spans)
        known = known_of(self.corpus.texts, spans)
        return Round(self.corpus, known, rules_of(self._queue), short_forms=self._short_forms)

    def _identifiers(self) -> list[Spans]:
        resolved, suggested = self._queue.resolved(), self._queue.suggestions()
        spans: list[Spans] = []
        for item, is_sure in zip(self.items, self._is_sure, strict=True):
            if decided := resolved.get(item):
                spans.append(decided.spans)
            else:
                spans.append(suggested(item) if is_sure else ())
        return spans
