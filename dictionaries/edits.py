"""Words spelled nearly alike: one edit from frequent forms, variants of names of a corpus."""

from collections.abc import Iterable, Mapping
from itertools import chain

_SHORTEST, _LONGEST = 6, 13
# Names of a corpus and their variants; a short one may have one edit, a longer one two.
_SHORTEST_NAME, _SHORT_NAME, _LONGEST_NAME = 4, 5, 14


def with_a_letter_less(words: Iterable[str]) -> dict[str, str]:
    """Index words of 6 to 13 letters by themselves and by their forms with a letter left out.

    Several of a form are lines of one text, which is sooner read back than a tuple.
    """
    index: dict[str, str] = {}
    for word in dict.fromkeys(words):
        if _SHORTEST <= len(word) <= _LONGEST:
            for form in _shortened(word, 1):
                index[form] = f"{index[form]}\n{word}" if form in index else word
    return index


def one_edit_from(word: str, index: Mapping[str, str]) -> list[str]:
    """Return the indexed words that are one edit from this one, which is none of them."""
    if not _SHORTEST <= len(word) <= _LONGEST + 1:
        return []
    near_words = []
    alike = (index[form].split("\n") for form in _shortened(word, 1) if form in index)
    for near in dict.fromkeys(chain.from_iterable(alike)):
        left, right = _from_first_difference(word, near)
        is_one = left[1:] in (right, right[1:]) or left == right[1:] or is_swap(left, right)
        if is_one and word != near:
            near_words.append(near)
    return near_words


def _shortened(word: str, maximum: int) -> Iterable[str]:
    """Return a word and its forms with up to `maximum` letters left out, each once."""
    forms = shortest = {word: None}
    for _ in range(maximum):
        shortest = {form[:i] + form[i + 1 :]: None for form in shortest for i in range(len(form))}
        forms = forms | shortest
    return forms


def is_swap(first: str, second: str) -> bool:
    """Return whether two words differ by two neighbouring letters that changed places."""
    left, right = _from_first_difference(first, second)
    return first != second and left[:2] == right[1::-1] and left[2:] == right[2:]


def _from_first_difference(first: str, second: str) -> tuple[str, str]:
    pairs = enumerate(zip(first, second, strict=False))
    start = next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))
    return first[start:], second[start:]


def distance_within(first: str, second: str, maximum: int) -> bool:
    """Return whether the Levenshtein distance of two words is at most `maximum`."""
    if abs(len(first) - len(second)) > maximum:
        return False
    previous = list(range(len(second) + 1))
    for i, char in enumerate(first, 1):
        current = [i]
        for j, other_char in enumerate(second, 1):
            change = previous[j - 1] + (char != other_char)
            current.append(min(previous[j] + 1, current[-1] + 1, change))
        previous = current
    return previous[-1] <= maximum


class NameVariants:
    """Finds the established name that a word is spelled nearly like (Reffay et al., 2012, 4.2)."""

    def __init__(self, established: Mapping[str, float]) -> None:
        self._established = established
        self._index: dict[str, list[str]] = {}
        # The strongest first: of many names that are alike, a few are compared.
        for name in sorted(established, key=lambda name: (-established[name], name)):
            if _SHORTEST_NAME <= len(name) <= _LONGEST_NAME:
                for form in _shortened(name, _edits(name)):
                    alike = self._index.setdefault(form, [])
                    if len(alike) < 8:
                        alike.append(name)

    def __call__(self, word: str) -> str:
        """Return the name of the strongest evidence; empty if there is none."""
        if not _SHORTEST_NAME <= len(word) <= _LONGEST_NAME:
            return ""
        # A short word is two edits from a longer name with one letter less at most.
        alike = (self._index.get(form, ()) for form in _shortened(word, _edits(word)))
        near = {*chain.from_iterable(alike)}
        near = {n for n in near if n != word and distance_within(word, n, _edits(n))}
        return max(sorted(near), key=self._established.__getitem__, default="")

    def strength(self, word: str) -> float:
        """Return the evidence of that name, or 0."""
        return self._established.get(self(word), 0.0)


def _edits(name: str) -> int:
    return 1 if len(name) <= _SHORT_NAME else 2
