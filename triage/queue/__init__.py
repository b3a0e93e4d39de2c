"""The queue: messages that a person must see, and the decisions on them."""

from ..vocabulary import Span, Spans
from .queue import Queue
from .records import (
    Answer,
    Decision,
    Filters,
    Item,
    ItemWord,
    NoSuchItemError,
    Order,
    Reason,
    StaleAnswerError,
    State,
    Task,
    WordRule,
)

__all__ = [
    "Answer",
    "Decision",
    "Filters",
    "Item",
    "ItemWord",
    "NoSuchItemError",
    "Order",
    "Queue",
    "Reason",
    "Span",
    "Spans",
    "StaleAnswerError",
    "State",
    "Task",
    "WordRule",
]
