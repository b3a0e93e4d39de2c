"""Words spelled nearly alike: one edit from frequent forms, variants of names of a corpus."""

from collections.abc import Iterable, Mapping
from itertools import chain

_SHORTEST, _LONGEST = 6, 13
# Names of a corpus and their variants; a short one may have one edit, a longer one two.
_SHORTEST_NAME, _SHORT_NAME, _LONGEST_NAME = 4, 5, 14


def with_a_letter_less(words: Iterable[str]) -> dict[str, str]:
    """File words of 6 to 13 letters by themselves and by their forms with a letter left out.

    Several of a form are lines of one text, which is sooner read back than a tuple.
    """
    filed: dict[str, str] = {}
    for word in dict.fromkeys(words):
        if _SHORTEST <= len(word) <= _LONGEST:
            for form in _shortened(word, 1):
                filed[form] = f"{filed[form]}\n{word}" if form in filed else word
    return filed


def one_edit_from(word: str, filed: Mapping[str, str]) -> list[str]:
    """Return the filed words that are one edit from this one, which is none of them."""
    if not _SHORTEST <= len(word) <= _LONGEST + 1:
        return []
    found = []
    alike = (filed[form].split("\n") for form in _shortened(word, 1) if form in filed)
    for near in dict.fromkeys(chain.from_iterable(alike)):
        left, right = _from_first_difference(word, near)
        is_one = left[1:] in (right, right[1:]) or left == right[1:] or is_swap(left, right)
        if is_one and word != near:
            found.append(near)
    return found


def _shortened(word: str, most: int) -> Iterable[str]:
    """Return a word and its forms with up to so many letters left out, each once."""
    forms = last = {word: None}
    for _ in range(most):
        last = {form[:i] + form[i + 1 :]: None for form in last for i in range(len(form))}
        forms = forms | last
    return forms


def is_swap(one: str, other: str) -> bool:
    """Return whether two words differ by two neighbouring letters that changed places."""
    left, right = _from_first_difference(one, other)
    return one != other and left[:2] == right[1::-1] and left[2:] == right[2:]


def _from_first_difference(one: str, other: str) -> tuple[str, str]:
    pairs = enumerate(zip(one, other, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
    return one[at:], other[at:]


def distance_within(one: str, other: str, most: int) -> bool:
    """Return whether the Levenshtein distance of two words is at most so many."""
    if abs(len(one) - len(other)) > most:
        return False
    previous = list(range(len(other) + 1))
    for i, char in enumerate(one, 1):
        current = [i]
        for j, its in enumerate(other, 1):
            change = previous[j - 1] + (char != its)
            current.append(min(previous[j] + 1, current[-1] + 1, change))
        previous = current
    return previous[-1] <= most


class NameVariants:
    """Finds the established name that a word is spelled nearly like (Reffay et al., 2012, 4.2)."""

    def __init__(self, established: Mapping[str, float]) -> None:
        self._established = established
        self._filed: dict[str, list[str]] = {}
        # The strongest first: of many names that are alike, a few are compared.
        for name in sorted(established, key=lambda name: (-established[name], name)):
            if _SHORTEST_NAME <= len(name) <= _LONGEST_NAME:
                for form in _shortened(name, _edits(name)):
                    alike = self._filed.setdefault(form, [])
                    if len(alike) < 8:
                        alike.append(name)

    def __call__(self, word: str) -> str:
        """Return the name of the strongest evidence; empty if there is none."""
        if not _SHORTEST_NAME <= len(word) <= _LONGEST_NAME:
            return ""
        # A short word is two edits from a longer name with one letter less at most.
        alike = (self._filed.get(form, ()) for form in _shortened(word, _edits(word)))
        near = {*chain.from_iterable(alike)}
        near = {n for n in near if n != word and distance_within(word, n, _edits(n))}
        return max(sorted(near), key=self._established.__getitem__, default="")

    def strength(self, word: str) -> float:
        """Return the evidence of that name, or 0."""
        return self._established.get(self(word), 0.0)


def _edits(name: str) -> int:
    return 1 if len(name) <= _SHORT_NAME else 2
