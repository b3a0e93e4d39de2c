"""The queue: messages that a person must see, and the decisions on them."""

from ..vocabulary import Span as Span
from ..vocabulary import Spans as Spans
from .queue import Queue as Queue
from .records import Answer as Answer
from .records import Decision as Decision
from .records import Filters as Filters
from .records import Item as Item
from .records import ItemWord as ItemWord
from .records import NoSuchItemError as NoSuchItemError
from .records import Order as Order
from .records import Reason as Reason
from .records import StaleAnswerError as StaleAnswerError
from .records import State as State
from .records import Task as Task
from .records import WordRule as WordRule
