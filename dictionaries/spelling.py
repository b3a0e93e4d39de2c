"""The spelling rules of text messages (paper, section 3.2): they read a word that no list holds.

A rule is given a normalised word (`normal.normal`) and returns the ordinary spelling that it finds,
with the bits of the lists that hold it, of names or not, or None where it does not apply. Its name
is the reason that a label gives. Seven are the paper's; `name_with_ending`, `two_names`, `parts`,
`number_and_word`, `swapped_letters`, `cut_short`, `phonetic`, `two_words` and `vowels_omitted` are
ours. The pack says which apply, and the words that they go by.
"""

import re
from collections.abc import Callable
from functools import reduce
from operator import or_

from .edits import is_swap, one_edit_from
from .lexicon import FIRST_NAMES, LAST_NAMES, PERSON_NAMES, Label, Lexicon
from .lists import DictionaryError
from .normal import consonants_of, fold, shorter_runs, without_runs
from .pack import pairs

# Of a word that is read as two: the first half, so that the time grows as the word does.
_SHORTEST_HALF, _LONGEST_HALF = 4, 40
_SHORTEST_START = 4
_MIN_CONSONANTS, _MAX_VOWELS = 3, 2
Reading = tuple[str, int]
Rule = Callable[[str], Reading | None]
_RULES = (
    *("missing_accents", "misplaced_accents", "letter_repetitions", "onomatopoeia"),
    *("name_with_ending", "apostrophe_omitted", "concatenation", "parts", "number_and_word"),
    *("misspelling", "swapped_letters", "cut_short", "phonetic", "two_words", "vowels_omitted"),
    "two_names",
)


