"""Sessions: opened by a token, kept by a signed cookie."""

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from ..queue import Filters, Item, Order, Spans

_TICKET_SECONDS = 120.0
_MOST_SESSIONS = 200
_Flash = tuple[str, dict[str, object]]


@dataclass
class Session:
    """State of one browser; words and senders stay here, out of addresses."""

    csrf: str
    person: str = ""
    filters: Filters = field(default_factory=Filters)
    order: Order = Order.LEARNING
    after: int | None = None
    put_off: set[str] = field(default_factory=set)
    marks: dict[int, Spans] = field(default_factory=dict)
    drafts: dict[int, Spans] = field(default_factory=dict)
    flash: _Flash | None = None

    def keep_draft(self, item: Item | None, marks: Spans) -> None:
        """Keep the marks of an item that is left, unless they are those suggested."""
        if item and marks != item.suggested_spans:
            self.drafts[item.number] = marks

    def say(self, key: str, **values: object) -> None:
        """Let the next page confirm an action."""
        self.flash = key, values

    def said(self) -> _Flash | None:
        """Return the text for the page to show, once."""
        flash, self.flash = self.flash, None
        return flash


class Sessions:
    """The sessions of one server."""

    def __init__(
        self,
        token: str,
        clock: Callable[[], float] = time.monotonic,
        people: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self._token = token.encode()
        self._clock = clock
        self._people = people
        self._tickets: dict[str, float] = {}
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def ticket(self) -> str:
        """Return a token that opens one session within a short time."""
        ticket = secrets.token_urlsafe()
        self._tickets[ticket] = self._clock() + _TICKET_SECONDS
        return ticket

    def site(self) -> str:
        """Return the first part of a host name that belongs to this start alone; no secret."""
        return f"triage-{self._signature('site', '')[:16]}"

    def whose(self, token: str) -> str | None:
        """Return whose a token is, empty for the server's own; None if it opens nothing."""
        given = token.encode()
        if hmac.compare_digest(given, self._token):
            return ""
        tickets = [one for one in self._tickets if hmac.compare_digest(one.encode(), given)]
        if any(self._tickets.pop(one) >= self._clock() for one in tickets):
            return ""
        return self._people(token)

    def cookie(self, person: str = "") -> str:
        """Return the cookie of a new session."""
        name = f"{secrets.token_urlsafe()}~{person.encode().hex()}"
        return f"{name}.{self._signature('cookie', name)}"

    def find(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None unless we signed it."""
        name, _, signature = cookie.partition(".")
        expected = self._signature("cookie", name)
        if not hmac.compare_digest(signature.encode(), expected.encode()):
            return None
        person = bytes.fromhex(name.partition("~")[2]).decode()
        session = self._sessions.setdefault(name, Session(self._signature("csrf", name), person))
        self._sessions.move_to_end(name)
        if len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def _signature(self, purpose: str, name: str) -> str:
        signed = f"{purpose}:{name}".encode()
        return hmac.new(self._token, signed, hashlib.sha256).hexdigest()
