"""The treatment of the identifiers that were found: by their types, and by lists of spellings."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from triage.dictionaries.phrases import FoundPhrase, Phrases

from ..decide.find import Found
from ..decide.precedence import Identifier, Rule, apart
from ..settings import OfType
from ..vocabulary import IdentifierType

ListedSpelling = FoundPhrase[IdentifierType | None]


class Treating:
    """Treats the identifiers of a message as a plan says."""

    def __init__(
        self,
        types: Mapping[IdentifierType, OfType] | None = None,
        always: Mapping[str, IdentifierType] | None = None,
        never: Iterable[str] = (),
    ) -> None:
        said = (types or {}).items()
        self._types = {type_: one for type_, one in said if one is not OfType.REPLACE}
        listed: dict[str, IdentifierType | None] = dict.fromkeys(never)
        self._listed = Phrases(listed | dict(always or {}))

    def always(self, text: str) -> list[Identifier]:
        """Return the spellings of a text that are always replaced."""
        return _always(self._listed.find(text) if self._listed else [])

    def __call__(self, found: Found, text: str) -> Found:
        """Return what is found in a text, less what stays."""
        listed = self._listed.find(text) if self._listed else []
        if not (listed or self._types):
            return found
        never = [one for one in listed if one.value is None]
        treated = [
            (one, self._treatment(one, never))
            for one in apart([*found.identifiers, *_always(listed)], text)
        ]
        return replace(
            found,
            identifiers=[one for one, said in treated if said is not OfType.KEEP],
            kept=[one for one, said in treated if said is OfType.KEEP],
            is_asked=any(said is OfType.ASK for _, said in treated),
        )

    def stays(self, start: int, end: int, type_: IdentifierType | None, text: str) -> bool:
        """Return whether part of a text stays: it is of a type that does, or in a spelling."""
        if type_ and self._types.get(type_) is OfType.KEEP:
            return True
        listed = self._listed.find(text) if self._listed else []
        return any(one.value is None and one.start <= start and end <= one.end for one in listed)

    def _treatment(self, one: Identifier, never: Sequence[ListedSpelling]) -> OfType:
        """Return what becomes of an identifier, given the spellings that stay, in order."""
        said = self._types.get(one.type, OfType.REPLACE)
        if one.rule == Rule.ALWAYS:
            return OfType.REPLACE
        if one.rule == Rule.EXPERT:
            # A person has answered already.
            return OfType.REPLACE if said is OfType.ASK else said
        before = bisect_right(never, one.start, key=lambda listed: listed.start)
        return OfType.KEEP if before and one.end <= never[before - 1].end else said


def _always(listed: Iterable[ListedSpelling]) -> list[Identifier]:
    return [Identifier(*one[:2], one.value, Rule.ALWAYS) for one in listed if one.value]
