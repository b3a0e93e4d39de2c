"""The people of a desk: a name, a link and rights each.

Their file is for the owner alone, and holds no link: whoever loses one gets another.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..errors import TriageError
from ..queue.records import annotator_name
from ..safe import write_file

_FILE = "people.json"


class Right(StrEnum):
    """What a person may do."""

    ANNOTATE = "annotate"
    ADJUDICATE = "adjudicate"
    PUBLISH = "publish"


@dataclass(frozen=True)
class Person:
    name: str
    rights: frozenset[Right]
    token: str


class People:
    def __init__(self, home: Path, owner: str) -> None:
        self._path = home / _FILE
        self.owner = owner

    def all(self) -> list[Person]:
        """Return the people who were added, by name."""
        if not self._path.exists():
            return []
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            return [
                Person(one["name"], frozenset(map(Right, one["rights"])), one["token"])
                for one in content
            ]
        except (OSError, ValueError, TypeError, KeyError):
            raise TriageError(
                f"{self._path} is no list of people: move it away",
                "people_unreadable",
                file=self._path,
            ) from None

    def add(self, name: str, rights: Collection[Right]) -> str:
        """Add a person, or give another link and rights to one; return the token of the link."""
        name = annotator_name(name)
        if name == self.owner:
            raise TriageError(
                f"{name} has started the desk and may do everything",
                "owner_name",
                name=name,
            )
        token = secrets.token_urlsafe()
        person = Person(name, frozenset(rights), _hashed(token))
        self._write([*(one for one in self.all() if one.name != name), person])
        return token

    def remove(self, name: str) -> None:
        """Remove a person, whose link opens nothing any more; decisions stay."""
        self._write([one for one in self.all() if one.name != name])

    def opened_by(self, token: str) -> str | None:
        """Return what a session that a token opens is known by; None if the token is nobody's."""
        hashed = _hashed(token)
        return None if self.of_session(hashed) is None else hashed

    def of_session(self, known_by: str) -> str | None:
        """Return whose a session is; None if it is nobody's any more."""
        found = (one.name for one in self.all() if hmac.compare_digest(one.token, known_by))
        return next(found, None)

    def rights_of(self, name: str) -> frozenset[Right]:
        """Return the rights of a person; none if there is no such person."""
        if name == self.owner:
            return frozenset(Right)
        return next((one.rights for one in self.all() if one.name == name), frozenset())

    def _write(self, people: list[Person]) -> None:
        content = [
            {"name": one.name, "rights": sorted(one.rights), "token": one.token}
            for one in sorted(people, key=lambda one: one.name)
        ]
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        write_file(self._path, text.encode(), private=True, overwrite=True)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
