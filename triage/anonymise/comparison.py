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

from triage.data import as_text
from triage.dictionaries import Kind, Label, LabelledWord, Labeller, split_all
from triage.dictionaries.normal import folded
from triage.dictionaries.pack import Pack
from triage.dictionaries.words import Form, WordTable, plain_words

from ..decide.source import CHUNK_ROWS
from ..errors import TriageError
from ..vocabulary import Severity
from .abroad import is_for_fiction
from .entity import TOKEN
from .held import held_path, read_held
from .pairing import Messages, Pairing
from .residue import severity_of
from .surrogates.addresses import DOMAINS
from .surrogates.numbers import BLOCKS

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
_RESERVED_NUMBERS = "|".join(block.removeprefix("0") for block in BLOCKS.values())
# So many names that were left in the other file, and none in this one, are no chance.
_LEFT_IN_OTHER = 2


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
    to_real: int = 0
    to_invented: int = 0


def compare(before: Messages, after: Messages, pairing: Pairing, labeller: Labeller) -> Compared:
    """Compare anonymised messages with their originals; dictionaries say what a common word is."""
    _check_held(before, after)
    if before.has_pseudonyms and not after.has_pseudonyms:
        raise _swapped(before, after, f"pseudonyms of senders stand in {before.name} alone")
    added = dict.fromkeys(
        (number for number, original in enumerate(pairing.originals) if original is None), UNKNOWN
    )
    differences = _differences(before, after, pairing, labeller)
    n_alike = differences.n_telling - len(differences.unlike)
    if 2 * n_alike < differences.n_telling:
        raise TriageError(
            f"only {n_alike:,} of {differences.n_telling:,} messages of {after.name} resemble "
            f"those of {before.name}: it is of another corpus, or in another order; without ids, "
            "name their column with --id-column"
        )
    _check_order(before, after, differences, labeller)
    sought = replace(
        Sought.of(differences.lost, differences.new, differences.wholes), put_in=differences.put_in
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
                _add(found, had - has, has - had)
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
    table, forms = _labelled(texts, labeller)
    common = {
        form: form.text.rstrip("'")
        for form, word in forms
        if word.label is Label.ANTI_DICTIONARY and not _is_tag(form)
    }
    for words in ordered_words(table):
        yield words, Counter(common[form] for form in words if form in common)


def _labelled(
    texts: Sequence[str], labeller: Labeller
) -> tuple[WordTable, list[tuple[Form, LabelledWord]]]:
    """Split texts; return the plain forms of their words, and how the dictionaries label them."""
    labelled = labeller.label(texts)
    table, labels = labelled.words, labelled.labels
    forms = zip(map(_plain, table.forms), labels, strict=True)
    return table, [(form, word) for form, word in forms if word.kind is Kind.WORD]


def _add(found: _Differences, lost: Counter[Form], new: Counter[Form]) -> None:
    found.lost.update(lost)
    found.new.update(new)
    went, came = ({_is_reserved(form) for form in forms} - {None} for forms in (lost, new))
    found.to_real += (went, came) == ({True}, {False})
    found.to_invented += (went, came) == ({False}, {True})


def _is_reserved(form: Form) -> bool | None:
    """Return whether a number or address is kept for examples; None where it is neither."""
    if form.kind is Kind.TEL:
        number = re.sub("[^0-9]", "", form.text)
        french = rf"(?:0|(?:00)?330?)(?:{_RESERVED_NUMBERS})[0-9]{{4}}"
        return bool(re.fullmatch(french, number)) or is_for_fiction(number)
    if form.kind in (Kind.MEL, Kind.URL, Kind.LNK):
        return any(domain in form.text for domain in DOMAINS)
    return None


def _check_held(before: Messages, after: Messages) -> None:
    """Check that the list of messages held back belongs to the anonymised file."""
    if before.ids is None or after.ids is None:
        return
    held = {one.id for one in read_held(before.name) if not one.written}
    if (held & set(after.ids)) - set(before.ids):
        raise _swapped(before, after, f"{held_path(before.name)} lists what {before.name} lacks")


def _check_order(
    before: Messages, after: Messages, differences: _Differences, labeller: Labeller
) -> None:
    """Check that the originals are not the anonymised messages."""
    tags_lost, tags_new = (
        sum(n for form, n in forms.items() if _is_tag(form))
        for forms in (differences.lost, differences.new)
    )
    if tags_lost > 2 * tags_new:
        raise _swapped(before, after, f"the tags stand in {before.name}")
    if 2 * tags_lost > differences.lost.total():
        raise TriageError(
            f"{before.name} looks anonymised itself: where {after.name} differs, tags stand in it; "
            "give the messages before with --against"
        )
    if tags_new:
        return
    if differences.to_real > differences.to_invented:
        raise _swapped(before, after, f"{before.name} holds numbers or addresses made as examples")
    if differences.to_invented:
        return
    # A name that went here may have come there, as the surrogate of another one.
    went, came = differences.lost, differences.new
    left_before = _left(came.keys() - went.keys(), before, labeller)
    if len(left_before) >= _LEFT_IN_OTHER and not _left(went.keys() - came.keys(), after, labeller):
        raise _swapped(
            before,
            after,
            f"{len(left_before):,} names that only {after.name} has in some messages were left in "
            f"others of {before.name}",
        )


def _is_tag(form: Form) -> bool:
    return form.kind is Kind.MASKED or _CROSSES.fullmatch(form.text) is not None


def _left(words: Set[Form], messages: Messages, labeller: Labeller) -> set[Form]:
    """Return which of some words, common ones aside, occur in messages."""
    found: set[Form] = set()
    for start in range(0, len(messages.texts), CHUNK_ROWS):
        _, forms = _labelled(messages.texts[start : start + CHUNK_ROWS], labeller)
        found.update(
            form
            for form, word in forms
            if word.label is not Label.ANTI_DICTIONARY and form in words
        )
    return found


def _swapped(before: Messages, after: Messages, evidence: str) -> TriageError:
    return TriageError(
        f"{after.name} and {before.name} look swapped: {evidence}; name the anonymised file first, "
        "and the messages before with --against"
    )


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
