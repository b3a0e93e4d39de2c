"""The queue: messages that a person must see, and the decisions on them."""

from ..vocabulary import Span, Spans
from .notes import Note, Question
from .records import (
    About,
    Answer,
    Decision,
    Filters,
    Item,
    ItemWord,
    Message,
    Order,
    PairAgreement,
    Progress,
    Row,
    Standing,
    State,
    Status,
    Votes,
    WordEffect,
    WordRule,
)
from .store import Queue
from .writing import NoSuchItemError, StaleAnswerError

__all__ = [
    "About",
    "Answer",
    "Decision",
    "Filters",
    "Item",
    "ItemWord",
    "Message",
    "NoSuchItemError",
    "Note",
    "Order",
    "PairAgreement",
    "Progress",
    "Question",
    "Queue",
    "Row",
    "Span",
    "Spans",
    "StaleAnswerError",
    "Standing",
    "State",
    "Status",
    "Votes",
    "WordEffect",
    "WordRule",
]
