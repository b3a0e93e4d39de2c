"""The queue: messages that a person must see, and the decisions on them."""

from ..vocabulary import Span, Spans
from .queue import Queue
from .records import (
    Answer,
    Decision,
    Filters,
    Item,
    ItemWord,
    Message,
    NoSuchItemError,
    Note,
    Order,
    Progress,
    Reason,
    StaleAnswerError,
    Standing,
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
    "Message",
    "NoSuchItemError",
    "Note",
    "Order",
    "Progress",
    "Queue",
    "Reason",
    "Span",
    "Spans",
    "StaleAnswerError",
    "Standing",
    "State",
    "Task",
    "WordRule",
]
