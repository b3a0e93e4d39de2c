"""Accounts of annotators, by project, and the key of the server, which no archive holds."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import TriageError
from ..queue.records import annotator_name
from ..safe import write_file
from .project import Version, version_of

_FILE = ".accounts.json"


class Right(StrEnum):
    READ = "read"
    RULE = "rule"
    REPLACE = "replace"
    PUBLISH = "publish"


@dataclass(frozen=True)
class Account:
    project: str
    name: str
    rights: tuple[str, ...]
    token: str
    until: str = ""

    @property
    def is_over(self) -> bool:
        """Return whether its last day is past; each request asks."""
        return bool(self.until) and date.fromisoformat(self.until) < date.today()


class People:
    def __init__(self, home: Path, owner: str) -> None:
        self._path, self.owner = home / _FILE, owner
        if not self._path.exists():
            self._write({"key": secrets.token_urlsafe(), "port": 0, "accounts": []})

    @property
    def key(self) -> str:
        """The secret of this folder of projects, by which links and sessions outlive a server."""
        return str(self._content()["key"])

    @property
    def port(self) -> int:
        """The port of the links that were given out; 0 before the first start."""
        return int(self._content()["port"])

    def keep_port(self, port: int) -> None:
        self._write(self._content() | {"port": port})

    def of(self, project: str) -> list[Account]:
        """Return the accounts of a project, by name."""
        return sorted(
            (one for one in self._all() if one.project == project), key=lambda one: one.name
        )

    def add(self, project: str, name: str, rights: Collection[Right], until: str = "") -> str:
        """Add an account, or replace its link, rights and end; return the token of the link."""
        name, token = annotator_name(name), secrets.token_urlsafe()
        if name == self.owner:
            raise TriageError(
                f"{name} has started the desk and may do everything", "owner_name", name=name
            )
        self.remove(project, name)
        account = Account(project, name, tuple(sorted(rights)), _hashed(token), until)
        accounts = [*self._content()["accounts"], asdict(account)]
        self._write(self._content() | {"accounts": accounts})
        return token

    def remove(self, project: str, name: str = "") -> None:
        """Remove an account, or all of a project; their links open nothing more, decisions stay."""
        left = [one for one in self._all() if one.project != project or name not in ("", one.name)]
        self._write(self._content() | {"accounts": [*map(asdict, left)]})

    def opened_by(self, token: str) -> str | None:
        """Return what a session that a token opens is known by; None if the token is nobody's."""
        return known_by if self.of_session(known_by := _hashed(token)) else None

    def of_session(self, known_by: str) -> list[Account]:
        """Return the accounts that a session opens now; none if all were removed or are over."""
        return [
            one
            for one in self._all()
            if hmac.compare_digest(one.token, known_by) and not one.is_over
        ]

    def _all(self) -> list[Account]:
        return [
            Account(**one | {"rights": tuple(one["rights"])}) for one in self._content()["accounts"]
        ]

    def _content(self) -> dict[str, Any]:
        content: dict[str, Any] = _read(version_of(self._path))
        return content

    def _write(self, content: dict[str, Any]) -> None:
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        write_file(self._path, text.encode(), private=True, overwrite=True)


@lru_cache(maxsize=4)
def _read(version: Version) -> Any:  # noqa: ANN401
    try:
        return json.loads(version.path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        line = f"{version.path} is no list of people: move it away"
        raise TriageError(line, "unreadable", file=version.path) from None


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
