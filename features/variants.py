"""Spelling variants of names that a corpus has established (Reffay et al., 2012, section 4.2)."""

from collections.abc import Iterable, Mapping

_SHORT_NAME = 5
_SHORTEST = 4
_LONGEST = 14
_MOST_ALIKE = 8


def distance_within(one: str, other: str, most: int) -> bool:
    """Return whether the Levenshtein distance of two words is at most so many.

    Examples
    --------
    >>> distance_within("patrice", "patriec", 2), distance_within("patrice", "beatrice", 2)
    (True, True)
    >>> distance_within("patrice", "maurice", 1), distance_within("patrice", "mauricette", 2)
    (False, False)
    """
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


def variants(unknown: Iterable[str], established: Mapping[str, float]) -> dict[str, str]:
    """Return the unknown words that are spelled nearly like an established name.

    One edit for names of up to five letters, two for longer ones. Case and accents do not count:
    both are given folded. Only words that share a form with letters left out are compared.

    Parameters
    ----------
    unknown : iterable of str
    established : mapping of str to float
        Names and the strength of their evidence.

    Returns
    -------
    dict of str to str
        The name of the strongest evidence for each variant.

    Examples
    --------
    >>> variants(["patriec", "crayon"], {"patrice": 3.0})
    {'patriec': 'patrice'}
    """
    filed: dict[str, list[str]] = {}
    # The strongest first: of many names that are alike, a few are compared.
    for name in sorted(established, key=lambda name: (-established[name], name)):
        if _SHORTEST <= len(name) <= _LONGEST:
            for form in _shortened(name, _edits(name)):
                alike = filed.setdefault(form, [])
                if len(alike) < _MOST_ALIKE:
                    alike.append(name)
    found: dict[str, str] = {}
    for word in unknown:
        if not _SHORTEST <= len(word) <= _LONGEST:
            continue
        # A short word is two edits from a longer name with one letter less at most.
        most = 1 if len(word) <= _SHORT_NAME else 2
        near = {name for form in _shortened(word, most) for name in filed.get(form, ())}
        near = {n for n in near if n != word and distance_within(word, n, _edits(n))}
        if near:
            found[word] = max(sorted(near), key=established.__getitem__)
    return found


def _edits(name: str) -> int:
    return 1 if len(name) <= _SHORT_NAME else 2


def _shortened(word: str, most: int) -> set[str]:
    """Return a word and its forms with up to so many letters left out."""
    forms = last = {word}
    for _ in range(most):
        last = {form[:i] + form[i + 1 :] for form in last for i in range(len(form))}
        forms = forms | last
    return forms
