"""The document that a triaged file was read from, written again with all of it anonymised.

Messages are as their table says. Beside them, names of the account of people and certain
identifiers are replaced, descriptions of persons are reduced to codes, and comments, notes and
instructions are left out unless they are kept.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from triage.data import as_text
from triage.data.tei import CODES, DATES, IDS, persons_of
from triage.data.tei_document import KINDS, Beside, Replacement, TeiDocument
from triage.dictionaries.phrases import Phrases

from .. import __version__
from ..decide.find import Identifier, Rule, apart
from ..decide.names import NAMES
from ..decide.people import People
from ..errors import TriageError, reading
from ..safe import read_file
from ..settings import Dates, Ids, Markup, Senders
from ..vocabulary import IdentifierType
from .entity import Spelling
from .styles import Style

if TYPE_CHECKING:
    from .run import Anonymised, FirstPass

Pairs: TypeAlias = Sequence[tuple[Identifier, str]]
"""The identifiers of a message, and what replaces each."""

# Shorter spellings are words of many texts.
_SHORTEST = 3
# Identifiers whose form is certain, and points to one person.
_CERTAIN = frozenset(["TEL", "MEL", "IBA", "CRT", "NIR", "IPA", "CRY", "IMM", "PSD"])
_HOW = {
    Markup.TEXT: "in the style {}",
    Markup.NAME: "in the style {}, each in a name of its type",
    Markup.GAP: "by gaps that say their types",
}
_COUNTED = {
    "text": "identifiers replaced",
    "markup": "identifiers replaced",
    "tag": "attributes left out",
    "description": "descriptions of persons left out",
    "note": "notes left out",
    "comment": "comments left out",
    "instruction": "instructions left out",
}


class DocumentWriter:
    """The document of a triaged file, which takes the messages in order and tells all with changes.

    Persons are those of the account, or else those that the document describes.
    """

    def __init__(self, seen: "FirstPass") -> None:
        self._seen, self._plan, plan = seen, seen.survey.plan, seen.survey.plan
        self._path, self._n_read = str(plan.choice.document), 0
        self._places = (plan.id, plan.sender, plan.date, plan.text)
        with reading(self._path):
            content = read_file(Path(self._path))
            self._document = TeiDocument(self._path, content, plan.choice.markup)
        self._messages = self._document.messages()
        if others := [plan.names[i] for i in plan.written if i not in self._places]:
            raise TriageError(
                f"a TEI document has no place for the column {others[0]!r}: leave out --keep, or "
                "--document"
            )
        self.persons, described = self._document.persons(), persons_of(self._document.tokens())
        self.people = seen.people or People(described, seen.triage.lexicon)
        self._stays = seen.request.plan.stays
        names, words = dict[str, IdentifierType](), dict[str, IdentifierType]()
        for one in self.people.spellings():
            if len(one.text) >= _SHORTEST:
                (words if one.is_word else names)[one.text] = one.type
        self._account, self._words = Phrases(names), Phrases(words)
        said = (one for one in seen.spellings if one.type in NAMES and one.text[:1].isupper())
        self._said = Phrases({one.text: one.type for one in said if len(one.text) >= _SHORTEST})
        every = {one.text for one in self._document.beside(KINDS) if one.kind == "text"}
        every |= {value for one in self._document.tokens() for value in one.attributes.values()}
        self._recognisers, texts = seen.triage.labeller.recognisers, sorted(every)
        self._of_form = dict(zip(texts, self._recognisers.find_each(texts), strict=True))

    def spellings(self) -> Iterator[Spelling]:
        """Yield the identifiers in texts beside the messages."""
        for one in self._document.beside(KINDS):
            for i in self._find(one.text, is_credit=one.is_credit) if one.kind == "text" else ():
                yield Spelling(one.text[i.start : i.end], i.type)

    def _find(self, text: str, *, is_credit: bool = False) -> list[Identifier]:
        names = [*self._account.find(text)]
        if not is_credit:
            names += [one for one in self._said.find(text) if text[one.start].isupper()]
        # A name that is also a word stands beside another one.
        words = [one for one in self._words.find(text) if text[one.start].isupper()]
        ends = {one.end for one in (*names, *words)}
        starts = {one.start for one in (*names, *words)}
        names += [one for one in words if one.start - 1 in ends or one.end + 1 in starts]
        found = [Identifier(*one[:3], Rule.EVIDENCE) for one in names]
        if text not in self._of_form:
            self._of_form[text] = self._recognisers.find(text)
        found += [
            Identifier(one.start, one.end, IdentifierType(one.kind.value), Rule.PATTERN)
            for one in self._of_form[text]
            if one.kind.value in _CERTAIN
        ]
        found = apart(found, text)
        return [one for one in found if not self._stays(one.start, one.end, one.type, text)]

    def write(
        self,
        row: Sequence[object],
        cells: Sequence[object],
        pairs: Pairs | None,
    ) -> Pairs | None:
        """Take a message: its row, the cells that are written, and replacements in its text.

        Return the replacements as they are read in the document.
        """
        self._n_read += 1
        message = next(self._messages, None)
        # The columns hold all that is said of a message.
        told = ["" if place is None else as_text(row[place]) for place in self._places]
        if message is None or told != [one or "" for one in message.cells]:
            raise self._unlike(f"message {self._n_read:,} is another")
        if pairs is None:
            self._document.withhold(message)
        elif replacements := [Replacement(i.start, i.end, i.type.value, new) for i, new in pairs]:
            pairs = _as_read(told[-1], pairs, self._document.replace(message, replacements))
        new = dict(zip(self._plan.written, map(as_text, cells), strict=True))
        plan, choice = self._plan, self._plan.choice
        if plan.sender is not None and choice.sender is not Senders.KEEP:
            self._document.set_sender(message, new.get(plan.sender))
        if plan.date is not None and choice.dates is not Dates.KEEP:
            self._document.set_date(message, new.get(plan.date))
        if choice.ids is Ids.NUMBER:
            self._document.set_number(message, self._n_read)
        return pairs

    def content(self, done: "Anonymised", style: Style, pseudonyms: Mapping[str, str]) -> bytes:
        """Return the document, also what stands beside its messages changed, and told of it."""
        if next(self._messages, None):
            raise self._unlike(f"it has more than {self._n_read:,} messages")
        choice, counts = self._plan.choice, Counter[str]()
        if choice.sender is not Senders.KEEP:
            self._document.name_persons(pseudonyms)
        for one in self._document.beside({*choice.keep} & {*KINDS}):
            if one.kind == "tag":
                names = [*self._attributes(one, pseudonyms)]
                if names:
                    self._document.leave_out_attributes(one.tokens[0], names)
                counts[_COUNTED["tag"]] += len(names)
            elif one.kind not in ("text", "markup"):
                self._document.rewrite(one, "")
                counts[_COUNTED[one.kind]] += 1
            elif found := self._find(one.text, is_credit=one.is_credit):
                pairs = [(i, style(Spelling(one.text[i.start : i.end], i.type))) for i in found]
                self._document.rewrite(one, replaced(one.text, pairs))
                counts[_COUNTED[one.kind]] += len(found)
        done.document = +counts
        types = ", ".join(sorted({kind for kind, _ in done.replaced})) or "none"
        n, how = sum(done.replaced.values()), _HOW[choice.markup]
        how = how.format(self._seen.request.plan.style)
        return self._document.content(
            f"Anonymised with sms-triage {__version__}. Identifiers replaced {how}: {n:,} in "
            f"{done.changed:,} of {done.rows_read:,} messages; their types: {types}. Messages "
            f"withheld: {done.rows_held:,}. Senders: {choice.sender}. Dates: {choice.dates}. Ids: "
            f"{choice.ids}."
        )

    def _attributes(self, one: Beside, pseudonyms: Mapping[str, str]) -> Iterator[str]:
        """Yield the attributes of a tag that hold an identifier, or a date within a message."""
        tag = one.tokens[0]
        of_person = tag.local in ("person", "personGrp")
        choice = self._plan.choice
        for name, value in tag.attributes.items():
            if name in IDS[:2] or name == "who" or value.startswith("#") or value in pseudonyms:
                continue
            is_date = name in DATES and one.is_message and choice.dates is not Dates.KEEP
            is_alias = name == "alias" and choice.sender is not Senders.KEEP
            if is_date or is_alias or (of_person and name not in CODES) or self._find(value):
                yield name

    def _unlike(self, what: str) -> TriageError:
        return TriageError(
            f"{self._seen.file.name} is not what triage classify read from {self._path}: {what}; "
            "classify the document again"
        )


def _as_read(text: str, pairs: Pairs, new: str) -> Pairs:
    """Return replacements with the white space around them that a reader of their text drops."""
    if new == replaced(text, pairs):
        return pairs
    wide, pattern, at = list[Identifier](), "", 0
    for one, shown in pairs:
        start, end = one.start, one.end
        while start > at and text[start - 1].isspace():
            start -= 1
        while text[end : end + 1].isspace():
            end += 1
        words = r"\s+".join(map(re.escape, shown.split()))
        pattern += rf"{re.escape(text[at:start])}(\s*+{words}\s*+)"
        wide.append(one._replace(start=start, end=end))
        at = end
    found = re.fullmatch(pattern + re.escape(text[at:]), new)
    return [*zip(wide, found.groups(), strict=True)] if found else pairs


def replaced(text: str, replacements: Pairs) -> str:
    """Replace identifiers of a text, which are in order and do not overlap."""
    pieces, at = [], 0
    for identifier, replacement in replacements:
        pieces += [text[at : identifier.start], replacement]
        at = identifier.end
    return "".join([*pieces, text[at:]])
