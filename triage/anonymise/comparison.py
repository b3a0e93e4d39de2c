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
from triage.dictionaries import Kind, Label, Labeller, split_all
from triage.dictionaries.normal import folded
from triage.dictionaries.pack import Pack
from triage.dictionaries.words import Form, WordTable, plain_words

from ..decide.source import CHUNK_ROWS, check_rejects
from ..errors import TriageError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, MACHINE
from ..vocabulary import Action, Severity
from .columns import position_of
from .entity import TOKEN
from .held import HeldMessage
from .record import severity_of

UNKNOWN = "a message that is not among the originals"
UNLIKE_ID = "a message that has nothing to do with the original of its id"
UNLIKE_PLACE = "a message that has nothing to do with the original in its row"
_WITHOUT = "check without --against looks for names and forms alone"
# One common word may be part of a surrogate.
_TELLING = 2
_CROSSES = re.compile("x{2,}")
NO_SPELLINGS = (Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI, Kind.MASKED, Kind.HOUR)
Whole = tuple[str, ...]
_NO_WORDS = (Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI, Kind.HOUR)


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


def read_messages(file: MessageFile) -> Messages:
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
    found: set[int] = set()
    n_held = 0
    for one in listed:
        if one.written:
            found.add(one.row - 1 - n_held)
        else:
            n_held += 1
    return found


@dataclass(frozen=True)
class Sought:
    """The words to look for in an anonymised file, without case and accents."""

    spellings: Mapping[str, int] = field(default_factory=Counter)
    inserted: frozenset[str] = frozenset()
    wholes: frozenset[Whole] = frozenset()
    put_in: Mapping[int, Counter[str]] = field(default_factory=dict)
    indirect: frozenset[str] | None = None

    @classmethod
    def of(cls, lost: Counter[Form], new: Iterable[Form], wholes: Iterable[Whole] = ()) -> "Sought":
        """Return what to look for, given the words that went and those that came."""
        spellings: Counter[str] = Counter()
        for form, n in lost.items():
            if form.kind not in NO_SPELLINGS:
                spellings[form.text] += n
        inserted = {form.text for form in new if form.kind not in NO_SPELLINGS}
        return cls(spellings, frozenset(inserted - spellings.keys()), frozenset(wholes))


@dataclass(frozen=True)
class Compared:
    """The words that differ, and messages, from 0, that no original became, with a reason each."""

    sought: Sought
    added: dict[int, str]


@dataclass
class _Differences:
    """Differences between messages and their originals, added up."""

    lost: Counter[Form] = field(default_factory=Counter)
    new: Counter[Form] = field(default_factory=Counter)
    wholes: set[Whole] = field(default_factory=set)
    put_in: dict[int, Counter[str]] = field(default_factory=dict)
    unlike: list[int] = field(default_factory=list)
    n_telling: int = 0


def compare(before: Messages, after: Messages, pairing: Pairing, labeller: Labeller) -> Compared:
    """Compare anonymised messages with their originals; dictionaries say what a common word is."""
    added = dict.fromkeys(
        (number for number, original in enumerate(pairing.originals) if original is None), UNKNOWN
    )
    differences = _differences(before, after, pairing, labeller)
    n_alike = differences.n_telling - len(differences.unlike)
    sought = replace(
        Sought.of(differences.lost, differences.new, differences.wholes), put_in=differences.put_in
    )
    if 2 * n_alike < differences.n_telling:
        raise TriageError(
            f"only {n_alike:,} of {differences.n_telling:,} messages of {after.name} resemble "
            f"those of {before.name}: it is of another corpus, or in another order; without ids, "
            "name their column with --id-column"
        )
    n_tags = sum(n for form, n in differences.lost.items() if _is_tag(form))
    if 2 * n_tags > differences.lost.total():
        raise TriageError(
            f"{before.name} looks anonymised itself: where {after.name} differs, tags stand in it; "
            "name the anonymised file first, and the messages before with --against"
        )
    if after.texts and not sought.spellings:
        same = "hold the same messages" if before.texts == after.texts else "differ in no word"
        raise TriageError(
            f"{after.name} and {before.name} {same}: nothing was replaced, so there is nothing to "
            f"look for; {_WITHOUT}"
        )
    reason = UNLIKE_ID if pairing.by_ids else UNLIKE_PLACE
    return Compared(sought, added | dict.fromkeys(differences.unlike, reason))


def _differences(
    before: Messages, after: Messages, pairing: Pairing, labeller: Labeller
) -> _Differences:
    found = _Differences()
    changed: list[tuple[int, str, str]] = []
    for number, original in enumerate(pairing.originals):
        if original is None:
            continue
        if before.texts[original] == after.texts[number]:
            found.n_telling += 1
        else:
            changed.append((number, before.texts[original], after.texts[number]))
    for start in range(0, len(changed), CHUNK_ROWS):
        numbers, *texts = zip(*changed[start : start + CHUNK_ROWS], strict=True)
        words = ([*_words(column, labeller)] for column in texts)
        for number, (words_before, knew), (words_after, knows) in zip(numbers, *words, strict=True):
            tells = knows.total() >= _TELLING
            found.n_telling += tells
            if tells and 2 * (knew & knows).total() < knows.total():
                found.unlike.append(number)
            else:
                had, has = _counted(words_before), _counted(words_after)
                found.lost.update(had - has)
                found.new.update(has - had)
                found.put_in[number] = _texts_of(has - had)
                found.wholes.update(wholes_of(words_before, had - has))
    return found


