"""Names in the cells of a file: whole names are taken apart into given names and surnames."""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby

from triage.dictionaries import Label, Lexicon
from triage.dictionaries.lexicon import ALL_LAST_NAMES, FIRST_NAMES, LAST_NAMES, PERSON_NAMES
from triage.dictionaries.normal import folded, normal
from triage.dictionaries.pack import any_of

from ..vocabulary import IdentifierType

PRE, NOM = IdentifierType.PRE, IdentifierType.NOM
_TEL, _MEL, _PSD = IdentifierType.TEL, IdentifierType.MEL, IdentifierType.PSD
Named = tuple[IdentifierType, str]
"""A name, a number or an address of a person, with its type."""
# A cell of more words, or of longer ones, is no name.
MAX_WORDS, LONGEST, SHORTEST = 5, 60, 3
_LETTERS = r"[^\W\d_]"
_NAME_WORD = re.compile(rf"{_LETTERS}(?:(?:\.?-|['’.])?{_LETTERS})*\.?")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_TELEPHONE = re.compile(
    r"(?<![\w+.-])(?!\d{4}-\d\d-\d\d)\(?\+?[0-9][0-9 ().\u00a0\u202f-]{6,22}[0-9](?!\w)"
)
# A number behind a word is a code.
_HANDLE = re.compile(rf"@?(?=({_LETTERS}{{{SHORTEST},}}))[\w.-]{{3,30}}")
# *solveig.kerbrat*
_JOINED = re.compile(rf"{_LETTERS}{{2,30}}(?:[._]{_LETTERS}{{2,30}}){{1,2}}")
# *SolveigKerbrat*
_HUMP = "[A-ZÀ-Þ][a-zß-ÿ]{2,30}"
ELIDED = re.compile(r"^[dlDL]['’](?=.)")
_BRACKETS = re.compile(r"[(\[{][^)\]}]{0,60}[)\]}]")
_SIGNS = re.compile(r"[^\w\s.,'’@+-]+")
_INITIALS = re.compile(rf"(?:-?{_LETTERS}\.){{1,3}}|{_LETTERS}(?:-{_LETTERS}){{0,2}}")
_APART = re.compile(r"\s[-–—/|:·•]\s")
# Lists of names of things: what they alone hold is no common word.
_PROPER = ("cities", "places", "countries", "brands", "public_persons", "famous_names")


