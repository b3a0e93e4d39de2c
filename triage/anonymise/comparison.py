"""Compare an anonymised file with its originals, or with the table of its replacements.

Files that cannot be what they are said to be are refused. Replacing takes names out of a message
and leaves its common words in place: half of those of an anonymised message stand in its original
(in all messages of the sample, in five styles), but seldom in another message (in one of thirty).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import groupby

from triage.data import MessageFile, as_text
from triage.dictionaries import Label, LabelledWord, Labeller, Lexicon
from triage.dictionaries.addresses import KnownWords, street_types
from triage.dictionaries.normal import folded

from ..decide.people import Account
from ..decide.source import check_rejects
from ..errors import TriageError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, MACHINE
from ..model.find import likely_type
from ..vocabulary import Action, IdentifierType
from .columns import position_of
from .grading import Known, key_of, known_spelling, words_of
from .held import HeldMessage

UNKNOWN = "a message that is not among the originals"
UNLIKE_ID = "a message that has nothing to do with the original of its id"
UNLIKE_PLACE = "a message that has nothing to do with the original in its row"
_WITHOUT = "check without --against looks for names and forms alone"
# One common word may be part of a surrogate.
_TELLING = 2
_TAG_OR_CROSSES = re.compile("<.*>|x{2,}")
# Shorter words between the parts of an identifier name nobody: "12 rue de l'Étang".
_SHORTEST = 4


@dataclass(frozen=True)
class Messages:
    name: str
    texts: list[str]
    ids: list[str] | None = None
    undecided: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Pairing:
    """For each anonymised message its original, from 0, by ids or places; None without one."""

    originals: list[int | None]
    by_ids: bool

    def became(self, originals: Set[int]) -> set[int]:
        """Return the anonymised messages that some originals became."""
        return {number for number, one in enumerate(self.originals) if one in originals}


def read_messages(file: MessageFile, account: Account | None = None) -> Messages:
    """Read the messages of a file, and which of them nobody decided, where it says so."""
    texts: list[str] = []
    ids: list[str] = []
    undecided: set[int] = set()
    final = FINAL_ACTION if FINAL_ACTION in file.columns else "action"
    action, by = (position_of(file, column) for column in (final, DECIDED_BY))
    for chunk in file.chunks():
        if action is not None:
            undecided.update(
                number
                for number, row in enumerate(chunk.rows, len(texts))
                if as_text(row[action]) == Action.EXPERT
                and (by is None or as_text(row[by]) in ("", MACHINE))
            )
        if account:
            account.add(chunk.rows)
        texts += chunk.texts
        ids += chunk.ids
    check_rejects(file)
    return Messages(file.name, texts, ids if file.id_column else None, frozenset(undecided))


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
    held_before = 0
    found: set[int] = set()
    for one in listed:
        if one.written:
            found.add(one.row - 1 - held_before)
        held_before += not one.written
    return found


@dataclass(frozen=True)
class Sought:
    """Replaced spellings, and the words that took their place, by message (from 0) and at all.

    What stands in no original of its message, or is a whole replacement, was put there.
    """

    known: Sequence[Known] = ()
    put_in: Mapping[int, Counter[str]] = field(default_factory=dict)
    inserted: frozenset[str] = frozenset()
    originals: Mapping[int, str] = field(default_factory=dict)
    replacements: frozenset[str] = frozenset()

    @property
    def n_spellings(self) -> int:
        return len({key_of(one.spelling) for one in self.known if one.replaced})


def sought_in_key_table(rows: Iterable[Mapping[str, object]]) -> Sought:
    """Return what a table of replacements says was replaced."""
    counts: Counter[tuple[str, IdentifierType]] = Counter()
    put_in: dict[int, Counter[str]] = {}
    came: set[str] = set()
    table = [*rows]
    for row in table:
        type_ = as_text(row.get("type", ""))
        known = type_ in IdentifierType.__members__
        kind = IdentifierType(type_) if known else IdentifierType.PRE
        counts[as_text(row["identifier"]), kind] += 1
        new = words_of(as_text(row["replacement"]))
        came |= {*new}
        # Tables of earlier versions do not tell where a replacement was written.
        if written := as_text(row.get("written", "")):
            put_in.setdefault(int(written) - 1, Counter()).update(new)
    for text in filter(None, _side_by_side(table)):
        counts[text, IdentifierType.NOM] += 0
    known_ = [known_spelling(text, type_, n) for (text, type_), n in counts.items()]
    went = {word for one in known_ for word in key_of(one.spelling)}
    whole = frozenset(folded(as_text(row["replacement"])) for row in table)
    return Sought(known_, put_in, frozenset(came - went), replacements=whole)


def _side_by_side(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield identifiers of a key table with one character between them, as one."""
    parts, ends = [""], ("", "")
    for row in rows:
        message, start, end = (as_text(row.get(name, "")) for name in ("row", "start", "end"))
        if parts[-1] and start.isdecimal() and ends == (message, str(int(start) - 1)):
            parts.append(as_text(row["identifier"]))
        else:
            yield " ".join(parts) if len(parts) > 1 else ""
            parts = [as_text(row["identifier"])]
        ends = message, end
    yield " ".join(parts) if len(parts) > 1 else ""


