"""Gathering the evidence of words from messages, and telling which messages they were."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from triage.features.corpus_evidence import CorpusEvidence
from triage.features.evidence_table import EvidenceTable

from ..errors import TriageError
from .pipeline import ScoredMessages


class Fingerprint(NamedTuple):
    """Tells whether messages are the same, in whatever order, without saying what is in them."""

    n_messages: int = 0
    digest: int = 0

    def __add__(self, other: object) -> "Fingerprint":
        """Return the fingerprint of these messages and others."""
        if not isinstance(other, Fingerprint):
            return NotImplemented
        return Fingerprint(
            self.n_messages + other.n_messages, (self.digest + other.digest) % (1 << 64)
        )


def fingerprint(texts: Sequence[str], senders: Sequence[str]) -> Fingerprint:
    """Return the fingerprint of messages."""
    digest = 0
    for text, sender in zip(texts, senders, strict=True):
        # JSON can hold half of a character, which no encoding but this one takes.
        content = f"{len(sender)} {sender}{text}".encode("utf-8", "surrogatepass")
        digest += int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big")
    return Fingerprint(len(texts), digest % (1 << 64))


@dataclass(frozen=True)
class Gathered:
    """What parts of a corpus tell of their words."""

    table: EvidenceTable
    parts: tuple[Fingerprint, ...]


class Gathering:
    """Gathers what messages tell of each other's words, chunk by chunk."""

    def __init__(self, with_fingerprint: bool) -> None:
        self._with_fingerprint = with_fingerprint
        self._evidence = CorpusEvidence()
        self._messages = Fingerprint()

    def add(self, scored: ScoredMessages) -> None:
        """Add messages of the same part; where words are not weighed, they tell nothing."""
        if scored.words:
            self._evidence.add(scored.labelled, scored.words, scored.senders)
        if self._with_fingerprint:
            self._messages += fingerprint(scored.labelled.messages, scored.senders)

    @property
    def evidence(self) -> CorpusEvidence:
        """What was gathered so far."""
        return self._evidence

    def gathered(self) -> Gathered:
        """Return what was gathered, as one part."""
        return Gathered(self._evidence.table(), (self._messages,))

    @property
    def messages(self) -> Fingerprint:
        """Which messages they were."""
        return self._messages


def merged(gathered: Iterable[Gathered]) -> Gathered:
    """Return what several have gathered; in whatever order, it is the same."""
    every = [*gathered]
    parts = [part for one in every for part in one.parts]
    if len(set(parts)) < len(parts):
        raise TriageError("the same messages were gathered twice: give each part once")
    whole = CorpusEvidence.of(one.table for one in every)
    return Gathered(whole.table(), tuple(sorted(parts)))


def is_among(shares: Iterable[Fingerprint], given: Gathered) -> bool:
    """Return whether a part was gathered before."""
    return sum(shares, Fingerprint()) in given.parts
