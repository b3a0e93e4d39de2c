"""Names that are nobody's of the sender's world: known persons, saints, feasts, pet words.

They are left in place, as the annotators of corpora leave them. A well-known person is told by
first and last name together; by one name alone only where a song, a film or a match is spoken of.
What is in doubt is no such name.
"""

import re
from collections.abc import Iterable
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.normal import fold
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of

_WORD = r"[^\W\d_][\w'’]{0,20}+"
_JOINT = "[ -]{1,2}+"
_NAME = rf"{_WORD}(?:{_JOINT}{_WORD}){{0,3}}+"
_SAINT = re.compile(r"s(?:ain)?te?\.?[ -]{1,2}+")
_SURE = 0.7


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recognisers of names that are left, for the words of a language."""
    public = words["public"]
    links, saints = public["links"], _Names(entries(public["saints"]))
    return (
        _persons(_Names(persons_of(public["persons"]))),
        _saints(saints),
        _behind(
            public["works"],
            links,
            stars := _Names(entries(public["stage_names"])),
            name="stage_names",
            gate=stars.gate,
            examples=("la dernière chanson de Lorie", "j'écoute l'album d'Adele"),
            counterexamples=("Lorie arrive", "la chanson que Lorie m'a envoyée"),
        ),
        _behind(
            public["streets"],
            links,
            _Names(entries(public["namesakes"]), saints),
            name="named_streets",
            gate=rf"^(?:[ld]['’])?{any_of(public['streets'])}(?![a-z])",
            examples=("on se voit rue st antoine", "place Jean Jaurès à 20h"),
            counterexamples=("Antoine habite cette rue", "je garde ta place Antoine"),
        ),
        _behind(
            public["before_feasts"],
            links,
            feasts := _Names(entries(public["feasts"])),
            name="feasts",
            gate=feasts.gate,
            examples=("on fait quoi pour noël ?", "mes cadeaux de Noel"),
            counterexamples=("Noël arrive demain avec son frère",),
        ),
        _behind(
            public["possessives"],
            links,
            pets := _Names(entries(public["pet_words"])),
            name="pet_words",
            gate=pets.gate,
            examples=("bonne nuit mon loulou", "ma ptite choupette"),
            counterexamples=("loulou arrive à 20h", "bisous doudou"),
        ),
    )


def persons_of(lines: str) -> dict[str, int]:
    """Return well-known persons, and the year since which they are known.

    Examples
    --------
    >>> persons_of("Edith Piaf 1935")
    {'Edith Piaf': 1935}
    """
    pairs = (line.rsplit(None, 1) for line in lines.strip().splitlines())
    return {name: int(year) for name, year in pairs}


def entries(text: str) -> list[str]:
    """Return the entries of a list, which commas part."""
    return [entry for part in text.split(",") if (entry := " ".join(part.split()))]


class _Names:
    """Names of one or several words, known whatever their case, accents and hyphens."""

    def __init__(self, names: Iterable[str], saints: "_Names | None" = None) -> None:
        self._names = frozenset(map(_plain, names))
        self._saints = saints
        words = [re.split("[ ']", name) for name in self._names]
        self.gate = _any_word({max(parts, key=len) for parts in words})
        # What each of them begins with.
        self.start = _any_word({parts[0] for parts in words})

    def hold(self, found: str) -> bool:
        """Tell whether this is one of the names, or a saint of them."""
        return _plain(found) in self._names or bool(self._saints and self._saints.hold_saint(found))

    def hold_saint(self, found: str) -> bool:
        """Tell whether this is a saint: "st antoine", "Sainte-Anne-la-Palud"."""
        name, n_saints = _SAINT.subn("", fold(found), count=1)
        return n_saints > 0 and " " not in name and name.split("-")[0] in self._names


def _plain(name: str) -> str:
    return " ".join(fold(name).replace("-", " ").replace("’", "'").split())


def _persons(names: _Names) -> Recogniser:
    return Recogniser(
        "public_persons",
        Kind.PUBLIC,
        # Two may overlap: what is looked at is searched again.
        re.compile(rf"(?i)(?<!\w)(?=(?P<{FOUND}>(?>{names.start})[\w'’]{{0,20}}+{_JOINT}{_NAME}))"),
        gate=names.gate,
        check=names.hold,
        score=_SURE,
        is_shortened=True,
        examples=("le concert de Céline Dion", "jean-jacques goldman à la radio"),
        counterexamples=("Céline a perdu ses clés", "Marie Dion est absente"),
    )


def _saints(names: _Names) -> Recogniser:
    """Return the recogniser of saints: "saint antoine", "St-Jean", "Ste Anne", never "st anne"."""
    saint = r"(?i:sainte?)[ -]|S[Tt][Ee]?\.?[ -]|st[Ee]?-"
    return Recogniser(
        "saints",
        Kind.PUBLIC,
        re.compile(rf"(?<!\w)(?:{saint}){_WORD}(?:-{_WORD}){{0,4}}+"),
        gate="saint|^ste?(?![a-z])",
        check=names.hold_saint,
        score=_SURE,
        examples=("le feu de la Saint-Jean", "je descends à St Roch", "place Ste-Anne"),
        counterexamples=("Antoine est un saint", "il st jean a la plage"),
    )


def _behind(
    triggers: Iterable[str],
    links: Iterable[str],
    names: _Names,
    name: str,
    gate: str,
    examples: tuple[str, ...],
    counterexamples: tuple[str, ...],
) -> Recogniser:
    """Return a recogniser of names that are left behind a word, with little words between."""
    between = rf"(?: {any_of(links)}(?!\w)){{0,2}}+(?: [ld]['’]| )"
    return Recogniser(
        name,
        Kind.PUBLIC,
        re.compile(rf"(?i)(?<!\w)(?>{any_of(triggers)}(?!\w)){between}(?=(?P<{FOUND}>{_NAME}))"),
        gate=gate,
        check=names.hold,
        score=_SURE,
        is_shortened=True,
        examples=examples,
        counterexamples=counterexamples,
    )


def _any_word(words: Iterable[str]) -> str:
    """Return an expression for any of some words, with accents or without, beginnings shared."""
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}
    return _branches(tree)


def _branches(tree: dict[str, Any]) -> str:
    if "" in tree:
        return ""  # a gate may let more through
    parts = [_ACCENTED.get(letter, re.escape(letter)) + _branches(tree[letter]) for letter in tree]
    return any_of(parts) if len(parts) > 1 else parts[0]


_ACCENTED = {
    "a": "[aàâäáãå]",
    "c": "[cç]",
    "e": "[eéèêë]",
    "i": "[iîïíì]",
    "n": "[nñ]",
    "o": "[oôöóòõ]",
    "u": "[uùûüú]",
    "y": "[yÿ]",
}
