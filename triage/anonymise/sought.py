"""The identifiers that were replaced in a file, as its key table or the messages before tell."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from triage.data import Chunk, MessageFile
from triage.dictionaries import Label, LabelledWord, Labeller, Lexicon
from triage.dictionaries.addresses import KnownWords
from triage.dictionaries.normal import folded
from triage.dictionaries.phrases import phrase_key

from ..decide.find import likely_type
from ..decide.people import NAMES, Account
from ..model.annotated import actions_of
from ..vocabulary import Action, IdentifierType, Span
from .entities import DOMAIN_END
from .grading import DIGIT, Corpus, KnownSpelling, read_corpus
from .keys import BESIDE, KEY_COLUMNS, read_key_table
from .record import HeldMessage, input_rows
from .words import refused

# How many common words tell whether a message is its original: one may be of a surrogate.
_TELLING = 2
# Of words that stand within a surrogate address or code, or beside a tag without a space.
_PART = re.compile(r"[@/\d]|\w\.\w|\w<|>\w")
_TAG_OR_CROSSES = re.compile("<.*>|x{2,}")
_NO_SPACE = re.compile(r"\S+")
# In a surrogate mail address or link, words of the original may stand, such as "www".
_FORM = re.compile(r"@|\w\.\w")
# Shorter words between the parts of an identifier name nobody: "12 rue de l'Étang".
_SHORTEST = 4
# How many words are compared at once: more than most messages hold.
_WINDOW = 4000
_Words = Sequence[str]
_Changed = Mapping[int, tuple[_Words, _Words]]
_Labels = Mapping[str, LabelledWord]
_Lost = Counter[tuple[str, ...]]
_PutIn = Mapping[int, Sequence[Span]]
_Held = Sequence[HeldMessage]
_Counts = Counter[tuple[str, IdentifierType]]


@dataclass
class FileMessages:
    """The messages of a file, and which of them nobody decided, from 0."""

    name: str
    texts: list[str] = field(default_factory=list)
    ids: list[str] | None = None
    undecided: set[int] = field(default_factory=set)

    def taken_from(self, file: MessageFile) -> Iterator[Chunk]:
        """Take in the messages of each chunk of a file, and yield it."""
        self.ids = [] if file.id_column else None
        for chunk in file.whole_chunks(by_sender=False):
            decided = enumerate(actions_of(file.columns, chunk.rows), chunk.first)
            waits = (n for n, (action, by) in decided if action == Action.EXPERT and not by)
            self.undecided.update(waits)
            self.texts += chunk.texts
            if self.ids is not None:
                self.ids += chunk.ids
            yield chunk


def read_messages(file: MessageFile, account: Account | None = None) -> FileMessages:
    messages = FileMessages(file.name)
    for chunk in messages.taken_from(file):
        if account:
            account.add(chunk.rows)
    return messages


def _pair(before: FileMessages, after: FileMessages, held: _Held) -> tuple[list[int | None], bool]:
    """Return for each anonymised message its original, if any, and whether their ids tell it."""
    common, n_before, n_after = "", len(before.texts), len(after.texts)
    if before.ids is not None and after.ids is not None:
        places = {id_: number for number, id_ in enumerate(before.ids)}
        originals = [places.get(id_) for id_ in after.ids]
        n_known = len(originals) - originals.count(None)
        # Other ids than those of the originals may have been given to messages in their order.
        if len(places) == n_before and 2 * n_known >= n_after:
            return originals, True
        common = f" ({n_known:,} of its {n_after:,} ids are in both)"
        if len(places) < n_before:
            common = f" (ids are repeated in {before.name})"
    if n_before == n_after + sum(not one.written for one in held):
        return [row - 1 for row in input_rows(held, n_after)], False
    if n_before == n_after:
        return [*range(n_after)], False
    raise refused("unpaired", before=before.name, after=after.name, common=common)


class Sought(NamedTuple):
    """Replaced spellings, and what took their place: where it stands, by message from 0, and what.

    No word of `inserted` was itself replaced somewhere. With the messages before: the original of
    each message, those `added` with the reason, and those whose original nobody decided.
    """

    known: Sequence[KnownSpelling] = ()
    put_in: _PutIn = MappingProxyType({})
    replacements: Set[str] = frozenset()
    inserted: frozenset[str] = frozenset()
    originals: Sequence[int | None] = ()
    added: Mapping[int, str] = MappingProxyType({})
    undecided: Set[int] = frozenset()


def _sought(counts: _Counts, put_in: _PutIn, replacements: Set[str]) -> Sought:
    known = list[KnownSpelling]()
    for (text, kind), n in counts.items():
        # What has digits is no name.
        type_ = IdentifierType.COD if kind in NAMES and DIGIT.search(text) else kind
        known.append(KnownSpelling(text, type_, replaced=n))
    lost_words = {word for one in known for word in phrase_key(one.spelling)}
    new_words = {word for words in read_corpus([*replacements]).by_message for word in words}
    return Sought(known, put_in, {*map(folded, replacements)}, frozenset(new_words - lost_words))


def sought_in_key_table(key_table: str, after: FileMessages) -> Sought:
    """Return the replacements of a key table, half of which must stand where it says."""
    rows, put_in = read_key_table(key_table), defaultdict[int, list[Span]](list)
    types = IdentifierType.__members__
    kinds = [types.get(row.get("type", ""), IdentifierType.PRE) for row in rows]
    counts = _Counts(zip((row["identifier"] for row in rows), kinds, strict=True))
    inserted = {row["replacement"] for row in rows}
    of_messages = [one for one in zip(rows, kinds, strict=True) if one[0].get("row") != BESIDE]
    of_id = {id_: number for number, id_ in enumerate(after.ids or ())}
    # Identifiers with one character between them are sought as one, too.
    beside: list[list[str]] = []
    ends, n_named, n_found = ("", ""), 0, 0
    for row, kind in of_messages:
        cells = (row.get(column, "") for column in KEY_COLUMNS)
        message, written, id_, start, end, _, _, text, new = cells
        if start.isdecimal() and ends == (message, str(int(start) - 1)):
            beside[-1].append(text)
        else:
            beside.append([text])
        ends = message, end
        # Rows may be missing or in another order; ids may have become numbers of rows.
        candidates = (of_id.get(id_, -1), int(written) - 1 if written.isdecimal() else -1)
        numbers = [number for number in candidates if 0 <= number < len(after.texts)]
        n_named += bool(numbers)
        if numbers and not new.strip():
            # A gap leaves no text to be found.
            n_found, numbers = n_found + 1, []
        for number in numbers:
            place = after.texts[number].find(new, put_in[number][-1].end if number in put_in else 0)
            if place >= 0:
                put_in[number].append(Span(place, place + len(new), kind))
                n_found += 1
                break
    if not any(row.get("written") or row.get("id") for row, _ in of_messages):
        # A table that names no messages tells what was replaced alone.
        n_named = 1
        n_found = int(any(new in text for text in after.texts for new in inserted - {""}))
    if of_messages and after.texts and (not n_named or 2 * n_found < n_named):
        facts = {"found": n_found, "n": len(of_messages), "table": key_table, "after": after.name}
        raise refused("other_key_table", **facts)
    for several in beside:
        if len(several) > 1 and several[0]:
            counts[" ".join(several), IdentifierType.NOM] += 0
    return _sought(counts, put_in, inserted)


def compare(before: FileMessages, after: FileMessages, held: _Held, labeller: Labeller) -> Sought:
    originals, by_ids = _pair(before, after, held)
    reason = "a message that is not among the originals"
    added = {number: reason for number, one in enumerate(originals) if one is None}
    pairs = {
        number: before.texts[one]
        for number, one in enumerate(originals)
        if one is not None and before.texts[one] != after.texts[number]
    }
    corpus = read_corpus([after.texts[number] for number in pairs])
    words = zip(read_corpus([*pairs.values()]).by_message, corpus.by_message, strict=True)
    changed = dict(zip(pairs, words, strict=True))
    all_words = {word for both in changed.values() for side in both for word in side}
    labelled = labeller.label(sorted(all_words))
    places = zip(labelled.words.form.tolist(), labelled.words.message.tolist(), strict=True)
    labels = {labelled.messages[at]: labelled.labels[form] for form, at in places}
    n_same = len(originals) - len(added) - len(changed)
    unlike = _unlike(before, after, changed, labels, n_same)
    lost, put_in = _replaced_words(before, after, corpus, changed, unlike)
    counts = _counts(lost, labels, labeller.lexicon)
    # No replacement is a name that was replaced elsewhere, or a mail address where none stood.
    names = {folded(text) for (text, kind), n in counts.items() if n and kind in NAMES}
    for number, spans in put_in.items():
        put_in[number] = [
            one
            for one in spans
            if folded(text := after.texts[number][one.start : one.end]) not in names
            and ("@" not in text or "@" in pairs[number])
        ]
    inserted = {after.texts[n][one.start : one.end] for n, spans in put_in.items() for one in spans}
    where = "of its id" if by_ids else "in its row"
    reason = f"a message that has nothing to do with the original {where}"
    undecided = {n for n, one in enumerate(originals) if one in before.undecided}
    return _sought(counts, put_in, inserted)._replace(
        originals=originals,
        added=added | dict.fromkeys(unlike, reason),
        # Of one that was withheld of a document nothing is left.
        undecided={n for n in undecided if after.texts[n]},
    )


def _replaced_words(
    before: FileMessages, after: FileMessages, corpus: Corpus, changed: _Changed, unlike: Set[int]
) -> tuple[_Lost, dict[int, list[Span]]]:
    """Count the runs of words that went, and return by message where others came."""
    lost, put_in = _Lost(), defaultdict[int, list[Span]](list)
    for first, (number, both) in zip(corpus.first, changed.items(), strict=False):
        pieces = _NO_SPACE.finditer(after.texts[number])
        forms = [(0, 0), *(one.span() for one in pieces if _FORM.search(one[0]))]
        for start, end, new, new_end in _changes(*both) if number not in unlike else ():
            if end > start:
                lost[tuple(both[0][start:end])] += 1
            if new_end > new:
                begin, behind = int(corpus.start[first + new]), int(corpus.end[first + new_end - 1])
                # With the mail address or link around its end.
                around = forms[bisect_left(forms, (behind,)) - 1]
                if around[1] > begin:
                    begin, behind = min(begin, around[0]), max(behind, around[1])
                put_in[number].append(Span(begin, behind, IdentifierType.PRE))
    n_words = sum(n * len(run) for run, n in lost.items())
    n_tags = sum(n for run, n in lost.items() for word in run if _TAG_OR_CROSSES.fullmatch(word))
    if 2 * n_tags > n_words:
        raise refused("before_is_anonymised", before=before.name, after=after.name)
    if after.texts and not any(any(map(str.isalnum, word)) for run in lost for word in run):
        same = "hold the same messages" if before.texts == after.texts else "differ in no word"
        raise refused("nothing_replaced", before=before.name, after=after.name, same=same)
    return lost, put_in


def _changes(old: _Words, new: _Words) -> Iterator[tuple[int, int, int, int]]:
    """Yield where words that went, side by side, begin and end, and those that came for them."""
    start = new_start = at = new_at = 0
    while at < len(old) and new_at < len(new):
        window, new_window = old[at : at + _WINDOW], new[new_at : new_at + _WINDOW]
        pairs = _common(window, new_window)
        for stop, new_stop in ((at + place, new_at + new_place) for place, new_place in pairs):
            if stop > start or new_stop > new_start:
                yield start, stop, new_start, new_stop
            start, new_start = stop + 1, new_stop + 1
        # What stands behind the last word that stayed may have stayed in the next window.
        last, new_last = pairs[-1] if pairs else (len(window), len(new_window))
        at += max(last + 1, len(window) // 2)
        new_at += max(new_last + 1, len(new_window) // 2)
    if len(old) > start or len(new) > new_start:
        yield start, len(old), new_start, len(new)


def _common(old: _Words, new: _Words) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence (Hyyrö 2004, a bit for each old word)."""
    places = defaultdict[str, int](int)
    for at, word in enumerate(old):
        places[word] |= 1 << at
    rows = [all_bits := (1 << len(old)) - 1]
    for word in new:
        row = rows[-1]
        met = row & places.get(word, 0)
        rows.append((row + met | row - met) & all_bits)
    at, new_at, places_common = len(old), len(new), list[tuple[int, int]]()
    while at and new_at:
        if old[at - 1] == new[new_at - 1]:
            at, new_at = at - 1, new_at - 1
            places_common.append((at, new_at))
        elif rows[new_at] >> at - 1 & 1:  # without this old word it is as long
            at -= 1
        else:
            new_at -= 1
    return places_common[::-1]


