"""Messages on their way into the file of a queue: all of their rows that need no look at it."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from triage.data import as_text
from triage.data.values import whole_characters
from triage.dictionaries import Label, LabelledMessages
from triage.dictionaries.labelling import LabelledWord
from triage.dictionaries.normal import folded

from ..decide.pipeline import ScoredMessages
from ..decide.reasons import reason
from ..decide.source import SplitChunk
from ..decide.word_types import likely_type
from . import cells
from .records import Votes

# A word is suggested from here on. On the first 4,000 messages of 88milSMS, each sender held out,
# five of six such words are identifiers, and nine of ten identifiers are among them.
SUGGESTED_FROM = 0.3
_DECIMALS = 4


class FormRow(NamedTuple):
    """A distinct word, as the table `forms` keeps it."""

    text: str
    kind: str
    folded: str
    label: str
    reason: str
    type: str


class WordRow(NamedTuple):
    """A word in its place, as the table `words` keeps it."""

    start: int
    end: int
    form: FormRow
    evidence: float | None
    suggested: bool


@dataclass(frozen=True)
class Entry:
    """A message on its way into the file.

    Parameters
    ----------
    key : bytes
        What tells it from others: the n-th with this id, sender and text.
    digest : bytes
        Of the text.
    cells : str
        Its row, packed.
    words : tuple of WordRow, optional
        None where an earlier message of the file reads the same.
    """

    key: bytes
    digest: bytes
    id: str
    sender: str
    text: str
    cells: str
    votes: Votes
    evidence: str
    words: tuple[WordRow, ...] | None


def text_digest(text: str) -> bytes:
    """Return 16 bytes that stand for a text."""
    # JSON can hold half of a character, which no encoding but this one takes.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Entries:
    """Makes entries of a file, chunk by chunk.

    Parameters
    ----------
    evidence_at : int
        Where the evidence stands in a row.
    """

    def __init__(self, evidence_at: int) -> None:
        self._evidence_at = evidence_at
        self._same: Counter[bytes] = Counter()
        self._with_words: set[bytes] = set()
        self._forms: dict[tuple[str, str], FormRow] = {}

    def of(
        self,
        chunk: SplitChunk,
        scored: ScoredMessages,
        ids: Sequence[str],
        votes: Sequence[Votes],
    ) -> list[Entry]:
        """Return the entries of a chunk.

        Parameters
        ----------
        scored : ScoredMessages
            Of this chunk.
        ids : sequence of str
            Empty where the file has none.
        """
        labelled = scored.labelled
        words = _words_by_message(scored, [self._form(word, labelled) for word in labelled.labels])
        made = []
        columns = zip(chunk.rows, chunk.texts, ids, chunk.senders, votes, words, strict=True)
        for row, text, id_, sender, vote, held in columns:
            digest = text_digest(text)
            is_new = digest not in self._with_words
            self._with_words.add(digest)
            made.append(
                Entry(
                    self._key(id_, sender, text),
                    digest,
                    whole_characters(id_),
                    whole_characters(sender),
                    text,
                    cells.pack(row),
                    vote,
                    whole_characters(as_text(row[self._evidence_at])),
                    tuple(held) if is_new else None,
                )
            )
        return made

    def _key(self, id_: str, sender: str, text: str) -> bytes:
        same = text_digest("\0".join((id_, sender, text)))
        self._same[same] += 1
        return hashlib.blake2b(same + self._same[same].to_bytes(8), digest_size=16).digest()

    def _form(self, word: LabelledWord, labelled: LabelledMessages) -> FormRow:
        known = (word.text, word.kind.value)
        form = self._forms.get(known)
        if form is None:
            form = self._forms[known] = _form_row(word, labelled)
        return form


def _form_row(word: LabelledWord, labelled: LabelledMessages) -> FormRow:
    return FormRow(
        word.text,
        word.kind.value,
        folded(word.text),
        word.label.value,
        reason(word, labelled),
        likely_type(word, labelled.lexicon).value,
    )


def _words_by_message(scored: ScoredMessages, forms: Sequence[FormRow]) -> Iterator[list[WordRow]]:
    """Yield the words of each message."""
    labelled, table = scored.labelled, scored.labelled.words
    # What is known by its form is suggested whatever it weighs; without weights, any name.
    identifies = [
        word.kind.is_identifier or (scored.words is None and word.label is Label.DICTIONARY)
        for word in labelled.labels
    ]
    by_message: list[list[WordRow]] = [[] for _ in labelled.messages]
    columns = (column.tolist() for column in (table.message, table.start, table.form))
    for message, start, at, evidence in zip(*columns, scored.evidence, strict=True):
        p = None if evidence is None else round(evidence, _DECIMALS)
        suggested = identifies[at] or (p or 0.0) >= SUGGESTED_FROM
        end = start + len(forms[at].text)
        by_message[message].append(WordRow(start, end, forms[at], p, suggested))
    return iter(by_message)