@dataclass(frozen=True)
class Compared:
    """Replaced spellings, and messages (from 0) that no original became, with a reason each."""

    sought: Sought
    added: dict[int, str]


def compare(before: Messages, after: Messages, pairing: Pairing, labeller: Labeller) -> Compared:
    """Compare anonymised messages with their originals; dictionaries say what a common word is."""
    added = {number: UNKNOWN for number, one in enumerate(pairing.originals) if one is None}
    texts = [
        (number, before.texts[one], after.texts[number])
        for number, one in enumerate(pairing.originals)
        if one is not None and before.texts[one] != after.texts[number]
    ]
    changed = [(number, words_of(old), words_of(new)) for number, old, new in texts]
    labels = _labels({word for _, *both in changed for words in both for word in words}, labeller)
    unlike, n_telling = _unlike(changed, labels)
    n_telling += len(pairing.originals) - len(added) - len(changed)
    n_alike = n_telling - len(unlike)
    if 2 * n_alike < n_telling:
        raise TriageError(
            f"only {n_alike:,} of {n_telling:,} messages of {after.name} resemble "
            f"those of {before.name}: it is of another corpus, or in another order; without ids, "
            "name their column with --id-column"
        )
    lost: Counter[tuple[str, ...]] = Counter()
    put_in = {}
    for number, had, has in changed:
        if number not in unlike:
            came = Counter(has) - Counter(had)
            lost.update(_runs(had, Counter(had) - Counter(has)))
            put_in[number] = came
    _check_lost(before, after, lost)
    found = _sought(lost, put_in, labels, labeller.lexicon)
    reason = UNLIKE_ID if pairing.by_ids else UNLIKE_PLACE
    originals = {number: old for number, old, _ in texts if number in put_in}
    return Compared(replace(found, originals=originals), added | dict.fromkeys(unlike, reason))


def _labels(words: Set[str], labeller: Labeller) -> dict[str, LabelledWord]:
    """Return the label of each word by itself."""
    labelled = labeller.label(sorted(words))
    form, message = labelled.words.form.tolist(), labelled.words.message.tolist()
    texts = labelled.messages
    return {texts[at]: labelled.labels[n] for n, at in zip(form, message, strict=True)}


def _unlike(
    changed: Sequence[tuple[int, list[str], list[str]]], labels: Mapping[str, LabelledWord]
) -> tuple[list[int], int]:
    """Return the messages unlike their original, and how many have common words enough to tell."""
    common = {word for word, one in labels.items() if one.label is Label.ANTI_DICTIONARY}
    common = {word for word in common if word.isalpha() and not _TAG_OR_CROSSES.fullmatch(word)}
    unlike, n_telling = [], 0
    for number, had, has in changed:
        knows = Counter(filter(common.__contains__, has))
        if knows.total() >= _TELLING:
            n_telling += 1
            if 2 * (knows & Counter(had)).total() < knows.total():
                unlike.append(number)
    return unlike, n_telling


def _runs(words: Sequence[str], lost: Counter[str]) -> Iterator[tuple[str, ...]]:
    """Yield the words of a message that went, those side by side as one."""

    def went(word: str) -> bool:
        lost[word] -= 1
        return lost[word] >= 0

    yield from ((*run,) for gone, run in groupby(words, key=went) if gone)