def _unlike(
    before: FileMessages, after: FileMessages, changed: _Changed, labels: _Labels, n_same: int
) -> set[int]:
    """Return the changed messages unlike their original, which must be fewer than the others."""
    # Replacing leaves common words in place: half of those of an anonymised message stand in its
    # original (in all messages of the sample, in five styles), in another in one of thirty.
    common = {word for word, one in labels.items() if one.label is Label.ANTI_DICTIONARY}
    # Letters alone are initials, and crosses a mask.
    common = {word for word in common if word.isalpha() and len(word.strip("x")) > 1}
    unlike, n_telling = set[int](), n_same
    for number, (old_words, new_words) in changed.items():
        common_words = Counter(filter(common.__contains__, new_words))
        if 2 * (common_words & Counter(old_words)).total() < common_words.total():
            # Words within a surrogate address, or glued to a tag, tell nothing.
            pieces = [one for one in after.texts[number].split() if not _PART.search(one)]
            words = read_corpus([" ".join(pieces)]).by_message[0]
            common_words = Counter(filter(common.__contains__, words))
        if common_words.total() >= _TELLING:
            n_telling += 1
            if 2 * (common_words & Counter(old_words)).total() < common_words.total():
                unlike.add(number)
    n_alike = n_telling - len(unlike)
    if 2 * n_alike < n_telling:
        facts = {"alike": n_alike, "n": n_telling, "after": after.name, "before": before.name}
        raise refused("other_corpus", **facts)
    return unlike


def _counts(lost: _Lost, labels: _Labels, lexicon: Lexicon) -> _Counts:
    """Count the spellings in runs of words that went, with their types."""
    streets, counts = KnownWords(lexicon).street_types, _Counts()
    for run, n in lost.items():
        # An address begins with its number, or with the kind of its street.
        starts = [i for i, word in enumerate(run) if word in streets or word.isdecimal()]
        cut = starts[0] if starts and streets.intersection(run) else len(run)
        if run[cut:]:
            counts[" ".join(run[cut:]), IdentifierType.ADR] += n
        if cut > 1:
            counts[" ".join(run[:cut]), IdentifierType.NOM] += 0
        words = (word for word in run[:cut] if not DOMAIN_END.fullmatch(word))
        for word in filter(lambda word: any(map(str.isalnum, word)), words):
            is_little = len(word) < _SHORTEST and labels[word].label is Label.ANTI_DICTIONARY
            if len(run) == 1 or not is_little:
                counts[word, likely_type(labels[word], lexicon)] += n
    return counts
