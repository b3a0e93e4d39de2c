"""Words one edit apart: a letter inserted, deleted or changed, or two neighbours swapped."""

from collections.abc import Iterable, Iterator
from typing import Self

_SHORTEST, _LONGEST = 6, 13


class OneEdit:
    """Find the words of a list that are one edit from a given word.

    Words that are one edit apart share the word itself or a word with one letter less; so each
    word is filed under its shortened forms, and looking up costs its length, not the list's. Of the
    list, words of 6 to 13 letters are kept.

    Examples
    --------
    >>> near = OneEdit(["surement", "demain", "seulement"])
    >>> near("surment"), near("suremnet"), near("chocolat")
    (['surement'], ['surement'], [])
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.filed: dict[str, tuple[str, ...]] = {}
        for word in dict.fromkeys(words):
            if _SHORTEST <= len(word) <= _LONGEST:
                for form in _shortened(word):
                    self.filed[form] = (*self.filed.get(form, ()), word)

    @classmethod
    def restored(cls, filed: dict[str, tuple[str, ...]]) -> Self:
        """Return an index of the words that another has `filed`."""
        near = cls(())
        near.filed = filed
        return near

    def __call__(self, word: str) -> list[str]:
        """Return the words that are one edit from this one, which is none of them."""
        if not _SHORTEST <= len(word) <= _LONGEST + 1:
            return []
        found = (near for form in _shortened(word) for near in self.filed.get(form, ()))
        return [near for near in dict.fromkeys(found) if _is_one_edit(word, near)]


def is_swap(one: str, other: str) -> bool:
    """Return whether two words differ by two neighbouring letters that changed places.

    Examples
    --------
    >>> is_swap("caroilne", "caroline"), is_swap("carolina", "caroline")
    (True, False)
    """
    return len(one) == len(other) and sorted(one) == sorted(other) and _is_one_edit(one, other)


def _shortened(word: str) -> Iterator[str]:
    yield word
    for i in range(len(word)):
        if i == 0 or word[i] != word[i - 1]:
            yield word[:i] + word[i + 1 :]


def _is_one_edit(one: str, other: str) -> bool:
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None:
        return abs(len(one) - len(other)) == 1
    left, right = one[same:], other[same:]
    if len(one) != len(other):
        return left[1:] == right or left == right[1:]
    return left[1:] == right[1:] or (left[1::-1] == right[:2] and left[2:] == right[2:])