def _check_lost(before: Messages, after: Messages, lost: Counter[tuple[str, ...]]) -> None:
    n_words = sum(n * len(run) for run, n in lost.items())
    n_tags = sum(n for run, n in lost.items() for word in run if _TAG_OR_CROSSES.fullmatch(word))
    if 2 * n_tags > n_words:
        raise TriageError(
            f"{before.name} looks anonymised itself: where {after.name} differs, tags stand in it; "
            "name the anonymised file first, and the messages before with --against"
        )
    if after.texts and not any(any(map(str.isalnum, word)) for run in lost for word in run):
        same = "hold the same messages" if before.texts == after.texts else "differ in no word"
        raise TriageError(
            f"{after.name} and {before.name} {same}: nothing was replaced, so there is nothing to "
            f"look for; {_WITHOUT}"
        )


def _sought(
    lost: Counter[tuple[str, ...]],
    put_in: Mapping[int, Counter[str]],
    labels: Mapping[str, LabelledWord],
    lexicon: Lexicon,
) -> Sought:
    streets = street_types(KnownWords.of(lexicon).words)
    counts: Counter[tuple[str, IdentifierType]] = Counter()
    for run, n in lost.items():
        # An address begins with its number, or with the kind of its street.
        begins = [at for at, word in enumerate(run) if word in streets or word.isdecimal()]
        at = begins[0] if begins and streets.intersection(run) else len(run)
        if run[at:]:
            counts[" ".join(run[at:]), IdentifierType.ADR] += n
        if at > 1:
            counts[" ".join(run[:at]), IdentifierType.NOM] += 0
        for word in run[:at]:
            is_little = len(word) < _SHORTEST and labels[word].label is Label.ANTI_DICTIONARY
            if any(map(str.isalnum, word)) and not (is_little and len(run) > 1):
                counts[word, likely_type(labels[word], lexicon)] += n
    known = [known_spelling(text, type_, n) for (text, type_), n in counts.items()]
    came = {word for new in put_in.values() for word in new}
    went = {word for one in known for word in key_of(one.spelling)}
    return Sought(known, put_in, frozenset(came - went))


def check_key_table(name: str, rows: Sequence[Mapping[str, object]], after: Messages) -> None:
    """Check that a table of replacements belongs to an anonymised file."""
    if not (rows and after.texts):
        return
    by_ids = after.ids is not None and "id" in rows[0]
    stands = _in_their_messages(rows, after) if by_ids else _anywhere(rows, after)
    if 2 * sum(stands) < len(rows) and "written" in rows[0]:
        # Ids may have become numbers of rows.
        stands = _in_their_rows(rows, after)
    if 2 * sum(stands) < len(stands) or not stands:
        raise TriageError(
            f"only {sum(stands):,} of {len(rows):,} replacements of {name} stand in {after.name}"
            f"{', in the messages that it names' if by_ids else ''}: it is of another file"
        )


def _in_their_messages(rows: Sequence[Mapping[str, object]], after: Messages) -> list[bool]:
    """Return for each replacement whether it stands in its message; messages may be missing."""
    texts: dict[str, list[str]] = {}
    for id_, text in zip(after.ids or [], after.texts, strict=True):
        texts.setdefault(id_, []).append(text)
    named = [(as_text(row["replacement"]), texts.get(as_text(row["id"]))) for row in rows]
    return [any(new in text for text in found) for new, found in named if found is not None]


def _in_their_rows(rows: Sequence[Mapping[str, object]], after: Messages) -> list[bool]:
    """Return for each replacement whether it stands in the row in which it was written."""
    texts = dict(enumerate(after.texts, 1))
    places = ((as_text(row["replacement"]), as_text(row["written"])) for row in rows)
    return [new in texts.get(int(at) if at.isdecimal() else 0, "") for new, at in places]


def _anywhere(rows: Sequence[Mapping[str, object]], after: Messages) -> list[bool]:
    """Return for each replacement whether its words stand in any message."""
    pieces = {*" ".join(after.texts).split()}
    there = {word for piece in pieces for word in words_of(piece)}
    return [there.issuperset(words_of(as_text(row["replacement"]))) for row in rows]
