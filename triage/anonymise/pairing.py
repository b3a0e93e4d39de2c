"""Pairs of messages of a file and of an anonymised one, and those that nobody decided."""

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass

from triage.data import MessageFile, as_text

from ..decide.source import check_rejects
from ..errors import TriageError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, MACHINE, sender_position, senders_of
from ..vocabulary import Action
from .columns import position_of
from .held import HeldMessage

# As `triage.anonymise.columns.sender_pseudonyms` makes them.
_PSEUDONYM = re.compile("S[0-9]{4,}")


@dataclass(frozen=True)
class Messages:
    """The messages of a file."""

    name: str
    texts: list[str]
    ids: list[str] | None = None
    undecided: frozenset[int] = frozenset()
    has_pseudonyms: bool = False


@dataclass(frozen=True)
class Pairing:
    """For each anonymised message its original, from 0, by ids or places; None without one."""

    originals: list[int | None]
    by_ids: bool

    def became(self, originals: Set[int]) -> set[int]:
        """Return the anonymised messages that some originals became."""
        return {number for number, one in enumerate(self.originals) if one in originals}


def read_messages(file: MessageFile) -> Messages:
    """Read the messages of a file, and which of them nobody decided, where it says so."""
    texts: list[str] = []
    ids: list[str] = []
    undecided: set[int] = set()
    final = FINAL_ACTION if FINAL_ACTION in file.columns else "action"
    action, by = (position_of(file, column) for column in (final, DECIDED_BY))
    sender = sender_position(file.columns, None, file.name)
    senders: set[str] = set()
    for chunk in file.chunks():
        if action is not None:
            undecided.update(
                number
                for number, row in enumerate(chunk.rows, len(texts))
                if as_text(row[action]) == Action.EXPERT
                and (by is None or as_text(row[by]) in ("", MACHINE))
            )
        senders.update(senders_of(chunk.rows, sender))
        texts += chunk.texts
        ids += chunk.ids
    check_rejects(file)
    senders.discard("")
    return Messages(
        file.name,
        texts,
        ids if file.id_column else None,
        frozenset(undecided),
        has_pseudonyms=bool(senders) and all(map(_PSEUDONYM.fullmatch, senders)),
    )


def pair(before: Messages, after: Messages, held: Iterable[HeldMessage] = ()) -> Pairing:
    """Pair messages with their originals by their ids, or by their places."""
    common = ""
    if before.ids is not None and after.ids is not None:
        places = {id_: number for number, id_ in enumerate(before.ids)}
        found = [places.get(id_) for id_ in after.ids]
        n_known = len(found) - found.count(None)
        # Other ids than those of the originals may have been given to messages in their order.
        if len(places) == len(before.ids) and 2 * n_known >= len(found):
            return Pairing(found, by_ids=True)
        common = f" ({n_known:,} of its {len(found):,} ids are in both)"
        if len(places) < len(before.ids):
            common = f" (ids are repeated in {before.name})"
    missing = {one.row - 1 for one in held if not one.written}
    written = [number for number in range(len(before.texts)) if number not in missing]
    if len(written) == len(after.texts):
        return Pairing([*written], by_ids=False)
    if len(before.texts) == len(after.texts):
        return Pairing([*range(len(after.texts))], by_ids=False)
    raise TriageError(
        f"it cannot be told which message of {before.name} became which of {after.name}{common}: "
        "name the column of ids with --id-column, or give --key-table instead"
    )


def written_undecided(held: Iterable[HeldMessage], after: Messages) -> set[int]:
    """Return which messages of an output its list says nobody decided, from 0."""
    listed = sorted(held, key=lambda one: one.row)
    if after.ids is not None:
        ids = {one.id for one in listed if one.written}
        return {number for number, id_ in enumerate(after.ids) if id_ in ids}
    found: set[int] = set()
    n_held = 0
    for one in listed:
        if one.written:
            found.add(one.row - 1 - n_held)
        else:
            n_held += 1
    return found
