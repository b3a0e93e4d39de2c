"""The queue: messages that a person must see, and what they decide."""

from ..vocabulary import Span, Spans
from .records import (
    Answer,
    Done,
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
from .store import About, Queue
from .writing import NoSuchItemError, StaleAnswerError

__all__ = [
    "About",
    "Answer",
    "Done",
    "Filters",
    "Item",
    "ItemWord",
    "Message",
    "NoSuchItemError",
    "Order",
    "PairAgreement",
    "Progress",
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