class NameReader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon, bits = lexicon, lexicon.bits
        self._first, self._persons = bits(*FIRST_NAMES), bits(*PERSON_NAMES)
        self._last, self._frequent = bits(*ALL_LAST_NAMES), lexicon.common
        self._sure_last, self._foreign = bits(*LAST_NAMES), bits("foreign_words")
        # Towns among the commonest words stand for themselves more often than for a person.
        self._common = lexicon.anti_dictionary & ~bits(*_PROPER)
        self.commonest, self.towns = bits("commonest_forms"), bits("cities", "places")
        self._proper = bits("cities", "places", "brands")
        self._is_written = re.compile(rf"[{lexicon.pack.surrogates.letters}'.-]*").fullmatch
        titles = lexicon.pack.titles
        self.titles, self.particles = frozenset(titles.persons), frozenset(titles.particles)
        cues = lexicon.pack.signatures
        self._is_relative = re.compile(any_of(cues.relatives)).fullmatch
        self._is_trade = re.compile(f"(?i:{any_of(cues.trades)})").match
        self._frequent_names, self._parents = cues.last_names, cues.parents
        self._things = lexicon.pack.entities.organisations | lexicon.pack.addresses.street_types

    def lists_of(self, word: str) -> int:
        return self._lexicon.exact.get(normal(word)) | self._lexicon.lists_of(folded(word))

    def words_of(self, word: str) -> int:
        """Return the lists that hold a word with its signs, but for those of other languages."""
        return self._lexicon.exact.get(normal(word)) & ~self._foreign

    def is_word(self, word: str) -> bool:
        """Return whether a name is also a word of the language, written with its letters."""
        if not self.words_of(word) and not self._is_written(normal(word)):
            return False  # *Vũ*
        label = self._lexicon.label(self.lists_of(word))
        return len(word) < SHORTEST or label in (Label.AMBIGUOUS, Label.ANTI_DICTIONARY)

    def is_common(self, word: str) -> bool:
        """Return whether a name is a common word of the language, not the name of a thing alone."""
        lists = self.lists_of(word)
        is_proper = lists & self._lexicon.anti_dictionary and lists & self.commonest
        return len(word) < SHORTEST or bool(lists & self._common or is_proper)

    def are_names(self, cells: Iterable[str]) -> bool:
        """Return whether most cells are names: whole ones, or given names of the lists."""
        is_name = [*map(self._is_name, filter(str.strip, cells))]
        return sum(is_name) * 2 > len(is_name)

    def _is_name(self, cell: str) -> bool:
        first, *others = words = cell.split()
        if not others:
            return self._is_first(first) and not self.is_word(first)
        is_thing = cell[0] in "{[" or self._is_thing(words)
        return not is_thing and any(type_ is NOM for type_, _ in self.read(cell))

    def _is_thing(self, words: Sequence[str]) -> bool:
        """Return whether words are a town, a brand or a school: *Saint Denis*, *Nokia Lumia*."""
        whole = self.lists_of("-".join(words)) | self.lists_of("".join(words))
        is_begun = self.lists_of(words[0]) & self._proper and not any(map(self._is_first, words))
        return bool(whole & self._proper or is_begun) or folded(words[0]) in self._things

    def _is_first(self, word: str) -> bool:
        return bool(self.lists_of(word) & self._first)

    def _may_be_name(self, word: str) -> bool:
        """Return whether a word is written as a surname that no frequent word is: *Juste*."""
        lists = self.lists_of(word)
        is_frequent = lists & self._frequent or len(word) < SHORTEST or not word.istitle()
        return not is_frequent and bool(lists & self._last or not lists & self._common)

    def _has_last_name(self, words: Sequence[str]) -> bool:
        """Return whether a last name that is no word makes other words names: *Pape Diouf*."""
        is_thing = self._is_thing(words) or self._is_trade(" ".join(words))  # *Kiné Garcia*
        may_be = all(self._is_known(one) and not self._is_usual(one) for one in words)
        return may_be and not is_thing and any(map(self._is_sure_last, words))

    def _is_usual(self, word: str) -> bool:
        """Return whether a frequent word is rarely a name: *Chef*, *Mamie*, but not *Grand*."""
        lists, plain = self.lists_of(word), folded(word)
        is_usual = lists & self.commonest and lists & self._frequent
        is_kin = plain not in self._parents and self._is_relative(plain)
        return bool((is_usual and plain not in self._frequent_names) or is_kin)

    def _is_sure_last(self, word: str) -> bool:
        return bool(self.lists_of(word) & self._sure_last) and not self.is_word(word)

    def _is_known(self, word: str) -> bool:
        return bool(self.lists_of(word) & (self._persons | self._last))

    def read(self, cell: str, kind: str = "") -> list[Named]:
        """Return the names, numbers and addresses of a person in a cell; none if it is no name.

        A column of given names, of surnames or of whole names (`kind`: PRE, NOM, name) holds
        nothing else.
        """
        if kind in (PRE, NOM):
            words = [word for word in cell.split() if len(word) > 1 and _NAME_WORD.fullmatch(word)]
            words = self._with_particles(words[:MAX_WORDS]) if kind == NOM else words[:MAX_WORDS]
            return [(IdentifierType(kind), word) for word in words]
        pending, texts = list[object](), list[str]()
        if cell[:1] in ("{", "["):  # an object written as JSON, {"name": "Zoé"}
            with suppress(ValueError, RecursionError):
                pending.append(json.loads(cell))
        while pending:
            value = pending.pop()
            if isinstance(value, dict | list):
                pending += reversed([*value.values()] if isinstance(value, dict) else value)
            elif isinstance(value, str):
                texts.append(value)
        names = [part for text in texts for part in self._read(text)]
        return names if texts else self._read(cell, is_name=kind == "name")

    def _read(self, cell: str, *, is_name: bool = False) -> list[Named]:
        if len(cell) > LONGEST:
            return []
        rest, contacts = unicodedata.normalize("NFC", cell), list[Named]()
        for type_, form in ((_MEL, _MAIL), (_TEL, _TELEPHONE)):
            contacts += [(type_, one[0]) for one in form.finditer(rest)]
            rest = form.sub(" ", rest)
        pieces = _APART.split(_BRACKETS.sub(" ", rest))
        parts = [_SIGNS.sub(" ", one).strip(" ,") for one in pieces]
        text = " ".join(filter(None, parts))
        names = self._names(text, is_name=is_name) if text else []
        if len(parts) > 1:  # *Solveig Kerbrat - Mairie*
            names_of_parts = (self._names(one, is_name=is_name) for one in parts if one)
            names = next((one for one in names_of_parts if len(one) > 1), names)
        if not names and contacts and contacts[0][0] is _MEL:
            names = self._read(contacts[0][1].partition("@")[0])
        return contacts + names

    def _names(self, text: str, *, is_name: bool) -> list[Named]:
        """Return the names in a text: all of it, those among other words, or that of a user."""
        handle = _HANDLE.fullmatch(text)
        is_handle = handle and (text[0] == "@" or not self.is_word(handle[1]))
        user = [(_PSD, text.removeprefix("@"))] if is_handle else []
        is_joined = _JOINED.fullmatch(text)
        if is_joined or re.fullmatch(f"(?:{_HUMP}){{2,}}", text):
            joined = re.split("[._]", text.title()) if is_joined else re.findall(_HUMP, text)
            return self._parts(joined, 0) if self._reads_as_name(joined) else user
        before, comma, after = text.partition(",")
        words = [*before.split(), *after.split()]
        if len(words) > 1:
            words = [word for word in words if not word.isdecimal()]
        main = [word for word in words if folded(word) not in self.particles]
        if not words or len(main) > MAX_WORDS or not all(map(_NAME_WORD.fullmatch, words)):
            return user
        bare = [folded(word).removesuffix(".") for word in words[:-1]]
        n_titles = max((i for i, one in enumerate(bare, 1) if one in self.titles), default=0)
        words, n_last = words[n_titles:], len(before.split()) - n_titles if comma else 0
        is_before_first = len(words) > 1 and self._is_first(words[1]) and not comma
        is_surname = words[0].isupper() and not text.isupper()  # *PEPE Marie*
        if is_before_first and not is_surname and (kin := folded(words[0])):  # *Tata Monique*
            del words[: bool(self._is_relative(kin) or kin in self._parents)]
        is_initial = len(words) > 1 and _INITIALS.fullmatch(words[0])
        words = [word.rstrip(".") for word in words if not _INITIALS.fullmatch(word)]
        if words and not (is_name or n_titles or self._reads_as_name(words)):
            return self._among_words(words)
        if (n_titles or is_initial) and len(words) == 1:
            return [(NOM, words[0])]
        return self._parts(words, max(0, n_last)) if words else []

    def _among_words(self, words: Sequence[str]) -> list[Named]:
        """Return the names among words of the language: *tata Solveig*, *Solveig et Yorick*."""

        def is_other(word: str) -> bool:
            return self.is_word(word) and (word.islower() or not self._is_known(word))

        runs = [(other, [*run]) for other, run in groupby(words, is_other)]
        others = [word for other, run in runs if other for word in run]
        sure = [run for other, run in runs if not other and self._reads_as_name(run)]
        if any(word[0].isupper() for word in others):  # *Famille Kerbrat*, but *Pizza Hut*
            sure = [run for run in sure if any(map(self._is_known, run))]
        names = (part for run in sure for part in self._parts(run, 0))
        return [*names] if others else [(NOM, word) for word in words if self._is_sure_last(word)]

    def _reads_as_name(self, words: Sequence[str]) -> bool:
        if len(words) == 1:
            [word], lists = words, self.lists_of(words[0])
            if lists & (self._persons | self._last) and not self.is_word(word):
                return word[0].isupper() or bool(lists & self._persons)
            if lists & self._persons:
                return word[0].isupper() and not word.isupper()
            return not lists and word.istitle() and len(word) >= SHORTEST
        main = [word for word in words if folded(word) not in self.particles]
        # Not every script has capitals.
        if any(ELIDED.sub("", word)[0].islower() for word in main):
            if self._is_first(main[0]) and not self.is_word(main[0]):
                return not any(word[0].isupper() for word in main)
            return all(word.islower() and not self.lists_of(word) for word in main)
        if main and not self.lists_of(main[0]):  # *Ysoline Petit*
            others = (one for one in main[1:] if self.is_word(one) and not self._is_known(one))
            return any(map(self._is_first, main)) or not any(others)
        is_name = any(map(self._is_first, main)) or not any(map(self.is_word, main))
        return is_name or all(map(self._may_be_name, main)) or self._has_last_name(main)

    def _with_particles(self, words: Iterable[str]) -> list[str]:
        """Return names, each with the particles before it; particles alone where there is none."""
        names, run = list[str](), list[str]()
        for word in words:
            run.append(word)
            if folded(word) not in self.particles:
                names.append(" ".join(run))
                run = []
        rest = "".join(run)  # *Hà Lê*, *Bao Le*
        is_last = not names or not rest.isascii() or (rest.istitle() and self._is_first(names[-1]))
        return [*names, *run] if is_last else names

    def _parts(self, words: list[str], n_last: int) -> list[Named]:
        """Return given names and surnames; those in capitals, or before a comma, are surnames."""
        last, others = self._with_particles(words[:n_last]), self._with_particles(words[n_last:])
        wholes, n_last = [*last, *others], len(last)
        words = [whole.split()[-1] for whole in wholes]
        capitals, numbered = [word.isupper() for word in words], [*enumerate(words)]
        if len(words) == 1:
            is_last = self.lists_of(words[0]) & self._last and not self._is_first(words[0])
            return [(NOM if is_last or wholes != words else PRE, wholes[0])]
        if n_last and n_last < len(words):
            are_last = [i < n_last for i, _ in numbered]
        elif any(capitals) and not all(capitals):
            are_last = capitals
        elif not self._is_first(words[0]) and self._is_first(words[-1]):
            are_last = [one != numbered[-1] for one in numbered]
            # *Garage Paul* is no Mr. Garage.
            numbered = [n for n in numbered if not self.is_word(n[1]) or self._is_known(n[1])]
        else:
            several = len(words) > 2 and self._is_first(words[1]) and not self.is_word(words[1])
            are_last = [i > several for i, _ in numbered]
        return [(NOM, wholes[i]) if are_last[i] else (PRE, word) for i, word in numbered]
