"""Names that are nobody's of the sender's world: known persons, saints, feasts, pet words.

They are left in place, as the annotators of corpora leave them. A well-known person is told by
first and last name together; by one name alone only where a song, a film or a match is spoken of.
What is in doubt is no such name. Marks of what somebody has replaced already are left, too.
"""

import re
from collections.abc import Iterable
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import NEVER, Pack, Section
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of

_WORD = r"[^\W\d_][\w'’]{0,20}+"
_JOINT = "[ -]{1,2}+"
_NAME = rf"{_WORD}(?:{_JOINT}{_WORD}){{0,3}}+"
_SURE = 0.7
# The marks of the published corpus (<PRE_7>, <ADR_LIE_21>) and of the paper (<PRE_7_17316>).
_MASKED = r"<[A-Z]{3}(?:_[A-Z]{3}){0,3}(?:_[0-9A-Za-z]{1,12}){1,2}>"
_Tree = dict[str, Any]


def marks(_: Pack) -> tuple[Recogniser, ...]:
    """Return the recogniser of marks."""
    form = re.compile(_MASKED)
    return (Recogniser("masked", Kind.MASKED, form, gate="<[a-z]{3}_", score=1.0),)


def names(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of names that are left, for the words of a language."""
    public = pack.public
    behind = _Behind(public.links, public.elided)
    title = re.compile(public.saint_title)
    saints = _Names(public.saints, title=title)
    stars, feasts = _Names(public.stage_names), _Names(public.feasts)
    pets, tender = _Names(public.pet_words), _Names(public.tender_words)
    streets = rf"^(?:{public.elided})?{any_of(public.streets)}(?![a-z])"
    namesakes = _Names(public.namesakes, saints)
    return (
        _persons(_Names(persons_of(public.persons))),
        _saints(public, saints),
        behind("stage_names", public.works, stars, stars.gate),
        behind("named_streets", public.streets, namesakes, streets, namesakes.gate),
        behind("feasts", public.before_feasts, feasts, feasts.gate),
        behind("saint_days", (public.feast_article,), _Names((), saints), public.saint_gate),
        _before("feasts_first", public.feasts, public.behind_feasts, feasts.gate),
        behind("pet_words", public.possessives, pets, pets.gate),
        behind("tender_words", public.before_tender_words, tender, tender.gate),
    )


def persons_of(lines: Iterable[str]) -> dict[str, int]:
    """Return well-known persons, and the year since which they are known."""
    pairs = (line.rsplit(None, 1) for line in lines)
    return {name: int(year) for name, year in pairs}


class _Names:
    """Names of one or several words, known whatever their case, accents and hyphens."""

    def __init__(
        self,
        names: Iterable[str],
        saints: "_Names | None" = None,
        title: re.Pattern[str] | None = None,
    ) -> None:
        self._names = frozenset(map(_plain, names))
        self._saints = saints
        self._title = title
        words = [re.split("[ ']", name) for name in self._names]
        longest = [sorted(parts, key=len)[-2:] for parts in words]
        self._telling = {parts[-1] for parts in longest}
        self.gate = _any_word(self._telling | (saints._telling if saints else set()))
        # What stands beside it.
        self.near = _any_word({parts[0] for parts in longest})
        # What each of them begins with.
        self.start = _any_beginning({parts[0] for parts in words})

    def hold(self, found: str) -> bool:
        """Tell whether this is one of the names, or a saint of them."""
        return _plain(found) in self._names or bool(self._saints and self._saints.hold_saint(found))

    def hold_saint(self, found: str) -> bool:
        """Tell whether this is a saint: "st antoine", "Sainte-Anne-la-Palud"."""
        if self._title is None:
            return False
        name, n_saints = self._title.subn("", fold(found), count=1)
        return n_saints > 0 and " " not in name and name.split("-")[0] in self._names


def _plain(name: str) -> str:
    return " ".join(fold(name).replace("-", " ").replace("’", "'").split())


def _persons(names: _Names) -> Recogniser:
    return Recogniser(
        "public_persons",
        Kind.PUBLIC,
        # Two may overlap: what is looked at is searched again.
        re.compile(rf"(?<!\w)(?=(?P<{FOUND}>(?>{names.start})[\w'’]{{0,20}}+{_JOINT}{_NAME}))"),
        gate=names.gate,
        near=names.near,
        check=names.hold,
        score=_SURE,
        is_shortened=True,
    )


def _saints(public: Section, names: _Names) -> Recogniser:
    """Return the recogniser of saints: "saint antoine", "St-Jean", "Ste Anne", never "st anne"."""
    return Recogniser(
        "saints",
        Kind.PUBLIC,
        re.compile(rf"(?<!\w)(?:{public.saint}){_WORD}(?:-{_WORD}){{0,4}}+"),
        gate=public.saint_gate,
        check=names.hold_saint,
        score=_SURE,
    )


def _before(name: str, names: Iterable[str], words: Iterable[str], gate: str) -> Recogniser:
    """Return the recogniser of names that are left where a message begins, before some words."""
    start = any_of("".join(map(_written, _plain(one))) for one in names)
    return Recogniser(
        name,
        Kind.PUBLIC,
        re.compile(rf"(?i)^\s{{0,3}}+(?P<{FOUND}>{start}) (?={any_of(words)}(?!\w))"),
        gate=gate,
        score=_SURE,
    )


class _Behind:
    """Makes recognisers of names that are left behind a word, with little words between."""

    def __init__(self, links: Iterable[str], elided: str) -> None:
        self._between = rf"(?: {any_of(links)}(?!\w)){{0,2}}+(?: (?:{elided})| )"

    def __call__(
        self, name: str, triggers: Iterable[str], names: _Names, gate: str, near: str = ""
    ) -> Recogniser:
        behind = rf"(?>{any_of(triggers)}(?!\w)){self._between}"
        return Recogniser(
            name,
            Kind.PUBLIC,
            re.compile(rf"(?i)(?<!\w){behind}(?=(?P<{FOUND}>{_NAME}))"),
            gate=gate,
            near=near,
            check=names.hold,
            score=_SURE,
            is_shortened=True,
        )


def _any_word(words: Iterable[str]) -> str:
    """Return a gate for any of some words without accents, beginnings shared."""
    # A letter first, behind it that none stands before it: see `Recogniser.gate`.
    parts = [f"{letter}(?<![a-z]{letter}){_endings(rest)}" for letter, rest in _tree(words).items()]
    return any_of(parts)


def _endings(tree: _Tree) -> str:
    parts = [re.escape(letter) + _endings(rest) for letter, rest in tree.items() if letter]
    if "" in tree:
        parts.append("(?![a-z])")
    return any_of(parts) if len(parts) > 1 else parts[0]


def _any_beginning(words: Iterable[str]) -> str:
    """Return an expression for what any of some words begins with, whatever case and accents."""
    tree = _tree(words)
    return _beginnings(tree) if tree else NEVER


def _beginnings(tree: _Tree) -> str:
    if "" in tree:
        return ""  # longer ones begin so, too
    parts = [_written(letter) + _beginnings(rest) for letter, rest in tree.items()]
    return any_of(parts) if len(parts) > 1 else parts[0]


def _tree(words: Iterable[str]) -> _Tree:
    """Return some words letter by letter, beginnings shared; behind the last letter stands ""."""
    tree: _Tree = {}
    for word in sorted(words):
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}
    return tree


def _written(letter: str) -> str:
    """Return an expression for a letter; sets of cases are found faster than by ``(?i)``."""
    forms = letter + _ACCENTED.get(letter, "")
    return f"[{forms}{forms.upper()}]" if letter.isalpha() else re.escape(letter)


_ACCENTED = {
    "a": "àâäáãå",
    "c": "ç",
    "e": "éèêë",
    "i": "îïíì",
    "n": "ñ",
    "o": "ôöóòõ",
    "u": "ùûüú",
    "y": "ÿ",
}