class SpellingRules:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon, self._settings = lexicon, lexicon.pack.spelling
        settings = self._settings
        if wrong := [one for one in settings.rules if one not in _RULES]:
            problem = f"there is no rule {wrong[0]!r}; there are: {', '.join(_RULES)}"
            raise DictionaryError(f"{lexicon.pack.location('spelling')}: {problem}")
        # In the order of trying.
        self._rules: list[tuple[str, Rule]] = [(one, getattr(self, one)) for one in settings.rules]
        self._sound = re.compile("".join(settings.sounds.split()))
        pronoun_pairs = {a + b for a in settings.subjects for b in settings.objects}
        # Words that are written together with the next one, also two short pronouns.
        self._heads = settings.heads | {two for two in pronoun_pairs if len(two) <= 4}
        self._first_names = lexicon.bits(*FIRST_NAMES)
        self._names = lexicon.bits(*PERSON_NAMES, *LAST_NAMES)
        self._longest_head = max(map(len, settings.heads | settings.before_names), default=0)

    def read(self, word: str) -> tuple[str, str, int] | None:
        """Return the first rule that reads a word, the form that it finds, and its lists."""
        for name, rule in self._rules:
            reading = rule(word)
            if reading and self._lexicon.label(reading[1]) is not Label.UNKNOWN:
                return name, *reading
        return None

    def _look_up(self, form: str) -> int:
        """Return the lists that hold a form, if a label follows from any of them."""
        for index in (self._lexicon.exact, self._lexicon.folded):
            if self._lexicon.deciding(lists := index.get(form)):
                return lists
        return 0

    def _look_up_frequent(self, form: str) -> int:
        """Look up a part of a word among frequent words: names often hold a rare one."""
        lists = self._look_up(form)
        return lists & self._lexicon.anti_dictionary if lists & self._lexicon.common else 0

    def _look_up_name(self, form: str) -> int:
        lists = self._look_up(form)
        return lists if lists & self._lexicon.dictionary else 0

    def missing_accents(self, word: str) -> Reading | None:
        """*desole* for *désolé*."""
        lists = self._lexicon.folded.get(word)
        return (word, lists) if lists else None

    def misplaced_accents(self, word: str) -> Reading | None:
        """*dèsolé* for *désolé*."""
        lists = 0 if word.isascii() else self._lexicon.lists_of(fold(word))
        return (fold(word), lists) if lists else None

    def letter_repetitions(self, word: str) -> Reading | None:
        """*nicoooolllaassss* for *nicolas*: each run of a letter becomes two of it, or one."""
        for form in shorter_runs(word):
            lists = self._look_up(form) or (not form.isascii() and self._look_up(fold(form)))
            if lists and form != word:
                return form, lists
        return None

    def onomatopoeia(self, word: str) -> Reading | None:
        """*mouhahaha*, *pfff*, *mdrrr*: a sound, in no list and no name."""
        if self._sound.fullmatch(without_runs(word, 2)):
            return word, self._lexicon.sound
        return None

    def name_with_ending(self, word: str) -> Reading | None:
        """*kevin34*, *seb2*, *les duponts*: a name with a number behind it, or in the plural."""
        stem, shortest = word.rstrip("0123456789"), 3
        if stem == word:
            stem, shortest = word.removesuffix("s"), _SHORTEST_HALF
        lists = self._look_up(stem) if shortest <= len(stem) < len(word) else 0
        return (stem, lists) if self._lexicon.label(lists) is Label.DICTIONARY else None

    def apostrophe_omitted(self, word: str) -> Reading | None:
        """*jexplique* for *j'explique*, *demilie* for *d'Émilie*."""
        settings, vowels = self._settings, self._settings.vowels
        for head in settings.elided:
            tail = word.removeprefix(head)
            if tail == word or len(tail) < (3 if head in settings.from_three else 4):
                continue
            may_be_name = head in settings.of_names and tail.startswith(vowels) and len(tail) > 3
            lists = self._look_up_frequent(tail) or (may_be_name and self._look_up_name(tail))
            if lists:
                return f"{head}'{tail}", lists
        return None

    def concatenation(self, word: str) -> Reading | None:
        """*jtaime* for *je t'aime*, *chezmarine*: little words written with the one behind."""
        before_names, heads = self._settings.before_names, self._heads
        for i in range(1, min(len(word) - 2, self._longest_head + 1)):
            head, tail = word[:i], word[i:]
            # "bisouslea" has a name, "etlea" may be anything.
            is_long = len(tail) > 3 or len(head) > 3
            if head in before_names and is_long and (lists := self._look_up_name(tail)):
                return f"{head} {tail}", lists
            if head in heads and len(tail) > 3 and (lists := self._look_up_frequent(tail)):
                return f"{head} {tail}", lists
        return None

    def parts(self, word: str) -> Reading | None:
        """*dis-moi*, *Marie-Lou*, *p'tit-déj*: words joined by hyphens or apostrophes."""
        if "-" not in word and "'" not in word:
            return None
        pieces: list[str] = []
        for piece in word.split("-"):
            pieces += [piece] if self._look_up(piece) else filter(None, piece.split("'"))
        if len(pieces) < 2:
            return None
        lists = [self._look_up(piece) for piece in pieces]
        labels, union = {*map(self._lexicon.label, lists)}, reduce(or_, lists)
        if Label.DICTIONARY in labels or labels == {Label.AMBIGUOUS}:
            return " ".join(pieces), union & self._lexicon.dictionary
        is_known = Label.UNKNOWN not in labels
        return (" ".join(pieces), self._lexicon.deciding(union)) if is_known else None

    def number_and_word(self, word: str) -> Reading | None:
        """*3cours*, *15min*: a number written with its word."""
        match = re.fullmatch(r"(\d+)([^\W\d_]+)", word)
        lists = self._look_up(match[2]) & self._lexicon.anti_dictionary if match else 0
        return (f"{match[1]} {match[2]}", lists) if match and lists else None

    def misspelling(self, word: str) -> Reading | None:
        """*surment* for *sûrement*: one edit away from a frequent word of the anti-dictionary."""
        if len(word) < self._settings.misspelt_from:
            return None
        for form in one_edit_from(fold(word), self._lexicon.table("near")):
            if lists := self._look_up_frequent(form):
                return form, lists
        return None

    def swapped_letters(self, word: str) -> Reading | None:
        """*caroilne* for *caroline*: a first name of five letters and more, mistyped."""
        folded = fold(word)
        letters = "".join(sorted(folded)) if len(folded) >= self._settings.swapped_from else ""
        names = self._lexicon.table("names_by_letters").get(letters, ()) if letters else ()
        return next((one for one in names if is_swap(folded, one[0])), None)

    def cut_short(self, word: str) -> Reading | None:
        """*lucil* for *Lucile*, *laur* for *Laure* or *Laurent*: the beginning of a first name."""
        start = fold(word)
        lists = self._lexicon.table("name_starts").get(start, 0)
        return (f"{word}…", lists) if lists and len(start) >= _SHORTEST_START else None

    def phonetic(self, word: str) -> Reading | None:
        """*2morrow* for *tomorrow*, *gr8* for *great*: signs that stand for a sound."""
        for sign, sound in pairs(self._settings.phonetic).items():
            form = word.replace(sign, sound)
            if form != word and (lists := self._look_up_frequent(form)):
                return form, lists
        return None

    def two_names(self, word: str) -> Reading | None:
        """*kevindupont*, *#juliebernard*: a first name and the name behind it."""
        for i in range(_SHORTEST_HALF, min(len(word) - _SHORTEST_HALF, _LONGEST_HALF) + 1):
            head = self._look_up(word[:i])
            is_first = head & self._first_names and self._lexicon.label(head) is Label.DICTIONARY
            if is_first and (tail := self._look_up(word[i:]) & self._names):
                return f"{word[:i]} {word[i:]}", head | tail
        return None

    def two_words(self, word: str) -> Reading | None:
        """*schooluntil*, *goodenough*: frequent words without the space between them."""
        for i in range(_SHORTEST_HALF, min(len(word) - 2, _LONGEST_HALF) + 1):
            head, tail = word[:i], word[i:]
            is_long = len(tail) >= _SHORTEST_HALF or tail in self._settings.heads
            if is_long and (lists := self._look_up_frequent(head)) and self._look_up_frequent(tail):
                return f"{head} {tail}", lists
        return None

    def vowels_omitted(self, word: str) -> Reading | None:
        """*cnfrmd* for *confirmed*: the consonants of a frequent word, without some vowels."""
        folded = fold(word)
        consonants = consonants_of(folded)
        if len(consonants) < _MIN_CONSONANTS or len(folded) - len(consonants) > _MAX_VOWELS:
            return None
        for form in self._lexicon.table("by_consonants").get(consonants, ()):
            letters = iter(form)
            if len(form) > len(folded) and all(letter in letters for letter in folded):
                return form, self._look_up_frequent(form)
        return None
