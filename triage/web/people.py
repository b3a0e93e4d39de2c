"""Accounts of people by project, the key of the server, and the sessions of browsers."""

import hashlib
import hmac
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..errors import TriageError
from ..queue import Filters, Order, Spans
from ..queue.records import annotator_name
from ..safe import write_file
from .project import cached_until_changed

Right = StrEnum("Right", ["READ", "RULE", "REPLACE", "PUBLISH"])
EVERY = frozenset(Right)

# The name of a person in a project, with rights, hashed token, last day, and whether that is past.
Account = dict[str, Any]


class Accounts:
    def __init__(self, home: Path, owner: str) -> None:
        self._path, self.owner = home / ".accounts.json", owner
        if not self._path.exists():
            self._write({"key": secrets.token_urlsafe(), "port": 0, "accounts": []})
        content = _read(self._path)
        # Links and sessions outlive a server by the key of this folder of projects, and by the port
        # of the links that were given out, which is 0 before the first start.
        self.key, self.port = str(content["key"]), int(content["port"])

    def keep_port(self, port: int) -> None:
        self._write(_read(self._path) | {"port": port})

    def of(self, project: str) -> list[Account]:
        accounts = (one for one in self._accounts() if one["project"] == project)
        return sorted(accounts, key=lambda one: str(one["name"]))

    def add(
        self,
        project: str,
        name: str,
        rights: Collection[Right],
        until: str = "",
        *,
        is_new: bool = False,
    ) -> str:
        """Add an account, or replace its link, rights and end; return the token of the link."""
        name, token = annotator_name(name), secrets.token_urlsafe()
        if name == self.owner:
            line = f"{name} has started the desk and may do everything"
            raise TriageError(line, "owner_name", name=name)
        if is_new and any(one["name"] == name for one in self.of(project)):
            raise TriageError(f"{name} has access already", "has_access", name=name)
        self.remove(project, name)
        account = {"project": project, "name": name, "rights": sorted(rights)}
        account |= {"token": _hashed(token), "until": until}
        self._write(_read(self._path) | {"accounts": [*_read(self._path)["accounts"], account]})
        return token

    def remove(self, project: str, name: str = "") -> None:
        """Remove an account, or all of a project; their links open nothing more, decisions stay."""
        content = _read(self._path)
        of_project = (one for one in content["accounts"] if one["project"] == project)
        removed = [one for one in of_project if name in ("", one["name"])]
        kept = [one for one in content["accounts"] if one not in removed]
        self._write(content | {"accounts": kept})

    def opened_by(self, token: str) -> str | None:
        """Return the name of the session that a token opens; None if the token is nobody's."""
        return known_by if self.of_session(known_by := _hashed(token)) else None

    def of_session(self, known_by: str) -> list[Account]:
        """Return the accounts that a session opens now; none if all were removed or are over."""
        accounts = (one for one in self._accounts() if not one["is_over"])
        return [one for one in accounts if hmac.compare_digest(one["token"], known_by)]

    def _accounts(self) -> Iterator[Account]:
        """Yield all accounts; each request asks whether their last day is past."""
        for one in _read(self._path)["accounts"]:
            until = one.get("until", "")
            is_over = bool(until) and date.fromisoformat(until) < date.today()
            yield {**one, "until": until, "is_over": is_over}

    def _write(self, content: dict[str, Any]) -> None:
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        write_file(self._path, text.encode(), private=True, overwrite=True)


@cached_until_changed
def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        line = f"{path} is no list of people: move it away"
        raise TriageError(line, "unreadable", file=path) from None
    return content


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


_TICKET_SECONDS = 120.0
_MAX_SESSIONS, _MAX_SEARCHES = 200, 50


@dataclass
class Session:
    """State of one browser; words and senders stay here, out of addresses."""

    person: str = ""
    filters: Filters = field(default_factory=Filters)
    order: Order = Order.LEARNING
    after: int | None = None
    asked: int | None = None
    put_off: set[str] = field(default_factory=set)
    # What was searched for last among the names; an address holds its number.
    searches: dict[int, str] = field(default_factory=dict)
    marks: dict[int, Spans] = field(default_factory=dict)
    drafts: dict[int, Spans] = field(default_factory=dict)
    flash: tuple[str, dict[str, object]] | None = None
    link: tuple[str, str] | None = None
    # Of a project: the session around it; of a session: what each of its projects has of its own.
    outside: "Session | None" = None
    projects: dict[str, "Session"] = field(default_factory=dict)

    def within(self, path: str) -> "Session":
        """Return the state of the project that an address is of, or this one."""
        _, place, name, *_ = (*map(unquote, path.split("/")), "", "", "")
        if place != "project":
            return self
        return self.projects.setdefault(name, Session(self.person, outside=self))

    def number_of(self, search: str) -> int:
        """Keep a search among the last, and return its number; 0 of none."""
        if not search:
            return 0
        number = max(self.searches, default=0) + 1
        self.searches[number] = search
        self.searches.pop(number - _MAX_SEARCHES, None)
        return number

    def say(self, key: str, **values: object) -> None:
        self.flash = key, values


@dataclass
class Sessions:
    token: str
    # Who else has a token: what their sessions are known by.
    people: Callable[[str], str | None] = lambda _: None
    _tickets: dict[str, float] = field(default_factory=dict)
    _sessions: OrderedDict[str, Session] = field(default_factory=OrderedDict)

    def ticket(self) -> str:
        """Return a token that opens one session within a short time."""
        ticket = secrets.token_urlsafe()
        self._tickets[ticket] = time.monotonic() + _TICKET_SECONDS
        return ticket

    def site(self) -> str:
        """Return the first part of a host name that belongs to this start alone; no secret."""
        return f"triage-{self._signature('site', '')[:16]}"

    def owner_of(self, token: str) -> str | None:
        """Return whose a token is, empty for the server's own; None if it opens nothing."""
        encoded = token.encode()
        if hmac.compare_digest(encoded, self.token.encode()):
            return ""
        tickets = [one for one in self._tickets if hmac.compare_digest(one.encode(), encoded)]
        if any(self._tickets.pop(one) >= time.monotonic() for one in tickets):
            return ""
        return self.people(token)

    def cookie(self, person: str = "") -> str:
        name = f"{secrets.token_urlsafe()}~{person.encode().hex()}"
        return f"{name}.{self._signature('cookie', name)}"

    def find(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None unless we signed it."""
        name, _, signature = cookie.partition(".")
        if not hmac.compare_digest(signature.encode(), self._signature("cookie", name).encode()):
            return None
        person = bytes.fromhex(name.partition("~")[2]).decode()
        session = self._sessions.setdefault(name, Session(person))
        self._sessions.move_to_end(name)
        if len(self._sessions) > _MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def _signature(self, purpose: str, name: str) -> str:
        signed = f"{purpose}:{name}".encode()
        return hmac.new(self.token.encode(), signed, hashlib.sha256).hexdigest()
