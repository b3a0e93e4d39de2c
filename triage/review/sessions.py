"""Who may see the page: a token opens a session, and a cookie that only we can sign keeps it."""

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from ..queue import Filters, Order, Spans

_TICKET_SECONDS = 120.0
_MOST_SESSIONS = 200
_Flash = tuple[str, dict[str, object]]


@dataclass
class Session:
    """What the server remembers of one browser; words and senders stay here, out of addresses.

    Parameters
    ----------
    csrf : str
        What each form must hold.
    after : int, optional
        The item that was skipped last, which is not to come again at once.
    marks : dict of int to tuple of Span
        What was marked in the message when each decision was made, for its undoing; NTA keeps no
        marks.
    undone : tuple of int and tuple of Span, optional
        The item whose decision was taken back last, and what was marked in it.
    flash : tuple of str and dict, optional
        What was done last, shown by the next page: the key of a text and its values.
    """

    csrf: str
    filters: Filters = field(default_factory=Filters)
    order: Order = Order.LEARNING
    after: int | None = None
    marks: dict[int, Spans] = field(default_factory=dict)
    undone: tuple[int, Spans] | None = None
    flash: _Flash | None = None

    def undone_marks(self, item: int) -> Spans | None:
        """Return what was marked in an item when its decision was taken back; None if unknown."""
        return self.undone[1] if self.undone and self.undone[0] == item else None

    def say(self, key: str, **values: object) -> None:
        """Have the next page say what was done."""
        self.flash = key, values

    def said(self) -> _Flash | None:
        """Return what the page is to say, once."""
        flash, self.flash = self.flash, None
        return flash


class Sessions:
    """The sessions of one server.

    Parameters
    ----------
    token : str
        What the printed address holds. Cookies are signed with it, so that they outlive a
        server that is started again with the same token.
    clock : callable
        Returns seconds.
    """

    def __init__(self, token: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._token = token.encode()
        self._clock = clock
        self._tickets: dict[str, float] = {}
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def ticket(self) -> str:
        """Return a token that opens one session, soon.

        The command line of the browser that we start is no secret on a shared machine.
        """
        ticket = secrets.token_urlsafe()
        self._tickets[ticket] = self._clock() + _TICKET_SECONDS
        return ticket

    def site(self) -> str:
        """Return the first part of a host name that is this start's own; no secret."""
        return f"triage-{self._signature('site', '')[:16]}"

    def opens(self, token: str) -> bool:
        """Tell whether a token is the right one, or a ticket that was not used yet."""
        given = token.encode()
        if hmac.compare_digest(given, self._token):
            return True
        tickets = [one for one in self._tickets if hmac.compare_digest(one.encode(), given)]
        return any(self._tickets.pop(one) >= self._clock() for one in tickets)

    def cookie(self) -> str:
        """Return a new session's cookie."""
        name = secrets.token_urlsafe()
        return f"{name}.{self._signature('cookie', name)}"

    def find(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None unless we signed it."""
        name, _, signature = cookie.partition(".")
        expected = self._signature("cookie", name)
        if not hmac.compare_digest(signature.encode(), expected.encode()):
            return None
        session = self._sessions.setdefault(name, Session(self._signature("csrf", name)))
        self._sessions.move_to_end(name)
        if len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def _signature(self, purpose: str, name: str) -> str:
        signed = f"{purpose}:{name}".encode()
        return hmac.new(self._token, signed, hashlib.sha256).hexdigest()