def wholes_of(words: Iterable[Form], lost: Counter[Form]) -> Iterator[Whole]:
    """Yield the words of a message that went side by side."""
    left = lost.copy()
    for went, run in groupby(words, key=lambda word: _take(left, word)):
        whole = (*(part for word in run for part in TOKEN.findall(word.text)),)
        if went and len(whole) > 1:
            yield whole


def _take(left: Counter[Form], word: Form) -> bool:
    left[word] -= 1
    return left[word] >= 0


def _words(texts: Sequence[str], labeller: Labeller) -> Iterator[tuple[list[Form], Counter[str]]]:
    """Yield for each text its words in order, and which of them are common words."""
    labelled = labeller.label(texts)
    table = labelled.words
    common = {
        form: form.text.rstrip("'")
        for form, word in zip(map(_plain, table.forms), labelled.labels, strict=True)
        if word.kind is Kind.WORD and word.label is Label.ANTI_DICTIONARY and not _is_tag(form)
    }
    for words in ordered_words(table):
        yield words, Counter(common[form] for form in words if form in common)


def _is_tag(form: Form) -> bool:
    return form.kind is Kind.MASKED or _CROSSES.fullmatch(form.text) is not None


def counted_words(table: WordTable) -> list[Counter[Form]]:
    """Return how often each message has each word, without case and accents; tags are words."""
    return [*map(_counted, ordered_words(table))]


def _counted(words: Iterable[Form]) -> Counter[Form]:
    return Counter(word for word in words if word.kind not in _NO_WORDS)


def ordered_words(table: WordTable) -> list[list[Form]]:
    """Return the words of each message, without case and accents; tags and signs are words."""
    forms = [_parts(word) for word in table.forms]
    words: list[list[Form]] = [[] for _ in range(table.n_messages)]
    for message, form in zip(table.message.tolist(), table.form.tolist(), strict=True):
        words[message] += forms[form]
    return words


def _parts(word: Form) -> list[Form]:
    """Return the words of a form: those of a public name may be somebody's who was replaced."""
    if word.kind not in (Kind.PUBLIC, Kind.NAME):
        return [_plain(word)]
    places = plain_words(word.text)
    return [_plain(Form(word.text[start:end], Kind.WORD)) for start, end in places]


def _plain(word: Form) -> Form:
    """Return a word without case and accents."""
    return Form(folded(word.text), word.kind)


def sought_in_key_table(rows: Iterable[Mapping[str, object]], pack: Pack | None = None) -> Sought:
    """Return what a table of replacements says was replaced; the pack is French by default."""
    table = [*rows]
    lost, new = (
        counted_words(split_all([as_text(row[column]) for row in table], pack))
        for column in ("identifier", "replacement")
    )
    wholes = ((*TOKEN.findall(folded(text)),) for text in _side_by_side(table))
    sought = Sought.of(_sum(lost), _sum(new), (whole for whole in wholes if len(whole) > 1))
    direct = {
        form.text
        for row, words in zip(table, lost, strict=True)
        if severity_of(as_text(row.get("type", ""))) is Severity.DIRECT
        for form in words
    }
    put_in: dict[int, Counter[str]] = {}
    for row, words in zip(table, new, strict=True):
        # Tables of earlier versions do not tell where a replacement was written.
        if written := as_text(row.get("written", "")):
            here = put_in.setdefault(int(written) - 1, Counter())
            here.update(_texts_of(words) | Counter([folded(as_text(row["replacement"]))]))
    # Behind its trigger an identifier of form is one word, by itself it may be several.
    whole = {folded(as_text(row["replacement"])) for row in table}
    return replace(
        sought,
        indirect=frozenset(sought.spellings.keys() - direct),
        inserted=sought.inserted | (whole - sought.spellings.keys()),
        put_in=put_in,
    )


def _texts_of(words: Counter[Form]) -> Counter[str]:
    texts: Counter[str] = Counter()
    for form, n in words.items():
        texts[form.text] += n
    return texts


def _sum(counters: Iterable[Counter[Form]]) -> Counter[Form]:
    total: Counter[Form] = Counter()
    for counter in counters:
        total.update(counter)
    return total


def _side_by_side(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the identifiers of a key table, those with one character between them as one."""
    text, ends = "", ("", "")
    for row in rows:
        message, start, end = (as_text(row.get(name, "")) for name in ("row", "start", "end"))
        if text and start.isdecimal() and ends == (message, str(int(start) - 1)):
            text += f" {as_text(row['identifier'])}"
        else:
            yield text
            text = as_text(row["identifier"])
        ends = message, end
    yield text


def check_key_table(
    name: str,
    rows: Sequence[Mapping[str, object]],
    after: Messages,
    pack: Pack | None = None,
) -> None:
    """Check that a table of replacements belongs to an anonymised file."""
    if not (rows and after.texts):
        return
    by_ids = after.ids is not None and "id" in rows[0]
    stands = _in_their_messages(rows, after) if by_ids else _anywhere(rows, after, pack)
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


def _anywhere(
    rows: Sequence[Mapping[str, object]], after: Messages, pack: Pack | None
) -> list[bool]:
    """Return for each replacement whether its words stand in any message."""
    there = {word for words in counted_words(split_all(after.texts, pack)) for word in words}
    new = counted_words(split_all([as_text(row["replacement"]) for row in rows], pack))
    return [words.keys() <= there for words in new]
