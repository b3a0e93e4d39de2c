"""What goes to other tools and what comes back, as plain data."""

from dataclasses import dataclass
from enum import StrEnum

from ...vocabulary import Spans
from ..records import Answer, Votes


class ExchangeFormat(StrEnum):
    """A format of files that other tools read and write."""

    CSV = "csv"
    XLSX = "xlsx"
    DOCCANO = "doccano"
    LABEL_STUDIO = "label-studio"


@dataclass(frozen=True)
class Exported:
    """An item on its way to another tool.

    Parameters
    ----------
    item : int
    digest : str
        Of its text, hexadecimal.
    text : str
    n_messages : int
        That read so.
    ids : tuple of str
        Of these messages.
    votes : Votes
    evidence : str
        The words that decided and their labels.
    suggested : tuple of Span
    answer : Answer, optional
        The annotator's current one.
    spans : tuple of Span
        The annotator's current ones.
    """

    item: int
    digest: str
    text: str
    n_messages: int
    ids: tuple[str, ...]
    votes: Votes
    evidence: str
    suggested: Spans
    answer: Answer | None = None
    spans: Spans = ()

    @property
    def marked(self) -> Spans:
        """Return what is marked in the file: the annotator's identifiers, else the suggestions."""
        if self.answer is Answer.TA:
            return self.spans
        return () if self.answer is Answer.NTA else self.suggested


def about(item: Exported) -> dict[str, object]:
    """Return what tools that read JSON keep beside a text, and give back.

    Parameters
    ----------
    item : Exported
    """
    return {
        "item": item.item,
        "digest": item.digest,
        "messages": item.n_messages,
        "ids": list(item.ids),
        "seek_hide": item.votes.seek_hide.value,
        "model": item.votes.model.value,
        "model_score": item.votes.score,
        "evidence": item.evidence,
    }


@dataclass(frozen=True)
class Imported:
    """A row of a file that came back.

    Parameters
    ----------
    where : str
        How errors call it: ``line 12``, ``task 7``, ``row 3``.
    digest : str
        Empty where the file has none.
    text : str
        As the file has it; see `fitted`.
    answer : Answer, optional
        None where nobody answered: there is nothing to import.
    spans : tuple of Span
        In characters of `text`; only a TA has any.
    annotator : str
        Empty where the file does not say.
    """

    where: str
    digest: str
    text: str
    answer: Answer | None
    spans: Spans
    annotator: str
